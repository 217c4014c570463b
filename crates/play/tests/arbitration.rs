//! An NVMe drive that takes from submission queues by weights: what each job gets while all queues are full and the drive is
//! what limits them.

use ftlab_base::{CommandKind, RootSeed};
use ftlab_drive::Catalog;
use ftlab_host::{Arbitration, HostOrder, Testbed, Weights};
use ftlab_play::driver::{self, Clock, JobReport};
use ftlab_states::State;
use ftlab_workload::JobFile;

const SEED: RootSeed = RootSeed(1);

/// The drive has 32 commands at a time, of 64 that each job keeps outstanding.
const DRIVE: &str = "generic-nvme-tlc-8";
const SMALL: [&str; 7] = [
    "nand.blocks_per_die=128",
    "nand.pages_per_block=6",
    "map.dram=1MiB",
    "spare.user_capacity=150MB",
    "slc.own_size=1MB",
    "slc.more_size=8MB",
    "queue.depth=32",
];

/// Reads that each job of a file made, while a drive takes from their queues so.
fn reads(order: HostOrder, jobs: &str) -> Vec<f64> {
    let testbed = Testbed {
        queue_order: order,
        ..Testbed::load("linux-2024-nvme").expect("it loads")
    };
    let settings = SMALL.map(ToString::to_string);
    let file = Catalog::default().load(DRIVE, &settings).expect("it loads");
    let mut device = file.build(&testbed, SEED).expect("it can be built");
    ftlab_states::prepare(&mut *device, State::New, State::Filled, SEED).expect("it gets there");
    let text = format!(
        "[global]\nrw=randread\nbs=4k\nnorandommap\niodepth=64\ntime_based\nramp_time=5ms\nruntime=400ms\n{jobs}"
    );
    let file = JobFile::parse(&text, "queues.fio").expect("it parses");
    let report = driver::run(&file, &mut *device, Clock::Timed, SEED).expect("it runs");
    let ios = |job: &JobReport| job.direction(CommandKind::Read).ios as f64;
    report.jobs.iter().map(ios).collect()
}

fn shares(reads: &[f64]) -> Vec<f64> {
    let all: f64 = reads.iter().sum();
    reads.iter().map(|reads| reads / all).collect()
}

fn near(shares: &[f64], should: &[f64]) {
    for (share, should) in shares.iter().zip(should) {
        assert!(
            (share / should - 1.0).abs() < 0.01,
            "{shares:?} for {should}"
        );
    }
}

const JOBS: &str = "[high]\nprioclass=2\nprio=0\n[medium]\n[low]\nprioclass=3\n";

fn weighted(burst: u32) -> HostOrder {
    let weights = Some(Weights {
        high: 16,
        medium: 6,
        low: 2,
    });
    HostOrder::InTurns(Arbitration { burst, weights })
}

#[test]
fn jobs_are_served_by_the_weights_of_their_queues() {
    for burst in [1, 4] {
        let served = shares(&reads(weighted(burst), JOBS));
        near(&served, &[16.0 / 24.0, 6.0 / 24.0, 2.0 / 24.0]);
    }
}

#[test]
fn queues_of_one_priority_share_what_it_gets() {
    let jobs = "[high]\nprioclass=2\nprio=3\nnumjobs=2\n[low]\nprioclass=3\n";
    near(
        &shares(&reads(weighted(2), jobs)),
        &[8.0 / 18.0, 8.0 / 18.0, 2.0 / 18.0],
    );
}

#[test]
fn an_urgent_queue_that_is_never_empty_starves_all_others() {
    let jobs = "[urgent]\nprioclass=1\n[high]\nprioclass=2\n";
    let served = reads(weighted(1), jobs);
    assert!(served[0] > 10_000.0 && served[1] == 0.0, "{served:?}");
}

#[test]
fn round_robin_takes_no_notice_of_priorities() {
    let order = HostOrder::InTurns(Arbitration::ONE_EACH);
    near(&shares(&reads(order, JOBS)), &[1.0 / 3.0; 3]);
}
