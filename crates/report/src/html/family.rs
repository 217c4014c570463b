//! One section a family of tests: method, chart, figures, and what lies behind them.

use maud::{Markup, html};

use super::{chart_called, chart_figure, tables};
use crate::format;
use crate::view::chart::ChartSpec;
use crate::view::detail::{self, Preparation};
use crate::view::{Family, View};

pub fn section(view: &View<'_>, family: &Family<'_>, charts: &[ChartSpec]) -> Markup {
    let title_id = format!("{}-title", family.id);
    html! {
        section.family id=(family.id) aria-labelledby=(title_id) {
            p.eyebrow {
                @if !family.methods().is_empty() { "Test " (family.methods().join(", ")) " · " }
                (tables::score_line(family.score()))
            }
            h2 id=(title_id) { (family.title) }
            @for text in family.texts() { p.method { (format::keep_units(text)) } }
            @if let Some(chart) = chart_called(charts, &format!("{}-chart", family.id)) {
                (chart_figure(chart))
            }
            @if !family.figures.is_empty() {
                h3 { "Published and simulated" }
                (tables::figures(view, &family.id, &family.figures, Some(family)))
            }
            (behind(view, family, charts))
        }
    }
}

fn behind(view: &View<'_>, family: &Family<'_>, charts: &[ChartSpec]) -> Markup {
    let histogram = chart_called(charts, &format!("{}-histogram", family.id));
    let timeline = chart_called(charts, &format!("{}-timeline", family.id));
    let pick_id = format!("{}-pick", family.id);
    html! {
        @if !family.runs.is_empty() {
            details.behind {
                summary { "Behind the numbers: every latency, IOPS over time, work inside" }
                @if histogram.is_some() || timeline.is_some() {
                    p.pick {
                        label for=(pick_id) { "Show" }
                        select id=(pick_id) data-pick=(family.id) {}
                    }
                }
                @for chart in [histogram, timeline].into_iter().flatten() { (chart_figure(chart)) }
                (tables::runs(view, family))
                (preparations(view, &detail::preparations(family)))
            }
        }
    }
}

fn preparations(view: &View<'_>, preparations: &[Preparation<'_>]) -> Markup {
    let all = view.slugs().len();
    html! {
        @if !preparations.is_empty() {
            h3 { "How the drives were brought to their state" }
            dl.preparations {
                @for preparation in preparations {
                    dt {
                        (preparation.state)
                        @if preparation.drives.len() < all {
                            span.sub { (names(view, &preparation.drives)) }
                        }
                    }
                    dd { ol { @for step in preparation.steps { li { (step) } } } }
                }
            }
        }
    }
}

fn names(view: &View<'_>, slugs: &[&str]) -> String {
    let names: Vec<&str> = slugs.iter().map(|slug| view.drive_name(slug)).collect();
    names.join(", ")
}

/// Figures that no test of this report answers, so that none goes missing silently.
pub fn unplaced(view: &View<'_>) -> Markup {
    html! {
        @if !view.unplaced.is_empty() {
            section #unplaced aria-labelledby="unplaced-title" {
                p.eyebrow { (tables::score_line(view.unplaced_score())) }
                h2 #unplaced-title { "Published, without a run here" }
                p.method { "Figures of the same reviews that no test of this report answers." }
                (tables::figures(view, "unplaced", &view.unplaced, None))
            }
        }
    }
}
