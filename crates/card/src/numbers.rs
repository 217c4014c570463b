//! The numbers of a drive file, each taken note of when it is asked for: what nobody asked for was not taken over.

use ftlab_drive::{DriveFile, ParameterRow};
use ftlab_sheet::quantity::{Bytes, Count, Dimension, Rate, Ratio, Time};
use std::collections::{BTreeMap, BTreeSet};

/// A drive's numbers, by section and key.
#[derive(Debug)]
pub struct Numbers {
    rows: BTreeMap<String, ParameterRow>,
    asked: BTreeSet<String>,
}

/// The worth of a unit in nanoseconds, bytes, bytes a second, or the number itself. No two of these kinds share a
/// unit but `1`.
fn worth(unit: &str) -> Option<f64> {
    let units = [
        Time::UNITS,
        Bytes::UNITS,
        Rate::UNITS,
        Count::UNITS,
        Ratio::UNITS,
    ];
    let mut units = units.into_iter().flatten();
    units
        .find(|(name, _)| *name == unit)
        .map(|(_, worth)| *worth)
}

impl Numbers {
    pub fn of(drive: &DriveFile) -> Numbers {
        let rows = drive.parameters().into_iter();
        Numbers {
            rows: rows.map(|row| (row.key.clone(), row)).collect(),
            asked: BTreeSet::new(),
        }
    }

    /// A number in nanoseconds, bytes, bytes a second, or as it is; `None` where the file does not have the key.
    pub fn number(&mut self, key: &str) -> Option<f64> {
        let row = self.rows.get(key)?;
        let value: f64 = row.value.parse().ok()?;
        let worth = match row.unit.as_str() {
            "" => 1.0,
            unit => worth(unit)?,
        };
        self.asked.insert(key.to_owned());
        Some(value * worth)
    }

    /// A number that every drive of this kind has: without it the file would not have been read.
    pub fn given(&mut self, key: &str) -> f64 {
        self.number(key)
            .unwrap_or_else(|| panic!("{key} is in every drive file of this kind"))
    }

    /// A name or choice, as it stands.
    pub fn word(&mut self, key: &str) -> Option<String> {
        let row = self.rows.get(key)?;
        self.asked.insert(key.to_owned());
        Some(row.value.clone())
    }

    /// A yes or no; no where the file does not have the key.
    pub fn flag(&mut self, key: &str) -> bool {
        self.word(key).is_some_and(|word| word == "true")
    }

    /// Returns true if the file has the key, which is not asked for by this.
    pub fn has(&self, key: &str) -> bool {
        self.rows.contains_key(key)
    }

    /// What was not asked for.
    pub fn rest(self) -> impl Iterator<Item = ParameterRow> {
        let Numbers { rows, asked } = self;
        let rest = rows.into_iter();
        rest.filter(move |(key, _)| !asked.contains(key))
            .map(|(_, row)| row)
    }
}
