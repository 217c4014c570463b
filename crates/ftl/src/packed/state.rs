//! A packed layer in a saved state.
//!
//! Saved is what cannot be worked out: where slots lie and what they share (`table/state.rs`), the
//! queue of free superblocks, the frontiers, the victim, and which superblocks leave out a die that
//! failed. How far a full superblock is filled follows from what is programmed there.

use super::collect::Victim;
use super::frontier::{COLLECTED, Frontier, HOST};
use super::lookup::Lookup;
use super::stripe::Skip;
use super::table::{Owner, TableState};
use super::{PackedLayer, Refusal};
use crate::Room;
use crate::clock::ClockState;
use crate::donors::Donors;
use crate::state::{check_closings, restore_stream};
use ftlab_base::rng::Stream;
use ftlab_base::{BlockId, DieId, SuperblockId};
use ftlab_nand::{ArrayState, Fence, OpBatch, StateError};
use serde::{Deserialize, Serialize};

/// Everything that changes in a [`PackedLayer`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackedState {
    array: ArrayState,
    table: TableState,
    /// Pages of the mapping table in memory, if that does not hold all of them.
    lookup: Option<ClockState>,
    /// Free superblocks, the next one first.
    free: Vec<SuperblockId>,
    /// Superblocks that were taken apart.
    retired: Vec<SuperblockId>,
    spare_at_first: u32,
    /// Owners of data that were lost.
    lost: Vec<Owner>,
    /// Those of the host and of collection.
    frontiers: [Option<FrontierState>; 2],
    victim: Option<VictimState>,
    closed_at: Vec<u64>,
    closed: u64,
    failed: Option<FailedState>,
    in_vain: u32,
    refusal: Option<Refusal>,
    /// Random stream of the victim policy, if it draws.
    stream: Option<Stream>,
}

/// Progress of an open superblock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct FrontierState {
    superblock: SuperblockId,
    /// Chunks of it that are taken, and units that are programmed.
    taken: u32,
    programmed: u32,
    /// True if the chunks that are not programmed yet have a fence to wait for.
    waits: bool,
    /// True if somebody waits for the open unit.
    signals: bool,
    /// True if the unit before signals what the open unit signals, too.
    straddled: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct VictimState {
    superblock: SuperblockId,
    /// Chunks that collection has passed over.
    passed: u32,
    gain: u32,
    credit: u64,
}

/// A die that failed, and the superblocks that leave it out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct FailedState {
    die: u32,
    left_out_by: Vec<SuperblockId>,
}

impl PackedState {
    pub(crate) fn has_open_units(&self) -> bool {
        let frontiers = self.frontiers.iter().flatten();
        frontiers.into_iter().any(|f| f.waits || f.signals)
    }
}

impl PackedLayer {
    pub(super) fn state(&self, room: Room) -> PackedState {
        let frontier = |f: &Frontier| {
            f.is_open.then(|| FrontierState {
                superblock: f.superblock,
                taken: f.next,
                programmed: f.programmed,
                waits: f.ready[0].is_some(),
                signals: f.done[0].is_some(),
                straddled: f.straddled,
            })
        };
        // The configuration says what the other superblocks leave out.
        let left_out = self.superblocks();
        let left_out = left_out.filter(|s| matches!(self.skip[s.index()], Skip::Failed(_)));
        PackedState {
            array: self.array.state(),
            table: self.table.state(room),
            lookup: self.lookup.as_ref().map(Lookup::state),
            free: self.free.iter().copied().collect(),
            retired: self.retired.clone(),
            spare_at_first: self.spare_at_first,
            lost: self.lost.iter().copied().collect(),
            frontiers: [HOST, COLLECTED].map(|f| frontier(&self.frontiers[f])),
            victim: self.victim.map(|v| VictimState {
                superblock: v.superblock,
                passed: v.passed,
                gain: v.gain,
                credit: v.credit,
            }),
            closed_at: self.closed_at.clone(),
            closed: self.closed,
            failed: self.failed.map(|die| FailedState {
                die,
                left_out_by: left_out.collect(),
            }),
            in_vain: self.in_vain,
            refusal: self.refusal,
            stream: self.config.policy.boxed().stream().cloned(),
        }
    }

    pub(super) fn superblocks(&self) -> impl Iterator<Item = SuperblockId> + use<> {
        (0..self.stripe.layout.superblocks()).map(SuperblockId)
    }

    /// Takes over a state; `self` is as built. After an error it is to be thrown away.
    pub(super) fn take_over(&mut self, state: PackedState) -> Result<(), StateError> {
        self.restore_counts(&state)?;
        self.array.restore(state.array)?;
        self.restore_failure(state.failed)?;
        for &superblock in &state.free {
            self.check_exists(superblock)?;
        }
        self.free = state.free.into_iter().collect();
        self.restore_retired(state.retired, state.spare_at_first)?;
        for f in [HOST, COLLECTED] {
            if let Some(saved) = state.frontiers[f] {
                self.frontiers[f] = self.frontier(saved)?;
            }
        }
        let mut filled: Vec<u32> = self.superblocks().map(|s| self.chunks_in(s)).collect();
        for superblock in self.free.iter().chain(&self.retired) {
            filled[superblock.index()] = 0;
        }
        for frontier in self.frontiers.iter().filter(|f| f.is_open) {
            filled[frontier.superblock.index()] = frontier.next;
        }
        let sizes = self.config.chunks_of(0)..=self.slot_chunks;
        self.table.restore(state.table, &sizes, &filled)?;
        self.restore_lookup(state.lookup.as_ref())?;
        for owner in state.lost {
            StateError::unless(self.table.knows(owner), || {
                format!("the data of {owner} are lost, and nobody has them")
            })?;
            self.lost.insert(owner);
        }
        self.victim = state.victim.map(|v| self.victim_from(v)).transpose()?;
        for superblock in self.superblocks() {
            self.table.set_candidate(superblock, true);
        }
        for superblock in self.not_full().collect::<Vec<_>>() {
            self.table.set_candidate(superblock, false);
        }
        // Else there may be more than can be counted.
        self.check_places()?;
        let left: u32 = self.frontiers.iter().map(|f| f.left(&self.stripe)).sum();
        self.writable = left + self.stripe.superblock * self.free.len() as u32;
        self.check()
    }

    fn check_exists(&self, superblock: SuperblockId) -> Result<(), StateError> {
        let superblocks = self.stripe.layout.superblocks();
        StateError::unless(superblock.0 < superblocks, || {
            format!("{superblock} does not exist; there are {superblocks}")
        })
    }

    fn restore_counts(&mut self, state: &PackedState) -> Result<(), StateError> {
        let (closed, in_vain) = (state.closed, state.in_vain);
        let (layout, chunks) = (&self.stripe.layout, self.stripe.superblock);
        check_closings(&state.closed_at, closed, in_vain, layout, chunks)?;
        restore_stream(self.config.policy.stream(), state.stream.as_ref())?;
        self.closed_at.clone_from(&state.closed_at);
        self.closed = state.closed;
        self.in_vain = state.in_vain;
        self.refusal = state.refusal;
        Ok(())
    }

    fn restore_retired(
        &mut self,
        retired: Vec<SuperblockId>,
        spare_at_first: u32,
    ) -> Result<(), StateError> {
        let superblocks = self.stripe.layout.superblocks();
        StateError::unless(spare_at_first <= superblocks, || {
            format!("{spare_at_first} of {superblocks} superblocks could be spared")
        })?;
        self.donors = Donors::new(&self.stripe.layout);
        if let Some(die) = self.failed {
            self.donors.do_without(DieId(die as u16));
        }
        for &superblock in &retired {
            self.check_exists(superblock)?;
            (self.donors).take_apart(&self.stripe.layout, superblock, &self.array);
        }
        self.retired = retired;
        self.spare_at_first = spare_at_first;
        Ok(())
    }

    /// The blocks of a die that failed are bad, and no others where none fails alone.
    fn restore_failure(&mut self, failed: Option<FailedState>) -> Result<(), StateError> {
        if let Some(FailedState { die, left_out_by }) = failed {
            let dies = self.stripe.layout.geometry.dies();
            StateError::unless(self.stripe.raise && die < dies, || {
                format!("die {die} failed, and there is no such die or no parity")
            })?;
            self.failed = Some(die);
            for superblock in left_out_by {
                self.check_exists(superblock)?;
                self.skip[superblock.index()] = Skip::Failed(die);
            }
        }
        let geometry = &self.stripe.layout.geometry;
        for block in (0..geometry.blocks()).map(BlockId) {
            let of_failed = self.failed == Some(block.0 / geometry.blocks_per_die);
            let is_bad = self.array.is_bad(block);
            let fails_alone = is_bad && self.array.can_fail();
            StateError::unless(is_bad == of_failed || fails_alone, || {
                format!("{block} is bad on a die that works, or good on one that failed")
            })?;
        }
        Ok(())
    }

    fn frontier(&self, saved: FrontierState) -> Result<Frontier, StateError> {
        self.check_exists(saved.superblock)?;
        let fits = (1..self.stripe.superblock).contains(&saved.taken)
            && saved.programmed <= self.stripe.unit_of(saved.taken);
        StateError::unless(fits, || {
            format!("an open superblock contradicts itself: {saved:?}")
        })?;
        // The one fence of a run without time: nobody waits there.
        let mut untimed = OpBatch::default();
        untimed.set_timed(false);
        let mut fence = |some: bool| if some { untimed.fence() } else { Fence::NONE };
        Ok(Frontier {
            superblock: saved.superblock,
            is_open: true,
            next: saved.taken,
            programmed: saved.programmed,
            ready: [fence(saved.waits), Fence::NONE],
            done: [fence(saved.signals), Fence::NONE],
            straddled: saved.straddled,
        })
    }

    fn victim_from(&self, saved: VictimState) -> Result<Victim, StateError> {
        let all = self.stripe.superblock;
        self.check_exists(saved.superblock)?;
        let filled = self.table.filled(saved.superblock);
        let fits = saved.passed <= filled
            && saved.gain <= all
            && saved.credit <= u64::from(u32::MAX) * u64::from(all);
        StateError::unless(fits, || format!("an impossible victim: {saved:?}"))?;
        // What begins before was looked at in the pass that read its first chunk.
        let (mut entry, mut at) = (0, 0);
        while at < saved.passed
            && let Some((_, chunks)) = self.table.logged(saved.superblock, entry)
        {
            at += chunks;
            entry += 1;
        }
        Ok(Victim {
            superblock: saved.superblock,
            passed: saved.passed,
            entry,
            at,
            filled,
            gain: saved.gain,
            credit: saved.credit,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packed::PackedConfig;
    use crate::page::Greedy;
    use crate::{Extent, TranslationLayer};
    use ftlab_base::{Content, DieId, Geometry, Identity, Layout, Lpn, Placement};

    fn layer() -> PackedLayer {
        let geometry = Geometry {
            channels: 1,
            dies: 4,
            planes_per_die: 2,
            blocks_per_die: 24,
            pages_per_block: 4,
            page_bytes: 4096,
            slot_bytes: 4096,
        };
        let config = PackedConfig {
            user_slots: 90,
            chunk_bytes: 512,
            dedup: true,
            raise: true,
            reads_whole: true,
            early_valid: None,
            reserve_superblocks: 2,
            policy: Box::new(Greedy),
            table: None,
            reliability: None,
        };
        PackedLayer::new(Layout::new(geometry, 4).unwrap(), config).unwrap()
    }

    fn go_on(layer: &mut PackedLayer, from: u32, count: u32) {
        let mut batch = OpBatch::default();
        batch.set_timed(false);
        for n in from..from + count {
            let content = match n % 7 {
                0 => Content::RANDOM.with_identity(Identity::of(u64::from(n % 11) << 20)),
                1 => Content::compressible(60),
                _ => Content::RANDOM,
            };
            let lpn = Lpn(n * 37 % 90);
            layer
                .write(lpn, Extent::Whole, content, Placement::DEFAULT, &mut batch)
                .unwrap();
            batch.clear();
        }
    }

    fn written() -> PackedLayer {
        let mut layer = layer();
        go_on(&mut layer, 0, 1000);
        layer
    }

    fn degraded() -> PackedLayer {
        let mut layer = written();
        let mut batch = OpBatch::default();
        batch.set_timed(false);
        layer.fail_die(DieId(2), &mut batch).unwrap();
        go_on(&mut layer, 7, 30);
        assert!(layer.is_degraded());
        layer
    }

    fn taken_over(state: PackedState) -> PackedLayer {
        let mut layer = layer();
        layer.take_over(state).unwrap();
        layer
    }

    #[test]
    fn a_drive_that_lost_a_die_goes_on_without_it() {
        let mut layer = degraded();
        let mut same = taken_over(layer.state(Room::default()));
        assert!(same.is_degraded());
        for layer in [&mut layer, &mut same] {
            go_on(layer, 3, 400);
            layer.check_invariants();
        }
        assert_eq!(layer.state(Room::default()), same.state(Room::default()));
    }

    #[test]
    fn a_secure_erase_brings_no_die_back() {
        let mut layer = degraded();
        let mut batch = OpBatch::default();
        batch.set_timed(false);
        layer.secure_erase(&mut batch);
        layer.check_invariants();
        assert!((0..90).all(|lpn| layer.lookup(Lpn(lpn)).is_none()));
        let worn: u64 = layer.array().counters().erases();
        assert!(worn > 0);
        go_on(&mut layer, 0, 1000);
        layer.check_invariants();
        assert_eq!(layer.failed, Some(2));
        assert!(!layer.is_degraded());
    }

    #[test]
    fn parts_that_contradict_each_other_are_refused() {
        taken_over(written().state(Room::default()));
        let refused = |of: fn() -> PackedLayer, change: fn(&mut PackedState)| {
            let mut state = of().state(Room::default());
            change(&mut state);
            layer().take_over(state).unwrap_err().0
        };
        let says = |why: String, part: &str| assert!(why.contains(part), "{why}");
        let twice = refused(written, |s| {
            s.free.push(s.frontiers[HOST].unwrap().superblock);
        });
        says(twice, "two places");
        let full = refused(written, |s| {
            s.free.clear();
            s.victim = None;
        });
        says(full, "no superblock to collect into");
        says(
            refused(written, |s| s.free.push(SuperblockId(99))),
            "does not exist",
        );
        let taken = refused(written, |s| {
            let frontier = s.frontiers[HOST].as_mut().unwrap();
            (frontier.taken, frontier.programmed) = (1, 0);
        });
        says(taken, "can lie");
        let ahead = refused(written, |s| {
            s.frontiers[HOST].as_mut().unwrap().programmed += 1;
        });
        says(ahead, "contradicts itself");
        let whole = refused(degraded, |s| s.failed = None);
        says(whole, "is bad on a die that works");
        let left_out = refused(degraded, |s| s.failed.as_mut().unwrap().left_out_by.clear());
        says(left_out, "does not leave out the die");
        let other = refused(degraded, |s| s.failed.as_mut().unwrap().die = 1);
        says(other, "is bad on a die that works");
    }
}
