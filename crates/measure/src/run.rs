//! A measurement as a run of results.

use crate::fio::{Direction, Ended, FioJob, Latency, per_second};
use crate::plan::Measure;
use ftlab_bench::review::read_off;
use ftlab_bench::suites::Test;
use ftlab_result::quantity::{Quantity, table};
use ftlab_result::{At, Fill, Job, Run, Traffic};
use std::collections::BTreeMap;

/// Bytes of the binary megabyte.
const MEBIBYTE: f64 = 1_048_576.0;

/// Length of an interval of the series.
const INTERVAL_S: f64 = 1.0;

/// fio's word where a job does not say what it does.
const RW: &str = "read";

/// What brought the drive to where a measurement began, and what is to be said of it.
pub struct About<'a> {
    /// Slug of the drive.
    pub drive: &'a str,
    /// Steps, in words.
    pub steps: &'a [String],
    /// Notes on machine and program.
    pub notes: &'a [String],
}

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
            sum.ios += direction.total_ios;
            sum.bytes += direction.io_bytes;
            sum.latency.merge(&direction.lat_ns);
        }
        sum
    }

    fn traffic(&self, seconds: f64) -> Traffic {
        self.latency.traffic(self.ios, self.bytes, seconds)
    }
}

/// The jobs of a measurement, by name.
pub fn jobs_of(measure: &Measure) -> String {
    let names: Vec<&str> = measure
        .file
        .jobs
        .iter()
        .map(|job| job.name.as_str())
        .collect();
    names.join(", ")
}

/// The run of each test that reads a measurement.
pub fn runs(measure: &Measure, ended: &Ended, about: &About<'_>) -> Vec<Run> {
    let whole = whole(measure, ended, about);
    measure
        .tests
        .iter()
        .map(|test| of_test(test, measure, whole.clone(), about))
        .collect()
}

fn of_test(test: &Test, measure: &Measure, run: Run, about: &About<'_>) -> Run {
    let (drive, slug) = (about.drive, &test.step.slug);
    let fill = fill(&run.series_bytes);
    let mut run = Run {
        id: format!("{drive}/{slug}/{}", measure.suffix),
        drive: drive.to_owned(),
        test: slug.clone(),
        ..run
    };
    read_off(&test.step, &mut run, fill);
    run
}

/// The course of a drive that is written in order; what is a cache of a real drive is not looked for.
fn fill(bytes: &[u64]) -> Fill {
    let mut written = 0.0;
    let course = bytes.iter().filter(|bytes| **bytes > 0).map(|bytes| {
        written += *bytes as f64 / 1e9;
        (written, *bytes as f64 / 1e6 / INTERVAL_S)
    });
    Fill {
        course: course.collect(),
        doubt: Some("Where a cache ends is not looked for on a real drive.".to_owned()),
        ..Fill::default()
    }
}

fn whole(measure: &Measure, ended: &Ended, about: &About<'_>) -> Run {
    let jobs = &ended.output.jobs;
    let kinds = [
        Sum::of(jobs.iter().map(|job| &job.read)),
        Sum::of(jobs.iter().map(|job| &job.write)),
        Sum::of(jobs.iter().map(|job| &job.trim)),
    ];
    let seconds = seconds(jobs);
    let mut all = Sum::default();
    for kind in &kinds {
        all.ios += kind.ios;
        all.bytes += kind.bytes;
        all.latency.merge(&kind.latency);
    }
    let mut flushes = Latency::default();
    jobs.iter().for_each(|job| flushes.merge(&job.sync.lat_ns));
    let course = &ended.course;
    let traffic = |n: usize| Traffic {
        per_second: per_second(&course.ios[n], &course.bytes[n]),
        ..kinds[n].traffic(seconds)
    };
    let mut notes = about.notes.to_vec();
    notes.extend(measure.short.clone());
    if !ended.unknown.is_empty() {
        let words: Vec<&str> = ended.unknown.iter().map(String::as_str).collect();
        notes.push(format!(
            "Words that were left out, as this fio does not have them or they have no effect on a model: {}.",
            words.join(", ")
        ));
    }
    Run {
        state: measure.state.clone(),
        data: measure.data.clone(),
        steps: about.steps.to_vec(),
        notes,
        is_short: measure.short.is_some(),
        metrics: metrics(&all, seconds),
        read: traffic(0),
        write: traffic(1),
        trim: traffic(2),
        flush: flushes.traffic(flushes.count(), 0, seconds),
        submitted: all.ios + flushes.count(),
        completed: all.ios + flushes.count(),
        seconds,
        jobs: jobs.iter().map(job_of).collect(),
        global_options: ended.output.global.clone().into_iter().collect(),
        series_ios: crate::fio::Course::all(&course.ios),
        series_bytes: crate::fio::Course::all(&course.bytes),
        series_interval_s: INTERVAL_S,
        at: vec![At::default()],
        ..Run::default()
    }
}

/// Groups of jobs run one after the other, and the jobs of a group together.
fn seconds(jobs: &[FioJob]) -> f64 {
    let mut groups: BTreeMap<u32, f64> = BTreeMap::new();
    for job in jobs {
        let longest = groups.entry(job.group).or_default();
        *longest = longest.max(job.seconds());
    }
    groups.values().sum()
}

fn job_of(job: &FioJob) -> Job {
    let seconds = job.seconds();
    let traffic = |direction: &Direction| Sum::of(std::iter::once(direction)).traffic(seconds);
    let count = |key: &str| job.options.get(key).and_then(|value| value.parse().ok());
    let flushes = &job.sync.lat_ns;
    Job {
        name: job.name.clone(),
        group: job.group,
        clones: count("numjobs").unwrap_or(1),
        rw: job.options.get("rw").map_or(RW, String::as_str).to_owned(),
        iodepth: count("iodepth").unwrap_or(1),
        iodepth_stated: None,
        errors: 0,
        missed: None,
        measured_ns: (seconds * 1e9) as u64,
        failures: None,
        description: None,
        options: job.options.clone().into_iter().collect(),
        read: traffic(&job.read),
        write: traffic(&job.write),
        trim: traffic(&job.trim),
        flush: flushes.traffic(flushes.count(), 0, seconds),
        mixed: Traffic::default(),
        reporting: None,
        latency_target: None,
        steady: None,
        depths: Vec::new(),
        depth_mean: None,
        has_slat: true,
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
    put(&table::LAT_AVG_MS, all.latency.mean_ns() / 1e6);
    put(&table::LAT_MAX_MS, all.latency.max_ns() as f64 / 1e6);
    for (of, percent) in [(&table::LAT_P99_MS, 99.0), (&table::LAT_P99_99_MS, 99.99)] {
        if let Some(ns) = all.latency.percentile(percent) {
            put(of, ns as f64 / 1e6);
        }
    }
    metrics
}
