//! `ftlab show`: every number of a drive, and where it is from.

use crate::drives;
use crate::failure::Outcome;
use crate::options::OutputFormat;
use crate::screen;
use clap::Args;
use ftlab_bench::sheets;
use ftlab_drive::{Catalog, DriveFile};
use ftlab_result::DriveSheet;
use std::fmt::Write;

#[derive(Debug, Args)]
pub struct Options {
    /// A drive of `ftlab drives`, or a path to a drive file
    #[arg(value_parser = drives::name(), hide_possible_values = true)]
    drive: String,
    /// Change a number of the drive file, for example spare.op=28%; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = OutputFormat::Normal)]
    output_format: OutputFormat,
}

pub fn command(options: &Options, catalog: &Catalog) -> Outcome {
    let file = catalog.load(&options.drive, &options.settings)?;
    let sheet = sheets::sheet(&file);
    let text = match options.output_format {
        OutputFormat::Normal => normal(&sheet, &facts(&file)),
        OutputFormat::Json => screen::json(&sheet)?,
    };
    screen::print(&text)
}

/// What a list of drives says of one, in a line; nothing of a file that does not say it.
fn facts(file: &DriveFile) -> String {
    let of = |what: &str, fact: Option<String>| fact.map(|fact| format!("{what}{fact}"));
    let facts = [
        of("", file.year().map(|year| year.to_string())),
        of("", file.interface()),
        of("", file.flash().map(|flash| flash.name().to_owned())),
        of("class ", file.class().map(|class| class.name().to_owned())),
        of(
            "also called ",
            Some(file.aliases().join(", ")).filter(|names| !names.is_empty()),
        ),
    ];
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    match facts.is_empty() {
        true => String::new(),
        false => facts.join("; ") + "\n",
    }
}

fn normal(sheet: &DriveSheet, facts: &str) -> String {
    let capacity = screen::capacity(sheet.capacity_bytes);
    let mut out = format!(
        "{}: {}, {capacity}\n{}\n{facts}\n",
        sheet.drive, sheet.name, sheet.summary
    );
    // Only some drives have numbers that were worked out from figures, or share numbers with others.
    let has_from = sheet.parameters.iter().any(|row| !row.from.is_empty());
    let has_base = sheet.parameters.iter().any(|row| !row.base.is_empty());
    let mut headings = vec!["parameter", "value", "unit", "source", "confidence"];
    headings.extend(has_from.then_some("from"));
    headings.push("note");
    headings.extend(has_base.then_some("base"));
    let mut table = screen::table(&headings);
    for row in &sheet.parameters {
        let (source, confidence) = (row.source.as_str(), row.confidence.as_str());
        let from = row.from.join(" ");
        let mut cells = vec![&row.key, &row.value, &row.unit, source, confidence];
        cells.extend(has_from.then_some(from.as_str()));
        cells.push(&row.note);
        cells.extend(has_base.then_some(row.base.as_str()));
        table.add_row(cells);
    }
    out += &screen::lines(table);
    out += &alone(sheet);
    // Names and choices have no source; only numbers are worked out.
    let numbers = sheet
        .parameters
        .iter()
        .filter(|row| !row.source.is_empty())
        .count();
    let of = |source: &str| {
        let rows = sheet.parameters.iter();
        rows.filter(|row| row.source == source).count()
    };
    let footer = writeln!(
        out,
        "\n{numbers} numbers; worked out from published or announced figures are {} that were fitted to them, and {} derived \
         by hand",
        of("fitted"),
        of("derived"),
    );
    footer.expect("writing to a string succeeds");
    out
}

/// Renders the times of commands at queue depth 1, in microseconds.
fn alone(sheet: &DriveSheet) -> String {
    let rows = &sheet.alone;
    if rows.is_empty() {
        return String::new();
    }
    let mut table = screen::table(&[
        "queue depth 1, us",
        "host",
        "link",
        "firmware",
        "flash",
        "bus",
        "total",
    ]);
    for row in rows {
        // The parts in the order in which a command meets them; the last one is their sum.
        let parts = [
            row.host_us,
            row.link_us,
            row.firmware_us,
            row.flash_us,
            row.bus_us,
            row.total_us,
        ];
        let parts = parts.map(|us| format!("{us:.1}"));
        table.add_row(std::iter::once(&row.command).chain(&parts));
    }
    format!(
        "\n{}behind the host {}\n",
        screen::lines(table),
        sheet.alone_on
    )
}
