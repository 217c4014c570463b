//! The runs of variants as one result set.

use super::sweep::Variant;
use ftlab_bench::review::{DriveRuns, Plan, origin, sheet};
use ftlab_bench::suites::Test;
use ftlab_result::{DriveSheet, ResultSet, Run, SCHEMA, Unfinished};

/// The variants' runs as a result set, in which each variant is a drive of its own. What was published of
/// the drive was not published of its variants. `why` says why a variant that has not ended is not whole.
pub fn put_together<'a>(
    plan: &Plan,
    variants: &'a [Variant],
    ends: &[DriveRuns],
    why: &str,
) -> (ResultSet, Vec<(&'a Variant, Vec<Run>)>) {
    let mut set = ResultSet {
        schema: SCHEMA,
        provenance: None,
        origin: origin(plan),
        drives: Vec::new(),
        tests: plan.tests.iter().map(Test::sheet).collect(),
        figures: Vec::new(),
        runs: Vec::new(),
        unfinished: Vec::new(),
    };
    let mut of_variants = Vec::new();
    for ((variant, file), end) in variants.iter().zip(&plan.drives).zip(ends) {
        let drive = format!("{}@{}", file.slug(), variant.name);
        let missing = end.why_not_whole(why);
        if missing.is_none() || !end.is_empty() {
            let mut runs: Vec<Run> = end.runs().cloned().collect();
            for run in &mut runs {
                run.id = run.id.replacen(&run.drive, &drive, 1);
                run.drive.clone_from(&drive);
            }
            let sheet = sheet(file);
            set.drives.push(DriveSheet {
                name: format!("{}, {}", sheet.name, variant.name.replace(',', ", ")),
                drive: drive.clone(),
                ..sheet
            });
            set.runs.extend(runs.iter().cloned());
            of_variants.push((variant, runs));
        }
        let unfinished = missing.map(|why| Unfinished { drive, why });
        set.unfinished.extend(unfinished);
    }
    (set, of_variants)
}
