//! Packed mapping: slots are compressed before they are written, equal slots are stored once, and
//! what is left is packed into pages without gaps. As SandForce's controllers do it.
//!
//! A slot takes as many *chunks* as compression leaves of it. Chunks are appended to a superblock
//! that spans all dies, so a slot may straddle pages and program units; the table says for every
//! slot where its chunks begin and how many there are. Data that were seen before cost an entry of
//! the table and nothing else. With RAISE a program unit of every row is parity (`stripe.rs`), and
//! the data of a die that fails are made good from the other dies (`raise.rs`).
//!
//! The mapping table lies in flash, and memory may hold a few pages of it only: every look-up that
//! memory cannot answer is a read of the array (`lookup.rs`).
//!
//! Collection goes in step with the host's writes, as in page mapping, but in passes over whole
//! rows of a superblock (`collect.rs`), and it has a price even where nothing is left to copy: see
//! [`PackedConfig::reads_whole`]. Nothing is collected without a write of the host, TRIM only marks,
//! and a superblock is erased when it is opened, so a drive that was written all over meets that price with every
//! superblock from then on, trimmed or not, until a secure erase.

mod check;
mod collect;
mod failures;
mod frontier;
mod layer;
mod lookup;
mod raise;
mod state;
mod stripe;
mod table;

pub use lookup::TableConfig;
pub use state::PackedState;

use crate::donors::Donors;
use crate::page::VictimPolicy;
use crate::{Extent, Refusal};
use collect::Victim;
use frontier::Frontier;
use ftlab_base::{ConfigError, Content, Layout, Lpn, SuperblockId};
use ftlab_nand::{Array, Cause, OpBatch, Order, Reliability};
use lookup::Lookup;
use std::collections::{BTreeSet, VecDeque};
use stripe::{Skip, Stripe};
use table::{Owner, Stored, Table};

/// Configuration of a packed layer.
#[derive(Debug)]
pub struct PackedConfig {
    /// Slots the host sees: as many data that do not compress at all always fit.
    pub user_slots: u32,
    /// Bytes of a chunk.
    pub chunk_bytes: u32,
    /// True to store data that are known only once.
    pub dedup: bool,
    /// True if one program unit of every row is parity.
    pub raise: bool,
    /// True if collection reads all of a superblock, and not only what is valid there. A controller without DRAM has no
    /// table of what each block holds: it finds out from the block itself, where slots of any length lie one after the
    /// other, each behind its header.
    pub reads_whole: bool,
    /// Share of a superblock that may still be valid for it to be collected although there is room;
    /// without it nothing is collected before room runs out.
    pub early_valid: Option<f64>,
    /// Superblocks kept free, on average, once the drive collects.
    pub reserve_superblocks: u32,
    /// Chooses the superblock to collect next.
    pub policy: Box<dyn VictimPolicy>,
    /// The mapping table on flash, if memory does not hold all of it.
    pub table: Option<TableConfig>,
    /// Failures that can happen; none if left out.
    pub reliability: Option<Reliability>,
}

impl Clone for PackedConfig {
    fn clone(&self) -> Self {
        PackedConfig {
            policy: self.policy.boxed(),
            reliability: self.reliability.clone(),
            ..*self
        }
    }
}

impl PackedConfig {
    /// Chunks of a slot of which `bytes` are left.
    #[inline]
    fn chunks_of(&self, bytes: u32) -> u32 {
        bytes.div_ceil(self.chunk_bytes).max(1)
    }

    /// Chunks of a slot that does not compress at all.
    fn chunks_max(&self, layout: &Layout) -> u32 {
        self.chunks_of(layout.geometry.slot_bytes)
    }
}

/// A packed translation layer.
#[derive(Debug, Clone)]
pub struct PackedLayer {
    stripe: Stripe,
    array: Array,
    config: PackedConfig,
    /// Chunks of a slot that does not compress.
    slot_chunks: u32,
    table: Table,
    /// The mapping table on flash, if memory does not hold all of it.
    lookup: Option<Lookup>,
    /// Superblocks without valid data, oldest first; erased when opened.
    free: VecDeque<SuperblockId>,
    /// Superblocks that were taken apart, and what is left of them.
    retired: Vec<SuperblockId>,
    donors: Donors,
    /// Superblocks that could be spared when the drive was made.
    spare_at_first: u32,
    /// Owners of data that were lost: these could not be read when they were moved.
    lost: BTreeSet<Owner>,
    /// Chunks that can still be written before anything is collected.
    writable: u32,
    /// Writable chunks at which collection begins.
    low_water: u32,
    frontiers: [Frontier; 2],
    victim: Option<Victim>,
    /// Superblocks closed by the time that each one was closed.
    closed_at: Vec<u64>,
    closed: u64,
    /// Unit of its rows that each superblock leaves out.
    skip: Vec<Skip>,
    /// The die that failed.
    failed: Option<u32>,
    /// Superblocks collected since one last gained anything.
    in_vain: u32,
    /// Set once no more writes are taken.
    refusal: Option<Refusal>,
    /// Scratch: the data of a row that collection moves.
    row: Vec<collect::Moving>,
}

impl PackedLayer {
    /// A layer on an unworn array, with nothing written.
    ///
    /// # Errors
    /// When the array cannot hold the user's slots if they do not compress, and what collection needs.
    pub fn new(layout: Layout, config: PackedConfig) -> Result<PackedLayer, ConfigError> {
        config.check(&layout)?;
        let array = Array::with_reliability(layout.geometry, config.reliability.clone());
        let mut layer = Self::around(array, layout, config);
        layer.set_bad_blocks_aside()?;
        Ok(layer)
    }

    /// A layer on an array that holds nothing, with a configuration that was checked.
    fn around(array: Array, layout: Layout, config: PackedConfig) -> PackedLayer {
        let stripe = Stripe::new(layout, config.chunk_bytes, config.raise);
        let superblocks = layout.superblocks();
        // No die has failed yet, so rows leave out their parity at most.
        let skip = if config.raise {
            Skip::Parity
        } else {
            Skip::Nothing
        };
        PackedLayer {
            array,
            slot_chunks: config.chunks_max(&layout),
            table: Table::new(config.user_slots, superblocks, stripe.superblock),
            lookup: config
                .table
                .map(|table| Lookup::new(table, config.user_slots)),
            free: (0..superblocks).map(SuperblockId).collect(),
            retired: Vec::new(),
            donors: Donors::new(&layout),
            spare_at_first: 0,
            lost: BTreeSet::new(),
            writable: superblocks * stripe.superblock,
            low_water: check::low_water(&stripe, config.reserve_superblocks),
            frontiers: [Frontier::closed(); 2],
            victim: None,
            closed_at: vec![0; superblocks as usize],
            closed: 0,
            skip: vec![skip; superblocks as usize],
            failed: None,
            in_vain: 0,
            refusal: None,
            row: Vec::new(),
            stripe,
            config,
        }
    }

    /// Reads the pages of some chunks for the host; returns true if all could be.
    fn read_stored(&mut self, stored: Stored, order: Order, batch: &mut OpBatch) -> bool {
        let mut pages = PageRun::default();
        let is_good = self.read_pages(stored, &mut pages, order, batch);
        self.end_pages(&mut pages, order, batch) && is_good
    }

    /// Adds the pages of some chunks to a run, and reads those that it leaves behind.
    fn read_pages(
        &mut self,
        stored: Stored,
        run: &mut PageRun,
        order: Order,
        batch: &mut OpBatch,
    ) -> bool {
        let mut is_good = true;
        let (superblock, n) = self.stripe.locate(stored.at);
        let end = n + stored.chunks;
        for page in self.stripe.page_of(n)..=self.stripe.page_of(end - 1) {
            let from = n.max(page * self.stripe.page);
            let chunks = end.min((page + 1) * self.stripe.page) - from;
            if run.at != Some((superblock, page)) {
                is_good &= self.end_pages(run, order, batch);
                run.at = Some((superblock, page));
            }
            run.chunks = (run.chunks + chunks).min(self.stripe.page);
        }
        is_good
    }

    fn end_pages(&mut self, run: &mut PageRun, order: Order, batch: &mut OpBatch) -> bool {
        let chunks = std::mem::take(&mut run.chunks);
        match run.at.take() {
            Some(at) => self.read_page(at, chunks, Cause::Host, order, batch),
            None => true,
        }
    }

    /// A slot lies nowhere any more.
    #[inline]
    fn forget(&mut self, lpn: Lpn) {
        let had = self.perhaps_lost(lpn);
        self.table.forget(lpn);
        self.forget_loss(had);
    }

    /// Chunks that a write takes: of a part of a slot at least what the slot took before, since the
    /// rest of it stays.
    fn chunks_to_write(&self, extent: Extent, content: Content, old: Option<Stored>) -> u32 {
        let left = content.bytes_left(self.stripe.layout.geometry.slot_bytes);
        let chunks = self.config.chunks_of(left);
        match (extent, old) {
            (Extent::Part, Some(old)) => chunks.max(old.chunks),
            _ => chunks,
        }
    }
}

/// Neighbouring chunks of a page, read together.
#[derive(Debug, Clone, Copy, Default)]
struct PageRun {
    at: Option<(SuperblockId, u32)>,
    chunks: u32,
}

#[cfg(test)]
mod tests;
