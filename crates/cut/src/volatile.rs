//! Account of the slots in a volatile write buffer, which a power cut could take away, and of their older
//! versions.
//!
//! A slot waits in the buffer, or was handed to the layer and is being programmed. What it held before lies where it
//! lay, since nothing is written over, until that place is erased; then it cannot come back. The store keeps this
//! while the drive is at work, and recovery keeps it while it asks the layer the same again.

use crate::power_cut::{Fate, PowerCut};
use ftlab_base::Lpn;
use ftlab_drive::ssd::{LayerInput, SlotWrite};
use ftlab_ftl::TranslationLayer;
use ftlab_nand::DataMove;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The most slots of one trim that a power cut may give back. No source says how many a drive holds back.
const TRIMMED_MAX: usize = 1024;

/// Slots that a layer is about to write or to give up, and where they lie; of very many, the last.
pub fn lying(layer: &dyn TranslationLayer, first: Lpn, slots: u32) -> Vec<(u32, u32)> {
    let slots = (first.0..first.0.saturating_add(slots)).rev();
    let found = slots.filter_map(|lpn| Some((lpn, layer.lookup(Lpn(lpn))?.0)));
    found.take(TRIMMED_MAX).collect()
}

/// Older version of a slot that is being programmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum OldVersion {
    /// The slot was empty.
    Nothing,
    /// The older version lies at this place.
    At(u32),
    /// The older version was erased since.
    Gone,
}

/// A slot of which a volatile buffer holds something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct VolatileSlot {
    /// Number of the slot.
    pub lpn: u32,
    /// True if data wait that the layer has not got.
    pub waits: bool,
    /// Older version of the slot, if it is being programmed.
    pub before: Option<OldVersion>,
}

impl VolatileSlot {
    /// Returns what a power cut does to the slot, whose size is `slot_bytes`.
    pub fn fate(&self, cut: &PowerCut, slot_bytes: u64) -> Fate {
        match self.before {
            // It was in memory alone.
            None => Fate::Old,
            Some(_) => cut.fate(self.lpn.into(), slot_bytes),
        }
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    waits: bool,
    /// With the number of the write.
    programming: Option<(OldVersion, u64)>,
}

/// The slots of a volatile buffer.
#[derive(Debug, Clone, Default)]
pub struct Volatile {
    slots: BTreeMap<u32, Slot>,
    /// Slots that are being programmed, the oldest first.
    order: BTreeMap<u64, u32>,
    writes: u64,
    /// Places with what slots held before, and those slots.
    places: BTreeSet<(u32, u32)>,
}

impl Volatile {
    /// Goes on from what a checkpoint has, in that order.
    pub fn of(saved: Vec<VolatileSlot>) -> Volatile {
        let mut volatile = Volatile::default();
        for VolatileSlot { lpn, waits, before } in saved {
            if let Some(before) = before {
                volatile.program(lpn, before);
            }
            if waits {
                volatile.hold(lpn);
            }
        }
        volatile
    }

    /// Everything, to be kept; the oldest first.
    pub fn saved(&self) -> Vec<VolatileSlot> {
        let programmed = self.order.values().map(|lpn| (lpn, &self.slots[lpn]));
        let waiting = self.slots.iter();
        let waiting = waiting.filter(|(_, slot)| slot.programming.is_none());
        let saved = |(&lpn, slot): (&u32, &Slot)| VolatileSlot {
            lpn,
            waits: slot.waits,
            before: slot.programming.map(|(before, _)| before),
        };
        programmed.chain(waiting).map(saved).collect()
    }

    /// True if a power cut would take nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Slots that are being programmed.
    pub fn programming(&self) -> usize {
        self.order.len()
    }

    /// The one that is so longest.
    pub fn oldest(&self) -> Option<u32> {
        self.order.first_key_value().map(|(_, lpn)| *lpn)
    }

    /// Something of a slot waits in the buffer; whether nothing did.
    pub fn hold(&mut self, lpn: u32) -> bool {
        let slot = self.slots.entry(lpn).or_default();
        !std::mem::replace(&mut slot.waits, true)
    }

    /// Follows a request of the layer: what was written or given up lay at these places `before`, slot by slot. Gives the slots that cannot be any more what
    /// they were before, as that was erased.
    pub fn follow(
        &mut self,
        input: LayerInput,
        taken: bool,
        before: &[(u32, u32)],
        moves: &[DataMove],
    ) -> Vec<u32> {
        match input {
            LayerInput::Write(SlotWrite { lpn, .. }) if taken => {
                self.slots.entry(lpn.0).or_default().waits = false;
                let before = before.first();
                let before =
                    before.map_or(OldVersion::Nothing, |(_, place)| OldVersion::At(*place));
                self.program(lpn.0, before);
            }
            LayerInput::Trim(first, slots) => self.give_up(first, slots, before),
            LayerInput::SecureErase => *self = Volatile::default(),
            _ => {}
        }
        self.follow_moves(moves)
    }

    /// Notes that a slot is being programmed. The older version stays while several newer ones are.
    fn program(&mut self, lpn: u32, before: OldVersion) {
        let slot = self.slots.entry(lpn).or_default();
        if slot.programming.is_some() {
            return;
        }
        self.writes += 1;
        slot.programming = Some((before, self.writes));
        self.order.insert(self.writes, lpn);
        if let OldVersion::At(place) = before {
            self.places.insert((place, lpn));
        }
    }

    fn follow_moves(&mut self, moves: &[DataMove]) -> Vec<u32> {
        let mut gone = Vec::new();
        if self.places.is_empty() {
            return gone;
        }
        for step in moves {
            match *step {
                // It was moved before the request wrote over it.
                DataMove::Copy { from, to } => {
                    self.put_at(from.0..=from.0, OldVersion::At(to.0));
                }
                DataMove::Erase { first, slots } => {
                    gone.extend(self.put_at(first.0..=first.0 + (slots - 1), OldVersion::Gone));
                }
                DataMove::Write { .. } => {}
            }
        }
        gone
    }

    /// Notes that data of these places lie elsewhere. Returns the slots that they were of.
    fn put_at(&mut self, from: std::ops::RangeInclusive<u32>, to: OldVersion) -> Vec<u32> {
        let range = (*from.start(), 0)..=(*from.end(), u32::MAX);
        let found: Vec<(u32, u32)> = self.places.range(range).copied().collect();
        let moved = found.into_iter().map(|(place, lpn)| {
            self.put_before(lpn, place, to);
            lpn
        });
        moved.collect()
    }

    /// Notes that an older version lies elsewhere.
    fn put_before(&mut self, lpn: u32, place: u32, to: OldVersion) {
        self.places.remove(&(place, lpn));
        let slot = self.slots.get_mut(&lpn).expect("its place is noted");
        let before = slot.programming.as_mut().expect("its place is noted");
        before.0 = to;
        if let OldVersion::At(place) = to {
            self.places.insert((place, lpn));
        }
    }

    /// Notes that an older version was erased.
    pub fn note_gone(&mut self, lpn: u32) {
        let slot = self.slots.get(&lpn);
        if let Some((OldVersion::At(place), _)) = slot.and_then(|slot| slot.programming) {
            self.put_before(lpn, place, OldVersion::Gone);
        }
    }

    /// True if data of a slot are being programmed.
    pub fn is_programming(&self, lpn: u32) -> bool {
        let slot = self.slots.get(&lpn);
        slot.is_some_and(|slot| slot.programming.is_some())
    }

    /// Notes that the data of a slot that were handed on are in the cells. True if they were volatile until
    /// then.
    pub fn programmed(&mut self, lpn: u32) -> bool {
        let Some(slot) = self.slots.get_mut(&lpn) else {
            return false;
        };
        let Some((before, number)) = slot.programming.take() else {
            return false;
        };
        if !slot.waits {
            self.slots.remove(&lpn);
        }
        self.order.remove(&number);
        if let OldVersion::At(place) = before {
            self.places.remove(&(place, lpn));
        }
        true
    }

    /// Slots are given up, of which these hold something. Until somebody flushes, they may come back.
    fn give_up(&mut self, first: Lpn, slots: u32, before: &[(u32, u32)]) {
        let end = first.0.saturating_add(slots);
        for slot in self.slots.range_mut(first.0..end) {
            slot.1.waits = false;
        }
        for &(lpn, place) in before {
            self.program(lpn, OldVersion::At(place));
        }
        self.slots
            .retain(|lpn, slot| slot.programming.is_some() || !(first.0..end).contains(lpn));
    }

    /// The slots in a range that are being programmed.
    pub fn programming_of(&self, slots: std::ops::Range<u32>) -> Vec<u32> {
        let slots = self.slots.range(slots);
        let programming = slots.filter(|(_, slot)| slot.programming.is_some());
        programming.map(|(lpn, _)| *lpn).collect()
    }

    /// Everything is in the cells; whether anything was volatile.
    pub fn all_programmed(&mut self) -> bool {
        let any = !self.is_empty();
        *self = Volatile::default();
        any
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftlab_base::Ppa;
    use ftlab_ftl::Extent;

    fn write(volatile: &mut Volatile, lpn: u32, before: Option<u32>, moves: &[DataMove]) {
        let input = LayerInput::Write(SlotWrite::of(Lpn(lpn), Extent::Whole));
        let before: Vec<_> = before.map(|place| (lpn, place)).into_iter().collect();
        volatile.follow(input, true, &before, moves);
    }

    fn before(volatile: &Volatile, lpn: u32) -> Option<OldVersion> {
        let saved = volatile.saved();
        let slot = saved.iter().find(|slot| slot.lpn == lpn);
        slot.and_then(|slot| slot.before)
    }

    #[test]
    fn what_was_before_is_what_it_was_before_the_first_of_several_writes() {
        let mut volatile = Volatile::default();
        assert!(volatile.hold(5) && !volatile.hold(5));
        write(&mut volatile, 5, Some(70), &[]);
        write(&mut volatile, 5, Some(71), &[]);
        assert_eq!(before(&volatile, 5), Some(OldVersion::At(70)));
        assert!(volatile.programmed(5) && !volatile.programmed(5));
        assert!(volatile.is_empty());
        write(&mut volatile, 5, None, &[]);
        assert_eq!(before(&volatile, 5), Some(OldVersion::Nothing));
    }

    #[test]
    fn it_moves_with_collection_and_is_gone_with_an_erase() {
        let mut volatile = Volatile::default();
        let copy = |from, to| DataMove::Copy {
            from: Ppa(from),
            to: Ppa(to),
        };
        let erase = |first, slots| DataMove::Erase {
            first: Ppa(first),
            slots,
        };
        write(&mut volatile, 1, Some(10), &[copy(10, 40), erase(8, 8)]);
        assert_eq!(before(&volatile, 1), Some(OldVersion::At(40)));
        write(&mut volatile, 2, Some(41), &[]);
        volatile.follow(LayerInput::WorkAhead, true, &[], &[erase(41, 1)]);
        assert_eq!(before(&volatile, 1), Some(OldVersion::At(40)));
        assert_eq!(before(&volatile, 2), Some(OldVersion::Gone));
    }

    #[test]
    fn what_is_trimmed_may_come_back_as_it_was_before_all_that_nobody_flushed() {
        let mut volatile = Volatile::default();
        write(&mut volatile, 1, Some(10), &[]);
        volatile.hold(2);
        volatile.hold(3);
        // The newest of slot 1 lies elsewhere by now, slot 2 holds nothing below, slot 3 does.
        let lying = [(1, 40), (3, 41), (4, 42)];
        volatile.follow(LayerInput::Trim(Lpn(0), 6), true, &lying, &[]);
        let found = [1, 2, 3, 4].map(|lpn| before(&volatile, lpn));
        let at = |place| Some(OldVersion::At(place));
        assert_eq!(found, [at(10), None, at(41), at(42)]);
        assert_eq!(volatile.programming_of(0..4), [1, 3]);
        assert!(volatile.saved().iter().all(|slot| !slot.waits));
        assert!(volatile.programmed(3));
        assert_eq!(volatile.saved().len(), 2);
    }

    #[test]
    fn what_is_saved_is_gone_on_with() {
        let mut volatile = Volatile::default();
        for (lpn, place) in [(9, Some(1)), (3, None), (6, Some(2))] {
            write(&mut volatile, lpn, place, &[]);
        }
        volatile.hold(3);
        volatile.hold(50);
        let again = Volatile::of(volatile.saved());
        assert_eq!(again.saved(), volatile.saved());
        assert_eq!(again.oldest(), Some(9));
        assert_eq!(again.programming(), 3);
    }
}
