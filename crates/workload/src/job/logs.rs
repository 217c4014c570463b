//! The logs of its requests that a job asks for, and the log that it has its requests from.

use ftlab_base::{CommandKind, Nanos};
use std::collections::BTreeMap;

/// Quantity that a log has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Log {
    /// Bytes a second (fio's `write_bw_log`).
    Bandwidth,
    /// Requests a second (`write_iops_log`).
    Iops,
    /// From a request's submission to its answer (`write_lat_log`).
    Latency,
    /// Histograms of the same (`write_hist_log`).
    Histogram,
}

/// The recorded trace that a job replays (fio's `read_iolog`), and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replay {
    /// Its file; none for a job that makes its requests.
    pub file: Option<String>,
    /// Requests come as fast as the depth allows, whatever their times.
    pub no_stall: bool,
    /// The rate at which they come, in percent of their own.
    pub time_scale_percent: u64,
    /// Kinds that are left out.
    pub skips: Vec<CommandKind>,
    /// Addresses are divided by this.
    pub scale: u64,
    /// Then they are cut down to a multiple of this power of two, in bytes; 0 for none.
    pub align_bytes: u64,
}

impl Default for Replay {
    fn default() -> Self {
        Replay {
            file: None,
            no_stall: false,
            time_scale_percent: 100,
            skips: Vec::new(),
            scale: 1,
            align_bytes: 0,
        }
    }
}

/// The logs that a job asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Logs {
    /// Name of each log; an empty one means that of the job.
    pub names: BTreeMap<Log, String>,
    /// The file of its requests themselves (`write_iolog`).
    pub iolog: Option<String>,
    /// The span of one line; zero for a line for each request.
    pub average: Nanos,
    /// Lines of a span have the longest latency, not the mean.
    pub of_longest: bool,
    /// The span of one histogram; zero for none.
    pub histogram_every: Nanos,
    /// Times that bins of histograms are put together in twos.
    pub histogram_coarseness: u32,
    /// Each job has logs of its own.
    pub of_each_job: bool,
    /// A word that asks for columns or files which logs here do not have.
    pub unlike: Option<&'static str>,
}

impl Logs {
    /// Returns true if the job asks for a log.
    #[must_use]
    pub fn any(&self) -> bool {
        !self.names.is_empty() || self.iolog.is_some()
    }
}

impl Default for Logs {
    fn default() -> Self {
        Logs {
            names: BTreeMap::new(),
            iolog: None,
            average: Nanos::ZERO,
            of_longest: false,
            histogram_every: Nanos::ZERO,
            histogram_coarseness: 0,
            of_each_job: true,
            unlike: None,
        }
    }
}
