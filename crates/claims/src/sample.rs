//! What a measurement came to: figures by their names.

use crate::words::{least, mean, most, scatter};
use ftlab_bench::drops::drops;
use ftlab_result::{Run, Traffic};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// What a measurement came to.
#[derive(Debug, Clone, Default)]
pub struct Sample {
    /// The run, or the figures of an experiment as those of one.
    pub run: Run,
    /// Figures that were asked for in vain.
    absent: RefCell<BTreeSet<String>>,
}

impl Sample {
    /// That of a run.
    pub fn of(run: Run) -> Sample {
        Sample {
            run,
            ..Sample::default()
        }
    }

    /// A figure by its name: one of the run's metrics, one that follows from its counts, or one of a part of
    /// its series, such as `mean_iops[50%..]`. Without it nothing can be judged: the claim stays open.
    pub fn get(&self, name: &str) -> f64 {
        let metric = self.run.metrics.get(name).copied();
        let figure = metric.or_else(|| self.counted(name));
        figure.or_else(|| self.of_part(name)).unwrap_or_else(|| {
            let absent = format!("`{name}` of {}", self.run.drive);
            self.absent.borrow_mut().insert(absent);
            f64::NAN
        })
    }

    /// Figures that were asked for in vain.
    pub fn absent(&self) -> BTreeSet<String> {
        self.absent.borrow().clone()
    }

    fn counted(&self, name: &str) -> Option<f64> {
        let (run, inside) = (&self.run, self.run.inside.as_ref());
        Some(match name {
            "seconds" => run.seconds,
            "read_lat_avg_ms" => run.read.lat_ns_mean / 1e6,
            "read_lat_max_ms" => run.read.lat_ns_max as f64 / 1e6,
            "read_lat_p99_ms" => {
                let mut percentiles = run.read.lat_ns_percentiles.iter();
                percentiles.find(|(percent, _)| *percent == 99.0)?.1 as f64 / 1e6
            }
            "written_gb" => run.write.bytes as f64 / 1e9,
            "writes_over_2_ms" => share_above(&run.write, 2_000_000),
            "writes_over_100_ms" => share_above(&run.write, 100_000_000),
            "still_pct" => {
                let still = run.series_bytes.iter().filter(|&&bytes| bytes == 0).count();
                100.0 * still as f64 / run.series_bytes.len().max(1) as f64
            }
            "nand_reads" => inside?.nand_reads as f64,
            "gc_share" => inside?.gc_share.unwrap_or(f64::NAN),
            "buffer_stalls" => inside?.buffer_stalls as f64,
            "drop_s" => self.drop().map_or(f64::INFINITY, |(seconds, _)| seconds),
            "drop_gb" => self.drop().map_or(f64::NAN, |(_, gb)| gb),
            _ => return None,
        })
    }

    /// Seconds until the rate first drops for good, and GB moved until then; none if it does not.
    pub fn drop(&self) -> Option<(f64, f64)> {
        let series = numbers(&self.run.series_bytes);
        let at = *drops(&series).first()?;
        Some((at as f64, series[..at].iter().sum::<f64>() / 1e9))
    }

    /// `mean_mb_s[..30]`: the mean, the least, the most or the scatter of the IOPS or the MB/s in some of a
    /// run's seconds: from the one until the other, from the end if it is negative, or in percent of all.
    fn of_part(&self, name: &str) -> Option<f64> {
        let (name, part) = name.strip_suffix(']')?.split_once('[')?;
        let (statistic, series) = name.split_once('_')?;
        let (series, unit) = match series {
            "iops" => (numbers(&self.run.series_ios), 1.0),
            "mb_s" => (numbers(&self.run.series_bytes), 1e6),
            _ => return None,
        };
        let (of, unit): (fn(&[f64]) -> f64, f64) = match statistic {
            "mean" => (mean, unit),
            "least" => (least, unit),
            "most" => (most, unit),
            // The mean sets the scale, whatever the unit is.
            "scatter" => (scatter, 1.0),
            _ => return None,
        };
        let (from, until) = part.split_once("..")?;
        let until = second(until, series.len(), series.len())?;
        let from = second(from, 0, series.len())?.min(until);
        Some(of(&series[from..until]) / unit)
    }
}

fn numbers(series: &[u64]) -> Vec<f64> {
    series.iter().map(|&count| count as f64).collect()
}

/// Where a part of N seconds begins or ends.
fn second(text: &str, unsaid: usize, all: usize) -> Option<usize> {
    if text.is_empty() {
        return Some(unsaid);
    }
    if let Some(percent) = text.strip_suffix('%') {
        return Some(all * percent.parse::<usize>().ok()?.min(100) / 100);
    }
    match text.strip_prefix('-') {
        Some(back) => Some(all.saturating_sub(back.parse().ok()?)),
        None => Some(text.parse::<usize>().ok()?.min(all)),
    }
}

/// The share of the commands that took longer than this.
fn share_above(traffic: &Traffic, bound_ns: u64) -> f64 {
    let above = (traffic.lat_ns_histogram.iter()).filter(|(upper, _)| *upper > bound_ns);
    above.map(|(_, count)| *count).sum::<u64>() as f64 / traffic.ios.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_series_have_their_figures() {
        let sample = Sample::of(Run {
            series_ios: vec![10, 20, 30, 40, 50, 60, 70, 80, 90, 100],
            series_bytes: vec![2_000_000; 10],
            ..Run::default()
        });
        for (name, figure) in [
            ("mean_iops[..3]", 20.0),
            ("mean_iops[50%..]", 80.0),
            ("mean_iops[20%..40%]", 35.0),
            ("most_iops[-3..-1]", 90.0),
            ("least_iops[8..20]", 90.0),
            ("scatter_mb_s[..]", 0.0),
        ] {
            assert!((sample.get(name) - figure).abs() < 1e-9, "{name}");
        }
        assert!(sample.absent().is_empty());
        for name in ["mean_iops", "sum_iops[..]", "mean_iops[x..]", "mean_wa[..]"] {
            assert!(sample.get(name).is_nan(), "{name}");
        }
        assert_eq!(sample.absent().len(), 4);
    }
}
