//! `ftlab review`: the reviews' tests on drives, and a report.

mod how;

use crate::failure::{Failure, Outcome};
use crate::files::Folder;
use crate::session::{self, Command, INTERRUPTED, Session};
use crate::shuffle::{ShuffleOption, tell_of_clones};
use crate::suite::SuiteOption;
use crate::variants::SetOption;
use crate::verdicts::{RequireOptions, conclude};
use crate::{results, screen};
use clap::Args;
use ftlab_bench::ask::Asker;
use ftlab_bench::loads::OwnLoad;
use ftlab_bench::review::Review;
use ftlab_bench::suites::{self, Test};
use ftlab_drive::Catalog;
use ftlab_lab::Subject;
use ftlab_result::{ResultSet, Run, TestSheet};
pub use how::How;
use std::collections::BTreeSet;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ftlab review
  ftlab review intel-x25-m-g1-80 my-drive.toml --test B1 --out out/b1
  ftlab review --test randwrite-size-sweep --test A4
  ftlab review intel-x25-m-g1-80 --test C10
  ftlab review intel-x25-m-g1-80 --test A1 --repeats 5
  ftlab review intel-x25-m-g1-80 --test A1 --test ./job.fio
  ftlab review intel-x25-m-g1-80 crucial-m4-64 --suite my-suite.toml
  ftlab review --suite modern --out out/modern
  ftlab review samsung-pm9a3-960 --suite modern --test N5 \
      --set spare.op=7%,28%
  ftlab review --all --quick --out out/all
  ftlab review --all --quick --out out/all --resume")]
pub struct Options {
    /// Drives of `ftlab drives`, or paths to drive files; by default the drives of the suite, or the five of the
    /// 2008 review
    #[arg(value_parser = crate::drives::name(), hide_possible_values = true)]
    drives: Vec<String>,
    /// A code or a name of `ftlab tests`, for example A1 or randwrite-4k-qd1, or the path of a job file, script or
    /// trace; may be repeated; by default the tests
    /// of 2008 and 2009 that fit on the drive
    #[arg(long = "test", value_name = "TEST")]
    tests: Vec<String>,
    #[command(flatten)]
    suite: SuiteOption,
    #[command(flatten)]
    set: SetOption,
    #[command(flatten)]
    shuffle: ShuffleOption,
    /// Every test, on every drive of the suite if none is named: without --suite, on those that no other suite is for; the
    /// longest only on the drives their sources tested. On each drive the tests from which no published figure is made are
    /// short, as with --quick
    #[arg(long, conflicts_with = "tests")]
    all: bool,
    /// With --all: run every test in full
    #[arg(long, requires = "all")]
    full_length: bool,
    /// Continue an interrupted review: finished tests are taken from its directory, if
    /// model version, seed, repeats, test machine, drive file and length are the same
    #[arg(long)]
    resume: bool,
    /// Directory for results.json and index.html, and for what is kept of each drive
    #[arg(long, value_name = "DIR", default_value = "ftlab-review")]
    out: PathBuf,
    #[command(flatten)]
    require: RequireOptions,
    #[command(flatten)]
    how: How,
}

/// What a changed drive is not held to.
const CHANGED: &str = "note: --set: published figures are of drives as they are sold; a drive that was changed is judged against none\n";

/// The review's part of its session.
struct Reviewing(Folder);

impl Command for Reviewing {
    fn leave(&self, set: &ResultSet) -> Result<String, Failure> {
        results::write(&self.0, set)?;
        Ok(results::places(self.0.path()))
    }

    fn log(&self, subject: &Subject) -> Option<String> {
        Some(subject.slug().to_owned())
    }
}

pub fn command(options: &Options, catalog: &Catalog) -> Outcome {
    let batch = review(options, catalog)?.batch()?;
    let folder = results::folder(&options.out)?;
    let junit = options.require.junit()?;
    let cache = results::cache(&folder, options.resume, catalog)?;
    let progress = options.how.work.signs.shares();
    let session = Session::new(batch, Some(cache), Reviewing(folder), "drives", progress);
    let (ends, kept) = session.run(&options.how.work)?;
    let mut set = session.batch.set(&ends, INTERRUPTED);
    set.verdicts = options.require.verdicts(&set.runs);
    let failed = session::failed(&session.batch, &ends, session.called);
    if failed.is_err() && set.runs.is_empty() {
        return failed;
    }
    let places = session.command.leave(&set)?;
    let table =
        ftlab_report::terminal::render(&set, usize::from(screen::width()), screen::has_colours());
    screen::print_in_colours(&format!("{table}\n{places}"))?;
    if options.suite.is_given() {
        (set.tests.iter()).for_each(|test| tell_of_empty_chart(&set, test));
    }
    failed.and(kept)?;
    conclude(&set.verdicts, junit.as_ref(), false)
}

/// A chart without anything in it is a name of a figure that no run gives, more often than not.
fn tell_of_empty_chart(set: &ResultSet, test: &TestSheet) {
    let runs: Vec<&Run> = set
        .runs
        .iter()
        .filter(|run| run.test == test.test)
        .collect();
    let metric = &test.chart_metric;
    if runs.is_empty() || runs.iter().any(|run| run.metrics.contains_key(metric)) {
        return;
    }
    let names: BTreeSet<&str> = (runs.iter())
        .flat_map(|run| run.metrics.keys().map(String::as_str))
        .collect();
    let names: Vec<&str> = names.into_iter().collect();
    screen::say(&format!(
        "the chart of {} is empty: no run of it gives `{metric}`; there are {}\n",
        test.test,
        names.join(", ")
    ));
}

fn review(options: &Options, catalog: &Catalog) -> Result<Review, Failure> {
    let drives = drives_of(options, catalog)?;
    // Who brings a suite, or names drives for one of ours, wants its tests on his drives, and sees which of them do
    // not fit.
    let is_chosen =
        options.suite.is_own() || (options.suite.is_given() && !options.drives.is_empty());
    let is_of_suite = options.suite.is_given() && !is_chosen;
    let is_everything = is_of_suite || options.tests.is_empty() && (options.all || !is_chosen);
    let signs = options.how.work.signs;
    let (tests, loads) = tests(options)?;
    let tests = options.shuffle.shuffle(tests, signs);
    tell_of_clones(&loads, signs);
    if options.set.is_given() && tests.iter().any(|test| test.family.source.is_published()) {
        signs.tell(CHANGED);
    }
    // All drives and all tests are many hundred runs to one that a figure is made from.
    let by_need = options.all && !options.full_length;
    Ok(Review {
        loads,
        by_need,
        ..(options.how).review(drives, tests, is_everything)?
    })
}

fn tests(options: &Options) -> Result<(Vec<Test>, Vec<OwnLoad>), Failure> {
    if options.tests.is_empty() && !options.all {
        return Ok((suites::of_default(options.suite.all()?), Vec::new()));
    }
    options.suite.select(&options.tests, options.shuffle.rule())
}

/// The drives of those names, or those of a review of none, as the suite tests them.
fn drives_of(options: &Options, catalog: &Catalog) -> Result<Vec<Subject>, Failure> {
    let named = match (options.drives.is_empty(), options.all) {
        (false, _) => options.drives.clone(),
        (true, true) => options.suite.all_drives()?,
        (true, false) => options.suite.drives()?,
    };
    options.suite.fit(options.set.drives(catalog, &named)?)
}
