//! Commands to a device, and their ends.

use ftlab_base::{CommandKind, Lba, SECTOR_BYTES, SimTime};

/// What a command asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Data come to the host.
    Read,
    /// Data go to the drive.
    Write,
    /// The drive may forget a range.
    Trim,
    /// What was written to a range survives a power cut; of no length, everything written so far.
    Flush,
}

/// A command of the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Command {
    /// Chosen by the caller; comes back with the end. No two that are outstanding have the same.
    pub id: u64,
    /// What it asks for.
    pub operation: Operation,
    /// First byte of the range, a multiple of 512.
    pub offset: u64,
    /// Length of the range in bytes, a multiple of 512.
    pub bytes: u64,
}

impl Command {
    const fn new(operation: Operation, id: u64, offset: u64, bytes: u64) -> Command {
        Command {
            id,
            operation,
            offset,
            bytes,
        }
    }

    /// A read.
    #[must_use]
    pub const fn read(id: u64, offset: u64, bytes: u64) -> Command {
        Command::new(Operation::Read, id, offset, bytes)
    }

    /// A write.
    #[must_use]
    pub const fn write(id: u64, offset: u64, bytes: u64) -> Command {
        Command::new(Operation::Write, id, offset, bytes)
    }

    /// A trim: slots that it covers as a whole read as zeros afterwards.
    #[must_use]
    pub const fn trim(id: u64, offset: u64, bytes: u64) -> Command {
        Command::new(Operation::Trim, id, offset, bytes)
    }

    /// A flush of everything.
    #[must_use]
    pub const fn flush(id: u64) -> Command {
        Command::new(Operation::Flush, id, 0, 0)
    }

    /// A flush of a range alone, as a write with FUA asks for its own data.
    #[must_use]
    pub const fn flush_range(id: u64, offset: u64, bytes: u64) -> Command {
        Command::new(Operation::Flush, id, offset, bytes)
    }

    /// The command as the drive's rooms have it.
    pub(crate) fn inner(&self, now: SimTime) -> ftlab_base::Command {
        let kind = match self.operation {
            Operation::Read => CommandKind::Read,
            Operation::Write => CommandKind::Write,
            Operation::Trim => CommandKind::Trim,
            Operation::Flush => CommandKind::Flush,
        };
        let sectors = (self.bytes / SECTOR_BYTES) as u32;
        ftlab_base::Command {
            lba: Lba(self.offset / SECTOR_BYTES),
            ..ftlab_base::Command::new(kind, self.id, 0, sectors, now)
        }
    }
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Outcome {
    /// The drive did what was asked, or a fault has it say so.
    Good,
    /// The drive takes no more writes, or a fault has refused this command; what the drive holds stays readable.
    WriteFault,
    /// The data could not be read back, or a fault has it say so.
    Unrecoverable,
    /// The drive did not answer, and the host gave the command up.
    Gone,
}

/// Where the latency of a command went, in nanoseconds. The four together are all of it, from submission to end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Split {
    /// The host: its queue, its processor, limits of the port, and what a fault has held back.
    pub host_ns: u64,
    /// The drive's controller: its core, what waits for it, and the mapping table.
    pub controller_ns: u64,
    /// The link between them, what waits for it, and a compressor behind it.
    pub link_ns: u64,
    /// The flash, and what waits for its dies; of a write, the wait for room in the buffer.
    pub flash_ns: u64,
}

/// A bit of what a read gets that is the other one than in the drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BitFlip {
    /// Position of its byte on the drive.
    pub offset: u64,
    /// Number of the bit in that, from the lowest one: 0 to 7.
    pub bit: u8,
}

impl BitFlip {
    /// Flips the bit in data from that position of the drive on, if it is among them.
    pub fn apply(self, offset: u64, data: &mut [u8]) {
        let place = self.offset.checked_sub(offset);
        let place = place.and_then(|place| usize::try_from(place).ok());
        if let Some(byte) = place.and_then(|place| data.get_mut(place)) {
            *byte ^= 1 << (self.bit & 7);
        }
    }
}

/// The end of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Completion {
    /// Id of the command that ended.
    pub id: u64,
    /// Instant at which the host saw it end, in nanoseconds.
    pub at_ns: u64,
    /// Success, or the reason of failure.
    pub outcome: Outcome,
    /// Where its latency went; of a drive of flash whose builder was asked to say so. None of a command that a fault has
    /// answered, which the drive did not get.
    pub split: Option<Split>,
    /// The bit that a fault has flipped on the way of this read to the host; [`Device::receive`](crate::Device::receive)
    /// gives the data with it.
    pub flip: Option<BitFlip>,
}

impl Completion {
    /// True if the drive did what was asked.
    #[must_use]
    pub const fn is_good(&self) -> bool {
        matches!(self.outcome, Outcome::Good)
    }

    pub(crate) fn of(ended: &ftlab_base::Completion) -> Completion {
        Completion {
            id: ended.id.0,
            at_ns: ended.at.since(SimTime::ZERO).0,
            split: None,
            flip: None,
            outcome: match ended.outcome {
                ftlab_base::Outcome::Good => Outcome::Good,
                ftlab_base::Outcome::WriteFault => Outcome::WriteFault,
                ftlab_base::Outcome::Unrecoverable => Outcome::Unrecoverable,
                ftlab_base::Outcome::Gone => Outcome::Gone,
            },
        }
    }
}
