//! Long series made short enough to draw, without hiding a stall or a burst.

use ftlab_result::{Run, Traffic};

use crate::format::round_to_digits;

/// Two points a bucket; more than a chart has pixels for is not seen.
const BUCKETS_MAX: usize = 240;
/// Fewer would not show the shape of a run.
const BUCKETS_MIN: usize = 40;
/// Points all runs of a page share: about 2 MB of its data.
const PAGE_POINTS_MAX: usize = 120_000;

/// Buckets each of `runs` runs gets, so that a large review stays within the size of a page.
pub fn buckets_for(runs: usize) -> usize {
    (PAGE_POINTS_MAX / 2 / runs.max(1)).clamp(BUCKETS_MIN, BUCKETS_MAX)
}

/// Significant digits kept in the page's data: one more than is printed.
const DIGITS_KEPT: i32 = 4;

/// (seconds since the start of the run, IOPS), with the lowest and highest interval of each of
/// `buckets` kept at their own times. A series that fits is left as it is.
pub fn iops_over_time(run: &Run, buckets: usize) -> Vec<(f64, f64)> {
    let interval_s = run.series_interval_s;
    if interval_s <= 0.0 {
        return Vec::new();
    }
    let point = |index: usize| {
        let iops = run.series_ios[index] as f64 / interval_s;
        (
            round_to_digits(index as f64 * interval_s, 6),
            round_to_digits(iops, DIGITS_KEPT),
        )
    };
    kept_indices(&run.series_ios, buckets)
        .into_iter()
        .map(point)
        .collect()
}

fn kept_indices(values: &[u64], buckets: usize) -> Vec<usize> {
    let n = values.len();
    if n <= 2 * buckets {
        return (0..n).collect();
    }
    let mut kept = Vec::with_capacity(2 * buckets);
    for bucket in 0..buckets {
        let range = bucket * n / buckets..(bucket + 1) * n / buckets;
        let low = range.clone().min_by_key(|&i| values[i]);
        let high = range.max_by_key(|&i| values[i]);
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
    let smallest = buckets
        .windows(2)
        .map(|pair| pair[1].0 as f64 / pair[0].0.max(1) as f64)
        .filter(|ratio| *ratio > 1.0)
        .fold(f64::INFINITY, f64::min);
    if smallest.is_finite() {
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
        assert_eq!(kept_indices(&[5, 1, 9], 2), [0, 1, 2]);
    }

    #[test]
    fn a_long_series_keeps_every_stall_and_burst() {
        let mut values = vec![100u64; 10_000];
        values[4_321] = 0;
        values[4_330] = 9_999;
        let kept = kept_indices(&values, 50);
        assert!(kept.len() <= 100);
        assert!(kept.contains(&4_321) && kept.contains(&4_330));
        assert!(kept.is_sorted());
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
