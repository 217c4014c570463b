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

/// Slots of the cache that a drive with the first `data` slots outside it takes from there on.
fn taken_behind(slc: SlcConfig, data: u32) -> u32 {
    let mut layer = layer(slc);
    let slots = layer.slots();
    (0..data).for_each(|lpn| write(&mut layer, lpn));
    rest(&mut layer);
    let cached = in_cache(&layer);
    assert_eq!(cached, 0, "a pause folds all");
    let mut end = data;
    while end < slots && {
        write(&mut layer, end);
        is_in_cache(&layer, end)
    } {
        end += 1;
    }
    layer.check_invariants();
    end - data
}

#[test]
fn of_what_is_free_the_cache_takes_a_share_on_an_empty_and_on_a_half_filled_drive() {
    let shared = SlcConfig {
        own_superblocks: 0,
        more_superblocks: 40,
        free_share: 0.5,
        ..CACHE
    };
    let superblock = CACHE.slots(&layout());
    let blocks = layout().superblocks_per_group;
    let empty = taken_behind(shared, 0) / superblock;
    assert_eq!(empty, blocks / 2);
    let data = 18 * layout().slots_per_superblock;
    let half = taken_behind(shared, data) / superblock;
    // Data take 18 superblocks and the open one of what is folded.
    let free = blocks - 18;
    assert!(half >= free / 2 - 1 && half <= free / 2, "{half} of {free}");
}

#[test]
fn a_cache_that_shrinks_with_what_the_drive_holds_has_its_own_part_left_and_all_of_it_after_a_trim()
{
    let gone = SlcConfig {
        gone_at: Some(0.5),
        ..CACHE
    };
    let superblock = CACHE.slots(&layout());
    let slots = layer(gone).slots();
    assert_eq!(taken_behind(gone, 0), (OWN + MORE) * superblock);
    let quarter = taken_behind(gone, slots / 4) / superblock;
    assert_eq!(quarter, OWN + MORE / 2);
    let most = taken_behind(gone, slots * 3 / 5);
    assert_eq!(most, OWN * superblock);

    let mut layer = layer(gone);
    (0..slots * 3 / 5).for_each(|lpn| write(&mut layer, lpn));
    rest(&mut layer);
    layer.trim(Lpn(0), slots, &mut OpBatch::default());
    rest(&mut layer);
    let cache = (OWN + MORE) * superblock;
    (0..cache).for_each(|lpn| write(&mut layer, lpn));
    assert!(in_cache(&layer) > cache - UNIT);
}

#[test]
fn beside_what_goes_past_the_cache_it_is_folded_so_that_as_much_stays_free() {
    let beside = SlcConfig {
        when_full: WhenFull::Beside,
        ..CACHE
    };
    let mut layer = layer(beside);
    let cache = (OWN + MORE) * CACHE.slots(layer.layout());
    (0..cache).for_each(|lpn| write(&mut layer, lpn));
    assert_eq!(copies(&layer), 0);
    // A superblock of the cache holds a third of the slots that are free once it is folded.
    let past = CACHE.slots(layer.layout());
    (cache..cache + past).for_each(|lpn| write(&mut layer, lpn));
    let folded = u64::from(past / 4 / 2);
    let row = u64::from(layer.row_slots() / 4);
    let copied = copies(&layer);
    assert!(copied.abs_diff(folded) <= row, "{copied} pages of {folded}");
    assert!(!is_in_cache(&layer, cache));
}

#[test]
fn where_nothing_is_free_the_host_writes_past_the_cache_or_through_it() {
    let through = |folds_when_out| {
        let mut layer = layer(SlcConfig {
            own_superblocks: 0,
            more_superblocks: 40,
            free_share: 0.8,
            folds_when_out,
            ..CACHE
        });
        let slots = layer.slots();
        let mut in_cache_last = 0;
        for lpn in 0..slots {
            write(&mut layer, lpn);
            let is_last = lpn >= slots * 8 / 10;
            in_cache_last += u32::from(is_last && is_in_cache(&layer, lpn));
        }
        layer.check_invariants();
        let last = slots - slots * 8 / 10;
        f64::from(in_cache_last) / f64::from(last)
    };
    let (past, through) = (through(false), through(true));
    assert!(past < 0.1 && through > 0.9, "{past}, {through}");
}

#[test]
fn what_is_folded_in_little_memory_waits_for_what_is_there_already() {
    let operations = |fold_slots| {
        let mut layer = layer(SlcConfig {
            when_full: WhenFull::Fold,
            fold_slots,
            ..CACHE
        });
        let cache = (OWN + MORE) * CACHE.slots(layer.layout());
        (0..cache).for_each(|lpn| write(&mut layer, lpn));
        let mut batch = OpBatch::default();
        layer.write_whole(Lpn(cache), &mut batch).unwrap();
        let waits = batch
            .ops()
            .iter()
            .filter(|op| op.kind == ftlab_nand::OpKind::Read && op.order.waits.is_some());
        (batch.ops().len(), waits.count())
    };
    let (all, none) = operations(None);
    let (same, some) = operations(Some(UNIT));
    assert_eq!((all, none), (same, 0));
    // All but the first unit of a row.
    assert!(some > 0 && some < all, "{some} of {all}");
}
