//! End of a write: with the write cache on, when the buffer has all its slots; with it off, when all of them are
//! programmed.
//!
//! With the cache off, the data still pass through the buffer, and what waits there for dies still shares program units. What
//! no other write fills up is filled up with nothing, or its write would never end.

use ftlab_base::{Lpn, SimTime};
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use std::ops::Range;

/// Setting of the write cache. Whichever it is, it knows what a write waits for.
#[derive(Debug, Clone)]
pub(super) enum Cache {
    /// On: a write waits for room in the buffer.
    Back,
    /// Off: a write waits for its programs as well.
    Through(WriteThrough),
}

impl Cache {
    pub(super) fn set(on: bool) -> Cache {
        match on {
            true => Cache::Back,
            false => Cache::Through(WriteThrough::default()),
        }
    }

    pub(super) fn is_back(&self) -> bool {
        matches!(self, Cache::Back)
    }

    /// The writes that end with something that happened, and when they can at the earliest: none where they end in the
    /// buffer.
    fn ended_by(&mut self, by: impl FnOnce(&mut WriteThrough) -> Vec<Ended>) -> Vec<Ended> {
        match self {
            Cache::Back => Vec::new(),
            Cache::Through(through) => by(through),
        }
    }

    /// A piece of a write is in the buffer.
    #[inline]
    pub(super) fn admitted(&mut self, number: u32, lpn: Lpn) {
        if let Cache::Through(through) = self {
            through.admitted(number, lpn);
        }
    }

    /// The last piece of a write is in the buffer; returns true if it ends with that.
    #[inline]
    pub(super) fn is_whole(&mut self, number: u32, arrived: SimTime) -> bool {
        match self {
            Cache::Back => true,
            Cache::Through(through) => through.is_whole(number, arrived),
        }
    }

    /// The waiting data of a slot are handed on; their program ends when the fence of that number is reached.
    #[inline]
    pub(super) fn taken(&mut self, lpn: Lpn, fence: usize) {
        if let Cache::Through(through) = self {
            through.taken(lpn, fence);
        }
    }

    /// The waiting data of these slots need not be programmed, or are wanted no more. Gives the writes that end with
    /// them.
    #[inline]
    pub(super) fn dropped(&mut self, lpns: Range<u32>) -> Vec<Ended> {
        self.ended_by(|through| lpns.flat_map(|lpn| through.dropped(Lpn(lpn))).collect())
    }

    /// A fence was reached.
    #[inline]
    pub(super) fn programmed(&mut self, fence: usize) -> Vec<Ended> {
        self.ended_by(|through| through.programmed(fence))
    }

    /// The flash takes no more: gives the writes, wholly in the buffer, of which something waits there.
    pub(super) fn fail(&mut self) -> Vec<u32> {
        match self {
            Cache::Back => Vec::new(),
            Cache::Through(through) => through.fail(),
        }
    }

    /// Returns true if units that were begun must be filled up, with nothing waiting in the buffer any more.
    #[inline]
    pub(super) fn must_fill_up(&mut self) -> bool {
        match self {
            Cache::Back => false,
            Cache::Through(through) => through.must_fill_up(),
        }
    }

    /// Returns true if no write waits for anything but the buffer.
    #[cfg(test)]
    pub(super) fn is_at_rest(&self) -> bool {
        match self {
            Cache::Back => true,
            Cache::Through(through) => through.is_at_rest(),
        }
    }
}

/// A write that ends, and when it was in the buffer.
pub(super) type Ended = (u32, SimTime);

/// Writes, with the programs that they wait for. Maps are looked up, never walked in an order that could matter.
#[derive(Debug, Clone, Default)]
pub(super) struct WriteThrough {
    /// The writes whose data wait in the buffer, by slot.
    waiting: HashMap<Lpn, Vec<u32>, FxBuildHasher>,
    /// The writes whose data are being programmed, by the fence that tells the end.
    programming: Vec<Vec<u32>>,
    left: HashMap<u32, Left, FxBuildHasher>,
    /// True if anything was handed on since units were last filled up.
    may_be_open: bool,
}

/// The rest that a write still waits for.
#[derive(Debug, Clone, Copy, Default)]
struct Left {
    slots: u32,
    /// Instant at which all of it was in the buffer and in the drive.
    arrived: Option<SimTime>,
}

impl WriteThrough {
    /// A piece of a write is in the buffer.
    fn admitted(&mut self, number: u32, lpn: Lpn) {
        self.waiting.entry(lpn).or_default().push(number);
        self.left.entry(number).or_default().slots += 1;
    }

    /// The last piece of a write is in the buffer; returns true if nothing of it is left to be programmed.
    fn is_whole(&mut self, number: u32, arrived: SimTime) -> bool {
        let left = self.left.entry(number).or_default();
        left.arrived = Some(arrived);
        let is_programmed = left.slots == 0;
        if is_programmed {
            self.left.remove(&number);
        }
        is_programmed
    }

    /// The waiting data of a slot are handed on; their program ends when the fence of that number is reached.
    fn taken(&mut self, lpn: Lpn, fence: usize) {
        self.may_be_open = true;
        if fence >= self.programming.len() {
            self.programming.resize_with(fence + 1, Vec::new);
        }
        let writes = self.waiting.remove(&lpn).unwrap_or_default();
        self.programming[fence].extend(writes);
    }

    /// The waiting data of a slot need not be programmed, or are wanted no more. Gives the writes that end with them,
    /// and when they can at the earliest.
    fn dropped(&mut self, lpn: Lpn) -> Vec<Ended> {
        let writes = self.waiting.remove(&lpn).unwrap_or_default();
        self.end(writes)
    }

    /// A fence was reached. Gives the writes that end with it, and when they can at the earliest.
    fn programmed(&mut self, fence: usize) -> Vec<Ended> {
        let writes = self.programming.get_mut(fence).map(std::mem::take);
        self.end(writes.unwrap_or_default())
    }

    fn end(&mut self, writes: Vec<u32>) -> Vec<Ended> {
        let mut ended = Vec::new();
        for number in writes {
            // One that has failed is waited for no more.
            let Some(left) = self.left.get_mut(&number) else {
                continue;
            };
            left.slots -= 1;
            if left.slots == 0
                && let Some(arrived) = left.arrived
            {
                self.left.remove(&number);
                ended.push((number, arrived));
            }
        }
        ended
    }

    /// The flash takes no more: gives the writes, wholly in the buffer, of which something waits there.
    fn fail(&mut self) -> Vec<u32> {
        let mut failed: Vec<u32> = self
            .waiting
            .drain()
            .flat_map(|(_, writes)| writes)
            .collect();
        failed.sort_unstable();
        failed.dedup();
        let left = &mut self.left;
        failed.retain(|number| {
            left.remove(number)
                .is_some_and(|left| left.arrived.is_some())
        });
        failed
    }

    /// Returns true if no write waits for anything.
    #[cfg(test)]
    fn is_at_rest(&self) -> bool {
        self.waiting.is_empty()
            && self.left.is_empty()
            && self.programming.iter().all(Vec::is_empty)
    }

    /// Returns true if units that were begun must be filled up, with nothing waiting in the buffer any more.
    fn must_fill_up(&mut self) -> bool {
        !self.left.is_empty() && std::mem::take(&mut self.may_be_open)
    }
}
