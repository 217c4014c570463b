//! Failures in a block-mapped layer: pages passed over, superblocks retired, slots lost.
//!
//! A program that fails in a log leaves the pages of its block out: the slot goes to the next good
//! page, and the log, no longer in order, ends in a full merge. One that fails in a merge makes the
//! merge begin again into another superblock, since the old data are still there. Bad blocks are
//! replaced when their superblock is erased (`donors.rs`).

use super::BlockLayer;
use super::config::MERGE_RESERVE;
use super::pool::Use;
use super::space::LogicalBlock;
use crate::Refusal;
use crate::donors::Erasing;
use ftlab_base::{ConfigError, SuperblockId};
use ftlab_nand::{Cause, OpBatch, Order};

impl BlockLayer {
    /// Replaces the factory bad blocks, as far as good superblocks can be made of what there is.
    pub(super) fn set_bad_blocks_aside(&mut self) -> Result<(), ConfigError> {
        if self.array.can_fail() {
            let erasing = Erasing {
                cause: Cause::Gc,
                order: Order::FREE,
                always: false,
            };
            for superblock in (0..self.layout.superblocks()).map(SuperblockId) {
                if !self.make_ready(superblock, erasing, &mut OpBatch::default()) {
                    self.pool.withdraw(superblock);
                }
            }
            let good = self.good_superblocks();
            let needed = self.superblocks_needed();
            if good < needed {
                return Err(ConfigError(format!(
                    "factory bad blocks leave {good} superblocks of a group of dies, and data, logs and \
                     merges need {needed}; lower reliability.factory_bad, the user slots or log_blocks"
                )));
            }
        }
        self.spare_at_first = self.spare_left();
        Ok(())
    }

    /// Erases a superblock and replaces its bad blocks; returns true if it is whole then.
    pub(super) fn make_ready(
        &mut self,
        superblock: SuperblockId,
        erasing: Erasing,
        batch: &mut OpBatch,
    ) -> bool {
        let is_whole =
            self.donors
                .make_ready(&self.layout, superblock, &mut self.array, erasing, batch);
        self.pool.erased(superblock, &self.array);
        is_whole
    }

    /// Superblocks without which a group cannot go on.
    fn superblocks_needed(&self) -> u32 {
        self.space.zones + self.logs.open_max() + MERGE_RESERVE
    }

    /// Superblocks that are not retired, in the group that has the fewest.
    fn good_superblocks(&self) -> u32 {
        let per_group = self.layout.superblocks_per_group as usize;
        let good = |group: &[Use]| group.iter().filter(|of| **of != Use::Retired).count();
        let groups = self.pool.uses().chunks(per_group).map(good);
        groups.min().unwrap_or(0) as u32
    }

    pub(super) fn spare_left(&self) -> u32 {
        self.good_superblocks()
            .saturating_sub(self.superblocks_needed())
    }

    /// A superblock cannot be made whole any more.
    #[cold]
    pub(super) fn retire(&mut self, superblock: SuperblockId) {
        self.pool.assign(superblock, Use::Retired);
        if self.good_superblocks() < self.superblocks_needed() {
            self.refuse_as_worn_out();
        }
    }

    #[cold]
    fn refuse_as_worn_out(&mut self) {
        self.refusal = Some(Refusal::worn_out(&self.array));
    }

    /// Takes a free superblock; where none is left, no more writes are taken.
    pub(super) fn take_free(&mut self, group: u32) -> Option<SuperblockId> {
        let levels = self.config.wear_every_merges > 0;
        let taken = self.pool.take(group, levels, &self.array);
        if taken.is_none() {
            self.refuse_as_worn_out();
        }
        taken
    }

    /// Leaves out the next pages of a log as far as they are of bad blocks.
    pub(super) fn pass_bad_pages(&mut self, block: LogicalBlock) {
        if !self.array.can_fail() {
            return;
        }
        while let Some(log) = self.logs.get(block)
            && log.fill < self.space.slots_per_block
        {
            let page = self.layout.page(log.superblock, log.fill);
            if !self.array.is_bad(page.block) {
                break;
            }
            self.logs.pass(block);
        }
    }
}
