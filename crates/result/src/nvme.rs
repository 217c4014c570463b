//! The logs in which an NVMe drive tells of its health.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an NVMe drive told of its health at the end of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NvmeLogs {
    /// SMART / Health Information (02h).
    pub health: NvmeHealth,
    /// OCP's extension of it (C0h); absent for a drive that is not page-mapped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extended: Option<NvmeExtended>,
}

/// SMART / Health Information, in the standard's units.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NvmeHealth {
    /// Bits, 0 while all is well.
    pub critical_warning: u8,
    /// Degrees Celsius; 40 for a drive whose file does not say how it warms.
    pub celsius: i32,
    /// Percent of the spare superblocks that are left.
    pub available_spare: u8,
    /// Percent below which it warns.
    pub spare_threshold: u8,
    /// Percent of the rated cycles that the mean block has had; 255 at most.
    pub percentage_used: u8,
    /// Thousands of 512 bytes that the host read.
    pub data_units_read: u64,
    /// Thousands of 512 bytes that the host wrote.
    pub data_units_written: u64,
    /// Reads that ended.
    pub host_reads: u64,
    /// Writes that ended.
    pub host_writes: u64,
    /// Minutes with a command of the host's; absent where nobody counted them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busy_minutes: Option<u64>,
    /// How often it was switched on.
    pub power_cycles: u64,
    /// Hours for which it was.
    pub power_on_hours: u64,
    /// How often its power went while it was at work.
    pub unsafe_shutdowns: u64,
    /// Reads of pages beyond what could be corrected.
    pub media_errors: u64,
    /// Commands that ended with an error.
    pub error_entries: u64,
    /// Minutes from the warning temperature on, below the critical one.
    pub warning_minutes: u64,
    /// Minutes from the critical temperature on.
    pub critical_minutes: u64,
    /// How often light and heavy throttling began.
    pub throttled: [u64; 2],
    /// Seconds of each.
    pub throttled_s: [u64; 2],
}

/// OCP's extension of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NvmeExtended {
    /// Bytes programmed.
    pub media_bytes_written: u64,
    /// Bytes of the pages that were read.
    pub media_bytes_read: u64,
    /// Blocks that went bad since the drive was made.
    pub bad_blocks: u64,
    /// Percent of the spare superblocks that are left.
    pub spare_percent: u8,
    /// Reads that parity made good.
    pub parity_recoveries: u64,
    /// Reads of pages beyond what could be corrected.
    pub unreadable: u64,
    /// Reads that ECC could not correct.
    pub beyond_ecc: u64,
    /// Erases of the block with the most.
    pub erases_max: u32,
    /// Erases of the block with the fewest.
    pub erases_min: u32,
    /// How often throttling began; 255 at most.
    pub throttled: u8,
    /// Steps of throttling that held.
    pub throttling: u8,
    /// Power cuts that the drive had no capacitors against.
    pub incomplete_shutdowns: u64,
    /// How many percent of the superblocks that the host's data leave are free.
    pub free_percent: u8,
    /// Whether capacitors keep the write buffer.
    pub has_capacitors: bool,
    /// Writes that did not begin and end with a slot.
    pub unaligned: u64,
    /// Sectors of the slots that hold something.
    pub used_sectors: u64,
    /// Power cuts through which capacitors kept the drive going.
    pub capacitor_starts: u64,
    /// Billions of bytes that the rated cycles are good for; absent where no rating is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endurance_gb: Option<u64>,
}
