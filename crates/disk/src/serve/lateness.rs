//! Lateness of the answers: a table of percentiles and a histogram.

use ftlab_attach::Engine;
use ftlab_base::{LatencyHistogram, Nanos};
use ftlab_console::options::OutputFormat;
use serde_json::json;
use std::fmt::Write;

/// Columns of the longest bar.
const BAR_COLUMNS: f64 = 50.0;

const PERCENTS: [f64; 5] = [50.0, 90.0, 99.0, 99.9, 100.0];

/// Formats the lateness of an engine's answers.
pub fn report(engine: &Engine, format: OutputFormat) -> String {
    let late = engine.statistics().lateness;
    match format {
        OutputFormat::Normal => text(&late),
        OutputFormat::Json => {
            let at = |percent| late.percentile(percent).0;
            let value = json!({
                "lateness_ns": {
                    "count": late.count(),
                    "mean": late.mean_ns(),
                    "p50": at(50.0),
                    "p90": at(90.0),
                    "p99": at(99.0),
                    "p99.9": at(99.9),
                    "max": late.max().0,
                }
            });
            format!("{value}\n")
        }
    }
}

fn text(late: &LatencyHistogram) -> String {
    let mut out = format!("lateness of {} answers", late.count());
    if late.count() == 0 {
        return out + "\n";
    }
    for percent in PERCENTS {
        let name = match percent {
            100.0 => "max".to_owned(),
            percent => format!("p{percent}"),
        };
        let at = late.percentile(percent);
        write!(out, "  {name} {at}").expect("writing to a string");
    }
    out.push('\n');
    let bins = bins(late);
    let most = bins.iter().map(|bin| bin.1).max().unwrap_or(1);
    for (below, count) in bins {
        let bar = "#".repeat((count as f64 / most as f64 * BAR_COLUMNS).ceil() as usize);
        let below = Nanos(below).to_string();
        writeln!(out, "  below {below:>9}  {count:>9} {bar}").expect("writing to a string");
    }
    out
}

/// (upper bound in nanoseconds, count): microseconds in powers of two, from the first to the last with
/// something in it.
fn bins(late: &LatencyHistogram) -> Vec<(u64, u64)> {
    let mut bins = vec![(1_000, 0)];
    for (upper, count) in late.buckets() {
        let mut bin = bins[bins.len() - 1];
        while upper >= bin.0 {
            bin = (bin.0 * 2, 0);
            bins.push(bin);
        }
        *bins.last_mut().expect("the first") = (bin.0, bin.1 + count);
    }
    let first = bins.iter().position(|bin| bin.1 > 0).unwrap_or(bins.len());
    bins.split_off(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_double_and_none_is_left_out_between_others() {
        let mut late = LatencyHistogram::default();
        for us in [3, 3, 5, 5, 5, 20] {
            late.record(Nanos::from_micros(us));
        }
        let us = |(below, count)| (below / 1_000, count);
        let found: Vec<_> = bins(&late).into_iter().map(us).collect();
        assert_eq!(found, [(4, 2), (8, 3), (16, 0), (32, 1)]);
    }

    #[test]
    fn the_text_has_percentiles_and_bars() {
        let mut late = LatencyHistogram::default();
        assert_eq!(text(&late), "lateness of 0 answers\n");
        for _ in 0..99 {
            late.record(Nanos::from_micros(3));
        }
        late.record(Nanos::from_micros(900));
        let text = text(&late);
        assert!(
            text.starts_with("lateness of 100 answers  p50 3.00 µs  p90"),
            "{text}"
        );
        assert!(text.contains("max 900 µs"), "{text}");
        assert!(text.contains(&"#".repeat(50)), "{text}");
    }
}
