//! Merges: how a log and the data it overwrites become one superblock again.

use super::BlockLayer;
use super::logs::Log;
use super::pool::Use;
use super::space::LogicalBlock;
use crate::Refusal;
use crate::donors::Erasing;
use ftlab_base::SuperblockId;
use ftlab_nand::{Cause, DataMove, Fence, OpBatch, Order};
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// Merges and moves of whole logical blocks since the layer was made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergeCounters {
    /// Logs that were complete and in order, and became the data as they were.
    pub switch: u64,
    /// Logs that began in order; the rest was copied behind.
    pub partial: u64,
    /// Logs copied with the old data into a third superblock.
    pub full: u64,
    /// Logical blocks moved by wear levelling.
    pub wear_moves: u64,
}

/// One run of copies into one superblock.
pub(super) struct CopyRun {
    pub block: LogicalBlock,
    /// The offsets that get a page; those without valid data get an empty one.
    pub offsets: RangeInclusive<u32>,
    pub to: SuperblockId,
    pub cause: Cause,
}

impl BlockLayer {
    /// Ends the log of a block with the cheapest merge there is.
    ///
    /// # Errors
    /// When blocks have failed and no good superblock is left for it; the log is as before.
    pub(super) fn merge(
        &mut self,
        block: LogicalBlock,
        batch: &mut OpBatch,
    ) -> Result<(), Refusal> {
        let log = self.logs.get(block).expect("a merged block has a log");
        let last = self.validity.last(self.space.index(block));
        let last = last.expect("a block that lost its last slot lost its log too");
        if !log.sequential {
            self.merges.full += 1;
            self.merges_since_wear += 1;
            self.merge_into_free(block, log, last, batch)
        } else if log.fill < self.space.slots_per_block {
            self.merges.partial += 1;
            self.merges_since_wear += 1;
            self.merge_into_log(block, log, last, batch)
        } else {
            self.merges.switch += 1;
            self.merge_into_log(block, log, last, batch)
        }
    }

    /// Copies what lies behind the log's end into the log, which then is the data.
    fn merge_into_log(
        &mut self,
        block: LogicalBlock,
        log: Log,
        last: u32,
        batch: &mut OpBatch,
    ) -> Result<(), Refusal> {
        let old = self.data[self.space.index(block)];
        // Without copies the erase waits for nothing: the log's programs were issued before.
        let waits = old.is_some() && log.fill <= last;
        let copied = if waits { batch.fence() } else { Fence::NONE };
        let run = CopyRun {
            block,
            offsets: log.fill..=last,
            to: log.superblock,
            cause: Cause::Gc,
        };
        if !self.copy(&run, copied, batch) {
            return self.merge_into_free(block, log, last, batch);
        }
        self.end_log(block, log.superblock, copied, batch);
        Ok(())
    }

    /// Copies the newest data of every slot into a free superblock.
    fn merge_into_free(
        &mut self,
        block: LogicalBlock,
        log: Log,
        last: u32,
        batch: &mut OpBatch,
    ) -> Result<(), Refusal> {
        let (to, copied) = loop {
            let Some(to) = self.take_free(block.group) else {
                return Err(self.refusal.expect("said where none was left"));
            };
            let copied = batch.fence();
            let run = CopyRun {
                block,
                offsets: 0..=last,
                to,
                cause: Cause::Gc,
            };
            if self.copy(&run, copied, batch) {
                break (to, copied);
            }
            self.erase(to, Cause::Gc, copied, batch);
        };
        self.end_log(block, to, copied, batch);
        self.erase(log.superblock, Cause::Gc, copied, batch);
        Ok(())
    }

    /// Ends a log whose data are the block's from now on, in a superblock that they were copied to; what the block had before
    /// is erased then.
    fn end_log(
        &mut self,
        block: LogicalBlock,
        to: SuperblockId,
        copied: Fence,
        batch: &mut OpBatch,
    ) {
        let old = self.data[self.space.index(block)];
        self.logs.end(block);
        self.adopt(block, to);
        if let Some(old) = old {
            self.erase(old, Cause::Gc, copied, batch);
        }
    }

    /// Makes a superblock the data of a block.
    pub(super) fn adopt(&mut self, block: LogicalBlock, superblock: SuperblockId) {
        self.data[self.space.index(block)] = Some(superblock);
        self.pool.assign(superblock, Use::Data(block));
    }

    /// Copies the newest data of a run of offsets, program unit by program unit. NAND is
    /// programmed in order, so a hole costs a program too, and so does the rest of a last unit.
    ///
    /// A row of units, one on each die, is read before it is programmed: what a log holds lies on
    /// other dies than it goes to, and reads queued behind the programs of their die would tie all
    /// dies into one chain. Every program signals `copied`.
    ///
    /// Ends at a program that fails; returns true if none did.
    #[must_use]
    pub(super) fn copy(&mut self, run: &CopyRun, copied: Fence, batch: &mut OpBatch) -> bool {
        let planes = self.layout.geometry.planes_per_die;
        let row_units = self.layout.stripe_dies as usize;
        let mut row = Vec::with_capacity(row_units);
        let (mut n, last) = run.offsets.clone().into_inner();
        while n <= last {
            while n <= last && row.len() < row_units {
                // The host may have begun the unit that a partial merge goes on with.
                let pages = planes - n % planes;
                let ready = self.read_unit(run, n..=last.min(n + pages - 1), batch);
                row.push((n, pages, ready));
                n += pages;
            }
            for (n, pages, ready) in row.drain(..) {
                let order = Order::after(ready).signalling(copied);
                let page = self.layout.page(run.to, n);
                let status = self.array.program(page, pages, run.cause, order, batch);
                if !status.is_good() {
                    return false;
                }
            }
        }
        true
    }

    /// Reads what one unit is made of; gives the fence that is reached when all of it is there.
    fn read_unit(
        &mut self,
        run: &CopyRun,
        offsets: RangeInclusive<u32>,
        batch: &mut OpBatch,
    ) -> Fence {
        let (first, last) = offsets.into_inner();
        let mut ready = Fence::NONE;
        for offset in first..=last {
            let Some(from) = self.slot_of(run.block, offset) else {
                continue;
            };
            if !ready.is_some() {
                ready = batch.fence();
            }
            let order = Order::FREE.signalling(ready);
            let to = self.layout.slot(run.to, offset);
            if !self.read_slot(from, run.cause, order, batch) {
                self.lost.add(self.space.lpn(run.block, offset));
            }
            batch.data(DataMove::Copy { from, to });
        }
        ready
    }

    /// Erases a superblock, when its data are `copied`, and frees it, or retires it.
    pub(super) fn erase(
        &mut self,
        superblock: SuperblockId,
        cause: Cause,
        copied: Fence,
        batch: &mut OpBatch,
    ) {
        let erasing = Erasing {
            cause,
            order: Order::after(copied),
            always: true,
        };
        let whole = self.make_ready(superblock, erasing, batch);
        batch.data(DataMove::Erase {
            first: self.layout.slot(superblock, 0),
            slots: self.layout.slots_per_superblock,
        });
        if whole {
            self.pool.release(superblock);
        } else {
            self.retire(superblock);
        }
    }
}
