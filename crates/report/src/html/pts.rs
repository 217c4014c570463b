//! Tests of SNIA's specification: facts and the standard's tables, a drive at a time.

use super::frame;
use crate::format;
use crate::view::pts::{Sheet, Table};
use crate::view::{Family, View, anchor};
use maud::{Markup, html};

/// Facts that a result cannot be read without.
const BRIEF: [&str; 3] = ["scale", "steady state", "caution"];

/// The sheets of a family's runs, folded up where they are many.
pub fn sheets(view: &View<'_>, family: &Family<'_>) -> Markup {
    let sheets: Vec<(String, Sheet)> = (family.runs.iter())
        .filter_map(|run| {
            let id = format!("{}/{}", family.id, anchor(&run.id));
            Some((id, Sheet::of(view, run)?))
        })
        .collect();
    html! {
        @for (id, sheet) in &sheets {
            details.behind open[sheets.len() == 1] {
                summary { "Tables: " (sheet.title) }
                (facts(sheet.facts.iter()))
                @for (number, of) in sheet.tables.iter().enumerate() {
                    (table(&format!("{id}-{number}"), of))
                }
            }
        }
    }
}

/// The outcome of a family's runs for those who read no further: at what scale, whether they were steady, and
/// the first of their tables.
pub fn in_short(view: &View<'_>, family: &Family<'_>) -> Markup {
    let sheets = family
        .runs
        .iter()
        .filter_map(|run| Some((run, Sheet::of(view, run)?)));
    html! {
        @for (run, sheet) in sheets {
            @if view.set.drives.len() > 1 { h4 { (view.drive_name(&run.drive)) } }
            (facts(sheet.facts.iter().filter(|(name, _)| BRIEF.contains(name))))
            @if let Some(first) = sheet.tables.first() {
                (table(&format!("brief-{}", anchor(&run.id)), first))
            }
        }
    }
}

fn facts<'a>(facts: impl Iterator<Item = &'a (&'static str, String)>) -> Markup {
    html! {
        dl.preparations {
            @for (name, value) in facts {
                dt { (name) }
                dd { (format::keep_units(value)) }
            }
        }
    }
}

/// A table whose first column names its rows.
pub fn table(id: &str, table: &Table) -> Markup {
    let (first, others) = table.header.split_at(1);
    let columns = html! { (frame::words(first)) (frame::numbers(others)) };
    let rows = html! {
        tbody {
            @for row in &table.rows {
                tr {
                    th scope="row" { (row[0]) }
                    @for cell in &row[1..] { td.num { (cell) } }
                }
            }
        }
    };
    let title = html! { (table.title) };
    frame::table(id, Some("side-by-side"), &title, &columns, &rows)
}
