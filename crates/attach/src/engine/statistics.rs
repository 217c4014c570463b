//! What an engine counts.

use super::request::Operation;
use ftlab_base::{LatencyHistogram, Nanos};

/// Requests of one kind that were answered.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// How many, with those that failed.
    pub requests: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Those that failed.
    pub failed: u64,
    /// From arrival to the instant at which the drive was done. Empty for a drive without time.
    pub latency: LatencyHistogram,
}

/// What was asked and answered since the engine began.
#[derive(Debug, Clone, Default)]
pub struct Statistics {
    /// Reads.
    pub reads: Tally,
    /// Writes, of zeroes too.
    pub writes: Tally,
    /// Trims.
    pub trims: Tally,
    /// Flushes.
    pub flushes: Tally,
    /// How long after the drive was done answers were handed to the kernel. Empty for a drive without time.
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
