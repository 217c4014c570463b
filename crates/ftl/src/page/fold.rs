//! Folding: what the cache of SLC holds goes to blocks with all their bits, before the host writes, beside that, or while the
//! host waits.

use super::PageLayer;
use super::slc::{Chain, SUPERBLOCKS_MAX, SlcConfig};
use ftlab_nand::{Cause, Fence, OpBatch};
use std::collections::VecDeque;

impl<const FLAT: bool> PageLayer<FLAT> {
    /// Returns true if the cache of a group holds a superblock to fold.
    fn can_fold(&self, g: usize) -> bool {
        let group = &self.groups[g];
        let folding = (group.victim.as_ref()).is_some_and(|victim| self.is_slc(victim.superblock));
        self.refusal.is_none() && (folding || !group.slc.is_empty())
    }

    /// Copies a row of the superblock that is folded, or of what is collected before that; returns true if it could.
    fn fold_row(&mut self, g: usize, batch: &mut OpBatch) -> bool {
        let going_on = self.groups[g].victim.take();
        let is_low = self.groups[g].writable_slots <= self.low_water;
        let mut victim = match going_on {
            Some(victim) => victim,
            // What is folded needs room.
            None if is_low => self.begin(g),
            None => {
                let Some(oldest) = self.oldest_of_slc(g) else {
                    return false;
                };
                self.begin_with(g, oldest, Cause::Gc)
            }
        };
        // All of it may have been written or trimmed since.
        let copied = match self.table.valid_in(victim.superblock) {
            0 => 1,
            _ => self.copy_row(g, &mut victim, batch),
        };
        self.put_back(g, victim);
        copied > 0
    }

    /// Folds until a group has room. The host waits on the dies meanwhile.
    pub(super) fn fold_for_host(
        &mut self,
        g: usize,
        slc: &SlcConfig,
        batch: &mut OpBatch,
        has_room: impl Fn(&Self, usize) -> bool,
    ) {
        let row = self.row_slots();
        // Rows that memory holds at a time, and slots of one of them.
        let (rows, slots) = match slc.fold_slots {
            None => (0, None),
            Some(held) => ((held / row).max(1) as usize, Some(held.min(row))),
        };
        let mut in_memory = VecDeque::new();
        let begun_with = self.groups[g].slc_used;
        while !has_room(self, g)
            && self.can_fold(g)
            && self.groups[g].slc_used + SUPERBLOCKS_MAX > begun_with
        {
            let waits = match in_memory.len() {
                full if slots.is_some() && full == rows => in_memory.pop_front(),
                _ => None,
            };
            self.chain = Chain {
                slots,
                waits: waits.unwrap_or(Fence::NONE),
                done: Fence::NONE,
            };
            let went_on = self.fold_row(g, batch);
            let chain = std::mem::take(&mut self.chain);
            in_memory.push_back(chain.done);
            if !went_on {
                break;
            }
        }
    }

    /// Folds beside what the host writes past the cache: collection goes on in step with that, as if room were short.
    pub(super) fn fold_beside(&mut self, g: usize) {
        if self.groups[g].victim.is_none()
            && self.refusal.is_none()
            && let Some(oldest) = self.oldest_of_slc(g)
        {
            let victim = self.begin_with(g, oldest, Cause::Gc);
            self.groups[g].victim = Some(victim);
        }
    }

    /// A row of folding for a pause of the host.
    pub(super) fn fold_ahead(&mut self, g: usize, batch: &mut OpBatch) -> bool {
        self.folds_in_pauses() && self.can_fold(g) && self.fold_row(g, batch)
    }

    pub(super) fn folds_in_pauses(&self) -> bool {
        self.config.slc.is_some_and(|slc| slc.folds_in_pauses)
    }
}
