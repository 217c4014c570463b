//! The packed layer as whoever writes to it sees it.

use super::frontier::{COLLECTED, HOST};
use super::table::Stored;
use super::{PackedLayer, PageRun};
use crate::{Extent, Fault, LayerState, Refusal, Room, RoomSize, Spare, TranslationLayer, fault};
use ftlab_base::{Content, DieId, Identity, Layout, Lpn, Placement, Ppa};
use ftlab_nand::{Array, DataMove, Fence, InjectionRefused, OpBatch, Order, StateError};
use std::ops::Range;

impl TranslationLayer for PackedLayer {
    fn slots(&self) -> u32 {
        self.config.user_slots
    }

    fn layout(&self) -> &Layout {
        &self.stripe.layout
    }

    fn places(&self) -> u32 {
        self.stripe.layout.superblocks() * self.stripe.superblock
    }

    fn place_bytes(&self) -> u32 {
        self.config.chunk_bytes
    }

    fn array(&self) -> &Array {
        &self.array
    }

    fn array_mut(&mut self) -> &mut Array {
        &mut self.array
    }

    fn lookup(&self, lpn: Lpn) -> Option<Ppa> {
        self.table.find(lpn).map(|stored| Ppa(stored.at))
    }

    fn look_up(&mut self, first: Lpn, slots: u32, batch: &mut OpBatch) -> Range<u32> {
        self.bring_in_entries(first, slots, batch)
    }

    fn read(&mut self, first: Lpn, slots: u32, done: Fence, batch: &mut OpBatch) {
        let order = Order::FREE.signalling(done);
        let mut run = PageRun::default();
        for lpn in (first.0..first.0 + slots).map(Lpn) {
            if let Some(stored) = self.table.find(lpn) {
                self.read_pages(stored, &mut run, order, batch);
            }
        }
        self.end_pages(&mut run, order, batch);
        self.tell_of_lost(first, slots);
    }

    fn can_read(&self, lpn: Lpn) -> bool {
        let Some(stored) = self.table.find(lpn) else {
            return true;
        };
        let (superblock, n) = self.stripe.locate(stored.at);
        let mut pages = self.stripe.page_of(n)..=self.stripe.page_of(n + stored.chunks - 1);
        !self.is_lost(self.table.owner_of(lpn)) && pages.all(|page| self.can_have(superblock, page))
    }

    fn write(
        &mut self,
        lpn: Lpn,
        extent: Extent,
        content: Content,
        _placement: Placement,
        batch: &mut OpBatch,
    ) -> Result<Fence, Refusal> {
        if let Some(refusal) = self.refusal {
            return Err(refusal);
        }
        self.bring_in_entries(lpn, 1, batch);
        let identity = content
            .identity()
            .filter(|_| self.config.dedup && extent == Extent::Whole)
            .filter(|&identity| !self.is_lost(self.table.owner_of_known(identity)));
        let had = self.perhaps_lost(lpn);
        if let Some(identity) = identity
            && self.table.share(lpn, identity)
        {
            self.forget_loss(had);
            // Nothing to wait for that the slot with the same data does not wait for.
            return Ok(Fence::NONE);
        }
        let chunks = self.chunks_to_write(extent, content, self.table.find(lpn));
        if !self.frontiers[HOST].fits(chunks, &self.stripe) {
            self.make_room_for_host(batch)?;
            self.close_and_open(HOST, batch);
            self.victim = self.victim.take().or_else(|| self.begin_early());
        }
        // Collection may have moved it.
        let mut is_lost = false;
        if extent == Extent::Part
            && let Some(old) = self.table.find(lpn)
        {
            let order = self.frontiers[HOST].order_of_reads(chunks, &self.stripe, batch);
            let is_read = self.read_stored(old, order, batch);
            is_lost = !is_read || self.is_lost(self.table.owner_of(lpn));
        }
        self.forget(lpn);
        let (at, done) = self.append_for_host(chunks, batch);
        let owner = self.table.put(lpn, Stored { at, chunks }, identity);
        if is_lost {
            self.lost.insert(owner);
        }
        batch.data(DataMove::Write { lpn, to: Ppa(at) });
        self.program_full_units(batch);
        self.collect(chunks, batch);
        Ok(done)
    }

    fn known(&self, identity: Identity) -> Option<Ppa> {
        let stored = self.config.dedup.then(|| self.table.known(identity));
        stored.flatten().map(|stored| Ppa(stored.at))
    }

    fn expect(&self, lpn: Lpn) {
        self.table.fetch(lpn);
    }

    fn trim(&mut self, first: Lpn, slots: u32, _batch: &mut OpBatch) {
        (first.0..first.0 + slots).for_each(|lpn| self.forget(Lpn(lpn)));
        // What was trimmed may be worth collecting.
        self.in_vain = 0;
        self.refusal = self.refusal.filter(Refusal::is_final);
    }

    /// A die that failed stays failed.
    fn secure_erase(&mut self, batch: &mut OpBatch) {
        let chunks = self.stripe.superblock;
        crate::purge::erase_used(&self.stripe.layout, chunks, &mut self.array, batch);
        let (layout, config) = (self.stripe.layout, self.config.clone());
        let mut layer = Self::around(self.array.clone(), layout, config);
        if let Some(die) = self.failed {
            layer.failed = self.failed;
            layer.donors.do_without(DieId(die as u16));
        }
        if layer.set_bad_blocks_aside().is_err() {
            layer.refuse_as_worn_out();
        }
        layer.spare_at_first = self.spare_at_first;
        *self = layer;
    }

    fn flush(&mut self, batch: &mut OpBatch) {
        self.end_collection_without_room(batch);
        self.fill_up(HOST, batch);
        self.fill_up(COLLECTED, batch);
    }

    fn inject(&mut self, fault: Fault, batch: &mut OpBatch) -> Result<(), InjectionRefused> {
        match fault {
            // Without parity nothing makes up for it: what the die holds is lost.
            Fault::Die(_) if !self.stripe.raise => fault::in_array(self, fault),
            Fault::Die(die) => self.fail_die(die, batch),
            Fault::Unreadable(lpn) => self.spoil(lpn),
            Fault::BadBlock(_) | Fault::EndOfLife => fault::in_array(self, fault),
        }
    }

    fn dead_die(&self) -> Option<DieId> {
        self.missing_die()
    }

    /// Rebuilds what a die that failed has held, a superblock at a time.
    fn work_ahead(&mut self, batch: &mut OpBatch) -> bool {
        self.rebuild(batch)
    }

    fn boxed(&self) -> Box<dyn TranslationLayer> {
        Box::new(self.clone())
    }

    fn save_in(&self, room: Room) -> LayerState {
        LayerState::Packed(self.state(room))
    }

    fn room_size(&self) -> RoomSize {
        let slots = self.slots() as usize;
        RoomSize {
            words: slots,
            bytes: slots,
        }
    }

    fn restore(&mut self, state: LayerState) -> Result<(), StateError> {
        match state {
            LayerState::Packed(state) => self.take_over(state),
            other => Err(other.of_another_scheme("packed")),
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
        if let Some(lookup) = &self.lookup {
            lookup.check();
        }
    }
}
