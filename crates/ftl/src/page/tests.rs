use super::*;
use crate::TranslationLayer;
use crate::testing::{WriteWhole, page_config};
use ftlab_base::rng::Stream;
use ftlab_base::{Geometry, RootSeed};
use rand::Rng;
use std::collections::BTreeMap;

pub(super) fn layout(pages_per_block: u32, blocks_per_die: u32) -> Layout {
    let geometry = Geometry {
        channels: 8,
        dies: 16,
        planes_per_die: 1,
        blocks_per_die,
        pages_per_block,
        page_bytes: 4096,
        slot_bytes: 4096,
    };
    Layout::new(geometry, 1).unwrap()
}

fn layer<const FLAT: bool>(layout: Layout, op: f64, policy_name: &str) -> PageLayer<FLAT> {
    layer_of(layout, op, |config| {
        config.policy =
            policy(policy_name, &BTreeMap::new(), RootSeed(1).stream("victim")).unwrap();
    })
}

/// A greedy layer, changed.
pub(super) fn layer_of<const FLAT: bool>(
    layout: Layout,
    op: f64,
    change: impl Fn(&mut PageConfig),
) -> PageLayer<FLAT> {
    let reserve = 2;
    // The reserve, and half of the superblock under collection.
    let kept =
        layout.groups * (reserve * layout.slots_per_superblock + layout.slots_per_superblock / 2);
    let user_slots = (f64::from(layout.slots() - kept) / (1.0 + op)) as u32;
    let mut config = PageConfig {
        reserve_superblocks: reserve,
        policy: policy("greedy", &BTreeMap::new(), RootSeed(1).stream("victim")).unwrap(),
        ..page_config(user_slots)
    };
    change(&mut config);
    PageLayer::new(layout, config).unwrap()
}

/// Leaves a layer alone until it has nothing more to do; pieces of work it did.
pub(super) fn rest<const FLAT: bool>(layer: &mut PageLayer<FLAT>) -> usize {
    let mut batch = OpBatch::default();
    let mut pieces = 0;
    while layer.work_ahead(&mut batch) {
        batch.clear();
        pieces += 1;
        assert!(pieces < 1 << 16, "a pause does not end");
    }
    layer.check_invariants();
    pieces
}

pub(super) fn uniform(rng: &mut Stream, below: u32) -> Lpn {
    Lpn(((u64::from(rng.next_u32()) * u64::from(below)) >> 32) as u32)
}

/// Writes `count` uniformly random slots; gives the write amplification over them.
pub(super) fn random_writes<const FLAT: bool>(
    layer: &mut PageLayer<FLAT>,
    count: u64,
    rng: &mut Stream,
) -> f64 {
    let mut batch = OpBatch::default();
    let before = layer.array().counters();
    for _ in 0..count {
        let lpn = uniform(rng, layer.slots());
        layer.write_whole(lpn, &mut batch).unwrap();
        batch.clear();
    }
    layer.array().counters().since(&before).programs() as f64 / count as f64
}

pub(super) fn fill<const FLAT: bool>(layer: &mut PageLayer<FLAT>) {
    let mut batch = OpBatch::default();
    for lpn in 0..layer.slots() {
        layer.write_whole(Lpn(lpn), &mut batch).unwrap();
        batch.clear();
    }
}

/// Closed forms of larger drives hold at the length of a test; `docs/theory.md` has the rest.
#[test]
fn wa_of_random_writes_is_near_that_of_theory() {
    for (name, theory) in [("fifo", 4.6173), ("greedy", 4.3325)] {
        let mut layer = layer::<true>(layout(64, 128), 0.127, name);
        let mut rng = RootSeed(1).stream("wa");
        let slots = u64::from(layer.layout().slots());
        fill(&mut layer);
        random_writes(&mut layer, 4 * slots, &mut rng);
        let wa = random_writes(&mut layer, 4 * slots, &mut rng);
        assert!(
            (wa / theory - 1.0).abs() < 0.02,
            "{name}: {wa} for {theory}"
        );
        layer.check_invariants();
    }
}

#[test]
fn what_the_compiler_knows_of_flat_layouts_changes_no_operation() {
    let config = |user_slots| page_config(user_slots);
    let layout = layout(8, 32);
    let user_slots = layout.slots() * 3 / 4;
    let hash = |mut layer: Box<dyn TranslationLayer>| {
        let mut rng = RootSeed(1).stream("flat");
        let mut batch = OpBatch::default();
        for n in 0..20_000 {
            let lpn = uniform(&mut rng, user_slots);
            match n % 7 {
                5 => layer.trim(lpn, 1, &mut batch),
                6 => layer.read(lpn, 1, Fence::NONE, &mut batch),
                _ => drop(layer.write_whole(lpn, &mut batch).unwrap()),
            }
            batch.clear();
        }
        layer.array().stream_hash()
    };
    let flat = PageLayer::<true>::new(layout, config(user_slots)).unwrap();
    let any = PageLayer::<false>::new(layout, config(user_slots)).unwrap();
    assert_eq!(hash(Box::new(flat)), hash(Box::new(any)));
}

/// Parts of the user's data: of a hundred writes and of a hundred slots.
type Classes = [(u32, u32)];

/// Four fifths of the writes go to a fifth of the slots.
const HOT_AND_COLD: &Classes = &[(80, 20), (20, 80)];

/// Writes every part as often as it says; gives the write amplification when steady. Streams by address
/// end where the parts do.
fn wa_of_classes(classes: &Classes, mut streams: Separation) -> f64 {
    let layout = layout(64, 128);
    let reserve_superblocks = 6;
    let half = layout.slots_per_superblock / 2;
    let kept = layout.groups * (reserve_superblocks * layout.slots_per_superblock + half);
    let user_slots = (f64::from(layout.slots() - kept) / 1.127) as u32;
    let parts = classes.iter().scan(0, |first, &(_, percent)| {
        let part = (*first, user_slots * percent / 100);
        *first += part.1;
        Some(part)
    });
    let parts: Vec<(u32, u32)> = parts.collect();
    if let Separation::ByAddress { ends } = &mut streams {
        *ends = parts[1..].iter().map(|&(first, _)| first).collect();
    }
    let config = PageConfig {
        reserve_superblocks,
        policy: Box::new(Fifo),
        streams,
        ..page_config(user_slots)
    };
    let mut layer = PageLayer::<true>::new(layout, config).unwrap();
    fill(&mut layer);
    let mut rng = RootSeed(1).stream("classes");
    let mut batch = OpBatch::default();
    let mut write = |count: u32| {
        let before = layer.array().counters();
        for _ in 0..count {
            let mut draw = rng.next_u32() % 100;
            let class = classes.iter().position(|&(writes, _)| {
                let is_here = draw < writes;
                draw = draw.saturating_sub(writes);
                is_here
            });
            let (first, slots) = parts[class.unwrap()];
            let lpn = Lpn(first + uniform(&mut rng, slots).0);
            layer.write_whole(lpn, &mut batch).unwrap();
            batch.clear();
        }
        layer.check_invariants();
        layer.array().counters().since(&before).programs() as f64 / f64::from(count)
    };
    write(8 * user_slots);
    write(4 * user_slots)
}

#[test]
fn separate_streams_cost_what_theory_says() {
    let by_address = || Separation::ByAddress { ends: Vec::new() };
    let mixed = wa_of_classes(HOT_AND_COLD, Separation::None);
    assert!((mixed / 4.974 - 1.0).abs() < 0.02, "{mixed}");
    let apart = wa_of_classes(HOT_AND_COLD, by_address());
    assert!((apart / 3.214 - 1.0).abs() < 0.02, "{apart}");
    // Three temperatures, each with its share of the spare area.
    let apart = wa_of_classes(&[(70, 5), (20, 15), (10, 80)], by_address());
    assert!((apart / 2.349 - 1.0).abs() < 0.02, "{apart}");
}

#[test]
fn streams_by_age_find_hot_data_by_themselves() {
    let superblocks = u64::from(layout(64, 128).superblocks());
    let by_age = |closings: &[u64]| {
        let closings = closings.iter().map(|n| n * superblocks).collect();
        wa_of_classes(HOT_AND_COLD, Separation::ByAge { closings })
    };
    let mixed = wa_of_classes(HOT_AND_COLD, Separation::None);
    for closings in [&[4][..], &[2, 4]] {
        let apart = by_age(closings);
        assert!(apart < 0.9 * mixed, "{closings:?}: {apart} for {mixed}");
    }
}

#[test]
fn streams_that_cannot_be_told_apart_are_refused() {
    for ends in [vec![0], vec![100], vec![30, 20], vec![30, 30]] {
        let why = Separation::ByAddress { ends }.check(100).unwrap_err();
        assert!(why.contains("of 100: each must have some"), "{why}");
    }
}

/// Collects the fullest superblock.
#[derive(Debug, Clone)]
struct Perverse;

impl VictimPolicy for Perverse {
    fn name(&self) -> &'static str {
        "perverse"
    }

    fn choose(&mut self, view: &VictimView<'_>) -> Option<SuperblockId> {
        let fullest = view.candidates().max_by_key(|c| c.valid_slots)?;
        Some(fullest.superblock)
    }

    fn boxed(&self) -> Box<dyn VictimPolicy> {
        Box::new(self.clone())
    }
}

#[test]
fn a_policy_that_frees_nothing_ends_in_a_refusal_and_loses_nothing() {
    let mut layer = layer::<true>(layout(8, 16), 0.5, "greedy");
    layer.config.policy = Box::new(Perverse);
    let mut batch = OpBatch::default();
    // Filled in order, so most superblocks stay wholly valid; then a few slots again and again.
    let rewrites = (0..100 * layer.slots()).map(|n| n % 8);
    let refused = (0..layer.slots()).chain(rewrites).find_map(|n| {
        let written = layer.write_whole(Lpn(n), &mut batch);
        batch.clear();
        written.err()
    });
    let Some(Refusal::NoProgress { collected }) = refused else {
        panic!("a policy that collects what is full got on with it");
    };
    assert!(collected > layer.layout().superblocks());
    layer.check_invariants();
    layer.trim(Lpn(0), 8, &mut batch);
    assert_eq!(layer.refusal, None, "a trim may have made room");
}

#[test]
fn no_tables_are_written_where_collection_makes_no_progress() {
    let geometry = Geometry {
        channels: 1,
        dies: 1,
        planes_per_die: 1,
        blocks_per_die: 24,
        pages_per_block: 8,
        page_bytes: 4096,
        slot_bytes: 4096,
    };
    for every_slots in [7, 40, 100, 150] {
        let mut layer = layer::<true>(Layout::new(geometry, 1).unwrap(), 1.5, "greedy");
        layer.config.policy = Box::new(Perverse);
        layer.config.checkpoint = Some(Checkpoint {
            every_slots,
            pages: 30,
        });
        let mut batch = OpBatch::default();
        let rewrites = (0..200 * layer.slots()).map(|n| n % 8);
        let refused = (0..layer.slots()).chain(rewrites).any(|n| {
            let written = layer.write_whole(Lpn(n), &mut batch);
            batch.clear();
            written.is_err()
        });
        assert!(refused);
        layer.check_invariants();
    }
}

/// Superblocks of two program units, and a host that flushes all the time: what a flush leaves empty
/// is a large part of a superblock, and no copy was earned for it.
#[test]
fn every_frontier_finds_room_however_often_units_are_filled_up() {
    let geometry = Geometry {
        channels: 1,
        dies: 1,
        planes_per_die: 4,
        blocks_per_die: 96,
        pages_per_block: 2,
        page_bytes: 65_536,
        slot_bytes: 32_768,
    };
    let layout = Layout::new(geometry, 1).unwrap();
    for name in ["greedy", "fifo", "random", "cost-benefit"] {
        for seed in 0..40 {
            let mut rng = RootSeed(seed).stream("room");
            let mut layer = layer::<false>(layout, 0.6, name);
            let mut batch = OpBatch::default();
            for _ in 0..600 {
                let lpn = uniform(&mut rng, layer.slots());
                layer.write_whole(lpn, &mut batch).unwrap();
                if uniform(&mut rng, 4).0 == 0 {
                    layer.flush(&mut batch);
                }
                batch.clear();
                layer.check_invariants();
            }
        }
    }
}

#[test]
fn a_drive_that_is_accepted_has_room_for_its_tables() {
    let geometry = Geometry {
        channels: 3,
        dies: 3,
        planes_per_die: 4,
        blocks_per_die: 64,
        pages_per_block: 1,
        page_bytes: 4096,
        slot_bytes: 4096,
    };
    let layout = Layout::new(geometry, 1).unwrap();
    let mut accepted = 0;
    for pages in 1..=60 {
        let config = |user_slots| PageConfig {
            policy: Box::new(Fifo),
            checkpoint: Some(Checkpoint {
                // A turn of all groups: the tables always go to the same one.
                every_slots: 12,
                pages,
            }),
            ..page_config(user_slots)
        };
        let fits = |slots: &u32| config(*slots).check(&layout).is_ok();
        let Some(most) = (1..layout.slots()).rev().find(fits) else {
            continue;
        };
        accepted += 1;
        // With little data of the host's, there is little to collect beside the tables.
        for user_slots in [most, most.div_ceil(8), 1] {
            let mut layer = PageLayer::<false>::new(layout, config(user_slots)).unwrap();
            let mut rng = RootSeed(u64::from(pages)).stream("tables");
            let mut batch = OpBatch::default();
            for _ in 0..1_000 {
                let lpn = uniform(&mut rng, user_slots);
                layer.write_whole(lpn, &mut batch).unwrap();
                batch.clear();
            }
            layer.check_invariants();
        }
    }
    assert!(accepted > 10);
}
