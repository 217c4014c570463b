//! The cache takes data, is folded, and takes data again.

use crate::TranslationLayer;
use crate::page::PageLayer;
use crate::page::slc::{SlcConfig, WhenFull};
use crate::page::tests::{layer_of, rest, uniform};
use crate::testing::WriteWhole;
use ftlab_base::{Geometry, Layout, Lpn, RootSeed};
use ftlab_nand::{Cause, OpBatch};

const OWN: u32 = 2;
const MORE: u32 = 6;

/// Slots of a program unit.
const UNIT: u32 = 8;

const CACHE: SlcConfig = SlcConfig {
    bits: 3,
    own_superblocks: OWN,
    more_superblocks: MORE,
    free_share: 1.0,
    gone_at: None,
    when_full: WhenFull::Direct,
    folds_when_out: false,
    fold_slots: None,
    folds_in_pauses: true,
};

/// Superblocks of two dies with two planes, four slots a page.
fn layout() -> Layout {
    let geometry = Geometry {
        channels: 2,
        dies: 2,
        planes_per_die: 2,
        blocks_per_die: 80,
        pages_per_block: 24,
        page_bytes: 16384,
        slot_bytes: 4096,
    };
    Layout::new(geometry, 2).unwrap()
}

fn layer(slc: SlcConfig) -> PageLayer<false> {
    layer_of(layout(), 0.2, |config| config.slc = Some(slc))
}

fn write(layer: &mut PageLayer<false>, lpn: u32) {
    let mut batch = OpBatch::default();
    let written = layer.write_whole(Lpn(lpn), &mut batch);
    written.unwrap();
}

fn is_in_cache(layer: &PageLayer<false>, lpn: u32) -> bool {
    let place = layer.lookup(Lpn(lpn)).expect("it was written");
    layer.is_slc(layer.layout.locate(place).0)
}

fn in_cache(layer: &PageLayer<false>) -> u32 {
    let written = (0..layer.slots()).filter(|&lpn| layer.lookup(Lpn(lpn)).is_some());
    written.filter(|&lpn| is_in_cache(layer, lpn)).count() as u32
}

fn copies(layer: &PageLayer<false>) -> u64 {
    layer.array().counters().programs_for(Cause::Gc)
}

#[test]
fn an_empty_drive_writes_to_its_cache_then_past_it_and_folds_when_room_runs_out() {
    let cache = (OWN + MORE) * CACHE.slots(&layout());
    assert_eq!(CACHE.slots(&layout()) * 3, layout().slots_per_superblock);
    let mut layer = layer(SlcConfig {
        more_superblocks: 9,
        ..CACHE
    });
    (0..layer.slots()).for_each(|lpn| write(&mut layer, lpn));
    layer.check_invariants();
    // What was first in the cache was folded first.
    assert!(!is_in_cache(&layer, 0) && copies(&layer) > 0 && in_cache(&layer) > 0);

    let mut half = self::layer(CACHE);
    (0..half.slots() / 2).for_each(|lpn| write(&mut half, lpn));
    assert_eq!((in_cache(&half), copies(&half)), (cache, 0));
    assert!(!is_in_cache(&half, cache) && is_in_cache(&half, cache - 1));
}

#[test]
fn a_pause_folds_the_cache_and_it_takes_again() {
    let mut layer = layer(CACHE);
    let cache = (OWN + MORE) * CACHE.slots(layer.layout());
    (0..cache + 100).for_each(|lpn| write(&mut layer, lpn));
    assert!(rest(&mut layer) > 0);
    assert_eq!(in_cache(&layer), 0);
    let before = copies(&layer);
    (0..cache).for_each(|lpn| write(&mut layer, lpn));
    // A unit that was begun past the cache is completed there first.
    assert!(in_cache(&layer) > cache - UNIT && copies(&layer) == before);

    let keeps = SlcConfig {
        folds_in_pauses: false,
        ..CACHE
    };
    let mut keeps = self::layer(keeps);
    (0..cache).for_each(|lpn| write(&mut keeps, lpn));
    assert_eq!((rest(&mut keeps), in_cache(&keeps)), (0, cache));
}

#[test]
fn a_full_drive_has_the_cache_that_was_set_aside() {
    let mut layer = layer(CACHE);
    (0..layer.slots()).for_each(|lpn| write(&mut layer, lpn));
    let rng = &mut RootSeed(1).stream("used");
    let slots = layer.slots();
    (0..2 * slots).for_each(|_| write(&mut layer, uniform(rng, slots).0));
    rest(&mut layer);
    let own = OWN * CACHE.slots(layer.layout());
    (0..2 * own).for_each(|lpn| write(&mut layer, lpn));
    layer.check_invariants();
    let taken = (0..2 * own).filter(|&lpn| is_in_cache(&layer, lpn)).count() as u32;
    assert!(taken <= own && taken > own - UNIT, "{taken} of {own}");
}

#[test]
fn a_trimmed_drive_has_all_of_its_cache() {
    let mut layer = layer(CACHE);
    let slots = layer.slots();
    (0..slots).for_each(|lpn| write(&mut layer, lpn));
    layer.trim(Lpn(0), slots, &mut OpBatch::default());
    rest(&mut layer);
    let cache = (OWN + MORE) * CACHE.slots(layer.layout());
    (0..cache).for_each(|lpn| write(&mut layer, lpn));
    assert!(in_cache(&layer) > cache - UNIT);
}

#[test]
fn where_everything_goes_through_the_cache_everything_is_written_twice() {
    let folds = SlcConfig {
        when_full: WhenFull::Fold,
        more_superblocks: 0,
        ..CACHE
    };
    let mut layer = layer(folds);
    (0..layer.slots()).for_each(|lpn| write(&mut layer, lpn));
    layer.check_invariants();
    let cache = u64::from(OWN * folds.slots(layer.layout()) / 4);
    let host = layer.array().counters().programs_for(Cause::Host);
    let copied = copies(&layer);
    assert!(
        copied <= host && copied + cache >= host,
        "{copied} of {host} pages"
    );
}

#[test]
fn a_cache_that_cannot_be_is_refused() {
    let why = |slc: SlcConfig| {
        let made = std::panic::catch_unwind(|| layer(slc));
        let why = made.expect_err("it is refused");
        why.downcast_ref::<String>().expect("with words").clone()
    };
    assert!(why(SlcConfig { bits: 1, ..CACHE }).contains("give 2 to 24"));
    let small = SlcConfig {
        own_superblocks: 0,
        more_superblocks: 1,
        ..CACHE
    };
    assert!(why(small).contains("one to write and one to fold"));
    let large = SlcConfig {
        own_superblocks: 39,
        ..CACHE
    };
    assert!(why(large).contains("do not fit"), "{}", why(large));
}
