//! A test of SNIA's specification as tables for a terminal.

use super::GAP;
use crate::view::pts::{Sheet, Table};
use std::fmt::Write as _;

/// Facts and tables, each behind an empty line.
pub fn sheet(sheet: &Sheet) -> String {
    let mut out = String::new();
    let width = sheet.facts.iter().map(|(name, _)| name.chars().count());
    let width = width.max().unwrap_or(0);
    for (name, value) in &sheet.facts {
        writeln!(out, "  {name:width$}  {value}").expect("writing to a string succeeds");
    }
    for of in &sheet.tables {
        out.push_str(&table(of));
    }
    out
}

/// The first column to the left, the others to the right.
pub fn table(table: &Table) -> String {
    let rows = || std::iter::once(&table.header).chain(&table.rows);
    let width = |column: usize| {
        let cells = rows().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..table.header.len()).map(width).collect();
    let mut out = format!("\n  {}\n", table.title);
    for row in rows() {
        let mut line = String::from("  ");
        for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            let empty = " ".repeat(width - cell.chars().count());
            let gap = if column == 0 { 0 } else { GAP };
            line.push_str(&" ".repeat(gap));
            if column == 0 {
                line.push_str(cell);
                line.push_str(&empty);
            } else {
                line.push_str(&empty);
                line.push_str(cell);
            }
        }
        writeln!(out, "{}", line.trim_end()).expect("writing to a string succeeds");
    }
    out
}
