//! Numbers of a drive file, read for the fits.

use ftlab_drive::{DriveFile, ParameterRow};
use ftlab_sheet::quantity::{Dimension, Duration, Quantity, Rate};
use toml::Value;

/// A number of a drive file that a figure pins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Number {
    /// Section and key.
    pub key: &'static str,
    /// Its unit in the file.
    pub unit: &'static str,
    /// The least that it can be.
    pub least: f64,
    /// True for a rate: the figure, as a time, grows with its inverse.
    pub is_rate: bool,
}

pub fn number_of(file: &DriveFile, key: &str) -> Option<ParameterRow> {
    file.parameters().into_iter().find(|row| row.key == key)
}

/// A count of a drive file.
pub fn count_of(file: &DriveFile, key: &str) -> Option<u32> {
    number_of(file, key)?.value.parse().ok()
}

/// A number of a drive file, in the base unit of its dimension.
pub fn quantity_of<D: Dimension>(file: &DriveFile, key: &str) -> Option<f64> {
    let row = number_of(file, key)?;
    let written = Value::String(format!("{} {}", row.value, row.unit));
    let quantity = written.try_into::<Quantity<D>>().ok()?;
    Some(quantity.base)
}

/// A number in its unit.
pub fn in_unit(file: &DriveFile, number: Number) -> Option<f64> {
    match number.unit {
        "us" => Some(quantity_of::<Duration>(file, number.key)? / 1e3),
        "MB/s" => Some(quantity_of::<Rate>(file, number.key)? / 1e6),
        _ => count_of(file, number.key).map(f64::from),
    }
}
