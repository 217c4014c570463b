//! Replays a recorded trace on a drive, on a clock or without.
//!
//! In an open loop a request arrives at its own time, whatever the drive does, and its latency counts from then on. In
//! a closed loop the next one is issued when one has ended. A request that asks for a flush before it (PREFLUSH) is
//! issued when that has ended; one that must be safe itself before it is answered (FUA) is answered when a flush of its own
//! sectors has ended: what else waits in the drive stays there.

use super::error::DriverError;
use super::io::{Ended, Io};
use super::measuring::Measuring;
use super::order::WriteOrder;
use super::pauses::PAUSE;
use super::report::{DeviceReport, RunReport, Start};
use super::rounds::Rounds;
use super::shares::Clock;
use super::source::{self, Source};
use super::stats::JobReport;
use super::target::Target;
use crate::logs::JobLog;
use crate::recording::Recording;
use ftlab_base::{
    Command, CommandId, CommandKind, Content, Identity, Lba, Nanos, Outcome, Placement,
    SECTOR_BYTES, SimTime, SubmissionQueue,
};
use ftlab_drive::Device;
use ftlab_states::watch::Watch;
use ftlab_trace::{Places, Record, Selected, TraceError};
use ftlab_workload::Request;
use std::collections::VecDeque;
use std::sync::Arc;

/// Result of a replay.
#[derive(Debug)]
pub struct ReplayReport {
    /// Run as the drive saw it, as one job.
    pub run: RunReport,
    /// Requests of an open loop that were issued later than they arrived: as many as may be were outstanding.
    pub held: u64,
    /// Reads, writes and TRIMs that address nothing, and so were not issued.
    pub void: u64,
    /// From the last arrival of an open loop to the end; zero in a closed one.
    pub after_last: Nanos,
}

/// Checks that a trace fits a drive.
///
/// # Errors
/// When it does not.
pub fn check_replay(recording: &Recording, device_bytes: u64) -> Result<(), DriverError> {
    recording.places(device_bytes)?;
    Ok(())
}

/// Replays a trace on `device`, to its end or to N requests. `watch` hears how far it is.
///
/// # Errors
/// When it does not fit the drive or can no longer be read, or the drive fails or loses a command.
pub fn run_replay(
    recording: &Recording,
    device: &mut dyn Device,
    clock: Clock,
    operations_max: Option<u64>,
    watch: &Watch<'_>,
) -> Result<ReplayReport, DriverError> {
    let stream = Stream::new(recording, device, operations_max)?;
    let target = &mut Target::one(device);
    target.restart_stream_hashes();
    let report = match clock {
        Clock::Timed => timed(recording, stream, target, watch)?,
        Clock::Untimed => untimed(stream, target, watch)?,
    };
    target.fault()?;
    Ok(report)
}

/// A request as it is issued, with what comes before and behind it.
#[derive(Debug, Clone, Copy)]
struct Arrival {
    /// On the trace's clock, from its first request on; never before the one before.
    at_ns: u64,
    request: Request,
    preflush: bool,
    fua: bool,
}

/// The requests of a trace, on their places.
struct Stream {
    trace: Selected,
    places: Arc<Places>,
    first_ns: u64,
    latest_ns: u64,
    /// Requests that may still be issued.
    left: u64,
    all: u64,
    void: u64,
}

impl Stream {
    fn new(
        recording: &Recording,
        device: &dyn Device,
        most: Option<u64>,
    ) -> Result<Stream, DriverError> {
        let capacity_bytes = device.capacity_sectors() * SECTOR_BYTES;
        let left = most.unwrap_or(u64::MAX);
        Ok(Stream {
            places: recording.places(capacity_bytes)?,
            trace: recording.requests()?,
            first_ns: recording.scan.first_ns,
            latest_ns: 0,
            left,
            all: recording.scan.all().min(left),
            void: 0,
        })
    }

    /// The next request that addresses something.
    #[inline]
    fn next(&mut self) -> Option<Result<Arrival, TraceError>> {
        while self.left > 0 {
            let record = match self.trace.next()? {
                Ok(record) => record,
                Err(error) => return Some(Err(error)),
            };
            self.left -= 1;
            self.latest_ns = self
                .latest_ns
                .max(record.at_ns.saturating_sub(self.first_ns));
            match self.request(&record) {
                Some(request) => {
                    return Some(Ok(Arrival {
                        at_ns: self.latest_ns,
                        request,
                        preflush: record.preflush,
                        fua: record.fua,
                    }));
                }
                None => self.void += 1,
            }
        }
        None
    }

    #[inline]
    fn request(&self, record: &Record) -> Option<Request> {
        if record.kind == CommandKind::Flush {
            return Some(Request::FLUSH);
        }
        let extent = self.places.of(record);
        let content = match record.digest {
            Some([a, b, c, d, e, f, g, h, ..]) if record.kind == CommandKind::Write => {
                let hash = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
                Content::RANDOM.with_identity(Identity::of(hash))
            }
            _ => Content::RANDOM,
        };
        (extent.sectors > 0).then_some(Request {
            kind: record.kind,
            lba: Lba(extent.lba),
            sectors: extent.sectors,
            content,
            placement: Placement::DEFAULT,
            counts: true,
            is_after_all: false,
        })
    }
}

/// A command of a request on its way, and what is left to do for it.
#[derive(Debug, Clone, Copy)]
struct Step {
    /// The request itself, without its flushes.
    kind: CommandKind,
    bytes: u64,
    arrived: SimTime,
    /// Request to issue when this has ended: the one behind its flush, or the flush behind it.
    then: Option<Request>,
    /// A flush comes behind the request.
    fua: bool,
}

struct Replay {
    stream: Stream,
    /// Read ahead by one.
    next: Option<Arrival>,
    factor: Option<f64>,
    depth: u64,
    /// Requests under way, of one command or several.
    under_way: u64,
    due: VecDeque<(Request, Step)>,
    report: JobReport,
    /// The logs that its job asks for.
    log: Option<JobLog>,
    last_arrival: SimTime,
    held: u64,
    error: Option<TraceError>,
    failed: bool,
}

impl Replay {
    fn read(&mut self) {
        self.next = match self.stream.next().transpose() {
            Ok(next) => next,
            Err(error) => {
                self.error = Some(error);
                None
            }
        };
    }

    /// Returns the arrival of a request: its own time in an open loop, `now` in a closed one.
    #[inline]
    fn arrival(&self, next: &Arrival, now: SimTime) -> SimTime {
        match self.factor {
            None => now,
            Some(1.0) => SimTime(next.at_ns),
            Some(factor) => SimTime((next.at_ns as f64 / factor) as u64),
        }
    }

    #[inline]
    fn begin(&mut self, next: Arrival, arrived: SimTime, now: SimTime, io: &mut Io<'_, '_, Step>) {
        self.under_way += 1;
        self.last_arrival = arrived;
        self.held += u64::from(arrived < now);
        self.report.note_depth(self.under_way as u32);
        let request = next.request;
        let step = Step {
            kind: request.kind,
            bytes: u64::from(request.sectors) * SECTOR_BYTES,
            arrived,
            then: None,
            fua: next.fua,
        };
        match next.preflush {
            true => {
                let then = Some(request);
                io.submit(
                    Step { then, ..step },
                    (0, SubmissionQueue::FIRST),
                    Request::FLUSH,
                    now,
                );
            }
            false => io.submit(step.of(request), (0, SubmissionQueue::FIRST), request, now),
        }
    }
}

impl Step {
    /// The request's own command, with the flush of it that comes behind it.
    fn of(self, request: Request) -> Step {
        Step {
            then: self.fua.then(|| request.own_flush()),
            fua: false,
            ..self
        }
    }
}

impl Source for Replay {
    type Tag = Step;

    #[inline]
    fn act(&mut self, now: SimTime, io: &mut Io<'_, '_, Step>) -> SimTime {
        while let Some((request, step)) = self.due.pop_front() {
            io.submit(step, (0, SubmissionQueue::FIRST), request, now);
        }
        while self.under_way < self.depth && !self.failed {
            let Some(next) = self.next else {
                return SimTime::NEVER;
            };
            let arrived = self.arrival(&next, now);
            if arrived > now {
                return arrived;
            }
            self.begin(next, arrived, now, io);
            self.read();
        }
        SimTime::NEVER
    }

    #[inline]
    fn ended(&mut self, ended: Ended<Step>) -> bool {
        let step = ended.tag;
        if !ended.is_good {
            self.report.errors += 1;
            self.failed = true;
            self.under_way -= 1;
            return true;
        }
        if let Some(request) = step.then {
            let next = match request.kind {
                CommandKind::Flush => Step { then: None, ..step },
                _ => step.of(request),
            };
            self.due.push_back((request, next));
            return true;
        }
        self.under_way -= 1;
        let (kind, bytes) = (step.kind, step.bytes);
        self.report.record(kind, bytes, step.arrived, ended.to);
        if let Some(log) = &mut self.log {
            let latency = ended.to.since(step.arrived);
            log.record(kind, bytes, latency, ended.to.since(SimTime::ZERO));
        }
        true
    }

    fn is_over(&self, wake: SimTime, outstanding: u64) -> bool {
        wake == SimTime::NEVER && outstanding == 0 && self.due.is_empty()
    }

    fn share(&self, _now: SimTime, completed: u64) -> Option<f64> {
        Some((completed as f64 / self.stream.all.max(1) as f64).min(1.0))
    }
}

fn timed(
    recording: &Recording,
    stream: Stream,
    target: &mut Target<'_>,
    watch: &Watch<'_>,
) -> Result<ReplayReport, DriverError> {
    let pace = recording.pace;
    let mut replay = Replay {
        stream,
        next: None,
        factor: pace.factor(),
        depth: u64::from(pace.depth()),
        under_way: 0,
        due: VecDeque::new(),
        report: JobReport::new("trace".to_owned(), 0, pace.depth()),
        log: (recording.job.as_ref()).and_then(|file| JobLog::of(file.jobs.first()?)),
        last_arrival: SimTime::ZERO,
        held: 0,
        error: None,
        failed: false,
    };
    replay.read();
    let mut measuring = Measuring::new(target, PAUSE);
    let mut io = Io::new(target);
    let tell = |_, share| watch("replaying", share);
    let end = source::play(&mut replay, &mut io, SimTime::ZERO, &mut measuring, &tell)?;
    if let Some(error) = replay.error {
        return Err(error.into());
    }
    io.target.fault()?;
    replay.report.measured = end.since(SimTime::ZERO);
    if let Some(mut log) = replay.log {
        log.end(replay.report.measured);
        replay.report.log = Some(Arc::new(log));
    }
    // In a closed loop a request comes when one before it ends, so the drive cannot fall behind.
    let after_last = match pace.factor() {
        Some(_) => end.since(replay.last_arrival),
        None => Nanos::ZERO,
    };
    let run = measuring
        .stop(io.target, end)
        .report(&io, vec![replay.report]);
    Ok(ReplayReport {
        run: run.without_rounds(),
        held: replay.held,
        void: replay.stream.void,
        after_last,
    })
}

/// Commands that a drive sees before they are applied.
const LOOKAHEAD: usize = 8;

/// Requests between two looks at how far it is.
const REQUESTS_A_LOOK: u64 = 1 << 16;

fn untimed(
    mut stream: Stream,
    target: &mut Target<'_>,
    watch: &Watch<'_>,
) -> Result<ReplayReport, DriverError> {
    let device = target.device(0);
    let start = Start::of(device);
    let rounds = Rounds::new(device.capacity_sectors() * SECTOR_BYTES, start.counters);
    let mut report = JobReport::new("trace".to_owned(), 0, 1);
    let mut expected: VecDeque<Arrival> = VecDeque::with_capacity(LOOKAHEAD);
    let (mut applied, mut requests) = (0_u64, 0_u64);
    let mut order = WriteOrder::default();
    let mut apply = |device: &mut dyn Device, request: Request| {
        order.note(0, &request);
        let command = request.command(CommandId(applied), SimTime::ZERO);
        applied += 1;
        device.apply(command) == Outcome::Good
    };
    loop {
        // The device learns of commands before they are applied, so that it can fetch their entries of its tables.
        while expected.len() < LOOKAHEAD
            && let Some(next) = stream.next().transpose()?
        {
            let command: Command = next.request.command(CommandId(0), SimTime::ZERO);
            device.expect(&command);
            expected.push_back(next);
        }
        let Some(next) = expected.pop_front() else {
            break;
        };
        let is_good = (!next.preflush || apply(device, Request::FLUSH))
            && apply(device, next.request)
            && (!next.fua || apply(device, next.request.own_flush()));
        if !is_good {
            report.errors += 1;
            break;
        }
        report.count(
            next.request.kind,
            u64::from(next.request.sectors) * SECTOR_BYTES,
        );
        requests += 1;
        if requests.is_multiple_of(REQUESTS_A_LOOK) {
            watch(
                "replaying",
                Some(requests as f64 / stream.all.max(1) as f64),
            )?;
        }
    }
    let run = RunReport {
        jobs: vec![report],
        submitted: applied,
        completed: applied,
        writes_at_random: order.is_random(),
        ..RunReport::of_devices(vec![DeviceReport::of("", device, &start, &rounds)])
    };
    Ok(ReplayReport {
        run: run.without_rounds(),
        held: 0,
        void: stream.void,
        after_last: Nanos::ZERO,
    })
}

#[cfg(test)]
mod tests;
