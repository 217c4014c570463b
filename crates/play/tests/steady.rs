//! The steady states against the closed forms: the fast start lands where long random writes do.

use ftlab_base::{CommandKind, RootSeed};
use ftlab_drive::{Catalog, Device, Scale};
use ftlab_host::Testbed;
use ftlab_play::driver::{self, Clock};
use ftlab_states::{Settling, Start, State};
use ftlab_theory::{fifo, fifo_occupancy, greedy, greedy_occupancy};
use ftlab_workload::JobFile;
use rayon::prelude::*;

const SEED: RootSeed = RootSeed(1);

/// What write amplification may be off by.
const WA_TOLERANCE: f64 = 0.005;

/// How far two distributions of valid slots over 2,000 superblocks may lie apart, by Kolmogorov
/// and Smirnov's distance. Two samples of one distribution lie apart by more than
/// 1.63 · √(2 / 2000) = 0.052 in one of a hundred cases.
const APART_MAX: f64 = 0.05;

/// The generic drive with a quarter of its blocks: 2^19 slots.
fn drive(policy: &str, op: f64) -> Box<dyn Device> {
    drive_of(128, policy, op)
}

fn drive_of(blocks_per_die: u32, policy: &str, op: f64) -> Box<dyn Device> {
    let settings = [
        format!("nand.blocks_per_die={blocks_per_die}"),
        format!("gc.policy={policy}"),
        format!("spare.op={op}"),
    ];
    let file = Catalog::default()
        .load("generic-mlc-8", &settings)
        .expect("it loads");
    let testbed = Testbed::load("anandtech-2008").expect("it loads");
    file.build(&testbed, SEED).expect("it can be built")
}

fn prepared(policy: &str, op: f64, state: State) -> (Box<dyn Device>, Option<Settling>) {
    let mut device = drive(policy, op);
    let settling = ftlab_states::prepare(&mut *device, State::New, state, SEED);
    (device, settling.expect("it can be prepared"))
}

/// Random writes of `drives` times the user's capacity; gives their write amplification. Another
/// part of a run writes in another order: the same order again would be no random one.
fn write_at_random(device: &mut dyn Device, drives: f64, part: &str) -> f64 {
    let bytes = (device.capacity_sectors() as f64 * 512.0 * drives) as u64 / 4096 * 4096;
    let job = format!("[w]\nrw=randwrite\nbs=4k\nnorandommap\nsize=100%\nio_size={bytes}\n");
    let job = JobFile::parse(&job, "random.fio").expect("it parses");
    let report = driver::run(&job, device, Clock::Untimed, SEED.derive(part)).expect("it runs");
    report.wa().total
}

/// Share of the full superblocks that hold no more valid slots than 0, 1, …
fn held(device: &dyn Device) -> Vec<f64> {
    let layer = device.page_layer().expect("it is page-mapped");
    let mut counts = vec![0.0; layer.mapping().slots_per_superblock as usize + 1];
    layer
        .valid_slots()
        .into_iter()
        .for_each(|valid| counts[valid as usize] += 1.0);
    up_to(&counts)
}

fn up_to(shares: &[f64]) -> Vec<f64> {
    let all: f64 = shares.iter().sum();
    let mut share = 0.0;
    let add = |part: &f64| {
        share += part / all;
        share
    };
    shares.iter().map(add).collect()
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    std::iter::zip(a, b)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f64::max)
}

/// α, write amplification and the share of superblocks by valid slots, as theory says.
fn theory(policy: &str, device: &dyn Device) -> (f64, f64, Vec<f64>) {
    let mapping = device.page_layer().expect("it is page-mapped").mapping();
    let (alpha, b) = (mapping.alpha(), mapping.slots_per_superblock);
    let (wa, shares) = match policy {
        "greedy" => (greedy(alpha, b), greedy_occupancy(alpha, b)),
        _ => (fifo(alpha), fifo_occupancy(alpha, b)),
    };
    (
        alpha,
        wa.expect("in domain"),
        up_to(&shares.expect("in domain")),
    )
}

#[test]
fn a_fast_start_costs_from_then_on_what_theory_says() {
    for (policy, op) in [
        ("greedy", 0.07),
        ("greedy", 0.28),
        ("fifo", 0.127),
        ("fifo", 0.28),
    ] {
        let (mut device, _) = prepared(policy, op, State::SteadyFast);
        let (alpha, wa, shares) = theory(policy, &*device);
        assert!((alpha / (1.0 + op) - 1.0).abs() < 1e-4, "{alpha} is 1 + OP");
        let counters = device.counters();
        let written = counters.host_bytes_written as f64 / 512.0;
        let all = device.capacity_sectors() as f64 * alpha;
        assert!(
            (written / all - 1.0).abs() < 0.01,
            "{policy} {op}: as many as slots"
        );
        assert!(counters.write_amplification() < 1.05, "little is collected");
        let off = apart(&held(&*device), &shares);
        assert!(off < APART_MAX, "{policy} {op}: {off} from theory");
        let got = write_at_random(&mut *device, alpha, "first");
        assert!(
            (got / wa - 1.0).abs() < WA_TOLERANCE,
            "{policy} {op}: {got} for {wa}"
        );
    }
}

#[test]
fn a_fast_start_lands_where_long_random_writes_do() {
    for policy in ["greedy", "fifo"] {
        let (mut slow, _) = prepared(policy, 0.127, State::Filled);
        write_at_random(&mut *slow, 8.0 * 1.127, "long");
        let (fast, _) = prepared(policy, 0.127, State::SteadyFast);
        let off = apart(&held(&*fast), &held(&*slow));
        assert!(off < APART_MAX, "{policy}: {off} apart");
        // The measure tells other states from it.
        let (used, _) = prepared(policy, 0.127, State::Used);
        assert!(apart(&held(&*used), &held(&*slow)) > 0.3);
    }
}

/// Milliseconds of the slowest in a thousand random writes.
fn tail_ms(device: &mut dyn Device) -> f64 {
    let job = "[w]\nrw=randwrite\nbs=4k\niodepth=32\nsize=100%\nnumber_ios=40000\n";
    let job = JobFile::parse(job, "tail.fio").expect("it parses");
    let report = driver::run(&job, device, Clock::Timed, SEED.derive("tail")).expect("it runs");
    let writes = report.jobs[0].direction(CommandKind::Write);
    let latency = writes.latency().expect("it wrote");
    latency.percentile(99.9).0 as f64 / 1e6
}

/// All of its blocks: groups of fewer are hardly ever passed over, so that a fill keeps them in step for
/// longer than anybody writes.
#[test]
fn a_fast_start_waits_as_long_as_long_random_writes_do() {
    let tail_of = |state, drives| {
        let mut device = drive_of(512, "greedy", 0.127);
        ftlab_states::prepare(&mut *device, State::New, state, SEED).expect("it can be prepared");
        write_at_random(&mut *device, drives, "long");
        tail_ms(&mut *device)
    };
    let (slow, fast) = (tail_of(State::Filled, 5.0), tail_of(State::SteadyFast, 0.1));
    assert!((fast / slow - 1.0).abs() < 0.15, "{fast} ms for {slow}");
}

#[test]
fn a_steady_drive_has_settled_where_theory_says() {
    let (mut device, settling) = prepared("greedy", 0.127, State::Steady);
    let settling = settling.expect("it tells how it settled");
    assert_eq!(settling.start, Start::ClosedForm);
    assert!(settling.settled, "{settling:?}");
    assert_eq!(
        settling.rounds.len(),
        5,
        "nothing had to settle: {settling:?}"
    );
    assert!(settling.words().contains("steady after"));
    // The fill and five fifths, where a filled drive takes six capacities, each amplified.
    let programmed = device.counters().nand_bytes_programmed as f64;
    let capacities = programmed / (device.capacity_sectors() as f64 * 512.0);
    assert!((2.1..2.3).contains(&capacities), "{capacities} times over");
    let (_, wa, shares) = theory("greedy", &*device);
    let off = apart(&held(&*device), &shares);
    assert!(off < APART_MAX, "{off} from theory");
    let got = write_at_random(&mut *device, 1.0, "last");
    assert!((got / wa - 1.0).abs() < WA_TOLERANCE, "{got} for {wa}");
}

#[test]
fn a_drive_without_a_closed_form_settles_from_filled() {
    let (device, settling) = prepared("cost-benefit", 0.127, State::Steady);
    let settling = settling.expect("it tells how it settled");
    assert_eq!(settling.start, Start::Filled);
    assert!(settling.settled, "{settling:?}");
    assert!((5..10).contains(&settling.rounds.len()), "{settling:?}");
    let written = device.counters().host_bytes_written / (device.capacity_sectors() * 512);
    assert_eq!(written, 1 + settling.rounds.len() as u64);
}

#[test]
fn drives_without_a_closed_form_are_told_the_slow_way() {
    let testbed = Testbed::load("anandtech-2008").expect("it loads");
    for slug in [
        "ocz-core-jmf602",
        "wd-velociraptor-300",
        "generic-nvme-tlc-8",
    ] {
        let file = Catalog::default().load(slug, &[]).expect("it loads");
        let mut device = file.build(&testbed, SEED).expect("it can be built");
        let refused = ftlab_states::prepare(&mut *device, State::New, State::SteadyFast, SEED);
        let message = refused.expect_err("nothing is known of it").to_string();
        assert!(message.contains("--state steady"), "{message}");
        assert_eq!(device.counters().host_ios, 0, "before anything is written");
    }
}

#[test]
fn a_drive_with_tables_on_flash_starts_fast_too() {
    let settings = [
        "nand.blocks_per_die=256",
        "nand.pages_per_block=32",
        "checkpoint.every=64MiB",
        "spare.op=0.15",
    ];
    let file = Catalog::default()
        .load("intel-x25-m-g1-80", &settings.map(str::to_owned))
        .expect("it loads");
    let testbed = Testbed::load("anandtech-2008").expect("it loads");
    let mut device = file.build(&testbed, SEED).expect("it can be built");
    ftlab_states::prepare(&mut *device, State::New, State::SteadyFast, SEED).expect("it starts");
    let first = write_at_random(&mut *device, 1.0, "first");
    write_at_random(&mut *device, 6.0, "long");
    let later = write_at_random(&mut *device, 1.0, "last");
    assert!(
        (first / later - 1.0).abs() < 0.02,
        "{first}, and {later} later"
    );
}

/// Slots of a superblock of a drive that is compared: with more of them its write amplification is no other.
const SUPERBLOCK_SLOTS: u32 = 1 << 13;

/// A shipped drive with 256 superblocks of few pages, or as near to that as it can be; nothing unless it maps pages in
/// one stream and collects greedily, as a closed form has it.
fn shipped(slug: &str) -> Option<Box<dyn Device>> {
    let file = Catalog::default().load(slug, &[]).expect("it loads");
    let extent = file.extent().ok()?;
    let rows = SUPERBLOCK_SLOTS * extent.pages_per_block / extent.superblock_slots;
    let rows = rows.clamp(4, 32);
    let mut scaled = [256, 512, 1024].into_iter().flat_map(|superblocks| {
        file.scaled(Scale {
            blocks: (extent.superblocks / superblocks).max(1),
            pages: (extent.pages_per_block / rows).max(1),
            cycles: 1,
        })
    });
    let testbed = Testbed::load("anandtech-2008").expect("it loads");
    let device = scaled
        .next()?
        .build(&testbed, SEED)
        .expect("it can be built");
    let mapping = device.page_layer()?.mapping();
    (mapping.streams == 1 && mapping.policy == "greedy").then_some(device)
}

#[test]
fn every_page_mapped_drive_writes_what_its_spare_space_makes_it_write() {
    let slugs = Catalog::drives();
    let compared = slugs.par_iter().filter(|slug| {
        let Some(mut device) = shipped(slug) else {
            return false;
        };
        let mapping = device.page_layer().expect("it has one").mapping();
        let of_slots =
            greedy(mapping.alpha(), mapping.slots_per_superblock).expect("it has spare space");
        // A write of 4 KiB into a larger slot writes all of that.
        let slot = f64::from(mapping.slot_bytes) / 4096.0;
        let theory = of_slots * slot * mapping.programmed_per_slot;
        ftlab_states::prepare(&mut *device, State::New, State::Filled, SEED)
            .expect("it can be filled");
        write_at_random(&mut *device, 2.0, "settle");
        let wa = write_at_random(&mut *device, 1.0, "measured");
        let off = wa / theory - 1.0;
        // A cache of SLC beside the superblocks that theory counts holds a part of the data.
        let least = if mapping.has_slc { -0.03 } else { -0.01 };
        assert!(off > least && off < 0.01, "{slug}: {wa} for {theory}");
        true
    });
    let compared = compared.count();
    assert!(compared > 30, "{compared}");
}
