use super::*;
use crate::page::{Greedy, policy};
use crate::testing::{FenceCheck, StampOracle};
use crate::{Extent, TranslationLayer};
use ftlab_base::rng::Stream;
use ftlab_base::{ConfigError, DieId, Geometry, Identity, Placement, RootSeed};
use ftlab_nand::{DataMove, Fence, OpKind};
use rand::RngExt;
use std::collections::{BTreeMap, BTreeSet};

mod raise;

fn geometry(dies: u32, planes: u32, superblocks: u32, pages_per_block: u32) -> Geometry {
    Geometry {
        channels: 1,
        dies,
        planes_per_die: planes,
        blocks_per_die: planes * superblocks,
        pages_per_block,
        page_bytes: 8192,
        slot_bytes: 4096,
    }
}

fn config(user_slots: u32) -> PackedConfig {
    PackedConfig {
        user_slots,
        chunk_bytes: 512,
        dedup: true,
        raise: true,
        reads_whole: false,
        early_valid: None,
        reserve_superblocks: 2,
        policy: Box::new(Greedy),
        table: None,
        reliability: None,
    }
}

/// A layer with an oracle of its data and a check of its fences.
struct Bench {
    layer: PackedLayer,
    oracle: StampOracle,
    fences: FenceCheck,
    batch: OpBatch,
    /// Fences that the drive waits for.
    waits: BTreeSet<Fence>,
    /// Fences promised and not kept yet.
    promised: BTreeSet<Fence>,
    /// Fences that the reads of copies signal, by the first page of the unit that the copies go to.
    copies: BTreeMap<u32, Vec<Vec<Fence>>>,
}

impl Bench {
    fn new(geometry: Geometry, config: PackedConfig) -> Result<Bench, ConfigError> {
        let layout = Layout::new(geometry, geometry.dies()).unwrap();
        let layer = PackedLayer::new(layout, config)?;
        Ok(Bench {
            oracle: StampOracle::new(&layer),
            layer,
            fences: FenceCheck::default(),
            batch: OpBatch::carrying_data(),
            waits: BTreeSet::new(),
            promised: BTreeSet::new(),
            copies: BTreeMap::new(),
        })
    }

    fn write(&mut self, lpn: u32, extent: Extent, content: Content) {
        let lpn = Lpn(lpn);
        match content.identity().filter(|_| extent == Extent::Whole) {
            Some(identity) if self.layer.config.dedup => self.oracle.write_known(lpn, identity),
            _ => self.oracle.write(lpn),
        }
        let done = self
            .layer
            .write(lpn, extent, content, Placement::DEFAULT, &mut self.batch);
        self.waits.extend(done.ok().filter(|fence| fence.is_some()));
        assert!(done.is_ok(), "{done:?}");
        self.take();
    }

    /// Random data of a whole slot.
    fn put(&mut self, lpn: u32) {
        self.write(lpn, Extent::Whole, Content::RANDOM);
    }

    fn trim(&mut self, first: u32, slots: u32) {
        (first..first + slots).for_each(|lpn| self.oracle.trim(Lpn(lpn)));
        self.layer.trim(Lpn(first), slots, &mut self.batch);
        self.take();
    }

    fn flush(&mut self) {
        self.layer.flush(&mut self.batch);
        self.take();
        assert!(self.promised.is_empty(), "promises outlive a flush");
    }

    /// The operations of a read of some slots.
    fn read(&mut self, first: u32, slots: u32) -> Vec<ftlab_nand::NandOp> {
        self.layer.look_up(Lpn(first), slots, &mut self.batch);
        self.take();
        let done = self.batch.fence();
        self.layer.read(Lpn(first), slots, done, &mut self.batch);
        let ops = self.batch.ops().to_vec();
        self.waits.extend((!ops.is_empty()).then_some(done));
        self.take();
        ops
    }

    fn take(&mut self) {
        for fence in self.batch.promised() {
            assert!(self.promised.insert(*fence), "{fence:?} is promised twice");
        }
        self.fences.issue(self.batch.ops());
        for fence in self.batch.kept() {
            assert!(self.promised.remove(fence), "{fence:?} was not promised");
        }
        let come = self.batch.table_reads().iter().map(|&(_, come)| come);
        self.waits.extend(come);
        self.oracle.take(self.batch.moves());
        self.check_copies();
        self.batch.clear();
    }

    /// The page of a chunk, or the first page of its unit.
    fn page(&self, chunk: u32, of_unit: bool) -> u32 {
        let stripe = &self.layer.stripe;
        let (superblock, n) = stripe.locate(chunk);
        let skip = self.layer.skip[superblock.index()];
        let place = match of_unit {
            true => stripe.place(superblock, stripe.unit_of(n), skip),
            false => stripe.page_place(superblock, stripe.page_of(n), skip),
        };
        stripe.layout.geometry.page(place.block, place.page).0
    }

    /// Checks that data are read before they are copied, and that the program of the copy waits for that.
    fn check_copies(&mut self) {
        if self.layer.failed.is_some() {
            return;
        }
        // A page between two passes is read in both.
        let mut reads = BTreeMap::<u32, Vec<Fence>>::new();
        for op in self.batch.ops().iter().filter(|op| op.cause == Cause::Gc) {
            if op.kind == OpKind::Read {
                reads.entry(op.page.0).or_default().extend(op.order.signals);
            }
        }
        for step in self.batch.moves() {
            if let DataMove::Copy { from, to } = step {
                let signals = reads[&self.page(from.0, false)].clone();
                let to = self.page(to.0, true);
                self.copies.entry(to).or_default().push(signals);
            }
        }
        for op in self
            .batch
            .ops()
            .iter()
            .filter(|op| op.kind == OpKind::Program)
        {
            let copies = self.copies.remove(&op.page.0).unwrap_or_default();
            // On the smallest arrays a request may fill a superblock, erase it, and begin to fill it again.
            let pages = self.layer.stripe.layout.geometry.pages_per_block;
            let is_erase = |other: &ftlab_nand::NandOp| {
                let first = op.page.0 / pages * pages;
                other.kind == OpKind::Erase && other.page.0 == first
            };
            if self.batch.ops().iter().any(is_erase) {
                continue;
            }
            for signals in copies {
                let waits = op.order.waits;
                assert!(
                    waits.is_some() && signals.contains(&waits),
                    "{op:?}: {signals:?}"
                );
            }
        }
    }

    fn check(&self) {
        self.layer.check_invariants();
        self.oracle.check(&self.layer);
    }

    fn finish(mut self) {
        self.flush();
        self.check();
        self.waits.iter().for_each(|fence| self.fences.wait(*fence));
        self.fences.finish();
    }

    fn counters(&self) -> ftlab_nand::NandCounters {
        self.layer.array().counters()
    }
}

fn random_content(rng: &mut Stream) -> Content {
    match rng.random_range(0..6) {
        0 => Content::ZEROS,
        1 => Content::RANDOM.with_identity(Identity::of(rng.random_range(1..20_u64) << 20)),
        n => Content::compressible((n - 2) * 25),
    }
}

/// Random layers under random requests, the small and the strange among them.
#[test]
fn whatever_is_asked_the_newest_data_are_found() {
    let mut tried = 0;
    for seed in 0..60 {
        let mut rng = RootSeed(seed).stream("packed swarm");
        let shape = geometry(
            rng.random_range(1..=4),
            rng.random_range(1..=2),
            rng.random_range(5..=12),
            rng.random_range(1..=4),
        );
        let raise = rng.random_bool(0.6) && shape.dies() > 1;
        let chunk_bytes = [512, 1024, 64, 8192][rng.random_range(0..4)];
        let policies = ["greedy", "fifo", "random", "cost-benefit"];
        let name = policies[rng.random_range(0..4)];
        let mut config = PackedConfig {
            chunk_bytes,
            raise,
            dedup: rng.random_bool(0.8),
            reads_whole: rng.random_bool(0.5),
            early_valid: rng.random_bool(0.5).then_some(0.4),
            reserve_superblocks: rng.random_range(2..=3),
            policy: policy(name, &BTreeMap::new(), RootSeed(seed).stream("victim")).unwrap(),
            table: rng.random_bool(0.5).then(|| TableConfig {
                cached_pages: rng.random_range(1..4),
                entries_per_page: rng.random_range(1..12),
            }),
            reliability: None,
            ..config(1)
        };
        // The most that fits.
        let layout = Layout::new(shape, shape.dies()).unwrap();
        while config.check(&layout).is_ok() {
            config.user_slots += 1;
        }
        config.user_slots -= 1;
        let Ok(mut bench) = Bench::new(shape, config) else {
            continue;
        };
        tried += 1;
        let slots = bench.layer.slots();
        for step in 0..1_500 {
            let lpn = rng.random_range(0..slots);
            match rng.random_range(0..20) {
                0 => bench.trim(lpn, (slots - lpn).min(5)),
                1 => drop(bench.read(lpn, (slots - lpn).min(5))),
                2 if step % 3 == 0 => bench.flush(),
                3 | 4 => bench.write(lpn, Extent::Part, random_content(&mut rng)),
                5..=11 => bench.put(lpn),
                _ => bench.write(lpn, Extent::Whole, random_content(&mut rng)),
            }
            if step % 7 == 0 {
                bench.check();
            }
        }
        bench.finish();
    }
    assert!(tried > 40, "only {tried} layers could be built");
}

fn medium() -> (Geometry, PackedConfig) {
    let geometry = geometry(8, 2, 32, 16);
    // 28 superblocks of 112 units of 4 slots, and a little spare.
    (geometry, config(27 * 7 * 16 * 4 * 85 / 100))
}

#[test]
fn a_drive_full_of_random_data_takes_random_writes() {
    let (geometry, config) = medium();
    let mut bench = Bench::new(geometry, config).unwrap();
    let slots = bench.layer.slots();
    (0..slots).for_each(|lpn| bench.put(lpn));
    let mut rng = RootSeed(1).stream("packed full");
    let before = bench.counters();
    for _ in 0..2 * slots {
        bench.put(rng.random_range(0..slots));
    }
    bench.check();
    let programs = bench.counters().since(&before).programs();
    let wa = programs as f64 * 8192.0 / (f64::from(2 * slots) * 4096.0);
    // 27 of the 32 superblocks hold 85 % data: some two copies a write, and the parity.
    assert!((2.0..4.5).contains(&wa), "write amplification {wa}");
    bench.finish();
}

#[test]
fn compressible_data_are_written_less_than_once() {
    let (geometry, config) = medium();
    for (percent, most) in [(100, 0.15), (75, 0.29), (50, 0.58), (0, 1.15)] {
        let mut bench = Bench::new(
            geometry,
            PackedConfig {
                dedup: false,
                ..config.clone()
            },
        )
        .unwrap();
        let slots = bench.layer.slots();
        for lpn in 0..slots {
            bench.write(lpn, Extent::Whole, Content::compressible(percent));
        }
        bench.flush();
        let programmed = bench.counters().programs() * 8192;
        let wa = programmed as f64 / (f64::from(slots) * 4096.0);
        // The share that is left, and one unit in eight is parity; of the last row none is written.
        let left = f64::from((4096 * u32::from(100 - percent) / 100).max(512)) / 4096.0;
        let least = left * 8.0 / 7.0 * 0.99;
        assert!((least..most).contains(&wa), "{percent} %: {wa}");
        bench.finish();
    }
}

#[test]
fn the_same_data_are_stored_once_and_freed_with_their_last_slot() {
    let (geometry, config) = medium();
    let mut bench = Bench::new(geometry, config).unwrap();
    let known = Content::RANDOM.with_identity(Identity::of(1 << 40));
    (0..1000).for_each(|lpn| bench.write(lpn, Extent::Whole, known));
    bench.flush();
    // A unit of two pages, and nothing else.
    assert_eq!(bench.counters().programs(), 2);
    let valid = |bench: &Bench| -> u32 {
        let all = (0..32).map(SuperblockId);
        all.map(|s| bench.layer.table.valid_in(s)).sum()
    };
    assert_eq!(valid(&bench), 8);
    bench.trim(0, 999);
    assert_eq!(valid(&bench), 8);
    bench.put(999);
    assert_eq!(
        valid(&bench),
        8,
        "the old data are gone, the new ones there"
    );
    bench.write(5, Extent::Whole, known);
    assert_eq!(valid(&bench), 16, "forgotten data are stored anew");
    // A part of a slot is not what the whole was.
    bench.write(5, Extent::Part, known);
    bench.write(6, Extent::Whole, known);
    assert_ne!(bench.layer.lookup(Lpn(5)), bench.layer.lookup(Lpn(6)));
    bench.finish();
}

#[test]
fn a_part_of_a_slot_never_takes_less_than_the_rest_may() {
    let (geometry, config) = medium();
    let mut bench = Bench::new(geometry, config).unwrap();
    let chunks = |bench: &Bench, lpn| bench.layer.table.find(Lpn(lpn)).unwrap().chunks;
    bench.put(3);
    bench.flush();
    let before = bench.counters();
    bench.write(3, Extent::Part, Content::ZEROS);
    assert_eq!(chunks(&bench, 3), 8);
    assert_eq!(
        bench.counters().since(&before).reads(),
        1,
        "it is read first"
    );
    bench.write(4, Extent::Part, Content::ZEROS);
    assert_eq!(chunks(&bench, 4), 1);
    bench.finish();
}

/// A drive in three states: new; written all over; the same after a TRIM of everything. What matters
/// is what a write costs beside its program.
#[test]
fn trim_saves_the_copies_and_not_the_passes() {
    let (geometry, config) = medium();
    let mut bench = Bench::new(
        geometry,
        PackedConfig {
            reads_whole: true,
            ..config
        },
    )
    .unwrap();
    let slots = bench.layer.slots();
    let cost = |bench: &mut Bench| {
        let before = bench.counters();
        (0..slots).for_each(|lpn| bench.put(lpn));
        let since = bench.counters().since(&before);
        let host = since.programs_for(Cause::Host) as f64;
        let per_host = |n: u64| n as f64 / host;
        (
            per_host(since.reads()),
            per_host(since.programs_for(Cause::Gc)),
            per_host(since.erases() * 16),
        )
    };
    let (reads, copies, erases) = cost(&mut bench);
    assert!(
        reads < 0.1 && copies < 0.01 && erases == 0.0,
        "new: {reads} {copies} {erases}"
    );
    let mut rng = RootSeed(1).stream("packed torture");
    for _ in 0..slots {
        bench.put(rng.random_range(0..slots));
    }
    bench.trim(0, slots);
    let (reads, copies, erases) = cost(&mut bench);
    // Pages of data read for each page programmed for the host, of which one in eight is parity.
    assert!((0.6..0.9).contains(&reads), "after TRIM: {reads} reads");
    assert!(copies < 0.01, "after TRIM: {copies} copies");
    assert!((0.8..1.1).contains(&erases), "after TRIM: {erases} erases");
    bench.finish();
}

/// Half of a drive is written, in order and then at random or in order again. There is room for both
/// passes, so nothing is collected but what a drive may collect early.
#[test]
fn superblocks_of_which_little_is_valid_are_collected_although_there_is_room() {
    let reads = |early_valid, at_random: bool| {
        let (geometry, config) = medium();
        let config = PackedConfig {
            reads_whole: true,
            early_valid,
            ..config
        };
        let mut bench = Bench::new(geometry, config).unwrap();
        let half = bench.layer.slots() / 2;
        (0..half).for_each(|lpn| bench.put(lpn));
        assert_eq!(bench.counters().reads(), 0);
        let mut rng = RootSeed(1).stream("packed early");
        for lpn in 0..half {
            bench.put(if at_random {
                rng.random_range(0..half)
            } else {
                lpn
            });
        }
        let reads = bench.counters().reads();
        bench.finish();
        reads
    };
    assert_eq!((reads(None, false), reads(None, true)), (0, 0));
    // In order a superblock for each that is written, once the first of the old ones is empty.
    assert!(reads(Some(0.0), false) > 500);
    // At random a share of 1/e of what the first superblocks held is valid in the end.
    assert_eq!(reads(Some(0.25), true), 0);
    assert!(reads(Some(0.6), true) > 200);
}

#[test]
fn what_does_not_fit_is_refused() {
    let (geometry, _) = medium();
    let layout = |geometry: Geometry, stripe| Layout::new(geometry, stripe).unwrap();
    let why = |geometry: Geometry, stripe, change: fn(&mut PackedConfig)| {
        let mut config = config(100);
        change(&mut config);
        config.check(&layout(geometry, stripe)).unwrap_err().0
    };
    assert!(why(geometry, 4, |_| ()).contains("spans all 8"));
    assert!(why(geometry, 8, |c| c.chunk_bytes = 500).contains("do not divide"));
    assert!(why(geometry, 8, |c| c.chunk_bytes = 0).contains("do not divide"));
    assert!(why(geometry, 8, |c| c.chunk_bytes = 8).contains("512 chunks of 8 bytes"));
    assert!(why(geometry, 8, |c| c.reserve_superblocks = 1).contains("at least 2"));
    assert!(why(geometry, 8, |c| c.user_slots = 1 << 20).contains("are left for them"));
    let single = self::geometry(1, 2, 32, 16);
    assert!(why(single, 1, |_| ()).contains("parity over 1 die"));
}
