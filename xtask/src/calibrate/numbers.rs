//! The numbers of drive files that are marked `fitted`.

use anyhow::{Result, bail};
use ftlab_drive::{Catalog, DriveFile};

/// A number to be fitted.
#[derive(Debug, Clone, PartialEq)]
pub struct Number {
    /// Its place in the file, for example `nand.channel_rate`.
    pub key: String,
    /// As it stands.
    pub value: f64,
    /// Its unit; nothing for counts and ratios.
    pub unit: String,
    /// The drives that have it.
    pub drives: Vec<String>,
    /// Whether it stands in a base, and so holds for drives that are not fitted here, too.
    pub is_of_base: bool,
    /// It counts things.
    whole: bool,
}

impl Number {
    /// A value as the file may hold it: whole for counts, else of four digits.
    pub fn written(&self, value: f64) -> f64 {
        if self.whole {
            return value.round().max(1.0);
        }
        let digits = 3 - value.abs().log10().floor() as i32;
        let scale = 10_f64.powi(digits);
        (value * scale).round() / scale
    }

    /// The setting that gives it a value.
    pub fn setting(&self, value: f64) -> String {
        format!("{}={}{}", self.key, self.written(value), self.unit)
    }
}

/// The fitted numbers of some drives. One that several drives have with the same value is one
/// number: they take it from the same place, or agree on it.
///
/// # Errors
/// When a drive cannot be loaded, or a key of `only` is not fitted in any.
pub fn fitted(drives: &[String], only: &[String]) -> Result<Vec<Number>> {
    let mut numbers: Vec<Number> = Vec::new();
    for drive in drives {
        let file = Catalog::load(drive, &[])?;
        for number in of(&file, drive) {
            let same = |n: &&mut Number| {
                n.key == number.key && n.unit == number.unit && n.value == number.value
            };
            match numbers.iter_mut().find(same) {
                Some(known) => known.drives.push(drive.clone()),
                None => numbers.push(number),
            }
        }
    }
    for key in only {
        if !numbers.iter().any(|number| number.key == *key) {
            let known: Vec<&str> = numbers.iter().map(|number| number.key.as_str()).collect();
            bail!("`{key}` is not fitted; these are: {}", known.join(", "));
        }
    }
    if !only.is_empty() {
        numbers.retain(|number| only.contains(&number.key));
    }
    Ok(numbers)
}

fn of(file: &DriveFile, drive: &str) -> Vec<Number> {
    let rows = file.parameters().into_iter();
    let number = |row: ftlab_drive::ParameterRow| {
        let value: f64 = row.value.parse().ok()?;
        Some(Number {
            whole: row.unit.is_empty() && value.fract() == 0.0,
            is_of_base: !row.base.is_empty(),
            key: row.key,
            value,
            unit: row.unit,
            drives: vec![drive.to_owned()],
        })
    };
    rows.filter(|row| row.source == "fitted")
        .filter_map(number)
        .filter(|number| number.value > 0.0)
        .collect()
}

/// A number with four digits.
pub fn short(value: f64) -> String {
    match value.abs() {
        large if large >= 1000.0 => format!("{value:.0}"),
        0.0 => "0".to_owned(),
        other => {
            let digits = (3 - other.log10().floor() as i32).max(0) as usize;
            format!("{value:.digits$}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fitted_numbers_of_a_drive_are_found_and_no_others() {
        let numbers = fitted(&["ocz-core-jmf602".to_owned()], &[]).unwrap();
        let file = Catalog::load("ocz-core-jmf602", &[]).unwrap();
        let marked = file
            .parameters()
            .into_iter()
            .filter(|row| row.source == "fitted");
        assert_eq!(numbers.len(), marked.count());
        assert!(
            numbers
                .iter()
                .any(|n| n.key == "nand.channel_rate" && n.unit == "MB/s")
        );
        let only = ["nand.channel_rate".to_owned()];
        assert_eq!(
            fitted(&["ocz-core-jmf602".to_owned()], &only)
                .unwrap()
                .len(),
            1
        );
        let unknown = fitted(
            &["ocz-core-jmf602".to_owned()],
            &["nand.channels".to_owned()],
        );
        assert!(unknown.unwrap_err().to_string().contains("not fitted"));
    }

    #[test]
    fn a_number_is_set_as_its_file_would_hold_it() {
        let numbers = fitted(&["ocz-core-jmf602".to_owned()], &[]).unwrap();
        for number in numbers {
            let setting = number.setting(number.value * 1.234_567);
            Catalog::load("ocz-core-jmf602", &[setting]).unwrap();
        }
    }
}
