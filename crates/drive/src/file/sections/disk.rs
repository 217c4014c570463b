//! The sections of a hard disk.

use super::faults::FlashlessFaultKeys;
use super::firmware::Queue;
use super::limit::{LimitKeys, limit};
use super::link::Link;
use super::power::DiskPowerKeys;
use crate::disk::{Destage, DiskParams};
use crate::file::section::{Section, Sheet, Unread, section, words};
use ftlab_base::{Nanos, SECTOR_BYTES};
use ftlab_host::{End, Limit};
use ftlab_sheet::quantity::{Bytes, Count, Quantity, Rate, Time};
use toml::Table;

section! {
    "disk"
    /// Platters, heads and arm.
    struct Platters {
        /// Capacity.
        capacity: Quantity<Bytes>,
        /// Revolutions a minute.
        rpm: Quantity<Count>,
        /// Recording surfaces.
        heads: Quantity<Count>,
        /// Bands of equally many cylinders; within one every track holds as much.
        zones: Quantity<Count>,
        /// Sustained rate of the outermost band, switches of tracks included.
        outer_rate: Quantity<Rate>,
        /// Sustained rate of the innermost band.
        inner_rate: Quantity<Rate>,
        /// Seek to the neighbouring cylinder, settled for reading.
        seek_track: Quantity<Time>,
        /// Mean seek over all pairs of cylinders.
        seek_average: Quantity<Time>,
        /// Seek from the first to the last cylinder.
        seek_full: Quantity<Time>,
        /// What a seek takes longer before a write.
        write_settle: Quantity<Time>,
        /// Switch to another head of the same cylinder.
        head_switch: Quantity<Time>,
    }
}

words! {
    /// In which order a hard disk destages.
    enum DestageOrder {
        /// Shortest positioning time first.
        ShortestPositioning = "shortest-positioning",
        /// Ascending addresses, then back.
        Elevator = "elevator",
    }
}

section! {
    "cache"
    /// A hard disk's caches.
    struct Cache {
        /// Dirty data that the write cache takes.
        write_size: Quantity<Bytes>,
        /// Dirty extents that the write cache can list; adjacent writes share one.
        write_segments: Quantity<Count>,
        /// Dirty extents freed before a write cache that was full takes new data again.
        destage_sweep: Quantity<Count>,
        /// The order of destaging.
        destage_order: DestageOrder,
        /// How long the host must have read nothing before the arm destages without need.
        destage_wait: Quantity<Time>,
        /// Sequential streams that the read cache remembers.
        read_segments: Quantity<Count>,
        /// What is kept of a read stream, and read ahead of the host.
        read_segment_size: Quantity<Bytes>,
        /// What the arm reads on along a stream, each time that it comes to it, before it serves anything else that
        /// waits; nothing if left out.
        read_ahead_least: Option<Quantity<Bytes>>,
    }
}

/// The sections of a hard disk.
#[derive(Debug, Clone)]
pub(in crate::file) struct DiskFile {
    pub(in crate::file) disk: Platters,
    cache: Cache,
    pub(in crate::file) link: Link,
    queue: Queue,
    pub(in crate::file) limit: Option<Limit>,
    power: Option<DiskPowerKeys>,
    pub(in crate::file) faults: Option<FlashlessFaultKeys>,
}

pub(in crate::file) const SHEETS: &[Sheet] = &[
    Platters::SHEET,
    Cache::SHEET,
    Link::SHEET,
    Queue::SHEET,
    LimitKeys::SHEET,
    DiskPowerKeys::SHEET,
    FlashlessFaultKeys::SHEET,
];

impl DiskFile {
    pub(in crate::file) fn read(table: Table) -> Result<DiskFile, String> {
        let mut unread = Unread::new(table, SHEETS);
        let file = DiskFile {
            disk: unread.required()?,
            cache: unread.required()?,
            link: unread.required()?,
            queue: unread.required()?,
            limit: limit(&mut unread)?,
            power: unread.optional()?,
            faults: unread.optional()?,
        };
        unread.finish()?;
        file.link_sector()?;
        Ok(file)
    }

    /// The time of a sector on its cable.
    fn link_sector(&self) -> Result<Nanos, String> {
        if self.queue.transfer_max.is_some() {
            return Err("queue.transfer_max is for drives of NVMe: leave it out".to_owned());
        }
        match self.link.end()? {
            End::Sata(sector) => Ok(sector),
            End::Pcie { .. } => Err(
                "link.port is for drives of NVMe, and a disk has a cable: give link.rate alone"
                    .to_owned(),
            ),
        }
    }

    pub(in crate::file) fn params(&self) -> DiskParams {
        let DiskFile {
            disk,
            cache,
            link,
            queue,
            limit,
            power,
            faults: _,
        } = self;
        let mb_s = |rate: f64| rate / 1e6;
        let least = cache.read_ahead_least.as_ref();
        DiskParams {
            rpm: disk.rpm.get(),
            capacity_sectors: disk.capacity.get() / SECTOR_BYTES,
            heads: disk.heads.get(),
            zones: disk.zones.get(),
            outer_mb_s: mb_s(disk.outer_rate.base),
            inner_mb_s: mb_s(disk.inner_rate.base),
            seek_track: disk.seek_track.get(),
            seek_average: disk.seek_average.get(),
            seek_full: disk.seek_full.get(),
            write_settle: disk.write_settle.get(),
            head_switch: disk.head_switch.get(),
            link_sector: self.link_sector().expect("checked on reading"),
            command_overhead: link.command.get(),
            queue_depth: queue.depth.get(),
            limit: *limit,
            write_cache_bytes: cache.write_size.get(),
            write_segments: cache.write_segments.get(),
            destage_sweep: cache.destage_sweep.get(),
            destage: match cache.destage_order {
                DestageOrder::ShortestPositioning => Destage::ShortestPositioning,
                DestageOrder::Elevator => Destage::Elevator,
            },
            destage_wait: cache.destage_wait.get(),
            read_segments: cache.read_segments.get(),
            read_segment_bytes: cache.read_segment_size.get(),
            read_ahead_least_bytes: least.map_or(0, |least| least.get()),
            power: power.as_ref().map(DiskPowerKeys::model),
        }
    }
}
