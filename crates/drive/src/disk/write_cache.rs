//! The write cache: dirty extents between two watermarks.
//!
//! A write that finds no room starts a *sweep*: nothing new is let in until a number of extents are
//! on the platter. So most writes end as soon as their data is over the link, and each n-th waits
//! for n positionings: the average of a random write is one positioning, its maximum a whole sweep.

use super::params::DiskParams;
use super::platter::{Place, Platter};
use ftlab_base::{Nanos, SECTOR_BYTES};

/// A run of dirty sectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Number of the first sector.
    pub lba: u64,
    /// Sectors, at least 1.
    pub sectors: u64,
    /// Place of the first sector.
    pub place: Place,
}

impl Extent {
    fn end(&self) -> u64 {
        self.lba + self.sectors
    }

    fn holds(&self, lba: u64, sectors: u64) -> bool {
        self.lba <= lba && lba + sectors <= self.end()
    }
}

/// Dirty data: waiting, and being written.
#[derive(Debug, Clone)]
pub struct WriteCache {
    /// Ascending by address, neither overlapping nor touching.
    extents: Vec<Extent>,
    /// Being written to the platter.
    in_flight: Option<Extent>,
    /// Let in, still coming over the link.
    arriving_extents: u32,
    arriving_sectors: u64,
    waiting_sectors: u64,
    sweeping: bool,
    extents_max: u32,
    extents_low: u32,
    sectors_max: u64,
    sectors_low: u64,
}

impl WriteCache {
    /// Makes an empty cache.
    pub fn new(params: &DiskParams) -> WriteCache {
        let sectors_max = params.write_cache_bytes / SECTOR_BYTES;
        let extents_low = params.write_segments.saturating_sub(params.destage_sweep);
        WriteCache {
            extents: Vec::with_capacity(params.write_segments as usize + 1),
            in_flight: None,
            arriving_extents: 0,
            arriving_sectors: 0,
            waiting_sectors: 0,
            sweeping: false,
            extents_max: params.write_segments,
            extents_low,
            sectors_max,
            sectors_low: sectors_max * u64::from(extents_low)
                / u64::from(params.write_segments.max(1)),
        }
    }

    /// Returns true if the disk caches writes at all.
    pub fn enabled(&self) -> bool {
        self.sectors_max > 0
    }

    /// Lets a write in, whose data now comes over the link, or starts a sweep and says no. Not to be
    /// asked during a sweep: writes that come later would keep it from ending.
    pub fn admit(&mut self, lba: u64, sectors: u64) -> bool {
        assert!(!self.sweeping, "nothing is let in during a sweep");
        if !self.has_room(lba, sectors) {
            self.sweeping = true;
            return false;
        }
        self.arriving_extents += 1;
        self.arriving_sectors += sectors;
        true
    }

    /// Room is an extent and the bytes. A write beside a dirty extent needs no extent of its own. An
    /// empty cache takes a write of any size.
    fn has_room(&self, lba: u64, sectors: u64) -> bool {
        if self.is_empty() {
            return true;
        }
        let bytes_fit = self.sectors() + sectors <= self.sectors_max;
        bytes_fit && (self.count() < self.extents_max || self.touches(lba, sectors))
    }

    /// Takes over the data of a write that was let in.
    pub fn insert(&mut self, lba: u64, sectors: u64, platter: &Platter) {
        self.arriving_extents -= 1;
        self.arriving_sectors -= sectors;
        let first = self.first_touching(lba);
        let mut merged = Extent {
            lba,
            sectors,
            place: platter.locate(lba),
        };
        let mut past = first;
        while let Some(old) = self.extents.get(past).filter(|e| e.lba <= lba + sectors) {
            self.waiting_sectors -= old.sectors;
            let end = merged.end().max(old.end());
            if old.lba < merged.lba {
                (merged.lba, merged.place) = (old.lba, old.place);
            }
            merged.sectors = end - merged.lba;
            past += 1;
        }
        self.waiting_sectors += merged.sectors;
        if past == first + 1 {
            self.extents[first] = merged;
        } else {
            self.extents.splice(first..past, [merged]);
        }
    }

    fn first_touching(&self, lba: u64) -> usize {
        self.extents.partition_point(|e| e.end() < lba)
    }

    fn touches(&self, lba: u64, sectors: u64) -> bool {
        self.extents
            .get(self.first_touching(lba))
            .is_some_and(|e| e.lba <= lba + sectors)
    }

    /// Returns true if the cache has all of these sectors.
    pub fn holds(&self, lba: u64, sectors: u64) -> bool {
        self.in_flight.is_some_and(|e| e.holds(lba, sectors))
            || self
                .extents
                .get(self.first_touching(lba + 1))
                .is_some_and(|e| e.holds(lba, sectors))
    }

    /// Sectors that are in the cache alone: an extent is, until all of it is on the platter.
    pub fn dirty(&self) -> impl Iterator<Item = std::ops::Range<u64>> {
        let extents = self.extents.iter().chain(&self.in_flight);
        extents.map(|extent| extent.lba..extent.end())
    }

    /// Returns true if any of these sectors is in the cache alone.
    pub fn is_dirty(&self, sectors: &std::ops::Range<u64>) -> bool {
        self.dirty()
            .any(|run| run.start < sectors.end && sectors.start < run.end)
    }

    /// The first extent with any of these sectors, with its `cost`.
    pub fn within(
        &self,
        sectors: &std::ops::Range<u64>,
        cost: impl Fn(Place) -> Nanos,
    ) -> Option<(usize, Nanos)> {
        let index = self.first_touching(sectors.start + 1);
        let extent = self.extents.get(index)?;
        (extent.lba < sectors.end).then(|| (index, cost(extent.place)))
    }

    /// Sectors that it takes.
    pub fn sectors_max(&self) -> u64 {
        self.sectors_max
    }

    /// The extent quickest to reach, by `cost`; of equals the one with the lowest address.
    pub fn nearest(&self, cost: impl Fn(Place) -> Nanos) -> Option<(usize, Nanos)> {
        self.extents
            .iter()
            .enumerate()
            .map(|(index, extent)| (index, cost(extent.place)))
            .min_by_key(|&(_, cost)| cost)
    }

    /// The first extent that ends beyond `lba`, else the first of all, with its `cost`.
    pub fn next_above(&self, lba: u64, cost: impl Fn(Place) -> Nanos) -> Option<(usize, Nanos)> {
        let above = self.first_touching(lba + 1);
        let index = if above < self.extents.len() { above } else { 0 };
        self.extents.get(index).map(|e| (index, cost(e.place)))
    }

    /// Starts to write extent `index`, to the end of its track at most.
    pub fn take(&mut self, index: usize, platter: &Platter) -> Extent {
        assert!(self.in_flight.is_none(), "one extent is written at a time");
        let extent = self.extents[index];
        let piece = extent.sectors.min(u64::from(extent.place.left));
        let chunk = Extent {
            sectors: piece,
            ..extent
        };
        if piece == extent.sectors {
            self.extents.remove(index);
        } else {
            let lba = extent.lba + piece;
            self.extents[index] = Extent {
                lba,
                sectors: extent.sectors - piece,
                place: platter.locate(lba),
            };
        }
        self.waiting_sectors -= piece;
        self.in_flight = Some(chunk);
        chunk
    }

    /// The extent being written is on the platter. Ends a sweep at the low watermark.
    pub fn written(&mut self) {
        assert!(self.in_flight.take().is_some(), "an extent was written");
        if self.count() <= self.extents_low && self.sectors() <= self.sectors_low {
            self.sweeping = false;
        }
    }

    /// Returns true if writes wait for a sweep to end.
    pub fn sweeping(&self) -> bool {
        self.sweeping
    }

    /// Returns true if extents wait to be written.
    pub fn has_waiting(&self) -> bool {
        !self.extents.is_empty()
    }

    /// Returns true if nothing is dirty and nothing on its way.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    fn count(&self) -> u32 {
        self.extents.len() as u32 + u32::from(self.in_flight.is_some()) + self.arriving_extents
    }

    fn sectors(&self) -> u64 {
        let in_flight = self.in_flight.map_or(0, |e| e.sectors);
        self.waiting_sectors + in_flight + self.arriving_sectors
    }
}
