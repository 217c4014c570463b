//! Write amplification of simulated drives beside its closed forms: the same policies, loads, spare
//! areas and block sizes in both.
//!
//! A case runs as a user would run it: the generic drive with a few numbers of its file set, a job
//! file, no clock.

mod case;

pub use case::{Case, DRIVE, Load, PAGES, Policy, cases, quick_cases};

use crate::lab::Lab;
use ftlab_base::RootSeed;
use ftlab_drive::Catalog;
use ftlab_host::Testbed;
use ftlab_play::driver::{self, Clock, DriverError};
use ftlab_play::embedded::JOBS;
use ftlab_play::states::{self, PrepareError, State};
use ftlab_sheet::SheetError;
use ftlab_workload::JobFile;
use std::sync::atomic::{AtomicUsize, Ordering};
use thiserror::Error;

/// A case and what its simulation gave.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// What was compared.
    pub case: Case,
    /// Write amplification by the closed form.
    pub theory: f64,
    /// Write amplification of the simulated drive.
    pub simulated: f64,
}

impl Point {
    /// Simulated over theory, minus 1.
    #[must_use]
    pub fn error(&self) -> f64 {
        self.simulated / self.theory - 1.0
    }
}

/// Why a case could not be simulated.
#[derive(Debug, Error)]
#[error("{case}: {why}")]
pub struct TheoryError {
    /// Which.
    pub case: Case,
    /// Why.
    pub why: Unsimulated,
}

/// What kept a case from being simulated.
#[derive(Debug, Error)]
pub enum Unsimulated {
    /// The drive cannot be built.
    #[error(transparent)]
    Drive(#[from] SheetError),
    /// The drive could not be filled.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    /// The run failed.
    #[error(transparent)]
    Run(#[from] Box<DriverError>),
    /// The run ended before its write amplification was steady.
    #[error("write amplification was not steady at the end of the run")]
    Unsteady,
}

/// Simulates every case in the lab, on drives of `pages` pages.
/// `progress` gets how many cases are done and how many there are, from any thread.
///
/// # Errors
/// The first case, in the order given, that fails.
pub fn sweep(
    lab: &Lab,
    cases: &[Case],
    pages: u32,
    seed: RootSeed,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Vec<Point>, TheoryError> {
    let done = AtomicUsize::new(0);
    let point = |case: &Case| {
        let simulated = simulate(case, pages, seed);
        progress(done.fetch_add(1, Ordering::Relaxed) + 1, cases.len());
        Ok(Point {
            case: *case,
            theory: case.theory(),
            simulated: simulated.map_err(|why| TheoryError { case: *case, why })?,
        })
    };
    let bytes = |case: &Case| {
        let file = Catalog::load(DRIVE, &case.settings(pages));
        file.map_or(0, |file| file.memory_bytes())
    };
    lab.run(cases, bytes, point).into_iter().collect()
}

/// Write amplification of a case's drive, in its steady state.
fn simulate(case: &Case, pages: u32, seed: RootSeed) -> Result<f64, Unsimulated> {
    let file = Catalog::load(DRIVE, &case.settings(pages))?;
    let mut drive = file.build(&Testbed::load(TESTBED)?, seed)?;
    states::prepare(&mut *drive, State::New, case.load.state(), seed)?;
    let job = JOBS.find(&case.load.job());
    let (path, text) = job.expect("a test reads every job of the theory");
    let job = JobFile::parse(text, &path).map_err(|error| Box::new(DriverError::from(error)))?;
    let report = driver::run(&job, &mut *drive, Clock::Untimed, seed).map_err(Box::new)?;
    report.wa.steady.ok_or(Unsimulated::Unsteady)
}

/// No run has a clock, so the test machine makes no difference.
const TESTBED: &str = "anandtech-2008";
