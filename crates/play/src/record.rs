//! A run as a result: from what the driver counted to the schema of reports.

mod jobs;

pub use jobs::job;

use crate::driver::{DeviceReport, Direction, INTERVAL_S, Interval, PowerReport, RunReport};
use crate::iolog::Iolog;
use crate::logs::JobLog;
use ftlab_base::{CommandKind, LatencyHistogram, Nanos, SimTime};
use ftlab_drive::{Counters, Device, Health};
use ftlab_result::quantity::{PERCENTILES, Quantity, table};
use ftlab_result::{
    At, Erases, Extent, Ignored, Inside, Joules, LatencyCourse, PerSecond, Run, Traffic,
};
use ftlab_workload::JobFile;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Bytes of the binary megabyte.
const MEBIBYTE: f64 = 1_048_576.0;

/// Upper bounds of the coarse histogram: ten a decade, the preferred numbers of the R10 series to
/// four digits.
const BOUNDS_A_DECADE: [u64; 10] = [1000, 1259, 1585, 1995, 2512, 3162, 3981, 5012, 6310, 7943];

/// Ranges of a histogram of erases.
const ERASE_BINS: u32 = 16;

/// Outcome of a run.
#[derive(Debug, Default)]
pub struct Record {
    /// All that a result holds and that follows from the run itself. What it is called, and how the drive was
    /// prepared, is left open. Named figures: see the function `metrics` of this file.
    pub run: Run,
    /// Time at which the drive had answered everything, on the run's clock.
    pub answered: Nanos,
    /// State of each drive at the end, if it is of flash; none if nobody looked.
    pub healths: Vec<Option<Health>>,
    /// The logs of its jobs, of those that ask for any.
    pub logs: Vec<Arc<JobLog>>,
    /// The requests of its jobs, of those that ask for them.
    pub iologs: Vec<Arc<Iolog>>,
}

/// The directions of a run, over all its jobs.
struct Directions {
    of_kind: [Direction; 3],
    flushes: Direction,
    /// Reads, writes and trims together, without flushes.
    all: Direction,
    measured: Nanos,
}

impl Directions {
    fn of(report: &RunReport) -> Self {
        let starts = report.jobs.iter().map(|job| job.measured_from);
        let from = starts.min().unwrap_or(SimTime::ZERO);
        let ends = report
            .jobs
            .iter()
            .map(|job| job.measured_from + job.measured);
        let mut directions = Directions {
            of_kind: Default::default(),
            flushes: Direction::default(),
            all: Direction::default(),
            measured: ends.max().unwrap_or(from).since(from),
        };
        for job in &report.jobs {
            let later_s = (job.measured_from.since(from).as_secs() / INTERVAL_S as f64) as usize;
            let flushes = job.direction(CommandKind::Flush);
            directions.flushes.merge(flushes, later_s);
            for (n, kind) in KINDS.into_iter().enumerate() {
                directions.of_kind[n].merge(job.direction(kind), later_s);
                directions.all.merge(job.direction(kind), later_s);
            }
        }
        directions
    }
}

const KINDS: [CommandKind; 3] = [CommandKind::Read, CommandKind::Write, CommandKind::Trim];

impl Record {
    /// Puts the jobs of a run together, and says nothing of them one by one.
    #[must_use]
    pub fn of(report: &RunReport) -> Record {
        let directions = Directions::of(report);
        let [read, write, trim] = directions
            .of_kind
            .each_ref()
            .map(|d| with_course(d, directions.measured));
        let run = Run {
            metrics: metrics(report, &directions),
            read,
            write,
            trim,
            flush: with_course(&directions.flushes, directions.measured),
            submitted: report.submitted,
            completed: report.completed,
            completion_hash: report.ends.map(|ends| format!("{:016x}", ends.value())),
            seconds: report.simulated.as_secs(),
            pause_ns: report.pauses.threshold.0,
            together: together(report),
            series_ios: of_intervals(&directions, |interval| interval.ios),
            series_bytes: of_intervals(&directions, |interval| interval.bytes),
            series_watts: report.power().map_or_else(Vec::new, |of| of.series_watts),
            series_interval_s: INTERVAL_S as f64,
            at: report.at.iter().map(at).collect(),
            // Names and seeds are for the caller, who knows them.
            ..Run::default()
        };
        let jobs = report.jobs.iter();
        let record = Record {
            run,
            answered: report.simulated,
            healths: Vec::new(),
            logs: jobs.clone().filter_map(|job| job.log.clone()).collect(),
            iologs: jobs.filter_map(|job| job.iolog.clone()).collect(),
        };
        // A caller who prepared the drives knows better.
        record.settled(report.settled(false))
    }

    /// The result of a job file, with each of its jobs, or one for all clones of a section with
    /// `group_reporting`.
    #[must_use]
    pub fn of_jobs(file: &JobFile, report: &RunReport) -> Record {
        let globals = file.jobs.last().map(|spec| spec.options.global.clone());
        let ignored = file.ignored.iter().map(|ignored| Ignored {
            at: ignored.at.to_string(),
            key: ignored.key.clone(),
            why: ignored.reason.to_owned(),
        });
        let mut record = Record::of(report);
        record.run.jobs = jobs::of_file(file, report);
        record.run.global_options = globals.unwrap_or_default();
        record.run.ignored = ignored.collect();
        record.run.notes = file.hot_places();
        record
    }

    /// Returns the record with the settling of garbage collection ([`RunReport::settled`]).
    #[must_use]
    pub fn settled(mut self, settled: Option<bool>) -> Record {
        let run = &mut self.run;
        let all = run.together.as_mut();
        if let Some(inside) = all.or_else(|| run.at.first_mut()?.inside.as_mut()) {
            inside.settled = settled;
        }
        self
    }

    /// Returns the record with the state of the drives that it was made on, in their order.
    #[must_use]
    pub fn on<'d>(mut self, devices: impl IntoIterator<Item = &'d dyn Device>) -> Record {
        self.healths = devices.into_iter().map(Device::health).collect();
        for (at, health) in self.run.at.iter_mut().zip(&self.healths) {
            at.erases = health.as_ref().map(erases);
        }
        self
    }
}

fn of_intervals(directions: &Directions, count: impl Fn(&Interval) -> u64) -> Vec<u64> {
    directions.all.series.iter().map(count).collect()
}

/// The metrics of a run, as far as it was one to have them: write amplification where the host wrote, steady where the rule
/// holds; rates and latencies of reads, writes and trims together, pauses and shares of the time with a clock; energy and
/// temperature of a drive whose file says what they follow from.
fn metrics(report: &RunReport, directions: &Directions) -> BTreeMap<String, f64> {
    let mut metrics = BTreeMap::new();
    let only = report.only();
    let mut put = |of: &Quantity, value: f64| of.put(&mut metrics, value);
    if report.counters().host_bytes_written > 0 {
        put(&table::WA, report.wa().total);
    }
    if let Some(steady) = report.wa().steady {
        put(&table::WA_STEADY, steady);
    }
    let errors: u64 = report.jobs.iter().map(|job| job.errors).sum();
    if errors > 0 {
        put(&table::ERRORS, errors as f64);
    }
    if let Some(latency) = directions.all.latency() {
        let seconds = directions.measured.as_secs();
        let bytes_per_s = a_second(directions.all.bytes, seconds);
        put(&table::IOPS, a_second(directions.all.ios, seconds));
        put(&table::MB_S, bytes_per_s / 1e6);
        put(&table::MIB_S, bytes_per_s / MEBIBYTE);
        put(&table::LAT_AVG_MS, latency.mean_ns() / 1e6);
        put(&table::LAT_MAX_MS, latency.max().as_millis());
        put(&table::LAT_P99_MS, latency.percentile(99.0).as_millis());
        put(&table::LAT_P99_99_MS, latency.percentile(99.99).as_millis());
    }
    if report.simulated > Nanos::ZERO {
        put(&table::PAUSES, report.pauses.count as f64);
        put(&table::LONGEST_PAUSE_S, report.pauses.longest.as_secs());
    }
    if let Some(shares) = only.and_then(|only| only.shares) {
        for (of, share) in [
            (&table::HOST_BUSY_PCT, Some(shares.host)),
            (&table::LIMIT_HELD_PCT, shares.limit),
            (&table::LINK_BUSY_PCT, shares.link),
            (&table::CORE_BUSY_PCT, shares.core),
            (&table::DIES_BUSY_PCT, shares.dies),
            (&table::CHANNELS_BUSY_PCT, shares.channels),
            (&table::DIES_STARVED_PCT, shares.starved),
            (&table::ARM_BUSY_PCT, shares.arm),
        ] {
            if let Some(share) = share {
                put(of, 100.0 * share);
            }
        }
    }
    if let Some(cores) = only.and_then(|only| only.host_cores) {
        put(&table::HOST_CORES_PCT, 100.0 * cores);
        if directions.all.ios > 0 {
            let busy_us = 1e6 * cores * directions.measured.as_secs();
            put(&table::HOST_US_PER_IO, busy_us / directions.all.ios as f64);
        }
    }
    if let Some(power) = report.power() {
        put(&table::WATTS, power.watts());
        put(&table::IDLE_WATTS, power.rest_watts);
        if directions.all.bytes > 0 {
            let gigabytes = directions.all.bytes as f64 / 1e9;
            // All energy of the measured time counts, also that of the drive at rest.
            put(&table::JOULES_PER_GB, power.energy.total() / gigabytes);
        }
    }
    if let Some(thermal) = only.and_then(|only| only.thermal.as_ref()) {
        put(&table::CELSIUS_MAX, thermal.celsius_max);
        put(&table::THROTTLED_S, thermal.throttled.as_secs());
    }
    metrics
}

/// One direction's totals over the measured time.
#[must_use]
pub fn traffic(direction: &Direction, measured: Nanos) -> Traffic {
    let seconds = measured.as_secs();
    let totals = Traffic {
        ios: direction.ios,
        bytes: direction.bytes,
        iops: a_second(direction.ios, seconds),
        bytes_per_s: a_second(direction.bytes, seconds),
        ..Traffic::default()
    };
    let Some(latency) = direction.latency() else {
        return totals;
    };
    Traffic {
        lat_ns_min: latency.min().0,
        lat_ns_mean: latency.mean_ns(),
        lat_ns_stddev: latency.stddev_ns(),
        lat_ns_max: latency.max().0,
        lat_ns_percentiles: PERCENTILES.map(|p| (p, latency.percentile(p).0)).to_vec(),
        lat_ns_histogram: coarse(latency),
        per_second: per_second(&direction.series, measured),
        ..totals
    }
}

/// One direction's totals, and its latencies over time.
fn with_course(direction: &Direction, measured: Nanos) -> Traffic {
    let course = direction.latency_course().map(|course| {
        let intervals = course.percentiles([50.0, 99.0, 99.9]);
        let each = |n: usize| intervals.iter().map(|of| Some(of.as_ref()?[n])).collect();
        LatencyCourse {
            interval_s: course.width_s() as f64,
            p50: each(0),
            p99: each(1),
            p99_9: each(2),
        }
    });
    Traffic {
        lat_ns_course: course,
        ..traffic(direction, measured)
    }
}

/// Returns the figures of a series over its whole seconds.
fn per_second(series: &[Interval], measured: Nanos) -> Option<PerSecond> {
    let whole = (measured.0 / Nanos::from_secs(INTERVAL_S).0) as usize;
    let whole = &series[..whole.min(series.len())];
    Some(PerSecond {
        seconds: whole.len() as u64,
        ios: extent(whole, |interval| interval.ios)?,
        bytes: extent(whole, |interval| interval.bytes)?,
    })
}

fn extent(series: &[Interval], count: fn(&Interval) -> u64) -> Option<Extent> {
    let values = || series.iter().map(|interval| count(interval) as f64);
    let n = series.len() as f64;
    let mean = values().sum::<f64>() / n;
    let variance = values().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n;
    (!series.is_empty()).then(|| Extent {
        min: values().fold(f64::INFINITY, f64::min),
        max: values().fold(0.0, f64::max),
        mean,
        stddev: variance.sqrt(),
    })
}

fn a_second(count: u64, seconds: f64) -> f64 {
    if seconds > 0.0 {
        count as f64 / seconds
    } else {
        0.0
    }
}

/// The non-empty buckets at ten a decade: (upper bound in nanoseconds, count).
fn coarse(latency: &LatencyHistogram) -> Vec<(u64, u64)> {
    let mut bounds = bounds();
    let mut bound = bounds.next().unwrap_or(u64::MAX);
    let mut buckets: Vec<(u64, u64)> = Vec::new();
    for (upper_ns, count) in latency.buckets() {
        while upper_ns > bound {
            bound = bounds.next().unwrap_or(u64::MAX);
        }
        match buckets.last_mut() {
            Some(last) if last.0 == bound => last.1 += count,
            _ => buckets.push((bound, count)),
        }
    }
    buckets
}

/// From 1 ns to above an hour, ascending.
fn bounds() -> impl Iterator<Item = u64> {
    let decades = std::iter::successors(Some(1u64), |decade| decade.checked_mul(10)).take(14);
    decades.flat_map(|decade| BOUNDS_A_DECADE.map(|bound| bound * decade / 1000))
}

fn joules(power: &PowerReport) -> Joules {
    let energy = &power.energy;
    Joules {
        nand: energy.nand,
        bus: energy.bus,
        controller: energy.controller,
        link: energy.link,
        dram: energy.dram,
        mechanics: energy.mechanics,
    }
}

/// Returns the events at a drive; its name in the catalogue, and its standing, are left open.
fn at(report: &DeviceReport) -> At {
    let thermal = report.thermal.clone().unwrap_or_default();
    At {
        name: report.name.clone(),
        inside: Some(Inside {
            wa_steady: report.wa.steady,
            handles: report.handles.clone(),
            ..inside_of(&report.counters)
        }),
        series_wa: report.series_wa.clone(),
        series_celsius: thermal.series_celsius,
        series_throttle: thermal.series_throttle,
        joules: report.power.as_ref().map(joules),
        ..At::default()
    }
}

/// Returns the events at several drives together; none of a run on one.
fn together(report: &RunReport) -> Option<Inside> {
    (report.at.len() > 1).then(|| inside_of(&report.counters()))
}

/// Returns the events inside a drive by its counters.
#[must_use]
pub fn inside_of(counters: &Counters) -> Inside {
    let programs = counters.nand_programs;
    Inside {
        wa: counters.write_amplification(),
        host_ios: counters.host_ios,
        host_bytes_written: counters.host_bytes_written,
        nand_programs: programs,
        nand_reads: counters.nand_reads,
        nand_erases: counters.nand_erases,
        gc_share: (programs > 0).then(|| counters.moved_programs as f64 / programs as f64),
        map_programs: counters.map_programs,
        map_reads: counters.map_reads,
        buffer_stalls: counters.buffer_stalls,
        void_trims: counters.void_trims,
        op_stream_hash: format!("{:016x}", counters.stream_hash),
        ..Inside::default()
    }
}

/// Returns the erases of a drive's blocks.
#[must_use]
pub fn erases(health: &Health) -> Erases {
    let (wear, faults) = (&health.wear, &health.faults);
    Erases {
        blocks: wear.blocks(),
        erases_min: wear.min(),
        erases_median: wear.median(),
        erases_mean: wear.mean(),
        erases_max: wear.max(),
        erases_stddev: wear.stddev(),
        over_worn_share: wear.over_worn_share(),
        levelling_efficiency: wear.levelling_efficiency(),
        rated_cycles: health.rated_cycles,
        factory_bad_blocks: faults.factory_bad,
        erase_failed_blocks: faults.erase_failed,
        program_failed_blocks: faults.program_failed,
        spare_superblocks: health.spare.left,
        read_retries: faults.retries,
        unreadable: faults.unreadable,
        made_good: faults.made_good,
        histogram: wear.bins(ERASE_BINS),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::{self, Clock};
    use ftlab_base::RootSeed;
    use ftlab_drive::fake::Fake;
    use ftlab_workload::JobFile;

    fn record(clock: Clock, job: &str) -> Run {
        let file = JobFile::parse(job, "test.fio").unwrap();
        let report = driver::run(&file, &mut Fake::new(1 << 16), clock, RootSeed(1)).unwrap();
        Record::of(&report).run
    }

    #[test]
    fn latencies_have_percentiles_each_second() {
        let record = record(Clock::Timed, "[w]\nrw=randwrite\ntime_based\nruntime=2");
        let course = record.write.lat_ns_course.expect("writes were timed");
        assert_eq!(
            (course.interval_s, course.p99.len()),
            (1.0, record.series_ios.len())
        );
        let near = |ns: &Option<u64>| ns.is_some_and(|ns| (100_000..101_600).contains(&ns));
        assert!(
            course.p50.iter().chain(&course.p99_9).all(near),
            "{course:?}"
        );
        assert_eq!(record.read.lat_ns_course, None);
    }

    #[test]
    fn figures_follow_from_the_counts() {
        let record = record(Clock::Timed, "[w]\nrw=randwrite\ntime_based\nruntime=2");
        let metric = |name: &str| record.metrics[name];
        assert_eq!(metric("iops"), 9_999.5);
        assert_eq!(metric("mb_s"), 9_999.5 * 4096.0 / 1e6);
        assert_eq!(metric("mib_s"), 9_999.5 * 4096.0 / 1_048_576.0);
        assert_eq!(metric("lat_max_ms"), 0.1);
        assert_eq!(metric("wa"), 2.0);
        assert_eq!(record.series_ios, [9_999, 10_000]);
        assert_eq!(record.write.ios, 19_999);
        assert_eq!(record.read.ios, 0);
        assert_eq!(record.submitted, record.completed);
    }

    #[test]
    fn a_record_says_whether_collection_had_settled() {
        let settled = |job: &str| record(Clock::Untimed, job).inside().unwrap().settled;
        assert_eq!(settled("[w]\nrw=randwrite\nnumber_ios=50"), Some(false));
        // Writes in order need not settle.
        assert_eq!(settled("[w]\nrw=write\nnumber_ios=50"), None);
    }

    #[test]
    fn the_coarse_histogram_counts_everything_once() {
        let job = "[w]\nrw=randwrite\niodepth=16\nnumber_ios=5000";
        let record = record(Clock::Timed, job);
        let counted: u64 = record
            .write
            .lat_ns_histogram
            .iter()
            .map(|(_, count)| count)
            .sum();
        assert_eq!(counted, 5_000);
        assert!(record.write.lat_ns_histogram.is_sorted());
        assert_eq!(record.write.lat_ns_histogram.last().unwrap().0, 1_995_000);
    }

    #[test]
    fn bounds_rise_and_reach_an_hour() {
        let bounds: Vec<u64> = bounds().filter(|&bound| bound >= 1_000).collect();
        assert!(bounds.is_sorted_by(|a, b| a < b));
        assert!(*bounds.last().unwrap() > Nanos::from_secs(3_600).0);
    }

    #[test]
    fn a_series_of_a_later_group_is_later() {
        let job = "[global]\nrw=randwrite\ntime_based\nruntime=1\n[a]\n[b]\nstonewall";
        assert_eq!(record(Clock::Timed, job).series_ios, [9_999, 9_999]);
    }

    #[test]
    fn without_a_clock_there_is_no_speed() {
        let record = record(Clock::Untimed, "[w]\nrw=write");
        assert_eq!(record.metrics.keys().collect::<Vec<_>>(), ["wa"]);
        assert_eq!(record.write.iops, 0.0);
        assert!(record.write.lat_ns_percentiles.is_empty());
    }
}
