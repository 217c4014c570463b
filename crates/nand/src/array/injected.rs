//! Faults that somebody asked for: a block that has worn out before its time, a page beyond what ECC
//! corrects, a die that is dead.
//!
//! They belong to physical blocks, by their own numbers, as wear does, and show where wear would: in
//! the next erase, program or read.

use super::faults::Faults;
use super::{Array, WATCHED};
use crate::{Reliability, StateError};
use ftlab_base::{BlockId, DieId, Geometry, PagePlace};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ops::Range;
use thiserror::Error;

/// Reason why a fault cannot be injected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum InjectionRefused {
    /// There is no flash.
    #[error("the drive has no flash")]
    NoFlash,
    /// There is no such block.
    #[error("there is no {block}; the drive has blocks 0 to {}", blocks - 1)]
    NoBlock {
        /// Block that was named.
        block: BlockId,
        /// Number of blocks of the array.
        blocks: u32,
    },
    /// There is no such die.
    #[error("there is no {die}; the drive has dies 0 to {}", dies - 1)]
    NoDie {
        /// Die that was named.
        die: DieId,
        /// Number of dies of the array.
        dies: u32,
    },
    /// The block is out of use already.
    #[error("{0} is bad already, and holds nothing that is used")]
    BadAlready(BlockId),
    /// The drive keeps no parity.
    #[error("the drive keeps no parity (raise.parity), so what {0} held is lost")]
    NoParity(DieId),
    /// A die failed before, and parity is for one.
    #[error(
        "{second} goes on: {failed} failed before, parity makes good one die, and the loss of a second \
         is not modelled"
    )]
    SecondDie {
        /// The first die that failed.
        failed: DieId,
        /// Die that would fail besides.
        second: DieId,
    },
    /// Nothing is stored there.
    #[error("no page of flash holds anything of that: write and flush it first")]
    NothingStored,
}

/// Faults injected by command, by the numbers of physical blocks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Injected {
    /// Blocks that are in their last cycle.
    worn_out: BTreeSet<u32>,
    /// True if all blocks are in their last cycle.
    all_worn_out: bool,
    /// Pages that cannot be corrected until they are erased: block and page.
    spoiled: BTreeSet<(u32, u32)>,
    /// Blocks that can be neither read, programmed nor erased: those of dead dies.
    dead: Vec<Range<u32>>,
    /// Blocks in whose place one of the controller's reserve stands, of which nothing fails.
    reserve: BTreeSet<u32>,
}

impl Injected {
    #[inline]
    pub fn is_dead(&self, home: u32) -> bool {
        self.dead.iter().any(|blocks| blocks.contains(&home)) && !self.is_of_reserve(home)
    }

    /// Returns true if a block of the controller's reserve stands in the place of a block.
    pub fn is_of_reserve(&self, home: u32) -> bool {
        self.reserve.contains(&home)
    }

    /// A block of the controller's reserve stands in the place of one from now on.
    pub fn replace_from_reserve(&mut self, home: u32) {
        self.reserve.insert(home);
        self.erased(home);
    }

    pub fn wears_out(&self, home: u32) -> bool {
        self.all_worn_out || self.worn_out.contains(&home) || self.is_dead(home)
    }

    /// Returns true if some page cannot be read.
    pub fn spoils_any(&self) -> bool {
        !self.dead.is_empty() || !self.spoiled.is_empty()
    }

    /// Returns true if a page cannot be read.
    pub fn spoils(&self, home: u32, page: u32) -> bool {
        self.spoils_any() && (self.is_dead(home) || self.spoiled.contains(&(home, page)))
    }

    /// Records the erase of a block, which makes its spoiled pages whole.
    pub fn erased(&mut self, home: u32) {
        if !self.spoiled.is_empty() {
            self.spoiled.retain(|(block, _)| *block != home);
        }
    }

    /// Checks that all of it is there to fail.
    ///
    /// # Errors
    /// When a fault is of a block that the array does not have.
    pub fn check(&self, geometry: &Geometry) -> Result<(), StateError> {
        let blocks = geometry.blocks();
        let worn_out = self.worn_out.iter().copied();
        let spoiled = self.spoiled.iter().map(|(block, _)| *block);
        let dead = self.dead.iter().map(|blocks| blocks.end.saturating_sub(1));
        let reserve = self.reserve.iter().copied();
        let most = worn_out.chain(spoiled).chain(dead).chain(reserve).max();
        StateError::unless(most.is_none_or(|block| block < blocks), || {
            format!("a fault of block {}, of {blocks}", most.unwrap_or_default())
        })
    }
}

impl Array {
    /// Returns the faults by command. If nothing could fail so far, nothing but them fails from now on either.
    fn injected(&mut self) -> &mut Injected {
        let geometry = &self.geometry;
        let faults = self
            .faults
            .get_or_insert_with(|| Box::new(Faults::new(Reliability::NOTHING, geometry)));
        faults.forget_calm();
        &mut faults.injected
    }

    /// The number of the physical block at an address.
    fn home(&self, block: BlockId) -> u32 {
        self.faults
            .as_ref()
            .map_or(block.0, |faults| faults.cells[block.index()].home)
    }

    /// Has a block wear out: its present cycle is its last.
    ///
    /// # Errors
    /// When there is no such block, or it is bad.
    pub fn wear_out(&mut self, block: BlockId) -> Result<(), InjectionRefused> {
        let blocks = self.geometry.blocks();
        if block.0 >= blocks {
            return Err(InjectionRefused::NoBlock { block, blocks });
        }
        let home = self.home(block);
        if self.is_bad(block) {
            return Err(InjectionRefused::BadAlready(block));
        }
        self.injected().worn_out.insert(home);
        self.programmed[block.index()] |= WATCHED;
        Ok(())
    }

    /// Has all blocks wear out.
    pub fn wear_out_all(&mut self) {
        self.injected().all_worn_out = true;
        self.programmed.iter_mut().for_each(|p| *p |= WATCHED);
    }

    /// Has more bits of some pages flip than ECC corrects. What their blocks hold next is not concerned.
    ///
    /// # Errors
    /// When a page is not programmed; none is spoiled then.
    pub fn spoil(&mut self, places: &[PagePlace]) -> Result<(), InjectionRefused> {
        let pages: Vec<(u32, u32)> = (places.iter())
            .map(|place| (self.home(place.block), place.page))
            .collect();
        let mut stored = places.iter();
        if !stored.all(|place| place.page < self.programmed_pages(place.block)) {
            return Err(InjectionRefused::NothingStored);
        }
        self.injected().spoiled.extend(pages);
        Ok(())
    }

    /// The first of the dead dies, if there is one.
    #[must_use]
    pub fn dead_die(&self) -> Option<DieId> {
        let dead = self.faults.as_ref()?.injected.dead.first()?;
        Some(DieId((dead.start / self.geometry.blocks_per_die) as u16))
    }

    /// Has a die die: nothing of it can be read, programmed or erased any more.
    ///
    /// # Errors
    /// When there is no such die.
    pub fn kill(&mut self, die: DieId) -> Result<(), InjectionRefused> {
        let dies = self.geometry.dies();
        if u32::from(die.0) >= dies {
            return Err(InjectionRefused::NoDie { die, dies });
        }
        let per_die = self.geometry.blocks_per_die;
        let first = u32::from(die.0) * per_die;
        let injected = self.injected();
        let blocks = first..first + per_die;
        if !injected.dead.contains(&blocks) {
            injected.dead.push(blocks.clone());
        }
        for block in blocks {
            self.programmed[block as usize] |= WATCHED;
        }
        Ok(())
    }
}
