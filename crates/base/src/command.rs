//! What a host asks of a drive, and what it gets back.

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
    /// Read sectors.
    Read,
    /// Write sectors.
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

/// How urgent the commands of a submission queue are to a drive that weighs them (NVMe, weighted round robin with urgent
/// priority class), the most urgent first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Priority {
    /// Before all others.
    Urgent,
    /// By the largest weight, as a rule.
    High,
    /// What Linux gives every queue.
    #[default]
    Medium,
    /// By the smallest weight, as a rule.
    Low,
}

/// A submission queue of the host's, of which each job has its own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct SubmissionQueue {
    /// Which one, from 0 on.
    pub number: u16,
    /// How urgent its commands are.
    pub priority: Priority,
}

impl SubmissionQueue {
    /// Where there is one alone.
    pub const FIRST: SubmissionQueue = SubmissionQueue {
        number: 0,
        priority: Priority::Medium,
    };
}

/// One host command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Command {
    /// Chosen by the submitter; comes back in the completion.
    pub id: CommandId,
    /// What to do.
    pub kind: CommandKind,
    /// First sector.
    pub lba: Lba,
    /// Number of sectors; zero only for a [`CommandKind::Flush`] of everything.
    pub sectors: u32,
    /// What a write's data look like.
    pub content: Content,
    /// The submission queue of the host that it comes from, where there are several.
    pub queue: SubmissionQueue,
    /// Where a write's data are to lie.
    pub placement: Placement,
    /// When the host issued it; latency counts from here.
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

    /// Bytes addressed.
    #[must_use]
    #[inline]
    pub fn bytes(&self) -> u64 {
        u64::from(self.sectors) * SECTOR_BYTES
    }
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// Done as asked.
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
    /// The command's id.
    pub id: CommandId,
    /// When the host saw it end.
    pub at: SimTime,
    /// How it ended.
    pub outcome: Outcome,
}
