//! Long series made short enough to draw, without hiding a stall or a burst.

use ftlab_result::{Run, Traffic};
use serde::Serialize;

use crate::format::round_to_digits;

/// Points that all runs of a page share, of rates and of watts each: together about 2 MB as they are packed.
const PAGE_POINTS_MAX: usize = 400_000;
/// Points a run gets at most: more than a chart has pixels for is not seen.
const RUN_POINTS_MAX: usize = 480;
/// Fewer would not show the shape of a run.
const RUN_POINTS_MIN: usize = 24;
/// Points of a course of power at most.
const WATTS_POINTS_MAX: usize = 120;
/// Points of a course at most that is looked at on request.
const OTHER_POINTS_MAX: usize = 60;
/// Points of a run whose test is about its course: all of half an hour and more.
const SCATTER_POINTS_MAX: usize = 4_000;

/// Points that the course of a run may keep.
#[derive(Debug, Clone, Copy)]
pub struct Thinning {
    /// Points of any run.
    pub points_max: usize,
    /// Points of any run's course of power, which changes little.
    pub watts_points_max: usize,
    /// Points of any run's data rate and write amplification.
    pub other_points_max: usize,
    /// Points of a run whose test is about its course.
    pub scatter_points_max: usize,
}

impl Thinning {
    /// The most points a run that keep the page small: short runs stay whole, and leave what they
    /// do not need to long ones.
    pub fn for_runs(runs: &[Run]) -> Self {
        let needed = |points_max: usize| -> usize {
            runs.iter()
                .map(|run| run.series_ios.len().min(points_max))
                .sum()
        };
        let mut points_max = RUN_POINTS_MAX;
        while points_max > RUN_POINTS_MIN && needed(points_max) > PAGE_POINTS_MAX {
            points_max -= 2;
        }
        Self {
            points_max,
            watts_points_max: (points_max / 2).min(WATTS_POINTS_MAX),
            other_points_max: (points_max / 2).min(OTHER_POINTS_MAX),
            scatter_points_max: SCATTER_POINTS_MAX,
        }
    }
}

/// A last interval that lasted for less of an interval than this tells no rate.
const LAST_SHARE_MIN: f64 = 0.2;

/// Significant digits kept in the page's data: one more than is printed.
const DIGITS_KEPT: i32 = 4;

/// A course over time as the page carries it: values, and the numbers of their intervals where
/// some are left out.
#[derive(Debug, Default, PartialEq, Serialize)]
pub struct Course {
    values: Vec<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    at: Vec<usize>,
    /// True if intervals are left out that no line through their neighbours tells.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    thinned: bool,
}

impl Course {
    /// True if there is nothing to tell.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// True if there is a line to draw.
    pub fn is_line(&self) -> bool {
        self.values.len() > 1
    }
}

/// IOPS of each interval, cut like all rates.
pub fn rates(run: &Run, points_max: usize) -> Course {
    a_second(run, &run.series_ios, 1.0, points_max)
}

/// Decimal megabytes a second of each interval.
pub fn megabytes(run: &Run, points_max: usize) -> Course {
    a_second(run, &run.series_bytes, 1e6, points_max)
}

/// Counts of each interval as rates. A course that has more than `points_max` points is cut into stretches of
/// which the lowest and the highest interval are kept, at their own times.
fn a_second(run: &Run, counts: &[u64], unit: f64, points_max: usize) -> Course {
    if run.series_interval_s <= 0.0 {
        return Course::default();
    }
    let rate = |count: &u64, s: f64| round_to_digits(*count as f64 / unit / s, DIGITS_KEPT);
    let full = |count: &u64| rate(count, run.series_interval_s);
    let mut rates: Vec<f64> = counts.iter().map(full).collect();
    if let (Some(count), Some(seconds)) = (counts.last(), cut_short(run)) {
        rates.pop();
        if seconds >= run.series_interval_s * LAST_SHARE_MIN {
            rates.push(rate(count, seconds));
        }
    }
    course(&rates, kept_indices(&rates, points_max / 2))
}

/// The length of the last interval, when the end of the run cut it short: it is no drop of the
/// rate.
fn cut_short(run: &Run) -> Option<f64> {
    let before = run.series_ios.len().checked_sub(1)? as f64 * run.series_interval_s;
    let seconds = run.seconds - before;
    (seconds > 0.0 && seconds < run.series_interval_s).then_some(seconds)
}

/// Mean watts or a ratio of each interval, cut like the rates.
pub fn means(values: &[f64], points_max: usize) -> Course {
    let kept = |value: &f64| round_to_digits(*value, DIGITS_KEPT - 1);
    let values: Vec<f64> = values.iter().map(kept).collect();
    course(&values, kept_indices(&values, points_max / 2))
}

/// Latencies of each interval that has any, in milliseconds: all of them, as they are few.
pub fn milliseconds(ns: &[Option<u64>]) -> Course {
    let known = ns
        .iter()
        .enumerate()
        .filter_map(|(at, ns)| Some((at, round_to_digits((*ns)? as f64 / 1e6, DIGITS_KEPT - 1))));
    let (at, values): (Vec<usize>, Vec<f64>) = known.unzip();
    Course {
        at: if at.len() == ns.len() { Vec::new() } else { at },
        values,
        thinned: false,
    }
}

/// Steps of each interval, cut like the rates.
pub fn steps(values: &[u8], points_max: usize) -> Course {
    let values: Vec<f64> = values.iter().map(|&steps| steps.into()).collect();
    course(&values, kept_indices(&values, points_max / 2))
}

/// The kept points without those between two of the same value: a line through the outer two is
/// the same.
fn course(values: &[f64], kept: Vec<usize>) -> Course {
    let ends = |place: usize| {
        let same = |other: Option<&usize>| other.is_some_and(|&i| values[i] == values[kept[place]]);
        let before = place.checked_sub(1).and_then(|before| kept.get(before));
        !(same(before) && same(kept.get(place + 1)))
    };
    let at: Vec<usize> = (0..kept.len())
        .filter(|&place| ends(place))
        .map(|place| kept[place])
        .collect();
    Course {
        thinned: kept.len() < values.len(),
        values: at.iter().map(|&index| values[index]).collect(),
        at: if at.len() == values.len() {
            Vec::new()
        } else {
            at
        },
    }
}

fn kept_indices(values: &[f64], buckets: usize) -> Vec<usize> {
    let n = values.len();
    if n <= 2 * buckets {
        return (0..n).collect();
    }
    let mut kept = Vec::with_capacity(2 * buckets);
    for bucket in 0..buckets {
        let range = bucket * n / buckets..(bucket + 1) * n / buckets;
        let low = range
            .clone()
            .min_by(|&a, &b| values[a].total_cmp(&values[b]));
        let high = range.max_by(|&a, &b| values[a].total_cmp(&values[b]));
        if let (Some(low), Some(high)) = (low, high) {
            kept.push(low.min(high));
            if low != high {
                kept.push(low.max(high));
            }
        }
    }
    kept
}

/// (upper bound in milliseconds, share of the I/Os in percent). Buckets the histogram left out
/// because they are empty come back as zeros, so that a gap is drawn as a gap.
pub fn latency_shares(traffic: &Traffic) -> Vec<(f64, f64)> {
    let buckets = &traffic.lat_ns_histogram;
    let total: u64 = buckets.iter().map(|&(_, count)| count).sum();
    if total == 0 {
        return Vec::new();
    }
    let ratio = bucket_ratio(buckets);
    let mut shares = Vec::with_capacity(buckets.len() + 1);
    let mut below_ns: Option<f64> = None;
    for &(upper_ns, count) in buckets {
        let upper = upper_ns as f64;
        let starts_at = upper / ratio;
        if below_ns.is_none_or(|below| starts_at > below * ratio.sqrt()) {
            shares.push((starts_at, 0.0));
        }
        shares.push((upper, 100.0 * count as f64 / total as f64));
        below_ns = Some(upper);
    }
    shares
        .into_iter()
        .map(|(ns, share)| {
            (
                round_to_digits(ns / 1e6, DIGITS_KEPT),
                round_to_digits(share, DIGITS_KEPT),
            )
        })
        .collect()
}

/// The ratio of neighbouring bounds: the smallest seen, as larger ones span left-out buckets.
fn bucket_ratio(buckets: &[(u64, u64)]) -> f64 {
    const RATIO_OF_A_LONE_BUCKET: f64 = 1.25;
    // Neighbours are closer than that; further apart there are empty buckets between.
    const NEIGHBOURS_MAX: f64 = 2.5;
    let smallest = buckets
        .windows(2)
        .map(|pair| pair[1].0 as f64 / pair[0].0.max(1) as f64)
        .filter(|ratio| *ratio > 1.0)
        .fold(f64::INFINITY, f64::min);
    if smallest <= NEIGHBOURS_MAX {
        smallest
    } else {
        RATIO_OF_A_LONE_BUCKET
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_series_is_left_as_it_is() {
        assert_eq!(kept_indices(&[5.0, 1.0, 9.0], 2), [0, 1, 2]);
    }

    #[test]
    fn a_long_series_keeps_every_stall_and_burst() {
        let mut values = vec![100.0; 10_000];
        values[4_321] = 0.0;
        values[4_330] = 9_999.0;
        let kept = kept_indices(&values, 50);
        assert!(kept.len() <= 100);
        assert!(kept.contains(&4_321) && kept.contains(&4_330));
        assert!(kept.is_sorted());
    }

    #[test]
    fn an_interval_cut_off_by_the_end_of_the_run_is_no_drop() {
        let run: Run = serde_json::from_value(serde_json::json!({
            "id": "", "drive": "", "test": "", "state": "", "steps": [], "metrics": {},
            "read": Traffic::default(), "write": Traffic::default(), "trim": Traffic::default(),
            "seconds": 2.5, "series_ios": [100, 80, 45], "series_interval_s": 1.0
        }))
        .expect("a run");
        assert_eq!(rates(&run, 10).values, [100.0, 80.0, 90.0]);
    }

    #[test]
    fn an_even_stretch_keeps_its_ends() {
        let values = [5.0, 5.0, 5.0, 5.0, 2.0, 5.0, 5.0];
        let course = course(&values, (0..7).collect());
        assert_eq!(course.at, [0, 3, 4, 5, 6]);
        assert_eq!(course.values, [5.0, 5.0, 2.0, 5.0, 5.0]);
    }

    #[test]
    fn an_empty_stretch_of_a_histogram_is_drawn_as_zero() {
        let traffic = Traffic {
            lat_ns_histogram: vec![(1_000_000, 3), (2_000_000, 1), (64_000_000, 4)],
            ..Traffic::default()
        };
        assert_eq!(
            latency_shares(&traffic),
            [
                (0.5, 0.0),
                (1.0, 37.5),
                (2.0, 12.5),
                (32.0, 0.0),
                (64.0, 50.0)
            ]
        );
    }
}
