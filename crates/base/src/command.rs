//! Commands of a host to a drive, and their completions.

use crate::content::Content;
use crate::ids::Lba;
use crate::time::SimTime;

/// Bytes of one host sector (LBA).
pub const SECTOR_BYTES: u64 = 512;

/// Identifies a command from its submission to its completion; unique within a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CommandId(pub u64);

/// The kinds of host command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CommandKind {
    /// Moves sectors from the drive to the host.
    Read,
    /// Moves sectors from the host to the drive.
    Write,
    /// Tell the drive that sectors hold nothing any more (ATA DATA SET MANAGEMENT, TRIM).
    Trim,
    /// Make everything written so far survive a power cut; with sectors, what was written to those alone, as a write with
    /// FUA asks for its own data.
    Flush,
}

/// With which data the host wants the data of a write to lie: the index of a placement handle (NVMe, Flexible Data
/// Placement). A drive without handles takes no notice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Placement(pub u8);

impl Placement {
    /// The handle of writes that name none.
    pub const DEFAULT: Placement = Placement(0);
}

/// Urgency of the commands of a submission queue to a drive that weighs them (NVMe, weighted round robin with urgent
/// priority class), the most urgent first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Priority {
    /// Before those of all others.
    Urgent,
    /// By the largest weight, as a rule.
    High,
    /// By the medium weight, as a rule; Linux gives every queue this priority.
    #[default]
    Medium,
    /// By the smallest weight, as a rule.
    Low,
}

/// A submission queue of the host's, of which each job has its own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct SubmissionQueue {
    /// Number of the queue, from 0 on.
    pub number: u16,
    /// Urgency of the queue's commands.
    pub priority: Priority,
}

impl SubmissionQueue {
    /// The only queue of a host that has one.
    pub const FIRST: SubmissionQueue = SubmissionQueue {
        number: 0,
        priority: Priority::Medium,
    };
}

/// A command that a host sends to a drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Command {
    /// Chosen by the submitter; comes back in the completion.
    pub id: CommandId,
    /// Kind of the command.
    pub kind: CommandKind,
    /// First sector of the range.
    pub lba: Lba,
    /// Number of sectors; zero only for a [`CommandKind::Flush`] of everything.
    pub sectors: u32,
    /// Nature of a write's data.
    pub content: Content,
    /// The submission queue of the host that it comes from, where there are several.
    pub queue: SubmissionQueue,
    /// Place that the host chose for a write's data.
    pub placement: Placement,
    /// Instant at which the host issued it; latency counts from here.
    pub at: SimTime,
}

impl Command {
    /// A command of the first queue, with random data where it writes.
    #[must_use]
    #[inline]
    pub const fn new(kind: CommandKind, id: u64, lba: u64, sectors: u32, at: SimTime) -> Command {
        Command {
            id: CommandId(id),
            kind,
            lba: Lba(lba),
            sectors,
            content: Content::RANDOM,
            queue: SubmissionQueue::FIRST,
            placement: Placement::DEFAULT,
            at,
        }
    }

    /// A write of random data.
    #[must_use]
    #[inline]
    pub const fn write(id: u64, lba: u64, sectors: u32, at: SimTime) -> Command {
        Command::new(CommandKind::Write, id, lba, sectors, at)
    }

    /// A flush of everything.
    #[must_use]
    #[inline]
    pub const fn flush(id: u64, at: SimTime) -> Command {
        Command::new(CommandKind::Flush, id, 0, 0, at)
    }

    /// Returns the length of the range, in bytes.
    #[must_use]
    #[inline]
    pub fn bytes(&self) -> u64 {
        u64::from(self.sectors) * SECTOR_BYTES
    }
}

/// End of a command: done, or the reason why not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The drive did what was asked.
    Good,
    /// The drive can no longer take writes; what it holds stays readable.
    WriteFault,
    /// The data could not be read back.
    Unrecoverable,
    /// The drive did not answer, and the host gave the command up.
    Gone,
}

/// The end of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Completion {
    /// Id of the command that ended.
    pub id: CommandId,
    /// Instant at which the host saw it end.
    pub at: SimTime,
    /// Success, or the reason of failure.
    pub outcome: Outcome,
}
