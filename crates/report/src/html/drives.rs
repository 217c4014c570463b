//! One page a drive: what it is good for, how accurate its model is, every number of it with where it
//! comes from, its runs.

use ftlab_result::{At, DriveKind, DriveSheet, Parameter, Run, Way};
use maud::{Markup, html};

use super::navigation::drive_id;
use super::{frame, front, tables};
use crate::format;
use crate::view::headline::{Feel, Headline};
use crate::view::purpose::Purpose;
use crate::view::{View, anchor, errors, score};

pub fn page(
    view: &View<'_>,
    index: usize,
    drive: &DriveSheet,
    headlines: &[Headline<'_>],
    purposes: &[Purpose<'_, '_>],
) -> Markup {
    let id = drive_id(&drive.drive);
    let title_id = format!("{id}-title");
    let headline = headlines.get(index);
    // The table of runs is filled by the script; without runs there is nothing to unfold.
    let runs = view
        .set
        .runs
        .iter()
        .filter(|run| run.drive == drive.drive)
        .count();
    html! {
        section.page.drive id=(id) aria-labelledby=(title_id) {
            p.eyebrow { (kind(drive)) }
            h2 id=(title_id) {
                (drive.name)
                @if let Some(headline) = headline.filter(|headline| headline.feel != Feel::Untested) {
                    " " (front::feel(headline, view.set.origin.quick))
                }
            }
            p.lede { (format::keep_units(&drive.summary)) }
            @if drive.members.is_empty() { (facts(view, drive)) }
            @for member in &drive.members {
                h3 { (member.name) ": " (member.drive.name) }
                (facts(view, &member.drive))
            }
            @if let Some(why) = headline.map(|headline| headline.why.as_str()).filter(|why| !why.is_empty()) {
                p { strong { "Small random writes: " } (format::keep_units(why)) }
            }
            (places(drive, purposes))
            @if view.set.origin.way != Way::Measured { (accuracy(view, drive, &id)) }
            (smart(view, drive, &id))
            @if runs > 0 {
                h3 { "Its runs" }
                details.behind.runs data-runs-of-drive=(index) {
                    summary { (tables::runs_line(runs)) }
                    div.runs-table {}
                }
            }
            (alone(drive, "", &id))
            @for member in &drive.members {
                (alone(&member.drive, &format!(" of {}", member.name), &format!("{id}-{}", anchor(&member.name))))
            }
            (parameters(drive, "Spec sheet", &id))
            @for member in &drive.members {
                (parameters(&member.drive, &format!("Spec sheet of {}", member.name), &format!("{id}-{}", anchor(&member.name))))
            }
        }
    }
}

fn kind(drive: &DriveSheet) -> &'static str {
    match drive.kind {
        _ if !drive.members.is_empty() => "Drives by name",
        DriveKind::Ssd => "SSD",
        DriveKind::Disk => "Hard disk",
        DriveKind::Ram => "RAM disk",
        DriveKind::Unknown => "Drive",
    }
}

fn capacity(drive: &DriveSheet) -> String {
    match drive.capacity_bytes {
        0 => "not known".to_owned(),
        bytes => format::capacity(bytes),
    }
}

fn facts(view: &View<'_>, drive: &DriveSheet) -> Markup {
    let of_figures = drive.parameters.iter().filter(|p| p.is_of_figures());
    let shared = of_figures.clone().filter(|p| !p.base.is_empty()).count();
    let of_figures = of_figures.count();
    let figures = view.drive_figures(&drive.drive);
    html! {
        dl.facts {
            div { dt { "Capacity" } dd { (capacity(drive)) } }
            div {
                dt { "Numbers worked out from figures" }
                dd {
                    (of_figures) " of " (drive.parameters.len())
                    @if shared > 0 { span.sub { (shared) " of them its controller’s" } }
                }
            }
            @if view.pair.is_none() {
                div { dt { "Figures reproduced" } dd { (tables::score_line(score(figures.into_iter()))) } }
            }
            div { dt { "Drive file" } dd { code { (drive.drive) } span.sub { code.hash { (drive.file_hash) } } } }
        }
    }
}

/// Renders the places of a drive in every use that it is ranked for.
fn places(drive: &DriveSheet, purposes: &[Purpose<'_, '_>]) -> Markup {
    let placed: Vec<_> = (purposes.iter())
        .filter_map(|purpose| Some((purpose, purpose.place(&drive.drive)?)))
        .collect();
    let id = format!("{}-places", drive_id(&drive.drive));
    let caption = html! { "Its place among the drives of this report" };
    let columns = html! {
        (frame::words(&["Use"]))
        (frame::numbers(&["Place", "This drive", "The best"]))
        (frame::words(&["Test"]))
    };
    let rows = html! {
        tbody {
            @for (purpose, (place, value)) in &placed {
                tr {
                    th scope="row" { (purpose.title) }
                    td.num { (place) " of " (purpose.ranked.len()) }
                    td.num { (format::with_unit(&format::number(*value), purpose.unit)) }
                    td.num { (format::with_unit(&format::number(purpose.ranked[0].1), purpose.unit)) }
                    td { a href={ "#" (purpose.family.id) } { (purpose.family.title) } }
                }
            }
        }
    };
    // A drive may be ranked for no use: then there is no heading either.
    html! {
        @if !placed.is_empty() {
            h3 { "What it is good for" }
            (frame::table(&id, None, &caption, &columns, &rows))
        }
    }
}

fn accuracy(view: &View<'_>, drive: &DriveSheet, id: &str) -> Markup {
    let figures = view.drive_figures(&drive.drive);
    html! {
        h3 { "How accurate its model is" }
        @if figures.is_empty() {
            p.method { "No test of this report answers a published figure of this drive." }
        } @else {
            (tables::bands(&errors::bands(figures.iter().copied())))
            (tables::figures_of_drive(view, id, &figures))
        }
    }
}

/// The SMART attributes of a drive after the run that read them.
fn smart(view: &View<'_>, drive: &DriveSheet, id: &str) -> Markup {
    let says = |at: &&At| !at.smart.is_empty();
    let asked = |run: &&Run| run.drive == drive.drive && run.at.iter().any(|at| says(&at));
    let is_worn = |run: &&Run| run.at.iter().any(|at| !at.wear.is_empty());
    html! {
        // A run that looked at the wear has lived longest.
        @if let Some(run) = view.set.runs.iter().filter(asked).max_by_key(is_worn) {
            h3 { "What the drive reports" }
            @for at in run.at.iter().filter(says) {
                @match at.name.as_str() {
                    "" => (attributes(view, run, at, id)),
                    name => (attributes(view, run, at, &format!("{id}-{}", anchor(name)))),
                }
            }
        }
    }
}

/// SMART attributes, of the drive of that name if there are several.
fn attributes(view: &View<'_>, run: &Run, at: &At, id: &str) -> Markup {
    let caption = html! {
        "SMART " @if !at.name.is_empty() { "of " (at.name) " " } "at the end of the test: "
        @match view.family_of(&run.test) {
            Some(family) => a href={ "#" (family.id) } { (family.title) },
            None => (run.test),
        }
    };
    let columns = html! {
        (frame::words(&["Attribute", "Name"]))
        (frame::numbers(&["Value", "Threshold", "Raw"]))
    };
    let rows = html! {
        tbody {
            @for attribute in &at.smart {
                tr {
                    th scope="row" { (attribute.id) " (" code { (format!("{:#04X}", attribute.id)) } ")" }
                    td { (attribute.name.replace('_', " ")) }
                    td.num { (attribute.value) }
                    td.num { (attribute.threshold) }
                    td.num { (attribute.raw) }
                }
            }
        }
    };
    let id = format!("{id}-smart");
    frame::table(&id, Some("parameters"), &caption, &columns, &rows)
}

/// The parts of the latency of one command at a time.
fn alone(drive: &DriveSheet, whose: &str, id: &str) -> Markup {
    let caption = html! {
        "Latency at queue depth 1 in µs"
        @if !drive.alone_on.is_empty() { ", behind the host " code { (drive.alone_on) } }
    };
    let parts = ["Host", "Link", "Firmware", "Flash", "Bus", "Total"];
    let columns = html! { (frame::words(&["Command"])) (frame::numbers(&parts)) };
    let cell = |us: f64| html! { td.num { (format!("{us:.1}")) } };
    let rows = html! {
        tbody {
            @for row in &drive.alone {
                tr {
                    th scope="row" { (row.command) }
                    (cell(row.host_us)) (cell(row.link_us)) (cell(row.firmware_us))
                    (cell(row.flash_us)) (cell(row.bus_us)) (cell(row.total_us))
                }
            }
        }
    };
    html! {
        @if !drive.alone.is_empty() {
            h3 { "One command at a time" (whose) }
            p.method {
                "At queue depth 1 nothing overlaps, so the latency is the sum of these parts. A write is answered once "
                "its data are in the buffer; what the firmware does afterwards makes the next one wait, not this one."
            }
            (frame::table(&format!("{id}-alone"), None, &caption, &columns, &rows))
        }
    }
}

fn parameters(drive: &DriveSheet, title: &str, id: &str) -> Markup {
    let caption = html! { (drive.parameters.len()) " numbers" };
    let columns = html! {
        (frame::words(&["Parameter"]))
        (frame::numbers(&["Value"]))
        (frame::words(&["Source, confidence", "Note"]))
    };
    let rows = html! {
        @for group in groups(&drive.parameters) {
            tbody { @for parameter in group { (parameter_row(parameter)) } }
        }
    };
    html! {
        @if !drive.parameters.is_empty() {
            h3 { (title) }
            p.method {
                "Every number of the drive file with where it comes from. Those marked " em { "fitted" } " or "
                em { "derived" } " were worked out from the figures beside them, by a fit or by hand; what these fix the "
                "others have to confirm."
            }
            (frame::table(&format!("{id}-sheet"), Some("parameters"), &caption, &columns, &rows))
        }
    }
}

/// Parameters that stand together share what is before the first dot of their keys.
fn groups(parameters: &[Parameter]) -> Vec<&[Parameter]> {
    let section = |p: &Parameter| p.key.split('.').next().unwrap_or_default().to_owned();
    parameters
        .chunk_by(|a, b| section(a) == section(b))
        .collect()
}

fn parameter_row(parameter: &Parameter) -> Markup {
    html! {
        tr {
            th scope="row" { code { (parameter.key) } }
            td.num { (value(parameter)) }
            td {
                (source(parameter))
                @if !parameter.confidence.is_empty() { span.sub { (parameter.confidence) } }
            }
            td.note {
                (parameter.note)
                @if !parameter.base.is_empty() { " " span.quiet { "(as " code { (parameter.base) } ")" } }
            }
        }
    }
}

fn value(parameter: &Parameter) -> String {
    let value = format::literal(&parameter.value);
    format::with_unit(&value, &parameter.unit)
}

fn source(parameter: &Parameter) -> Markup {
    html! {
        @if parameter.is_of_figures() {
            span.chip.fair { span aria-hidden="true" { "◆" } " " (parameter.source) }
            @if !parameter.from.is_empty() { " " span.quiet { "from " (parameter.from.join(", ")) } }
        }
        @else { (parameter.source) }
    }
}
