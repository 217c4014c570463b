//! Results of a test of SNIA's Performance Test Specification, in the standard's terms.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One test of SNIA's Solid State Storage Performance Test Specification on one drive.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pts {
    /// The settings it ran with.
    pub settings: Settings,
    /// The shortening against the standard's test.
    pub scale: Scale,
    /// The steady state; absent for a test that has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steady: Option<SteadyState>,
    /// The accesses of a round, in their order; empty for a test without rounds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<Cell>,
    /// Rates over the bytes written, one course an access group.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub courses: Vec<Course>,
}

/// The class of drive that settings are meant for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// Client drives, as in PTS-C.
    Client,
    /// Enterprise drives, as in PTS-E.
    Enterprise,
}

/// Settings of the standard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Settings {
    /// Class of drive that they are meant for.
    pub class: Class,
    /// True if the drive's write cache was on.
    pub write_cache: bool,
    /// The part of the drive that is used, from its start, in percent.
    pub active_range_pct: u8,
    /// Number of threads that submit.
    pub threads: u32,
    /// Commands that each thread keeps outstanding.
    pub depth: u32,
}

/// The shortening of a test against the standard's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Scale {
    /// Factor by which it was shorter; 1 is the standard as it is.
    pub divisor: f64,
    /// Length of a minute of the standard, in seconds.
    pub minute_s: f64,
    /// Part of a minute that was counted with time, in seconds, unless more was needed to see enough requests end.
    pub counted_s: f64,
    /// The differences from the standard that it causes, in words; empty for the standard as it is.
    pub words: Vec<String>,
}

/// The steady state, or the lack of one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SteadyState {
    /// The round at which it was reached, from 1; `null` when it was not, and the measurement window is
    /// that of the last rounds.
    pub reached: Option<u32>,
    /// Rounds that were run.
    pub rounds: u32,
    /// Rounds after which a drive counts as one that does not settle.
    pub rounds_max: u32,
    /// First round of the measurement window, from 1.
    pub window_first: u32,
    /// Last round of the measurement window.
    pub window_last: u32,
    /// The tracking variables; all of them have to be steady.
    pub tracking: Vec<Tracking>,
}

/// A variable that is tracked from round to round until it is steady.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tracking {
    /// The access, for example `RND 4 KiB, R/W 0/100`.
    pub access: String,
    /// The unit of its values.
    pub unit: String,
    /// Its value in each round.
    pub rounds: Vec<f64>,
    /// Mean over the measurement window.
    pub mean: f64,
    /// Distance between its largest and smallest value in the measurement window, in percent of the mean.
    pub excursion_pct: f64,
    /// Move of the line by least squares over the measurement window, in percent of the mean.
    pub slope_pct: f64,
    /// The ends of that line, at the first round of the window and at the last.
    pub line: [f64; 2],
    /// True if both are within their limits.
    pub is_steady: bool,
}

/// One access of a round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cell {
    /// Share of reads among the requests, in percent.
    pub read_pct: u8,
    /// Bytes of a request.
    pub block_bytes: u64,
    /// Over the measurement window.
    pub mean: Rate,
    /// Its rates in each round.
    pub rounds: Vec<Rate>,
}

/// Rates and latencies of an access.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rate {
    /// Commands completed a second.
    pub iops: f64,
    /// 10^6 bytes a second.
    pub mb_s: f64,
    /// Mean latency in milliseconds.
    pub lat_avg_ms: f64,
    /// Longest latency in milliseconds; of several rounds the longest.
    pub lat_max_ms: f64,
}

/// A rate over the bytes that were written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Course {
    /// Name of the access group.
    pub name: String,
    /// Samples in the order in which they were taken.
    pub points: Vec<Point>,
}

/// A sample of a course.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Point {
    /// Bytes the host had written when the sample ended, since the purge.
    pub written_bytes: u64,
    /// Seconds since the first access of the test began, what ran without time included.
    pub at_s: f64,
    /// Rates and latencies of the sample.
    pub rate: Rate,
}
