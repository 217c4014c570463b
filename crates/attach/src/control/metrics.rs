//! A report as Prometheus reads it (OpenMetrics text).

use super::report::{DriveReport, Report};
use crate::engine::{Statistics, Tally};
use ftlab_base::LatencyHistogram;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{DescriptorEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::{Registry, Unit};
use std::fmt;

/// Upper bounds of the buckets of times, in nanoseconds: powers of two from a microsecond to a minute.
fn bounds_ns() -> impl Iterator<Item = u64> {
    (0..26).map(|power| 1_000 << power)
}

struct Metrics(Report, Statistics);

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Metrics").field(&self.0).finish()
    }
}

/// The report as text.
///
/// # Panics
/// Never: strings take all text.
#[must_use]
pub fn text(report: Report, statistics: Statistics) -> String {
    let mut registry = Registry::with_prefix("ftlab");
    registry.register_collector(Box::new(Metrics(report, statistics)));
    let mut text = String::new();
    encode(&mut text, &registry).expect("writing to a string");
    text
}

impl Metrics {
    fn tallies(&self) -> [([(&'static str, &'static str); 1], &Tally); 4] {
        let Statistics {
            reads,
            writes,
            trims,
            flushes,
            ..
        } = &self.1;
        [
            ([("kind", "read")], reads),
            ([("kind", "write")], writes),
            ([("kind", "trim")], trims),
            ([("kind", "flush")], flushes),
        ]
    }

    fn counts(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        type Count = fn(&Tally) -> u64;
        let counts: [(&str, &str, Option<&Unit>, Count); 3] = [
            ("requests", "Requests answered", None, |tally| {
                tally.requests
            }),
            (
                "requests_failed",
                "Requests answered with an error",
                None,
                |tally| tally.failed,
            ),
            (
                "requested",
                "What was read, written and trimmed",
                Some(&Unit::Bytes),
                |tally| tally.bytes,
            ),
        ];
        for (name, help, unit, count) in counts {
            let mut family = encoder.encode_descriptor(name, help, unit, MetricType::Counter)?;
            for (labels, tally) in self.tallies() {
                let mut one = family.encode_family(&labels)?;
                one.encode_counter::<NoLabelSet, _, u64>(&count(tally), None)?;
            }
        }
        Ok(())
    }

    fn times(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let (seconds, histogram) = (Some(&Unit::Seconds), MetricType::Histogram);
        let help = "From a request's arrival until the model was done";
        let mut family = encoder.encode_descriptor("latency", help, seconds, histogram)?;
        for (labels, tally) in self.tallies() {
            let (sum, buckets) = buckets(&tally.latency);
            let mut one = family.encode_family(&labels)?;
            one.encode_histogram::<NoLabelSet>(sum, tally.latency.count(), &buckets, None)?;
        }
        let late = &self.1.lateness;
        let (sum, buckets) = buckets(late);
        let help = "How long after the model was done answers left";
        let mut one = encoder.encode_descriptor("lateness", help, seconds, histogram)?;
        one.encode_histogram::<NoLabelSet>(sum, late.count(), &buckets, None)
    }

    /// Encodes the counts of the faults that somebody asked for.
    fn faults(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        if self.0.faults.is_empty() {
            return Ok(());
        }
        let help = "Requests with which a fault that was asked for went wrong";
        let mut family =
            encoder.encode_descriptor("fault_hits", help, None, MetricType::Counter)?;
        for fault in &self.0.faults {
            let labels = [
                ("number", fault.number.to_string()),
                ("fault", fault.kind.clone()),
            ];
            let mut one = family.encode_family(&labels)?;
            one.encode_counter::<NoLabelSet, _, u64>(&fault.hits, None)?;
        }
        Ok(())
    }

    /// The drive's counters and how it stands, a row each; what is not known of it has no row.
    fn drive(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let drive = &self.0.drive;
        for (name, help, unit, value) in COUNTERS {
            let Some(value) = value(drive) else { continue };
            let kind = MetricType::Counter;
            let mut one = encoder.encode_descriptor(name, help, unit.as_ref(), kind)?;
            one.encode_counter::<NoLabelSet, _, u64>(&value, None)?;
        }
        for (name, help, value) in GAUGES {
            let Some(value) = value(drive) else { continue };
            let mut one = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
            one.encode_gauge(&value)?;
        }
        Ok(())
    }
}

type Counter = (
    &'static str,
    &'static str,
    Option<Unit>,
    fn(&DriveReport) -> Option<u64>,
);

/// Totals since the drive was made: name, help, unit, value.
const COUNTERS: [Counter; 11] = [
    (
        "host_written",
        "Bytes the host wrote",
        Some(Unit::Bytes),
        |drive| Some(drive.counters.host_bytes_written),
    ),
    (
        "nand_programmed",
        "Bytes programmed",
        Some(Unit::Bytes),
        |drive| Some(drive.counters.nand_bytes_programmed),
    ),
    ("nand_reads", "Pages read", None, |drive| {
        Some(drive.counters.nand_reads)
    }),
    ("nand_programs", "Pages programmed", None, |drive| {
        Some(drive.counters.nand_programs)
    }),
    (
        "moved_programs",
        "Pages programmed to move data",
        None,
        |drive| Some(drive.counters.moved_programs),
    ),
    (
        "map_programs",
        "Pages programmed for the mapping table",
        None,
        |drive| Some(drive.counters.map_programs),
    ),
    ("nand_erases", "Blocks erased", None, |drive| {
        Some(drive.counters.nand_erases)
    }),
    (
        "buffer_stalls",
        "Writes that waited for room in the write buffer",
        None,
        |drive| Some(drive.counters.buffer_stalls),
    ),
    (
        "void_trims",
        "Trims that freed nothing, as they covered no whole slot",
        None,
        |drive| Some(drive.counters.void_trims),
    ),
    (
        "unreadable_reads",
        "Reads of pages beyond ECC",
        None,
        |drive| Some(drive.wear.as_ref()?.unreadable),
    ),
    (
        "made_good_reads",
        "Reads of pages beyond ECC that parity made good",
        None,
        |drive| Some(drive.wear.as_ref()?.made_good),
    ),
];

type Gauge = (&'static str, &'static str, fn(&DriveReport) -> Option<f64>);

/// Present values of the drive: name, help, value.
const GAUGES: [Gauge; 7] = [
    (
        "write_amplification",
        "Bytes programmed over bytes the host wrote",
        |drive| drive.write_amplification,
    ),
    ("takes_writes", "1 while the drive takes writes", |drive| {
        Some(f64::from(u8::from(drive.fault.is_none())))
    }),
    ("block_erases_mean", "Erases of the mean block", |drive| {
        Some(drive.wear.as_ref()?.erases_mean)
    }),
    (
        "block_erases_max",
        "Erases of the most worn block",
        |drive| Some(drive.wear.as_ref()?.erases_max.into()),
    ),
    ("grown_bad_blocks", "Blocks that went bad", |drive| {
        Some(drive.wear.as_ref()?.grown_bad_blocks.into())
    }),
    (
        "spare_superblocks",
        "Superblocks left to replace bad blocks with",
        |drive| Some(drive.wear.as_ref()?.spare_superblocks.into()),
    ),
    ("temperature_celsius", "How warm it is", |drive| {
        drive.celsius
    }),
];

/// The sum in seconds, and (upper bound in seconds, count), the last without bound.
fn buckets(histogram: &LatencyHistogram) -> (f64, Vec<(f64, u64)>) {
    let mut buckets: Vec<(u64, u64)> = bounds_ns().map(|bound| (bound, 0)).collect();
    let mut above = 0;
    for (upper_ns, count) in histogram.buckets() {
        match buckets.iter_mut().find(|bucket| upper_ns <= bucket.0) {
            Some(bucket) => bucket.1 += count,
            None => above += count,
        }
    }
    let mut buckets: Vec<_> = buckets
        .iter()
        .map(|(ns, count)| (*ns as f64 / 1e9, *count))
        .collect();
    buckets.push((f64::INFINITY, above));
    let sum_ns = histogram.mean_ns() * histogram.count() as f64;
    (sum_ns / 1e9, buckets)
}

impl Collector for Metrics {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        self.counts(&mut encoder)?;
        self.times(&mut encoder)?;
        self.faults(&mut encoder)?;
        self.drive(&mut encoder)
    }
}

#[cfg(test)]
mod tests;
