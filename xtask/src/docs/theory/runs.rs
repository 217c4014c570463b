//! Write amplification of simulated drives beside its closed forms: the same policies, loads, spare
//! areas and block sizes in both.
//!
//! A case runs as a user would run it: the generic drive with a few numbers of its file set, a job
//! file, no clock.

use super::case::{Case, DRIVE};
use anyhow::{Context, Result, bail};
use ftlab_base::RootSeed;
use ftlab_drive::Catalog;
use ftlab_host::Testbed;
use ftlab_lab::Lab;
use ftlab_play::driver::{self, Clock};
use ftlab_play::embedded::JOBS;
use ftlab_states::State;
use ftlab_workload::JobFile;

/// A case and what its simulation gave.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// The case that was run.
    pub case: Case,
    /// Write amplification by the closed form.
    pub theory: f64,
    /// Write amplification of the simulated drive.
    pub simulated: f64,
}

impl Point {
    /// Simulated over theory, minus 1.
    pub fn error(&self) -> f64 {
        self.simulated / self.theory - 1.0
    }
}

/// Simulates every case in the lab, on drives of `pages` pages.
///
/// # Errors
/// The first case, in the order given, that fails.
pub fn simulated(lab: &Lab, cases: &[Case], pages: u32, seed: RootSeed) -> Result<Vec<Point>> {
    let point = |case: &Case| {
        let simulated = simulate(case, pages, seed).with_context(|| case.to_string())?;
        eprintln!("{case}: {simulated:.4}");
        Ok(Point {
            case: *case,
            theory: case.theory(),
            simulated,
        })
    };
    let bytes = |case: &Case| {
        let file = Catalog::default().load(DRIVE, &case.settings(pages));
        file.map_or(0, |file| file.memory_bytes())
    };
    lab.run(cases, bytes, point).into_iter().collect()
}

/// Write amplification of a case's drive, in its steady state.
fn simulate(case: &Case, pages: u32, seed: RootSeed) -> Result<f64> {
    let file = Catalog::default().load(DRIVE, &case.settings(pages))?;
    let mut drive = file.build(&Testbed::load(TESTBED)?, seed)?;
    ftlab_states::prepare(&mut *drive, State::New, case.load.state(), seed)?;
    let job = JOBS.find(&case.load.job());
    let (path, text) = job.context("there is no such job")?;
    let job = JobFile::parse(text, &path)?;
    let report = driver::run(&job, &mut *drive, Clock::Untimed, seed)?;
    match report.wa().steady {
        Some(wa) => Ok(wa),
        None => bail!("write amplification was not steady at the end of the run"),
    }
}

/// No run has a clock, so the test machine makes no difference.
const TESTBED: &str = "anandtech-2008";
