//! The standard's settings, and by how much a test is shorter than the standard's.

use ftlab_base::Nanos;
use ftlab_result::pts;

/// Bytes of a drive for each second that a minute of the standard lasts, unless a scale is given. A drive
/// that is written a tenth of its capacity a minute writes a good part of it in a round of the IOPS test:
/// what changes while its spare area is used up is then no slower than the rule can see.
const BYTES_A_SECOND: f64 = 5e9;

/// The span of a scaled stretch that runs with time, unless more is needed to see requests end.
const TIMED: Nanos = Nanos::from_millis(500);

/// The part of it that is not counted, in percent: the write buffer is empty when it begins.
const RAMP_PERCENT: u64 = 40;

/// PTS-C: write cache on, 75 % of the drive, two threads.
pub const CLIENT: pts::Settings = pts::Settings {
    class: pts::Class::Client,
    write_cache: true,
    active_range_pct: 75,
    threads: 2,
    depth: 16,
};

/// PTS-E: write cache off, the whole drive, four threads.
pub const ENTERPRISE: pts::Settings = pts::Settings {
    class: pts::Class::Enterprise,
    write_cache: false,
    active_range_pct: 100,
    threads: 4,
    depth: 32,
};

/// The factor by which a test is shorter than the standard's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    divisor: f64,
    /// Set if all of it runs with time, and not only the beginning of each stretch.
    is_timed: bool,
}

impl Scale {
    /// The standard as it is.
    pub const STANDARD: Scale = Scale {
        divisor: 1.0,
        is_timed: true,
    };

    /// A test `divisor` times shorter, and with time in part unless that is 1; `None` for what is no number from 1 on.
    #[must_use]
    pub fn of(divisor: f64) -> Option<Scale> {
        (divisor.is_finite() && divisor >= 1.0).then_some(Scale {
            divisor,
            is_timed: divisor == 1.0,
        })
    }

    /// The scale that suits a drive of N bytes: minutes `times` as long as those of the IOPS test, which last as long,
    /// for its size, on each drive.
    #[must_use]
    pub fn of_capacity(bytes: u64, times: f64) -> Scale {
        let minute_s = bytes as f64 / BYTES_A_SECOND * times;
        Scale {
            divisor: (60.0 / minute_s).max(1.0),
            is_timed: false,
        }
    }

    /// Returns true if it is the standard as it is.
    #[must_use]
    pub fn is_standard(&self) -> bool {
        self.is_timed
    }

    /// The scaled length of a span of the standard.
    #[must_use]
    pub fn span(&self, standard: Nanos) -> Nanos {
        Nanos::from_secs_f64(standard.as_secs() / self.divisor)
    }

    /// The parts of a stretch that run with time: the one that is not counted, and the one that is. They are `times` as
    /// long as usual where too few requests ended.
    #[must_use]
    pub fn timed(&self, stretch: Nanos, times: u64) -> (Nanos, Nanos) {
        if self.is_standard() {
            return (Nanos::ZERO, stretch);
        }
        let whole = stretch.0.min(TIMED.0.saturating_mul(times));
        let ramp = whole / 100 * RAMP_PERCENT;
        (Nanos(ramp), Nanos(whole - ramp))
    }

    /// The scale as results have it, with the notes on what it leaves out.
    #[must_use]
    pub fn sheet(&self, words: Vec<String>) -> pts::Scale {
        let minute = self.span(Nanos::from_secs(60));
        pts::Scale {
            divisor: self.divisor,
            minute_s: minute.as_secs(),
            counted_s: self.timed(minute, 1).1.as_secs(),
            words: if self.is_standard() {
                Vec::new()
            } else {
                words
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_divides_spans() {
        let scale = Scale::of(20.0).unwrap();
        assert_eq!(scale.span(Nanos::from_secs(60)), Nanos::from_secs(3));
        assert_eq!([0.5, f64::NAN, f64::INFINITY].map(Scale::of), [None; 3]);
    }

    #[test]
    fn a_drive_ten_times_as_large_has_minutes_ten_times_as_long() {
        let minute = |bytes| {
            Scale::of_capacity(bytes, 1.0)
                .span(Nanos::from_secs(60))
                .as_secs()
        };
        assert!((minute(80_000_000_000) / minute(8_000_000_000) - 10.0).abs() < 1e-6);
        assert_eq!(
            minute(4_000_000_000_000),
            60.0,
            "never longer than the standard's"
        );
        assert!(!Scale::of_capacity(4_000_000_000_000, 1.0).is_standard());
        assert_eq!(Scale::of(1.0), Some(Scale::STANDARD));
    }

    #[test]
    fn the_standard_runs_with_time_throughout() {
        let minute = Nanos::from_secs(60);
        assert_eq!(Scale::STANDARD.timed(minute, 1), (Nanos::ZERO, minute));
        let (ramp, counted) = Scale::of(20.0).unwrap().timed(minute, 1);
        assert_eq!((ramp + counted, counted), (TIMED, Nanos::from_millis(300)));
        let short = Nanos::from_millis(50);
        let (ramp, counted) = Scale::of(20.0).unwrap().timed(short, 4);
        assert_eq!(ramp + counted, short);
    }
}
