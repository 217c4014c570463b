//! A test of SNIA's specification as tables for a terminal.

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
    let mut plain = super::plain();
    plain.set_header(&table.header).add_rows(&table.rows);
    let lines = super::lines(plain, 1);
    let lines: String = lines.lines().map(|line| format!("  {line}\n")).collect();
    format!("\n  {}\n{lines}", table.title)
}
