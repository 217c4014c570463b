//! Parts of a job beside its requests: files, region, length, depth, pace, ends, flushes. Fields carry fio's names.

use super::goals::{Continue, ExitWhat, LatencyTarget, Steady};
use super::sizes::PerKind;
use crate::units::Size;
use ftlab_base::Nanos;

/// Requests that an asynchronous engine of fio's does in the call that submits them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct StopsFor {
    /// It stops for trims.
    pub trims: bool,
    /// It stops for flushes.
    pub flushes: bool,
}
/// The clones of a section, and what they share.
#[derive(Debug, Clone, PartialEq)]
pub struct Clones {
    /// Number of clones that the section asks for; each is a job of its own.
    pub numjobs: u32,
    /// Number of this clone among the `numjobs`, from 0.
    pub clone_index: u32,
    /// Clones are reported as one.
    pub group_reporting: bool,
}

impl Default for Clones {
    fn default() -> Self {
        Clones {
            numjobs: 1,
            clone_index: 0,
            group_reporting: false,
        }
    }
}

/// Beginning of a job among the others, and the effect of its end on them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Order {
    /// Starts only when every job before it has ended.
    pub stonewall: bool,
    /// The job whose end it waits for.
    pub wait_for: Option<String>,
    /// Issues nothing before this time, counted from the beginning of all jobs.
    pub startdelay: Nanos,
    /// Waits up to so long instead, drawn between the two.
    pub startdelay_max: Option<Nanos>,
    /// Rests so long when its turn has come, before the first request.
    pub rest: Nanos,
    /// Its end ends other jobs.
    pub exitall: bool,
    /// Its end ends other jobs if it failed.
    pub exitall_on_error: bool,
    /// Jobs that end with it.
    pub exit_what: ExitWhat,
    /// Its weight among the jobs of a flow.
    pub flow: u32,
    /// Number of the flow.
    pub flow_id: u32,
    /// Time that it waits when it is ahead of the others.
    pub flow_sleep: Nanos,
}

/// The files that a job runs on.
#[derive(Debug, Clone, PartialEq)]
pub struct FileSet {
    /// The files it runs on, in order, each once; none where its file names none.
    pub named: Vec<String>,
    /// Where they lie, or those that it has where its file names none; of several each clone has the next one.
    pub directories: Vec<String>,
    /// Names of files that it has where its file names none; fio's where nothing is said.
    pub format: Option<String>,
    /// It runs on a file that is a part of its device, in which a request has to lie whole.
    pub is_part_of_device: bool,
    /// Files that the job has where it names none, end to end on its drive.
    pub nrfiles: u64,
    /// As many of them are open at a time; all where none is given.
    pub openfiles: Option<u64>,
    /// Requests that one of several files gets before the next one has its turn.
    pub switches_file_after: u64,
}

impl Default for FileSet {
    fn default() -> Self {
        FileSet {
            named: Vec::new(),
            directories: Vec::new(),
            format: None,
            is_part_of_device: false,
            nrfiles: 1,
            openfiles: None,
            switches_file_after: 1,
        }
    }
}

/// The part of a device that a job uses.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Region {
    /// Start of the region; percent of the device.
    pub offset: Size,
    /// Offsets in percent are rounded up to a multiple of this, in bytes; 0 for the smallest request.
    pub offset_align: u64,
    /// The region goes to the end of the device, whatever its size.
    pub fill_device: bool,
    /// Distance from the start of each of the `numjobs` clones to that of the next; percent of the device.
    pub offset_increment: Size,
    /// Start of sequential requests, in bytes from the region's start: for a job that goes on where another one ended.
    /// No key of fio's, and 0 in every file.
    pub begin_bytes: u64,
    /// Bytes of the device, from its start, that are the file of the job; all of it where none is given.
    pub filesize: Option<u64>,
    /// Length of the region and default amount of I/O; percent of the device. Absent: to its end.
    pub size: Option<Size>,
}

/// Amount of a job's I/O, and its time.
#[derive(Debug, Clone, PartialEq)]
pub struct Length {
    /// Amount of I/O of a loop; percent of the region.
    pub io_size: Option<Size>,
    /// At most this many requests, times `loops`.
    pub number_ios: Option<u64>,
    /// Number of times that the amount is done.
    pub loops: u64,
    /// Ends the job, counted from the end of the ramp.
    pub runtime: Option<Nanos>,
    /// Repeats until `runtime` whatever the amount.
    pub time_based: bool,
    /// Runs this long before anything is counted.
    pub ramp_time: Nanos,
}

impl Default for Length {
    fn default() -> Self {
        Length {
            io_size: None,
            number_ios: None,
            loops: 1,
            runtime: None,
            time_based: false,
            ramp_time: Nanos::ZERO,
        }
    }
}

/// Submission of requests to the drive: fio's engine, the depth, the priority.
#[derive(Debug, Clone, PartialEq)]
pub struct Submission {
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
}

impl Default for Submission {
    fn default() -> Self {
        Submission {
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
        }
    }
}

/// Pauses between requests, and rates that they keep below.
#[derive(Debug, Clone, PartialEq)]
pub struct Pace {
    /// Pause after every `thinktime_blocks` requests.
    pub thinktime: Nanos,
    /// The part of `thinktime` that would burn processor time.
    pub thinktime_spin: Nanos,
    /// Number of requests between pauses.
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
}

impl Default for Pace {
    fn default() -> Self {
        Pace {
            thinktime: Nanos::ZERO,
            thinktime_spin: Nanos::ZERO,
            thinktime_blocks: 1,
            thinktime_iotime: Nanos::ZERO,
            thinktime_by_blocks: false,
            rate: PerKind::all(None),
            rate_iops: PerKind::all(None),
            rate_poisson: false,
            rate_ignore_thinktime: false,
        }
    }
}

/// Conditions that end a job, or fail it, by what it sees of the drive.
#[derive(Debug, Clone, PartialEq)]
pub struct Ends {
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
    /// Failures that do not end the job.
    pub continue_on_error: Continue,
}

impl Default for Ends {
    fn default() -> Self {
        Ends {
            rate_min: PerKind::all(None),
            rate_iops_min: PerKind::all(None),
            rate_cycle: Nanos::from_secs(1),
            latency: LatencyTarget::default(),
            max_latency: None,
            steadystate: Steady::default(),
            continue_on_error: Continue::default(),
        }
    }
}

/// Points at which a job's writes have to be on the flash.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Flushes {
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
    /// Each write is on the drive as a whole or not at all when the power goes.
    pub atomic: bool,
}

/// A job's options as written, under fio's main names. An option without a value has an empty one (fio leaves these out of its JSON).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Echo {
    /// Options of the `[global]` sections before the job, as written, under fio's main names. An
    /// option without a value has an empty one (fio leaves these out of its JSON).
    pub global: Vec<(String, String)>,
    /// Options of the job's own section, likewise.
    pub own: Vec<(String, String)>,
}
