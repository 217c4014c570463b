//! Runs the tests of the reviews on several drives.
//!
//! Drives run in parallel as far as they fit in memory together, and so do the jobs of a drive that start from the same state: each on
//! its own copy. A drive's states are prepared once, one from the other. Every random stream has
//! its name's seed, so neither the number of threads nor the set of drives and tests changes a run.
//!
//! A repeat is all of that again with another root seed, states included. In memory it is what another drive would be.

pub(crate) mod case;
mod cost;
mod drive;
mod drive_runs;
mod each;
mod facts;
mod fill;
mod from_states;
mod gather;
mod latencies;
mod length;
mod procedure;
mod set;
mod subject;
mod told;
mod words;

pub use case::Case;
pub(crate) use drive::link_words;
pub use drive_runs::DriveRuns;
pub use each::{Fault, NotRun, TakeEach, run_each};
pub use facts::smart_of;
pub use from_states::Loaded;
pub use length::Length;
pub use set::{origin, result_set};
pub use subject::{Devices, Member, Subject, data_before, sheet};
pub use words::words;

use crate::lab::{Lab, NoThreads};
use crate::repeats;
use crate::stop::stop;
use crate::suites::Test;
use drive::{Bench, Hears};
use ftlab_base::{Blame, RootSeed};
use ftlab_drive::{Device, DriveFile};
use ftlab_host::Testbed;
use ftlab_play::driver::{Clock, DriverError};
use ftlab_play::load::Load;
use ftlab_play::record::Record;
use ftlab_play::states::{PrepareError, State};
use ftlab_result::{ResultSet, Run};
use ftlab_sheet::SheetError;
use gather::{Repeats, Unit};
use std::sync::Mutex;
use thiserror::Error;

/// What to review.
#[derive(Debug)]
pub struct Plan {
    /// The drives, or sets of drives by name, in the order of the report.
    pub drives: Vec<Subject>,
    /// The tests, in the order of the report.
    pub tests: Vec<Test>,
    /// Whether everything there is was asked for, and not these tests by name: each drive then leaves
    /// out the long tests that no source made on it, and those whose files it has no room for.
    pub is_everything: bool,
    /// The state that jobs, scenarios and traces begin in; none for those of each test. Procedures bring
    /// their drive to states of their own.
    pub state: Option<State>,
    /// How long timed jobs run.
    pub length: Length,
    /// Whether loads run with a clock.
    pub clock: Clock,
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
        error: SheetError,
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
        /// The procedure's name.
        procedure: String,
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
    /// What was to be done with a drive beside its tests cannot be done.
    #[error("{0}")]
    Refused(String),
    /// The system gives no threads.
    #[error(transparent)]
    Threads(#[from] NoThreads),
}

impl Blame for ReviewError {
    fn is_input(&self) -> bool {
        match self {
            ReviewError::Drive { .. } | ReviewError::Refused(_) => true,
            ReviewError::Prepare { error, .. } => error.is_input(),
            ReviewError::Run { error, .. } => error.is_input(),
            ReviewError::Procedure { .. } | ReviewError::Threads(_) => false,
        }
    }
}

/// What hears of a review while it runs, from any thread.
pub trait Watch: Sync {
    /// A run is done.
    fn ran(&self, progress: Progress<'_>);
    /// A test of a drive of the plan, by its number, is done: all its runs.
    fn tested(&self, drive: usize, test: &str, runs: Vec<Run>);
    /// Nothing more comes of a drive, and why if tests are missing.
    fn ended(&self, drive: usize, end: Result<(), ReviewError>);

    /// What a drive is at, and how far that is, 0 to 1.
    fn doing(&self, _drive: usize, _what: &str, _share: Option<f64>) {}

    /// Loads a drive that is fresh from its file with what was saved of it; `None` if it is to be prepared.
    ///
    /// # Errors
    /// Why it cannot be loaded.
    fn load(&self, _file: &DriveFile, _device: &mut dyn Device) -> Result<Option<Loaded>, String> {
        Ok(None)
    }

    /// Drives are where their load begins: what else is to be done with them comes now.
    ///
    /// # Errors
    /// Why that cannot be done.
    fn before(&self, _visit: &Visit<'_>, _devices: &mut Devices) -> Result<(), String> {
        Ok(())
    }

    /// A load has ended.
    ///
    /// # Errors
    /// Why something cannot be done then.
    fn after(
        &self,
        _visit: &Visit<'_>,
        _devices: &mut Devices,
        _record: &Record,
    ) -> Result<(), String> {
        Ok(())
    }
}

/// A load on a drive, or on several.
#[derive(Debug, Clone, Copy)]
pub struct Visit<'a> {
    /// The number of the subject in the plan.
    pub drive: usize,
    /// Its drives.
    pub subject: &'a Subject,
    /// What runs.
    pub load: &'a Load,
    /// The root seed of the repeat.
    pub root: RootSeed,
    /// The state that the drive was brought to.
    pub state: State,
    /// What it has been through, in words.
    pub steps: &'a [String],
    /// Where the only drive was loaded from, if it was not prepared.
    pub loaded: Option<&'a Loaded>,
}

/// Runs tests of a plan: of each of its drives those that are wanted, by their slugs. `watch` hears of each
/// as soon as it is done. One drive that fails stops no other, and keeps the tests it has done.
///
/// # Errors
/// When there are no threads.
///
/// # Panics
/// When every run is to be made no time at all.
pub fn run(plan: &Plan, wanted: &[Vec<String>], watch: &dyn Watch) -> Result<(), ReviewError> {
    assert!(plan.repeats > 0, "a plan makes every run at least once");
    let lab = Lab::new(plan.threads, plan.memory_bytes)?;
    let benches: Vec<Bench<'_>> = (plan.drives.iter().zip(wanted))
        .map(|(subject, wanted)| Bench::new(plan, subject).only(wanted))
        .collect();
    let drives = (0..benches.len()).filter(|&drive| !benches[drive].tests().is_empty());
    let units = Unit::of(drives, plan.repeats);
    let costs: Vec<f64> = (units.iter())
        .flat_map(|unit| benches[unit.drive].costs())
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
    let repeats = Repeats::new(benches.len(), plan.repeats);
    let run = |&unit: &Unit| {
        let of = match plan.repeats {
            1 => String::new(),
            all => format!(", repeat {} of {all}", unit.repeat + 1),
        };
        let hears = Hears {
            watch: (unit.drive, watch),
            step: &|label, cost| step(&format!("{label}{of}"), cost),
            test: &|test, runs| {
                if let Some(runs) = repeats.take(unit, test, runs) {
                    watch.tested(unit.drive, test, runs);
                }
            },
        };
        let end = benches[unit.drive].run(repeats::seed(plan.seed, unit.repeat), hears);
        if let Some(end) = repeats.end(unit, end) {
            watch.ended(unit.drive, end);
        }
    };
    let bytes = |unit: &Unit| plan.drives[unit.drive].memory_bytes();
    lab.run(&units, bytes, run);
    Ok(())
}

/// What the drives of a plan take of this machine's memory at most: a drive with one test is used up by it, and of all others
/// there are copies.
///
/// # Errors
/// When there are no threads.
pub fn most_bytes(plan: &Plan) -> Result<u64, ReviewError> {
    let sizes: Vec<u64> = (Unit::of(0..plan.drives.len(), plan.repeats).iter())
        .map(|unit| plan.drives[unit.drive].memory_bytes())
        .collect();
    match (&sizes[..], &plan.tests[..]) {
        (&[only], [_]) => Ok(only),
        _ => Ok(Lab::new(plan.threads, plan.memory_bytes)?.most_bytes(&sizes)),
    }
}

/// Checks that the loads of a plan fit its drives, before anything is made or filled in vain.
///
/// # Errors
/// The first that does not.
pub fn check(plan: &Plan) -> Result<(), ReviewError> {
    for subject in &plan.drives {
        for test in &plan.tests {
            Bench::new(plan, subject).check(test)?;
        }
    }
    Ok(())
}

/// Runs every test on every drive: what came of each drive, in the order of the plan. `progress` is called
/// after each run, from any thread.
///
/// # Errors
/// When there are no threads.
pub fn runs(
    plan: &Plan,
    progress: &(dyn Fn(Progress<'_>) + Sync),
) -> Result<Vec<DriveRuns>, ReviewError> {
    runs_until(plan, progress, &|| false)
}

/// The same, which [stops](crate::stop) as soon as `is_over` says so. It is asked often, from any thread.
///
/// # Errors
/// When there are no threads.
pub fn runs_until(
    plan: &Plan,
    progress: &(dyn Fn(Progress<'_>) + Sync),
    is_over: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<DriveRuns>, ReviewError> {
    struct All<'a> {
        progress: &'a (dyn Fn(Progress<'_>) + Sync),
        is_over: &'a (dyn Fn() -> bool + Sync),
        drives: Mutex<Vec<DriveRuns>>,
    }
    impl Watch for All<'_> {
        fn ran(&self, progress: Progress<'_>) {
            (self.progress)(progress);
        }
        fn tested(&self, drive: usize, test: &str, runs: Vec<Run>) {
            self.drives.lock().expect("no holder panics")[drive].take(test, runs);
        }
        fn ended(&self, drive: usize, end: Result<(), ReviewError>) {
            self.drives.lock().expect("no holder panics")[drive].ended(end);
        }
        fn doing(&self, _drive: usize, _what: &str, _share: Option<f64>) {
            if (self.is_over)() {
                stop();
            }
        }
    }
    let drives = DriveRuns::of_plan(plan);
    let wanted: Vec<Vec<String>> = drives.iter().map(DriveRuns::missing).collect();
    let all = All {
        progress,
        is_over,
        drives: Mutex::new(drives),
    };
    run(plan, &wanted, &all)?;
    Ok(all.drives.into_inner().expect("no holder panics"))
}

/// Runs every test on every drive and puts the runs together, if all drives have theirs.
///
/// # Errors
/// The first drive, in the order of the plan, that cannot be built or whose run fails.
pub fn review(
    plan: &Plan,
    progress: &(dyn Fn(Progress<'_>) + Sync),
) -> Result<ResultSet, ReviewError> {
    let drives = runs(plan, progress)?.into_iter();
    let drives: Result<Vec<DriveRuns>, ReviewError> = drives.map(DriveRuns::or_error).collect();
    Ok(result_set(plan, plan.drives.iter().zip(&drives?), ""))
}

#[cfg(test)]
mod tests;
