//! Figures of a part of a run's course over time: `mean_mb_s[..30]`.

use super::statistics::{least, mean, most, scatter};
use crate::Run;

/// The mean, the least, the most or the scatter of the IOPS or the MB/s in some of a run's seconds: from the one until the
/// other, from the end if it is negative, or in percent of all.
pub(super) fn value(run: &Run, name: &str) -> Option<f64> {
    let (name, part) = name.strip_suffix(']')?.split_once('[')?;
    let (statistic, series) = name.split_once('_')?;
    let (series, unit) = match series {
        "iops" => (numbers(&run.series_ios), 1.0),
        "mb_s" => (numbers(&run.series_bytes), 1e6),
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

fn numbers(series: &[u64]) -> Vec<f64> {
    series.iter().map(|&count| count as f64).collect()
}

/// Reads the second at which a part of a series begins or ends; `unsaid` where the text is empty, none where it is no
/// number.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_series_have_their_figures() {
        let run = Run {
            series_ios: vec![10, 20, 30, 40, 50, 60, 70, 80, 90, 100],
            series_bytes: vec![2_000_000; 10],
            ..Run::default()
        };
        for (name, figure) in [
            ("mean_iops[..3]", 20.0),
            ("mean_iops[50%..]", 80.0),
            ("mean_iops[20%..40%]", 35.0),
            ("most_iops[-3..-1]", 90.0),
            ("least_iops[8..20]", 90.0),
            ("scatter_mb_s[..]", 0.0),
        ] {
            assert!((value(&run, name).unwrap() - figure).abs() < 1e-9, "{name}");
        }
        for name in ["mean_iops", "sum_iops[..]", "mean_iops[x..]", "mean_wa[..]"] {
            assert_eq!(value(&run, name), None, "{name}");
        }
    }
}
