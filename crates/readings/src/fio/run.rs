//! Jobs that ran together, as a run of results.

use super::latency::Latency;
use super::logs::Course;
use super::output::{Direction, FioJob};
use ftlab_result::quantity::{Quantity, table};
use ftlab_result::{At, Job, Run, Traffic};
use std::collections::BTreeMap;

/// Bytes of the binary megabyte.
const MEBIBYTE: f64 = 1_048_576.0;

/// fio's word where a job does not say what it does.
const RW: &str = "read";

/// Words for what a job does: fio has two for each of some.
const NAMES_OF_RW: [&str; 2] = ["rw", "readwrite"];

/// A kind of request over all jobs.
#[derive(Default)]
struct Sum {
    ios: u64,
    bytes: u64,
    latency: Latency,
}

impl Sum {
    fn of<'a>(directions: impl Iterator<Item = &'a Direction>) -> Sum {
        let mut sum = Sum::default();
        for direction in directions {
            sum.add(direction.total_ios, direction.io_bytes, &direction.latency);
        }
        sum
    }

    fn add(&mut self, ios: u64, bytes: u64, latency: &Latency) {
        self.ios += ios;
        self.bytes += bytes;
        self.latency.merge(latency);
    }

    fn traffic(&self, seconds: f64) -> Traffic {
        self.latency.traffic(self.ios, self.bytes, seconds)
    }
}

/// The run of jobs whose statistics are `seconds` long, with its course; `global` are the options of the global section.
///
/// Its names, its state and what was done before are for whoever knows them.
#[must_use]
pub fn run(
    jobs: &[FioJob],
    global: &BTreeMap<String, String>,
    seconds: f64,
    course: &Course,
) -> Run {
    let kinds = [
        Sum::of(jobs.iter().map(|job| &job.read)),
        Sum::of(jobs.iter().map(|job| &job.write)),
        Sum::of(jobs.iter().map(|job| &job.trim)),
    ];
    let mut all = Sum::default();
    for kind in &kinds {
        all.add(kind.ios, kind.bytes, &kind.latency);
    }
    // Jobs may be reported both ways; then what is mixed was counted.
    for job in jobs {
        if [&job.read, &job.write, &job.trim]
            .iter()
            .all(|of| of.total_ios == 0)
        {
            let mixed = &job.mixed;
            all.add(mixed.total_ios, mixed.io_bytes, &mixed.latency);
        }
    }
    let mut flushes = Latency::default();
    jobs.iter().for_each(|job| flushes.merge(&job.sync));
    let traffic = |n: usize| Traffic {
        per_second: course.per_second(n),
        lat_ns_course: course.latencies[n].clone(),
        ..kinds[n].traffic(seconds)
    };
    let done = all.ios + flushes.count();
    Run {
        metrics: metrics(&all, seconds),
        read: traffic(0),
        write: traffic(1),
        trim: traffic(2),
        flush: flushes.traffic(flushes.count(), 0, seconds),
        submitted: done,
        completed: done,
        seconds,
        jobs: jobs.iter().map(|job| job_of(job, jobs, global)).collect(),
        global_options: global.clone().into_iter().collect(),
        series_ios: Course::all(&course.ios),
        series_bytes: Course::all(&course.bytes),
        series_interval_s: course.interval_s,
        at: vec![At::default()],
        ..Run::default()
    }
}

/// The seconds of jobs whose groups ran one after the other, and the jobs of a group together.
#[must_use]
pub fn seconds_of_groups(jobs: &[FioJob]) -> f64 {
    let mut groups: BTreeMap<u32, f64> = BTreeMap::new();
    for job in jobs {
        let longest = groups.entry(job.group).or_default();
        *longest = longest.max(job.seconds());
    }
    groups.values().sum()
}

/// The clones of a section that one of the jobs stands for: all of them, or one of several that stand beside each other.
#[must_use]
pub fn clones(job: &FioJob, jobs: &[FioJob], global: &BTreeMap<String, String>) -> u32 {
    let said = option(job, global, &["numjobs"]).and_then(|value| value.parse().ok());
    let same = |other: &&FioJob| {
        (&other.name, other.group, &other.host) == (&job.name, job.group, &job.host)
    };
    let beside = jobs.iter().filter(same).count().max(1);
    (said.unwrap_or(1_u32) / beside as u32).max(1)
}

/// What a job, or the global section, says by one of these names.
#[must_use]
pub fn option<'a>(
    job: &'a FioJob,
    global: &'a BTreeMap<String, String>,
    names: &[&str],
) -> Option<&'a str> {
    let of = |options: &'a BTreeMap<String, String>| {
        names
            .iter()
            .find_map(|name| options.get(*name))
            .map(String::as_str)
    };
    of(&job.options).or_else(|| of(global))
}

/// What a job does, in fio's word; none where no options are known.
#[must_use]
pub fn rw<'a>(job: &'a FioJob, global: &'a BTreeMap<String, String>) -> Option<&'a str> {
    let said = option(job, global, &NAMES_OF_RW);
    said.or((!job.options.is_empty() || !global.is_empty()).then_some(RW))
}

/// The depth of a job; none where no options are known, and where it is no number.
#[must_use]
pub fn depth(job: &FioJob, global: &BTreeMap<String, String>) -> Option<u32> {
    match option(job, global, &["iodepth"]) {
        Some(said) => said.parse().ok(),
        None => rw(job, global).map(|_| 1),
    }
}

fn job_of(job: &FioJob, jobs: &[FioJob], global: &BTreeMap<String, String>) -> Job {
    let seconds = job.seconds();
    let traffic = |direction: &Direction| Sum::of(std::iter::once(direction)).traffic(seconds);
    Job {
        name: job.name.clone(),
        group: job.group,
        clones: clones(job, jobs, global),
        rw: rw(job, global).unwrap_or_default().to_owned(),
        iodepth: depth(job, global).unwrap_or(0),
        iodepth_stated: None,
        errors: u64::from(job.error != 0),
        missed: None,
        measured_ns: (seconds * 1e9) as u64,
        failures: Some(job.failures).filter(|count| *count > 0),
        description: job.description.clone(),
        options: job.options.clone().into_iter().collect(),
        read: traffic(&job.read),
        write: traffic(&job.write),
        trim: traffic(&job.trim),
        flush: job.sync.traffic(job.sync.count(), 0, seconds),
        mixed: traffic(&job.mixed),
        reporting: None,
        latency_target: None,
        steady: None,
        depths: Vec::new(),
        depth_mean: None,
        has_slat: job.has_slat,
        lat_ns_fio: Vec::new(),
        process: None,
    }
}

/// Rates and latencies of reads, writes and trims together.
fn metrics(all: &Sum, seconds: f64) -> BTreeMap<String, f64> {
    let mut metrics = BTreeMap::new();
    if all.ios == 0 || seconds <= 0.0 {
        return metrics;
    }
    let mut put = |of: &Quantity, value: f64| of.put(&mut metrics, value);
    let bytes_per_s = all.bytes as f64 / seconds;
    put(&table::IOPS, all.ios as f64 / seconds);
    put(&table::MB_S, bytes_per_s / 1e6);
    put(&table::MIB_S, bytes_per_s / MEBIBYTE);
    if all.latency.count() > 0 {
        put(&table::LAT_AVG_MS, all.latency.mean_ns() / 1e6);
        put(&table::LAT_MAX_MS, all.latency.max_ns() as f64 / 1e6);
    }
    for (of, percent) in [(&table::LAT_P99_MS, 99.0), (&table::LAT_P99_99_MS, 99.99)] {
        if let Some(ns) = all.latency.percentile(percent) {
            put(of, ns as f64 / 1e6);
        }
    }
    metrics
}
