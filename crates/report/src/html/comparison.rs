//! A comparison as a page of its own: what differs, then every metric of every matching run.

use maud::{Markup, html};

use super::{document, frame};
use crate::comparison::{Comparison, Match, MetricRow, ratio_words};
use crate::settling;

/// Style that keeps the sections apart.
const STYLE: &str = "section { margin-top: 2.5rem; } section.run > h2 { font-size: 1.25rem; }";

/// Draws a comparison as one HTML file that works offline and without a script.
#[must_use]
pub fn render(comparison: &Comparison<'_>) -> String {
    let title = format!("ftlab: {} compared", comparison.labels.join(", "));
    let content = html! {
        h1 { (title) }
        p {
            "Ratios are to " code { (comparison.labels[0]) } ". "
            (comparison.matches.len()) " runs are in all of them."
        }
        @if has_unsettled(comparison) { p { (settling::NOTE) } }
        (differences(comparison))
        (overview(comparison))
        @for (n, matched) in comparison.matches.iter().enumerate() {
            (run(comparison, n, matched))
        }
        (alone(comparison))
    };
    document::alone(&title, STYLE, &content)
}

fn differences(comparison: &Comparison<'_>) -> Markup {
    let columns = html! { (frame::words(&["What"])) (frame::words(&comparison.labels)) };
    let rows = html! {
        tbody {
            @for difference in &comparison.differences {
                tr {
                    th scope="row" { (difference.what) }
                    @for value in &difference.values { td { (value) } }
                }
            }
        }
    };
    html! {
        section aria-labelledby="differences" {
            h2 #differences { "What differs" }
            @if comparison.differences.is_empty() {
                p { "Source of the numbers, version, model, seed, repeats, test machine, length and drives are the same." }
            } @else {
                (frame::below_heading("differences", None, &columns, &rows))
            }
        }
    }
}

fn has_unsettled(comparison: &Comparison<'_>) -> bool {
    let mut rows = comparison.matches.iter().flat_map(|matched| &matched.rows);
    rows.any(|row| row.unsettled.contains(&true))
}

/// The anchor of a run, from 0.
fn run_id(n: usize) -> String {
    format!("run-{}", n + 1)
}

/// The metric that the chart of its test draws, of each run, with a link to all of them.
fn overview(comparison: &Comparison<'_>) -> Markup {
    let runs = comparison.matches.iter().enumerate();
    let drawn: Vec<(usize, &Match<'_>, &MetricRow<'_>)> = runs
        .filter_map(|(n, matched)| Some((n, matched, matched.drawn()?)))
        .collect();
    let columns = html! { (frame::words(&["Run", "Metric"])) (headings(comparison)) };
    let rows = html! {
        tbody {
            @for (n, matched, row) in &drawn {
                tr {
                    th scope="row" { a href={ "#" (run_id(*n)) } { (matched.name) } }
                    td { (row.metric) }
                    (values(row))
                }
            }
        }
    };
    html! {
        @if !drawn.is_empty() {
            section aria-labelledby="overview" {
                h2 #overview { "What the tests measure" }
                (frame::below_heading("overview", None, &columns, &rows))
            }
        }
    }
}

/// Over the values of each set, and the ratios of all but the first.
fn headings(comparison: &Comparison<'_>) -> Markup {
    html! {
        (frame::numbers(&comparison.labels))
        @for label in &comparison.labels[1..] { th.num scope="col" { "Ratio of " (label) } }
    }
}

fn values(row: &MetricRow<'_>) -> Markup {
    html! {
        @for n in 0..row.values.len() { td.num { (row.words(n)) } }
        @for n in 1..row.values.len() { td.num { (ratio_words(row.ratio(n))) } }
    }
}

fn run(comparison: &Comparison<'_>, n: usize, matched: &Match<'_>) -> Markup {
    let id = run_id(n);
    let columns = html! { (frame::words(&["Metric"])) (headings(comparison)) };
    let rows = html! {
        tbody {
            @for row in &matched.rows {
                tr {
                    th scope="row" { (row.metric) }
                    (values(row))
                }
            }
        }
    };
    html! {
        section.run aria-labelledby=(id) {
            h2 id=(id) { (matched.name) }
            @if let Some(test) = matched.test { p { (test.method) ": " (test.title) " " (test.step) } }
            (frame::below_heading(&id, None, &columns, &rows))
        }
    }
}

fn alone(comparison: &Comparison<'_>) -> Markup {
    html! {
        @for (label, runs) in comparison.labels.iter().zip(&comparison.alone) {
            @if !runs.is_empty() {
                section {
                    h2 { "Only in " (label) }
                    ul { @for run in runs { li { code { (run) } } } }
                }
            }
        }
    }
}
