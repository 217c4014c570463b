//! One load on one drive in one state, and what became of both.

use crate::{Job, NvmeLogs, Spread, Traffic, pts};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

/// One run of one load on one drive in one state.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// `drive/test/state`, and behind these the link and the data where the test varies them.
    pub id: String,
    /// Drive slug.
    pub drive: String,
    /// Test slug.
    pub test: String,
    /// State of the drive at the start: `new`, `filled`, `used`, `after-trim`, `after-torture` …; `na`
    /// for what is reported without a run.
    pub state: String,
    /// What the host wrote or reads back: `incompressible` or `compressible`; empty without I/O.
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
    /// How it was measured, in words: on which machine, what was cut short, how often it was repeated.
    #[serde(default)]
    pub notes: Vec<String>,
    /// How the drive settled, if it was prepared to be steady.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settling: Option<Settling>,
    /// The saved state that the drive was loaded from; absent when it was prepared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saved_state: Option<SavedState>,
    /// Named figures of this run that published rows and charts refer to, in the units their
    /// names end in (`iops`, `mb_s`, `lat_avg_ms`, `lat_max_ms` …). Repeats give their means, and all else in
    /// a run is of the first repeat, whose seed is the root.
    pub metrics: BTreeMap<String, f64>,
    /// How each of the metrics spreads over repeats; absent for what was run once.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub spread: BTreeMap<String, Spread>,
    /// Reads, of all jobs together.
    pub read: Traffic,
    /// Writes.
    pub write: Traffic,
    /// Trims.
    pub trim: Traffic,
    /// Flushes.
    #[serde(default, skip_serializing_if = "Traffic::is_none")]
    pub flush: Traffic,
    /// Commands submitted.
    #[serde(default)]
    pub submitted: u64,
    /// Commands completed; equal to `submitted`, or the run is an error.
    #[serde(default)]
    pub completed: u64,
    /// How long it took, in virtual seconds or, on a real drive, in those of the wall; 0 for an untimed run.
    #[serde(default)]
    pub seconds: f64,
    /// From how many nanoseconds without progress on `pauses` counts one.
    #[serde(default)]
    pub pause_ns: u64,
    /// What each job saw.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<Job>,
    /// Keys of the job file's global section, as written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub global_options: Vec<(String, String)>,
    /// Keys of the load that have no effect here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<Ignored>,
    /// What a reader of the figures has to know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// What happened inside the drive, or the drives together; absent where nobody can look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inside: Option<Inside>,
    /// What happened at each drive of a run on several; absent for a run on one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<AtDevice>,
    /// I/Os completed in each interval of `series_interval_s` seconds.
    pub series_ios: Vec<u64>,
    /// Bytes moved in each interval.
    #[serde(default)]
    pub series_bytes: Vec<u64>,
    /// NAND bytes programmed over host bytes written in each interval; 0 where the host wrote nothing, which is
    /// `null` in a file.
    #[serde(default, with = "crate::ratio::each")]
    #[schemars(with = "Vec<Option<f64>>")]
    pub series_wa: Vec<f64>,
    /// Length of an interval of the series, in seconds.
    pub series_interval_s: f64,
    /// Mean watts of each interval; empty when the drive's file does not say what its parts take.
    #[serde(default)]
    pub series_watts: Vec<f64>,
    /// Degrees Celsius at the end of each interval; empty when the drive's file does not say how it warms.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub series_celsius: Vec<f64>,
    /// Steps of throttling that held at the end of each interval; empty when none ever did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub series_throttle: Vec<u8>,
    /// The energy the drive took, by part; absent without a clock, or when its file does not say what its parts take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joules: Option<Joules>,
    /// How far the blocks were worn at the end, as (P/E cycles in percent of the rated ones, share
    /// of the blocks in percent), ascending; empty when it was not looked at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wear: Vec<(f64, f64)>,
    /// How often the blocks had been erased at the end; absent for a drive without flash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub erases: Option<Erases>,
    /// What the drive said of itself at the end; empty when it was not asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub smart: Vec<SmartAttribute>,
    /// The logs of an NVMe drive at the end; absent for others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nvme: Option<NvmeLogs>,
    /// How fast the drive took what was written in order; absent for runs that were not about that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fill: Option<Fill>,
    /// What a test of SNIA's Performance Test Specification came to; absent for other tests.
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

    /// Write amplification over the run; none where nobody can look inside, or nothing was written to flash.
    #[must_use]
    pub fn wa(&self) -> Option<f64> {
        Some(self.inside.as_ref()?.wa).filter(|&wa| wa > 0.0)
    }
}

/// The speed of sequential writes over what had been written, of a drive in its own size.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fill {
    /// (GB written at the end of a stretch, MB/s in it), ascending.
    pub course: Vec<(f64, f64)>,
    /// Where the speed is even, in order.
    pub plateaus: Vec<Plateau>,
    /// GB written when the host rested; the course goes on behind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rests_gb: Vec<f64>,
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

/// One of several drives that a load ran on: what happened there alone.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AtDevice {
    /// What the load calls it.
    pub name: String,
    /// Drive slug.
    pub drive: String,
    /// The link between drive and host, as `link` of the run.
    #[serde(default)]
    pub link: String,
    /// How the drive settled, if it was prepared to be steady.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settling: Option<Settling>,
    /// Bytes that the host wrote to it.
    pub written_bytes: u64,
    /// What happened inside.
    pub inside: Inside,
    /// NAND bytes programmed over host bytes written in each interval, as `series_wa` of the run.
    #[serde(default, with = "crate::ratio::each")]
    #[schemars(with = "Vec<Option<f64>>")]
    pub series_wa: Vec<f64>,
    /// Degrees Celsius at the end of each interval, as `series_celsius` of the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub series_celsius: Vec<f64>,
    /// Steps of throttling that held at the end of each interval, as `series_throttle` of the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub series_throttle: Vec<u8>,
    /// The energy it took, by part, as `joules` of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joules: Option<Joules>,
    /// How often its blocks had been erased at the end; absent for a drive without flash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub erases: Option<Erases>,
    /// What it said of itself at the end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub smart: Vec<SmartAttribute>,
    /// Its logs at the end, if it is one of NVMe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nvme: Option<NvmeLogs>,
}

/// How a drive settled while it was prepared: round by round of random writes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Settling {
    /// Rounds it took, or was given.
    pub rounds: u64,
    /// Whether it was steady then.
    pub settled: bool,
    /// Write amplification of each round.
    pub wa: Vec<f64>,
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
    /// Where it stands: file and line.
    pub at: String,
    /// The key as written.
    pub key: String,
    /// Why it has no effect.
    pub why: String,
}

impl Display for Ignored {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} has no effect: {}", self.at, self.key, self.why)
    }
}

/// What a reader of a run has to know before using its figures, in three sentences.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Warning {
    /// What was seen.
    pub saw: String,
    /// Why it matters.
    pub why: String,
    /// What to do instead.
    pub option: String,
}

impl Display for Warning {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.saw, self.why, self.option)
    }
}

/// One attribute of SMART, normalised as the drive does it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SmartAttribute {
    /// Its number.
    pub id: u8,
    /// Its name.
    pub name: String,
    /// 100 at first, less as it gets worse.
    pub value: u8,
    /// The value at which the drive calls itself failing; 0 for never.
    pub threshold: u8,
    /// The raw value, in the unit its maker gives it.
    #[serde(default)]
    pub raw: u64,
}

/// Joules by part of the drive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Joules {
    /// Cells: sensing, programming, erasing.
    pub nand: f64,
    /// Channels between controller and NAND.
    pub bus: f64,
    /// Controller, or a disk's electronics.
    pub controller: f64,
    /// Host link.
    pub link: f64,
    /// DRAM.
    pub dram: f64,
    /// Spindle and arm of a disk.
    pub mechanics: f64,
}

/// How often blocks were erased, and what failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Erases {
    /// Blocks of the drive.
    pub blocks: u32,
    /// Erases of the least worn block.
    pub erases_min: u32,
    /// Erases of the median block.
    pub erases_median: u32,
    /// Erases of a block on average.
    pub erases_mean: f64,
    /// Erases of the most worn block.
    pub erases_max: u32,
    /// Standard deviation of a block's erases.
    pub erases_stddev: f64,
    /// Share of the blocks more than a tenth, and more than one erase, above the median.
    pub over_worn_share: f64,
    /// Mean over maximum.
    pub levelling_efficiency: f64,
    /// P/E cycles that the maker guarantees; absent where the drive's file does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rated_cycles: Option<u32>,
    /// Blocks that were bad when the drive was made.
    pub factory_bad_blocks: u32,
    /// Blocks that an erase failed on.
    pub erase_failed_blocks: u32,
    /// Blocks that a program failed on.
    pub program_failed_blocks: u32,
    /// Superblocks left to replace bad blocks with, where the fewest are.
    pub spare_superblocks: u32,
    /// Reads that were tried again.
    pub read_retries: u64,
    /// Reads that failed.
    pub unreadable: u64,
    /// Reads beyond ECC that parity made good.
    pub made_good: u64,
    /// (first erase count of a range, blocks in it).
    pub histogram: Vec<(u32, u32)>,
}

/// What happened inside the drive during a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Inside {
    /// NAND bytes programmed over host bytes written, over the whole measured run; 0 for a disk or without
    /// host writes, which is `null` in a file.
    #[serde(default, with = "crate::ratio")]
    #[schemars(with = "Option<f64>")]
    pub wa: f64,
    /// The same over the last window of the steady rule; absent where the rule does not hold, and where the
    /// run is too short for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wa_steady: Option<f64>,
    /// Whether garbage collection had settled when the run ended: until then, write amplification and what
    /// follows from it say nothing of the steady state. Absent where nothing was written at random to flash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled: Option<bool>,
    /// Host commands completed.
    pub host_ios: u64,
    /// Bytes that the host wrote to the drive: of requests that go through pages in memory, whole pages.
    #[serde(default)]
    pub host_bytes_written: u64,
    /// Pages programmed.
    pub nand_programs: u64,
    /// Pages read.
    pub nand_reads: u64,
    /// Blocks erased.
    pub nand_erases: u64,
    /// Share of the programs that garbage collection or merges made, 0 to 1; `null` without programs.
    #[serde(default)]
    pub gc_share: Option<f64>,
    /// Pages programmed for the mapping table.
    #[serde(default)]
    pub map_programs: u64,
    /// Pages read for the mapping table.
    #[serde(default)]
    pub map_reads: u64,
    /// Times a host write waited for room in the write buffer.
    pub buffer_stalls: u64,
    /// Trims that freed nothing, as they covered no whole slot of the drive.
    #[serde(default)]
    pub void_trims: u64,
    /// What was written to each placement handle (NVMe FDP), by its number, and copied of what lay there; absent for a drive
    /// without.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub handles: Vec<HandleTraffic>,
    /// Hash over the NAND operations in issue order, 16 hexadecimal digits.
    pub op_stream_hash: String,
}

/// What happened to the data of a placement handle. Collection copies them; where handles are isolated only initially, what
/// was copied once belongs to none of them any more.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HandleTraffic {
    /// Bytes that the host wrote to it, whole slots counted.
    pub host_bytes_written: u64,
    /// Bytes that collection copied.
    pub copied_bytes: u64,
}
