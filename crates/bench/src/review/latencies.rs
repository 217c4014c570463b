//! Latencies of reads, writes and flushes as figures of their own, by the percentiles that the field speaks of.

use crate::suites::Latencies;
use ftlab_result::Run;
use ftlab_result::quantity::{self, Kind, Quantity, table};
use std::collections::BTreeMap;

/// Percentiles that become figures.
const PERCENTILES: [f64; 5] = [50.0, 99.0, 99.9, 99.99, 99.999];

/// Requests above a percentile, without which it is the latency of one of them.
const ABOVE_MIN: f64 = 5.0;

/// `read_lat_p99_us` and its like of the jobs that are asked for; `writes_per_s` of all of them together; and, where
/// writes were followed by flushes, `commits_per_s` and `commit_us`, which is what a write and its flush take.
pub fn metrics(run: &Run, of: &Latencies) -> BTreeMap<String, f64> {
    let mut metrics = BTreeMap::new();
    let (read, write, flush) = match of {
        Latencies::Unread => return metrics,
        Latencies::OfAll => (&run.read, &run.write, &run.flush),
        Latencies::Of(name) => {
            let Some(job) = run.jobs.iter().find(|job| job.name == *name) else {
                return metrics;
            };
            (&job.read, &job.write, &job.flush)
        }
    };
    for (kind, traffic) in [
        (Kind::Read, read),
        (Kind::Write, write),
        (Kind::Flush, flush),
    ] {
        for percent in PERCENTILES {
            let above = traffic.ios as f64 * (1.0 - percent / 100.0);
            if let Some(ns) = traffic.percentile_ns(percent)
                && above >= ABOVE_MIN
            {
                metrics.insert(quantity::of_percentile(kind, percent), ns as f64 / 1e3);
            }
        }
    }
    let mut put = |of: &Quantity, value: f64| of.put(&mut metrics, value);
    if run.write.ios > 0 {
        put(&table::WRITES_PER_S, run.write.iops);
    }
    // A commit is a write and the flush behind it, one after the other.
    if flush.ios > 0 {
        put(&table::COMMITS_PER_S, flush.iops);
        put(
            &table::COMMIT_US,
            (write.lat_ns_mean + flush.lat_ns_mean) / 1e3,
        );
    }
    metrics
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftlab_result::{Job, Traffic};

    fn traffic(ios: u64, us: u64) -> Traffic {
        Traffic {
            ios,
            iops: ios as f64,
            lat_ns_mean: us as f64 * 1e3,
            lat_ns_percentiles: PERCENTILES.map(|p| (p, us * 1000)).to_vec(),
            ..Traffic::default()
        }
    }

    fn job(name: &str, us: u64) -> Job {
        let job = serde_json::json!({
            "name": name, "group": 0, "clones": 1, "iodepth": 1, "measured_ns": 1
        });
        Job {
            write: traffic(10_000, us),
            ..serde_json::from_value(job).expect("a job")
        }
    }

    #[test]
    fn a_probe_s_latencies_are_its_own_and_the_rate_is_of_all() {
        let run = Run {
            write: traffic(20_000, 500),
            jobs: vec![job("load", 990), job("probe", 10)],
            ..Run::default()
        };
        let of = metrics(&run, &Latencies::Of("probe".to_owned()));
        assert_eq!(of["write_lat_p50_us"], 10.0);
        assert_eq!(of["writes_per_s"], 20_000.0);
        assert!(!of.contains_key("read_lat_p50_us"), "it did not read");
        // Ten thousand requests have one above their 99.99th percentile.
        assert!(of.contains_key("write_lat_p999_us") && !of.contains_key("write_lat_p9999_us"));
        assert_eq!(metrics(&run, &Latencies::OfAll)["write_lat_p50_us"], 500.0);
        assert!(metrics(&run, &Latencies::Unread).is_empty());
    }

    #[test]
    fn a_commit_is_a_write_and_its_flush() {
        let run = Run {
            write: traffic(10_000, 10),
            flush: traffic(10_000, 90),
            ..Run::default()
        };
        let of = metrics(&run, &Latencies::OfAll);
        assert_eq!((of["commit_us"], of["commits_per_s"]), (100.0, 10_000.0));
    }
}
