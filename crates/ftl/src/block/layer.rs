//! The block-mapped layer as whoever writes to it sees it.

use super::BlockLayer;
use crate::{Extent, LayerState, Refusal, Room, Spare, TranslationLayer};
use ftlab_base::{Content, Layout, Lpn, Placement, Ppa};
use ftlab_nand::{Array, Cause, DataMove, Fence, OpBatch, Order, StateError, Status};

impl TranslationLayer for BlockLayer {
    fn slots(&self) -> u32 {
        self.space.slots
    }

    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn array(&self) -> &Array {
        &self.array
    }

    fn array_mut(&mut self) -> &mut Array {
        &mut self.array
    }

    fn lookup(&self, lpn: Lpn) -> Option<Ppa> {
        let (block, offset) = self.space.locate(lpn);
        self.slot_of(block, offset)
    }

    fn read(&mut self, first: Lpn, slots: u32, done: Fence, batch: &mut OpBatch) {
        for lpn in self.space.run(first, slots) {
            if let Some(slot) = self.lookup(lpn) {
                let order = Order::FREE.signalling(done);
                self.read_slot(slot, Cause::Host, order, batch);
            }
        }
        self.lost.read(first, slots, &mut self.array);
    }

    fn can_read(&self, lpn: Lpn) -> bool {
        let Some(slot) = self.lookup(lpn) else {
            return true;
        };
        let (superblock, n) = self.layout.locate(slot);
        let place = self.layout.page(superblock, n);
        !self.lost.contains(lpn) && self.array.can_read(place)
    }

    fn write(
        &mut self,
        lpn: Lpn,
        extent: Extent,
        _content: Content,
        _placement: Placement,
        batch: &mut OpBatch,
    ) -> Result<Fence, Refusal> {
        assert!(lpn.0 < self.space.slots, "write of {lpn} beyond the end");
        if let Some(refusal) = self.refusal {
            return Err(refusal);
        }
        let (block, offset) = self.space.locate(lpn);
        self.make_room(block, batch)?;
        let done = batch.fence();
        let (mut waits, mut readable) = (Fence::NONE, true);
        // Only now: a merge has moved what is to be kept.
        if extent == Extent::Part
            && let Some(old) = self.slot_of(block, offset)
        {
            let kept = batch.fence();
            readable = self.read_slot(old, Cause::Host, Order::FREE.signalling(kept), batch);
            waits = kept;
        }
        loop {
            let order = Order::after(waits).signalling(done);
            let (superblock, position) = self.logs.next(block);
            let page = self.layout.page(superblock, position);
            let status = self.array.program(page, 1, Cause::Host, order, batch);
            let Status::Failed { known } = status else {
                break;
            };
            self.pass_bad_pages(block);
            self.make_room(block, batch)?;
            waits = known;
        }
        let (superblock, position) = self.logs.append(block, offset);
        self.pass_bad_pages(block);
        self.validity.set(self.space.index(block), offset);
        if !readable || !self.lost.is_empty() {
            self.lost.written(lpn, extent, readable);
        }
        let to = self.layout.slot(superblock, position);
        batch.data(DataMove::Write { lpn, to });
        Ok(done)
    }

    fn trim(&mut self, first: Lpn, slots: u32, batch: &mut OpBatch) {
        self.lost.trimmed(first, slots);
        for lpn in self.space.run(first, slots) {
            let (block, offset) = self.space.locate(lpn);
            let index = self.space.index(block);
            if self.validity.clear(index, offset) && self.validity.last(index).is_none() {
                self.free_block(block, batch);
            }
        }
    }

    fn secure_erase(&mut self, batch: &mut OpBatch) {
        let slots = self.layout.slots_per_superblock;
        crate::purge::erase_used(&self.layout, slots, &mut self.array, batch);
        let array = self.array.clone();
        let mut layer = Self::around(array, self.layout, self.config, self.space.slots);
        if layer.set_bad_blocks_aside().is_err() {
            layer.refusal = Some(Refusal::worn_out(&layer.array));
        }
        layer.spare_at_first = self.spare_at_first;
        layer.merges = self.merges;
        *self = layer;
    }

    /// Does nothing: every slot is a program unit of its own, so none waits for another.
    fn flush(&mut self, _batch: &mut OpBatch) {}

    fn boxed(&self) -> Box<dyn TranslationLayer> {
        Box::new(self.clone())
    }

    /// No table has an entry for each slot.
    fn save_in(&self, _room: Room) -> LayerState {
        LayerState::Block(self.state())
    }

    fn restore(&mut self, state: LayerState) -> Result<(), StateError> {
        match state {
            LayerState::Block(state) => self.take_over(state),
            other => Err(other.of_another_scheme("block")),
        }
    }

    fn spare(&self) -> Spare {
        Spare {
            at_first: self.spare_at_first,
            left: self.spare_left(),
        }
    }

    fn check_invariants(&self) {
        if let Err(broken) = self.check() {
            panic!("{broken}");
        }
    }
}
