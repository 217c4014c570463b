//! A job in fio's JSON.

use super::latency::{self, Latency, Map};
use ftlab_result::quantity::table;
use ftlab_result::{Directions, Extent, Job, PerSecond, Reporting, Run, SteadyState, Traffic};
use serde::Serialize;

/// The errno of a command that failed: EIO.
pub const INPUT_OUTPUT_ERROR: u32 = 5;

const DEPTHS: [&str; 7] = ["1", "2", "4", "8", "16", "32", ">=64"];

/// fio's buckets of how many commands are submitted, or reaped, at once.
const BATCHES: [&str; 7] = ["0", "4", "8", "16", "32", "64", ">=64"];
/// That of 1 to 4; commands are submitted and reaped one by one.
const ONE_BY_ONE: usize = 1;

/// A job's error in fio's sense: 0, or the number of the error that ended it.
#[must_use]
pub fn errno(job: &Job) -> u32 {
    match job.errors {
        0 => 0,
        _ => INPUT_OUTPUT_ERROR,
    }
}

/// The first error, in fio's sense, of a job that goes on when commands fail.
pub fn first_error(failures: u64) -> u32 {
    match failures {
        0 => 0,
        _ => INPUT_OUTPUT_ERROR,
    }
}

/// Use of the host's cores by each job, in percent of its time; nothing where the testbed does not say.
pub fn cpu_of_each(run: &Run) -> f64 {
    let cores = table::HOST_CORES_PCT.of(run);
    cores.unwrap_or_default() / run.jobs.len().max(1) as f64
}

/// The form in which a job is reported: by its own words, or as fio does without them.
pub fn reporting(job: &Job) -> Reporting {
    job.reporting.clone().unwrap_or(Reporting {
        of_clat: true,
        of_disk: true,
        ..Reporting::default()
    })
}

/// Commands that were submitted at each of fio's depths, in percent of reads, writes and trims: flushes, which are
/// submitted at a depth too, take the sum beyond 100. As in fio, what there is has a tenth at least.
pub fn depth_shares(job: &Job) -> [f64; 7] {
    const LEAST_PERCENT: f64 = 0.1;
    let submitted: u64 = job.depths.iter().sum();
    let moved = submitted.saturating_sub(job.flush.ios).max(1);
    std::array::from_fn(|n| match job.depths.get(n).copied().unwrap_or_default() {
        0 => 0.0,
        count => (100.0 * count as f64 / moved as f64).max(LEAST_PERCENT),
    })
}

/// Samples of rates, in KiB and in requests; fio takes one in half a second or so, and ftlab one a second.
pub fn samples(traffic: &Traffic) -> PerSecond {
    const NONE: Extent = Extent {
        min: 0.0,
        max: 0.0,
        mean: 0.0,
        stddev: 0.0,
    };
    traffic.per_second.unwrap_or(PerSecond {
        seconds: 0,
        ios: NONE,
        bytes: NONE,
    })
}

/// A job's part of fio's JSON.
#[derive(Serialize)]
pub struct Of<'a> {
    jobname: &'a str,
    groupid: u32,
    error: u32,
    eta: u64,
    elapsed: u64,
    #[serde(rename = "job options", skip_serializing_if = "Map::is_empty")]
    options: Map<&'a str, &'a str>,
    #[serde(flatten)]
    directions: Map<&'static str, Direction>,
    /// fio leaves it out where all directions are one.
    #[serde(skip_serializing_if = "Option::is_none")]
    sync: Option<Sync>,
    job_runtime: u64,
    usr_cpu: f64,
    sys_cpu: f64,
    ctx: u64,
    majf: u64,
    minf: u64,
    iodepth_level: Map<&'static str, f64>,
    iodepth_submit: Map<&'static str, f64>,
    iodepth_complete: Map<&'static str, f64>,
    #[serde(flatten)]
    spectrum: latency::Spectrum,
    #[serde(skip_serializing_if = "Option::is_none")]
    total_err: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_error: Option<u32>,
    /// fio leaves it out of a job that never began.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    sought: Option<Sought>,
    #[serde(rename = "desc", skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    steadystate: Option<Steady>,
}

/// The depth of a job, and the latency that it was sought for.
#[derive(Serialize)]
struct Sought {
    latency_depth: u32,
    /// The bound of `latency_target`, in nanoseconds.
    latency_target: u64,
    latency_percentile: f64,
    /// The window of `latency_target`, in microseconds.
    latency_window: u64,
}

/// Returns `true` if a job did anything, or had the time to: one that another's `exitall` ended before it began had not.
fn has_begun(job: &Job) -> bool {
    let all = [&job.read, &job.write, &job.trim, &job.flush];
    job.measured_ns > 0 || !job.depths.is_empty() || all.iter().any(|of| of.ios > 0)
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

#[derive(Serialize)]
struct Steady {
    ss: String,
    duration: u64,
    attained: u8,
    criterion: String,
    max_deviation: f64,
    slope: f64,
    data: SteadyData,
}

#[derive(Serialize)]
struct SteadyData {
    bw_mean: u64,
    iops_mean: u64,
    iops: Vec<u64>,
    bw: Vec<u64>,
}

impl<'a> Of<'a> {
    /// A job beside `cpu`, what a core did for it, in percent.
    pub fn new(job: &'a Job, cpu: f64, with_bins: bool) -> Of<'a> {
        let reporting = reporting(job);
        let shown = latency::Shown {
            reporting: &reporting,
            with_bins,
        };
        let slat = |commands| Latency::of_submissions(commands, shown.of_slat(job.has_slat));
        let of = |traffic: &Traffic, submitted| {
            direction(traffic, job.measured_ns, &shown, slat(submitted))
        };
        let mut directions = Vec::new();
        if reporting.directions != Directions::Mixed {
            let each = [
                ("read", &job.read, job.read.ios),
                ("write", &job.write, job.write.ios),
                // fio's engines do trims as they come.
                ("trim", &job.trim, 0),
            ];
            directions
                .extend(each.map(|(name, traffic, submitted)| (name, of(traffic, submitted))));
        }
        if reporting.directions != Directions::Apart {
            directions.push(("mixed", of(&job.mixed, job.mixed.ios - job.trim.ios)));
        }
        let all = if job.depths.is_empty() { 0.0 } else { 100.0 };
        let one_by_one = || {
            let shares = std::array::from_fn(|n| if n == ONE_BY_ONE { all } else { 0.0 });
            named(BATCHES, shares)
        };
        let target = job.latency_target;
        Of {
            jobname: &job.name,
            groupid: job.group,
            error: errno(job),
            eta: 0,
            elapsed: job.measured_ns.div_ceil(1_000_000_000),
            options: options(&job.options),
            directions: Map(directions),
            sync: (reporting.directions != Directions::Mixed).then(|| Sync {
                total_ios: match reporting.without_sync_total {
                    true => 0,
                    false => job.flush.ios,
                },
                lat_ns: Latency::of(&job.flush, shown.of_flush()),
            }),
            job_runtime: job.measured_ns / 1_000_000,
            usr_cpu: 0.0,
            sys_cpu: cpu,
            ctx: 0,
            majf: 0,
            minf: 0,
            iodepth_level: named(DEPTHS, depth_shares(job)),
            iodepth_submit: one_by_one(),
            iodepth_complete: one_by_one(),
            spectrum: latency::spectrum(job, reporting.without_clat),
            total_err: job.failures,
            first_error: job.failures.map(first_error),
            sought: has_begun(job).then(|| Sought {
                latency_depth: job.iodepth_stated.unwrap_or(job.iodepth),
                latency_target: target.map_or(0, |target| target.target_ns),
                latency_percentile: target.map_or(100.0, |target| target.percentile),
                latency_window: target.map_or(0, |target| target.window_ns / 1000),
            }),
            description: job.description.as_deref(),
            steadystate: job.steady.as_ref().map(steady),
        }
    }
}

fn direction(
    traffic: &Traffic,
    measured_ns: u64,
    shown: &latency::Shown<'_>,
    slat_ns: Latency,
) -> Direction {
    // fio calls KiB/s `bw`, and counts its samples by the second.
    let samples = samples(traffic);
    let kib = |bytes: f64| bytes / 1024.0;
    let moved = traffic.ios > 0;
    Direction {
        io_bytes: traffic.bytes,
        io_kbytes: traffic.bytes / 1024,
        bw_bytes: traffic.bytes_per_s as u64,
        bw: kib(traffic.bytes_per_s) as u64,
        iops: traffic.iops,
        runtime: if moved { measured_ns / 1_000_000 } else { 0 },
        total_ios: traffic.ios,
        short_ios: 0,
        drop_ios: 0,
        slat_ns,
        clat_ns: Latency::of(traffic, shown.of_clat()),
        lat_ns: Latency::of(traffic, shown.of_lat()),
        bw_min: kib(samples.bytes.min) as u64,
        bw_max: kib(samples.bytes.max) as u64,
        bw_agg: if moved { 100.0 } else { 0.0 },
        bw_mean: kib(samples.bytes.mean),
        bw_dev: kib(samples.bytes.stddev),
        bw_samples: samples.seconds,
        iops_min: samples.ios.min as u64,
        iops_max: samples.ios.max as u64,
        iops_mean: samples.ios.mean,
        iops_stddev: samples.ios.stddev,
        iops_samples: samples.seconds,
    }
}

fn steady(of: &SteadyState) -> Steady {
    let sign = if of.in_percent { "%" } else { "" };
    // fio's lists have all the seconds, with zeros for those that there were not.
    let whole = |seconds: &[u64]| {
        let mut whole = seconds.to_vec();
        whole.resize(of.duration_s as usize, 0);
        whole
    };
    let mean = |seconds: &[u64]| seconds.iter().sum::<u64>() / of.duration_s.max(1);
    Steady {
        ss: format!("{}:{:.6}{sign}", of.measure, of.limit),
        duration: of.duration_s,
        attained: u8::from(of.is_attained),
        criterion: format!("{:.6}{sign}", of.criterion),
        max_deviation: of.deviation,
        slope: of.slope,
        data: SteadyData {
            bw_mean: mean(&of.bytes),
            iops_mean: mean(&of.ios),
            iops: whole(&of.ios),
            bw: whole(&of.bytes),
        },
    }
}

/// fio leaves out options that stand without a value.
pub fn options(options: &[(String, String)]) -> Map<&str, &str> {
    let given = options.iter().filter(|(_, value)| !value.is_empty());
    Map(given
        .map(|(key, value)| (key.as_str(), value.as_str()))
        .collect())
}

fn named(names: [&'static str; 7], shares: [f64; 7]) -> Map<&'static str, f64> {
    Map(names.into_iter().zip(shares).collect())
}
