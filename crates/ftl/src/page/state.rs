//! A page-mapped layer in a saved state.
//!
//! Saved is what cannot be worked out: the map, the queues, the frontiers, the victims. Who owns a
//! slot, which slots are valid, how many of a superblock and how much of a group is writable all
//! follow from these, so they are counted anew and cannot contradict them. What is left to check is
//! that the saved parts agree with each other and with the array.

use super::victim::NOT_A_CANDIDATE;
use super::{Frontier, LEAST_RESERVE_SUPERBLOCKS, NOWHERE, PageLayer, Victim, low_water};
use crate::Refusal;
use ftlab_base::rng::Stream;
use ftlab_base::{BlockId, Lpn, Ppa, SuperblockId, deltas};
use ftlab_nand::{ArrayState, Fence, OpBatch, StateError};
use serde::{Deserialize, Serialize};

/// Everything that changes in a [`PageLayer`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageState {
    array: ArrayState,
    #[serde(with = "deltas")]
    map: Vec<u32>,
    closed_at: Vec<u64>,
    closed: u64,
    groups: Vec<GroupState>,
    next_group: u32,
    tables: TablesState,
    in_vain: u32,
    refusal: Option<Refusal>,
    /// What the victim policy draws from.
    stream: Option<Stream>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct GroupState {
    free: Vec<SuperblockId>,
    host: FrontierState,
    collected: FrontierState,
    victim: Option<VictimState>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct FrontierState {
    superblock: Option<SuperblockId>,
    next: u32,
    programmed: u32,
    /// The open unit has a fence to wait for.
    waits: bool,
    /// Somebody waits for the open unit.
    signals: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct VictimState {
    superblock: SuperblockId,
    /// The first slot not looked at, from the superblock's first.
    looked_at: u32,
    valid: u32,
    credit: u64,
    page_in_hand: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct TablesState {
    frontier: FrontierState,
    held: Vec<SuperblockId>,
    slots_since: u32,
}

/// What a superblock is in use for, as far as a state says. The others are full and wait to be
/// collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Full,
    Free,
    /// Open, with so many slots and pages written.
    Open(u32, u32),
    /// Under collection, looked at so far.
    Victim(u32),
    Tables,
}

impl PageState {
    pub(crate) fn has_open_units(&self) -> bool {
        let frontiers = self.groups.iter().flat_map(|g| [g.host, g.collected]);
        frontiers.into_iter().any(|f| f.waits || f.signals)
    }
}

impl FrontierState {
    fn of(frontier: &Frontier) -> FrontierState {
        FrontierState {
            superblock: frontier.superblock,
            next: frontier.next,
            programmed: frontier.programmed,
            waits: frontier.ready.is_some(),
            signals: frontier.done.is_some(),
        }
    }

    fn restored(self) -> Frontier {
        // The one fence of a run without time: nobody waits there.
        let mut untimed = OpBatch::default();
        untimed.set_timed(false);
        let mut fence = |some: bool| if some { untimed.fence() } else { Fence::NONE };
        Frontier {
            superblock: self.superblock,
            next: self.next,
            programmed: self.programmed,
            ready: fence(self.waits),
            done: fence(self.signals),
        }
    }
}

impl PageLayer {
    pub(super) fn state(&self) -> PageState {
        let first = |superblock| self.layout.slot(superblock, 0).0;
        let group = |group: &super::Group| GroupState {
            free: group.free.iter().copied().collect(),
            host: FrontierState::of(&group.host),
            collected: FrontierState::of(&group.collected),
            victim: group.victim.map(|v| VictimState {
                superblock: v.superblock,
                looked_at: v.cursor - first(v.superblock),
                valid: v.valid,
                credit: v.credit,
                page_in_hand: v.page_in_hand,
            }),
        };
        PageState {
            array: self.array.state(),
            map: self.map.clone(),
            closed_at: self.closed_at.clone(),
            closed: self.closed,
            groups: self.groups.iter().map(group).collect(),
            next_group: self.next_group as u32,
            tables: TablesState {
                frontier: FrontierState::of(&self.tables.frontier),
                held: self.tables.held.iter().copied().collect(),
                slots_since: self.tables.slots_since,
            },
            in_vain: self.in_vain,
            refusal: self.refusal,
            stream: self.config.policy.boxed().stream().map(|s| s.clone()),
        }
    }

    /// Takes over a state; `self` is as built. After an error it is to be thrown away.
    pub(super) fn take_over(&mut self, state: PageState) -> Result<(), StateError> {
        let superblocks = self.layout.superblocks() as usize;
        StateError::length("the map", state.map.len(), self.map.len())?;
        StateError::length("the list of groups", state.groups.len(), self.groups.len())?;
        StateError::length("the order of closing", state.closed_at.len(), superblocks)?;
        StateError::unless(!state.array.has_bad_blocks(), || {
            "page mapping knows no bad blocks, and there are some".into()
        })?;
        self.array.restore(state.array.clone())?;
        let places = self.places(&state)?;
        self.check_pages(&places)?;
        self.restore_counts(&state)?;
        self.restore_groups(&state)?;
        self.restore_map(state.map, &places)?;
        self.check_room()
    }

    /// What each superblock is in use for, each for one thing only.
    fn places(&self, state: &PageState) -> Result<Vec<Place>, StateError> {
        let mut places = vec![Place::Full; self.layout.superblocks() as usize];
        let mut put = |superblock: SuperblockId, group: Option<usize>, new: Place| {
            let place = places.get_mut(superblock.index());
            let fits = place.is_some()
                && group.is_none_or(|g| self.layout.group_of(superblock) as usize == g);
            StateError::unless(fits, || format!("{superblock} is not in group {group:?}"))?;
            let old = place.map(|place| std::mem::replace(place, new));
            StateError::unless(old == Some(Place::Full), || {
                format!("{superblock} is {old:?} and {new:?} at once")
            })
        };
        for (g, group) in state.groups.iter().enumerate() {
            for &superblock in &group.free {
                put(superblock, Some(g), Place::Free)?;
            }
            for frontier in [&group.host, &group.collected] {
                self.check_frontier(frontier)?;
                if let Some(superblock) = frontier.superblock {
                    let new = Place::Open(frontier.next, frontier.programmed);
                    put(superblock, Some(g), new)?;
                }
            }
            if let Some(victim) = group.victim {
                put(victim.superblock, Some(g), Place::Victim(victim.looked_at))?;
            }
        }
        let tables = &state.tables;
        for &superblock in &tables.held {
            put(superblock, None, Place::Tables)?;
        }
        let open = tables.frontier.superblock;
        StateError::unless(
            open.is_none() || open == tables.held.last().copied(),
            || "the tables are written to a superblock that does not hold any".into(),
        )?;
        if let Some(superblock) = open {
            places[superblock.index()] = Place::Open(0, tables.frontier.programmed);
        }
        Ok(places)
    }

    /// A frontier is programmed exactly as far as its units are full.
    fn check_frontier(&self, frontier: &FrontierState) -> Result<(), StateError> {
        let (slots, planes) = (
            self.layout.slots_per_superblock,
            self.layout.geometry.planes_per_die,
        );
        let begun = self.unit_slots.divide(frontier.next).1;
        let complete = match frontier.next - begun {
            0 => 0,
            full => {
                let (first, pages) = self.layout.pages_of_slot(full - 1);
                (first + pages) / planes * planes
            }
        };
        let is_open = frontier.superblock.is_some() || frontier.next == 0;
        let agrees = frontier.next < slots && frontier.programmed == complete && is_open;
        let fenced = begun > 0 || !(frontier.waits || frontier.signals);
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
            let pages = match *place {
                Place::Free => continue,
                Place::Open(_, pages) => pages,
                _ => self.layout.pages_per_superblock,
            };
            let superblock = SuperblockId(s as u32);
            let dies = self.layout.blocks(superblock);
            let blocks = dies.flat_map(|(_, first)| (first.0..first.0 + planes).map(BlockId));
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
        StateError::count("the count of closed superblocks", state.closed)?;
        for &closed_at in &state.closed_at {
            StateError::unless(closed_at <= state.closed, || {
                format!(
                    "a superblock was closed as number {closed_at} of {}",
                    state.closed
                )
            })?;
        }
        let groups = self.groups.len();
        StateError::unless((state.next_group as usize) < groups, || {
            format!("it is the turn of group {} of {groups}", state.next_group)
        })?;
        let (every, held_max) = self.config.checkpoint.map_or((1, 0), |c| {
            let pages = self.layout.pages_per_superblock;
            (c.every_slots.max(1), c.pages.div_ceil(pages) as usize + 2)
        });
        let tables = &state.tables;
        let frontier = &tables.frontier;
        let fits = tables.slots_since < every
            && tables.held.len() <= held_max
            && frontier.next == 0
            && frontier.programmed < self.layout.pages_per_superblock
            && (frontier.superblock.is_some() || frontier.programmed == 0)
            && !frontier.waits
            && !frontier.signals;
        StateError::unless(fits, || {
            format!("the tables on flash are not those of this drive: {tables:?}")
        })?;
        StateError::unless(state.in_vain <= u32::MAX / 2, || {
            format!("{} superblocks were collected in vain", state.in_vain)
        })?;
        match (self.config.policy.stream(), &state.stream) {
            (Some(own), Some(saved)) => *own = saved.clone(),
            (None, None) => {}
            _ => return Err(StateError("another victim policy was at work".into())),
        }
        self.closed = state.closed;
        self.closed_at.clone_from(&state.closed_at);
        self.next_group = state.next_group as usize;
        self.tables.frontier = frontier.restored();
        self.tables.held = tables.held.iter().copied().collect();
        self.tables.slots_since = tables.slots_since;
        self.in_vain = state.in_vain;
        self.refusal = state.refusal;
        Ok(())
    }

    fn restore_groups(&mut self, state: &PageState) -> Result<(), StateError> {
        let slots = self.layout.slots_per_superblock;
        for (group, saved) in self.groups.iter_mut().zip(&state.groups) {
            group.free = saved.free.iter().copied().collect();
            group.host = saved.host.restored();
            group.collected = saved.collected.restored();
            group.writable_slots = group.free.len() as u32 * slots
                + group.host.left(&self.layout)
                + group.collected.left(&self.layout);
            group.victim = None;
            if let Some(victim) = saved.victim {
                let fits = victim.looked_at <= slots
                    && victim.valid <= slots
                    && victim.credit <= u64::from(u32::MAX) * u64::from(slots);
                StateError::unless(fits, || format!("an impossible victim: {victim:?}"))?;
                let first = self.layout.slot(victim.superblock, 0).0;
                group.victim = Some(Victim {
                    superblock: victim.superblock,
                    cursor: first + victim.looked_at,
                    end: first + slots,
                    valid: victim.valid,
                    gain: slots - victim.valid,
                    credit: victim.credit,
                    page_in_hand: victim.page_in_hand,
                    // Set anew before it is used: rows do not go over from call to call.
                    ready: Fence::NONE,
                });
            }
        }
        Ok(())
    }

    /// Points every logical slot where it was; what follows from that is counted.
    fn restore_map(&mut self, map: Vec<u32>, places: &[Place]) -> Result<(), StateError> {
        for (count, place) in self.valid_slots.iter_mut().zip(places) {
            *count = if *place == Place::Full {
                0
            } else {
                NOT_A_CANDIDATE
            };
        }
        for (lpn, &slot) in (0..).map(Lpn).zip(&map) {
            if slot == NOWHERE {
                continue;
            }
            StateError::unless(slot < self.layout.slots(), || {
                format!("{lpn} lies at slot {slot}, which does not exist")
            })?;
            let (superblock, n) = self.layout.locate(Ppa(slot));
            let holds = match places[superblock.index()] {
                Place::Full => true,
                Place::Open(next, _) => n < next,
                Place::Victim(looked_at) => n >= looked_at,
                Place::Free | Place::Tables => false,
            };
            StateError::unless(holds && !self.valid.get(slot), || {
                format!("{lpn} lies at slot {slot}, which holds nothing or another's data")
            })?;
            self.remap(lpn, Ppa(slot));
        }
        for (g, victim) in self.groups.iter().filter_map(|g| g.victim).enumerate() {
            let valid = self.valid_in(victim.superblock);
            StateError::unless(valid <= victim.valid, || {
                format!(
                    "victim {g} has {valid} valid slots, and had {} before",
                    victim.valid
                )
            })?;
        }
        Ok(())
    }

    /// Whether every group can go on: it holds no more than its share of the user's data and has
    /// kept about the reserve writable.
    fn check_room(&self) -> Result<(), StateError> {
        let (slots, unit) = (self.layout.slots_per_superblock, self.unit_slots.get());
        let share = self.config.user_slots.div_ceil(self.layout.groups);
        // What `collect` keeps, what `make_room` keeps, and units that a flush filled up since.
        let kept = low_water(&self.layout, &self.config) - slots - unit;
        let kept = kept
            .min(LEAST_RESERVE_SUPERBLOCKS * slots)
            .saturating_sub(4 * unit);
        for (g, group) in self.groups.iter().enumerate() {
            StateError::unless(group.valid <= share.saturating_add(slots + unit), || {
                format!(
                    "group {g} holds {} valid slots; its share is {share}",
                    group.valid
                )
            })?;
            let writable = group.writable_slots;
            // One that gave up was about to collect.
            let kept = kept.saturating_sub(self.refusal.map_or(0, |_| slots));
            StateError::unless(writable >= kept, || {
                format!("group {g} has {writable} writable slots left; it keeps {kept}")
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{PageConfig, policy};
    use crate::{Extent, TranslationLayer};
    use ftlab_base::{Geometry, Layout};

    /// A layer of two groups as built.
    fn layer() -> PageLayer {
        let geometry = Geometry {
            channels: 2,
            dies_per_channel: 1,
            planes_per_die: 1,
            blocks_per_die: 16,
            pages_per_block: 8,
            page_bytes: 4096,
            slot_bytes: 4096,
        };
        let config = PageConfig {
            user_slots: 100,
            reserve_superblocks: 2,
            policy: policy("greedy").unwrap(),
            checkpoint: None,
        };
        PageLayer::new(Layout::new(geometry, 1).unwrap(), config).unwrap()
    }

    /// The state of a layer that has been collecting for long.
    fn collecting() -> PageState {
        let (mut layer, mut batch) = (layer(), OpBatch::default());
        for n in 0..2000 {
            layer
                .write(Lpn(n * 37 % 100), Extent::Whole, &mut batch)
                .unwrap();
            batch.clear();
        }
        layer.state()
    }

    #[test]
    fn a_group_without_room_is_refused() {
        let mut state = collecting();
        layer().take_over(state.clone()).unwrap();
        // What was free is now full of invalid slots: nothing contradicts that but the reserve.
        state.groups[1].free.clear();
        let why = layer().take_over(state).unwrap_err().0;
        assert!(
            why.contains("group 1 has") && why.contains("writable"),
            "{why}"
        );
    }

    #[test]
    fn a_group_with_more_than_its_share_is_refused() {
        let mut state = collecting();
        // Every logical slot that group 0 has a place for moves there.
        let group_slots = 16 * 8;
        let mut taken: Vec<bool> = vec![false; group_slots as usize];
        for &slot in state.map.iter().filter(|&&slot| slot < group_slots) {
            taken[slot as usize] = true;
        }
        let in_use = |s: u32| {
            let group = &state.groups[0];
            let open = [group.host.superblock, group.collected.superblock];
            let victim = group.victim.map(|v| v.superblock);
            let s = SuperblockId(s);
            group.free.contains(&s) || open.contains(&Some(s)) || victim == Some(s)
        };
        let mut places = (0..group_slots).filter(|&n| !taken[n as usize] && !in_use(n / 8));
        let mut map = state.map.clone();
        for slot in map.iter_mut().filter(|slot| **slot >= group_slots) {
            *slot = places.next().unwrap_or(*slot);
        }
        state.map = map;
        let why = layer().take_over(state).unwrap_err().0;
        assert!(why.contains("its share is 50"), "{why}");
    }
}
