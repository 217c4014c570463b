//! The table of claims.

use serde::{Deserialize, Serialize};

const CLAIMS: &str = include_str!("../reference/claims.csv");

/// A row of `reference/claims.csv`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// `C` and three digits.
    pub id: String,
    /// Slug of the source.
    pub source: String,
    /// The statement in words.
    pub claim: String,
    /// The drives that it is about.
    pub drives: String,
    /// The behaviour that a drive has to show.
    pub how_to_check: String,
}

/// All claims, in the order of the table.
///
/// # Panics
/// Never: a test reads the table that is part of the program.
#[must_use]
pub fn claims() -> Vec<Claim> {
    let mut reader = csv::Reader::from_reader(CLAIMS.as_bytes());
    let rows = reader.deserialize();
    rows.map(|row| row.expect("an embedded table is well formed"))
        .collect()
}
