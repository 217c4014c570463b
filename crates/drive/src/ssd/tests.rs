use crate::device::Device;
use crate::file::{Catalog, DriveFile};
use crate::ssd::{LayerInput, Ssd};
use ftlab_base::rng::Stream;
use ftlab_base::{
    Command, CommandId, CommandKind, Completion, Content, Lba, Lpn, Nanos, Outcome, Placement,
    RootSeed, SimTime, SubmissionQueue,
};
use ftlab_host::Testbed;
use rand::Rng;

/// Small drives of every kind: page mapping with slots of one page, half a page and four pages,
/// with one and two planes, with tables written to flash, collected in batches, in turns and in one log, flushed in rounds; block mapping in one group and in
/// banks.
const KINDS: [(&str, &[&str]); 14] = [
    (
        "generic-mlc-8",
        &[
            "nand.blocks_per_die=16",
            "spare.op=0.8",
            "nand.pages_per_block=8",
        ],
    ),
    (
        "generic-mlc-8",
        &[
            "nand.blocks_per_die=16",
            "spare.op=1.5",
            "nand.pages_per_block=8",
            "nand.page=8KiB",
            "nand.planes_per_die=2",
            "map.stripe_dies=4",
        ],
    ),
    (
        "generic-mlc-8",
        &[
            "nand.blocks_per_die=16",
            "spare.op=0.8",
            "nand.pages_per_block=8",
            "map.slot=16KiB",
            "map.stripe_dies=16",
            "gc.policy=fifo",
        ],
    ),
    (
        "generic-mlc-8",
        &[
            "nand.blocks_per_die=48",
            "nand.pages_per_block=4",
            "nand.planes_per_die=4",
            "spare.op=1.5",
            "firmware.die_queue=1",
            "buffer.size=32KiB",
        ],
    ),
    (
        "intel-x25-m-g1-80",
        &[
            "nand.blocks_per_die=32",
            "nand.pages_per_block=8",
            "spare.op=0.5",
            "checkpoint.every=64KiB",
            "checkpoint.size=16KiB",
        ],
    ),
    (
        "ocz-core-jmf602",
        &[
            "nand.blocks_per_die=32",
            "nand.pages_per_block=4",
            "spare.op=0.8",
            "wear.every_merges=7",
        ],
    ),
    (
        "samsung-slc-64",
        &[
            "nand.blocks_per_die=32",
            "nand.pages_per_block=4",
            "spare.op=0.8",
            "wear.every_merges=5",
        ],
    ),
    (
        "generic-mlc-8",
        &[
            "nand.blocks_per_die=32",
            "nand.pages_per_block=8",
            "spare.op=0.8",
            "gc.policy=d-choices",
            "gc.choices=2",
        ],
    ),
    (
        "generic-mlc-8",
        &[
            "nand.blocks_per_die=40",
            "nand.pages_per_block=8",
            "spare.op=1.5",
            "map.slot=8KiB",
            "map.entry=256B",
            "map.dram=8KiB",
        ],
    ),
    (
        "generic-mlc-8",
        &[
            "nand.blocks_per_die=40",
            "nand.pages_per_block=8",
            "spare.op=0.8",
            "gc.batch=3",
        ],
    ),
    (
        "generic-mlc-8",
        &[
            "nand.blocks_per_die=40",
            "nand.pages_per_block=8",
            "spare.op=0.8",
            "gc.turn=2",
            "gc.waiting_max=8",
        ],
    ),
    (
        "generic-mlc-8",
        &[
            "nand.blocks_per_die=40",
            "nand.pages_per_block=8",
            "spare.op=0.8",
            "gc.separate=false",
        ],
    ),
    (
        "generic-mlc-8",
        &[
            "nand.blocks_per_die=48",
            "nand.pages_per_block=8",
            "nand.page=8KiB",
            "nand.planes_per_die=2",
            "map.stripe_dies=4",
            "spare.op=1.5",
            "gc.separate=false",
            "gc.streams=by-address",
            "gc.hot_share=0.2",
            "gc.reserve=4",
        ],
    ),
    (
        "generic-mlc-8",
        &[
            "nand.blocks_per_die=16",
            "spare.op=0.8",
            "nand.pages_per_block=8",
            "firmware.flush_record=2ms",
        ],
    ),
];

/// The page-mapped drive of the review among [`KINDS`].
const X25_M: usize = 4;

mod batches;
mod crossing;
mod faults;
mod flushes;
mod lanes;
mod pauses;
mod policies;
mod power_states;
mod purge;
mod reliability;
mod stream;
mod sums;
mod thermal;
mod trims;
mod waking;
mod write_cache;

fn small(kind: usize) -> (DriveFile, Testbed) {
    small_with(kind, &[])
}

fn small_with(kind: usize, more: &[&str]) -> (DriveFile, Testbed) {
    let (slug, settings) = KINDS[kind];
    let settings: Vec<String> = settings
        .iter()
        .chain(more)
        .map(ToString::to_string)
        .collect();
    let testbed = Testbed::load("anandtech-2008").unwrap();
    (Catalog::default().load(slug, &settings).unwrap(), testbed)
}

fn build(kind: usize) -> Ssd {
    let (file, testbed) = small(kind);
    file.build_ssd(&testbed, RootSeed(1)).unwrap().checked()
}

fn below(rng: &mut Stream, n: u64) -> u64 {
    ((u128::from(rng.next_u64()) * u128::from(n)) >> 64) as u64
}

/// A random command; `kinds` says which kinds this run has, so that some runs lack some.
/// A command of a slot of 4 KiB.
fn slot_command(kind: CommandKind, slot: u64, at: SimTime) -> Command {
    Command::new(kind, slot, slot * 8, 8, at)
}

fn command(id: u64, capacity: u64, kinds: &[CommandKind], rng: &mut Stream) -> Command {
    let kind = kinds[below(rng, kinds.len() as u64) as usize];
    let aligned = below(rng, 4) > 0;
    let grain = if aligned { 8 } else { 1 };
    let sectors = (1 + below(rng, 16)) * grain;
    let lba = below(rng, (capacity - sectors) / grain) * grain;
    let sectors = if kind == CommandKind::Flush {
        0
    } else {
        sectors as u32
    };
    Command::new(kind, id, lba, sectors, SimTime::ZERO)
}

fn some_kinds(rng: &mut Stream) -> Vec<CommandKind> {
    let all = [
        CommandKind::Write,
        CommandKind::Read,
        CommandKind::Trim,
        CommandKind::Flush,
    ];
    let mask = 1 | below(rng, 16);
    let mut kinds: Vec<_> = (0..4)
        .filter(|n| mask >> n & 1 == 1)
        .map(|n| all[n])
        .collect();
    // Mostly writes, so that collection and merges have work.
    kinds.extend([CommandKind::Write; 4]);
    kinds
}

/// Runs `count` random commands at a queue depth; gives the completions.
fn run(ssd: &mut Ssd, count: u64, depth: usize, seed: u64) -> Vec<Completion> {
    let mut rng = RootSeed(seed).stream("swarm");
    let kinds = some_kinds(&mut rng);
    let (mut now, mut sent, mut done) = (SimTime::ZERO, 0, Vec::new());
    while (done.len() as u64) < count {
        while sent < count && sent as usize - done.len() < depth {
            let command = command(sent, ssd.capacity_sectors(), &kinds, &mut rng);
            ssd.submit(Command { at: now, ..command }, now);
            sent += 1;
        }
        now = ssd.next_event().expect("commands are outstanding");
        ssd.advance(now, &mut done);
    }
    done
}

#[test]
fn every_command_completes_once_and_reads_give_the_newest_data() {
    for kind in 0..KINDS.len() {
        for seed in 0..6 {
            let mut ssd = build(kind);
            let depth = [1, 4, 40][seed as usize % 3];
            let mut done = run(&mut ssd, 1_500, depth, seed);
            done.sort_by_key(|c| c.id);
            let ids: Vec<u64> = done.iter().map(|c| c.id.0).collect();
            assert_eq!(
                ids,
                (0..1_500).collect::<Vec<_>>(),
                "kind {kind} seed {seed}"
            );
            ssd.layer().check_invariants();
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_completions() {
    let of = |seed| run(&mut build(1), 800, 8, seed);
    assert_eq!(of(3), of(3));
    assert_ne!(of(3), of(4));
}

#[test]
fn a_snapshot_goes_on_like_the_drive_itself() {
    let mut original = build(0);
    let mut rng = RootSeed(1).stream("fill");
    let capacity = original.capacity_sectors();
    for id in 0..3_000 {
        original.apply(command(id, capacity, &[CommandKind::Write], &mut rng));
    }
    let mut copy = original.snapshot();
    let after = |drive: &mut dyn Device| {
        let mut rng = RootSeed(2).stream("more");
        for id in 0..500 {
            drive.apply(command(id, capacity, &[CommandKind::Write], &mut rng));
        }
        drive.counters()
    };
    assert_eq!(after(&mut *copy), after(&mut original));
}

fn one(ssd: &mut Ssd, kind: CommandKind, lba: u64, sectors: u32) -> Nanos {
    let now = SimTime(1_000_000_000_000);
    let command = Command::new(kind, 0, lba, sectors, now);
    ssd.submit(command, now);
    let mut done = Vec::new();
    while done.is_empty() {
        let next = ssd.next_event().unwrap();
        ssd.advance(next, &mut done);
    }
    done[0].at.since(now)
}

#[test]
fn a_flush_waits_until_everything_is_programmed() {
    let mut ssd = build(X25_M);
    let mut done = Vec::new();
    for id in 0..10 {
        let kind = if id == 9 {
            CommandKind::Flush
        } else {
            CommandKind::Write
        };
        let sectors = if id == 9 { 0 } else { 8 };
        let lba = Lba(id * 8);
        ssd.submit(
            Command {
                id: CommandId(id),
                kind,
                lba,
                sectors,
                content: Content::RANDOM,
                queue: SubmissionQueue::FIRST,
                placement: Placement::DEFAULT,
                at: SimTime::ZERO,
            },
            SimTime::ZERO,
        );
    }
    while let Some(next) = ssd.next_event() {
        ssd.advance(next, &mut done);
    }
    assert_eq!(done.last().unwrap().id, CommandId(9));
    assert_eq!(ssd.counters().nand_programs, 9);
    assert!(done.last().unwrap().at > SimTime(1_000_000));
}

#[test]
#[should_panic(expected = "a command to sector")]
fn a_command_beyond_the_end_is_a_bug_of_the_caller() {
    let mut ssd = build(0);
    let capacity = ssd.capacity_sectors();
    one(&mut ssd, CommandKind::Read, capacity, 1);
}

#[test]
fn time_may_end_with_a_program_unit_begun() {
    // Units of four slots: one slot waits in the buffer for three more.
    let mut ssd = build(1);
    one(&mut ssd, CommandKind::Write, 0, 8);
    let overwrite = Command::write(1, 0, 8, SimTime::ZERO);
    assert_eq!(ssd.apply(overwrite), Outcome::Good);
    // Which asserts that the buffer is empty.
    ssd.snapshot();
    one(&mut ssd, CommandKind::Flush, 0, 0);
    one(&mut ssd, CommandKind::Read, 0, 8);
}
