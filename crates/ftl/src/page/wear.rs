//! Wear levelling: which free superblock to open, and when data that never move are moved.

use super::victim::Candidate;
use ftlab_base::SuperblockId;
use ftlab_nand::Cause;
use std::cmp::Reverse;
use std::collections::VecDeque;

/// Rule by which the free superblock to open next is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Allocation {
    /// The one that became free first.
    #[default]
    OldestFree,
    /// The one erased least often, among equals the one that became free first: dynamic wear
    /// levelling.
    LeastWorn,
}

impl Allocation {
    /// The names a drive file can give.
    pub const NAMES: [&'static str; 2] = ["oldest-free", "least-worn"];

    /// The rule called `name`.
    #[must_use]
    pub fn named(name: &str) -> Option<Allocation> {
        match name {
            "oldest-free" => Some(Allocation::OldestFree),
            "least-worn" => Some(Allocation::LeastWorn),
            _ => None,
        }
    }
}

/// Static wear levelling: data that stay where they are keep their blocks from wearing, so now and
/// then the least worn superblock is collected whatever it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StaticLevelling {
    /// Erases by which the most worn superblock of a group may be ahead of the least worn full one.
    pub spread_erases: u32,
    /// Ordinary collections of a group from one such move to the next, at least.
    pub every_collections: u32,
}

/// Bounds of how often the superblocks of a group were erased, from one look at all of them to the next.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct WearBounds {
    least: u32,
    most: u32,
}

impl WearBounds {
    /// The bounds of superblocks that were erased so often.
    pub(super) fn of(worn: &[u32]) -> WearBounds {
        WearBounds {
            least: worn.iter().copied().min().unwrap_or(0),
            most: worn.iter().copied().max().unwrap_or(0),
        }
    }

    /// The bounds of each group of so many superblocks.
    pub(super) fn of_groups(worn: &[u32], superblocks: u32) -> Vec<WearBounds> {
        let groups = worn.chunks(superblocks as usize);
        groups.map(WearBounds::of).collect()
    }

    /// Notes how often one of them was erased now.
    #[inline]
    pub(super) fn note(&mut self, worn: u32) {
        self.least = self.least.min(worn);
        self.most = self.most.max(worn);
    }

    /// Returns true if one of them may be too far ahead of another.
    #[inline]
    pub(super) fn are_beyond(&self, levelling: &StaticLevelling) -> bool {
        self.most - self.least > levelling.spread_erases
    }

    pub(super) fn most(&self) -> u32 {
        self.most
    }

    /// Returns true if a superblock that was erased so often lies between them.
    pub(super) fn hold(&self, worn: u32) -> bool {
        (self.least..=self.most).contains(&worn)
    }
}

/// Rules of wear levelling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WearLevelling {
    /// Choice of the next superblock: dynamic levelling.
    pub allocation: Allocation,
    /// Static levelling, if there is any.
    pub levelling: Option<StaticLevelling>,
}

impl WearLevelling {
    /// Takes a superblock for what `cause` writes off the free list, which is in order of release.
    /// `least_full` says how often the least worn full superblock was erased, and is asked only where wear may be uneven.
    ///
    /// Static levelling needs a worn superblock to be free whenever data are moved. Superblocks that
    /// are opened in the order of their release come round at intervals, and so do the moves: where
    /// the two keep step, moved data would always land on the same few superblocks, and the others
    /// would wear for ever. So what is too far ahead stays in the free list, as long as anything else
    /// can be opened, until moved data take it, the most worn first. With `LeastWorn` the most worn
    /// ones stay there anyway.
    pub(super) fn take(
        &self,
        free: &mut VecDeque<SuperblockId>,
        cause: Cause,
        wear: impl Fn(SuperblockId) -> u32,
        bounds: WearBounds,
        least_full: impl FnOnce() -> Option<u32>,
    ) -> Option<SuperblockId> {
        let least_worn = || (0..free.len()).min_by_key(|&n| (wear(free[n]), n));
        let taken = match (self.allocation, self.levelling) {
            (Allocation::OldestFree, None) => return free.pop_front(),
            (Allocation::OldestFree, Some(_)) if cause == Cause::Wear => {
                (0..free.len()).max_by_key(|&n| (wear(free[n]), Reverse(n)))
            }
            (Allocation::OldestFree, Some(levelling)) if !bounds.are_beyond(&levelling) => {
                return free.pop_front();
            }
            (Allocation::OldestFree, Some(levelling)) => {
                let most = least_full().map_or(u32::MAX, |least| {
                    least.saturating_add(levelling.spread_erases)
                });
                let may_wear = (0..free.len()).find(|&n| wear(free[n]) <= most);
                may_wear.or_else(least_worn)
            }
            (Allocation::LeastWorn, _) => least_worn(),
        };
        free.remove(taken?)
    }
}

impl StaticLevelling {
    /// The superblock to move, if one is due: the least worn of `candidates`, when `most` erases are
    /// too far ahead of it.
    pub(super) fn choose(
        &self,
        candidates: impl Iterator<Item = Candidate>,
        wear: impl Fn(SuperblockId) -> u32,
        most: u32,
    ) -> Option<SuperblockId> {
        let least = candidates.min_by_key(|c| (wear(c.superblock), Reverse(c.age)))?;
        let ahead = most.saturating_sub(wear(least.superblock));
        (ahead > self.spread_erases).then_some(least.superblock)
    }
}

#[cfg(test)]
mod tests;
