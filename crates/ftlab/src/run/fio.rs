//! fio's own JSON, so that tools made for fio read a simulated run as they read a real one.
//!
//! The shape is that of fio 3.33. What has no meaning here (processor time, page faults) is zero.
//! A command's submission takes no time of its own: `clat` is `lat`.

use super::fio_latency::{self, Latency, Map};
use super::inside::Inside;
use super::{Finished, errno};
use crate::failure::Failure;
use crate::screen;
use ftlab_base::{CommandKind, Nanos};
use ftlab_play::driver::{DEPTH_LEVELS, Direction, INTERVAL_S, Interval, JobReport};
use ftlab_workload::JobSpec;
use serde::Serialize;

const DEPTH_NAMES: [&str; DEPTH_LEVELS] = ["1", "2", "4", "8", "16", "32", ">=64"];

/// fio's buckets of how many commands are submitted, or reaped, at once.
const BATCH_NAMES: [&str; DEPTH_LEVELS] = ["0", "4", "8", "16", "32", "64", ">=64"];

#[derive(Serialize)]
struct Output {
    #[serde(rename = "fio version")]
    version: String,
    timestamp: u64,
    timestamp_ms: u64,
    time: String,
    #[serde(rename = "global options")]
    global_options: Map<String, String>,
    jobs: Vec<Job>,
    disk_util: [(); 0],
    ftlab: Inside,
}

#[derive(Serialize)]
struct Job {
    jobname: String,
    groupid: usize,
    error: u32,
    eta: u64,
    elapsed: u64,
    #[serde(rename = "job options")]
    options: Map<String, String>,
    read: Traffic,
    write: Traffic,
    trim: Traffic,
    sync: Sync,
    job_runtime: u64,
    usr_cpu: f64,
    sys_cpu: f64,
    ctx: u64,
    majf: u64,
    minf: u64,
    iodepth_level: Map<&'static str, f64>,
    iodepth_submit: Map<&'static str, f64>,
    iodepth_complete: Map<&'static str, f64>,
    latency_ns: Map<&'static str, f64>,
    latency_us: Map<&'static str, f64>,
    latency_ms: Map<&'static str, f64>,
    latency_depth: u32,
    latency_target: u64,
    latency_percentile: f64,
    latency_window: u64,
}

#[derive(Serialize)]
struct Traffic {
    io_bytes: u64,
    io_kbytes: u64,
    bw_bytes: u64,
    bw: u64,
    iops: f64,
    runtime: u64,
    total_ios: u64,
    short_ios: u64,
    drop_ios: u64,
    slat_ns: Latency,
    clat_ns: Latency,
    lat_ns: Latency,
    bw_min: u64,
    bw_max: u64,
    bw_agg: f64,
    bw_mean: f64,
    bw_dev: f64,
    bw_samples: u64,
    iops_min: u64,
    iops_max: u64,
    iops_mean: f64,
    iops_stddev: f64,
    iops_samples: u64,
}

#[derive(Serialize)]
struct Sync {
    total_ios: u64,
    lat_ns: Latency,
}

/// The run as fio's JSON, with one more object called `ftlab`.
pub fn render(run: &Finished) -> Result<String, Failure> {
    let reported = run.reported();
    let globals = reported
        .first()
        .map(|(spec, _)| options(&spec.global_options));
    let output = Output {
        version: format!("ftlab-{}", env!("CARGO_PKG_VERSION")),
        timestamp: run.began.unix_s(),
        timestamp_ms: run.began.unix_ms(),
        time: run.began.words(),
        global_options: globals.unwrap_or_default(),
        jobs: reported
            .iter()
            .map(|(spec, report)| job(spec, report))
            .collect(),
        disk_util: [],
        ftlab: Inside::of(run),
    };
    screen::json(&output)
}

fn job(spec: &JobSpec, report: &JobReport) -> Job {
    let of_kind = |kind| traffic(report.direction(kind), report.measured);
    let flushes = report.direction(CommandKind::Flush);
    let submitted: u64 = report.depths.iter().sum();
    // fio's bucket of 4 holds batches of 1 to 4; commands are submitted and reaped one by one.
    let all = if submitted > 0 { 100.0 } else { 0.0 };
    let one_by_one = || depth_map(&BATCH_NAMES, |n| if n == 1 { all } else { 0.0 });
    let spectrum = fio_latency::spectrum(report);
    Job {
        jobname: report.name.clone(),
        groupid: report.group,
        error: errno(report),
        eta: 0,
        elapsed: report.measured.0.div_ceil(Nanos::from_secs(1).0),
        options: options(&spec.job_options),
        read: of_kind(CommandKind::Read),
        write: of_kind(CommandKind::Write),
        trim: of_kind(CommandKind::Trim),
        sync: Sync {
            total_ios: flushes.ios,
            lat_ns: Latency::of(flushes.latency(), false),
        },
        job_runtime: milliseconds(report.measured),
        usr_cpu: 0.0,
        sys_cpu: 0.0,
        ctx: 0,
        majf: 0,
        minf: 0,
        iodepth_level: depth_map(&DEPTH_NAMES, |n| percent(report.depths[n], submitted)),
        iodepth_submit: one_by_one(),
        iodepth_complete: one_by_one(),
        latency_ns: spectrum.ns,
        latency_us: spectrum.us,
        latency_ms: spectrum.ms,
        latency_depth: report.iodepth,
        latency_target: 0,
        latency_percentile: 100.0,
        latency_window: 0,
    }
}

fn traffic(direction: &Direction, measured: Nanos) -> Traffic {
    let totals = ftlab_play::record::traffic(direction, measured);
    let samples = samples(&direction.series, measured);
    let kib = Spread::of(samples, |i| i.bytes as f64 / 1024.0);
    let ios = Spread::of(samples, |i| i.ios as f64);
    let moved = direction.ios > 0;
    Traffic {
        io_bytes: totals.bytes,
        io_kbytes: totals.bytes / 1024,
        bw_bytes: totals.bytes_per_s as u64,
        bw: (totals.bytes_per_s / 1024.0) as u64,
        iops: totals.iops,
        runtime: if moved { milliseconds(measured) } else { 0 },
        total_ios: totals.ios,
        short_ios: 0,
        drop_ios: 0,
        slat_ns: Latency::of(None, false),
        clat_ns: Latency::of(direction.latency(), true),
        lat_ns: Latency::of(direction.latency(), false),
        bw_min: kib.min as u64,
        bw_max: kib.max as u64,
        bw_agg: if moved { 100.0 } else { 0.0 },
        bw_mean: kib.mean,
        bw_dev: kib.stddev,
        bw_samples: samples.len() as u64,
        iops_min: ios.min as u64,
        iops_max: ios.max as u64,
        iops_mean: ios.mean,
        iops_stddev: ios.stddev,
        iops_samples: samples.len() as u64,
    }
}

/// The whole seconds of a series: a last one cut short would look like a dip.
fn samples(series: &[Interval], measured: Nanos) -> &[Interval] {
    let whole = (measured.0 / Nanos::from_secs(INTERVAL_S).0) as usize;
    &series[..whole.min(series.len())]
}

/// Extremes and mean over the seconds of a run.
#[derive(Default)]
struct Spread {
    min: f64,
    max: f64,
    mean: f64,
    stddev: f64,
}

impl Spread {
    fn of(samples: &[Interval], value: fn(&Interval) -> f64) -> Spread {
        if samples.is_empty() {
            return Spread::default();
        }
        let values = || samples.iter().map(value);
        let n = samples.len() as f64;
        let mean = values().sum::<f64>() / n;
        let variance = values().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n;
        Spread {
            min: values().fold(f64::INFINITY, f64::min),
            max: values().fold(0.0, f64::max),
            mean,
            stddev: variance.sqrt(),
        }
    }
}

/// fio leaves out options that stand without a value.
fn options(options: &[(String, String)]) -> Map<String, String> {
    Map(options
        .iter()
        .filter(|(_, value)| !value.is_empty())
        .cloned()
        .collect())
}

fn depth_map(
    names: &[&'static str; DEPTH_LEVELS],
    share: impl Fn(usize) -> f64,
) -> Map<&'static str, f64> {
    Map(names
        .iter()
        .copied()
        .enumerate()
        .map(|(n, name)| (name, share(n)))
        .collect())
}

fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        100.0 * part as f64 / whole as f64
    }
}

fn milliseconds(span: Nanos) -> u64 {
    span.0 / Nanos::from_millis(1).0
}
