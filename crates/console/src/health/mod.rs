//! A drive's health as the command line shows it: wear, SMART attributes, and the logs of NVMe.

pub mod nvme;
pub mod ocp;

pub use nvme::nvme_logs;

use crate::screen;
use ftlab_result::{Erases, SmartAttribute};
use std::fmt::Write;

/// Columns of the longest bar of a histogram.
const BAR_COLUMNS: f64 = 40.0;

/// Returns the blocks by their erases as bars, a line each.
pub fn bars(erases: &Erases) -> String {
    let histogram = &erases.histogram;
    let most = histogram.iter().map(|bin| bin.1).max().unwrap_or(1).max(1);
    let mut out = String::new();
    for &(erases, blocks) in histogram {
        let columns = f64::from(blocks) / f64::from(most) * BAR_COLUMNS;
        let bar = "#".repeat(columns.ceil() as usize);
        writeln!(out, "  {erases:>7} erases  {blocks:>7} {bar}").expect("writing to a string");
    }
    out
}

/// Attributes as `smartctl -A` prints them.
pub fn smart_table(rows: &[SmartAttribute]) -> String {
    let mut table = screen::table(&["ID#", "ATTRIBUTE_NAME", "VALUE", "THRESH", "RAW_VALUE"]);
    for row in rows {
        table.add_row([
            row.id.to_string(),
            row.name.to_owned(),
            format!("{:03}", row.value),
            format!("{:03}", row.threshold),
            row.raw.to_string(),
        ]);
    }
    screen::lines(table)
}
