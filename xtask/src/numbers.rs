//! The numbers of drive files that were worked out from figures.

use anyhow::{Result, bail};
use ftlab_drive::{Catalog, DriveFile};

/// A number to be fitted, and how sure it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Number {
    /// Its place in the file, for example `nand.channel_rate`.
    pub key: String,
    /// The value in the file.
    pub value: f64,
    /// Its unit; nothing for counts and ratios.
    pub unit: String,
    /// The drives that have it.
    pub drives: Vec<String>,
    /// True if it stands in a base, and so holds for drives that are not fitted here, too.
    pub is_of_base: bool,
    /// Ids of the figures that it was worked out from.
    pub from: Vec<String>,
    /// `high`, `medium` or `low`.
    pub confidence: String,
    /// True if it counts things.
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

    /// True if it is a choice rather than a number: no step of a tenth gives another one.
    pub fn is_choice(&self) -> bool {
        self.whole && self.written(self.value * STEP) == self.value
    }

    /// A value a tenth away with which all its drives can be built, or twice or half as large where sizes go by
    /// powers of two.
    pub fn stepped(&self) -> Option<f64> {
        let values = [STEP, STEP.recip(), 2.0, 0.5].map(|factor| self.written(self.value * factor));
        let is_possible = |value: &f64| {
            let setting = [self.setting(*value)];
            let builds = |drive: &String| Catalog::default().load(drive, &setting).is_ok();
            *value != self.value && self.drives.iter().all(builds)
        };
        values.into_iter().find(is_possible)
    }

    /// Tells if a drive has it: one of those that it was found in, or one that takes it from the same base.
    pub fn is_of(&self, drive: &str) -> bool {
        if self.drives.iter().any(|known| known == drive) {
            return true;
        }
        let same = |row: &ftlab_drive::ParameterRow| {
            let is_equal = row.value.parse() == Ok(self.value) && row.unit == self.unit;
            row.key == self.key && is_equal && !row.base.is_empty()
        };
        let rows = Catalog::default()
            .load(drive, &[])
            .map(|file| file.parameters());
        self.is_of_base && rows.is_ok_and(|rows| rows.iter().any(same))
    }

    /// The setting that gives it a value.
    pub fn setting(&self, value: f64) -> String {
        format!("{}={}{}", self.key, self.written(value), self.unit)
    }
}

impl Number {
    /// The setting that gives a drive a value beside other settings, or the power of two nearest to it where sizes go by
    /// those; none if the drive can have neither, and keeps its own.
    pub fn setting_beside(&self, value: f64, drive: &str, others: &[String]) -> Option<String> {
        let values = [value, value.log2().round().exp2()];
        let builds = |setting: &String| {
            let all: Vec<String> = others.iter().chain([setting]).cloned().collect();
            Catalog::default().load(drive, &all).is_ok()
        };
        let settings = values.map(|value| self.setting(value));
        settings.into_iter().find(builds)
    }
}

/// The step by which a number is moved to see what it does, as a factor: large enough to be seen above the scatter of
/// a run.
pub const STEP: f64 = 1.1;

/// The numbers of some drives that have one of the sources. One that several drives have with the same value is one
/// number: they take it from the same place, or agree on it.
///
/// # Errors
/// When a drive cannot be loaded.
pub fn of_sources(drives: &[String], sources: &[&str]) -> Result<Vec<Number>> {
    let mut numbers: Vec<Number> = Vec::new();
    for drive in drives {
        let file = Catalog::default().load(drive, &[])?;
        for number in of(&file, drive, sources) {
            let same = |n: &&mut Number| {
                n.key == number.key && n.unit == number.unit && n.value == number.value
            };
            match numbers.iter_mut().find(same) {
                Some(known) => {
                    known.drives.push(drive.clone());
                    known.from.extend(number.from);
                    known.from.sort_unstable();
                    known.from.dedup();
                }
                None => numbers.push(number),
            }
        }
    }
    Ok(numbers)
}

/// The fitted numbers of some drives, or those of them that are named.
///
/// # Errors
/// When a drive cannot be loaded, or a key of `only` is not fitted in any.
pub fn fitted(drives: &[String], only: &[String]) -> Result<Vec<Number>> {
    let mut numbers = of_sources(drives, &["fitted"])?;
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

fn of(file: &DriveFile, drive: &str, sources: &[&str]) -> Vec<Number> {
    let rows = file.parameters().into_iter();
    let number = |row: ftlab_drive::ParameterRow| {
        let value: f64 = row.value.parse().ok()?;
        Some(Number {
            whole: row.unit.is_empty() && value.fract() == 0.0,
            is_of_base: !row.base.is_empty(),
            key: row.key,
            value,
            unit: row.unit,
            from: row.from,
            confidence: row.confidence,
            drives: vec![drive.to_owned()],
        })
    };
    rows.filter(|row| sources.contains(&row.source.as_str()))
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
        let file = Catalog::default().load("ocz-core-jmf602", &[]).unwrap();
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
    fn a_step_is_one_that_the_drives_can_be_built_with() {
        let drives = ["crucial-m4-128", "ocz-core-jmf602"].map(str::to_owned);
        let numbers = of_sources(&drives, &["fitted", "derived"]).unwrap();
        let of = |key: &str| numbers.iter().find(|number| number.key == key).unwrap();
        let read = of("firmware.read_command");
        assert_eq!(read.stepped(), Some(read.written(read.value * STEP)));
        assert!(!read.is_choice() && read.from.contains(&"F0674".to_owned()));
        // A sibling has it from the same base, another controller does not.
        assert!(read.is_of("crucial-m4-256") && !read.is_of("crucial-c300-128"));
        let logs = of("map.log_blocks");
        assert!(logs.is_choice(), "3 and a tenth is 3");
        assert!(!of("wear.every_merges").is_choice());
        let impossible = Number {
            key: "nand.nothing".to_owned(),
            ..read.clone()
        };
        assert_eq!(impossible.stepped(), None);
    }

    #[test]
    fn a_size_that_goes_by_powers_of_two_comes_as_near_as_it_can() {
        let drives = ["ocz-vertex".to_owned()];
        let numbers = of_sources(&drives, &["fitted", "derived"]).unwrap();
        let of = |key: &str| numbers.iter().find(|number| number.key == key).unwrap();
        let slot = of("map.slot");
        let near = slot.setting_beside(4.19, "ocz-vertex", &[]);
        assert_eq!(near.as_deref(), Some("map.slot=4KiB"));
        let read = of("firmware.read_command");
        let near = read.setting_beside(read.value * STEP, "ocz-vertex", &[]);
        assert_eq!(near, Some(read.setting(read.value * STEP)));
        assert_eq!(slot.setting_beside(1e9, "ocz-vertex", &[]), None);
    }

    #[test]
    fn a_number_is_set_as_its_file_would_hold_it() {
        let numbers = fitted(&["ocz-core-jmf602".to_owned()], &[]).unwrap();
        for number in numbers {
            let setting = number.setting(number.value * 1.234_567);
            Catalog::default()
                .load("ocz-core-jmf602", &[setting])
                .unwrap();
        }
    }
}
