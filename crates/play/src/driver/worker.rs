//! One job of a running group: what it issues next, and when.

use super::goals::{Depth, LeastRates, SteadyWatch, Verdict};
use super::rates::Rates;
use super::shares::{Requests, Shares};
use super::stats::JobReport;
use crate::iolog::Iolog;
use crate::logs::JobLog;
use ftlab_base::{CommandKind, Nanos, RootSeed, SimTime, SubmissionQueue};
use ftlab_workload::{Continue, Pacing, Request, StopsFor};
use rand::Rng;
use std::sync::Arc;

/// A job at work.
pub struct Worker {
    pub report: JobReport,
    pub queue: SubmissionQueue,
    pacing: Pacing,
    requests: Requests,
    next: Next,
    /// Its stream of requests has no end.
    is_endless: bool,
    begins: SimTime,
    /// Its beginning is up to another job, which comes first.
    waits: bool,
    /// No request is issued and nothing counted from here on.
    stops: SimTime,
    /// Requests and bytes after which its stream ends; none where it goes on until its time is over.
    ends_after: [Option<u64>; 2],
    /// Requests and bytes that have been answered.
    answered: [u64; 2],
    outstanding: u32,
    /// Instant since which the number outstanding has been the same.
    outstanding_since: SimTime,
    /// Requests issued since the last pause.
    since_pause: u64,
    pause_ends: SimTime,
    /// The queue is emptied: a pause is due then, or another depth.
    drains: bool,
    /// Its engine is in the call of a request that it does as it comes.
    is_stopped: bool,
    stops_for: StopsFor,
    /// The queue was full and is not yet as empty as it has to be to be refilled.
    is_full: bool,
    /// Answers that are not taken yet: not as many have come as are taken at once.
    held: Vec<Answer>,
    /// Pauses that rates do not make up for.
    excused: Nanos,
    rates: Rates,
    /// Unit of its requests' lengths, in bytes.
    unit_bytes: u64,
    /// A flush closes the job when its time is over, on each of these devices.
    closes: Vec<usize>,
    last_completion: SimTime,
    continues: Continue,
    depth: Depth,
    least: Option<LeastRates>,
    steady: Option<SteadyWatch>,
    log: Option<JobLog>,
    iolog: Option<Iolog>,
}

/// Result of a request.
#[derive(Debug, Clone, Copy)]
struct Answer {
    kind: CommandKind,
    bytes: u64,
    from: SimTime,
}

/// Next request of a job.
#[derive(Debug, Clone, Copy)]
enum Next {
    /// Read ahead by one, so that the end of the job is known when its last request is issued.
    Request(usize, Request),
    /// A read or a write, which is decided when it is issued: each has a rate of its own.
    ByRate,
    /// No further request follows.
    End,
}

impl Worker {
    /// A job of a group, with the number of its submission queue.
    pub fn new(shares: &Shares, group: usize, queue: u16, seed: RootSeed, start: SimTime) -> Self {
        let job = shares.job();
        let pacing = job.pacing();
        let (spec, requests) = (&job.spec, shares.requests(seed));
        // Each random choice has a stream of its own, so that none of them changes another one's draws.
        let stream = |what: &str| seed.stream(&format!("{what} {} {}", spec.index, spec.name));
        let delay = match pacing.startdelay_max {
            None => pacing.startdelay,
            Some(most) => {
                let span = most.0.saturating_sub(pacing.startdelay.0);
                Nanos(pacing.startdelay.0 + stream("start delay").next_u64() % (span + 1))
            }
        };
        let mut worker = Worker {
            report: JobReport::new(spec.name.clone(), group, pacing.iodepth),
            queue: SubmissionQueue {
                number: queue,
                priority: spec.priority(),
            },
            next: Next::End,
            requests,
            is_endless: job.loop_bytes.is_none() && job.ios_max.is_none(),
            begins: SimTime::ZERO,
            waits: false,
            stops: SimTime::NEVER,
            ends_after: shares.ends_after(),
            answered: [0; 2],
            outstanding: 0,
            outstanding_since: SimTime::ZERO,
            since_pause: 0,
            pause_ends: SimTime::ZERO,
            drains: false,
            is_stopped: false,
            stops_for: spec.submission.stops_for,
            is_full: false,
            held: Vec::new(),
            excused: Nanos::ZERO,
            rates: Rates::of(job, &stream),
            unit_bytes: job.unit_bytes(),
            closes: Vec::new(),
            last_completion: SimTime::ZERO,
            continues: spec.ends.continue_on_error,
            depth: Depth::new(pacing.latency, pacing.iodepth, start),
            least: None,
            steady: None,
            log: JobLog::of(spec),
            iolog: Iolog::of(spec),
            pacing: Pacing {
                startdelay: delay,
                ..pacing
            },
        };
        if spec.closes_with_a_flush() {
            worker.closes = worker.requests.devices().collect();
        }
        worker.read_ahead();
        worker.begin(start);
        worker
    }

    /// Looks at what comes next.
    #[inline]
    fn read_ahead(&mut self) {
        let by_rate = self.rates.choose && !self.requests.flush_is_due();
        self.next = match by_rate {
            true if self.requests.is_over() => Next::End,
            true => Next::ByRate,
            false => match self.requests.next() {
                Some((device, request)) => Next::Request(device, request),
                None => Next::End,
            },
        };
    }

    /// Returns true if nothing is left to issue.
    #[inline]
    fn is_at_end(&self) -> bool {
        matches!(self.next, Next::End)
    }

    /// Its time is counted from here on.
    fn begin(&mut self, start: SimTime) {
        // As in fio, the delay is counted from the beginning of all jobs.
        let begins = start.max(SimTime::ZERO + self.pacing.startdelay) + self.pacing.rest;
        let counts = begins + self.pacing.ramp_time;
        self.begins = begins;
        self.stops = (self.pacing.runtime).map_or(SimTime::NEVER, |runtime| counts + runtime);
        self.report.measured_from = counts;
        self.last_completion = begins;
        self.pause_ends = begins;
        self.depth.begin(begins);
        self.least = LeastRates::of(&self.pacing, begins);
        self.steady = SteadyWatch::of(self.pacing.steadystate, begins);
    }

    /// Has the job wait for another, whose end or progress begins it.
    pub fn wait(&mut self) {
        self.waits = true;
    }

    /// Lets the job begin: the one that it waited for has ended.
    pub fn stop_waiting(&mut self, now: SimTime) {
        if self.waits {
            self.waits = false;
            self.begin(now);
        }
    }

    /// It issues nothing more.
    pub fn end(&mut self, now: SimTime) {
        if self.waits {
            self.waits = false;
            self.report.measured_from = now;
            self.last_completion = now;
        }
        self.next = Next::End;
        self.stops = self.stops.min(now.max(self.begins));
    }

    /// Returns true if the job is over: nothing is left to do, or no time.
    pub fn is_over(&self, now: SimTime) -> bool {
        !self.waits
            && self.outstanding == 0
            && (self.is_at_end() || now >= self.stops)
            && !self.is_to_close(now)
    }

    /// Returns true if its time is over, everything is answered, and a flush closes it.
    fn is_to_close(&self, now: SimTime) -> bool {
        let has_to = !self.closes.is_empty() && !self.is_at_end() && !self.waits;
        has_to && now >= self.stops && self.outstanding == 0
    }

    /// Returns the end of its time, if it still is at work.
    pub fn time_ends(&self) -> SimTime {
        match self.next {
            Next::Request(..) | Next::ByRate if !self.waits => self.stops,
            _ => SimTime::NEVER,
        }
    }

    /// Returns true if the job's requests go on until its time is over.
    pub fn only_time_ends(&self) -> bool {
        self.is_endless
    }

    /// The earliest instant from `now` on at which the next request may be issued; `NEVER` when
    /// there is none, or when it has to wait for a completion.
    pub fn issues_at(&self, now: SimTime) -> SimTime {
        if self.is_to_close(now) {
            return now;
        }
        let is_held = self.waits
            || self.drains
            || self.is_full
            || self.is_stopped
            || self.outstanding >= self.depth.now;
        let after = match self.next {
            Next::End => return SimTime::NEVER,
            _ if is_held => return SimTime::NEVER,
            Next::Request(_, request) if request.is_after_all && self.outstanding > 0 => {
                return SimTime::NEVER;
            }
            Next::Request(_, request) => self.rates.allow(request.kind),
            Next::ByRate => self.rates.allow_any(),
        };
        let from = SimTime(self.begins.0.saturating_add(self.excused.0));
        let at = from + after;
        let at = at.max(self.pause_ends).max(self.begins).max(now);
        match at < self.stops {
            true => at,
            false if self.outstanding == 0 && !self.closes.is_empty() => self.stops,
            false => SimTime::NEVER,
        }
    }

    /// Takes the next request as issued, with the place of its device; none where its requests turn out to be over.
    pub fn issue(&mut self, now: SimTime) -> Option<(usize, Request)> {
        let (device, request) = match self.next {
            _ if self.is_to_close(now) => self.close()?,
            Next::Request(device, request) => {
                self.read_ahead();
                (device, request)
            }
            Next::ByRate => {
                let from = self.begins.0.saturating_add(self.excused.0);
                let passed = Nanos(now.0.saturating_sub(from));
                let rates = &self.rates;
                let Some(next) = self.requests.next_by(|kind| rates.choose(kind, passed)) else {
                    self.next = Next::End;
                    return None;
                };
                self.read_ahead();
                next
            }
            Next::End => return None,
        };
        if let Some(iolog) = &mut self.iolog {
            iolog.record(device, &request, self.unit_bytes, now);
        }
        self.note_outstanding(now);
        self.outstanding += 1;
        self.since_pause += 1;
        // As in fio, the flush that closes a job is none of them.
        if request.counts {
            self.report.note_depth(self.outstanding);
        }
        // At the depth that is sought for a latency, the queue is refilled at each answer.
        self.is_stopped = self.stops(request.kind);
        self.is_full =
            self.outstanding == self.pacing.iodepth && self.takes_batches() && !self.is_stopped;
        let bytes = u64::from(request.sectors) * self.unit_bytes;
        self.rates.issued(request.kind, bytes);
        self.drains |= self.is_pause_due(now);
        Some((device, request))
    }

    /// Returns true if its engine does requests of a kind one by one.
    fn stops(&self, kind: CommandKind) -> bool {
        match kind {
            CommandKind::Trim => self.stops_for.trims,
            CommandKind::Flush => self.stops_for.flushes,
            CommandKind::Read | CommandKind::Write => false,
        }
    }

    /// The flush that closes the job on one of its devices. As in fio, its time is the job's.
    fn close(&mut self) -> Option<(usize, Request)> {
        let device = self.closes.pop()?;
        if self.closes.is_empty() {
            (self.next, self.stops) = (Next::End, SimTime::NEVER);
        }
        let closing = Request {
            counts: false,
            ..Request::FLUSH
        };
        Some((device, closing))
    }

    /// Returns true if a request is over only when a flush behind it has ended.
    pub fn flushes_behind(&self, request: &Request) -> bool {
        self.requests.flushes_behind(request)
    }

    /// A request that no latency counts has ended.
    pub fn complete_uncounted(&mut self, to: SimTime) {
        self.is_stopped = false;
        self.settle(to);
    }

    /// Returns true if it waits for more than one answer once its queue is full.
    #[inline]
    fn takes_batches(&self) -> bool {
        self.pacing.iodepth_low < self.pacing.iodepth || self.pacing.batch_complete_min > 1
    }

    /// Takes a completion: with a full queue, together with others.
    #[inline]
    pub fn complete(&mut self, kind: CommandKind, bytes: u64, from: SimTime, to: SimTime) {
        let was_stopped = self.is_stopped && self.stops(kind);
        self.is_stopped &= !was_stopped;
        if !self.is_full || was_stopped {
            return self.take(kind, bytes, from, to);
        }
        self.held.push(Answer { kind, bytes, from });
        let least = self.pacing.batch_complete_min.min(self.outstanding);
        if (self.held.len() as u32) < least {
            return;
        }
        self.take_held(to);
    }

    /// Takes the answers that have come.
    fn take_held(&mut self, at: SimTime) {
        let mut held = std::mem::take(&mut self.held);
        for answer in held.drain(..) {
            self.take(answer.kind, answer.bytes, answer.from, at);
        }
        self.held = held;
    }

    /// Counts a completion when it falls in the measured time.
    fn take(&mut self, kind: CommandKind, bytes: u64, from: SimTime, to: SimTime) {
        if self.report.measured_from <= to && to < self.stops {
            self.report.record(kind, bytes, from, to);
            if let Some(log) = &mut self.log {
                log.record(
                    kind,
                    bytes,
                    to.since(from),
                    to.since(self.report.measured_from),
                );
            }
        }
        self.answered[0] += 1;
        self.answered[1] += bytes;
        self.settle(to);
        if kind != CommandKind::Flush && to >= self.begins {
            self.look(kind, bytes, to.since(from), to);
        }
    }

    /// Looks at what the job wants to see of the drive.
    fn look(&mut self, kind: CommandKind, bytes: u64, latency: Nanos, now: SimTime) {
        if let Some(most) = self.pacing.max_latency.filter(|&most| latency > most) {
            self.miss(format!(
                "max_latency={most} was passed: a request took {latency}"
            ));
        }
        if let Some(least) = &mut self.least
            && let Some(missed) = least.completed(kind, bytes, now)
        {
            self.miss(missed);
        }
        if let Some(steady) = &mut self.steady
            && steady.completed(bytes, now)
        {
            self.report.is_steady = true;
            self.end(now);
        }
        // Requests of two depths must not mix: the queue is drained before another depth counts.
        match self.depth.completed(latency, now) {
            Verdict::GoOn => {}
            Verdict::Drain => self.drains = self.outstanding > 0,
            Verdict::Found => {
                self.drains = self.outstanding > 0;
                self.report.restart(now, self.depth.now);
                if let Some(log) = &mut self.log {
                    log.restart();
                }
            }
            Verdict::Done => self.end(now),
            Verdict::Missed => {
                let target = self.pacing.latency.target.unwrap_or_default();
                self.miss(format!(
                    "latency_target={target} was missed by one request at a time"
                ));
            }
        }
    }

    /// The job fails by a limit of its own.
    fn miss(&mut self, why: String) {
        self.report.errors += 1;
        self.report.missed.get_or_insert(why);
        self.next = Next::End;
    }

    /// Takes a failure, which ends the job unless it says otherwise.
    pub fn fail(&mut self, kind: CommandKind, at: SimTime) {
        self.take_held(at);
        self.is_stopped &= !self.stops(kind);
        self.report.errors += 1;
        let goes_on = match kind {
            CommandKind::Read => self.continues.read,
            CommandKind::Write | CommandKind::Trim | CommandKind::Flush => self.continues.write,
        };
        match goes_on {
            true => self.report.tolerated += 1,
            false => self.next = Next::End,
        }
        self.settle(at);
    }

    /// Adds up how many were outstanding since that changed last.
    fn note_outstanding(&mut self, now: SimTime) {
        let until = now.min(self.stops);
        self.report
            .note_outstanding(self.outstanding, self.outstanding_since, until);
        self.outstanding_since = now;
    }

    fn settle(&mut self, at: SimTime) {
        self.note_outstanding(at);
        self.outstanding -= 1;
        self.is_full &= self.outstanding > self.pacing.iodepth_low;
        self.last_completion = at;
        self.drains |= self.is_pause_due(at);
        if self.outstanding > 0 || !self.drains {
            return;
        }
        self.drains = false;
        if self.is_pause_due(at) {
            self.since_pause = 0;
            self.pause_ends = at + self.pacing.thinktime;
            if self.pacing.rate_ignore_thinktime {
                self.excused += self.pacing.thinktime;
            }
        }
    }

    /// Returns the share of the job that is done, 0 to 1, by whatever ends it first.
    pub fn share(&self, now: SimTime) -> f64 {
        if self.is_at_end() && self.outstanding == 0 {
            return 1.0;
        }
        let of = |done: u64, all: u64| done as f64 / all.max(1) as f64;
        let amounts = self.answered.into_iter().zip(self.ends_after);
        let amounts = amounts.filter_map(|(done, all)| Some(of(done, all?)));
        let time = (self.stops != SimTime::NEVER).then(|| {
            let passed = now.0.saturating_sub(self.begins.0);
            of(passed, self.stops.0 - self.begins.0)
        });
        amounts.chain(time).fold(0.0, f64::max).min(1.0)
    }

    /// Returns the end of the job: its last completion, or the end of its time.
    pub fn ends(&self) -> SimTime {
        match self.next {
            Next::End => self.last_completion,
            // It never began.
            _ if self.waits => SimTime::ZERO,
            _ => self.last_completion.max(self.stops),
        }
    }

    /// The job's report, with the time it was measured for.
    pub fn finish(mut self) -> JobReport {
        let until = match self.next {
            Next::End => self.last_completion.min(self.stops),
            _ => self.stops,
        };
        self.report.measured = until.since(self.report.measured_from);
        if let Some(mut log) = self.log {
            log.end(self.report.measured);
            self.report.log = Some(Arc::new(log));
        }
        self.report.iolog = self.iolog.map(Arc::new);
        self.report.steady = self.steady.as_ref().map(SteadyWatch::report);
        self.report
    }

    /// Returns true if a pause is due as soon as nothing is outstanding.
    fn is_pause_due(&self, now: SimTime) -> bool {
        let pacing = &self.pacing;
        let worked = || now.0.saturating_sub(self.pause_ends.0);
        pacing.thinktime.0 > 0
            && (self.since_pause >= pacing.thinktime_blocks
                || pacing.thinktime_iotime.0 > 0
                    && self.since_pause > 0
                    && worked() >= pacing.thinktime_iotime.0)
    }
}
