//! Invariants that hold between two calls, and in a layer taken over from a saved state.

use super::BlockLayer;
use super::config::MERGE_RESERVE;
use super::pool::Use;
use crate::donors::wear_of_all;
use ftlab_base::{BlockId, Lpn, SuperblockId};
use ftlab_nand::StateError;

type Checked = Result<(), StateError>;

impl BlockLayer {
    /// Everything that must hold; O(slots).
    pub(super) fn check(&self) -> Checked {
        self.check_superblocks()?;
        self.check_wear()?;
        self.check_reserve()?;
        self.check_programmed()?;
        self.check_contents()?;
        self.check_slots()
    }

    /// Every superblock is in exactly one place, and that place agrees with its state.
    fn check_superblocks(&self) -> Checked {
        let mut seen = vec![Use::Retired; self.pool.uses().len()];
        let mut note = |superblock: SuperblockId, group: u32, new: Use| {
            let own = self.layout.group_of(superblock) == group;
            StateError::unless(own, || format!("{superblock} serves group {group}"))?;
            let old = std::mem::replace(&mut seen[superblock.index()], new);
            StateError::unless(old == Use::Retired, || {
                format!("{superblock} is {old:?} and {new:?} at once")
            })
        };
        for group in 0..self.layout.groups {
            for &superblock in self.pool.free(group) {
                note(superblock, group, Use::Free)?;
            }
        }
        for (n, superblock) in self.data.iter().enumerate() {
            let Some(superblock) = *superblock else {
                continue;
            };
            let block = self.space.block(n);
            note(superblock, block.group, Use::Data(block))?;
        }
        for (block, log) in self.logs.iter() {
            note(log.superblock, block.group, Use::Log(block))?;
        }
        StateError::unless(seen == self.pool.uses(), || {
            "what superblocks are used for is not where they are".into()
        })
    }

    /// Erases are counted where superblocks are handed out, and bad ones are in no use that they are not fit for.
    fn check_wear(&self) -> Checked {
        let worn = wear_of_all(&self.layout, &self.array);
        for ((s, place), worn) in (0..).map(SuperblockId).zip(self.pool.uses()).zip(worn) {
            let (kept, is_bad) = (self.pool.wear(s), self.pool.is_bad(s, &self.array));
            let is_retired = *place == Use::Retired;
            StateError::unless(kept == worn || is_retired, || {
                format!("{s} was erased {worn} times, and {kept} are kept")
            })?;
            StateError::unless(is_bad || !is_retired, || {
                format!("{s} is good and in no use, not even free")
            })?;
            // Unless blocks fail in use, bad ones are passed over when a free one is taken.
            let in_use = matches!(place, Use::Data(_) | Use::Log(_));
            StateError::unless(!in_use || self.array.can_fail() || !is_bad, || {
                format!("{s} is bad and in use: {place:?}")
            })?;
        }
        Ok(())
    }

    /// Each group has the good superblocks that data, logs and merges need, or the layer takes no writes.
    fn check_reserve(&self) -> Checked {
        // A superblock is retired when its turn comes, so those still in the queue count as well.
        let needed = self.space.zones + self.logs.open_max() + MERGE_RESERVE;
        for group in 0..self.layout.groups {
            let of_group = |&s: &u32| self.layout.group_of(SuperblockId(s)) == group;
            let good = (0..self.layout.superblocks()).filter(of_group);
            // One that failed in use is retired when it is erased, if it cannot be made whole then.
            let is_good = |&s: &u32| match self.array.can_fail() {
                true => self.pool.uses()[s as usize] != Use::Retired,
                false => !self.pool.is_bad(SuperblockId(s), &self.array),
            };
            let good = good.filter(is_good);
            let good = good.count() as u32;
            StateError::unless(good >= needed || self.refusal.is_some(), || {
                format!("group {group} has {good} good superblocks and needs {needed}")
            })?;
        }
        Ok(())
    }

    /// Free superblocks are erased unless bad; a log is programmed exactly as far as it is filled.
    fn check_programmed(&self) -> Checked {
        for group in 0..self.layout.groups {
            for &superblock in self.pool.free(group) {
                let programmed = self.programmed(superblock);
                let fits = programmed == 0 || self.pool.is_bad(superblock, &self.array);
                StateError::unless(fits, || {
                    format!("{superblock} is free and has {programmed} pages programmed")
                })?;
            }
        }
        for (_, log) in self.logs.iter() {
            let (superblock, fill) = (log.superblock, log.fill);
            if self.pool.is_bad(superblock, &self.array) {
                // Pages were passed over, or a merge was given up.
                continue;
            }
            let in_order = (0..self.layout.pages_per_superblock).all(|n| {
                let place = self.layout.page(superblock, n);
                (place.page < self.array.programmed_pages(place.block)) == (n < fill)
            });
            StateError::unless(in_order, || {
                format!("the log on {superblock} of {fill} pages is not programmed like that")
            })?;
        }
        Ok(())
    }

    /// Checks that a logical block has a superblock exactly if it has valid slots.
    fn check_contents(&self) -> Checked {
        let blocks = (0..self.space.blocks()).map(|n| self.space.block(n));
        for block in blocks {
            let n = self.space.index(block);
            let held = self.data[n].is_some() || self.logs.get(block).is_some();
            StateError::unless(held == self.validity.last(n).is_some(), || {
                format!("{block:?} has superblocks or valid slots, but not both")
            })?;
        }
        Ok(())
    }

    /// Every valid slot lies on a programmed page of its own, and only slots of the host are valid.
    fn check_slots(&self) -> Checked {
        let mut taken = vec![false; self.layout.slots() as usize];
        let mut valid = 0;
        for lpn in (0..self.space.slots).map(Lpn) {
            let (block, offset) = self.space.locate(lpn);
            if !self.is_valid(block, offset) {
                continue;
            }
            valid += 1;
            let in_log = self.logs.find(block, offset);
            let in_data = self.data[self.space.index(block)].map(|data| (data, offset));
            let Some((superblock, n)) = in_log.or(in_data) else {
                return Err(StateError(format!("{lpn} is valid and lies nowhere")));
            };
            let place = self.layout.page(superblock, n);
            let programmed = self.array.programmed_pages(place.block);
            StateError::unless(place.page < programmed, || {
                format!("{lpn} lies on {place:?}, which is erased")
            })?;
            let slot = self.layout.slot(superblock, n);
            let shared = std::mem::replace(&mut taken[slot.index()], true);
            StateError::unless(!shared, || format!("{lpn} shares {slot}"))?;
        }
        let marked = self.validity.count();
        StateError::unless(marked == valid, || {
            format!("{marked} slots are marked valid, and {valid} are the host's")
        })
    }

    /// Pages of a superblock that are programmed.
    fn programmed(&self, superblock: SuperblockId) -> u32 {
        let planes = self.layout.geometry.planes_per_die;
        let firsts = self.layout.blocks(superblock);
        let blocks = firsts.flat_map(|(_, first)| (first.0..first.0 + planes).map(BlockId));
        blocks.map(|b| self.array.programmed_pages(b)).sum()
    }
}
