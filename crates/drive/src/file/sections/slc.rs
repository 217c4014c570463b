//! `[slc]`: a cache of blocks that hold one bit a cell, in front of cells that hold more.

use crate::file::section::{section, words};
use ftlab_base::{Layout, Nanos};
use ftlab_ftl::page::{SlcConfig, WhenFull};
use ftlab_sheet::quantity::{Bytes, Count, Duration, Quantity, Share, Time};

words! {
    /// Destinations of the host's data when the cache is full.
    enum Full {
        /// They go to cells with all their bits.
        Direct = "direct",
        /// They go there, and the cache is folded in step with them.
        Beside = "beside",
        /// They wait until the oldest data of the cache are folded, and go to the cache.
        Fold = "fold",
    }
}

words! {
    /// Destinations of the host's data when no block is free.
    enum Out {
        /// They go to cells with all their bits, in step with what is folded for them.
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
        /// What it takes beside that at most while there are free blocks, at `bits` times its size. If left out where
        /// `free_share` is given, only that counts.
        more_size: Option<Quantity<Bytes>>,
        /// The share of the blocks that hold nothing outside the cache which it takes at most beside its own; the rest remain
        /// free. All if left out.
        free_share: Option<Quantity<Share>>,
        /// The share of the drive's capacity that lies outside the cache at which `more_size` is gone; it falls in proportion up to
        /// there. If left out, it only ends where blocks do.
        gone_at: Option<Quantity<Share>>,
        /// What the host's data do when the cache is full: `direct`, to cells with all their bits, `beside`, as direct while the
        /// cache is folded in step, so that as much stays free, or `fold`, to the cache behind what is folded for them.
        when_full: Full,
        /// What they do when no block is free: `direct`, or `fold`. As direct if left out.
        when_out: Option<Out>,
        /// Memory for data that the host waits for to be folded, from their read to the end of their program: all bits of a
        /// word line are there while they are programmed. If left out, as much as is folded.
        fold_memory: Option<Quantity<Bytes>>,
        /// How long the host must pause before the cache is folded; if left out, it is folded where room runs out.
        fold_after: Option<Quantity<Time>>,
        /// Reading a page of a block that holds one bit a cell.
        t_read: Quantity<Duration>,
        /// Programming such a page.
        t_program: Quantity<Duration>,
    }
}

impl SlcKeys {
    /// Bytes of a superblock of each group of dies as SLC.
    fn superblock_bytes(&self, layout: &Layout) -> f64 {
        let pages = layout.geometry.pages_per_block;
        let as_slc = f64::from(pages / self.bits.get().max(1)) / f64::from(pages);
        let slots = f64::from(layout.slots_per_superblock) * as_slc;
        slots * f64::from(layout.geometry.slot_bytes) * f64::from(layout.groups)
    }

    /// Superblocks of each group of dies that hold a size as SLC.
    fn superblocks(&self, size: Option<&Quantity<Bytes>>, layout: &Layout) -> u32 {
        let bytes = self.superblock_bytes(layout);
        size.map_or(0, |size| (size.get() as f64 / bytes).round() as u32)
    }

    /// Bytes that the cache of an empty drive takes.
    pub(in crate::file) fn bytes(&self, layout: &Layout) -> u64 {
        let own = self.superblocks(self.own_size.as_ref(), layout);
        let free = f64::from(layout.superblocks_per_group.saturating_sub(own));
        let of_free = self.share(self.free_share.as_ref()).unwrap_or(1.0) * free;
        let more = f64::from(self.more(layout)).min(of_free);
        ((f64::from(own) + more) * self.superblock_bytes(layout)) as u64
    }

    /// Superblocks of each group of dies that the cache takes at most beside its own.
    fn more(&self, layout: &Layout) -> u32 {
        match (&self.more_size, &self.free_share) {
            (None, Some(_)) => layout.superblocks_per_group,
            (size, _) => self.superblocks(size.as_ref(), layout),
        }
    }

    fn share(&self, share: Option<&Quantity<Share>>) -> Option<f64> {
        share.map(|share| share.base)
    }

    /// Slots of data being folded that memory holds. Pages are programmed one by one here, but all of a word line are in memory until
    /// the last one is done.
    fn fold_slots(&self, layout: &Layout) -> Result<Option<u32>, String> {
        let Some(memory) = &self.fold_memory else {
            return Ok(None);
        };
        let bits = self.bits.get().max(1);
        let slots = memory.get() / u64::from(bits) / u64::from(layout.geometry.slot_bytes);
        let unit = layout.slots_per_unit();
        let units = u32::try_from(slots).unwrap_or(u32::MAX) / unit;
        if units == 0 {
            let least = u64::from(unit * bits) * u64::from(layout.geometry.slot_bytes);
            return Err(format!(
                "slc.fold_memory: {} bytes hold no word line of all planes of a die with {bits} bits a cell; give {least} B or more",
                memory.get()
            ));
        }
        Ok(Some(units * unit))
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
        let gone_at = self.share(self.gone_at.as_ref());
        if gone_at == Some(0.0) {
            return Err(
                "slc.gone_at: at 0 there is never anything beside slc.own_size: leave slc.more_size out".to_owned(),
            );
        }
        of("more_size", self.more_size.as_ref())?;
        Ok(SlcConfig {
            bits: self.bits.get(),
            own_superblocks: of("own_size", self.own_size.as_ref())?,
            more_superblocks: self.more(layout),
            free_share: self.share(self.free_share.as_ref()).unwrap_or(1.0),
            gone_at,
            when_full: match self.when_full {
                Full::Direct => WhenFull::Direct,
                Full::Beside => WhenFull::Beside,
                Full::Fold => WhenFull::Fold,
            },
            folds_when_out: matches!(self.when_out, Some(Out::Fold)),
            fold_slots: self.fold_slots(layout)?,
            folds_in_pauses: self.fold_after.is_some(),
        })
    }

    /// Bits that a cell holds outside the cache.
    pub(in crate::file) fn bits(&self) -> u32 {
        self.bits.get()
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
