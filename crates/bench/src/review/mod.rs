//! Runs the tests of the reviews on several drives.
//!
//! Drives run in parallel, and so do the jobs of a drive that start from the same state: each on
//! its own copy. A drive's states are prepared once, one from the other. Every random stream has
//! its name's seed, so neither the number of threads nor the set of drives and tests changes a run.

mod drive;

pub use drive::sheet;

use crate::driver::DriverError;
use crate::figures::{self, Names};
use crate::methods::Test;
use crate::states::State;
use drive::Bench;
use ftlab_base::RootSeed;
use ftlab_drive::{DriveError, DriveFile, Testbed};
use ftlab_result::{Origin, ResultSet, Run, SCHEMA};
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use thiserror::Error;

/// What to review.
#[derive(Debug)]
pub struct Plan {
    /// The drives, in the order of the report.
    pub drives: Vec<DriveFile>,
    /// The tests, in the order of the report.
    pub tests: Vec<Test>,
    /// The test machine.
    pub testbed: Testbed,
    /// Scenarios run on it too, and not each on the machine it names.
    pub testbed_is_chosen: bool,
    /// Root of every random stream.
    pub seed: RootSeed,
    /// Jobs at a time; at least 1.
    pub threads: usize,
    /// Version of the program, for the results.
    pub version: String,
}

/// How far a review is.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    /// Runs done.
    pub done: usize,
    /// Runs in all.
    pub total: usize,
    /// The run just done: drive, test and state.
    pub label: &'a str,
}

/// Why a review could not be made.
#[derive(Debug, Error)]
pub enum ReviewError {
    /// A drive cannot be built.
    #[error("drive {drive}: {error}")]
    Drive {
        /// Slug.
        drive: String,
        /// Why.
        error: DriveError,
    },
    /// A run cannot be made or finished.
    #[error("{run}: {error}")]
    Run {
        /// `drive/test/state`.
        run: String,
        /// Why.
        error: Box<DriverError>,
    },
    /// The system gives no threads.
    #[error("cannot start {threads} threads: {why}")]
    Threads {
        /// How many were asked for.
        threads: usize,
        /// What the system said.
        why: String,
    },
}

impl ReviewError {
    /// Whether what was asked for is at fault rather than the model.
    #[must_use]
    pub fn is_input(&self) -> bool {
        match self {
            ReviewError::Drive { .. } => true,
            ReviewError::Run { error, .. } => error.is_input(),
            ReviewError::Threads { .. } => false,
        }
    }
}

/// Runs every test on every drive. `progress` is called after each run, from any thread.
///
/// # Errors
/// The first drive, in the order of the plan, that cannot be built or whose run fails.
pub fn review(
    plan: &Plan,
    progress: &(dyn Fn(Progress<'_>) + Sync),
) -> Result<ResultSet, ReviewError> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(plan.threads.max(1))
        .build();
    let pool = pool.map_err(|error| ReviewError::Threads {
        threads: plan.threads,
        why: error.to_string(),
    })?;
    let benches: Vec<Bench<'_>> = plan
        .drives
        .iter()
        .map(|file| Bench::new(plan, file))
        .collect();
    let total = benches.iter().map(Bench::jobs).sum();
    let done = AtomicUsize::new(0);
    let step = |label: &str| {
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        progress(Progress { done, total, label });
    };
    let runs: Vec<Result<Vec<Run>, ReviewError>> =
        pool.install(|| benches.par_iter().map(|bench| bench.run(&step)).collect());
    let mut all = Vec::new();
    for of_drive in runs {
        all.extend(of_drive?);
    }
    Ok(result_set(plan, all))
}

fn result_set(plan: &Plan, runs: Vec<Run>) -> ResultSet {
    let names = |file: &DriveFile| Names {
        slug: file.slug().to_owned(),
        aliases: file.aliases().to_vec(),
    };
    let names: Vec<Names> = plan.drives.iter().map(names).collect();
    ResultSet {
        schema: SCHEMA,
        origin: Origin {
            version: plan.version.clone(),
            seed: plan.seed.0,
            testbed: plan.testbed.slug.clone(),
        },
        drives: plan.drives.iter().map(sheet).collect(),
        tests: plan.tests.iter().map(Test::sheet).collect(),
        figures: figures::figures(&names, &plan.tests, &runs),
        runs,
    }
}

/// The seed of everything inside a drive and of how it is prepared.
#[must_use]
pub fn drive_seed(root: RootSeed, slug: &str) -> RootSeed {
    root.derive(&format!("drive/{slug}"))
}

/// The seed of the requests of a job file: the same on every drive and in every state.
#[must_use]
pub fn job_seed(root: RootSeed, file: &str) -> RootSeed {
    root.derive(&format!("job/{file}"))
}

/// What brought a drive to a state, in words.
#[must_use]
pub fn steps(file: &DriveFile, state: State) -> Vec<String> {
    match file.kind() {
        ftlab_drive::Kind::Ssd => state.steps(),
        ftlab_drive::Kind::Disk => State::steps_of_a_disk(),
    }
}

#[cfg(test)]
mod tests;
