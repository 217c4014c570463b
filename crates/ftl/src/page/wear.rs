//! Wear levelling: which free superblock to open, and when data that never move are moved.

use super::victim::Candidate;
use ftlab_base::SuperblockId;
use std::cmp::Reverse;
use std::collections::VecDeque;

/// Which free superblock is opened next.
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

    /// Takes a superblock off the free list, which is in order of release.
    pub(super) fn take(
        self,
        free: &mut VecDeque<SuperblockId>,
        wear: impl Fn(SuperblockId) -> u32,
    ) -> Option<SuperblockId> {
        match self {
            Allocation::OldestFree => free.pop_front(),
            Allocation::LeastWorn => {
                let least = (0..free.len()).min_by_key(|&n| (wear(free[n]), n))?;
                free.remove(least)
            }
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

/// How wear is levelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WearLevelling {
    /// Dynamic levelling.
    pub allocation: Allocation,
    /// Static levelling, if there is any.
    pub levelling: Option<StaticLevelling>,
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
mod tests {
    use super::*;

    fn wear(s: SuperblockId) -> u32 {
        [5, 2, 9, 2][s.index()]
    }

    #[test]
    fn the_least_worn_free_superblock_is_opened_first() {
        let mut free: VecDeque<_> = (0..4).map(SuperblockId).collect();
        let order: Vec<u32> = (0..4)
            .map(|_| Allocation::LeastWorn.take(&mut free, wear).unwrap().0)
            .collect();
        assert_eq!(order, [1, 3, 0, 2]);
        assert_eq!(Allocation::LeastWorn.take(&mut free, wear), None);
    }

    #[test]
    fn what_is_too_far_behind_is_moved() {
        let candidates = || {
            (0..4).map(|n| Candidate {
                superblock: SuperblockId(n),
                valid_slots: 0,
                age: u64::from(n),
            })
        };
        let of = |spread_erases| StaticLevelling {
            spread_erases,
            every_collections: 1,
        };
        assert_eq!(of(6).choose(candidates(), wear, 9), Some(SuperblockId(3)));
        assert_eq!(of(7).choose(candidates(), wear, 9), None);
    }
}
