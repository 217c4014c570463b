//! What a metric of a run means: its words, its unit, and which way is better.

use crate::format;

/// Which end of a measure one wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// IOPS.
    Higher,
    /// Latency.
    Lower,
    /// What a drive does rather than how well.
    Neither,
}

/// Metrics drawn first, when a run has them; others follow by name.
const ORDER: [&str; 10] = [
    "iops",
    "mb_s",
    "mib_s",
    "lat_avg_ms",
    "lat_p99_ms",
    "lat_p99_99_ms",
    "lat_max_ms",
    "wa",
    "wa_steady",
    "watts",
];

/// Metrics that only say another way what the run's table says.
const LEFT_OUT: [&str; 1] = ["dirty_max_mb"];

/// The metrics a chart offers, that of the family first.
pub fn in_order<'a>(first: &'a str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut names: Vec<&str> = names.filter(|name| !LEFT_OUT.contains(name)).collect();
    let place = |name: &str| ORDER.iter().position(|known| *known == name);
    names.sort_by_key(|name| (*name != first, place(name).unwrap_or(ORDER.len()), *name));
    names.dedup();
    names
}

/// The unit a metric's name ends in, as printed.
#[must_use]
pub fn unit(metric: &str) -> &'static str {
    const ENDINGS: [(&str, &str); 16] = [
        ("_ms", "ms"),
        ("celsius_max", "°C"),
        ("_us", "µs"),
        ("_per_s", "1/s"),
        ("mib_s", "MiB/s"),
        ("mb_s", "MB/s"),
        ("_mb_s_", "MB/s"),
        ("iops", "IOPS"),
        ("watts", "W"),
        ("seconds", "s"),
        ("_s", "s"),
        ("_gb", "GB"),
        ("_mb", "MB"),
        ("_pct", "%"),
        ("_years", "years"),
        ("_per_day", "GB/day"),
    ];
    match metric {
        "joules_per_gb" => "J/GB",
        "host_us_per_io" => "µs",
        "wa" | "wa_steady" | "wa_closed_form" | "write_amp" | "drive_writes_per_day" => "×",
        "spare_pct_of_raw" | "spare_pct_of_user" => "%",
        "host_writes_total" => "TB",
        name if name.starts_with("mb_s_") => "MB/s",
        name => ENDINGS
            .iter()
            .find(|(ending, _)| name.ends_with(ending))
            .map_or("", |(_, unit)| unit),
    }
}

/// Which way is better.
pub fn better(metric: &str) -> Better {
    let known = |endings: &[&str]| {
        endings
            .iter()
            .any(|part| metric == *part || metric.ends_with(part))
    };
    if metric.starts_with("mb_s")
        || known(&[
            "iops",
            "mb_s",
            "mib_s",
            "_per_day",
            "_per_s",
            "slc_gb",
            "rested_gb",
            "host_writes_total",
            "_years",
        ])
    {
        Better::Higher
    } else if metric.starts_with("lat_")
        || percentile(metric).is_some()
        || known(&[
            "seconds",
            "watts",
            "celsius_max",
            "throttled_s",
            "joules_per_gb",
            "pauses",
            "_pause_s",
            "wa",
            "wa_steady",
            "wa_closed_form",
            "commit_us",
            "host_us_per_io",
            "used_5_years_pct",
        ])
        || ["wear_inefficiency_pct", "wear_scatter_pct"].contains(&metric)
    {
        Better::Lower
    } else {
        Better::Neither
    }
}

/// `Lower is better.`, or nothing.
pub fn better_words(metric: &str) -> &'static str {
    match better(metric) {
        Better::Higher => "Higher is better.",
        Better::Lower => "Lower is better.",
        Better::Neither => "",
    }
}

/// What a measure is called where a reader can choose it.
#[must_use]
pub fn words(metric: &str) -> String {
    match metric {
        "lat_p99_ms" => "99th percentile of latency".to_owned(),
        "lat_p99_99_ms" => "99.99th percentile of latency".to_owned(),
        "wa" => "Write amplification".to_owned(),
        "wa_steady" => "Write amplification in the steady window".to_owned(),
        "wa_closed_form" => "Write amplification by the closed form".to_owned(),
        "lat_p99_9_ms" => "99.9th percentile of latency, of reads or writes".to_owned(),
        "failing_years" => "Years until 1 % of the blocks have worn out".to_owned(),
        "used_5_years_pct" => "Rated cycles used after 5 years".to_owned(),
        "mib_s" => "Throughput, binary".to_owned(),
        "idle_watts" => "Power at rest".to_owned(),
        "celsius_max" => "Highest temperature".to_owned(),
        "throttled_s" => "Time throttled".to_owned(),
        "dies_busy_pct" => "Dies at work".to_owned(),
        "channels_busy_pct" => "Channels at work".to_owned(),
        "arm_busy_pct" => "Arm at work".to_owned(),
        "host_busy_pct" => "Host at work".to_owned(),
        "limit_held_pct" => "Held up by the limit".to_owned(),
        "link_busy_pct" => "Link at work".to_owned(),
        "core_busy_pct" => "Firmware's core at work".to_owned(),
        "host_cores_pct" => "Host's cores at work, 100 % for each".to_owned(),
        "host_us_per_io" => "Host's cores for each request".to_owned(),
        "dies_starved_pct" => "Dies idle while others have too much to do".to_owned(),
        "joules_per_gb" => "Energy a gigabyte".to_owned(),
        "pages_per_s" => "Pages of the database a second".to_owned(),
        "longest_pause_s" => "Longest pause".to_owned(),
        "spare_pct" => "Spare area".to_owned(),
        "spare_pct_of_raw" => "Spare area, of all flash".to_owned(),
        "spare_pct_of_user" => "Spare area, of the user's".to_owned(),
        "host_writes_per_day" => "Host writes a day".to_owned(),
        "host_writes_total" => "Host writes in all".to_owned(),
        "drive_writes_per_day" => "Drive writes a day".to_owned(),
        "us_per_io" => "Time for each command".to_owned(),
        "lat_avg_us" => words("lat_avg_ms"),
        "kb_s" => words("mb_s"),
        "seconds" => "Time taken".to_owned(),
        "busy_s" => "Time busy".to_owned(),
        "busy_reads_s" => "Time busy with reads".to_owned(),
        "busy_writes_s" => "Time busy with writes".to_owned(),
        "write_mb_s" => "Throughput of writes".to_owned(),
        "lifetime_years" => "Lifetime".to_owned(),
        "wear_inefficiency_pct" => "Wear inefficiency".to_owned(),
        "wear_scatter_pct" => "Scatter of wear".to_owned(),
        "mb_s_first_30s" => "Throughput of the first 30 s".to_owned(),
        "mb_s_before_drop" => "Throughput before the drop".to_owned(),
        "mb_s_after_first_drop" => "Throughput after the drop".to_owned(),
        "mixed_64k_iops" => "IOPS, 64 KiB 65/35".to_owned(),
        "read_1024k_iops" => "IOPS, 1024 KiB reads".to_owned(),
        "fresh_iops" => "IOPS at first".to_owned(),
        "idle_5s_iops" => "IOPS after pauses of 5 s".to_owned(),
        "idle_50s_iops" => "IOPS after pauses of 50 s".to_owned(),
        "read_mb_s" => "Throughput of reads".to_owned(),
        "random_mb_s" => "Throughput at random, at the end".to_owned(),
        "again_mb_s" => "Throughput in order again, at the end".to_owned(),
        "recovery_gb" => "Writes until it has recovered".to_owned(),
        "seconds_threshold" => "Time taken, at most".to_owned(),
        "stall_latency_s" => "Longest stall".to_owned(),
        "usual_dropoff_time" => "Time of the usual drop-off".to_owned(),
        "extract_minutes" => "Time taken: extracting".to_owned(),
        "nav_scan_minutes" => "Time taken: virus scan".to_owned(),
        "drop_time_s" => "Time of the first drop".to_owned(),
        "last_drop_time_s" => "Time of the last drop".to_owned(),
        "host_written_at_drop_gb" => "Host writes until the drop".to_owned(),
        "slc_gb" => "Size of the cache".to_owned(),
        "slc_write_mb_s" => "Throughput in the cache".to_owned(),
        "after_mb_s" => "Throughput behind the cache".to_owned(),
        "direct_until_gb" => "Host writes until the second drop".to_owned(),
        "fold_mb_s" => "Throughput behind the second drop".to_owned(),
        "mean_mb_s" => "Throughput of all".to_owned(),
        "rested_mb_s" => "Throughput after a rest".to_owned(),
        "rested_gb" => "Host writes at that speed".to_owned(),
        "commit_us" => "A commit".to_owned(),
        "commits_per_s" => "Commits a second".to_owned(),
        "writes_per_s" => "Writes a second".to_owned(),
        other if percentile(other).is_some() => percentile(other).unwrap_or_default(),
        other => match (other.strip_suffix("_seconds"), other.strip_suffix("_pct")) {
            (Some(part), _) => format!("Time taken: {}", program(part)),
            (_, Some(share)) => format::metric_words(share),
            _ => format::metric_words(other),
        },
    }
}

/// `write_lat_p999_us` in words; nothing for other metrics.
fn percentile(metric: &str) -> Option<String> {
    let (kind, digits) = metric.strip_suffix("_us")?.split_once("_lat_p")?;
    let (whole, part) = digits.split_at_checked(2)?;
    let point = if part.is_empty() { "" } else { "." };
    let plural = if kind == "flush" { "es" } else { "s" };
    Some(format!("{whole}{point}{part}th percentile, {kind}{plural}"))
}

/// A program of a scenario, as it is called in the names of metrics.
fn program(part: &str) -> String {
    let words = match part {
        "chrome" => "Chrome",
        "create" => "creating the archive",
        "excel" => "Excel",
        "extract" => "extracting",
        "launch" => "launching",
        "max" => "3ds Max",
        "nav" => "Norton AntiVirus",
        "nav_scan" => "virus scan",
        "page" => "web page",
        "pcmark" => "PCMark",
        "photoshop" => "Photoshop",
        "photoshop_launch" => "launching Photoshop",
        "program" => "the program",
        "services" => "services of Vista",
        "word" => "Word",
        other => return other.replace('_', " "),
    };
    words.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_tells_its_unit_and_its_better_end() {
        let told = |name| (unit(name), better(name));
        assert_eq!(told("lat_p99_99_ms"), ("ms", Better::Lower));
        assert_eq!(told("iops"), ("IOPS", Better::Higher));
        assert_eq!(told("mb_s_before_drop"), ("MB/s", Better::Higher));
        assert_eq!(told("extract_seconds"), ("s", Better::Lower));
        assert_eq!(told("host_writes_per_day"), ("GB/day", Better::Higher));
        assert_eq!(told("drop_time_s"), ("s", Better::Neither));
        assert_eq!(told("wa"), ("×", Better::Lower));
        assert_eq!(told("write_lat_p999_us"), ("µs", Better::Lower));
        assert_eq!(words("write_lat_p999_us"), "99.9th percentile, writes");
        assert_eq!(words("read_lat_p50_us"), "50th percentile, reads");
        assert_eq!(told("slc_gb"), ("GB", Better::Higher));
    }

    #[test]
    fn the_familys_own_metric_is_offered_first() {
        let names = ["wa", "iops", "zebra", "lat_max_ms", "dirty_max_mb"];
        assert_eq!(
            in_order("lat_max_ms", names.into_iter()),
            ["lat_max_ms", "iops", "wa", "zebra"]
        );
    }
}
