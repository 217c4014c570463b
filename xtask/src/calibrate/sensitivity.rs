//! Sensitivities: the change of a figure, in percent, for one percent of a number.

use super::errors::Reviewer;
use crate::numbers::{Number, STEP};
use anyhow::Result;
use comfy_table::Table;

/// Less than this is scatter.
const LEAST: f64 = 0.05;

/// One row a figure, one column a number.
///
/// # Errors
/// When a drive cannot be reviewed with a number changed.
pub fn table(
    reviewer: &Reviewer,
    numbers: &[Number],
    values: &[f64],
    drives: &[String],
) -> Result<Table> {
    let base = reviewer.errors(numbers, values, drives)?;
    let mut columns = Vec::new();
    for (n, number) in numbers.iter().enumerate() {
        // A count that a step of a percent leaves as it is changes by one.
        let step = |factor: f64| {
            let mut changed = values.to_vec();
            changed[n] = number.written(values[n] * factor);
            if changed[n] == number.written(values[n]) {
                changed[n] += 1.0;
            }
            changed
        };
        let changed = step(STEP);
        let by = (changed[n] / values[n]).ln();
        let moved = reviewer.errors(numbers, &changed, drives)?;
        let slope = base.iter().zip(&moved).map(|(before, after)| {
            let ratio = before.figure.simulated.zip(after.figure.simulated);
            ratio.map_or(0.0, |(before, after)| (after / before).ln() / by)
        });
        columns.push(slope.collect::<Vec<f64>>());
    }
    let mut table = super::table(["figure", "test and metric", ""], &[]);
    let mut header = vec!["figure".to_owned(), "test and metric".to_owned()];
    header.extend(numbers.iter().map(|number| number.key.clone()));
    table.set_header(header);
    for (row, weighed) in base.iter().enumerate() {
        let figure = &weighed.figure;
        let mut cells = vec![
            format!("{} {}", figure.id, figure.model),
            format!("{} {}", figure.test, figure.metric),
        ];
        cells.extend(columns.iter().map(|column| match column[row] {
            slope if slope.is_finite() && slope.abs() >= LEAST => format!("{slope:+.2}"),
            _ => String::new(),
        }));
        table.add_row(cells);
    }
    Ok(table)
}
