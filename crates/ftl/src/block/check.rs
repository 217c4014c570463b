//! What must hold between two calls.

use super::BlockLayer;
use super::pool::Use;
use ftlab_base::{BlockId, Lpn, SuperblockId};

impl BlockLayer {
    /// Every superblock is in exactly one place, and that place agrees with its state.
    pub(super) fn check_superblocks(&self) {
        let mut seen = vec![Use::Retired; self.pool.uses().len()];
        let mut note = |superblock: SuperblockId, new: Use| {
            let old = std::mem::replace(&mut seen[superblock.index()], new);
            assert_eq!(old, Use::Retired, "{superblock} is also {new:?}");
        };
        for group in 0..self.layout.groups {
            for &superblock in self.pool.free(group) {
                assert_eq!(self.layout.group_of(superblock), group, "{superblock}");
                note(superblock, Use::Free);
            }
        }
        for (n, superblock) in self.data.iter().enumerate() {
            let Some(superblock) = *superblock else {
                continue;
            };
            let Use::Data(block) = self.pool.uses()[superblock.index()] else {
                panic!("{superblock} holds data and does not know");
            };
            assert_eq!(self.space.index(block), n, "{superblock} holds other data");
            note(superblock, Use::Data(block));
        }
        for (block, log) in self.logs.iter() {
            note(log.superblock, Use::Log(block));
        }
        assert_eq!(seen, self.pool.uses(), "states and places differ");
    }

    /// Free superblocks are erased; a log is programmed exactly as far as it is filled.
    pub(super) fn check_programmed(&self) {
        for group in 0..self.layout.groups {
            for &superblock in self.pool.free(group) {
                assert_eq!(self.programmed(superblock), 0, "{superblock} is free");
            }
        }
        for (_, log) in self.logs.iter() {
            let programmed = self.programmed(log.superblock);
            assert_eq!(programmed, log.fill, "log on {}", log.superblock);
        }
    }

    /// Every valid slot lies on a programmed page of its own.
    pub(super) fn check_slots(&self) {
        let mut taken = vec![false; self.layout.slots() as usize];
        for lpn in (0..self.space.slots).map(Lpn) {
            let (block, offset) = self.space.locate(lpn);
            let slot = self.slot_of(block, offset);
            let valid = self.is_valid(block, offset);
            assert_eq!(slot.is_some(), valid, "{lpn} is valid or not");
            let Some(slot) = slot else { continue };
            let (superblock, n) = self.layout.locate(slot);
            let place = self.layout.page(superblock, n);
            assert!(
                place.page < self.array.programmed_pages(place.block),
                "{lpn} lies on {place:?}, which is erased"
            );
            assert!(
                !std::mem::replace(&mut taken[slot.index()], true),
                "{lpn} shares {slot}"
            );
        }
    }

    /// Pages of a superblock that are programmed.
    fn programmed(&self, superblock: SuperblockId) -> u32 {
        let planes = self.layout.geometry.planes_per_die;
        let firsts = self.layout.blocks(superblock);
        let blocks = firsts.flat_map(|(_, first)| (first.0..first.0 + planes).map(BlockId));
        blocks.map(|b| self.array.programmed_pages(b)).sum()
    }
}
