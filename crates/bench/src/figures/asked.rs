//! The runs that published figures are made from.

use super::metric::{Compared, compared};
use super::order::{Score, rows as scores};
use super::{Bench, Names, OF_WITNESSES, Row, is_whole_family, modern, published, witnesses};
use crate::suites::Test;
use std::collections::BTreeSet;

/// The tests that figures of a drive are made from, as pairs of the drive's slug and the test's.
#[must_use]
pub fn asked(drives: &[Names], tests: &[Test]) -> BTreeSet<(String, String)> {
    let bench = Bench::of(drives, tests, &[]);
    let mut rows = published();
    rows.extend(scores());
    let has = |source: &str| tests.iter().any(|test| test.family.source.key == source);
    if has(OF_WITNESSES) {
        rows.extend(witnesses());
    }
    if has(modern::SOURCE) {
        rows.extend(modern::rows(tests));
    }
    rows.iter().flat_map(|row| bench.asked_by(row)).collect()
}

impl Bench<'_> {
    /// The pairs of a row: of its own drives, and of those that they are compared with.
    fn asked_by(&self, row: &Row) -> Vec<(String, String)> {
        let (mut drives, _) = self.drives(&row.drive);
        let mut named = vec![row.test.as_str()];
        match compared(&row.metric).1 {
            Compared::Ratio(other) | Compared::Advantage(other) => {
                drives.extend(self.drives(other).0);
            }
            Compared::Extra(test) => named.push(test),
            Compared::Alone => {}
        }
        // A score is of all parts of its family.
        let family = Score::of(row).map(|score| score.family().slug.as_str());
        let is_asked = |test: &&Test| {
            let of = |name: &&str| test.answers_to(name) || is_whole_family(test, name);
            family == Some(test.family.slug.as_str()) || named.iter().any(of)
        };
        let tests: Vec<&Test> = self.tests.iter().filter(is_asked).collect();
        let pairs = drives.iter().flat_map(|drive| {
            let pair = |test: &&Test| (drive.slug.clone(), test.step.slug.clone());
            tests.iter().map(pair)
        });
        pairs.collect()
    }
}
