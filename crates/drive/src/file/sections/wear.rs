//! `[wear]`: wear levelling. What it may say depends on the mapping.

use crate::file::section::{section, together};
use ftlab_ftl::page::{Allocation, StaticLevelling, WearLevelling};
use ftlab_sheet::quantity::{Count, CountOrNone, Quantity};

section! {
    "wear" of "page"
    /// Wear levelling of page mapping. Static levelling takes both `spread` and `every_collections`. What wears
    /// between two moves comes on top: at any interval the most worn superblock is ahead by no more than `spread`
    /// and a few times `every_collections`, however much is written.
    struct PageWear {
        /// Which free superblock is opened next: `oldest-free`, which it is if left out, or `least-worn` (dynamic
        /// levelling). With `oldest-free` a superblock that is too far ahead stays free until data are moved that
        /// then lie on it.
        allocation: Option<String>,
        /// Erases by which the most worn superblock of a group of dies may be ahead of the least worn full one
        /// before the data of that are moved; no static levelling if left out.
        spread: Option<Quantity<Count>>,
        /// Collections between two such moves, at least.
        every_collections: Option<Quantity<Count>>,
    }
}

section! {
    "wear" of "block"
    /// Static wear levelling of block mapping.
    struct BlockWear {
        /// Merges between two passes; 0 for never.
        every_merges: Quantity<CountOrNone>,
        /// Logical superblocks moved in a pass.
        blocks: Quantity<CountOrNone>,
    }
}

impl PageWear {
    pub(in crate::file) fn levelling(&self) -> Result<WearLevelling, String> {
        let allocation = match self.allocation.as_deref() {
            None => Allocation::default(),
            Some(name) => Allocation::named(name).ok_or_else(|| {
                let known = Allocation::NAMES.join(", ");
                format!("wear.allocation `{name}` is none of: {known}")
            })?,
        };
        let keys = ["wear.spread", "wear.every_collections"];
        let given = together(keys, self.spread, self.every_collections)?;
        Ok(WearLevelling {
            allocation,
            levelling: given.map(|(spread, every)| StaticLevelling {
                spread_erases: spread.get(),
                every_collections: every.get(),
            }),
        })
    }
}

impl BlockWear {
    /// Merges between two passes of static levelling, and superblocks moved in one.
    pub(in crate::file) fn levelling(&self) -> (u32, u32) {
        (self.every_merges.get(), self.blocks.get())
    }
}
