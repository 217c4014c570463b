//! Restores the state that a power cut has left of a volatile write buffer.

use super::{ByteStore, SECTOR};
use crate::buffered::BufferedSlot;
use crate::crash::Tap;
use crate::cut::{CutReport, Fate, PowerCut};
use crate::record;
use crate::slot::{mask_of, runs};
use crate::volatile::{OldVersion, Volatile, VolatileSlot};
use ftlab_base::Lpn;
use ftlab_ftl::TranslationLayer;
use std::ops::Range;

/// Slots that are to be as a power cut has left them, and what it came to.
#[derive(Debug, Default)]
pub(crate) struct CutResult {
    pub(crate) slots: Vec<BufferedSlot>,
    pub(crate) report: CutReport,
}

impl ByteStore {
    /// Slots that a power cut could take away.
    pub(crate) fn volatile(&self) -> &Volatile {
        &self.volatile_state.volatile
    }

    /// Goes on with this in a volatile write buffer.
    pub(crate) fn set_volatile(&mut self, volatile: Volatile) {
        self.volatile_state.volatile = volatile;
    }

    /// Follows what the journal says of it.
    pub(crate) fn volatile_mut(&mut self) -> &mut Volatile {
        &mut self.volatile_state.volatile
    }

    /// The power went: what is in the volatile buffer has an outcome. Nothing changes by that.
    pub(crate) fn left_by(&self, cut: &PowerCut, layer: &dyn TranslationLayer) -> CutResult {
        let mut left = CutResult {
            slots: Vec::new(),
            report: CutReport {
                seed: cut.seed,
                ..CutReport::default()
            },
        };
        for slot in self.volatile_state.volatile.saved() {
            left.report.slots += 1;
            let fate = slot.fate(cut, self.slot_bytes as u64);
            let restored = self.restored(slot, fate, layer);
            let is_old = slot.waits || (fate == Fate::Old && restored.is_some());
            match (&restored, fate) {
                _ if is_old => left.report.old += 1,
                (Some(_), Fate::Torn(_)) => left.report.torn += 1,
                _ => left.report.new += 1,
            }
            left.slots.extend(restored);
        }
        left
    }

    /// Slot that the layer is to be handed again; none if it holds that version, or the older one cannot be
    /// had.
    fn restored(
        &self,
        slot: VolatileSlot,
        fate: Fate,
        layer: &dyn TranslationLayer,
    ) -> Option<BufferedSlot> {
        let (lpn, whole) = (Lpn(slot.lpn), mask_of(0, (self.slot_bytes / SECTOR) as u32));
        let mut bytes = vec![0; self.slot_bytes];
        // An older version that cannot be read is not restored: the newer one is better than none.
        let was_empty = match slot.before? {
            OldVersion::Gone => return None,
            OldVersion::Nothing => true,
            OldVersion::At(place) => {
                let (_, lost) = self.read_place(lpn, place, &mut bytes).ok()?;
                if lost != 0 {
                    return None;
                }
                false
            }
        };
        let mask = match fate {
            Fate::New => return None,
            Fate::Old if was_empty => 0,
            Fate::Old => whole,
            Fate::Torn(new) => {
                let mut newest = vec![0; self.slot_bytes];
                self.read_at(lpn, layer.lookup(lpn)?, layer, &mut newest)
                    .ok()?;
                for (first, sectors) in runs(new & whole) {
                    let range = first * SECTOR..(first + sectors) * SECTOR;
                    bytes[range.clone()].copy_from_slice(&newest[range]);
                }
                whole
            }
        };
        Some(BufferedSlot {
            lpn: slot.lpn,
            mask,
            bytes,
        })
    }

    /// The crash log that is written, if one is.
    pub(crate) fn tap(&mut self) -> &mut Option<Box<Tap>> {
        &mut self.tap
    }

    /// Keeps account from now on of what a power cut could take away, or does not.
    pub(crate) fn set_tracks(&mut self, tracks: bool) {
        self.volatile_state.volatile.all_programmed();
        self.options.tracks = tracks;
    }

    /// Notes that the waiting slots are those that a power cut has left, until they are handed on.
    pub(crate) fn begin_restoring(&mut self) {
        self.found.restores = true;
    }

    /// True if a slot is to be given up, since a power cut has left it empty.
    pub(crate) fn is_emptied(&self, lpn: Lpn) -> bool {
        self.found.emptied.contains(&lpn.0)
    }

    /// A slot that is to be given up, since a power cut has left it empty.
    pub(crate) fn first_emptied(&self) -> Option<Lpn> {
        self.found.emptied.first().map(|lpn| Lpn(*lpn))
    }

    /// All that waited is handed on, and is there for good.
    pub(crate) fn end_restoring(&mut self) {
        self.found.restores = false;
        self.note_all_programmed();
    }

    /// Something of a slot is in a buffer that is lost without power.
    pub(super) fn note_held(&mut self, lpn: u32) {
        if self.volatile_state.volatile.hold(lpn)
            && let Some(journal) = &mut self.journal
        {
            journal.note(|to| record::put_held(to, lpn));
        }
    }

    /// Notes that the data of a slot that the layer was handed are in the cells, once that is carried out.
    pub(super) fn note_programmed(&mut self, lpn: u32) {
        if !self.unfinished.queue.is_empty() {
            self.unfinished.programmed.push(lpn);
            return;
        }
        if !self.volatile_state.volatile.programmed(lpn) {
            return;
        }
        if let Some(journal) = &mut self.journal {
            journal.note(|to| record::put_programmed(to, lpn));
        }
        if let Some(tap) = &mut self.tap {
            tap.programmed(lpn);
        }
    }

    /// The host flushes, so whatever the layer was handed will be in the cells before anybody hears of it.
    pub(crate) fn note_handed_on_programmed(&mut self) {
        while self.unfinished.queue.is_empty()
            && let Some(lpn) = self.volatile_state.volatile.oldest()
        {
            self.note_programmed(lpn);
        }
    }

    /// The host has flushed some slots alone, and nothing of those is outstanding.
    pub(crate) fn note_programmed_of(&mut self, slots: Range<u32>) {
        for lpn in self.volatile_state.volatile.programming_of(slots) {
            self.note_programmed(lpn);
        }
    }

    /// The host has flushed, and nothing of it is outstanding.
    pub(crate) fn note_all_programmed(&mut self) {
        if !self.unfinished.queue.is_empty() || !self.volatile_state.volatile.all_programmed() {
            return;
        }
        if let Some(journal) = &mut self.journal {
            journal.note(record::put_all_programmed);
        }
        if let Some(tap) = &mut self.tap {
            tap.all_programmed();
        }
    }
}
