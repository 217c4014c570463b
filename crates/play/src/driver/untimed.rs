//! Jobs without a clock: one command after the other, as fast as the host can.

use super::DriverError;
use super::report::RunReport;
use super::rounds::Rounds;
use super::stats::JobReport;
use crate::watch::Watch;
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
    (seed, watch): (RootSeed, &Watch<'_>),
) -> RunReport {
    let start = device.counters();
    let mut applier = Applier {
        rounds: Rounds::new(device.capacity_sectors() * SECTOR_BYTES, start),
        device,
        applied: 0,
    };
    let mut reports = Vec::new();
    let groups = file.groups();
    for (index, members) in groups.iter().enumerate() {
        let member = |&member: &usize| Applied::new(&jobs[member], index, seed);
        let tell = |share| {
            watch(
                "running",
                Some((index as f64 + share) / groups.len() as f64),
            )
        };
        reports.extend(applier.run_group(members.iter().map(member).collect(), &tell));
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

/// Commands of a group between two looks at how far it is.
const COMMANDS_A_LOOK: u64 = 1 << 16;

/// A job at work.
struct Applied {
    /// Requests and bytes after which it ends.
    ends_after: [Option<u64>; 2],
    done: [u64; 2],
    stream: JobStream,
    /// The next commands, which the drive has been told to expect.
    expected: VecDeque<Command>,
    report: JobReport,
    over: bool,
}

impl Applied {
    fn new(job: &ResolvedJob, group: usize, seed: RootSeed) -> Self {
        Applied {
            ends_after: [job.ios_max, job.total_bytes()],
            done: [0; 2],
            stream: JobStream::new(job, seed),
            expected: VecDeque::with_capacity(LOOKAHEAD),
            report: JobReport::new(job.spec.name.clone(), group, job.spec.iodepth),
            over: false,
        }
    }
}

impl Applied {
    /// How much of the job is done, 0 to 1, by whatever ends it first.
    fn share(&self) -> f64 {
        if self.over {
            return 1.0;
        }
        let amounts = self.done.into_iter().zip(self.ends_after);
        let shares = amounts.filter_map(|(done, all)| Some(done as f64 / all?.max(1) as f64));
        shares.fold(0.0, f64::max).min(1.0)
    }

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
    fn run_group(&mut self, mut jobs: Vec<Applied>, tell: &dyn Fn(f64)) -> Vec<JobReport> {
        let turn = match jobs.len() {
            1 => COMMANDS_A_LOOK,
            _ => 1,
        };
        let mut told = self.applied;
        while jobs.iter().any(|job| !job.over) {
            for job in &mut jobs {
                self.take_turn(job, turn);
            }
            if self.applied - told >= COMMANDS_A_LOOK {
                told = self.applied;
                tell(jobs.iter().map(Applied::share).fold(1.0, f64::min));
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
            job.done[0] += 1;
            job.done[1] += command.bytes();
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
