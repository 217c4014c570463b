//! A run of a result set as fio's JSON of a job: what a run holds, under fio's names.
//!
//! What fio knows and a result set does not (options of the job, bandwidth samples, depths) is left out.

use ftlab_result::{Inside, Origin, ResultSet, Run, Traffic};
use serde::Serialize;
use std::collections::BTreeMap;

/// The errno of a command that failed: EIO.
const INPUT_OUTPUT_ERROR: u32 = 5;

#[derive(Serialize)]
struct Output<'a> {
    #[serde(rename = "fio version")]
    version: String,
    jobs: [Job<'a>; 1],
    ftlab: Beside<'a>,
}

#[derive(Serialize)]
struct Job<'a> {
    jobname: &'a str,
    groupid: u32,
    error: u32,
    read: Direction,
    write: Direction,
    trim: Direction,
    job_runtime: u64,
}

#[derive(Serialize)]
struct Direction {
    io_bytes: u64,
    io_kbytes: u64,
    bw_bytes: u64,
    bw: u64,
    iops: f64,
    runtime: u64,
    total_ios: u64,
    clat_ns: Latency,
    lat_ns: Latency,
}

#[derive(Serialize)]
struct Latency {
    min: u64,
    max: u64,
    mean: f64,
    stddev: f64,
    #[serde(rename = "N")]
    count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    percentile: Option<Percentiles>,
}

/// Percentiles in their order, which is not that of their names.
struct Percentiles(Vec<(f64, u64)>);

impl Serialize for Percentiles {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().map(|(p, ns)| (format!("{p:.6}"), ns)))
    }
}

/// What fio has no names for.
#[derive(Serialize)]
struct Beside<'a> {
    run: &'a str,
    drive: &'a str,
    test: &'a str,
    state: &'a str,
    data: &'a str,
    link: &'a str,
    steps: &'a [String],
    origin: &'a Origin,
    metrics: &'a BTreeMap<String, f64>,
    inside: &'a Inside,
}

/// The runs of a set that did I/O, each with the name of its file.
#[must_use]
pub fn files(set: &ResultSet) -> Vec<(String, String)> {
    let runs = set.runs.iter().filter(|run| run.inside.submitted > 0);
    runs.map(|run| {
        (
            format!("{}.json", run.id.replace('/', "_")),
            render(set, run),
        )
    })
    .collect()
}

/// A run as fio's JSON, with one more object called `ftlab`.
#[must_use]
pub fn render(set: &ResultSet, run: &Run) -> String {
    let failed = run
        .metrics
        .get("errors")
        .is_some_and(|errors| *errors > 0.0);
    let output = Output {
        version: format!("ftlab-{}", set.origin.version),
        jobs: [Job {
            jobname: &run.test,
            groupid: 0,
            error: if failed { INPUT_OUTPUT_ERROR } else { 0 },
            read: direction(&run.read),
            write: direction(&run.write),
            trim: direction(&run.trim),
            job_runtime: milliseconds(run.inside.simulated_seconds),
        }],
        ftlab: Beside {
            run: &run.id,
            drive: &run.drive,
            test: &run.test,
            state: &run.state,
            data: &run.data,
            link: &run.link,
            steps: &run.steps,
            origin: &set.origin,
            metrics: &run.metrics,
            inside: &run.inside,
        },
    };
    let text = serde_json::to_string_pretty(&output);
    text.expect("keys are strings") + "\n"
}

fn direction(traffic: &Traffic) -> Direction {
    let seconds = if traffic.iops > 0.0 {
        traffic.ios as f64 / traffic.iops
    } else {
        0.0
    };
    Direction {
        io_bytes: traffic.bytes,
        io_kbytes: traffic.bytes / 1024,
        bw_bytes: traffic.bytes_per_s as u64,
        bw: (traffic.bytes_per_s / 1024.0) as u64,
        iops: traffic.iops,
        runtime: milliseconds(seconds),
        total_ios: traffic.ios,
        // A command's submission takes no time of its own.
        clat_ns: latency(traffic, true),
        lat_ns: latency(traffic, false),
    }
}

fn latency(traffic: &Traffic, with_percentiles: bool) -> Latency {
    let has = with_percentiles && traffic.ios > 0;
    Latency {
        min: traffic.lat_ns_min,
        max: traffic.lat_ns_max,
        mean: traffic.lat_ns_mean,
        stddev: traffic.lat_ns_stddev,
        count: traffic.ios,
        percentile: has.then(|| Percentiles(traffic.lat_ns_percentiles.clone())),
    }
}

fn milliseconds(seconds: f64) -> u64 {
    (seconds * 1000.0).round() as u64
}
