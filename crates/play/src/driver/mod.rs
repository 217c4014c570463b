//! Runs a job file on a drive.
//!
//! Groups separated by `stonewall` run one after the other, the jobs of a group at the same time.
//! With a clock, each job keeps `iodepth` commands outstanding and the clock jumps to the drive's
//! next event or the next request, whichever is first. Without a clock, commands are applied one
//! after the other and only amounts count: the jobs of a group take turns.
//!
//! **When a job's time is over** it issues nothing more, and what is outstanding then is waited
//! for but not counted. This is what Iometer does: it records a command only while the test is
//! recording (`Grunt::Record_IO`). fio counts these last commands and lengthens the measured time
//! until the last one ends; at sensible run lengths both agree, and where they do not (latencies
//! of many seconds at a high queue depth), the published figures are Iometer's. As in fio, what
//! ends after the ramp counts wherever it began, and the runtime starts when the ramp ends.
//!
//! Also as in fio: `rate` and `rate_iops` are caps that a job behind them catches up with at full
//! speed; `thinktime` starts when the commands before it have ended; a command that fails ends
//! its job.

mod group;
mod meter;
mod patience;
mod pauses;
mod report;
mod rounds;
mod scenario;
mod stats;
mod trace;
mod untimed;
mod worker;

pub use meter::PowerReport;
pub use pauses::{PAUSE, PauseReport};
pub use report::RunReport;
pub use rounds::WriteAmplification;
pub use scenario::{ProcessReport, ScenarioReport, check_scenario, run_scenario};
pub use stats::{DEPTH_LEVELS, Direction, INTERVAL_S, Interval, JobReport};
pub use trace::{TraceReport, check_trace, run_trace};

use crate::watch::{self, Watch};
use ftlab_base::{Nanos, RootSeed, SECTOR_BYTES, SimTime};
use ftlab_drive::Device;
use ftlab_workload::script::ScriptError;
use ftlab_workload::{JobError, JobFile, JobSpec, ResolvedJob, Source};
use thiserror::Error;

/// How a run treats time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// Virtual time: latencies and rates.
    Timed,
    /// None: write amplification, wear.
    Untimed,
}

/// Seconds of a year of 365 days.
const YEAR_S: u64 = 365 * 86_400;

/// Why a run could not be made or finished.
#[derive(Debug, Error)]
pub enum DriverError {
    /// A job does not fit the drive.
    #[error(transparent)]
    Job(#[from] JobError),
    /// A script or trace does not fit the drive.
    #[error(transparent)]
    Script(#[from] ScriptError),
    /// A script names a testbed that there is not.
    #[error("{file}: {why}")]
    Testbed {
        /// The script's file.
        file: String,
        /// What is wrong with the name.
        why: String,
    },
    /// The testbed does not say how it writes back.
    #[error(
        "testbed {testbed} has no operating system to write back what programs write; add an \
         [os] section as in anandtech-2008, or give its writes `through = true`"
    )]
    NoSystem {
        /// Slug.
        testbed: String,
    },
    /// The file system of the testbed needs a larger drive.
    #[error(
        "the file system of testbed {testbed} ends at {end} bytes and the drive has {capacity}; \
         take a larger drive, or a testbed of one's own with smaller places in [os]"
    )]
    SystemBeyondDrive {
        /// Slug.
        testbed: String,
        /// Where it ends, in bytes.
        end: u64,
        /// Bytes of the drive.
        capacity: u64,
    },
    /// Without a clock only an amount of I/O ends a job.
    #[error(
        "{at}: job `{job}` needs io_size or number_ios, for example io_size=10g: it is time_based, and \
         without a clock a runtime has no end; or leave time_based out"
    )]
    NoAmount {
        /// Where the job's section begins.
        at: Source,
        /// Its name.
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
        /// Commands not completed.
        outstanding: usize,
        /// When the oldest of them was submitted, on the run's clock.
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
        /// How many.
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
    /// The drive completed what was not outstanding.
    #[error("the drive completed command {id}, which was not outstanding")]
    Unexpected {
        /// The command's number.
        id: u64,
    },
}

impl DriverError {
    /// Whether the job file is at fault rather than the drive.
    #[must_use]
    pub fn is_input(&self) -> bool {
        matches!(
            self,
            DriverError::Job(_)
                | DriverError::NoAmount { .. }
                | DriverError::Script(_)
                | DriverError::Testbed { .. }
                | DriverError::NoSystem { .. }
                | DriverError::SystemBeyondDrive { .. }
        )
    }
}

/// Runs every job of `file` on `device`.
///
/// # Errors
/// When a job does not fit the drive or clock, or the drive loses a command.
pub fn run(
    file: &JobFile,
    device: &mut dyn Device,
    clock: Clock,
    seed: RootSeed,
) -> Result<RunReport, DriverError> {
    run_watched(file, device, clock, seed, &watch::nobody)
}

/// The same; `watch` hears how far it is.
///
/// # Errors
/// As [`run`].
pub fn run_watched(
    file: &JobFile,
    device: &mut dyn Device,
    clock: Clock,
    seed: RootSeed,
    watch: &Watch<'_>,
) -> Result<RunReport, DriverError> {
    let jobs = resolve(file, device.capacity_sectors() * SECTOR_BYTES, clock)?;
    device.restart_stream_hash();
    let report = match clock {
        Clock::Timed => run_timed(file, &jobs, device, (seed, watch))?,
        Clock::Untimed => untimed::run(file, &jobs, device, (seed, watch)),
    };
    let report = RunReport {
        writes_at_random: file.jobs.iter().any(JobSpec::writes_at_random),
        ..report
    };
    match device.fault() {
        Some(why) => Err(DriverError::Fault { why }),
        None => Ok(report),
    }
}

/// Checks that every job of `file` fits a drive of that size and the clock.
///
/// # Errors
/// The first job that does not.
pub fn check(file: &JobFile, device_bytes: u64, clock: Clock) -> Result<(), DriverError> {
    resolve(file, device_bytes, clock).map(drop)
}

/// The jobs of `file` fitted to a drive of that size and the clock.
///
/// # Errors
/// The first job that does not fit.
pub fn resolve(
    file: &JobFile,
    device_bytes: u64,
    clock: Clock,
) -> Result<Vec<ResolvedJob>, DriverError> {
    let resolve = |spec| match clock {
        Clock::Timed => Ok(JobSpec::resolve(spec, device_bytes)?),
        Clock::Untimed => untimed::resolve(spec, device_bytes),
    };
    file.jobs.iter().map(resolve).collect()
}

fn run_timed(
    file: &JobFile,
    jobs: &[ResolvedJob],
    device: &mut dyn Device,
    (seed, watch): (RootSeed, &Watch<'_>),
) -> Result<RunReport, DriverError> {
    let mut report = RunReport::default();
    let mut counting = group::Counting::new(device);
    let groups = file.groups();
    let mut now = SimTime::ZERO;
    for (index, members) in groups.iter().enumerate() {
        let tell = |share| {
            watch(
                "running",
                Some((index as f64 + share) / groups.len() as f64),
            )
        };
        let members: Vec<_> = members.iter().map(|&member| &jobs[member]).collect();
        let mut group = group::Group::new(index, &members, seed, now);
        now = group.run(device, &mut counting, &tell)?;
        group.report(&mut report);
    }
    report.simulated = now.since(SimTime::ZERO);
    let end = device.counters();
    report.counters = counting.finish(end);
    report.wa = counting.rounds.finish(&end);
    let readings = counting.meter.finish(device, now);
    (report.power, report.series_wa) = (readings.power, readings.series_wa);
    report.pauses = counting.pauses.report();
    Ok(report)
}

#[cfg(test)]
mod tests;
