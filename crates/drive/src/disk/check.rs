//! Whether a disk with these numbers can be.

use super::params::DiskParams;
use super::platter::Platter;
use ftlab_base::Nanos;
use std::ops::RangeInclusive;

/// Speeds of a spindle: far beyond any disk on both sides.
const RPM: RangeInclusive<u32> = 60..=1_000_000;

/// The longest move or pause of an arm: beyond any disk, and short enough that a track at the highest rate
/// has fewer than 2^32 sectors.
const LONGEST_MOVE: Nanos = Nanos::from_secs(10);

/// Why a disk cannot be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiskParamsError(pub String);

impl std::fmt::Display for DiskParamsError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for DiskParamsError {}

impl DiskParams {
    /// Checks that counts and rates are positive and that the seek times can be one curve.
    ///
    /// # Errors
    /// Says which number is wrong and what it may be.
    pub fn check(&self) -> Result<(), DiskParamsError> {
        let fail = |why: String| Err(DiskParamsError(why));
        for (name, value) in [
            ("rpm", u64::from(self.rpm)),
            ("capacity_sectors", self.capacity_sectors),
            ("heads", u64::from(self.heads)),
            ("zones", u64::from(self.zones)),
            ("queue_depth", u64::from(self.queue_depth)),
        ] {
            if value == 0 {
                return fail(format!("{name} is 0; it must be at least 1"));
            }
        }
        for (name, mb_s) in [
            ("outer_mb_s", self.outer_mb_s),
            ("inner_mb_s", self.inner_mb_s),
        ] {
            // Below 1 MB/s a track of a slow spindle could come out without a sector.
            if !(1.0..=10_000.0).contains(&mb_s) {
                return fail(format!("{name} is {mb_s}; it must lie in 1 to 10000"));
            }
        }
        if self.read_ahead_least_bytes > self.read_segment_bytes {
            return fail(format!(
                "read_ahead_least_bytes is {}; it must be at most read_segment_bytes ({})",
                self.read_ahead_least_bytes, self.read_segment_bytes
            ));
        }
        self.check_bounds()?;
        self.check_seeks()?;
        if Platter::cylinders_of(self).is_none() {
            return fail(format!(
                "capacity_sectors is {}; at these rates that is more than 2^32 cylinders",
                self.capacity_sectors
            ));
        }
        if self.write_cache_bytes > 0 && !(1..=self.write_segments).contains(&self.destage_sweep) {
            return fail(format!(
                "destage_sweep is {}; it must lie in 1 to write_segments ({})",
                self.destage_sweep, self.write_segments
            ));
        }
        Ok(())
    }

    /// Whether every number is one that a disk can have: the layout of its tracks stays in whole
    /// numbers of 64 bits, and its tables in memory.
    fn check_bounds(&self) -> Result<(), DiskParamsError> {
        if !RPM.contains(&self.rpm) {
            let (least, most) = (RPM.start(), RPM.end());
            return Err(DiskParamsError(format!(
                "rpm is {}; it must lie in {least} to {most}",
                self.rpm
            )));
        }
        for (name, value, most) in [
            ("heads", self.heads, 256),
            ("zones", self.zones, 4096),
            ("queue_depth", self.queue_depth, 65_536),
            ("write_segments", self.write_segments, 65_536),
            ("read_segments", self.read_segments, 65_536),
        ] {
            if value > most {
                return Err(DiskParamsError(format!(
                    "{name} is {value}; it must be at most {most}"
                )));
            }
        }
        for (name, span) in [
            ("seek_track", self.seek_track),
            ("seek_full", self.seek_full),
            ("write_settle", self.write_settle),
            ("head_switch", self.head_switch),
            ("destage_wait", self.destage_wait),
        ] {
            if span > LONGEST_MOVE {
                return Err(DiskParamsError(format!(
                    "{name} is {span}; it must be at most {LONGEST_MOVE}"
                )));
            }
        }
        Ok(())
    }

    /// Whether `a + b·sqrt(x) + c·x` through the three times rises over the whole stroke and bends
    /// downwards: with m and f the mean and full stroke beyond one track, b = 5(m − f/3) ≥ 0 and
    /// b/2 + c ≥ 0.
    fn check_seeks(&self) -> Result<(), DiskParamsError> {
        let beyond = |seek: Nanos| seek.as_secs() - self.seek_track.as_secs();
        let (mean, full) = (beyond(self.seek_average), beyond(self.seek_full));
        if mean >= full / 3.0 && mean <= full * 11.0 / 15.0 && full >= 0.0 {
            return Ok(());
        }
        Err(DiskParamsError(format!(
            "seek_average {} with seek_track {} and seek_full {}: less one track it must lie in \
             33 to 73 % of the full stroke",
            self.seek_average, self.seek_track, self.seek_full
        )))
    }
}
