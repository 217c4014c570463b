//! Cost of a mapping table on flash, the data that it keeps, and the order in which it is read.

use super::*;
use crate::page::PageConfig;
use crate::testing::{FenceCheck, StampOracle, page_config};
use crate::{Extent, TranslationLayer};
use ftlab_base::rng::Stream;
use ftlab_base::{Content, Geometry, Placement, RootSeed};
use ftlab_nand::{NandOp, OpKind};
use rand::RngExt;
use std::collections::BTreeSet;

/// Entries of a translation page.
const ENTRIES: u32 = 16;

/// A layer with everything that watches it.
struct Bench {
    layer: PageLayer<false>,
    batch: OpBatch,
    oracle: StampOracle,
    fences: FenceCheck,
    /// Times that the last call stopped the firmware.
    halts: usize,
    /// Of writes whose units may still be open.
    open: BTreeSet<Fence>,
}

impl Bench {
    /// Four dies of 64 blocks, of which half is the user's.
    fn new(cached_entries: u32, stripe_dies: u32, slot_bytes: u32) -> Bench {
        Bench::with(cached_entries, ENTRIES, stripe_dies, slot_bytes)
    }

    fn with(
        cached_entries: u32,
        entries_per_page: u32,
        stripe_dies: u32,
        slot_bytes: u32,
    ) -> Bench {
        let table = TranslationConfig {
            cached_entries,
            entries_per_page,
            runs: false,
        };
        Bench::of_table(table, stripe_dies, slot_bytes)
    }

    /// Makes a bench with a table of runs.
    fn of_runs(held: u32, stripe_dies: u32, slot_bytes: u32) -> Bench {
        let table = TranslationConfig {
            cached_entries: held,
            entries_per_page: ENTRIES,
            runs: true,
        };
        Bench::of_table(table, stripe_dies, slot_bytes)
    }

    fn of_table(table: TranslationConfig, stripe_dies: u32, slot_bytes: u32) -> Bench {
        let geometry = Geometry {
            channels: 4,
            dies: 4,
            planes_per_die: 1,
            blocks_per_die: 64,
            pages_per_block: 16,
            page_bytes: 8192,
            slot_bytes,
        };
        let layout = Layout::new(geometry, stripe_dies).unwrap();
        let config = PageConfig {
            translation: Some(table),
            ..page_config(layout.slots() / 2)
        };
        let layer = PageLayer::new(layout, config).unwrap();
        Bench {
            oracle: StampOracle::new(&layer),
            layer,
            batch: OpBatch::carrying_data(),
            fences: FenceCheck::default(),
            halts: 0,
            open: BTreeSet::new(),
        }
    }

    /// Writes a slot, with others to come behind it.
    fn write_on(&mut self, n: u32) -> Vec<NandOp> {
        self.oracle.write(Lpn(n));
        let (whole, content) = (Extent::Whole, Content::RANDOM);
        let done = self
            .layer
            .write(Lpn(n), whole, content, Placement::DEFAULT, &mut self.batch);
        self.open.insert(done.unwrap());
        self.settle(Fence::NONE)
    }

    /// Nothing more comes behind what was written.
    fn end_writes(&mut self) {
        self.layer.flush(&mut self.batch);
        self.settle(Fence::NONE);
        let open = std::mem::take(&mut self.open);
        open.into_iter().for_each(|done| self.fences.wait(done));
    }

    fn write(&mut self, n: u32) -> Vec<NandOp> {
        self.write_extent(n, Extent::Whole)
    }

    fn write_extent(&mut self, n: u32, extent: Extent) -> Vec<NandOp> {
        self.oracle.write(Lpn(n));
        let done = self
            .layer
            .write(
                Lpn(n),
                extent,
                Content::RANDOM,
                Placement::DEFAULT,
                &mut self.batch,
            )
            .unwrap();
        self.layer.flush(&mut self.batch);
        self.settle(done)
    }

    fn read(&mut self, first: u32, slots: u32) -> Vec<NandOp> {
        let done = self.batch.fence();
        self.layer.read(Lpn(first), slots, done, &mut self.batch);
        self.settle(done)
    }

    fn trim(&mut self, first: u32, slots: u32) -> Vec<NandOp> {
        (first..first + slots).for_each(|n| self.oracle.trim(Lpn(n)));
        self.layer.trim(Lpn(first), slots, &mut self.batch);
        self.settle(Fence::NONE)
    }

    /// Takes in what one call of the host did.
    fn settle(&mut self, done: Fence) -> Vec<NandOp> {
        self.fences.issue(self.batch.ops());
        self.fences.wait(done);
        let halts = self.batch.halts().iter();
        halts.for_each(|&until| self.fences.wait(until));
        self.oracle.take(self.batch.moves());
        let ops = self.batch.ops().to_vec();
        self.halts = self.batch.halts().len();
        self.batch.clear();
        ops
    }

    fn check(&self) {
        self.layer.check_invariants();
        self.oracle.check(&self.layer);
        self.fences.finish();
    }
}

fn count(ops: &[NandOp], kind: OpKind, cause: Cause) -> usize {
    let counted = ops.iter().filter(|op| op.kind == kind && op.cause == cause);
    counted.count()
}

/// Number of reads of the map in an operation stream.
fn map_reads(ops: &[NandOp]) -> usize {
    count(ops, OpKind::Read, Cause::Map)
}

#[test]
fn a_new_drive_reads_and_writes_no_translation_pages() {
    let mut bench = Bench::new(64, 4, 8192);
    assert!(bench.read(0, 100).is_empty());
    for n in 0..64 {
        let ops = bench.write(n * 8);
        assert_eq!((ops.len(), map_reads(&ops)), (1, 0));
    }
    bench.check();
}

#[test]
fn a_missed_read_waits_for_its_translation_page() {
    let mut bench = Bench::new(8, 4, 8192);
    (0..64).for_each(|n| drop(bench.write(n)));
    // Only flash knows the first page.
    let ops = bench.read(3, 1);
    let (map, host) = (ops[0], *ops.last().unwrap());
    assert_eq!((map.kind, map.cause), (OpKind::Read, Cause::Map), "{ops:?}");
    assert_eq!((host.kind, host.cause), (OpKind::Read, Cause::Host));
    assert!(host.order.waits.is_some() && map.order.signals.contains(&host.order.waits));
    // Now it is known, and its neighbours are at hand.
    assert_eq!(map_reads(&bench.read(3, 1)), 0);
    assert_eq!(map_reads(&bench.read(0, 16)), 0);
    let next = bench.read(15, 10);
    let first = next.iter().find(|op| op.cause == Cause::Host).unwrap();
    assert!(!first.order.waits.is_some(), "slot 15 is known");
    assert!(
        next.last().unwrap().order.waits.is_some(),
        "slots 16 to 24 are not"
    );
    bench.check();
}

#[test]
fn a_read_takes_in_a_sector_of_entries_and_a_write_one() {
    // 8 KiB of 128 entries: 8 in a sector.
    let mut bench = Bench::with(200, 128, 4, 8192);
    (0..1024).for_each(|n| drop(bench.write(n)));
    assert_eq!(map_reads(&bench.read(12, 1)), 1);
    assert_eq!(
        map_reads(&bench.read(200, 1)),
        1,
        "another page is at hand now"
    );
    assert_eq!(map_reads(&bench.read(8, 8)), 0, "the sector of slot 12");
    assert_eq!(map_reads(&bench.read(16, 1)), 1, "the next sector");
    assert_eq!(map_reads(&bench.write(300)), 1);
    assert_eq!(map_reads(&bench.read(100, 1)), 1);
    assert_eq!(
        map_reads(&bench.read(301, 1)),
        1,
        "the neighbour of slot 300"
    );
    bench.check();
}

#[test]
fn the_rest_of_a_slot_is_read_after_its_entry_and_a_whole_slot_waits_for_nothing() {
    for slot_bytes in [8192, 32768] {
        let mut bench = Bench::new(8, 4, slot_bytes);
        (0..64).for_each(|n| drop(bench.write(n)));
        let ops = bench.write_extent(3, Extent::Part);
        let map = ops[0];
        assert_eq!((map.kind, map.cause), (OpKind::Read, Cause::Map), "{ops:?}");
        let rest = ops
            .iter()
            .filter(|op| op.kind == OpKind::Read && op.cause == Cause::Host);
        let rest: Vec<_> = rest.collect();
        assert_eq!(rest.len() as u32, slot_bytes / 8192);
        assert!(map.order.signals[0].is_some());
        assert!(rest.iter().all(|op| op.order.waits == map.order.signals[0]));
        let program = ops
            .iter()
            .find(|op| op.cause == Cause::Host && op.kind == OpKind::Program);
        assert_eq!(program.unwrap().order.waits, rest[0].order.signals[0]);
        // Slot 20 is as unknown.
        let ops = bench.write(20);
        assert_eq!((ops[0].kind, ops[0].cause), (OpKind::Read, Cause::Map));
        let program = ops.iter().find(|op| op.cause == Cause::Host);
        assert_eq!(program.unwrap().order.waits, Fence::NONE);
        bench.check();
    }
}

#[test]
fn what_has_changed_in_a_page_is_written_back_together() {
    let mut bench = Bench::new(2 * ENTRIES, 4, 8192);
    // Two pages of the map, all of it changed; then as many entries of others push them out.
    let mut programs = 0;
    for n in (0..2 * ENTRIES).chain((2..100).map(|page| page * ENTRIES)) {
        let ops = bench.write(n);
        programs += count(&ops, OpKind::Program, Cause::Map);
        assert_eq!(map_reads(&ops), 0, "each page is new or wholly changed");
    }
    // One for each of the first two pages, then one for each single entry.
    assert_eq!(programs, 2 + (98 - 2 * ENTRIES as usize));
    bench.check();
}

#[test]
fn a_page_that_maps_nothing_is_forgotten() {
    let mut bench = Bench::new(8, 4, 8192);
    (0..64).for_each(|n| drop(bench.write(n)));
    let ops = bench.trim(16, 16);
    assert!(ops.is_empty(), "{ops:?}");
    assert!(bench.read(16, 16).is_empty());
    // If it maps something else, a trim is a change as any other.
    bench.trim(0, 15);
    assert_eq!(count(&bench.read(0, 16), OpKind::Read, Cause::Host), 1);
    bench.check();
}

/// Looked up at random, one entry is as likely to be held as another, whatever leaves first.
#[test]
fn random_reads_hit_as_often_as_entries_are_held() {
    let mut bench = Bench::new(512, 4, 8192);
    let slots = bench.layer.slots();
    (0..slots).for_each(|n| drop(bench.write(n)));
    let mut rng = RootSeed(1).stream("hits");
    let mut reads = 0;
    let count = 40_000;
    for n in 0..count + 5_000 {
        let missed = map_reads(&bench.read(rng.random_range(0..slots), 1));
        reads += if n < 5_000 { 0 } else { missed };
    }
    // Missed, and not in the page at hand.
    let want = (1.0 - 512.0 / f64::from(slots)) * (1.0 - f64::from(ENTRIES) / f64::from(slots));
    let have = reads as f64 / f64::from(count);
    assert!((have - want).abs() < 0.01, "{have} for {want}");
}

/// Random requests of all kinds.
fn go_on(bench: &mut Bench, count: u32, rng: &mut Stream) {
    let slots = bench.layer.slots();
    for _ in 0..count {
        let n = rng.random_range(0..slots);
        let few = rng.random_range(1..=(slots - n).min(40));
        drop(match rng.random_range(0..20) {
            0 => bench.trim(n, few),
            1..5 => bench.read(n, few),
            5..8 => bench.write_extent(n, Extent::Part),
            _ => bench.write(n),
        });
    }
}

#[test]
fn every_slot_is_found_whatever_is_in_memory() {
    for (seed, cached) in [1, 3, 40, 300, 1000].into_iter().enumerate() {
        for (stripe_dies, slot_bytes) in [(4, 8192), (1, 8192), (2, 4096), (4, 16384)] {
            for mut bench in [
                Bench::new(cached, stripe_dies, slot_bytes),
                Bench::of_runs(cached, stripe_dies, slot_bytes),
            ] {
                let mut rng = RootSeed(seed as u64).stream("translation");
                for _ in 0..8 {
                    go_on(&mut bench, 500, &mut rng);
                    bench.check();
                }
            }
        }
    }
}

/// Runs of the whole table, and those in memory.
fn runs(bench: &mut Bench) -> (u32, u32) {
    let runs = bench.layer.runs_mut().expect("a table of runs");
    (runs.all(), runs.held())
}

#[test]
fn data_in_order_are_a_run_a_page_and_each_random_write_adds_one_or_two() {
    // One group of dies, four, and two with slots of half a page.
    for (stripe_dies, slot_bytes) in [(4, 8192), (1, 8192), (2, 4096)] {
        let mut bench = Bench::of_runs(10_000, stripe_dies, slot_bytes);
        let slots = bench.layer.slots();
        // Without a flush after each, which fills up units.
        for n in 0..slots {
            bench.write_on(n);
        }
        bench.end_writes();
        let pages = slots.div_ceil(ENTRIES);
        let (all, held) = runs(&mut bench);
        // A superblock may end inside of a page.
        assert!(
            (pages..pages + pages / 8).contains(&all),
            "{all} for {pages}"
        );
        assert_eq!(all, held, "everything fits");
        bench.write(5);
        assert_eq!(runs(&mut bench).0, all + 2, "in the midst of a run");
        bench.write(ENTRIES);
        assert_eq!(runs(&mut bench).0, all + 3, "where one begins");
        bench.write(2 * ENTRIES - 1);
        assert_eq!(runs(&mut bench).0, all + 4, "where one ends");
        bench.trim(5, 1);
        assert_eq!(runs(&mut bench).0, all + 3, "what is not there is no run");
        bench.check();
    }
}

#[test]
fn a_write_whose_runs_are_not_in_memory_stops_the_firmware_and_others_do_not() {
    let mut bench = Bench::of_runs(8, 4, 8192);
    let slots = bench.layer.slots();
    let mut halts = 0;
    for n in 0..slots {
        let ops = bench.write_on(n);
        halts += bench.halts;
        assert_eq!(
            map_reads(&ops),
            0,
            "what was never written is nowhere to be read"
        );
    }
    assert_eq!(halts, 0);
    bench.end_writes();
    let ops = bench.write(3);
    let (leaves, comes) = (ops[0], ops[1]);
    let is = |op: NandOp, kind| op.kind == kind && op.cause == Cause::Map;
    assert!(
        is(leaves, OpKind::Program) && is(comes, OpKind::Read),
        "{ops:?}"
    );
    assert!(
        leaves.order.signals.contains(&comes.order.waits),
        "one page comes where another was"
    );
    assert_eq!(bench.halts, 1);
    let ops = bench.write(4);
    assert_eq!(
        (map_reads(&ops), bench.halts),
        (0, 0),
        "the page is in memory"
    );
    // A part of a slot waits for what says where the rest is.
    let ops = bench.write_extent(40, Extent::Part);
    let rest = ops.iter().find(|op| op.cause == Cause::Host).unwrap();
    assert_eq!(rest.kind, OpKind::Read);
    let map = ops.iter().find(|op| is(**op, OpKind::Read)).unwrap();
    assert!(
        rest.order.waits.is_some()
            && map.order.signals.contains(&rest.order.waits)
            && bench.halts == 1
    );
    bench.check();
}

/// As many writes miss as runs are not held, and none while all of them are.
#[test]
fn random_writes_miss_once_runs_outgrow_memory() {
    let mut bench = Bench::of_runs(600, 4, 8192);
    let slots = bench.layer.slots();
    (0..slots).for_each(|n| drop(bench.write_on(n)));
    bench.end_writes();
    let mut rng = RootSeed(1).stream("runs");
    let mut missed = 0;
    while runs(&mut bench).0 < 590 {
        bench.write(rng.random_range(0..slots));
        missed += bench.halts;
    }
    assert_eq!(missed, 0);
    (0..4 * slots).for_each(|_| drop(bench.write(rng.random_range(0..slots))));
    let (mut missed, count) = (0, 20_000);
    for _ in 0..count {
        bench.write(rng.random_range(0..slots));
        missed += bench.halts;
    }
    let (all, held) = runs(&mut bench);
    let (want, have) = (
        1.0 - f64::from(held) / f64::from(all),
        missed as f64 / f64::from(count),
    );
    assert!(
        held <= 600 && (have - want).abs() < 0.03,
        "{have} for {want}"
    );
    bench.check();
}

/// Every write changes an entry of another page, so nearly each is written back alone.
#[test]
fn the_log_is_collected_half_empty_and_wears_all_superblocks() {
    let mut bench = Bench::new(4, 4, 8192);
    let slots = bench.layer.slots();
    (0..slots).for_each(|n| drop(bench.write(n)));
    let before = bench.layer.array().counters();
    let mut rng = RootSeed(1).stream("log");
    let count = 10_000_u32;
    for _ in 0..count {
        bench.write(rng.random_range(0..slots));
    }
    bench.check();
    let done = bench.layer.array().counters().since(&before);
    let moved = done.programs_for(Cause::Gc) + u64::from(count);
    // Some entries of a page leave together.
    let map = done.programs_for(Cause::Map) as f64;
    assert!(map > 0.9 * moved as f64, "{map} of {moved}");
    // Random writes to a log that has room for everything twice cost less than 1.3.
    assert!(map < 1.3 * moved as f64, "{map} of {moved}");
    let erases = bench.layer.array().erase_counts();
    assert!(*erases.iter().min().unwrap() > 0, "{erases:?}");
}
