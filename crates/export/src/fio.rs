//! A run of a result set as fio's JSON, so that tools made for fio read a simulated run as they read a real one.
//!
//! The shape is that of fio 3.33. What has no meaning here (processor time, page faults) is zero. A command's
//! submission takes no time of its own: `clat` is `lat`.

mod disk;
mod job;
mod latency;
mod terse;

pub use job::{INPUT_OUTPUT_ERROR, errno};
pub use terse::{TerseVersion, terse};

use disk::Disk;
use ftlab_result::quantity::table;
use ftlab_result::{
    At, Erases, Inside, Joules, NvmeLogs, Provenance, ResultSet, Run, SavedState, Settling,
    SmartAttribute, Spread,
};
use job::{Of, options};
use latency::Map;
use serde::Serialize;
use std::collections::BTreeMap;

/// The wall-clock time at which a run was made and the time that it took. Result sets hold neither.
#[derive(Debug, Clone)]
pub struct Wall {
    /// The start of the run, in milliseconds since 1970 (UTC).
    pub timestamp_ms: u64,
    /// The time in words.
    pub time: String,
    /// Time that the run took, in seconds.
    pub seconds: f64,
}

#[derive(Serialize)]
struct Output<'a> {
    #[serde(rename = "fio version")]
    version: String,
    #[serde(flatten)]
    timestamps: Option<Timestamps<'a>>,
    #[serde(rename = "global options", skip_serializing_if = "Map::is_empty")]
    global_options: Map<&'a str, &'a str>,
    jobs: Vec<Of<'a>>,
    disk_util: Vec<Disk<'a>>,
    ftlab: Beside<'a>,
}

#[derive(Serialize)]
struct Timestamps<'a> {
    timestamp: u64,
    timestamp_ms: u64,
    time: &'a str,
}

/// Values that fio has no names for.
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
    /// Commands that each of `jobs` had outstanding on average; `null` without a clock.
    mean_depths: Vec<Option<f64>>,
    #[serde(flatten)]
    inside: Option<&'a Inside>,
    /// Figures of each of several drives; empty for a run of one drive.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    devices: Vec<Device<'a>>,
    metrics: &'a BTreeMap<String, f64>,
    /// Power from the drive's supply; `null` without a clock, or when its file does not say what its
    /// parts take.
    power: Option<Power<'a>>,
    submitted: u64,
    completed: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    completion_hash: Option<&'a str>,
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
struct Device<'a> {
    #[serde(flatten)]
    at: &'a At,
    /// Bytes that the host wrote to it.
    written_bytes: Option<u64>,
}

#[derive(Serialize)]
struct Power<'a> {
    /// Mean power of the run.
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
    /// Means over the repeats.
    metrics: &'a BTreeMap<String, f64>,
    /// The spread of each mean.
    spread: &'a BTreeMap<String, Spread>,
}

/// The runs of a set that did I/O, each with the name of its file.
#[must_use]
pub fn files(set: &ResultSet) -> Vec<(String, String)> {
    let runs = set.runs.iter().filter(|run| run.submitted > 0);
    runs.map(|run| {
        let name = format!("{}.json", run.id.replace('/', "_"));
        (name, render(set, run, None, true))
    })
    .collect()
}

/// The program's name and version, in the place of fio's.
#[must_use]
pub fn program(set: &ResultSet) -> String {
    format!("ftlab-{}", set.origin.version)
}

/// A run as fio's JSON, with one more object called `ftlab`; with the time of day, if it is known, and with the bins of
/// latencies, which fio's json+ has.
#[must_use]
pub fn render(set: &ResultSet, run: &Run, wall: Option<&Wall>, with_bins: bool) -> String {
    let cpu = job::cpu_of_each(run);
    let output = Output {
        version: program(set),
        timestamps: wall.map(|wall| Timestamps {
            timestamp: wall.timestamp_ms / 1000,
            timestamp_ms: wall.timestamp_ms,
            time: &wall.time,
        }),
        global_options: options(&run.global_options),
        jobs: run
            .jobs
            .iter()
            .map(|job| Of::new(job, cpu, with_bins))
            .collect(),
        disk_util: Disk::of(run).into_iter().collect(),
        ftlab: beside(set, run, wall),
    };
    let text = serde_json::to_string_pretty(&output);
    text.expect("keys are strings") + "\n"
}

fn beside<'a>(set: &'a ResultSet, run: &'a Run, wall: Option<&Wall>) -> Beside<'a> {
    // A run of several drives has no settling, wear or SMART of its own: `only` is `None` then.
    let origin = &set.origin;
    let drive = set.drives.iter().find(|sheet| sheet.drive == run.drive);
    let metric = |name: &str| run.metrics.get(name).copied();
    let saved = run.saved_state.as_ref();
    let only = run.only();
    let device = |at| Device {
        at,
        written_bytes: at.inside.as_ref().map(|inside| inside.host_bytes_written),
    };
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
        settling: only.and_then(|only| only.settling.as_ref()),
        from_state: saved.map(|saved| saved.file.as_str()),
        state_seed: saved.map_or(origin.seed, |saved: &SavedState| saved.seed),
        seed: origin.seed,
        mean_depths: run.jobs.iter().map(|job| job.depth_mean).collect(),
        inside: run.inside(),
        metrics: &run.metrics,
        power: run.joules().map(|joules| Power {
            watts: metric(table::WATTS.name),
            idle_watts: metric(table::IDLE_WATTS.name),
            joules_per_gb: metric(table::JOULES_PER_GB.name),
            joules,
            series_watts: &run.series_watts,
        }),
        submitted: run.submitted,
        completed: run.completed,
        completion_hash: run.completion_hash.as_deref(),
        simulated_seconds: run.seconds,
        wall_seconds: wall.map(|wall| wall.seconds),
        devices: run.several().iter().map(device).collect(),
        wear: only.and_then(|only| only.erases.as_ref()),
        smart: only.map_or(&[], |only| &only.smart),
        nvme: only.and_then(|only| only.nvme.as_ref()),
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
