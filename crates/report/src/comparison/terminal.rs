//! A comparison as tables for a terminal.

use std::fmt::Write as _;

use comfy_table::{ContentArrangement, Table};

use super::{Comparison, Match, MetricRow};
use crate::settling;
use crate::terminal::{lines, plain};

/// Draws a comparison for a terminal `width` columns wide: of each run these metrics or, when none is named,
/// what the chart of its test draws.
#[must_use]
pub fn render(comparison: &Comparison<'_>, metrics: &[String], width: u16) -> String {
    let mut out = String::new();
    if !comparison.differences.is_empty() {
        let mut table = table(&["what differs"], &comparison.labels, width);
        for difference in &comparison.differences {
            let cells = std::iter::once(&difference.what).chain(&difference.values);
            table.add_row(cells);
        }
        out += &lines(table, 1);
        out.push('\n');
    }
    // The first set is what the others are compared with, so it has no ratio.
    let mut headings = Vec::new();
    for (n, label) in comparison.labels.iter().enumerate() {
        headings.push(*label);
        headings.extend((n > 0).then_some("ratio"));
    }
    let mut rows = table(&["run", "metric"], &headings, width);
    let shown = shown(comparison, metrics);
    for (matched, row) in &shown {
        let mut cells = vec![matched.name.clone(), row.metric.to_owned()];
        for n in 0..row.values.len() {
            cells.push(row.words(n));
            if n > 0 {
                cells.push(ratio_words(row.ratio(n)));
            }
        }
        rows.add_row(cells);
    }
    if !shown.is_empty() {
        out += &lines(rows, 2);
        if shown.iter().any(|(_, row)| row.unsettled.contains(&true)) {
            out += settling::NOTE;
            out.push('\n');
        }
        out.push('\n');
    }
    out += &summary(comparison, &shown);
    out
}

/// A ratio as a reader sees it.
pub(crate) fn ratio_words(ratio: Option<f64>) -> String {
    ratio.map_or_else(|| "–".to_owned(), |ratio| format!("×{ratio:.3}"))
}

fn shown<'a>(
    comparison: &'a Comparison<'a>,
    metrics: &[String],
) -> Vec<(&'a Match<'a>, &'a MetricRow<'a>)> {
    let wanted = |matched: &Match<'_>, row: &MetricRow<'_>| match metrics {
        [] => matched
            .test
            .is_some_and(|test| test.chart_metric == row.metric),
        named => named.iter().any(|name| name == row.metric),
    };
    let matches = comparison.matches.iter();
    let rows = matches.flat_map(|matched| matched.rows.iter().map(move |row| (matched, row)));
    rows.filter(|(matched, row)| wanted(matched, row)).collect()
}

fn summary(comparison: &Comparison<'_>, shown: &[(&Match<'_>, &MetricRow<'_>)]) -> String {
    let mut out = format!("{} runs match", comparison.matches.len());
    for (label, alone) in comparison.labels.iter().zip(&comparison.alone) {
        if !alone.is_empty() {
            write!(out, ", {} of {label} have no match", alone.len()).expect(STRING);
        }
    }
    let ratios = shown.iter().flat_map(|(matched, row)| {
        let others = 1..row.values.len();
        others.filter_map(move |n| Some((row.ratio(n)?, matched, row)))
    });
    let ratios: Vec<_> = ratios.collect();
    let equal = ratios.iter().filter(|(ratio, ..)| *ratio == 1.0).count();
    write!(out, "; {equal} of {} ratios are exactly 1", ratios.len()).expect(STRING);
    // Half and double are equally far from the same.
    let distance = |ratio: f64| ratio.ln().abs();
    let furthest = ratios
        .iter()
        .max_by(|a, b| distance(a.0).total_cmp(&distance(b.0)));
    if let Some((ratio, matched, row)) = furthest
        && *ratio != 1.0
    {
        let ratio = ratio_words(Some(*ratio));
        write!(
            out,
            ", the furthest is {ratio}: {} {}",
            matched.name, row.metric
        )
        .expect(STRING);
    }
    out + "\n"
}

const STRING: &str = "writing to a string succeeds";

fn table(first: &[&str], then: &[&str], width: u16) -> Table {
    let mut table = plain();
    table
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(width)
        .set_header(first.iter().chain(then));
    table
}
