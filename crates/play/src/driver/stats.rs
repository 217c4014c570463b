//! Counts of a job: I/Os, bytes and latencies, by kind of command.

use super::goals::SteadyReport;
use super::latency_course::LatencyCourse;
use crate::iolog::Iolog;
use crate::logs::JobLog;
use ftlab_base::{CommandKind, LatencyHistogram, Nanos, SimTime};
use std::sync::Arc;

/// Length of an interval of the series, in seconds.
pub const INTERVAL_S: u64 = 1;

/// The longest series, in intervals: somewhat over a day. What completes later is in the totals
/// only.
const SERIES_MAX: usize = 100_000;

/// fio's buckets of queue depth: from 1, 2, 4, 8, 16, 32 and 64 on.
pub const DEPTH_LEVELS: usize = 7;

/// Totals of one second.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Interval {
    /// Commands that were completed.
    pub ios: u64,
    /// Bytes that were moved.
    pub bytes: u64,
}

/// Counts of one kind of command.
#[derive(Debug, Clone, Default)]
pub struct Direction {
    /// Commands that were completed.
    pub ios: u64,
    /// Bytes that were moved.
    pub bytes: u64,
    /// One entry a second from the start of measuring, for a day; empty without a clock.
    pub series: Vec<Interval>,
    // A third of a megabyte: only for kinds that occur.
    latency: Option<Box<Latencies>>,
}

/// Latencies of a kind of command.
#[derive(Debug, Clone, Default)]
struct Latencies {
    all: LatencyHistogram,
    course: LatencyCourse,
}

impl Direction {
    /// Latencies from submission to completion; `None` when nothing was timed.
    #[must_use]
    pub fn latency(&self) -> Option<&LatencyHistogram> {
        Some(&self.latency.as_ref()?.all)
    }

    /// The same, over the time since the start of measuring.
    #[must_use]
    pub fn latency_course(&self) -> Option<&LatencyCourse> {
        Some(&self.latency.as_ref()?.course)
    }

    fn record(&mut self, bytes: u64, latency: Nanos, since_start: Nanos) {
        self.ios += 1;
        self.bytes += bytes;
        let latencies = self.latency.get_or_insert_default();
        latencies.all.record(latency);
        latencies.course.record(latency, since_start);
        let second = (since_start.0 / Nanos::from_secs(INTERVAL_S).0) as usize;
        if second >= SERIES_MAX {
            return;
        }
        if self.series.len() <= second {
            self.series.resize(second + 1, Interval::default());
        }
        self.series[second].ios += 1;
        self.series[second].bytes += bytes;
    }

    /// Counts everything that `other` counted, second by second; its series began `later` seconds
    /// after this one's.
    pub fn merge(&mut self, other: &Direction, later: usize) {
        self.ios += other.ios;
        self.bytes += other.bytes;
        if let Some(theirs) = &other.latency {
            let mine = self.latency.get_or_insert_default();
            mine.all.merge(&theirs.all);
            mine.course.merge(&theirs.course, later as u64 * INTERVAL_S);
        }
        let length = self.series.len().max(later + other.series.len());
        self.series.resize(length, Interval::default());
        for (mine, theirs) in self.series[later..].iter_mut().zip(&other.series) {
            mine.ios += theirs.ios;
            mine.bytes += theirs.bytes;
        }
    }
}

/// Report on one job.
#[derive(Debug, Clone)]
pub struct JobReport {
    /// The section of the job file.
    pub name: String,
    /// Jobs of one group ran at the same time; from 0.
    pub group: usize,
    /// Commands it kept outstanding.
    pub iodepth: u32,
    /// Beginning of its statistics, on the run's clock: after start delay and ramp.
    pub measured_from: SimTime,
    /// Length of its statistics; zero without a clock.
    pub measured: Nanos,
    /// Commands that failed, and limits of the job that were missed. The job stops at its first, as fio's do,
    /// unless it has `continue_on_error`.
    pub errors: u64,
    /// Those of them that did not end the job.
    pub tolerated: u64,
    /// The limit of the job's own that ended it, in words.
    pub missed: Option<String>,
    /// It ended because it had become steady.
    pub is_steady: bool,
    /// Steadiness of the job, where it was to become steady.
    pub steady: Option<SteadyReport>,
    /// Commands submitted while N were outstanding, in fio's buckets.
    pub depths: [u64; DEPTH_LEVELS],
    /// Nanoseconds that commands were outstanding while its statistics lasted, added up.
    pub occupied_ns: u128,
    /// Its requests, where it asks for logs of them.
    pub log: Option<Arc<JobLog>>,
    /// Requests of the job, as a trace that can be replayed.
    pub iolog: Option<Arc<Iolog>>,
    directions: [Direction; 4],
}

impl JobReport {
    pub(in crate::driver) fn new(name: String, group: usize, iodepth: u32) -> Self {
        JobReport {
            name,
            group,
            iodepth,
            measured_from: SimTime::ZERO,
            measured: Nanos::ZERO,
            errors: 0,
            tolerated: 0,
            missed: None,
            is_steady: false,
            steady: None,
            depths: [0; DEPTH_LEVELS],
            occupied_ns: 0,
            log: None,
            iolog: None,
            directions: Default::default(),
        }
    }

    /// Returns the counts of one kind of command.
    #[must_use]
    pub fn direction(&self, kind: CommandKind) -> &Direction {
        &self.directions[place(kind)]
    }

    /// Forgets what it counted: what counts begins now, at a depth that was found.
    pub(in crate::driver) fn restart(&mut self, now: SimTime, iodepth: u32) {
        self.measured_from = now;
        self.iodepth = iodepth;
        self.depths = [0; DEPTH_LEVELS];
        self.occupied_ns = 0;
        self.directions = Default::default();
    }

    /// Counts everything that `other` counted: for clones that are reported as one.
    pub fn merge(&mut self, other: &JobReport) {
        self.measured = self.measured.max(other.measured);
        self.errors += other.errors;
        self.tolerated += other.tolerated;
        self.missed = self.missed.take().or_else(|| other.missed.clone());
        self.occupied_ns += other.occupied_ns;
        for (mine, theirs) in self.depths.iter_mut().zip(&other.depths) {
            *mine += theirs;
        }
        for (mine, theirs) in self.directions.iter_mut().zip(&other.directions) {
            mine.merge(theirs, 0);
        }
    }

    /// Counts a completed command.
    pub(in crate::driver) fn record(
        &mut self,
        kind: CommandKind,
        bytes: u64,
        from: SimTime,
        to: SimTime,
    ) {
        let since_start = to.since(self.measured_from);
        self.directions[place(kind)].record(bytes, to.since(from), since_start);
    }

    /// Counts a command applied without time.
    #[inline]
    pub(super) fn count(&mut self, kind: CommandKind, bytes: u64) {
        let direction = &mut self.directions[place(kind)];
        direction.ios += 1;
        direction.bytes += bytes;
    }

    /// Notes the number of commands outstanding from one instant to another; only the part in the measured time
    /// counts.
    pub(in crate::driver) fn note_outstanding(
        &mut self,
        commands: u32,
        from: SimTime,
        to: SimTime,
    ) {
        let from = from.max(self.measured_from);
        let span = to.0.saturating_sub(from.0);
        self.occupied_ns += u128::from(commands) * u128::from(span);
    }

    /// Notes at which depth a command was submitted.
    pub(in crate::driver) fn note_depth(&mut self, outstanding: u32) {
        let level = outstanding.max(1).ilog2() as usize;
        self.depths[level.min(DEPTH_LEVELS - 1)] += 1;
    }
}

fn place(kind: CommandKind) -> usize {
    match kind {
        CommandKind::Read => 0,
        CommandKind::Write => 1,
        CommandKind::Trim => 2,
        CommandKind::Flush => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_completion_counts_in_its_second() {
        let mut report = JobReport::new("job".into(), 0, 1);
        report.measured_from = SimTime(500);
        let end = SimTime(500) + Nanos::from_millis(2_500);
        report.record(CommandKind::Read, 4096, SimTime(600), end);
        let reads = report.direction(CommandKind::Read);
        let ios: Vec<u64> = reads.series.iter().map(|i| i.ios).collect();
        assert_eq!(ios, [0, 0, 1]);
        assert_eq!(reads.latency().unwrap().max(), end.since(SimTime(600)));
        assert!(report.direction(CommandKind::Write).latency().is_none());
    }

    #[test]
    fn depths_fall_into_fio_buckets() {
        let mut report = JobReport::new("job".into(), 0, 1);
        for depth in [1, 2, 3, 4, 5, 32, 33, 64, 1000] {
            report.note_depth(depth);
        }
        assert_eq!(report.depths, [1, 2, 2, 0, 0, 2, 2]);
    }
}
