//! The write buffer: host data between their arrival and their program.
//!
//! A slot takes room from admission until it is programmed. A newer write of a slot that still
//! waits takes its place; one whose program is under way gets room of its own.

use ftlab_base::{Lpn, SECTOR_BYTES};
use ftlab_ftl::Extent;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use std::collections::VecDeque;

/// The sectors of a slot that were written, one bit each.
pub(super) type SectorMask = u128;

#[derive(Debug, Clone, Default)]
struct Entry {
    /// Sectors written and not yet handed on; 0 when none wait.
    waiting: SectorMask,
    /// Bytes the host wrote for them, rewrites counted each time.
    waiting_bytes: u64,
    /// Programs under way.
    programming: u32,
    /// Sectors they hold together.
    programming_sectors: SectorMask,
}

/// The write buffer. All sizes are in slots.
#[derive(Debug, Clone)]
pub(super) struct WriteBuffer {
    capacity: u32,
    whole: SectorMask,
    occupied: u32,
    waiting: VecDeque<Lpn>,
    /// By slot. Looked up, never walked in an order that could matter.
    entries: HashMap<Lpn, Entry, FxBuildHasher>,
}

impl WriteBuffer {
    /// An empty buffer for `capacity` slots of `sectors_per_slot` sectors.
    pub(super) fn new(capacity: u32, sectors_per_slot: u32) -> WriteBuffer {
        WriteBuffer {
            capacity,
            whole: sector_mask(0, sectors_per_slot),
            occupied: 0,
            waiting: VecDeque::new(),
            entries: HashMap::default(),
        }
    }

    /// Takes in sectors of a slot; false when there is no room.
    pub(super) fn admit(&mut self, lpn: Lpn, sectors: SectorMask) -> bool {
        if self.is_full() && !self.entries.contains_key(&lpn) {
            return false;
        }
        let entry = self.entries.entry(lpn).or_default();
        if entry.waiting != 0 {
            entry.waiting |= sectors;
            entry.waiting_bytes += bytes_of(sectors);
            return true;
        }
        if self.occupied == self.capacity {
            return false;
        }
        entry.waiting = sectors;
        entry.waiting_bytes = bytes_of(sectors);
        self.occupied += 1;
        self.waiting.push_back(lpn);
        true
    }

    /// Whether every slot is taken: only what waits already can be written again.
    pub(super) fn is_full(&self) -> bool {
        self.occupied == self.capacity
    }

    /// The slot that waits longest.
    pub(super) fn front(&self) -> Option<(Lpn, Extent)> {
        let lpn = *self.waiting.front()?;
        let entry = self.entries.get(&lpn).expect("what waits has an entry");
        Some((lpn, self.extent_of(entry.waiting)))
    }

    fn extent_of(&self, sectors: SectorMask) -> Extent {
        if sectors == self.whole {
            Extent::Whole
        } else {
            Extent::Part
        }
    }

    /// Hands on the slot that waits longest, and how many bytes the host wrote for it.
    pub(super) fn take(&mut self) -> Option<(Lpn, Extent, u64)> {
        let lpn = self.waiting.pop_front()?;
        let entry = self.entries.get_mut(&lpn).expect("what waits has an entry");
        let sectors = std::mem::take(&mut entry.waiting);
        entry.programming += 1;
        entry.programming_sectors |= sectors;
        let bytes = std::mem::take(&mut entry.waiting_bytes);
        Some((lpn, self.extent_of(sectors), bytes))
    }

    /// A slot handed on earlier is programmed.
    pub(super) fn programmed(&mut self, lpn: Lpn) {
        let entry = self
            .entries
            .get_mut(&lpn)
            .expect("what is programmed has an entry");
        entry.programming -= 1;
        if entry.programming == 0 {
            entry.programming_sectors = 0;
        }
        if entry.programming == 0 && entry.waiting == 0 {
            self.entries.remove(&lpn);
        }
        self.occupied -= 1;
    }

    /// Drops what waits of `slots` slots from `first` on, which the host no longer needs; gives the
    /// bytes dropped.
    pub(super) fn forget(&mut self, first: Lpn, slots: u32) -> u64 {
        let mut dropped = 0;
        let end = Lpn(first.0 + slots);
        let before = self.waiting.len();
        self.waiting.retain(|lpn| *lpn < first || *lpn >= end);
        self.occupied -= (before - self.waiting.len()) as u32;
        self.entries.retain(|lpn, entry| {
            if (first..end).contains(lpn) {
                entry.waiting = 0;
                dropped += std::mem::take(&mut entry.waiting_bytes);
            }
            entry.waiting != 0 || entry.programming > 0
        });
        dropped
    }

    /// Whether the buffer holds the newest data of these sectors of a slot.
    pub(super) fn holds(&self, lpn: Lpn, sectors: SectorMask) -> bool {
        let held = |entry: &Entry| entry.waiting | entry.programming_sectors;
        !self.entries.is_empty()
            && self
                .entries
                .get(&lpn)
                .is_some_and(|entry| sectors & !held(entry) == 0)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.occupied == 0
    }

    /// Whether nothing waits to be handed on.
    pub(super) fn nothing_waits(&self) -> bool {
        self.waiting.is_empty()
    }
}

/// The bytes of the sectors of a mask.
fn bytes_of(sectors: SectorMask) -> u64 {
    u64::from(sectors.count_ones()) * SECTOR_BYTES
}

/// Sectors `from..from + count` of a slot.
pub(super) fn sector_mask(from: u32, count: u32) -> SectorMask {
    let ones = if count >= 128 {
        SectorMask::MAX
    } else {
        (1 << count) - 1
    };
    ones << from
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rewrite_of_what_waits_takes_no_room() {
        let mut buffer = WriteBuffer::new(1, 8);
        assert!(buffer.admit(Lpn(7), sector_mask(0, 4)));
        assert!(buffer.admit(Lpn(7), sector_mask(4, 4)));
        assert!(!buffer.admit(Lpn(8), sector_mask(0, 8)));
        assert_eq!(buffer.take(), Some((Lpn(7), Extent::Whole, 4096)));
        assert_eq!(buffer.take(), None);
    }

    #[test]
    fn room_comes_back_when_the_slot_is_programmed() {
        let mut buffer = WriteBuffer::new(2, 8);
        buffer.admit(Lpn(7), sector_mask(0, 8));
        buffer.take();
        buffer.admit(Lpn(7), sector_mask(0, 1));
        assert!(!buffer.admit(Lpn(8), sector_mask(0, 8)));
        buffer.programmed(Lpn(7));
        assert!(buffer.holds(Lpn(7), sector_mask(0, 1)));
        assert!(!buffer.holds(Lpn(7), sector_mask(0, 2)));
        assert!(buffer.admit(Lpn(8), sector_mask(0, 8)));
        assert_eq!(buffer.take(), Some((Lpn(7), Extent::Part, 512)));
        buffer.programmed(Lpn(7));
        assert!(!buffer.holds(Lpn(7), sector_mask(0, 1)));
    }

    #[test]
    fn trimmed_slots_are_dropped_but_not_those_under_way() {
        let mut buffer = WriteBuffer::new(4, 8);
        for lpn in 1..=3 {
            buffer.admit(Lpn(lpn), sector_mask(0, 8));
        }
        buffer.take();
        assert_eq!(buffer.forget(Lpn(1), 2), 4096);
        let holds = |lpn| buffer.holds(Lpn(lpn), sector_mask(0, 8));
        assert!(holds(1) && !holds(2) && holds(3));
        assert_eq!(buffer.take(), Some((Lpn(3), Extent::Whole, 4096)));
        buffer.programmed(Lpn(1));
        buffer.programmed(Lpn(3));
        assert!(buffer.is_empty());
    }
}
