//! A fit as it is asked for, and what comes of it.

use crate::bench::{Bench, Size};
use crate::candidate::Candidate;
use crate::judge::{Judged, judged};
use crate::pinned::{self, Found};
use crate::role::{FITTED, Role};
use crate::solve::Aim;
use crate::steps::{self, Effort};
use crate::target::{Target, TargetError};
use ftlab_base::{Blame, RootSeed};
use ftlab_bench::suites::Suite;
use ftlab_drive::DriveFile;
use ftlab_host::Testbed;
use ftlab_lab::Lab;
use ftlab_sheet::SheetError;
use thiserror::Error;

/// What is to be fitted to what.
pub struct Request<'a> {
    /// What was measured.
    pub target: &'a Target,
    /// The drive file to begin with.
    pub start: &'a DriveFile,
    /// The suite whose tests were measured.
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
    /// The sum of squares of the deviations of the figures that it was fitted to.
    pub misfit: f64,
}

/// Reason why nothing can be fitted.
#[derive(Debug, Error)]
pub enum FitError {
    /// The results are of no one drive.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// There is nothing to fit to.
    #[error(
        "no test that a drive can be fitted to was measured; the tests of the suite `fit` tell its numbers apart: `ftlab measure \
         DEVICE --suite fit`"
    )]
    NoFigures,
    /// The file to begin with is of another kind of drive.
    #[error(
        "{0} has no flash with a map of pages, whose numbers a fit is for; begin with a drive like generic-dc-tlc-1920"
    )]
    NoPages(String),
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

/// Fits a drive file to results. The listener hears of each step: what it was, the candidate that came of it, and its misfit.
///
/// # Errors
/// When the results are of no one drive or of none of the tests, or the start is of another kind.
pub fn fit(
    request: &Request<'_>,
    lab: &Lab,
    hear: &steps::Listener<'_>,
) -> Result<Fitted, FitError> {
    if request.start.spare().is_none() || request.start.compresses() {
        return Err(FitError::NoPages(request.start.slug().to_owned()));
    }
    let target = request.target;
    let bench = request.bench(lab);
    let fitted_to = bench.tests(FITTED);
    if fitted_to.is_empty() {
        return Err(FitError::NoFigures);
    }
    let start = Candidate::begin(request.start, target.capacity_bytes)?;
    let aim = Aim::of(&bench, fitted_to.clone());
    let fitted = steps::fit(&bench, &start, request.effort, hear);
    hear("what pins each number", &fitted, 0.0);
    let (candidate, found) = pinned::found(&bench, &aim, &start, &fitted, &steps::numbers());
    let held_out = bench.tests(&[Role::HeldOut]);
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
        lacking: request.lacking(),
        runs: bench.runs(),
        misfit: aim.misfit_of(&bench, &candidate),
        candidate,
    })
}

impl<'a> Request<'a> {
    /// A bench of the tests that were measured.
    #[must_use]
    pub fn bench(&self, lab: &'a Lab) -> Bench<'a> {
        let machine = self.machine.clone();
        Bench::new(lab, self.suite, self.target, machine, self.seed)
    }

    /// Slugs of the suite's tests that were not measured.
    fn lacking(&self) -> Vec<String> {
        let slugs = self.suite.tests().map(|test| test.step.slug.clone());
        let has = |slug: &String| self.target.figures.keys().any(|of| of.test == *slug);
        slugs.filter(|slug| !has(slug)).collect()
    }
}
