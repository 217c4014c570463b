//! Cases: jobs and scenarios as they run from a state, each once for every test that asks for it.

use super::length::Length;
use crate::methods::{Job, Test, Work};
use ftlab_base::{Content, RootSeed};
use ftlab_drive::{Device, DriveFile, Kind};
use ftlab_host::{Port, Testbed};
use ftlab_play::driver::{self, Clock, DriverError};
use ftlab_play::record::Record;
use ftlab_play::scripts;
use ftlab_play::states::State;
use ftlab_play::traces;
use ftlab_play::watch::nobody;
use ftlab_workload::JobFile;
use ftlab_workload::script::ScriptError;

/// From how many percent on the words of the reference table call data compressible.
const COMPRESSIBLE_PERCENT: u32 = 50;

/// What a case runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Load {
    /// A job file.
    Job(&'static Job),
    /// The script or scenario of that name.
    Scenario(&'static str),
    /// The trace of that name.
    Trace(&'static str),
}

impl Load {
    /// What names it among all loads.
    pub const fn name(&self) -> &'static str {
        match self {
            Load::Job(job) => job.file,
            Load::Scenario(name) | Load::Trace(name) => name,
        }
    }

    /// Runs on a drive that is plugged into the machine.
    pub fn run(
        self,
        device: &mut dyn Device,
        machine: &Testbed,
        (length, seed): (Length, RootSeed),
    ) -> Result<Record, DriverError> {
        let record = match self {
            Load::Job(job) => {
                let file = length.of(JobFile::parse(job.text, job.file)?);
                let report = driver::run(&file, device, Clock::Timed, seed)?;
                Record::of_jobs(&file, &report)
            }
            Load::Scenario(name) => {
                let scenario = scripts::scenario(name)?;
                let report = driver::run_scenario(&scenario, device, machine, seed, &nobody)?;
                Record::of_scenario(&report)
            }
            Load::Trace(name) => {
                let trace = traces::trace(name)?;
                let report =
                    driver::run_trace(&trace, device, length.operations_max(), seed, &nobody)?;
                Record::of_trace(&report)
            }
        };
        Ok(record.on(device))
    }

    /// What its data are like: in the words of the reference table, where all of them are alike.
    pub fn data(&self) -> &'static str {
        let percents = self.compress_percents();
        let is_hard = percents.iter().all(|&percent| percent == 0);
        match self.compressible() {
            Some(_)
                if percents
                    .iter()
                    .all(|&percent| percent >= COMPRESSIBLE_PERCENT) =>
            {
                "compressible"
            }
            None if is_hard => "incompressible",
            _ => "partly compressible",
        }
    }

    /// What compresses away of the data of each of its parts.
    fn compress_percents(&self) -> Vec<u32> {
        match self {
            Load::Job(job) => (JobFile::parse(job.text, job.file).into_iter())
                .flat_map(|file| file.jobs)
                .map(|job| u32::from(job.data.compressible_percent()))
                .collect(),
            Load::Scenario(name) => {
                let processes = (scripts::scenario(name).into_iter()).flat_map(|s| s.processes);
                let phases = processes.flat_map(|process| process.script.phases);
                let percents = phases.map(|phase| phase.buffer_compress_percentage.unwrap_or(0));
                percents.collect()
            }
            Load::Trace(name) => (traces::trace(name).into_iter())
                .map(|trace| trace.buffer_compress_percentage.unwrap_or(0))
                .collect(),
        }
    }

    /// What its data look like, if they are what reviews call compressible.
    fn compressible(&self) -> Option<Content> {
        match self {
            Load::Job(job) => {
                let file = JobFile::parse(job.text, job.file).ok()?;
                let mut data = file.jobs.iter().map(|job| job.data);
                data.find(|data| u32::from(data.compressible_percent()) >= COMPRESSIBLE_PERCENT)
                    .map(|data| data.content())
            }
            Load::Scenario(name) => {
                let scenario = scripts::scenario(name).ok()?;
                let phases = scenario.processes.iter().flat_map(|p| &p.script.phases);
                let mut percents = phases.filter_map(|phase| phase.buffer_compress_percentage);
                percents
                    .find(|&percent| percent >= COMPRESSIBLE_PERCENT)
                    .map(|percent| Content::compressible(percent.min(100) as u8))
            }
            Load::Trace(name) => {
                let trace = traces::trace(name).ok()?;
                let percent = trace.buffer_compress_percentage?;
                (percent >= COMPRESSIBLE_PERCENT).then(|| trace.content())
            }
        }
    }
}

/// A load as it runs from a state.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// What the drive holds before.
    pub state: State,
    /// What runs.
    pub load: Load,
    /// The machine, by its slug.
    pub testbed: &'static str,
    /// None for the fastest of the machine.
    pub port: Option<Port>,
    /// What was written on the way to the state: a drive that compresses reads back what it was given.
    pub before: Content,
}

/// What tells cases apart.
pub type Key = (State, &'static str, &'static str, Option<Port>);

impl Case {
    /// What tells it apart.
    pub fn key(&self) -> Key {
        (self.state, self.load.name(), self.testbed, self.port)
    }
}

/// The cases of a test on a drive, each with the state that it is asked in: those of the test or, if one is
/// asked for, that. The first of a state answers figures that ask for no data and no port.
pub fn cases_of(file: &DriveFile, test: &Test, state: Option<State>) -> Vec<(State, Case)> {
    let (loads, ports): (Vec<Load>, &[Option<Port>]) = match test.step.work {
        Work::Jobs { jobs, ports } => {
            let kinds = if file.compresses() { jobs.len() } else { 1 };
            (
                jobs.iter().take(kinds).map(|job| Load::Job(job)).collect(),
                ports,
            )
        }
        Work::Scenario(name) => (vec![Load::Scenario(name)], &[None]),
        Work::Trace(name) => (vec![Load::Trace(name)], &[None]),
        Work::Within(..) | Work::Fact(_) => return Vec::new(),
    };
    let mut cases = Vec::new();
    let states = state
        .as_ref()
        .map_or(test.family.states, std::slice::from_ref);
    for &asked in states {
        let state = match file.kind() {
            Kind::Ssd => asked,
            Kind::Disk | Kind::Ram => State::New,
        };
        for &load in &loads {
            let slower = |port: &&Option<Port>| {
                port.is_none_or(|port| file.link_bytes_s().is_some_and(|own| port.bytes_s() < own))
            };
            cases.extend(ports.iter().filter(slower).map(|&port| {
                let testbed = test.family.testbed;
                let case = Case {
                    state,
                    load,
                    testbed,
                    port,
                    before: data_before(file, load),
                };
                (asked, case)
            }));
        }
    }
    cases
}

/// Data like those of a load if they compress and the drive can tell, else data that do not.
pub fn data_before(file: &DriveFile, load: Load) -> Content {
    match load.compressible() {
        Some(data) if file.compresses() => data,
        _ => Content::RANDOM,
    }
}

/// Whether a drive has room for the span of a test's jobs, or the files that its programs use.
pub fn has_room(file: &DriveFile, test: &Test, machine: &Testbed) -> bool {
    let bytes = file.capacity_bytes();
    let checked = match test.step.work {
        Work::Scenario(name) => scripts::scenario(name)
            .map_err(DriverError::from)
            .and_then(|scenario| driver::check_scenario(&scenario, bytes, machine)),
        Work::Trace(name) => traces::trace(name)
            .map_err(DriverError::from)
            .and_then(|trace| driver::check_trace(&trace, bytes)),
        Work::Jobs { jobs, .. } => {
            // The jobs are in order, as a test of theirs says: only the drive can be too small.
            let fits = |job: &&Job| {
                let file = JobFile::parse(job.text, job.file);
                file.is_ok_and(|file| file.jobs.iter().all(|job| job.resolve(bytes).is_ok()))
            };
            return jobs.iter().all(fits);
        }
        Work::Within(..) | Work::Fact(_) => return true,
    };
    !matches!(
        checked,
        Err(DriverError::Script(ScriptError::BeyondDrive { .. })
            | DriverError::SystemBeyondDrive { .. })
    )
}
