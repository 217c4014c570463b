//! Counts of an engine.

use super::request::Operation;
use ftlab_base::{LatencyHistogram, Nanos};

/// Requests of one kind that were answered.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// Requests answered, with those that failed.
    pub requests: u64,
    /// Bytes that they covered.
    pub bytes: u64,
    /// Requests answered with an error.
    pub failed: u64,
    /// Time from arrival to completion by the drive. Empty for a drive without time.
    pub latency: LatencyHistogram,
}

/// Requests answered since the engine began.
#[derive(Debug, Clone, Default)]
pub struct Statistics {
    /// Reads, with and without an error.
    pub reads: Tally,
    /// Writes, of zeroes too.
    pub writes: Tally,
    /// Trims, with and without an error.
    pub trims: Tally,
    /// Flushes, with and without an error.
    pub flushes: Tally,
    /// Time from completion by the drive to the hand-over of the answer to the kernel. Empty for a drive
    /// without time.
    pub lateness: LatencyHistogram,
}

impl Statistics {
    pub(super) fn count(
        &mut self,
        operation: Operation,
        bytes: u64,
        is_good: bool,
        latency: Option<Nanos>,
    ) {
        let tally = match operation {
            Operation::Read => &mut self.reads,
            Operation::Write | Operation::Zero { .. } => &mut self.writes,
            Operation::Trim => &mut self.trims,
            Operation::Flush => &mut self.flushes,
            Operation::Cache => return,
        };
        tally.requests += 1;
        tally.bytes += bytes;
        tally.failed += u64::from(!is_good);
        if let Some(latency) = latency {
            tally.latency.record(latency);
        }
    }
}
