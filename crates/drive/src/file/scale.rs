//! A drive divided by a [`Scale`].

use super::drive_file::DriveFile;
use super::ssd::Mapping;
use crate::scale::{Extent, Scale};
use ftlab_base::SECTOR_BYTES;
use ftlab_sheet::SheetError;

impl DriveFile {
    /// What decides how long the drive's life takes to simulate.
    ///
    /// # Errors
    /// When it has no flash.
    pub fn extent(&self) -> Result<Extent, SheetError> {
        let without = || self.invalid("what has no flash does not wear out by writing".into());
        let ssd = self.ssd().ok_or_else(without)?;
        let layout = ssd.layout().map_err(|why| self.invalid(why))?;
        let geometry = layout.geometry;
        Ok(Extent {
            superblocks: layout.superblocks_per_group,
            superblock_slots: layout.slots_per_superblock,
            pages_per_block: geometry.pages_per_block,
            pages: u64::from(geometry.blocks()) * u64::from(geometry.pages_per_block),
            median_cycles: (ssd.reliability.as_ref())
                .filter(|keys| keys.erase_share.is_some())
                .map(|keys| keys.median_cycles.get()),
            is_block_mapped: matches!(ssd.mapping, Mapping::Block(_)),
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
        let ssd = self.ssd().expect("it has an extent");
        let blocks = extent.superblocks / scale.blocks.max(1) * ssd.nand.planes();
        let together = ssd.nand.pages_per_program();
        let pages = (extent.pages_per_block / scale.pages.max(1)).max(1) * together;
        let of_size = f64::from(blocks) * f64::from(pages)
            / (f64::from(ssd.nand.blocks_per_die.get())
                * f64::from(extent.pages_per_block * together));
        let cycles = |n: u32| (n / scale.cycles.max(1)).max(1);
        let mut changes = vec![
            format!("nand.blocks_per_die={blocks}"),
            format!("nand.pages_per_block={pages}"),
        ];
        let sized = |key: &str, bytes: u64, unit: u64| {
            let units = (bytes as f64 * of_size / unit as f64) as u64;
            format!("{key}={}B", units.max(1) * unit)
        };
        let slot = ssd.slot_bytes();
        if let Some(capacity) = &ssd.spare.user_capacity {
            changes.push(sized(
                "spare.user_capacity",
                capacity.get(),
                slot.max(SECTOR_BYTES),
            ));
        }
        let page = ssd.mapping.page();
        let gc = page.map(|page| &page.gc);
        if let Some(batch) = gc.and_then(|gc| gc.batch.as_ref()) {
            let batch = batch.base / f64::from(scale.blocks.max(1));
            changes.push(format!("gc.batch={batch}"));
        }
        if let Some(ahead) = gc.and_then(|gc| gc.ahead.as_ref()) {
            changes.push(format!("gc.ahead={}", ahead.get() / scale.blocks.max(1)));
        }
        if let Some(checkpoint) = page.and_then(|page| page.checkpoint.as_ref()) {
            changes.push(sized("checkpoint.every", checkpoint.every.get(), slot));
            changes.push(sized(
                "checkpoint.size",
                checkpoint.size.get(),
                ssd.nand.page.get(),
            ));
        }
        if let Some(slc) = page.and_then(|page| page.slc.as_ref()) {
            for (key, size) in [("own_size", &slc.own_size), ("more_size", &slc.more_size)] {
                if let Some(size) = size {
                    changes.push(sized(&format!("slc.{key}"), size.get(), 1));
                }
            }
        }
        if let Some(keys) = &ssd.reliability {
            let (rated, median) = (keys.rated_cycles.get(), keys.median_cycles.get());
            changes.push(format!("reliability.rated_cycles={}", cycles(rated)));
            changes.push(format!("reliability.median_cycles={}", cycles(median)));
        }
        let wear = page.and_then(|page| page.wear.as_ref());
        if let Some(spread) = wear.and_then(|wear| wear.spread.as_ref()) {
            let least = spread.get().min(2);
            let spread = (spread.get() / scale.cycles.max(1)).max(least);
            changes.push(format!("wear.spread={spread}"));
        }
        self.with(&changes)
    }
}
