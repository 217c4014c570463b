//! Runs a load on a target: a job file, a scenario of scripts or a trace on a device, or a job file on several
//! devices by name.
//!
//! On a clock, one loop (`source.rs`) plays whatever issues requests (a `Source`: `jobs.rs`, `scenario/`,
//! `trace.rs`, `replay.rs`) on the devices of a [`Target`]. What follows is about jobs.
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
//! its job, unless `continue_on_error` says otherwise.

mod error;
mod flows;
mod goals;
mod io;
mod jobs;
mod latency_course;
mod measuring;
mod meter;
mod order;
mod pages;
mod patience;
mod pauses;
mod rates;
mod replay;
mod report;
mod rounds;
mod scenario;
mod shares;
mod source;
mod stats;
mod target;
mod trace;
mod untimed;
mod worker;
mod write_back;

pub use error::DriverError;
pub use goals::SteadyReport;
pub use latency_course::LatencyCourse;
pub use meter::{PowerReport, ThermalReport};
pub(crate) use pages::PAGE_BYTES;
pub use pauses::{PAUSE, PauseReport};
pub use replay::{ReplayReport, check_replay, run_replay};
pub use report::{DeviceReport, RunReport};
pub use rounds::WriteAmplification;
pub use scenario::{ProcessReport, ScenarioReport, check_scenario, run_scenario};
pub use shares::Clock;
pub(crate) use shares::Shares;
pub use stats::{DEPTH_LEVELS, Direction, INTERVAL_S, Interval, JobReport};
pub use target::{DeviceShape, Target};
pub use trace::{TraceReport, check_trace, run_trace};

use ftlab_base::{RootSeed, SimTime};
use ftlab_drive::Device;
use ftlab_host::{PageCache, Testbed};
use ftlab_states::watch::{self, Watch};
use ftlab_workload::{JobFile, JobSpec, ResolvedJob};
use io::Io;
use jobs::Group;
use measuring::Measuring;

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
    run_on(file, &mut Target::one(device), clock, seed, &watch::nobody)
}

/// Runs every job of `file` on the devices of a target: each on those that its `filename` names. `watch`
/// hears how far it is.
///
/// # Errors
/// As [`run`], and when a file is none of the devices, or a device no file.
pub fn run_on(
    file: &JobFile,
    target: &mut Target<'_>,
    clock: Clock,
    seed: RootSeed,
    watch: &Watch<'_>,
) -> Result<RunReport, DriverError> {
    let jobs = Shares::of(file, &target.shapes(), clock)?;
    has_pages(file, target.cache, &target.testbed)?;
    target.restart_stream_hashes();
    let report = match clock {
        Clock::Timed => run_timed(file, &jobs, target, seed, watch)?,
        Clock::Untimed => untimed::run(file, &jobs, target, seed, watch)?,
    };
    target.fault()?;
    Ok(RunReport {
        writes_at_random: file.jobs.iter().any(JobSpec::writes_at_random),
        ..report
    })
}

/// Checks that every job of `file` has its devices among those of a target, and fits them, the machine and the clock.
///
/// # Errors
/// The first job that does not.
pub fn check(
    file: &JobFile,
    target: &[DeviceShape<'_>],
    machine: &Testbed,
    clock: Clock,
) -> Result<(), DriverError> {
    has_pages(file, target::cache_of(machine), &machine.slug)?;
    Shares::of(file, target, clock).map(drop)
}

/// Checks that the machine has pages in memory for jobs whose requests go through some.
fn has_pages(file: &JobFile, cache: Option<PageCache>, testbed: &str) -> Result<(), DriverError> {
    match file.jobs.iter().find(|job| job.is_paged()) {
        Some(job) if cache.is_none() => Err(DriverError::NoPages {
            at: job.source.clone(),
            job: job.name.clone(),
            testbed: testbed.to_owned(),
        }),
        _ => Ok(()),
    }
}

/// The jobs of `file` fitted to one drive and the clock.
///
/// # Errors
/// The first job that does not fit.
pub fn resolve(
    file: &JobFile,
    drive: DeviceShape<'_>,
    clock: Clock,
) -> Result<Vec<ResolvedJob>, DriverError> {
    let jobs = Shares::of(file, &[drive], clock)?;
    let mut pairs = file.jobs.iter().zip(&jobs);
    if let Some((job, _)) = pairs.find(|(job, shares)| job.is_paged() || shares.are_several()) {
        return Err(DriverError::Unfit {
            at: job.source.clone(),
            job: job.name.clone(),
        });
    }
    Ok(jobs.into_iter().map(Shares::into_job).collect())
}

fn run_timed(
    file: &JobFile,
    jobs: &[Shares],
    target: &mut Target<'_>,
    seed: RootSeed,
    watch: &Watch<'_>,
) -> Result<RunReport, DriverError> {
    let mut measuring = Measuring::new(target, PAUSE);
    // The first job may begin later: that is a pause to the drive.
    target.begin_time(SimTime::ZERO);
    let mut io = Io::new(target);
    let mut reports = Vec::new();
    let groups = file.groups();
    let mut now = SimTime::ZERO;
    for (index, members) in groups.iter().enumerate() {
        let tell = |_, share: Option<f64>| {
            let share = share.map(|share| (index as f64 + share) / groups.len() as f64);
            watch("running", share)
        };
        let members = members.iter().map(|&member| &jobs[member]);
        let mut group = Group::new(index, members, io.target.cache, seed, now);
        now = source::play(&mut group, &mut io, now, &mut measuring, &tell)?;
        assert_eq!(io.outstanding(), 0, "every command is waited for");
        let ends_all = group.ends_all();
        reports.extend(group.reports());
        if ends_all {
            let rest = groups.iter().enumerate().skip(index + 1);
            reports.extend(rest.flat_map(|(index, members)| {
                members
                    .iter()
                    .map(move |&member| jobs[member].unplayed(index))
            }));
            break;
        }
    }
    Ok(measuring.stop(io.target, now).report(&io, reports))
}

#[cfg(test)]
mod tests;
