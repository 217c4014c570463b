//! A policy sees the numbers by which collection in step decides, and no pace harms a drive.

use super::{Pace, PacingPolicy, PacingView};
use crate::page::PageLayer;
use crate::page::tests::{fill, layer_of, layout, random_writes};
use crate::{Extent, TranslationLayer};
use ftlab_base::{Content, Lpn, Placement, RootSeed};
use ftlab_nand::{Cause, OpBatch, OpKind};

#[derive(Debug, Clone, Copy)]
struct By(fn(&PacingView) -> bool);

impl PacingPolicy for By {
    fn copies(&mut self, view: &PacingView) -> bool {
        (self.0)(view)
    }

    fn boxed(&self) -> Box<dyn PacingPolicy> {
        Box::new(*self)
    }
}

/// A used drive; its write amplification, and the hash of all that it did.
fn used<const FLAT: bool>(
    dies_of_a_stripe: u32,
    pacing: Option<fn(&PacingView) -> bool>,
) -> (f64, u64) {
    let layout = match dies_of_a_stripe {
        1 => layout(64, 64),
        dies => ftlab_base::Layout::new(layout(64, 64).geometry, dies).unwrap(),
    };
    let mut layer: PageLayer<FLAT> = layer_of(layout, 0.28, |config| {
        config.pace = pacing.map_or(Pace::InStep, |by| Pace::By(Box::new(By(by))));
    });
    fill(&mut layer);
    let writes = 3 * u64::from(layer.slots());
    let wa = random_writes(&mut layer, writes, &mut RootSeed(1).stream("used"));
    layer.check_invariants();
    (wa, layer.array().stream_hash())
}

fn in_step(view: &PacingView) -> bool {
    view.is_behind || view.owed_slots >= f64::from(view.left_slots.min(view.row_slots))
}

#[test]
fn a_policy_that_copies_what_is_owed_is_collection_in_step() {
    assert_eq!(used::<true>(1, Some(in_step)), used::<true>(1, None));
    assert_eq!(used::<false>(4, Some(in_step)), used::<false>(4, None));
}

/// A layer whose collection takes turns with the host, with as much spare area, beside what is writable on average, as in
/// step; written over at random until it is used.
fn in_turns(slots: u32, gives_way: bool) -> PageLayer<true> {
    let layout = layout(64, 256);
    let mut layer: PageLayer<true> = layer_of(layout, 0.127, |config| {
        config.user_slots -= (f64::from(layout.groups * slots / 2) / 1.127) as u32;
        config.pace = Pace::InTurns { slots, gives_way };
    });
    fill(&mut layer);
    let writes = 4 * u64::from(layer.slots());
    random_writes(&mut layer, writes, &mut RootSeed(1).stream("turns"));
    layer
}

#[test]
fn turns_cost_what_theory_says_of_collection_in_step() {
    // A part of a superblock's gain, and that of several.
    for slots in [4, 100] {
        let mut layer = in_turns(slots, false);
        let writes = 4 * u64::from(layer.slots());
        let wa = random_writes(&mut layer, writes, &mut RootSeed(2).stream("turns"));
        assert!((wa / 4.3325 - 1.0).abs() < 0.01, "{slots}: {wa}");
        layer.check_invariants();
    }
}

#[test]
fn a_turn_that_gives_way_is_owed_until_the_drive_has_it_taken() {
    const SLOTS: u32 = 40;
    let mut layer = in_turns(SLOTS, true);
    let mut batch = OpBatch::default();
    let mut rng = RootSeed(4).stream("turns");
    let mut copies = |layer: &mut PageLayer<true>, write: bool| {
        if write {
            random_writes(layer, 1, &mut rng);
        }
        let goes_on = !write && layer.take_turn(&mut batch);
        let ops = batch.ops().iter().filter(|op| op.cause == Cause::Gc);
        let copied = ops.filter(|op| op.kind == OpKind::Program).count();
        batch.clear();
        (goes_on, copied)
    };
    // The drive takes none: it is owed all the time, and what the host writes costs what it costs in step.
    for _ in 0..1_000 {
        copies(&mut layer, true);
        assert!(layer.owes_turn());
    }
    let writes = 4 * u64::from(layer.slots());
    let wa = random_writes(&mut layer, writes, &mut RootSeed(2).stream("turns"));
    assert!((wa / 4.3325 - 1.0).abs() < 0.01, "{wa}");
    // The drive takes it whole: what each group's forty slots have earned, but for groups whose victim ends meanwhile and
    // that are not low then. There is nothing left for a while.
    let mut taken = 0;
    while let (true, copied) = copies(&mut layer, false) {
        taken += copied;
    }
    let turn = f64::from(layer.layout.groups * SLOTS);
    let share = taken as f64 / (turn * (wa - 1.0));
    assert!((0.5..1.1).contains(&share), "{share} of what was earned");
    assert!(!layer.owes_turn());
    let mut written = 0;
    while !layer.owes_turn() {
        copies(&mut layer, true);
        written += 1;
    }
    let share = f64::from(written) / turn;
    assert!((0.8..1.1).contains(&share), "{share} of a turn");
    layer.check_invariants();
}

#[test]
fn between_two_turns_the_host_writes_what_was_said() {
    const SLOTS: u32 = 10;
    let mut layer = in_turns(SLOTS, false);
    let mut batch = OpBatch::default();
    let (mut turns, mut most) = (0, 0);
    for n in 0..layer.slots() {
        // Far apart, so that no superblock loses all its data.
        let lpn = Lpn((u64::from(n) * 7919 % u64::from(layer.slots())) as u32);
        let (extent, content) = (Extent::Whole, Content::RANDOM);
        layer
            .write(lpn, extent, content, Placement::DEFAULT, &mut batch)
            .unwrap();
        let copies = batch.ops().iter().filter(|op| op.cause == Cause::Gc);
        let copied = copies.filter(|op| op.kind == OpKind::Program).count();
        batch.clear();
        turns += u32::from(copied > 0);
        most = most.max(copied);
    }
    let slots = f64::from(layer.slots());
    // One for every ten slots of the host, but for what is left over where a victim ends.
    let between = slots / f64::from(turns);
    assert!(
        (0.9..1.05).contains(&(between / f64::from(SLOTS))),
        "{between}"
    );
    assert!(
        most > 30,
        "{most} in one turn, at a write amplification of 4"
    );
}

#[test]
fn at_any_pace_there_is_room_for_what_the_host_writes() {
    let (usual, hash) = used::<true>(1, None);
    for pace in [|_: &PacingView| true, |_: &PacingView| false] {
        let (wa, other) = used::<true>(1, Some(pace));
        assert!((0.8..1.2).contains(&(wa / usual)), "{wa} for {usual}");
        assert_ne!(other, hash);
    }
}
