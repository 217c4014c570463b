//! Health as a drive tells it, as data: the attributes of an ATA drive and the logs of an NVMe drive.
//!
//! Drives make them (`drive/smart.rs`, `drive/nvme.rs`), results keep them, and tools print them: all know these types alone.

mod counted;

pub use counted::Counted;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Bit of the critical warning: the spare blocks are below their threshold.
pub const SPARE_IS_LOW: u8 = 1 << 0;
/// Bit of the critical warning: the drive is as warm as it warns of.
pub const IS_TOO_WARM: u8 = 1 << 1;
/// Bit of the critical warning: nothing can be written.
pub const IS_READ_ONLY: u8 = 1 << 3;

/// One attribute of SMART, normalised as the drive does it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SmartAttribute {
    /// Number of the attribute.
    pub id: u8,
    /// Its name in smartmontools' database.
    pub name: String,
    /// 100 at first, less as it gets worse.
    pub value: u8,
    /// The value at which the drive calls itself failing; 0 for never.
    #[serde(alias = "thresh")]
    pub threshold: u8,
    /// The raw value, in the unit its maker gives it.
    #[serde(default)]
    pub raw: u64,
}

/// The logs in which an NVMe drive tells of its health.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct NvmeLogs {
    /// SMART / Health Information (02h).
    pub health: NvmeHealth,
    /// OCP's extension of it (C0h); absent for a drive that is not page-mapped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extended: Option<NvmeExtended>,
}

/// SMART / Health Information, in the standard's units.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct NvmeHealth {
    /// Bits for low spare, heat and a drive that is only read; 0 while all is well.
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
    /// Thousands of 512 bytes that the host wrote, as far as they have left the write buffer.
    pub data_units_written: u64,
    /// Reads of the host that ended.
    pub host_reads: u64,
    /// Writes of the host that ended.
    pub host_writes: u64,
    /// Minutes with a command of the host's; absent where nobody counted them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busy_minutes: Option<u64>,
    /// Number of times it was switched on.
    pub power_cycles: u64,
    /// Hours for which it was.
    pub power_on_hours: u64,
    /// Number of times its power went while it was at work.
    pub unsafe_shutdowns: u64,
    /// Reads of pages beyond what could be corrected.
    pub media_errors: u64,
    /// Commands that ended with an error, each an entry of the error log.
    pub error_entries: u64,
    /// Minutes from the warning temperature on, below the critical one; as the standard has it, 0 without such a threshold.
    pub warning_minutes: u64,
    /// Minutes from the critical temperature on.
    pub critical_minutes: u64,
    /// Number of times that light and heavy throttling began.
    pub throttled: [u64; 2],
    /// Seconds of light and of heavy throttling.
    pub throttled_s: [u64; 2],
}

/// OCP's extension of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct NvmeExtended {
    /// Bytes programmed to flash.
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
    /// Reads that ECC could not correct, however often the page was read: those that parity made good and those that
    /// nothing did.
    pub beyond_ecc: u64,
    /// Erases of the block with the most.
    pub erases_max: u32,
    /// Erases of the block with the fewest.
    pub erases_min: u32,
    /// Number of times that throttling began; 255 at most.
    pub throttled: u8,
    /// Steps of throttling that held.
    pub throttling: u8,
    /// Power cuts that the drive had no capacitors against.
    pub incomplete_shutdowns: u64,
    /// Share of free superblocks among those that the host's data leave, in percent.
    pub free_percent: u8,
    /// True if capacitors keep the write buffer. Those of the model do not age.
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
