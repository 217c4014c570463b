//! Counts and latencies of a job, by direction.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Bounds of fio's latency buckets, each of them once in nanoseconds, once in microseconds and once in
/// milliseconds.
pub const FIO_BOUNDS: [u64; 10] = [2, 4, 10, 20, 50, 100, 250, 500, 750, 1000];

/// Traffic of one job of a job file, one program of a scenario, a trace, or the operating system itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Job {
    /// The section of the job file, the program, or what the operating system does.
    pub name: String,
    /// Jobs of one group ran at the same time; from 0.
    pub group: u32,
    /// Number of clones of a section that are reported here as one.
    pub clones: u32,
    /// fio's word for what it does, for example `randwrite`; empty for what no job file says.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rw: String,
    /// Commands it keeps outstanding; 0 where that is not known.
    pub iodepth: u32,
    /// As many as its file says; absent where that is what it keeps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iodepth_stated: Option<u32>,
    /// Commands that failed: a job ends at its first.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub errors: u64,
    /// The limit of its own that it missed and ended with, in words; absent where it missed none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missed: Option<String>,
    /// Length of its statistics, in nanoseconds; 0 for an untimed run.
    pub measured_ns: u64,
    /// Commands that failed, of a job that goes on when they do (`continue_on_error`); absent for others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failures: Option<u64>,
    /// The description that its file gives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The keys of its section, as written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<(String, String)>,
    /// Reads, as counts and latencies.
    #[serde(default, skip_serializing_if = "Traffic::is_none")]
    pub read: Traffic,
    /// Writes, as counts and latencies.
    #[serde(default, skip_serializing_if = "Traffic::is_none")]
    pub write: Traffic,
    /// Trims, as counts and latencies.
    #[serde(default, skip_serializing_if = "Traffic::is_none")]
    pub trim: Traffic,
    /// Flushes, as counts and latencies.
    #[serde(default, skip_serializing_if = "Traffic::is_none")]
    pub flush: Traffic,
    /// Reads, writes and trims as one, where the job asks for that.
    #[serde(default, skip_serializing_if = "Traffic::is_none")]
    pub mixed: Traffic,
    /// Settings of its file for reports; absent where it makes none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reporting: Option<Reporting>,
    /// The latency that it sought a depth for; absent where it sought none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_target: Option<LatencyTarget>,
    /// The end of its search for a steady state; absent where it sought none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steady: Option<SteadyState>,
    /// Commands submitted while 1, 2, 4, 8, 16, 32, 64 or more were outstanding, this one counted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depths: Vec<u64>,
    /// Commands outstanding on average over the time of the statistics; absent for an untimed run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth_mean: Option<f64>,
    /// Its reads and writes are submitted in calls that fio times: those of asynchronous engines.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_slat: bool,
    /// (lower bound in nanoseconds, count) of reads, writes and trims in fio's buckets, whose bounds are 2, 4, 10, 20,
    /// 50, 100, 250, 500, 750 and 1000 nanoseconds, microseconds and milliseconds, and 2000 milliseconds; empty ones
    /// are left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lat_ns_fio: Vec<(u64, u64)>,
    /// Its times and bytes as a program of a scenario; absent for what is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<Process>,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Settings for the report of a job.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reporting {
    /// Percentiles, ascending; fio's seventeen where there are none.
    pub percentiles: Vec<f64>,
    /// Percentiles of latencies from submission to completion.
    pub of_clat: bool,
    /// Percentiles of latencies from the beginning of a request to its completion.
    pub of_lat: bool,
    /// Percentiles of latencies up to submission, which takes no time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub of_slat: bool,
    /// Latencies from submission to completion are left out, those of flushes and fio's buckets too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub without_clat: bool,
    /// Latencies from the beginning of a request on are left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub without_lat: bool,
    /// Latencies up to submission are left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub without_slat: bool,
    /// Flushes are of `fdatasync` alone, whose number fio's JSON has among their latencies and leaves out of `total_ios`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub without_sync_total: bool,
    /// Directions that it is reported by.
    pub directions: Directions,
    /// True if the drive below it is reported as fio reports disks.
    pub of_disk: bool,
}

/// Choice between directions apart and together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Directions {
    /// Reads, writes and trims.
    #[default]
    Apart,
    /// All of them as one.
    Mixed,
    /// The directions apart, and as one.
    Both,
}

/// A latency that a depth was sought for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LatencyTarget {
    /// The longest that a request may take, in nanoseconds.
    pub target_ns: u64,
    /// Time for which a depth was tried, in nanoseconds.
    pub window_ns: u64,
    /// Percent of the requests that have to keep within it.
    pub percentile: f64,
}

/// The end of a job's search for a steady state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SteadyState {
    /// The figure that had to be steady: `iops`, `iops_slope`, `bw` or `bw_slope`.
    pub measure: String,
    /// Bound that the criterion had to stay below.
    pub limit: f64,
    /// It and the criterion are in percent of the mean.
    pub in_percent: bool,
    /// Length of the window that was judged, in seconds.
    pub duration_s: u64,
    /// True if the job became steady.
    pub is_attained: bool,
    /// The value compared with the limit last.
    pub criterion: f64,
    /// The largest distance of a second from the mean, in requests or bytes a second; 0 where the slope was looked at.
    pub deviation: f64,
    /// The slope of the line through the seconds, in requests or bytes a second in each second; 0 where the distance was
    /// looked at.
    pub slope: f64,
    /// Requests in each of the last seconds.
    pub ios: Vec<u64>,
    /// Bytes in each of them.
    pub bytes: Vec<u64>,
}

/// A program of a scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Process {
    /// Time of its start, in nanoseconds.
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
    /// Commands completed in this direction.
    pub ios: u64,
    /// Bytes moved in this direction.
    pub bytes: u64,
    /// Commands completed a second.
    pub iops: f64,
    /// Bytes moved a second.
    pub bytes_per_s: f64,
    /// Shortest latency in nanoseconds.
    pub lat_ns_min: u64,
    /// Mean latency in nanoseconds.
    pub lat_ns_mean: f64,
    /// Standard deviation in nanoseconds.
    pub lat_ns_stddev: f64,
    /// Longest latency in nanoseconds.
    pub lat_ns_max: u64,
    /// (percent, latency in nanoseconds), ascending: fio's, 99.999, and those that a job asks for; each at most 0.1 %
    /// above the true one.
    pub lat_ns_percentiles: Vec<(f64, u64)>,
    /// (upper bound in nanoseconds, count): the distribution in ten buckets a decade, each 26 % wide.
    pub lat_ns_histogram: Vec<(u64, u64)>,
    /// (a latency in nanoseconds, count) of fio's 1856 bins, each called by the latency in its middle; empty ones are left
    /// out. Of jobs of job files alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lat_ns_bins: Vec<(u64, u64)>,
    /// Percentiles over time; of a run's directions alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lat_ns_course: Option<LatencyCourse>,
    /// The rate second by second; absent where no second was whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_second: Option<PerSecond>,
}

impl Traffic {
    /// Tells if nothing went this way.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.ios == 0
    }

    /// Tells if its latencies are known: in a run without a clock they are not.
    #[must_use]
    pub fn is_timed(&self) -> bool {
        self.lat_ns_max > 0 || !self.lat_ns_percentiles.is_empty()
    }

    /// A percentile of latency in nanoseconds; none where it is not kept.
    #[must_use]
    pub fn percentile_ns(&self, percent: f64) -> Option<u64> {
        let mut kept = self.lat_ns_percentiles.iter();
        kept.find(|(of, _)| *of == percent).map(|(_, ns)| *ns)
    }
}

/// Percentiles of latency in each interval of a run, in nanoseconds; `null` where nothing was completed in it. They are at
/// most 1.6 % above the true ones.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LatencyCourse {
    /// Length of an interval in seconds: one, and twice, four times … as much for runs of more than four minutes.
    pub interval_s: f64,
    /// The median of each interval.
    pub p50: Vec<Option<u64>>,
    /// The 99th percentile of each interval.
    pub p99: Vec<Option<u64>>,
    /// The 99.9th percentile of each interval.
    pub p99_9: Vec<Option<u64>>,
}

/// A rate over the whole seconds of a run; a last one cut short would look like a dip.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PerSecond {
    /// Number of whole seconds.
    pub seconds: u64,
    /// Commands completed in each.
    pub ios: Extent,
    /// Bytes moved in each.
    pub bytes: Extent,
}

/// Extremes, mean and scatter of the values of whole seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Extent {
    /// Value of the slowest second.
    pub min: f64,
    /// Value of the fastest second.
    pub max: f64,
    /// Arithmetic mean of the seconds.
    pub mean: f64,
    /// Standard deviation of the seconds.
    pub stddev: f64,
}
