//! Runs a scenario of application scripts on a drive, in virtual time.
//!
//! Programs compute, read and write; what they write without waiting goes through the operating
//! system of the testbed (`write_back.rs`), whose file system adds writes of its own
//! (`file_system.rs`). Programs that compute at a time slow each other down as far as the testbed says
//! (`computing.rs`).
//!
//! The run is over when every program has ended that is not in the background. What is outstanding
//! then is waited for but not counted; what is still dirty is left, as a stop watch leaves it.
//! Not modelled: reads that the system's cache answers. A script lists only what reaches the drive.

mod computing;
mod file_system;
pub(in crate::driver) mod io;
mod program;
#[cfg(test)]
mod tests;
mod write_back;

use super::group::TURNS_A_LOOK;
use super::meter::{Meter, Readings};
use super::patience::{LONGEST, Patience, Verdict};
use super::pauses::Pauses;
use super::stats::JobReport;
use super::{DriverError, RunReport, WriteAmplification};
use crate::watch::Watch;
use file_system::FileSystem;
use ftlab_base::{Nanos, RootSeed, SECTOR_BYTES, SimTime};
use ftlab_drive::Device;
use ftlab_host::{Processor, Testbed};
use ftlab_workload::script::Scenario;
use io::{Ended, Io, Owner};
use program::Program;
use write_back::WriteBack;

/// What a scenario came to.
#[derive(Debug)]
pub struct ScenarioReport {
    /// What the drive saw: a job for each process, then the lazy writer and the file system.
    pub run: RunReport,
    /// The processes, in the order of the scenario.
    pub processes: Vec<ProcessReport>,
    /// When the drive had answered everything, on the run's clock: at the end or soon after.
    pub answered: Nanos,
    /// The most data that were dirty at a time.
    pub dirty_max_bytes: u64,
}

/// What a process did.
#[derive(Debug, Clone)]
pub struct ProcessReport {
    /// Its name.
    pub name: String,
    /// Nobody waited for its end.
    pub background: bool,
    /// From its start to its end; `None` when it was still at work.
    pub seconds: Option<Nanos>,
    /// When it started.
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
    cache(scenario, device_bytes, testbed).map(drop)
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
    device.restart_stream_hash();
    let at_start = device.counters();
    let mut engine = Engine {
        programs: programs(scenario, device_bytes, seed)?,
        cache: cache(scenario, device_bytes, testbed)?,
        lazy_writer: JobReport::new("lazy writer".to_owned(), 0, 1),
        file_system: JobReport::new("file system".to_owned(), 0, 1),
        io: Io::new(device),
        processor: testbed.processor,
        computing: 0,
        pauses: Pauses::new(scenario.pause),
        now: SimTime::ZERO,
        failed: false,
    };
    let (end, readings) = engine.run(watch)?;
    if let Some(why) = engine.io.device.fault() {
        return Err(DriverError::Fault { why });
    }
    let mut report = engine.report(end, scenario);
    report.run.counters = report.run.counters.since(&at_start);
    (report.run.power, report.run.series_wa) = (readings.power, readings.series_wa);
    report.run.wa = WriteAmplification::without_rounds(&report.run.counters);
    Ok(report)
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

/// The operating system's cache, if a program writes to it.
fn cache(
    scenario: &Scenario,
    device_bytes: u64,
    testbed: &Testbed,
) -> Result<Option<WriteBack>, DriverError> {
    let phases = scenario.processes.iter().flat_map(|p| &p.script.phases);
    let is_used = phases
        .into_iter()
        .any(|phase| phase.write.is_some() && !phase.through);
    if !is_used {
        return Ok(None);
    }
    let Some(os) = &testbed.os else {
        return Err(DriverError::NoSystem {
            testbed: testbed.slug.clone(),
        });
    };
    let end = FileSystem::end(&os.file_system, device_bytes);
    if end > device_bytes {
        return Err(DriverError::SystemBeyondDrive {
            testbed: testbed.slug.clone(),
            end,
            capacity: device_bytes,
        });
    }
    Ok(Some(WriteBack::new(os)))
}

struct Engine<'d> {
    programs: Vec<Program>,
    cache: Option<WriteBack>,
    lazy_writer: JobReport,
    file_system: JobReport,
    io: Io<'d>,
    processor: Processor,
    /// Programs that compute.
    computing: u32,
    pauses: Pauses,
    now: SimTime,
    /// The drive has answered with an error.
    failed: bool,
}

impl Engine<'_> {
    /// Runs to the end; gives when the last program ended, and what was read off the drive until then.
    fn run(&mut self, watch: &Watch<'_>) -> Result<(SimTime, Readings), DriverError> {
        let mut patience = Patience::new(self.now, false);
        let mut meter = Meter::new(self.io.device);
        let mut ended = Vec::new();
        for turn in 0_u64.. {
            if turn.is_multiple_of(TURNS_A_LOOK) {
                let virtual_s = self.now.as_secs();
                watch(&format!("running, {virtual_s:.0} s of virtual time"), None);
            }
            let wake = self.act();
            if self.is_over() || self.failed {
                break;
            }
            let next_event = self.io.device.next_event().unwrap_or(SimTime::NEVER);
            let next = wake.min(next_event).max(self.now);
            if wake == SimTime::NEVER && next_event == SimTime::NEVER {
                // A computation ends beyond all time, or a command never does.
                return Err(match self.computing {
                    0 => self.io.stuck(self.now),
                    _ => DriverError::Endless { after: LONGEST },
                });
            }
            match patience.turn(next) {
                Verdict::GoOn => {}
                Verdict::Standstill => return Err(patience.standstill()),
                Verdict::Endless => return Err(DriverError::Endless { after: LONGEST }),
                Verdict::Stuck => return Err(self.io.stuck(self.now)),
            }
            meter.read_until(self.io.device, next);
            self.now = next;
            let limit = wake.min(meter.next_reading()).max(next);
            let last = self
                .io
                .device
                .advance_to_completion(limit, &mut self.io.done);
            self.now = last.map_or(next, |last| last.max(next));
            self.io.take_ended(&mut ended)?;
            if !ended.is_empty() || wake <= self.now {
                patience.progress();
            }
            for command in ended.drain(..) {
                self.end(command);
            }
        }
        let end = self.now;
        let readings = meter.finish(self.io.device, end);
        self.wait_for_the_rest(&mut patience)?;
        Ok((end, readings))
    }

    /// Lets everybody act; gives when somebody next does so without a completion.
    fn act(&mut self) -> SimTime {
        let pace = self.processor.seconds(self.computing);
        for program in &mut self.programs {
            program.act(self.now, pace, &mut self.io, &mut self.cache);
        }
        while let Some(next) = self.cache.as_ref().and_then(WriteBack::next_deferred) {
            self.programs[next].act(self.now, pace, &mut self.io, &mut self.cache);
        }
        let mut wake = self.pace();
        let mut waits = self.programs.iter().any(Program::waits);
        if let Some(cache) = &mut self.cache {
            cache.tick(self.now);
            while let Some((owner, run, content)) = cache.next() {
                self.io.submit(owner, run, content, self.now);
            }
            wake = wake.min(cache.next_pass());
            waits |= cache.data_in_flight();
        }
        self.pauses.waits(self.now, waits);
        wake
    }

    /// Lets all who compute do so at the pace of as many; gives when the first can go on.
    fn pace(&mut self) -> SimTime {
        self.computing = self.programs.iter().filter(|p| p.computes()).count() as u32;
        let pace = self.processor.seconds(self.computing);
        let mut wake = SimTime::NEVER;
        for program in &mut self.programs {
            program.keep_pace(pace, self.now);
            wake = wake.min(program.next(self.now));
        }
        wake
    }

    fn is_over(&self) -> bool {
        let mut awaited = self.programs.iter().filter(|program| !program.background);
        awaited.all(|program| program.ended.is_some())
    }

    fn end(&mut self, command: Ended) {
        self.failed |= !command.is_good;
        let Ended {
            kind,
            bytes,
            from,
            to,
            ..
        } = command;
        let report = match command.owner {
            Owner::Read { program, .. } | Owner::Check { program } | Owner::Through { program } => {
                &mut self.programs[program].report
            }
            Owner::Data(_) => &mut self.lazy_writer,
            Owner::Journal | Owner::Page => &mut self.file_system,
        };
        if command.is_good {
            report.record(kind, bytes, from, to);
        } else {
            report.errors += 1;
        }
        match command.owner {
            Owner::Read { program, step } => self.programs[program].has_read(step),
            Owner::Check { program } => self.programs[program].has_checked(),
            Owner::Through { program } => self.programs[program].has_written(),
            owner => self.cache.as_mut().expect("it asked").ended(owner),
        }
        if !matches!(command.owner, Owner::Journal | Owner::Page) {
            self.pauses.progress(to);
        }
    }

    /// Lets what is outstanding end.
    fn wait_for_the_rest(&mut self, patience: &mut Patience) -> Result<(), DriverError> {
        let mut ended = Vec::new();
        while self.io.outstanding() > 0 {
            let Some(next) = self.io.device.next_event() else {
                return Err(self.io.stuck(self.now));
            };
            if patience.turn(next) != Verdict::GoOn {
                return Err(self.io.stuck(self.now));
            }
            self.now = next.max(self.now);
            self.io.device.advance(self.now, &mut self.io.done);
            self.io.take_ended(&mut ended)?;
            if !ended.is_empty() {
                patience.progress();
                ended.clear();
            }
        }
        Ok(())
    }

    fn report(self, end: SimTime, scenario: &Scenario) -> ScenarioReport {
        let process = |(program, process): (&Program, &ftlab_workload::script::Process)| {
            let read = program
                .report
                .direction(ftlab_base::CommandKind::Read)
                .bytes;
            let through = program
                .report
                .direction(ftlab_base::CommandKind::Write)
                .bytes;
            ProcessReport {
                name: process.name.clone(),
                background: process.background,
                seconds: program.seconds(),
                start: process.start,
                read_bytes: read,
                written_bytes: through + program.buffered_bytes,
            }
        };
        let processes = self
            .programs
            .iter()
            .zip(&scenario.processes)
            .map(process)
            .collect();
        let mut jobs = Vec::new();
        for program in self.programs {
            let mut report = program.report;
            report.measured = program.ended.unwrap_or(end).since(report.measured_from);
            jobs.push(report);
        }
        for mut report in [self.lazy_writer, self.file_system] {
            report.measured = end.since(SimTime::ZERO);
            if self.cache.is_some() {
                jobs.push(report);
            }
        }
        ScenarioReport {
            run: RunReport {
                jobs,
                submitted: self.io.submitted,
                completed: self.io.completed,
                simulated: end.since(SimTime::ZERO),
                counters: self.io.device.counters(),
                pauses: self.pauses.report(),
                ..RunReport::default()
            },
            processes,
            answered: self.now.since(SimTime::ZERO),
            dirty_max_bytes: self.cache.map_or(0, |cache| cache.dirty_max_bytes()),
        }
    }
}
