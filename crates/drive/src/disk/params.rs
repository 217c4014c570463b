//! The physical numbers of a hard disk.

use super::power::DiskPower;
use ftlab_base::Nanos;
use ftlab_host::Limit;

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
    /// Revolutions of the platters a minute.
    pub rpm: u32,
    /// Addressable sectors of 512 bytes.
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
    /// Time that a seek takes longer before a write, which must not touch the neighbouring track.
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
    /// Limit at the port, as before the volumes of clouds; none if left out.
    pub limit: Option<Limit>,
    /// Bytes of dirty data the write cache takes; 0 writes through.
    pub write_cache_bytes: u64,
    /// Dirty extents the write cache can list; adjacent writes share one.
    pub write_segments: u32,
    /// Dirty extents freed before a write cache that was full takes new data again: the distance
    /// from its high to its low watermark. The same share of the bytes is freed.
    pub destage_sweep: u32,
    /// The order of destaging.
    pub destage: Destage,
    /// Time that the host must have read nothing before the arm destages without need.
    pub destage_wait: Nanos,
    /// Sequential streams the read cache remembers.
    pub read_segments: u32,
    /// Bytes of one read stream kept, and read ahead of the host; 0 neither keeps nor reads ahead.
    pub read_segment_bytes: u64,
    /// Bytes that the arm reads on along a stream, each time that it reaches it, before it serves anything else that
    /// waits (the minimum pre-fetch of SCSI's caching mode page), at most a segment.
    pub read_ahead_least_bytes: u64,
    /// Watts of its parts, if they are known.
    pub power: Option<DiskPower>,
}

impl DiskParams {
    /// One turn of the spindle.
    #[must_use]
    pub fn revolution(&self) -> Nanos {
        Nanos(60_000_000_000 / u64::from(self.rpm))
    }
}
