//! A page-mapped layer in a saved state.
//!
//! Saved is what cannot be worked out: the map, the queues, the frontiers, the victims. Who owns a
//! slot, which slots are valid, how many of a superblock and how much of a group is writable all
//! follow from these, so they are counted anew and cannot contradict them. What is left to check is
//! that the saved parts agree with each other and with the array.

use super::frontier::Frontier;
use super::streams::{Births, FRONTIERS_PER_CELL};
use super::table::NOWHERE;
use super::translation::TranslationState;
use super::wear::WearBounds;
use super::{Group, PageLayer, Victim};
use crate::donors::{Donors, wear_of_all};
use crate::lost::Lost;
use crate::state::{check_closings, restore_stream};
use crate::{Refusal, Room};
use ftlab_base::rng::Stream;
use ftlab_base::{BlockId, Lpn, Ppa, SuperblockId, deltas};
use ftlab_nand::{ArrayState, Cause, Fence, OpBatch, StateError};
use serde::{Deserialize, Serialize};

/// Everything that changes in a page-mapped layer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageState {
    array: ArrayState,
    #[serde(with = "deltas")]
    map: Vec<u32>,
    closed_at: Vec<u64>,
    closed: u64,
    groups: Vec<GroupState>,
    /// Group that each stream writes to next.
    next_group: Vec<u32>,
    streams: StreamsState,
    tables: TablesState,
    /// The mapping table on flash, if that is where it is.
    translation: Option<Box<TranslationState>>,
    in_vain: u32,
    refusal: Option<Refusal>,
    /// Logical slots that were lost, in order.
    lost: Vec<u32>,
    /// Random stream of the victim policy, if it draws.
    stream: Option<Stream>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct GroupState {
    free: Vec<SuperblockId>,
    /// In the order of the layer.
    frontiers: Vec<FrontierState>,
    victim: Option<VictimState>,
    collections: u32,
    retired: Vec<SuperblockId>,
    /// Full superblocks of the cache, oldest first.
    slc: Vec<SuperblockId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct FrontierState {
    superblock: Option<SuperblockId>,
    /// Slots of it that are taken.
    taken: u32,
    /// The open unit has a fence to wait for.
    waits: bool,
    /// Somebody waits for the open unit.
    signals: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct VictimState {
    superblock: SuperblockId,
    /// Moved to level wear, not for its invalid slots.
    for_wear: bool,
    /// The first slot not looked at, from the superblock's first.
    looked_at: u32,
    valid: u32,
    credit: u64,
    page_in_hand: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct StreamsState {
    /// Stream of each superblock; nothing if there is only one.
    of: Vec<u16>,
    writes: Vec<u64>,
    births: Vec<Births>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct TablesState {
    /// The open superblock and the pages programmed there.
    open: Option<(SuperblockId, u32)>,
    held: Vec<SuperblockId>,
    slots_since: u32,
}

/// Use of a superblock, as far as a state says. The others are full and wait to be collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Full,
    Free,
    /// Open, with N slots taken and pages programmed.
    Open(u32, u32),
    /// Under collection, looked at so far.
    Victim(u32),
    /// Full, and in the cache.
    Slc,
    /// Holds tables, in N pages.
    Tables(u32),
    /// Taken apart for its bad blocks.
    Retired,
}

/// Slots by which an entry is fetched from memory before it is placed.
const FETCHED_AHEAD: usize = 32;

impl PageState {
    pub(crate) fn has_open_units(&self) -> bool {
        let frontiers = self.groups.iter().flat_map(|g| &g.frontiers);
        frontiers.into_iter().any(|f| f.waits || f.signals)
    }
}

impl FrontierState {
    const CLOSED: FrontierState = FrontierState {
        superblock: None,
        taken: 0,
        waits: false,
        signals: false,
    };
}

impl<const FLAT: bool> PageLayer<FLAT> {
    pub(super) fn state(&self, mut room: Room) -> PageState {
        let superblocks = (0..self.layout.superblocks()).map(SuperblockId);
        PageState {
            array: self.array.state(),
            map: room.words(self.table.map()),
            closed_at: self.closed_at.clone(),
            closed: self.closed,
            groups: (0..self.groups.len())
                .map(|g| self.group_state(g))
                .collect(),
            next_group: self.next_group.iter().map(|&g| g as u32).collect(),
            streams: StreamsState {
                // A single stream has all superblocks.
                of: match self.streams.count() {
                    1 => Vec::new(),
                    _ => superblocks.map(|s| self.stream_of(s) as u16).collect(),
                },
                writes: self.streams.writes().to_vec(),
                births: self.streams.births.clone(),
            },
            tables: TablesState {
                open: self.tables.open,
                held: self.tables.held.iter().copied().collect(),
                slots_since: self.tables.slots_since,
            },
            translation: self.translation_state().map(Box::new),
            in_vain: self.in_vain,
            refusal: self.refusal,
            lost: self.lost.saved(),
            stream: self.config.policy.boxed().stream().cloned(),
        }
    }

    /// The frontiers of a group, in the order in which they are saved.
    fn frontiers_of_group(&self, g: usize) -> Vec<usize> {
        let per_group = self.streams.count() * FRONTIERS_PER_CELL;
        let cache = self.config.slc.map(|_| self.slc_frontier(g));
        (g * per_group..(g + 1) * per_group).chain(cache).collect()
    }

    fn group_state(&self, g: usize) -> GroupState {
        let group = &self.groups[g];
        let frontier = |f: &Frontier| match f.open_superblock() {
            None => FrontierState::CLOSED,
            some => FrontierState {
                superblock: some,
                taken: self.slots_of(f.superblock) - f.left(),
                waits: f.ready.is_some(),
                signals: f.done.is_some(),
            },
        };
        GroupState {
            free: group.free.iter().copied().collect(),
            frontiers: (self.frontiers_of_group(g).into_iter())
                .map(|f| frontier(&self.frontiers[f]))
                .collect(),
            victim: group.victim.map(|v| VictimState {
                superblock: v.superblock,
                for_wear: v.cause == Cause::Wear,
                looked_at: v.cursor - self.layout.slot(v.superblock, 0).0,
                valid: v.valid,
                credit: v.credit,
                page_in_hand: v.page_in_hand,
            }),
            collections: group.collections,
            retired: group.retired.clone(),
            slc: group.slc.iter().copied().collect(),
        }
    }

    /// Takes over a state; `self` is as built. After an error it is to be thrown away.
    pub(super) fn take_over(&mut self, state: PageState) -> Result<(), StateError> {
        let user_slots = self.config.user_slots as usize;
        StateError::length("the map", state.map.len(), user_slots)?;
        StateError::length("the list of groups", state.groups.len(), self.groups.len())?;
        self.array.restore(state.array.clone())?;
        self.lost = Lost::restored(state.lost.clone(), self.config.user_slots)?;
        self.restore_counts(&state)?;
        self.restore_streams(&state)?;
        let places = self.places(&state)?;
        self.check_pages(&places)?;
        self.restore_tables(&state.tables)?;
        self.restore_groups(&state)?;
        self.restore_map(&state.map, &places)?;
        self.restore_translation(state.translation.as_deref())?;
        self.check_room()
    }

    /// Finds the use of each superblock. Fails if one has two uses, or is in a group that it does not belong to.
    fn places(&self, state: &PageState) -> Result<Vec<Place>, StateError> {
        let mut places = vec![Place::Full; self.layout.superblocks() as usize];
        let mut put = |superblock: SuperblockId, group: Option<usize>, new: Place| {
            let place = places.get_mut(superblock.index());
            let fits = place.is_some()
                && group.is_none_or(|g| self.layout.group_of(superblock) as usize == g);
            StateError::unless(fits, || format!("{superblock} is not in group {group:?}"))?;
            // All begin as full, so a superblock that is something else already has a second use.
            let old = place.map(|place| std::mem::replace(place, new));
            StateError::unless(old == Some(Place::Full), || {
                format!("{superblock} is {old:?} and {new:?} at once")
            })
        };
        for (g, group) in state.groups.iter().enumerate() {
            let of_group = self.frontiers_of_group(g);
            for &superblock in &group.slc {
                put(superblock, Some(g), Place::Slc)?;
            }
            for &superblock in &group.free {
                put(superblock, Some(g), Place::Free)?;
            }
            for &superblock in &group.retired {
                put(superblock, Some(g), Place::Retired)?;
            }
            StateError::length("a list of frontiers", group.frontiers.len(), of_group.len())?;
            for (frontier, f) in group.frontiers.iter().zip(of_group) {
                self.check_frontier(frontier, f)?;
                if let Some(superblock) = frontier.superblock {
                    let taken = frontier.taken;
                    let new = Place::Open(taken, self.pages_of_units(taken));
                    put(superblock, Some(g), new)?;
                    let stream = self.stream_of(superblock);
                    let wanted = self.cell_of_frontier(f) % self.streams.count();
                    StateError::unless(stream == wanted, || {
                        format!("{superblock} is open for a stream and belongs to another")
                    })?;
                }
            }
            if let Some(victim) = group.victim {
                put(victim.superblock, Some(g), Place::Victim(victim.looked_at))?;
            }
        }
        if let Some(translation) = &state.translation {
            for &superblock in &translation.free {
                put(superblock, None, Place::Free)?;
            }
            for (superblock, pages) in translation.held() {
                put(superblock, None, Place::Tables(pages))?;
            }
        }
        let tables = &state.tables;
        let (open, pages) = tables.open.unzip();
        for &superblock in &tables.held {
            let all = self.layout.pages_per_superblock;
            let pages = pages.filter(|_| open == Some(superblock)).unwrap_or(all);
            put(superblock, None, Place::Tables(pages))?;
        }
        StateError::unless(
            open.is_none() || open == tables.held.last().copied(),
            || "the tables are written to a superblock that does not hold any".into(),
        )?;
        Ok(places)
    }

    /// Pages of a superblock that are programmed when N of its slots are taken: those of whole
    /// program units.
    fn pages_of_units(&self, taken: u32) -> u32 {
        let units = taken / self.unit_slots() * self.units_per_slot();
        units * self.planes()
    }

    fn check_frontier(&self, frontier: &FrontierState, f: usize) -> Result<(), StateError> {
        let is_open = frontier.superblock.is_some();
        let slots = match &self.config.slc {
            Some(slc) if self.is_slc_frontier(f) => slc.slots(&self.layout),
            _ => self.layout.slots_per_superblock,
        };
        let agrees = frontier.taken < slots && (frontier.taken > 0) == is_open;
        let begun = !frontier.taken.is_multiple_of(self.unit_slots());
        let fenced = begun || !(frontier.waits || frontier.signals);
        StateError::unless(agrees && fenced, || {
            format!("an open superblock contradicts itself: {frontier:?}")
        })
    }

    /// Every superblock is programmed as far as its use says. A free one is erased when opened, so
    /// it may be programmed or not.
    fn check_pages(&self, places: &[Place]) -> Result<(), StateError> {
        let planes = self.layout.geometry.planes_per_die;
        // Pages of a superblock that lie in one row over its dies and planes.
        let row = self.layout.stripe_dies * planes;
        for (s, place) in places.iter().enumerate() {
            let pages = self.layout.pages_programmed(match *place {
                Place::Free | Place::Retired => continue,
                Place::Open(_, pages) | Place::Tables(pages) => pages,
                Place::Full => self.layout.pages_per_superblock,
                Place::Slc | Place::Victim(_) => {
                    self.pages_of_units(self.slots_of(SuperblockId(s as u32)))
                }
            });
            let superblock = SuperblockId(s as u32);
            let dies = self.layout.blocks(superblock);
            let blocks = dies.flat_map(|(_, first)| (first.0..first.0 + planes).map(BlockId));
            let blocks: Vec<BlockId> = blocks.collect();
            let failed = blocks.iter().any(|&block| self.array.is_bad(block));
            // One that a program failed on was closed before it was full.
            if failed && !matches!(place, Place::Open(..)) {
                continue;
            }
            for (n, block) in (0..).zip(blocks) {
                let want = pages / row + u32::from(pages % row > n);
                let have = self.array.programmed_pages(block);
                StateError::unless(have == want, || {
                    format!("{block} of {superblock} has {have} pages programmed, not {want}")
                })?;
            }
        }
        Ok(())
    }

    fn restore_counts(&mut self, state: &PageState) -> Result<(), StateError> {
        let (closed, in_vain) = (state.closed, state.in_vain);
        let slots = self.layout.slots_per_superblock;
        check_closings(&state.closed_at, closed, in_vain, &self.layout, slots)?;
        let groups = self.groups.len();
        let turns = state.next_group.len();
        StateError::length("the turns of the streams", turns, self.next_group.len())?;
        for &next in &state.next_group {
            StateError::unless((next as usize) < groups, || {
                format!("it is the turn of group {next} of {groups}")
            })?;
        }
        restore_stream(self.config.policy.stream(), state.stream.as_ref())?;
        self.closed = state.closed;
        self.closed_at.clone_from(&state.closed_at);
        self.next_group = state.next_group.iter().map(|&g| g as usize).collect();
        self.in_vain = state.in_vain;
        self.refusal = state.refusal;
        Ok(())
    }

    fn restore_streams(&mut self, state: &PageState) -> Result<(), StateError> {
        let saved = &state.streams;
        let streams = self.streams.count();
        let superblocks = self.layout.superblocks();
        let listed = if streams == 1 {
            0
        } else {
            superblocks as usize
        };
        StateError::length("the streams of superblocks", saved.of.len(), listed)?;
        let births = self.streams.births.len();
        StateError::length("the ages of superblocks", saved.births.len(), births)?;
        for (s, &stream) in (0..).map(SuperblockId).zip(&saved.of) {
            StateError::unless(usize::from(stream) < streams, || {
                format!("{s} is of stream {stream}, which does not exist")
            })?;
            let cell = self.layout.group_of(s) as usize * streams + usize::from(stream);
            self.table.assign(s, cell);
        }
        for births in &saved.births {
            let slots = u64::from(self.layout.slots_per_superblock);
            StateError::unless(births.are_possible(state.closed, slots), || {
                format!("a superblock with impossible ages: {births:?}")
            })?;
        }
        self.streams.take_over(&saved.writes)?;
        self.streams.births.clone_from(&saved.births);
        Ok(())
    }

    fn restore_tables(&mut self, tables: &TablesState) -> Result<(), StateError> {
        let pages = self.layout.pages_per_superblock;
        let every = self.config.checkpoint.map_or(1, |c| c.every_slots.max(1));
        let fits = tables.slots_since < every
            && tables.open.is_none_or(|(_, n)| n > 0 && n < pages)
            && (self.config.checkpoint.is_some() || tables.held.is_empty());
        StateError::unless(fits, || {
            format!("the tables on flash are not those of this drive: {tables:?}")
        })?;
        self.tables.open = tables.open;
        self.tables.held = tables.held.iter().copied().collect();
        self.tables.slots_since = tables.slots_since;
        Ok(())
    }

    fn restore_groups(&mut self, state: &PageState) -> Result<(), StateError> {
        let slots = self.layout.slots_per_superblock;
        for (g, saved) in state.groups.iter().enumerate() {
            let mut slc_used = saved.slc.len() as u32;
            let mut writable = 0;
            for (f, frontier) in self.frontiers_of_group(g).into_iter().zip(&saved.frontiers) {
                self.frontiers[f] = self.frontier(frontier);
                // Superblocks of the cache do not count as writable.
                if self.is_slc_frontier(f) {
                    slc_used += u32::from(frontier.superblock.is_some());
                } else {
                    writable += self.frontiers[f].left();
                }
            }
            StateError::unless(saved.collections <= u32::MAX / 2, || {
                format!("{} collections since wear was levelled", saved.collections)
            })?;
            let victim = saved
                .victim
                .map(|victim| self.victim(&victim))
                .transpose()?;
            let folding = victim.is_some_and(|victim| self.is_slc(victim.superblock));
            self.groups[g] = Group {
                free: saved.free.iter().copied().collect(),
                writable_slots: writable,
                victim,
                collections: saved.collections,
                retired: saved.retired.clone(),
                slc: saved.slc.iter().copied().collect(),
                slc_used: slc_used + u32::from(folding),
            };
            self.groups[g].writable_slots += self.free_for_data(g) as u32 * slots;
        }
        Ok(())
    }

    fn frontier(&self, saved: &FrontierState) -> Frontier {
        let Some(superblock) = saved.superblock else {
            return Frontier::closed(self.unit_slots());
        };
        // The one fence of a run without time: nobody waits there.
        let mut untimed = OpBatch::default();
        untimed.set_timed(false);
        let mut fence = |some: bool| if some { untimed.fence() } else { Fence::NONE };
        let slot = self.layout.slot(superblock, 0).0;
        let first = self.layout.first_page(superblock);
        Frontier {
            superblock,
            next: slot + saved.taken,
            end: slot + self.slots_of(superblock),
            unit_left: self.unit_slots() - saved.taken % self.unit_slots(),
            first,
            place: self.page_from(first, self.pages_of_units(saved.taken)),
            ready: fence(saved.waits),
            done: fence(saved.signals),
        }
    }

    fn victim(&self, saved: &VictimState) -> Result<Victim, StateError> {
        let slots = self.layout.slots_per_superblock;
        let fits = saved.looked_at <= slots
            && saved.valid <= slots
            && saved.credit <= u64::from(u32::MAX) * u64::from(slots);
        StateError::unless(fits, || format!("an impossible victim: {saved:?}"))?;
        let superblock = saved.superblock;
        let slot = self.layout.slot(superblock, 0).0;
        Ok(Victim {
            superblock,
            first: self.layout.first_page(superblock),
            cause: if saved.for_wear {
                Cause::Wear
            } else {
                Cause::Gc
            },
            to: self.collection_frontier(self.table.cell_of(superblock)),
            begin: slot,
            cursor: slot + saved.looked_at,
            fetched: slot + saved.looked_at,
            end: slot + self.slots_of(superblock),
            valid: saved.valid,
            gain: slots - saved.valid,
            credit: saved.credit,
            page_in_hand: saved.page_in_hand,
            // Set anew before it is used: rows do not go over from call to call.
            ready: Fence::NONE,
        })
    }

    /// Points every logical slot where it was; what follows from that is counted.
    fn restore_map(&mut self, map: &[u32], places: &[Place]) -> Result<(), StateError> {
        self.donors = Donors::new(&self.layout);
        self.worn = wear_of_all(&self.layout, &self.array);
        self.wear_bounds = WearBounds::of_groups(&self.worn, self.layout.superblocks_per_group);
        for (s, place) in (0..).map(SuperblockId).zip(places) {
            self.table.set_candidate(s, *place == Place::Full);
            if *place == Place::Retired {
                self.donors.take_apart(&self.layout, s, &self.array);
            }
        }
        // Neighbours lie all over the flash.
        let mut ahead = map.iter().skip(FETCHED_AHEAD);
        for (lpn, &slot) in (0..).map(Lpn).zip(map) {
            if let Some(&later) = ahead.next() {
                self.table.fetch_slot(later);
            }
            if slot == NOWHERE {
                continue;
            }
            StateError::unless(slot < self.layout.slots(), || {
                format!("{lpn} lies at slot {slot}, which does not exist")
            })?;
            let (superblock, n) = self.layout.locate(Ppa(slot));
            let holds = match places[superblock.index()] {
                Place::Full => true,
                Place::Slc => n < self.slots_of(superblock),
                Place::Open(taken, _) => n < taken,
                Place::Victim(looked_at) => n >= looked_at,
                Place::Free | Place::Tables(_) | Place::Retired => false,
            };
            StateError::unless(holds && !self.table.is_valid(slot), || {
                format!("{lpn} lies at slot {slot}, which holds nothing or another's data")
            })?;
            self.table.place(lpn, slot, superblock);
        }
        for victim in self.groups.iter().filter_map(|g| g.victim) {
            let valid = self.table.valid_in(victim.superblock);
            StateError::unless(valid <= victim.valid, || {
                let (superblock, had) = (victim.superblock, victim.valid);
                format!("{superblock} has {valid} valid slots left to collect of {had}")
            })?;
        }
        Ok(())
    }

    /// Checks that every group can go on: it holds no more than its share of the user's data, and what is being
    /// collected can be finished.
    fn check_room(&self) -> Result<(), StateError> {
        let (slots, unit) = (self.layout.slots_per_superblock, self.unit_slots());
        let share = self.config.user_slots.div_ceil(self.layout.groups);
        for (g, group) in self.groups.iter().enumerate() {
            let valid = self.valid_of_group(g);
            StateError::unless(valid <= share.saturating_add(slots + unit), || {
                format!("group {g} holds {valid} valid slots; its share is {share}")
            })?;
            let can_end = |victim| self.fits(victim, 0);
            let goes_on = self.free_for_data(g) > 0
                || group.victim.as_ref().is_some_and(can_end)
                || self.refusal.is_some();
            StateError::unless(goes_on, || {
                let writable = group.writable_slots;
                format!(
                    "group {g} has {writable} writable slots left and no superblock to collect into"
                )
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
