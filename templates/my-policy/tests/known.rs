//! The policies beside what is known: closed forms, and the policies that they become at their limits.

use ftlab_base::RootSeed;
use ftlab_drive::{Catalog, OwnPolicies};
use ftlab_host::Testbed;
use ftlab_play::driver::{self, Clock};
use ftlab_states::State;
use ftlab_workload::JobFile;

/// Over-provisioning of the generic drive.
const OP: f64 = 0.127;

const UNIFORM: &str = "[w]\nrw=randwrite\nbs=4k\nnorandommap\nrandrepeat=0\nloops=4";

/// Nine tenths of the writes go to a tenth of the drive. It takes longer to become steady.
const HOT_COLD: &str = "[w]\nrw=randwrite\nbs=4k\nnorandommap\nrandrepeat=0\nloops=8
random_distribution=zoned:90/10:10/90";

/// Write amplification in the steady window of a run, on a small drive that was filled once in order.
fn wa(policy: &str, job: &str) -> f64 {
    let settings = [
        "nand.blocks_per_die=128".to_owned(),
        "nand.pages_per_block=64".to_owned(),
        format!("gc.policy={policy}"),
    ];
    let seed = RootSeed(1);
    let catalog = Catalog::with(OwnPolicies::of(&my_policy::POLICIES).unwrap());
    let file = catalog.load("generic-mlc-8", &settings).unwrap();
    let testbed = Testbed::load("anandtech-2008").unwrap();
    let mut drive = file.build(&testbed, seed).unwrap();
    ftlab_states::prepare(&mut *drive, State::New, State::Filled, seed).unwrap();
    let job = JobFile::parse(job, "a job of this test").unwrap();
    let report = driver::run(&job, &mut *drive, Clock::Untimed, seed).unwrap();
    report
        .wa()
        .steady
        .expect("the run ended before it was steady")
}

#[test]
fn fifo_costs_what_theory_says_and_one_that_waits_for_ever_is_fifo() {
    let theory = ftlab_theory::fifo(1.0 + OP).unwrap();
    let simulated = wa("fifo", UNIFORM);
    assert!((simulated / theory - 1.0).abs() < 0.01, "{simulated}");
    assert_eq!(wa("minimum-age-max", UNIFORM), simulated);
}

#[test]
fn one_that_does_not_wait_is_greedy() {
    assert_eq!(wa("minimum-age-0", UNIFORM), wa("greedy", UNIFORM));
}

#[test]
fn waiting_costs_nothing_where_all_data_are_alike_and_pays_where_some_are_hot() {
    let gain = |job| wa("minimum-age-800", job) / wa("greedy", job);
    let (uniform, hot_cold) = (gain(UNIFORM), gain(HOT_COLD));
    assert!(uniform < 1.01 && hot_cold < 0.8, "{uniform}, {hot_cold}");
}
