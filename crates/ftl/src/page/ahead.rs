//! Work of a drive while the host pauses: superblocks are erased before they are opened, and victims collected before
//! their space is needed; a cache of SLC is folded first.

use super::PageLayer;
use crate::donors::Erasing;
use ftlab_base::SuperblockId;
use ftlab_nand::{Cause, DataMove, OpBatch, Order};

impl<const FLAT: bool> PageLayer<FLAT> {
    /// A piece of work for every group that has any: a row of copies, or an erase.
    pub(super) fn work_in_pause(&mut self, batch: &mut OpBatch) -> bool {
        let ahead = self.config.ahead_superblocks;
        let mut any = false;
        for g in 0..self.groups.len() {
            if self.refusal.is_none() {
                any |= self.fold_ahead(g, batch)
                    || ((ahead > 0 || self.folds_in_pauses()) && self.erase_ahead(g, batch))
                    || (ahead > 0 && self.collect_ahead(g, ahead, batch));
            }
        }
        any
    }

    /// Erases a free superblock that still holds old data.
    fn erase_ahead(&mut self, g: usize, batch: &mut OpBatch) -> bool {
        let holds_data = |superblock: &SuperblockId| {
            let planes = self.layout.geometry.planes_per_die;
            self.layout.blocks(*superblock).any(|(_, first)| {
                let mut blocks = first.0..first.0 + planes;
                blocks.any(|b| !self.array.is_erased(ftlab_base::BlockId(b)))
            })
        };
        let Some(n) = self.groups[g].free.iter().position(holds_data) else {
            return false;
        };
        let superblock = self.groups[g].free[n];
        let erasing = Erasing {
            cause: Cause::Gc,
            order: Order::FREE,
            always: false,
        };
        if self.make_ready(superblock, erasing, batch) {
            batch.data(DataMove::Erase {
                first: self.layout.slot(superblock, 0),
                slots: self.layout.slots_per_superblock,
            });
        } else {
            self.groups[g].free.remove(n);
            self.groups[g].writable_slots -= self.layout.slots_per_superblock;
            self.retire(g, superblock);
        }
        true
    }

    /// Copies a row of a victim while the group has less to write than it should when the host comes
    /// back, and some superblock has a slot to gain.
    fn collect_ahead(&mut self, g: usize, ahead: u32, batch: &mut OpBatch) -> bool {
        let goal = self.low_water + ahead * self.layout.slots_per_superblock;
        if self.groups[g].writable_slots >= goal {
            return false;
        }
        let mut victim = match self.groups[g].victim.take() {
            Some(victim) => victim,
            None if self.has_gain(g) => self.begin(g),
            None => return false,
        };
        // Its last valid slots may have been written or trimmed since.
        if self.table.valid_in(victim.superblock) > 0 {
            self.copy_row(g, &mut victim, batch);
        }
        self.put_back(g, victim);
        true
    }

    /// Returns true if collection could free a slot of a group.
    fn has_gain(&self, g: usize) -> bool {
        let full = self.layout.slots_per_superblock;
        let mut candidates = self.full(g).candidates();
        candidates.any(|candidate| candidate.valid_slots < full)
    }
}

#[cfg(test)]
mod tests;
