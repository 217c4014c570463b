//! `ftlab run`: a fio job file, an application script or a trace on a drive.

mod fio;
mod fio_latency;
mod inside;
mod normal;
mod played;
mod prepared;
mod repeats;
mod script;
mod start;
mod trace;
mod wall;

use crate::cli::{self, OutputFormat, TestbedOption};
use crate::failure::{Failure, Outcome};
use crate::files;
use crate::progress::Signs;
use crate::screen;
use clap::Args;
use ftlab_base::{Nanos, SECTOR_BYTES, SimTime};
use ftlab_bench::repeats::REPEATS_MAX;
use ftlab_play::driver::{self, Clock, JobReport, RunReport};
use ftlab_play::record::Record;
use ftlab_play::warnings::{self, Warning};
use ftlab_workload::trace::Trace;
use ftlab_workload::{JobFile, JobSpec};
use prepared::Prepared;
use repeats::{Others, Repeated};
use start::StartOptions;
use std::path::PathBuf;
use std::time::{Duration, Instant};

#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ftlab run job.fio --drive intel-x25-m-g1-80
  ftlab run job.fio --drive intel-x25-m-g1-80 --state used --output-format json
  ftlab run job.fio --drive generic-mlc-8 --set spare.op=28% --untimed
  ftlab run job.fio --drive intel-x25-m-g1-80 --state steady --save-state steady.state
  ftlab run job.fio --drive generic-mlc-8 --repeats 5
  ftlab run other.fio --drive intel-x25-m-g1-80 --from-state steady.state
  ftlab run scripts/multitask1-extract-photoshop.toml --drive samsung-slc-64
  ftlab run traces/atsb2011-light.toml --drive intel-520-240

Keys that only matter to a real machine (ioengine, direct, filename, …) are accepted and listed.
An untimed run gives write amplification and wear, no latencies; it is much faster.
A saved state fits the drive it was saved of, with the same settings; the seed may differ.")]
pub struct Options {
    /// A fio job file, or an application script, a scenario or a trace (.toml)
    job: PathBuf,
    /// A drive of `ftlab drives`, or a path to a drive file
    #[arg(long)]
    drive: String,
    #[command(flatten)]
    start: StartOptions,
    /// Change a number of the drive file, for example spare.op=28%; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// Without a clock: write amplification only, as fast as possible
    #[arg(long)]
    untimed: bool,
    /// Root of every random stream: the same seed gives the same run
    #[arg(long, default_value_t = 1, allow_negative_numbers = true, value_parser = cli::seed)]
    seed: u64,
    /// Make the run N times, every time with another seed that follows from the root: below what is told of the first
    /// stand means with 95 % confidence intervals
    #[arg(long, value_name = "N", default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(1..=i64::from(REPEATS_MAX)))]
    repeats: u32,
    #[command(flatten)]
    testbed: TestbedOption,
    /// Let the prepared drive lie without power for so many days before the job: its data age
    #[arg(long, value_name = "DAYS", default_value_t = 0.0, value_parser = cli::number(0.0, 1e6))]
    rest_days: f64,
    /// Degrees Celsius at which it lies
    #[arg(long, value_name = "DEGREES", default_value_t = 30.0, allow_negative_numbers = true,
        value_parser = cli::number(-100.0, 200.0))]
    rest_celsius: f64,
    /// Print the drive's SMART attributes after the run, as smartctl does
    #[arg(long)]
    smart: bool,
    #[command(flatten)]
    signs: Signs,
    /// What to print
    #[arg(long, value_enum, default_value_t = OutputFormat::Normal)]
    output_format: OutputFormat,
}

/// A run, and everything that is told of it.
struct Finished {
    prepared: Prepared,
    file: JobFile,
    seed: u64,
    report: RunReport,
    began: wall::Time,
    wall: Duration,
    repeated: Option<Repeated>,
    warnings: Vec<Warning>,
}

pub fn command(options: &Options) -> Outcome {
    // Scripts, scenarios and traces are TOML; everything else is one of fio's.
    if options
        .job
        .extension()
        .is_some_and(|extension| extension == "toml")
    {
        let text = files::read(&options.job, "a script, a scenario or a trace")?;
        return match Trace::is_one(&text) {
            true => trace::command(options, &text),
            false => script::command(options, &text),
        };
    }
    let others = Others::run(options, |options| {
        let finished = run(options)?;
        failed_jobs(&finished.report)?;
        Ok(Record::of(&finished.report).metrics)
    })?;
    let mut finished = run(options)?;
    finished.repeated = others.with(&Record::of(&finished.report).metrics);
    let text = match options.output_format {
        OutputFormat::Normal => {
            let smart = finished.prepared.smart_below(options);
            let repeated = finished.repeated.as_ref().map(Repeated::table);
            normal::render(&finished) + &smart + &repeated.unwrap_or_default()
        }
        OutputFormat::Json => fio::render(&finished)?,
    };
    screen::print(&text)?;
    failed_jobs(&finished.report)
}

fn run(options: &Options) -> Result<Finished, Failure> {
    let text = files::read(&options.job, "a fio job file")?;
    let file = JobFile::parse(&text, &options.job.display().to_string())?;
    let clock = if options.untimed {
        Clock::Untimed
    } else {
        Clock::Timed
    };
    let name = options.job.file_name();
    let testbed = options.testbed.load()?;
    let mut prepared = Prepared::new(options, testbed, (name, &text), &|bytes, _| {
        driver::check(&file, bytes, clock)
    })?;
    let (began, running) = (wall::Time::now(), Instant::now());
    let report = driver::run_watched(
        &file,
        prepared.device.as_mut(),
        clock,
        prepared.seed,
        &|what, share| prepared.progress.say_share(what, share),
    )?;
    let wall = running.elapsed();
    let settled = report.settled(prepared.start.has_settled());
    let capacity_bytes = prepared.device.capacity_sectors() * SECTOR_BYTES;
    let size = (capacity_bytes, settled);
    let warnings = warnings::of_run(&file, clock, size, &report)?;
    let ended = (clock == Clock::Timed).then_some(SimTime::ZERO + report.simulated);
    let step = after(&prepared.name, clock, options.seed);
    prepared.save_after(failed_jobs(&report), ended, step)?;
    Ok(Finished {
        prepared,
        file,
        seed: options.seed,
        report,
        began,
        wall,
        repeated: None,
        warnings,
    })
}

/// What a job does to a drive, as a step of its state.
fn after(job: &str, clock: Clock, seed: u64) -> String {
    let how = match clock {
        Clock::Timed => "and a flush",
        Clock::Untimed => "without a clock",
    };
    format!("Then the job file {job} with seed {seed}, {how}.")
}

fn failed_jobs(report: &RunReport) -> Outcome {
    match report.jobs.iter().find(|job| job.errors > 0) {
        None => Ok(()),
        Some(job) => Err(Failure::Running(format!(
            "job `{}` ended early: the drive answered a command with an error",
            job.name
        ))),
    }
}

/// What fio calls a job's error, in text and JSON alike: 0, or the number of the error that ended it.
fn errno(report: &JobReport) -> u32 {
    const INPUT_OUTPUT_ERROR: u32 = 5;
    match report.errors {
        0 => 0,
        _ => INPUT_OUTPUT_ERROR,
    }
}

impl Finished {
    /// What is reported: a job each, or one for all clones of a section with `group_reporting`.
    fn reported(&self) -> Vec<(&JobSpec, JobReport)> {
        let mut reported: Vec<(&JobSpec, JobReport)> = Vec::new();
        for (spec, job) in self.file.jobs.iter().zip(&self.report.jobs) {
            let joins = spec.group_reporting && spec.clone_index > 0;
            match reported.last_mut() {
                Some((_, first)) if joins => first.merge(job),
                _ => reported.push((spec, job.clone())),
            }
        }
        reported
    }

    /// Whether the run had a clock.
    fn is_timed(&self) -> bool {
        self.report.simulated > Nanos::ZERO
    }
}
