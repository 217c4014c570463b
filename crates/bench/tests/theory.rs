//! Write amplification against the closed forms, row by row of the reference table, as a user gets
//! it: the generic drive, the job file, `--set`, and a run without time.

use ftlab_base::RootSeed;
use ftlab_bench::driver::{self, Clock};
use ftlab_bench::states::{self, State};
use ftlab_drive::{Catalog, DriveFile};
use ftlab_workload::JobFile;
use rayon::prelude::*;

const TABLE: &str = include_str!("../../../reference/theory-values.csv");
const JOB: &str = include_str!("../../../jobs/uniform-random-4k.fio");

/// What the closed forms and a run may differ by: four drive sizes of writes on 2^19 to 2^21 slots.
const TOLERANCE: f64 = 0.005;

/// The same for random collection, which forgets slowest how the drive was filled.
const TOLERANCE_RANDOM: f64 = 0.01;

/// A policy as the table calls it, how to ask a drive for it, what it may differ by, and the sizes of
/// blocks that are run. Larger blocks take longer; that a drive is right for them, two policies show.
const POLICIES: [(&str, &str, f64, &[u32]); 5] = [
    ("fifo", "gc.policy=fifo", TOLERANCE, &[64, 128, 256]),
    ("greedy", "gc.policy=greedy", TOLERANCE, &[64, 128, 256]),
    (
        "d-choices d=10",
        "gc.policy=d-choices gc.choices=10",
        TOLERANCE,
        &[64],
    ),
    (
        "d-choices d=2",
        "gc.policy=d-choices gc.choices=2",
        TOLERANCE,
        &[64],
    ),
    ("random(d=1)", "gc.policy=random", TOLERANCE_RANDOM, &[64]),
];

#[derive(serde::Deserialize)]
struct Row {
    policy: String,
    op: String,
    pages_per_block: u32,
    #[serde(rename = "WA_formula")]
    formula: Option<f64>,
}

/// The rows that are run, each with the settings of its policy and what it may differ by.
fn rows() -> Vec<(Row, &'static str, f64)> {
    let rows = csv::Reader::from_reader(TABLE.as_bytes()).into_deserialize();
    let rows = rows.map(|row| row.expect("the table is in order"));
    rows.filter_map(|row: Row| {
        let (_, settings, tolerance, sizes) = POLICIES.into_iter().find(|p| p.0 == row.policy)?;
        let is_run = sizes.contains(&row.pages_per_block);
        is_run.then_some((row, settings, tolerance))
    })
    .collect()
}

fn simulated(row: &Row, policy: &str) -> f64 {
    let mut settings = vec![
        format!("spare.op={}", row.op),
        format!("nand.pages_per_block={}", row.pages_per_block),
    ];
    settings.extend(policy.split(' ').map(str::to_string));
    let file: DriveFile = Catalog::load("generic-mlc-8", &settings).expect("it loads");
    let testbed = Catalog::testbed("anandtech-2008").expect("it loads");
    let seed = RootSeed(1);
    let mut drive = file.build(&testbed, seed).expect("it can be built");
    states::prepare(&mut *drive, State::New, State::Filled, seed);
    let job = JobFile::parse(JOB, "uniform-random-4k.fio").expect("it parses");
    let report = driver::run(&job, &mut *drive, Clock::Untimed, seed).expect("it runs");
    report.wa.steady
}

#[test]
fn uniform_random_writes_cost_what_theory_says() {
    let rows = rows();
    assert_eq!(
        rows.len(),
        36,
        "4 OPs × (2 policies × 3 block sizes + 3 × 1)"
    );
    let wrong: Vec<String> = rows
        .par_iter()
        .filter_map(|(row, policy, tolerance)| {
            let (wa, theory) = (
                simulated(row, policy),
                row.formula.expect("it has a closed form"),
            );
            let error = wa / theory - 1.0;
            let told = format!(
                "{} OP {} with {} pages a block: {wa:.4} for {theory:.4} ({:+.2} %)",
                row.policy,
                row.op,
                row.pages_per_block,
                100.0 * error
            );
            (error.abs() > *tolerance).then_some(told)
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
