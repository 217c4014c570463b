//! Restores the state that a power cut has left of a volatile write buffer.

use super::ByteStore;
use crate::crash::Tap;
use crate::record;
use ftlab_base::Lpn;
use ftlab_cut::{CutResult, PowerCut, Versions, Volatile};
use ftlab_ftl::TranslationLayer;
use std::ops::Range;

/// The versions of slots that a store has, with a layer that says where they lie.
struct Lying<'a> {
    store: &'a ByteStore,
    layer: &'a dyn TranslationLayer,
}

impl Versions for Lying<'_> {
    fn read_older(&self, lpn: u32, place: u32, into: &mut [u8]) -> bool {
        let read = self.store.read_place(Lpn(lpn), place, into);
        read.is_ok_and(|(_, lost)| lost == 0)
    }

    fn read_newest(&self, lpn: u32, into: &mut [u8]) -> bool {
        let lpn = Lpn(lpn);
        let at = self.layer.lookup(lpn);
        at.is_some_and(|at| self.store.read_at(lpn, at, self.layer, into).is_ok())
    }
}

impl ByteStore {
    /// Slots that a power cut could take away.
    pub(crate) fn volatile(&self) -> &Volatile {
        &self.account.volatile
    }

    /// Goes on with this in a volatile write buffer.
    pub(crate) fn set_volatile(&mut self, volatile: Volatile) {
        self.account.volatile = volatile;
    }

    /// Follows what the journal says of it.
    pub(crate) fn volatile_mut(&mut self) -> &mut Volatile {
        &mut self.account.volatile
    }

    /// The power went: what is in the volatile buffer has an outcome. Nothing changes by that.
    pub(crate) fn left_by(&self, cut: &PowerCut, layer: &dyn TranslationLayer) -> CutResult {
        let lying = Lying { store: self, layer };
        self.account.volatile.left_by(cut, self.slot_bytes, &lying)
    }

    /// The crash log that is written, if one is.
    pub(crate) fn tap(&mut self) -> &mut Option<Box<Tap>> {
        &mut self.tap
    }

    /// Keeps account from now on of what a power cut could take away, or does not.
    pub(crate) fn set_tracks(&mut self, tracks: bool) {
        self.account.volatile.all_programmed();
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
        if self.account.volatile.hold(lpn)
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
        if !self.account.volatile.programmed(lpn) {
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
            && let Some(lpn) = self.account.volatile.oldest()
        {
            self.note_programmed(lpn);
        }
    }

    /// The host has flushed some slots alone, and nothing of those is outstanding.
    pub(crate) fn note_programmed_of(&mut self, slots: Range<u32>) {
        for lpn in self.account.volatile.programming_of(slots) {
            self.note_programmed(lpn);
        }
    }

    /// The host has flushed, and nothing of it is outstanding.
    pub(crate) fn note_all_programmed(&mut self) {
        if !self.unfinished.queue.is_empty() || !self.account.volatile.all_programmed() {
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
