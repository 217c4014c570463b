//! Page mapping: any slot may lie anywhere, and a table says where.
//!
//! Each group of dies has a *frontier* for host data and one for collected data; host writes take
//! the groups in turn, one program unit each. When a group runs low on erased slots, a victim is
//! collected slot by slot, in step with the host's writes, so that the space freed and the space
//! taken stay level: the reserve in the configuration is the mean number of superblocks a group
//! keeps erased. A superblock is erased when it is opened again.

mod bitmap;
mod check;
mod collect;
mod frontier;
mod streams;
mod table;
mod victim;
mod wear;

pub use streams::{Separation, SpareShare, StreamConfig};
pub use victim::{Candidate, Fifo, Greedy, POLICIES, VictimPolicy, VictimView, policy};
pub use wear::{Allocation, StaticLevelling, WearLevelling};

use crate::{Extent, Refusal, TranslationLayer};
use collect::Victim;
use frontier::{FRONTIERS_PER_CELL, Frontier, Tables, host_frontier};
use ftlab_base::{Divisor, Layout, Lpn, PagePlace, Ppa, SuperblockId};
use ftlab_nand::{Array, Cause, DataMove, Fence, OpBatch, Order};
use std::collections::VecDeque;
use streams::Streams;
use table::{NOWHERE, Table};

/// What a page-mapped layer is configured by.
#[derive(Debug)]
pub struct PageConfig {
    /// Slots the host sees.
    pub user_slots: u32,
    /// Superblocks that a group keeps erased, on average, once it collects.
    pub reserve_superblocks: u32,
    /// Which superblock to collect next.
    pub policy: Box<dyn VictimPolicy>,
    /// Writing the tables to flash every so often, if the drive does.
    pub checkpoint: Option<Checkpoint>,
    /// Hot and cold data apart.
    pub streams: StreamConfig,
    /// Which superblocks wear.
    pub wear: WearLevelling,
}

impl PageConfig {
    /// The least reserve: one superblock for each frontier of a group.
    fn least_reserve(&self) -> u32 {
        (self.streams.count() * FRONTIERS_PER_CELL) as u32
    }
}

impl Clone for PageConfig {
    fn clone(&self) -> Self {
        PageConfig {
            policy: self.policy.boxed(),
            ..*self
        }
    }
}

/// Mapping tables written to flash as a whole, while host writes queue behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checkpoint {
    /// Host slots written between two checkpoints.
    pub every_slots: u32,
    /// Pages written by a checkpoint.
    pub pages: u32,
}

/// Why a page-mapped layer cannot be built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageConfigError(pub String);

impl std::fmt::Display for PageConfigError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PageConfigError {}

/// What one group of dies allocates from.
#[derive(Debug, Clone)]
struct Group {
    /// Superblocks without valid data, oldest first; erased when opened.
    free: VecDeque<SuperblockId>,
    /// Slots that can still be written before anything is collected.
    writable_slots: u32,
    victim: Option<Victim>,
    /// Collections since static wear levelling last moved something.
    collections: u32,
}

/// A page-mapped translation layer.
#[derive(Debug, Clone)]
pub struct PageLayer {
    layout: Layout,
    array: Array,
    config: PageConfig,
    /// Slots of one program unit; 1 when a slot is larger.
    unit_slots: u32,
    /// Program units of one slot; 1 when a unit is larger.
    units_per_slot: u32,
    /// Slots copied together: one program unit on every die of the stripe; 1 on a single die.
    row_slots: u32,
    /// Writable slots of a group at which it begins to collect.
    low_water: u32,
    table: Table,
    /// When each superblock was closed.
    closed_at: Vec<u64>,
    closed: u64,
    groups: Vec<Group>,
    by_groups: Divisor,
    next_group: usize,
    /// Two for each stream of each group.
    frontiers: Vec<Frontier>,
    streams: Streams,
    tables: Tables,
    /// Superblocks collected since one last freed anything.
    in_vain: u32,
    /// Why no more writes are taken.
    refusal: Option<Refusal>,
    /// Scratch: the slots being copied, with the fences of their reads.
    row: Vec<(u32, Fence)>,
    /// Scratch: the counts of valid slots that a policy sees when there are several streams.
    masked: Vec<u32>,
}

impl PageLayer {
    /// An empty drive on an unworn array.
    ///
    /// # Errors
    /// When the array cannot hold the user's slots, the reserve and one slot more in each group.
    pub fn new(layout: Layout, config: PageConfig) -> Result<PageLayer, PageConfigError> {
        check::config(&layout, &config)?;
        let groups = (0..layout.groups)
            .map(|g| {
                let first = g * layout.superblocks_per_group;
                Group {
                    free: (first..first + layout.superblocks_per_group)
                        .map(SuperblockId)
                        .collect(),
                    writable_slots: layout.superblocks_per_group * layout.slots_per_superblock,
                    victim: None,
                    collections: 0,
                }
            })
            .collect();
        let planes = layout.geometry.planes_per_die;
        let streams = Streams::new(config.streams, config.user_slots);
        let cells = layout.groups as usize * streams.count();
        let unit_slots = (planes * layout.geometry.page_bytes / layout.geometry.slot_bytes).max(1);
        Ok(PageLayer {
            layout,
            array: Array::new(layout.geometry),
            unit_slots,
            units_per_slot: (layout.pages_per_slot / planes).max(1),
            row_slots: if layout.stripe_dies == 1 {
                1
            } else {
                layout.stripe_dies * unit_slots
            },
            low_water: check::low_water(&layout, &config),
            table: Table::new(&layout, config.user_slots, streams.count()),
            closed_at: vec![0; layout.superblocks() as usize],
            closed: 0,
            groups,
            by_groups: Divisor::new(layout.groups),
            next_group: 0,
            frontiers: vec![Frontier::closed(unit_slots); cells * FRONTIERS_PER_CELL],
            streams,
            tables: Tables::default(),
            in_vain: 0,
            refusal: None,
            row: Vec::new(),
            masked: Vec::new(),
            config,
        })
    }

    fn group_of_cell(&self, cell: usize) -> usize {
        cell / self.streams.count()
    }

    /// Valid slots on a group's dies.
    #[inline]
    fn valid_of_group(&self, g: usize) -> u32 {
        let streams = self.streams.count();
        (g * streams..(g + 1) * streams)
            .map(|cell| self.table.valid_of_cell(cell))
            .sum()
    }

    /// The group whose turn it is after `g`. One that holds a superblock more than its share is
    /// passed over: writes that always replace data of the same groups would otherwise fill up the
    /// others.
    #[inline]
    fn group_after(&self, g: usize) -> usize {
        let groups = self.groups.len();
        let limit = self.by_groups.quotient(self.table.mapped()) + self.layout.slots_per_superblock;
        let mut next = g;
        for _ in 0..groups {
            next = if next + 1 == groups { 0 } else { next + 1 };
            if self.valid_of_group(next) <= limit {
                return next;
            }
        }
        unreachable!("some group holds no more than the mean")
    }

    /// Reads the page or pages of the `n`-th slot of the superblock whose first page is `first`, or
    /// of `slots` neighbours in one page, if they are programmed: a slot whose unit is not full yet
    /// is still in the controller.
    #[inline]
    fn read_pages(
        &mut self,
        (first, n): (PagePlace, u32),
        slots: u32,
        cause: Cause,
        order: Order,
        batch: &mut OpBatch,
    ) {
        let (first_page, pages) = self.layout.pages_of_slot(n);
        let geometry = &self.layout.geometry;
        let bytes = (slots * geometry.slot_bytes).min(geometry.page_bytes);
        for n in first_page..first_page + pages {
            let place = self.layout.page_from(first, n);
            if place.page < self.array.programmed_pages(place.block) {
                self.array.read(place, bytes, cause, order, batch);
            }
        }
    }

    /// The same for any slot, on behalf of the host.
    fn read_slots(&mut self, slot: Ppa, slots: u32, order: Order, batch: &mut OpBatch) {
        let (superblock, n) = self.layout.locate(slot);
        let first = self.layout.first_page(superblock);
        self.read_pages((first, n), slots, Cause::Host, order, batch);
    }
}

impl TranslationLayer for PageLayer {
    fn slots(&self) -> u32 {
        self.config.user_slots
    }

    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn array(&self) -> &Array {
        &self.array
    }

    fn array_mut(&mut self) -> &mut Array {
        &mut self.array
    }

    fn lookup(&self, lpn: Lpn) -> Option<Ppa> {
        let slot = self.table.slot_of(lpn);
        (slot != NOWHERE).then_some(Ppa(slot))
    }

    fn read(&mut self, first: Lpn, slots: u32, done: Fence, batch: &mut OpBatch) {
        let order = Order::FREE.signalling(done);
        let mut lpn = first.0;
        let end = first.0 + slots;
        while lpn < end {
            let slot = self.table.slot_of(Lpn(lpn));
            // Neighbours that lie in one page are sensed once.
            let same_page = |n: u32| {
                let page = |slot: u32| self.layout.page_of_slot(Ppa(slot));
                lpn + n < end
                    && self.table.slot_of(Lpn(lpn + n)) == slot + n
                    && page(slot + n) == page(slot)
            };
            let run = if slot == NOWHERE {
                1
            } else {
                (1..).take_while(|&n| same_page(n)).count() as u32 + 1
            };
            if slot != NOWHERE {
                self.read_slots(Ppa(slot), run, order, batch);
            }
            lpn += run;
        }
    }

    fn write(&mut self, lpn: Lpn, extent: Extent, batch: &mut OpBatch) -> Result<Fence, Refusal> {
        if let Some(refusal) = self.refusal {
            return Err(refusal);
        }
        let g = self.next_group;
        let slot = self.table.slot_of(lpn);
        let old = (slot != NOWHERE).then_some(slot);
        let stream = self.stream_of_write(lpn, old);
        let f = host_frontier(g * self.streams.count() + stream);
        if let Some(old) = old {
            if extent == Extent::Part {
                let ready = self.frontiers[f].ready(batch);
                self.read_slots(Ppa(old), 1, Order::FREE.signalling(ready), batch);
            }
            self.table.invalidate(old);
        }
        let done = self.frontiers[f].done(batch);
        let (to, superblock) = self.append(f, Cause::Host, batch);
        self.groups[g].writable_slots -= 1;
        self.table.place(lpn, to, superblock);
        batch.data(DataMove::Write { lpn, to: Ppa(to) });
        if self.frontiers[f].unit_is_complete() {
            self.next_group = self.group_after(g);
        }
        self.collect(g, batch);
        self.checkpoint(batch);
        Ok(done)
    }

    fn trim(&mut self, first: Lpn, slots: u32, _batch: &mut OpBatch) {
        (first.0..first.0 + slots).for_each(|lpn| self.table.forget(Lpn(lpn)));
        // What was trimmed may be worth collecting.
        (self.in_vain, self.refusal) = (0, None);
    }

    fn flush(&mut self, batch: &mut OpBatch) {
        for g in 0..self.groups.len() {
            self.fill_up(g, batch);
        }
        // The open unit was the next group's: its turn is over.
        self.next_group = self.group_after(self.next_group);
    }

    fn boxed(&self) -> Box<dyn TranslationLayer> {
        Box::new(self.clone())
    }

    fn check_invariants(&self) {
        self.check_all();
    }
}

#[cfg(test)]
mod tests;
