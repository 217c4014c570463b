//! The tables of figures: published beside the model's.

use ftlab_result::{Figure, Verdict};
use maud::{Markup, html};

use super::frame;
use crate::format;
use crate::view::condition;
use crate::view::repeats::Repeats;
use crate::view::{self, Family, Score, View};

/// Columns of the table of figures, and of that of one drive's.
const FIGURE_COLUMNS: usize = 8;
const FIGURE_OF_DRIVE_COLUMNS: usize = 6;

/// Published beside simulated, one row a figure.
pub fn figures(
    view: &View<'_>,
    id: &str,
    figures: &[&Figure],
    family: Option<&Family<'_>>,
) -> Markup {
    let rows = html! { @for figure in figures { (figure_row(view, figure, family)) } };
    framed(view, id, None, &["Figure", "Drive", "Test"], &rows)
}

/// A table of figures: columns that say of what each is, then those of all such tables.
fn framed(view: &View<'_>, id: &str, class: Option<&str>, of: &[&str], rows: &Markup) -> Markup {
    let columns = html! {
        (frame::words(of))
        (frame::words(&["Metric"]))
        (frame::numbers(&["Published", "Simulated", "Error"]))
        (frame::words(&["Verdict"]))
    };
    let rows = html! { tbody { (rows) } };
    frame::table(
        &format!("{id}-figures"),
        class,
        &caption_words(view),
        &columns,
        &rows,
    )
}

fn figure_row(view: &View<'_>, figure: &Figure, family: Option<&Family<'_>>) -> Markup {
    html! {
        tr id=(view.figure_anchor(figure)) {
            td.id title={ "Source: " (figure.source) } { (figure.id) }
            th scope="row" {
                @if figure.model.is_empty() || figure.model == figure.drive {
                    (drive_of(view, figure))
                } @else {
                    (view.drive_name(&figure.model))
                    span.sub title={ "In reference/published.csv: " (figure.drive) } {
                        "published for " (drive_of(view, figure))
                    }
                }
            }
            td.step { (test_cell(figure, family)) }
            (figure_cells(view, figure))
        }
        (why_row(figure, FIGURE_COLUMNS))
    }
}

/// The drive a figure was published for, in words.
fn drive_of<'b>(view: &'b View<'_>, figure: &'b Figure) -> &'b str {
    match figure.drive_name.as_str() {
        "" => view.drive_name(&figure.drive),
        words => words,
    }
}

/// Renders the reason for which a figure is missed, across the table: it is longer than any cell.
fn why_row(figure: &Figure, columns: usize) -> Markup {
    html! {
        @if !figure.why.is_empty() {
            tr.why-row { td colspan=(columns) { div { "Missed: " (figure.why) } } }
        }
    }
}

/// Metric, published, simulated, error, verdict.
fn figure_cells(view: &View<'_>, figure: &Figure) -> Markup {
    let published = format::published(&figure.published, &figure.qualifier);
    html! {
        td { (view.metric_words(&figure.metric)) }
        td.num { (format::with_unit(&published, &figure.unit)) }
        td.num {
            @match figure.simulated {
                Some(value) => (simulated(figure, value)),
                None => span.quiet { "no run" },
            }
        }
        td.num { (error(figure)) }
        td {
            (verdict(figure.verdict, view.set.origin.quick))
            @if figure.qualifier == ORDER { span.sub { (ONLY_ORDER) } }
        }
    }
}

/// The qualifier of scores of closed programs.
const ORDER: &str = "order";

/// A remark on the verdict about a closed program's score.
const ONLY_ORDER: &str = "closed program: only the order of the drives is checked";

/// The caption of a table of figures, which says how to read it.
fn caption_words(view: &View<'_>) -> Markup {
    html! {
        "Published figures beside the model’s, both in what the source counts in: MiB/s are 2" sup { "20" }
        " bytes a second, whatever the source calls them"
        @if let Some(repeats) = Repeats::of(view.set) {
            ", which are means over " (repeats.count) " repeats ± half of their 95\u{a0}% confidence interval"
        }
    }
}

/// A simulated figure with its unit: once, or over repeats.
fn simulated(figure: &Figure, value: f64) -> String {
    let text = format::simulated(value, figure.spread.as_ref());
    format::with_unit(&text, &figure.unit)
}

/// The step and what the source says of state, data and link, where it says anything.
fn test_cell(figure: &Figure, family: Option<&Family<'_>>) -> Markup {
    // A figure of a whole family, such as the score of a suite, has no step.
    let step = match family {
        Some(family) => family.step(&figure.test),
        None => view::test_words(figure),
    };
    let said = |text: &str| !matches!(text, "" | "na" | "unstated");
    let data = figure.data.replace('+', " and ").replace('-', " ");
    let link = condition::link(&figure.link);
    let circumstances: Vec<&str> = [
        (figure.state.as_str(), condition::state(&figure.state)),
        (&figure.data, &data),
        (&figure.link, &link),
    ]
    .into_iter()
    .filter(|(key, _)| said(key))
    .map(|(_, words)| words)
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

/// The error of a figure's model.
pub fn error(figure: &Figure) -> Markup {
    html! {
        @match figure.error {
            Some(error) => (format::signed_error(error, &figure.published, figure.simulated)),
            None => span.quiet { "–" },
        }
    }
}

/// A verdict as a word and a sign; colour only repeats it.
fn verdict(verdict: Verdict, quick: bool) -> Markup {
    let (class, sign, word) = match verdict {
        Verdict::Pass => ("good", "✓", "pass"),
        Verdict::Fail => ("bad", "✗", "fail"),
        Verdict::Shown => ("none", "○", "shown"),
    };
    html! { span.chip.(class) { span aria-hidden="true" { (sign) } " " (word) @if quick && verdict != Verdict::Shown { ", quick" } } }
}

/// The line shown in place of a folded table of runs.
pub fn runs_line(runs: usize) -> Markup {
    html! {
        @match runs {
            1 => "The run",
            n => { "All " (n) " runs" },
        }
        ", with percentiles and work inside"
    }
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

/// Shares of the scored figures in bands of error, as a bar and in words.
pub fn bands(bands: &[(&'static str, usize)]) -> Markup {
    let scored: usize = bands.iter().map(|(_, count)| count).sum();
    let share = |count: usize| 100.0 * count as f64 / scored as f64;
    html! {
        @if scored > 0 {
            div.bands {
                div.bands-bar aria-hidden="true" {
                    @for (index, (_, count)) in bands.iter().enumerate() {
                        @if *count > 0 {
                            span.(format!("band-{index}")) style={ "width:" (format!("{:.2}", share(*count))) "%" } {}
                        }
                    }
                }
                ul aria-label={ "Errors of " (scored) " scored figures" } {
                    @for (index, (name, count)) in bands.iter().enumerate() {
                        li.(format!("band-{index}")) { b { (count) } " " (format::keep_units(name)) }
                    }
                }
            }
        }
    }
}

/// A figure in a line: `published 991 ms, simulated 978 ms (−1.3 %)`.
pub fn published_and_simulated(figure: &Figure) -> Markup {
    let published = format::published(&figure.published, &figure.qualifier);
    html! {
        "published " (format::with_unit(&published, &figure.unit))
        @if let Some(simulated) = figure.simulated {
            ", simulated " (self::simulated(figure, simulated))
        }
        @if figure.error.is_some() { " (" (error(figure)) ")" }
    }
}

/// The figures of one drive, each with a link to its test.
pub fn figures_of_drive(view: &View<'_>, id: &str, figures: &[&Figure]) -> Markup {
    let rows = html! {
        @for figure in figures {
            tr {
                th scope="row" {
                    @match view.family_of_figure(figure) {
                        Some(family) => {
                            a href={ "#" (view.figure_anchor(figure)) } { (family.title) }
                            span.sub { (test_cell(figure, Some(family))) }
                        },
                        None => a href={ "#" (view.figure_anchor(figure)) } { (view::test_words(figure)) },
                    }
                    @if figure.drive != figure.model {
                        span.sub { "published for " (drive_of(view, figure)) }
                    }
                }
                (figure_cells(view, figure))
            }
            (why_row(figure, FIGURE_OF_DRIVE_COLUMNS))
        }
    };
    framed(view, id, Some("of-drive"), &["Test"], &rows)
}
