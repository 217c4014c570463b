//! `ftlab run` of an application script or a scenario.

use super::Options;
use super::start::Start;
use crate::cli::OutputFormat;
use crate::failure::{Failure, Outcome};
use crate::files;
use crate::progress::Progress;
use crate::screen;
use ftlab_base::{Nanos, RootSeed, SECTOR_BYTES, SimTime};
use ftlab_bench::driver::{self, JobReport, ProcessReport, ScenarioReport};
use ftlab_bench::record::{self, Record};
use ftlab_bench::{review, scripts, states};
use ftlab_drive::{Catalog, DriveFile};
use ftlab_result::{Inside, Traffic};
use ftlab_workload::script::Scenario;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

/// Whether the file is a script or a trace rather than a job file.
pub fn is_one(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == "toml")
}

/// A scenario that was run.
struct Finished {
    scenario: Scenario,
    drive: DriveFile,
    testbed: String,
    start: Start,
    seed: u64,
    report: ScenarioReport,
    wall_seconds: f64,
}

pub fn command(options: &Options) -> Outcome {
    let finished = run(options)?;
    let text = match options.output_format {
        OutputFormat::Normal => normal(&finished).expect("writing to a string succeeds"),
        OutputFormat::Json => json(&finished)?,
    };
    screen::print(&text)?;
    failed(&finished.report)
}

fn failed(report: &ScenarioReport) -> Outcome {
    match report.run.jobs.iter().all(|job| job.errors == 0) {
        true => Ok(()),
        false => Err(Failure::Running(
            "the scenario ended early: the drive answered a command with an error".to_owned(),
        )),
    }
}

fn run(options: &Options) -> Result<Finished, Failure> {
    if options.untimed {
        let why = "a script has no meaning without a clock; leave out --untimed";
        return Err(Failure::Input(why.to_owned()));
    }
    let scenario = load(&options.job)?;
    let drive = Catalog::load(&options.drive, &options.settings)?;
    let testbed = options.testbed.load_or(&scenario.testbed)?;
    let seed = RootSeed(options.seed);
    let targets = options.start.targets()?;
    let progress = Progress::spinner("preparing");

    let drive_seed = review::drive_seed(seed, drive.slug());
    let mut device = drive.build(&testbed, drive_seed)?;
    // Before the drive is filled for nothing.
    let device_bytes = device.capacity_sectors() * SECTOR_BYTES;
    driver::check_scenario(&scenario, device_bytes, &testbed)?;
    let start = options
        .start
        .prepare(&drive, device.as_mut(), options.seed, &progress)?;
    targets.save_before(&start, device.as_ref())?;

    progress.say("running");
    let running = Instant::now();
    let name = options
        .job
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy();
    let seed = review::job_seed(seed, &name);
    let report = driver::run_scenario(&scenario, device.as_mut(), &testbed, seed)?;
    let wall_seconds = running.elapsed().as_secs_f64();
    if targets.wants_after() {
        failed(&report)?;
        progress.say("saving");
        states::come_to_rest(device.as_mut(), SimTime::ZERO + report.answered)?;
        let step = format!(
            "Then the script {name} with seed {}, and a flush; what the operating system had yet to \
             write back is lost.",
            options.seed
        );
        targets.save_after(&start, step, &name, device.as_ref())?;
    }
    Ok(Finished {
        scenario,
        drive,
        testbed: testbed.slug,
        start,
        seed: options.seed,
        report,
        wall_seconds,
    })
}

/// Reads a script or scenario; the scripts it names lie beside it or come with ftlab.
fn load(path: &Path) -> Result<Scenario, Failure> {
    let text = files::read(path, "a script or scenario")?;
    let library = |name: &str| {
        let beside = path.with_file_name(format!("{name}.toml"));
        let is_file_name = Path::new(name).file_name().is_some_and(|file| file == name);
        match std::fs::read_to_string(&beside) {
            Ok(text) if is_file_name => Some((beside.display().to_string(), text)),
            _ => scripts::find(name),
        }
    };
    Ok(Scenario::parse(
        &text,
        &path.display().to_string(),
        &library,
    )?)
}

fn normal(run: &Finished) -> Result<String, std::fmt::Error> {
    let (mut out, report) = (String::new(), &run.report);
    writeln!(out, "{}", run.scenario.name)?;
    for (process, job) in report.processes.iter().zip(&report.run.jobs) {
        of_process(&mut out, process, job)?;
    }
    for job in &report.run.jobs[report.processes.len()..] {
        let writes = job.direction(ftlab_base::CommandKind::Write);
        writeln!(
            out,
            "{}: {} writes, {}, longest {}",
            job.name,
            writes.ios,
            megabytes(writes.bytes),
            longest(job)
        )?;
    }
    let (pauses, pause) = (report.pauses, run.scenario.pause);
    writeln!(
        out,
        "pauses: {pauses} longer than {pause}, the longest time without progress {}",
        report.longest_pause
    )?;
    writeln!(out, "ftlab:")?;
    let mut row = |name: &str, value: String| writeln!(out, "  {name:<20}{value}");
    let (slug, state) = (run.drive.slug(), &run.start.origin.state);
    row(
        "drive",
        format!("{slug} ({}), {state}, seed {}", run.drive.name(), run.seed),
    )?;
    row("testbed", run.testbed.clone())?;
    row("dirty at most", megabytes(report.dirty_max_bytes))?;
    let counters = &report.run.counters;
    if counters.nand_programs > 0 {
        row("write amplification", format!("{:.3}", report.run.wa.total))?;
    }
    let simulated = report.run.simulated.as_secs();
    row(
        "speed",
        format!("{simulated:.3} s simulated in {:.3} s", run.wall_seconds),
    )?;
    Ok(out)
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
            write!(words, ", {word} {}", megabytes(bytes))?;
        }
    }
    writeln!(out, "{words}, longest request {}", longest(job))
}

/// The longest latency of a job.
fn longest(job: &JobReport) -> Nanos {
    use ftlab_base::CommandKind::{Read, Write};
    let of = |kind| job.direction(kind).latency().map(|latency| latency.max());
    [of(Read), of(Write)]
        .into_iter()
        .flatten()
        .max()
        .unwrap_or_default()
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

/// A scenario's run, for programs.
#[derive(Serialize)]
struct Json<'a> {
    version: &'static str,
    scenario: &'a str,
    drive: &'a str,
    /// 16 hexadecimal digits.
    drive_file_hash: String,
    testbed: &'a str,
    state: &'a str,
    /// How it came to that state.
    steps: &'a [String],
    seed: u64,
    wall_seconds: f64,
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

fn json(run: &Finished) -> Result<String, Failure> {
    let record = Record::of_scenario(&run.report);
    let processes = &run.report.processes;
    let job = |(n, job): (usize, &'_ JobReport)| {
        let process = processes.get(n);
        let traffic = |kind| record::traffic(job.direction(kind), job.measured);
        (
            process.and_then(|process| Some(process.seconds?.as_secs())),
            process.map_or(0.0, |process| process.start.as_secs()),
            traffic(ftlab_base::CommandKind::Read),
            traffic(ftlab_base::CommandKind::Write),
        )
    };
    let jobs = run.report.run.jobs.iter().enumerate().map(|(n, of)| {
        let (seconds, start_s, read, write) = job((n, of));
        JsonJob {
            name: &of.name,
            seconds,
            start_s,
            read,
            write,
        }
    });
    let json = Json {
        version: env!("CARGO_PKG_VERSION"),
        scenario: &run.scenario.name,
        drive: run.drive.slug(),
        drive_file_hash: format!("{:016x}", run.drive.hash()),
        testbed: &run.testbed,
        state: &run.start.origin.state,
        steps: &run.start.origin.steps,
        seed: run.seed,
        wall_seconds: run.wall_seconds,
        metrics: record.metrics,
        processes: jobs.collect(),
        inside: record.inside,
    };
    let text = serde_json::to_string_pretty(&json);
    Ok(text.map_err(|error| Failure::Running(error.to_string()))? + "\n")
}
