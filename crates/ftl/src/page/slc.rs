//! A cache of blocks that hold one bit a cell: they take what the host writes at the speed of SLC, and in a third or a
//! quarter of their pages. What they hold goes later to blocks with all their bits: it is *folded*.
//!
//! A superblock set aside for the cache is no room for anything else. Others become part of the cache while free ones
//! are left, and go back when they are folded. Superblocks of the cache are no candidates of collection: the oldest is
//! folded first.

use super::PageLayer;
use super::streams::{FRONTIERS_PER_CELL, host_frontier};
use ftlab_base::{BlockId, ConfigError, Layout, SuperblockId};
use ftlab_nand::{Cause, OpBatch};

/// Destination of the host's data while the cache is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenFull {
    /// They go to blocks with all their bits.
    Direct,
    /// They go to the cache when its oldest data have been folded.
    Fold,
}

/// Configuration of a cache of SLC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SlcConfig {
    /// Bits that a cell holds outside the cache: as SLC a block has this part of its pages.
    pub bits: u32,
    /// Superblocks of a group of dies that are set aside for the cache.
    pub own_superblocks: u32,
    /// Free superblocks of a group that the cache takes beside them.
    pub more_superblocks: u32,
    /// Destination of the host's data while it is full.
    pub when_full: WhenFull,
    /// True if it is folded while the host pauses.
    pub folds_in_pauses: bool,
}

impl SlcConfig {
    /// Pages of a block as SLC.
    fn pages(&self, layout: &Layout) -> u32 {
        layout.geometry.pages_per_block / self.bits
    }

    /// Slots of a superblock of the cache.
    #[must_use]
    pub fn slots(&self, layout: &Layout) -> u32 {
        layout.slots_per_superblock / layout.geometry.pages_per_block * self.pages(layout)
    }

    /// Checks that a layer on `layout` can have such a cache; an error says why not.
    pub(super) fn check(&self, layout: &Layout) -> Result<(), ConfigError> {
        let pages = layout.geometry.pages_per_block;
        let why = if self.bits < 2 || self.bits > pages {
            format!(
                "cells that hold {} bits outside the cache of SLC; give 2 to {pages}",
                self.bits
            )
        } else if !layout.slots_per_superblock.is_multiple_of(pages) {
            "a row of pages over the dies of a superblock holds no whole slots, as a cache of SLC needs".to_owned()
        } else if self.own_superblocks + self.more_superblocks < 2 {
            format!(
                "a cache of {} superblocks in each group of dies; it needs at least 2, one to write and one to fold",
                self.own_superblocks + self.more_superblocks
            )
        } else {
            return Ok(());
        };
        Err(ConfigError(why))
    }
}

impl<const FLAT: bool> PageLayer<FLAT> {
    /// The frontier of a group's cache.
    pub(super) fn slc_frontier(&self, g: usize) -> usize {
        self.groups.len() * self.streams.count() * FRONTIERS_PER_CELL + g
    }

    /// Returns true if a frontier is that of a cache.
    #[inline]
    pub(super) fn is_slc_frontier(&self, f: usize) -> bool {
        !FLAT && f >= self.groups.len() * self.streams.count() * FRONTIERS_PER_CELL
    }

    /// The cell of a frontier's superblocks.
    #[inline]
    pub(super) fn cell_of_frontier(&self, f: usize) -> usize {
        if self.is_slc_frontier(f) {
            // Where there is a cache there is one stream.
            f - self.slc_frontier(0)
        } else {
            f / FRONTIERS_PER_CELL
        }
    }

    /// Returns true if a superblock that is not free holds one bit a cell.
    #[inline]
    pub(super) fn is_slc(&self, superblock: SuperblockId) -> bool {
        !FLAT
            && self.config.slc.is_some()
            && self.array.is_slc(self.layout.first_page(superblock).block)
    }

    /// Slots of a superblock as it is used now.
    #[inline]
    pub(super) fn slots_of(&self, superblock: SuperblockId) -> u32 {
        match &self.config.slc {
            Some(slc) if self.is_slc(superblock) => slc.slots(&self.layout),
            _ => self.layout.slots_per_superblock,
        }
    }

    /// An erased superblock becomes part of the cache.
    pub(super) fn enter_slc(&mut self, g: usize, superblock: SuperblockId) {
        let planes = self.layout.geometry.planes_per_die;
        for (_, first) in self.layout.blocks(superblock) {
            for block in first.0..first.0 + planes {
                self.array.set_slc(BlockId(block));
            }
        }
        let own = self.own_superblocks();
        let group = &mut self.groups[g];
        group.slc_used += 1;
        if group.slc_used > own {
            group.writable_slots -= self.layout.slots_per_superblock;
        }
    }

    /// Superblocks of a group that are set aside for the cache.
    pub(super) fn own_superblocks(&self) -> u32 {
        self.config.slc.map_or(0, |slc| slc.own_superblocks)
    }

    /// Free superblocks of a group beside those that are set aside for the cache.
    #[inline]
    pub(super) fn free_for_data(&self, g: usize) -> usize {
        let group = &self.groups[g];
        let aside = self.own_superblocks().saturating_sub(group.slc_used);
        group.free.len().saturating_sub(aside as usize)
    }

    /// Returns true if the cache of a group may take another superblock.
    fn has_room_in_slc(&self, g: usize, slc: &SlcConfig) -> bool {
        let group = &self.groups[g];
        if group.slc_used < slc.own_superblocks {
            return true;
        }
        // Behind it there is still enough to collect, and to open what the host and collection write to.
        group.slc_used < slc.own_superblocks + slc.more_superblocks
            && group.writable_slots > self.low_water + self.layout.slots_per_superblock
            && self.free_for_data(g) > self.config.least_reserve() as usize
    }

    /// Frontier that the host's next slot goes to; room in a full cache is made first.
    #[inline]
    pub(super) fn frontier_for_host(&mut self, cell: usize, batch: &mut OpBatch) -> usize {
        let host = host_frontier(cell);
        match self.config.slc {
            Some(slc) if !FLAT => self.slc_or(host, cell, &slc, batch),
            _ => host,
        }
    }

    /// Slots of a frontier are taken, or lost, and not writable any more; those of a cache were never counted so.
    #[inline]
    pub(super) fn count_taken(&mut self, f: usize, g: usize, slots: u32) {
        if !self.is_slc_frontier(f) {
            self.groups[g].writable_slots -= slots;
        }
    }

    fn slc_or(&mut self, host: usize, g: usize, slc: &SlcConfig, batch: &mut OpBatch) -> usize {
        // A unit that was begun is completed where it was begun.
        if self.frontiers[host].unit_left() < self.unit_slots() {
            return host;
        }
        let f = self.slc_frontier(g);
        if self.frontiers[f].is_closed() && !self.has_room_in_slc(g, slc) {
            self.free_oldest_if_empty(g);
            // The host waits on the dies meanwhile.
            while slc.when_full == WhenFull::Fold
                && !self.has_room_in_slc(g, slc)
                && self.can_fold(g)
                && self.fold_row(g, batch)
            {}
            if !self.has_room_in_slc(g, slc) {
                return host;
            }
        }
        f
    }

    /// The superblock of a group's cache that is folded next, where one is full.
    pub(super) fn oldest_of_slc(&mut self, g: usize) -> Option<SuperblockId> {
        self.groups[g].slc.pop_front()
    }

    /// Returns true if collection gains room for data by folding: the cache has more superblocks than its own.
    pub(super) fn gains_by_folding(&self, g: usize) -> bool {
        let group = &self.groups[g];
        group.slc_used > self.own_superblocks() && !group.slc.is_empty()
    }

    /// The host has overwritten all of the oldest superblock: nothing of it has to be folded, and it is free.
    fn free_oldest_if_empty(&mut self, g: usize) {
        while let Some(&oldest) = self.groups[g].slc.front()
            && self.table.valid_in(oldest) == 0
        {
            self.groups[g].slc.pop_front();
            self.release(oldest);
        }
    }

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

    /// A row of folding for a pause of the host.
    pub(super) fn fold_ahead(&mut self, g: usize, batch: &mut OpBatch) -> bool {
        self.folds_in_pauses() && self.can_fold(g) && self.fold_row(g, batch)
    }

    pub(super) fn folds_in_pauses(&self) -> bool {
        self.config.slc.is_some_and(|slc| slc.folds_in_pauses)
    }

    /// Superblocks of which everything was trimmed are free: the cache may take them.
    pub(super) fn free_what_is_empty(&mut self) {
        if self.config.slc.is_none() {
            return;
        }
        for s in (0..self.layout.superblocks()).map(SuperblockId) {
            if self.table.is_candidate(s) && self.table.valid_in(s) == 0 {
                self.release(s);
            }
        }
    }
}

#[cfg(test)]
mod tests;
