//! The runs of variants as one result set.

use super::sweep::Variant;
use ftlab_bench::methods::Test;
use ftlab_bench::review::{Plan, ReviewError, origin, sheet};
use ftlab_result::{DriveSheet, ResultSet, Run, SCHEMA, Unfinished};

/// What came of each variant; nothing yet of those that are under way.
pub type Ends = Vec<Option<Result<Vec<Run>, ReviewError>>>;

/// The variants' runs as a result set, in which each variant is a drive of its own. What was published of
/// the drive was not published of its variants. `why` says it of a variant of which nothing is known.
pub fn put_together<'a>(
    plan: &Plan,
    variants: &'a [Variant],
    ends: &Ends,
    why: &str,
) -> (ResultSet, Vec<(&'a Variant, Vec<Run>)>) {
    let mut set = ResultSet {
        schema: SCHEMA,
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
        match end {
            Some(Ok(runs)) => {
                let mut runs = runs.clone();
                for run in &mut runs {
                    run.id = run.id.replacen(&run.drive, &drive, 1);
                    run.drive.clone_from(&drive);
                }
                let sheet = sheet(file);
                set.drives.push(DriveSheet {
                    name: format!("{}, {}", sheet.name, variant.name.replace(',', ", ")),
                    drive,
                    ..sheet
                });
                set.runs.extend(runs.iter().cloned());
                of_variants.push((variant, runs));
            }
            end => set.unfinished.push(Unfinished {
                drive,
                why: match end {
                    Some(Err(error)) => error.to_string(),
                    _ => why.to_owned(),
                },
            }),
        }
    }
    (set, of_variants)
}
