//! The table of quantities: each figure that a run may have by a name, its unit, its better end, its words, and where it
//! comes from. Whoever makes a figure, shows it, asks for it or compares it reads it here.

use super::drops;
use crate::{Run, Traffic};
use std::collections::BTreeMap;

/// The end that one wants of a quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// More is better, as of IOPS.
    Higher,
    /// Less is better, as of latency.
    Lower,
    /// Neither end: the figure tells what a drive does rather than how well.
    Neither,
}

/// The origin of a figure.
#[derive(Debug, Clone, Copy)]
pub enum Source {
    /// The maker of the run put it among its metrics.
    Metric,
    /// It follows from what the run holds.
    Of(fn(&Run) -> Option<f64>),
    /// An expression over other quantities: other names for them, in the units of sources.
    As(&'static str),
}

/// A figure that runs may have.
#[derive(Debug, Clone, Copy)]
pub struct Quantity {
    /// Its name, in results and wherever it is asked for.
    pub name: &'static str,
    /// Its unit as printed; empty for a count.
    pub unit: &'static str,
    /// The end that one wants.
    pub better: Better,
    /// Its name where a reader can choose it.
    pub words: &'static str,
    /// The origin of its value.
    pub source: Source,
}

/// Named constants of quantities, and the table of all of them, from one list.
macro_rules! quantities {
    ($($constant:ident: $name:literal, $unit:literal, $better:ident, $words:literal $(, $source:expr)?;)*) => {
        $(
            #[doc = $words]
            pub const $constant: Quantity = Quantity {
                name: $name,
                unit: $unit,
                better: Better::$better,
                words: $words,
                source: source!($($source)?),
            };
        )*

        /// All quantities that have a name of their own, in their order.
        pub const ALL: &[&Quantity] = &[$(&$constant),*];
    };
}

macro_rules! source {
    () => {
        Source::Metric
    };
    ($source:expr) => {
        $source
    };
}

quantities! {
    // Of every run.
    WA: "wa", "×", Lower, "Write amplification";
    WA_STEADY: "wa_steady", "×", Lower, "Write amplification in the steady window";
    WA_CLOSED_FORM: "wa_closed_form", "×", Lower, "Write amplification by the closed form";
    ERRORS: "errors", "", Neither, "Errors";
    // With a clock.
    IOPS: "iops", "IOPS", Higher, "IOPS";
    MB_S: "mb_s", "MB/s", Higher, "Throughput";
    MIB_S: "mib_s", "MiB/s", Higher, "Throughput, binary";
    LAT_AVG_MS: "lat_avg_ms", "ms", Lower, "Average latency";
    LAT_MAX_MS: "lat_max_ms", "ms", Lower, "Longest latency";
    LAT_P99_MS: "lat_p99_ms", "ms", Lower, "99th percentile of latency";
    LAT_P99_9_MS: "lat_p99_9_ms", "ms", Lower, "99.9th percentile of latency, of reads or writes";
    LAT_P99_99_MS: "lat_p99_99_ms", "ms", Lower, "99.99th percentile of latency";
    PAUSES: "pauses", "", Lower, "Pauses";
    LONGEST_PAUSE_S: "longest_pause_s", "s", Lower, "Longest pause";
    DIES_BUSY_PCT: "dies_busy_pct", "%", Neither, "Dies at work";
    CHANNELS_BUSY_PCT: "channels_busy_pct", "%", Neither, "Channels at work";
    LINK_BUSY_PCT: "link_busy_pct", "%", Neither, "Link at work";
    CORE_BUSY_PCT: "core_busy_pct", "%", Neither, "Firmware's core at work";
    DIES_STARVED_PCT: "dies_starved_pct", "%", Neither, "Dies idle while others have too much to do";
    ARM_BUSY_PCT: "arm_busy_pct", "%", Neither, "Arm at work";
    HOST_BUSY_PCT: "host_busy_pct", "%", Neither, "Host at work";
    LIMIT_HELD_PCT: "limit_held_pct", "%", Neither, "Held up by the limit";
    HOST_CORES_PCT: "host_cores_pct", "%", Neither, "Host's cores at work, 100 % for each";
    HOST_US_PER_IO: "host_us_per_io", "µs", Lower, "Host's cores for each request";
    WATTS: "watts", "W", Lower, "Power";
    IDLE_WATTS: "idle_watts", "W", Lower, "Power at rest";
    JOULES_PER_GB: "joules_per_gb", "J/GB", Lower, "Energy a gigabyte";
    CELSIUS_MAX: "celsius_max", "°C", Lower, "Highest temperature";
    THROTTLED_S: "throttled_s", "s", Lower, "Time throttled";
    // Of traces and scenarios.
    BUSY_S: "busy_s", "s", Neither, "Time busy";
    BUSY_READS_S: "busy_reads_s", "s", Neither, "Time busy with reads";
    BUSY_WRITES_S: "busy_writes_s", "s", Neither, "Time busy with writes";
    READ_MB_S: "read_mb_s", "MB/s", Higher, "Throughput of reads";
    WRITE_MB_S: "write_mb_s", "MB/s", Higher, "Throughput of writes";
    SECONDS: "seconds", "s", Lower, "Time taken";
    DIRTY_MAX_MB: "dirty_max_mb", "MB", Neither, "Dirty max mb";
    // Of programs that commit, and of latencies that a test asks for.
    WRITES_PER_S: "writes_per_s", "1/s", Higher, "Writes a second";
    COMMITS_PER_S: "commits_per_s", "1/s", Higher, "Commits a second";
    COMMIT_US: "commit_us", "µs", Lower, "A commit";
    PAGES_PER_S: "pages_per_s", "1/s", Higher, "Pages of the database a second";
    // Of fills and of speeds that drop.
    MEAN_MB_S: "mean_mb_s", "MB/s", Higher, "Throughput of all";
    SLC_GB: "slc_gb", "GB", Higher, "Size of the cache";
    SLC_WRITE_MB_S: "slc_write_mb_s", "MB/s", Higher, "Throughput in the cache";
    AFTER_MB_S: "after_mb_s", "MB/s", Higher, "Throughput behind the cache";
    DIRECT_UNTIL_GB: "direct_until_gb", "GB", Neither, "Host writes until the second drop";
    FOLD_MB_S: "fold_mb_s", "MB/s", Higher, "Throughput behind the second drop";
    RESTED_MB_S: "rested_mb_s", "MB/s", Higher, "Throughput after idle time";
    RESTED_GB: "rested_gb", "GB", Higher, "Host writes at that speed";
    MB_S_FIRST_30S: "mb_s_first_30s", "MB/s", Higher, "Throughput of the first 30 s";
    DROP_TIME_S: "drop_time_s", "s", Neither, "Time of the first drop";
    LAST_DROP_TIME_S: "last_drop_time_s", "s", Neither, "Time of the last drop";
    HOST_WRITTEN_AT_DROP_GB: "host_written_at_drop_gb", "GB", Neither, "Host writes until the drop";
    MB_S_BEFORE_DROP: "mb_s_before_drop", "MB/s", Higher, "Throughput before the drop";
    MB_S_AFTER_FIRST_DROP: "mb_s_after_first_drop", "MB/s", Higher, "Throughput after the drop";
    MB_S_AFTER_SECOND_DROP: "mb_s_after_second_drop", "MB/s", Higher, "Mb s after second drop";
    // Of spare area and of years.
    SPARE_PCT_OF_RAW: "spare_pct_of_raw", "%", Neither, "Spare area, of all flash";
    SPARE_PCT_OF_USER: "spare_pct_of_user", "%", Neither, "Spare area, of the user's";
    HOST_WRITES_TOTAL: "host_writes_total", "TB", Higher, "Host writes in all";
    HOST_WRITES_PER_DAY: "host_writes_per_day", "GB/day", Higher, "Host writes a day";
    DRIVE_WRITES_PER_DAY: "drive_writes_per_day", "×", Higher, "Drive writes a day";
    LIFETIME_YEARS: "lifetime_years", "years", Higher, "Lifetime";
    FAILING_YEARS: "failing_years", "years", Higher, "Years until 1 % of the blocks have worn out";
    USED_5_YEARS_PCT: "used_5_years_pct", "%", Lower, "Rated cycles used after 5 years";
    WEAR_INEFFICIENCY_PCT: "wear_inefficiency_pct", "%", Lower, "Wear inefficiency";
    WEAR_SCATTER_PCT: "wear_scatter_pct", "%", Lower, "Scatter of wear";
    // Of SNIA's Performance Test Specification.
    MIXED_64K_IOPS: "mixed_64k_iops", "IOPS", Higher, "IOPS, 64 KiB 65/35";
    READ_1024K_IOPS: "read_1024k_iops", "IOPS", Higher, "IOPS, 1024 KiB reads";
    FRESH_IOPS: "fresh_iops", "IOPS", Higher, "IOPS at first";
    IDLE_5S_IOPS: "idle_5s_iops", "IOPS", Higher, "IOPS after pauses of 5 s";
    IDLE_50S_IOPS: "idle_50s_iops", "IOPS", Higher, "IOPS after pauses of 50 s";
    RANDOM_MB_S: "random_mb_s", "MB/s", Higher, "Throughput at random, at the end";
    AGAIN_MB_S: "again_mb_s", "MB/s", Higher, "Throughput in order again, at the end";
    RECOVERY_GB: "recovery_gb", "GB", Neither, "Writes until it has recovered";
    // What follows from counts and courses.
    READ_LAT_AVG_MS: "read_lat_avg_ms", "ms", Lower, "Average latency of reads", Source::Of(|run| Some(run.read.lat_ns_mean / 1e6));
    READ_LAT_MAX_MS: "read_lat_max_ms", "ms", Lower, "Longest latency of reads",
        Source::Of(|run| Some(run.read.lat_ns_max as f64 / 1e6));
    READ_LAT_P99_MS: "read_lat_p99_ms", "ms", Lower, "99th percentile of latency, reads",
        Source::Of(|run| Some(run.read.percentile_ns(99.0)? as f64 / 1e6));
    WRITTEN_GB: "written_gb", "GB", Neither, "Host writes", Source::Of(|run| Some(run.write.bytes as f64 / 1e9));
    WRITES_OVER_2_MS: "writes_over_2_ms", "", Lower, "Share of writes that took longer than 2 ms",
        Source::Of(|run| Some(share_above(&run.write, 2_000_000)));
    WRITES_OVER_100_MS: "writes_over_100_ms", "", Lower, "Share of writes that took longer than 100 ms",
        Source::Of(|run| Some(share_above(&run.write, 100_000_000)));
    STILL_PCT: "still_pct", "%", Lower, "Seconds in which nothing moved", Source::Of(still_pct);
    NAND_READS: "nand_reads", "", Neither, "Pages read", Source::Of(|run| Some(run.inside()?.nand_reads as f64));
    GC_SHARE: "gc_share", "", Lower, "Share of programs that collection made", Source::Of(|run| run.inside()?.gc_share);
    BUFFER_STALLS: "buffer_stalls", "", Lower, "Writes that waited for room in the buffer",
        Source::Of(|run| Some(run.inside()?.buffer_stalls as f64));
    DROP_S: "drop_s", "s", Neither, "Seconds until the rate drops for good",
        Source::Of(|run| Some(drops::first(run).map_or(f64::INFINITY, |(seconds, _)| seconds)));
    DROP_GB: "drop_gb", "GB", Neither, "Host I/O until the rate drops for good",
        Source::Of(|run| Some(drops::first(run).map_or(f64::NAN, |(_, gb)| gb)));
    // Names that sources have for these, in their units.
    LAT_AVG: "lat_avg", "ms", Lower, "Lat avg", Source::As("lat_avg_ms");
    ACCESS_TIME_MS: "access_time_ms", "ms", Lower, "Access time ms", Source::As("lat_avg_ms");
    LAT_MAX: "lat_max", "ms", Lower, "Lat max", Source::As("lat_max_ms");
    KB_S: "kb_s", "KB/s", Higher, "Throughput", Source::As("mb_s * 1000");
    US_PER_IO: "us_per_io", "µs", Lower, "Time for each command", Source::As("1 / (iops * 0.000001)");
    LAT_AVG_US: "lat_avg_us", "µs", Lower, "Average latency", Source::As("lat_avg_ms * 1000");
    LAT_AVG_S: "lat_avg_s", "s", Lower, "Average latency", Source::As("lat_avg_ms * 0.001");
    LAT_MAX_S: "lat_max_s", "s", Lower, "Longest latency", Source::As("lat_max_ms * 0.001");
    WRITE_AMP: "write_amp", "×", Neither, "Write amplification", Source::As("wa");
    LIFETIME: "lifetime", "years", Higher, "Lifetime", Source::As("lifetime_years");
    SPARE_PCT: "spare_pct", "%", Neither, "Spare area", Source::As("spare_pct_of_raw");
    TYPICAL_WORKLOAD_WATTS: "typical_workload_watts", "W", Lower, "Typical workload watts", Source::As("watts");
    USUAL_DROPOFF_TIME: "usual_dropoff_time", "s", Neither, "Time of the usual drop-off", Source::As("last_drop_time_s");
    HOST_WRITTEN_AT_DROP: "host_written_at_drop", "GB", Neither, "Host written at drop", Source::As("host_written_at_drop_gb");
    SECONDS_THRESHOLD: "seconds_threshold", "s", Lower, "Time taken, at most", Source::As("seconds");
    EXTRACT_MINUTES: "extract_minutes", "min", Lower, "Time taken: extracting", Source::As("extract_seconds * (1 / 60)");
    NAV_SCAN_MINUTES: "nav_scan_minutes", "min", Lower, "Time taken: virus scan", Source::As("nav_scan_seconds * (1 / 60)");
    STALL_LATENCY_S: "stall_latency_s", "s", Lower, "Longest stall", Source::As("longest_pause_s");
    SERVED_WRITES_PER_S: "served_writes_per_s", "1/s", Higher, "Served writes per s", Source::As("writes_per_s");
    WRITE_MIB_S: "write_mib_s", "MiB/s", Higher, "Write mib s", Source::As("mib_s");
    SLC_GB_EMPTY: "slc_gb_empty", "GB", Higher, "Slc gb empty", Source::As("slc_gb");
    DIRECT_TLC_MB_S: "direct_tlc_mb_s", "MB/s", Higher, "Direct tlc mb s", Source::As("after_mb_s");
    DIRECT_TLC_UNTIL_GB: "direct_tlc_until_gb", "GB", Neither, "Direct tlc until gb", Source::As("direct_until_gb");
}

impl Quantity {
    /// The quantity of that name, of those with a name of their own.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Quantity> {
        ALL.iter().copied().find(|of| of.name == name)
    }

    /// Notes the figure of a run that is being made.
    pub fn put(&self, metrics: &mut BTreeMap<String, f64>, value: f64) {
        metrics.insert(self.name.to_owned(), value);
    }

    /// The figure that was noted of a run.
    #[must_use]
    pub fn of(&self, run: &Run) -> Option<f64> {
        run.metrics.get(self.name).copied()
    }
}

/// The share of the commands that took longer than this.
fn share_above(traffic: &Traffic, bound_ns: u64) -> f64 {
    let above = (traffic.lat_ns_histogram.iter()).filter(|(upper, _)| *upper > bound_ns);
    above.map(|(_, count)| *count).sum::<u64>() as f64 / traffic.ios.max(1) as f64
}

fn still_pct(run: &Run) -> Option<f64> {
    let still = run.series_bytes.iter().filter(|&&bytes| bytes == 0).count();
    Some(100.0 * still as f64 / run.series_bytes.len().max(1) as f64)
}
