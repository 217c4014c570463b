//! One job as its file states it, before any device is known.

use super::distribution::Distribution;
use super::error::Source;
use crate::units::Size;
use ftlab_base::{CommandKind, Content, Nanos};

/// Which kinds of request a job makes (fio's `rw`, without its random or sequential half).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PatternKind {
    /// Reads only.
    Read,
    /// Writes only.
    Write,
    /// Trims only.
    Trim,
    /// Reads and writes, shared by `rwmixread`.
    ReadWrite,
    /// Each block is trimmed and then written; with `rwmixtrim`, writes and trims by that share.
    TrimWrite,
}

/// A value for each kind of request that moves or drops data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct PerKind<T> {
    /// For reads.
    pub read: T,
    /// For writes.
    pub write: T,
    /// For trims.
    pub trim: T,
}

impl<T: Copy> PerKind<T> {
    /// The same value for every kind.
    pub const fn all(value: T) -> Self {
        PerKind {
            read: value,
            write: value,
            trim: value,
        }
    }

    /// The value for a kind; flushes, which have none of their own, go with writes.
    #[inline]
    pub const fn of(&self, kind: CommandKind) -> T {
        match kind {
            CommandKind::Read => self.read,
            CommandKind::Write | CommandKind::Flush => self.write,
            CommandKind::Trim => self.trim,
        }
    }

    /// The value of each kind through `change`.
    pub fn map<U>(self, mut change: impl FnMut(T) -> U) -> PerKind<U> {
        PerKind {
            read: change(self.read),
            write: change(self.write),
            trim: change(self.trim),
        }
    }
}

/// What the written data look like to a drive that compresses or deduplicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DataPattern {
    /// `buffer_compress_percentage`: how much of a buffer compresses away, 0 to 100.
    pub compress_percent: Option<u8>,
    /// `dedupe_percentage`: share of writes that repeat an earlier one, 0 to 100.
    pub dedupe_percent: u8,
    /// `zero_buffers`: all buffers are zero.
    pub zero: bool,
    /// `refill_buffers`: each write has new data.
    pub refill: bool,
    /// `scramble_buffers`: each write differs a little from the last; fio's default.
    pub scramble: bool,
}

impl DataPattern {
    /// How much of a buffer compresses away, in percent: 100 for zeros, 0 for fio's random data.
    #[must_use]
    pub fn compressible_percent(&self) -> u8 {
        if self.zero {
            100
        } else {
            self.compress_percent.unwrap_or(0)
        }
    }

    /// What they look like, whichever they are.
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
    /// Free text.
    pub description: Option<String>,
    /// Where the section begins.
    pub source: Source,
    /// Position among the file's jobs, clones counted.
    pub index: usize,
    /// Which of the `numjobs` clones this is, from 0.
    pub clone_index: u32,
    /// How many clones the section asks for; each is a job of its own.
    pub numjobs: u32,
    /// Starts only when every job before it has ended.
    pub stonewall: bool,
    /// Clones are reported as one.
    pub group_reporting: bool,

    /// The files it runs on, in order, each once; none where its file names none.
    pub files: Vec<String>,
    /// Requests that one of several files gets before the next one has its turn.
    pub switches_file_after: u64,

    /// The kinds of request.
    pub kind: PatternKind,
    /// Random (`randread` …) rather than sequential.
    pub random: bool,
    /// Percent of reads in a read-write mix.
    pub rwmixread: u8,
    /// Percent of requests that trim a random block in use; an extension, 0 to 49.
    pub rwmixtrim: Option<u8>,
    /// Request sizes in bytes.
    pub bs: PerKind<u64>,
    /// Alignment of random requests in bytes; the request size where none is given.
    pub blockalign: PerKind<Option<u64>>,
    /// Percent of a random job's requests that jump; the rest follow their predecessor.
    pub percentage_random: PerKind<u8>,
    /// The law of random positions.
    pub random_distribution: Distribution,
    /// Random blocks are drawn with replacement instead of each once.
    pub norandommap: bool,
    /// Mixed into the run's seed.
    pub randseed: Option<u64>,
    /// Each loop repeats the first one's sequence; fio's default.
    pub randrepeat: bool,

    /// Start of the region; percent of the device.
    pub offset: Size,
    /// How far each of the `numjobs` clones begins behind the one before; percent of the device.
    pub offset_increment: Size,
    /// Where sequential requests begin, in bytes from the region's start: for a job that goes on where
    /// another one ended. No key of fio's, and 0 in every file.
    pub begin_bytes: u64,
    /// Length of the region and default amount of I/O; percent of the device. Absent: to its end.
    pub size: Option<Size>,
    /// Amount of I/O of a loop; percent of the region.
    pub io_size: Option<Size>,
    /// At most this many requests, times `loops`.
    pub number_ios: Option<u64>,
    /// How often the amount is done.
    pub loops: u64,
    /// Ends the job, counted from the end of the ramp.
    pub runtime: Option<Nanos>,
    /// Repeats until `runtime` whatever the amount.
    pub time_based: bool,
    /// Runs this long before anything is counted.
    pub ramp_time: Nanos,
    /// Waits this long before the first request.
    pub startdelay: Nanos,

    /// Requests outstanding at once.
    pub iodepth: u32,
    /// Pause after every `thinktime_blocks` requests.
    pub thinktime: Nanos,
    /// The part of `thinktime` that would burn processor time.
    pub thinktime_spin: Nanos,
    /// Requests between pauses.
    pub thinktime_blocks: u64,
    /// Cap in bytes a second.
    pub rate: PerKind<Option<u64>>,
    /// Cap in requests a second.
    pub rate_iops: PerKind<Option<u64>>,
    /// A flush after every N writes; 0 for none.
    pub fsync: u64,
    /// As `fsync`; a drive sees no difference.
    pub fdatasync: u64,
    /// What the data look like.
    pub data: DataPattern,

    /// Options of the `[global]` sections before the job, as written, under fio's main names. An
    /// option without a value has an empty one (fio leaves these out of its JSON).
    pub global_options: Vec<(String, String)>,
    /// Options of the job's own section, likewise.
    pub job_options: Vec<(String, String)>,
}

impl JobSpec {
    /// A job in which every key has fio's default.
    #[must_use]
    pub fn new(name: &str, source: Source) -> JobSpec {
        JobSpec {
            name: name.to_owned(),
            description: None,
            source,
            index: 0,
            clone_index: 0,
            numjobs: 1,
            stonewall: false,
            group_reporting: false,
            files: Vec::new(),
            switches_file_after: 1,
            kind: PatternKind::Read,
            random: false,
            rwmixread: 50,
            rwmixtrim: None,
            bs: PerKind::all(4096),
            blockalign: PerKind::all(None),
            percentage_random: PerKind::all(100),
            random_distribution: Distribution::Random,
            norandommap: false,
            randseed: None,
            randrepeat: true,
            offset: Size::Bytes(0),
            offset_increment: Size::Bytes(0),
            begin_bytes: 0,
            size: None,
            io_size: None,
            number_ios: None,
            loops: 1,
            runtime: None,
            time_based: false,
            ramp_time: Nanos::ZERO,
            startdelay: Nanos::ZERO,
            iodepth: 1,
            thinktime: Nanos::ZERO,
            thinktime_spin: Nanos::ZERO,
            thinktime_blocks: 1,
            rate: PerKind::all(None),
            rate_iops: PerKind::all(None),
            fsync: 0,
            fdatasync: 0,
            data: DataPattern {
                compress_percent: None,
                dedupe_percent: 0,
                zero: false,
                refill: false,
                scramble: true,
            },
            global_options: Vec::new(),
            job_options: Vec::new(),
        }
    }

    /// Whether the job writes at random places.
    #[must_use]
    pub fn writes_at_random(&self) -> bool {
        self.random && self.kinds().contains(&CommandKind::Write)
    }

    /// The kinds of request the job makes.
    pub(crate) fn kinds(&self) -> &'static [CommandKind] {
        match self.kind {
            PatternKind::Read => &[CommandKind::Read],
            PatternKind::Write => &[CommandKind::Write],
            PatternKind::Trim => &[CommandKind::Trim],
            PatternKind::ReadWrite => &[CommandKind::Read, CommandKind::Write],
            PatternKind::TrimWrite => &[CommandKind::Trim, CommandKind::Write],
        }
    }
}
