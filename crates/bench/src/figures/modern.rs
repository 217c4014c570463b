//! Figures of drives of today. Their table has the conditions of each measurement in words, and a step of the suite
//! answers to the words that its conditions begin with.

use super::metric::{self, Metric};
use super::{Judgement, Row, judge, records};
use crate::suites::{self, Test};
use serde::Deserialize;
use std::collections::BTreeMap;

const MODERN: &str = include_str!("../../reference/modern.csv");

/// The source of the suite whose tests answer them.
pub const SOURCE: &str = "modern";

#[derive(Debug, Deserialize)]
struct Measured {
    id: String,
    source: String,
    drive: String,
    test: String,
    conditions: String,
    metric: String,
    value: String,
    unit: String,
    qualifier: String,
}

/// Those that one of the tests answers, as rows of the reference table.
pub fn rows(tests: &[Test]) -> Vec<Row> {
    let rows: Vec<Measured> = records(MODERN);
    let of = |row: Measured| {
        let words = format!("{} {}", row.test, row.conditions);
        let answers = |alias: &String| words.starts_with(alias);
        let test = tests
            .iter()
            .find(|test| test.step.aliases.iter().any(answers))?;
        Some(Row {
            id: row.id,
            source: row.source,
            drive: row.drive,
            test: test.step.slug.clone(),
            state: "na".to_owned(),
            data: "na".to_owned(),
            link: "na".to_owned(),
            metric: row.metric,
            value: row.value,
            unit: row.unit,
            qualifier: row.qualifier,
            led_to: None,
            note: row.conditions,
        })
    };
    rows.into_iter().filter_map(of).collect()
}

impl Row {
    /// Returns true if a run gives the figure, and the source says it so that a run can be right or wrong.
    fn is_judged(&self) -> bool {
        let is_given = Metric::parse(&self.metric, &self.unit, metric::counting(self)).is_some();
        is_given && judge(&self.metric, &self.qualifier, 1.0, 1.0) != Judgement::SHOWN
    }
}

/// Published figures of a drive of today that a test of the suite answers and that are judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldTo {
    /// Slug of the drive.
    pub drive: String,
    /// Slug of the test, of all of its steps.
    pub test: String,
    /// Number of figures.
    pub figures: usize,
}

/// What the drives of today are held to, by drive and then by test.
///
/// # Panics
/// Never: a test reads the suite and the table, which are part of the program.
#[must_use]
pub fn held_to() -> Vec<HeldTo> {
    let suite = suites::named(SOURCE).expect("it comes along");
    let tests: Vec<Test> = suite.tests().collect();
    let mut held: BTreeMap<(String, String), usize> = BTreeMap::new();
    for row in rows(&tests) {
        if row.is_judged() {
            let test = tests.iter().find(|test| test.step.slug == row.test);
            let test = test.expect("it is a row of one of them");
            *held
                .entry((row.drive, test.family.slug.clone()))
                .or_default() += 1;
        }
    }
    let held = held.into_iter();
    let held = held.map(|((drive, test), figures)| HeldTo {
        drive,
        test,
        figures,
    });
    held.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_suite_of_today_answers_what_was_measured_of_its_drives() {
        let suite = suites::named(SOURCE).unwrap();
        let tests: Vec<Test> = suite.tests().collect();
        let drives = [suite.drives, suite.more_drives].concat();
        let all: Vec<Measured> = records(MODERN);
        let mut asked: BTreeMap<&str, usize> = BTreeMap::new();
        for row in all.iter().filter(|row| drives.contains(&row.drive)) {
            *asked.entry(&row.test).or_default() += 1;
        }
        let mut answered: BTreeMap<String, usize> = BTreeMap::new();
        for row in rows(&tests)
            .iter()
            .filter(|row| drives.contains(&row.drive))
        {
            let of = all.iter().find(|of| of.id == row.id).unwrap();
            *answered.entry(of.test.clone()).or_default() += 1;
        }
        let whole = ["latency-under-offered-rate", "sequential-fill"];
        for test in whole {
            assert_eq!(answered[test], asked[test], "{test}");
        }
        // Sequential writes are not among the steps, nor is a law that is no zones.
        assert!(
            answered["steady-writes"] >= 12 && answered["skewed-writes"] >= 6,
            "{answered:?}"
        );
    }
}
