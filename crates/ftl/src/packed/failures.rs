//! Failures in a packed layer: blocks replaced, superblocks retired, data lost.
//!
//! A slot may straddle units, and everything in a superblock lies one after the other, so a program
//! that fails does not end its superblock: another block of the plane takes the place of the bad one,
//! what that held is copied, and the superblock is whole again. Good blocks for that come from
//! superblocks that were taken apart (`donors.rs`); when there are none, a free one is. When the rest can no longer
//! hold the user's data and what collection needs, the drive takes no more writes. A block that it keeps for its own
//! tables then takes what it still has in hand.
//!
//! A page that cannot be corrected is the sum of the rest of its row, if it has parity.

use super::PackedLayer;
use super::frontier::CAUSES;
use super::stripe::Skip;
use super::table::Owner;
use crate::Refusal;
use crate::donors::Erasing;
use ftlab_base::{BlockId, ConfigError, Lpn, PagePlace, SuperblockId};
use ftlab_nand::{Cause, Fence, InjectionRefused, OpBatch, Order, Status};

/// Superblocks that stay free for the host and for collection, however many blocks want replacing.
const KEPT_FREE: usize = 2;

impl PackedLayer {
    /// Replaces the factory bad blocks, as far as good superblocks can be made of what there is.
    pub(super) fn set_bad_blocks_aside(&mut self) -> Result<(), ConfigError> {
        if self.array.can_fail() {
            for superblock in std::mem::take(&mut self.free) {
                if self.make_ready(superblock, &mut OpBatch::default()) {
                    self.free.push_back(superblock);
                } else {
                    self.writable -= self.stripe.superblock;
                    self.retired.push(superblock);
                }
            }
            while self.is_short_of_donors() {
                self.stock_donors();
            }
            let (good, needed) = (self.good_superblocks(), self.superblocks_needed());
            if good < needed {
                return Err(ConfigError(format!(
                    "factory bad blocks leave {good} superblocks, and it needs {needed}; lower \
                     reliability.factory_bad or the user capacity"
                )));
            }
        }
        self.spare_at_first = self.spare_left();
        Ok(())
    }

    fn good_superblocks(&self) -> u32 {
        self.stripe.layout.superblocks() - self.retired.len() as u32
    }

    /// Superblocks without which it cannot go on.
    fn superblocks_needed(&self) -> u32 {
        self.config
            .superblocks_needed(&self.stripe, self.slot_chunks)
    }

    pub(super) fn spare_left(&self) -> u32 {
        self.good_superblocks()
            .saturating_sub(self.superblocks_needed())
    }

    /// Returns true if the drive writes nothing any more.
    pub(super) fn is_worn_out(&self) -> bool {
        self.refusal.as_ref().is_some_and(Refusal::is_final)
    }

    #[cold]
    pub(super) fn refuse_as_worn_out(&mut self) {
        self.refusal = Some(Refusal::worn_out(&self.array));
    }

    /// Erases a superblock that was used and replaces its bad blocks; returns true if it is whole then.
    pub(super) fn make_ready(&mut self, superblock: SuperblockId, batch: &mut OpBatch) -> bool {
        let layout = &self.stripe.layout;
        self.donors
            .make_ready(layout, superblock, &mut self.array, ERASING, batch)
    }

    /// A superblock that was free is whole no more.
    fn retire(&mut self, superblock: SuperblockId) {
        self.retired.push(superblock);
        self.writable -= self.stripe.superblock;
        if self.good_superblocks() < self.superblocks_needed() {
            self.refuse_as_worn_out();
        }
    }

    /// Returns true if there is a plane without a block to replace a bad one with, and a superblock to spare.
    #[inline]
    pub(super) fn is_short_of_donors(&self) -> bool {
        self.array.can_fail() && self.donors.is_short() && self.spare_left() > 0
    }

    /// Takes a free superblock apart, so that its blocks can replace bad ones.
    #[cold]
    pub(super) fn stock_donors(&mut self) {
        let spare = self.free.pop_back().expect("the caller has seen it");
        self.donors
            .take_apart(&self.stripe.layout, spare, &self.array);
        self.retire(spare);
    }

    /// Takes a free superblock, erased and whole. Others stay free for collection, `kept` of them, if
    /// need be at the price of blocks from the controller's reserve.
    pub(super) fn take_free(&mut self, kept: usize, batch: &mut OpBatch) -> SuperblockId {
        loop {
            let superblock = self.free.pop_front();
            let superblock = superblock.expect("collection keeps a superblock free");
            if self.make_ready(superblock, batch) {
                return superblock;
            }
            if self.free.len() > kept {
                self.retire(superblock);
                continue;
            }
            self.refuse_as_worn_out();
            let layout = &self.stripe.layout;
            self.donors.take_back(layout, superblock, &mut self.array);
            return superblock;
        }
    }

    /// A unit could not be programmed: puts other blocks in the place of those that failed, copies what
    /// they held, and programs their pages of the unit.
    #[cold]
    #[inline(never)]
    pub(super) fn program_elsewhere(
        &mut self,
        (f, superblock): (usize, SuperblockId),
        place: PagePlace,
        order: Order,
        known: Fence,
        batch: &mut OpBatch,
    ) {
        let planes = self.stripe.layout.geometry.planes_per_die;
        let mut known = known;
        for block in (place.block.0..place.block.0 + planes).map(BlockId) {
            let place = PagePlace { block, ..place };
            // Where its pages are read.
            let mut held_by = block;
            while self.array.is_bad(block) {
                let old = PagePlace {
                    block: held_by,
                    ..place
                };
                let copied = self.read_before((superblock, place), old, known, batch);
                self.replace(place, batch, &mut held_by);
                known = match self.program_copy(place, CAUSES[f], copied, order, batch) {
                    Status::Good => Fence::NONE,
                    Status::Failed { known } => known,
                };
            }
        }
    }

    /// Reads the pages of a block before that at `old`, as those of the block at `place`, once it is
    /// `known` that it failed; gives what is reached when they are read.
    fn read_before(
        &mut self,
        (superblock, place): (SuperblockId, PagePlace),
        old: PagePlace,
        known: Fence,
        batch: &mut OpBatch,
    ) -> Fence {
        if old.page == 0 {
            return known;
        }
        let copied = batch.fence();
        let bytes = self.stripe.layout.geometry.page_bytes;
        let mut order = Order::after(known).signalling(copied);
        for page in 0..old.page {
            let old = PagePlace { page, ..old };
            let place = PagePlace { page, ..place };
            if !self.array.read(old, bytes, Cause::Gc, order, batch) {
                order.waits = Fence::NONE;
                if !self.make_good(superblock, place, (bytes, Cause::Gc, order), batch) {
                    self.lose(superblock, place);
                }
            }
            order.waits = Fence::NONE;
        }
        copied
    }

    /// Programs the pages of a block up to the one at `place`, that with its order.
    fn program_copy(
        &mut self,
        place: PagePlace,
        cause: Cause,
        copied: Fence,
        order: Order,
        batch: &mut OpBatch,
    ) -> Status {
        let mut waits = copied;
        for page in 0..place.page {
            let place = PagePlace { page, ..place };
            let order = Order::after(std::mem::replace(&mut waits, Fence::NONE));
            let status = self.array.program(place, 1, Cause::Gc, order, batch);
            if !status.is_good() {
                return status;
            }
        }
        let order = Order { waits, ..order };
        self.array.program(place, 1, cause, order, batch)
    }

    /// Puts another block in the place of a bad one; `held_by` is where a block is that may make room,
    /// and follows it.
    fn replace(&mut self, place: PagePlace, batch: &mut OpBatch, held_by: &mut BlockId) {
        loop {
            let (layout, array) = (&self.stripe.layout, &mut self.array);
            let at = (place.die, place.block);
            if (self.donors).replace(layout, at, array, ERASING, batch, held_by) {
                return;
            }
            if self.free.len() <= KEPT_FREE {
                self.refuse_as_worn_out();
                self.array.replace_from_reserve(place.block);
                return;
            }
            self.stock_donors();
        }
    }

    /// Makes a page that cannot be corrected good from the rest of its row; returns true if it could be.
    #[cold]
    #[inline(never)]
    pub(super) fn make_good(
        &mut self,
        superblock: SuperblockId,
        place: PagePlace,
        how: (u32, Cause, Order),
        batch: &mut OpBatch,
    ) -> bool {
        let is_good = self.has_parity(superblock, place)
            && self.read_rest_of_row(superblock, place, how, batch);
        if is_good {
            self.array.note_made_good();
        }
        is_good
    }

    /// Returns true if the row of a page is complete, with parity that nothing else needs.
    pub(super) fn has_parity(&self, superblock: SuperblockId, place: PagePlace) -> bool {
        let rows = match self.frontiers.iter().find(|f| f.is_at(superblock)) {
            Some(open) => self.stripe.row_of(open.programmed).0,
            None => self.stripe.layout.geometry.pages_per_block,
        };
        self.skip[superblock.index()] == Skip::Parity && self.failed.is_none() && place.page < rows
    }

    /// A page that is needed cannot be had: reads of its data fail from now on.
    #[cold]
    #[inline(never)]
    pub(super) fn lose(&mut self, superblock: SuperblockId, place: PagePlace) {
        let skip = self.skip[superblock.index()];
        // Parity is nobody's.
        let Some(page) = self.stripe.data_page(superblock, place, skip) else {
            return;
        };
        let chunks = page * self.stripe.page..(page + 1) * self.stripe.page;
        let first = self.stripe.first(superblock);
        let mut at = 0;
        for n in 0.. {
            let Some((owner, count)) = self.table.logged(superblock, n) else {
                break;
            };
            if at < chunks.end && at + count > chunks.start && self.table.is_at(owner, first + at) {
                self.lost.insert(owner);
            }
            at += count;
        }
    }

    /// Has the pages of a slot be beyond what ECC corrects.
    ///
    /// # Errors
    /// When nothing can fail, or nothing of the slot is in flash.
    pub(super) fn spoil(&mut self, lpn: Lpn) -> Result<(), InjectionRefused> {
        let stored = self.table.find(lpn);
        let stored = stored.ok_or(InjectionRefused::NothingStored)?;
        let (superblock, n) = self.stripe.locate(stored.at);
        let skip = self.skip[superblock.index()];
        let pages = self.stripe.page_of(n)..=self.stripe.page_of(n + stored.chunks - 1);
        let place = |page| self.stripe.page_place(superblock, page, skip);
        let places: Vec<PagePlace> = pages.map(place).collect();
        self.array.spoil(&places)
    }

    /// Returns true if the data of an owner were lost.
    #[inline]
    pub(super) fn is_lost(&self, owner: Option<Owner>) -> bool {
        !self.lost.is_empty() && owner.is_some_and(|owner| self.lost.contains(&owner))
    }

    /// Owner of a slot's data if any data were lost: for [`PackedLayer::forget_loss`], once the slot has them no more.
    #[inline]
    pub(super) fn perhaps_lost(&self, lpn: Lpn) -> Option<Owner> {
        match self.lost.is_empty() {
            true => None,
            false => self.table.owner_of(lpn),
        }
    }

    /// Data that were lost are nobody's loss once nobody has them.
    #[inline]
    pub(super) fn forget_loss(&mut self, owner: Option<Owner>) {
        if let Some(owner) = owner
            && !self.table.knows(owner)
        {
            self.lost.remove(&owner);
        }
    }

    /// The host reads slots: counts those that are lost.
    #[inline]
    pub(super) fn tell_of_lost(&mut self, first: Lpn, slots: u32) {
        if !self.lost.is_empty() {
            let owners = (first.0..first.0 + slots).map(|lpn| self.table.owner_of(Lpn(lpn)));
            let lost = owners.flatten().filter(|owner| self.lost.contains(owner));
            let lost = lost.count() as u64;
            self.array.note_unreadable(lost);
        }
    }
}

/// Cause and order of erasing blocks to use them again.
const ERASING: Erasing = Erasing {
    cause: Cause::Gc,
    order: Order::FREE,
    always: false,
};
