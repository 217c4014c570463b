//! The answers that people buy drives by: how long a drive lasts under a load, how fast it answers at a rate, and how
//! much spare area that takes.
//!
//! A drive is brought to a state, and the load is repeated on it without a clock until write amplification is steady
//! (`settle.rs`). From there it runs with a clock, at its own rate or at a given number of bytes a day (`pace.rs`).
//! Cycles a day and years follow (`wear.rs`). Other spare areas of the same flash, run in this way, make a curve, and a
//! root of it is the least spare area that meets a goal (`goals.rs`, `search.rs`). A closed form stands beside it where
//! one covers drive and load (`closed.rs`).
//!
//! Each drive, and each spare area of it, runs in the lab's threads by itself; random streams have the names of drive
//! and load, so that neither changes a number.

mod closed;
mod drive;
mod goals;
mod pace;
mod point;
mod rate;
mod rates;
mod search;
mod settle;
mod wear;

pub(crate) use closed::ClosedForm;
pub use goals::SPARE_BOUNDS;
pub(crate) use pace::DAY_S;
pub(crate) use wear::Flash;

use crate::ask::{self, Asker, Ends};
use crate::loads::OwnLoad;
use drive::{OfDrive, Planner};
use ftlab_base::{Blame, RootSeed};
use ftlab_drive::{DriveFile, default_testbed};
use ftlab_host::Testbed;
use ftlab_lab::{Cell, Course, LabError, Length, Observer, Outcome, Subject, Work};
use ftlab_play::driver::{Clock, DriverError};
use ftlab_result::plan::{Measure, Plan};
use ftlab_result::quantity::{self, table};
use ftlab_result::{ResultSet, Run, TestSheet};
use ftlab_sheet::SheetError;
use ftlab_states::watch::Stopped;
use ftlab_states::{PrepareError, State};
use std::sync::Arc;
use thiserror::Error;

/// A question about drives under a load: their lives, their latencies and the spare area that goals take.
#[derive(Debug)]
pub struct Planning {
    /// The drives, in the order of the answers.
    pub drives: Vec<DriveFile>,
    /// The load that they are under.
    pub load: OwnLoad,
    /// The state of the drives before the load.
    pub state: State,
    /// Bytes that the host writes a day; none for the load's own rate.
    pub bytes_per_day: Option<f64>,
    /// The goals of the drives: of each measure the most, or of years the least.
    pub goals: Vec<(Measure, f64)>,
    /// Spare areas of the curve.
    pub spares: Vec<f64>,
    /// Rates of the load, in requests a second, ascending; none for its own alone.
    pub rates: Vec<f64>,
    /// Quick runs are a quarter as long.
    pub length: Length,
    /// The machine; none for that of the load, or one of the time of each drive.
    pub testbed: Option<Testbed>,
    /// Drives that hold more are simulated in a smaller form of this many bytes, where the load allows it; none for
    /// every drive in its own size.
    pub shrink_to: Option<u64>,
    /// Root of every random stream.
    pub seed: RootSeed,
}

/// The bytes that a drive is shrunk to, unless it is asked for in its own size: write amplification, latencies and years
/// of a larger one come out within a few percent.
pub const SHRINK_TO: u64 = 16_000_000_000;

/// Plans as cells: each drive is a course, as where it looks next depends on what it has found.
#[derive(Debug)]
pub struct Batch {
    planning: Arc<Planning>,
    cells: Vec<Cell>,
    /// The work of each part of each cell.
    costs: Vec<Vec<f64>>,
    /// The number of spare areas that drives are run with, in all.
    spares: usize,
    /// Bytes that these take at least.
    written_least: u64,
}

#[derive(Debug)]
struct OneDrive(Arc<Planning>);

/// Spare areas of the curve, unless others are asked for: as drives are sold, and beyond.
#[must_use]
pub fn spares(length: Length) -> Vec<f64> {
    match length {
        Length::Full => vec![0.07, 0.15, 0.28, 0.5, 0.8],
        Length::Quick => vec![0.07, 0.28, 0.5],
    }
}

/// Rates from one to another in equal ratios, in whole requests a second.
#[must_use]
pub fn rates(least: f64, most: f64, length: Length) -> Vec<f64> {
    let steps = match length {
        Length::Full => 10,
        Length::Quick => 5,
    };
    let rate =
        |step: i32| (least * (most / least).powf(f64::from(step) / f64::from(steps - 1))).round();
    let mut rates: Vec<f64> = (0..steps).map(rate).collect();
    rates.dedup();
    rates
}

/// The reason that a drive could not be planned.
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
            PlanError::Refused(_) => false,
        }
    }
}

impl PlanError {
    /// Makes it an error of the lab, which names the drive.
    fn of(self, file: &DriveFile) -> LabError {
        let why = format!("{}: {self}", file.slug());
        match &self {
            PlanError::Run(error) if matches!(**error, DriverError::Stopped(_)) => Stopped.into(),
            PlanError::Prepare(PrepareError::Stopped(_)) => Stopped.into(),
            _ if self.is_input() => LabError::Refused(why),
            _ => LabError::Failed(why),
        }
    }
}

impl Planning {
    /// The cells of it. Whether the load fits the drives is checked before anything is made or filled in vain.
    ///
    /// # Errors
    /// The first drive, in the order asked, that it does not fit.
    pub fn batch(self) -> Result<Batch, LabError> {
        let (planning, mut cells, mut costs) = (Arc::new(self), Vec::new(), Vec::new());
        let (mut spares, mut written_least) = (0, 0);
        for file in &planning.drives {
            let usual = planning.load.load.testbed();
            let slug = usual.unwrap_or_else(|| default_testbed([file]));
            let machine = ftlab_lab::testbed(planning.testbed.as_ref(), slug);
            let machine = machine.map_err(|error| PlanError::from(error).of(file))?;
            let planner = Planner::new(&planning, &machine, file);
            let planner = planner.and_then(|planner| planner.check().map(|()| planner));
            let planner = planner.map_err(|why| why.of(file))?;
            costs.push(planner.costs());
            spares += planner.spares();
            written_least += planner.written_least().map_err(|why| why.of(file))?;
            cells.push(Cell {
                subject: Arc::new(subject(file)),
                work: Work::Course(Arc::new(OneDrive(Arc::clone(&planning)))),
                machine: Arc::new(machine),
                seed: planning.seed,
            });
        }
        Ok(Batch {
            planning,
            cells,
            costs,
            spares,
            written_least,
        })
    }
}

impl Batch {
    /// The number of spare areas that drives are run with, in all, their own among them.
    #[must_use]
    pub fn spares(&self) -> usize {
        self.spares
    }

    /// Bytes that are written to the models at least, before they are timed.
    #[must_use]
    pub fn written_least(&self) -> u64 {
        self.written_least
    }

    /// The number of rates that each drive is run at beside its own.
    #[must_use]
    pub fn rates(&self) -> usize {
        self.planning.rates.len()
    }

    /// A rate of the load as a step of a test.
    fn sheet_of_rate(&self, own: &TestSheet, iops: f64) -> TestSheet {
        TestSheet {
            test: rates::test_of(&own.test, iops),
            title: format!("{}: rate", own.title),
            text: "The load at other rates, in its own mix: requests arrive at random, or at a trace's times divided, and \
                   latency counts from the arrival. Each run begins where the repeated load left the drive."
                .to_owned(),
            step: rates::step_of(iops),
            chart: ftlab_result::Chart::Lines,
            chart_metric: quantity::of_percentile(self.planning.load.asked_for(), 99.0),
            chart_unit: "µs".to_owned(),
            ..own.clone()
        }
    }

    /// The number of searches on each drive.
    #[must_use]
    pub fn searches(&self) -> usize {
        self.planning.goals.len()
    }
}

impl Course for OneDrive {
    fn name(&self) -> String {
        "plan".to_owned()
    }

    fn mark(&self) -> String {
        let asked = &self.0;
        format!(
            "{:032x} {} {:?} {:?} {:?} {:?} {:?} {:?}",
            asked.load.load.mark(),
            asked.state.name(),
            asked.bytes_per_day,
            asked.goals,
            asked.spares,
            asked.rates,
            asked.length,
            asked.shrink_to
        )
    }

    fn run(&self, cell: &Cell, observer: Observer<'_>) -> Result<Vec<Outcome>, LabError> {
        let file = cell.subject.first();
        let planner = Planner::new(&self.0, &cell.machine, file);
        let label = cell.label();
        // The observer ends the work through the watch, and through the last part below: its answer is not needed here.
        let done = |part: &str| drop((observer.part)(&format!("{label}, {part}")));
        let planned = planner.and_then(|planner| planner.plan(observer.watch, &done));
        // Spare areas that could not be run are noted, and whoever ended the work ended them, too.
        (observer.part)(&label)?;
        let OfDrive { plan, runs } = planned.map_err(|why| why.of(file))?;
        let outcome = |run: Run| Outcome {
            load: run.test.clone(),
            run,
            ..Outcome::default()
        };
        let mut outcomes: Vec<Outcome> = runs.into_iter().map(outcome).collect();
        outcomes[0].plan = Some(Box::new(plan));
        Ok(outcomes)
    }
}

impl Asker for Batch {
    fn cells(&self) -> &[Cell] {
        &self.cells
    }

    fn costs(&self, cell: usize) -> &[f64] {
        &self.costs[cell]
    }

    /// Each spare area of a curve is a step of one family of tests, and each rate of another.
    fn set(&self, ends: &Ends, why: &str) -> ResultSet {
        let own = self.planning.load.sheet(Clock::Timed);
        let all = 0..self.cells.len();
        let outcomes = all.filter_map(|n| ends.outcomes(n)).flatten();
        let plans: Vec<Plan> = outcomes.filter_map(|of| Some(*of.plan.clone()?)).collect();
        let mut spares: Vec<f64> = (plans.iter())
            .filter(|plan| plan.curve.len() > 1)
            .flat_map(|plan| &plan.curve)
            .filter_map(|point| point.spare)
            .collect();
        // Drives share the steps of the curve: spare areas that are equal as shown are one step.
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
        let rates = plans.iter().any(|plan| !plan.rates.is_empty());
        let rates = self.planning.rates.iter().filter(|_| rates);
        let tests = std::iter::once(own.clone())
            .chain(spares.iter().map(of_spare))
            .chain(rates.map(|iops| self.sheet_of_rate(&own, *iops)));
        let machines = self.cells.iter().map(|cell| cell.machine.slug.as_str());
        let quick = self.planning.length == Length::Quick;
        let origin = ask::origin(self.planning.seed.0, ask::listed(machines), quick);
        let mut set = ask::set_of(self, ends, why, origin);
        (set.tests, set.plans) = (tests.collect(), plans);
        set.runs = ask::runs(self, ends);
        set
    }
}

/// A drive as what loads run on.
fn subject(file: &DriveFile) -> Subject {
    Subject::from(file.clone())
}

#[cfg(test)]
mod tests;
