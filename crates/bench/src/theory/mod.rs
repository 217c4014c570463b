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

/// A case and what its simulation came to.
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
pub enum TheoryError {
    /// The drive cannot be built.
    #[error("{case}: {error}")]
    Drive {
        /// Which.
        case: Case,
        /// Why.
        error: SheetError,
    },
    /// The drive could not be filled.
    #[error("{case}: {error}")]
    Prepare {
        /// Which.
        case: Case,
        /// Why.
        error: PrepareError,
    },
    /// The run failed.
    #[error("{case}: {error}")]
    Run {
        /// Which.
        case: Case,
        /// Why.
        error: Box<DriverError>,
    },
    /// The run ended before its write amplification was steady.
    #[error("{case}: write amplification was not steady at the end of the run")]
    Unsteady {
        /// Which.
        case: Case,
    },
}

/// Simulates every case in the lab.
/// `progress` is told how many cases are done and how many there are, from any thread.
///
/// # Errors
/// The first case, in the order given, that fails.
pub fn sweep(
    lab: &Lab,
    cases: &[Case],
    seed: RootSeed,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Vec<Point>, TheoryError> {
    let done = AtomicUsize::new(0);
    let point = |case: &Case| {
        let simulated = simulate(case, seed);
        progress(done.fetch_add(1, Ordering::Relaxed) + 1, cases.len());
        Ok(Point {
            case: *case,
            theory: case.theory(),
            simulated: simulated?,
        })
    };
    let bytes = |case: &Case| {
        let file = Catalog::load(DRIVE, &case.settings());
        file.map_or(0, |file| file.memory_bytes())
    };
    lab.run(cases, bytes, point).into_iter().collect()
}

/// Write amplification of a case's drive, in its steady state.
fn simulate(case: &Case, seed: RootSeed) -> Result<f64, TheoryError> {
    let unfit = |error| TheoryError::Drive { case: *case, error };
    let file = Catalog::load(DRIVE, &case.settings()).map_err(unfit)?;
    let testbed = Testbed::load(TESTBED).map_err(unfit)?;
    let mut drive = file.build(&testbed, seed).map_err(unfit)?;
    states::prepare(&mut *drive, State::New, case.load.state(), seed)
        .map_err(|error| TheoryError::Prepare { case: *case, error })?;
    let job = case.load.job();
    let failed = |error| TheoryError::Run {
        case: *case,
        error: Box::new(error),
    };
    let (path, text) = JOBS
        .find(job)
        .expect("a test reads every job of the theory");
    let job = JobFile::parse(text, &path).map_err(|error| failed(error.into()))?;
    let report = driver::run(&job, &mut *drive, Clock::Untimed, seed).map_err(failed)?;
    let steady = report.wa.steady;
    steady.ok_or(TheoryError::Unsteady { case: *case })
}

/// No run has a clock, so the test machine makes no difference.
const TESTBED: &str = "anandtech-2008";
