//! Page mapping: any slot may lie anywhere, and a table says where.
//!
//! Each group of dies has a *frontier* for host data and one for collected data; host writes take
//! the groups in turn, one program unit each. When a group runs low on erased slots, a victim is
//! collected slot by slot, in step with the host's writes, so that the space freed and the space
//! taken stay level: the reserve in the configuration is the mean number of superblocks a group
//! keeps erased. A drive may collect several superblocks in one go instead, and more rarely. A superblock is erased when it is opened again.

mod ahead;
mod batch;
mod bitmap;
mod check;
mod collect;
mod failures;
mod fold;
mod frontier;
mod layer;
mod mapping;
mod pacing;
mod parity;
mod slc;
mod sorting;
mod state;
mod streams;
mod table;
mod translation;
mod victim;
mod wear;

pub use layer::layer;
pub use mapping::{HostPlace, PageMapped, PageMapping};
pub use pacing::{Pace, PacingPolicy, PacingView};
pub use slc::{SlcConfig, WhenFull};
pub use state::PageState;
pub use streams::{Isolation, Separation, StreamTraffic};
pub use translation::TranslationConfig;
pub use victim::{
    Candidate, CostBenefit, DChoices, Fifo, Greedy, NOT_A_CANDIDATE, POLICIES, Parameter,
    PolicyError, Registered, VictimPolicy, VictimView, WindowedGreedy, policy, registered,
};
use wear::WearBounds;
pub use wear::{Allocation, StaticLevelling, WearLevelling};

use crate::Refusal;
use crate::donors::{Donors, Erasing, wear_of, wear_of_all};
use crate::lost::Lost;
use frontier::{Frontier, Tables};
use ftlab_base::{ConfigError, Divisor, Layout, Lpn, PagePlace, Ppa, SuperblockId};
use ftlab_nand::{Array, Cause, Fence, OpBatch, Order, Reliability};
use slc::Chain;
use std::collections::VecDeque;
use std::ops::Range;
use streams::{FRONTIERS_PER_CELL, Streams};
use table::{NOWHERE, Table};
use translation::Translation;

/// Configuration of a page-mapped layer.
#[derive(Debug)]
pub struct PageConfig {
    /// Slots the host sees.
    pub user_slots: u32,
    /// Superblocks that a group keeps erased, on average, once it collects.
    pub reserve_superblocks: u32,
    /// Superblocks that a group makes writable beside its reserve while the host pauses; 0 for none.
    pub ahead_superblocks: u32,
    /// Rule by which victims are copied while the host writes.
    pub pace: Pace,
    /// True if collected data go behind what the host wrote last, in one log, instead of to a superblock of their own.
    pub one_log: bool,
    /// Chooses the superblock to collect next.
    pub policy: Box<dyn VictimPolicy>,
    /// Writing the tables to flash every so often, if the drive does.
    pub checkpoint: Option<Checkpoint>,
    /// The mapping table on flash, if memory does not hold all of it.
    pub translation: Option<TranslationConfig>,
    /// Data of different temperature apart.
    pub streams: Separation,
    /// Dynamic and static wear levelling.
    pub wear: WearLevelling,
    /// A cache of blocks that hold one bit a cell, if the drive has one.
    pub slc: Option<SlcConfig>,
    /// Failures that can happen, if any can.
    pub reliability: Option<Reliability>,
}

impl PageConfig {
    /// The least reserve: one superblock for each frontier of a group.
    fn least_reserve(&self) -> u32 {
        self.streams.frontiers() as u32
    }

    /// Superblocks that a group keeps for failures, beside its reserve: opened in place of those that
    /// fail before collection has made up for them.
    fn held_for_failures(&self) -> u32 {
        match self.reliability {
            Some(_) => HELD_FOR_FAILURES,
            None => 0,
        }
    }
}

impl Clone for PageConfig {
    fn clone(&self) -> Self {
        PageConfig {
            policy: self.policy.boxed(),
            pace: self.pace.clone(),
            streams: self.streams.clone(),
            reliability: self.reliability.clone(),
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

/// Superblocks of a group that may fail in a row, one for host data and one for collected data.
const HELD_FOR_FAILURES: u32 = 2;

/// Superblocks that one group of dies allocates from.
#[derive(Debug, Clone)]
struct Group {
    /// Superblocks without valid data, oldest first; erased when opened.
    free: VecDeque<SuperblockId>,
    /// Slots that can still be written before anything is collected.
    writable_slots: u32,
    victim: Option<Victim>,
    /// Collections since static wear levelling last moved something.
    collections: u32,
    /// Superblocks that were taken apart for their bad blocks.
    retired: Vec<SuperblockId>,
    /// Full superblocks of the cache, oldest first.
    slc: VecDeque<SuperblockId>,
    /// Superblocks of the cache: full, open, or being folded.
    slc_used: u32,
}

/// Returns true if a slot is a page and a superblock a block.
fn is_flat(layout: &Layout) -> bool {
    layout.pages_per_slot == 1
        && layout.slots_per_superblock == layout.pages_per_superblock
        && layout.pages_per_superblock == layout.geometry.pages_per_block
}

/// A page-mapped translation layer.
///
/// `FLAT` says that a slot is a page and a superblock a block of one die, which is what closed forms
/// are about and what long runs without time use: known to the compiler, it halves the work.
#[derive(Debug, Clone)]
struct PageLayer<const FLAT: bool> {
    layout: Layout,
    array: Array,
    donors: Donors,
    /// Superblocks that might be lost to bad blocks when the layer was made.
    spare_at_first: u32,
    /// Logical slots whose data could not be read when they had to be moved.
    lost: Lost,
    config: PageConfig,
    unit_slots: u32,
    units_per_slot: u32,
    row_slots: u32,
    /// Bytes of a page that hold a slot or a part of one.
    read_bytes: u32,
    /// Writable slots of a group at which it begins to collect.
    low_water: u32,
    table: Table,
    /// Erases of each superblock, as `wear_of` counts them: asked for all of them at a time.
    worn: Vec<u32>,
    /// Bounds of that for each group.
    wear_bounds: Vec<WearBounds>,
    /// Superblocks closed by the time that each one was closed.
    closed_at: Vec<u64>,
    closed: u64,
    groups: Vec<Group>,
    by_groups: Divisor,
    /// The group that each stream writes to next: every stream fills one program unit at a time.
    next_group: Vec<usize>,
    /// Two for each stream of each group.
    frontiers: Vec<Frontier>,
    streams: Streams,
    tables: Tables,
    /// The mapping table on flash; none of a `FLAT` layer's.
    translation: Option<Box<Translation>>,
    /// Superblocks collected since one last freed anything.
    in_vain: u32,
    /// Set once no more writes are taken.
    refusal: Option<Refusal>,
    /// Order of the row being folded beside others.
    chain: Chain,
    /// Scratch: the slots being copied, with the fences of their reads.
    row: Vec<(u32, Fence)>,
    /// Scratch: the counts of valid slots that a policy sees when there are several streams.
    masked: Vec<u32>,
}

/// A superblock being collected.
#[derive(Debug, Clone, Copy)]
struct Victim {
    superblock: SuperblockId,
    /// First page of the superblock.
    first: PagePlace,
    /// Collected for its valid slots, or moved to level wear.
    cause: Cause,
    /// The frontier its data go to.
    to: usize,
    /// First slot of the superblock.
    begin: u32,
    /// The first slot not looked at.
    cursor: u32,
    /// The first slot whose table entry was not fetched.
    fetched: u32,
    /// One past its last slot.
    end: u32,
    /// Slots that were valid when it was chosen: copies owed for every `gain` host slots.
    valid: u32,
    /// Slots that were not.
    gain: u32,
    /// Copies earned by host slots, times `gain`.
    credit: u64,
    /// The page last read, so that its other slots need no second read.
    page_in_hand: u32,
    /// Reached when what was read for the unit last begun is there.
    ready: Fence,
}

impl<const FLAT: bool> PageLayer<FLAT> {
    fn new(layout: Layout, config: PageConfig) -> Result<Self, ConfigError> {
        config.check(&layout)?;
        assert!(!FLAT || (is_flat(&layout) && config.translation.is_none()));
        let mut array = Array::with_reliability(layout.geometry, config.reliability.clone());
        if let Some(slc) = &config.slc {
            array.allow_slc(layout.geometry.pages_per_block / slc.bits);
        }
        let mut layer = Self::around(array, layout, config);
        layer.set_bad_blocks_aside()?;
        layer.set_translation_up();
        Ok(layer)
    }

    /// A layer around an array that holds nothing. Bad blocks are not set aside yet, and there is no
    /// table on flash.
    fn around(array: Array, layout: Layout, config: PageConfig) -> Self {
        let aside = config.slc.map_or(0, |slc| slc.own_superblocks);
        let groups: Vec<Group> = (0..layout.groups)
            .map(|g| {
                let first = g * layout.superblocks_per_group;
                Group {
                    free: (first..first + layout.superblocks_per_group)
                        .map(SuperblockId)
                        .collect(),
                    writable_slots: (layout.superblocks_per_group - aside)
                        * layout.slots_per_superblock,
                    victim: None,
                    collections: 0,
                    retired: Vec::new(),
                    slc: VecDeque::new(),
                    slc_used: 0,
                }
            })
            .collect();
        let planes = layout.geometry.planes_per_die;
        let worn = wear_of_all(&layout, &array);
        let streams = Streams::new(
            config.streams.clone(),
            config.user_slots,
            layout.superblocks(),
        );
        let cells = layout.groups as usize * streams.count();
        // A cache has one frontier in each group, behind those of all cells.
        let caches = config.slc.map_or(0, |_| layout.groups as usize);
        PageLayer {
            wear_bounds: WearBounds::of_groups(&worn, layout.superblocks_per_group),
            worn,
            layout,
            array,
            donors: Donors::new(&layout),
            spare_at_first: 0,
            lost: Lost::default(),
            unit_slots: layout.slots_per_unit(),
            units_per_slot: (layout.pages_per_slot / planes).max(1),
            row_slots: if layout.stripe_dies == 1 {
                1
            } else {
                layout.slots_per_row()
            },
            read_bytes: layout.geometry.slot_bytes.min(layout.geometry.page_bytes),
            low_water: check::low_water(&layout, &config),
            table: Table::new(&layout, config.user_slots, streams.count()),
            closed_at: vec![0; layout.superblocks() as usize],
            closed: 0,
            groups,
            by_groups: Divisor::new(layout.groups),
            next_group: vec![0; streams.count()],
            frontiers: vec![
                Frontier::closed(layout.slots_per_unit());
                cells * FRONTIERS_PER_CELL + caches
            ],
            streams,
            tables: Tables::default(),
            translation: None,
            in_vain: 0,
            refusal: None,
            chain: Chain::default(),
            row: Vec::new(),
            masked: Vec::new(),
            config,
        }
    }

    /// Takes the superblocks of the translation pages, if the drive keeps its table on flash.
    fn set_translation_up(&mut self) {
        self.translation = self.config.translation.map(|translation| {
            let slots = self.config.user_slots;
            let groups = &mut self.groups;
            Box::new(Translation::new(translation, slots, &self.layout, groups))
        });
    }

    /// Slots of one program unit; 1 when a slot is larger.
    #[inline]
    fn unit_slots(&self) -> u32 {
        if FLAT { 1 } else { self.unit_slots }
    }

    /// Program units of one slot; 1 when a unit is larger.
    #[inline]
    fn units_per_slot(&self) -> u32 {
        if FLAT { 1 } else { self.units_per_slot }
    }

    /// Slots copied together: one program unit on every die of the stripe; 1 on a single die.
    #[inline]
    fn row_slots(&self) -> u32 {
        if FLAT { 1 } else { self.row_slots }
    }

    /// Planes that are programmed together.
    #[inline]
    fn planes(&self) -> u32 {
        if FLAT {
            1
        } else {
            self.layout.geometry.planes_per_die
        }
    }

    /// First page and number of pages of the `n`-th slot of a superblock.
    #[inline]
    fn pages_of_slot(&self, n: u32) -> (u32, u32) {
        if FLAT {
            (n, 1)
        } else {
            self.layout.pages_of_slot(n)
        }
    }

    /// The `n`-th page of the superblock whose first page is `first`.
    #[inline]
    fn page_from(&self, first: PagePlace, n: u32) -> PagePlace {
        if FLAT {
            PagePlace { page: n, ..first }
        } else {
            self.layout.page_from(first, n)
        }
    }

    /// The program unit after that at `place`.
    #[inline]
    fn next_unit(&self, first: PagePlace, place: PagePlace) -> PagePlace {
        if FLAT {
            PagePlace {
                page: place.page + 1,
                ..first
            }
        } else {
            self.layout.next_unit(first, place)
        }
    }

    /// Erases a superblock and replaces what is bad; returns true if it is whole then.
    fn make_ready(
        &mut self,
        superblock: SuperblockId,
        erasing: Erasing,
        batch: &mut OpBatch,
    ) -> bool {
        let is_whole =
            self.donors
                .make_ready(&self.layout, superblock, &mut self.array, erasing, batch);
        let worn = wear_of(&self.layout, &self.array, superblock);
        self.worn[superblock.index()] = worn;
        self.wear_bounds[self.layout.group_of(superblock) as usize].note(worn);
        is_whole
    }

    fn group_of_cell(&self, cell: usize) -> usize {
        cell / self.streams.count()
    }

    /// Valid slots on a group's dies.
    #[inline]
    fn valid_of_group(&self, g: usize) -> u32 {
        match self.streams.count() {
            1 => self.table.valid_of_cell(g),
            n => (g * n..(g + 1) * n)
                .map(|cell| self.table.valid_of_cell(cell))
                .sum(),
        }
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

    /// Reads slots for the host, unmapped ones aside, in the given order.
    fn read_mapped(&mut self, first: Lpn, slots: u32, order: Order, batch: &mut OpBatch) {
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

    /// Reads the page or pages of a slot for the host, or of `slots` neighbours in one page, as far as they are
    /// programmed: a slot whose unit is not full yet is still in the controller. Returns true if what was read could be
    /// corrected.
    fn read_slots(&mut self, slot: Ppa, slots: u32, order: Order, batch: &mut OpBatch) -> bool {
        let bytes = slots * self.layout.geometry.slot_bytes;
        self.read_bytes_of(slot, 0..bytes, order, batch)
    }

    /// Reads some bytes of a slot for the host, from its beginning on, and only the pages that hold them. Returns false
    /// if something could not be corrected.
    fn read_bytes_of(
        &mut self,
        slot: Ppa,
        wanted: Range<u32>,
        order: Order,
        batch: &mut OpBatch,
    ) -> bool {
        let (superblock, n) = self.layout.locate(slot);
        let first = self.layout.first_page(superblock);
        let (first_page, pages) = self.pages_of_slot(n);
        let page_bytes = self.layout.geometry.page_bytes;
        let mut readable = true;
        for n in 0..pages {
            let (from, to) = (n * page_bytes, (n + 1) * page_bytes);
            let bytes = wanted.end.min(to).saturating_sub(wanted.start.max(from));
            let place = self.page_from(first, first_page + n);
            if bytes > 0 && place.page < self.array.programmed_pages(place.block) {
                readable &= self.read_page((first, place), bytes, Cause::Host, order, batch);
            }
        }
        readable
    }
}

#[cfg(test)]
mod tests;
