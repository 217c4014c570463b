//! Static wear levelling: data that never change would keep their superblocks young for ever.

use super::BlockLayer;
use super::merge::CopyRun;
use super::pool::Use;
use super::space::LogicalBlock;
use ftlab_base::SuperblockId;
use ftlab_nand::{Cause, OpBatch};

impl BlockLayer {
    /// Runs a pass when enough merges have copied since the last one.
    pub(super) fn level_wear_if_due(&mut self, batch: &mut OpBatch) {
        let every = self.config.wear_every_merges;
        if every > 0 && self.refusal.is_none() && self.merges_since_wear >= every {
            self.merges_since_wear = 0;
            self.level_wear(batch);
        }
    }

    /// Moves the logical blocks on the least erased superblocks to the most erased free ones, as
    /// far as those are more worn. The young superblocks then are free to be written.
    pub(super) fn level_wear(&mut self, batch: &mut OpBatch) {
        for (wear, from, block) in self.coldest() {
            if let Some(to) = self.pool.take_worn(block.group, wear, &self.array) {
                self.move_block(block, from, to, batch);
            }
        }
    }

    /// The least erased data superblocks and what they hold, the youngest first. What has a log
    /// is about to be rewritten anyway.
    fn coldest(&self) -> Vec<(u32, SuperblockId, LogicalBlock)> {
        let uses = self.pool.uses().iter().enumerate();
        let mut cold: Vec<_> = uses
            .filter_map(|(n, state)| match *state {
                Use::Data(block) if self.logs.get(block).is_none() => {
                    let superblock = SuperblockId(n as u32);
                    Some((self.pool.wear(superblock), superblock, block))
                }
                _ => None,
            })
            .collect();
        let by_wear = |&(wear, superblock, _): &(u32, SuperblockId, _)| (wear, superblock);
        let count = self.config.wear_blocks as usize;
        if count < cold.len() {
            cold.select_nth_unstable_by_key(count, by_wear);
            cold.truncate(count);
        }
        cold.sort_unstable_by_key(by_wear);
        cold
    }

    fn move_block(
        &mut self,
        block: LogicalBlock,
        from: SuperblockId,
        to: SuperblockId,
        batch: &mut OpBatch,
    ) {
        let last = self.validity.last(self.space.index(block));
        let copied = batch.fence();
        let run = CopyRun {
            block,
            offsets: 0..=last.expect("a block without valid slots has no data"),
            to,
            cause: Cause::Wear,
        };
        if !self.copy(&run, copied, batch) {
            // The data stay where they are.
            return self.erase(to, Cause::Wear, copied, batch);
        }
        self.adopt(block, to);
        self.erase(from, Cause::Wear, copied, batch);
        self.merges.wear_moves += 1;
    }
}
