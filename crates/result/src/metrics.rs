//! The names that metrics of a run may have, so that one that no run ever has is told from one that a run did not have.

/// Names of metrics of runs, whatever ran.
pub const NAMES: [&str; 72] = [
    // Of every run.
    "wa",
    "wa_steady",
    "wa_closed_form",
    "errors",
    // With a clock.
    "iops",
    "mb_s",
    "mib_s",
    "lat_avg_ms",
    "lat_max_ms",
    "lat_p99_ms",
    "lat_p99_9_ms",
    "lat_p99_99_ms",
    "pauses",
    "longest_pause_s",
    "dies_busy_pct",
    "channels_busy_pct",
    "link_busy_pct",
    "core_busy_pct",
    "dies_starved_pct",
    "arm_busy_pct",
    "host_busy_pct",
    "limit_held_pct",
    "host_cores_pct",
    "host_us_per_io",
    "watts",
    "idle_watts",
    "joules_per_gb",
    "celsius_max",
    "throttled_s",
    // Of traces and scenarios.
    "busy_s",
    "busy_reads_s",
    "busy_writes_s",
    "read_mb_s",
    "write_mb_s",
    "seconds",
    "dirty_max_mb",
    // Of programs that commit, and of latencies that a test asks for.
    "writes_per_s",
    "commits_per_s",
    "commit_us",
    "pages_per_s",
    "read_lat_p50_us",
    "read_lat_p99_us",
    "read_lat_p999_us",
    "write_lat_p50_us",
    "write_lat_p99_us",
    "write_lat_p999_us",
    // Of fills and of speeds that drop.
    "mean_mb_s",
    "slc_gb",
    "slc_write_mb_s",
    "after_mb_s",
    "direct_until_gb",
    "fold_mb_s",
    "rested_mb_s",
    "rested_gb",
    "mb_s_first_30s",
    "drop_time_s",
    "last_drop_time_s",
    "host_written_at_drop_gb",
    "mb_s_before_drop",
    "mb_s_after_first_drop",
    "mb_s_after_second_drop",
    // Of spare area and of years.
    "spare_pct_of_raw",
    "spare_pct_of_user",
    "host_writes_total",
    "host_writes_per_day",
    "drive_writes_per_day",
    "lifetime_years",
    "failing_years",
    "used_5_years_pct",
    "wear_inefficiency_pct",
    "wear_scatter_pct",
    "write_amp",
];

/// What the time of a process of a scenario ends with, behind the name of the process.
const OF_PROCESS: &str = "_seconds";

/// What latencies of a kind begin and end with, around a percentile.
const OF_LATENCY: ([&str; 3], &str) = (["read_lat_p", "write_lat_p", "flush_lat_p"], "_us");

/// Whether some run may have a metric of this name.
#[must_use]
pub fn is_one(name: &str) -> bool {
    let is_latency = || {
        let percentile = OF_LATENCY.0.iter().find_map(|kind| name.strip_prefix(kind));
        let percentile = percentile.and_then(|rest| rest.strip_suffix(OF_LATENCY.1));
        percentile.is_some_and(|digits| digits.parse::<u32>().is_ok())
    };
    let is_of_process = || name.len() > OF_PROCESS.len() && name.ends_with(OF_PROCESS);
    NAMES.contains(&name) || is_latency() || is_of_process()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_metrics_are_told_from_others() {
        for name in ["wa", "mb_s", "unpack_seconds", "flush_lat_p99999_us"] {
            assert!(is_one(name), "{name}");
        }
        for name in ["", "foo", "was", "p99", "_seconds", "read_lat_p_us", "WA"] {
            assert!(!is_one(name), "{name}");
        }
        let mut sorted = NAMES.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), NAMES.len());
    }
}
