//! `[slc]`: a cache of blocks that hold one bit a cell, in front of cells that hold more.

use crate::file::section::{section, words};
use ftlab_base::{Layout, Nanos};
use ftlab_ftl::page::{SlcConfig, WhenFull};
use ftlab_sheet::quantity::{Bytes, Count, Duration, Quantity, Time};

words! {
    /// Destinations of the host's data when the cache is full.
    enum Full {
        /// They go to cells with all their bits.
        Direct = "direct",
        /// They wait until the oldest data of the cache are folded, and go to the cache.
        Fold = "fold",
    }
}

section! {
    "slc"
    /// A cache of blocks that hold one bit a cell. It takes what the host writes, and is *folded* later: what it
    /// holds goes to cells with all their bits. For page mapping.
    struct SlcKeys {
        /// Bits that a cell holds outside the cache: 3 for TLC, 4 for QLC. As SLC a block has one page in so many.
        bits: Quantity<Count>,
        /// What the cache takes at any time: blocks are set aside for it, this size times `bits`. Rounded to
        /// superblocks; none are if left out.
        own_size: Option<Quantity<Bytes>>,
        /// What it takes beside that while there are free blocks, at `bits` times its size.
        more_size: Option<Quantity<Bytes>>,
        /// What the host's data do when the cache is full: `direct`, to cells with all their bits, or `fold`, to the
        /// cache behind what is folded for them.
        when_full: Full,
        /// How long the host must pause before the cache is folded; if left out, it is folded where room runs out.
        fold_after: Option<Quantity<Time>>,
        /// Reading a page of a block that holds one bit a cell.
        t_read: Quantity<Duration>,
        /// Programming such a page.
        t_program: Quantity<Duration>,
    }
}

impl SlcKeys {
    /// Superblocks of each group of dies that hold a size as SLC.
    fn superblocks(&self, size: Option<&Quantity<Bytes>>, layout: &Layout) -> u32 {
        let slot = f64::from(layout.geometry.slot_bytes);
        let bits = f64::from(self.bits.get().max(1));
        let bytes = f64::from(layout.slots_per_superblock) * slot / bits * f64::from(layout.groups);
        size.map_or(0, |size| (size.get() as f64 / bytes).round() as u32)
    }

    /// Slots that are set aside, and hold no data but the cache's.
    pub(in crate::file) fn slots_aside(&self, layout: &Layout) -> u32 {
        let own = self.superblocks(self.own_size.as_ref(), layout);
        own.saturating_mul(layout.groups * layout.slots_per_superblock)
    }

    /// The cache of a layer.
    pub(in crate::file) fn config(&self, layout: &Layout) -> Result<SlcConfig, String> {
        let most = layout.superblocks_per_group;
        let of = |key: &str, size: Option<&Quantity<Bytes>>| {
            let superblocks = self.superblocks(size, layout);
            if superblocks > most {
                return Err(format!(
                    "slc.{key}: it takes {superblocks} superblocks of each group of dies, which has {most}"
                ));
            }
            Ok(superblocks)
        };
        Ok(SlcConfig {
            bits: self.bits.get(),
            own_superblocks: of("own_size", self.own_size.as_ref())?,
            more_superblocks: of("more_size", self.more_size.as_ref())?,
            when_full: match self.when_full {
                Full::Direct => WhenFull::Direct,
                Full::Fold => WhenFull::Fold,
            },
            folds_in_pauses: self.fold_after.is_some(),
        })
    }

    /// Time that the host must pause before the cache is folded.
    pub(in crate::file) fn fold_after(&self) -> Option<Nanos> {
        self.fold_after.as_ref().map(|time| time.get())
    }

    /// Reading and programming a page.
    pub(in crate::file) fn times(&self) -> (Nanos, Nanos) {
        (self.t_read.get(), self.t_program.get())
    }
}
