//! Reviews of small drives: what does not depend on how good a model is.

use super::*;
use crate::methods;
use ftlab_drive::Catalog;
use std::sync::Mutex;

fn plan(drives: &[&str], tests: &[&str], threads: usize) -> Plan {
    let tests: Vec<String> = tests.iter().map(|&test| test.to_owned()).collect();
    Plan {
        drives: drives
            .iter()
            .map(|drive| Catalog::load(drive, &[]).unwrap())
            .collect(),
        tests: methods::select(&tests).unwrap(),
        testbed: Catalog::testbed("anandtech-2008").unwrap(),
        testbed_is_chosen: false,
        seed: RootSeed(1),
        threads,
        version: "0".to_owned(),
    }
}

const DISKS: [&str; 2] = ["seagate-momentus-7200.2", "wd-velociraptor-300"];

#[test]
fn threads_change_nothing() {
    let review = |threads| review(&plan(&DISKS, &["A1", "A3"], threads), &|_| {}).unwrap();
    let alone = review(1);
    assert_eq!(alone, review(2));
    assert_eq!(alone.runs.len(), 2 * 5);
}

#[test]
fn another_seed_gives_other_runs() {
    let of_seed = |seed| {
        let plan = Plan {
            seed: RootSeed(seed),
            ..plan(&DISKS[..1], &["A1"], 1)
        };
        review(&plan, &|_| {}).unwrap().runs
    };
    assert_ne!(of_seed(1), of_seed(2));
}

#[test]
fn a_job_shared_by_steps_runs_once() {
    let labels = Mutex::new(Vec::new());
    let plan = plan(&DISKS[..1], &["A1", "A2", "A3", "A4"], 1);
    let set = review(&plan, &|progress| {
        assert_eq!(progress.total, 14);
        labels.lock().unwrap().push(progress.label.to_owned());
    })
    .unwrap();
    assert_eq!(labels.lock().unwrap().len(), 14);
    assert_eq!(set.runs.len(), 17);
    let metrics = |test: &str| {
        let run = set.runs.iter().find(|run| run.test == test).unwrap();
        run.metrics.clone()
    };
    assert_eq!(
        metrics("randwrite-4k-qd1"),
        metrics("seqrand-mix-4k-qd1-seq0")
    );
}

#[test]
fn a_disk_runs_once_and_answers_for_every_state() {
    let set = review(&plan(&DISKS[1..], &["B1"], 1), &|_| {}).unwrap();
    let states: Vec<_> = set.runs.iter().map(|run| run.state.as_str()).collect();
    assert_eq!(states, ["new", "used"]);
    assert_eq!(set.runs[0].metrics, set.runs[1].metrics);
    assert!(set.runs[0].steps[0].starts_with("None"));
}
