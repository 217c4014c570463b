//! Foreground garbage collection in one go: a group that is low collects until it has a batch of
//! superblocks more to write, and then none until it is low again.
//!
//! Nobody waits here, where there is no time: the host does, because its next program units queue on
//! dies that are busy with the copies. Over a cycle the mean of what is writable is the reserve, half
//! a superblock, and half the batch.

use super::PageLayer;
use ftlab_nand::OpBatch;

impl<const FLAT: bool> PageLayer<FLAT> {
    /// Makes a batch of `slots` writable if group `g` is low on writable slots.
    #[inline]
    pub(super) fn collect_if_low(&mut self, g: usize, slots: u32, batch: &mut OpBatch) {
        if self.groups[g].writable_slots <= self.low_water {
            self.collect_batch(g, slots, batch);
        }
    }

    #[cold]
    #[inline(never)]
    fn collect_batch(&mut self, g: usize, slots: u32, batch: &mut OpBatch) {
        let goal = self.low_water + slots;
        while self.groups[g].writable_slots < goal && self.refusal.is_none() {
            // Work in a pause or room for tables may have left one half copied.
            let going_on = self.groups[g].victim.take();
            let mut victim = going_on.unwrap_or_else(|| self.begin(g));
            while self.table.valid_in(victim.superblock) > 0
                && self.copy_row(g, &mut victim, batch) > 0
            {}
            self.put_back(g, victim);
        }
    }
}

#[cfg(test)]
mod tests;
