//! `ftlab run` of an application script or a scenario.

use super::Options;
use super::played::{self, Head, Played};
use super::prepared::Prepared;
use super::repeats::Others;
use crate::cli::OutputFormat;
use crate::failure::{Failure, Outcome};
use crate::screen;
use ftlab_base::{CommandKind, Nanos, SimTime};
use ftlab_play::driver::{self, JobReport, ProcessReport, ScenarioReport};
use ftlab_play::record::{self, Record};
use ftlab_play::scripts;
use ftlab_result::{Inside, Traffic};
use ftlab_workload::script::Scenario;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

pub fn command(options: &Options, text: &str) -> Outcome {
    played::needs_clock(options, "script")?;
    let scenario = load(&options.job, text)?;
    let others = Others::run(options, |options| {
        let played = play(options, &scenario, text)?;
        played::failed(&played.report.run, "scenario")?;
        Ok(Record::of_scenario(&played.report).metrics)
    })?;
    let mut played = play(options, &scenario, text)?;
    played.repeated = others.with(&Record::of_scenario(&played.report).metrics);
    let text = match options.output_format {
        OutputFormat::Normal => {
            normal(options, &scenario, &played).expect("writing to a string succeeds")
        }
        OutputFormat::Json => json(options, &scenario, &played)?,
    };
    screen::print(&text)?;
    played::failed(&played.report.run, "scenario")
}

fn play(
    options: &Options,
    scenario: &Scenario,
    text: &str,
) -> Result<Played<ScenarioReport>, Failure> {
    let testbed = options.testbed.load_or(&scenario.testbed)?;
    let name = options.job.file_stem();
    let prepared = Prepared::new(options, testbed, (name, text), &|bytes, testbed| {
        driver::check_scenario(scenario, bytes, testbed)
    })?;
    Played::new(
        prepared,
        |prepared| {
            let tell = |what: &str, share| prepared.progress.say_share(what, share);
            let device = prepared.device.as_mut();
            driver::run_scenario(scenario, device, &prepared.testbed, prepared.seed, &tell)
        },
        |report, name| {
            let step = format!(
                "Then the script {name} with seed {}, and a flush; what the operating system had yet \
                 to write back is lost.",
                options.seed
            );
            let failed = played::failed(&report.run, "scenario");
            (failed, SimTime::ZERO + report.answered, step)
        },
    )
}

/// Reads a script or scenario; the scripts it names lie beside it or come with ftlab.
fn load(path: &Path, text: &str) -> Result<Scenario, Failure> {
    let library = |name: &str| {
        let beside = path.with_file_name(format!("{name}.toml"));
        let is_file_name = Path::new(name).file_name().is_some_and(|file| file == name);
        match std::fs::read_to_string(&beside) {
            Ok(text) if is_file_name => Some((beside.display().to_string(), text)),
            _ => scripts::find(name),
        }
    };
    Ok(Scenario::parse(
        text,
        &path.display().to_string(),
        &library,
    )?)
}

fn normal(
    options: &Options,
    scenario: &Scenario,
    played: &Played<ScenarioReport>,
) -> Result<String, std::fmt::Error> {
    let (mut out, report) = (String::new(), &played.report);
    writeln!(out, "{}", scenario.name)?;
    for (process, job) in report.processes.iter().zip(&report.run.jobs) {
        of_process(&mut out, process, job)?;
    }
    for job in &report.run.jobs[report.processes.len()..] {
        let writes = job.direction(CommandKind::Write);
        writeln!(
            out,
            "{}: {} writes, {}, longest {}",
            job.name,
            writes.ios,
            screen::capacity(writes.bytes),
            longest(job)
        )?;
    }
    let (pauses, pause) = (report.run.pauses, scenario.pause);
    writeln!(
        out,
        "pauses: {} longer than {pause}, the longest time without progress {}",
        pauses.count, pauses.longest
    )?;
    let dirty = [("dirty at most", screen::capacity(report.dirty_max_bytes))];
    Ok(out + &played.tail(options, &report.run, &dirty))
}

fn of_process(out: &mut String, process: &ProcessReport, job: &JobReport) -> std::fmt::Result {
    let took = match process.seconds {
        Some(span) => format!("{:.2} s", span.as_secs()),
        None => "in the background".to_owned(),
    };
    let mut words = format!("{}: {took}", process.name);
    if process.start > Nanos::ZERO {
        write!(words, ", started at {}", process.start)?;
    }
    for (word, bytes) in [
        ("read", process.read_bytes),
        ("wrote", process.written_bytes),
    ] {
        if bytes > 0 {
            write!(words, ", {word} {}", screen::capacity(bytes))?;
        }
    }
    writeln!(out, "{words}, longest request {}", longest(job))
}

/// The longest latency of a job.
fn longest(job: &JobReport) -> Nanos {
    let of = |kind| job.direction(kind).latency().map(|latency| latency.max());
    [of(CommandKind::Read), of(CommandKind::Write)]
        .into_iter()
        .flatten()
        .max()
        .unwrap_or_default()
}

/// A scenario's run, for programs.
#[derive(Serialize)]
struct Json<'a> {
    scenario: &'a str,
    #[serde(flatten)]
    head: Head<'a>,
    /// Figures as in results of a review.
    metrics: BTreeMap<String, f64>,
    processes: Vec<JsonJob<'a>>,
    inside: Inside,
}

#[derive(Serialize)]
struct JsonJob<'a> {
    name: &'a str,
    /// `null` for one that was still at work.
    seconds: Option<f64>,
    start_s: f64,
    read: Traffic,
    write: Traffic,
}

fn json(
    options: &Options,
    scenario: &Scenario,
    played: &Played<ScenarioReport>,
) -> Result<String, Failure> {
    let record = Record::of_scenario(&played.report);
    let jobs = played.report.run.jobs.iter().enumerate().map(|(n, job)| {
        let process = played.report.processes.get(n);
        let traffic = |kind| record::traffic(job.direction(kind), job.measured);
        JsonJob {
            name: &job.name,
            seconds: process.and_then(|process| Some(process.seconds?.as_secs())),
            start_s: process.map_or(0.0, |process| process.start.as_secs()),
            read: traffic(CommandKind::Read),
            write: traffic(CommandKind::Write),
        }
    });
    screen::json(&Json {
        scenario: &scenario.name,
        head: played.head(options),
        metrics: record.metrics,
        processes: jobs.collect(),
        inside: record.inside,
    })
}
