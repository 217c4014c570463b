//! How far a form is off: what follows from a card beside what the model gives, over loads that the card was not made of.

use crate::figures::{Latency, Row};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How far one figure is off over a set of loads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Off {
    /// The figure: `rate`, `mean latency` or `p99 latency`.
    pub figure: String,
    /// The loads, in words.
    pub loads: String,
    /// Number of figures that were compared.
    pub compared: usize,
    /// Median of the distances from the model, in percent of the model's figure.
    pub median_pct: f64,
    /// The largest distance, in percent of the model's figure.
    pub worst_pct: f64,
    /// The load that it is of.
    pub worst_load: String,
}

impl Off {
    /// The distances of pairs of a predicted figure and the model's, by the names of loads; none without pairs.
    #[must_use]
    pub fn of(figure: &str, loads: &str, pairs: &[(String, f64, f64)]) -> Option<Off> {
        let mut off: Vec<(f64, &str)> = pairs
            .iter()
            .map(|(load, predicted, model)| {
                (100.0 * (predicted / model - 1.0).abs(), load.as_str())
            })
            .collect();
        // Of equal distances the first load counts, whatever the order of the sort.
        off.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(a.1)));
        let &(worst, load) = off.last()?;
        let middle = off.len() / 2;
        let median = match off.len() % 2 {
            0 => f64::midpoint(off[middle - 1].0, off[middle].0),
            _ => off[middle].0,
        };
        Some(Off {
            figure: figure.to_owned(),
            loads: loads.to_owned(),
            compared: off.len(),
            median_pct: tenth(median),
            worst_pct: tenth(worst),
            worst_load: load.to_owned(),
        })
    }

    /// One line of it.
    pub(crate) fn line(&self) -> String {
        format!(
            "{}: median {:.1} %, worst {:.1} % ({}), over {} figures of {}",
            self.figure,
            self.median_pct,
            self.worst_pct,
            self.worst_load,
            self.compared,
            self.loads
        )
    }
}

/// A number of percent with one digit behind the point.
fn tenth(pct: f64) -> f64 {
    (pct * 10.0).round() / 10.0
}

/// What a form predicts of a load.
#[derive(Debug, Clone, Copy)]
pub struct Predicted {
    /// Requests a second.
    pub iops: f64,
    /// Latency of reads: mean and 99th percentile, in microseconds.
    pub read_us: Option<[f64; 2]>,
    /// Latency of writes: mean and 99th percentile, in microseconds.
    pub write_us: Option<[f64; 2]>,
}

impl Predicted {
    /// What the model itself gives, or another drive beside it.
    #[must_use]
    pub fn of_row(row: &Row) -> Predicted {
        let pair = |latency: &Latency| [latency.mean_us, latency.p99_us.unwrap_or(f64::NAN)];
        Predicted {
            iops: row.iops,
            read_us: row.read.as_ref().map(pair),
            write_us: row.write.as_ref().map(pair),
        }
    }
}

/// How far predictions of rows are off in rate, and in the mean and the 99th percentile of latency.
#[must_use]
pub fn off(rows: &[&Row], loads: &str, predict: impl Fn(&Row) -> Predicted) -> Vec<Off> {
    let (mut rates, mut means, mut tails) = (Vec::new(), Vec::new(), Vec::new());
    for row in rows {
        let predicted = predict(row);
        rates.push((row.load.name(), predicted.iops, row.iops));
        let directions = [
            ("reads", predicted.read_us, &row.read),
            ("writes", predicted.write_us, &row.write),
        ];
        for (direction, predicted, model) in directions {
            if let (Some([mean, p99]), Some(model)) = (predicted, model) {
                let name = format!("{} of {}", direction, row.load.name());
                means.push((name.clone(), mean, model.mean_us));
                tails.extend(
                    model
                        .p99_us
                        .filter(|_| p99.is_finite())
                        .map(|model| (name, p99, model)),
                );
            }
        }
    }
    let all = [
        ("rate", rates),
        ("mean latency", means),
        ("p99 latency", tails),
    ];
    let all = all.into_iter();
    all.filter_map(|(figure, pairs)| Off::of(figure, loads, &pairs))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_and_the_worst_are_of_distances_in_either_direction() {
        let pair = |name: &str, predicted: f64| (name.to_owned(), predicted, 100.0);
        let pairs = [pair("a", 90.0), pair("b", 101.0), pair("c", 150.0)];
        let off = Off::of("rate", "three loads", &pairs).unwrap();
        assert_eq!((off.median_pct, off.worst_pct), (10.0, 50.0));
        assert_eq!(off.worst_load, "c");
        let off = Off::of("rate", "two loads", &pairs[..2]).unwrap();
        assert_eq!((off.median_pct, off.worst_pct), (5.5, 10.0));
        assert_eq!(Off::of("rate", "none", &[]), None);
    }
}
