//! A real drive beside its model as one page: how far the model is off, then every test with both in its charts.

use maud::{Markup, html};

use super::{Data, drives, family, frame, whole};
use crate::format;
use crate::pair::{self, Figure, Match, Pair, Side, Summary};
use crate::settling;
use crate::view::{Family, View, condition};

/// A table of more figures is folded away.
const ROWS_OPEN_MAX: usize = 24;

/// Columns of that table.
const COLUMNS: usize = 4;

/// Anchors and titles of the parts of the overview.
const PARTS: [(&str, &str); 3] = [
    ("errors", "How far off is the model"),
    ("figures", "Test by test"),
    ("differences", "What differs"),
];

/// Draws a pair as one HTML file that works offline.
#[must_use]
pub fn render(pair: &Pair<'_>) -> String {
    let set = pair.merged();
    let view = View::of_pair(&set, pair);
    let data = Data::of(&view, None);
    let title = format!(
        "ftlab: {}, measured and simulated",
        pair.measured.drive.name
    );
    let content = html! {
        div.page #top {
            (header(pair))
            (errors(pair))
            (overview(pair, &view))
            (differences(pair))
            @for (side, way) in [(&pair.measured, "Measured"), (&pair.simulated, "Simulated")] {
                (alone(side, way))
            }
        }
        @for review in view.reviews() { (family::review(&view, &review, &data.families)) }
        @for (index, drive) in set.drives.iter().enumerate() {
            (drives::page(&view, index, drive, &[], &[]))
        }
        (footer(pair))
    };
    whole(&view, &title, &PARTS, &content, &data).into_string()
}

fn header(pair: &Pair<'_>) -> Markup {
    let figures = pair.matches.iter().flat_map(Match::compared).count();
    let alone: usize = pair.sides().iter().map(|side| side.alone.len()).sum();
    html! {
        header.front {
            p.eyebrow { "Measured and simulated" }
            h1 { (pair.measured.drive.name) " and its model" }
            p.lede {
                "The real drive is " code { (pair.measured.label) } ", its model " (pair.simulated.drive.name) " of "
                code { (pair.simulated.label) } ". Every chart of a test has both. An error is how far the model is above or below what was \
                measured, in percent, and past half and double as a factor."
            }
            dl.origin {
                div { dt { "Runs on both sides" } dd { (pair.matches.len()) } }
                div { dt { "Figures compared" } dd { (figures) } }
                div { dt { "Runs on one side" } dd { (alone) } }
            }
        }
    }
}

/// How far the model is off, over all figures of a kind.
fn errors(pair: &Pair<'_>) -> Markup {
    let summaries = pair.summaries();
    let columns = html! {
        (frame::words(&["Kind"]))
        (frame::numbers(&["Figures", "Median error", "Worst error"]))
    };
    let rows = html! { tbody { @for summary in &summaries { (summary_row(summary)) } } };
    let without: usize = summaries.iter().map(|summary| summary.without_error).sum();
    let has_amplification =
        (summaries.iter()).any(|of| of.kind == pair::Kind::Amplification && of.figures > 0);
    html! {
        section #errors aria-labelledby="errors-title" {
            h2 #errors-title { "How far off is the model?" }
            (frame::below_heading("errors-title", None, &columns, &rows))
            (furthest(&summaries))
            @if without > 0 {
                p.small {
                    (without) @if without == 1 { " more figure is" } @else { " more figures are" }
                    " zero on one side alone, which no error describes; the tables of the tests show them."
                }
            }
            @if !has_amplification {
                p.small { "No write amplification was measured: that takes a drive which counts what it writes to its flash." }
            }
        }
    }
}

fn summary_row(summary: &Summary<'_, '_>) -> Markup {
    let worst = summary.worst.map(|(_, figure)| figure.error());
    html! {
        tr {
            th scope="row" { (summary.kind.words()) }
            td.num { (summary.figures) }
            td.num { (summary.median.map_or("–".to_owned(), format::error)) }
            td.num { (worst.as_deref().unwrap_or("–")) }
        }
    }
}

/// The figures that are furthest off: on a narrow screen the table has no room for their names.
fn furthest(summaries: &[Summary<'_, '_>]) -> Markup {
    html! {
        ul {
            @for summary in summaries {
                @if let Some((matched, figure)) = summary.worst {
                    li {
                        (summary.kind.words()) " are furthest off, by " (figure.error()) ", in: "
                        (pair::words(matched.test, matched.measured)) ". " (figure_words(figure)) " is "
                        (figure.measured_words()) " as measured and " (figure.simulated_words()) " as simulated."
                    }
                }
            }
        }
    }
}

fn figure_words(figure: &Figure<'_>) -> String {
    match figure.job {
        "" => figure.words.clone(),
        job => format!("{job}: {}", figure.words),
    }
}

/// What the chart of each test draws, with a link to the test.
fn overview(pair: &Pair<'_>, view: &View<'_>) -> Markup {
    let drawn: Vec<(&Match<'_>, &Figure<'_>)> = (pair.matches.iter())
        .filter_map(|matched| Some((matched, matched.drawn()?)))
        .collect();
    let columns = html! {
        (frame::words(&["Test", "Measure"]))
        (frame::numbers(&["Measured", "Simulated", "Error"]))
    };
    let rows = html! {
        tbody {
            @for (matched, figure) in &drawn {
                @let words = pair::words(matched.test, matched.measured);
                tr {
                    th scope="row" {
                        @match view.family_of(&matched.measured.test) {
                            Some(family) => a href={ "#" (family.id) } { (words) },
                            None => (words),
                        }
                    }
                    td { (figure.words) }
                    (values(matched, figure))
                }
            }
        }
    };
    html! {
        section #figures aria-labelledby="figures-title" {
            h2 #figures-title { "Test by test" }
            @if drawn.is_empty() {
                p { "No run is on both sides with what the chart of its test draws." }
            } @else {
                (frame::below_heading("figures-title", Some("side-by-side"), &columns, &rows))
                (note(drawn.iter().map(|(matched, _)| *matched)))
            }
        }
    }
}

/// The note on figures of runs whose garbage collection had not settled, where there are any.
fn note<'p>(mut matches: impl Iterator<Item = &'p Match<'p>>) -> Markup {
    html! {
        @if matches.any(|matched| settling::is_unsettled(matched.simulated)) { p.small { (settling::NOTE) } }
    }
}

fn values(matched: &Match<'_>, figure: &Figure<'_>) -> Markup {
    let unsettled = settling::is_unsettled(matched.simulated);
    html! {
        td.num { (figure.measured_words()) }
        td.num { (settling::marked(figure.simulated_words(), unsettled)) }
        td.num { (figure.error()) }
    }
}

/// All figures that both sides have of the tests of a family.
pub(super) fn figures(pair: &Pair<'_>, family: &Family<'_>) -> Markup {
    let is_own = |matched: &&Match<'_>| {
        family
            .tests
            .iter()
            .any(|test| test.test == matched.measured.test)
    };
    let matches: Vec<&Match<'_>> = pair.matches.iter().filter(is_own).collect();
    let count: usize = matches
        .iter()
        .map(|matched| matched.compared().count())
        .sum();
    let id = format!("{}-pair", family.id);
    let columns = html! {
        (frame::words(&["Figure"]))
        (frame::numbers(&["Measured", "Simulated", "Error"]))
    };
    let several = matches.len() > 1;
    let rows = html! { @for matched in &matches { (run_rows(family, matched, several)) } };
    let caption = html! { "Measured and simulated, figure by figure" };
    let table = frame::table(&id, None, &caption, &columns, &rows);
    html! {
        @if count > ROWS_OPEN_MAX {
            details.behind {
                summary { "Measured and simulated: " (count) " figures" }
                (table)
            }
        } @else if count > 0 {
            (table)
        } @else {
            p.small { "Only one side ran this, so nothing is compared." }
        }
        (note(matches.iter().copied()))
    }
}

/// The figures of a run, below its name where there are several.
fn run_rows(family: &Family<'_>, matched: &Match<'_>, several: bool) -> Markup {
    let state = condition::state(&matched.measured.state);
    let words = match family.step(&matched.measured.test) {
        "" => state.to_owned(),
        step => format!("{step}, {state}"),
    };
    html! {
        tbody {
            @if several { tr { th scope="rowgroup" colspan=(COLUMNS) { (words) } } }
            @for figure in matched.compared() {
                tr {
                    td { (figure_words(figure)) }
                    (values(matched, figure))
                }
            }
        }
    }
}

fn differences(pair: &Pair<'_>) -> Markup {
    let columns = html! { (frame::words(&["What", "Measured", "Simulated"])) };
    let rows = html! {
        tbody {
            @for difference in pair.differences() {
                tr {
                    th scope="row" { (difference.what) }
                    @for value in &difference.values { td { (value) } }
                }
            }
        }
    };
    html! {
        section #differences aria-labelledby="differences-title" {
            h2 #differences-title { "What differs" }
            (frame::below_heading("differences-title", None, &columns, &rows))
        }
    }
}

/// What one side ran alone, or did not run, and is not compared.
fn alone(side: &Side<'_>, way: &str) -> Markup {
    let has_unfinished = side.unfinished().next().is_some();
    html! {
        @if !side.alone.is_empty() || has_unfinished {
            section {
                h2 { (way) " alone, and not compared" }
                @if side.alone.is_empty() { p { "Every run of this side is on the other one, too." } }
                ul {
                    @for alone in &side.alone {
                        li { (pair::words(alone.test, alone.run)) ": " (alone.why()) "." }
                    }
                    @for why in side.unfinished() { li { "Without results: " (why) } }
                }
            }
        }
    }
}

fn footer(pair: &Pair<'_>) -> Markup {
    let (real, model) = (&pair.measured.set.origin, &pair.simulated.set.origin);
    html! {
        footer {
            p {
                "Measured by ftlab " (real.version) ". Simulated by ftlab " (model.version) " with seed " (model.seed)
                " on the test machine " code { (model.testbed) } ". Charts are drawn with Apache ECharts (Apache License 2.0)."
            }
        }
    }
}
