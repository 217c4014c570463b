//! The jobs of a run, one by one.

use super::traffic;
use crate::driver::{JobReport, RunReport};
use ftlab_base::CommandKind;
use ftlab_result::{FIO_BOUNDS, Job};
use ftlab_workload::{JobFile, JobSpec};
use std::borrow::Cow;

/// What `rw` is where a job file leaves it out, as in fio.
const RW: &str = "read";

/// What a job saw.
#[must_use]
pub fn job(report: &JobReport) -> Job {
    let of = |kind| traffic(report.direction(kind), report.measured);
    Job {
        name: report.name.clone(),
        group: report.group as u32,
        clones: 1,
        rw: String::new(),
        iodepth: report.iodepth,
        errors: report.errors - report.tolerated,
        measured_ns: report.measured.0,
        options: Vec::new(),
        read: of(CommandKind::Read),
        write: of(CommandKind::Write),
        trim: of(CommandKind::Trim),
        flush: of(CommandKind::Flush),
        depths: match report.depths.iter().any(|&count| count > 0) {
            true => report.depths.to_vec(),
            false => Vec::new(),
        },
        lat_ns_fio: fio_buckets(report),
        process: None,
    }
}

/// The jobs of a file; clones of a section with `group_reporting` are one.
pub fn of_file(file: &JobFile, report: &RunReport) -> Vec<Job> {
    let jobs: Vec<(&JobSpec, &JobReport)> = file.jobs.iter().zip(&report.jobs).collect();
    let clones = jobs.chunk_by(|_, (next, _)| next.group_reporting && next.clone_index > 0);
    clones.map(of_clones).collect()
}

fn of_clones(clones: &[(&JobSpec, &JobReport)]) -> Job {
    let (spec, report) = clones[0];
    let mut report = Cow::Borrowed(report);
    for (_, other) in &clones[1..] {
        report.to_mut().merge(other);
    }
    let mut given = spec.global_options.iter().chain(&spec.job_options).rev();
    let rw = given.find(|(key, _)| key == "rw");
    Job {
        clones: clones.len() as u32,
        rw: rw.map_or(RW, |(_, value)| value).to_owned(),
        options: spec.job_options.clone(),
        ..job(&report)
    }
}

/// A job's reads, writes and trims in fio's buckets, by their lower bounds.
fn fio_buckets(report: &JobReport) -> Vec<(u64, u64)> {
    let kinds = [CommandKind::Read, CommandKind::Write, CommandKind::Trim];
    let latencies = kinds.map(|kind| report.direction(kind).latency());
    let mut buckets = std::collections::BTreeMap::new();
    for latency in latencies.into_iter().flatten() {
        for (ns, count) in latency.buckets() {
            *buckets.entry(lower_bound(ns)).or_insert(0) += count;
        }
    }
    buckets.into_iter().collect()
}

/// The lower bound of the bucket of a latency.
fn lower_bound(ns: u64) -> u64 {
    let unit = match ns {
        0..1_000 => 1,
        1_000..1_000_000 => 1_000,
        _ => 1_000_000,
    };
    let least = if unit == 1 { 0 } else { 1 };
    let bounds = FIO_BOUNDS.iter().chain(&[2_000]);
    let bound = bounds.take_while(|&&bound| ns / unit >= bound).last();
    bound.copied().unwrap_or(least) * unit
}

#[cfg(test)]
mod tests {
    use super::lower_bound;

    #[test]
    fn a_latency_falls_into_fio_bucket() {
        for (ns, lower) in [
            (0, 0),
            (1, 0),
            (999, 750),
            (1_000, 1_000),
            (1_999, 1_000),
            (2_000, 2_000),
            (89_000, 50_000),
            (1_500_000_000, 1_000_000_000),
            (15_000_000_000, 2_000_000_000),
        ] {
            assert_eq!(lower_bound(ns), lower, "{ns}");
        }
    }
}
