//! RAISE: what a die that fails has held is the sum of what the other dies hold.
//!
//! Every row of a superblock has a unit of parity, so a page of the failed die is made good from the
//! pages of its row. Superblocks written from then on leave the die out: they have no parity, and as
//! much room for data as before. [`PackedLayer::rebuild`] moves what old ones hold; when it is done,
//! nothing needs making good any more, and nothing is protected either.

use super::PackedLayer;
use super::frontier::{COLLECTED, HOST};
use super::stripe::{Skip, on_plane};
use ftlab_base::{BlockId, DieId, PagePlace, SuperblockId};
use ftlab_nand::{Cause, InjectionRefused, OpBatch, Order};

impl PackedLayer {
    /// A die can be neither read nor written any more. The controller first finishes its work in hand, so that every
    /// row has its parity.
    ///
    /// # Errors
    /// When what it held cannot be made good; nothing has changed then.
    pub fn fail_die(&mut self, die: DieId, batch: &mut OpBatch) -> Result<(), InjectionRefused> {
        let dies = self.stripe.layout.geometry.dies();
        if u32::from(die.0) >= dies {
            return Err(InjectionRefused::NoDie { die, dies });
        }
        if !self.stripe.raise {
            return Err(InjectionRefused::NoParity(die));
        }
        if let Some(failed) = self.failed {
            return Err(InjectionRefused::SecondDie {
                failed: DieId(failed as u16),
                second: die,
            });
        }
        // The frontier of collection may be all the room there is.
        self.end_collection_without_room(batch);
        for f in [HOST, COLLECTED] {
            self.end_row(f, batch);
            if self.frontiers[f].open_superblock().is_some() {
                self.close(f);
            }
        }
        self.failed = Some(u32::from(die.0));
        self.donors.do_without(die);
        let blocks = self.stripe.layout.geometry.blocks_per_die;
        let first = self.stripe.layout.geometry.block(die, 0);
        (first.0..first.0 + blocks).for_each(|block| self.array.mark_bad(BlockId(block)));
        Ok(())
    }

    /// Fills up the open row, so that its parity is programmed.
    fn end_row(&mut self, f: usize, batch: &mut OpBatch) {
        self.fill_up(f, batch);
        while self.frontiers[f].open_superblock().is_some()
            && !self.frontiers[f].position().is_multiple_of(self.stripe.row)
        {
            self.leave_empty(f, 1);
            self.fill_up(f, batch);
        }
    }

    /// Moves what one superblock holds that was written with the failed die; false when there is
    /// none left.
    pub fn rebuild(&mut self, batch: &mut OpBatch) -> bool {
        if self.failed.is_none() || self.is_worn_out() {
            return false;
        }
        let superblocks = (0..self.skip.len() as u32).map(SuperblockId);
        let mut old = superblocks.filter(|s| self.skip[s.index()] == Skip::Parity);
        let old = old.find(|s| self.table.is_candidate(*s) && self.table.valid_in(*s) > 0);
        let Some(superblock) = old else {
            return self.end_victim_under_way(batch);
        };
        self.end_victim_under_way(batch);
        self.empty(superblock, batch);
        true
    }

    /// Returns true if some of the data are still made good on every read.
    #[must_use]
    pub fn is_degraded(&self) -> bool {
        self.failed.is_some()
            && (0..self.skip.len() as u32)
                .map(SuperblockId)
                .any(|s| self.skip[s.index()] == Skip::Parity && self.table.valid_in(s) > 0)
    }

    /// Reads a page of data, or the rest of its row if its die has failed or the page cannot be corrected; returns true
    /// if the data could be had. Data that are not programmed yet are still in the controller.
    #[inline]
    pub(super) fn read_page(
        &mut self,
        (superblock, page): (SuperblockId, u32),
        chunks: u32,
        cause: Cause,
        order: Order,
        batch: &mut OpBatch,
    ) -> bool {
        let unit = self.stripe.unit_of_page(page);
        if self.frontiers.iter().any(|f| f.holds(superblock, unit)) {
            return true;
        }
        let bytes = (chunks * self.stripe.chunk_bytes).next_multiple_of(512);
        let skip = self.skip[superblock.index()];
        let place = self.stripe.page_place(superblock, page, skip);
        if self.failed == Some(u32::from(place.die.0)) {
            self.read_rest_of_row(superblock, place, (bytes, cause, order), batch)
        } else {
            self.array.read(place, bytes, cause, order, batch)
                || self.make_good(superblock, place, (bytes, cause, order), batch)
        }
    }

    /// Returns true if [`PackedLayer::read_page`] would have the data of a page; nothing is read.
    pub(super) fn can_have(&self, superblock: SuperblockId, page: u32) -> bool {
        let unit = self.stripe.unit_of_page(page);
        if self.frontiers.iter().any(|f| f.holds(superblock, unit)) {
            return true;
        }
        let place = self
            .stripe
            .page_place(superblock, page, self.skip[superblock.index()]);
        let has_failed = self.failed == Some(u32::from(place.die.0));
        (!has_failed && self.array.can_read(place))
            || (has_failed || self.has_parity(superblock, place))
                && self
                    .rest_of_row(superblock, place)
                    .iter()
                    .all(|&other| self.array.can_read(other))
    }

    /// Reads the units of a row on the other dies; returns true if all can be read.
    #[cold]
    pub(super) fn read_rest_of_row(
        &mut self,
        superblock: SuperblockId,
        lost: PagePlace,
        (bytes, cause, order): (u32, Cause, Order),
        batch: &mut OpBatch,
    ) -> bool {
        let reads = self.rest_of_row(superblock, lost).into_iter();
        let read = |place| self.array.read(place, bytes, cause, order, batch);
        reads.map(read).fold(true, |all, good| all & good)
    }

    /// The units of a row on the other dies.
    fn rest_of_row(&self, superblock: SuperblockId, lost: PagePlace) -> Vec<PagePlace> {
        let dies = self.stripe.layout.stripe_dies;
        let on = |die: u32| self.stripe.unit_on(superblock, lost.page, die);
        let plane = lost.block.0 - on(u32::from(lost.die.0)).block.0;
        let others = (0..dies).filter(|&die| die != u32::from(lost.die.0));
        others.map(|die| on_plane(on(die), plane)).collect()
    }
}
