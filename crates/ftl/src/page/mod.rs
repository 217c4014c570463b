//! Page mapping: any slot may lie anywhere, and a table says where.
//!
//! Each group of dies has a *frontier* for host data and one for collected data; host writes take
//! the groups in turn, one program unit each. When a group runs low on erased slots, a victim is
//! collected slot by slot, in step with the host's writes, so that the space freed and the space
//! taken stay level: the reserve in the configuration is the mean number of superblocks a group
//! keeps erased. A superblock is erased when it is opened again.

mod bitmap;
mod collect;
mod frontier;
mod mapping;
mod state;
mod victim;

pub use mapping::{HostPlace, PageMapping};
pub use state::PageState;
pub use victim::{Candidate, Fifo, Greedy, POLICIES, VictimPolicy, VictimView, policy};

use crate::{Extent, LayerState, Refusal, TranslationLayer};
use bitmap::Bitmap;
use collect::Victim;
use frontier::Frontier;
use ftlab_base::{Divisor, Layout, Lpn, Ppa, SuperblockId};
use ftlab_nand::{Array, Cause, DataMove, Fence, OpBatch, Order, StateError};
use std::collections::VecDeque;
use victim::NOT_A_CANDIDATE;

/// A table entry that points nowhere.
const NOWHERE: u32 = u32::MAX;

/// The least reserve: one superblock for each of the two frontiers of a group.
pub const LEAST_RESERVE_SUPERBLOCKS: u32 = 2;

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
    host: Frontier,
    collected: Frontier,
    /// Slots that can still be written before anything is collected.
    writable_slots: u32,
    victim: Option<Victim>,
    /// Valid slots on the group's dies.
    valid: u32,
}

/// The tables of the last checkpoint, and the frontier they are written to.
#[derive(Debug, Clone, Default)]
struct Tables {
    frontier: Frontier,
    /// Superblocks that hold tables, oldest first, the frontier's last.
    held: VecDeque<SuperblockId>,
    /// Host slots written since the last checkpoint.
    slots_since: u32,
}

/// A page-mapped translation layer.
#[derive(Debug)]
pub struct PageLayer {
    layout: Layout,
    array: Array,
    config: PageConfig,
    /// Slots of one program unit; 1 when a slot is larger.
    unit_slots: Divisor,
    /// Physical slot of each logical one.
    map: Vec<u32>,
    /// Logical slot that was written to each physical one.
    owner: Vec<u32>,
    /// Physical slots that are the newest copy.
    valid: Bitmap,
    /// Valid slots of each superblock; free and open ones are marked.
    valid_slots: Vec<u32>,
    /// When each superblock was closed.
    closed_at: Vec<u64>,
    closed: u64,
    groups: Vec<Group>,
    group_of: Vec<u16>,
    next_group: usize,
    /// Valid slots on all dies.
    mapped: u32,
    tables: Tables,
    /// Superblocks collected since one last freed anything.
    in_vain: u32,
    /// Why no more writes are taken.
    refusal: Option<Refusal>,
    /// Scratch: the slots being copied, with the fences of their reads.
    row: Vec<(u32, Fence)>,
}

impl Clone for PageLayer {
    fn clone(&self) -> Self {
        PageLayer {
            layout: self.layout,
            array: self.array.clone(),
            config: PageConfig {
                policy: self.config.policy.boxed(),
                ..self.config
            },
            unit_slots: self.unit_slots,
            map: self.map.clone(),
            owner: self.owner.clone(),
            valid: self.valid.clone(),
            valid_slots: self.valid_slots.clone(),
            closed_at: self.closed_at.clone(),
            closed: self.closed,
            groups: self.groups.clone(),
            group_of: self.group_of.clone(),
            next_group: self.next_group,
            mapped: self.mapped,
            tables: self.tables.clone(),
            in_vain: self.in_vain,
            refusal: self.refusal,
            row: Vec::new(),
        }
    }
}

impl PageLayer {
    /// An empty drive on an unworn array.
    ///
    /// # Errors
    /// When the array cannot hold the user's slots, the reserve and one slot more in each group.
    pub fn new(layout: Layout, config: PageConfig) -> Result<PageLayer, PageConfigError> {
        check(&layout, &config)?;
        let groups = (0..layout.groups)
            .map(|g| {
                let first = g * layout.superblocks_per_group;
                Group {
                    free: (first..first + layout.superblocks_per_group)
                        .map(SuperblockId)
                        .collect(),
                    host: Frontier::default(),
                    collected: Frontier::default(),
                    writable_slots: layout.superblocks_per_group * layout.slots_per_superblock,
                    victim: None,
                    valid: 0,
                }
            })
            .collect();
        let superblocks = layout.superblocks() as usize;
        let planes = layout.geometry.planes_per_die;
        Ok(PageLayer {
            layout,
            array: Array::new(layout.geometry),
            unit_slots: Divisor::new(
                (planes * layout.geometry.page_bytes / layout.geometry.slot_bytes).max(1),
            ),
            map: vec![NOWHERE; config.user_slots as usize],
            owner: vec![NOWHERE; layout.slots() as usize],
            valid: Bitmap::new(layout.slots()),
            valid_slots: vec![NOT_A_CANDIDATE; superblocks],
            closed_at: vec![0; superblocks],
            closed: 0,
            groups,
            group_of: (0..layout.superblocks())
                .map(|s| layout.group_of(SuperblockId(s)) as u16)
                .collect(),
            next_group: 0,
            mapped: 0,
            tables: Tables::default(),
            in_vain: 0,
            refusal: None,
            row: Vec::new(),
            config,
        })
    }

    /// Valid slots of a superblock.
    fn valid_in(&self, superblock: SuperblockId) -> u32 {
        self.valid_slots[superblock.index()] & !NOT_A_CANDIDATE
    }

    #[inline]
    fn invalidate(&mut self, slot: u32) {
        self.valid.clear(slot);
        let superblock = self.layout.superblock_of(Ppa(slot)).index();
        self.valid_slots[superblock] -= 1;
        self.groups[usize::from(self.group_of[superblock])].valid -= 1;
        self.mapped -= 1;
    }

    /// Points the table at a slot that was just appended.
    #[inline]
    fn remap(&mut self, lpn: Lpn, to: Ppa) {
        self.map[lpn.index()] = to.0;
        self.owner[to.index()] = lpn.0;
        self.valid.set(to.0);
        let superblock = self.layout.superblock_of(to).index();
        self.valid_slots[superblock] += 1;
        self.groups[usize::from(self.group_of[superblock])].valid += 1;
        self.mapped += 1;
    }

    /// The group whose turn it is after `g`. One that holds a superblock more than its share is
    /// passed over: writes that always replace data of the same groups would otherwise fill up the
    /// others.
    #[inline]
    fn group_after(&self, g: usize) -> usize {
        let groups = self.groups.len();
        let limit = self.mapped / groups as u32 + self.layout.slots_per_superblock;
        (1..=groups)
            .map(|step| (g + step) % groups)
            .find(|&next| self.groups[next].valid <= limit)
            .expect("some group holds no more than the mean")
    }

    /// Reads the pages of a slot, or of `slots` neighbours in one page, if they are programmed: a
    /// slot whose unit is not full yet is still in the controller.
    fn read_slot(
        &mut self,
        slot: Ppa,
        slots: u32,
        cause: Cause,
        order: Order,
        batch: &mut OpBatch,
    ) {
        let (superblock, n) = self.layout.locate(slot);
        let (first, pages) = self.layout.pages_of_slot(n);
        let geometry = &self.layout.geometry;
        let bytes = (slots * geometry.slot_bytes).min(geometry.page_bytes);
        for n in first..first + pages {
            let place = self.layout.page(superblock, n);
            if place.page < self.array.programmed_pages(place.block) {
                self.array.read(place, bytes, cause, order, batch);
            }
        }
    }

    /// Writes the tables if it is time.
    fn checkpoint(&mut self, batch: &mut OpBatch) {
        let Some(checkpoint) = self.config.checkpoint else {
            return;
        };
        self.tables.slots_since += 1;
        if self.tables.slots_since < checkpoint.every_slots {
            return;
        }
        self.tables.slots_since = 0;
        let dead = self.tables.held.len().saturating_sub(1);
        for _ in 0..checkpoint.pages {
            self.append_table_page(batch);
        }
        for superblock in self.tables.held.drain(..dead).collect::<Vec<_>>() {
            self.release(superblock);
        }
    }

    /// Gives a superblock without valid data back to its group.
    fn release(&mut self, superblock: SuperblockId) {
        debug_assert_eq!(self.valid_in(superblock), 0);
        self.valid_slots[superblock.index()] = NOT_A_CANDIDATE;
        let group = &mut self.groups[self.layout.group_of(superblock) as usize];
        group.free.push_back(superblock);
        group.writable_slots += self.layout.slots_per_superblock;
    }
}

fn check(layout: &Layout, config: &PageConfig) -> Result<(), PageConfigError> {
    let reserve = config.reserve_superblocks;
    if reserve >= layout.superblocks_per_group {
        return Err(PageConfigError(format!(
            "a reserve of {reserve} superblocks; a group has only {}",
            layout.superblocks_per_group
        )));
    }
    let unit_bytes = layout.geometry.planes_per_die * layout.geometry.page_bytes;
    let slot_bytes = layout.geometry.slot_bytes;
    if !unit_bytes.is_multiple_of(slot_bytes) && !slot_bytes.is_multiple_of(unit_bytes) {
        return Err(PageConfigError(format!(
            "slots of {slot_bytes} bytes on program units of {unit_bytes}: one must divide the other"
        )));
    }
    if layout.groups > u32::from(u16::MAX) {
        return Err(PageConfigError(format!(
            "{} groups of dies; at most 65535",
            layout.groups
        )));
    }
    if reserve < LEAST_RESERVE_SUPERBLOCKS {
        return Err(PageConfigError(format!(
            "a reserve of {reserve} superblocks; each group needs at least \
             {LEAST_RESERVE_SUPERBLOCKS}, one for host data and one for collected data"
        )));
    }
    let need = slots_needed_in_a_group(layout, config);
    let have = u64::from(layout.superblocks_per_group) * u64::from(layout.slots_per_superblock);
    if config.user_slots == 0 || need > have {
        return Err(PageConfigError(format!(
            "{} user slots do not fit: each of {} groups of dies has {have} slots and needs {need} \
             for its share, a reserve of {reserve} superblocks of {} slots, and room to collect; \
             lower the user capacity",
            config.user_slots, layout.groups, layout.slots_per_superblock,
        )));
    }
    Ok(())
}

/// The slots without which a group could run out of superblocks that are worth collecting: its
/// share of the user's data, the superblock that it may hold more than its share, the tables, what
/// is writable when collection begins, and two open superblocks full of invalid slots.
fn slots_needed_in_a_group(layout: &Layout, config: &PageConfig) -> u64 {
    let slots = u64::from(layout.slots_per_superblock);
    let share = u64::from(config.user_slots.div_ceil(layout.groups));
    let above_share = if layout.groups > 1 { slots } else { 0 };
    let tables = config.checkpoint.map_or(0, |c| {
        u64::from(c.pages.div_ceil(layout.pages_per_superblock) + 2) * slots
    });
    let low_water = u64::from(config.reserve_superblocks) * slots + slots / 2;
    share + above_share + tables + low_water + 2 * slots + 1
}

/// Writable slots of a group at which it begins to collect. `check` keeps it below 2^32.
fn low_water(layout: &Layout, config: &PageConfig) -> u32 {
    config.reserve_superblocks * layout.slots_per_superblock + layout.slots_per_superblock / 2
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
        let slot = self.map[lpn.index()];
        (slot != NOWHERE).then_some(Ppa(slot))
    }

    fn read(&mut self, first: Lpn, slots: u32, done: Fence, batch: &mut OpBatch) {
        let order = Order::FREE.signalling(done);
        let mut lpn = first.0;
        let end = first.0 + slots;
        while lpn < end {
            let slot = self.map[lpn as usize];
            // Neighbours that lie in one page are sensed once.
            let same_page = |n: u32| {
                let page = |slot: u32| self.layout.page_of_slot(Ppa(slot));
                lpn + n < end
                    && self.map[(lpn + n) as usize] == slot + n
                    && page(slot + n) == page(slot)
            };
            let run = if slot == NOWHERE {
                1
            } else {
                (1..).take_while(|&n| same_page(n)).count() as u32 + 1
            };
            if slot != NOWHERE {
                self.read_slot(Ppa(slot), run, Cause::Host, order, batch);
            }
            lpn += run;
        }
    }

    fn write(&mut self, lpn: Lpn, extent: Extent, batch: &mut OpBatch) -> Result<Fence, Refusal> {
        if let Some(refusal) = self.refusal {
            return Err(refusal);
        }
        let g = self.next_group;
        let old = self.map[lpn.index()];
        if old != NOWHERE {
            if extent == Extent::Part {
                let ready = self.groups[g].host.ready(batch);
                self.read_slot(
                    Ppa(old),
                    1,
                    Cause::Host,
                    Order::FREE.signalling(ready),
                    batch,
                );
            }
            self.invalidate(old);
        }
        let (to, done) = self.append_host(g, batch);
        self.remap(lpn, to);
        batch.data(DataMove::Write { lpn, to });
        if self.groups[g].host.unit_is_complete() {
            self.next_group = self.group_after(g);
        }
        self.collect(g, batch);
        self.checkpoint(batch);
        Ok(done)
    }

    fn trim(&mut self, first: Lpn, slots: u32, _batch: &mut OpBatch) {
        for lpn in first.index()..first.index() + slots as usize {
            let slot = std::mem::replace(&mut self.map[lpn], NOWHERE);
            if slot != NOWHERE {
                self.invalidate(slot);
            }
        }
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

    fn page_layer(&self) -> Option<&PageLayer> {
        Some(self)
    }

    fn save(&self) -> LayerState {
        LayerState::Page(self.state())
    }

    fn restore(&mut self, state: LayerState) -> Result<(), StateError> {
        match state {
            LayerState::Page(state) => self.take_over(state),
            other => Err(other.of_another_scheme("page")),
        }
    }

    fn check_invariants(&self) {
        let slots_per_superblock = self.layout.slots_per_superblock;
        for (lpn, &slot) in self
            .map
            .iter()
            .enumerate()
            .filter(|(_, slot)| **slot != NOWHERE)
        {
            assert!(
                self.valid.get(slot),
                "LPN {lpn} maps to slot {slot}, which is not valid"
            );
            assert_eq!(
                self.owner[slot as usize] as usize, lpn,
                "slot {slot} belongs to another LPN"
            );
        }
        let mut valid_slots = 0;
        for s in (0..self.layout.superblocks()).map(SuperblockId) {
            let first = self.layout.slot(s, 0).0;
            let count = self.valid.count(first, first + slots_per_superblock);
            assert_eq!(self.valid_in(s), count, "count of valid slots of {s}");
            valid_slots += count;
        }
        let mapped = self.map.iter().filter(|slot| **slot != NOWHERE).count();
        assert_eq!(
            valid_slots as usize, mapped,
            "valid slots against mapped ones"
        );
        for (g, group) in self.groups.iter().enumerate() {
            let free = group.free.len() as u32 * slots_per_superblock;
            let open = group.host.left(&self.layout) + group.collected.left(&self.layout);
            assert_eq!(
                group.writable_slots,
                free + open,
                "writable slots of group {g}"
            );
            let first = g as u32 * self.layout.superblocks_per_group;
            let held = (first..first + self.layout.superblocks_per_group).map(SuperblockId);
            let valid: u32 = held.map(|s| self.valid_in(s)).sum();
            assert_eq!(group.valid, valid, "valid slots of group {g}");
        }
    }
}

#[cfg(test)]
mod tests;
