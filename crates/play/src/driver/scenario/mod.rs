//! Runs a scenario of application scripts on a drive, in virtual time.
//!
//! Programs compute, read and write; what they write without waiting goes through the operating
//! system of the testbed (`system.rs`), whose file system adds writes of its own
//! (`file_system.rs`). Programs that compute at a time slow each other down as far as the testbed says
//! (`computing.rs`).
//!
//! The run is over when every program has ended that is not in the background. What is outstanding
//! then is waited for but not counted; what is still dirty is left, as a stop watch leaves it.
//! Not modelled: reads that the system's cache answers. A script lists only what reaches the drive.

mod computing;
mod file_system;
mod owner;
mod program;
mod system;
#[cfg(test)]
mod tests;

use super::error::DriverError;
use super::io::{Ended, Io};
use super::measuring::Measuring;
use super::report::RunReport;
use super::source::{self, Source};
use super::stats::JobReport;
use super::target::Target;
use file_system::FileSystem;
use ftlab_base::{CommandKind, Nanos, RootSeed, SECTOR_BYTES, SimTime};
use ftlab_drive::Device;
use ftlab_host::{Processor, Testbed};
use ftlab_states::watch::Watch;
use ftlab_workload::script::Scenario;
use owner::Owner;
use program::Program;
use system::System;

/// Report on a scenario.
#[derive(Debug)]
pub struct ScenarioReport {
    /// Run as the drive saw it: a job for each process, then the lazy writer and the file system.
    pub run: RunReport,
    /// The processes, in the order of the scenario.
    pub processes: Vec<ProcessReport>,
    /// Time at which the drive had answered everything, on the run's clock: at the end or soon after.
    pub answered: Nanos,
    /// The most data that were dirty at a time.
    pub dirty_max_bytes: u64,
}

/// Report on a process.
#[derive(Debug, Clone)]
pub struct ProcessReport {
    /// Name of the process.
    pub name: String,
    /// Nobody waited for its end.
    pub background: bool,
    /// From its start to its end; `None` when it was still at work.
    pub seconds: Option<Nanos>,
    /// Time of its start.
    pub start: Nanos,
    /// Bytes it read from the drive.
    pub read_bytes: u64,
    /// Bytes it wrote, through or to the operating system.
    pub written_bytes: u64,
}

/// Checks that a scenario fits a drive and a testbed.
///
/// # Errors
/// When files lie beyond the drive, or programs write and the testbed has no operating system.
pub fn check_scenario(
    scenario: &Scenario,
    device_bytes: u64,
    testbed: &Testbed,
) -> Result<(), DriverError> {
    programs(scenario, device_bytes, RootSeed(0))?;
    system(scenario, device_bytes, testbed).map(drop)
}

/// Runs `scenario` on `device` behind `testbed`. `watch` hears how far it is; when it will end nobody knows.
///
/// # Errors
/// Those of [`check_scenario`], and when the drive fails or loses a command.
pub fn run_scenario(
    scenario: &Scenario,
    device: &mut dyn Device,
    testbed: &Testbed,
    seed: RootSeed,
    watch: &Watch<'_>,
) -> Result<ScenarioReport, DriverError> {
    let device_bytes = device.capacity_sectors() * SECTOR_BYTES;
    let target = &mut Target::one(device);
    let mut engine = Engine {
        programs: programs(scenario, device_bytes, seed)?,
        system: system(scenario, device_bytes, testbed)?,
        lazy_writer: JobReport::new("lazy writer".to_owned(), 0, 1),
        file_system: JobReport::new("file system".to_owned(), 0, 1),
        processor: testbed.processor,
        computing: 0,
        failed: false,
    };
    target.restart_stream_hashes();
    let mut measuring = Measuring::new(target, scenario.pause);
    let mut io = Io::new(target);
    let tell = |now: SimTime, _| {
        let virtual_s = now.as_secs();
        watch(&format!("running, {virtual_s:.0} s of virtual time"), None)
    };
    let end = source::play(&mut engine, &mut io, SimTime::ZERO, &mut measuring, &tell)?;
    let measured = measuring.stop(io.target, end);
    // Data that the system still writes when the last program has ended are not part of the measured time.
    let answered = source::wait_for_the_rest(&mut io, end)?;
    io.target.fault()?;
    let (processes, dirty_max_bytes) = engine.processes(scenario);
    Ok(ScenarioReport {
        run: measured.report(&io, engine.jobs(end)).without_rounds(),
        processes,
        answered: answered.since(SimTime::ZERO),
        dirty_max_bytes,
    })
}

fn programs(
    scenario: &Scenario,
    device_bytes: u64,
    seed: RootSeed,
) -> Result<Vec<Program>, DriverError> {
    let program = |(index, process): (usize, &ftlab_workload::script::Process)| {
        let theirs =
            Testbed::load(&process.script.testbed).map_err(|error| DriverError::Testbed {
                file: process.script.file.clone(),
                why: error.to_string(),
            })?;
        let factor = theirs.processor.speed;
        Ok(Program::new(index, process, device_bytes, factor, seed)?)
    };
    scenario.processes.iter().enumerate().map(program).collect()
}

/// The operating system, if a program writes to it.
fn system(
    scenario: &Scenario,
    device_bytes: u64,
    testbed: &Testbed,
) -> Result<Option<System>, DriverError> {
    let phases = scenario.processes.iter().flat_map(|p| &p.script.phases);
    let is_used = phases
        .into_iter()
        .any(|phase| phase.write.is_some() && !phase.through);
    if !is_used {
        return Ok(None);
    }
    let os = testbed.os.as_ref();
    let Some((cache, places)) = os.and_then(|os| Some((os.cache, os.file_system?))) else {
        return Err(DriverError::NoSystem {
            testbed: testbed.slug.clone(),
        });
    };
    let end = FileSystem::end(&places, device_bytes);
    if end > device_bytes {
        return Err(DriverError::SystemBeyondDrive {
            testbed: testbed.slug.clone(),
            end,
            capacity: device_bytes,
        });
    }
    Ok(Some(System::new(cache, places)))
}

struct Engine {
    programs: Vec<Program>,
    system: Option<System>,
    lazy_writer: JobReport,
    file_system: JobReport,
    processor: Processor,
    /// Number of programs that compute.
    computing: u32,
    /// The drive has answered with an error.
    failed: bool,
}

impl Source for Engine {
    type Tag = Owner;

    fn act(&mut self, now: SimTime, io: &mut Io<'_, '_, Owner>) -> SimTime {
        let pace = self.processor.seconds(self.computing);
        for program in &mut self.programs {
            program.act(now, pace, io, &mut self.system);
        }
        while let Some(next) = self.next_deferred() {
            self.programs[next].act(now, pace, io, &mut self.system);
        }
        let mut wake = self.pace(now);
        if let Some(system) = &mut self.system {
            system.tick(now);
            while let Some((owner, run, content)) = system.next() {
                owner.submit(run, content, now, io);
            }
            wake = wake.min(system.next_pass());
        }
        wake
    }

    fn ended(&mut self, ended: Ended<Owner>) -> bool {
        self.failed |= !ended.is_good;
        let owner = ended.tag;
        let report = match owner {
            Owner::Read { program, .. } | Owner::Check { program } | Owner::Through { program } => {
                &mut self.programs[program].report
            }
            Owner::Data(_) => &mut self.lazy_writer,
            Owner::Journal | Owner::Page => &mut self.file_system,
        };
        if ended.is_good {
            report.record(ended.kind, ended.bytes, ended.from, ended.to);
        } else {
            report.errors += 1;
        }
        match owner {
            Owner::Read { program, step } => self.programs[program].has_read(step),
            Owner::Check { program } => self.programs[program].has_checked(),
            Owner::Through { program } => self.programs[program].has_written(),
            owner => self.system.as_mut().expect("it asked").ended(owner),
        }
        !matches!(owner, Owner::Journal | Owner::Page)
    }

    fn is_over(&self, _wake: SimTime, _outstanding: u64) -> bool {
        let mut awaited = self.programs.iter().filter(|program| !program.background);
        self.failed || awaited.all(|program| program.ended.is_some())
    }

    fn waits(&self, _outstanding: u64) -> bool {
        self.programs.iter().any(Program::waits)
            || self
                .system
                .as_ref()
                .is_some_and(|system| system.data.data_in_flight())
    }

    fn share(&self, _now: SimTime, _completed: u64) -> Option<f64> {
        None
    }

    fn is_busy_for_ever(&self) -> bool {
        self.computing > 0
    }
}

impl Engine {
    /// As of the system's data.
    fn next_deferred(&self) -> Option<usize> {
        self.system.as_ref()?.data.next_deferred()
    }

    /// Lets all who compute do so at the pace of as many; returns the instant at which the first can go on.
    fn pace(&mut self, now: SimTime) -> SimTime {
        self.computing = self.programs.iter().filter(|p| p.computes()).count() as u32;
        let pace = self.processor.seconds(self.computing);
        let mut wake = SimTime::NEVER;
        for program in &mut self.programs {
            program.keep_pace(pace, now);
            wake = wake.min(program.next(now));
        }
        wake
    }

    /// Returns the reports on the processes, and the most data that were dirty at a time.
    fn processes(&self, scenario: &Scenario) -> (Vec<ProcessReport>, u64) {
        let process = |(program, process): (&Program, &ftlab_workload::script::Process)| {
            let moved = |kind| program.report.direction(kind).bytes;
            ProcessReport {
                name: process.name.clone(),
                background: process.background,
                seconds: program.seconds(),
                start: process.start,
                read_bytes: moved(CommandKind::Read),
                written_bytes: moved(CommandKind::Write) + program.buffered_bytes,
            }
        };
        let processes = self.programs.iter().zip(&scenario.processes);
        let dirty = self
            .system
            .as_ref()
            .map_or(0, |system| system.data.dirty_max_bytes());
        (processes.map(process).collect(), dirty)
    }

    /// A job for each process, then the lazy writer and the file system, if there is a system.
    fn jobs(self, end: SimTime) -> Vec<JobReport> {
        let process = |program: Program| {
            let mut report = program.report;
            report.measured = program.ended.unwrap_or(end).since(report.measured_from);
            report
        };
        let mut jobs: Vec<JobReport> = self.programs.into_iter().map(process).collect();
        if self.system.is_some() {
            for mut report in [self.lazy_writer, self.file_system] {
                report.measured = end.since(SimTime::ZERO);
                jobs.push(report);
            }
        }
        jobs
    }
}
