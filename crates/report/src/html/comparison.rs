//! A comparison as a page of its own: what differs, then every metric of every matching run.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::assets;
use crate::comparison::{Comparison, Match, ratio_words};

/// The page has no contents beside it, so its text takes the whole width.
const ALONE: &str = "body { display: block; } main { margin: 0 auto; }";

/// Draws a comparison as one HTML file that works offline and without a script.
#[must_use]
pub fn render(comparison: &Comparison<'_>) -> String {
    let title = format!("ftlab: {} compared", comparison.labels.join(", "));
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content=(assets::CONTENT_SECURITY_POLICY);
                link rel="icon" href="data:,";
                title { (title) }
                style { (PreEscaped(assets::style())) (ALONE) }
            }
            body {
                main #content {
                    h1 { (title) }
                    p {
                        "Ratios are to " code { (comparison.labels[0]) } ". "
                        (comparison.matches.len()) " runs are in all of them."
                    }
                    (differences(comparison))
                    @for (n, matched) in comparison.matches.iter().enumerate() {
                        (run(comparison, n, matched))
                    }
                    (alone(comparison))
                }
            }
        }
    };
    page.into_string()
}

fn differences(comparison: &Comparison<'_>) -> Markup {
    html! {
        section aria-labelledby="differences" {
            h2 #differences { "What differs" }
            @if comparison.differences.is_empty() {
                p { "Version, seed, repeats, test machine, length and drives are the same." }
            } @else {
                div.scroll tabindex="0" role="region" aria-labelledby="differences" {
                    table {
                        thead {
                            tr {
                                th scope="col" { "What" }
                                @for label in &comparison.labels { th scope="col" { (label) } }
                            }
                        }
                        tbody {
                            @for difference in &comparison.differences {
                                tr {
                                    th scope="row" { (difference.what) }
                                    @for value in &difference.values { td { (value) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn run(comparison: &Comparison<'_>, n: usize, matched: &Match<'_>) -> Markup {
    let id = format!("run-{}", n + 1);
    let others = 1..comparison.labels.len();
    html! {
        section aria-labelledby=(id) {
            h2 id=(id) { (matched.name) }
            @if let Some(test) = matched.test { p { (test.method) ": " (test.title) " " (test.step) } }
            div.scroll tabindex="0" role="region" aria-labelledby=(id) {
                table {
                    thead {
                        tr {
                            th scope="col" { "Metric" }
                            @for label in &comparison.labels { th.num scope="col" { (label) } }
                            @for n in others.clone() {
                                th.num scope="col" { "Ratio of " (comparison.labels[n]) }
                            }
                        }
                    }
                    tbody {
                        @for row in &matched.rows {
                            tr {
                                th scope="row" { (row.metric) }
                                @for n in 0..row.values.len() { td.num { (row.words(n)) } }
                                @for n in others.clone() {
                                    td.num { (ratio_words(row.ratio(n))) }
                                }
                            }
                        }
                    }
                }
            }
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
