//! A prediction as a row of a file.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// A prediction. What was published stands elsewhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The figure: drive, test, state and metric.
    pub id: String,
    /// The day on which it was predicted.
    pub date: String,
    /// The version that predicted it.
    pub model: String,
    /// The drive, as its sheet's file is called.
    pub drive: String,
    /// The job file.
    pub test: String,
    /// The state that the drive begins in.
    pub state: String,
    /// The machine.
    pub testbed: String,
    /// The figure of the run.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// The middle member.
    pub middle: f64,
    /// The lower end of the range.
    pub low: f64,
    /// The upper end of the range.
    pub high: f64,
    /// What the figure tells of a drive.
    pub kind: String,
    /// Members of the class that were run.
    pub members: usize,
    /// What the range of members is widened by, as a logarithm.
    pub residual: f64,
    /// True where the page that the sheet was written from shows the figure, too.
    pub input_shows: bool,
}

/// The file of rows.
///
/// # Panics
/// Never: it is written to memory.
#[must_use]
pub fn text(rows: &[Row]) -> String {
    let mut file = csv::Writer::from_writer(Vec::new());
    for row in rows {
        file.serialize(row).expect("it is memory");
    }
    let bytes = file.into_inner().expect("it is memory");
    String::from_utf8(bytes).expect("it is text")
}

/// Reads a file of rows.
///
/// # Errors
/// The row that is none.
pub fn read(text: &str) -> Result<Vec<Row>, String> {
    let mut file = csv::Reader::from_reader(text.as_bytes());
    let rows = file.deserialize();
    rows.map(|row| row.map_err(|error: csv::Error| error.to_string()))
        .collect()
}

/// A mark of a file, by which a change of it shows.
#[must_use]
pub fn seal(text: &str) -> String {
    format!("{:016x}", xxh3_64(text.as_bytes()))
}
