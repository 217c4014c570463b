//! Every claim is accounted for, and checks can fail.

use super::*;
use ftlab_base::RootSeed;
use ftlab_bench::ask;
use ftlab_bench::suites::{self, NO_STATE};
use ftlab_drive::{Catalog, DriveFile};
use ftlab_host::Testbed;
use ftlab_lab::Lab;
use ftlab_result::Run;
use ftlab_states::State;
use need::Work;

fn plan(ids: &[&str], drives: Vec<DriveFile>) -> Plan {
    Plan {
        ids: ids.iter().map(|&id| id.to_owned()).collect(),
        drives,
        seed: RootSeed(1),
    }
}

fn changed(drive: &str, settings: &[&str]) -> DriveFile {
    let settings: Vec<String> = settings.iter().map(|&s| s.to_owned()).collect();
    Catalog::default().load(drive, &settings).unwrap()
}

fn verdict(id: &str, drives: Vec<DriveFile>) -> (Verdict, String) {
    let checks = plan(&[id], drives).checks().unwrap();
    let lab = Lab::new(2, 4 << 30).unwrap();
    let ends = ask::run(&checks, &lab, &|_, _| Ok(())).unwrap();
    let judged = checks.judged(ends);
    assert_eq!(judged.len(), 1, "{id}");
    (judged[0].verdict, judged[0].measured.clone())
}

/// Checks that a claim holds on the drives as they are, and fails on a changed one.
fn fails_when(id: &str, drive: &str, settings: &[&str]) {
    let (as_sold, measured) = verdict(id, Vec::new());
    assert_eq!(as_sold, Verdict::Holds, "{id}: {measured}");
    let (with_change, measured) = verdict(id, vec![changed(drive, settings)]);
    assert_eq!(with_change, Verdict::Fails, "{id}: {measured}");
}

#[test]
fn every_claim_has_a_check_or_a_reason_and_only_one() {
    let ids: BTreeSet<String> = claims().into_iter().map(|claim| claim.id).collect();
    let mut seen = BTreeSet::new();
    let checked = rows::all().iter().map(|row| row.id.to_owned());
    let undecided = rows::undecided().iter();
    for id in checked.chain(undecided.flat_map(|undecided| undecided.claims.clone())) {
        assert!(ids.contains(&id), "there is no claim {id}");
        assert!(seen.insert(id.clone()), "{id} is dealt with twice");
    }
    assert_eq!(seen, ids);
}

#[test]
fn needs_are_of_drives_states_and_machines_that_exist() {
    for row in rows::all() {
        let id = row.id;
        assert!(!row.needs.is_empty(), "{id}");
        for need in &row.needs {
            if let Err(error) = Catalog::default().load(need.drive, &need.settings()) {
                panic!("{}: {error}", need.label());
            }
            match &need.work {
                Work::Test(test, state) => {
                    let Some(state) = *state else { continue };
                    let is_known = match &test.step.work {
                        suites::Work::Within(procedure, job) => {
                            procedure.states_of(job).any(|other| other == state)
                        }
                        suites::Work::Loads { .. } => State::named(state).is_some(),
                        suites::Work::Fact(_) => state == NO_STATE,
                    };
                    let slug = &test.step.slug;
                    assert!(is_known, "{id}: {slug} is not measured {state}");
                }
                Work::Load { machine, .. } => {
                    assert!(*machine == lab::NOBODY || Testbed::load(machine).is_ok());
                }
                Work::Experiment(_) => {}
            }
        }
    }
}

#[test]
fn every_row_can_be_judged() {
    for row in rows::all() {
        let sample = |need: &Need| {
            Sample::of(Run {
                drive: need.drive.to_owned(),
                ..Run::default()
            })
        };
        let samples: Vec<Sample> = row.needs.iter().map(sample).collect();
        // Without figures, nothing holds, but whatever is written has been read.
        assert!(!row.judge(&samples).0, "{}", row.id);
    }
}

#[test]
fn an_unknown_claim_is_refused() {
    let error = plan(&["C999"], Vec::new()).checks().unwrap_err();
    assert!(error.to_string().contains("C999"));
}

#[test]
fn a_figure_that_no_run_gives_leaves_a_claim_open() {
    let sample = Sample::of(Run {
        drive: "this".to_owned(),
        ..Run::default()
    });
    assert!(sample.get("watts").is_nan());
    assert_eq!(
        sample.absent().into_iter().next().unwrap(),
        "`watts` of this"
    );
}

#[test]
fn flash_checks_can_fail() {
    fails_when(
        "C009",
        "intel-x25-m-g1-80",
        &["nand.pages_per_block=256", "nand.blocks_per_die=4096"],
    );
}

#[test]
fn wear_checks_can_fail() {
    fails_when("C031", "intel-x25-m-g1-80", &["spare.user_capacity=64GB"]);
}

#[test]
fn stutter_checks_can_fail() {
    fails_when("C078", "ocz-core-jmf602", &["buffer.size=1MiB"]);
}

#[test]
fn checks_of_mixes_can_fail() {
    fails_when("C060", "samsung-slc-64", &["firmware.write_command=2ms"]);
}

#[test]
fn checks_of_deletion_can_fail() {
    fails_when("C259", "generic-mlc-8", &["spare.op=4"]);
}

#[test]
fn checks_of_ports_can_fail() {
    fails_when("C136", "generic-mlc-8", &["link.rate=100MB/s"]);
}

#[test]
fn checks_of_spare_area_can_fail() {
    fails_when("C261", "generic-mlc-8", &["spare.op=6"]);
}

#[test]
fn checks_of_lives_can_fail() {
    fails_when(
        "C010",
        "intel-x25-m-g1-80",
        // Blocks that die young rather than of age.
        &["reliability.life_shape=1"],
    );
}

#[test]
fn checks_of_power_states_can_fail() {
    // It never sleeps, and so never fails to wake up.
    fails_when(
        "C219",
        "ocz-vertex3-240",
        &["faults.lost_waking=100", "power.sleep_after=10s"],
    );
}

#[test]
fn a_claim_whose_run_fails_stays_open_and_says_why() {
    let small = changed("ramdisk-8gb", &["ram.capacity=1GB"]);
    let (verdict, measured) = verdict("C189", vec![small]);
    assert_eq!(verdict, Verdict::Open, "{measured}");
    assert!(measured.contains("a run failed: ramdisk-8gb"), "{measured}");
}
