//! The tables of a report: figures beside the model, and what every run gave.

use ftlab_result::{Figure, Run, Traffic, Verdict};
use maud::{Markup, html};

use crate::format;
use crate::view::{Family, Score, View};

/// Percentiles printed, when a run has them.
const PERCENTILES: [f64; 5] = [50.0, 90.0, 99.0, 99.9, 99.99];

/// Published beside simulated, one row a figure.
pub fn figures(
    view: &View<'_>,
    id: &str,
    figures: &[&Figure],
    family: Option<&Family<'_>>,
) -> Markup {
    let caption = format!("{id}-figures");
    html! {
        div.scroll tabindex="0" role="region" aria-labelledby=(caption) {
            table {
                caption id=(caption) { "Published figures beside the model’s" }
                thead {
                    tr {
                        th scope="col" { "Figure" }
                        th scope="col" { "Drive" }
                        th scope="col" { "Test" }
                        th scope="col" { "Metric" }
                        th.num scope="col" { "Published" }
                        th.num scope="col" { "Simulated" }
                        th.num scope="col" { "Error" }
                        th scope="col" { "Verdict" }
                    }
                }
                tbody {
                    @for figure in figures { (figure_row(view, figure, family)) }
                }
            }
        }
    }
}

fn figure_row(view: &View<'_>, figure: &Figure, family: Option<&Family<'_>>) -> Markup {
    let published = format::published(&figure.published, &figure.qualifier);
    let simulated = figure.simulated.map(format::number);
    html! {
        tr id=(figure.id) {
            td.id title={ "Source: " (figure.source) } { (figure.id) }
            th scope="row" {
                @if figure.model.is_empty() { (figure.drive) }
                @else { (view.drive_name(&figure.model)) }
                @if !figure.model.is_empty() && figure.model != figure.drive {
                    span.sub { "published for " (figure.drive) }
                }
            }
            td.step { (test_cell(figure, family)) }
            td { (format::metric_words(&figure.metric)) }
            td.num { (format::with_unit(&published, &figure.unit)) }
            td.num {
                @match simulated {
                    Some(value) => (format::with_unit(&value, &figure.unit)),
                    None => "–",
                }
            }
            td.num { (error_cell(figure)) }
            td { (verdict(figure.verdict)) }
        }
    }
}

/// The step and what the source says of state, data and link, where it says anything.
fn test_cell(figure: &Figure, family: Option<&Family<'_>>) -> Markup {
    let step = family.map_or(figure.test.as_str(), |family| family.step(&figure.test));
    let said = |text: &&&str| !matches!(**text, "" | "na" | "unstated");
    let circumstances: Vec<&str> = [figure.state.as_str(), &figure.data, &figure.link]
        .iter()
        .filter(said)
        .copied()
        .collect();
    step_and(step, &circumstances.join(", "))
}

/// A step with its circumstances below; a test without steps shows those alone.
fn step_and(step: &str, circumstances: &str) -> Markup {
    html! {
        @if step.is_empty() { (circumstances) }
        @else {
            (format::keep_units(step))
            @if !circumstances.is_empty() { span.sub { (circumstances) } }
        }
    }
}

fn error_cell(figure: &Figure) -> Markup {
    html! {
        @match figure.error {
            Some(error) => (format::signed_error(error, &figure.published, figure.simulated)),
            None => span.quiet { "–" },
        }
    }
}

/// A verdict as a word and a sign; colour only repeats it.
pub fn verdict(verdict: Verdict) -> Markup {
    let (class, sign, word) = match verdict {
        Verdict::Pass => ("good", "✓", "pass"),
        Verdict::Fail => ("bad", "✗", "fail"),
        Verdict::Shown => ("none", "○", "shown"),
    };
    html! { span.chip.(class) { span aria-hidden="true" { (sign) } " " (word) } }
}

/// `12 of 13 figures pass`, with what is only shown.
pub fn score_line(score: Score) -> Markup {
    html! {
        @if score.judged > 0 {
            (score.pass) " of " (score.judged) " figures pass"
            @if score.shown > 0 { ", " (score.shown) " shown" }
        } @else if score.shown > 0 {
            (score.shown) @if score.shown == 1 { " figure" } @else { " figures" } " shown, none judged"
        } @else {
            "no published figures"
        }
    }
}

/// Every run of a family: rates, latencies to the far tail, and what happened inside.
pub fn runs(view: &View<'_>, family: &Family<'_>) -> Markup {
    let caption = format!("{}-runs", family.id);
    html! {
        div.scroll tabindex="0" role="region" aria-labelledby=(caption) {
            table {
                caption id=(caption) { "Every run: rates, latency percentiles, and work inside the drive" }
                thead {
                    tr {
                        th scope="col" { "Drive" }
                        th scope="col" { "Test" }
                        th.num scope="col" { "IOPS" }
                        th.num scope="col" { abbr title="millions of bytes a second" { "MB/s" } }
                        th.num scope="col" { "Average" }
                        @for percentile in PERCENTILES { th.num scope="col" { "p" (percentile) } }
                        th.num scope="col" { "Longest" }
                        th.num scope="col" { abbr title="write amplification" { "WA" } }
                        th.num scope="col" { "Copies" }
                        th.num scope="col" { "Waits for buffer" }
                        th.num scope="col" { "Erases" }
                    }
                }
                tbody {
                    @for run in &family.runs {
                        @for (part, traffic) in directions(run) {
                            (run_row(view, family, run, part, traffic))
                        }
                    }
                }
            }
        }
    }
}

/// The directions a run moved data in; writes alone need no name.
fn directions(run: &Run) -> Vec<(&'static str, &Traffic)> {
    [
        ("reads", &run.read),
        ("writes", &run.write),
        ("trims", &run.trim),
    ]
    .into_iter()
    .filter(|(_, traffic)| traffic.ios > 0)
    .collect()
}

fn run_row(view: &View<'_>, family: &Family<'_>, run: &Run, part: &str, t: &Traffic) -> Markup {
    let inside = &run.inside;
    let counted = inside.nand_programs > 0 || inside.nand_reads > 0;
    html! {
        tr {
            th scope="row" { (view.drive_name(&run.drive)) }
            td.step { (step_and(family.step(&run.test), &format!("{}, {part}", run.state))) }
            td.num { (format::number(t.iops)) }
            td.num { (format::number(t.bytes_per_s / 1e6)) }
            td.num { (format::latency_ns(t.lat_ns_mean)) }
            @for wanted in PERCENTILES { td.num { (percentile(t, wanted)) } }
            td.num { (format::latency_ns(t.lat_ns_max as f64)) }
            @if counted {
                td.num { (format::number(inside.wa)) }
                td.num { (format::percent(inside.gc_share)) }
                td.num { (format::number(inside.buffer_stalls as f64)) }
                td.num { (format::number(inside.nand_erases as f64)) }
            } @else {
                @for _ in 0..4 { td.num { span.quiet { "–" } } }
            }
        }
    }
}

fn percentile(traffic: &Traffic, wanted: f64) -> String {
    let found = traffic
        .lat_ns_percentiles
        .iter()
        .find(|(p, _)| (p - wanted).abs() < 1e-6);
    found.map_or("–".to_owned(), |&(_, ns)| format::latency_ns(ns as f64))
}
