//! A drive's health as the command line shows it: wear, and SMART attributes.

use crate::screen;
use ftlab_drive::Health;
use ftlab_drive::smart::{Attribute, Vendor};
use serde::Serialize;
use std::fmt::Write;

/// Ranges of a wear histogram.
const BINS: u32 = 16;

/// Columns of the longest bar of a histogram.
const BAR_COLUMNS: f64 = 40.0;

/// How evenly blocks are worn, as JSON.
#[derive(Debug, Clone, Serialize)]
pub struct Wear {
    pub blocks: u32,
    pub erases_min: u32,
    pub erases_median: u32,
    pub erases_mean: f64,
    pub erases_max: u32,
    pub erases_stddev: f64,
    /// Share of the blocks more than a tenth, and more than one erase, above the median.
    pub over_worn_share: f64,
    /// Mean over maximum.
    pub levelling_efficiency: f64,
    /// P/E cycles that the maker guarantees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rated_cycles: Option<u32>,
    pub factory_bad_blocks: u32,
    pub erase_failed_blocks: u32,
    pub program_failed_blocks: u32,
    /// Superblocks left to replace bad blocks with, where the fewest are.
    pub spare_superblocks: u32,
    pub read_retries: u64,
    pub unreadable: u64,
    /// Reads beyond ECC that parity made good.
    pub made_good: u64,
    /// (first erase count of a range, blocks in it).
    pub histogram: Vec<(u32, u32)>,
}

impl Wear {
    pub fn of(health: &Health) -> Wear {
        let (wear, faults) = (&health.wear, &health.faults);
        Wear {
            blocks: wear.blocks(),
            erases_min: wear.min(),
            erases_median: wear.median(),
            erases_mean: wear.mean(),
            erases_max: wear.max(),
            erases_stddev: wear.stddev(),
            over_worn_share: wear.over_worn_share(),
            levelling_efficiency: wear.levelling_efficiency(),
            rated_cycles: health.rated_cycles,
            factory_bad_blocks: faults.factory_bad,
            erase_failed_blocks: faults.erase_failed,
            program_failed_blocks: faults.program_failed,
            spare_superblocks: health.spare.left,
            read_retries: faults.retries,
            unreadable: faults.unreadable,
            made_good: faults.made_good,
            histogram: wear.bins(BINS),
        }
    }

    /// The histogram as bars, a line each.
    pub fn bars(&self) -> String {
        let most = self
            .histogram
            .iter()
            .map(|bin| bin.1)
            .max()
            .unwrap_or(1)
            .max(1);
        let mut out = String::new();
        for &(erases, blocks) in &self.histogram {
            let columns = f64::from(blocks) / f64::from(most) * BAR_COLUMNS;
            let bar = "#".repeat(columns.ceil() as usize);
            writeln!(out, "  {erases:>7} erases  {blocks:>7} {bar}").expect("writing to a string");
        }
        out
    }
}

/// A SMART attribute, as JSON.
#[derive(Debug, Clone, Serialize)]
pub struct SmartRow {
    pub id: u8,
    pub name: String,
    pub value: u8,
    pub thresh: u8,
    pub raw: u64,
}

/// The attributes of a drive, by its vendor's table.
pub fn smart(vendor: Vendor, health: &Health) -> Vec<SmartRow> {
    let row = |attribute: Attribute| SmartRow {
        id: attribute.id,
        name: attribute.name.to_owned(),
        value: attribute.value,
        thresh: attribute.threshold,
        raw: attribute.raw,
    };
    vendor.attributes(health).into_iter().map(row).collect()
}

/// Attributes as `smartctl -A` prints them.
pub fn smart_table(rows: &[SmartRow]) -> String {
    let mut table = screen::table(&["ID#", "ATTRIBUTE_NAME", "VALUE", "THRESH", "RAW_VALUE"]);
    for row in rows {
        table.add_row([
            row.id.to_string(),
            row.name.to_owned(),
            format!("{:03}", row.value),
            format!("{:03}", row.thresh),
            row.raw.to_string(),
        ]);
    }
    screen::lines(table)
}
