//! What the benchmark beside MQSim measures by, with a script that stands for MQSim.

#[path = "../../../benches/mqsim/programs/mod.rs"]
mod programs;

use crate::place::program;
use ftlab_drive::{Catalog, ParameterRow};
use ftlab_import::Text;
use programs::{Load, Ran, Slope, mqsim, own};
use std::path::{Path, PathBuf};
use std::time::Duration;

fn stand_in() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program/peers/mqsim")
}

#[test]
fn what_mqsim_served_is_read_from_its_result() {
    let few = mqsim::run(&stand_in(), Load::Writes, 1_000).unwrap();
    assert_eq!((few.served, few.programs), (999, 4_000));
    assert!(
        few.memory > 100_000,
        "a shell is larger than {}",
        few.memory
    );
    let many = mqsim::run(&stand_in(), Load::Writes, 16_000).unwrap();
    assert_eq!((many.served, many.programs), (15_984, 64_000));
    let reads = mqsim::run(&stand_in(), Load::Reads, 16_000).unwrap();
    assert_eq!((reads.served, reads.programs), (15_984, 0));
}

#[test]
fn a_run_that_served_too_few_or_told_nothing_is_refused() {
    let told = |requests| mqsim::run(&stand_in(), Load::Writes, requests).unwrap_err();
    let stalled = told(17_000);
    assert!(stalled.contains("served 16983 of 17000"), "{stalled}");
    let silent = told(77);
    assert!(silent.contains("wrote no result"), "{silent}");
    assert!(silent.ends_with("the 77th is one too many"), "{silent}");

    let missing = mqsim::run(Path::new("/nowhere/MQSim"), Load::Writes, 1).unwrap_err();
    assert!(
        missing.starts_with("/nowhere/MQSim cannot be started: "),
        "{missing}"
    );
    let other = Path::new(program());
    let other = mqsim::run(other, Load::Writes, 1).unwrap_err();
    assert!(
        other.contains("failed (exit status: 2): error: "),
        "{other}"
    );
}

#[test]
fn the_commit_is_that_of_the_tree_around_the_program() {
    let commit = mqsim::commit(&stand_in()).expect("this is a tree of git");
    assert!(commit.trim_end_matches("-dirty").len() == 40, "{commit}");
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(mqsim::commit(&folder.path().join("MQSim")), None);
}

#[test]
fn both_simulate_the_same_flash() {
    const KEYS: [&str; 11] = [
        "channels",
        "dies_per_channel",
        "planes_per_die",
        "blocks_per_die",
        "pages_per_block",
        "page",
        "page_spare",
        "t_read",
        "t_program",
        "t_erase",
        "channel_rate",
    ];
    let text = mqsim::device_file();
    let device = Text {
        name: "ssdconfig.xml",
        text: &text,
    };
    let theirs = ftlab_import::mqsim(&device, None).unwrap().drive;
    let theirs = Catalog::default()
        .parse("theirs", &theirs, &[])
        .unwrap()
        .parameters();
    let own = Catalog::default()
        .load("generic-mlc-8", &[])
        .unwrap()
        .parameters();
    let number = |rows: &[ParameterRow], key: &str| {
        let row = rows
            .iter()
            .find(|row| row.key == format!("nand.{key}"))
            .unwrap();
        let unit = match row.unit.as_str() {
            "us" => 1e3,
            "ms" => 1e6,
            "KiB" => 1024.0,
            _ => 1.0,
        };
        unit * row.value.parse::<f64>().unwrap()
    };
    for key in KEYS {
        assert_eq!(number(&theirs, key), number(&own, key), "{key}");
    }
}

#[test]
fn ftlab_does_all_that_it_is_asked_for() {
    let run = |load, requests| own::run(Path::new(program()), load, requests).unwrap();
    let [few, many] = [1_000, 11_000].map(|requests| run(Load::Writes, requests));
    assert_eq!((few.served, many.served), (1_000, 11_000));
    let programs = (many.programs - few.programs) as f64 / 10_000.0;
    assert!((3.6..4.2).contains(&programs), "{programs}");
    assert_eq!(run(Load::Reads, 1_000).programs, 0);

    let other = own::run(&stand_in(), Load::Reads, 1).unwrap_err();
    assert!(other.contains("failed (exit status: 1)"), "{other}");
}

fn ran(served: u64, programs: u64, milliseconds: u64) -> Ran {
    Ran {
        served,
        programs,
        user: Duration::from_millis(milliseconds),
        memory: 0,
    }
}

#[test]
fn a_slope_leaves_out_what_does_not_grow() {
    let slope = Slope::between(&ran(1_000, 5_000, 700), &ran(3_000, 12_000, 1_700)).unwrap();
    assert_eq!((slope.seconds, slope.programs), (0.0005, 3.5));
    let noise = Slope::between(&ran(1_000, 0, 700), &ran(3_000, 0, 690)).unwrap_err();
    assert!(noise.contains("keeps the machine busy"), "{noise}");
}
