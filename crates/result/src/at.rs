//! A drive of a run: what happened there, and how it stands at the end.

use crate::{NvmeLogs, SmartAttribute};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A drive of a run: what happened there while it was measured, and how it stands at the end.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct At {
    /// Its name in the load. A run's only drive has none; absent for that.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Its slug. A run's only drive is the run's; absent for that.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub drive: String,
    /// The link to it. A run's only drive is on the run's; absent for that.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub link: String,
    /// Rounds in which the drive was prepared to be steady; absent for any other preparation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settling: Option<Settling>,
    /// Counts from inside the drive; absent where nobody can look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inside: Option<Inside>,
    /// NAND bytes programmed over host bytes written in each interval of the run's series; 0 where the host wrote nothing,
    /// which is `null` in a file.
    #[serde(default, with = "crate::ratio::each")]
    #[schemars(with = "Vec<Option<f64>>")]
    pub series_wa: Vec<f64>,
    /// Degrees Celsius at the end of each interval; empty when the drive's file does not say how it warms.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub series_celsius: Vec<f64>,
    /// Steps of throttling that held at the end of each interval; empty when none ever did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub series_throttle: Vec<u8>,
    /// The energy the drive took, by part; absent without a clock, or when its file does not say what its parts take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joules: Option<Joules>,
    /// Wear of the blocks at the end, as (P/E cycles in percent of the rated ones, share of the blocks in percent),
    /// ascending; empty when it was not looked at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wear: Vec<(f64, f64)>,
    /// Erases of the blocks up to the end; absent for a drive without flash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub erases: Option<Erases>,
    /// The attributes that the drive reported at the end; empty when it was not asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub smart: Vec<SmartAttribute>,
    /// The logs of an NVMe drive at the end; absent for others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nvme: Option<NvmeLogs>,
    /// The steps that a real drive went through, the measured one last, with its counters before and after each; empty
    /// for a model, and for a drive that nobody could ask.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counted: Vec<CountedStep>,
}

/// A step on a real drive, and what the drive counted in it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CountedStep {
    /// The step in words.
    pub step: String,
    /// The drive's counters before it.
    pub before: Counters,
    /// The drive's counters after it.
    pub after: Counters,
    /// Media bytes written over host bytes written in the step; absent where the drive does not count both, and where
    /// its counters are too coarse for what was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wa: Option<f64>,
}

/// Counters of a real drive since it was made. Each is absent where the drive does not have it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counters {
    /// Bytes that hosts wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_bytes_written: Option<u64>,
    /// Bytes that the drive wrote to its flash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_bytes_written: Option<u64>,
    /// Percent of the rated endurance that is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percentage_used: Option<u8>,
    /// Degrees Celsius.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub celsius: Option<i32>,
    /// Percent of the spare blocks that are left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub available_spare: Option<u8>,
    /// Number of times its power went while it was at work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsafe_shutdowns: Option<u64>,
    /// Errors of the medium that the drive could not correct.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_errors: Option<u64>,
}

/// Preparation of a drive by rounds of random writes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Settling {
    /// Rounds it took, or was given.
    pub rounds: u64,
    /// True if the drive was steady after them.
    pub settled: bool,
    /// Write amplification of each round.
    pub wa: Vec<f64>,
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
    /// Link to the host.
    pub link: f64,
    /// Memory of the drive, its DRAM.
    pub dram: f64,
    /// Spindle and arm of a disk.
    pub mechanics: f64,
}

impl Joules {
    /// Returns the joules of all parts together.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.nand + self.bus + self.controller + self.link + self.dram + self.mechanics
    }

    /// Those of two drives together.
    #[must_use]
    pub fn plus(self, other: Joules) -> Joules {
        Joules {
            nand: self.nand + other.nand,
            bus: self.bus + other.bus,
            controller: self.controller + other.controller,
            link: self.link + other.link,
            dram: self.dram + other.dram,
            mechanics: self.mechanics + other.mechanics,
        }
    }
}

/// Erases of a drive's blocks, and its failures.
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
    /// Mean of the blocks' erases over their maximum; 1 when all blocks are worn alike.
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
    /// Reads whose data could not be had.
    pub unreadable: u64,
    /// Reads beyond ECC that parity made good.
    pub made_good: u64,
    /// (first erase count of a range, blocks in it).
    pub histogram: Vec<(u32, u32)>,
}

/// Counts from inside the drive over the measured part of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Inside {
    /// NAND bytes programmed over host bytes written, over the whole measured run; 0 for a disk or without
    /// host writes, which is `null` in a file.
    #[serde(default, with = "crate::ratio")]
    #[schemars(with = "Option<f64>")]
    pub wa: f64,
    /// Write amplification over the last window of the steady rule; absent where the rule does not hold, and where the
    /// run is too short for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wa_steady: Option<f64>,
    /// True if garbage collection had settled when the run ended: until then, write amplification and what follows from
    /// it say nothing of the steady state. Absent where nothing was written at random to flash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled: Option<bool>,
    /// Commands of the host that the drive completed.
    pub host_ios: u64,
    /// Bytes that the host wrote to the drive: of requests that go through pages in memory, whole pages.
    #[serde(default)]
    pub host_bytes_written: u64,
    /// Pages that the flash programmed.
    pub nand_programs: u64,
    /// Pages that the flash read.
    pub nand_reads: u64,
    /// Blocks that the flash erased.
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
    /// Bytes written to and copied for each placement handle (NVMe FDP), by its number; absent for a drive without.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub handles: Vec<HandleTraffic>,
    /// Hash over the NAND operations in issue order, 16 hexadecimal digits.
    pub op_stream_hash: String,
}

/// Traffic of the data of a placement handle. Collection copies them; where handles are isolated only initially, what
/// was copied once belongs to none of them any more.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HandleTraffic {
    /// Bytes that the host wrote to it, whole slots counted.
    pub host_bytes_written: u64,
    /// Bytes that collection copied.
    pub copied_bytes: u64,
}
