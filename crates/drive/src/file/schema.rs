//! What a drive file may say. Every number is a
//! `{ value, unit, source, confidence, note }`; unknown keys are refused.

use super::power::{DiskPowerKeys, SsdPowerKeys};
use ftlab_sheet::quantity::{
    ActivationEnergy, Bytes, Count, CountOrNone, Quantity, Rate, Ratio, Share, Time,
};
use serde::Deserialize;
use std::collections::BTreeMap;

/// What every drive file begins with; the keys of [`HEADER_KEYS`].
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Header {
    pub(super) schema: u32,
    pub(super) kind: Kind,
    pub(super) name: String,
    pub(super) summary: String,
    #[serde(default)]
    pub(super) aliases: Vec<String>,
}

/// The keys of a drive file outside its sections.
pub(super) const HEADER_KEYS: [&str; 5] = ["schema", "kind", "name", "summary", "aliases"];

/// What a drive is built of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Flash.
    Ssd,
    /// A spinning disk.
    Disk,
    /// A part of the host's memory.
    Ram,
}

impl Kind {
    /// Its name in drive files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Ssd => "ssd",
            Kind::Disk => "disk",
            Kind::Ram => "ram",
        }
    }
}

/// The sections of an SSD.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SsdFile {
    pub(super) nand: Nand,
    pub(super) map: Map,
    pub(super) spare: Spare,
    pub(super) gc: Option<Gc>,
    pub(super) compress: Option<Compress>,
    pub(super) raise: Option<Raise>,
    pub(super) wear: Option<Wear>,
    pub(super) reliability: Option<ReliabilityKeys>,
    pub(super) ecc: Option<EccKeys>,
    pub(super) smart: Option<SmartKeys>,
    pub(super) faults: Option<FaultKeys>,
    pub(super) buffer: Buffer,
    pub(super) firmware: Firmware,
    pub(super) scheduling: Option<SchedulingKeys>,
    pub(super) checkpoint: Option<CheckpointKeys>,
    pub(super) link: Link,
    pub(super) queue: Queue,
    pub(super) power: Option<SsdPowerKeys>,
    pub(super) power_loss: Option<PowerLossKeys>,
}

/// What becomes of the write buffer when the power goes; without the section, it is lost.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PowerLossKeys {
    /// Capacitors that keep the drive going until the write buffer is in flash.
    pub(super) capacitors: Quantity<CountOrNone>,
}

/// The sections of a hard disk.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DiskFile {
    pub(super) disk: Platters,
    pub(super) cache: Cache,
    pub(super) link: Link,
    pub(super) queue: Queue,
    pub(super) power: Option<DiskPowerKeys>,
}

/// The sections of a RAM disk.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RamFile {
    pub(super) ram: Memory,
}

/// What memory and driver of a RAM disk take.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Memory {
    pub(super) capacity: Quantity<Bytes>,
    /// The driver's time for a command.
    pub(super) command: Quantity<Time>,
    /// Bytes a second that it copies.
    pub(super) copy_rate: Quantity<Rate>,
}

/// Bugs that a drive is to have.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FaultKeys {
    /// One in how many awakenings from sleep is the drive's last; none if left out.
    pub(super) lost_waking: Option<Quantity<Count>>,
    /// What the host has written when a die dies; none does if left out.
    pub(super) die_fails_after: Option<Quantity<Bytes>>,
    /// Share of blocks whose first erase fails, or a program after it, beside those that wear out.
    pub(super) bad_blocks: Option<Quantity<Share>>,
    /// Share of pages that ECC cannot correct, each time they are programmed, beside those that age.
    pub(super) unreadable_pages: Option<Quantity<Share>>,
}

/// Cells, geometry and timing of the array.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Nand {
    /// `slc` or `mlc`: said in the sheet, priced by the timings.
    #[expect(dead_code, reason = "shown from the text of the file")]
    pub(super) cell: Cell,
    pub(super) channels: Quantity<Count>,
    /// The number on the channels that have most.
    pub(super) dies_per_channel: Quantity<Count>,
    /// In all, where some channels have one less; otherwise as many on each.
    pub(super) dies: Option<Quantity<Count>>,
    pub(super) planes_per_die: Quantity<Count>,
    pub(super) blocks_per_die: Quantity<Count>,
    pub(super) pages_per_block: Quantity<Count>,
    /// User bytes of a page.
    pub(super) page: Quantity<Bytes>,
    /// Bytes of a page beside the user's: metadata and ECC, which cross the channel with it.
    pub(super) page_spare: Quantity<Bytes>,
    /// The least that a read moves over the channel for each page, however little is wanted of it; what
    /// is wanted if left out.
    pub(super) read_unit: Option<Quantity<Bytes>>,
    pub(super) t_read: Quantity<Time>,
    pub(super) t_program: Quantity<Time>,
    pub(super) t_erase: Quantity<Time>,
    /// Rate of one channel.
    pub(super) channel_rate: Quantity<Rate>,
    /// Command, address and status cycles of an operation.
    pub(super) channel_command: Quantity<Time>,
}

/// Bits of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Cell {
    /// One.
    Slc,
    /// Two.
    Mlc,
}

/// Logical to physical.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Map {
    pub(super) scheme: Scheme,
    /// The mapping unit.
    pub(super) slot: Quantity<Bytes>,
    /// Dies that a superblock spans.
    pub(super) stripe_dies: Quantity<Count>,
    /// Page mapping: memory for the mapping table; if it is left out, the table fits.
    pub(super) dram: Option<Quantity<Bytes>>,
    /// Page mapping, with `dram`, and packed mapping, with `cache`: an entry of the table.
    pub(super) entry: Option<Quantity<Bytes>>,
    /// Packed mapping, with `entry`: memory for pages of the table, which lies in flash; if it is left
    /// out, looking up takes no time.
    pub(super) cache: Option<Quantity<Bytes>>,
    /// Block mapping: logical superblocks that may have a log at a time.
    pub(super) log_blocks: Option<Quantity<Count>>,
    /// Block mapping: pages a merge may hold between read and program.
    pub(super) copy_window: Option<Quantity<Count>>,
}

/// The translation layers there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Scheme {
    /// Any slot anywhere.
    Page,
    /// A superblock for a superblock, with log blocks.
    Block,
    /// Any slot anywhere, compressed.
    Packed,
}

/// What becomes of data before they are written to flash.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Compress {
    /// What slots are measured in once they are compressed.
    pub(super) chunk: Quantity<Bytes>,
    /// Rate of the compressor, which every write passes through; no limit if left out.
    pub(super) rate: Option<Quantity<Rate>>,
    /// Stored with every slot beside its data, if that is not in the spare bytes of pages.
    pub(super) header: Option<Quantity<Bytes>>,
    /// Whether data that are known are stored only once.
    pub(super) dedup: bool,
}

/// Parity over dies.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Raise {
    /// Whether one program unit of every row is parity.
    pub(super) parity: bool,
}

/// What collection reads of a superblock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum CollectionReads {
    /// What is valid: a table says what that is.
    Valid,
    /// Everything, to find out.
    All,
}

/// How much of the array the host does not see: one of the two.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Spare {
    /// Capacity the host sees.
    pub(super) user_capacity: Option<Quantity<Bytes>>,
    /// Over-provisioning: (raw − reserve − user) / user.
    pub(super) op: Option<Quantity<Ratio>>,
}

/// Garbage collection of a page-mapped or packed drive.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Gc {
    /// Victim policy.
    pub(super) policy: String,
    /// Superblocks each group of dies keeps erased on average.
    pub(super) reserve: Quantity<Count>,
    /// Page mapping: of the superblocks that data and reserve leave, the share that each group of dies keeps
    /// erased as well; none if left out.
    pub(super) erased_share: Option<Quantity<Share>>,
    /// Page mapping: superblocks, or what part of one, each group of dies makes writable in one go once it is
    /// low, while host writes wait; in step with them if left out.
    pub(super) batch: Option<Quantity<Ratio>>,
    /// Page mapping, with `idle_after`: superblocks each group of dies makes writable ahead.
    pub(super) ahead: Option<Quantity<Count>>,
    /// How long the host must pause before the drive works ahead.
    pub(super) idle_after: Option<Quantity<Time>>,
    /// Packed mapping: what collection reads; what is valid if left out.
    pub(super) reads: Option<CollectionReads>,
    /// Packed mapping: share of a superblock that may be valid for it to be collected before room runs
    /// out; none is if left out.
    pub(super) early_valid: Option<Quantity<Share>>,
    /// For policies that draw: full superblocks drawn for a choice.
    pub(super) choices: Option<Quantity<Count>>,
    /// For policies that look at the oldest full superblocks only: how many.
    pub(super) window: Option<Quantity<Count>>,
    /// How hot data are told from cold ones; `none` if left out.
    pub(super) streams: Option<String>,
    /// For streams by address: hot data, of the user capacity.
    pub(super) hot_share: Option<Quantity<Ratio>>,
    /// For streams by age: superblocks closed between two writes of a hot slot, of all superblocks.
    pub(super) hot_age: Option<Quantity<Ratio>>,
    /// Share of the spare area that hot data get; the square-root rule if left out.
    pub(super) hot_spare: Option<Quantity<Ratio>>,
}

impl Gc {
    /// Whether hot and cold data are told apart, or anything is said of it.
    pub(super) fn has_streams(&self) -> bool {
        let numbers = [&self.hot_share, &self.hot_age, &self.hot_spare];
        self.streams.is_some() || numbers.iter().any(|number| number.is_some())
    }

    /// What is given of the parameters that some policy has, by key.
    pub(super) fn parameters(&self) -> BTreeMap<&'static str, u32> {
        let all = [("choices", &self.choices), ("window", &self.window)];
        let given = all.into_iter();
        given
            .filter_map(|(key, value)| Some((key, value.as_ref()?.get())))
            .collect()
    }
}

/// Wear levelling: other keys for a block-mapped drive than for a page-mapped one.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wear {
    /// Block mapping: merges between two passes of static levelling; 0 for never.
    pub(super) every_merges: Option<Quantity<CountOrNone>>,
    /// Block mapping: logical superblocks moved in a pass.
    pub(super) blocks: Option<Quantity<CountOrNone>>,
    /// Page mapping: which free superblock is opened next; `oldest-free` if left out.
    pub(super) allocation: Option<String>,
    /// Page mapping: erases by which the most worn superblock may be ahead of the least worn full one
    /// before that is moved; no static levelling if left out.
    pub(super) spread: Option<Quantity<Count>>,
    /// Page mapping: collections between two such moves, at least.
    pub(super) every_collections: Option<Quantity<Count>>,
}

/// How long blocks last; without the section, for ever.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReliabilityKeys {
    /// P/E cycles that the maker guarantees.
    pub(super) rated_cycles: Quantity<Count>,
    /// P/E cycles that half of the blocks survive.
    pub(super) median_cycles: Quantity<Count>,
    /// Shape of the Weibull distribution of block lives.
    pub(super) life_shape: Quantity<Ratio>,
    /// Share of worn-out blocks whose end an erase shows; of the others a program fails.
    pub(super) erase_share: Quantity<Ratio>,
    /// Share of blocks that are bad when the drive is made; none if left out.
    pub(super) factory_bad: Option<Quantity<Ratio>>,
}

/// Bit errors and what corrects them; without the section, no bit is read wrong.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EccKeys {
    /// User bytes of a codeword.
    pub(super) codeword: Quantity<Bytes>,
    /// Wrong bits of a codeword that are corrected.
    pub(super) correctable_bits: Quantity<Count>,
    /// Times a page is read again at most, with shifted thresholds.
    pub(super) retries: Quantity<CountOrNone>,
    /// Share of the retention errors that every retry takes away.
    pub(super) retry_gain: Quantity<Ratio>,
    /// RBER of an unworn block, just written.
    pub(super) rber_new: Quantity<Share>,
    /// RBER that the rated cycles add, and the power of the cycles in it.
    pub(super) rber_wear: Quantity<Share>,
    pub(super) wear_power: Quantity<Ratio>,
    /// RBER that a year at 40 °C adds after the rated cycles, and the power of cycles and time in it.
    pub(super) rber_retention: Quantity<Share>,
    pub(super) retention_power: Quantity<Ratio>,
    /// RBER that a million reads of a block add after the rated cycles, and the power of the cycles.
    pub(super) rber_disturb: Quantity<Share>,
    pub(super) disturb_power: Quantity<Ratio>,
    /// Activation energy of the loss of charge.
    pub(super) activation: Quantity<ActivationEnergy>,
}

/// Which attributes the drive reports, and how it scales them.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SmartKeys {
    /// Whose table of attributes.
    pub(super) vendor: String,
}

/// The write buffer.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Buffer {
    pub(super) size: Quantity<Bytes>,
    /// When the room of a slot is free again.
    #[serde(default)]
    pub(super) release: Release,
}

/// Until when a slot takes room in the write buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Release {
    /// It is kept until it is in the cells, so that nothing is lost when a program fails.
    #[default]
    Programmed,
    /// It goes on to the page register of its die, and the buffer only passes data on.
    Transferred,
}

/// The controller's core.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Firmware {
    /// Core time of a write command.
    pub(super) write_command: Quantity<Time>,
    /// Core time of any other command.
    pub(super) read_command: Quantity<Time>,
    /// Core time of each slot of a command.
    pub(super) per_slot: Quantity<Time>,
    /// Core time of each slot of a write, if it is not that of a read.
    pub(super) write_slot: Option<Quantity<Time>>,
    /// What a read takes in the controller beside its core time, in stages that have several commands
    /// in hand: it adds to the latency and takes nothing from the rate. None if left out.
    pub(super) read_pipeline: Option<Quantity<Time>>,
    /// The same of a write.
    pub(super) write_pipeline: Option<Quantity<Time>>,
    /// Core time of each page that collection reads; none if left out.
    pub(super) collected_page: Option<Quantity<Time>>,
    /// NAND operations queued for a die before the firmware waits.
    pub(super) die_queue: Quantity<Count>,
    /// Whether the slots of a command follow each other through core, flash and link, instead of the
    /// command as a whole.
    #[serde(default)]
    pub(super) overlap: bool,
}

/// In which order a die works off its queue; without the section, as issued.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SchedulingKeys {
    /// Dies that may program at a time; all of them if left out.
    pub(super) programs_max: Option<Quantity<Count>>,
    /// Whether a die programs the pages that queue for neighbouring planes together.
    #[serde(default)]
    pub(super) multi_plane: bool,
    /// Whether the planes of a die sense together what a read for the host needs of them.
    #[serde(default)]
    pub(super) plane_reads: bool,
    #[serde(default)]
    pub(super) order: Order,
    /// What a read for the host may suspend.
    #[serde(default)]
    pub(super) suspend: SuspendWhat,
    /// From the command to suspend until the die takes a read.
    pub(super) suspend_time: Option<Quantity<Time>>,
    /// From the command to resume until the array works again.
    pub(super) resume_time: Option<Quantity<Time>>,
    /// How often one operation may be suspended.
    pub(super) suspend_max: Option<Quantity<Count>>,
    /// Whether collection lets operations for the host pass.
    #[serde(default)]
    pub(super) gc_preemptible: bool,
    /// How often one operation lets others pass.
    pub(super) overtake_max: Option<Quantity<Count>>,
}

/// The orders there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Order {
    /// As issued.
    #[default]
    Fcfs,
    /// Reads for the host first.
    ReadFirst,
}

/// What can be suspended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum SuspendWhat {
    /// Nothing.
    #[default]
    None,
    /// Erases.
    Erase,
    /// Erases and programs.
    ProgramErase,
}

/// Writing the mapping tables to flash.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CheckpointKeys {
    /// Host data between two checkpoints.
    pub(super) every: Quantity<Bytes>,
    /// Size of the tables written.
    pub(super) size: Quantity<Bytes>,
}

/// The host link.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Link {
    /// Payload rate.
    pub(super) rate: Quantity<Rate>,
    /// Protocol time of a command; for a disk its controller's time as well.
    pub(super) command: Quantity<Time>,
}

/// Command queueing.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Queue {
    /// Commands the drive takes at a time: 32 with NCQ, 1 without.
    pub(super) depth: Quantity<Count>,
}

/// Platters, heads and arm.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Platters {
    pub(super) capacity: Quantity<Bytes>,
    pub(super) rpm: Quantity<Count>,
    pub(super) heads: Quantity<Count>,
    pub(super) zones: Quantity<Count>,
    pub(super) outer_rate: Quantity<Rate>,
    pub(super) inner_rate: Quantity<Rate>,
    pub(super) seek_track: Quantity<Time>,
    pub(super) seek_average: Quantity<Time>,
    pub(super) seek_full: Quantity<Time>,
    pub(super) write_settle: Quantity<Time>,
    pub(super) head_switch: Quantity<Time>,
}

/// A hard disk's caches.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Cache {
    pub(super) write_size: Quantity<Bytes>,
    pub(super) write_segments: Quantity<Count>,
    pub(super) destage_sweep: Quantity<Count>,
    pub(super) destage_order: DestageOrder,
    pub(super) destage_wait: Quantity<Time>,
    pub(super) read_segments: Quantity<Count>,
    pub(super) read_segment_size: Quantity<Bytes>,
    pub(super) read_ahead_least: Option<Quantity<Bytes>>,
}

/// In which order a hard disk destages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum DestageOrder {
    /// Shortest positioning time first.
    ShortestPositioning,
    /// Ascending addresses, then back.
    Elevator,
}
