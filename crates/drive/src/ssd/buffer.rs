//! The write buffer: host data between their arrival and their program.
//!
//! A slot takes room from admission until it is programmed. A newer write of a slot that still
//! waits takes its place; one whose program is under way gets room of its own.

use super::mapped::SlotWrite;
use super::slots::{Piece, SectorMask, sector_mask};
use ftlab_base::{Content, Lpn, Placement, SECTOR_BYTES};
use ftlab_ftl::Extent;
use hashbrown::HashMap;
use hashbrown::hash_map::Entry as MapEntry;
use rustc_hash::FxBuildHasher;
use std::collections::VecDeque;
use std::ops::Range;

/// A slot of which the buffer holds something.
#[derive(Debug, Clone)]
struct Entry {
    lpn: Lpn,
    /// Content of the sectors that wait or are under way, together.
    content: Content,
    /// Placement of the newest of them.
    placement: Placement,
    /// Number of programs under way.
    programming: u32,
    /// Sectors written and not yet handed on; 0 when none wait.
    waiting: SectorMask,
    /// Sectors that the programs under way hold together.
    programming_sectors: SectorMask,
    /// Bytes the host wrote of what waits, rewrites counted each time.
    waiting_bytes: u64,
    /// Programs under way that the round of flushes waits for.
    flushed_programs: u32,
    /// True if it waits for what waits here, too.
    is_flushed: bool,
}

/// Slots that a round of flushes found in the buffer, and that are there still.
#[derive(Debug, Clone, Copy, Default)]
struct Flushed {
    held: u32,
    waiting: u32,
}

/// Names an entry while the buffer holds something of its slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place(pub(super) u32);

/// The write buffer. All sizes are in slots.
#[derive(Debug, Clone)]
pub(super) struct WriteBuffer {
    capacity: u32,
    whole: SectorMask,
    occupied: u32,
    entries: Vec<Entry>,
    free: Vec<Place>,
    /// Slots of which something waits, the longest first.
    waiting: VecDeque<Place>,
    /// Slots that the round of flushes waits for: all that it found here; and those of them that wait.
    flushed: Flushed,
    /// By slot. Looked up, never walked in an order that could matter.
    places: HashMap<Lpn, Place, FxBuildHasher>,
}

impl WriteBuffer {
    /// An empty buffer for `capacity` slots of `sectors_per_slot` sectors.
    pub(super) fn new(capacity: u32, sectors_per_slot: u32) -> WriteBuffer {
        WriteBuffer {
            capacity,
            whole: sector_mask(0, sectors_per_slot),
            occupied: 0,
            entries: Vec::new(),
            free: Vec::new(),
            waiting: VecDeque::new(),
            flushed: Flushed::default(),
            places: HashMap::default(),
        }
    }

    /// Takes in sectors of a slot; false when there is no room.
    pub(super) fn admit(&mut self, piece: &Piece) -> bool {
        let (lpn, sectors, content) = (piece.lpn, piece.mask, piece.content);
        let is_full = self.occupied == self.capacity;
        let is_whole = sectors == self.whole;
        let place = match self.places.entry(lpn) {
            MapEntry::Occupied(held) => *held.get(),
            MapEntry::Vacant(_) if is_full => return false,
            MapEntry::Vacant(place) => {
                *place.insert(Self::enter(lpn, &mut self.entries, &mut self.free))
            }
        };
        let entry = &mut self.entries[place.0 as usize];
        // A slot of which something waits has room already; programs under way keep theirs.
        if entry.waiting == 0 {
            if is_full {
                return false;
            }
            self.occupied += 1;
            self.waiting.push_back(place);
        }
        let held = (entry.waiting | entry.programming_sectors) & !sectors;
        entry.content = match held {
            _ if is_whole => content,
            0 => content.anonymous(),
            others => {
                let others = others.count_ones();
                content.mixed(sectors.count_ones(), entry.content, others)
            }
        };
        entry.placement = piece.placement;
        entry.waiting |= sectors;
        entry.waiting_bytes += u64::from(piece.sectors) * SECTOR_BYTES;
        true
    }

    /// Makes an entry for a slot that has none.
    fn enter(lpn: Lpn, entries: &mut Vec<Entry>, free: &mut Vec<Place>) -> Place {
        let entry = Entry {
            lpn,
            content: Content::RANDOM,
            placement: Placement::DEFAULT,
            programming: 0,
            waiting: 0,
            programming_sectors: 0,
            waiting_bytes: 0,
            flushed_programs: 0,
            is_flushed: false,
        };
        match free.pop() {
            Some(place) => {
                entries[place.0 as usize] = entry;
                place
            }
            None => {
                entries.push(entry);
                Place(entries.len() as u32 - 1)
            }
        }
    }

    /// Forgets an entry of whose slot the buffer holds nothing any more.
    fn leave(&mut self, place: Place) {
        self.places.remove(&self.entries[place.0 as usize].lpn);
        self.free.push(place);
    }

    /// The slot that waits longest. It is whole when what waits and what is under way make it up
    /// together: then nothing of it need be read first.
    #[inline]
    pub(super) fn front(&self) -> Option<SlotWrite> {
        let place = self.waiting.front()?;
        let entry = &self.entries[place.0 as usize];
        let extent = if entry.waiting | entry.programming_sectors == self.whole {
            Extent::Whole
        } else {
            Extent::Part
        };
        Some(SlotWrite {
            lpn: entry.lpn,
            extent,
            content: entry.content,
            placement: entry.placement,
        })
    }

    /// Hands on the slot that waits longest; gives its place and how many bytes the host wrote for
    /// it.
    pub(super) fn take(&mut self) -> Option<(Place, u64)> {
        let place = self.waiting.pop_front()?;
        let entry = &mut self.entries[place.0 as usize];
        entry.programming += 1;
        if std::mem::take(&mut entry.is_flushed) {
            entry.flushed_programs += 1;
            self.flushed.waiting -= 1;
        }
        entry.programming_sectors |= std::mem::take(&mut entry.waiting);
        Some((place, std::mem::take(&mut entry.waiting_bytes)))
    }

    /// A slot's data that were handed on once are programmed; gives the slot when nothing of it is under way any more.
    pub(super) fn programmed(&mut self, place: Place) -> Option<Lpn> {
        let entry = &mut self.entries[place.0 as usize];
        entry.programming -= 1;
        self.occupied -= 1;
        // Programs of one slot end in the order in which they began.
        if entry.flushed_programs > 0 {
            entry.flushed_programs -= 1;
            self.flushed.held -= 1;
        }
        if entry.programming > 0 {
            return None;
        }
        entry.programming_sectors = 0;
        let lpn = entry.lpn;
        if entry.waiting == 0 {
            self.leave(place);
        }
        Some(lpn)
    }

    /// Drops what waits of `slots` slots from `first` on, which the host no longer needs; gives the
    /// bytes dropped.
    pub(super) fn forget(&mut self, first: Lpn, slots: u32) -> u64 {
        let (mut dropped, mut left) = (0, Vec::new());
        let end = Lpn(first.0 + slots);
        let (entries, flushed) = (&mut self.entries, &mut self.flushed);
        self.waiting.retain(|&place| {
            let entry = &mut entries[place.0 as usize];
            if !(first..end).contains(&entry.lpn) {
                return true;
            }
            entry.waiting = 0;
            if std::mem::take(&mut entry.is_flushed) {
                flushed.held -= 1;
                flushed.waiting -= 1;
            }
            dropped += std::mem::take(&mut entry.waiting_bytes);
            if entry.programming == 0 {
                left.push(place);
            }
            self.occupied -= 1;
            false
        });
        left.into_iter().for_each(|place| self.leave(place));
        dropped
    }

    /// A round of flushes begins: it waits for all that is here.
    pub(super) fn begin_round(&mut self) {
        for entry in &mut self.entries {
            entry.flushed_programs = entry.programming;
            entry.is_flushed = entry.waiting != 0;
        }
        self.flushed = Flushed {
            held: self.occupied,
            waiting: self.waiting.len() as u32,
        };
    }

    /// Returns true if all that the round waits for was handed on, and some of it is not programmed.
    pub(super) fn round_is_handed_on(&self) -> bool {
        self.flushed.held > 0 && self.flushed.waiting == 0
    }

    /// Returns true if all that the round waits for is programmed.
    pub(super) fn round_is_programmed(&self) -> bool {
        self.flushed.held == 0
    }

    /// Returns true if the buffer holds the newest data of these sectors of a slot.
    #[inline]
    pub(super) fn holds(&self, lpn: Lpn, sectors: SectorMask) -> bool {
        !self.places.is_empty()
            && self.places.get(&lpn).is_some_and(|place| {
                let entry = &self.entries[place.0 as usize];
                sectors & !(entry.waiting | entry.programming_sectors) == 0
            })
    }

    /// Has what waits of some slots be handed on before everything else.
    pub(super) fn hand_on_first(&mut self, slots: &Range<u32>) {
        let entries = &self.entries;
        let (first, rest): (VecDeque<Place>, VecDeque<Place>) = (self.waiting.drain(..))
            .partition(|place| slots.contains(&entries[place.0 as usize].lpn.0));
        self.waiting = first;
        self.waiting.extend(rest);
    }

    /// Returns true if anything of some slots waits, or is being programmed.
    pub(super) fn holds_any(&self, slots: &Range<u32>) -> bool {
        self.any(slots, |entry| entry.waiting != 0 || entry.programming > 0)
    }

    /// Returns true if anything of some slots waits.
    pub(super) fn waits_any(&self, slots: &Range<u32>) -> bool {
        self.any(slots, |entry| entry.waiting != 0)
    }

    fn any(&self, slots: &Range<u32>, is: impl Fn(&Entry) -> bool) -> bool {
        let mut entries = self.entries.iter();
        entries.any(|entry| slots.contains(&entry.lpn.0) && is(entry))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.occupied == 0
    }

    /// Returns true if nothing waits to be handed on.
    #[inline]
    pub(super) fn nothing_waits(&self) -> bool {
        self.waiting.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftlab_base::Identity;

    /// Takes the slot that a buffer hands on next.
    fn taken(buffer: &mut WriteBuffer) -> Option<(Place, Lpn, Extent, u64)> {
        let SlotWrite { lpn, extent, .. } = buffer.front()?;
        let (place, bytes) = buffer.take().unwrap();
        Some((place, lpn, extent, bytes))
    }

    fn admit(buffer: &mut WriteBuffer, lpn: Lpn, mask: SectorMask, content: Content) -> bool {
        buffer.admit(&Piece {
            lpn,
            mask,
            sectors: mask.count_ones(),
            content,
            placement: Placement::DEFAULT,
        })
    }

    fn extent_of_front(buffer: &WriteBuffer) -> Option<Extent> {
        buffer.front().map(|front| front.extent)
    }

    #[test]
    fn a_slot_looks_like_what_was_written_to_it() {
        let mut buffer = WriteBuffer::new(2, 8);
        let content_of_front = |buffer: &WriteBuffer| buffer.front().unwrap().content;
        let known = Content::RANDOM.with_identity(Identity::of(1 << 40));
        admit(&mut buffer, Lpn(7), sector_mask(0, 8), known);
        assert_eq!(content_of_front(&buffer), known);
        // A part of it is written anew: three quarters are left, and it is like nothing else.
        admit(&mut buffer, Lpn(7), sector_mask(6, 2), Content::ZEROS);
        assert_eq!(content_of_front(&buffer).bytes_left(4096), 3072);
        assert_eq!(content_of_front(&buffer).identity(), None);
        // A part alone is not the whole of anything.
        buffer.take();
        admit(&mut buffer, Lpn(8), sector_mask(0, 2), known);
        assert_eq!(content_of_front(&buffer), Content::RANDOM);
    }

    #[test]
    fn a_rewrite_of_what_waits_takes_no_room() {
        let mut buffer = WriteBuffer::new(1, 8);
        assert!(admit(
            &mut buffer,
            Lpn(7),
            sector_mask(0, 4),
            Content::RANDOM
        ));
        assert!(admit(
            &mut buffer,
            Lpn(7),
            sector_mask(4, 4),
            Content::RANDOM
        ));
        assert!(!admit(
            &mut buffer,
            Lpn(8),
            sector_mask(0, 8),
            Content::RANDOM
        ));
        let (_, lpn, extent, bytes) = taken(&mut buffer).unwrap();
        assert_eq!((lpn, extent, bytes), (Lpn(7), Extent::Whole, 4096));
        assert_eq!(buffer.take(), None);
    }

    #[test]
    fn room_comes_back_when_the_slot_is_programmed() {
        let mut buffer = WriteBuffer::new(2, 8);
        admit(&mut buffer, Lpn(7), sector_mask(0, 4), Content::RANDOM);
        let (first, ..) = taken(&mut buffer).unwrap();
        admit(&mut buffer, Lpn(7), sector_mask(0, 1), Content::RANDOM);
        assert!(!admit(
            &mut buffer,
            Lpn(8),
            sector_mask(0, 8),
            Content::RANDOM
        ));
        assert_eq!(buffer.programmed(first), Some(Lpn(7)));
        assert!(buffer.holds(Lpn(7), sector_mask(0, 1)));
        assert!(!buffer.holds(Lpn(7), sector_mask(0, 2)));
        assert!(admit(
            &mut buffer,
            Lpn(8),
            sector_mask(0, 8),
            Content::RANDOM
        ));
        let (second, lpn, extent, bytes) = taken(&mut buffer).unwrap();
        assert_eq!((lpn, extent, bytes), (Lpn(7), Extent::Part, 512));
        buffer.programmed(second);
        assert!(!buffer.holds(Lpn(7), sector_mask(0, 1)));
    }

    #[test]
    fn a_part_of_a_slot_is_whole_with_what_is_under_way() {
        let mut buffer = WriteBuffer::new(3, 8);
        admit(&mut buffer, Lpn(7), sector_mask(0, 6), Content::RANDOM);
        let (first, _, extent, _) = taken(&mut buffer).unwrap();
        assert_eq!(extent, Extent::Part);
        admit(&mut buffer, Lpn(7), sector_mask(4, 4), Content::RANDOM);
        assert_eq!(extent_of_front(&buffer), Some(Extent::Whole));
        buffer.programmed(first);
        assert_eq!(extent_of_front(&buffer), Some(Extent::Part));
    }

    #[test]
    fn trimmed_slots_are_dropped_but_not_those_under_way() {
        let mut buffer = WriteBuffer::new(4, 8);
        for lpn in 1..=3 {
            admit(&mut buffer, Lpn(lpn), sector_mask(0, 8), Content::RANDOM);
        }
        let (first, ..) = taken(&mut buffer).unwrap();
        assert_eq!(buffer.forget(Lpn(1), 2), 4096);
        let holds = |buffer: &WriteBuffer, lpn| buffer.holds(Lpn(lpn), sector_mask(0, 8));
        assert_eq!(
            [1, 2, 3].map(|lpn| holds(&buffer, lpn)),
            [true, false, true]
        );
        let (third, lpn, ..) = taken(&mut buffer).unwrap();
        assert_eq!(lpn, Lpn(3));
        buffer.programmed(first);
        buffer.programmed(third);
        assert!(buffer.is_empty() && !holds(&buffer, 1));
    }
}
