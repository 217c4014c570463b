//! The tests of a review: of each family its method, charts, figures, and what lies behind them.

use maud::{Markup, html};

use super::figure::{self, ChartFrame};
use super::{navigation, own, pair, pts, tables};
use crate::format;
use crate::view::errors::bands;
use crate::view::family_data::FamilyData;
use crate::view::preparation::{self, Preparation};
use crate::view::{Family, Review, View};

/// A table of more rows is folded away.
const ROWS_OPEN_MAX: usize = 8;
/// More drives are counted, not listed.
const NAMES_MAX: usize = 6;

pub fn review(view: &View<'_>, review: &Review<'_, '_>, families: &[FamilyData]) -> Markup {
    let id = navigation::review_id(review);
    let title_id = format!("{id}-title");
    let data_of = |family: &Family<'_>| {
        let index = view.families.iter().position(|other| other.id == family.id);
        index.and_then(|index| families.get(index))
    };
    html! {
        section.page.tests id=(id) aria-labelledby=(title_id) {
            header.review-head {
                p.eyebrow {
                    @if !review.letters.is_empty() { "Tests " (review.letters) }
                    @if view.pair.is_none() {
                        @if !review.letters.is_empty() { " · " }
                        (tables::score_line(review.score()))
                    }
                }
                h2 id=(title_id) { (navigation::review_name(review)) }
                @for source in review.sources() { p.small { (source) } }
                (tables::bands(&bands(review.families.iter().flat_map(|f| f.figures.iter().copied()))))
            }
            @for family in &review.families {
                @if let Some(data) = data_of(family) { (section(view, family, data)) }
            }
        }
    }
}

fn section(view: &View<'_>, family: &Family<'_>, data: &FamilyData) -> Markup {
    let title_id = format!("{}-title", family.id);
    // Of tests of reviews and specifications there is more to say.
    let is_own = family.figures.is_empty() && family.methods().is_empty();
    html! {
        section.family id=(family.id) aria-labelledby=(title_id) {
            @if !is_own {
                p.eyebrow {
                    @if !family.methods().is_empty() { "Test " (family.methods().join(", ")) }
                    @if view.pair.is_none() {
                        @if !family.methods().is_empty() { " · " }
                        (tables::score_line(family.score()))
                    }
                }
            }
            h3 id=(title_id) { (family.title) }
            @for text in family.texts() { p.method { (format::keep_units(text)) } }
            @if is_own && view.pair.is_none() { (own::side_by_side(view, family)) }
            (charts(family, &data.charts()))
            @if let Some(pair) = view.pair { (pair::figures(pair, family)) }
            @if is_own { (own::unsettled(view, family)) (own::warnings(view, family)) }
            (figures(view, family))
            (pts::sheets(view, family))
            @if is_own { (own::devices(view, family)) (own::jobs(view, family)) }
            (behind(family, data))
            (preparations(view, &preparation::preparations(family)))
        }
    }
}

fn charts(family: &Family<'_>, charts: &[(&'static str, &str)]) -> Markup {
    html! {
        @for (kind, title) in charts {
            (figure::chart(&ChartFrame { family: &family.id, kind, title }))
        }
    }
}

fn figures(view: &View<'_>, family: &Family<'_>) -> Markup {
    let table = tables::figures(view, &family.id, &family.figures, Some(family));
    html! {
        @match family.figures.len() {
            0 => {},
            count if count > ROWS_OPEN_MAX => details.behind {
                summary { "Published and simulated: " (count) " figures" }
                (table)
            },
            _ => (table),
        }
    }
}

fn behind(family: &Family<'_>, data: &FamilyData) -> Markup {
    let behind = data.charts_behind();
    html! {
        @if !behind.is_empty() {
            details.behind {
                summary {
                    "Behind the numbers: single latencies, the course over time, power"
                    @if behind.iter().any(|(kind, _)| *kind == "warmth") { ", heat" }
                }
                (charts(family, &behind))
            }
        }
        @if !family.runs.is_empty() {
            details.behind.runs data-runs-of-family=(family.id) {
                summary { (tables::runs_line(family.runs.len())) }
                div.runs-table {}
            }
        }
    }
}

fn preparations(view: &View<'_>, preparations: &[Preparation<'_>]) -> Markup {
    let everywhere = common_steps(preparations);
    html! {
        @if !preparations.is_empty() {
            details.behind {
                summary { "How the drives were brought to their state" }
                @if !everywhere.is_empty() {
                    p.small { "In every run: " (everywhere.join(" ")) }
                }
                dl.preparations {
                    @for preparation in preparations {
                        dt {
                            (preparation.state)
                            span.sub { (names(view, &preparation.drives)) }
                        }
                        dd {
                            ol {
                                @for step in preparation.steps.iter().filter(|step| !everywhere.contains(step)) {
                                    li { (format::keep_units(step)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The steps that end every preparation, shown once.
fn common_steps<'a>(preparations: &[Preparation<'a>]) -> Vec<&'a str> {
    let [first, rest @ ..] = preparations else {
        return Vec::new();
    };
    if rest.is_empty() {
        return Vec::new();
    }
    let mut common: Vec<&str> = (first.steps.iter().rev())
        .enumerate()
        .take_while(|(back, step)| {
            rest.iter()
                .all(|other| other.steps.iter().rev().nth(*back) == Some(*step))
        })
        .map(|(_, step)| *step)
        .collect();
    common.reverse();
    common
}

/// Returns the names of drives when they are few, or of those that are not among them.
fn names(view: &View<'_>, slugs: &[&str]) -> String {
    let named = |slugs: &[&str]| {
        let names: Vec<&str> = slugs.iter().map(|slug| view.drive_name(slug)).collect();
        names.join(", ")
    };
    let all = view.slugs();
    let others: Vec<&str> = all
        .iter()
        .filter(|slug| !slugs.contains(slug))
        .copied()
        .collect();
    match (slugs.len(), others.len()) {
        (_, 0) => "all drives".to_owned(),
        (few, _) if few <= NAMES_MAX => named(slugs),
        (_, few) if few <= NAMES_MAX => format!("all but {}", named(&others)),
        (many, _) => format!("{many} drives"),
    }
}

/// Figures that no test of this report answers, so that none goes missing silently.
pub fn unplaced(view: &View<'_>) -> Markup {
    html! {
        @if !view.unplaced.is_empty() {
            section.page #unplaced aria-labelledby="unplaced-title" {
                p.eyebrow { (tables::score_line(view.unplaced_score())) }
                h2 #unplaced-title { "Published, without a run here" }
                p.method { "Figures of the same reviews that no test of this report answers." }
                (tables::figures(view, "unplaced", &view.unplaced, None))
            }
        }
    }
}
