//! Runs the tests of the reviews on several drives.
//!
//! Drives run in parallel as far as they fit in memory together, and so do the jobs of a drive that start from the same state: each on
//! its own copy. A drive's states are prepared once, one from the other. Every random stream has
//! its name's seed, so neither the number of threads nor the set of drives and tests changes a run.

mod case;
mod drive;
mod facts;
mod from_states;
mod length;
mod memory;
mod procedure;
mod torture;

pub(crate) use case::{Case, Load, data_before};
pub use drive::sheet;
pub(crate) use facts::{ClientUse, client_use, tell};
pub(crate) use from_states::FromStates;
pub use length::Length;
pub(crate) use memory::batches;
pub(crate) use procedure::Running;

use crate::driver::DriverError;
use crate::figures::{self, Names};
use crate::methods::{Test, Work};
use crate::states::{PrepareError, Settling, State};
use drive::Bench;
use ftlab_base::RootSeed;
use ftlab_drive::{DriveError, DriveFile, Testbed};
use ftlab_result::{Figure, Origin, ResultSet, Run, SCHEMA, Verdict};
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
    /// Whether everything there is was asked for, and not these tests by name: each drive then leaves
    /// out the long tests that no source made on it, and those whose files it has no room for.
    pub is_everything: bool,
    /// How long timed jobs run.
    pub length: Length,
    /// The machine for all tests; none for that of each test's review.
    pub testbed: Option<Testbed>,
    /// Bytes that drives and their copies may take together.
    pub memory_bytes: u64,
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
    /// A drive cannot be brought to a state.
    #[error("drive {drive}: {error}")]
    Prepare {
        /// Slug.
        drive: String,
        /// Why.
        error: PrepareError,
    },
    /// A procedure cannot go on.
    #[error("drive {drive}, {procedure}: {why}")]
    Procedure {
        /// Slug.
        drive: String,
        /// Of the procedure.
        procedure: &'static str,
        /// Why.
        why: String,
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
            ReviewError::Prepare { error, .. } => error.is_input(),
            ReviewError::Run { error, .. } => error.is_input(),
            ReviewError::Procedure { .. } | ReviewError::Threads { .. } => false,
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
    let sizes: Vec<u64> = plan.drives.iter().map(DriveFile::memory_bytes).collect();
    let mut all = Vec::new();
    for batch in memory::batches(&sizes, plan.threads, plan.memory_bytes) {
        let benches = &benches[batch];
        let runs: Vec<Result<Vec<Run>, ReviewError>> =
            pool.install(|| benches.par_iter().map(|bench| bench.run(&step)).collect());
        for of_drive in runs {
            all.extend(of_drive?);
        }
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
            testbed: machines(plan),
            quick: plan.length == Length::Quick,
        },
        drives: plan.drives.iter().map(sheet).collect(),
        tests: plan.tests.iter().map(Test::sheet).collect(),
        figures: figures(plan, &names, &runs),
        runs,
    }
}

/// The published figures beside the runs. What takes its time, like a drop of the rate or the wear of a
/// life, is not what it was in a quick review: it is shown, and not judged.
fn figures(plan: &Plan, names: &[Names], runs: &[Run]) -> Vec<Figure> {
    let mut figures = figures::figures(names, &plan.tests, runs);
    if plan.length == Length::Quick {
        let is_within = |figure: &Figure| {
            let is_of = |test: &&Test| test.step.slug == figure.test;
            let test = plan.tests.iter().find(is_of);
            test.is_some_and(|test| match test.step.work {
                Work::Within(..) => true,
                Work::Fact(fact) => fact.is_of_client(),
                Work::Jobs { .. } | Work::Scenario(_) | Work::Trace(_) => false,
            })
        };
        for figure in figures.iter_mut().filter(|figure| is_within(figure)) {
            (figure.verdict, figure.error) = (Verdict::Shown, None);
            figure.why.clear();
        }
    }
    figures
}

/// The machines of the review, in the order of its tests.
fn machines(plan: &Plan) -> String {
    if let Some(testbed) = &plan.testbed {
        return testbed.slug.clone();
    }
    let mut slugs: Vec<&str> = Vec::new();
    for test in &plan.tests {
        if !slugs.contains(&test.family.testbed) {
            slugs.push(test.family.testbed);
        }
    }
    slugs.join(", ")
}

/// The seed of everything inside a drive and of how it is prepared.
#[must_use]
pub fn drive_seed(root: RootSeed, slug: &str) -> RootSeed {
    root.derive(&format!("drive/{slug}"))
}

/// The seed of the requests of a job file, a scenario or a trace: the same on every drive and in every state.
#[must_use]
pub fn job_seed(root: RootSeed, file: &str) -> RootSeed {
    root.derive(&format!("job/{file}"))
}

/// What brought a drive to a state, in words, and how it settled if it was to be steady.
#[must_use]
pub fn steps(file: &DriveFile, state: State, settling: Option<&Settling>) -> Vec<String> {
    let mut steps = match file.kind() {
        ftlab_drive::Kind::Ssd => state.steps(),
        ftlab_drive::Kind::Disk | ftlab_drive::Kind::Ram => State::steps_without_flash(),
    };
    steps.extend(settling.map(Settling::words));
    steps
}

#[cfg(test)]
mod tests;
