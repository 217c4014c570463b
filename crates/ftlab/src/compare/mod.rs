//! `ftlab compare`: tests on one drive, with one or two of its numbers tried at several values.

mod chart;
mod grid;
mod sweep;

use crate::failure::{Failure, Outcome};
use crate::files::Folder;
use crate::progress::Progress;
use crate::report::known_metrics;
use crate::review::How;
use crate::{results, screen};
use clap::Args;
use ftlab_bench::methods::{self, Test};
use ftlab_bench::review::{Plan, ReviewError, origin, runs, sheet};
use ftlab_drive::{Catalog, DriveFile};
use ftlab_result::{DriveSheet, ResultSet, Run, SCHEMA, Unfinished};
use std::path::PathBuf;
use sweep::{Sweeps, Variant};

/// The chart's file.
const CHART: &str = "compare.svg";

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ftlab compare generic-mlc-8 --set spare.op=0.07,0.15,0.28 --test E1 --quick
  ftlab compare generic-mlc-8 --set spare.op=0.07,0.28 --set gc.policy=greedy,fifo --test B1
  ftlab compare generic-mlc-8 --set gc.policy=greedy,fifo --test A1 --quick --repeats 5
  ftlab compare intel-x25-m-g1-80 --set buffer.size=64KiB,1MiB --test A1 --metric iops --metric lat_max_ms")]
pub struct Options {
    /// A drive of `ftlab drives`, or a path to a drive file
    drive: String,
    /// Numbers of the drive file to try, separated by commas, for example spare.op=0.07,0.28; one or two
    /// --set may have several values, others set one for all
    #[arg(long = "set", value_name = "KEY=VALUE[,VALUE...]", required = true)]
    settings: Vec<String>,
    /// A test, for example randwrite-4k-qd1, or a method, A1 to E1; may be repeated
    #[arg(long = "test", value_name = "TEST", required = true)]
    tests: Vec<String>,
    /// A metric to show, for example mb_s; may be repeated; by default what the chart of each test draws
    #[arg(long = "metric", value_name = "METRIC")]
    metrics: Vec<String>,
    /// Directory for the chart, compare.svg, and for results.json and index.html of the variants
    #[arg(long, value_name = "DIR", default_value = "ftlab-compare")]
    out: PathBuf,
    #[command(flatten)]
    how: How,
}

pub fn command(options: &Options) -> Outcome {
    let sweeps = Sweeps::read(&options.settings)?;
    let variants = sweeps.variants();
    let drive = |variant: &Variant| Catalog::load(&options.drive, &variant.settings);
    let drives: Vec<DriveFile> = variants.iter().map(drive).collect::<Result<_, _>>()?;
    let tests = methods::select(&options.tests)?;
    let plan = options.how.plan(drives, tests, false)?;
    let folder = Folder::ready(&options.out)?;
    let ends = {
        let progress = Progress::shares();
        runs(&plan, &|step| {
            let message = format!("{}/{} {}", step.done, step.total, step.label);
            progress.set_share(step.share, &message);
        })?
    };
    let failed = failure(&variants, &ends);
    let (set, of_variants) = put_together(&plan, &variants, ends);
    if of_variants.is_empty() {
        return failed;
    }
    let grids = grid::grids(&sweeps, &of_variants, &set.tests, &options.metrics);
    results::write(&folder, &set)?;
    let there = set.runs.iter().flat_map(|run| run.metrics.keys());
    known_metrics(&options.metrics, there.map(String::as_str))?;
    let svg = chart::draw(plan.drives[0].slug(), &sweeps, &grids);
    folder.write(&[(CHART, svg.as_bytes())])?;
    let (tables, places) = (
        grid::tables(&sweeps, &grids),
        results::places(folder.path()),
    );
    let chart = folder.join(CHART);
    screen::print(&format!("{tables}\nChart:   {}\n{places}", chart.display()))?;
    failed
}

/// What went wrong with variants, in one line.
fn failure(variants: &[Variant], ends: &[Result<Vec<Run>, ReviewError>]) -> Outcome {
    let failed = variants.iter().zip(ends);
    let failed = failed.filter_map(|(variant, end)| Some((variant, end.as_ref().err()?)));
    let failed: Vec<(&Variant, &ReviewError)> = failed.collect();
    let Some((_, first)) = failed.first() else {
        return Ok(());
    };
    let words = failed
        .iter()
        .map(|(variant, error)| format!("{}: {error}", variant.name));
    let message = words.collect::<Vec<_>>().join("; ");
    Err(if first.is_input() {
        Failure::Input(message)
    } else {
        Failure::Running(message)
    })
}

/// The variants' runs as a result set, in which each variant is a drive of its own. What was published of
/// the drive was not published of its variants.
fn put_together<'a>(
    plan: &Plan,
    variants: &'a [Variant],
    ends: Vec<Result<Vec<Run>, ReviewError>>,
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
            Ok(mut runs) => {
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
            Err(error) => set.unfinished.push(Unfinished {
                drive,
                why: error.to_string(),
            }),
        }
    }
    (set, of_variants)
}
