//! Families of drives: those of one controller, and the numbers of theirs that were worked out from figures.

use crate::numbers::{self, Number};
use anyhow::Result;
use ftlab_bench::figures::{self, Names};
use ftlab_drive::{Catalog, DriveFile};
use std::collections::{BTreeMap, BTreeSet};

/// All drives, each with the name of its family: the base that most of it share, or itself.
pub struct Families {
    of_drive: BTreeMap<String, String>,
    files: BTreeMap<String, DriveFile>,
}

impl Families {
    pub fn load() -> Result<Families> {
        let mut files = BTreeMap::new();
        for slug in Catalog::drives() {
            files.insert(slug.to_owned(), Catalog::default().load(slug, &[])?);
        }
        let bases = |file: &DriveFile| -> BTreeSet<String> {
            let rows = file.parameters().into_iter();
            rows.map(|row| row.base)
                .filter(|base| !base.is_empty())
                .collect()
        };
        let mut sharing: BTreeMap<String, usize> = BTreeMap::new();
        for base in files.values().flat_map(bases) {
            *sharing.entry(base).or_default() += 1;
        }
        let family = |(slug, file): (&String, &DriveFile)| {
            // The base of a base is shared by at least as many.
            let widest = bases(file).into_iter().max_by_key(|base| sharing[base]);
            (slug.clone(), widest.unwrap_or_else(|| slug.clone()))
        };
        let of_drive = files.iter().map(family).collect();
        Ok(Families { of_drive, files })
    }

    /// Slugs of all drives.
    pub fn drives(&self) -> Vec<String> {
        self.files.keys().cloned().collect()
    }

    /// Each drive and its file.
    pub fn files(&self) -> impl Iterator<Item = (&str, &DriveFile)> {
        self.files
            .iter()
            .map(|(drive, file)| (drive.as_str(), file))
    }

    /// All drives of the families that some drives belong to.
    pub fn siblings(&self, drives: &[String]) -> Vec<String> {
        let families: BTreeSet<&str> = drives.iter().map(|drive| self.of(drive)).collect();
        let is_sibling = |drive: &&String| families.contains(self.of(drive));
        self.files.keys().filter(is_sibling).cloned().collect()
    }

    /// The names by which figures know a drive.
    pub fn names(&self, drive: &str) -> Names {
        Names {
            slug: drive.to_owned(),
            aliases: self.files[drive].aliases().to_vec(),
        }
    }

    /// The family of a drive; of what is no drive, its own name.
    pub fn of<'a>(&'a self, drive: &'a str) -> &'a str {
        self.of_drive.get(drive).map_or(drive, String::as_str)
    }

    /// True if any figure of a review is of a drive.
    pub fn is_asked(&self, drive: &str) -> bool {
        !figures::rows_of(&self.names(drive)).is_empty()
    }

    /// The numbers that were worked out from figures of tests, and those of them that are choices, which no fit moves.
    pub fn numbers(&self) -> Result<(Vec<Number>, Vec<Number>)> {
        let mut all = numbers::of_sources(&self.drives(), &["fitted", "derived"])?;
        all.retain(|number| {
            let of_test = |id: &String| id.starts_with('F') || id.starts_with('P');
            number.from.iter().any(of_test) && number.drives.iter().any(|d| self.is_asked(d))
        });
        Ok(all
            .into_iter()
            .partition(|number| !number.is_choice() && number.stepped().is_some()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drives_of_a_controller_are_one_family_and_others_are_their_own() {
        let families = Families::load().unwrap();
        for drive in ["crucial-c300-128", "crucial-m4-64", "intel-510-250"] {
            assert_eq!(families.of(drive), "marvell-88ss9174");
        }
        assert_eq!(families.of("intel-320-120"), "intel-pc29as21");
        assert_eq!(families.of("ocz-core-jmf602"), "ocz-core-jmf602");
        assert_eq!(families.of("indilinx-class"), "indilinx-class");
        let siblings = families.siblings(&["crucial-m4-64".to_owned()]);
        assert_eq!(siblings.len(), 7, "{siblings:?}");
    }

    #[test]
    fn only_what_was_worked_out_from_tests_is_moved() {
        let families = Families::load().unwrap();
        let (numbers, choices) = families.numbers().unwrap();
        let has = |of: &[Number], key: &str, drive: &str| {
            let is = |n: &Number| n.key == key && n.drives.iter().any(|d| d == drive);
            of.iter().any(is)
        };
        assert!(has(&numbers, "firmware.per_slot", "crucial-c300-128"));
        // Announced, so no test pins it; and a choice.
        assert!(!has(&numbers, "firmware.write_command", "crucial-c300-128"));
        assert!(has(&choices, "map.log_blocks", "ocz-core-jmf602"));
        assert!(!has(&numbers, "map.log_blocks", "ocz-core-jmf602"));
    }
}
