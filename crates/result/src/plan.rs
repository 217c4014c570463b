//! Plans: a drive under a load for years, and the spare area it takes to meet goals.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One drive under one load, planned for years.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    /// Slug of the drive.
    pub drive: String,
    /// Test slug of the load.
    pub test: String,
    /// Capacity that the host sees, in bytes.
    pub capacity_bytes: u64,
    /// Capacity of the flash, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flash_bytes: Option<u64>,
    /// P/E cycles that a block is rated for; absent where the drive's file does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rated_cycles: Option<u32>,
    /// Bytes that the maker lets the host write (TBW); absent where the drive's file does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rated_bytes: Option<u64>,
    /// True if `rated_bytes` is the usual amount of the drive's class, as no source gives it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rated_bytes_assumed: bool,
    /// The drive as it is.
    pub now: Point,
    /// Drive writes a day: host bytes a day over the capacity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_drive_writes_per_day: Option<f64>,
    /// Reads at the load's rate; absent without reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<Latency>,
    /// Writes at the load's rate; absent without writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write: Option<Latency>,
    /// The highest rate that keeps a latency; absent when none was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub highest_rate: Option<HighestRate>,
    /// The drive at several rates of the load, ascending; empty where none was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rates: Vec<AtRate>,
    /// The drive at several spare areas, this one among them, ascending; empty where it cannot be varied.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curve: Vec<Point>,
    /// The least spare area that meets each goal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub goals: Vec<Goal>,
    /// Sentences on the origin of each number, and on numbers that could not be had.
    pub notes: Vec<String>,
}

/// A drive with one spare area under the load.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Point {
    /// Over-provisioning, of the user's capacity; absent for a drive that collects in none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spare: Option<f64>,
    /// Capacity that the host sees, in bytes.
    pub capacity_bytes: u64,
    /// Write amplification under the load repeated until it is steady; absent without flash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wa: Option<f64>,
    /// True if the load was steady.
    pub settled: bool,
    /// Write amplification by the closed form, where one covers drive and load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_form_wa: Option<f64>,
    /// Bytes that the host writes a day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_bytes_per_day: Option<f64>,
    /// Wear; absent without flash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wear: Option<Wear>,
    /// The 99th percentile of latency of reads and writes, whichever is longer, in nanoseconds; absent without a clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99_ns: Option<u64>,
    /// The 99.9th percentile, otherwise as `p99_ns`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99_9_ns: Option<u64>,
}

/// Wear that a load causes to the flash of a drive for years, when all blocks wear alike.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Wear {
    /// Bytes programmed a day.
    pub flash_bytes_per_day: f64,
    /// P/E cycles of a block a day: bytes programmed a day over the flash.
    pub cycles_per_day: f64,
    /// Years until the rated cycles are used up; absent where the drive's file says nothing of cycles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rated_years: Option<f64>,
    /// Years until the host has written the amount that the maker announces (TBW); absent where the drive's file does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub announced_years: Option<f64>,
    /// Years until 1 % of the blocks have worn out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_1_pct_years: Option<f64>,
    /// Part of what is rated that is used after 5 years, in percent: of the cycles or of the announced amount, whichever
    /// is used up first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_pct_5_years: Option<f64>,
}

impl Wear {
    /// Years until something rated is used up, the cycles or the announced amount; none where neither is known.
    #[must_use]
    pub fn years(&self) -> Option<f64> {
        let known = [self.rated_years, self.announced_years];
        known.into_iter().flatten().min_by(f64::total_cmp)
    }
}

/// Latencies of requests of a kind at a rate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Latency {
    /// Requests of this kind a second.
    pub iops: f64,
    /// Median latency, in nanoseconds.
    pub p50_ns: u64,
    /// 99th percentile of latency, in nanoseconds.
    pub p99_ns: u64,
    /// 99.9th percentile of latency, in nanoseconds.
    pub p99_9_ns: u64,
}

/// A drive at a rate of the load.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AtRate {
    /// Requests that arrive a second.
    pub asked_iops: f64,
    /// Requests that are answered a second.
    pub iops: f64,
    /// False if fewer are answered than arrive, so that latencies grow as long as the run lasts.
    pub keeps_up: bool,
    /// Latencies of reads; absent without reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<Latency>,
    /// Latencies of writes; absent without writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write: Option<Latency>,
}

/// The highest rate of a load that keeps a latency.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HighestRate {
    /// The 99th percentile to keep, in nanoseconds: of reads and of writes.
    pub p99_ns: u64,
    /// Bytes that the host writes a day at that rate; absent when no rate keeps it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_bytes_per_day: Option<f64>,
    /// Requests a second at that rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iops: Option<f64>,
    /// The 99th percentile there, or at the rate that comes nearest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reached_ns: Option<u64>,
    /// The finding, a sentence.
    pub words: String,
}

/// A figure of a drive that a goal is set for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Write amplification, at most.
    Wa,
    /// Years to the rated cycles, at least.
    LifeYears,
    /// The 99th percentile of reads and of writes in nanoseconds, at most.
    P99Ns,
}

/// The least spare area that meets a goal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Goal {
    /// The figure that the goal is set for.
    pub measure: Measure,
    /// Value of the figure that is wanted.
    pub wanted: f64,
    /// Over-provisioning that meets it; absent when none does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spare: Option<f64>,
    /// Capacity that the host sees then, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity_bytes: Option<u64>,
    /// Value of the figure there, or at the spare area that comes nearest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reached: Option<f64>,
    /// Over-provisioning by the closed form, where one covers drive, load and goal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_form_spare: Option<f64>,
    /// True if no less spare area would do; false where less was not looked at.
    pub is_least: bool,
    /// The finding, a sentence.
    pub words: String,
}
