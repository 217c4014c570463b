//! The front of the report: what this is, how true it is, and which drive stutters.

use ftlab_result::Figure;
use maud::{Markup, html};

use super::{chart_called, chart_figure};
use crate::format;
use crate::view::chart::ChartSpec;
use crate::view::headline::{self, Feel, Headline};
use crate::view::{View, distinct};

/// What the report covers.
pub fn title(view: &View<'_>) -> String {
    match view.set.drives.as_slice() {
        [one] => one.name.clone(),
        drives => format!("{} drives on one bench", drives.len()),
    }
}

pub fn header(view: &View<'_>) -> Markup {
    let origin = &view.set.origin;
    html! {
        header.front #top {
            p.eyebrow { "Storage review, simulated" }
            h1 { (title(view)) }
            p.lede {
                "Every drive here is a model that ran the tests of published reviews. What the \
                reviewers measured stands beside what the model gives, figure by figure."
            }
            dl.origin {
                div { dt { "ftlab" } dd { (origin.version) } }
                div { dt { "Seed" } dd { (origin.seed) } }
                div { dt { "Test machine" } dd { (origin.testbed) } }
                div { dt { "Runs" } dd { (view.set.runs.len()) } }
                @if origin.quick {
                    div { dt { "Length" } dd { "quick: parts of the runtimes" } }
                }
            }
            (tally(view))
            (sources(view))
        }
    }
}

fn tally(view: &View<'_>) -> Markup {
    let tally = view.set.tally();
    let error = |error: Option<f64>| error.map_or("–".to_owned(), format::percent);
    html! {
        section.tally aria-label="How the figures came out" {
            div.stat { b { (tally.pass) } span { "figures pass" } }
            div.stat.fails[tally.fail > 0] { b { (tally.fail) } span { "figures fail" } }
            div.stat { b { (tally.shown) } span { "shown, not judged" } }
            div.stat { b { (error(tally.median_error)) } span { "median error of " (tally.scored) } }
            div.stat {
                b { (error(tally.worst_error)) }
                span { "worst error" (worst_figure(view)) }
            }
        }
        p.small {
            "The error of a figure is |ln(simulated ÷ published)|: near zero it reads as a percentage. \
            Figures a source gives as a bound or a range pass or fail; unclear ones are only shown."
        }
    }
}

fn worst_figure(view: &View<'_>) -> Markup {
    let scored = view
        .set
        .figures
        .iter()
        .filter(|figure| figure.error.is_some());
    let by_error =
        |a: &&Figure, b: &&Figure| a.error.unwrap_or(0.0).total_cmp(&b.error.unwrap_or(0.0));
    html! {
        @if let Some(figure) = scored.max_by(by_error) {
            ", " a href={ "#" (figure.id) } { (figure.id) }
        }
    }
}

fn sources(view: &View<'_>) -> Markup {
    let sources = distinct(view.set.figures.iter().map(|figure| figure.source.as_str()));
    html! {
        @if !sources.is_empty() {
            p.small { "Published by: " (sources.join(" · ")) }
        }
    }
}

pub fn verdicts(view: &View<'_>, headlines: &[Headline<'_>], charts: &[ChartSpec]) -> Markup {
    html! {
        section #verdicts aria-labelledby="verdicts-title" {
            h2 #verdicts-title { "Which drive stutters, and why" }
            p.answer { (format::keep_units(&headline::summary(headlines))) }
            p.method {
                "An average hides a stall. What one feels at the machine is the longest wait: from "
                (waits(headline::HESITATE_MS)) " it is noticed, from "
                (waits(headline::STUTTER_MS)) " the machine seems to hang. The drives \
                are judged by 4\u{a0}KiB writes to random places, one at a time, in the state in which \
                each waits longest."
            }
            @if let Some(chart) = chart_called(charts, "verdict-chart") { (chart_figure(chart)) }
            (verdict_table(view, headlines))
        }
    }
}

fn waits(ms: f64) -> String {
    format::keep_units(&format::latency_ns(ms * 1e6))
}

fn verdict_table(view: &View<'_>, headlines: &[Headline<'_>]) -> Markup {
    let value = |value: Option<f64>| value.map_or("–".to_owned(), format::number);
    let latency = |ms: Option<f64>| ms.map_or("–".to_owned(), |ms| format::latency_ns(ms * 1e6));
    html! {
        div.scroll tabindex="0" role="region" aria-labelledby="verdict-caption" {
            table.verdict-table {
                caption #verdict-caption { "Verdict on every drive, from 4 KiB random writes" }
                thead {
                    tr {
                        th scope="col" { "Drive" }
                        th scope="col" { "Verdict" }
                        th.num scope="col" { "IOPS" }
                        th.num scope="col" { "Average" }
                        th.num scope="col" { "Longest" }
                        th.num scope="col" { "Random vs sequential" }
                        th.num scope="col" { abbr title="write amplification" { "WA" } }
                        th scope="col" { "Why" }
                    }
                }
                tbody {
                    @for headline in headlines {
                        tr {
                            th scope="row" {
                                a href={ "#drive-" (view.drive_index(&headline.drive.drive) + 1) } {
                                    (format::keep_units(&headline.drive.name))
                                }
                                @if let Some(run) = headline.run { span.sub { (run.state) } }
                            }
                            td { (feel(headline.feel)) }
                            td.num { (value(headline.iops)) }
                            td.num { (latency(headline.avg_ms)) }
                            td.num { (latency(headline.max_ms)) }
                            td.num { (penalty(headline.random_penalty)) }
                            td.num { (wa(headline)) }
                            td.why { (format::keep_units(&headline.why)) }
                        }
                    }
                }
            }
        }
    }
}

fn wa(headline: &Headline<'_>) -> String {
    match headline.run.map(|run| run.inside.wa) {
        Some(wa) if wa > 0.0 => format::number(wa),
        _ => "–".to_owned(),
    }
}

fn penalty(ratio: Option<f64>) -> String {
    match ratio {
        None => "–".to_owned(),
        Some(ratio) if ratio < 1.15 => "as fast".to_owned(),
        Some(ratio) => format!("{}× slower", format::number(ratio)),
    }
}

/// A verdict as a word and a shape; colour only repeats it.
pub fn feel(feel: Feel) -> Markup {
    let (class, sign) = match feel {
        Feel::Stutters => ("bad", "▲"),
        Feel::Hesitates => ("fair", "◆"),
        Feel::Smooth => ("good", "●"),
        Feel::Untested => ("none", "○"),
    };
    html! {
        span.chip.(class) { span aria-hidden="true" { (sign) } " " (feel.word()) }
    }
}
