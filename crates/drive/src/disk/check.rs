//! Limits of a disk's numbers.

use super::params::DiskParams;
use super::platter::Platter;
use ftlab_base::{ConfigError, Nanos};

/// Speeds of a spindle: far beyond any disk on both sides.
const RPM: [u32; 2] = [60, 1_000_000];

/// The longest move or pause of an arm: beyond any disk, and short enough that a track at the highest rate
/// has fewer than 2^32 sectors.
const LONGEST_MOVE: Nanos = Nanos::from_secs(10);

/// Checks that `value` lies in a range; an error names both.
fn within<T: PartialOrd + std::fmt::Display>(
    name: &str,
    value: T,
    [least, most]: [T; 2],
) -> Result<(), ConfigError> {
    match value >= least && value <= most {
        true => Ok(()),
        false => Err(ConfigError(format!(
            "{name} is {value}; it must lie in {least} to {most}"
        ))),
    }
}

impl DiskParams {
    /// Checks that counts, rates and times are such as a disk can have, so that the layout of its tracks stays in
    /// whole numbers of 64 bits and its tables in memory, and that the seek times can be one curve.
    ///
    /// # Errors
    /// Says which number is wrong and what it may be.
    pub fn check(&self) -> Result<(), ConfigError> {
        let fail = |why: String| Err(ConfigError(why));
        within("rpm", self.rpm, RPM)?;
        within("capacity_sectors", self.capacity_sectors, [1, u64::MAX])?;
        for (name, value, most) in [
            ("heads", self.heads, 256),
            ("zones", self.zones, 4096),
            ("queue_depth", self.queue_depth, 65_536),
        ] {
            within(name, value, [1, most])?;
        }
        within("write_segments", self.write_segments, [0, 65_536])?;
        within("read_segments", self.read_segments, [0, 65_536])?;
        // Below 1 MB/s a track of a slow spindle could come out without a sector.
        within("outer_mb_s", self.outer_mb_s, [1.0, 10_000.0])?;
        within("inner_mb_s", self.inner_mb_s, [1.0, 10_000.0])?;
        for (name, span) in [
            ("seek_track", self.seek_track),
            ("seek_full", self.seek_full),
            ("write_settle", self.write_settle),
            ("head_switch", self.head_switch),
            ("destage_wait", self.destage_wait),
        ] {
            within(name, span, [Nanos::ZERO, LONGEST_MOVE])?;
        }
        if self.read_ahead_least_bytes > self.read_segment_bytes {
            return fail(format!(
                "read_ahead_least_bytes is {}; it must be at most read_segment_bytes ({})",
                self.read_ahead_least_bytes, self.read_segment_bytes
            ));
        }
        self.check_seeks()?;
        if Platter::cylinders_of(self).is_none() {
            return fail(format!(
                "capacity_sectors is {}; at these rates that is more than 2^32 cylinders",
                self.capacity_sectors
            ));
        }
        let (sweep, segments) = (self.destage_sweep, self.write_segments);
        if self.write_cache_bytes > 0 && !(1..=segments).contains(&sweep) {
            return fail(format!(
                "destage_sweep is {sweep}; it must lie in 1 to write_segments ({segments})"
            ));
        }
        Ok(())
    }

    /// Checks that `a + b·sqrt(x) + c·x` through the three times rises over the whole stroke and bends downwards: with
    /// m and f the mean and full stroke beyond one track, b = 5(m − f/3) ≥ 0 and b/2 + c ≥ 0.
    fn check_seeks(&self) -> Result<(), ConfigError> {
        let beyond = |seek: Nanos| seek.as_secs() - self.seek_track.as_secs();
        let (mean, full) = (beyond(self.seek_average), beyond(self.seek_full));
        if mean >= full / 3.0 && mean <= full * 11.0 / 15.0 && full >= 0.0 {
            return Ok(());
        }
        Err(ConfigError(format!(
            "seek_average {} with seek_track {} and seek_full {}: less one track it must lie in \
             33 to 73 % of the full stroke",
            self.seek_average, self.seek_track, self.seek_full
        )))
    }
}
