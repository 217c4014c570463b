//! How fast the model runs: 8 GiB raw (8 channels × 2 dies × 512 blocks × 256 pages × 4 KiB),
//! 83.7 % of all slots valid, uniform random 4 KiB, greedy, MLC timings.
//!
//! Criterion prints elements a second: page programs without time, NAND operations with time, and
//! host commands of each.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ftlab_base::rng::Stream;
use ftlab_base::{Command, CommandId, CommandKind, Lba, RootSeed, SimTime};
use ftlab_drive::{Catalog, Device};
use rand::Rng;
use std::hint::black_box;

/// Slots valid, of all slots of the array.
const VALID: f64 = 0.837;
/// Commands outstanding.
const DEPTH: u64 = 32;
/// Commands of one iteration.
const COMMANDS: u64 = 50_000;

struct Load {
    drive: Box<dyn Device>,
    slots: u64,
    rng: Stream,
    now: SimTime,
}

impl Load {
    /// The drive, filled, with the share of valid slots that the set-up asks for.
    fn filled() -> Load {
        // Set aside before OP is counted: the reserve of 2 of the 512 blocks of each die, and half
        // of the one under collection.
        let op = (1.0 - 2.5 / 512.0) / VALID - 1.0;
        let file = Catalog::load("generic-mlc-8", &[format!("spare.op={op}")]).expect("it exists");
        let testbed = Catalog::testbed("anandtech-2008").expect("it exists");
        let drive = file.build(&testbed, RootSeed(1)).expect("it can be built");
        let slots = drive.capacity_sectors() / 8;
        let rng = RootSeed(1).stream("bench");
        let mut load = Load {
            drive,
            slots,
            rng,
            now: SimTime::ZERO,
        };
        for slot in 0..slots {
            load.drive
                .apply(command(CommandKind::Write, slot, 0, SimTime::ZERO));
        }
        load
    }

    /// The drive in steady state: overwritten twice.
    fn steady() -> Load {
        let mut load = Load::filled();
        load.untimed(2 * load.slots);
        load
    }

    fn slot(&mut self) -> u64 {
        ((u128::from(self.rng.next_u64()) * u128::from(self.slots)) >> 64) as u64
    }

    fn untimed(&mut self, commands: u64) {
        for _ in 0..commands {
            let slot = self.slot();
            self.drive
                .apply(command(CommandKind::Write, slot, 0, SimTime::ZERO));
        }
    }

    fn timed(&mut self, kind: CommandKind, commands: u64) {
        let (mut sent, mut completed, mut done) = (0, 0, Vec::new());
        while completed < commands {
            while sent < commands && sent - completed < DEPTH {
                let command = command(kind, self.slot(), sent, self.now);
                self.drive.submit(command, self.now);
                sent += 1;
            }
            self.now = self.drive.next_event().expect("commands are outstanding");
            self.drive.advance(self.now, &mut done);
            completed += done.drain(..).len() as u64;
        }
    }
}

fn command(kind: CommandKind, slot: u64, id: u64, at: SimTime) -> Command {
    Command {
        id: CommandId(id),
        kind,
        lba: Lba(slot * 8),
        sectors: 8,
        at,
    }
}

/// Page programs, and NAND operations, of one iteration of `run`.
fn operations(load: &mut Load, run: impl Fn(&mut Load)) -> (u64, u64) {
    let before = load.drive.counters();
    run(load);
    let all = load.drive.counters().since(&before);
    (
        all.nand_programs,
        all.nand_programs + all.nand_reads + all.nand_erases,
    )
}

fn bench(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("8GiB");
    let mut load = Load::steady();
    let untimed = |load: &mut Load| load.untimed(COMMANDS);
    let (programs, _) = operations(&mut load, untimed);
    group.throughput(Throughput::Elements(programs));
    group.bench_function("untimed page programs", |b| {
        b.iter(|| untimed(black_box(&mut load)))
    });
    group.throughput(Throughput::Elements(COMMANDS));
    group.bench_function("untimed host writes", |b| {
        b.iter(|| untimed(black_box(&mut load)))
    });

    let timed = |load: &mut Load| load.timed(CommandKind::Write, COMMANDS);
    let (_, all) = operations(&mut load, timed);
    group.throughput(Throughput::Elements(all));
    group.bench_function("timed NAND operations", |b| {
        b.iter(|| timed(black_box(&mut load)))
    });
    group.throughput(Throughput::Elements(COMMANDS));
    group.bench_function("timed random writes", |b| {
        b.iter(|| timed(black_box(&mut load)))
    });

    let mut load = Load::filled();
    let reads = |load: &mut Load| load.timed(CommandKind::Read, COMMANDS);
    group.bench_function("timed random reads", |b| {
        b.iter(|| reads(black_box(&mut load)))
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = bench
}
criterion_main!(benches);
