//! Errors of a run that could not be made or finished.

use ftlab_base::{Blame, Nanos};
use ftlab_states::watch::Stopped;
use ftlab_trace::TraceError;
use ftlab_workload::script::ScriptError;
use ftlab_workload::{JobError, Source};
use thiserror::Error;

/// Seconds of a year of 365 days.
const YEAR_S: u64 = 365 * 86_400;

/// Reason why a run could not be made or finished.
#[derive(Debug, Error)]
pub enum DriverError {
    /// A job does not fit the drive.
    #[error(transparent)]
    Job(#[from] JobError),
    /// A script or trace does not fit the drive.
    #[error(transparent)]
    Script(#[from] ScriptError),
    /// A recorded trace does not fit the drive, or cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// A script or trace is to run on several devices.
    #[error(
        "a {what} says nothing of devices, and so it runs on one; give one drive, without a name"
    )]
    OneDevice {
        /// Kind of the load.
        what: &'static str,
    },
    /// A script names a testbed that there is not.
    #[error("{file}: {why}")]
    Testbed {
        /// File of the script.
        file: String,
        /// The fault of the name.
        why: String,
    },
    /// The testbed does not say how it writes back.
    #[error(
        "testbed {testbed} has no file system for what programs write; add one to its [os] \
         section as in anandtech-2008, or give its writes `through = true`"
    )]
    NoSystem {
        /// Slug of the testbed.
        testbed: String,
    },
    /// The file system of the testbed needs a larger drive.
    #[error(
        "the file system of testbed {testbed} ends at {end} bytes and the drive has {capacity}; \
         take a larger drive, or a testbed of one's own with smaller places in [os]"
    )]
    SystemBeyondDrive {
        /// Slug of the testbed.
        testbed: String,
        /// End of the file system, in bytes.
        end: u64,
        /// Bytes of the drive.
        capacity: u64,
    },
    /// A job's requests go through pages in memory, and the testbed says of none.
    #[error(
        "{at}: job `{job}` has requests that are of no whole sectors of 512 bytes, which go through pages in the memory of a host, and \
         {}; take a testbed whose [os] section has memory_call, such as linux-2024-sync, or a bs of whole sectors",
        match testbed.as_str() {
            "" => "there is none here".to_owned(),
            testbed => format!("testbed {testbed} says of none"),
        }
    )]
    NoPages {
        /// Beginning of the job's section.
        at: Source,
        /// Name of the job.
        job: String,
        /// Slug; empty without one.
        testbed: String,
    },
    /// A job whose requests are not those that a drive gets one by one.
    #[error(
        "{at}: job `{job}` has requests through pages in memory or several files, which is modelled where a job is run alone; \
         give it a bs of whole sectors of 512 bytes, and one file"
    )]
    Unfit {
        /// Beginning of the job's section.
        at: Source,
        /// Name of the job.
        job: String,
    },
    /// Without a clock only an amount of I/O ends a job.
    #[error(
        "{at}: job `{job}` needs io_size or number_ios, for example io_size=10g: it is time_based, and \
         without a clock a runtime has no end; or leave time_based out"
    )]
    NoAmount {
        /// Beginning of the job's section.
        at: Source,
        /// Name of the job.
        job: String,
    },
    /// The drive has commands and will never do anything.
    #[error(
        "the drive is stuck at {at} with {outstanding} commands outstanding, the oldest one \
         since {since}"
    )]
    Stuck {
        /// On the run's clock.
        at: Nanos,
        /// Number of commands not completed.
        outstanding: usize,
        /// Instant at which the oldest of them was submitted, on the run's clock.
        since: Nanos,
    },
    /// Events follow one another and the clock does not move.
    #[error(
        "time stands still at {at}: {events} events in a row at one instant, and a job that only \
         its time ends; give it an amount of I/O such as number_ios=100000 in place of \
         time_based, or the drive and the testbed's host.command a time above 0"
    )]
    Standstill {
        /// On the run's clock.
        at: Nanos,
        /// Number of the events.
        events: u64,
    },
    /// The drive is so slow that the clock would run out.
    #[error(
        "the run is not over after {} years of virtual time; look for a time or a rate of the \
         drive that is out of proportion, for startdelay and runtime of the jobs, or for host.cpu_speed and \
         host.cpu_sharing of the testbed",
        .after.as_secs() as u64 / YEAR_S
    )]
    Endless {
        /// On the run's clock.
        after: Nanos,
    },
    /// The drive takes no more writes.
    #[error("the drive takes no more writes: {why}")]
    Fault {
        /// In the drive's words.
        why: String,
    },
    /// Nobody waits for the run any more.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The drive completed what was not outstanding.
    #[error("the drive completed command {id}, which was not outstanding")]
    Unexpected {
        /// Number of the command.
        id: u64,
    },
}

impl Blame for DriverError {
    fn is_input(&self) -> bool {
        matches!(
            self,
            DriverError::Job(_)
                | DriverError::NoAmount { .. }
                | DriverError::NoPages { .. }
                | DriverError::Script(_)
                | DriverError::Trace(_)
                | DriverError::OneDevice { .. }
                | DriverError::Testbed { .. }
                | DriverError::NoSystem { .. }
                | DriverError::SystemBeyondDrive { .. }
        )
    }
}
