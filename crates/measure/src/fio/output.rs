//! What fio says of a run: `--output-format=json+`.

use ftlab_result::quantity::PERCENTILES;
use ftlab_result::{Extent, PerSecond, Traffic};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Samples beyond a percentile, without which it would be the latency of a few.
pub const BEYOND_MIN: f64 = 10.0;

/// Upper bounds of the coarse histogram: ten a decade, the preferred numbers of the R10 series to four digits.
const BOUNDS_A_DECADE: [u64; 10] = [1000, 1259, 1585, 1995, 2512, 3162, 3981, 5012, 6310, 7943];

/// What fio says.
#[derive(Debug, Clone, Deserialize)]
pub struct Output {
    /// Options of the global section.
    #[serde(default, rename = "global options")]
    pub global: BTreeMap<String, String>,
    /// Jobs, or groups of them that are reported as one.
    #[serde(default)]
    pub jobs: Vec<FioJob>,
}

/// A job, or a group of jobs.
#[derive(Debug, Clone, Deserialize)]
pub struct FioJob {
    /// Its name.
    #[serde(rename = "jobname")]
    pub name: String,
    /// Jobs of one group ran at the same time.
    #[serde(rename = "groupid")]
    pub group: u32,
    /// The system's number of the error that it ended with; 0 for none.
    #[serde(default)]
    pub error: i32,
    /// The options of its section.
    #[serde(default, rename = "job options")]
    pub options: BTreeMap<String, String>,
    /// Reads.
    pub read: Direction,
    /// Writes.
    pub write: Direction,
    /// Trims.
    pub trim: Direction,
    /// Flushes.
    #[serde(default)]
    pub sync: Sync,
}

/// A direction of a job.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Direction {
    /// Bytes moved.
    pub io_bytes: u64,
    /// Commands completed.
    pub total_ios: u64,
    /// Length of its statistics in milliseconds.
    pub runtime: u64,
    /// Latencies from the beginning of a request to its completion.
    pub lat_ns: Latency,
}

/// Flushes of a job.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Sync {
    /// Latencies of flushes.
    #[serde(default)]
    pub lat_ns: Latency,
}

/// Latencies as fio has them.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct Latency {
    #[serde(rename = "N", default)]
    count: u64,
    #[serde(default)]
    min: u64,
    #[serde(default)]
    max: u64,
    #[serde(default)]
    mean: f64,
    #[serde(default)]
    stddev: f64,
    /// (a latency in nanoseconds, count) of fio's bins.
    #[serde(default)]
    bins: BTreeMap<u64, u64>,
}

impl Output {
    /// Reads what fio wrote; lines in front of it are remarks.
    ///
    /// # Errors
    /// When it is something else.
    pub fn parse(text: &str) -> Result<Output, String> {
        let begin = text.find('{').ok_or("it wrote no results")?;
        serde_json::from_str(&text[begin..])
            .map_err(|why| format!("its results cannot be read ({why})"))
    }
}

impl FioJob {
    /// Seconds of its statistics.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        let ms = [&self.read, &self.write, &self.trim].map(|direction| direction.runtime);
        ms.into_iter().max().unwrap_or(0) as f64 / 1e3
    }
}

impl Latency {
    /// Takes in the latencies of another job.
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
        for (ns, count) in &other.bins {
            *self.bins.entry(*ns).or_default() += count;
        }
    }

    /// A percentile in nanoseconds; none where fewer than ten samples lie beyond it.
    #[must_use]
    pub fn percentile(&self, percent: f64) -> Option<u64> {
        let binned: u64 = self.bins.values().sum();
        // A thousandth more lets 99.9 % of ten thousand be what it is in a float.
        let beyond = binned as f64 * (100.0 - percent) / 100.0 * 1.001;
        if beyond < BEYOND_MIN {
            return None;
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
        let percentiles = PERCENTILES.iter();
        let percentiles = percentiles.filter_map(|&of| Some((of, self.percentile(of)?)));
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

/// The upper bound of the range that a latency is in.
fn bound_of(ns: u64) -> u64 {
    let mut decade = 1;
    loop {
        let bounds = BOUNDS_A_DECADE.map(|bound| bound * decade / 1000);
        if let Some(bound) = bounds.into_iter().find(|bound| ns <= *bound) {
            return bound;
        }
        decade *= 10;
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
        }
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
        assert_eq!(
            traffic
                .lat_ns_histogram
                .iter()
                .map(|row| row.1)
                .sum::<u64>(),
            10_000
        );
        assert_eq!((traffic.iops, traffic.bytes_per_s), (5000.0, 20_480_000.0));
    }

    #[test]
    fn remarks_in_front_of_the_results_are_left_out() {
        let none = r#"{"io_bytes":0,"total_ios":0,"runtime":0,"lat_ns":{"min":0,"max":0,"mean":0.0,"stddev":0.0,"N":0}}"#;
        let text = format!(
            r#"note: something
{{"jobs":[{{"jobname":"a","groupid":0,"error":5,"read":{none},"write":{none},"trim":{none}}}]}}"#
        );
        let output = Output::parse(&text).unwrap();
        assert_eq!(
            (output.jobs[0].name.as_str(), output.jobs[0].error),
            ("a", 5)
        );
        assert!(
            Output::parse("fio: no such file")
                .unwrap_err()
                .contains("no results")
        );
        assert!(
            Output::parse("{\"jobs\": 1}")
                .unwrap_err()
                .contains("cannot be read")
        );
    }
}
