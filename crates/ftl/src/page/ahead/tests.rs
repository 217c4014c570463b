//! Gain of a pause, and its end.

use crate::TranslationLayer;
use crate::page::tests::{fill, layer_of, layout, random_writes, rest};
use ftlab_base::RootSeed;

const AHEAD: u32 = 4;

/// A used drive that was left alone until it had nothing more to do; pieces of work it did.
fn rested(ahead_superblocks: u32) -> (crate::page::PageLayer<true>, usize) {
    let mut layer = layer_of::<true>(layout(64, 64), 0.28, |config| {
        config.ahead_superblocks = ahead_superblocks;
    });
    fill(&mut layer);
    let writes = 2 * u64::from(layer.layout().slots());
    random_writes(&mut layer, writes, &mut RootSeed(1).stream("used"));
    let pieces = rest(&mut layer);
    (layer, pieces)
}

/// Pages moved and blocks erased by writes that follow a pause.
fn cost_of_writes(layer: &mut crate::page::PageLayer<true>, writes: u64) -> (u64, u64) {
    let before = layer.array().counters();
    random_writes(layer, writes, &mut RootSeed(2).stream("after"));
    let done = layer.array().counters().since(&before);
    (done.programs() - writes, done.erases())
}

#[test]
fn writes_after_a_pause_find_erased_superblocks_and_move_nothing() {
    let (mut rested_layer, pieces) = rested(AHEAD);
    assert!(pieces > 0);
    let writes = u64::from(AHEAD - 1) * 64 * u64::from(rested_layer.layout().groups);
    assert_eq!(cost_of_writes(&mut rested_layer, writes), (0, 0));
    let (mut tireless, pieces) = rested(0);
    assert_eq!(pieces, 0, "it is not asked to do anything");
    let (moved, erased) = cost_of_writes(&mut tireless, writes);
    assert!(moved > writes / 2 && erased > 0, "{moved} and {erased}");
}

#[test]
fn what_the_spare_area_does_not_hold_cannot_be_made_ahead() {
    let result = std::panic::catch_unwind(|| rested(1 << 20));
    let why = result.expect_err("it is refused");
    let why = why.downcast_ref::<String>().expect("with words");
    assert!(why.contains("made writable ahead"), "{why}");
}
