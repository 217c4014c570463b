//! One job of a running group: what it issues next, and when.

use super::shares::{Requests, Shares};
use super::stats::JobReport;
use ftlab_base::{CommandKind, RootSeed, SimTime};
use ftlab_workload::{Pacing, Request};

/// A job at work.
pub struct Worker {
    pub report: JobReport,
    pacing: Pacing,
    requests: Requests,
    /// Read ahead by one, so that the end of the job is known when its last command is issued.
    next: Option<(usize, Request)>,
    /// Its stream of requests has no end.
    is_endless: bool,
    begins: SimTime,
    /// No request is issued and nothing counted from here on.
    stops: SimTime,
    /// Requests and bytes after which its stream ends; none where it goes on until its time is over.
    ends_after: [Option<u64>; 2],
    /// Requests and bytes that have been answered.
    answered: [u64; 2],
    outstanding: u32,
    /// Requests issued since the last pause.
    since_pause: u64,
    pause_ends: SimTime,
    /// What a rate has let through: requests and bytes of reads, writes and trims.
    issued: [Issued; 3],
    last_completion: SimTime,
}

#[derive(Debug, Clone, Copy, Default)]
struct Issued {
    ios: u64,
    bytes: u64,
}

impl Worker {
    pub fn new(shares: &Shares, group: usize, seed: RootSeed, start: SimTime) -> Self {
        let job = shares.job();
        let pacing = job.pacing();
        let begins = start + pacing.startdelay;
        let counts = begins + pacing.ramp_time;
        let mut requests = shares.requests(seed);
        let mut report = JobReport::new(job.spec.name.clone(), group, pacing.iodepth);
        report.measured_from = counts;
        Worker {
            report,
            next: requests.next(),
            requests,
            is_endless: job.loop_bytes.is_none() && job.ios_max.is_none(),
            begins,
            stops: pacing
                .runtime
                .map_or(SimTime::NEVER, |runtime| counts + runtime),
            ends_after: shares.ends_after(),
            answered: [0; 2],
            outstanding: 0,
            since_pause: 0,
            pause_ends: SimTime::ZERO,
            issued: Default::default(),
            last_completion: begins,
            pacing,
        }
    }

    /// Whether the job's requests go on until its time is over.
    pub fn only_time_ends(&self) -> bool {
        self.is_endless
    }

    /// The earliest instant from `now` on at which the next request may be issued; `NEVER` when
    /// there is none, or when it has to wait for a completion.
    pub fn issues_at(&self, now: SimTime) -> SimTime {
        let Some((_, request)) = self.next else {
            return SimTime::NEVER;
        };
        if self.outstanding >= self.pacing.iodepth || self.is_quiescing() {
            return SimTime::NEVER;
        }
        let allowed = self.pause_ends.max(self.rate_allows(request.kind));
        let at = allowed.max(self.begins).max(now);
        if at < self.stops { at } else { SimTime::NEVER }
    }

    /// Takes the next request as issued, with the place of its device.
    pub fn issue(&mut self) -> (usize, Request) {
        let (device, request) = self
            .next
            .take()
            .expect("a worker issues only when it says so");
        self.next = self.requests.next();
        self.outstanding += 1;
        self.since_pause += 1;
        self.report.note_depth(self.outstanding);
        if let Some(kind) = rate_index(request.kind) {
            self.issued[kind].ios += 1;
            self.issued[kind].bytes += u64::from(request.sectors) * ftlab_base::SECTOR_BYTES;
        }
        (device, request)
    }

    /// Takes a completion. Counts it when it falls in the measured time.
    pub fn complete(&mut self, kind: CommandKind, bytes: u64, from: SimTime, to: SimTime) {
        if self.report.measured_from <= to && to < self.stops {
            self.report.record(kind, bytes, from, to);
        }
        self.answered[0] += 1;
        self.answered[1] += bytes;
        self.settle(to);
    }

    /// Takes a failure, which ends the job.
    pub fn fail(&mut self, at: SimTime) {
        self.report.errors += 1;
        self.next = None;
        self.settle(at);
    }

    fn settle(&mut self, at: SimTime) {
        self.outstanding -= 1;
        self.last_completion = at;
        if self.outstanding == 0 && self.is_quiescing() {
            self.since_pause = 0;
            self.pause_ends = at + self.pacing.thinktime;
        }
    }

    /// How much of the job is done, 0 to 1, by whatever ends it first.
    pub fn share(&self, now: SimTime) -> f64 {
        if self.next.is_none() && self.outstanding == 0 {
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

    /// When the job is over: at its last completion, or when its time is.
    pub fn ends(&self) -> SimTime {
        match self.next {
            None => self.last_completion,
            Some(_) => self.last_completion.max(self.stops),
        }
    }

    /// The job's report, with the time it was measured for.
    pub fn finish(mut self) -> JobReport {
        let until = match self.next {
            None => self.last_completion.min(self.stops),
            Some(_) => self.stops,
        };
        self.report.measured = until.since(self.report.measured_from);
        self.report
    }

    /// Whether a pause is due as soon as nothing is outstanding.
    fn is_quiescing(&self) -> bool {
        self.pacing.thinktime.0 > 0 && self.since_pause >= self.pacing.thinktime_blocks
    }

    /// When the caps on `kind` let its next request pass.
    fn rate_allows(&self, kind: CommandKind) -> SimTime {
        let Some(index) = rate_index(kind) else {
            return self.begins;
        };
        let Issued { ios, bytes } = self.issued[index];
        let by_ios = after(ios, self.pacing.rate_iops.of(kind));
        let by_bytes = after(bytes, self.pacing.rate_bytes.of(kind));
        SimTime(self.begins.0.saturating_add(by_ios.max(by_bytes)))
    }
}

/// Nanoseconds that `amount` takes at `rate` a second; none without a rate.
fn after(amount: u64, rate: Option<u64>) -> u64 {
    let span = |rate: u64| u128::from(amount) * 1_000_000_000 / u128::from(rate.max(1));
    rate.map_or(0, |rate| span(rate).min(u128::from(u64::MAX)) as u64)
}

/// Flushes pass every rate.
fn rate_index(kind: CommandKind) -> Option<usize> {
    match kind {
        CommandKind::Read => Some(0),
        CommandKind::Write => Some(1),
        CommandKind::Trim => Some(2),
        CommandKind::Flush => None,
    }
}
