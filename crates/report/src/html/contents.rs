//! All measurements in short, for reports that no published figures are beside.

use ftlab_result::quantity;
use ftlab_result::{Run, TestSheet};
use maud::{Markup, html};

use super::frame;
use super::navigation::drive_id;
use super::pts;
use crate::format;
use crate::settling;
use crate::view::{Family, View, standing};

/// More drives do not fit side by side.
const DRIVES_MAX: usize = 6;

/// Each test with what its chart draws, the drives side by side.
pub fn section(view: &View<'_>) -> Markup {
    let (specified, others): (Vec<&Family<'_>>, Vec<&Family<'_>>) =
        (view.families.iter()).partition(|family| family.runs.iter().any(|run| run.pts.is_some()));
    html! {
        @if view.families.is_empty() {
            section { p { "No test ran." } }
        } @else {
            section #contents aria-labelledby="contents-title" {
                h2 #contents-title { "What was measured" }
                @for family in specified {
                    h3 { a href={ "#" (family.id) } { (family.title) } }
                    (pts::in_short(view, family))
                }
                @if !others.is_empty() { (table(view, &others)) }
            }
        }
    }
}

fn table(view: &View<'_>, families: &[&Family<'_>]) -> Markup {
    let drives = view.slugs();
    let unsettled = families
        .iter()
        .flat_map(|family| &family.runs)
        .any(|run| settling::is_unsettled(run));
    let caption = html! { "Every test and what its chart draws, drive beside drive" };
    let named = drives
        .iter()
        .map(|slug| format::keep_units(view.drive_name(slug)));
    let named: Vec<String> = named.collect();
    let columns = html! { (frame::words(&["Test", "Measure"])) (frame::numbers(&named)) };
    let rows = html! {
        tbody {
            @for family in families {
                @for test in &family.tests { (row(drives, family, test)) }
            }
        }
    };
    html! {
        @if drives.len() <= DRIVES_MAX {
            (frame::table("contents-caption", Some("side-by-side"), &caption, &columns, &rows))
            @if unsettled { p.small { (settling::NOTE) } }
        } @else {
            ul { @for family in families { li { a href={ "#" (family.id) } { (family.title) } } } }
        }
    }
}

fn row(drives: &[&str], family: &Family<'_>, test: &TestSheet) -> Markup {
    html! {
        tr {
            th scope="row" {
                a href={ "#" (family.id) } { (family.title) }
                span.sub { (family.step(&test.test)) }
            }
            td { (quantity::words(&test.chart_metric)) }
            @for slug in drives { td.num { (cell(family, test, slug)) } }
        }
    }
}

/// The figure of a drive; for several states or data one below the other.
fn cell(family: &Family<'_>, test: &TestSheet, slug: &str) -> Markup {
    let runs = family
        .runs
        .iter()
        .filter(|run| run.test == test.test && run.drive == slug);
    let value = |run: &Run| {
        let value = *run.metrics.get(&test.chart_metric)?;
        let words = format::simulated(value, run.spread.get(&test.chart_metric));
        Some(settling::marked(
            format::with_unit(&words, &test.chart_unit),
            settling::is_unsettled(run),
        ))
    };
    let values: Vec<String> = runs.filter_map(|run| value(run)).collect();
    html! {
        @if values.is_empty() { "–" }
        @for (n, value) in values.iter().enumerate() {
            @if n > 0 { br; }
            (value)
        }
    }
}

/// In what variants of one model differ.
pub fn differences(view: &View<'_>) -> Markup {
    let rows = standing::differences(&view.set.drives);
    let columns = html! {
        th scope="col" { "Parameter" }
        @for drive in &view.set.drives {
            th.num scope="col" { a href={ "#" (drive_id(&drive.drive)) } { (format::keep_units(view.drive_name(&drive.drive))) } }
        }
    };
    let body = html! {
        tbody {
            @for row in &rows {
                tr {
                    th scope="row" { code { (row.key) } }
                    @for value in &row.values {
                        td.num {
                            @match value {
                                Some((value, unit)) => (format::with_unit(&format::literal(value), unit)),
                                None => "–",
                            }
                        }
                    }
                }
            }
        }
    };
    // Drives of different families differ in too much for a table; they have no rows.
    html! {
        @if !rows.is_empty() {
            section #differences aria-labelledby="differences-title" {
                h2 #differences-title { "What differs between the drives" }
                p.method { "All other numbers of their files are the same, so these decide how their results differ." }
                (frame::below_heading("differences-title", Some("parameters"), &columns, &body))
            }
        }
    }
}
