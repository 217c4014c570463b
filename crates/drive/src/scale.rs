//! By how much a drive is made smaller in proportion, so that its whole life can be simulated in a minute.
//!
//! What write amplification and wear follow from stays: the dies and planes of a stripe, the ratio of
//! spare area, the policies, the spread of block lives over their mean. Divided are the blocks of a
//! die and the pages of a block, and with them everything that is a part of the capacity; and the cycles
//! of a block, and with them what is a number of cycles.

/// By how much a drive is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scale {
    /// The share of the blocks of a die.
    pub blocks: u32,
    /// The share of the pages of a block, and of the time that erasing it takes.
    pub pages: u32,
    /// The share of the P/E cycles of a block.
    pub cycles: u32,
}

impl Scale {
    /// The drive as it is.
    pub const FULL: Scale = Scale {
        blocks: 1,
        pages: 1,
        cycles: 1,
    };

    /// Host bytes of the full drive for each of the scaled one, as far as wear goes.
    #[must_use]
    pub fn bytes(&self) -> f64 {
        f64::from(self.blocks) * f64::from(self.pages) * f64::from(self.cycles)
    }
}

/// Sizes that decide how long a drive's life takes to simulate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Superblocks of a group of dies.
    pub superblocks: u32,
    /// Slots of a superblock.
    pub superblock_slots: u32,
    /// Pages of a block.
    pub pages_per_block: u32,
    /// Pages of the array.
    pub pages: u64,
    /// Cycles that half of the blocks survive; `None` when they last for ever.
    pub median_cycles: Option<u32>,
    /// True if merges copy whole superblocks, so that their size decides what a write costs.
    pub is_block_mapped: bool,
}
