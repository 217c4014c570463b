//! Use of every superblock, and the queues of free ones.

use super::config::MERGE_RESERVE;
use super::space::LogicalBlock;
use crate::donors::{wear_of, wear_of_all};
use ftlab_base::{Layout, SuperblockId};
use ftlab_nand::Array;
use std::collections::VecDeque;

/// Use of a superblock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// Erased, waits in its group's queue.
    Free,
    /// Holds a logical block, every slot at its own offset.
    Data(LogicalBlock),
    /// Takes the newest slots of a logical block in the order of their arrival.
    Log(LogicalBlock),
    /// Has a bad block.
    Retired,
}

/// All superblocks. Free ones are taken in the order in which they became free, which spreads the
/// wear over whatever is overwritten at all.
#[derive(Debug, Clone)]
pub(super) struct Pool {
    layout: Layout,
    uses: Vec<Use>,
    free: Vec<VecDeque<SuperblockId>>,
    /// Erases of each superblock, as `wear_of` counts them: levelling asks for all of them at a time.
    worn: Vec<u32>,
}

impl Pool {
    pub fn new(layout: Layout, array: &Array) -> Pool {
        let per_group = layout.superblocks_per_group;
        let queue = |group| (group * per_group..(group + 1) * per_group).map(SuperblockId);
        Pool {
            layout,
            uses: vec![Use::Free; layout.superblocks() as usize],
            free: (0..layout.groups).map(|g| queue(g).collect()).collect(),
            worn: wear_of_all(&layout, array),
        }
    }

    /// Use of each superblock, in order.
    pub fn uses(&self) -> &[Use] {
        &self.uses
    }

    /// The free superblocks of a group, the next one first.
    pub fn free(&self, group: u32) -> &VecDeque<SuperblockId> {
        &self.free[group as usize]
    }

    pub fn assign(&mut self, superblock: SuperblockId, new: Use) {
        self.uses[superblock.index()] = new;
    }

    /// Puts an erased superblock at the end of its group's queue.
    pub fn release(&mut self, superblock: SuperblockId) {
        self.uses[superblock.index()] = Use::Free;
        self.free[self.layout.group_of(superblock) as usize].push_back(superblock);
    }

    /// The superblock of a group that has been free for longest, if one is left. Bad ones are retired on
    /// the way.
    ///
    /// Where wear is levelled, the most worn one stays for the next pass while more are free than a
    /// merge may need: superblocks come round at intervals, as the passes do, and it could be in use
    /// whenever one begins.
    pub fn take(&mut self, group: u32, levels: bool, array: &Array) -> Option<SuperblockId> {
        loop {
            let queue = &self.free[group as usize];
            let waits = levels && queue.len() > MERGE_RESERVE as usize && self.is_most_worn(queue);
            let superblock = self.free[group as usize].remove(usize::from(waits))?;
            if !self.is_bad(superblock, array) {
                return Some(superblock);
            }
            self.uses[superblock.index()] = Use::Retired;
        }
    }

    /// Returns true if the first of a queue is more worn than all the others.
    fn is_most_worn(&self, queue: &VecDeque<SuperblockId>) -> bool {
        let mut others = queue.iter().skip(1);
        others.all(|&other| self.wear(other) < self.wear(queue[0]))
    }

    /// Retires a free superblock.
    pub fn withdraw(&mut self, superblock: SuperblockId) {
        self.uses[superblock.index()] = Use::Retired;
        let group = self.layout.group_of(superblock) as usize;
        self.free[group].retain(|free| *free != superblock);
    }

    /// The most erased free superblock of a group, if it was erased more than `wear` times.
    pub fn take_worn(&mut self, group: u32, wear: u32, array: &Array) -> Option<SuperblockId> {
        let queue = &self.free[group as usize];
        let good = (0..queue.len()).filter(|&n| !self.is_bad(queue[n], array));
        let most = good.max_by_key(|&n| (self.wear(queue[n]), usize::MAX - n))?;
        if self.wear(queue[most]) <= wear {
            return None;
        }
        self.free[group as usize].remove(most)
    }

    /// Erases of a superblock.
    pub fn wear(&self, superblock: SuperblockId) -> u32 {
        self.worn[superblock.index()]
    }

    /// A superblock was erased, or blocks of it replaced.
    pub fn erased(&mut self, superblock: SuperblockId, array: &Array) {
        self.worn[superblock.index()] = wear_of(&self.layout, array, superblock);
    }

    /// Takes over the queues of another pool, what else is used for what, and the wear of an array;
    /// whatever is in neither is retired.
    pub fn restore(
        &mut self,
        free: Vec<Vec<SuperblockId>>,
        data: impl Iterator<Item = (SuperblockId, LogicalBlock)>,
        logs: impl Iterator<Item = (SuperblockId, LogicalBlock)>,
        array: &Array,
    ) {
        self.worn = wear_of_all(&self.layout, array);
        self.uses.fill(Use::Retired);
        for superblock in free.iter().flatten() {
            self.uses[superblock.index()] = Use::Free;
        }
        for (superblock, block) in data {
            self.uses[superblock.index()] = Use::Data(block);
        }
        for (superblock, block) in logs {
            self.uses[superblock.index()] = Use::Log(block);
        }
        self.free = free.into_iter().map(VecDeque::from).collect();
    }

    /// Returns true if a block of a superblock is bad.
    pub fn is_bad(&self, superblock: SuperblockId, array: &Array) -> bool {
        let planes = self.layout.geometry.planes_per_die;
        let mut firsts = self.layout.blocks(superblock);
        firsts.any(|(_, first)| {
            (first.0..first.0 + planes).any(|n| array.is_bad(ftlab_base::BlockId(n)))
        })
    }
}
