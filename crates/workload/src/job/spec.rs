//! One job as its file states it, before any device is known.

use super::error::Source;
use super::logs::{Logs, Replay};
use super::parts::{Clones, Echo, Ends, FileSet, Flushes, Length, Order, Pace, Region, Submission};
use super::pattern::{Pattern, PatternKind};
use super::reporting::Reporting;
use super::sizes::BlockSizes;
use crate::units::Size;
use ftlab_base::{CommandKind, Content, Priority, SECTOR_BYTES};

/// Reading back and checking of writes (fio's `verify`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Verify {
    /// True if writes are read back.
    pub is_on: bool,
    /// Writes after which they are read back without waiting for the end; 0 for none.
    pub backlog: u64,
    /// Number that is read back then; 0 for as many.
    pub batch: u64,
    /// True if all that was written is read back at the end.
    pub at_end: bool,
    /// Nothing is written: what an earlier run wrote is read.
    pub only: bool,
    /// Percent of the writes that are trimmed later.
    pub trim_percent: u8,
    /// Writes after which those are trimmed; 0 for never.
    pub trim_backlog: u64,
    /// Number that is trimmed then; 0 for as many.
    pub trim_batch: u64,
    /// True if what was trimmed is read back too.
    pub reads_trimmed: bool,
}

/// Earlier buffer that a duplicate repeats (fio's `dedupe_mode`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DedupeMode {
    /// The last new one.
    Repeat,
    /// Any of a working set.
    WorkingSet,
}

/// Choice of placement handles for a job's writes (fio's `plid_select`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum HandleOrder {
    /// Each in its turn.
    #[default]
    RoundRobin,
    /// Any of them at random.
    Random,
}

/// With which data a job's writes are to lie (fio's `dataplacement`, `plids` and `plid_select`).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DataPlacement {
    /// Writes pass placement handles to the drive.
    pub is_told: bool,
    /// Its handles; empty for all that the drive has.
    pub handles: Vec<u8>,
    /// Choice of the handle for a write.
    pub order: HandleOrder,
    /// The handle of all writes where the job names none: how long its data live, as fio's `write_hint` says. Linux takes
    /// the number of the hint for the handle, and none where the drive has fewer.
    pub hint: u8,
}

/// Nature of the written data for a drive that compresses or deduplicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DataPattern {
    /// `buffer_compress_percentage`: how much of a buffer compresses away, 0 to 100.
    pub compress_percent: Option<u8>,
    /// `dedupe_percentage`: share of writes that repeat an earlier one, 0 to 100.
    pub dedupe_percent: u8,
    /// `dedupe_mode`: the buffer that is repeated.
    pub dedupe_mode: DedupeMode,
    /// `dedupe_working_set_percentage`: the working set's share of the job's blocks.
    pub working_set_percent: u8,
    /// `dedupe_global`: jobs of a file repeat one another's.
    pub dedupe_global: bool,
    /// `buffer_pattern`: a hash of what all buffers are filled with.
    pub pattern: Option<u64>,
    /// `zero_buffers`: all buffers are zero.
    pub zero: bool,
    /// `refill_buffers`: each write has new data.
    pub refill: bool,
    /// `scramble_buffers`: each write differs a little from the last; fio's default.
    pub scramble: bool,
}

/// Part of a repeated pattern that compresses away, in percent.
const PATTERN_PERCENT: u8 = 99;

impl DataPattern {
    /// Returns the part of a buffer that compresses away, in percent: 100 for zeros, 0 for fio's random data.
    #[must_use]
    pub fn compressible_percent(&self) -> u8 {
        match (self.zero, self.compress_percent, self.pattern) {
            (true, ..) => 100,
            (_, Some(percent), _) => percent,
            (_, None, Some(_)) => PATTERN_PERCENT,
            (_, None, None) => 0,
        }
    }

    /// Returns the nature of the data without their identity.
    #[must_use]
    pub fn content(&self) -> Content {
        match self.compressible_percent() {
            100 => Content::ZEROS,
            percent => Content::compressible(percent),
        }
    }
}

/// One job, with fio's default for every key that its file leaves out. Fields carry fio's names.
#[derive(Debug, Clone, PartialEq)]
pub struct JobSpec {
    /// The section's name, or its `name` key.
    pub name: String,
    /// Free text for the reader.
    pub description: Option<String>,
    /// Beginning of the section.
    pub source: Source,
    /// Position among the file's jobs, clones counted.
    pub index: usize,
    /// The jobs that its section makes.
    pub clones: Clones,
    /// Form of the report.
    pub reporting: Reporting,
    /// Beginning of the job among the others, and the effect of its end on them.
    pub order: Order,
    /// The files that a job runs on.
    pub files: FileSet,
    /// The kinds of a job's requests, and the places where they lie in its region.
    pub pattern: Pattern,
    /// Sizes of requests, and their alignment.
    pub sizes: BlockSizes,
    /// The part of a device that a job uses.
    pub region: Region,
    /// Amount of the job's I/O, and its time.
    pub length: Length,
    /// Submission of requests to the drive: fio's engine, the depth, the priority.
    pub submission: Submission,
    /// Pauses between requests, and rates that they keep below.
    pub pace: Pace,
    /// Conditions that end the job, or fail it, by what it sees of the drive.
    pub ends: Ends,
    /// Points at which the job's writes have to be on the flash.
    pub flushes: Flushes,
    /// Reading back and checking of writes.
    pub checks: Verify,
    /// The logs of its requests that it asks for.
    pub logs: Logs,
    /// The recorded trace that it replays instead of making requests.
    pub replay: Replay,
    /// Factor of the suffixes of sizes: 1024 or 1000.
    pub kb_base: u64,
    /// Nature of the written data.
    pub data: DataPattern,
    /// With which data they are to lie.
    pub placement: DataPlacement,
    /// Its options as written.
    pub options: Echo,
}

/// The lowest level of best effort that counts as high priority: Linux gives 4 to what asks for none.
const PRIO_HIGH: u8 = 3;

impl JobSpec {
    /// Returns the priority of the job's submission queue, where a drive weighs queues. Linux itself has all of them
    /// alike.
    #[must_use]
    pub fn priority(&self) -> Priority {
        match (self.submission.prioclass, self.submission.prio) {
            (0, None) => Priority::Medium,
            (1, _) => Priority::Urgent,
            (3, _) => Priority::Low,
            (_, level) if level.unwrap_or(0) <= PRIO_HIGH => Priority::High,
            _ => Priority::Medium,
        }
    }

    /// A job in which every key has fio's default.
    #[must_use]
    pub fn new(name: &str, source: Source) -> JobSpec {
        JobSpec {
            name: name.to_owned(),
            description: None,
            source,
            index: 0,
            clones: Clones::default(),
            reporting: Reporting::default(),
            order: Order::default(),
            files: FileSet::default(),
            pattern: Pattern::default(),
            sizes: BlockSizes::default(),
            region: Region::default(),
            length: Length::default(),
            submission: Submission::default(),
            pace: Pace::default(),
            ends: Ends::default(),
            flushes: Flushes::default(),
            // Reading back at the end is fio's default, so this is not all zeros.
            checks: Verify {
                is_on: false,
                backlog: 0,
                batch: 0,
                at_end: true,
                only: false,
                trim_percent: 0,
                trim_backlog: 0,
                trim_batch: 0,
                reads_trimmed: false,
            },
            logs: Logs::default(),
            replay: Replay::default(),
            kb_base: 1024,
            data: DataPattern {
                compress_percent: None,
                dedupe_percent: 0,
                dedupe_mode: DedupeMode::Repeat,
                working_set_percent: 5,
                dedupe_global: false,
                pattern: None,
                zero: false,
                refill: false,
                scramble: true,
            },
            placement: DataPlacement::default(),
            options: Echo::default(),
        }
    }

    /// Returns true if the job writes at random places.
    #[must_use]
    pub fn writes_at_random(&self) -> bool {
        self.pattern.random && self.kinds().contains(&CommandKind::Write)
    }

    /// Returns true if its requests go through pages in the host's memory: some are of no whole sectors.
    #[must_use]
    pub fn is_paged(&self) -> bool {
        let is_odd = |bytes: u64| !bytes.is_multiple_of(SECTOR_BYTES);
        let parts = |kind| self.sizes.bssplit.get(kind).iter().map(|part| part.bytes);
        self.kinds().iter().any(|&kind| {
            let sizes = [
                self.sizes.bs.of(kind),
                self.sizes.bs_max.of(kind),
                self.sizes.blockalign.of(kind).unwrap_or(0),
            ];
            sizes.into_iter().chain(parts(kind)).any(is_odd)
        })
    }

    /// Returns true if its region, or that of one of its clones, begins behind the device's first byte.
    #[must_use]
    pub fn may_begin_later(&self) -> bool {
        [self.region.offset, self.region.offset_increment] != [Size::Bytes(0); 2]
    }

    /// Returns true if a flush comes behind all that the job does.
    #[must_use]
    pub fn closes_with_a_flush(&self) -> bool {
        (self.flushes.end_fsync || self.flushes.fsync_on_close)
            && self.kinds().contains(&CommandKind::Write)
    }

    /// Returns true if all requests of a kind have one size.
    #[must_use]
    pub fn has_one_size(&self, kind: CommandKind) -> bool {
        self.sizes.bs.of(kind) == self.sizes.bs_max.of(kind)
    }

    /// The kinds of request the job makes.
    #[must_use]
    pub fn kinds(&self) -> &'static [CommandKind] {
        match self.pattern.kind {
            PatternKind::Read => &[CommandKind::Read],
            PatternKind::Write => &[CommandKind::Write],
            PatternKind::Trim => &[CommandKind::Trim],
            PatternKind::ReadWrite => &[CommandKind::Read, CommandKind::Write],
            PatternKind::TrimWrite => &[CommandKind::Trim, CommandKind::Write],
        }
    }
}
