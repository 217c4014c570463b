//! The jobs of a group, which run at the same time, as a source of requests.

use super::flows::Flows;
use super::io::{Ended, Io};
use super::pages::{self, Paged};
use super::shares::Shares;
use super::source::Source;
use super::stats::JobReport;
use super::worker::Worker;
use super::write_back::Ticket;
use ftlab_base::{CommandKind, RootSeed, SimTime, SubmissionQueue};
use ftlab_host::PageCache;
use ftlab_workload::{ExitWhat, JobSpec, Request};

/// Jobs that run at the same time.
pub struct Group {
    workers: Vec<Worker>,
    /// Instant before which each has nothing to issue, for jobs without relations. It holds until a request of the job ends.
    due: Vec<SimTime>,
    /// No job is due before it but the one that was woken.
    next: SimTime,
    woken: Option<usize>,
    /// The calls of those whose requests go through pages in memory; none where none do.
    paged: Option<Paged>,
    /// Flushes behind requests that have ended, each with its device.
    behind: Vec<(Call, usize)>,
    /// Relations of the jobs; none where each runs by itself.
    ties: Option<Ties>,
}

/// Relations of the jobs of a group.
struct Ties {
    flows: Flows,
    /// Those that each job waits for, whom its end ends, and whether its end has been seen.
    jobs: Vec<Tied>,
    ends_all: bool,
}

struct Tied {
    waits_for: Vec<usize>,
    /// With these words its end ends the others.
    exit: Exit,
    /// Clones that end with it when it is steady.
    clones: Vec<usize>,
    is_over: bool,
}

#[derive(Clone, Copy)]
struct Exit {
    always: bool,
    on_error: bool,
    all: bool,
}

impl Group {
    pub fn new<'a>(
        index: usize,
        jobs: impl Iterator<Item = &'a Shares>,
        cache: Option<PageCache>,
        seed: RootSeed,
        start: SimTime,
    ) -> Self {
        let jobs: Vec<&Shares> = jobs.collect();
        let specs: Vec<&JobSpec> = jobs.iter().map(|job| &job.job().spec).collect();
        let ties = Ties::of(&specs);
        let mut workers: Vec<Worker> = jobs
            .iter()
            .zip(0..)
            .map(|(job, queue)| Worker::new(job, index, queue, seed, start))
            .collect();
        if let Some(ties) = &ties {
            for (worker, tied) in workers.iter_mut().zip(&ties.jobs) {
                if !tied.waits_for.is_empty() {
                    worker.wait();
                }
            }
        }
        Group {
            due: vec![SimTime::ZERO; workers.len()],
            next: SimTime::ZERO,
            woken: None,
            workers,
            paged: Paged::of(&jobs, cache),
            behind: Vec::new(),
            ties,
        }
    }

    /// Returns the report of each job.
    pub fn reports(self) -> impl Iterator<Item = JobReport> {
        self.workers.into_iter().map(Worker::finish)
    }

    /// Returns true if no group after it is to begin.
    pub fn ends_all(&self) -> bool {
        self.ties.as_ref().is_some_and(|ties| ties.ends_all)
    }

    /// Has every job issue what is due and returns the instant of the next.
    #[inline]
    fn issue(&mut self, now: SimTime, io: &mut Io<'_, '_, Call>) -> SimTime {
        if self.ties.is_some() {
            return self.act_tied(now, io);
        }
        if self.next > now {
            if let Some(job) = self.woken.take() {
                self.next = self.issue_of(job, now, io).min(self.next);
            }
            return self.next;
        }
        self.woken = None;
        self.next = SimTime::NEVER;
        for job in 0..self.workers.len() {
            let due = match self.due[job] {
                due if due > now => due,
                _ => self.issue_of(job, now, io),
            };
            self.next = self.next.min(due);
        }
        self.next
    }

    /// Has a job issue what is due and returns the instant of the next.
    #[inline]
    fn issue_of(&mut self, job: usize, now: SimTime, io: &mut Io<'_, '_, Call>) -> SimTime {
        let worker = &mut self.workers[job];
        loop {
            let due = worker.issues_at(now);
            if due > now {
                self.due[job] = due;
                return due;
            }
            if let Some(to) = worker.issue(now) {
                submit(job as u32, worker, self.paged.as_mut(), to, now, io);
            }
        }
    }

    /// A job may have something to issue sooner than it said.
    #[inline]
    fn wake(&mut self, job: usize) {
        let due = std::mem::replace(&mut self.due[job], SimTime::ZERO);
        let was_first = due == self.next && due < SimTime::NEVER;
        let is_second = self.woken.replace(job).is_some_and(|other| other != job);
        if was_first || is_second {
            // All are looked at, in their order.
            self.next = SimTime::ZERO;
        }
    }

    /// As [`Source::act`], where requests go through pages in memory.
    fn act_paged(&mut self, now: SimTime, io: &mut Io<'_, '_, Call>) -> SimTime {
        for job in 0..self.workers.len() {
            let paged = self.paged.as_mut();
            if let Some(call) = paged.and_then(|paged| paged.take_in_memory(job, now)) {
                end_call(&mut self.workers[job], call, now);
                self.wake(job);
            }
        }
        let next = self.issue(now, io);
        let Some(paged) = &mut self.paged else {
            return next;
        };
        for (job, device) in paged.go_on(now) {
            let queue = self.workers[job].queue;
            let job = job as u32;
            let part = Part::OfPages;
            io.submit(Call { job, part }, (device, queue), Request::FLUSH, now);
        }
        // The jobs have ended: what they leave changed is written behind them.
        let is_over = next == SimTime::NEVER && io.outstanding() == paged.writes_at_drives();
        let is_over = is_over && paged.is_idle();
        if is_over {
            paged.sync();
        }
        while let Some((device, request, ticket)) = paged.next_write(now) {
            let part = Part::WriteBack(ticket);
            let to = (device, SubmissionQueue::FIRST);
            io.submit(Call { job: 0, part }, to, request, now);
        }
        match is_over {
            true => SimTime::NEVER,
            false => next.min(paged.next(now)),
        }
    }

    /// As [`Source::act`], for jobs that have to do with each other: what one does may let another go on.
    fn act_tied(&mut self, now: SimTime, io: &mut Io<'_, '_, Call>) -> SimTime {
        let Some(ties) = &mut self.ties else {
            return SimTime::NEVER;
        };
        loop {
            let ended = ties.see_ends(&mut self.workers, now);
            let (mut next, mut issued) = (SimTime::NEVER, false);
            for (index, worker) in (0..).zip(&mut self.workers) {
                let ends = worker.time_ends();
                if ends > now {
                    next = next.min(ends);
                }
                loop {
                    let mut at = worker.issues_at(now);
                    if at == now {
                        at = ties.flows.allows(index as usize, now);
                    }
                    if at > now {
                        next = next.min(at);
                        break;
                    }
                    // Where nothing is left after all, its end is to be seen.
                    issued = true;
                    if let Some(to) = worker.issue(now) {
                        submit(index, worker, self.paged.as_mut(), to, now, io);
                        ties.flows.issued(index as usize);
                    }
                }
            }
            if !ended && !issued {
                return next;
            }
        }
    }
}

/// Sends a job's request to the device at that place.
#[inline]
fn submit(
    job: u32,
    worker: &Worker,
    paged: Option<&mut Paged>,
    (device, request): (usize, Request),
    now: SimTime,
    io: &mut Io<'_, '_, Call>,
) {
    if let Some(paged) = paged.filter(|paged| paged.takes(job as usize)) {
        let part = Part::OfPages;
        let flushes = worker.flushes_behind(&request);
        for request in paged.begin(job as usize, (device, request), flushes, now) {
            io.submit(Call { job, part }, (device, worker.queue), request, now);
        }
        return;
    }
    let part = match request.counts {
        false => Part::Uncounted,
        true if worker.flushes_behind(&request) => Part::Synchronous,
        true => Part::Whole,
    };
    io.submit(Call { job, part }, (device, worker.queue), request, now);
}

/// Counts a call through pages that has ended.
fn end_call(worker: &mut Worker, call: pages::Call, now: SimTime) {
    match (call.is_good, call.counts) {
        (false, _) => worker.fail(call.kind, now),
        (true, true) => worker.complete(call.kind, call.bytes, call.from, now),
        (true, false) => worker.complete_uncounted(now),
    }
}

impl Ties {
    /// Returns the relations of these jobs, if they have any.
    fn of(specs: &[&JobSpec]) -> Option<Ties> {
        let named = |name: &str| {
            let places = 0..specs.len();
            places
                .filter(|&n| specs[n].name == name)
                .collect::<Vec<_>>()
        };
        let tied = |(n, spec): (usize, &&JobSpec)| {
            let waits_for = spec
                .order
                .wait_for
                .as_deref()
                .map(named)
                .unwrap_or_default();
            let is_clone = |other: &usize| {
                let other = specs[*other];
                other.source == spec.source && other.clones.clone_index != spec.clones.clone_index
            };
            let clones = (0..specs.len()).filter(is_clone);
            let ends_clones = spec.clones.group_reporting && spec.ends.steadystate.duration.0 > 0;
            Tied {
                // It does not wait for itself.
                waits_for: waits_for.into_iter().filter(|&other| other != n).collect(),
                exit: Exit {
                    always: spec.order.exitall,
                    on_error: spec.order.exitall_on_error,
                    all: spec.order.exit_what == ExitWhat::All,
                },
                clones: clones.filter(|_| ends_clones).collect(),
                is_over: false,
            }
        };
        let jobs: Vec<Tied> = specs.iter().enumerate().map(tied).collect();
        let flows = Flows::of(specs.iter().copied());
        let any = |tied: &Tied| {
            !tied.waits_for.is_empty()
                || tied.exit.always
                || tied.exit.on_error
                || !tied.clones.is_empty()
        };
        (jobs.iter().any(any) || !flows.is_empty()).then_some(Ties {
            flows,
            jobs,
            ends_all: false,
        })
    }

    /// Does what follows from jobs that are over; returns true if one newly is.
    fn see_ends(&mut self, workers: &mut [Worker], now: SimTime) -> bool {
        let mut any = false;
        for n in 0..workers.len() {
            if self.jobs[n].is_over || !workers[n].is_over(now) {
                continue;
            }
            any = true;
            self.jobs[n].is_over = true;
            self.flows.leaves(n);
            if workers[n].report.is_steady {
                for &clone in &self.jobs[n].clones {
                    workers[clone].report.is_steady = true;
                    workers[clone].end(now);
                }
            }
            let Exit {
                always,
                on_error,
                all,
            } = self.jobs[n].exit;
            if always || on_error && workers[n].report.errors > 0 {
                workers.iter_mut().for_each(|worker| worker.end(now));
                self.ends_all |= all;
            }
        }
        // Those that wait are looked at last: one pass may have ended several of the jobs that they wait for.
        if any {
            for (tied, worker) in self.jobs.iter().zip(workers) {
                if tied.waits_for.iter().all(|&other| self.jobs[other].is_over) {
                    worker.stop_waiting(now);
                }
            }
        }
        any
    }
}

/// Owner of a request, and the way in which it counts.
#[derive(Debug, Clone, Copy)]
pub struct Call {
    /// The job, by its place in the group.
    job: u32,
    part: Part,
}

/// Part of a job's call that a request to the drive is.
#[derive(Debug, Clone, Copy)]
enum Part {
    /// The call as a whole.
    Whole,
    /// The call itself, of which no latency is counted.
    Uncounted,
    /// A write that is not over before the flush behind it.
    Synchronous,
    /// That flush, with when the write began and how long it is.
    Behind { from: SimTime, bytes: u64 },
    /// A read or a flush of a call that goes through pages in memory.
    OfPages,
    /// A write of the lazy writer.
    WriteBack(Ticket),
}

impl Source for Group {
    type Tag = Call;

    #[inline]
    fn act(&mut self, now: SimTime, io: &mut Io<'_, '_, Call>) -> SimTime {
        for (call, device) in self.behind.drain(..) {
            let queue = self.workers[call.job as usize].queue;
            io.submit(call, (device, queue), Request::FLUSH, now);
        }
        match self.paged {
            None => self.issue(now, io),
            Some(_) => self.act_paged(now, io),
        }
    }

    #[inline]
    fn ended(&mut self, ended: Ended<Call>) -> bool {
        let Call { job, part } = ended.tag;
        self.wake(job as usize);
        let worker = &mut self.workers[job as usize];
        match part {
            Part::OfPages => {
                let paged = self.paged.as_mut().expect("its pages");
                if let Some(call) = paged.ended(job as usize, ended.is_good) {
                    end_call(worker, call, ended.to);
                }
            }
            Part::WriteBack(ticket) => {
                let paged = self.paged.as_mut().expect("its pages");
                paged.written(ended.device, ticket, ended.is_good);
            }
            _ if !ended.is_good => worker.fail(ended.kind, ended.to),
            Part::Whole => worker.complete(ended.kind, ended.bytes, ended.from, ended.to),
            Part::Uncounted => worker.complete_uncounted(ended.to),
            Part::Synchronous => {
                let (from, bytes) = (ended.from, ended.bytes);
                let part = Part::Behind { from, bytes };
                self.behind.push((Call { job, part }, ended.device));
            }
            Part::Behind { from, bytes } => {
                worker.complete(CommandKind::Write, bytes, from, ended.to);
            }
        }
        true
    }

    #[inline]
    fn is_over(&self, wake: SimTime, outstanding: u64) -> bool {
        wake == SimTime::NEVER && outstanding == 0
    }

    /// The jobs end with the last of them.
    fn share(&self, now: SimTime, _completed: u64) -> Option<f64> {
        let shares = self.workers.iter().map(|worker| worker.share(now));
        Some(shares.fold(1.0, f64::min))
    }

    fn only_time_ends(&self) -> bool {
        self.workers.iter().any(Worker::only_time_ends)
    }

    fn counts_from(&self) -> Option<SimTime> {
        self.workers.iter().map(|w| w.report.measured_from).min()
    }

    fn ends(&self) -> Option<SimTime> {
        self.workers.iter().map(Worker::ends).max()
    }
}
