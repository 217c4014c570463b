//! Block mapping with log blocks, as in the controllers of 2008.
//!
//! A controller without DRAM cannot hold where each page lies; it can hold where each *block*
//! lies. But NAND is erased block by block, so overwriting one page of a block means to copy the
//! block. Log blocks put that off (Kim et al., *A space-efficient flash translation layer for
//! CompactFlash systems*, 2002): a block that is overwritten gets a log, a superblock that takes
//! new slots in the order in which they come. Only a few logs fit the controller's memory. When
//! one more is needed, or a log is full, the log and the old data are *merged*:
//!
//! | merge | when | copies |
//! |---|---|---|
//! | switch | the log holds the whole block in order | none: the log becomes the data |
//! | partial | the log holds the block's beginning in order | the rest, behind it |
//! | full | otherwise | the whole block, to a third superblock |
//!
//! So sequential writes cost what they should, and scattered ones a block each, however small.
//!
//! The logical space is dealt out to the groups of the layout row by row. A zone, the blocks of
//! one number over all groups, opens and closes its logs together.

mod check;
mod config;
mod failures;
mod layer;
mod logs;
mod merge;
mod pool;
mod space;
mod state;
#[cfg(test)]
mod tests;
mod validity;
mod wear;

pub use config::BlockConfig;
pub use merge::MergeCounters;
pub use state::BlockState;

use crate::Refusal;
use crate::donors::Donors;
use crate::lost::Lost;
use ftlab_base::{ConfigError, Layout, Ppa, SuperblockId};
use ftlab_nand::{Array, Cause, Fence, OpBatch, Order, Reliability};
use logs::Logs;
use pool::{Pool, Use};
use space::{LogicalBlock, Space};
use validity::Validity;

/// A block-mapped translation layer with one page-mapped log for each block being overwritten.
/// Its slots are pages.
#[derive(Debug, Clone)]
pub struct BlockLayer {
    layout: Layout,
    config: BlockConfig,
    space: Space,
    array: Array,
    pool: Pool,
    donors: Donors,
    /// Superblocks that might be lost to bad blocks when the layer was made.
    spare_at_first: u32,
    /// Set once no more writes are taken.
    refusal: Option<Refusal>,
    /// Slots whose data could not be read when they had to be moved.
    lost: Lost,
    /// Superblock of each logical block's data.
    data: Vec<Option<SuperblockId>>,
    logs: Logs,
    validity: Validity,
    merges: MergeCounters,
    /// Merges with copies since the last wear-levelling pass.
    merges_since_wear: u32,
}

impl BlockLayer {
    /// A layer of `user_slots` slots over an array fresh from the factory, which may have bad blocks
    /// and wear out.
    ///
    /// # Errors
    /// Those of [`BlockConfig::check`], or the factory bad blocks leave too little.
    pub fn new(
        layout: Layout,
        config: BlockConfig,
        user_slots: u32,
        reliability: Option<Reliability>,
    ) -> Result<BlockLayer, ConfigError> {
        config.check(&layout, user_slots)?;
        let array = Array::with_reliability(layout.geometry, reliability);
        let mut layer = Self::around(array, layout, config, user_slots);
        layer.set_bad_blocks_aside()?;
        Ok(layer)
    }

    /// A layer around an array that holds nothing.
    fn around(array: Array, layout: Layout, config: BlockConfig, user_slots: u32) -> BlockLayer {
        let space = Space::new(&layout, user_slots);
        BlockLayer {
            layout,
            config,
            space,
            pool: Pool::new(layout, &array),
            array,
            donors: Donors::new(&layout),
            spare_at_first: 0,
            refusal: None,
            lost: Lost::default(),
            data: vec![None; space.blocks()],
            logs: Logs::new(&space, config.log_blocks.min(space.zones)),
            validity: Validity::new(space.blocks(), space.slots_per_block),
            merges: MergeCounters::default(),
            merges_since_wear: 0,
        }
    }

    /// Merges of each kind since the layer was made.
    #[must_use]
    pub fn merges(&self) -> MergeCounters {
        self.merges
    }

    fn is_valid(&self, block: LogicalBlock, offset: u32) -> bool {
        self.validity.get(self.space.index(block), offset)
    }

    /// Place of a slot's newest data, if it has any.
    fn slot_of(&self, block: LogicalBlock, offset: u32) -> Option<Ppa> {
        let index = self.space.index(block);
        if !self.validity.get(index, offset) {
            return None;
        }
        let (superblock, n) = match self.logs.find(block, offset) {
            Some(newest) => newest,
            None => (self.data[index].expect("valid slots lie somewhere"), offset),
        };
        Some(self.layout.slot(superblock, n))
    }

    /// Senses the page that is a slot; returns true if its data could be corrected.
    fn read_slot(&mut self, slot: Ppa, cause: Cause, order: Order, batch: &mut OpBatch) -> bool {
        let (superblock, n) = self.layout.locate(slot);
        let page = self.layout.page(superblock, n);
        let bytes = self.layout.geometry.page_bytes;
        self.array.read(page, bytes, cause, order, batch)
    }

    /// Sees to it that a block has a log with room for one more slot.
    ///
    /// # Errors
    /// When blocks have failed and no good superblock is left for it.
    fn make_room(&mut self, block: LogicalBlock, batch: &mut OpBatch) -> Result<(), Refusal> {
        loop {
            if !self.logs.is_open(block.zone) {
                if let Some(victim) = self.logs.victim() {
                    self.close_zone(victim, batch)?;
                }
                self.logs.open(block.zone);
            }
            let Some(log) = self.logs.get(block) else {
                break;
            };
            if log.fill < self.space.slots_per_block {
                return Ok(());
            }
            if self.validity.last(self.space.index(block)).is_some() {
                self.merge(block, batch)?;
            } else {
                // Every program failed: there is nothing to merge.
                self.free_block(block, batch);
            }
        }
        self.level_wear_if_due(batch);
        let Some(superblock) = self.take_free(block.group) else {
            if self.logs.is_empty(block.zone) {
                self.logs.close(block.zone);
            }
            return Err(self.refusal.expect("said where none was left"));
        };
        self.pool.assign(superblock, Use::Log(block));
        self.logs.start(block, superblock);
        Ok(())
    }

    /// Merges every log of a zone.
    fn close_zone(&mut self, zone: u32, batch: &mut OpBatch) -> Result<(), Refusal> {
        for group in 0..self.space.groups {
            let block = LogicalBlock { group, zone };
            if self.logs.get(block).is_some() {
                self.merge(block, batch)?;
            }
        }
        self.logs.close(zone);
        Ok(())
    }

    /// Erases everything of a block that has lost its last valid slot.
    fn free_block(&mut self, block: LogicalBlock, batch: &mut OpBatch) {
        let data = self.data[self.space.index(block)].take();
        let log = self.logs.end(block).map(|log| log.superblock);
        for superblock in [data, log].into_iter().flatten() {
            self.erase(superblock, Cause::Gc, Fence::NONE, batch);
        }
        if self.logs.is_open(block.zone) && self.logs.is_empty(block.zone) {
            self.logs.close(block.zone);
        }
    }
}
