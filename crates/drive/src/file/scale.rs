//! A drive made smaller in proportion, so that its whole life can be simulated in a minute.
//!
//! What write amplification and wear follow from stays: the dies and planes of a stripe, the ratio of
//! spare area, the policies, the spread of block lives over their mean. Divided are the blocks of a
//! die and the pages of a block, and with them everything that is a part of the capacity; and the cycles
//! of a block, and with them what is a number of cycles.

use super::{Body, DriveFile, settings};
use ftlab_base::SECTOR_BYTES;
use ftlab_sheet::SheetError;

/// By how much a drive is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scale {
    /// The share of the blocks of a die.
    pub blocks: u32,
    /// The share of the pages of a block.
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

/// What decides how long a drive's life takes to simulate.
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
    /// Whether merges copy whole superblocks, so that their size decides what a write costs.
    pub is_block_mapped: bool,
}

impl DriveFile {
    /// What decides how long the drive's life takes to simulate.
    ///
    /// # Errors
    /// When it has no flash.
    pub fn extent(&self) -> Result<Extent, SheetError> {
        let Body::Ssd(ssd) = &self.body else {
            return Err(self.invalid("what has no flash does not wear out by writing".into()));
        };
        let layout = super::build::layout(ssd).map_err(|why| self.invalid(why))?;
        let geometry = layout.geometry;
        Ok(Extent {
            superblocks: layout.superblocks_per_group,
            superblock_slots: layout.slots_per_superblock,
            pages_per_block: geometry.pages_per_block,
            pages: u64::from(geometry.blocks()) * u64::from(geometry.pages_per_block),
            median_cycles: (ssd.reliability.as_ref()).map(|keys| keys.median_cycles.get()),
            is_block_mapped: ssd.gc.is_none(),
        })
    }

    /// The drive divided by `scale`.
    ///
    /// # Errors
    /// When no such drive can be.
    pub fn scaled(&self, scale: Scale) -> Result<DriveFile, SheetError> {
        if scale == Scale::FULL {
            return Ok(self.clone());
        }
        let extent = self.extent()?;
        let Body::Ssd(ssd) = &self.body else {
            unreachable!("it has an extent");
        };
        let planes = ssd.nand.planes_per_die.get();
        let blocks = extent.superblocks / scale.blocks.max(1) * planes;
        let pages = (extent.pages_per_block / scale.pages.max(1)).max(1);
        let of_size = f64::from(blocks) * f64::from(pages)
            / (f64::from(ssd.nand.blocks_per_die.get()) * f64::from(extent.pages_per_block));
        let cycles = |n: u32| (n / scale.cycles.max(1)).max(1);
        let mut changes = vec![
            format!("nand.blocks_per_die={blocks}"),
            format!("nand.pages_per_block={pages}"),
        ];
        let sized = |key: &str, bytes: u64, unit: u64| {
            let units = (bytes as f64 * of_size / unit as f64) as u64;
            format!("{key}={}B", units.max(1) * unit)
        };
        let slot = ssd.map.slot.get();
        if let Some(capacity) = &ssd.spare.user_capacity {
            changes.push(sized(
                "spare.user_capacity",
                capacity.get(),
                slot.max(SECTOR_BYTES),
            ));
        }
        if let Some(batch) = ssd.gc.as_ref().and_then(|gc| gc.batch.as_ref()) {
            let batch = batch.base / f64::from(scale.blocks.max(1));
            changes.push(format!("gc.batch={batch}"));
        }
        if let Some(ahead) = ssd.gc.as_ref().and_then(|gc| gc.ahead.as_ref()) {
            changes.push(format!("gc.ahead={}", ahead.get() / scale.blocks.max(1)));
        }
        if let Some(checkpoint) = &ssd.checkpoint {
            changes.push(sized("checkpoint.every", checkpoint.every.get(), slot));
            changes.push(sized(
                "checkpoint.size",
                checkpoint.size.get(),
                ssd.nand.page.get(),
            ));
        }
        if let Some(keys) = &ssd.reliability {
            let (rated, median) = (keys.rated_cycles.get(), keys.median_cycles.get());
            changes.push(format!("reliability.rated_cycles={}", cycles(rated)));
            changes.push(format!("reliability.median_cycles={}", cycles(median)));
        }
        if let Some(spread) = ssd.wear.as_ref().and_then(|wear| wear.spread.as_ref()) {
            let least = spread.get().min(2);
            let spread = (spread.get() / scale.cycles.max(1)).max(least);
            changes.push(format!("wear.spread={spread}"));
        }
        let (mut table, mut inherited) = (self.table.clone(), self.inherited.clone());
        for change in &changes {
            let key = settings::apply(&mut table, change).map_err(|why| self.invalid(why))?;
            inherited.set(&key);
        }
        let file = Self::interpret(&self.slug, table, inherited);
        let file = file.map_err(|why| self.invalid(why))?;
        file.check()?;
        Ok(file)
    }
}
