//! The policies beside what is known: closed forms, and the policies that they become at their limits.

use ftlab::policy::OwnPolicies;
use ftlab::sim::{Clock, Device, JobFile, run};

/// Over-provisioning of the generic drive.
const OP: f64 = 0.127;

const UNIFORM: &str = "[w]\nrw=randwrite\nbs=4k\nnorandommap\nrandrepeat=0\nloops=4";

/// Nine tenths of the writes go to a tenth of the drive. It takes longer to become steady.
const HOT_COLD: &str = "[w]\nrw=randwrite\nbs=4k\nnorandommap\nrandrepeat=0\nloops=8
random_distribution=zoned:90/10:10/90";

/// Write amplification in the steady window of a run, on a small drive that was filled once in order.
fn wa(policy: &str, job: &str) -> f64 {
    let own = OwnPolicies::of(&my_policy::POLICIES).unwrap();
    let drive = Device::named("generic-mlc-8")
        .policies(own)
        .set("nand.blocks_per_die=128")
        .set("nand.pages_per_block=64")
        .set(&format!("gc.policy={policy}"))
        .state("filled");
    let job = JobFile::parse(job, "a job of this test").unwrap();
    let run = run(&job, &drive, Clock::Untimed).unwrap();
    let inside = run.inside().expect("it is a drive of flash");
    (inside.wa_steady).expect("the run ended before it was steady")
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
