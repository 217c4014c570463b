//! `ftlab compare`: tests on one drive, with one or two of its numbers tried at several values.

mod chart;
mod grid;
mod session;
mod sweep;
mod words;

use crate::cli::StateName;
use crate::failure::{Failure, Outcome};
use crate::files::Folder;
use crate::report::known_metrics;
use crate::review::How;
use crate::screen;
use crate::suite::SuiteOption;
use crate::variants::{self, Variant};
use clap::Args;
use ftlab_bench::review::{DriveRuns, Plan};
use ftlab_bench::suites::{Test, Work};
use ftlab_drive::{Catalog, DriveFile};
use ftlab_play::State;
use session::Session;
use std::path::PathBuf;
use std::sync::Arc;
use sweep::Sweeps;

/// The chart's file.
const CHART: &str = "compare.svg";

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ftlab compare generic-mlc-8 --set spare.op=0.07,0.15,0.28 --test E1 --quick
  ftlab compare generic-mlc-8 --set spare.op=0.07,0.28 --set gc.policy=greedy,fifo --test B1
  ftlab compare generic-mlc-8 --set spare.op=0.07 --set gc.policy=greedy,fifo --state steady-fast --test A1 --quick --metric wa
  ftlab compare generic-mlc-8 --set gc.policy=greedy,fifo --state steady-fast --test A1 --quick --repeats 5
  ftlab compare intel-x25-m-g1-80 --set buffer.size=64KiB,1MiB --test A1 --metric iops --metric lat_max_ms")]
pub struct Options {
    /// A drive of `ftlab drives`, or a path to a drive file
    drive: String,
    /// Numbers of the drive file to try, separated by commas, for example spare.op=0.07,0.28; one or two
    /// --set may have several values, others set one for all
    #[arg(long = "set", value_name = "KEY=VALUE[,VALUE...]", required = true)]
    settings: Vec<String>,
    /// A code or a name of `ftlab tests`, for example A1 or randwrite-4k-qd1, or the path of a job file, script or
    /// trace; may be repeated
    #[arg(long = "test", value_name = "TEST", required = true)]
    tests: Vec<String>,
    #[command(flatten)]
    suite: SuiteOption,
    /// A metric to show, for example mb_s; may be repeated; by default what the chart of each test draws
    #[arg(long = "metric", value_name = "METRIC")]
    metrics: Vec<String>,
    /// Begin every test on a drive in this state, instead of in those of its review; a test of random writes
    /// that begins steady-fast costs what it does in the long run
    #[arg(long, value_enum)]
    state: Option<StateName>,
    /// Directory for the chart, compare.svg, and for results.json and index.html of the variants
    #[arg(long, value_name = "DIR", default_value = "ftlab-compare")]
    out: PathBuf,
    #[command(flatten)]
    how: How,
}

pub fn command(options: &Options) -> Outcome {
    let sweeps = Sweeps::read(&options.settings)?;
    let variants = sweeps.variants.clone();
    let drive = |variant: &Variant| Catalog::load(&options.drive, &variant.settings);
    let drives: Vec<DriveFile> = variants.iter().map(drive).collect::<Result<_, _>>()?;
    check_effect(&drives)?;
    let tests = options.suite.select(&options.tests)?;
    check_state(options.state, &tests)?;
    let plan = Plan {
        state: options.state.map(State::from),
        ..options.how.plan(drives, tests, false)?
    };
    let folder = Folder::ready(&options.out)?;
    let metrics = options.metrics.clone();
    let progress = options.how.signs.shares();
    let session = Session::new(plan, sweeps, variants, metrics, folder, progress);
    let session = Arc::new(session);
    let ends = session.run()?;
    let failed = variants::failure(&session.variants, &ends);
    if failed.is_err() && ends.iter().all(DriveRuns::is_empty) {
        return failed;
    }
    let compared = session.compared(&ends);
    session.write(&compared)?;
    let there = compared.set.runs.iter().flat_map(|run| run.metrics.keys());
    known_metrics(&options.metrics, there.map(String::as_str))?;
    let tables = grid::tables(&session.sweeps, &compared.grids);
    screen::print(&format!("{tables}\n{}", session.places(&compared)))?;
    failed
}

/// A test that brings its drive to states of its own can begin in no other.
fn check_state(state: Option<StateName>, tests: &[Test]) -> Outcome {
    let has_own = |test: &&Test| matches!(test.step.work, Work::Within(..) | Work::Fact(_));
    match tests.iter().find(has_own).filter(|_| state.is_some()) {
        None => Ok(()),
        Some(test) => Err(Failure::Input(format!(
            "--state: {} brings the drive to states of its own; leave out --state, or take another test, such as \
             randwrite-4k-qd1",
            test.step.slug
        ))),
    }
}

/// Variants that differ in words alone, like the drive's name, are a mistake.
fn check_effect(variants: &[DriveFile]) -> Outcome {
    let numbers = |drive: &DriveFile| -> Vec<(String, String)> {
        let rows = drive.parameters().into_iter();
        rows.map(|row| (row.key, row.value)).collect()
    };
    let mut all = variants.iter().map(numbers);
    let first = all.next();
    match all.all(|numbers| Some(numbers) == first) {
        false => Ok(()),
        true => Err(Failure::Input(
            "the values of --set change no number of the drive, so there is nothing to compare; `ftlab show` lists \
             its numbers"
                .to_owned(),
        )),
    }
}
