//! What a job saw: commands, bytes and latencies, by direction.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Bounds of fio's latency buckets, each of them once in nanoseconds, once in microseconds and once in
/// milliseconds.
pub const FIO_BOUNDS: [u64; 10] = [2, 4, 10, 20, 50, 100, 250, 500, 750, 1000];

/// What one job of a job file, one program of a scenario, a trace, or the operating system itself saw.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Job {
    /// The section of the job file, the program, or what the operating system does.
    pub name: String,
    /// Jobs of one group ran at the same time; from 0.
    pub group: u32,
    /// How many clones of a section it is, reported as one.
    pub clones: u32,
    /// fio's word for what it does, for example `randwrite`; empty for what no job file says.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rw: String,
    /// Commands it keeps outstanding.
    pub iodepth: u32,
    /// Commands that failed: a job ends at its first.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub errors: u64,
    /// How long its statistics lasted, in nanoseconds; 0 for an untimed run.
    pub measured_ns: u64,
    /// The keys of its section, as written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<(String, String)>,
    /// Reads.
    #[serde(default, skip_serializing_if = "Traffic::is_none")]
    pub read: Traffic,
    /// Writes.
    #[serde(default, skip_serializing_if = "Traffic::is_none")]
    pub write: Traffic,
    /// Trims.
    #[serde(default, skip_serializing_if = "Traffic::is_none")]
    pub trim: Traffic,
    /// Flushes.
    #[serde(default, skip_serializing_if = "Traffic::is_none")]
    pub flush: Traffic,
    /// Commands submitted while 1, 2, 4, 8, 16, 32, 64 or more were outstanding, this one counted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depths: Vec<u64>,
    /// (lower bound in nanoseconds, count) of reads, writes and trims in fio's buckets, whose bounds are 2, 4, 10, 20,
    /// 50, 100, 250, 500, 750 and 1000 nanoseconds, microseconds and milliseconds, and 2000 milliseconds; empty ones
    /// are left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lat_ns_fio: Vec<(u64, u64)>,
    /// How it went as a program of a scenario; absent for what is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<Process>,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// A program of a scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Process {
    /// When it started, in nanoseconds.
    pub start_ns: u64,
    /// From its start to its end, in nanoseconds; `null` when it was still at work.
    pub took_ns: Option<u64>,
    /// Bytes it read from the drive.
    pub read_bytes: u64,
    /// Bytes it wrote, to the drive or to the operating system.
    pub written_bytes: u64,
}

/// One direction's totals and latencies.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Traffic {
    /// Commands completed.
    pub ios: u64,
    /// Bytes moved.
    pub bytes: u64,
    /// Commands a second.
    pub iops: f64,
    /// Bytes a second.
    pub bytes_per_s: f64,
    /// Shortest latency in nanoseconds.
    pub lat_ns_min: u64,
    /// Mean latency in nanoseconds.
    pub lat_ns_mean: f64,
    /// Standard deviation in nanoseconds.
    pub lat_ns_stddev: f64,
    /// Longest latency in nanoseconds.
    pub lat_ns_max: u64,
    /// (percent, latency in nanoseconds), ascending, to 99.999; each at most 0.1 % above the true one.
    pub lat_ns_percentiles: Vec<(f64, u64)>,
    /// (upper bound in nanoseconds, count): the distribution in ten buckets a decade, each 26 % wide.
    pub lat_ns_histogram: Vec<(u64, u64)>,
    /// The rate second by second; absent where no second was whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_second: Option<PerSecond>,
}

impl Traffic {
    /// Whether nothing went this way.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.ios == 0
    }
}

/// How a rate went over the whole seconds of a run; a last one cut short would look like a dip.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PerSecond {
    /// How many seconds.
    pub seconds: u64,
    /// Commands completed in each.
    pub ios: Extent,
    /// Bytes moved in each.
    pub bytes: Extent,
}

/// Extremes and mean.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Extent {
    /// The least.
    pub min: f64,
    /// The most.
    pub max: f64,
    /// The mean.
    pub mean: f64,
    /// Standard deviation.
    pub stddev: f64,
}
