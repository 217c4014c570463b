//! Times and memory of an SSD, apart from its NAND and its mapping.

use super::HostTable;
use ftlab_base::{Command, CommandKind, DieId, Nanos, RootSeed};
use ftlab_host::{End, Limit};
use ftlab_nand::{Cause, NandOp, OpKind};
use ftlab_timing::{PowerModel, SchedulerConfig, ThermalModel};

/// Times and memory of an SSD, apart from its NAND and its mapping.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SsdParams {
    /// Sectors the host can address.
    pub capacity_sectors: u64,
    /// Times and rules of dies and channels.
    pub nand: SchedulerConfig,
    /// Limits on commands that come in.
    pub commands: CommandsConfig,
    /// Times and rules of the controller's firmware.
    pub firmware: FirmwareConfig,
    /// Sizes and rules of the write buffer.
    pub buffer: BufferConfig,
    /// Share of its mapping table that is in the host's memory, if a part is.
    pub host_table: Option<HostTable>,
    /// The way of data between the host and the buffer.
    pub link: LinkConfig,
    /// Watts and joules of its parts, if known.
    pub power: Option<PowerModel>,
    /// Model of how it warms of that, if known.
    pub thermal: Option<ThermalModel>,
    /// Bugs and failures that it has.
    pub faults: FaultConfig,
}

/// Limits on commands that come in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CommandsConfig {
    /// Commands the drive takes at a time (NCQ: 32; without: 1).
    pub queue_depth: u32,
    /// The most sectors that it moves with one command, if it has a limit.
    pub transfer_max: Option<u32>,
    /// Limit at the port, as before the volumes of clouds; none if left out.
    pub limit: Option<Limit>,
}

/// Times and rules of the controller's firmware.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FirmwareConfig {
    /// Time of the core for a write command.
    pub write_command: Nanos,
    /// Time of the core for a read command.
    pub read_command: Nanos,
    /// Time of the core for a TRIM.
    pub trim_command: Nanos,
    /// Time of the core for each slot of a read.
    pub read_slot: Nanos,
    /// Time of the core for each slot of a write.
    pub write_slot: Nanos,
    /// Time of a read in the controller beside the core, in stages that have several commands in hand.
    pub read_pipeline: Nanos,
    /// Time of a write in the controller beside the core, in such stages.
    pub write_pipeline: Nanos,
    /// Time of the core for each page that collection reads.
    pub collected_page: Nanos,
    /// Time in which flushes that are done together program a record of the map, beside the data; zero for none.
    pub flush_record: Nanos,
    /// True if the slots of a command follow each other through core, flash and link, instead of the command as a
    /// whole.
    pub overlap: bool,
    /// True if a read waits with the writes before it that wait for room in the buffer.
    pub in_order: bool,
    /// Writes that may wait for room in the buffer while collection takes its turn, if it gives way to more.
    pub waiting_max: Option<u32>,
    /// Time that the host must pause before the drive works ahead, if it does.
    pub idle_after: Option<Nanos>,
}

/// Sizes and rules of the write buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BufferConfig {
    /// Slots that it holds.
    pub slots: u32,
    /// Slots that are read ahead of a host that reads in order; 0 for none.
    pub read_ahead_slots: u32,
    /// True if it reads on once half of them are taken, and not all.
    pub reads_on_by_half: bool,
    /// True if capacitors bring what it holds to the flash when the power goes. Then it is safe there: a flush waits
    /// for nothing, and turning the write cache off changes nothing.
    pub outlasts_power: bool,
    /// Bytes that are written as a whole, or not at all, when the power goes.
    pub atomic_bytes: u64,
    /// True if a flush of some slots, as a write with FUA asks for, is one of everything.
    pub fua_flushes_all: bool,
}

/// The way of data between the host and the buffer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkConfig {
    /// The drive's end of the link.
    pub end: End,
    /// Time of a command's protocol on it.
    pub command: Nanos,
    /// Time of one sector of 512 bytes in the compressor, on its way to the buffer.
    pub compressed_sector: Nanos,
    /// Sectors of a read that the correction of errors hands on together; `u32::MAX` for no fewer than a slot.
    pub corrected_sectors: u32,
}

/// Bugs and failures that a drive has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FaultConfig {
    /// It may not wake up.
    pub lost_waking: Option<LostWaking>,
    /// A die dies while it is at work.
    pub die_failure: Option<DieFailure>,
}

/// A bug of power states: the drive drops off its bus when it should wake up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LostWaking {
    /// One in how many awakenings.
    pub one_in: u32,
    /// Seed that decides which.
    pub seed: RootSeed,
}

/// A die that dies while the drive is at work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DieFailure {
    /// Number of the die.
    pub die: DieId,
    /// Bytes that the host has written by then, as far as they have left the write buffer.
    pub after_host_bytes: u64,
}

/// The firmware core's work on a command.
#[derive(Debug, Clone, Copy)]
pub(super) struct CoreWork {
    /// Until it has decided, and what is done for the first slot of a read.
    pub(super) decision: Nanos,
    /// Afterwards: a write is answered by then, and the next command waits.
    pub(super) after: Nanos,
}

impl SsdParams {
    /// Sectors of a part of a slot that cross the link together, once they are corrected.
    pub(super) fn crosses_together(&self, sectors: u32) -> u32 {
        match self.firmware.overlap {
            true => sectors.min(self.link.corrected_sectors),
            false => sectors,
        }
    }

    /// Time until the first sectors of a read, which lie in one page, are in the drive.
    pub(super) fn first_page(&self, sectors: u32) -> Nanos {
        let nand = &self.nand.timing;
        let sectors = u64::from(sectors).max(nand.read_sectors_least);
        nand.t_read + nand.command_transfer + nand.sector_transfer * sectors
    }
}

impl LinkConfig {
    /// Time of the first `sectors` of a write's data in the compressor.
    pub(super) fn compression(&self, command: &Command, sectors: u32) -> Nanos {
        match command.kind {
            CommandKind::Write => self.compressed_sector * u64::from(sectors.min(command.sectors)),
            _ => Nanos::ZERO,
        }
    }
}

impl FirmwareConfig {
    /// Time that a command that is no read spends in the controller beside the core, in stages that have several
    /// commands in hand: a write's.
    pub(super) fn pipeline_in(&self, command: &Command) -> Nanos {
        match command.kind {
            CommandKind::Write => self.write_pipeline,
            _ => Nanos::ZERO,
        }
    }

    /// Time of the firmware core for what collection reads among these operations.
    pub(super) fn collection(&self, ops: &[NandOp]) -> Nanos {
        let is_collected = |op: &&NandOp| op.kind == OpKind::Read && op.cause == Cause::Gc;
        self.collected_page * ops.iter().filter(is_collected).count() as u64
    }

    /// Work of the firmware core on a command. To answer a write it does what it does for any command, which a
    /// read shows; the map's part of a write follows the answer.
    pub(super) fn core(&self, command: &Command, sectors_per_slot: u32) -> CoreWork {
        let slots = u64::from(command.sectors.div_ceil(sectors_per_slot));
        let (decision, after) = match command.kind {
            CommandKind::Read => {
                let others = self.read_slot * slots.saturating_sub(1);
                (self.read_command + self.read_slot, others)
            }
            CommandKind::Write => {
                let decision = self.read_command.min(self.write_command);
                let map = self.write_command - decision;
                (decision, map + self.write_slot * slots)
            }
            CommandKind::Trim => (self.trim_command, Nanos::ZERO),
            CommandKind::Flush => (self.read_command, Nanos::ZERO),
        };
        CoreWork { decision, after }
    }
}
