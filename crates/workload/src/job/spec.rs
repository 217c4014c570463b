//! One job as its file states it, before any device is known.

use super::distribution::Distribution;
use super::error::Source;
use super::goals::{Continue, ExitWhat, LatencyTarget, Steady};
use super::logs::{Logs, Replay};
use super::reporting::Reporting;
use crate::units::Size;
use ftlab_base::{CommandKind, Content, Nanos, Priority, SECTOR_BYTES};

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

impl<T> PerKind<T> {
    /// The value for a kind, as [`PerKind::of`] gives it.
    #[inline]
    pub const fn get(&self, kind: CommandKind) -> &T {
        match kind {
            CommandKind::Read => &self.read,
            CommandKind::Write | CommandKind::Flush => &self.write,
            CommandKind::Trim => &self.trim,
        }
    }
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

/// One size of several that requests have (fio's `bssplit`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Part {
    /// The size in bytes.
    pub bytes: u64,
    /// Percent of the requests that have it.
    pub percent: u8,
}

/// Where requests lie that follow one another between two random ones (fio's `rw_sequencer`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sequencer {
    /// Each behind the one before.
    Sequential,
    /// All at the place of the first.
    Identical,
}

/// Zones that a job goes through one after the other (fio's `zonemode=strided`), in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Strides {
    /// What is moved in a zone before the next one's turn.
    pub size: u64,
    /// How long a zone is.
    pub range: u64,
    /// What lies between two zones.
    pub skip: u64,
}

/// How writes are read back and checked (fio's `verify`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Verify {
    /// Writes after which they are read back without waiting for the end; 0 for none.
    pub backlog: u64,
    /// How many are read back then; 0 for as many.
    pub batch: u64,
    /// Whether all that was written is read back at the end.
    pub at_end: bool,
    /// Nothing is written: what an earlier run wrote is read.
    pub only: bool,
    /// Percent of the writes that are trimmed later.
    pub trim_percent: u8,
    /// Writes after which those are trimmed; 0 for never.
    pub trim_backlog: u64,
    /// How many are trimmed then; 0 for as many.
    pub trim_batch: u64,
    /// Whether what was trimmed is read back too.
    pub reads_trimmed: bool,
}

/// Which earlier buffer a duplicate repeats (fio's `dedupe_mode`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DedupeMode {
    /// The last new one.
    Repeat,
    /// Any of a working set.
    WorkingSet,
}

/// How a job's writes get to its placement handles (fio's `plid_select`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum HandleOrder {
    /// In turn.
    #[default]
    RoundRobin,
    /// Any.
    Random,
}

/// With which data a job's writes are to lie (fio's `dataplacement`, `plids` and `plid_select`).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DataPlacement {
    /// The drive is told at all.
    pub is_told: bool,
    /// Its handles; empty for all that the drive has.
    pub handles: Vec<u8>,
    /// Which of them a write gets.
    pub order: HandleOrder,
    /// The handle of all writes where the job names none: how long its data live, as fio's `write_hint` says. Linux takes
    /// the number of the hint for the handle, and none where the drive has fewer.
    pub hint: u8,
}

/// What the written data look like to a drive that compresses or deduplicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DataPattern {
    /// `buffer_compress_percentage`: how much of a buffer compresses away, 0 to 100.
    pub compress_percent: Option<u8>,
    /// `dedupe_percentage`: share of writes that repeat an earlier one, 0 to 100.
    pub dedupe_percent: u8,
    /// `dedupe_mode`: which.
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

/// How much of a repeated pattern compresses away, in percent.
const PATTERN_PERCENT: u8 = 99;

impl DataPattern {
    /// How much of a buffer compresses away, in percent: 100 for zeros, 0 for fio's random data.
    #[must_use]
    pub fn compressible_percent(&self) -> u8 {
        match (self.zero, self.compress_percent, self.pattern) {
            (true, ..) => 100,
            (_, Some(percent), _) => percent,
            (_, None, Some(_)) => PATTERN_PERCENT,
            (_, None, None) => 0,
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

/// Requests that an asynchronous engine of fio's does in the call that submits them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct StopsFor {
    /// Trims.
    pub trims: bool,
    /// Flushes.
    pub flushes: bool,
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
    /// How it is reported.
    pub reporting: Reporting,

    /// The files it runs on, in order, each once; none where its file names none.
    pub files: Vec<String>,
    /// Files that the job has where it names none, end to end on its drive.
    pub nrfiles: u64,
    /// As many of them are open at a time; all where none is given.
    pub openfiles: Option<u64>,
    /// Requests that one of several files gets before the next one has its turn.
    pub switches_file_after: u64,

    /// The kinds of request.
    pub kind: PatternKind,
    /// Random (`randread` …) rather than sequential.
    pub random: bool,
    /// Reads stand for writes: commands that check what is there.
    pub writes_as_reads: bool,
    /// Percent of reads in a read-write mix.
    pub rwmixread: u8,
    /// Percent of requests that trim a random block in use; an extension, 0 to 49.
    pub rwmixtrim: Option<u8>,
    /// Request sizes in bytes; the smallest where they differ.
    pub bs: PerKind<u64>,
    /// The largest ones.
    pub bs_max: PerKind<u64>,
    /// Smallest and largest ones by `bsrange` or `bssplit`, whatever `bs` says.
    pub bsrange: PerKind<Option<(u64, u64)>>,
    /// The sizes and their shares by `bssplit`, rarest first; empty where all of a range are alike.
    pub bssplit: PerKind<Vec<Part>>,
    /// Sizes of a range need not be multiples of the smallest.
    pub bs_unaligned: bool,
    /// `bs` gives the sizes of sequential and of random requests, not of reads and writes.
    pub bs_is_seq_rand: bool,
    /// Alignment of random requests in bytes; the request size where none is given.
    pub blockalign: PerKind<Option<u64>>,
    /// Percent of a random job's requests that jump; the rest follow their predecessor.
    pub percentage_random: PerKind<u8>,
    /// The law of random positions.
    pub random_distribution: Distribution,
    /// Skewed laws have every block of the region, in an order of their own; fio's hash leaves some out.
    pub shuffle: bool,
    /// Requests of which the first is random (`rw=randread:8`).
    pub random_run: u64,
    /// Where the others of these lie.
    pub rw_sequencer: Sequencer,
    /// Bytes between two sequential requests, backwards where negative (`rw=read:8k`).
    pub stride_bytes: i64,
    /// Zones of which one after the other is used.
    pub zonemode_strided: Option<bool>,
    /// `zonesize`, `zonerange` and `zoneskip`.
    pub zones: Strides,
    /// Random blocks are drawn with replacement instead of each once.
    pub norandommap: bool,
    /// fio draws them by a shift register, which comes to each once without a map.
    pub lfsr: bool,
    /// Mixed into the run's seed.
    pub randseed: Option<u64>,
    /// Each loop repeats the first one's sequence; fio's default.
    pub randrepeat: bool,

    /// Start of the region; percent of the device.
    pub offset: Size,
    /// What offsets in percent are rounded up to, in bytes; 0 for the smallest request.
    pub offset_align: u64,
    /// The region goes to the end of the device, whatever its size.
    pub fill_device: bool,
    /// How far each of the `numjobs` clones begins behind the one before; percent of the device.
    pub offset_increment: Size,
    /// Where sequential requests begin, in bytes from the region's start: for a job that goes on where
    /// another one ended. No key of fio's, and 0 in every file.
    pub begin_bytes: u64,
    /// How much of the device, from its start, is the file that the job uses; all of it where none is given.
    pub filesize: Option<u64>,
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
    /// Waits up to so long instead, drawn between the two.
    pub startdelay_max: Option<Nanos>,

    /// fio's engine does one request at a time, whatever the depth.
    pub is_synchronous: bool,
    /// fio's engine puts requests that follow one another into one call.
    pub is_vsync: bool,
    /// fio's engine does these as they come: nothing is submitted until they have ended.
    pub stops_for: StopsFor,
    /// fio's engine is named and submits requests in calls that it times.
    pub times_submissions: bool,
    /// The host's page cache is left out, or is not; none where nothing is said.
    pub direct: Option<bool>,
    /// Requests outstanding at once.
    pub iodepth: u32,
    /// As many as the file says, whatever its engine can do.
    pub iodepth_stated: u32,
    /// A full queue is refilled when no more are outstanding; the depth where none is given.
    pub iodepth_low: u32,
    /// Answers that are waited for before any is taken from a full queue.
    pub iodepth_batch_complete_min: u32,
    /// Requests wait until what they overlap with has ended.
    pub serialize_overlap: bool,
    /// Class of I/O priority: 0 for none, 1 realtime, 2 best effort, 3 idle.
    pub prioclass: u8,
    /// Level of priority in that class, 0 to 7; lower is more urgent.
    pub prio: Option<u8>,
    /// Pause after every `thinktime_blocks` requests.
    pub thinktime: Nanos,
    /// The part of `thinktime` that would burn processor time.
    pub thinktime_spin: Nanos,
    /// Requests between pauses.
    pub thinktime_blocks: u64,
    /// A pause after so long at work as well.
    pub thinktime_iotime: Nanos,
    /// `thinktime_blocks` was given, so that it counts beside `thinktime_iotime`.
    pub thinktime_by_blocks: bool,
    /// Cap in bytes a second.
    pub rate: PerKind<Option<u64>>,
    /// Cap in requests a second.
    pub rate_iops: PerKind<Option<u64>>,
    /// Requests come at random at their rate, as those of many users.
    pub rate_poisson: bool,
    /// Pauses are no arrears that a rate has to catch up with.
    pub rate_ignore_thinktime: bool,
    /// The job fails where it moves fewer bytes a second.
    pub rate_min: PerKind<Option<u64>>,
    /// The job fails where it makes fewer requests a second.
    pub rate_iops_min: PerKind<Option<u64>>,
    /// Over how long these two look.
    pub rate_cycle: Nanos,
    /// The depth is sought at which latencies are met.
    pub latency: LatencyTarget,
    /// The job fails at a request that takes longer.
    pub max_latency: Option<Nanos>,
    /// The job ends as soon as it is steady.
    pub steadystate: Steady,
    /// A flush after every N writes; 0 for none.
    pub fsync: u64,
    /// As `fsync`; a drive sees no difference.
    pub fdatasync: u64,
    /// A write ends when a flush behind it has (O_SYNC).
    pub sync: bool,
    /// A flush at the end of a job that writes.
    pub end_fsync: bool,
    /// A flush when its file is closed, which is then too.
    pub fsync_on_close: bool,
    /// Failures that do not end the job.
    pub continue_on_error: Continue,
    /// Its end ends other jobs.
    pub exitall: bool,
    /// Its end ends other jobs if it failed.
    pub exitall_on_error: bool,
    /// Which.
    pub exit_what: ExitWhat,
    /// The job whose end it waits for.
    pub wait_for: Option<String>,
    /// Its weight among the jobs of a flow.
    pub flow: u32,
    /// Which flow.
    pub flow_id: u32,
    /// How long it waits when it is ahead of the others.
    pub flow_sleep: Nanos,
    /// What is written is read back and checked.
    pub verify: bool,
    /// How.
    pub checks: Verify,
    /// The logs of its requests that it asks for.
    pub logs: Logs,
    /// The recorded trace that it replays instead of making requests.
    pub replay: Replay,
    /// What suffixes of sizes count in: 1024 or 1000.
    pub kb_base: u64,
    /// What the data look like.
    pub data: DataPattern,
    /// With which data they are to lie.
    pub placement: DataPlacement,
    /// Each write is on the drive as a whole or not at all when the power goes.
    pub atomic: bool,

    /// Options of the `[global]` sections before the job, as written, under fio's main names. An
    /// option without a value has an empty one (fio leaves these out of its JSON).
    pub global_options: Vec<(String, String)>,
    /// Options of the job's own section, likewise.
    pub job_options: Vec<(String, String)>,
}

/// The lowest level of best effort that counts as high priority: Linux gives 4 to what asks for none.
const PRIO_HIGH: u8 = 3;

impl JobSpec {
    /// How urgent the job's submission queue is, where a drive weighs queues. Linux itself has all of them alike.
    #[must_use]
    pub fn priority(&self) -> Priority {
        match (self.prioclass, self.prio) {
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
            clone_index: 0,
            numjobs: 1,
            stonewall: false,
            group_reporting: false,
            reporting: Reporting::default(),
            files: Vec::new(),
            nrfiles: 1,
            openfiles: None,
            switches_file_after: 1,
            kind: PatternKind::Read,
            random: false,
            writes_as_reads: false,
            rwmixread: 50,
            rwmixtrim: None,
            bs: PerKind::all(4096),
            bs_max: PerKind::all(4096),
            bsrange: PerKind::all(None),
            bssplit: PerKind::default(),
            bs_unaligned: false,
            bs_is_seq_rand: false,
            blockalign: PerKind::all(None),
            percentage_random: PerKind::all(100),
            random_distribution: Distribution::Random,
            shuffle: false,
            random_run: 1,
            rw_sequencer: Sequencer::Sequential,
            stride_bytes: 0,
            zonemode_strided: None,
            zones: Strides {
                size: 0,
                range: 0,
                skip: 0,
            },
            norandommap: false,
            lfsr: false,
            randseed: None,
            randrepeat: true,
            offset: Size::Bytes(0),
            offset_align: 0,
            fill_device: false,
            offset_increment: Size::Bytes(0),
            begin_bytes: 0,
            filesize: None,
            size: None,
            io_size: None,
            number_ios: None,
            loops: 1,
            runtime: None,
            time_based: false,
            ramp_time: Nanos::ZERO,
            startdelay: Nanos::ZERO,
            startdelay_max: None,
            is_synchronous: false,
            is_vsync: false,
            stops_for: StopsFor::default(),
            times_submissions: false,
            direct: None,
            iodepth: 1,
            iodepth_stated: 1,
            iodepth_low: 0,
            iodepth_batch_complete_min: 1,
            serialize_overlap: false,
            prioclass: 0,
            prio: None,
            thinktime: Nanos::ZERO,
            thinktime_spin: Nanos::ZERO,
            thinktime_blocks: 1,
            thinktime_iotime: Nanos::ZERO,
            thinktime_by_blocks: false,
            rate: PerKind::all(None),
            rate_iops: PerKind::all(None),
            rate_poisson: false,
            rate_ignore_thinktime: false,
            rate_min: PerKind::all(None),
            rate_iops_min: PerKind::all(None),
            rate_cycle: Nanos::from_secs(1),
            latency: LatencyTarget::default(),
            max_latency: None,
            steadystate: Steady::default(),
            fsync: 0,
            fdatasync: 0,
            sync: false,
            end_fsync: false,
            fsync_on_close: false,
            continue_on_error: Continue::default(),
            exitall: false,
            exitall_on_error: false,
            exit_what: ExitWhat::Group,
            wait_for: None,
            flow: 0,
            flow_id: 0,
            flow_sleep: Nanos::ZERO,
            verify: false,
            checks: Verify {
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
            atomic: false,
            global_options: Vec::new(),
            job_options: Vec::new(),
        }
    }

    /// Whether the job writes at random places.
    #[must_use]
    pub fn writes_at_random(&self) -> bool {
        self.random && self.kinds().contains(&CommandKind::Write)
    }

    /// Whether its requests go through pages in the host's memory: some are of no whole sectors.
    #[must_use]
    pub fn is_paged(&self) -> bool {
        let is_odd = |bytes: u64| !bytes.is_multiple_of(SECTOR_BYTES);
        let parts = |kind| self.bssplit.get(kind).iter().map(|part| part.bytes);
        self.kinds().iter().any(|&kind| {
            let sizes = [
                self.bs.of(kind),
                self.bs_max.of(kind),
                self.blockalign.of(kind).unwrap_or(0),
            ];
            sizes.into_iter().chain(parts(kind)).any(is_odd)
        })
    }

    /// Whether its region, or that of one of its clones, begins behind the device's first byte.
    #[must_use]
    pub fn may_begin_later(&self) -> bool {
        [self.offset, self.offset_increment] != [Size::Bytes(0); 2]
    }

    /// Whether a flush comes behind all that the job does.
    #[must_use]
    pub fn closes_with_a_flush(&self) -> bool {
        (self.end_fsync || self.fsync_on_close) && self.kinds().contains(&CommandKind::Write)
    }

    /// Whether all requests of a kind have one size.
    #[must_use]
    pub fn has_one_size(&self, kind: CommandKind) -> bool {
        self.bs.of(kind) == self.bs_max.of(kind)
    }

    /// The kinds of request the job makes.
    #[must_use]
    pub fn kinds(&self) -> &'static [CommandKind] {
        match self.kind {
            PatternKind::Read => &[CommandKind::Read],
            PatternKind::Write => &[CommandKind::Write],
            PatternKind::Trim => &[CommandKind::Trim],
            PatternKind::ReadWrite => &[CommandKind::Read, CommandKind::Write],
            PatternKind::TrimWrite => &[CommandKind::Trim, CommandKind::Write],
        }
    }
}
