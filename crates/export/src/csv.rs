//! A table as CSV (RFC 4180): a line of headings, then a line a row.

use crate::table::{Cells, Table};

/// The text of a CSV file. Numbers are written so that reading them gives the same again; nothing is an
/// empty cell.
#[must_use]
pub fn csv(table: &Table) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let headings = table.columns.iter().map(|column| column.name.as_str());
    writer.write_record(headings).expect("memory takes it");
    for row in 0..table.rows() {
        let cells = (table.columns.iter()).map(|column| match &column.cells {
            Cells::Text(cells) => cells[row].clone().unwrap_or_default(),
            Cells::Whole(cells) => cells[row].map_or_else(String::new, |count| count.to_string()),
            Cells::Number(cells) => cells[row].map_or_else(String::new, |value| value.to_string()),
        });
        writer
            .write_record(cells)
            .expect("columns are of one length");
    }
    let bytes = writer.into_inner().expect("memory takes it");
    String::from_utf8(bytes).expect("made of text")
}
