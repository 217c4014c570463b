//! The physical numbers of a hard disk.

use super::platter::Platter;
use super::power::DiskPower;
use ftlab_base::Nanos;
use std::ops::RangeInclusive;

/// The order in which the write cache is brought to the platter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Destage {
    /// The extent with the shortest positioning time next: seek and rotation both count.
    ShortestPositioning,
    /// The next extent by ascending address, from the last back to the first: seeks are short,
    /// rotation is left to chance.
    Elevator,
}

/// A hard disk, in physical numbers. Spans are [`Nanos`], sizes bytes unless the name says
/// sectors (of 512 bytes), rates decimal megabytes (10^6 bytes) a second.
#[derive(Debug, Clone, PartialEq)]
pub struct DiskParams {
    /// Revolutions a minute.
    pub rpm: u32,
    /// Addressable sectors.
    pub capacity_sectors: u64,
    /// Recording surfaces: tracks of one cylinder.
    pub heads: u32,
    /// Bands of equally many cylinders; within a band every track holds equally many sectors.
    pub zones: u32,
    /// Sustained rate of the outermost band (address 0), MB/s: track switches included, as data
    /// sheets and reviews give it.
    pub outer_mb_s: f64,
    /// Sustained rate of the innermost band, MB/s. Bands between are linear in this.
    pub inner_mb_s: f64,
    /// Seek to the neighbouring cylinder, settled for reading.
    pub seek_track: Nanos,
    /// Mean seek over all pairs of cylinders, settled for reading.
    pub seek_average: Nanos,
    /// Seek from the first to the last cylinder, settled for reading.
    pub seek_full: Nanos,
    /// What a seek takes longer before a write, which must not touch the neighbouring track.
    pub write_settle: Nanos,
    /// Switch to another head of the same cylinder; also the skew between its tracks.
    pub head_switch: Nanos,
    /// Time of a sector of 512 bytes on the host link, as fast as the drive can.
    pub link_sector: Nanos,
    /// Time of the drive's controller and link protocol for each command, on top of the payload.
    pub command_overhead: Nanos,
    /// Commands the drive holds at a time and reorders by positioning time: 1 without NCQ, up to 32
    /// with it.
    pub queue_depth: u32,
    /// Bytes of dirty data the write cache takes; 0 writes through.
    pub write_cache_bytes: u64,
    /// Dirty extents the write cache can list; adjacent writes share one.
    pub write_segments: u32,
    /// Dirty extents freed before a write cache that was full takes new data again: the distance
    /// from its high to its low watermark. The same share of the bytes is freed.
    pub destage_sweep: u32,
    /// The order of destaging.
    pub destage: Destage,
    /// How long the host must have read nothing before the arm destages without need.
    pub destage_wait: Nanos,
    /// Sequential streams the read cache remembers.
    pub read_segments: u32,
    /// Bytes of one read stream kept, and read ahead of the host; 0 neither keeps nor reads ahead.
    pub read_segment_bytes: u64,
    /// Bytes that the arm reads on along a stream, each time that it comes to it, before it serves
    /// anything else that waits (the minimum pre-fetch of SCSI's caching mode page), at most a segment.
    pub read_ahead_least_bytes: u64,
    /// What its parts take from the supply, if that is known.
    pub power: Option<DiskPower>,
}

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

    /// One turn of the spindle.
    #[must_use]
    pub fn revolution(&self) -> Nanos {
        Nanos(60_000_000_000 / u64::from(self.rpm))
    }
}
