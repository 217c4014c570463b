//! Published figures beside the runs that answer them.

mod asked;
mod metric;
mod modern;
mod order;
mod score;
mod seen;

pub use asked::asked;
pub use modern::{HeldTo, held_to, rows as of_today};
pub use score::{AT_LEAST, Judgement, judge};

use crate::repeats::spread;
use crate::suites::{self, Test};
use ftlab_result::{Figure, Run, Spread, Verdict};
use metric::{Compared, Megabyte, Metric, Spare};
use order::Score;
use serde::Deserialize;

/// The reference table: a row for each published figure of the reviews.
const PUBLISHED: &str = include_str!("../../reference/published.csv");

/// Figures of other pages, which the model was not made with.
const WITNESSES: &str = include_str!("../../reference/published-more.csv");

/// Scores of closed programs.
const SCORES: &str = include_str!("../../reference/scores.csv");

/// The sources and their titles.
const SOURCES: &str = include_str!("../../reference/sources.csv");

/// Names that the sources have for several drives at once.
const ALIASES: &str = include_str!("../../reference/aliases.csv");

/// Titles of names in the tables that are no drive file and no test, such as classes of drives.
const NAMES: &str = include_str!("../../reference/names.csv");

/// Counts and errors of each drive's figures, as the last review of everything found them.
const STANDING: &str = include_str!("../../reference/standing.csv");

/// Known reasons for which the model misses figures, by their ids.
const MISSES: &str = include_str!("../../reference/misses.csv");

/// Errors of the figures when the model is fitted without the test that each is from.
const CROSS_VALIDATION: &str = include_str!("../../reference/cross-validation.csv");

/// The source of the suite that the witnesses' own tests are in.
const OF_WITNESSES: &str = "witnesses";

/// The evidence behind a drive, as the last review of everything found it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Standing {
    /// The slug of the drive's file.
    pub drive: String,
    /// Figures that are judged.
    pub judged: usize,
    /// Figures that are scored and that no number was fitted to.
    pub unseen: usize,
    /// The median of their |ln(simulated / published)|.
    pub unseen_error: Option<f64>,
}

/// The evidence behind each drive that has figures.
///
/// # Panics
/// Never: a test reads the table that is part of the program.
#[must_use]
pub fn standings() -> Vec<Standing> {
    records(STANDING)
}

/// A row of the table of names for several drives.
#[derive(Debug, Deserialize)]
struct Class {
    name: String,
    /// Slugs, separated by blanks.
    drives: String,
    combine: Combine,
}

/// A row of the reference table, in the terms of its source.
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
    /// State of the drive; `unstated` or `na` when the source has none.
    pub state: String,
    /// The data that was written: `compressible`, `incompressible`, both with a `+`, or `na`.
    pub data: String,
    /// The host's link, such as `sata3g`; `na` if any will do.
    pub link: String,
    /// The metric's name: a quantity of a run, or a comparison of two.
    pub metric: String,
    /// The published number, or word.
    pub value: String,
    /// The unit of the number, as its source writes it.
    pub unit: String,
    /// The relation of a drive's figure to the number: `eq`, `approx`, `gt`, …
    pub qualifier: String,
    /// The key of the model that was changed in view of a witness; the figure is no witness from then on.
    pub led_to: Option<String>,
    /// The conditions of a witness, and the reasons to trust it more or less.
    #[serde(default)]
    pub note: String,
}

/// A row of a table of two columns: a name, and a text about it.
type Named = (String, String);

#[derive(Debug, Deserialize)]
struct SourceRow {
    source: String,
    title: String,
    megabyte: Megabyte,
    spare: Spare,
}

/// A row of the table of cross-validation, as far as it is shown beside figures.
#[derive(Debug, Deserialize)]
struct LeftOut {
    id: String,
    /// |ln(predicted / published)|; none where no other test predicts the figure.
    error: Option<f64>,
}

/// The names a drive goes by: its slug, then what else the sources call it.
#[derive(Debug, Clone)]
pub struct Names {
    /// The slug of the drive's file.
    pub slug: String,
    /// Other names that the sources use.
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

/// The figures of other pages: those that the model was not made with, and those that it was changed for since.
///
/// # Panics
/// Never: a test reads the table that is part of the program.
#[must_use]
pub fn witnesses() -> Vec<Row> {
    records(WITNESSES)
}

fn sources() -> impl Iterator<Item = SourceRow> {
    records(SOURCES).into_iter()
}

/// The rows of the reference table that a drive answers, alone or as one of several.
#[must_use]
pub fn rows_of(drive: &Names) -> Vec<Row> {
    of_drive(drive, published())
}

/// The rows of other pages that a drive answers and that the model was made without.
#[must_use]
pub fn unseen_rows_of(drive: &Names) -> Vec<Row> {
    let mut rows = of_drive(drive, witnesses());
    rows.retain(Row::is_unseen);
    rows
}

fn of_drive(drive: &Names, rows: Vec<Row>) -> Vec<Row> {
    let classes: Vec<Class> = records(ALIASES);
    let stands_for = |class: &Class| {
        let mut names = class.drives.split_whitespace();
        names.any(|name| drive.answer_to(name))
    };
    let is_of = |row: &Row| {
        let mut named = classes.iter().filter(|class| class.name == row.drive);
        drive.answer_to(&row.drive) || named.any(stands_for)
    };
    rows.into_iter().filter(is_of).collect()
}

/// The title of the source with that key; the key itself if there is none.
pub(crate) fn source_title(key: &str) -> String {
    let row = sources().find(|row| row.source == key);
    row.map_or_else(|| key.to_owned(), |row| row.title)
}

/// The text that a table has for a name.
fn said_of<'t>(table: &'t [Named], name: &str) -> Option<&'t str> {
    let (_, said) = table.iter().find(|(of, _)| of == name)?;
    Some(said)
}

/// A note with its sources in words: `AnandTech 2008` for the key of the review.
pub(crate) fn sources_in_words(note: &str) -> String {
    let year = |key: &str| {
        let last = key.rsplit('-').next().unwrap_or_default();
        (last.len() == 4)
            .then(|| last.parse::<u16>().ok())
            .flatten()
    };
    sources().fold(note.to_owned(), |note, row| {
        let Some(year) = year(&row.source) else {
            return note;
        };
        let publisher = row.title.split(", ").next().unwrap_or_default();
        note.replace(&row.source, &format!("{publisher} {year}"))
    })
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
    let bench = Bench::of(drives, tests, runs);
    let mut figures = bench.answered(&published());
    figures.extend(order::scores(&bench));
    // They are asked where their own tests are, though some are answered by those of the reviews.
    if tests
        .iter()
        .any(|test| test.family.source.key == OF_WITNESSES)
    {
        figures.extend(bench.answered(&witnesses()));
    }
    if tests
        .iter()
        .any(|test| test.family.source.key == modern::SOURCE)
    {
        figures.extend(bench.answered(&modern::rows(tests)));
    }
    figures
}

/// The figures of other pages that `tests` on `drives` answer and that the model was made without.
#[must_use]
pub fn unseen(drives: &[Names], tests: &[Test], runs: &[Run]) -> Vec<Figure> {
    let mut rows = witnesses();
    rows.retain(Row::is_unseen);
    Bench::of(drives, tests, runs).answered(&rows)
}

/// The number of repeats behind the runs; 1 where nothing was repeated.
fn repeats(runs: &[Run]) -> usize {
    let spreads = runs.iter().flat_map(|run| run.spread.values());
    spreads.map(|spread| spread.values.len()).max().unwrap_or(1)
}

/// Everything that a figure is made from: drives, tests, runs and the tables beside them.
struct Bench<'a> {
    drives: &'a [Names],
    tests: &'a [Test],
    runs: &'a [Run],
    repeats: usize,
    classes: Vec<Class>,
    titles: Vec<Named>,
    misses: Vec<Named>,
    left_out: Vec<LeftOut>,
}

/// A drive's figure and the run it is from.
type Answer<'r> = (f64, &'r Run);

/// A figure as all repeats give it.
struct Simulated<'r> {
    /// The mean if there are several.
    value: f64,
    /// The spread over the repeats if there are several.
    spread: Option<Spread>,
    /// The run it is from, in the first repeat that gives it.
    run: &'r Run,
}

impl<'a> Bench<'a> {
    fn of(drives: &'a [Names], tests: &'a [Test], runs: &'a [Run]) -> Bench<'a> {
        Bench {
            drives,
            tests,
            runs,
            repeats: repeats(runs),
            classes: records(ALIASES),
            titles: records(NAMES),
            misses: records(MISSES),
            left_out: records(CROSS_VALIDATION),
        }
    }

    /// Those of some rows that there are runs for.
    fn answered(&self, rows: &[Row]) -> Vec<Figure> {
        let answered = |row: &Row| Some(self.figure(row, self.answering(row)?));
        rows.iter().filter_map(answered).collect()
    }

    /// The runs that a row speaks of, drive by drive: one of each, or one a step of a family; `None`
    /// when nothing ran.
    fn answering(&self, row: &Row) -> Option<Vec<Vec<&'a Run>>> {
        let (drives, _) = self.drives(&row.drive);
        let runs = drives.iter().map(|drive| self.runs_of(&drive.slug, row));
        let runs: Vec<_> = runs.filter(|runs| !runs.is_empty()).collect();
        (!runs.is_empty()).then_some(runs)
    }

    /// The drives with a name, or those of a class with it, as far as they are there.
    fn drives(&self, name: &str) -> (Vec<&'a Names>, Combine) {
        let of_name = |name: &str| self.drives.iter().find(|drive| drive.answer_to(name));
        if let Some(drive) = of_name(name) {
            return (vec![drive], Combine::All);
        }
        let Some(class) = self.classes.iter().find(|class| class.name == name) else {
            return (Vec::new(), Combine::All);
        };
        let drives = class.drives.split_whitespace().filter_map(of_name);
        (drives.collect(), class.combine)
    }

    fn runs_of(&self, slug: &str, row: &Row) -> Vec<&'a Run> {
        let steps = self
            .tests
            .iter()
            .filter(|test| test.family.source.is_published())
            .filter(|test| test.answers_to(&row.test) || is_whole_family(test, &row.test));
        let runs_of = |test: &Test| {
            let state = match row.state.as_str() {
                "unstated" | "na" => test.first_state(),
                stated => stated,
            };
            let runs = self.runs.iter().filter(|run| {
                run.drive == slug && run.test == test.step.slug && run.state == state
            });
            fitting(runs.collect(), row)
        };
        steps.flat_map(runs_of).collect()
    }

    fn figure(&self, row: &Row, runs: Vec<Vec<&Run>>) -> Figure {
        let simulated = self.simulated(row, &runs);
        let value = simulated.as_ref().map(|simulated| simulated.value);
        let answer = simulated.as_ref().map(|simulated| simulated.run);
        let qualifier = if is_promise(&row.test) {
            AT_LEAST
        } else {
            &row.qualifier
        };
        let judgement = match (row.value.parse(), value) {
            (Ok(published), Some(value)) if qualifier == order::QUALIFIER => {
                order::judge(self, row, published, value)
            }
            (Ok(published), Some(value)) => judge(&row.metric, qualifier, published, value),
            _ => Judgement::SHOWN,
        };
        // Where no run gives the figure, the row still names the drive that ran.
        let model = answer.or_else(|| runs.first()?.first().copied());
        Figure {
            id: row.id.clone(),
            drive: row.drive.clone(),
            drive_name: self.title(&row.drive),
            model: model.map_or_else(|| row.drive.clone(), |run| run.drive.clone()),
            test: row.test.clone(),
            test_name: self.title(&row.test),
            state: row.state.clone(),
            data: row.data.clone(),
            link: row.link.clone(),
            metric: row.metric.clone(),
            unit: metric::unit(row).to_owned(),
            published: row.value.clone(),
            qualifier: row.qualifier.clone(),
            simulated: value,
            spread: simulated.and_then(|simulated| simulated.spread),
            error: judgement.error,
            left_out_error: judgement.error.and_then(|_| self.left_out_error(&row.id)),
            verdict: judgement.verdict,
            run: answer.map_or_else(String::new, |run| run.id.clone()),
            source: source_title(&row.source),
            unseen: row.is_unseen(),
            note: row.note.clone(),
            why: match judgement.verdict {
                Verdict::Fail => said_of(&self.misses, &row.id)
                    .unwrap_or_default()
                    .to_owned(),
                Verdict::Pass | Verdict::Shown => String::new(),
            },
        }
    }

    fn left_out_error(&self, id: &str) -> Option<f64> {
        self.left_out.iter().find(|row| row.id == id)?.error
    }

    /// A name of the reference tables in words; nothing for a drive file or a test, which have their own.
    fn title(&self, name: &str) -> String {
        said_of(&self.titles, name).unwrap_or_default().to_owned()
    }

    /// The figure in the row's unit: of repeats, that of each by itself, so that a ratio is one of runs of
    /// one seed.
    fn simulated<'r>(&self, row: &Row, runs: &[Vec<&'r Run>]) -> Option<Simulated<'r>> {
        let in_repeat = |repeat| self.in_repeat(row, runs, repeat);
        let answers: Vec<Option<Answer<'r>>> = (0..self.repeats).map(in_repeat).collect();
        let &(value, run) = answers.iter().flatten().next()?;
        let values = answers.iter().map(|answer| answer.map(|(value, _)| value));
        let (value, spread) = match self.repeats {
            1 => (value, None),
            _ => spread(values.collect()).map(|(mean, spread)| (mean, Some(spread)))?,
        };
        Some(Simulated { value, spread, run })
    }

    /// The figure as one repeat gives it.
    fn in_repeat<'r>(&self, row: &Row, runs: &[Vec<&'r Run>], repeat: usize) -> Option<Answer<'r>> {
        let of_drive = |runs: &Vec<&'r Run>| {
            if let Some(score) = Score::of(row) {
                let value = score.answer(self, row, runs, repeat)?;
                return Some((value, *runs.first()?));
            }
            let metric = Metric::parse(&row.metric, &row.unit, metric::counting(row))?;
            self.of_drive(row, &metric, runs, repeat)
        };
        let answers: Vec<Answer<'r>> = runs.iter().filter_map(of_drive).collect();
        let (_, combine) = self.drives(&row.drive);
        combine.answers(&answers, &row.qualifier)
    }

    /// The figure of one drive: over a family, the largest; of two kinds of data, as of two drives.
    fn of_drive<'r>(
        &self,
        row: &Row,
        metric: &Metric<'_>,
        runs: &[&'r Run],
        repeat: usize,
    ) -> Option<Answer<'r>> {
        let value = |run: &&'r Run| {
            let value = metric.of(run, repeat)?;
            // The same figure of another drive or test.
            let on = |drive: &str, test: &str| {
                let row = Row {
                    test: test.to_owned(),
                    ..row.clone()
                };
                let (drives, _) = self.drives(drive);
                let other = self.runs_of(&drives.first()?.slug, &row);
                metric.of(other.first()?, repeat)
            };
            let figure = match metric.compared {
                Compared::Alone => value,
                Compared::Ratio(other) => value / on(other, &row.test)?,
                Compared::Advantage(other) => 100.0 * (1.0 - value / on(other, &row.test)?),
                Compared::Extra(test) => value - on(&run.drive, test)?,
            };
            Some((figure, *run))
        };
        let values: Vec<Answer<'r>> = runs.iter().filter_map(value).collect();
        if row.data.contains('+') {
            return Combine::All.answers(&values, &row.qualifier);
        }
        Combine::Most.answers(&values, &row.qualifier)
    }
}

/// Returns true if the rows of a test are promises of a maker, which a drive may surpass.
#[must_use]
pub fn is_promise(test: &str) -> bool {
    suites::all().any(|other| other.step.slug == test && other.is_promise())
}

/// Those of a step's runs that have a row's data and link. A drive that does not look at its data has
/// only one kind of run, which answers for all.
fn fitting<'a>(runs: Vec<&'a Run>, row: &Row) -> Vec<&'a Run> {
    let on_link = |run: &&Run| row.link == "na" || run.link == row.link;
    let on_link: Vec<&Run> = runs.into_iter().filter(on_link).collect();
    let kinds: Vec<&str> = match row.data.as_str() {
        both if both.contains('+') => vec!["compressible", "incompressible"],
        kind @ ("compressible" | "incompressible") => vec![kind],
        _ => Vec::new(),
    };
    // The first of a kind: on the fastest port, unless the row names one.
    let of_kind = |kind: &&str| on_link.iter().copied().find(|run| run.data == *kind);
    let of_kinds: Vec<&Run> = kinds.iter().filter_map(of_kind).collect();
    match of_kinds.is_empty() {
        true => on_link.first().copied().into_iter().collect(),
        false => of_kinds,
    }
}

/// The rule by which the figures of several drives become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Combine {
    /// The worst of a bound, as it must hold for each drive; the mean of anything else.
    All,
    /// The smallest, whatever the qualifier.
    Least,
    /// The largest, whatever the qualifier.
    Most,
}

impl Combine {
    fn answers<'r>(self, answers: &[Answer<'r>], qualifier: &str) -> Option<Answer<'r>> {
        let by_value = |a: &&Answer<'_>, b: &&Answer<'_>| a.0.total_cmp(&b.0);
        let how = match (self, qualifier) {
            (Combine::All, "range-lo" | "gt") => Combine::Least,
            (Combine::All, "range-hi" | "lt" | "upto") => Combine::Most,
            (how, _) => how,
        };
        match how {
            Combine::Least => answers.iter().min_by(by_value).copied(),
            Combine::Most => answers.iter().max_by(by_value).copied(),
            Combine::All => {
                let sum: f64 = answers.iter().map(|(value, _)| value).sum();
                let (_, run) = answers.first()?;
                Some((sum / answers.len() as f64, run))
            }
        }
    }
}

/// Returns true if `slug` means all steps of the test's family rather than one of them.
fn is_whole_family(test: &Test, slug: &str) -> bool {
    test.family.slug == slug && !suites::all().any(|test| test.answers_to(slug))
}

#[cfg(test)]
mod tests;
