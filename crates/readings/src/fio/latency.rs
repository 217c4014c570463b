//! Latencies as fio has them: their number, extremes and moments, and their distribution by bins or by percentiles.

use crate::object::Object;
use ftlab_base::Octaves;
use ftlab_result::quantity::PERCENTILES;
use ftlab_result::{Extent, PerSecond, Traffic};
use std::collections::BTreeMap;

/// fio's scale of bins: one each for the small numbers, and 64 for each power of two.
pub type Bins = Octaves<7>;

/// Samples beyond a percentile, without which it would be the latency of a few.
pub const BEYOND_MIN: f64 = 10.0;

/// Upper bounds of the coarse histogram: ten a decade, the preferred numbers of the R10 series to four digits.
const BOUNDS_A_DECADE: [u64; 10] = [1000, 1259, 1585, 1995, 2512, 3162, 3981, 5012, 6310, 7943];

/// The key by which fio 2 says that its bins are called by their numbers.
const OF_FIO_2: &str = "FIO_IO_U_PLAT_BITS";

/// Latencies of requests of one kind, in nanoseconds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Latency {
    pub(super) count: u64,
    min: u64,
    max: u64,
    mean: f64,
    stddev: f64,
    /// (a latency in nanoseconds, count) of fio's bins.
    bins: BTreeMap<u64, u64>,
    /// (percent, nanoseconds) as fio worked them out, ascending.
    stated: Vec<(f64, u64)>,
}

impl Latency {
    /// Reads one of fio's objects, whose numbers are in units of `unit_ns`; without a number of its own it has `count`
    /// latencies.
    pub(super) fn read(
        object: Option<Object>,
        unit_ns: u64,
        count: u64,
    ) -> Result<Latency, String> {
        let Some(mut object) = object else {
            return Ok(Latency::default());
        };
        let mut ns = |key: &str| -> Result<f64, String> {
            Ok(object.number(key)?.unwrap_or(0.0) * unit_ns as f64)
        };
        let (min, max, mean, stddev) = (ns("min")?, ns("max")?, ns("mean")?, ns("stddev")?);
        let any = if max > 0.0 || mean > 0.0 { count } else { 0 };
        let mut stated: Vec<(f64, u64)> = match object.object("percentile")? {
            Some(of) => of.counts()?,
            None => Vec::new(),
        };
        // fio 2 fills its list up with percentiles of 0.
        stated.retain(|(percent, _)| *percent > 0.0);
        stated
            .iter_mut()
            .for_each(|(_, value)| *value = value.saturating_mul(unit_ns));
        stated.sort_by(|a, b| a.0.total_cmp(&b.0));
        let bins = match object.object("bins")? {
            Some(of) => bins(of, unit_ns)?,
            None => BTreeMap::new(),
        };
        Ok(Latency {
            count: object.count("N")?.unwrap_or(any),
            min: min as u64,
            max: max as u64,
            mean,
            stddev,
            bins,
            stated,
        })
    }

    /// True if more is known than extremes and moments.
    #[must_use]
    pub fn has_distribution(&self) -> bool {
        !self.bins.is_empty() || !self.stated.is_empty()
    }

    /// True if it can be merged with others without a loss.
    #[must_use]
    pub fn has_bins(&self) -> bool {
        !self.bins.is_empty()
    }

    /// These with the distribution of others.
    pub(super) fn with_distribution_of(self, other: Latency) -> Latency {
        Latency {
            bins: other.bins,
            stated: other.stated,
            ..self
        }
    }

    /// Latencies that were counted by bins alone: those of a log.
    pub(super) fn of_bins(bins: BTreeMap<u64, u64>) -> Latency {
        let count: u64 = bins.values().sum();
        let n = (count as f64).max(1.0);
        let sum = |of: &dyn Fn(f64) -> f64| -> f64 {
            let each = bins.iter();
            each.map(|(ns, count)| of(*ns as f64) * *count as f64).sum()
        };
        let mean = sum(&|ns| ns) / n;
        Latency {
            count,
            min: bins.keys().next().copied().unwrap_or(0),
            max: bins.keys().next_back().copied().unwrap_or(0),
            mean,
            stddev: (sum(&|ns| (ns - mean).powi(2)) / n).sqrt(),
            bins,
            stated: Vec::new(),
        }
    }

    /// Takes in the latencies of another job. What one of them lacks of a distribution, both together lack.
    pub fn merge(&mut self, other: &Latency) {
        if other.count == 0 {
            return;
        }
        if self.count == 0 {
            self.clone_from(other);
            return;
        }
        let [n, m] = [self.count, other.count].map(|count| count as f64);
        let mean = (self.mean * n + other.mean * m) / (n + m);
        // The squares about the mean of all, from those about the mean of each.
        let about = |latency: &Latency, n: f64| {
            n * (latency.stddev.powi(2) + (latency.mean - mean).powi(2))
        };
        self.stddev = ((about(self, n) + about(other, m)) / (n + m)).sqrt();
        self.mean = mean;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.count += other.count;
        self.stated.clear();
        if self.bins.is_empty() || other.bins.is_empty() {
            self.bins.clear();
        }
        for (ns, count) in &other.bins {
            if !self.bins.is_empty() {
                *self.bins.entry(*ns).or_default() += count;
            }
        }
    }

    /// A percentile in nanoseconds; none where fewer than ten samples lie beyond it, and where fio did not say it.
    #[must_use]
    pub fn percentile(&self, percent: f64) -> Option<u64> {
        let binned: u64 = self.bins.values().sum();
        let known = if binned > 0 { binned } else { self.count };
        // A thousandth more lets 99.9 % of ten thousand be what it is in a float.
        let beyond = known as f64 * (100.0 - percent) / 100.0 * 1.001;
        if beyond < BEYOND_MIN {
            return None;
        }
        if binned == 0 {
            let found = self.stated.iter().find(|(of, _)| *of == percent);
            return found.map(|(_, ns)| *ns);
        }
        let wanted = (binned as f64 * percent / 100.0).ceil() as u64;
        let mut seen = 0;
        let found = self.bins.iter().find(|(_, count)| {
            seen += **count;
            seen >= wanted
        });
        // The middle of a bin may lie beyond the longest of all.
        found.map(|(ns, _)| (*ns).min(self.max))
    }

    /// The mean in nanoseconds.
    #[must_use]
    pub fn mean_ns(&self) -> f64 {
        self.mean
    }

    /// The longest in nanoseconds.
    #[must_use]
    pub fn max_ns(&self) -> u64 {
        self.max
    }

    /// The number of latencies.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The traffic of a direction that completed `ios` commands and moved `bytes` bytes in `seconds`.
    #[must_use]
    pub fn traffic(&self, ios: u64, bytes: u64, seconds: f64) -> Traffic {
        let a_second = |amount: u64| match seconds > 0.0 {
            true => amount as f64 / seconds,
            false => 0.0,
        };
        let asked_for = self.stated.iter().map(|(of, _)| *of);
        let mut percents: Vec<f64> = PERCENTILES.into_iter().chain(asked_for).collect();
        percents.sort_by(f64::total_cmp);
        percents.dedup();
        let percentiles = percents.into_iter();
        let percentiles = percentiles.filter_map(|of| Some((of, self.percentile(of)?)));
        Traffic {
            ios,
            bytes,
            iops: a_second(ios),
            bytes_per_s: a_second(bytes),
            lat_ns_min: self.min,
            lat_ns_mean: self.mean,
            lat_ns_stddev: self.stddev,
            lat_ns_max: self.max,
            lat_ns_percentiles: percentiles.collect(),
            lat_ns_histogram: self.coarse(),
            lat_ns_bins: self.bins.iter().map(|(ns, count)| (*ns, *count)).collect(),
            ..Traffic::default()
        }
    }

    fn coarse(&self) -> Vec<(u64, u64)> {
        let mut coarse: BTreeMap<u64, u64> = BTreeMap::new();
        for (ns, count) in &self.bins {
            *coarse.entry(bound_of(*ns)).or_default() += count;
        }
        coarse.into_iter().collect()
    }
}

/// Bins by the latency in their middle: fio 3 calls them so, and fio 2 by their numbers.
fn bins(mut object: Object, unit_ns: u64) -> Result<BTreeMap<u64, u64>, String> {
    let by_number = object.has(OF_FIO_2);
    object.text(OF_FIO_2);
    let counts = object.counts()?.into_iter().filter(|(_, count)| *count > 0);
    let called = |key: f64| match by_number {
        true => middle(key as usize),
        false => key as u64,
    };
    Ok(counts
        .map(|(key, count)| (called(key).saturating_mul(unit_ns), count))
        .collect())
}

/// The number that fio calls a bin by: that in its middle.
#[must_use]
pub fn middle(bin: usize) -> u64 {
    let [least, largest] = [Bins::least(bin), Bins::largest(bin)];
    least + (largest - least).div_ceil(2)
}

/// The upper bound of the range that a latency is in.
fn bound_of(ns: u64) -> u64 {
    let mut decade: u64 = 1;
    loop {
        let bounds = BOUNDS_A_DECADE.map(|bound| u128::from(bound) * u128::from(decade) / 1000);
        if let Some(bound) = bounds.into_iter().find(|bound| u128::from(ns) <= *bound) {
            return u64::try_from(bound).unwrap_or(u64::MAX);
        }
        let Some(next) = decade.checked_mul(10) else {
            return u64::MAX;
        };
        decade = next;
    }
}

/// The rate over whole seconds; none where there is none.
#[must_use]
pub fn per_second(ios: &[f64], bytes: &[f64]) -> Option<PerSecond> {
    if ios.is_empty() || bytes.is_empty() {
        return None;
    }
    Some(PerSecond {
        seconds: bytes.len() as u64,
        ios: extent(ios),
        bytes: extent(bytes),
    })
}

fn extent(values: &[f64]) -> Extent {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Extent {
        min: values.iter().copied().fold(f64::INFINITY, f64::min),
        max: values.iter().copied().fold(0.0, f64::max),
        mean,
        stddev: (squares / n).sqrt(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn latency(values: &[u64]) -> Latency {
        let n = values.len() as f64;
        let mean = values.iter().sum::<u64>() as f64 / n;
        let squares: f64 = values
            .iter()
            .map(|&value| (value as f64 - mean).powi(2))
            .sum();
        let mut bins = BTreeMap::new();
        for value in values {
            *bins.entry(*value).or_default() += 1;
        }
        Latency {
            count: values.len() as u64,
            min: *values.iter().min().unwrap(),
            max: *values.iter().max().unwrap(),
            mean,
            stddev: (squares / n).sqrt(),
            bins,
            stated: Vec::new(),
        }
    }

    fn read(value: serde_json::Value, unit_ns: u64, count: u64) -> Latency {
        Latency::read(Some(Object::of("lat", value).unwrap()), unit_ns, count).unwrap()
    }

    #[test]
    fn merged_latencies_are_those_of_all_together() {
        let (one, two): (Vec<u64>, Vec<u64>) =
            ((1..=40).collect(), (30..=300).step_by(3).collect());
        let mut merged = latency(&one);
        merged.merge(&latency(&two));
        merged.merge(&Latency::default());
        let all = latency(&[one, two].concat());
        assert!((merged.mean - all.mean).abs() < 1e-9 && (merged.stddev - all.stddev).abs() < 1e-9);
        assert_eq!(
            (merged.count, merged.min, merged.max, &merged.bins),
            (all.count, all.min, all.max, &all.bins)
        );
        let mut first = Latency::default();
        first.merge(&all);
        assert_eq!(first, all);
    }

    #[test]
    fn a_percentile_needs_ten_samples_beyond_it() {
        let values: Vec<u64> = (1..=10_000).collect();
        let all = latency(&values);
        assert_eq!(all.percentile(50.0), Some(5000));
        assert_eq!(all.percentile(99.9), Some(9990));
        assert_eq!(all.percentile(99.99), None);
        assert_eq!(latency(&values[..19]).percentile(50.0), None);
        let traffic = all.traffic(10_000, 40_960_000, 2.0);
        assert_eq!(traffic.percentile_ns(99.99), None);
        let binned: u64 = traffic.lat_ns_histogram.iter().map(|row| row.1).sum();
        assert_eq!(binned, 10_000);
        assert_eq!((traffic.iops, traffic.bytes_per_s), (5000.0, 20_480_000.0));
    }

    #[test]
    fn percentiles_that_fio_worked_out_stand_in_for_bins_until_jobs_are_merged() {
        let value = json!({"min": 2, "max": 90, "mean": 30.0, "stddev": 4.0, "N": 2000,
                           "percentile": {"99.000000": 70, "50.000000": 28, "99.900000": 88, "75.000000": 40}});
        let mut one = read(value, 1, 0);
        assert_eq!(
            (one.percentile(99.0), one.percentile(99.9)),
            (Some(70), None)
        );
        assert_eq!(one.percentile(95.0), None);
        let traffic = one.traffic(2000, 0, 1.0);
        assert_eq!(
            traffic.lat_ns_percentiles,
            [(50.0, 28), (75.0, 40), (99.0, 70)]
        );
        one.merge(&one.clone());
        assert_eq!((one.count, one.percentile(50.0)), (4000, None));
        // Bins of one job alone are not those of both.
        let mut binned = latency(&[10; 100]);
        binned.merge(&one);
        assert!(!binned.has_distribution());
    }

    #[test]
    fn fio_2_has_microseconds_and_bins_by_their_numbers() {
        let value = json!({"min": 10, "max": 2000, "mean": 100.5, "stddev": 8.0,
                           "percentile": {"50.000000": 100, "0.00": 0},
                           "bins": {"FIO_IO_U_PLAT_BITS": 6, "FIO_IO_U_PLAT_VAL": 64, "FIO_IO_U_PLAT_NR": 1216,
                                    "100": 30, "128": 20, "5": 0}});
        let of = read(value, 1000, 50);
        assert_eq!((of.count, of.min, of.mean), (50, 10_000, 100_500.0));
        assert_eq!(of.bins, BTreeMap::from([(100_000, 30), (129_000, 20)]));
        assert_eq!(of.stated, [(50.0, 100_000)]);
        // Nothing was timed where the longest is 0.
        assert_eq!(read(json!({"min": 0, "max": 0}), 1000, 50).count, 0);
    }

    #[test]
    fn bins_are_called_by_their_middles() {
        for (bin, middle_ns) in [(0, 0), (127, 127), (128, 129), (737, 99_840)] {
            assert_eq!(middle(bin), middle_ns, "{bin}");
        }
        assert_eq!(bound_of(u64::MAX), u64::MAX);
    }
}
