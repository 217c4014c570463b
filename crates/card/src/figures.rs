//! What a card is made of: figures of a modelled drive under loads, and where they come from.

use crate::load::{Grid, Load};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where figures come from: all that decides them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Source {
    /// Slug of the drive.
    pub drive: String,
    /// The drive's name.
    pub name: String,
    /// What was set of its file, as `key=value`.
    pub settings: Vec<String>,
    /// Capacity of the drive in bytes.
    pub capacity_bytes: u64,
    /// Capacity in bytes of the form that ran: one with smaller blocks where the drive is larger.
    pub measured_bytes: u64,
    /// The version of ftlab.
    pub version: String,
    /// The version of the model: it decides figures.
    pub model_version: u32,
    /// State of the drive in which each load begins.
    pub state: String,
    /// Slug of the machine that it is plugged into.
    pub testbed: String,
    /// Root of every random stream.
    pub seed: u64,
}

impl Source {
    /// The source in lines, for comments.
    pub(crate) fn lines(&self) -> Vec<String> {
        let set: Vec<String> = self
            .settings
            .iter()
            .map(|s| format!(" --set {s}"))
            .collect();
        let size = match self.measured_bytes == self.capacity_bytes {
            true => String::new(),
            false => format!(" in a form of {} bytes", self.measured_bytes),
        };
        vec![
            format!("{}{}: {}", self.drive, set.concat(), self.name),
            format!(
                "measured by ftlab {} (model {}){size}: state {}, testbed {}, seed {}",
                self.version, self.model_version, self.state, self.testbed, self.seed
            ),
            "The figures are those of a model. No real drive was measured.".to_owned(),
        ]
    }
}

/// Latency of requests in one direction, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Latency {
    /// Arithmetic mean.
    pub mean_us: f64,
    /// Median.
    pub p50_us: f64,
    /// 99th percentile; absent where fewer than 100 requests went this way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99_us: Option<f64>,
    /// 99.9th percentile; absent where fewer than 1000 requests went this way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99_9_us: Option<f64>,
}

/// A load and what the model gives under it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Row {
    /// The load.
    #[serde(flatten)]
    pub load: Load,
    /// Requests completed a second, reads and writes.
    pub iops: f64,
    /// Bytes moved, in millions a second.
    pub mb_s: f64,
    /// Latency of its reads; absent where it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<Latency>,
    /// Latency of its writes; absent where it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write: Option<Latency>,
}

/// All that a card is made of.
#[derive(Debug, Clone, Copy)]
pub struct Figures<'a> {
    /// Where they come from.
    pub source: &'a Source,
    /// What was asked for.
    pub grid: &'a Grid,
    /// A row of each load that the form asked for.
    pub rows: &'a [Row],
}

impl Figures<'_> {
    /// The row of a load.
    ///
    /// # Panics
    /// If the load is none that the form asked for.
    pub(crate) fn row(&self, load: Load) -> &Row {
        let row = self.rows.iter().find(|row| row.load == load);
        row.unwrap_or_else(|| panic!("{} was asked for and has no row", load.name()))
    }

    /// The rows of loads, in their order.
    pub(crate) fn rows_of(&self, loads: &[Load]) -> Vec<&Row> {
        loads.iter().map(|&load| self.row(load)).collect()
    }
}
