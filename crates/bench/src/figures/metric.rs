//! What a metric of the reference table means in terms of a run.

use ftlab_result::Run;

/// Sources whose MB/s are 2^20 bytes: their tables give 43.6 MB/s for 11171 IOPS of 4 KiB.
const BINARY_MEGABYTES: &[&str] = &["x25m-2008", "relapse-2009"];

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
    pub fn parse(metric: &'a str, source: &str) -> Option<Self> {
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
        Metric::parse(metric, source).map(|metric| metric.name)
    }

    #[test]
    fn megabytes_are_what_the_source_counts() {
        assert_eq!(name("mb_s", "x25m-2008"), Some("mib_s"));
        assert_eq!(name("mb_s", "roundup-2011"), Some("mb_s"));
    }

    #[test]
    fn a_ratio_names_its_drive_and_its_metric() {
        let ratio = Metric::parse("lat_avg_ratio_vs_samsung-slc-64", "x25m-2008").unwrap();
        assert_eq!(
            (ratio.name, ratio.compared_with),
            ("lat_avg_ms", Some("samsung-slc-64"))
        );
        let ratio = Metric::parse("ratio_vs_wd-velociraptor-300", "relapse-2009").unwrap();
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
