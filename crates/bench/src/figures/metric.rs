//! What a metric of the reference table means in terms of a run.

use ftlab_result::Run;

/// Sources whose MB/s are 2^20 bytes: their tables give 43.6 MB/s for 11171 IOPS of 4 KiB.
const BINARY_MEGABYTES: &[&str] = &["x25m-2008", "relapse-2009"];

/// Sources that count spare area as a share of the user's capacity; the others of the flash.
const SPARE_OF_USER: &[&str] = &["x25m-2008"];

/// From watts to a row's unit.
fn watts_in(unit: &str) -> f64 {
    if unit == "mW" { 1e3 } else { 1.0 }
}

/// A metric of the reference table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Metric<'a> {
    /// Name in `Run::metrics`.
    name: &'static str,
    /// From the run's unit to the row's.
    scale: f64,
    /// The figure is a ratio to this drive's.
    pub compared_with: Option<&'a str>,
}

impl<'a> Metric<'a> {
    /// The metric a row of `source` names; `None` for one that no run gives.
    pub fn parse(metric: &'a str, unit: &str, source: &str) -> Option<Self> {
        let (metric, compared_with) = match metric.split_once("ratio_vs_") {
            // A bare ratio compares throughputs.
            Some(("", drive)) => ("mb_s", Some(drive)),
            Some((metric, drive)) => (metric.trim_end_matches('_'), Some(drive)),
            None => (metric, None),
        };
        let (name, scale) = match metric {
            "iops" => ("iops", 1.0),
            "mb_s" if BINARY_MEGABYTES.contains(&source) => ("mib_s", 1.0),
            "mb_s" => ("mb_s", 1.0),
            "lat_avg_ms" | "lat_avg" => ("lat_avg_ms", 1.0),
            "lat_max_ms" | "lat_max" => ("lat_max_ms", 1.0),
            "lat_avg_s" => ("lat_avg_ms", 1e-3),
            "lat_max_s" => ("lat_max_ms", 1e-3),
            "access_time_ms" => ("lat_avg_ms", 1.0),
            "write_amp" => ("wa", 1.0),
            "wear_inefficiency_pct" => ("wear_inefficiency_pct", 1.0),
            "host_writes_per_day" => ("host_writes_per_day", 1.0),
            "host_writes_total" => ("host_writes_total", 1.0),
            "lifetime" => ("lifetime_years", 1.0),
            "spare_pct" if SPARE_OF_USER.contains(&source) => ("spare_pct_of_user", 1.0),
            "spare_pct" => ("spare_pct_of_raw", 1.0),
            "watts" | "typical_workload_watts" => ("watts", watts_in(unit)),
            "idle_watts" => ("idle_watts", watts_in(unit)),
            "drop_time_s" => ("drop_time_s", 1.0),
            "usual_dropoff_time" => ("last_drop_time_s", 1.0),
            "host_written_at_drop" => ("host_written_at_drop_gb", 1.0),
            "mb_s_before_drop" => ("mb_s_before_drop", 1.0),
            "mb_s_after_first_drop" => ("mb_s_after_first_drop", 1.0),
            "mb_s_after_second_drop" => ("mb_s_after_second_drop", 1.0),
            "mb_s_first_30s" => ("mb_s_first_30s", 1.0),
            _ => return None,
        };
        Some(Metric {
            name,
            scale,
            compared_with,
        })
    }

    /// The run's figure in the row's unit.
    pub fn of(&self, run: &Run) -> Option<f64> {
        run.metrics.get(self.name).map(|value| value * self.scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(metric: &str, source: &str) -> Option<&'static str> {
        Metric::parse(metric, "", source).map(|metric| metric.name)
    }

    #[test]
    fn megabytes_are_what_the_source_counts() {
        assert_eq!(name("mb_s", "x25m-2008"), Some("mib_s"));
        assert_eq!(name("mb_s", "roundup-2011"), Some("mb_s"));
    }

    #[test]
    fn power_and_spare_area_are_what_the_source_counts() {
        let scale = |unit| {
            Metric::parse("typical_workload_watts", unit, "x25m-2008")
                .unwrap()
                .scale
        };
        assert_eq!((scale("mW"), scale("W")), (1e3, 1.0));
        assert_eq!(name("spare_pct", "x25m-2008"), Some("spare_pct_of_user"));
        assert_eq!(name("spare_pct", "roundup-2011"), Some("spare_pct_of_raw"));
    }

    #[test]
    fn a_ratio_names_its_drive_and_its_metric() {
        let ratio = Metric::parse("lat_avg_ratio_vs_samsung-slc-64", "x", "x25m-2008").unwrap();
        assert_eq!(
            (ratio.name, ratio.compared_with),
            ("lat_avg_ms", Some("samsung-slc-64"))
        );
        let ratio = Metric::parse("ratio_vs_wd-velociraptor-300", "x", "relapse-2009").unwrap();
        assert_eq!(
            (ratio.name, ratio.compared_with),
            ("mib_s", Some("wd-velociraptor-300"))
        );
    }

    #[test]
    fn what_no_run_gives_is_no_metric() {
        assert_eq!(name("pauses", "x25m-2008"), None);
        assert_eq!(
            name("extract_time_ratio_vs_intel-x25-m-g1-80", "x25m-2008"),
            None
        );
    }
}
