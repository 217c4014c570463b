//! The answers that people buy drives by: how long a drive lasts under a load, how fast it answers at a rate, and how
//! much spare area that takes.
//!
//! A drive is brought to a state, and the load is repeated on it without a clock until write amplification is steady
//! (`settle.rs`). From there it runs with a clock, at its own rate or at so many bytes a day (`pace.rs`). Cycles a day
//! and years follow (`wear.rs`). The same with other spare areas, of the same flash, makes a curve, and a root of it is
//! the least spare area that meets a goal (`goals.rs`, `search.rs`). A closed form stands beside it where one covers drive
//! and load (`closed.rs`).
//!
//! Each drive, and each spare area of it, runs in the lab's threads by itself; random streams have the names of drive
//! and load, so that neither changes a number.

mod closed;
mod drive;
mod goals;
mod pace;
mod point;
mod rate;
mod search;
mod settle;
mod wear;

pub(crate) use closed::ClosedForm;
pub use goals::SPARE_BOUNDS;

use crate::lab::{Lab, NoThreads};
use crate::review::{Length, Subject, sheet};
use crate::suites::Test;
use crate::testbeds::{asked_or, listed};
use drive::{OfDrive, Planner};
use ftlab_base::{Blame, RootSeed};
use ftlab_drive::{DriveFile, MODEL_VERSION, default_testbed};
use ftlab_host::Testbed;
use ftlab_play::driver::DriverError;
use ftlab_play::states::PrepareError;
use ftlab_result::plan::Measure;
use ftlab_result::quantity::table;
use ftlab_result::{Origin, ResultSet, SCHEMA, TestSheet, Way};
use ftlab_sheet::SheetError;
use thiserror::Error;

/// What is asked.
#[derive(Debug)]
pub struct Asked {
    /// The drives, in the order of the answers.
    pub drives: Vec<DriveFile>,
    /// A load as a test: a step of one load that begins in one state.
    pub test: Test,
    /// Bytes that the host writes a day; none for the load's own rate.
    pub bytes_per_day: Option<f64>,
    /// What the drives are to come to: of each measure the most, or of years the least.
    pub goals: Vec<(Measure, f64)>,
    /// Spare areas of the curve.
    pub spares: Vec<f64>,
    /// Quick runs are a quarter as long.
    pub length: Length,
    /// The machine; none for that of the load, or one of the time of each drive.
    pub testbed: Option<Testbed>,
    /// Root of every random stream.
    pub seed: RootSeed,
    /// Version of the program, for the results.
    pub version: String,
}

/// Spare areas of the curve, unless others are asked for: as drives are sold, and beyond.
#[must_use]
pub fn spares(length: Length) -> Vec<f64> {
    match length {
        Length::Full => vec![0.07, 0.15, 0.28, 0.5, 0.8],
        Length::Quick => vec![0.07, 0.28, 0.5],
    }
}

/// Why a drive could not be planned.
#[derive(Debug, Error)]
pub enum PlanError {
    /// It cannot be built, or not with that spare area.
    #[error(transparent)]
    Drive(#[from] SheetError),
    /// It cannot be brought to a state.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    /// The load does not fit it, or a run failed.
    #[error(transparent)]
    Run(Box<DriverError>),
    /// It takes no more writes.
    #[error("the drive takes no more writes under this load: {0}")]
    Refused(String),
    /// The load wears nothing.
    #[error(
        "the load writes nothing, so that it neither wears the drive nor collects garbage; give it writes, or see how \
         fast it reads with `ftlab run`"
    )]
    NoWrites,
    /// The system gives no threads.
    #[error(transparent)]
    Threads(#[from] NoThreads),
}

impl From<DriverError> for PlanError {
    fn from(error: DriverError) -> PlanError {
        PlanError::Run(Box::new(error))
    }
}

impl Blame for PlanError {
    fn is_input(&self) -> bool {
        match self {
            PlanError::Drive(_) | PlanError::NoWrites => true,
            PlanError::Prepare(error) => error.is_input(),
            PlanError::Run(error) => error.is_input(),
            PlanError::Refused(_) | PlanError::Threads(_) => false,
        }
    }
}

/// A drive that could not be planned, and why.
#[derive(Debug, Error)]
#[error("{drive}: {why}")]
pub struct PlanFailed {
    /// Slug.
    pub drive: String,
    /// Why.
    pub why: PlanError,
}

impl Blame for PlanFailed {
    fn is_input(&self) -> bool {
        self.why.is_input()
    }
}

/// Plans every drive. `tell` hears what the drive of a number is at, and how far that is, from any thread.
///
/// # Errors
/// The first drive, in the order asked, that cannot be planned.
pub fn plan(
    asked: &Asked,
    lab: &Lab,
    tell: &(dyn Fn(usize, &str, Option<f64>) + Sync),
) -> Result<ResultSet, PlanFailed> {
    let failed = |file: &DriveFile, why| PlanFailed {
        drive: file.slug().to_owned(),
        why,
    };
    let mut machines = Vec::new();
    for file in &asked.drives {
        let of_load = asked.test.family.testbed.as_deref();
        let slug = of_load.unwrap_or_else(|| default_testbed([file]));
        let machine = asked_or(asked.testbed.as_ref(), slug);
        let machine = machine.map_err(|error| failed(file, error.into()))?;
        let checked = Planner::new(asked, &machine, file).check();
        checked.map_err(|why| failed(file, why))?;
        machines.push(machine);
    }
    let numbers: Vec<usize> = (0..asked.drives.len()).collect();
    let bytes = |n: &usize| asked.drives[*n].memory_bytes();
    let of_drive = |&n: &usize| {
        let file = &asked.drives[n];
        let tell = |what: &str, share| tell(n, what, share);
        let planned = Planner::new(asked, &machines[n], file).plan(&tell);
        planned.map_err(|why| failed(file, why))
    };
    let planned: Result<Vec<OfDrive>, PlanFailed> =
        lab.run(&numbers, bytes, of_drive).into_iter().collect();
    Ok(put_together(asked, &machines, planned?))
}

/// The results of all drives. Each spare area of a curve is a step of one family of tests.
fn put_together(asked: &Asked, machines: &[Testbed], planned: Vec<OfDrive>) -> ResultSet {
    let own = asked.test.sheet();
    let mut spares: Vec<f64> = (planned.iter())
        .flat_map(|of_drive| &of_drive.plan.curve)
        .filter_map(|point| point.spare)
        .collect();
    spares.sort_by(f64::total_cmp);
    spares.dedup_by_key(|spare| drive::step_of(*spare));
    let of_spare = |&spare: &f64| {
        TestSheet {
        test: drive::test_of(&own.test, spare),
        title: format!("{}: spare area", own.title),
        text: "The same flash with other spare areas: write amplification is that of the load repeated until it is \
               steady, years are those to the rated cycles, and latencies are at the load's rate."
            .to_owned(),
        step: drive::step_of(spare),
        chart: ftlab_result::Chart::Lines,
        chart_metric: table::WA.name.to_owned(),
        chart_unit: String::new(),
        ..own.clone()
    }
    };
    let tests = std::iter::once(own.clone()).chain(spares.iter().map(of_spare));
    let mut set = ResultSet {
        schema: SCHEMA,
        provenance: None,
        origin: Origin {
            version: asked.version.clone(),
            way: Way::Simulated,
            model_version: MODEL_VERSION,
            seed: asked.seed.0,
            testbed: listed(machines.iter().map(|machine| machine.slug.as_str())),
            quick: asked.length == Length::Quick,
            repeats: 1,
            seeds: Vec::new(),
        },
        drives: asked.drives.iter().map(sheet).collect(),
        tests: tests.collect(),
        figures: Vec::new(),
        runs: Vec::new(),
        plans: Vec::new(),
        unfinished: Vec::new(),
    };
    for OfDrive { plan, runs } in planned {
        set.plans.push(plan);
        set.runs.extend(runs);
    }
    set
}

/// A drive as what loads run on.
fn subject(file: &DriveFile) -> Subject {
    Subject::from(file.clone())
}

#[cfg(test)]
mod tests;
