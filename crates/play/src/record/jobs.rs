//! The jobs of a run, one by one.

use super::traffic;
use crate::driver::{Direction, JobReport, RunReport, SteadyReport};
use crate::logs::{bin, middle_ns};
use ftlab_base::{CommandKind, Nanos};
use ftlab_result::{Directions, FIO_BOUNDS, Job, LatencyTarget, Reporting, SteadyState, Traffic};
use ftlab_workload::{JobFile, JobSpec, Measure, Unified};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Value of `rw` where a job file leaves it out, as in fio.
const RW: &str = "read";

/// Returns the record of a job.
#[must_use]
pub fn job(report: &JobReport) -> Job {
    with(report, |direction| traffic(direction, report.measured))
}

/// Returns the record of a job, with directions as the caller wants them.
fn with(report: &JobReport, of: impl Fn(&Direction) -> Traffic) -> Job {
    let of = |kind| of(report.direction(kind));
    Job {
        name: report.name.clone(),
        group: report.group as u32,
        clones: 1,
        rw: String::new(),
        iodepth: report.iodepth,
        iodepth_stated: None,
        errors: report.errors - report.tolerated,
        missed: report.missed.clone(),
        failures: None,
        description: None,
        measured_ns: report.measured.0,
        options: Vec::new(),
        read: of(CommandKind::Read),
        write: of(CommandKind::Write),
        trim: of(CommandKind::Trim),
        flush: of(CommandKind::Flush),
        mixed: Traffic::default(),
        reporting: None,
        latency_target: None,
        steady: None,
        // Untimed jobs have no depths: a row of zeros would look like a measurement.
        depths: match report.depths.iter().any(|&count| count > 0) {
            true => report.depths.to_vec(),
            false => Vec::new(),
        },
        depth_mean: (report.occupied_ns > 0 && report.measured > Nanos::ZERO)
            .then(|| report.occupied_ns as f64 / report.measured.0 as f64),
        has_slat: false,
        lat_ns_fio: fio_buckets(report),
        process: None,
    }
}

/// The jobs of a file that are to be shown; those of a group with `group_reporting` are one.
pub fn of_file(file: &JobFile, report: &RunReport) -> Vec<Job> {
    let mut group = 0;
    let mut jobs: Vec<(&JobSpec, &JobReport, u32)> = Vec::new();
    for (n, (spec, report)) in file.jobs.iter().zip(&report.jobs).enumerate() {
        let begins_group = n > 0 && (spec.order.stonewall || spec.reporting.new_group);
        group += u32::from(begins_group);
        if spec.reporting.is_shown {
            jobs.push((spec, report, group));
        }
    }
    let is_one = |(spec, _, group): &(&JobSpec, _, u32), (next, _, other): &(&JobSpec, _, u32)| {
        spec.clones.group_reporting && next.clones.group_reporting && group == other
    };
    jobs.chunk_by(is_one).map(of_group).collect()
}

fn of_group(jobs: &[(&JobSpec, &JobReport, u32)]) -> Job {
    let (spec, report, group) = jobs[0];
    // As in fio: the name is that of the first, the options are those of the last.
    let (last, ..) = jobs[jobs.len() - 1];
    let mut report = Cow::Borrowed(report);
    for (_, other, _) in &jobs[1..] {
        report.to_mut().merge(other);
    }
    let mut given = spec.options.global.iter().chain(&spec.options.own).rev();
    let rw = given.find(|(key, _)| key == "rw");
    let goes_on = spec.ends.continue_on_error.read || spec.ends.continue_on_error.write;
    let of = |direction: &Direction| as_asked(spec, direction, report.measured);
    let mut mixed = Direction::default();
    if spec.reporting.unified != Unified::Apart {
        let kinds = [CommandKind::Read, CommandKind::Write, CommandKind::Trim];
        for kind in kinds {
            mixed.merge(report.direction(kind), 0);
        }
    }
    Job {
        group,
        clones: jobs.len() as u32,
        rw: rw.map_or(RW, |(_, value)| value).to_owned(),
        failures: goes_on.then_some(report.errors),
        description: spec.description.clone(),
        options: last.options.own.clone(),
        has_slat: spec.submission.times_submissions,
        iodepth_stated: (spec.submission.iodepth_stated != spec.submission.iodepth)
            .then_some(spec.submission.iodepth_stated),
        mixed: of(&mixed),
        reporting: reporting(spec),
        latency_target: spec.ends.latency.target.map(|target| LatencyTarget {
            target_ns: target.0,
            window_ns: spec.ends.latency.window.0,
            percentile: spec.ends.latency.percentile,
        }),
        steady: report
            .steady
            .as_ref()
            .map(|of| steady(of, report.is_steady)),
        ..with(&report, of)
    }
}

/// A direction with the percentiles that a job asks for, and with fio's bins.
fn as_asked(spec: &JobSpec, direction: &Direction, measured: Nanos) -> Traffic {
    let mut traffic = traffic(direction, measured);
    let Some(latency) = direction.latency() else {
        return traffic;
    };
    let known = &mut traffic.lat_ns_percentiles;
    for &percent in &spec.reporting.percentiles {
        if known.iter().all(|(other, _)| *other != percent) {
            known.push((percent, latency.percentile(percent).0));
        }
    }
    known.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut bins = BTreeMap::new();
    for (ns, count) in latency.buckets() {
        *bins.entry(middle_ns(bin(Nanos(ns)))).or_insert(0) += count;
    }
    traffic.lat_ns_bins = bins.into_iter().collect();
    traffic
}

fn reporting(spec: &JobSpec) -> Option<Reporting> {
    let of = &spec.reporting;
    let of_data = spec.flushes.fsync == 0 && spec.flushes.fdatasync > 0;
    let reporting = Reporting {
        percentiles: of.percentiles.clone(),
        of_clat: of.of_clat,
        of_lat: of.of_lat,
        of_slat: of.of_slat,
        without_clat: of.left_out.clat,
        without_lat: of.left_out.lat,
        without_slat: of.left_out.slat,
        without_sync_total: of_data,
        of_disk: of.of_disk,
        directions: match of.unified {
            Unified::Apart => Directions::Apart,
            Unified::Mixed => Directions::Mixed,
            Unified::Both => Directions::Both,
        },
    };
    (of_data || *of != ftlab_workload::Reporting::default()).then_some(reporting)
}

fn steady(of: &SteadyReport, is_attained: bool) -> SteadyState {
    let (words, found) = (&of.words, &of.found);
    let measure = match (words.measure, words.by_slope) {
        (Measure::Iops, false) => "iops",
        (Measure::Iops, true) => "iops_slope",
        (Measure::Bandwidth, false) => "bw",
        (Measure::Bandwidth, true) => "bw_slope",
    };
    SteadyState {
        measure: measure.to_owned(),
        limit: words.limit,
        in_percent: words.in_percent,
        duration_s: words.duration.as_secs() as u64,
        is_attained,
        criterion: found.criterion,
        deviation: found.deviation,
        slope: found.slope,
        ios: of.seconds.iter().map(|second| second.ios).collect(),
        bytes: of.seconds.iter().map(|second| second.bytes).collect(),
    }
}

/// A job's reads, writes and trims in fio's buckets, by their lower bounds.
fn fio_buckets(report: &JobReport) -> Vec<(u64, u64)> {
    let kinds = [CommandKind::Read, CommandKind::Write, CommandKind::Trim];
    let latencies = kinds.map(|kind| report.direction(kind).latency());
    let mut buckets = BTreeMap::new();
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
