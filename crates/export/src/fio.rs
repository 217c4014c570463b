//! A run of a result set as fio's JSON, so that tools made for fio read a simulated run as they read a real one.
//!
//! The shape is that of fio 3.33. What has no meaning here (processor time, page faults) is zero. A command's
//! submission takes no time of its own: `clat` is `lat`.

mod latency;

use ftlab_result::{
    AtDevice, Erases, Extent, Inside, Job, Joules, NvmeLogs, PerSecond, Provenance, ResultSet, Run,
    SavedState, Settling, SmartAttribute, Spread, Traffic,
};
use latency::{Latency, Map};
use serde::Serialize;
use std::collections::BTreeMap;

/// The errno of a command that failed: EIO.
pub const INPUT_OUTPUT_ERROR: u32 = 5;

const DEPTHS: [&str; 7] = ["1", "2", "4", "8", "16", "32", ">=64"];

/// fio's buckets of how many commands are submitted, or reaped, at once.
const BATCHES: [&str; 7] = ["0", "4", "8", "16", "32", "64", ">=64"];
/// That of 1 to 4; commands are submitted and reaped one by one.
const ONE_BY_ONE: usize = 1;

/// When a run was made, and how long it took by the clock on the wall: results hold neither.
#[derive(Debug, Clone)]
pub struct Wall {
    /// Milliseconds since 1970.
    pub timestamp_ms: u64,
    /// The same in words.
    pub time: String,
    /// How long it took.
    pub seconds: f64,
}

#[derive(Serialize)]
struct Output<'a> {
    #[serde(rename = "fio version")]
    version: String,
    #[serde(flatten)]
    timestamps: Option<Timestamps<'a>>,
    #[serde(rename = "global options")]
    global_options: Map<&'a str, &'a str>,
    jobs: Vec<Of<'a>>,
    disk_util: [(); 0],
    ftlab: Beside<'a>,
}

#[derive(Serialize)]
struct Timestamps<'a> {
    timestamp: u64,
    timestamp_ms: u64,
    time: &'a str,
}

/// A job.
#[derive(Serialize)]
struct Of<'a> {
    jobname: &'a str,
    groupid: u32,
    error: u32,
    eta: u64,
    elapsed: u64,
    #[serde(rename = "job options")]
    options: Map<&'a str, &'a str>,
    read: Direction,
    write: Direction,
    trim: Direction,
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
    #[serde(flatten)]
    spectrum: latency::Spectrum,
    latency_depth: u32,
    latency_target: u64,
    latency_percentile: f64,
    latency_window: u64,
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

/// What fio has no names for.
#[derive(Serialize)]
struct Beside<'a> {
    version: &'a str,
    /// Runs of one model version, drive, state, load and seed are the same.
    model_version: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    provenance: Option<&'a Provenance>,
    run: &'a str,
    drive: &'a str,
    drive_file_hash: &'a str,
    settings: &'a BTreeMap<String, String>,
    test: &'a str,
    state: &'a str,
    data: &'a str,
    link: &'a str,
    testbed: &'a str,
    steps: &'a [String],
    notes: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    settling: Option<&'a Settling>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from_state: Option<&'a str>,
    /// The seed that the drive was prepared with.
    state_seed: u64,
    seed: u64,
    #[serde(flatten)]
    inside: Option<&'a Inside>,
    /// What happened at each of several drives.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    devices: &'a [AtDevice],
    metrics: &'a BTreeMap<String, f64>,
    /// What the drive took from its supply; `null` without a clock, or when its file does not say what its
    /// parts take.
    power: Option<Power<'a>>,
    submitted: u64,
    completed: u64,
    simulated_seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    wall_seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wear: Option<&'a Erases>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    smart: &'a [SmartAttribute],
    /// The logs of an NVMe drive at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    nvme: Option<&'a NvmeLogs>,
    /// Figures over the repeats, if there were any; all else but `metrics` is of the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    repeats: Option<Repeats<'a>>,
    /// Keys of the job file that have no effect, then what a reader of the figures has to know.
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct Power<'a> {
    /// Mean.
    watts: Option<f64>,
    /// With nothing to do.
    idle_watts: Option<f64>,
    /// The share of what the host read and wrote; `null` when it did neither.
    joules_per_gb: Option<f64>,
    /// Joules by part of the drive.
    joules: Joules,
    /// Mean of each second.
    series_watts: &'a [f64],
}

#[derive(Serialize)]
struct Repeats<'a> {
    /// The root seed of each.
    seeds: &'a [u64],
    /// Means.
    metrics: &'a BTreeMap<String, f64>,
    /// How each of them spreads.
    spread: &'a BTreeMap<String, Spread>,
}

/// The runs of a set that did I/O, each with the name of its file.
#[must_use]
pub fn files(set: &ResultSet) -> Vec<(String, String)> {
    let runs = set.runs.iter().filter(|run| run.submitted > 0);
    runs.map(|run| {
        let name = format!("{}.json", run.id.replace('/', "_"));
        (name, render(set, run, None))
    })
    .collect()
}

/// A run as fio's JSON, with one more object called `ftlab`; with the time of day, if it is known.
#[must_use]
pub fn render(set: &ResultSet, run: &Run, wall: Option<&Wall>) -> String {
    let output = Output {
        version: format!("ftlab-{}", set.origin.version),
        timestamps: wall.map(|wall| Timestamps {
            timestamp: wall.timestamp_ms / 1000,
            timestamp_ms: wall.timestamp_ms,
            time: &wall.time,
        }),
        global_options: options(&run.global_options),
        jobs: run
            .jobs
            .iter()
            .map(|of| job(of, cpu_of_a_job(run)))
            .collect(),
        disk_util: [],
        ftlab: beside(set, run, wall),
    };
    let text = serde_json::to_string_pretty(&output);
    text.expect("keys are strings") + "\n"
}

/// What fio calls a job's error: 0, or the number of the error that ended it.
#[must_use]
pub fn errno(job: &Job) -> u32 {
    match job.errors {
        0 => 0,
        _ => INPUT_OUTPUT_ERROR,
    }
}

/// What the host's cores did for each job, in percent of its time; nothing where the testbed does not say.
fn cpu_of_a_job(run: &Run) -> f64 {
    let cores = run.metrics.get("host_cores_pct").copied();
    cores.unwrap_or_default() / run.jobs.len().max(1) as f64
}

fn job(job: &Job, cpu: f64) -> Of<'_> {
    let submitted: u64 = job.depths.iter().sum();
    let all = if submitted > 0 { 100.0 } else { 0.0 };
    let one_by_one = || shares(&BATCHES, |n| if n == ONE_BY_ONE { all } else { 0.0 });
    let of_depth = |n: usize| {
        let count = job.depths.get(n).copied().unwrap_or_default();
        100.0 * count as f64 / submitted.max(1) as f64
    };
    let of = |traffic| direction(traffic, job.measured_ns);
    Of {
        jobname: &job.name,
        groupid: job.group,
        error: errno(job),
        eta: 0,
        elapsed: job.measured_ns.div_ceil(1_000_000_000),
        options: options(&job.options),
        read: of(&job.read),
        write: of(&job.write),
        trim: of(&job.trim),
        sync: Sync {
            total_ios: job.flush.ios,
            lat_ns: Latency::of(&job.flush, false),
        },
        job_runtime: job.measured_ns / 1_000_000,
        usr_cpu: 0.0,
        sys_cpu: cpu,
        ctx: 0,
        majf: 0,
        minf: 0,
        iodepth_level: shares(&DEPTHS, of_depth),
        iodepth_submit: one_by_one(),
        iodepth_complete: one_by_one(),
        spectrum: latency::spectrum(job),
        latency_depth: job.iodepth,
        latency_target: 0,
        latency_percentile: 100.0,
        latency_window: 0,
    }
}

fn direction(traffic: &Traffic, measured_ns: u64) -> Direction {
    const NONE: Extent = Extent {
        min: 0.0,
        max: 0.0,
        mean: 0.0,
        stddev: 0.0,
    };
    let none = PerSecond {
        seconds: 0,
        ios: NONE,
        bytes: NONE,
    };
    let samples = traffic.per_second.unwrap_or(none);
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
        slat_ns: Latency::of(&Traffic::default(), false),
        clat_ns: Latency::of(traffic, true),
        lat_ns: Latency::of(traffic, false),
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

fn beside<'a>(set: &'a ResultSet, run: &'a Run, wall: Option<&Wall>) -> Beside<'a> {
    let origin = &set.origin;
    let drive = set.drives.iter().find(|sheet| sheet.drive == run.drive);
    let metric = |name: &str| run.metrics.get(name).copied();
    let saved = run.saved_state.as_ref();
    let warnings = run.warnings.iter().map(ToString::to_string);
    Beside {
        version: &origin.version,
        model_version: origin.model_version,
        provenance: set.provenance.as_ref(),
        run: &run.id,
        drive: &run.drive,
        drive_file_hash: drive.map_or("", |sheet| &sheet.file_hash),
        settings: &run.settings,
        test: &run.test,
        state: &run.state,
        data: &run.data,
        link: &run.link,
        testbed: &run.testbed,
        steps: &run.steps,
        notes: &run.notes,
        settling: run.settling.as_ref(),
        from_state: saved.map(|saved| saved.file.as_str()),
        state_seed: saved.map_or(origin.seed, |saved: &SavedState| saved.seed),
        seed: origin.seed,
        inside: run.inside.as_ref(),
        metrics: &run.metrics,
        power: run.joules.map(|joules| Power {
            watts: metric("watts"),
            idle_watts: metric("idle_watts"),
            joules_per_gb: metric("joules_per_gb"),
            joules,
            series_watts: &run.series_watts,
        }),
        submitted: run.submitted,
        completed: run.completed,
        simulated_seconds: run.seconds,
        wall_seconds: wall.map(|wall| wall.seconds),
        devices: &run.devices,
        wear: run.erases.as_ref(),
        smart: &run.smart,
        nvme: run.nvme.as_ref(),
        repeats: (!run.spread.is_empty()).then(|| Repeats {
            seeds: &origin.seeds,
            metrics: &run.metrics,
            spread: &run.spread,
        }),
        warnings: (run.ignored.iter().map(ToString::to_string))
            .chain(warnings)
            .collect(),
    }
}

/// fio leaves out options that stand without a value.
fn options(options: &[(String, String)]) -> Map<&str, &str> {
    let given = options.iter().filter(|(_, value)| !value.is_empty());
    Map(given
        .map(|(key, value)| (key.as_str(), value.as_str()))
        .collect())
}

fn shares(names: &[&'static str; 7], share: impl Fn(usize) -> f64) -> Map<&'static str, f64> {
    let names = names.iter().enumerate();
    Map(names.map(|(n, name)| (*name, share(n))).collect())
}
