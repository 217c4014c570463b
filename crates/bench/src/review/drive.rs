//! All tests on one drive.

use super::{Plan, ReviewError, drive_seed, job_seed, steps};
use crate::driver::{self, Clock, DriverError, INTERVAL_S};
use crate::methods::{Load, Test};
use crate::record::Record;
use crate::scripts;
use crate::states::{self, State};
use ftlab_base::RootSeed;
use ftlab_drive::{Device, DriveFile, Kind};
use ftlab_result::{DriveKind, DriveSheet, Parameter, Run};
use ftlab_workload::JobFile;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// One drive and what is to run on it.
pub struct Bench<'a> {
    plan: &'a Plan,
    file: &'a DriveFile,
}

/// What a job came to, by its file and the state of the drive.
type Records = BTreeMap<(&'static str, State), Record>;

impl<'a> Bench<'a> {
    pub fn new(plan: &'a Plan, file: &'a DriveFile) -> Self {
        Bench { plan, file }
    }

    /// How many jobs run: steps that share a job share its run.
    pub fn jobs(&self) -> usize {
        State::ALL
            .iter()
            .map(|&state| self.jobs_in(state).len())
            .sum()
    }

    /// Runs everything; `step` hears of each run.
    pub fn run(&self, step: &(dyn Fn(&str) + Sync)) -> Result<Vec<Run>, ReviewError> {
        let seed = drive_seed(self.plan.seed, self.file.slug());
        let built = self.file.build(&self.plan.testbed, seed);
        let mut device = built.map_err(|error| ReviewError::Drive {
            drive: self.file.slug().to_owned(),
            error,
        })?;
        let mut records = Records::new();
        let mut reached = State::New;
        for state in State::ALL {
            let jobs = self.jobs_in(state);
            if jobs.is_empty() {
                continue;
            }
            if self.file.kind() == Kind::Ssd {
                states::prepare(device.as_mut(), reached, state, seed);
                reached = state;
            }
            let prepared = Mutex::new(&mut device);
            let record = |load: &Load| {
                let copy = prepared.lock().expect("no holder panics").snapshot();
                self.record(copy, *load, state, step)
            };
            // All of them, in order: which error is reported must not depend on the threads.
            let done: Vec<_> = jobs.par_iter().map(record).collect();
            for (job, record) in jobs.iter().zip(done) {
                records.insert((job.name(), state), record?);
            }
        }
        Ok(self.runs(&records))
    }

    /// Runs a job.
    fn record(
        &self,
        mut device: Box<dyn Device>,
        load: Load,
        state: State,
        step: &(dyn Fn(&str) + Sync),
    ) -> Result<Record, ReviewError> {
        let label = format!("{} {} ({})", self.file.slug(), load.name(), state.name());
        let failed = |error: DriverError| ReviewError::Run {
            run: label.clone(),
            error: Box::new(error),
        };
        let seed = job_seed(self.plan.seed, load.name());
        let record = match load {
            Load::Job(job) => JobFile::parse(job.text, job.file)
                .map_err(DriverError::from)
                .and_then(|file| driver::run(&file, device.as_mut(), Clock::Timed, seed))
                .map(|report| Record::of(&report)),
            Load::Scenario(name) => self.run_scenario(name, device.as_mut(), seed),
        };
        let record = record.map_err(failed)?;
        step(&label);
        Ok(record)
    }

    /// Runs a scenario on the machine it names, or on the one that was asked for.
    fn run_scenario(
        &self,
        name: &str,
        device: &mut dyn Device,
        seed: RootSeed,
    ) -> Result<Record, DriverError> {
        let scenario = scripts::scenario(name)?;
        let testbed = match self.plan.testbed_is_chosen {
            true => self.plan.testbed.clone(),
            false => driver::testbed_of(&scenario)?,
        };
        let report = driver::run_scenario(&scenario, device, &testbed, seed)?;
        Ok(Record::of_scenario(&report))
    }

    /// The distinct jobs that run from a state, in the order of the tests. A disk has one state:
    /// it runs in the first that a test asks for and answers for all of them.
    fn jobs_in(&self, state: State) -> Vec<Load> {
        let mut jobs: Vec<Load> = Vec::new();
        for test in &self.plan.tests {
            let runs_here = test
                .family
                .states
                .iter()
                .any(|&asked| self.runs_in(asked) == state);
            if runs_here && !jobs.contains(&test.step.load) {
                jobs.push(test.step.load);
            }
        }
        jobs
    }

    /// The state whose run answers for a state that is asked for.
    fn runs_in(&self, asked: State) -> State {
        match self.file.kind() {
            Kind::Ssd => asked,
            Kind::Disk => State::New,
        }
    }

    /// One run a test and state asked for, in that order.
    fn runs(&self, records: &Records) -> Vec<Run> {
        let states = |test: &'a Test| test.family.states.iter().map(move |&state| (test, state));
        let run = |(test, state): (&Test, State)| {
            self.run_of(
                test,
                state,
                &records[&(test.step.load.name(), self.runs_in(state))],
            )
        };
        self.plan.tests.iter().flat_map(states).map(run).collect()
    }

    fn run_of(&self, test: &Test, state: State, record: &Record) -> Run {
        let (drive, test, name) = (self.file.slug(), test.step.slug, state.name());
        Run {
            id: format!("{drive}/{test}/{name}"),
            drive: drive.to_owned(),
            test: test.to_owned(),
            state: name.to_owned(),
            steps: steps(self.file, state),
            metrics: record.metrics.clone(),
            read: record.read.clone(),
            write: record.write.clone(),
            trim: record.trim.clone(),
            inside: record.inside.clone(),
            series_ios: record.series_ios.clone(),
            series_interval_s: INTERVAL_S as f64,
        }
    }
}

/// The drive as the report shows it.
#[must_use]
pub fn sheet(file: &DriveFile) -> DriveSheet {
    let parameter = |row: ftlab_drive::ParameterRow| Parameter {
        key: row.key,
        value: row.value,
        unit: row.unit,
        source: row.source,
        confidence: row.confidence,
        note: row.note,
    };
    DriveSheet {
        drive: file.slug().to_owned(),
        name: file.name().to_owned(),
        summary: file.summary().to_owned(),
        kind: match file.kind() {
            Kind::Ssd => DriveKind::Ssd,
            Kind::Disk => DriveKind::Disk,
        },
        capacity_bytes: file.capacity_bytes(),
        file_hash: format!("{:016x}", file.hash()),
        parameters: file.parameters().into_iter().map(parameter).collect(),
    }
}
