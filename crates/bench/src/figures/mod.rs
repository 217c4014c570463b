//! Published figures beside the runs that answer them.

mod metric;
mod score;

pub use score::{Judgement, judge};

use crate::methods::{self, Test};
use ftlab_result::{Figure, Run};
use metric::{Compared, Metric};
use serde::Deserialize;

/// The reference table.
const PUBLISHED: &str = include_str!("../../../../reference/published.csv");

/// The sources and their titles.
const SOURCES: &str = include_str!("../../../../reference/sources.csv");

/// A row of the reference table, as its source says.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Row {
    /// Id, for example `F0172`.
    pub id: String,
    /// Slug of the source.
    pub source: String,
    /// Drive as the source names it.
    pub drive: String,
    /// Test slug; for a figure over a whole family, the family's.
    pub test: String,
    /// State of the drive; `unstated` or `na` when the source does not say.
    pub state: String,
    /// Data pattern.
    pub data: String,
    /// Host link.
    pub link: String,
    /// Metric name.
    pub metric: String,
    /// The published number, or word.
    pub value: String,
    /// Its unit.
    pub unit: String,
    /// `eq`, `approx`, `gt`, …
    pub qualifier: String,
}

#[derive(Debug, Deserialize)]
struct SourceRow {
    source: String,
    title: String,
}

/// The names a drive goes by: its slug, then what else the sources call it.
#[derive(Debug, Clone)]
pub struct Names {
    /// Slug.
    pub slug: String,
    /// Aliases.
    pub aliases: Vec<String>,
}

impl Names {
    fn answer_to(&self, name: &str) -> bool {
        self.slug == name || self.aliases.iter().any(|alias| alias == name)
    }
}

/// All rows of the reference table.
///
/// # Panics
/// Never: a test reads the table that is part of the program.
#[must_use]
pub fn published() -> Vec<Row> {
    records(PUBLISHED)
}

fn records<T: for<'a> Deserialize<'a>>(text: &str) -> Vec<T> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader
        .deserialize()
        .map(|row| row.expect("an embedded table is well formed"))
        .collect()
}

/// The published figures that `tests` on `drives` answer, in the order of the reference table.
#[must_use]
pub fn figures(drives: &[Names], tests: &[Test], runs: &[Run]) -> Vec<Figure> {
    let sources: Vec<SourceRow> = records(SOURCES);
    let title = |slug: &str| {
        let row = sources.iter().find(|row| row.source == slug);
        row.map_or_else(|| slug.to_owned(), |row| row.title.clone())
    };
    let bench = Bench {
        drives,
        tests,
        runs,
    };
    let answered = |row: &Row| Some(bench.figure(row, bench.answering(row)?, title(&row.source)));
    published().iter().filter_map(answered).collect()
}

/// What was run.
struct Bench<'a> {
    drives: &'a [Names],
    tests: &'a [Test],
    runs: &'a [Run],
}

impl<'a> Bench<'a> {
    /// The runs that a row speaks of: one, or one a step of a family; `None` when nothing ran.
    fn answering(&self, row: &Row) -> Option<Vec<&'a Run>> {
        let drive = self.drive(&row.drive)?;
        let runs = self.runs_of(&drive.slug, &row.test, &row.state);
        (!runs.is_empty()).then_some(runs)
    }

    fn drive(&self, name: &str) -> Option<&'a Names> {
        self.drives.iter().find(|drive| drive.answer_to(name))
    }

    fn runs_of(&self, slug: &str, test: &str, state: &str) -> Vec<&'a Run> {
        let steps = self
            .tests
            .iter()
            .filter(|t| t.step.slug == test || is_whole_family(t, test));
        let run_of = |test: &Test| {
            let state = match state {
                "unstated" | "na" => test.family.states[0].name(),
                stated => stated,
            };
            self.runs
                .iter()
                .find(|run| run.drive == slug && run.test == test.step.slug && run.state == state)
        };
        steps.filter_map(run_of).collect()
    }

    fn figure(&self, row: &Row, runs: Vec<&Run>, source: String) -> Figure {
        let simulated = self.simulated(row, &runs);
        let judgement = match (row.value.parse(), simulated.map(|(value, _)| value)) {
            (Ok(published), Some(value)) => judge(&row.metric, &row.qualifier, published, value),
            _ => Judgement::SHOWN,
        };
        Figure {
            id: row.id.clone(),
            drive: row.drive.clone(),
            model: runs[0].drive.clone(),
            test: row.test.clone(),
            state: row.state.clone(),
            data: row.data.clone(),
            link: row.link.clone(),
            metric: row.metric.clone(),
            unit: row.unit.clone(),
            published: row.value.clone(),
            qualifier: row.qualifier.clone(),
            simulated: simulated.map(|(value, _)| value),
            error: judgement.error,
            verdict: judgement.verdict,
            run: simulated.map_or_else(String::new, |(_, run)| run.id.clone()),
            source,
        }
    }

    /// The figure in the row's unit and the run it is from: over a family, the largest.
    fn simulated<'r>(&self, row: &Row, runs: &[&'r Run]) -> Option<(f64, &'r Run)> {
        let metric = Metric::parse(&row.metric, &row.source)?;
        let value = |run: &'r Run| {
            let value = metric.of(run)?;
            let on = |drive: &str, test: &str| {
                let drive = self.drive(drive)?;
                let other = self.runs_of(&drive.slug, test, &row.state);
                metric.of(other.first()?)
            };
            let figure = match metric.compared {
                Compared::Alone => value,
                Compared::Ratio(other) => value / on(other, &row.test)?,
                Compared::Advantage(other) => 100.0 * (1.0 - value / on(other, &row.test)?),
                Compared::Extra(test) => value - on(&run.drive, test)?,
            };
            Some((figure, run))
        };
        runs.iter()
            .filter_map(|run| value(run))
            .max_by(|a, b| a.0.total_cmp(&b.0))
    }
}

/// Whether `slug` means all steps of the test's family rather than one of them.
fn is_whole_family(test: &Test, slug: &str) -> bool {
    test.family.slug == slug && methods::all().all(|t| t.step.slug != slug)
}

#[cfg(test)]
mod tests;
