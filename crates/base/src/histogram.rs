//! Histograms of latencies, in nanoseconds.
//!
//! Buckets are those of HdrHistogram with three significant digits: a reported percentile is at
//! most 0.1 % above the true value, from 1 ns to an hour. Minimum, maximum, mean and standard
//! deviation are kept beside it and are exact to rounding.

use crate::octaves::Octaves;
use crate::time::Nanos;
use std::borrow::Cow;

/// The longest latency that the buckets resolve, somewhat over an hour. Longer ones count in the last bucket; the
/// maximum stays exact.
const LONGEST_NS: u64 = (1 << 42) - 1;

/// The buckets of three significant digits.
type Scale = Octaves<11>;

/// Latencies that are kept one by one: at most 8 KiB of them, where buckets take a quarter of a megabyte.
const FEW_MAX: usize = 1024;

/// A histogram of latencies.
#[derive(Debug, Clone)]
pub struct LatencyHistogram {
    counted: Counted,
    count: u64,
    min_ns: u64,
    max_ns: u64,
    sum_ns: f64,
    sum_squares_ns: f64,
}

/// The counted latencies: a job of a few commands takes as much memory as they do.
#[derive(Debug, Clone)]
enum Counted {
    /// In the order recorded.
    Few(Vec<u64>),
    /// Counts by bucket.
    Many(Vec<u64>),
}

impl Counted {
    /// Returns the count of each bucket.
    fn counts(&self) -> Cow<'_, [u64]> {
        match self {
            Counted::Many(counts) => counts.into(),
            Counted::Few(latencies) => {
                let mut counts = vec![0; Scale::count(LONGEST_NS)];
                for &ns in latencies {
                    counts[Scale::bucket(ns.min(LONGEST_NS))] += 1;
                }
                counts.into()
            }
        }
    }

    /// Turns the counts into buckets, which they remain, and returns them.
    fn in_buckets(&mut self) -> &mut [u64] {
        if let Counted::Few(_) = self {
            *self = Counted::Many(self.counts().into_owned());
        }
        match self {
            Counted::Many(counts) => counts,
            Counted::Few(_) => unreachable!("they were put into buckets"),
        }
    }
}

impl Default for LatencyHistogram {
    fn default() -> Self {
        LatencyHistogram {
            counted: Counted::Few(Vec::new()),
            count: 0,
            min_ns: u64::MAX,
            max_ns: 0,
            sum_ns: 0.0,
            sum_squares_ns: 0.0,
        }
    }
}

impl LatencyHistogram {
    /// Adds a latency to the counts.
    pub fn record(&mut self, latency: Nanos) {
        match &mut self.counted {
            Counted::Many(counts) => counts[Scale::bucket(latency.0.min(LONGEST_NS))] += 1,
            Counted::Few(latencies) if latencies.len() < FEW_MAX => latencies.push(latency.0),
            few => few.in_buckets()[Scale::bucket(latency.0.min(LONGEST_NS))] += 1,
        }
        self.count += 1;
        self.min_ns = self.min_ns.min(latency.0);
        self.max_ns = self.max_ns.max(latency.0);
        let ns = latency.0 as f64;
        self.sum_ns += ns;
        self.sum_squares_ns += ns * ns;
    }

    /// Counts everything that `other` counted.
    pub fn merge(&mut self, other: &LatencyHistogram) {
        match (&mut self.counted, &other.counted) {
            (Counted::Few(mine), Counted::Few(theirs)) if mine.len() + theirs.len() <= FEW_MAX => {
                mine.extend(theirs);
            }
            (mine, theirs) => {
                let theirs = theirs.counts();
                let both = mine.in_buckets().iter_mut().zip(&*theirs);
                both.for_each(|(mine, theirs)| *mine += theirs);
            }
        }
        self.count += other.count;
        self.min_ns = self.min_ns.min(other.min_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
        self.sum_ns += other.sum_ns;
        self.sum_squares_ns += other.sum_squares_ns;
    }

    /// Returns the number of latencies that were counted.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The shortest latency; zero when empty.
    #[must_use]
    pub fn min(&self) -> Nanos {
        Nanos(if self.count == 0 { 0 } else { self.min_ns })
    }

    /// The longest latency; zero when empty.
    #[must_use]
    pub fn max(&self) -> Nanos {
        Nanos(self.max_ns)
    }

    /// The mean in nanoseconds; zero when empty.
    #[must_use]
    pub fn mean_ns(&self) -> f64 {
        match self.count {
            0 => 0.0,
            n => self.sum_ns / n as f64,
        }
    }

    /// The population standard deviation in nanoseconds; zero when empty.
    #[must_use]
    pub fn stddev_ns(&self) -> f64 {
        let n = self.count as f64;
        if n == 0.0 {
            return 0.0;
        }
        let mean = self.sum_ns / n;
        (self.sum_squares_ns / n - mean * mean).max(0.0).sqrt()
    }

    /// The latency that `percent` % of all do not exceed (to the bucket's 0.1 %).
    #[must_use]
    pub fn percentile(&self, percent: f64) -> Nanos {
        let rank = (percent / 100.0 * self.count as f64).ceil().max(1.0) as u64;
        let mut below = 0;
        let counts = self.counted.counts();
        let bucket = counts.iter().position(|count| {
            below += count;
            below >= rank
        });
        let ns = match bucket {
            None => self.max_ns,
            Some(bucket) if percent == 0.0 => Scale::least(bucket),
            Some(bucket) => Scale::largest(bucket),
        };
        Nanos(ns.min(self.max_ns))
    }

    /// The non-empty buckets: (upper bound in nanoseconds, count), ascending.
    #[must_use]
    pub fn buckets(&self) -> Vec<(u64, u64)> {
        let counts = self.counted.counts();
        let counted = counts.iter().enumerate().filter(|&(_, &count)| count > 0);
        counted
            .map(|(bucket, &count)| (Scale::largest(bucket), count))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_within_a_thousandth() {
        let mut histogram = LatencyHistogram::default();
        for us in 1..=100_000 {
            histogram.record(Nanos::from_micros(us));
        }
        for percent in [1.0, 50.0, 99.0, 99.99] {
            let got = histogram.percentile(percent).0 as f64;
            let want = percent * 1e6;
            assert!(
                (got / want - 1.0).abs() <= 0.001,
                "p{percent}: {got} for {want}"
            );
        }
        assert_eq!(histogram.max(), Nanos::from_micros(100_000));
        assert_eq!(histogram.min(), Nanos::from_micros(1));
        assert!((histogram.mean_ns() - 50_000_500.0).abs() < 1.0);
    }

    #[test]
    fn percentiles_and_buckets_are_those_of_hdrhistogram() {
        for count in [0, 1, 7, 1_000, 5_000] {
            let mut ours = LatencyHistogram::default();
            let mut theirs =
                hdrhistogram::Histogram::<u64>::new_with_bounds(1, LONGEST_NS, 3).unwrap();
            for n in 0..count {
                ours.record(latency(n));
                theirs.saturating_record(latency(n).0);
            }
            for percent in [0.0, 0.1, 33.3, 50.0, 99.0, 99.99, 100.0] {
                let most = ours.max().0;
                let theirs = theirs.value_at_percentile(percent).min(most);
                assert_eq!(ours.percentile(percent).0, theirs, "p{percent} of {count}");
            }
            let recorded = theirs.iter_recorded();
            let recorded =
                recorded.map(|bucket| (bucket.value_iterated_to(), bucket.count_at_value()));
            assert_eq!(ours.buckets(), recorded.collect::<Vec<_>>());
        }
    }

    #[test]
    fn an_empty_histogram_reads_as_zero() {
        let empty = LatencyHistogram::default();
        assert_eq!(empty.min(), Nanos::ZERO);
        assert_eq!(empty.percentile(99.0), Nanos::ZERO);
        assert_eq!(empty.mean_ns(), 0.0);
    }

    #[test]
    fn merging_counts_both() {
        let (mut a, mut b) = (LatencyHistogram::default(), LatencyHistogram::default());
        a.record(Nanos(10));
        b.record(Nanos(30));
        a.merge(&b);
        assert_eq!((a.count(), a.min(), a.max()), (2, Nanos(10), Nanos(30)));
        assert_eq!(a.mean_ns(), 20.0);
    }

    /// A latency of any size, always the same for the same number.
    fn latency(n: u64) -> Nanos {
        Nanos(n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (24 + n % 30))
    }

    #[test]
    fn a_few_latencies_take_little_memory_and_give_the_same_numbers_as_in_buckets() {
        for count in [1, 2, 100, FEW_MAX as u64] {
            let mut few = LatencyHistogram::default();
            (0..count).for_each(|n| few.record(latency(n)));
            assert!(matches!(few.counted, Counted::Few(_)));
            let mut many = few.clone();
            many.counted.in_buckets();
            for percent in [0.0, 1.0, 50.0, 99.0, 100.0] {
                assert_eq!(few.percentile(percent), many.percentile(percent));
            }
            assert_eq!(few.buckets(), many.buckets());
            assert_eq!(few.count(), many.count());
        }
    }

    #[test]
    fn many_latencies_go_to_buckets_whether_recorded_or_merged() {
        let all = 3 * FEW_MAX as u64;
        let mut recorded = LatencyHistogram::default();
        (0..all).for_each(|n| recorded.record(latency(n)));
        let mut merged = LatencyHistogram::default();
        for part in 0..6 {
            let mut few = LatencyHistogram::default();
            (part * all / 6..(part + 1) * all / 6).for_each(|n| few.record(latency(n)));
            merged.merge(&few);
        }
        assert_eq!(merged.buckets(), recorded.buckets());
        assert_eq!((merged.count(), merged.max()), (all, recorded.max()));
    }
}
