//! One spec sheet a drive: every number of the model with where it comes from.

use ftlab_result::{DriveSheet, Parameter};
use maud::{Markup, html};

use super::{front, tables};
use crate::format;
use crate::view::View;
use crate::view::headline::{Feel, Headline};

/// The source of a number that was fitted to published figures.
const FITTED: &str = "fitted";

pub fn section(view: &View<'_>, headlines: &[Headline<'_>]) -> Markup {
    html! {
        @if !view.set.drives.is_empty() {
            section #drives aria-labelledby="drives-title" {
                p.eyebrow { "Spec sheets" }
                h2 #drives-title { "The drives, and where their numbers come from" }
                p.method {
                    "A model is only as good as its parameters. Each has a source; those marked "
                    em { "fitted" } " were chosen so that published figures come out, and what one \
                    figure fixes the others have to confirm."
                }
                @for (index, drive) in view.set.drives.iter().enumerate() {
                    (sheet(view, index, drive, headlines))
                }
            }
        }
    }
}

fn sheet(view: &View<'_>, index: usize, drive: &DriveSheet, headlines: &[Headline<'_>]) -> Markup {
    let id = format!("drive-{}", index + 1);
    let title_id = format!("{id}-title");
    let feel = headlines
        .get(index)
        .map_or(Feel::Untested, |headline| headline.feel);
    let fitted: Vec<&Parameter> = drive
        .parameters
        .iter()
        .filter(|p| p.source == FITTED)
        .collect();
    html! {
        article.drive id=(id) aria-labelledby=(title_id) {
            h3 id=(title_id) { (drive.name) " " (front::feel(feel)) }
            p { (drive.summary) }
            (facts(view, drive, fitted.len()))
            @if !fitted.is_empty() {
                (parameters(&format!("{id}-fitted"), "Fitted numbers, and what pins them", &fitted))
            }
            @if !drive.parameters.is_empty() {
                details {
                    summary { "All " (drive.parameters.len()) " parameters" }
                    (parameters(
                        &format!("{id}-all"),
                        "Every number of the drive file",
                        &drive.parameters.iter().collect::<Vec<_>>(),
                    ))
                }
            }
        }
    }
}

fn facts(view: &View<'_>, drive: &DriveSheet, fitted: usize) -> Markup {
    let score = view.drive_score(&drive.drive);
    html! {
        dl.facts {
            div { dt { "Capacity" } dd { (format::capacity(drive.capacity_bytes)) } }
            div { dt { "Fitted numbers" } dd { (fitted) " of " (drive.parameters.len()) } }
            div { dt { "Figures reproduced" } dd { (tables::score_line(score)) } }
            div { dt { "Drive file" } dd { code { (drive.drive) } " " code.hash { (drive.file_hash) } } }
        }
    }
}

fn parameters(id: &str, caption: &str, parameters: &[&Parameter]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-labelledby=(id) {
            table.parameters {
                caption id=(id) { (caption) }
                thead {
                    tr {
                        th scope="col" { "Parameter" }
                        th.num scope="col" { "Value" }
                        th scope="col" { "Source" }
                        th scope="col" { "Confidence" }
                        th scope="col" { "Note" }
                    }
                }
                tbody {
                    @for parameter in parameters {
                        tr.fitted[parameter.source == FITTED] {
                            th scope="row" { code { (parameter.key) } }
                            td.num { (value(parameter)) }
                            td { (source(&parameter.source)) }
                            td { (parameter.confidence) }
                            td.note { (parameter.note) }
                        }
                    }
                }
            }
        }
    }
}

fn value(parameter: &Parameter) -> String {
    let value = format::literal(&parameter.value);
    format::with_unit(&value, &parameter.unit)
}

fn source(source: &str) -> Markup {
    html! {
        @if source == FITTED { span.chip.fair { span aria-hidden="true" { "◆" } " fitted" } }
        @else { (source) }
    }
}
