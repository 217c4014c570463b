//! Parity: after a number of program units of data the drive writes one unit that holds their sum. From that and the
//! other pages of a stripe it restores a page that ECC cannot correct.
//!
//! The layout keeps the units of parity out of the slots ([`ftlab_base::Layout::with_parity`]). The sum of a stripe that
//! is still open is in the controller.

use super::PageLayer;
use super::frontier::Frontier;
use ftlab_base::{PagePlace, SuperblockId};
use ftlab_nand::{Cause, Fence, OpBatch, Order, Status};

impl<const FLAT: bool> PageLayer<FLAT> {
    /// Programs the unit at `place`, and behind the last data of a stripe its parity; gives the place of the next unit.
    ///
    /// # Errors
    /// When a program fails: the fence that is reached when that is known. If it was the parity's, the data count as
    /// not programmed, for nothing would protect them.
    #[inline(always)]
    pub(super) fn program_at(
        &mut self,
        (first, place): (PagePlace, PagePlace),
        cause: Cause,
        order: Order,
        batch: &mut OpBatch,
    ) -> Result<PagePlace, Fence> {
        let planes = self.planes();
        if let Status::Failed { known } = self.array.program(place, planes, cause, order, batch) {
            return Err(known);
        }
        if !FLAT && let Some(parity) = self.layout.parity_behind(first, place) {
            let order = Order {
                waits: order.waits,
                ..Order::FREE
            };
            let status = self.array.program(parity, planes, cause, order, batch);
            if let Status::Failed { known } = status {
                return Err(known);
            }
            return Ok(self.next_unit(first, parity));
        }
        Ok(self.next_unit(first, place))
    }

    /// Reads a page, and the others of its stripe if ECC cannot correct it; returns true if the data could be had.
    #[inline(always)]
    pub(super) fn read_page(
        &mut self,
        (first, place): (PagePlace, PagePlace),
        bytes: u32,
        cause: Cause,
        order: Order,
        batch: &mut OpBatch,
    ) -> bool {
        self.array.read(place, bytes, cause, order, batch)
            || (!FLAT && self.make_good((first, place), bytes, cause, order, batch))
    }

    /// Reads what the sum of a stripe needs in place of one of its pages.
    #[cold]
    #[inline(never)]
    fn make_good(
        &mut self,
        (first, place): (PagePlace, PagePlace),
        bytes: u32,
        cause: Cause,
        order: Order,
        batch: &mut OpBatch,
    ) -> bool {
        let Some(others) = self.rest_of_stripe(first, place) else {
            return false;
        };
        let beyond_correction = others
            .into_iter()
            .filter(|&other| !self.array.read(other, bytes, cause, order, batch));
        let is_good = beyond_correction.count() == 0;
        if is_good {
            self.array.note_made_good();
        }
        is_good
    }

    /// Returns true if [`PageLayer::read_page`] would have the data; nothing is read.
    pub(super) fn can_have(&self, superblock: SuperblockId, place: PagePlace) -> bool {
        let can_read = |place: &PagePlace| self.array.can_read(*place);
        let first = self.layout.first_page(superblock);
        can_read(&place)
            || (self.rest_of_stripe(first, place)).is_some_and(|others| others.iter().all(can_read))
    }

    /// The other pages of a page's stripe, as far as they are programmed; none where no parity was, and the controller
    /// does not hold it, either.
    fn rest_of_stripe(&self, first: PagePlace, place: PagePlace) -> Option<Vec<PagePlace>> {
        let data_units = self.layout.data_units_per_parity()?;
        let nth_die = u32::from(place.die.0 - first.die.0);
        let unit = place.page * self.layout.stripe_dies + nth_die;
        let plane = self.layout.page_of_unit(first, unit, 0).block;
        let plane = place.block.0 - plane.0;
        let begin = unit - unit % (data_units + 1);
        let page = |unit: u32| self.layout.page_of_unit(first, unit, plane);
        let is_programmed =
            |place: &PagePlace| place.page < self.array.programmed_pages(place.block);
        let is_open = |frontier: &Frontier| frontier.first == first && !frontier.is_closed();
        if !is_programmed(&page(begin + data_units)) && !self.frontiers.iter().any(is_open) {
            return None;
        }
        let others = (begin..=begin + data_units).filter(|&other| other != unit);
        Some(others.map(page).filter(is_programmed).collect())
    }
}

#[cfg(test)]
mod tests;
