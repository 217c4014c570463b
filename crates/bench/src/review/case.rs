//! Cases: jobs and scenarios as they run from a state, each once for every test that asks for it.

use super::length::Length;
use crate::suites::{Test, Work};
use ftlab_base::{Content, RootSeed, SECTOR_BYTES};
use ftlab_drive::{Device, DriveFile, Kind};
use ftlab_host::{Port, Testbed};
use ftlab_play::driver::{self, Clock, DriverError, Target};
use ftlab_play::load::{Load, What};
use ftlab_play::record::Record;
use ftlab_play::states::State;
use ftlab_play::warnings::{self, Ground};
use ftlab_play::watch::Watch;
use ftlab_workload::script::ScriptError;

/// How a load runs.
pub struct How<'a> {
    /// How long, if it has a time.
    pub length: Length,
    /// With a clock or without.
    pub clock: Clock,
    /// The seed of the load's requests.
    pub seed: RootSeed,
    /// Whether the drive's garbage collection had settled before.
    pub has_settled: bool,
    /// Hears how far it is.
    pub watch: &'a Watch<'a>,
}

/// Runs a load on a drive that is plugged into the machine.
pub fn run(
    load: &Load,
    file: &DriveFile,
    device: &mut dyn Device,
    machine: &Testbed,
    how: &How<'_>,
) -> Result<Record, DriverError> {
    let (seed, watch) = (how.seed, how.watch);
    let record = match load.what() {
        What::Job(jobs) => {
            let jobs = how.length.of(jobs.clone());
            let report = {
                let target = &mut Target::one(device);
                driver::run_on(&jobs, target, how.clock, seed, watch)?
            };
            let ground = Ground {
                capacity_bytes: device.capacity_sectors() * SECTOR_BYTES,
                slot_bytes: file.slot_bytes(),
                settled: report.settled(how.has_settled),
            };
            let mut record = Record::of_jobs(&jobs, &report);
            record.run.warnings = warnings::of_run(&jobs, how.clock, ground, &report)?;
            record.settled(ground.settled)
        }
        What::Script(scenario) => {
            let report = driver::run_scenario(scenario, device, machine, seed, watch)?;
            Record::of_scenario(&report)
        }
        What::Trace(trace) => {
            let most = how.length.operations_max();
            let report = driver::run_trace(trace, device, most, seed, watch)?;
            Record::of_trace(&report)
        }
    };
    Ok(record.on(device))
}

/// A load as it runs from a state.
#[derive(Debug, Clone)]
pub struct Case {
    /// What the drive holds before.
    pub state: State,
    /// What runs.
    pub load: Load,
    /// The machine, by its slug.
    pub testbed: String,
    /// None for the fastest of the machine.
    pub port: Option<Port>,
    /// What was written on the way to the state: a drive that compresses reads back what it was given.
    pub before: Content,
}

/// What tells cases apart: state, load, machine and port.
pub type Key = (State, String, String, Option<Port>);

impl Case {
    /// What tells it apart.
    pub fn key(&self) -> Key {
        let load = self.load.name().to_owned();
        (self.state, load, self.testbed.clone(), self.port)
    }
}

/// The cases of a test on a drive, each with the state that it is asked in: those of the test or, if one is
/// asked for, that. The first of a state answers figures that ask for no data and no port.
pub fn cases_of(file: &DriveFile, test: &Test, state: Option<State>) -> Vec<(State, Case)> {
    let Work::Loads { loads, ports } = &test.step.work else {
        return Vec::new();
    };
    let kinds = if file.compresses() { loads.len() } else { 1 };
    let mut cases = Vec::new();
    let states = state
        .as_ref()
        .map_or(test.family.states.as_slice(), std::slice::from_ref);
    for &asked in states {
        let state = match file.kind() {
            Kind::Ssd => asked,
            Kind::Disk | Kind::Ram => State::New,
        };
        for load in loads.iter().take(kinds) {
            let slower = |port: &&Option<Port>| {
                port.is_none_or(|port| file.link_bytes_s().is_some_and(|own| port.bytes_s() < own))
            };
            cases.extend(ports.iter().filter(slower).map(|&port| {
                let case = Case {
                    state,
                    load: load.clone(),
                    testbed: test.family.testbed.clone(),
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
pub fn data_before(file: &DriveFile, load: &Load) -> Content {
    match load.compressible() {
        Some(data) if file.compresses() => data,
        _ => Content::RANDOM,
    }
}

/// Whether a drive has room for the span of a test's jobs, or the files that its programs use.
pub fn has_room(file: &DriveFile, test: &Test, machine: &Testbed) -> bool {
    let Work::Loads { loads, .. } = &test.step.work else {
        return true;
    };
    let bytes = file.capacity_bytes();
    let fits = |load: &Load| {
        let checked = match load.what() {
            // A job that is wrong on any drive is said to be so by its run.
            What::Job(file) => return file.jobs.iter().all(|job| job.resolve(bytes).is_ok()),
            What::Script(scenario) => driver::check_scenario(scenario, bytes, machine),
            What::Trace(trace) => driver::check_trace(trace, bytes),
        };
        !matches!(
            checked,
            Err(DriverError::Script(ScriptError::BeyondDrive { .. })
                | DriverError::SystemBeyondDrive { .. })
        )
    };
    loads.iter().all(fits)
}
