//! Latency histograms.
//!
//! Buckets are those of HdrHistogram with three significant digits: a reported percentile is at
//! most 0.1 % above the true value, from 1 ns to an hour. Minimum, maximum, mean and standard
//! deviation are kept beside it and are exact to rounding.

use crate::time::Nanos;
use hdrhistogram::Histogram;

/// The longest latency the buckets resolve: one hour. Longer ones count in the last bucket; the
/// maximum stays exact.
const LONGEST_NS: u64 = 3_600_000_000_000;

/// A histogram of latencies.
#[derive(Debug, Clone)]
pub struct LatencyHistogram {
    buckets: Histogram<u64>,
    min_ns: u64,
    max_ns: u64,
    sum_ns: f64,
    sum_squares_ns: f64,
}

impl Default for LatencyHistogram {
    fn default() -> Self {
        LatencyHistogram {
            buckets: Histogram::new_with_bounds(1, LONGEST_NS, 3).expect("bounds are valid"),
            min_ns: u64::MAX,
            max_ns: 0,
            sum_ns: 0.0,
            sum_squares_ns: 0.0,
        }
    }
}

impl LatencyHistogram {
    /// Counts one latency.
    pub fn record(&mut self, latency: Nanos) {
        self.buckets.saturating_record(latency.0);
        self.min_ns = self.min_ns.min(latency.0);
        self.max_ns = self.max_ns.max(latency.0);
        let ns = latency.0 as f64;
        self.sum_ns += ns;
        self.sum_squares_ns += ns * ns;
    }

    /// Counts everything that `other` counted.
    pub fn merge(&mut self, other: &LatencyHistogram) {
        self.buckets.add(&other.buckets).expect("equal bounds");
        self.min_ns = self.min_ns.min(other.min_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
        self.sum_ns += other.sum_ns;
        self.sum_squares_ns += other.sum_squares_ns;
    }

    /// How many latencies were counted.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.buckets.len()
    }

    /// The shortest latency; zero when empty.
    #[must_use]
    pub fn min(&self) -> Nanos {
        Nanos(if self.count() == 0 { 0 } else { self.min_ns })
    }

    /// The longest latency; zero when empty.
    #[must_use]
    pub fn max(&self) -> Nanos {
        Nanos(self.max_ns)
    }

    /// The mean in nanoseconds; zero when empty.
    #[must_use]
    pub fn mean_ns(&self) -> f64 {
        match self.count() {
            0 => 0.0,
            n => self.sum_ns / n as f64,
        }
    }

    /// The population standard deviation in nanoseconds; zero when empty.
    #[must_use]
    pub fn stddev_ns(&self) -> f64 {
        let n = self.count() as f64;
        if n == 0.0 {
            return 0.0;
        }
        let mean = self.sum_ns / n;
        (self.sum_squares_ns / n - mean * mean).max(0.0).sqrt()
    }

    /// The latency that `percent` % of all do not exceed (to the bucket's 0.1 %).
    #[must_use]
    pub fn percentile(&self, percent: f64) -> Nanos {
        Nanos(self.buckets.value_at_percentile(percent).min(self.max_ns))
    }

    /// The non-empty buckets: (upper bound in nanoseconds, count), ascending.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.buckets
            .iter_recorded()
            .map(|bucket| (bucket.value_iterated_to(), bucket.count_at_value()))
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
}
