//! Latencies in fio's JSON.

use ftlab_result::{FIO_BOUNDS, Job, Reporting, Traffic};
use serde::ser::{Serialize, Serializer};

/// An object whose keys keep their order.
#[derive(Debug)]
pub struct Map<K, V>(pub Vec<(K, V)>);

impl<K, V> Map<K, V> {
    /// Returns `true` if the map has no entries.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<K: Serialize, V: Serialize> Serialize for Map<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

/// The percentiles that fio shows without `percentile_list`.
const PERCENTILES: [f64; 17] = [
    1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95,
    99.99,
];

/// The percentiles that a job is reported with: those of its `percentile_list`, or fio's own.
pub fn percentiles(reporting: &Reporting) -> &[f64] {
    match &reporting.percentiles[..] {
        [] => &PERCENTILES,
        own => own,
    }
}

/// The parts of latencies that are shown.
pub struct Shown<'a> {
    /// As the job has it.
    pub reporting: &'a Reporting,
    /// With fio's bins, wherever there are percentiles.
    pub with_bins: bool,
}

/// The parts of one kind of latency that are shown.
#[derive(Clone, Copy)]
pub struct Details<'a> {
    /// The job keeps them.
    is_kept: bool,
    percentiles: Option<&'a [f64]>,
    with_bins: bool,
}

impl<'a> Shown<'a> {
    fn details(&self, is_kept: bool, is_shown: bool) -> Details<'a> {
        Details {
            is_kept,
            percentiles: is_shown.then(|| percentiles(self.reporting)),
            with_bins: is_shown && self.with_bins,
        }
    }

    /// Latencies up to submission, if the job has any.
    pub fn of_slat(&self, has_any: bool) -> Details<'a> {
        let is_kept = has_any && !self.reporting.without_slat;
        self.details(is_kept, self.reporting.of_slat)
    }

    /// The parts of completion latencies that are shown.
    pub fn of_clat(&self) -> Details<'a> {
        self.details(!self.reporting.without_clat, self.reporting.of_clat)
    }

    /// Latencies from the beginning of a request on.
    pub fn of_lat(&self) -> Details<'a> {
        self.details(!self.reporting.without_lat, self.reporting.of_lat)
    }

    /// Latencies of flushes, which have one kind.
    pub fn of_flush(&self) -> Details<'a> {
        let of_lat = self.reporting.of_lat && !self.reporting.without_lat;
        self.details(
            !self.reporting.without_clat,
            self.reporting.of_clat || of_lat,
        )
    }
}

/// One of fio's latency objects, in nanoseconds.
#[derive(Debug, Default, serde::Serialize)]
pub struct Latency {
    min: u64,
    max: u64,
    mean: f64,
    stddev: f64,
    #[serde(rename = "N")]
    count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    percentile: Option<Map<String, u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bins: Option<Map<String, u64>>,
}

impl Latency {
    /// Percentiles and bins are given of latencies that there are, as in fio. An untimed run has none.
    pub fn of(traffic: &Traffic, shown: Details<'_>) -> Latency {
        if !shown.is_kept {
            return Latency::default();
        }
        let is_timed = traffic.is_timed();
        let percentile = |percentiles: &[f64]| {
            let known = traffic.lat_ns_percentiles.iter();
            let shown = known.filter(|(percent, _)| percentiles.contains(percent));
            Map(shown
                .map(|(percent, ns)| (format!("{percent:.6}"), *ns))
                .collect())
        };
        let bins = traffic.lat_ns_bins.iter();
        let bins = bins.map(|(ns, count)| (ns.to_string(), *count));
        Latency {
            min: traffic.lat_ns_min,
            max: traffic.lat_ns_max,
            mean: traffic.lat_ns_mean,
            stddev: traffic.lat_ns_stddev,
            count: if is_timed { traffic.ios } else { 0 },
            percentile: shown.percentiles.filter(|_| is_timed).map(percentile),
            bins: (shown.with_bins && is_timed).then(|| Map(bins.collect())),
        }
    }

    /// The latencies of submissions, all of which are zero: a modelled host submits in no time.
    pub fn of_submissions(commands: u64, shown: Details<'_>) -> Latency {
        if !shown.is_kept || commands == 0 {
            return Latency::default();
        }
        let zero = |percent: &f64| (format!("{percent:.6}"), 0);
        Latency {
            count: commands,
            percentile: (shown.percentiles).map(|shown| Map(shown.iter().map(zero).collect())),
            bins: shown
                .with_bins
                .then(|| Map(vec![("0".to_owned(), commands)])),
            ..Latency::default()
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

impl Spectrum {
    /// Shares of the microseconds, of which the first has all that is shorter, and of the milliseconds.
    pub fn of_us_and_ms(&self) -> Vec<f64> {
        let shares = |map: &Map<String, f64>| map.0.iter().map(|(_, share)| *share).collect();
        let (ns, mut us): (Vec<f64>, Vec<f64>) =
            (shares(&self.latency_ns), shares(&self.latency_us));
        us[0] += ns.iter().sum::<f64>();
        us.extend::<Vec<f64>>(shares(&self.latency_ms));
        us
    }
}

/// A job's reads, writes and trims in fio's buckets, each called by its upper bound; none of a job that leaves them out.
pub fn spectrum(job: &Job, is_left_out: bool) -> Spectrum {
    let counted = if is_left_out {
        &[][..]
    } else {
        &job.lat_ns_fio
    };
    let total: u64 = counted.iter().map(|(_, count)| count).sum();
    let share = |lower: u64| {
        let found = counted.iter().find(|(other, _)| *other == lower);
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
        let of = spectrum(&job, false);
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
