//! What is run: a job file, a scenario or a trace, read once.

use super::prepared::Prepared;
use crate::failure::Failure;
use crate::files;
use ftlab_base::{SECTOR_BYTES, SimTime};
use ftlab_bench::review;
use ftlab_host::Testbed;
use ftlab_play::driver::{self, Clock, DriverError, Target};
use ftlab_play::embedded::SCRIPTS;
use ftlab_play::record::Record;
use ftlab_play::warnings::{self, Ground};
use ftlab_result::{Chart, TestSheet};
use ftlab_workload::JobFile;
use ftlab_workload::script::Scenario;
use ftlab_workload::trace::Trace;
use std::path::Path;

/// A load of one's own.
pub struct Load {
    /// Its file's name without an ending: a label that changes no number.
    pub slug: String,
    /// The name of its file.
    pub name: String,
    /// What decides its random streams.
    pub text: String,
    what: What,
}

enum What {
    Jobs(JobFile),
    Scenario(Scenario),
    Trace(Trace),
}

impl Load {
    /// Reads a load. Scripts, scenarios and traces are TOML; everything else is one of fio's.
    pub fn read(path: &Path) -> Result<Load, Failure> {
        let is_toml = path.extension().is_some_and(|ending| ending == "toml");
        let shown = path.display().to_string();
        let (text, what) = match is_toml {
            true => {
                let text = files::read(path, "a script, a scenario or a trace")?;
                let what = match Trace::is_one(&text) {
                    true => What::Trace(Trace::parse(&text, &shown)?),
                    false => What::Scenario(scenario(path, &text)?),
                };
                (text, what)
            }
            false => {
                let text = files::read(path, "a fio job file")?;
                let jobs = JobFile::parse(&text, &shown)?;
                (text, What::Jobs(jobs))
            }
        };
        let part = |part: Option<&std::ffi::OsStr>| {
            part.unwrap_or_default().to_string_lossy().into_owned()
        };
        Ok(Load {
            slug: part(path.file_stem()),
            name: part(path.file_name()),
            text,
            what,
        })
    }

    /// No clock, if the load has a meaning without one.
    pub fn untimed(&self) -> Result<Clock, Failure> {
        let what = match self.what {
            What::Jobs(_) => return Ok(Clock::Untimed),
            What::Scenario(_) => "script",
            What::Trace(_) => "trace",
        };
        Err(Failure::Input(format!(
            "a {what} has no meaning without a clock; leave out --untimed"
        )))
    }

    /// The machine that it runs on unless another is asked for.
    pub fn testbed(&self) -> &str {
        match &self.what {
            What::Jobs(_) => "anandtech-2008",
            What::Scenario(scenario) => &scenario.testbed,
            What::Trace(trace) => &trace.testbed,
        }
    }

    /// Whether it fits a drive of so many bytes.
    pub fn check(&self, bytes: u64, testbed: &Testbed, clock: Clock) -> Result<(), DriverError> {
        match &self.what {
            What::Jobs(file) => driver::check(file, &[("", bytes)], clock),
            What::Scenario(scenario) => driver::check_scenario(scenario, bytes, testbed),
            What::Trace(trace) => driver::check_trace(trace, bytes),
        }
    }

    /// Runs on a prepared drive, whose garbage collection may have settled: what came of it, and when the
    /// drive had answered everything.
    pub fn run(
        &self,
        prepared: &mut Prepared,
        clock: Clock,
        has_settled: bool,
    ) -> Result<(Record, SimTime), DriverError> {
        let Prepared {
            drive,
            testbed,
            device,
            seed,
            progress,
            ..
        } = prepared;
        let device = device.as_mut();
        let watch = |what: &str, share| progress.say_share(what, share);
        match &self.what {
            What::Jobs(file) => {
                let target = &mut Target::one(device);
                let report = driver::run_on(file, target, clock, *seed, &watch)?;
                let ground = Ground {
                    capacity_bytes: device.capacity_sectors() * SECTOR_BYTES,
                    slot_bytes: drive.slot_bytes(),
                    settled: report.settled(has_settled),
                };
                let warnings = warnings::of_run(file, clock, ground, &report)?;
                let mut record = Record::of_jobs(file, &report);
                record.warnings = warnings;
                record.inside.settled = ground.settled;
                Ok((record, SimTime::ZERO + report.simulated))
            }
            What::Scenario(scenario) => {
                let report = driver::run_scenario(scenario, device, testbed, *seed, &watch)?;
                let answered = SimTime::ZERO + report.answered;
                Ok((Record::of_scenario(&report), answered))
            }
            What::Trace(trace) => {
                let report = driver::run_trace(trace, device, None, *seed, &watch)?;
                let answered = SimTime::ZERO + report.run.simulated;
                Ok((Record::of_trace(&report), answered))
            }
        }
    }

    /// What it does to a drive, as a step of its state.
    pub fn step(&self, seed: u64, clock: Clock) -> String {
        let (slug, name) = (&self.slug, &self.name);
        match (&self.what, clock) {
            (What::Jobs(_), Clock::Timed) => {
                format!("Then the job file {name} with seed {seed}, and a flush.")
            }
            (What::Jobs(_), Clock::Untimed) => {
                format!("Then the job file {name} with seed {seed}, without a clock.")
            }
            (What::Scenario(_), _) => format!(
                "Then the script {slug} with seed {seed}, and a flush; what the operating system had yet \
                 to write back is lost."
            ),
            (What::Trace(_), _) => format!("Then the trace {slug} with seed {seed}, and a flush."),
        }
    }

    /// The load as the test of a report.
    pub fn sheet(&self) -> TestSheet {
        let (title, text, metric, unit) = match &self.what {
            What::Jobs(file) => (&self.name, review::words(file), "iops", "IOPS"),
            What::Scenario(of) => (&of.name, of.summary.clone(), "seconds", "s"),
            What::Trace(of) => (&of.name, of.summary.clone(), "mb_s", "MB/s"),
        };
        TestSheet {
            test: self.slug.clone(),
            method: String::new(),
            title: title.clone(),
            text,
            step: String::new(),
            chart: Chart::Bars,
            chart_metric: metric.to_owned(),
            chart_unit: unit.to_owned(),
            source: String::new(),
            roles: Vec::new(),
        }
    }
}

/// Reads a script or scenario; the scripts it names lie beside it or come with ftlab.
fn scenario(path: &Path, text: &str) -> Result<Scenario, Failure> {
    let library = |name: &str| {
        let beside = path.with_file_name(format!("{name}.toml"));
        let is_file_name = Path::new(name).file_name().is_some_and(|file| file == name);
        match std::fs::read_to_string(&beside) {
            Ok(text) if is_file_name => Some((beside.display().to_string(), text)),
            _ => {
                let (file, text) = SCRIPTS.find(name)?;
                Some((file, text.to_owned()))
            }
        }
    };
    Ok(Scenario::parse(
        text,
        &path.display().to_string(),
        &library,
    )?)
}
