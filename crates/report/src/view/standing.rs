//! The standing of verdicts: if those about models hold for the drives they are named after, and the numbers that tell
//! variants apart.

use std::collections::BTreeMap;

use ftlab_result::{DriveSheet, Role, Verdict, Way};

use super::View;
use super::headline::join_names;

/// More drives are counted, not named.
const NAMES_MAX: usize = 6;
/// More drives are not laid side by side.
const VARIANTS_MAX: usize = 6;
/// Drives that differ in more numbers, or in half of all, are not variants of each other.
const DIFFERENCES_MAX: usize = 24;

/// Words beside a drive that is left out of a verdict.
pub const UNVERIFIED: &str = "unverified model: no published figure of this kind";

/// The subject of a verdict about a kind of test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// The drive: it was measured itself, or published figures of that kind stand beside those of its model.
    Verified,
    /// The model alone, in a report that judges no figure of any.
    Model,
    /// Nothing: in a report of published figures it has none of that kind.
    Unverified,
}

impl Standing {
    /// That of a drive in tests with a role.
    pub fn of(view: &View<'_>, slug: &str, role: Role) -> Standing {
        if view.set.origin.way == Way::Measured {
            return Standing::Verified;
        }
        let mut judged = (view.set.figures.iter())
            .filter(|figure| figure.verdict != Verdict::Shown)
            .peekable();
        if judged.peek().is_none() {
            return Standing::Model;
        }
        let of_drive = judged.filter(|figure| figure.model == slug);
        let mut runs = of_drive.filter_map(|figure| view.set.run(&figure.run));
        match runs.any(|run| view.has_role(run, role)) {
            true => Standing::Verified,
            false => Standing::Unverified,
        }
    }
}

/// The line that says for which models no published figure vouches; nothing where each has one that passes, or the drives
/// are real.
pub fn words(view: &View<'_>) -> Option<String> {
    if view.set.origin.way == Way::Measured {
        return None;
    }
    let vouched = |drive: &DriveSheet| {
        let passes = |verdict| verdict == Verdict::Pass;
        (view.set.figures.iter())
            .any(|figure| figure.model == drive.drive && passes(figure.verdict))
    };
    let alone: Vec<&str> = (view.set.drives.iter())
        .filter(|drive| !vouched(drive))
        .map(|drive| drive.name.as_str())
        .collect();
    let drives = view.set.drives.len();
    Some(match alone.len() {
        0 => return None,
        1 if drives == 1 => "No published figure vouches for this model: what is found holds for the model.".to_owned(),
        n if n == drives => "No published figure vouches for any of these models: what is found holds for the models and \
             for the differences between them."
            .to_owned(),
        n if n <= NAMES_MAX => format!(
            "No published figure vouches for the models of {}: what is found of them holds for the models.",
            join_names(&alone)
        ),
        n => format!(
            "No published figure vouches for {n} of the {drives} models: what is found of them holds for the models. \
             The page of each drive tells."
        ),
    })
}

/// A number that variants do not share.
pub struct Difference<'a> {
    /// Its key in the drive file.
    pub key: &'a str,
    /// Its value and unit for each drive, in order; none where a drive's file has no such number.
    pub values: Vec<Option<(&'a str, &'a str)>>,
}

/// What differs between the drives, where they are few and alike enough to be variants of one model.
pub fn differences<'a>(drives: &'a [DriveSheet]) -> Vec<Difference<'a>> {
    if !(2..=VARIANTS_MAX).contains(&drives.len()) {
        return Vec::new();
    }
    let mut keys: Vec<&str> = Vec::new();
    let numbers: Vec<BTreeMap<&str, (&str, &str)>> = (drives.iter())
        .map(|drive| {
            let number = |row: &'a ftlab_result::Parameter| {
                (row.key.as_str(), (row.value.as_str(), row.unit.as_str()))
            };
            drive.parameters.iter().map(number).collect()
        })
        .collect();
    for row in drives.iter().flat_map(|drive| &drive.parameters) {
        if !keys.contains(&row.key.as_str()) {
            keys.push(&row.key);
        }
    }
    // Drives with more differences are no variants of each other, and a list would explain nothing.
    let differ_max = DIFFERENCES_MAX.min(keys.len() / 2);
    let found: Vec<Difference<'a>> = (keys.into_iter())
        .map(|key| Difference {
            key,
            values: numbers.iter().map(|of| of.get(key).copied()).collect(),
        })
        .filter(|row| row.values.iter().any(|value| *value != row.values[0]))
        .collect();
    if found.len() > differ_max {
        return Vec::new();
    }
    found
}
