//! Runs the tests of the reviews on several drives.
//!
//! Drives run in parallel as far as they fit in memory together, and so do the jobs of a drive that start from the same state: each on
//! its own copy. A drive's states are prepared once, one from the other. Every random stream has
//! its name's seed, so neither the number of threads nor the set of drives and tests changes a run.
//!
//! A repeat is all of that again with another root seed, states included. In memory it is what another drive would be.

mod case;
mod cost;
mod drive;
mod facts;
mod from_states;
mod gather;
mod length;
mod memory;
mod procedure;
mod set;
mod torture;

pub(crate) use case::{Case, Load, data_before};
pub(crate) use drive::link_words;
pub use drive::sheet;
pub(crate) use facts::{ClientUse, client_use, tell};
pub(crate) use from_states::FromStates;
pub use length::Length;
pub(crate) use memory::batches;
pub(crate) use procedure::Running;
pub use set::{origin, result_set};

use crate::driver::DriverError;
use crate::methods::Test;
use crate::repeats;
use crate::states::{PrepareError, Settling, State};
use drive::Bench;
use ftlab_base::RootSeed;
use ftlab_drive::{DriveError, DriveFile, Testbed};
use ftlab_result::{ResultSet, Run};
use gather::{Repeats, Unit};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Mutex;
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
    /// How often each run is made, every time with another seed; at least 1.
    pub repeats: u32,
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
    /// How much of the work is done, 0 to 1, by what the runs are worth beside each other.
    pub share: f64,
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

/// What hears of a review while it runs, from any thread.
pub trait Watch: Sync {
    /// A run is done.
    fn ran(&self, progress: Progress<'_>);
    /// A drive of the plan, by its number, is done: all its runs, or why it has none.
    fn finished(&self, drive: usize, runs: Result<Vec<Run>, ReviewError>);
}

/// A plan, and what of it runs on which drive.
pub struct Review<'a> {
    plan: &'a Plan,
    benches: Vec<Bench<'a>>,
}

impl<'a> Review<'a> {
    /// Looks at what there is to do.
    ///
    /// # Panics
    /// When every run is to be made no time at all.
    #[must_use]
    pub fn new(plan: &'a Plan) -> Self {
        assert!(plan.repeats > 0, "a plan makes every run at least once");
        let benches = plan.drives.iter().map(|file| Bench::new(plan, file));
        Review {
            plan,
            benches: benches.collect(),
        }
    }

    /// The tests that run on a drive of the plan, in its order.
    #[must_use]
    pub fn tests(&self, drive: usize) -> &[Test] {
        self.benches[drive].tests()
    }

    /// Runs the tests of the drives of these numbers, and tells `watch` of each as soon as it is done. One
    /// drive that fails stops no other.
    ///
    /// # Errors
    /// When there are no threads.
    pub fn run(&self, drives: &[usize], watch: &dyn Watch) -> Result<(), ReviewError> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.plan.threads.max(1))
            .build();
        let pool = pool.map_err(|error| ReviewError::Threads {
            threads: self.plan.threads,
            why: error.to_string(),
        })?;
        let units = Unit::of(drives, self.plan.repeats);
        let costs: Vec<f64> = (units.iter())
            .flat_map(|unit| self.benches[unit.drive].costs())
            .collect();
        let total_cost: f64 = costs.iter().sum();
        let done = Mutex::new((0, 0.0));
        let step = |label: &str, cost: f64| {
            // Told under the lock, so that nobody hears of less than before.
            let mut done = done.lock().expect("no holder panics");
            done.0 += 1;
            done.1 += cost;
            watch.ran(Progress {
                done: done.0,
                total: costs.len(),
                share: done.1 / total_cost,
                label,
            });
        };
        let size = |unit: &Unit| self.plan.drives[unit.drive].memory_bytes();
        let sizes: Vec<u64> = units.iter().map(size).collect();
        let repeats = Repeats::new(self.plan.drives.len(), self.plan.repeats);
        let run = |&unit: &Unit| {
            if let Some(runs) = repeats.take(unit, self.run_once(unit, &step)) {
                watch.finished(unit.drive, runs);
            }
        };
        for batch in memory::batches(&sizes, self.plan.threads, self.plan.memory_bytes) {
            pool.install(|| units[batch].par_iter().for_each(run));
        }
        Ok(())
    }

    /// Runs one repeat of all tests on one drive.
    fn run_once(
        &self,
        unit: Unit,
        step: &(dyn Fn(&str, f64) + Sync),
    ) -> Result<Vec<Run>, ReviewError> {
        let root = repeats::seed(self.plan.seed, unit.repeat);
        let of = match self.plan.repeats {
            1 => String::new(),
            all => format!(", repeat {} of {all}", unit.repeat + 1),
        };
        let step = |label: &str, cost: f64| step(&format!("{label}{of}"), cost);
        self.benches[unit.drive].run(root, &step)
    }
}

/// Runs every test on every drive: the runs of each drive in the order of the plan, or why it has none.
/// `progress` is called after each run, from any thread.
///
/// # Errors
/// When there are no threads.
pub fn runs(
    plan: &Plan,
    progress: &(dyn Fn(Progress<'_>) + Sync),
) -> Result<Vec<Result<Vec<Run>, ReviewError>>, ReviewError> {
    struct All<'a> {
        progress: &'a (dyn Fn(Progress<'_>) + Sync),
        runs: Mutex<BTreeMap<usize, Result<Vec<Run>, ReviewError>>>,
    }
    impl Watch for All<'_> {
        fn ran(&self, progress: Progress<'_>) {
            (self.progress)(progress);
        }
        fn finished(&self, drive: usize, runs: Result<Vec<Run>, ReviewError>) {
            let mut all = self.runs.lock().expect("no holder panics");
            all.insert(drive, runs);
        }
    }
    let all = All {
        progress,
        runs: Mutex::default(),
    };
    let drives: Vec<usize> = (0..plan.drives.len()).collect();
    Review::new(plan).run(&drives, &all)?;
    let runs = all.runs.into_inner().expect("no holder panics");
    Ok(runs.into_values().collect())
}

/// Runs every test on every drive and puts the runs together, if all drives have theirs.
///
/// # Errors
/// The first drive, in the order of the plan, that cannot be built or whose run fails.
pub fn review(
    plan: &Plan,
    progress: &(dyn Fn(Progress<'_>) + Sync),
) -> Result<ResultSet, ReviewError> {
    let runs: Result<Vec<Vec<Run>>, ReviewError> = runs(plan, progress)?.into_iter().collect();
    Ok(result_set(plan, runs?.into_iter().map(Ok).collect()))
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
