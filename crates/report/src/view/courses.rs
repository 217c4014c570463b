//! The courses of runs over time, as a page carries them.

use super::series::{self, Course, Thinning};
use ftlab_result::{At, Chart, Run};
use serde::Serialize;
use std::collections::BTreeMap;

/// The courses of a run.
#[derive(Debug, Serialize)]
pub struct Series {
    run: usize,
    /// Length of an interval, in seconds.
    every: f64,
    /// IOPS of each interval.
    rate: Course,
    /// Decimal megabytes a second.
    megabytes: Course,
    /// NAND bytes over host bytes.
    amplification: Course,
    watts: Course,
    /// Degrees Celsius of each interval.
    #[serde(skip_serializing_if = "Course::is_empty")]
    pub celsius: Course,
    /// Steps of throttling that hold.
    #[serde(skip_serializing_if = "Course::is_empty")]
    pub throttle: Course,
    /// Percentiles of latency by direction, in milliseconds.
    #[serde(flatten)]
    latencies: BTreeMap<String, Latencies>,
}

/// A percentile of latency over time, of intervals of its own.
#[derive(Debug, Serialize)]
struct Latencies {
    every: f64,
    #[serde(flatten)]
    course: Course,
}

/// The courses of a run of a family, if there is a line to draw.
pub fn series_of(
    index: usize,
    run: &Run,
    chart: Chart,
    thinning: Thinning,
    with_latencies: bool,
) -> Option<Series> {
    let points_max = match chart {
        Chart::Scatter => thinning.scatter_points_max,
        _ => thinning.points_max,
    };
    let rate = series::rates(run, points_max);
    let nothing = At::default();
    let only = run.only().unwrap_or(&nothing);
    let watts = series::means(&run.series_watts, thinning.watts_points_max);
    (rate.is_line() || watts.is_line()).then(|| Series {
        run: index,
        every: run.series_interval_s,
        rate,
        megabytes: series::megabytes(run, thinning.other_points_max),
        amplification: series::means(&only.series_wa, thinning.other_points_max),
        watts,
        celsius: series::means(&only.series_celsius, thinning.watts_points_max),
        throttle: series::steps(&only.series_throttle, thinning.watts_points_max),
        latencies: if with_latencies {
            latencies_of(run)
        } else {
            BTreeMap::new()
        },
    })
}

/// The percentiles over time of what a run read, wrote and flushed.
fn latencies_of(run: &Run) -> BTreeMap<String, Latencies> {
    let mut all = BTreeMap::new();
    for (part, traffic) in [
        ("reads", &run.read),
        ("writes", &run.write),
        ("flushes", &run.flush),
    ] {
        let Some(of) = &traffic.lat_ns_course else {
            continue;
        };
        for (percentile, values) in [("p50", &of.p50), ("p99", &of.p99), ("p99_9", &of.p99_9)] {
            let course = Latencies {
                every: of.interval_s,
                course: series::milliseconds(values),
            };
            all.insert(format!("{part}_{percentile}"), course);
        }
    }
    all
}
