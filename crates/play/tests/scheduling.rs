//! What scheduling does to reads beside writes: the job of docs/scheduling.md on a smaller drive
//! for a shorter time.

use ftlab_base::{CommandKind, RootSeed};
use ftlab_drive::Catalog;
use ftlab_host::Testbed;
use ftlab_play::driver::{self, Clock};
use ftlab_states::State;
use ftlab_workload::JobFile;
use rayon::prelude::*;

const JOB: &str = include_str!("../jobs/mixed-reads-writes.fio");

const POLICIES: [&[&str]; 5] = [
    &[],
    &["scheduling.gc_preemptible=true"],
    &["scheduling.order=read-first"],
    &["scheduling.order=read-first", "scheduling.suspend=erase"],
    &[
        "scheduling.order=read-first",
        "scheduling.suspend=program-erase",
    ],
];

/// Reads at 99 % and on average in µs, and writes a second.
struct Figures {
    read_p99: f64,
    read_mean: f64,
    writes_s: f64,
}

fn measured(policy: &[&str]) -> Figures {
    let mut settings = vec!["nand.blocks_per_die=48".to_owned()];
    settings.extend(policy.iter().map(ToString::to_string));
    let file = Catalog::default()
        .load("generic-mlc-8", &settings)
        .expect("it loads");
    let testbed = Testbed::load("anandtech-2008").expect("it loads");
    let mut drive = file.build(&testbed, RootSeed(1)).expect("it can be built");
    ftlab_states::prepare(drive.as_mut(), State::New, State::Filled, RootSeed(1))
        .expect("it fills");
    let short = JOB.replace("runtime=60", "runtime=10");
    assert_ne!(short, JOB, "the job says how long it runs");
    let job = JobFile::parse(&short, "short.fio").expect("it is a job file");
    let report = driver::run(&job, drive.as_mut(), Clock::Timed, RootSeed(2)).expect("it runs");
    let direction = |name: &str, kind| {
        let job = report.jobs.iter().find(|job| job.name == name);
        job.expect("the job file names it").direction(kind)
    };
    let reads = direction("reader", CommandKind::Read).latency();
    let reads = reads.expect("it read");
    Figures {
        read_p99: reads.percentile(99.0).as_micros(),
        read_mean: reads.mean_ns() / 1e3,
        writes_s: direction("writer", CommandKind::Write).ios as f64 / 10.0,
    }
}

#[test]
fn each_policy_shortens_the_longest_reads_and_writes_pay_little() {
    let all: Vec<Figures> = POLICIES.par_iter().map(|policy| measured(policy)).collect();
    let [fcfs, preemptible, read_first, erase, both] = &all[..] else {
        unreachable!("as many as there are policies")
    };
    // A read in line waits for several programs; a read that is next for the one at work and
    // perhaps an erase; a read that may suspend both for next to nothing.
    assert!(fcfs.read_p99 > 3_000.0, "{} µs", fcfs.read_p99);
    for better in [preemptible, read_first] {
        assert!(
            better.read_p99 < 0.5 * fcfs.read_p99,
            "{} µs",
            better.read_p99
        );
    }
    // An erase is rare, but waiting for it is long.
    assert!(
        erase.read_mean < 0.99 * read_first.read_mean,
        "{} µs for {}",
        erase.read_mean,
        read_first.read_mean
    );
    assert!(both.read_p99 < 0.3 * erase.read_p99, "{} µs", both.read_p99);
    for policy in &all {
        let share = policy.writes_s / fcfs.writes_s;
        assert!((0.85..1.15).contains(&share), "{share} of the writes");
    }
}

/// Steady random writes in units of 4 KiB on `channels` channels of four dies, as a share of the rate that the flash
/// allows.
fn steady_share(channels: u32) -> f64 {
    let settings = [
        format!("nand.channels={channels}"),
        "nand.dies_per_channel=4".to_owned(),
        "nand.blocks_per_die=64".to_owned(),
    ];
    let file = Catalog::default()
        .load("generic-mlc-8", &settings)
        .expect("it loads");
    let testbed = Testbed::load("attached").expect("it loads");
    let mut drive = file.build(&testbed, RootSeed(1)).expect("it can be built");
    ftlab_states::prepare(drive.as_mut(), State::New, State::SteadyFast, RootSeed(1))
        .expect("it fills");
    let job = "[w]\nrw=randwrite\nbs=4k\niodepth=32\nnorandommap\ntime_based\nruntime=4\n";
    let job = JobFile::parse(job, "writes.fio").expect("it is a job file");
    let report = driver::run(&job, drive.as_mut(), Clock::Timed, RootSeed(2)).expect("it runs");
    // A page takes 27 µs over the channel, 900 to program and 50 to read; a block of 256 pages 3 ms to erase.
    let wa = report.wa().total;
    let flash_us = 927.0 + (wa - 1.0) * (77.0 + 927.0) + wa / 256.0 * 3000.0;
    let allowed = f64::from(4 * channels) * 1e6 / flash_us;
    let writes = report.jobs[0].direction(CommandKind::Write).ios as f64 / 4.0;
    writes / allowed
}

#[test]
fn steady_writes_use_nearly_all_of_the_dies_however_many_there_are() {
    let channels = [2, 4, 8, 32];
    let shares: Vec<f64> = channels
        .par_iter()
        .map(|&channels| steady_share(channels))
        .collect();
    assert!(
        shares.iter().all(|share| (0.9..1.02).contains(share)),
        "{shares:?}"
    );
}
