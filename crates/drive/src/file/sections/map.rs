//! `[map]`: logical to physical. What it may say depends on its scheme.

use crate::file::section::{section, together, words};
use crate::ssd::HostTable;
use ftlab_base::{Layout, SECTOR_BYTES};
use ftlab_ftl::block::BlockConfig;
use ftlab_ftl::packed::TableConfig;
use ftlab_ftl::page::TranslationConfig;
use ftlab_sheet::one_line;
use ftlab_sheet::quantity::{Bytes, Count, Quantity, Time};
use toml::Value;

words! {
    /// The translation layers there are.
    enum Scheme {
        /// Any slot may lie anywhere.
        Page = "page",
        /// A superblock for a superblock, with log blocks.
        Block = "block",
        /// Any slot anywhere, compressed.
        Packed = "packed",
    }
}

impl Scheme {
    /// The scheme that a file names.
    pub(in crate::file) fn read(named: &Value) -> Result<Scheme, String> {
        let scheme = named.clone().try_into();
        scheme.map_err(|error| format!("{} in `map.scheme`", one_line(&error)))
    }

    pub(in crate::file) const fn name(self) -> &'static str {
        match self {
            Scheme::Page => "page",
            Scheme::Block => "block",
            Scheme::Packed => "packed",
        }
    }
}

section! {
    "map" of "page"
    /// Page mapping: any slot anywhere.
    struct PageMap {
        /// The translation layer.
        scheme: Scheme,
        /// The mapping unit. A write of a part of a slot reads the rest of it and programs all of it; what was
        /// never written has no rest to read.
        slot: Quantity<Bytes>,
        /// Dies that a superblock spans; it must divide the dies.
        stripe_dies: Quantity<Count>,
        /// Program units of data before each unit of parity, their sum, from which a page that ECC cannot correct is made
        /// good; a superblock must be whole stripes of both. There is none if left out. Not with tables on flash.
        parity: Option<Quantity<Count>>,
        /// Memory for the mapping table, with `entry` or `run`: what it does not hold of the table lies on flash in
        /// pages of its own, which take superblocks from the spare area
        /// ([decision 0011](../decisions/0011-mapping-table-on-flash.md)). If left out, the table fits.
        dram: Option<Quantity<Bytes>>,
        /// With `dram`: an entry of a table that has one for every slot. A table that does not fit is cached entry by
        /// entry, each with two bytes more.
        entry: Option<Quantity<Bytes>>,
        /// With `dram` and `entry`: memory of the host that holds more of the table (NVMe's host memory buffer), for a drive
        /// with `port`. What `dram` has is at hand; the rest of what is held takes a read of a sector of the table over the
        /// lanes. None if left out.
        host_memory: Option<Quantity<Bytes>>,
        /// With `host_memory`: what it takes to read the host's memory, there and back.
        host_memory_latency: Option<Quantity<Time>>,
        /// With `dram`, in place of `entry`: an entry of a table that has one for every run of slots whose data
        /// follow each other on flash. A write that looks up what is not in memory stops the firmware until it is.
        run: Option<Quantity<Bytes>>,
    }
}

section! {
    "map" of "block"
    /// Block mapping: a superblock for a superblock, with log blocks.
    struct BlockMap {
        /// The translation layer.
        scheme: Scheme,
        /// The mapping unit.
        slot: Quantity<Bytes>,
        /// Dies that a superblock spans; it must divide the dies.
        stripe_dies: Quantity<Count>,
        /// Logical superblocks that may have a log at a time.
        log_blocks: Quantity<Count>,
    }
}

section! {
    "map" of "packed"
    /// Packed mapping: any slot anywhere, compressed
    /// ([decision 0010](../decisions/0010-packed-mapping.md)).
    struct PackedMap {
        /// The translation layer.
        scheme: Scheme,
        /// The mapping unit.
        slot: Quantity<Bytes>,
        /// Dies that a superblock spans: all of them.
        stripe_dies: Quantity<Count>,
        /// Memory for pages of the mapping table, which lies in flash, with `entry`: what looks up an entry that
        /// is in none of them waits until that page is read. If left out, looking up takes no time.
        cache: Option<Quantity<Bytes>>,
        /// With `cache`: an entry of the table.
        entry: Option<Quantity<Bytes>>,
    }
}

/// Bytes that tell a cached entry from others of its translation page: entries are kept in a list for each page (TPFTL;
/// Zhou et al., EuroSys 2015).
const NUMBER_BYTES: u64 = 2;

impl PageMap {
    /// The layout with the parity that the drive keeps, if any.
    pub(in crate::file) fn with_parity(&self, layout: Layout) -> Result<Layout, String> {
        match &self.parity {
            None => Ok(layout),
            Some(data_units) => layout
                .with_parity(data_units.get())
                .map_err(|error| format!("map.parity: {error}")),
        }
    }

    /// The mapping table, if memory does not hold all of it. A table that fits is a list, one entry a slot. Where it
    /// does not fit, each cached entry also says which one of its translation page it is ([`NUMBER_BYTES`]).
    pub(in crate::file) fn translation(
        &self,
        layout: &Layout,
        user_slots: u32,
    ) -> Result<Option<TranslationConfig>, String> {
        if self.run.is_some() && self.entry.is_some() {
            return Err(
                "map.entry, map.run: a table has an entry for each slot or for each run of \
                        slots; leave one out"
                    .to_owned(),
            );
        }
        let (key, entry) = match self.run {
            Some(run) => ("map.run", Some(run)),
            None => ("map.entry", self.entry),
        };
        let Some((dram, entry)) = together(["map.dram", key], self.dram, entry)? else {
            return Ok(None);
        };
        let hosts = self.host_memory.map_or(0, |memory| memory.get());
        let (dram, entry, runs) = (dram.get() + hosts, entry.get(), self.run.is_some());
        let page_bytes = u64::from(layout.geometry.page_bytes);
        let slots = layout.slots();
        let counts = 1_u64
            .checked_shl(8 * entry.min(8) as u32)
            .unwrap_or(u64::MAX);
        if entry > page_bytes || counts < u64::from(slots) {
            return Err(format!(
                "{key}: {entry} bytes; an entry must tell {slots} slots apart, and a page of \
                 {page_bytes} bytes must hold one"
            ));
        }
        if dram >= u64::from(user_slots).saturating_mul(entry) {
            return Ok(None);
        }
        // A run says itself where it begins, and memory holds all those of a translation page.
        let (cached, least) = match runs {
            false => (entry + NUMBER_BYTES, entry + NUMBER_BYTES),
            true => (entry, page_bytes),
        };
        if dram < least {
            let what = if runs {
                "page of the table"
            } else {
                "cached entry"
            };
            return Err(format!(
                "map.dram: {dram} bytes; the least is a {what}, {least} bytes"
            ));
        }
        Ok(Some(TranslationConfig {
            // Fewer than there are slots.
            cached_entries: (dram / cached) as u32,
            entries_per_page: (page_bytes / entry) as u32,
            runs,
        }))
    }
}

impl PageMap {
    pub(in crate::file) fn uses_host_memory(&self) -> bool {
        self.host_memory.is_some()
    }

    /// Finds how the mapping table is shared out, if a part of it is in the host's memory; an error says which keys do
    /// not fit.
    pub(in crate::file) fn host_table(&self, user_slots: u32) -> Result<Option<HostTable>, String> {
        let keys = ["map.host_memory", "map.host_memory_latency"];
        let Some((_, latency)) = together(keys, self.host_memory, self.host_memory_latency)? else {
            return Ok(None);
        };
        let (Some(dram), Some(entry)) = (self.dram, self.entry) else {
            return Err(
                "map.host_memory needs map.dram, the drive's own memory, and map.entry: a table with an entry for each slot"
                    .to_owned(),
            );
        };
        let (dram, entry) = (dram.get(), entry.get());
        if dram >= u64::from(user_slots).saturating_mul(entry) {
            return Ok(None);
        }
        let slots_per_piece = (SECTOR_BYTES / entry).max(1);
        let piece = slots_per_piece * (entry + NUMBER_BYTES);
        match dram / piece {
            0 => Err(format!(
                "map.dram: {dram} bytes; beside host_memory the least is a piece of the table, {piece} bytes"
            )),
            pieces => Ok(Some(HostTable {
                own_pieces: pieces as u32,
                slots_per_piece: slots_per_piece as u32,
                latency: latency.get(),
            })),
        }
    }
}

impl BlockMap {
    /// The configuration with static wear levelling: merges between two passes, and superblocks moved in one.
    pub(in crate::file) fn config(
        &self,
        (wear_every_merges, wear_blocks): (u32, u32),
        layout: &Layout,
        user_slots: u32,
    ) -> Result<BlockConfig, String> {
        let config = BlockConfig {
            log_blocks: self.log_blocks.get(),
            wear_every_merges,
            wear_blocks,
        };
        config.check(layout, user_slots)?;
        Ok(config)
    }
}

impl PackedMap {
    /// The mapping table, if memory does not hold all of it; `page` is the bytes of a page.
    pub(in crate::file) fn table(
        &self,
        page: u64,
        user_slots: u32,
    ) -> Result<Option<TableConfig>, String> {
        let Some((cache, entry)) = together(["map.cache", "map.entry"], self.cache, self.entry)?
        else {
            return Ok(None);
        };
        let (cache, entry) = (cache.get(), entry.get());
        if entry > page {
            return Err(format!(
                "map.entry: {entry} bytes; a page of {page} bytes must hold one"
            ));
        }
        let entries_per_page = (page / entry) as u32;
        let all = user_slots.div_ceil(entries_per_page);
        match cache / page {
            0 => Err(format!(
                "map.cache: {cache} bytes; the least is a page of the table, {page} bytes"
            )),
            held if held >= u64::from(all) => Ok(None),
            held => Ok(Some(TableConfig {
                cached_pages: held as u32,
                entries_per_page,
            })),
        }
    }
}
