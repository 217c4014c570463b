//! `ftlab run` of a synthetic trace.

use super::Options;
use super::played::{self, Head, Played};
use super::prepared::Prepared;
use super::repeats::Others;
use crate::cli::OutputFormat;
use crate::failure::{Failure, Outcome};
use crate::screen;
use ftlab_base::amount::decimal;
use ftlab_base::{Nanos, SimTime};
use ftlab_play::driver::{self, TraceReport};
use ftlab_play::record::Record;
use ftlab_result::{Inside, Traffic};
use ftlab_workload::trace::Trace;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

pub fn command(options: &Options, text: &str) -> Outcome {
    played::needs_clock(options, "trace")?;
    let trace = Trace::parse(text, &options.job.display().to_string())?;
    let others = Others::run(options, |options| {
        let played = play(options, &trace, text)?;
        played::failed(&played.report.run, "trace")?;
        Ok(Record::of_trace(&played.report).metrics)
    })?;
    let mut played = play(options, &trace, text)?;
    played.repeated = others.with(&Record::of_trace(&played.report).metrics);
    let text = match options.output_format {
        OutputFormat::Normal => {
            normal(options, &trace, &played).expect("writing to a string succeeds")
        }
        OutputFormat::Json => json(options, &trace, &played)?,
    };
    screen::print(&text)?;
    played::failed(&played.report.run, "trace")
}

fn play(options: &Options, trace: &Trace, text: &str) -> Result<Played<TraceReport>, Failure> {
    let testbed = options.testbed.load_or(&trace.testbed)?;
    let name = options.job.file_stem();
    let prepared = Prepared::new(options, testbed, (name, text), &|bytes, _| {
        driver::check_trace(trace, bytes)
    })?;
    Played::new(
        prepared,
        |prepared| {
            let tell = |what: &str, share| prepared.progress.say_share(what, share);
            let device = prepared.device.as_mut();
            driver::run_trace(trace, device, None, prepared.seed, &tell)
        },
        |report, name| {
            let step = format!(
                "Then the trace {name} with seed {}, and a flush.",
                options.seed
            );
            let failed = played::failed(&report.run, "trace");
            (failed, SimTime::ZERO + report.run.simulated, step)
        },
    )
}

fn normal(
    options: &Options,
    trace: &Trace,
    played: &Played<TraceReport>,
) -> Result<String, std::fmt::Error> {
    let (mut out, record) = (String::new(), Record::of_trace(&played.report));
    let metric = |name: &str| record.metrics.get(name).copied().unwrap_or(0.0);
    writeln!(out, "{}", trace.name)?;
    for (name, traffic, rate, busy) in [
        ("reads", &record.read, "read_mb_s", "busy_reads_s"),
        ("writes", &record.write, "write_mb_s", "busy_writes_s"),
    ] {
        writeln!(
            out,
            "{name}: {} of {}, {}, busy with them for {:.2} s, the longest {}",
            traffic.ios,
            screen::capacity(traffic.bytes),
            decimal(1e6 * metric(rate), "B/s"),
            metric(busy),
            Nanos(traffic.lat_ns_max)
        )?;
    }
    writeln!(
        out,
        "all: {}, busy for {:.2} s",
        decimal(1e6 * metric("mb_s"), "B/s"),
        metric("busy_s")
    )?;
    Ok(out + &played.tail(options, &played.report.run, &[]))
}

/// A trace's run, for programs.
#[derive(Serialize)]
struct Json<'a> {
    trace: &'a str,
    #[serde(flatten)]
    head: Head<'a>,
    /// Figures as in results of a review.
    metrics: BTreeMap<String, f64>,
    read: Traffic,
    write: Traffic,
    inside: Inside,
}

fn json(options: &Options, trace: &Trace, played: &Played<TraceReport>) -> Result<String, Failure> {
    let record = Record::of_trace(&played.report);
    screen::json(&Json {
        trace: &trace.name,
        head: played.head(options),
        metrics: record.metrics,
        read: record.read,
        write: record.write,
        inside: record.inside,
    })
}
