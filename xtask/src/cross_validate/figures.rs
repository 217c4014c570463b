//! Published figures beside the runs of all drives, some of which have numbers moved.

use super::leave_out::{Asked, Without};
use super::linear::Observation;
use super::runs::{Need, Runs};
use super::{LEAST_MOVE, LeftOut, Moved};
use crate::family::Families;
use crate::numbers::Number;
use anyhow::Result;
use ftlab_bench::figures::{self, Names, is_promise};
use ftlab_bench::suites::{Test, Work};
use ftlab_play::load::What;
use ftlab_result::{Figure, Run};
use std::collections::BTreeMap;

/// The deviation of a printed number's logarithm.
const EXACT: f64 = 0.05;
/// "About", and what a source leaves ambiguous.
const ABOUT: f64 = 0.15;
/// A longest latency is one event of a run whose length its source does not state.
const OF_MAXIMA: f64 = 0.5;

/// A number that no test but one pins.
pub struct Alone {
    pub number: Number,
    /// Drive and test of the figure.
    pub unit: (String, String),
}

/// Changes of figures with some runs.
pub struct Answers(BTreeMap<String, f64>);

/// The figures with all drives as their files are.
pub struct Table<'a> {
    families: &'a Families,
    tests: Vec<Test>,
    names: Vec<Names>,
    runs: BTreeMap<String, Vec<Run>>,
    figures: Vec<Figure>,
}

impl<'a> Table<'a> {
    pub fn new(
        families: &'a Families,
        tests: Vec<Test>,
        runs: BTreeMap<String, Vec<Run>>,
    ) -> Table<'a> {
        let names = runs.keys().map(|drive| families.names(drive)).collect();
        let mut table = Table {
            families,
            tests,
            names,
            runs,
            figures: Vec::new(),
        };
        table.figures = table.figures_with(&BTreeMap::new());
        table
    }

    /// The figures when some runs of drives are others.
    fn figures_with(&self, changed: &BTreeMap<String, Vec<Run>>) -> Vec<Figure> {
        let mut runs: Vec<Run> = self.runs.values().flatten().cloned().collect();
        let changed: BTreeMap<&str, &Run> = (changed.values().flatten())
            .map(|run| (run.id.as_str(), run))
            .collect();
        for run in &mut runs {
            if let Some(&other) = changed.get(run.id.as_str()) {
                run.clone_from(other);
            }
        }
        figures::figures(&self.names, &self.tests, &runs)
    }

    /// Those that a fit sees, answering to none of so many numbers yet.
    pub fn asked(&self, numbers: usize) -> Vec<Asked> {
        let asked = |figure: &Figure| {
            let (goal, deviation) = self.goal(figure)?;
            Some(Asked {
                id: figure.id.clone(),
                unit: (figure.drive.clone(), figure.test.clone()),
                seen: Observation {
                    gap: (goal / simulated(figure)?).ln(),
                    deviation,
                    slopes: vec![0.0; numbers],
                },
            })
        };
        self.figures.iter().filter_map(asked).collect()
    }

    /// The value that a figure should have, and its deviation; `None` for one that only bounds or orders.
    fn goal(&self, figure: &Figure) -> Option<(f64, f64)> {
        let own = published(figure)?;
        if is_promise(&figure.test) {
            return None;
        }
        match figure.qualifier.as_str() {
            "eq" | "approx" if figure.metric.starts_with("lat_max") => Some((own, OF_MAXIMA)),
            "eq" => Some((own, EXACT)),
            "approx" | "ambiguous-state" | "ambiguous-test" => Some((own, ABOUT)),
            "range-lo" | "range-hi" => {
                let is_other_end = |other: &&Figure| {
                    let of = |f: &Figure| {
                        let Figure {
                            drive,
                            test,
                            state,
                            data,
                            link,
                            metric,
                            ..
                        } = f.clone();
                        (drive, test, state, data, link, metric)
                    };
                    other.id != figure.id && of(other) == of(figure)
                };
                let other = self.figures.iter().find(is_other_end)?;
                let (a, b) = (own, published(other)?);
                // Ends of several drives are each those of one; a drive of which a range is told is somewhere in it.
                let is_one = simulated(figure)? == simulated(other)?;
                Some(match is_one {
                    true => ((a * b).sqrt(), ((a / b).ln().abs() / 2.0).max(EXACT)),
                    false => (own, ABOUT),
                })
            }
            _ => None,
        }
    }

    /// Notes how figures answer to number `n`: with these runs of its drives it is moved by a logarithm.
    pub fn answer(
        &self,
        asked: &mut [Asked],
        n: usize,
        by: f64,
        changed: BTreeMap<String, Vec<Run>>,
    ) {
        let answers = self.answers(&changed);
        for figure in asked {
            figure.seen.slopes[n] = answers.moved(figure).map_or(0.0, |moved| moved / by);
        }
    }

    /// ln(figure with the changed runs / as it is).
    fn answers(&self, changed: &BTreeMap<String, Vec<Run>>) -> Answers {
        let before: BTreeMap<&str, f64> = (self.figures.iter())
            .filter_map(|figure| Some((figure.id.as_str(), simulated(figure)?)))
            .collect();
        let after = self.figures_with(changed);
        let moved = after.iter().filter_map(|figure| {
            let ratio = simulated(figure)? / before.get(figure.id.as_str())?;
            Some((figure.id.clone(), ratio.ln()))
        });
        Answers(moved.collect())
    }

    /// The figures with numbers that were found: ln(value / value in the file) of each.
    pub fn with(&self, runs: &Runs<'_>, moved: &[Moved], numbers: &[f64]) -> Result<Answers> {
        let mut settings: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (moved, by) in moved.iter().zip(numbers) {
            let number = &moved.number;
            for drive in number
                .drives
                .iter()
                .filter(|drive| self.runs.contains_key(*drive))
            {
                if by.abs() >= LEAST_MOVE {
                    let others = settings.entry(drive).or_default();
                    let value = number.value * by.exp();
                    others.extend(number.setting_beside(value, drive, others));
                }
            }
        }
        let mut changed = BTreeMap::new();
        for (drive, settings) in settings {
            let drive = drive.to_owned();
            let need = Need {
                drive: drive.clone(),
                settings,
            };
            changed.insert(drive, runs.of(&need)?);
        }
        Ok(self.answers(&changed))
    }

    /// The scored figures, as they are and as they are predicted.
    pub fn left_out(
        &self,
        asked: &[Asked],
        solved: &BTreeMap<(String, String), Without>,
        checked: &BTreeMap<String, f64>,
    ) -> Vec<LeftOut> {
        let of = |figure: &Figure| {
            figure.error?;
            let asked = asked.iter().find(|asked| asked.id == figure.id)?;
            Some(LeftOut {
                id: figure.id.clone(),
                drive: figure.drive.clone(),
                family: self.families.of(&figure.model).to_owned(),
                kind: self.kind(figure),
                published: published(figure)?,
                simulated: simulated(figure)?,
                moved: solved[&asked.unit].predicts(asked),
                checked: checked.get(&figure.id).copied(),
            })
        };
        self.figures.iter().filter_map(of).collect()
    }

    /// The kind of test that a figure is from.
    fn kind(&self, figure: &Figure) -> &'static str {
        let is_its_own = |test: &&Test| test.answers_to(&figure.test);
        let Some(test) = self.tests.iter().find(is_its_own) else {
            return "a family's steps";
        };
        match &test.step.work {
            Work::Fact(_) => "facts without time",
            Work::Within(..) => "procedures",
            Work::Loads { .. } if figure.metric.contains("watts") => "power",
            Work::Loads { loads, .. } => match loads[0].what() {
                What::Job(_) => "jobs",
                What::Script(_) => "programs, by scripts",
                What::Trace(_) | What::Recording(_) => "traces",
            },
        }
    }

    /// Numbers whose figures are all of one test of one drive.
    pub fn alone(&self, moved: &[Moved], asked: &[Asked]) -> Vec<Alone> {
        let alone = |moved: &Moved| {
            let of_test = |id: &&String| !id.starts_with('A') && !id.starts_with('C');
            let from = &moved.number.from;
            let units: Vec<_> = (from.iter().filter(of_test))
                .filter_map(|id| Some(&asked.iter().find(|asked| asked.id == *id)?.unit))
                .collect();
            let first = *units.first()?;
            let only =
                units.iter().all(|unit| *unit == first) && from.iter().all(|id| of_test(&id));
            only.then(|| Alone {
                number: moved.number.clone(),
                unit: first.clone(),
            })
        };
        moved.iter().filter_map(alone).collect()
    }
}

impl Answers {
    /// By how much a figure moved.
    pub fn moved(&self, figure: &Asked) -> Option<f64> {
        self.0.get(&figure.id).copied()
    }
}

fn published(figure: &Figure) -> Option<f64> {
    figure.published.parse().ok().filter(|value| *value > 0.0)
}

fn simulated(figure: &Figure) -> Option<f64> {
    figure
        .simulated
        .filter(|value| *value > 0.0 && value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(drive: &str, test: &str, state: &str, link: &str, mb_s: f64) -> Run {
        Run {
            id: format!("{drive}/{test}/{state}"),
            drive: drive.to_owned(),
            test: test.to_owned(),
            state: state.to_owned(),
            link: link.to_owned(),
            metrics: [("mb_s".to_owned(), mb_s)].into(),
            ..Run::default()
        }
    }

    fn read(drive: &str, mb_s: f64) -> Run {
        run(drive, "seqread-2m", "filled", "sata6g", mb_s)
    }

    /// Two sizes of one drive, of which a figure takes the mean, and another drive.
    fn table(families: &Families) -> Table<'_> {
        let [small, large] = ["crucial-c300-128", "crucial-c300-256"];
        let other = "intel-320-120";
        let runs = [
            (small, read(small, 330.0)),
            (large, read(large, 330.0)),
            (other, run(other, "seqwrite-2m", "new", "sata3g", 120.0)),
        ];
        let runs = runs.map(|(drive, run)| (drive.to_owned(), vec![run]));
        Table::new(families, ftlab_bench::suites::all().collect(), runs.into())
    }

    #[test]
    fn figures_answer_to_the_runs_that_a_number_moves_and_to_no_others() {
        let families = Families::load().unwrap();
        let table = table(&families);
        let mut asked = table.asked(1);
        let of = |asked: &[Asked], id: &str| {
            let found = asked.iter().find(|asked| asked.id == id);
            found.unwrap_or_else(|| panic!("{id}")).clone()
        };
        let write = of(&asked, "F0650");
        let gap = (131.0_f64 / 120.0).ln();
        assert!((write.seen.gap - gap).abs() < 1e-9, "{write:?}");
        // A tenth more of a number makes the small one read a tenth less; the large one has another number.
        let changed = vec![read("crucial-c300-128", 330.0 / 1.1)];
        let changed = [("crucial-c300-128".to_owned(), changed)].into();
        table.answer(&mut asked, 0, 1.1_f64.ln(), changed);
        let slope = of(&asked, "F0647").seen.slopes[0];
        assert!(
            (-0.51..-0.47).contains(&slope),
            "half of two drives: {slope}"
        );
        assert_eq!(of(&asked, "F0650").seen.slopes[0], 0.0);
    }

    #[test]
    fn what_is_left_out_is_scored_as_it_is_and_as_it_is_predicted() {
        let families = Families::load().unwrap();
        let table = table(&families);
        let mut asked = table.asked(1);
        for figure in &mut asked {
            figure.seen.slopes[0] = 1.0;
        }
        let solve = |figure: &Asked| {
            let numbers = vec![0.1];
            (
                figure.unit.clone(),
                Without {
                    numbers,
                    unknown: vec![false],
                },
            )
        };
        let solved = asked.iter().map(solve).collect();
        let checked = [("F0647".to_owned(), 0.2)].into();
        let left_out = table.left_out(&asked, &solved, &checked);
        let of = |id: &str| left_out.iter().find(|figure| figure.id == id).unwrap();
        let (read, write) = (of("F0647"), of("F0650"));
        assert_eq!(read.family, "marvell-88ss9174");
        let by_runs = (330.0_f64 / 350.0).ln() + 0.2;
        assert!((read.error().unwrap() - by_runs).abs() < 1e-9);
        let predicted = (120.0_f64 / 131.0).ln() + 0.1;
        assert!((write.error().unwrap() - predicted.abs()).abs() < 1e-9);
        assert_eq!(write.kind, "jobs");
    }
}
