//! A cache of blocks that hold one bit a cell: they take what the host writes at the speed of SLC, and in a third or a
//! quarter of their pages. What they hold goes later to blocks with all their bits: it is *folded*.
//!
//! A superblock set aside for the cache is no room for anything else. Others become part of the cache while free ones
//! are left, and go back when they are folded. Superblocks of the cache are no candidates of collection: the oldest is
//! folded first (`fold.rs`).

use super::PageLayer;
use super::streams::{FRONTIERS_PER_CELL, host_frontier};
use ftlab_base::{BlockId, ConfigError, Layout, SuperblockId};
use ftlab_nand::{Fence, OpBatch};

/// Superblocks that are folded in one go at most; the host's data go past the cache where that makes no room.
pub(super) const SUPERBLOCKS_MAX: u32 = 2;

/// Order between the rows of a fold: memory that one row's data take is free for another's when they are programmed.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Chain {
    /// Slots of a row; none if rows follow each other freely.
    pub slots: Option<u32>,
    /// Reached when memory is free for what is read.
    pub waits: Fence,
    /// Reached when what is read is programmed.
    pub done: Fence,
}

/// Destination of the host's data while the cache is full and blocks are free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenFull {
    /// They go to blocks with all their bits.
    Direct,
    /// They go there, and the cache is folded in step with them, so that as much stays free.
    Beside,
    /// They go to the cache when its oldest data have been folded.
    Fold,
}

/// Configuration of a cache of SLC.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SlcConfig {
    /// Bits that a cell holds outside the cache: as SLC a block has this part of its pages.
    pub bits: u32,
    /// Superblocks of a group of dies that are set aside for the cache.
    pub own_superblocks: u32,
    /// Free superblocks of a group that the cache takes beside them at most.
    pub more_superblocks: u32,
    /// The cache takes at most this share of the superblocks that hold nothing outside it; the rest remain free.
    pub free_share: f64,
    /// The share of the user's slots that lie outside the cache at which it takes no free superblock any more; it takes fewer in
    /// proportion up to there. If none, only what is free counts.
    pub gone_at: Option<f64>,
    /// Destination of the host's data while it is full and superblocks are free.
    pub when_full: WhenFull,
    /// True if they go to the cache, behind what is folded for them, once none is free; else to blocks with all their bits.
    pub folds_when_out: bool,
    /// Slots that memory holds of what the host waits for to be folded, from their read to the end of their program; if none, all
    /// that is folded.
    pub fold_slots: Option<u32>,
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
    pub(super) fn has_room_in_slc(&self, g: usize, slc: &SlcConfig) -> bool {
        let used = self.groups[g].slc_used;
        used < slc.own_superblocks
            || (used < slc.own_superblocks + slc.more_superblocks
                && self.has_free_superblocks(g)
                && used - slc.own_superblocks < self.more_now(g, slc))
    }

    /// Returns true if a group has a superblock to give: behind it there is still enough to collect, and to open what the host
    /// and collection write to.
    fn has_free_superblocks(&self, g: usize) -> bool {
        self.has_free(g, 1)
    }

    /// Returns true if a group has no more to give than folding has just made.
    fn is_nearly_out(&self, g: usize) -> bool {
        !self.has_free(g, 1 + SUPERBLOCKS_MAX)
    }

    fn has_free(&self, g: usize, superblocks: u32) -> bool {
        let slots = superblocks * self.layout.slots_per_superblock;
        let beside = self.config.least_reserve() + superblocks - 1;
        self.groups[g].writable_slots > self.low_water + slots
            && self.free_for_data(g) > beside as usize
    }

    /// Free superblocks that the cache of a group takes at most, by what the drive holds now.
    fn more_now(&self, g: usize, slc: &SlcConfig) -> u32 {
        let more = self.groups[g].slc_used.saturating_sub(slc.own_superblocks);
        let without_data = self.free_for_data(g) as f64 + f64::from(more);
        let of_free = slc.free_share * without_data;
        let of_fill = slc.gone_at.map_or(1.0, |gone_at| {
            let used: u32 = self.groups.iter().map(|group| group.slc_used).sum();
            let cached = used * slc.slots(&self.layout);
            let outside = self.table.mapped().saturating_sub(cached);
            let fill = f64::from(outside) / f64::from(self.config.user_slots);
            (1.0 - fill / gone_at).max(0.0)
        });
        // What a product of shares lacks of a whole number is no superblock less.
        let of_fill = (of_fill * f64::from(slc.more_superblocks)).round();
        of_free.round().min(of_fill) as u32
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
            let has_room = self.free_oldest_if_empty(g) && self.has_room_in_slc(g, slc);
            if !has_room && !self.makes_room_in_slc(g, slc, batch) {
                return host;
            }
        }
        f
    }

    /// The cache of a group is full: the drive folds as its maker chose. Returns true if the host's data go to the cache then.
    fn makes_room_in_slc(&mut self, g: usize, slc: &SlcConfig, batch: &mut OpBatch) -> bool {
        if slc.folds_when_out && self.is_nearly_out(g) && self.gains_by_folding(g) {
            // Shares say what the cache leaves free for data, and there is no such room.
            self.fold_for_host(g, slc, batch, Self::has_free_superblocks);
            return self.has_free_superblocks(g);
        }
        match slc.when_full {
            WhenFull::Direct => false,
            WhenFull::Beside => {
                self.fold_beside(g);
                false
            }
            WhenFull::Fold => {
                self.fold_for_host(g, slc, batch, |layer, g| layer.has_room_in_slc(g, slc));
                self.has_room_in_slc(g, slc)
            }
        }
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

    /// The host has overwritten all of the oldest superblock: nothing of it has to be folded, and it is free. Returns true if one was.
    fn free_oldest_if_empty(&mut self, g: usize) -> bool {
        let before = self.groups[g].slc.len();
        while let Some(&oldest) = self.groups[g].slc.front()
            && self.table.valid_in(oldest) == 0
        {
            self.groups[g].slc.pop_front();
            self.release(oldest);
        }
        self.groups[g].slc.len() < before
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
