//! Cost of merges, the data that they keep, and the order in which they work.

mod swarm;
mod wear;

use super::{BlockConfig, BlockLayer, MergeCounters};
use crate::testing::{FenceCheck, StampOracle, WriteWhole, check_copies};
use crate::{Extent, TranslationLayer};
use ftlab_base::rng::Stream;
use ftlab_base::{Content, Geometry, Layout, Lpn, Placement, RootSeed};
use ftlab_nand::{Cause, Fence, NandCounters, OpBatch, OpKind};
use rand::RngExt;

const CONFIG: BlockConfig = BlockConfig {
    log_blocks: 1,
    wear_every_merges: 0,
    wear_blocks: 0,
};

fn layout(dies: u32, stripe_dies: u32, planes: u32, superblocks: u32, pages: u32) -> Layout {
    let geometry = Geometry {
        channels: dies,
        dies,
        planes_per_die: planes,
        blocks_per_die: superblocks * planes,
        pages_per_block: pages,
        page_bytes: 4096,
        slot_bytes: 4096,
    };
    Layout::new(geometry, stripe_dies).unwrap()
}

/// A layer with everything that watches it.
struct Bench {
    layer: BlockLayer,
    batch: OpBatch,
    oracle: StampOracle,
    fences: FenceCheck,
    stream: Stream,
    /// Runs of copies up to the last call.
    runs: u64,
}

impl MergeCounters {
    fn copying(&self) -> u64 {
        self.partial + self.full + self.wear_moves
    }
}

impl Bench {
    fn new(layout: Layout, config: BlockConfig, user_slots: u32) -> Bench {
        let layer = BlockLayer::new(layout, config, user_slots, None).unwrap();
        Bench {
            oracle: StampOracle::new(&layer),
            layer,
            batch: OpBatch::carrying_data(),
            fences: FenceCheck::default(),
            stream: RootSeed(1).stream("block tests"),
            runs: 0,
        }
    }

    /// One bank, 512 KB blocks of 4 KB pages, eight of them filled.
    fn jmf(config: BlockConfig) -> Bench {
        let mut bench = Bench::new(layout(1, 1, 1, 16, 128), config, 8 * 128);
        bench.fill();
        bench
    }

    fn fill(&mut self) {
        (0..self.layer.slots()).for_each(|n| self.write(n));
    }

    fn write(&mut self, n: u32) {
        self.write_extent(n, Extent::Whole);
    }

    fn write_extent(&mut self, n: u32, extent: Extent) {
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
        self.settle(done);
    }

    fn trim(&mut self, first: u32, slots: u32) {
        (first..first + slots).for_each(|n| self.oracle.trim(Lpn(n)));
        self.layer.trim(Lpn(first), slots, &mut self.batch);
        self.settle(Fence::NONE);
    }

    fn read(&mut self, first: u32, slots: u32) {
        let done = self.batch.fence();
        self.layer.read(Lpn(first), slots, done, &mut self.batch);
        let written = |n: &u32| self.oracle.is_written(Lpn(*n));
        let reads = (first..first + slots).filter(written).count();
        assert_eq!(self.batch.ops().len(), reads);
        self.settle(done);
    }

    /// Takes in what one call of the host did.
    fn settle(&mut self, done: Fence) {
        self.fences.issue(self.batch.ops());
        self.fences.wait(done);
        self.oracle.take(self.batch.moves());
        let runs = self.layer.merges().copying();
        if runs > self.runs {
            let pages = self.layer.layout().geometry.pages_per_block;
            check_copies(self.batch.ops(), pages, &mut self.stream);
        }
        self.runs = runs;
        self.batch.clear();
    }

    fn check(&self) {
        self.layer.check_invariants();
        self.oracle.check(&self.layer);
    }

    /// Counts the merges and operations of `work`.
    fn cost(&mut self, work: impl FnOnce(&mut Bench)) -> (MergeCounters, NandCounters) {
        let (merges, nand) = (self.layer.merges(), self.layer.array().counters());
        work(self);
        self.check();
        let now = self.layer.merges();
        let merges = MergeCounters {
            switch: now.switch - merges.switch,
            partial: now.partial - merges.partial,
            full: now.full - merges.full,
            wear_moves: now.wear_moves - merges.wear_moves,
        };
        (merges, self.layer.array().counters().since(&nand))
    }
}

fn merges(switch: u64, partial: u64, full: u64) -> MergeCounters {
    MergeCounters {
        switch,
        partial,
        full,
        wear_moves: 0,
    }
}

#[test]
fn sequential_overwrite_ends_in_switch_merges_and_copies_nothing() {
    for (dies, stripe) in [(1, 1), (4, 1), (4, 4)] {
        let layout = layout(dies, stripe, 2, 12, 16);
        let slots = 8 * layout.groups * layout.slots_per_superblock;
        let mut bench = Bench::new(layout, CONFIG, slots);
        bench.fill();
        let (merged, nand) = bench.cost(Bench::fill);
        assert_eq!(merged, merges(8 * u64::from(layout.groups), 0, 0));
        assert_eq!(nand.programs(), u64::from(slots));
        assert_eq!(nand.reads(), 0);
    }
}

#[test]
fn a_run_from_the_start_of_a_block_is_merged_partially() {
    let mut bench = Bench::jmf(CONFIG);
    bench.write(128);
    let (merged, nand) = bench.cost(|bench| {
        (256..256 + 40).for_each(|n| bench.write(n));
        bench.write(0);
    });
    // The block of slot 128 was merged first, in part as well.
    assert_eq!(merged, merges(0, 2, 0));
    assert_eq!(nand.programs_for(Cause::Gc), 127 + 88);
    assert_eq!(nand.erases(), 2);
}

#[test]
fn a_random_write_costs_a_full_merge_once_logs_are_exhausted() {
    let config = BlockConfig {
        log_blocks: 4,
        ..CONFIG
    };
    let mut bench = Bench::jmf(config);
    // The fill has left four zones open; their logs are complete.
    let (first, _) = bench.cost(|bench| (4..8).for_each(|zone| bench.write(zone * 128 + 77)));
    assert_eq!(first, merges(4, 0, 0));
    let (next, nand) = bench.cost(|bench| {
        for round in 1..=10 {
            (0..8).for_each(|zone| bench.write(zone * 128 + 40 + round));
        }
    });
    assert_eq!(next, merges(0, 0, 80));
    assert_eq!(nand.programs_for(Cause::Gc), 80 * 128);
    assert_eq!(nand.erases(), 160);
}

#[test]
fn one_slot_or_many_of_a_zone_cost_the_same_merge() {
    let copied = |slots: u32| {
        let mut bench = Bench::jmf(CONFIG);
        bench.write(64);
        let (merged, nand) = bench.cost(|bench| {
            (0..slots).for_each(|n| bench.write(128 + (n * 37 + 5) % 128));
            bench.write(64);
        });
        assert_eq!(merged, merges(0, 0, 2), "{slots} slots");
        nand.programs_for(Cause::Gc)
    };
    assert_eq!(copied(1), 256);
    assert_eq!(copied(32), 256);
}

#[test]
fn a_change_of_16_kb_in_blocks_of_512_kb_amplifies_32_times() {
    for (first, log_pages) in [(4_u32, 4_u64), (0, 0)] {
        let mut bench = Bench::jmf(CONFIG);
        let write = |bench: &mut Bench, zone: u32| {
            (0..4).for_each(|n| bench.write(zone % 8 * 128 + first + n));
        };
        write(&mut bench, 0);
        let (_, nand) = bench.cost(|bench| (1..=64).for_each(|zone| write(bench, zone)));
        // At the start of the block the log becomes the data; elsewhere its pages come on top.
        assert_eq!(nand.programs(), 64 * (128 + log_pages));
        assert_eq!(nand.programs_for(Cause::Host), 64 * 4);
    }
}

#[test]
fn a_full_log_is_merged_on_its_own() {
    let mut bench = Bench::jmf(CONFIG);
    bench.write(3);
    let (merged, _) = bench.cost(|bench| (0..128).for_each(|_| bench.write(3)));
    assert_eq!(merged, merges(0, 0, 1));
}

#[test]
fn the_least_recently_written_zone_is_merged() {
    let config = BlockConfig {
        log_blocks: 2,
        ..CONFIG
    };
    let mut bench = Bench::jmf(config);
    bench.write(5);
    bench.write(128 + 5);
    bench.write(6);
    bench.write(2 * 128 + 5);
    let (merged, _) = bench.cost(|bench| bench.write(7));
    assert_eq!(merged, merges(0, 0, 0), "zone 0 still has its log");
}

#[test]
fn holes_of_a_block_are_programmed_without_a_read() {
    let mut bench = Bench::new(layout(1, 1, 2, 8, 8), CONFIG, 4 * 16);
    bench.write(9);
    bench.write(2);
    let (merged, nand) = bench.cost(|bench| bench.write(20));
    assert_eq!(merged, merges(0, 0, 1));
    // Slots 0 to 9, of which two were written: five programs of two planes.
    assert_eq!((nand.reads(), nand.programs_for(Cause::Gc)), (2, 10));
}

#[test]
fn a_partial_merge_goes_on_within_a_begun_unit() {
    let mut bench = Bench::new(layout(1, 1, 2, 8, 8), CONFIG, 4 * 16);
    bench.fill();
    bench.write(0);
    let _ = bench.layer.write_whole(Lpn(16), &mut bench.batch);
    let programs = bench.batch.ops().iter();
    let programs = programs.filter(|op| op.kind == OpKind::Program && op.cause == Cause::Gc);
    let planes: Vec<u8> = programs.map(|op| op.planes).collect();
    assert_eq!(planes, [1, 2, 2, 2, 2, 2, 2, 2]);
    bench.layer.check_invariants();
}

#[test]
fn a_partial_write_reads_what_it_keeps() {
    let mut bench = Bench::jmf(CONFIG);
    bench.write(300);
    let (_, nand) = bench.cost(|bench| bench.write_extent(301, Extent::Part));
    assert_eq!((nand.reads(), nand.programs()), (1, 1));
    bench.trim(302, 1);
    let (_, nand) = bench.cost(|bench| bench.write_extent(302, Extent::Part));
    assert_eq!(nand.reads(), 0, "there is nothing to keep");
}

#[test]
fn trim_of_a_whole_block_frees_its_data_and_its_log() {
    let mut bench = Bench::jmf(CONFIG);
    bench.write(130);
    let free = bench.layer.pool.free(0).len();
    let (merged, nand) = bench.cost(|bench| bench.trim(128, 128));
    assert_eq!((nand.programs(), nand.erases()), (0, 2));
    assert_eq!(bench.layer.pool.free(0).len(), free + 2);
    assert_eq!(merged, merges(0, 0, 0));
}

#[test]
fn trim_of_a_log_makes_room_for_another() {
    let config = BlockConfig {
        log_blocks: 2,
        ..CONFIG
    };
    let mut bench = Bench::jmf(config);
    bench.write(5);
    bench.write(130);
    bench.trim(128, 128);
    let (merged, _) = bench.cost(|bench| bench.write(300));
    assert_eq!(merged, merges(0, 0, 0));
}

#[test]
fn what_is_trimmed_is_not_copied() {
    let mut bench = Bench::jmf(CONFIG);
    bench.write(130);
    bench.trim(128 + 64, 64);
    bench.trim(128 + 10, 20);
    let (_, nand) = bench.cost(|bench| bench.write(5));
    assert_eq!(nand.reads(), 44);
    assert_eq!(nand.programs_for(Cause::Gc), 64);
}

#[test]
fn a_bad_block_is_passed_over() {
    let mut bench = Bench::new(layout(1, 1, 2, 8, 8), CONFIG, 4 * 16);
    bench.layer.array_mut().mark_bad(ftlab_base::BlockId(5));
    bench.fill();
    (0..100).for_each(|n| bench.write(n * 29 % 64));
    bench.check();
    let worn = bench.layer.array().erase_counts();
    assert_eq!((worn[4], worn[5]), (0, 0));
}

#[test]
fn sizes_that_cannot_be_are_refused() {
    let why = |layout: Layout, config: BlockConfig, slots| {
        let refused = BlockLayer::new(layout, config, slots, None);
        refused.map(|_| ()).unwrap_err().to_string()
    };
    let fine = layout(2, 1, 2, 8, 8);
    assert_eq!(
        why(fine, CONFIG, 2 * 16 * 6),
        "192 user slots take 6 superblocks of every group, logs 1 and merges 2: more than the 8 \
         there are; lower the user slots or log_blocks"
    );
    assert!(BlockLayer::new(fine, CONFIG, 2 * 16 * 5, None).is_ok());
    assert!(why(fine, CONFIG, 0).contains("at least 1"));
    let many_logs = BlockConfig {
        log_blocks: 100,
        ..CONFIG
    };
    assert!(BlockLayer::new(fine, many_logs, 2 * 16 * 3, None).is_ok());
    let no_logs = BlockConfig {
        log_blocks: 0,
        ..CONFIG
    };
    assert!(why(fine, no_logs, 16).contains("log_blocks is 0"));
    let mut half = fine.geometry;
    half.slot_bytes = 2048;
    let half = Layout::new(half, 1).unwrap();
    assert!(why(half, CONFIG, 16).contains("slots of one page"));
}
