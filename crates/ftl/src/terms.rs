//! The words in which a layer and who asks it speak of writes and of what is left.

use ftlab_base::BlockId;
use ftlab_nand::Array;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The part of its slot that a write gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Extent {
    /// All sectors of the slot.
    Whole,
    /// Some sectors; the others must be kept, so a mapped slot is read first.
    Part,
}

/// Reason for which a layer takes no more writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error, Serialize, Deserialize)]
pub enum Refusal {
    /// Collection goes on and frees nothing.
    #[error(
        "garbage collection makes no progress: {collected} superblocks were collected in a row \
         without freeing a slot; choose another victim policy, or leave more spare area"
    )]
    NoProgress {
        /// Superblocks collected in vain.
        collected: u32,
    },
    /// Bad blocks have left too few to hold the user's data and what collection needs.
    #[error(
        "the flash is worn out: {bad} of {blocks} blocks are bad and no spare is left to replace more; \
         the drive is read-only from here on, and what it holds can be read"
    )]
    WornOut {
        /// Number of bad blocks.
        bad: u32,
        /// Blocks of the array.
        blocks: u32,
    },
}

impl Refusal {
    /// Makes the refusal of an array whose spare area is used up, with a count of its bad blocks.
    pub(crate) fn worn_out(array: &Array) -> Refusal {
        let blocks = array.geometry().blocks();
        let bad = (0..blocks).filter(|&b| array.is_bad(BlockId(b))).count() as u32;
        Refusal::WornOut { bad, blocks }
    }

    /// Returns true if nothing that the host does can end it.
    #[must_use]
    pub fn is_final(&self) -> bool {
        matches!(self, Refusal::WornOut { .. })
    }
}

/// Superblocks that may still be lost to bad blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spare {
    /// Superblocks to spare when the drive was made, factory bad blocks replaced.
    pub at_first: u32,
    /// Superblocks left to spare, in the group of dies with the fewest.
    pub left: u32,
}
