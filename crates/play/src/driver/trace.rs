//! Plays a trace back on a drive, in virtual time, without its pauses.
//!
//! All requests of a burst are issued at once, and the next burst when the last of them has ended:
//! the time in between is the program's, which a trace without pauses leaves out. Hence the drive is
//! busy all the time; how long of it with reads and how long with writes is counted by itself, and
//! time with both counts for both.

use super::error::DriverError;
use super::io::{Ended, Io};
use super::measuring::Measuring;
use super::pauses::PAUSE;
use super::report::RunReport;
use super::source::{self, Source};
use super::stats::JobReport;
use super::target::Target;
use ftlab_base::{
    CommandKind, Content, Lba, Nanos, Placement, RootSeed, SECTOR_BYTES, SimTime, SubmissionQueue,
};
use ftlab_drive::Device;
use ftlab_states::watch::Watch;
use ftlab_workload::Request;
use ftlab_workload::trace::{Trace, TraceStream};

/// Report on a trace that was played back.
#[derive(Debug)]
pub struct TraceReport {
    /// Run as the drive saw it, as one job.
    pub run: RunReport,
    /// Time with a request outstanding.
    pub busy: Nanos,
    /// Time with a read outstanding.
    pub busy_reads: Nanos,
    /// Time with a write outstanding.
    pub busy_writes: Nanos,
}

/// Checks that a trace fits a drive.
///
/// # Errors
/// When its span lies beyond the drive.
pub fn check_trace(trace: &Trace, device_bytes: u64) -> Result<(), DriverError> {
    TraceStream::new(trace, device_bytes, RootSeed(0))?;
    Ok(())
}

/// Plays `trace` back on `device`, to its end or to N requests. `watch` hears how far it is.
///
/// # Errors
/// When it does not fit the drive, or the drive fails or loses a command.
pub fn run_trace(
    trace: &Trace,
    device: &mut dyn Device,
    operations_max: Option<u64>,
    seed: RootSeed,
    watch: &Watch<'_>,
) -> Result<TraceReport, DriverError> {
    let device_bytes = device.capacity_sectors() * SECTOR_BYTES;
    let target = &mut Target::one(device);
    let left = operations_max.unwrap_or(u64::MAX);
    // A burst of n requests meets the queue depths 1 to n, so the longest burst gives the deepest.
    let deepest = trace.bursts.iter().rposition(|&bursts| bursts > 0);
    let depth_max = deepest.map_or(1, |n| n as u32 + 1);
    let mut playback = Playback {
        stream: TraceStream::new(trace, device_bytes, seed)?,
        content: trace.content(),
        all: trace.operations().min(left),
        left,
        report: JobReport::new("trace".to_owned(), 0, depth_max),
        busy: [Busy::default(); 3],
        failed: false,
    };
    target.restart_stream_hashes();
    let mut measuring = Measuring::new(target, PAUSE);
    let mut io = Io::new(target);
    let tell = |_, share| watch("running", share);
    let end = source::play(&mut playback, &mut io, SimTime::ZERO, &mut measuring, &tell)?;
    io.target.fault()?;
    playback.report.measured = end.since(SimTime::ZERO);
    let run = measuring
        .stop(io.target, end)
        .report(&io, vec![playback.report]);
    let [busy, busy_reads, busy_writes] = playback.busy.map(|busy| busy.total);
    Ok(TraceReport {
        run: run.without_rounds(),
        busy,
        busy_reads,
        busy_writes,
    })
}

/// Time in which something is outstanding.
#[derive(Debug, Clone, Copy, Default)]
struct Busy {
    outstanding: u64,
    since: SimTime,
    total: Nanos,
}

impl Busy {
    fn begin(&mut self, at: SimTime) {
        if self.outstanding == 0 {
            self.since = at;
        }
        self.outstanding += 1;
    }

    fn end(&mut self, at: SimTime) {
        self.outstanding -= 1;
        if self.outstanding == 0 {
            self.total += at.since(self.since);
        }
    }
}

const ALL: usize = 0;

/// The place of a direction beside that of all.
fn of(kind: CommandKind) -> usize {
    match kind {
        CommandKind::Read => 1,
        _ => 2,
    }
}

struct Playback {
    stream: TraceStream,
    content: Content,
    /// Requests of all of it.
    all: u64,
    /// Requests that may still be issued.
    left: u64,
    report: JobReport,
    /// For all requests, reads and writes.
    busy: [Busy; 3],
    /// The drive has answered with an error.
    failed: bool,
}

impl Source for Playback {
    type Tag = ();

    /// Issues the next burst when the last one has ended.
    fn act(&mut self, now: SimTime, io: &mut Io<'_, '_, ()>) -> SimTime {
        if io.outstanding() > 0 || self.left == 0 || self.failed {
            return SimTime::NEVER;
        }
        let most = usize::try_from(self.left).unwrap_or(usize::MAX);
        let burst = self.stream.next().unwrap_or_default();
        for (depth, operation) in (1..).zip(burst.into_iter().take(most)) {
            self.left -= 1;
            self.report.note_depth(depth);
            self.busy[ALL].begin(now);
            self.busy[of(operation.kind)].begin(now);
            let request = Request {
                kind: operation.kind,
                lba: Lba(operation.run.lba),
                sectors: operation.run.sectors,
                content: self.content,
                placement: Placement::DEFAULT,
                counts: true,
                is_after_all: false,
            };
            io.submit((), (0, SubmissionQueue::FIRST), request, now);
        }
        SimTime::NEVER
    }

    fn ended(&mut self, ended: Ended<()>) -> bool {
        self.busy[ALL].end(ended.to);
        self.busy[of(ended.kind)].end(ended.to);
        if ended.is_good {
            (self.report).record(ended.kind, ended.bytes, ended.from, ended.to);
        } else {
            self.report.errors += 1;
            self.failed = true;
        }
        true
    }

    fn is_over(&self, _wake: SimTime, outstanding: u64) -> bool {
        outstanding == 0
    }

    fn share(&self, _now: SimTime, completed: u64) -> Option<f64> {
        Some(completed as f64 / self.all.max(1) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftlab_base::Blame;
    use ftlab_drive::fake::Fake;
    use ftlab_states::watch::nobody;

    const SECTORS: u64 = 1 << 17; // 64 MiB

    /// 300 reads and 500 writes on 32 MiB, six in ten alone and the others four deep on average.
    const TEXT: &str = r#"
        schema = 1
        name = "n"
        summary = "s"
        testbed = "anandtech-2012"
        span = { at = "1 MiB", size = "32 MiB" }
        reads = 300
        writes = 500
        written = "20 MiB"
        sequential = "40 %"
        sizes = { "4 KiB" = "50 %" }
        rest = ["64 KiB", "128 KiB"]
        depth = { one = "60 %", mean = 2.2, most = 8 }
    "#;

    fn trace() -> Trace {
        Trace::parse(TEXT, "t.toml").unwrap()
    }

    fn play(mut device: Fake, most: Option<u64>) -> Result<TraceReport, DriverError> {
        run_trace(&trace(), &mut device, most, RootSeed(1), &nobody)
    }

    fn ios(report: &TraceReport, kind: CommandKind) -> u64 {
        report.run.jobs[0].direction(kind).ios
    }

    #[test]
    fn all_of_a_trace_is_played_in_the_depths_it_says() {
        let report = play(Fake::new(SECTORS), None).unwrap();
        assert_eq!(ios(&report, CommandKind::Read), 300);
        assert_eq!(ios(&report, CommandKind::Write), 500);
        // fio's buckets begin at 1, 2, 4 and 8.
        let at_depth: Vec<u64> = (0..8).map(|n| trace().bursts[n..].iter().sum()).collect();
        assert_eq!(at_depth[0], 480);
        let buckets = [
            at_depth[0],
            at_depth[1..3].iter().sum(),
            at_depth[3..7].iter().sum(),
            at_depth[7],
        ];
        assert_eq!(report.run.jobs[0].depths[..4], buckets);
        assert_eq!(report.run.submitted, report.run.completed);
    }

    #[test]
    fn bursts_follow_one_another_without_a_pause() {
        // 100 µs a command, one at a time: 800 of them, whatever the bursts.
        let one = play(Fake::new(SECTORS), None).unwrap();
        assert_eq!(one.run.simulated, Nanos::from_millis(80));
        assert_eq!(one.busy, one.run.simulated);
        // All at once: a burst takes as long as a request.
        let mut wide = Fake::new(SECTORS);
        wide.ways = 8;
        let wide = play(wide, None).unwrap();
        let bursts: u64 = trace().bursts.iter().sum();
        assert_eq!(wide.run.simulated, Nanos::from_micros(100 * bursts));
    }

    #[test]
    fn time_with_reads_and_time_with_writes_are_counted_apart() {
        let mut wide = Fake::new(SECTORS);
        wide.ways = 8;
        let report = play(wide, None).unwrap();
        let (reads, writes) = (report.busy_reads, report.busy_writes);
        assert!(reads < report.busy && writes < report.busy);
        assert!(reads + writes > report.busy, "bursts hold both");
        // Alone, a request is of one direction: a burst with a read is 100 µs of reads.
        let stream = TraceStream::new(&trace(), SECTORS * SECTOR_BYTES, RootSeed(1)).unwrap();
        let with_reads = stream
            .filter(|burst| burst.iter().any(|o| o.kind == CommandKind::Read))
            .count();
        assert_eq!(reads, Nanos::from_micros(100 * with_reads as u64));
    }

    #[test]
    fn a_part_ends_with_so_many_requests() {
        let report = play(Fake::new(SECTORS), Some(101)).unwrap();
        assert_eq!(report.run.completed, 101);
        assert_eq!(report.run.simulated, Nanos::from_micros(10_100));
    }

    #[test]
    fn a_failed_write_ends_the_trace() {
        let mut device = Fake::new(SECTORS);
        device.fails_from = 10;
        let report = play(device, None).unwrap();
        assert!(report.run.jobs[0].errors > 0);
        assert!(report.run.completed < 30);
    }

    #[test]
    fn a_lost_request_and_a_drive_too_small_are_errors() {
        let mut device = Fake::new(SECTORS);
        device.loses = 3;
        let error = play(device, None).unwrap_err();
        assert!(matches!(error, DriverError::Stuck { outstanding: 1, .. }));
        let error = play(Fake::new(1 << 15), None).unwrap_err();
        assert!(
            error.is_input() && error.to_string().contains("`span`"),
            "{error}"
        );
        assert!(check_trace(&trace(), 1 << 24).is_err());
    }

    #[test]
    fn a_drive_that_takes_no_time_comes_to_the_end() {
        let mut device = Fake::new(SECTORS);
        device.service = Nanos::ZERO;
        assert_eq!(play(device, None).unwrap().run.completed, 800);
    }
}
