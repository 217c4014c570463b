//! Result sets side by side: what made them, which of their runs match, and by how much these differ.
//!
//! Runs match by their ids. Sets of one drive each, of different names, are those of drives to be
//! compared, say a model and the drive it is of: there runs match by test, state, link and data.

mod terminal;

use std::collections::{BTreeMap, BTreeSet};

use crate::{format, settling};
use ftlab_result::{DriveSheet, ResultSet, Run, Spread, TestSheet};

pub(crate) use terminal::ratio_words;
pub use terminal::render as terminal;

/// A result set and the name it goes by among others.
pub type Labelled<'a> = (&'a str, &'a ResultSet);

/// Several result sets side by side; the first one is what the others are measured by.
#[derive(Debug)]
pub struct Comparison<'a> {
    /// Names of the sets, in their order.
    pub labels: Vec<&'a str>,
    /// Differences in version, seed and other things that made them.
    pub differences: Vec<Difference>,
    /// The runs that are in all of them, in the order of the first.
    pub matches: Vec<Match<'a>>,
    /// By set, the ids of runs that have no match.
    pub alone: Vec<Vec<&'a str>>,
}

/// Something that the sets do not agree on.
#[derive(Debug, PartialEq, Eq)]
pub struct Difference {
    /// Its name, for example `seed`, or a drive and a key of its file.
    pub what: String,
    /// Its value in each set; `–` where there is none.
    pub values: Vec<String>,
}

/// A run that is in all sets.
#[derive(Debug)]
pub struct Match<'a> {
    /// Its name in all of them.
    pub name: String,
    /// Its test, as the first set has it.
    pub test: Option<&'a TestSheet>,
    /// Its metrics, those that any set has.
    pub rows: Vec<MetricRow<'a>>,
}

/// A metric of a run, by set.
#[derive(Debug, PartialEq)]
pub struct MetricRow<'a> {
    /// Name of the metric.
    pub metric: &'a str,
    /// Its value in each set that has it; of repeats the mean.
    pub values: Vec<Option<f64>>,
    /// Its spread over repeats in each set that has any.
    pub spreads: Vec<Option<&'a Spread>>,
    /// By set, whether the run ended before garbage collection had settled.
    pub unsettled: Vec<bool>,
}

impl MetricRow<'_> {
    /// Its value in a set as a reader sees it.
    pub(crate) fn words(&self, set: usize) -> String {
        let Some(value) = self.values[set] else {
            return "–".to_owned();
        };
        let words = format::simulated(value, self.spreads[set]);
        settling::marked(words, self.unsettled[set])
    }

    /// The value of another set over that of the first; `None` where one of them is missing or
    /// the first is zero and the other is not.
    #[must_use]
    pub fn ratio(&self, set: usize) -> Option<f64> {
        let (first, other) = (self.values[0]?, self.values[set]?);
        if first == other {
            return Some(1.0);
        }
        Some(other / first).filter(|ratio| ratio.is_finite())
    }
}

impl<'a> Comparison<'a> {
    /// Puts sets side by side.
    ///
    /// # Panics
    /// Without a set.
    #[must_use]
    pub fn of(sets: &[Labelled<'a>]) -> Self {
        let names = Names::of(sets);
        let by_name: Vec<BTreeMap<String, &'a Run>> = (sets.iter())
            .map(|(_, set)| set.runs.iter().map(|run| (names.of_run(run), run)))
            .map(Iterator::collect)
            .collect();
        // Ratios need a value of every set: a run that one of them lacks is only named.
        let is_everywhere = |name: &String| by_name.iter().all(|runs| runs.contains_key(name));
        let first = sets[0].1;
        let of_run = |run: &'a Run| {
            let name = names.of_run(run);
            is_everywhere(&name).then(|| {
                let runs: Vec<&'a Run> = by_name.iter().map(|runs| runs[&name]).collect();
                Match {
                    test: first.tests.iter().find(|test| test.test == run.test),
                    rows: rows(&runs),
                    name,
                }
            })
        };
        let alone = |(_, set): &Labelled<'a>| {
            let runs = set.runs.iter();
            let alone = runs.filter(|run| !is_everywhere(&names.of_run(run)));
            alone.map(|run| run.id.as_str()).collect()
        };
        Comparison {
            labels: sets.iter().map(|(label, _)| *label).collect(),
            differences: differences(sets, names),
            matches: first.runs.iter().filter_map(of_run).collect(),
            alone: sets.iter().map(alone).collect(),
        }
    }
}

impl<'a> Match<'a> {
    /// The metric that the chart of its test draws.
    pub(crate) fn drawn(&self) -> Option<&MetricRow<'a>> {
        let metric = &self.test?.chart_metric;
        self.rows.iter().find(|row| row.metric == metric)
    }
}

/// The names by which runs match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Names {
    /// The ids as they are.
    Whole,
    /// Their ids without the drive.
    WithoutDrive,
}

impl Names {
    fn of(sets: &[Labelled<'_>]) -> Self {
        let mut drives = sets.iter().map(|(_, set)| match set.drives.as_slice() {
            [one] => Some(&one.drive),
            _ => None,
        });
        let first = drives.next().flatten();
        match (first, drives.collect::<Option<BTreeSet<_>>>()) {
            (Some(first), Some(others)) if others.iter().any(|other| *other != first) => {
                Names::WithoutDrive
            }
            _ => Names::Whole,
        }
    }

    fn of_run(self, run: &Run) -> String {
        match self {
            Names::Whole => run.id.clone(),
            Names::WithoutDrive => {
                let rest = run.id.strip_prefix(&run.drive).unwrap_or(&run.id);
                rest.trim_start_matches('/').to_owned()
            }
        }
    }
}

fn rows<'a>(runs: &[&'a Run]) -> Vec<MetricRow<'a>> {
    let metrics: BTreeSet<&'a str> = (runs.iter())
        .flat_map(|run| run.metrics.keys().map(String::as_str))
        .collect();
    let row = |metric: &'a str| MetricRow {
        metric,
        values: (runs.iter())
            .map(|run| run.metrics.get(metric).copied())
            .collect(),
        spreads: runs.iter().map(|run| run.spread.get(metric)).collect(),
        unsettled: runs.iter().map(|run| settling::is_unsettled(run)).collect(),
    };
    metrics.into_iter().map(row).collect()
}

fn differences(sets: &[Labelled<'_>], names: Names) -> Vec<Difference> {
    let mut found = Vec::new();
    let mut look = |what: &str, of_set: &dyn Fn(&ResultSet) -> Option<String>| {
        let values: Vec<Option<String>> = sets.iter().map(|(_, set)| of_set(set)).collect();
        if values.iter().any(|value| *value != values[0]) {
            let words = |value: Option<String>| value.unwrap_or_else(|| "–".to_owned());
            found.push(Difference {
                what: what.to_owned(),
                values: values.into_iter().map(words).collect(),
            });
        }
    };
    look("source of the numbers", &|set| {
        Some(set.origin.way.name().to_owned())
    });
    look("version", &|set| Some(set.origin.version.clone()));
    look("model version", &|set| {
        Some(set.origin.model_version.to_string())
    });
    look("seed", &|set| Some(set.origin.seed.to_string()));
    look("repeats", &|set| Some(set.origin.repeats.to_string()));
    look("test machine", &|set| Some(set.origin.testbed.clone()));
    look("length", &|set| {
        Some(if set.origin.quick { "quick" } else { "full" }.to_owned())
    });
    if names == Names::WithoutDrive {
        look("drive", &|set| Some(set.drives[0].drive.clone()));
        return found;
    }
    let drives: BTreeSet<&str> = (sets.iter())
        .flat_map(|(_, set)| set.drives.iter().map(|sheet| sheet.drive.as_str()))
        .collect();
    for drive in drives {
        let sheet = |set| sheet_of(set, drive);
        // A drive that is not in a set has no runs there, which have a list of their own.
        if sets.iter().any(|(_, set)| sheet(set).is_none()) {
            continue;
        }
        let keys: BTreeSet<&str> = (sets.iter())
            .filter_map(|(_, set)| sheet(set))
            .flat_map(|sheet| sheet.parameters.iter().map(|row| row.key.as_str()))
            .collect();
        for key in keys {
            look(&format!("{drive}: {key}"), &|set| {
                let rows = &sheet_of(set, drive)?.parameters;
                let row = rows.iter().find(|row| row.key == key)?;
                Some(format!("{} {}", row.value, row.unit).trim_end().to_owned())
            });
        }
    }
    found
}

fn sheet_of<'a>(set: &'a ResultSet, drive: &str) -> Option<&'a DriveSheet> {
    set.drives.iter().find(|sheet| sheet.drive == drive)
}
