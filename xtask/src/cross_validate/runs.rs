//! Runs of the tests that published figures ask of a drive, with some of its numbers set, kept in a folder: what was
//! run once is not run again, whenever the work is taken up.

use crate::family::Families;
use crate::plan::review;
use anyhow::{Context, Result};
use ftlab_base::StreamHash;
use ftlab_bench::figures;
use ftlab_bench::suites::{self, Test, Work};
use ftlab_drive::{Catalog, MODEL_VERSION};
use ftlab_result::{DriveSheet, ResultSet, Run};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The runs of a drive as its file has them.
#[derive(Serialize, Deserialize)]
struct Cached {
    drive: String,
    settings: Vec<String>,
    /// Of wall time, that they took.
    seconds: f64,
    runs: Vec<Run>,
}

/// A drive with some numbers set.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Need {
    pub drive: String,
    pub settings: Vec<String>,
}

/// Sections and keys that say when something is done, and not what: without a clock they change nothing.
const OF_TIME: [&str; 7] = [
    "firmware.",
    "link.",
    "power.",
    "scheduling.",
    "nand.t_",
    "nand.channel_rate",
    "nand.channel_command",
];

impl Need {
    fn all_set(&self, prefixes: &[&str]) -> bool {
        let is_of = |setting: &String| prefixes.iter().any(|prefix| setting.starts_with(prefix));
        !self.settings.is_empty() && self.settings.iter().all(is_of)
    }

    /// Tells if a figure can answer: of a need whose power alone is set, watts.
    fn moves_power_or(&self, row: &figures::Row) -> bool {
        !self.all_set(&["power."]) || row.metric.contains("watts")
    }

    /// Tells if a test can answer: one without a clock does not where only times are set.
    fn moves(&self, test: &Test) -> bool {
        !self.all_set(&OF_TIME) || !matches!(test.step.work, Work::Fact(_))
    }
}

pub struct Runs<'a> {
    families: &'a Families,
    folder: PathBuf,
    threads: usize,
    seed: u64,
    /// Of a review of all drives.
    reviewed: Option<ResultSet>,
}

impl<'a> Runs<'a> {
    /// Runs that are kept in `folder`; those of drives as their files are come from a review of them all, where that has them.
    ///
    /// # Errors
    /// When the folder cannot be made, or the review cannot be read or is of another model.
    pub fn kept_in(
        folder: &Path,
        review: Option<&Path>,
        families: &'a Families,
        seed: u64,
        threads: usize,
    ) -> Result<Runs<'a>> {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot make {}", folder.display()))?;
        let read = |path: &Path| -> Result<ResultSet> {
            let set = crate::results::read(path)?;
            let origin = &set.origin;
            anyhow::ensure!(
                origin.model_version == MODEL_VERSION && !origin.quick && origin.seed == seed,
                "{} is of model {}, seed {}{}; needed is a whole review of model {MODEL_VERSION}, seed {seed}",
                path.display(),
                origin.model_version,
                origin.seed,
                if origin.quick { ", quick" } else { "" },
            );
            Ok(set)
        };
        Ok(Runs {
            families,
            folder: folder.to_owned(),
            threads,
            seed,
            reviewed: review.map(read).transpose()?,
        })
    }

    /// The tests that figures of a drive are from, or that these are compared with, as far as its settings can move them.
    fn tests(&self, need: &Need) -> Vec<Test> {
        let names = self.families.names(&need.drive);
        let own = figures::rows_of(&names);
        let all = figures::published();
        let compared = |row: &&figures::Row| {
            let mut names = names.aliases.iter().chain([&names.slug]);
            names.any(|name| row.metric.contains(&format!("vs_{name}")))
        };
        let rows = own.iter().chain(all.iter().filter(compared));
        let rows: Vec<&figures::Row> = rows.filter(|row| need.moves_power_or(row)).collect();
        let mut tests = tests_of(&rows);
        tests.retain(|test| need.moves(test));
        tests
    }

    /// All tests that any figure is from.
    pub fn all_tests(&self) -> Vec<Test> {
        tests_of(&figures::published().iter().collect::<Vec<_>>())
    }

    /// Returns the path for the runs of a need: the name holds all that they depend on.
    fn place(&self, need: &Need) -> Result<PathBuf> {
        let file = Catalog::default().load(&need.drive, &need.settings)?;
        let mut hash = StreamHash::default();
        let mut add = |text: &str| {
            hash.bytes(text.as_bytes());
            hash.bytes(&[0]);
        };
        add(&format!("{MODEL_VERSION} {}", self.seed));
        for row in file.parameters() {
            add(&row.key);
            add(&row.value);
            add(&row.unit);
        }
        for test in self.tests(need) {
            add(&test.step.slug);
        }
        let name = format!("{}-{:016x}.json", need.drive, hash.value());
        Ok(self.folder.join(name))
    }

    fn kept(&self, need: &Need) -> Result<Option<Cached>> {
        let path = self.place(need)?;
        match std::fs::read(&path) {
            Ok(bytes) => {
                let kept = serde_json::from_slice(&bytes);
                let kept = kept.with_context(|| {
                    format!(
                        "{} is damaged: remove it, and its runs are made again",
                        path.display()
                    )
                })?;
                Ok(Some(kept))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
        }
    }

    /// Runs that are still to be made, and their time by those that were made: drives of which nothing was run
    /// count as the mean of those of which something was.
    pub fn missing(&self, needs: &[Need]) -> Result<(Vec<Need>, Option<f64>)> {
        let mut missing = Vec::new();
        let mut known: BTreeMap<&str, f64> = BTreeMap::new();
        for need in needs {
            match self.kept(need)? {
                Some(kept) => drop(known.insert(&need.drive, kept.seconds)),
                None if self.of_review(need)?.is_some() => {}
                None => missing.push(need.clone()),
            }
        }
        let mean = known.values().sum::<f64>() / known.len() as f64;
        let seconds = missing
            .iter()
            .map(|need| known.get(need.drive.as_str()).unwrap_or(&mean));
        let seconds = (!known.is_empty()).then(|| seconds.sum());
        Ok((missing, seconds))
    }

    /// The runs of a drive as its file is, from the review.
    fn of_review(&self, need: &Need) -> Result<Option<Vec<Run>>> {
        let Some(set) = self.reviewed.as_ref().filter(|_| need.settings.is_empty()) else {
            return Ok(None);
        };
        let file = Catalog::default().load(&need.drive, &[])?;
        let sheet = ftlab_bench::sheets::sheet(&file);
        let numbers = |sheet: &DriveSheet| -> Vec<(String, String, String)> {
            let rows = sheet.parameters.iter();
            rows.map(|row| (row.key.clone(), row.value.clone(), row.unit.clone()))
                .collect()
        };
        let mut drives = set.drives.iter();
        if !drives.any(|known| known.drive == need.drive && numbers(known) == numbers(&sheet)) {
            return Ok(None);
        }
        let tests = self.tests(need);
        let is_asked = |run: &&Run| {
            run.drive == need.drive && tests.iter().any(|test| test.step.slug == run.test)
        };
        Ok(Some(set.runs.iter().filter(is_asked).map(bare).collect()))
    }

    /// The runs of a need: those that are kept, or made now.
    pub fn of(&self, need: &Need) -> Result<Vec<Run>> {
        if let Some(runs) = self.of_review(need)? {
            return Ok(runs);
        }
        if let Some(kept) = self.kept(need)? {
            return Ok(kept.runs);
        }
        let begun = Instant::now();
        let file = Catalog::default().load(&need.drive, &need.settings)?;
        let set = review(vec![file], self.tests(need), self.seed, self.threads)?;
        let kept = Cached {
            drive: need.drive.clone(),
            settings: need.settings.clone(),
            seconds: begun.elapsed().as_secs_f64(),
            runs: set.runs.iter().map(bare).collect(),
        };
        let path = self.place(need)?;
        let aside = path.with_extension("new");
        std::fs::write(&aside, serde_json::to_vec(&kept)?)
            .and_then(|()| std::fs::rename(&aside, &path))
            .with_context(|| format!("cannot write {}", path.display()))?;
        Ok(kept.runs)
    }
}

fn tests_of(rows: &[&figures::Row]) -> Vec<Test> {
    let is_named = |test: &Test, row: &figures::Row| {
        let compared = row.metric.split_once("vs_").map(|(_, other)| other);
        test.answers_to(&row.test)
            || row.test == test.family.slug
            || compared.is_some_and(|other| test.answers_to(other))
    };
    let asked = |test: &Test| rows.iter().any(|row| is_named(test, row));
    let of_reviews = suites::all().filter(|test| test.family.source.key != "witnesses");
    of_reviews.filter(asked).collect()
}

/// A run without series and counts, which no figure needs.
fn bare(run: &Run) -> Run {
    Run {
        id: run.id.clone(),
        drive: run.drive.clone(),
        test: run.test.clone(),
        state: run.state.clone(),
        data: run.data.clone(),
        link: run.link.clone(),
        testbed: run.testbed.clone(),
        metrics: run.metrics.clone(),
        ..Run::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk of which one figure is asked, of a script that takes seconds.
    fn need(settings: &[&str]) -> Need {
        Need {
            drive: "wd-green-1tb".to_owned(),
            settings: settings.iter().map(|&s| s.to_owned()).collect(),
        }
    }

    #[test]
    fn only_tests_that_a_number_can_move_are_run() {
        let folder = tempfile::tempdir().unwrap();
        let families = Families::load().unwrap();
        let runs = Runs::kept_in(folder.path(), None, &families, 1, 1).unwrap();
        let tests = |setting: &str| -> Vec<String> {
            let settings = vec![setting.to_owned()];
            let drive = "intel-x25-m-g1-80".to_owned();
            let tests = runs.tests(&Need { drive, settings });
            tests.iter().map(|test| test.step.slug.clone()).collect()
        };
        let has = |tests: &[String], slug: &str| tests.iter().any(|test| test == slug);
        assert_eq!(tests("power.sleep_after=220ms"), ["power-spec"]);
        let of_times = tests("firmware.write_command=70us");
        assert!(has(&of_times, "randwrite-4k-qd1") && !has(&of_times, "wear-level-inefficiency"));
        assert!(has(&tests("wear.spread=220"), "wear-level-inefficiency"));
    }

    #[test]
    fn what_was_run_is_not_run_again_and_another_number_is_another_run() {
        let folder = tempfile::tempdir().unwrap();
        let families = Families::load().unwrap();
        let runs = Runs::kept_in(folder.path(), None, &families, 1, 1).unwrap();
        let needs = [need(&[]), need(&["disk.outer_rate=90MB/s"])];
        let (missing, seconds) = runs.missing(&needs).unwrap();
        assert_eq!(
            (missing.len(), seconds),
            (2, None),
            "nothing is known of the time"
        );
        let first = runs.of(&needs[0]).unwrap();
        assert!(
            first
                .iter()
                .any(|run| run.test == "app-launch-four-at-boot")
        );
        let (missing, seconds) = runs.missing(&needs).unwrap();
        assert_eq!(missing, [needs[1].clone()]);
        assert!(seconds.unwrap() > 0.0);
        assert_ne!(runs.of(&needs[1]).unwrap(), first);
        // Taken from the file: it is not made again.
        let path = runs.place(&needs[0]).unwrap();
        let mut kept = runs.kept(&needs[0]).unwrap().unwrap();
        kept.runs.clear();
        std::fs::write(&path, serde_json::to_vec(&kept).unwrap()).unwrap();
        assert!(runs.of(&needs[0]).unwrap().is_empty());
        std::fs::write(&path, "{").unwrap();
        let why = runs.of(&needs[0]).unwrap_err().to_string();
        assert!(why.contains("damaged: remove it"), "{why}");
    }
}
