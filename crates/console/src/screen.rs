//! Standard output: how wide it is, whether it has colours, and what happens when it closes.

use crate::failure::{Failure, Outcome};
use comfy_table::{ColumnConstraint, ContentArrangement, Table, presets};
use ftlab_base::amount::decimal;
use ftlab_base::printable;
use serde::Serialize;
use std::io::{IsTerminal, Write};

/// Columns of charts when standard output is no terminal: what a person has who looks at it later.
const WIDTH_ELSEWHERE: u16 = 120;

/// Width of the space between columns.
const GAP: u16 = 2;

/// Prints text that ends with a newline. Names in it may come from anybody's file.
pub fn print(text: &str) -> Outcome {
    print_plainly(&printable::lines(text))
}

/// Prints a text that may have colours.
pub fn print_in_colours(text: &str) -> Outcome {
    print_plainly(&printable::lines_in_colours(text))
}

fn print_plainly(text: &str) -> Outcome {
    let mut stdout = std::io::stdout().lock();
    let written = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush());
    written.map_err(|error| Failure::printing(&error))
}

/// Says something on standard error, beside what is printed.
pub fn say(text: &str) {
    eprint!("{}", printable::lines(text));
}

/// Returns JSON for programs, ending with a newline.
///
/// # Errors
/// When the value has no form in JSON.
pub fn json(value: &impl Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(value);
    let text = text.map_err(|error| Failure::Running(error.to_string()))?;
    Ok(printable::json(&text) + "\n")
}

/// A table without lines. On a terminal it is as wide as that; elsewhere, where a program may look for something in it, no
/// cell is broken.
pub fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(header);
    if std::io::stdout().is_terminal() {
        table
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(width());
    }
    table
}

/// The table's lines, from the first column of the screen and without spaces at their ends.
pub fn lines(mut table: Table) -> String {
    // The first column has names and keys, which are for copying.
    if let Some(names) = table.column_mut(0) {
        names.set_constraint(ColumnConstraint::ContentWidth);
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, GAP));
    }
    table
        .lines()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}

/// Columns of the screen.
pub fn width() -> u16 {
    let on_terminal = std::io::stdout().is_terminal();
    let width = if on_terminal {
        Table::new().width()
    } else {
        None
    };
    width.unwrap_or(WIDTH_ELSEWHERE)
}

/// Returns true if output is coloured: on a terminal, unless `NO_COLOR` (no-color.org) says otherwise.
pub fn has_colours() -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    std::io::stdout().is_terminal() && !refused
}

/// Bytes as drives are sold, in powers of 1000.
pub fn capacity(bytes: u64) -> String {
    decimal(bytes as f64, "B")
}

/// A value in a table, with about four digits.
pub fn short(value: f64) -> String {
    let digits = match value.abs() {
        v if v >= 1000.0 => 0,
        v if v >= 100.0 => 1,
        v if v >= 10.0 => 2,
        _ => 3,
    };
    format!("{value:.digits$}")
}
