//! Rules that hold for every policy, and policies at work in a layer.

use super::*;
use crate::TranslationLayer;
use crate::page::{PageConfig, PageLayer};
use crate::testing::{WriteWhole, page_config};
use ftlab_base::rng::Stream;
use ftlab_base::{Geometry, Layout, Lpn, RootSeed};
use ftlab_nand::OpBatch;
use rand::RngExt;
use rand::seq::SliceRandom;
use std::collections::BTreeMap;

/// A mark with a count below it, as an open superblock has.
pub(super) const OPEN: u32 = NOT_A_CANDIDATE | 1;

/// Slots of a superblock in these tests.
pub(super) const SLOTS: u32 = 8;

pub(super) fn policy_of(name: &str, given: &[(&str, u32)]) -> Box<dyn VictimPolicy> {
    made(name, given).unwrap()
}

fn made(name: &str, given: &[(&str, u32)]) -> Result<Box<dyn VictimPolicy>, PolicyError> {
    let given: BTreeMap<&str, u32> = given.iter().copied().collect();
    policy(name, &given, RootSeed(1).stream("victim"))
}

/// The place of what a policy chooses in a group that begins anywhere.
pub(super) fn choose(policy: &mut dyn VictimPolicy, valid: &[u32], closed_at: &[u64]) -> usize {
    let first = SuperblockId(10);
    let closed = closed_at.iter().copied().max().unwrap_or(0);
    let view = VictimView::new(first, SLOTS, valid, closed_at, closed);
    (view.ask(policy).superblock.0 - first.0) as usize
}

/// Every registered policy, with 3 for whatever it needs.
fn every_policy() -> impl Iterator<Item = (&'static str, Box<dyn VictimPolicy>)> {
    POLICIES.iter().map(|entry| {
        let given: Vec<_> = entry.parameters.iter().map(|p| (p.name, 3)).collect();
        (entry.name, policy_of(entry.name, &given))
    })
}

#[test]
fn without_a_candidate_no_policy_chooses() {
    for (name, mut policy) in every_policy() {
        for valid in [&[][..], &[OPEN, NOT_A_CANDIDATE]] {
            let closed_at = vec![1; valid.len()];
            let view = VictimView::new(SuperblockId(0), SLOTS, valid, &closed_at, 1);
            assert_eq!(policy.choose(&view), None, "{name} among {valid:?}");
        }
    }
}

#[test]
fn every_policy_finds_the_only_candidate_and_one_among_full_ones() {
    for (name, mut policy) in every_policy() {
        let only = choose(&mut *policy, &[OPEN, SLOTS, OPEN], &[3, 1, 2]);
        assert_eq!(only, 1, "{name}");
        let any = choose(&mut *policy, &[SLOTS, OPEN, SLOTS], &[3, 1, 2]);
        assert_ne!(any, 1, "{name}");
    }
}

#[test]
fn greedy_and_fifo_choose_the_least_wherever_it_lies_in_a_large_group() {
    let mut rng = RootSeed(1).stream("groups");
    for superblocks in [1, RUN - 1, RUN, RUN + 1, 3 * RUN - 1, 3 * RUN, 1000] {
        for _ in 0..50 {
            // Few counts, so that many are equal, and many marks; no two were closed at a time.
            let first = [1, u64::from(NOT_A_CANDIDATE) - 500, 1 << 40][rng.random_range(0..3)];
            let mut closed_at: Vec<u64> = (first..).take(superblocks).collect();
            closed_at.shuffle(&mut rng);
            let closed = first + superblocks as u64;
            let mark = |open| if open { OPEN } else { 0 };
            let mut valid = || rng.random_range(0..SLOTS) | mark(rng.random_ratio(1, 3));
            let valid: Vec<u32> = (0..superblocks).map(|_| valid()).collect();
            let full = (0..superblocks).filter(|&n| valid[n] < NOT_A_CANDIDATE);
            let emptiest = full.clone().min_by_key(|&n| (valid[n], closed_at[n]));
            let oldest = full.min_by_key(|&n| closed_at[n]);
            let view = VictimView::new(SuperblockId(0), SLOTS, &valid, &closed_at, closed);
            let place = |chosen: Option<SuperblockId>| chosen.map(|s| s.index());
            assert_eq!(place(Greedy.choose(&view)), emptiest);
            assert_eq!(place(Fifo.choose(&view)), oldest);
        }
    }
}

#[test]
fn what_cannot_be_made_is_told_with_what_can() {
    let error = |name, given: &[(&str, u32)]| made(name, given).unwrap_err().to_string();
    let unknown = error("fastest", &[]);
    for entry in POLICIES {
        assert!(unknown.contains(entry.name), "{unknown}");
    }
    assert_eq!(
        error("d-choices", &[]),
        "policy `d-choices` needs `choices`: full superblocks drawn at random for a choice"
    );
    assert_eq!(
        error("greedy", &[("window", 3)]),
        "policy `greedy` does not use `window`; leave it out"
    );
    assert_eq!(
        error("windowed-greedy", &[("window", 0)]),
        "`window` is 0; the least is 1 and the most 4294967295"
    );
    let many = error("d-choices", &[("choices", 65_537)]);
    assert_eq!(
        many,
        "`choices` is 65537; the least is 1 and the most 65536"
    );
}

#[test]
fn a_view_tells_each_candidate_with_its_age() {
    let (valid, closed_at) = ([7, OPEN, 3], [9, 1, 4]);
    let view = VictimView::new(SuperblockId(10), SLOTS, &valid, &closed_at, 9);
    let of = |n, valid_slots, age| Candidate {
        superblock: SuperblockId(n),
        valid_slots,
        age,
    };
    let all: Vec<Candidate> = view.candidates().collect();
    assert_eq!(all, [of(10, 7, 0), of(12, 3, 5)]);
    assert_eq!(view.candidate(SuperblockId(12)), Some(of(12, 3, 5)));
    for other in [9, 11, 13] {
        assert_eq!(view.candidate(SuperblockId(other)), None);
    }
    assert_eq!(view.numbers(), 10..13);
}

/// Names a superblock, whatever the view shows.
#[derive(Debug, Clone, Copy)]
struct Stubborn(Option<u32>);

impl VictimPolicy for Stubborn {
    fn name(&self) -> &'static str {
        "stubborn"
    }

    fn choose(&mut self, _view: &VictimView<'_>) -> Option<SuperblockId> {
        self.0.map(SuperblockId)
    }

    fn boxed(&self) -> Box<dyn VictimPolicy> {
        Box::new(*self)
    }
}

#[test]
#[should_panic(expected = "Stubborn(Some(11)) chose superblock 11, which is none of the 2")]
fn a_policy_that_chooses_an_open_superblock_is_a_bug() {
    choose(&mut Stubborn(Some(11)), &[7, OPEN, 3], &[1, 2, 3]);
}

#[test]
#[should_panic(expected = "Stubborn(None) chose no superblock, which is none of the 2")]
fn a_policy_that_finds_no_candidate_among_some_is_a_bug() {
    choose(&mut Stubborn(None), &[7, OPEN, 3], &[1, 2, 3]);
}

/// A drive of 4 groups of 128 superblocks of 32 slots, filled in order.
fn filled(policy: Box<dyn VictimPolicy>) -> PageLayer<true> {
    let geometry = Geometry {
        channels: 4,
        dies: 4,
        planes_per_die: 1,
        blocks_per_die: 128,
        pages_per_block: 32,
        page_bytes: 4096,
        slot_bytes: 4096,
    };
    let layout = Layout::new(geometry, 1).unwrap();
    let config = PageConfig {
        policy,
        ..page_config(layout.slots() / 100 * 85)
    };
    let mut layer = PageLayer::new(layout, config).unwrap();
    for lpn in (0..layer.slots()).map(Lpn) {
        let mut batch = OpBatch::default();
        layer.write_whole(lpn, &mut batch).unwrap();
    }
    layer
}

/// Writes a drive ten times over, `hot_percent` of the writes to the first tenth; gives the write
/// amplification of the second half and the hash of all operations.
fn written(layer: &mut PageLayer<true>, hot_percent: u32, rng: &mut Stream) -> (f64, u64) {
    let half = 5 * layer.slots();
    let mut batch = OpBatch::default();
    let mut before = layer.array().counters();
    for n in 0..2 * half {
        if n == half {
            before = layer.array().counters();
        }
        let hot = rng.random_range(0..100) < hot_percent;
        let among = if hot {
            layer.slots() / 10
        } else {
            layer.slots()
        };
        let lpn = Lpn(rng.random_range(0..among));
        layer.write_whole(lpn, &mut batch).unwrap();
        batch.clear();
    }
    layer.check_invariants();
    let programs = layer.array().counters().since(&before).programs();
    (
        programs as f64 / f64::from(half),
        layer.array().stream_hash(),
    )
}

fn worked(name: &str, given: &[(&str, u32)], hot_percent: u32) -> (f64, u64) {
    let mut layer = filled(policy_of(name, given));
    written(&mut layer, hot_percent, &mut RootSeed(1).stream("load"))
}

#[test]
fn a_window_of_one_is_fifo_and_a_window_of_all_is_greedy() {
    for hot_percent in [0, 90] {
        let windowed = |window| worked("windowed-greedy", &[("window", window)], hot_percent);
        let (fifo, greedy) = (
            worked("fifo", &[], hot_percent),
            worked("greedy", &[], hot_percent),
        );
        assert_eq!(windowed(1), fifo);
        assert_eq!(windowed(128), greedy);
        assert_ne!(windowed(16), fifo);
        assert_ne!(windowed(16), greedy);
    }
}

#[test]
fn uniform_writes_cost_the_more_the_less_a_policy_looks_at_valid_slots() {
    let d = |choices| worked("d-choices", &[("choices", choices)], 0).0;
    let costs = [
        worked("greedy", &[], 0).0,
        d(10),
        d(2),
        worked("random", &[], 0).0,
    ];
    assert!(costs.is_sorted_by(|a, b| a * 1.02 < *b), "{costs:?}");
}

#[test]
fn cost_benefit_beats_greedy_where_some_data_are_hot() {
    let (greedy, _) = worked("greedy", &[], 90);
    let (cost_benefit, _) = worked("cost-benefit", &[], 90);
    assert!(cost_benefit < 0.9 * greedy, "{cost_benefit} and {greedy}");
}

#[test]
fn a_snapshot_goes_on_as_its_original_does() {
    for (name, policy) in every_policy() {
        let mut layer = filled(policy);
        let mut rng = RootSeed(1).stream("load");
        written(&mut layer, 50, &mut rng);
        let mut copy = layer.clone();
        let original = written(&mut layer, 50, &mut rng.clone());
        assert_eq!(written(&mut copy, 50, &mut rng), original, "{name}");
    }
}
