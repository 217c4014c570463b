//! Jobs without a clock: one command after the other, as fast as the host can.

use super::pages;
use super::report::{DeviceReport, RunReport, Start};
use super::rounds::Rounds;
use super::shares::{Requests, Shares};
use super::stats::JobReport;
use super::target::Target;
use ftlab_base::{Command, CommandId, CommandKind, Outcome, RootSeed, SECTOR_BYTES, SimTime};
use ftlab_drive::Device;
use ftlab_host::PageCache;
use ftlab_states::watch::{Stopped, Watch};
use ftlab_workload::{ExitWhat, JobFile, JobSpec, Request};
use std::collections::VecDeque;

/// Runs the jobs of `file`, which `jobs` has fitted to the target.
pub fn run(
    file: &JobFile,
    jobs: &[Shares],
    target: &mut Target<'_>,
    seed: RootSeed,
    watch: &Watch<'_>,
) -> Result<RunReport, Stopped> {
    let begin = |device: &dyn Device| {
        let start = Start::of(device);
        let bytes = device.capacity_sectors() * SECTOR_BYTES;
        let rounds = Rounds::new(bytes, start.counters);
        (start, rounds)
    };
    let cache = target.cache;
    let mut applier = Applier {
        rounds: target.devices().map(begin).collect(),
        target,
        applied: 0,
        ends_all: false,
    };
    let mut reports = Vec::new();
    let groups = file.groups();
    for (index, members) in groups.iter().enumerate() {
        if applier.ends_all {
            // Groups that do not begin still have their jobs in the report.
            reports.extend(members.iter().map(|&member| jobs[member].unplayed(index)));
            continue;
        }
        let member = |&member: &usize| Applied::new(&jobs[member], index, cache, seed);
        let tell = |share| {
            watch(
                "running",
                Some((index as f64 + share) / groups.len() as f64),
            )
        };
        reports.extend(applier.run_group(members.iter().map(member).collect(), &tell)?);
    }
    let devices = applier.target.devices().zip(applier.target.names());
    let report = |((device, name), (start, rounds)): ((&dyn Device, &str), &(Start, Rounds))| {
        DeviceReport::of(name, device, start, rounds)
    };
    Ok(RunReport {
        jobs: reports,
        submitted: applier.applied,
        completed: applier.applied,
        ..RunReport::of_devices(devices.zip(&applier.rounds).map(report).collect())
    })
}

/// Commands that a drive sees before they are applied.
const LOOKAHEAD: usize = 8;

/// Commands of a group between two looks at how far it is.
const COMMANDS_A_LOOK: u64 = 1 << 16;

/// A job at work.
struct Applied {
    /// Requests and bytes after which it ends.
    ends_after: [Option<u64>; 2],
    done: [u64; 2],
    requests: Requests,
    /// The pages in memory that they go through, if they do.
    paged: Option<pages::Untimed>,
    /// The next commands and their devices, which expect them already, and whether they count.
    expected: VecDeque<(usize, Command, bool)>,
    report: JobReport,
    over: bool,
    spec: JobSpec,
}

impl Applied {
    fn new(shares: &Shares, group: usize, cache: Option<PageCache>, seed: RootSeed) -> Self {
        let job = shares.job();
        Applied {
            ends_after: shares.ends_after(),
            done: [0; 2],
            requests: shares.requests(seed),
            paged: pages::Untimed::of(shares, cache),
            expected: VecDeque::with_capacity(LOOKAHEAD),
            report: JobReport::new(job.spec.name.clone(), group, job.spec.submission.iodepth),
            over: false,
            spec: job.spec.clone(),
        }
    }
}

impl Applied {
    /// Returns the share of the job that is done, 0 to 1, by whatever ends it first.
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
    fn next(&mut self, target: &Target<'_>) -> Option<(usize, Command, bool)> {
        while self.expected.len() < LOOKAHEAD {
            let Some((device, request)) = self.requests.next() else {
                self.leave_pages(target);
                break;
            };
            let flushes = self.requests.flushes_behind(&request);
            if let Some(paged) = &mut self.paged {
                if request.counts {
                    self.report.count(request.kind, u64::from(request.sectors));
                }
                let requests = paged.requests((device, request), flushes);
                requests
                    .into_iter()
                    .for_each(|request| self.expect(target, device, request, false));
                continue;
            }
            self.expect(target, device, request, request.counts);
            if flushes {
                self.expect(target, device, Request::FLUSH, false);
            }
        }
        self.expected.pop_front()
    }
}

impl Applied {
    /// Puts a request behind those that are expected.
    fn expect(&mut self, target: &Target<'_>, device: usize, request: Request, counts: bool) {
        let command = request.command(CommandId(0), SimTime::ZERO);
        target.expect(device, &command);
        self.expected.push_back((device, command, counts));
    }

    /// Has what is left in memory written.
    fn leave_pages(&mut self, target: &Target<'_>) {
        let left = self
            .paged
            .as_mut()
            .map(pages::Untimed::write_back)
            .unwrap_or_default();
        for (device, request) in left {
            self.expect(target, device, request, false);
        }
    }
}

/// Returns true if a job waits for another one of the group.
fn is_held(job: &Applied, jobs: &[Applied]) -> bool {
    let named = job.spec.order.wait_for.as_ref();
    named.is_some_and(|name| {
        jobs.iter()
            .any(|other| other.spec.name == *name && !other.over)
    })
}

/// Ends the others where the end of the job does that; returns true if it ends those to come as well.
fn end_others(jobs: &mut [Applied], job: usize) -> bool {
    let Applied {
        over, spec, report, ..
    } = &jobs[job];
    let ends = *over && (spec.order.exitall || spec.order.exitall_on_error && report.errors > 0);
    let all = ends && spec.order.exit_what == ExitWhat::All;
    if ends {
        jobs.iter_mut().for_each(|job| job.over = true);
    }
    all
}

struct Applier<'t, 'd> {
    target: &'t mut Target<'d>,
    /// One for each device, with the device's counters at the start.
    rounds: Vec<(Start, Rounds)>,
    applied: u64,
    /// A job has ended all others, those of later groups too.
    ends_all: bool,
}

impl Applier<'_, '_> {
    /// Applies the commands of the jobs in turn until all are over.
    fn run_group(
        &mut self,
        mut jobs: Vec<Applied>,
        tell: &dyn Fn(f64) -> Result<(), Stopped>,
    ) -> Result<Vec<JobReport>, Stopped> {
        let turn = match jobs.len() {
            1 => COMMANDS_A_LOOK,
            _ => 1,
        };
        let mut told = self.applied;
        while jobs.iter().any(|job| !job.over) {
            for n in 0..jobs.len() {
                if !jobs[n].over && !is_held(&jobs[n], &jobs) {
                    // The jobs of a flow have turns by their weights.
                    let weight = u64::from(jobs[n].spec.order.flow.max(1));
                    self.take_turn(&mut jobs[n], turn * weight);
                    self.ends_all |= end_others(&mut jobs, n);
                }
            }
            if self.applied - told >= COMMANDS_A_LOOK {
                told = self.applied;
                tell(jobs.iter().map(Applied::share).fold(1.0, f64::min))?;
            }
        }
        Ok(jobs.into_iter().map(|job| job.report).collect())
    }

    fn take_turn(&mut self, job: &mut Applied, commands: u64) {
        let continues = job.spec.ends.continue_on_error;
        for _ in 0..commands {
            let Some((device, command, counts)) = job.next(self.target) else {
                job.over = true;
                return;
            };
            let command = Command {
                id: CommandId(self.applied),
                ..command
            };
            // A failed command has a number, too: ids are those of what the drive was asked.
            self.applied += 1;
            if self.target.device(device).apply(command) != Outcome::Good {
                job.report.errors += 1;
                let goes_on = match command.kind {
                    CommandKind::Read => continues.read,
                    _ => continues.write,
                };
                if goes_on {
                    job.report.tolerated += 1;
                    continue;
                }
                job.over = true;
                return;
            }
            if !counts {
                continue;
            }
            job.report.count(command.kind, command.bytes());
            job.done[0] += 1;
            job.done[1] += command.bytes();
            if command.kind == CommandKind::Write {
                self.count_write(device, command.bytes());
            }
        }
    }

    #[inline]
    fn count_write(&mut self, device: usize, bytes: u64) {
        let (_, rounds) = &mut self.rounds[device];
        rounds.wrote(bytes);
        if rounds.is_full() {
            rounds.mark(self.target.device(device).counters());
        }
    }
}
