//! Cost of collection in one go, and the state that it leaves.

use crate::TranslationLayer;
use crate::page::tests::{fill, layer_of, layout, random_writes};
use crate::page::{Pace, PageConfig, PageLayer};
use crate::testing::WriteWhole;
use ftlab_base::{Lpn, RootSeed};
use ftlab_nand::OpBatch;

/// A greedy layer that has as much spare area, beside what is writable on average, as it would have
/// in step.
fn in_batches(batch_superblocks: u32, blocks_per_die: u32) -> PageLayer<true> {
    layer_of(
        layout(64, blocks_per_die),
        0.127,
        |config: &mut PageConfig| {
            let layout = layout(64, blocks_per_die);
            let half = layout.groups * batch_superblocks * layout.slots_per_superblock / 2;
            config.user_slots -= (f64::from(half) / 1.127) as u32;
            config.pace = Pace::InBatches {
                slots: batch_superblocks * layout.slots_per_superblock,
            };
        },
    )
}

#[test]
fn batches_cost_what_theory_says_of_collection_in_step() {
    for batch in [1, 4] {
        let mut layer = in_batches(batch, 256);
        let mut rng = RootSeed(1).stream("batches");
        let slots = u64::from(layer.layout().slots());
        fill(&mut layer);
        random_writes(&mut layer, 4 * slots, &mut rng);
        let wa = random_writes(&mut layer, 4 * slots, &mut rng);
        assert!((wa / 4.3325 - 1.0).abs() < 0.01, "{batch}: {wa}");
        layer.check_invariants();
    }
}

#[test]
fn a_group_that_is_low_gets_a_batch_at_once_and_nothing_until_it_is_low_again() {
    const BATCH: u32 = 3;
    let mut layer = in_batches(BATCH, 64);
    let slots = layer.layout().slots_per_superblock;
    let goal = layer.low_water + BATCH * slots;
    fill(&mut layer);
    let mut rng = RootSeed(1).stream("one go");
    let writes = 4 * u64::from(layer.slots());
    random_writes(&mut layer, writes, &mut rng);
    let (mut batch, mut batches) = (OpBatch::default(), 0);
    for n in 0..layer.slots() {
        let g = layer.next_group[0];
        let before = layer.groups[g].writable_slots;
        // Far apart, so that no superblock loses all its data.
        let lpn = Lpn((u64::from(n) * 7919 % u64::from(layer.slots())) as u32);
        layer.write_whole(lpn, &mut batch).unwrap();
        batch.clear();
        let after = layer.groups[g].writable_slots;
        assert!(after > layer.low_water, "{after} slots are left");
        assert!(layer.groups[g].victim.is_none());
        if before == layer.low_water + 1 {
            assert!((goal..goal + slots).contains(&after), "{after} of {goal}");
            batches += 1;
        } else {
            assert_eq!(after, before - 1, "it waits until it is low");
        }
    }
    assert!(batches > 16, "{batches}");
    layer.check_invariants();
}

#[test]
fn a_batch_that_the_spare_area_does_not_hold_is_refused() {
    let result = std::panic::catch_unwind(|| {
        layer_of::<true>(layout(64, 64), 0.127, |config| {
            let slots = 60 * layout(64, 64).slots_per_superblock;
            config.pace = Pace::InBatches { slots };
        })
    });
    let why = result.expect_err("it is refused");
    let why = why.downcast_ref::<String>().expect("with words");
    assert!(why.contains("collects 60 superblocks in one go"), "{why}");
}
