//! Latencies in fio's JSON.

use ftlab_base::{CommandKind, LatencyHistogram};
use ftlab_play::driver::JobReport;
use ftlab_play::record::PERCENTILES;
use serde::ser::{Serialize, Serializer};

/// An object whose keys keep their order.
#[derive(Debug)]
pub struct Map<K, V>(pub Vec<(K, V)>);

impl<K, V> Default for Map<K, V> {
    fn default() -> Self {
        Map(Vec::new())
    }
}

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
    /// Percentiles are given for completion latencies that there are, as in fio.
    pub fn of(latency: Option<&LatencyHistogram>, with_percentiles: bool) -> Latency {
        let none = LatencyHistogram::default;
        let percentiles = |latency: &LatencyHistogram| {
            Map(PERCENTILES
                .map(|p| (format!("{p:.6}"), latency.percentile(p).0))
                .to_vec())
        };
        let percentile = latency.filter(|_| with_percentiles).map(percentiles);
        let latency = latency.cloned().unwrap_or_else(none);
        Latency {
            min: latency.min().0,
            max: latency.max().0,
            mean: latency.mean_ns(),
            stddev: latency.stddev_ns(),
            count: latency.count(),
            percentile,
        }
    }
}

/// Shares of a job's commands by latency, in percent.
#[derive(Debug)]
pub struct Spectrum {
    pub ns: Map<&'static str, f64>,
    pub us: Map<&'static str, f64>,
    pub ms: Map<&'static str, f64>,
}

/// fio's bounds, in nanoseconds, microseconds and milliseconds.
const BOUNDS: [(&str, u64); 10] = [
    ("2", 2),
    ("4", 4),
    ("10", 10),
    ("20", 20),
    ("50", 50),
    ("100", 100),
    ("250", 250),
    ("500", 500),
    ("750", 750),
    ("1000", 1000),
];
const SECONDS: [(&str, u64); 2] = [("2000", 2_000), (">=2000", u64::MAX)];

/// Counts a job's reads, writes and trims into fio's buckets: each holds what is below its bound
/// and not below the one before.
pub fn spectrum(report: &JobReport) -> Spectrum {
    let mut spectrum = Spectrum {
        ns: empty(BOUNDS.as_slice()),
        us: empty(BOUNDS.as_slice()),
        ms: empty(&[BOUNDS.as_slice(), SECONDS.as_slice()].concat()),
    };
    let kinds = [CommandKind::Read, CommandKind::Write, CommandKind::Trim];
    let total: u64 = kinds.iter().map(|&kind| report.direction(kind).ios).sum();
    for latency in kinds
        .iter()
        .filter_map(|&kind| report.direction(kind).latency())
    {
        for (ns, count) in latency.buckets() {
            spectrum.add(ns, 100.0 * count as f64 / total as f64);
        }
    }
    spectrum
}

fn empty(bounds: &[(&'static str, u64)]) -> Map<&'static str, f64> {
    Map(bounds.iter().map(|(name, _)| (*name, 0.0)).collect())
}

impl Spectrum {
    fn add(&mut self, ns: u64, share: f64) {
        let (map, value) = match ns {
            0..1_000 => (&mut self.ns, ns),
            1_000..1_000_000 => (&mut self.us, ns / 1_000),
            _ => (&mut self.ms, ns / 1_000_000),
        };
        let bounds = BOUNDS.iter().chain(&SECONDS);
        let place = bounds.take_while(|(_, bound)| value >= *bound).count();
        let last = map.0.len() - 1;
        map.0[place.min(last)].1 += share;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_latency_falls_into_fio_bucket() {
        let mut spectrum = Spectrum {
            ns: empty(BOUNDS.as_slice()),
            us: empty(BOUNDS.as_slice()),
            ms: empty(&[BOUNDS.as_slice(), SECONDS.as_slice()].concat()),
        };
        for ns in [1_000, 1_999, 2_000, 89_000, 1_500_000_000, 15_000_000_000] {
            spectrum.add(ns, 1.0);
        }
        let shares = |map: &Map<&str, f64>| {
            let found = map.0.iter().filter(|(_, share)| *share > 0.0);
            found
                .map(|(name, share)| format!("{name}={share}"))
                .collect::<Vec<_>>()
        };
        assert_eq!(shares(&spectrum.us), ["2=2", "4=1", "100=1"]);
        assert_eq!(shares(&spectrum.ms), ["2000=1", ">=2000=1"]);
    }
}
