//! An SSD with a store behind it, for whoever gave it one.

use super::mapped::{Mapped, SlotWrite};
use super::page_store::PageStore;
use super::{LayerInput, Ssd};
use crate::device::Device;
use ftlab_base::{Lpn, SimTime};
use ftlab_ftl::{Extent, TranslationLayer};
use ftlab_nand::DataMove;
use std::any::Any;

/// Moves of data, request by request.
#[derive(Debug, Default)]
struct Moves(Vec<Vec<DataMove>>);

impl PageStore for Moves {
    fn follow(&mut self, _: LayerInput, _: bool, _: &dyn TranslationLayer, moves: &[DataMove]) {
        self.0.push(moves.to_vec());
    }

    /// It lives no longer than one question.
    fn copy(&self) -> Option<Box<dyn PageStore>> {
        None
    }
}

impl Ssd {
    /// Lets a store carry the data from now on. Only while nothing is outstanding, and without time.
    ///
    /// # Panics
    /// When something is outstanding.
    pub fn carry(&mut self, store: Box<dyn PageStore>) {
        assert!(
            self.front.outstanding() == 0 && self.is_at_rest() && self.buffer.is_empty(),
            "a drive at work gets a store"
        );
        self.mapped.carry(store);
    }

    /// The store that carries the data, if it is an `S`.
    #[must_use]
    pub fn store<S: PageStore>(&self) -> Option<&S> {
        let store: &dyn Any = &**self.mapped.store.as_ref()?;
        store.downcast_ref()
    }

    /// The store that carries the data, if it is an `S`, to give it data.
    pub fn store_mut<S: PageStore>(&mut self) -> Option<&mut S> {
        let store: &mut dyn Any = &mut **self.mapped.store.as_mut()?;
        store.downcast_mut()
    }

    /// Hands to the layer, without time, what its store holds of a slot that waits; returns true if the layer takes it.
    pub fn hand_on(&mut self, lpn: Lpn, extent: Extent) -> bool {
        let taken = self.mapped.write(SlotWrite::of(lpn, extent)).is_ok();
        self.mapped.batch.clear();
        taken && !self.mapped.store_has_failed()
    }

    /// Returns true if commands have come with a clock since the drive was switched on, or its time ended.
    #[must_use]
    pub fn has_time(&self) -> bool {
        self.mapped.is_timed()
    }

    /// The drive as it is, for a second run from the same state. Only while nothing is outstanding; its clock
    /// starts at zero again.
    #[must_use]
    pub fn copy(&self) -> Ssd {
        assert_eq!(self.front.outstanding(), 0, "a copy of a drive at work");
        assert!(
            self.buffer.is_empty(),
            "a copy of a drive with data in its buffer"
        );
        let mut copy = Ssd::around(self.params, self.mapped.copy());
        copy.plug(self.front.host());
        copy.totals = self.totals;
        let is_cached = self.cache.is_back();
        copy.set_write_cache(is_cached)
            .expect("it is set as this one is");
        copy
    }

    /// Has the layer give up a slot, without time.
    pub fn hand_on_trim(&mut self, lpn: Lpn) {
        self.mapped.trim(lpn, 1);
        self.mapped.batch.clear();
    }

    /// Slots that its write buffer holds.
    #[must_use]
    pub fn buffer_slots(&self) -> u32 {
        self.params.buffer.slots
    }

    /// Returns the moves of data, request by request, that would follow if the layer were asked this. A copy of it is
    /// asked.
    #[must_use]
    pub fn foretell(&self, inputs: &[LayerInput]) -> Vec<Vec<DataMove>> {
        let mut copy = Mapped::new(self.mapped.layer.boxed());
        copy.carry(Box::new(Moves::default()));
        copy.replay(inputs);
        let store: Box<dyn Any> = copy.store.expect("it carries them");
        store.downcast::<Moves>().expect("it is what it carries").0
    }

    /// The hash of all operations if the layer were asked this. A copy of it is asked.
    #[must_use]
    pub fn hash_after(&self, inputs: &[LayerInput]) -> u64 {
        let mut copy = Mapped::new(self.mapped.layer.boxed());
        copy.replay(inputs);
        copy.layer.array().stream_hash()
    }

    /// The store has failed, where nothing was handed to it: what waits for room in the buffer ends,
    /// since nothing may happen that would make room.
    pub fn end_writes_if_store_failed(&mut self, now: SimTime) {
        if self.mapped.store_has_failed() {
            self.fail_writes(now);
        }
    }
}
