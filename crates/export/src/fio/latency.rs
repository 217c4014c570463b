//! Latencies in fio's JSON.

use ftlab_result::{FIO_BOUNDS, Job, Traffic};
use serde::ser::{Serialize, Serializer};

/// An object whose keys keep their order.
#[derive(Debug)]
pub struct Map<K, V>(pub Vec<(K, V)>);

impl<K: Serialize, V: Serialize> Serialize for Map<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

/// One of fio's latency objects, in nanoseconds.
#[derive(Debug, serde::Serialize)]
pub struct Latency {
    min: u64,
    max: u64,
    mean: f64,
    stddev: f64,
    #[serde(rename = "N")]
    count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    percentile: Option<Map<String, u64>>,
}

impl Latency {
    /// Percentiles are given for completion latencies that there are, as in fio. An untimed run has none.
    pub fn of(traffic: &Traffic, with_percentiles: bool) -> Latency {
        let percentiles = &traffic.lat_ns_percentiles;
        let percentile = percentiles.iter().map(|(p, ns)| (format!("{p:.6}"), *ns));
        let is_timed = !percentiles.is_empty();
        Latency {
            min: traffic.lat_ns_min,
            max: traffic.lat_ns_max,
            mean: traffic.lat_ns_mean,
            stddev: traffic.lat_ns_stddev,
            count: if is_timed { traffic.ios } else { 0 },
            percentile: (with_percentiles && is_timed).then(|| Map(percentile.collect())),
        }
    }
}

/// Shares of a job's commands by latency, in percent.
#[derive(Debug, serde::Serialize)]
pub struct Spectrum {
    latency_ns: Map<String, f64>,
    latency_us: Map<String, f64>,
    latency_ms: Map<String, f64>,
}

/// A job's reads, writes and trims in fio's buckets, each called by its upper bound.
pub fn spectrum(job: &Job) -> Spectrum {
    let total: u64 = job.lat_ns_fio.iter().map(|(_, count)| count).sum();
    let share = |lower: u64| {
        let found = job.lat_ns_fio.iter().find(|(other, _)| *other == lower);
        found.map_or(0.0, |(_, count)| 100.0 * *count as f64 / total as f64)
    };
    // The first bucket of a unit begins where the last of the unit below ends.
    let of_unit = |unit: u64, least: u64| {
        let lowers = std::iter::once(least).chain(FIO_BOUNDS);
        let buckets = lowers.zip(FIO_BOUNDS);
        let named = buckets.map(|(lower, upper)| (upper.to_string(), share(lower * unit)));
        named.collect::<Vec<_>>()
    };
    let mut milliseconds = of_unit(1_000_000, 1);
    milliseconds.push(("2000".to_owned(), share(1_000_000_000)));
    milliseconds.push((">=2000".to_owned(), share(2_000_000_000)));
    Spectrum {
        latency_ns: Map(of_unit(1, 0)),
        latency_us: Map(of_unit(1_000, 1)),
        latency_ms: Map(milliseconds),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_is_called_by_its_upper_bound() {
        let job: Job = serde_json::from_value(serde_json::json!({
            "name": "j", "group": 0, "clones": 1, "iodepth": 1, "measured_ns": 1,
            "lat_ns_fio": [[0, 1], [1000, 2], [50_000, 4], [1_000_000_000_u64, 2], [2_000_000_000_u64, 1]],
        }))
        .unwrap();
        let of = spectrum(&job);
        let shares = |map: &Map<String, f64>| {
            let found = map.0.iter().filter(|(_, share)| *share > 0.0);
            let words = found.map(|(name, share)| format!("{name}={share}"));
            words.collect::<Vec<_>>()
        };
        assert_eq!(shares(&of.latency_ns), ["2=10"]);
        assert_eq!(shares(&of.latency_us), ["2=20", "100=40"]);
        assert_eq!(shares(&of.latency_ms), ["2000=20", ">=2000=10"]);
    }
}
