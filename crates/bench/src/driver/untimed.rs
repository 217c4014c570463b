//! Jobs without a clock: one command after the other, as fast as the host can.

use super::DriverError;
use super::report::RunReport;
use super::rounds::Rounds;
use super::stats::JobReport;
use ftlab_base::{Command, CommandId, CommandKind, Outcome, RootSeed, SECTOR_BYTES, SimTime};
use ftlab_drive::Device;
use ftlab_workload::{JobFile, JobSpec, JobStream, ResolvedJob};
use std::collections::VecDeque;

/// Fits a job to a drive when only its amount of I/O can end it.
pub fn resolve(spec: &JobSpec, device_bytes: u64) -> Result<ResolvedJob, DriverError> {
    let has_amount = spec.io_size.is_some() || spec.number_ios.is_some();
    if spec.time_based && !has_amount {
        return Err(DriverError::NoAmount {
            at: spec.source.clone(),
            job: spec.name.clone(),
        });
    }
    let by_amount = JobSpec {
        time_based: false,
        ..spec.clone()
    };
    Ok(by_amount.resolve(device_bytes)?)
}

/// Runs the jobs of `file`, which `jobs` has fitted to the drive.
pub fn run(
    file: &JobFile,
    jobs: &[ResolvedJob],
    device: &mut dyn Device,
    seed: RootSeed,
) -> RunReport {
    let start = device.counters();
    let mut applier = Applier {
        rounds: Rounds::new(device.capacity_sectors() * SECTOR_BYTES, start),
        device,
        applied: 0,
    };
    let mut reports = Vec::new();
    for (index, members) in file.groups().iter().enumerate() {
        let member = |&member: &usize| Applied::new(&jobs[member], index, seed);
        reports.extend(applier.run_group(members.iter().map(member).collect()));
    }
    let end = applier.device.counters();
    RunReport {
        jobs: reports,
        submitted: applier.applied,
        completed: applier.applied,
        counters: end.since(&start),
        wa: applier.rounds.finish(&end),
        ..RunReport::default()
    }
}

/// Commands that a drive is told of before they are applied.
const LOOKAHEAD: usize = 8;

/// A job at work.
struct Applied {
    stream: JobStream,
    /// The next commands, which the drive has been told to expect.
    expected: VecDeque<Command>,
    report: JobReport,
    over: bool,
}

impl Applied {
    fn new(job: &ResolvedJob, group: usize, seed: RootSeed) -> Self {
        Applied {
            stream: JobStream::new(job, seed),
            expected: VecDeque::with_capacity(LOOKAHEAD),
            report: JobReport::new(job.spec.name.clone(), group, job.spec.iodepth),
            over: false,
        }
    }
}

impl Applied {
    /// The next command, if there is one more; its number is for the caller to give.
    #[inline]
    fn next(&mut self, device: &dyn Device) -> Option<Command> {
        while self.expected.len() < LOOKAHEAD
            && let Some(request) = self.stream.next()
        {
            let command = Command {
                id: CommandId(0),
                kind: request.kind,
                lba: request.lba,
                sectors: request.sectors,
                content: request.content,
                at: SimTime::ZERO,
            };
            device.expect(&command);
            self.expected.push_back(command);
        }
        self.expected.pop_front()
    }
}

struct Applier<'a> {
    device: &'a mut dyn Device,
    rounds: Rounds,
    applied: u64,
}

impl Applier<'_> {
    /// Applies the commands of the jobs in turn until all are over.
    fn run_group(&mut self, mut jobs: Vec<Applied>) -> Vec<JobReport> {
        let turn = if jobs.len() == 1 { u64::MAX } else { 1 };
        while jobs.iter().any(|job| !job.over) {
            for job in &mut jobs {
                self.take_turn(job, turn);
            }
        }
        jobs.into_iter().map(|job| job.report).collect()
    }

    fn take_turn(&mut self, job: &mut Applied, commands: u64) {
        for _ in 0..commands {
            let Some(command) = job.next(self.device) else {
                job.over = true;
                return;
            };
            let command = Command {
                id: CommandId(self.applied),
                ..command
            };
            self.applied += 1;
            if self.device.apply(command) != Outcome::Good {
                job.report.errors += 1;
                job.over = true;
                return;
            }
            job.report.count(command.kind, command.bytes());
            if command.kind == CommandKind::Write {
                self.count_write(command.bytes());
            }
        }
    }

    #[inline]
    fn count_write(&mut self, bytes: u64) {
        self.rounds.wrote(bytes);
        if self.rounds.is_full() {
            self.rounds.mark(self.device.counters());
        }
    }
}
