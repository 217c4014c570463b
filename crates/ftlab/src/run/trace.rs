//! `ftlab run` of a synthetic trace.

use super::Options;
use super::start::Start;
use crate::cli::OutputFormat;
use crate::failure::{Failure, Outcome};
use crate::files;
use crate::progress::Progress;
use crate::screen;
use ftlab_base::{RootSeed, SECTOR_BYTES, SimTime};
use ftlab_bench::driver::{self, TraceReport};
use ftlab_bench::record::Record;
use ftlab_bench::{review, states};
use ftlab_drive::{Catalog, DriveFile};
use ftlab_result::{Inside, Traffic};
use ftlab_workload::trace::Trace;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

/// A trace that was played back.
struct Finished {
    trace: Trace,
    drive: DriveFile,
    testbed: String,
    start: Start,
    seed: u64,
    report: TraceReport,
    wall_seconds: f64,
}

/// The text of a file if it is a trace rather than a script.
pub fn text_of(path: &Path) -> Result<Option<String>, Failure> {
    let text = files::read(path, "a script, a scenario or a trace")?;
    Ok(Trace::is_one(&text).then_some(text))
}

pub fn command(options: &Options, text: &str) -> Outcome {
    let finished = run(options, text)?;
    let text = match options.output_format {
        OutputFormat::Normal => normal(&finished).expect("writing to a string succeeds"),
        OutputFormat::Json => json(&finished)?,
    };
    screen::print(&text)?;
    failed(&finished.report)
}

fn failed(report: &TraceReport) -> Outcome {
    match report.run.jobs.iter().all(|job| job.errors == 0) {
        true => Ok(()),
        false => Err(Failure::Running(
            "the trace ended early: the drive answered a command with an error".to_owned(),
        )),
    }
}

fn run(options: &Options, text: &str) -> Result<Finished, Failure> {
    if options.untimed {
        let why = "a trace has no meaning without a clock; leave out --untimed";
        return Err(Failure::Input(why.to_owned()));
    }
    let trace = Trace::parse(text, &options.job.display().to_string())?;
    let drive = Catalog::load(&options.drive, &options.settings)?;
    let testbed = options.testbed.load_or(&trace.testbed)?;
    let seed = RootSeed(options.seed);
    let targets = options.start.targets()?;
    let progress = Progress::spinner("preparing");

    let drive_seed = review::drive_seed(seed, drive.slug());
    let mut device = drive.build(&testbed, drive_seed)?;
    // Before the drive is filled for nothing.
    driver::check_trace(&trace, device.capacity_sectors() * SECTOR_BYTES)?;
    let start = options
        .start
        .prepare(&drive, device.as_mut(), options.seed, &progress)?;
    options.rest(device.as_mut())?;
    targets.save_before(&start, device.as_ref())?;

    progress.say("playing");
    let running = Instant::now();
    let name = options
        .job
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy();
    let seed = review::job_seed(seed, &name);
    let report = driver::run_trace(&trace, device.as_mut(), None, seed)?;
    let wall_seconds = running.elapsed().as_secs_f64();
    if targets.wants_after() {
        failed(&report)?;
        progress.say("saving");
        states::come_to_rest(device.as_mut(), SimTime::ZERO + report.run.simulated)?;
        let step = format!(
            "Then the trace {name} with seed {}, and a flush.",
            options.seed
        );
        targets.save_after(&start, step, &name, device.as_ref())?;
    }
    Ok(Finished {
        trace,
        drive,
        testbed: testbed.slug,
        start,
        seed: options.seed,
        report,
        wall_seconds,
    })
}

fn normal(run: &Finished) -> Result<String, std::fmt::Error> {
    let (mut out, record) = (String::new(), Record::of_trace(&run.report));
    let metric = |name: &str| record.metrics.get(name).copied().unwrap_or(0.0);
    writeln!(out, "{}", run.trace.name)?;
    for (name, traffic, rate, busy) in [
        ("reads", &record.read, "read_mb_s", "busy_reads_s"),
        ("writes", &record.write, "write_mb_s", "busy_writes_s"),
    ] {
        writeln!(
            out,
            "{name}: {} of {:.2} GB, {:.1} MB/s, busy with them for {:.2} s, the longest {:.2} ms",
            traffic.ios,
            traffic.bytes as f64 / 1e9,
            metric(rate),
            metric(busy),
            traffic.lat_ns_max as f64 / 1e6
        )?;
    }
    writeln!(
        out,
        "all: {:.1} MB/s, busy for {:.2} s",
        metric("mb_s"),
        metric("busy_s")
    )?;
    writeln!(out, "ftlab:")?;
    let mut row = |name: &str, value: String| writeln!(out, "  {name:<20}{value}");
    let (slug, state) = (run.drive.slug(), &run.start.origin.state);
    row(
        "drive",
        format!("{slug} ({}), {state}, seed {}", run.drive.name(), run.seed),
    )?;
    row("testbed", run.testbed.clone())?;
    if record.inside.nand_programs > 0 {
        row("write amplification", format!("{:.3}", metric("wa")))?;
    }
    let simulated = run.report.run.simulated.as_secs();
    row(
        "speed",
        format!("{simulated:.3} s simulated in {:.3} s", run.wall_seconds),
    )?;
    Ok(out)
}

/// A trace's run, for programs.
#[derive(Serialize)]
struct Json<'a> {
    version: &'static str,
    trace: &'a str,
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
    read: Traffic,
    write: Traffic,
    inside: Inside,
}

fn json(run: &Finished) -> Result<String, Failure> {
    let record = Record::of_trace(&run.report);
    let json = Json {
        version: env!("CARGO_PKG_VERSION"),
        trace: &run.trace.name,
        drive: run.drive.slug(),
        drive_file_hash: format!("{:016x}", run.drive.hash()),
        testbed: &run.testbed,
        state: &run.start.origin.state,
        steps: &run.start.origin.steps,
        seed: run.seed,
        wall_seconds: run.wall_seconds,
        metrics: record.metrics,
        read: record.read,
        write: record.write,
        inside: record.inside,
    };
    let text = serde_json::to_string_pretty(&json);
    Ok(text.map_err(|error| Failure::Running(error.to_string()))? + "\n")
}
