//! One load on drives in one state, and what became of it.

use crate::{At, Inside, Job, Joules, Spread, Traffic, pts};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

/// One run of one load on one drive in one state.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// `drive/test/state`, and behind these the link and the data where the test varies them.
    pub id: String,
    /// Slug of the drive.
    pub drive: String,
    /// Slug of the test.
    pub test: String,
    /// State of the drive at the start: `new`, `filled`, `used`, `after-trim`, `after-torture` …; `na`
    /// for what is reported without a run.
    pub state: String,
    /// The data that the host wrote or reads back: `incompressible` or `compressible`; empty without I/O.
    #[serde(default)]
    pub data: String,
    /// The link between drive and host: `sata1.5g`, `sata3g` or `sata6g`; `pcie4x4` for generation 4 of PCI Express on four
    /// lanes; `other` for one as fast as the drive's file says, `none` for a drive without; empty without I/O.
    #[serde(default)]
    pub link: String,
    /// Slug of the test machine; empty without I/O.
    #[serde(default)]
    pub testbed: String,
    /// The numbers of the drive's file that were set for this run, by their keys.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// The steps that brought the drive there, in words.
    pub steps: Vec<String>,
    /// Notes on the measurement, in words: its machine, tests cut short, the number of repeats.
    #[serde(default)]
    pub notes: Vec<String>,
    /// True if the load was cut, as in a quick review; a note says how much of it ran.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_short: bool,
    /// The saved state that the drive was loaded from; absent when it was prepared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saved_state: Option<SavedState>,
    /// Named figures of this run that published rows and charts refer to, in the units their
    /// names end in (`iops`, `mb_s`, `lat_avg_ms`, `lat_max_ms` …). Repeats give their means, and all else in
    /// a run is of the first repeat, whose seed is the root.
    pub metrics: BTreeMap<String, f64>,
    /// Spread of each of the metrics over repeats; absent for what was run once.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub spread: BTreeMap<String, Spread>,
    /// Reads, of all jobs together.
    pub read: Traffic,
    /// Writes, as counts and latencies.
    pub write: Traffic,
    /// Trims, as counts and latencies.
    pub trim: Traffic,
    /// Flushes, as counts and latencies.
    #[serde(default, skip_serializing_if = "Traffic::is_none")]
    pub flush: Traffic,
    /// Number of commands submitted.
    #[serde(default)]
    pub submitted: u64,
    /// Commands completed; equal to `submitted`, or the run is an error.
    #[serde(default)]
    pub completed: u64,
    /// Hash over the ends of all commands in order, 16 hexadecimal digits: of each, how many were submitted before it and the
    /// nanosecond at which it ended. Absent without a clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completion_hash: Option<String>,
    /// Length of the run, in virtual seconds or, on a real drive, in those of the wall; 0 for an untimed run.
    #[serde(default)]
    pub seconds: f64,
    /// From how many nanoseconds without progress on `pauses` counts one.
    #[serde(default)]
    pub pause_ns: u64,
    /// Counts and latencies of each job.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<Job>,
    /// Keys of the job file's global section, as written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub global_options: Vec<(String, String)>,
    /// Keys of the load that have no effect here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<Ignored>,
    /// Remarks that a reader of the figures has to know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// Each drive of the run, in the order of the load; absent without I/O.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub at: Vec<At>,
    /// Counts from inside several drives together; absent for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub together: Option<Inside>,
    /// I/Os completed in each interval of `series_interval_s` seconds.
    pub series_ios: Vec<u64>,
    /// Bytes moved in each interval.
    #[serde(default)]
    pub series_bytes: Vec<u64>,
    /// Length of an interval of the series, in seconds.
    pub series_interval_s: f64,
    /// Mean watts of each interval; empty when the drive's file does not say what its parts take.
    #[serde(default)]
    pub series_watts: Vec<f64>,
    /// Speed at which the drive took writes in order; absent for runs that were not about that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fill: Option<Fill>,
    /// Results of a test of SNIA's Performance Test Specification; absent for other tests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pts: Option<pts::Pts>,
}

impl Run {
    /// A metric as one of the repeats gave it, from 0; of a run made once its only value.
    #[must_use]
    pub fn metric_in(&self, name: &str, repeat: usize) -> Option<f64> {
        match self.spread.get(name) {
            Some(spread) => spread.values.get(repeat).copied().flatten(),
            None => self.metrics.get(name).copied(),
        }
    }

    /// The drive, if there is one alone.
    #[must_use]
    pub fn only(&self) -> Option<&At> {
        match &self.at[..] {
            [only] => Some(only),
            _ => None,
        }
    }

    /// The drives of a run on several; none of a run on one.
    #[must_use]
    pub fn several(&self) -> &[At] {
        match &self.at[..] {
            [_] => &[],
            all => all,
        }
    }

    /// Returns the counts from inside the drive, or the drives together; none where nobody can look.
    #[must_use]
    pub fn inside(&self) -> Option<&Inside> {
        self.together
            .as_ref()
            .or_else(|| self.only()?.inside.as_ref())
    }

    /// The energy that the drive took, or the drives together; none if one of them does not tell.
    #[must_use]
    pub fn joules(&self) -> Option<Joules> {
        let each = self.at.iter().map(|at| at.joules);
        each.reduce(|sum, at| Some(sum?.plus(at?)))?
    }

    /// Write amplification over the run; none where nobody can look inside, or nothing was written to flash.
    #[must_use]
    pub fn wa(&self) -> Option<f64> {
        Some(self.inside()?.wa).filter(|&wa| wa > 0.0)
    }
}

/// The speed of sequential writes over what had been written, of a drive in its own size.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fill {
    /// (GB written at the end of a stretch, MB/s in it), ascending.
    pub course: Vec<(f64, f64)>,
    /// Parts over which the speed is even, in order.
    pub plateaus: Vec<Plateau>,
    /// GB written when the host rested; the course goes on behind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rests_gb: Vec<f64>,
    /// Plateaus, from the first, that are those of a cache; 0 where none is told.
    #[serde(default)]
    pub cache_plateaus: usize,
    /// Why it cannot be told where the cache of a drive that has one ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<String>,
}

/// A part of a fill over which the speed is even.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Plateau {
    /// GB written where it begins.
    pub from_gb: f64,
    /// GB written where it ends.
    pub to_gb: f64,
    /// MB/s over all of it.
    pub mb_s: f64,
}

/// A saved state that a drive was loaded from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SavedState {
    /// Its file, as it was given.
    pub file: String,
    /// The seed that the drive was prepared with.
    pub seed: u64,
}

/// A key of a load that was accepted although it has no effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ignored {
    /// Its place: file and line.
    pub at: String,
    /// The key as written.
    pub key: String,
    /// The reason for which it has no effect.
    pub why: String,
}

impl Display for Ignored {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} has no effect: {}", self.at, self.key, self.why)
    }
}

/// A remark that a reader of a run has to know before using its figures, in three sentences.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Warning {
    /// The observation, a sentence.
    pub saw: String,
    /// Its consequence for the figures, a sentence.
    pub why: String,
    /// The way out, a sentence.
    pub option: String,
}

impl Display for Warning {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.saw, self.why, self.option)
    }
}
