//! A drive divided by a [`Scale`].

use super::drive_file::DriveFile;
use super::ssd::{Mapping, PageSections};
use crate::scale::{Extent, Scale};
use ftlab_base::SECTOR_BYTES;
use ftlab_sheet::SheetError;

/// Programs of a block that are left of one when a drive is shrunk: with fewer, where each begins and ends shows.
const PAGES_MIN: u32 = 4;

impl DriveFile {
    /// Sizes that decide how long the drive's life takes to simulate.
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
                .and_then(|keys| Some(keys.median_cycles.as_ref()?.get())),
            is_block_mapped: matches!(ssd.mapping, Mapping::Block(_)),
        })
    }

    /// The drive with smaller blocks, so that the host sees `bytes_max` bytes at most, as far as blocks can be
    /// smaller: dies, channels, link, buffer and the number of superblocks are the same, and so are the shares of the
    /// flash that are spare or a cache of SLC. A smaller drive stays as it is, and so does what has no flash. Speeds,
    /// write amplification and latencies are those of the drive; what it holds and how long that takes is less by the
    /// second number.
    ///
    /// # Errors
    /// When no such drive can be.
    pub fn shrunk_to(&self, bytes_max: u64) -> Result<(DriveFile, f64), SheetError> {
        let capacity = self.capacity_bytes();
        if self.ssd().is_none() || capacity <= bytes_max {
            return Ok((self.clone(), 1.0));
        }
        let pages = u32::try_from(capacity.div_ceil(bytes_max.max(1))).unwrap_or(u32::MAX);
        let most = (self.extent()?.pages_per_block / PAGES_MIN).max(1);
        let of_pages = |pages| {
            self.scaled(Scale {
                pages,
                ..Scale::FULL
            })
        };
        // Stripes with parity are whole in some sizes of blocks alone.
        let first = pages.min(most);
        let next = (first..=most).find_map(|pages| of_pages(pages).ok());
        let small = next.map_or_else(|| of_pages(first), Ok)?;
        let times = capacity as f64 / small.capacity_bytes() as f64;
        Ok((small, times))
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
        // A block of a cache of SLC is a whole part of its pages, or the cache would be smaller than its share.
        let parts = match scale.pages {
            0 | 1 => 1,
            _ => self.bits_behind_cache().unwrap_or(1).max(1),
        };
        let pages = (pages / parts * parts).max(pages.min(parts));
        let of_size = f64::from(blocks) * f64::from(pages)
            / (f64::from(ssd.nand.blocks_per_die.get())
                * f64::from(extent.pages_per_block * together));
        let cycles = |n: u32| (n / scale.cycles.max(1)).max(1);
        let mut changes = vec![
            format!("nand.blocks_per_die={blocks}"),
            format!("nand.pages_per_block={pages}"),
        ];
        if scale.pages > 1 {
            // Smaller blocks are erased as much more often: what erasing takes of a die's time stays.
            let erase_us = ssd.nand.t_erase.get().0 as f64 / 1e3 / f64::from(scale.pages);
            changes.push(format!("nand.t_erase={erase_us}us"));
        }
        let sized = |key: &str, bytes: u64, unit: u64| {
            let units = (bytes as f64 * of_size / unit as f64) as u64;
            format!("{key}={}B", units.max(1) * unit)
        };
        let slot = ssd.slot_bytes();
        if let Some(capacity) = &ssd.spare.user_capacity {
            let unit = slot.max(SECTOR_BYTES);
            changes.push(sized("spare.user_capacity", capacity.get(), unit));
        }
        if let Some(page) = ssd.mapping.page() {
            changes.extend(of_collection(page, scale));
            if let Some(checkpoint) = &page.checkpoint {
                let unit = ssd.nand.page.get();
                changes.push(sized("checkpoint.every", checkpoint.every.get(), slot));
                changes.push(sized("checkpoint.size", checkpoint.size.get(), unit));
            }
            if let Some(slc) = &page.slc {
                let sizes = [("own_size", &slc.own_size), ("more_size", &slc.more_size)];
                let given = sizes
                    .into_iter()
                    .filter_map(|(key, size)| Some((key, size.as_ref()?)));
                changes
                    .extend(given.map(|(key, size)| sized(&format!("slc.{key}"), size.get(), 1)));
            }
        }
        if let Some(keys) = &ssd.reliability {
            let counts = [
                ("rated_cycles", &keys.rated_cycles),
                ("median_cycles", &keys.median_cycles),
            ];
            for (key, count) in counts {
                let count = count.iter().map(|count| cycles(count.get()));
                changes.extend(count.map(|count| format!("reliability.{key}={count}")));
            }
            if let Some(rated) = &keys.rated_bytes {
                let rated = rated.get() / u64::from(scale.cycles.max(1));
                changes.push(sized("reliability.rated_bytes", rated, 1));
            }
        }
        self.with(&changes)
    }
}

/// Settings of the collection and the wear levelling that change in a drive divided by `scale`.
fn of_collection(page: &PageSections, scale: Scale) -> Vec<String> {
    let mut changes = Vec::new();
    if let Some(batch) = &page.gc.batch {
        let batch = batch.base / f64::from(scale.blocks.max(1));
        changes.push(format!("gc.batch={batch}"));
    }
    if let Some(ahead) = &page.gc.ahead {
        changes.push(format!("gc.ahead={}", ahead.get() / scale.blocks.max(1)));
    }
    if let Some(spread) = page.wear.as_ref().and_then(|wear| wear.spread.as_ref()) {
        let least = spread.get().min(2);
        let spread = (spread.get() / scale.cycles.max(1)).max(least);
        changes.push(format!("wear.spread={spread}"));
    }
    changes
}
