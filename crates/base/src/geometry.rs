//! The shape of a NAND array, and the only place that converts between its addresses.
//!
//! Numbering: blocks die by die (`block = die × blocks_per_die + n`), pages block by block
//! (`page = block × pages_per_block + n`). Dies are numbered channel first (`die % channels` is
//! its channel), so neighbouring dies sit on different channels; the planes of a die take its
//! blocks in turn (`n % planes`), so blocks that work together have neighbouring numbers.

use crate::ConfigError;
use crate::ids::{BlockId, DieId, PageId};

/// The shape of a NAND array. All fields are counts except the sizes, which are bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Geometry {
    /// Buses that work independently of each other.
    pub channels: u32,
    /// Dies of the array, dealt out over the channels: some may have one more than others.
    pub dies: u32,
    /// Planes of a die: blocks that can be programmed or erased together.
    pub planes_per_die: u32,
    /// Blocks of a die, over all planes.
    pub blocks_per_die: u32,
    /// Pages of a block.
    pub pages_per_block: u32,
    /// Bytes of user data in a page.
    pub page_bytes: u32,
    /// Bytes of a mapping slot: a page's divisor or its multiple.
    pub slot_bytes: u32,
}

/// The most planes of a die: more than any NAND has.
const MOST_PLANES: u32 = 16;
/// The largest page: more than any NAND has.
const MOST_PAGE_BYTES: u32 = 64 << 10;

impl Geometry {
    /// Checks that the counts are positive, the sizes divide and every page has a 32-bit number.
    ///
    /// # Errors
    /// Says which count or size is wrong and what it may be.
    pub fn check(&self) -> Result<(), ConfigError> {
        let fail = |why: String| Err(ConfigError(why));
        for (name, value) in [
            ("channels", self.channels),
            ("dies", self.dies),
            ("planes_per_die", self.planes_per_die),
            ("blocks_per_die", self.blocks_per_die),
            ("pages_per_block", self.pages_per_block),
        ] {
            if value == 0 {
                return fail(format!("{name} is 0; it must be at least 1"));
            }
        }
        for (name, bytes) in [("page", self.page_bytes), ("slot", self.slot_bytes)] {
            if bytes < 512 || !bytes.is_power_of_two() {
                return fail(format!(
                    "a {name} of {bytes} bytes; it must be a power of two of at least 512"
                ));
            }
        }
        if self.dies > u32::from(u16::MAX) {
            return fail("more than 65535 dies".into());
        }
        if self.dies < self.channels {
            return fail(format!(
                "{} dies leave some of {} channels without one",
                self.dies, self.channels
            ));
        }
        if !self.blocks_per_die.is_multiple_of(self.planes_per_die) {
            return fail(format!(
                "{} blocks a die do not divide over {} planes",
                self.blocks_per_die, self.planes_per_die
            ));
        }
        if self.planes_per_die > MOST_PLANES || self.page_bytes > MOST_PAGE_BYTES {
            return fail(format!(
                "{} planes of pages of {} bytes; at most {MOST_PLANES} and {MOST_PAGE_BYTES}",
                self.planes_per_die, self.page_bytes
            ));
        }
        let pages = u128::from(self.dies)
            * u128::from(self.blocks_per_die)
            * u128::from(self.pages_per_block);
        let slots = pages * u128::from(self.page_bytes) / u128::from(self.slot_bytes);
        // The highest 32-bit numbers are sentinels of the mapping tables, and searches of bitmaps
        // look one word of 64 bits ahead.
        if pages.max(slots) >= u128::from(u32::MAX) - 128 {
            return fail(format!(
                "{pages} pages; at most 2^32 − 129 can be addressed"
            ));
        }
        Ok(())
    }

    /// Dies of the array.
    #[must_use]
    pub const fn dies(&self) -> u32 {
        self.dies
    }

    /// Blocks of the array.
    #[must_use]
    pub const fn blocks(&self) -> u32 {
        self.dies() * self.blocks_per_die
    }

    /// Pages of the array.
    #[must_use]
    pub const fn pages(&self) -> u32 {
        self.blocks() * self.pages_per_block
    }

    /// Bytes of user data the array can hold.
    #[must_use]
    pub const fn raw_bytes(&self) -> u64 {
        self.pages() as u64 * self.page_bytes as u64
    }

    /// Slots in a page; zero when a slot spans several pages.
    #[must_use]
    pub const fn slots_per_page(&self) -> u32 {
        self.page_bytes / self.slot_bytes
    }

    /// Pages that one slot touches, at least one.
    #[must_use]
    pub const fn pages_per_slot(&self) -> u32 {
        if self.slot_bytes > self.page_bytes {
            self.slot_bytes / self.page_bytes
        } else {
            1
        }
    }

    /// The channel of a die.
    #[must_use]
    pub const fn channel_of_die(&self, die: DieId) -> u32 {
        die.0 as u32 % self.channels
    }

    /// Page `n` of a block.
    #[must_use]
    pub const fn page(&self, block: BlockId, n: u32) -> PageId {
        PageId(block.0 * self.pages_per_block + n)
    }

    /// Block `n` of a die.
    #[must_use]
    pub const fn block(&self, die: DieId, n: u32) -> BlockId {
        BlockId(die.0 as u32 * self.blocks_per_die + n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn eight_gib() -> Geometry {
        Geometry {
            channels: 8,
            dies: 16,
            planes_per_die: 1,
            blocks_per_die: 512,
            pages_per_block: 256,
            page_bytes: 4096,
            slot_bytes: 4096,
        }
    }

    #[test]
    fn counts_multiply() {
        let g = eight_gib();
        assert_eq!(g.check(), Ok(()));
        assert_eq!(g.raw_bytes(), 8 << 30);
        assert_eq!((g.dies(), g.blocks(), g.pages()), (16, 8192, 1 << 21));
    }

    #[test]
    fn blocks_are_numbered_die_by_die_and_pages_block_by_block() {
        let g = eight_gib();
        let block = g.block(DieId(9), 511);
        assert_eq!(block, BlockId(9 * 512 + 511));
        assert_eq!(g.channel_of_die(DieId(9)), 1);
        assert_eq!(g.page(block, 255), PageId(block.0 * 256 + 255));
    }

    #[test]
    fn channels_may_have_a_die_more_than_others() {
        let g = Geometry {
            channels: 10,
            ..eight_gib()
        };
        assert_eq!(g.check(), Ok(()));
        let on = |channel| (0..16).filter(move |&die| g.channel_of_die(DieId(die)) == channel);
        let dies: Vec<usize> = (0..10).map(|channel| on(channel).count()).collect();
        assert_eq!(dies, [2, 2, 2, 2, 2, 2, 1, 1, 1, 1]);
    }

    #[test]
    fn impossible_shapes_are_named() {
        let why = |change: fn(&mut Geometry)| {
            let mut g = eight_gib();
            change(&mut g);
            g.check().unwrap_err().0
        };
        assert!(why(|g| g.channels = 0).contains("channels is 0"));
        assert!(why(|g| g.dies = 7).contains("without one"));
        assert!(why(|g| g.page_bytes = 3000).contains("power of two"));
        assert!(why(|g| g.planes_per_die = 3).contains("planes"));
        assert!(why(|g| g.blocks_per_die = 1 << 21).contains("pages"));
    }
}
