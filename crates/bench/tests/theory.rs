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

#[derive(serde::Deserialize)]
struct Row {
    policy: String,
    op: String,
    pages_per_block: String,
    #[serde(rename = "WA_formula")]
    formula: Option<f64>,
}

/// The rows of a policy that this drive has.
fn rows() -> Vec<Row> {
    let rows = csv::Reader::from_reader(TABLE.as_bytes()).into_deserialize();
    let rows = rows.map(|row| row.expect("the table is in order"));
    rows.filter(|row: &Row| ["fifo", "greedy"].contains(&row.policy.as_str()))
        .collect()
}

fn simulated(row: &Row) -> f64 {
    let settings = [
        format!("spare.op={}", row.op),
        format!("gc.policy={}", row.policy),
        format!("nand.pages_per_block={}", row.pages_per_block),
    ];
    let file: DriveFile = Catalog::load("generic-mlc-8", &settings).expect("it loads");
    let testbed = Catalog::testbed("anandtech-2008").expect("it loads");
    let seed = RootSeed(1);
    let mut drive = file.build(&testbed, seed).expect("it can be built");
    states::prepare(&mut *drive, State::New, State::Filled, seed).expect("it can be filled");
    let job = JobFile::parse(JOB, "uniform-random-4k.fio").expect("it parses");
    let report = driver::run(&job, &mut *drive, Clock::Untimed, seed).expect("it runs");
    report.wa.steady
}

#[test]
fn uniform_random_writes_cost_what_theory_says() {
    let rows = rows();
    assert_eq!(rows.len(), 24, "4 OPs × 3 block sizes × 2 policies");
    let wrong: Vec<String> = rows
        .par_iter()
        .filter_map(|row| {
            let (wa, theory) = (simulated(row), row.formula.expect("it has a closed form"));
            let error = wa / theory - 1.0;
            let told = format!(
                "{} OP {} with {} pages a block: {wa:.4} for {theory:.4} ({:+.2} %)",
                row.policy,
                row.op,
                row.pages_per_block,
                100.0 * error
            );
            (error.abs() > TOLERANCE).then_some(told)
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
