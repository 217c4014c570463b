//! A real drive beside its model: what was measured of the one and simulated of the other, figure by figure.
//!
//! Runs pair by test, state and what else their ids have behind the drive; the drives may have different names. Figures
//! pair by job and quantity. The error is that of the model: the simulated figure over the measured one.

mod figure;
mod merged;
mod summary;
mod terminal;

use std::collections::BTreeMap;

use ftlab_result::{DriveSheet, ResultSet, Run, TestSheet, Way};

use crate::comparison::{Difference, Labelled};
use crate::format;
use crate::view::condition;
pub use figure::{Figure, Kind};
pub use summary::Summary;
pub use terminal::render as terminal;

/// A measured drive and its model, in two result sets.
#[derive(Debug)]
pub struct Pair<'a> {
    /// The real drive.
    pub measured: Side<'a>,
    /// Its model.
    pub simulated: Side<'a>,
    /// The runs that both sides have, in the order of the measured ones.
    pub matches: Vec<Match<'a>>,
}

/// One of the two sides.
#[derive(Debug)]
pub struct Side<'a> {
    /// The name that its result set goes by.
    pub label: &'a str,
    /// The result set.
    pub set: &'a ResultSet,
    /// The drive; others of the set are no part of the pair.
    pub drive: &'a DriveSheet,
    /// Its runs that the other side does not have.
    pub alone: Vec<Alone<'a>>,
}

/// A run that the other side does not have.
#[derive(Debug)]
pub struct Alone<'a> {
    /// The run.
    pub run: &'a Run,
    /// Its test.
    pub test: Option<&'a TestSheet>,
    /// The states in which the other side ran the same test, alone as well.
    pub elsewhere: Vec<&'a str>,
}

/// A run that both sides have.
#[derive(Debug)]
pub struct Match<'a> {
    /// Its id without the drive.
    pub name: &'a str,
    /// Its test.
    pub test: Option<&'a TestSheet>,
    /// As it was measured.
    pub measured: &'a Run,
    /// As it was simulated.
    pub simulated: &'a Run,
    /// The figures that both have, the one that the test's chart draws first.
    pub figures: Vec<Figure<'a>>,
}

impl<'a> Pair<'a> {
    /// Pairs two result sets, in either order. Returns `None` unless one was measured, on one drive, and the other was
    /// simulated, on one drive or on one of the same name among several.
    #[must_use]
    pub fn of(sets: &[Labelled<'a>]) -> Option<Self> {
        let [first, second] = *sets else {
            return None;
        };
        let (real, model) = match (first.1.origin.way, second.1.origin.way) {
            (Way::Measured, Way::Simulated) => (first, second),
            (Way::Simulated, Way::Measured) => (second, first),
            _ => return None,
        };
        let [drive] = &real.1.drives[..] else {
            return None;
        };
        let drives = &model.1.drives;
        let namesake = drives.iter().find(|sheet| sheet.drive == drive.drive);
        let of_model = match &drives[..] {
            [one] => one,
            _ => namesake?,
        };
        Some(Self::of_drives(real, drive, model, of_model))
    }

    fn of_drives(
        real: Labelled<'a>,
        drive: &'a DriveSheet,
        model: Labelled<'a>,
        of_model: &'a DriveSheet,
    ) -> Self {
        let runs = by_name(real.1, drive);
        let others: BTreeMap<&str, &Run> = by_name(model.1, of_model).into_iter().collect();
        let test = |run: &Run| {
            let mut tests = real.1.tests.iter().chain(&model.1.tests);
            tests.find(|test| test.test == run.test)
        };
        let matches = runs.iter().filter_map(|&(name, measured)| {
            let (test, simulated) = (test(measured), *others.get(name)?);
            let first = test.map_or("", |test| test.chart_metric.as_str());
            Some(Match {
                name,
                test,
                measured,
                simulated,
                figures: figure::figures(first, measured, simulated),
            })
        });
        let matches: Vec<Match<'a>> = matches.collect();
        let side = |(label, set): Labelled<'a>, drive, other: (&'a ResultSet, &DriveSheet)| {
            let is_alone = |name: &str| matches.iter().all(|matched| matched.name != name);
            let mut theirs = by_name(other.0, other.1);
            theirs.retain(|(name, _)| is_alone(name));
            let runs = by_name(set, drive).into_iter();
            let alone = runs
                .filter(|(name, _)| is_alone(name))
                .map(|(_, run)| Alone {
                    run,
                    test: test(run),
                    elsewhere: (theirs.iter())
                        .filter(|(_, other)| other.test == run.test)
                        .map(|(_, other)| other.state.as_str())
                        .collect(),
                });
            Side {
                label,
                set,
                drive,
                alone: alone.collect(),
            }
        };
        Pair {
            measured: side(real, drive, (model.1, of_model)),
            simulated: side(model, of_model, (real.1, drive)),
            matches,
        }
    }

    /// Both sides, the measured one first.
    #[must_use]
    pub fn sides(&self) -> [&Side<'a>; 2] {
        [&self.measured, &self.simulated]
    }

    /// What the two sides do not agree on beside their figures. That one is a model goes without saying.
    #[must_use]
    pub fn differences(&self) -> Vec<Difference> {
        let of = |what: &str, value: &dyn Fn(&Side<'a>) -> String| Difference {
            what: what.to_owned(),
            values: self.sides().map(value).to_vec(),
        };
        let all = [
            of("drive", &|side| side.drive.name.clone()),
            of("capacity", &|side| {
                format::capacity(side.drive.capacity_bytes)
            }),
            of("length", &|side| {
                if side.set.origin.quick {
                    "quick"
                } else {
                    "full"
                }
                .to_owned()
            }),
            of("machine", &|side| side.set.origin.testbed.clone()),
            of("version of ftlab", &|side| side.set.origin.version.clone()),
            of("seed", &|side| side.set.origin.seed.to_string()),
            of("repeats", &|side| side.set.origin.repeats.to_string()),
        ];
        let differs = |difference: &Difference| difference.values[0] != difference.values[1];
        all.into_iter().filter(differs).collect()
    }

    /// Names of all figures that both sides have, with those that say the same as another.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let figures = self.matches.iter().flat_map(|matched| &matched.figures);
        figures.map(|figure| figure.name.as_str())
    }
}

/// The runs of a drive, by what their ids have behind it.
fn by_name<'a>(set: &'a ResultSet, drive: &DriveSheet) -> Vec<(&'a str, &'a Run)> {
    let runs = set.runs.iter().filter(|run| run.drive == drive.drive);
    let named = runs.map(|run| {
        let rest = run.id.strip_prefix(&run.drive).unwrap_or(&run.id);
        (rest.trim_start_matches('/'), run)
    });
    named.collect()
}

impl<'a> Match<'a> {
    /// The figures that are compared: of those that say the same, the first.
    pub fn compared(&self) -> impl Iterator<Item = &Figure<'a>> {
        self.figures.iter().filter(|figure| !figure.is_repeated)
    }

    /// The figure that the chart of its test draws.
    #[must_use]
    pub fn drawn(&self) -> Option<&Figure<'a>> {
        let metric = &self.test?.chart_metric;
        self.figures.iter().find(|figure| figure.name == *metric)
    }
}

/// The test and state of a run in words: `Random reads, QD 1, filled drive`.
#[must_use]
pub fn words(test: Option<&TestSheet>, run: &Run) -> String {
    let state = condition::state(&run.state);
    let test = match test {
        None => run.test.clone(),
        Some(test) if test.step.is_empty() => test.title.clone(),
        Some(test) => format!("{}, {}", test.title, test.step),
    };
    match run.state.as_str() {
        "" | "na" => test,
        _ => format!("{test}, {state} drive"),
    }
}

impl Side<'_> {
    /// Says what was asked of the drive and has no runs, and why.
    pub fn unfinished(&self) -> impl Iterator<Item = &str> {
        let unfinished = self.set.unfinished.iter();
        let own = unfinished.filter(|of| of.drive == self.drive.drive);
        own.map(|of| of.why.as_str())
    }
}

impl Alone<'_> {
    /// Says why it has no other.
    #[must_use]
    pub fn why(&self) -> String {
        match &self.elsewhere[..] {
            [] => "the other side did not run it".to_owned(),
            states => {
                let states = states.iter().map(|state| condition::state(state));
                let states: Vec<&str> = states.collect();
                format!(
                    "the other side ran it on a drive that was {}",
                    states.join(", and on one that was ")
                )
            }
        }
    }
}
