//! `ftlab compare`: tests on one drive, with one or two of its numbers tried at several values; or results beside
//! earlier ones.

mod between;
mod chart;
mod grid;
mod sweep;
mod words;

use crate::failure::{Failure, Outcome};
use crate::files::Folder;
use crate::options;
use crate::report::known_metrics;
use crate::review::How;
use crate::session::{self, Command, INTERRUPTED, Session};
use crate::shrink::ShrinkOption;
use crate::suite::SuiteOption;
use crate::verdicts::{FailOptions, unknown_metric};
use crate::{drives, results, screen};
use clap::Args;
use ftlab_bench::ask::Asker;
use ftlab_bench::review::Review;
use ftlab_bench::suites::Test;
use ftlab_bench::variants::{Variant, differ};
use ftlab_drive::{Catalog, DriveFile};
use ftlab_lab::Subject;
use ftlab_result::ResultSet;
use ftlab_states::State;
use grid::Grid;
use std::path::{Path, PathBuf};
use sweep::Sweeps;

/// Options that say what to run and how. A group of options does not stand for those that it takes from others.
const OF_RUNS: [&str; 15] = [
    "settings",
    "shrink_to",
    "tests",
    "suite",
    "metrics",
    "state",
    "out",
    "quick",
    "repeats",
    "testbed",
    "memory",
    "seed",
    "jobs",
    "quiet",
    "resume",
];

/// Name of the chart's file in the folder.
const CHART: &str = "compare.svg";

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ftlab compare generic-mlc-8 --set spare.op=0.07,0.15,0.28 \\
      --state steady-fast --test A1 --quick --metric wa
  ftlab compare generic-mlc-8 --set spare.op=0.07,0.28 \\
      --set gc.policy=greedy,fifo --state steady-fast --test A1 --quick
  ftlab compare generic-mlc-8 --set gc.policy=greedy,fifo --state steady-fast \\
      --test A1 --quick --repeats 5
  ftlab compare intel-x25-m-g1-80 --set buffer.size=64KiB,1MiB --test A1 \\
      --metric iops --metric lat_max_ms
  ftlab compare generic-mlc-8 --set spare.op=0.07,0.15,0.28 \\
      --state steady-fast --test A1 --resume
  ftlab compare OLD NEW --fail-if 'p99 +5%' --fail-if 'write.iops -3%'
                                  two directories of results, run by run")]
pub struct Options {
    /// A drive of `ftlab drives`, or a path to a drive file; before a second one, a directory of results
    #[arg(value_name = "DRIVE|OLD", value_parser = drives::name(), hide_possible_values = true)]
    drive: String,
    /// Results to compare with those of OLD, instead of running anything
    #[arg(value_name = "NEW", conflicts_with_all = OF_RUNS)]
    new: Option<PathBuf>,
    /// Values of the drive file to try, separated by commas, for example spare.op=0.07,0.28; one or two
    /// --set may have several values, others set one for all
    #[arg(
        long = "set",
        value_name = "KEY=VALUE[,VALUE...]",
        required_unless_present = "new"
    )]
    settings: Vec<String>,
    #[command(flatten)]
    shrink: ShrinkOption,
    /// A code or a name of `ftlab tests`, for example A1 or randwrite-4k-qd1, or the path of a job file, script or
    /// trace; may be repeated
    #[arg(long = "test", value_name = "TEST", required_unless_present = "new")]
    tests: Vec<String>,
    #[command(flatten)]
    suite: SuiteOption,
    /// A metric to show, for example mb_s; may be repeated; by default what the chart of each test draws
    #[arg(long = "metric", value_name = "METRIC")]
    metrics: Vec<String>,
    /// Begin every test on a drive in this state, instead of in those of its review; a test of random writes
    /// that begins steady-fast costs what it does in the long run
    #[arg(long, value_parser = options::state())]
    state: Option<State>,
    /// Directory for the chart, compare.svg, and for results.json and index.html of the variants
    #[arg(long, value_name = "DIR", default_value = "ftlab-compare")]
    out: PathBuf,
    /// Continue an interrupted comparison: finished runs are taken from its directory, if model version,
    /// seed, test machine, drive file and length are the same
    #[arg(long)]
    resume: bool,
    #[command(flatten)]
    limits: FailOptions,
    #[command(flatten)]
    how: How,
}

pub fn command(options: &Options, catalog: &Catalog) -> Outcome {
    if let Some(new) = &options.new {
        return between::command(Path::new(&options.drive), new, &options.limits);
    }
    // Before anything runs, or is written.
    if let Some(why) = options.metrics.iter().find_map(|name| unknown_metric(name)) {
        return Err(Failure::Input(format!("--metric: {why}")));
    }
    let sweeps = Sweeps::read(&options.settings)?;
    let drive = |variant: &Variant| catalog.load(&options.drive, &variant.settings);
    let drives: Vec<DriveFile> = sweeps
        .variants
        .iter()
        .map(drive)
        .collect::<Result<_, _>>()?;
    check_effect(&drives)?;
    let (tests, loads) = options.suite.select(&options.tests, None)?;
    check_state(options.state, &tests)?;
    let variants = drives.into_iter().zip(&sweeps.variants);
    let variants = variants.map(|(drive, of)| Subject::from(drive).being(of.clone()));
    let drives = options
        .shrink
        .fit(variants.collect(), options.how.work.signs)?;
    let drives = options.suite.fit(drives)?;
    let review = Review {
        loads,
        state: options.state,
        ..(options.how).review(drives, tests, false)?
    };
    let batch = review.batch()?;
    let folder = results::folder(&options.out)?;
    folder.check(&[CHART])?;
    let cache = results::cache(&folder, options.resume, catalog)?;
    let drive = catalog.load(&options.drive, &sweeps.variants[0].settings)?;
    let comparing = Comparing {
        sweeps,
        drive,
        metrics: options.metrics.clone(),
        folder,
    };
    let work = &options.how.work;
    let session = Session::new(
        batch,
        Some(cache),
        comparing,
        "variants",
        work.signs.shares(),
    );
    let (ends, kept) = session.run(work)?;
    let comparing = &session.command;
    let failed = session::failed(&session.batch, &ends, session.called);
    let set = session.batch.set(&ends, INTERRUPTED);
    if failed.is_err() && set.runs.is_empty() {
        return failed;
    }
    let grids = comparing.grids(&set);
    let places = comparing.write(&set, &grids)?;
    let tables = match grids.is_empty() {
        true => String::new(),
        false => grid::tables(&comparing.sweeps, &grids) + "\n",
    };
    screen::print(&(tables + &places))?;
    let there = set.runs.iter().flat_map(|run| run.metrics.keys());
    let asked = known_metrics(&options.metrics, there.map(String::as_str));
    // What ran is kept, so that this is no call that did nothing.
    failed.and(kept).and(asked.map_err(Failure::Running))
}

/// The comparison's part of its session.
struct Comparing {
    sweeps: Sweeps,
    /// The first variant of the drive.
    drive: DriveFile,
    /// Metrics that the user asked for, a grid each; empty for those that the charts of the tests draw.
    metrics: Vec<String>,
    folder: Folder,
}

impl Comparing {
    fn grids(&self, set: &ResultSet) -> Vec<Grid> {
        grid::grids(&self.sweeps, set, &self.metrics)
    }

    /// Writes results and report, and the chart if there is anything to draw; says where they are.
    fn write(&self, set: &ResultSet, grids: &[Grid]) -> Result<String, Failure> {
        results::write(&self.folder, set)?;
        let others = results::places(self.folder.path());
        if grids.is_empty() {
            return Ok(others);
        }
        let svg = chart::draw(&self.drive, &self.sweeps, grids);
        self.folder.write(&[(CHART, svg.as_bytes())])?;
        let chart = self.folder.join(CHART);
        Ok(format!("Chart:   {}\n{others}", chart.display()))
    }
}

impl Command for Comparing {
    fn leave(&self, set: &ResultSet) -> Result<String, Failure> {
        self.write(set, &self.grids(set))
    }

    fn log(&self, subject: &Subject) -> Option<String> {
        Some(subject.as_variant().name.clone())
    }
}

/// A test that brings its drive to states of its own can begin in no other.
fn check_state(state: Option<State>, tests: &[Test]) -> Outcome {
    let own = tests.iter().find(|test| test.has_own_states());
    match own.filter(|_| state.is_some()) {
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
    match differ(variants) {
        true => Ok(()),
        false => Err(Failure::Input(
            "the values of --set change no number of the drive, so there is nothing to compare; `ftlab show` lists \
             its numbers"
                .to_owned(),
        )),
    }
}
