//! Failures in a page-mapped layer: data written elsewhere, superblocks retired, slots lost.
//!
//! A program that fails ends its superblock: what lies there stays readable, and what the failed unit
//! was to hold, which the controller still has, goes to another superblock. The bad block is replaced
//! when the superblock is opened again, after its collection (`donors.rs`). When the rest can no longer hold the
//! user's data and what collection needs, the drive takes no more writes.

use super::PageLayer;
use super::check::slots_needed_in_a_group;
use crate::Refusal;
use crate::donors::Erasing;
use ftlab_base::{ConfigError, Ppa, SuperblockId};
use ftlab_nand::{Cause, DataMove, Fence, OpBatch, Order};

impl<const FLAT: bool> PageLayer<FLAT> {
    /// Replaces the factory bad blocks, as far as good superblocks can be made of what there is.
    pub(super) fn set_bad_blocks_aside(&mut self) -> Result<(), ConfigError> {
        if !self.array.can_fail() {
            return Ok(());
        }
        let erasing = Erasing {
            cause: Cause::Gc,
            order: Order::FREE,
            always: false,
        };
        let batch = &mut OpBatch::default();
        for g in 0..self.groups.len() {
            for superblock in std::mem::take(&mut self.groups[g].free) {
                if self.make_ready(superblock, erasing, batch) {
                    self.groups[g].free.push_back(superblock);
                } else {
                    self.groups[g].retired.push(superblock);
                }
            }
            let good = self.groups[g].free.len() as u32;
            // A cache of SLC has superblocks of its own, which count as room for nothing else.
            let aside = self.own_superblocks();
            self.groups[g].writable_slots =
                good.saturating_sub(aside) * self.layout.slots_per_superblock;
            let needed = self.superblocks_needed();
            if good < needed {
                return Err(ConfigError(format!(
                    "factory bad blocks leave {good} superblocks of a group of dies, and it needs \
                     {needed}; lower reliability.factory_bad or the user capacity"
                )));
            }
        }
        self.spare_at_first = self.spare_left();
        Ok(())
    }

    /// Superblocks without which a group cannot go on.
    fn superblocks_needed(&self) -> u32 {
        let slots = slots_needed_in_a_group(&self.layout, &self.config);
        slots.div_ceil(u64::from(self.layout.slots_per_superblock)) as u32
    }

    /// Superblocks that the group which has the least may still lose.
    pub(super) fn spare_left(&self) -> u32 {
        let lost = self.groups.iter().map(|group| group.retired.len() as u32);
        let good = self.layout.superblocks_per_group - lost.max().unwrap_or(0);
        good.saturating_sub(self.superblocks_needed())
    }

    /// A superblock has no valid data, and is whole no more.
    #[cold]
    pub(super) fn retire(&mut self, g: usize, superblock: SuperblockId) {
        self.groups[g].retired.push(superblock);
        let good = self.layout.superblocks_per_group - self.groups[g].retired.len() as u32;
        if good < self.superblocks_needed() {
            self.refuse_as_worn_out();
        }
    }

    /// Takes no more writes.
    #[cold]
    pub(super) fn refuse_as_worn_out(&mut self) {
        self.refusal = Some(Refusal::worn_out(&self.array));
    }

    /// The program of a frontier's unit failed, which is known when `known` is reached: closes the
    /// superblock and writes the unit to another one. Gives the last slot of the unit; when no
    /// superblock is left, the unit stays where it was to be, in the controller.
    #[cold]
    #[inline(never)]
    pub(super) fn write_elsewhere(
        &mut self,
        f: usize,
        cause: Cause,
        known: Fence,
        batch: &mut OpBatch,
    ) -> (u32, SuperblockId) {
        let slots = self.unit_slots();
        let mut known = known;
        loop {
            let (from, of) = self.abandon(f);
            if !self.open(f, cause, batch) {
                self.frontiers[f].forget_unit(slots);
                return (from + slots - 1, of);
            }
            let g = self.group_of_cell(self.cell_of_frontier(f));
            let (to, at) = self.frontiers[f].take_unit(slots);
            self.count_taken(f, g, slots);
            for n in 0..slots {
                // Slots that were overwritten or trimmed meanwhile do not move.
                if !self.table.is_valid(from + n) {
                    continue;
                }
                self.table.relocate((from + n, of), (to + n, at));
                let lpn = self.table.owner_of(to + n);
                self.run_changed(lpn, from + n, batch);
                self.note_birth(at, Some(of));
                batch.data(DataMove::Copy {
                    from: Ppa(from + n),
                    to: Ppa(to + n),
                });
            }
            let order = Order {
                waits: known,
                ..self.order_of_unit(f)
            };
            match self.program_unit(f, cause, order, batch) {
                Ok(()) => return (to + slots - 1, at),
                Err(again) => known = again,
            }
        }
    }

    /// Closes a frontier's superblock behind a unit that could not be programmed; gives the unit's
    /// first slot.
    fn abandon(&mut self, f: usize) -> (u32, SuperblockId) {
        let slots = self.unit_slots();
        let g = self.group_of_cell(self.cell_of_frontier(f));
        let frontier = &mut self.frontiers[f];
        let (first, superblock) = (frontier.next - slots, frontier.superblock);
        let left = frontier.left();
        frontier.next = frontier.end;
        self.count_taken(f, g, left);
        self.close(f, superblock);
        (first, superblock)
    }

    /// A page that had to be moved could not be read: reads of its data fail from now on.
    #[cold]
    #[inline(never)]
    pub(super) fn lose_page(&mut self, slot: u32) {
        let page = self.layout.page_of_slot(Ppa(slot));
        let (superblock, _) = self.layout.locate(Ppa(slot));
        let first = self.layout.slot(superblock, 0).0;
        for slot in first..first + self.layout.slots_per_superblock {
            if self.layout.page_of_slot(Ppa(slot)) == page && self.table.is_valid(slot) {
                self.lost.add(self.table.owner_of(slot));
            }
        }
    }
}
