//! Metrics of the reference table as quantities of a run.

use super::{Row, SourceRow, sources};
use ftlab_result::Run;
use ftlab_result::quantity::{self, table};
use serde::Deserialize;

/// The units and shares that a source counts in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counting {
    /// The source's megabyte, and in proportion its kilobyte.
    megabyte: Megabyte,
    /// The whole of which the source gives spare area as a share.
    spare: Spare,
}

/// The size of a megabyte in the figures of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Megabyte {
    /// A million bytes, as in the SI.
    #[default]
    Decimal,
    /// 2^20 bytes, properly a mebibyte.
    Binary,
}

/// The whole of which a source gives spare area as a share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spare {
    /// All of the flash.
    #[default]
    OfFlash,
    /// The capacity that the user sees.
    OfUser,
}

/// The way in which a row's source counts; decimal for a source without a row.
pub fn counting(row: &Row) -> Counting {
    let source = sources().find(|source| source.source == row.source);
    let counting = |SourceRow {
                        megabyte, spare, ..
                    }| Counting { megabyte, spare };
    source.map_or_else(Counting::default, counting)
}

/// The unit that a row's number is in, whatever its source calls it.
pub fn unit(row: &Row) -> &str {
    match (row.unit.as_str(), counting(row).megabyte) {
        ("MB/s", Megabyte::Binary) => "MiB/s",
        ("KB/s", Megabyte::Binary) => "KiB/s",
        (unit, _) => unit,
    }
}

/// A metric of the reference table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Metric<'a> {
    /// The quantity of a run that it is.
    name: &'a str,
    /// From the quantity's unit to the row's.
    scale: f64,
    /// The other run that the figure depends on, if any.
    pub compared: Compared<'a>,
}

/// The dependence of a figure on another run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compared<'a> {
    /// The figure is that of one run.
    Alone,
    /// It is a ratio to this drive's.
    Ratio(&'a str),
    /// It is the percentage by which it is below this drive's.
    Advantage(&'a str),
    /// It is the amount by which it is above that of this test on the same drive.
    Extra(&'a str),
}

/// Kibibytes in a mebibyte.
const KIBIBYTES: f64 = 1024.0;

impl<'a> Metric<'a> {
    /// The metric that a row names, in the units of its source; `None` for one that no run gives.
    pub fn parse(metric: &'a str, unit: &str, counting: Counting) -> Option<Self> {
        let (metric, compared) = compared(metric);
        let in_milli = if unit == "mW" { 1e3 } else { 1.0 };
        let (name, scale) = match metric {
            "mb_s" if counting.megabyte == Megabyte::Binary => (table::MIB_S.name, 1.0),
            "kb_s" if counting.megabyte == Megabyte::Binary => (table::MIB_S.name, KIBIBYTES),
            "spare_pct" if counting.spare == Spare::OfUser => (table::SPARE_PCT_OF_USER.name, 1.0),
            other => (other, in_milli),
        };
        quantity::is_known(name).then_some(Metric {
            name,
            scale,
            compared,
        })
    }

    /// The run's figure in the row's unit, as one repeat gave it.
    pub fn of(&self, run: &Run, repeat: usize) -> Option<f64> {
        Some(quantity::value(run, self.name, Some(repeat))? * self.scale)
    }
}

/// The plain name of a metric that is compared, and the run that it is compared with.
pub fn compared(metric: &str) -> (&str, Compared<'_>) {
    if let Some((metric, drive)) = metric.split_once("ratio_vs_") {
        let metric = match metric.trim_end_matches('_') {
            // A bare ratio compares throughputs.
            "" => table::MB_S.name,
            "time" => table::SECONDS.name,
            "extract_time" => "extract_seconds",
            other => other,
        };
        return (metric, Compared::Ratio(drive));
    }
    if let Some(drive) = metric.strip_prefix("advantage_vs_") {
        // The size of the archive that is created.
        let drive = drive.trim_end_matches("_pct");
        return ("create_seconds", Compared::Advantage(drive));
    }
    if let Some(test) = metric.strip_prefix("extra_seconds_vs_") {
        return ("seconds", Compared::Extra(test));
    }
    (metric, Compared::Alone)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the review of 2008 counts, whose tables give 43.6 MB/s for 11171 IOPS of 4 KiB.
    const BINARY: Counting = Counting {
        megabyte: Megabyte::Binary,
        spare: Spare::OfUser,
    };

    fn name(metric: &str, counting: Counting) -> Option<&str> {
        Metric::parse(metric, "", counting).map(|metric| metric.name)
    }

    #[test]
    fn sources_count_as_their_table_says() {
        let megabytes = |source: &str| {
            let row = super::super::published();
            let row = row.into_iter().find(|row| row.source == source);
            counting(&row.expect("a figure of that source"))
        };
        assert_eq!(megabytes("x25m-2008"), BINARY);
        assert_eq!(megabytes("relapse-2009").megabyte, Megabyte::Binary);
        assert_eq!(megabytes("roundup-2011"), Counting::default());
    }

    #[test]
    fn megabytes_are_what_the_source_counts() {
        assert_eq!(name("mb_s", BINARY), Some("mib_s"));
        assert_eq!(name("mb_s", Counting::default()), Some("mb_s"));
    }

    #[test]
    fn power_and_spare_area_are_what_the_source_counts() {
        let scale = |unit| {
            Metric::parse("typical_workload_watts", unit, BINARY)
                .unwrap()
                .scale
        };
        assert_eq!((scale("mW"), scale("W")), (1e3, 1.0));
        assert_eq!(name("spare_pct", BINARY), Some("spare_pct_of_user"));
        assert_eq!(name("spare_pct", Counting::default()), Some("spare_pct"));
    }

    #[test]
    fn a_ratio_names_its_drive_and_its_metric() {
        let ratio = Metric::parse("lat_avg_ratio_vs_samsung-slc-64", "x", BINARY).unwrap();
        assert_eq!(
            (ratio.name, ratio.compared),
            ("lat_avg", Compared::Ratio("samsung-slc-64"))
        );
        let ratio = Metric::parse("ratio_vs_wd-velociraptor-300", "x", BINARY).unwrap();
        assert_eq!(
            (ratio.name, ratio.compared),
            ("mib_s", Compared::Ratio("wd-velociraptor-300"))
        );
    }

    #[test]
    fn what_no_run_gives_is_no_metric() {
        assert_eq!(name("frames_per_second", BINARY), None);
        assert_eq!(name("archive_extract_size", BINARY), None);
    }

    #[test]
    fn times_of_programs_are_compared_by_ratio_share_and_difference() {
        let parse = |metric| Metric::parse(metric, "s", BINARY).unwrap();
        let ratio = parse("extract_time_ratio_vs_intel-x25-m-g1-80");
        assert_eq!(ratio.name, "extract_seconds");
        assert_eq!(ratio.compared, Compared::Ratio("intel-x25-m-g1-80"));
        let advantage = parse("advantage_vs_ocz-core-jmf602_pct");
        assert_eq!(advantage.name, "create_seconds");
        assert_eq!(advantage.compared, Compared::Advantage("ocz-core-jmf602"));
        let extra = parse("extra_seconds_vs_3dsmax_alone");
        assert_eq!(extra.compared, Compared::Extra("3dsmax_alone"));
    }
}
