//! A fit as it is asked for, and what comes of it.

use crate::bench::{Bench, Size};
use crate::candidate::Candidate;
use crate::judge::{Judged, judged};
use crate::pinned::{self, Found};
use crate::solve::Aim;
use crate::steps::{self, EVERY, Effort, FITTED, LINK_RATE};
use crate::target::{HELD_OUT, Target};
use ftlab_base::{Blame, RootSeed};
use ftlab_bench::suites::{Suite, Test};
use ftlab_drive::DriveFile;
use ftlab_host::Testbed;
use ftlab_lab::Lab;
use ftlab_result::ResultSet;
use ftlab_sheet::SheetError;
use thiserror::Error;

/// What is to be fitted to what.
pub struct Request<'a> {
    /// Results of one drive in the tests of the suite.
    pub measured: &'a ResultSet,
    /// The drive file to begin with.
    pub start: &'a DriveFile,
    /// The suite whose tests tell a drive's numbers apart.
    pub suite: &'a Suite,
    /// The machine that the drive was measured on; none for that of the suite.
    pub machine: Option<Testbed>,
    /// Root of every random stream.
    pub seed: RootSeed,
    /// How much is tried.
    pub effort: Effort,
}

/// A drive that was fitted.
#[derive(Debug)]
pub struct Fitted {
    /// The drive as a change of the file to begin with.
    pub candidate: Candidate,
    /// Its file.
    pub file: DriveFile,
    /// Its numbers, and what pins each.
    pub found: Vec<Found>,
    /// Figures that it was fitted to, measured and modelled.
    pub fitted_to: Vec<Judged>,
    /// Figures of tests that it was not fitted to.
    pub held_out: Vec<Judged>,
    /// Tests of the suite that were not measured.
    pub lacking: Vec<String>,
    /// Tests that were run on candidates.
    pub runs: u64,
}

/// Reason why nothing can be fitted.
#[derive(Debug, Error)]
pub enum FitError {
    /// A fit is of one drive.
    #[error(
        "the results are of {0} drives; a fit is to one: measure it alone, or give results of it alone"
    )]
    Drives(usize),
    /// There is nothing to fit to.
    #[error(
        "the results have no test of the suite `fit`, which tells a drive's numbers apart; measure the drive with `ftlab measure \
         DEVICE --suite fit`"
    )]
    NoFigures,
    /// The file to begin with is of another kind of drive.
    #[error(
        "{0} has no flash with a map of pages, whose numbers a fit is for; begin with a drive like generic-dc-tlc-1920"
    )]
    NoPages(String),
    /// Nobody said how large the drive is.
    #[error(
        "the results do not say how large the drive is; give it to `ftlab import results` with --capacity"
    )]
    NoCapacity,
    /// The best candidate cannot be run.
    #[error("no drive like that can run the tests{}", .0.as_ref().map_or_else(String::new, |why| format!(": {why}")))]
    NoneRuns(Option<String>),
    /// No such drive can be.
    #[error(transparent)]
    Drive(#[from] SheetError),
}

impl Blame for FitError {
    fn is_input(&self) -> bool {
        match self {
            FitError::Drive(error) => error.is_input(),
            _ => true,
        }
    }
}

/// Fits a drive file to results. The listener hears of each step: what it was, and the candidate that came of it.
///
/// # Errors
/// When the results are of no one drive or of none of the tests, or the start is of another kind.
pub fn fit(
    request: &Request<'_>,
    lab: &Lab,
    hear: &dyn Fn(&str, &Candidate),
) -> Result<Fitted, FitError> {
    let [drive] = &request.measured.drives[..] else {
        return Err(FitError::Drives(request.measured.drives.len()));
    };
    if request.start.spare().is_none() || request.start.compresses() {
        return Err(FitError::NoPages(request.start.slug().to_owned()));
    }
    let target = Target::of(request.measured);
    let (bench, lacking) = bench_of(request, &target, lab);
    let fitted_to = bench.tests(FITTED);
    if target.of_tests(&fitted_to).next().is_none() {
        return Err(FitError::NoFigures);
    }
    if drive.capacity_bytes == 0 {
        return Err(FitError::NoCapacity);
    }
    let start = Candidate::begin(request.start, drive.capacity_bytes)?;
    let aim = Aim {
        target: &target,
        tests: fitted_to.clone(),
        size: Size::OfSuite,
        tails: true,
    };
    let fitted = steps::fit(
        &bench,
        &target,
        &start,
        request.effort,
        &|what, candidate, _| hear(what, candidate),
    );
    hear("what pins each number", &fitted);
    let (candidate, found) = pinned::found(
        &bench,
        &aim,
        &start,
        &fitted,
        &[EVERY, &[LINK_RATE]].concat(),
    );
    let held_out = bench.tests(&[HELD_OUT]);
    let file = candidate.file()?;
    let all: Vec<String> = fitted_to.iter().chain(&held_out).cloned().collect();
    let figures = bench
        .figures(&[Some(file.clone())], &all, Size::OfSuite)
        .pop()
        .flatten()
        .ok_or_else(|| FitError::NoneRuns(bench.failure()))?;
    Ok(Fitted {
        file,
        found,
        fitted_to: judged(&target.figures, &figures, &fitted_to),
        held_out: judged(&target.figures, &figures, &held_out),
        lacking,
        runs: bench.runs(),
        candidate,
    })
}

/// A bench of the tests that were measured, and the slugs of the others.
fn bench_of<'a>(request: &Request<'a>, target: &Target, lab: &'a Lab) -> (Bench<'a>, Vec<String>) {
    let is_measured = |test: &Test| {
        let slug = std::slice::from_ref(&test.step.slug);
        target.of_tests(slug).next().is_some()
    };
    let (tests, lacking): (Vec<Test>, Vec<Test>) = request.suite.tests().partition(is_measured);
    let machine = request.machine.clone();
    let bench = Bench::new(lab, request.suite, tests, machine, request.seed);
    let slugs = lacking.into_iter().map(|test| test.step.slug.clone());
    (bench, slugs.collect())
}
