//! The model's value of each published figure if its numbers had been fitted without the test that the figure
//! is from.
//!
//! One run of a drive's tests with one number moved tells how its figures answer to that number. With these slopes a
//! refit without a test is a small least-squares problem (`linear`), so every test of every drive can be left out in
//! turn; the largest moves are checked by runs with the numbers so found.

mod elsewhere;
mod figures;
mod fills;
mod leave_out;
mod linear;
mod modern;
mod page;
mod runs;

use crate::family::Families;
use crate::numbers::Number;
use crate::plan::threads;
use anyhow::{Context, Result};
use clap::Args;
use figures::Table;
use leave_out::{Asked, Pinned, Without};
use runs::{Need, Runs};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Instant;

/// A number that moved less than this is not run again.
const LEAST_MOVE: f64 = 0.02;

#[derive(Debug, Args)]
#[command(after_help = "\
Takes a night; what is done is kept, so it can be interrupted and taken up again.

Examples:
  cargo run --release -p xtask -- cross-validate --review out/all --plan
  cargo run --release -p xtask -- cross-validate --review out/all
  cargo run --release -p xtask -- cross-validate --modern
  cargo run --release -p xtask -- cross-validate --fills")]
pub struct Options {
    /// A review of all drives, by the same model: their runs are taken from there
    #[arg(long, value_name = "DIR")]
    review: Option<PathBuf>,
    /// The drives of today in place of the old ones, under offered rates: other conditions and other drives. Takes half an hour
    #[arg(long, conflicts_with_all = ["review", "plan", "family"])]
    modern: bool,
    /// Fills of whole consumer drives: of each, known by its data sheet, and what is found of a cache that is given. Takes minutes
    #[arg(long, conflicts_with_all = ["review", "plan", "family", "modern"])]
    fills: bool,
    /// Where runs are kept
    #[arg(long, value_name = "DIR", default_value = "target/cross-validation")]
    kept: PathBuf,
    /// Only say what is still to be run, and how long that takes
    #[arg(long)]
    plan: bool,
    /// Only numbers of this family of drives, as the table of the page calls them; writes nothing
    #[arg(long, value_name = "NAME")]
    family: Option<String>,
    /// Tests that are checked by a full refit: those whose figures move the farthest
    #[arg(long, value_name = "N", default_value_t = 10)]
    checks: usize,
    /// Root of every random stream
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Jobs at a time; by default as many as there are cores
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

/// A number with the value that it is moved to.
struct Moved {
    number: Number,
    pinned: Pinned,
    to: f64,
}

impl Moved {
    /// The drives of which figures answer to it, with it moved.
    fn needs(&self, families: &Families) -> Vec<Need> {
        let asked = self
            .number
            .drives
            .iter()
            .filter(|drive| families.is_asked(drive));
        let need = |drive: &String| Need {
            drive: drive.clone(),
            settings: vec![self.number.setting(self.to)],
        };
        asked.map(need).collect()
    }
}

/// A figure that was left out.
pub struct LeftOut {
    pub id: String,
    pub drive: String,
    pub family: String,
    pub kind: &'static str,
    pub published: f64,
    pub simulated: f64,
    /// ln(predicted / simulated); none where nothing else tells.
    pub moved: Option<f64>,
    /// ln(refitted / simulated) by a full refit, where one was made.
    pub checked: Option<f64>,
}

impl LeftOut {
    /// |ln(predicted / published)|: by the full refit, where there is one.
    pub fn error(&self) -> Option<f64> {
        let moved = self.checked.or(self.moved)?;
        Some(((self.simulated / self.published).ln() + moved).abs())
    }

    fn error_as_it_is(&self) -> f64 {
        (self.simulated / self.published).ln().abs()
    }
}

pub fn command(options: &Options) -> Result<()> {
    match options {
        Options { modern: true, .. } => modern::command(),
        Options { fills: true, .. } => fills::command(),
        _ => of_reviews(options),
    }
}

/// The drives that reviews have figures of.
fn of_reviews(options: &Options) -> Result<()> {
    let families = Families::load()?;
    let runs = Runs::kept_in(
        &options.kept,
        options.review.as_deref(),
        &families,
        options.seed,
        threads(options.jobs),
    )?;
    let (numbers, choices) = families.numbers()?;
    let moved = moved(&families, numbers, options.family.as_deref())?;
    let as_they_are: Vec<Need> = (families.drives().into_iter())
        .filter(|drive| families.is_asked(drive))
        .map(|drive| Need {
            drive,
            settings: Vec::new(),
        })
        .collect();
    let mut needs = as_they_are.clone();
    needs.extend(moved.iter().flat_map(|moved| moved.needs(&families)));
    let (missing, seconds) = runs.missing(&needs)?;
    let time = seconds.map_or_else(String::new, |seconds| {
        format!(", some {}", page::span(seconds))
    });
    println!(
        "{} numbers on {} drives: {} runs, {} of them still to be made{time}",
        moved.len(),
        as_they_are.len(),
        needs.len(),
        missing.len()
    );
    if options.plan {
        return Ok(());
    }
    make(&runs, &missing)?;

    let mut base = BTreeMap::new();
    for need in &as_they_are {
        base.insert(need.drive.clone(), runs.of(need)?);
    }
    let table = Table::new(&families, runs.all_tests(), base);
    let asked = slopes(&table, &runs, &families, &moved)?;
    let pinned: Vec<Pinned> = moved.iter().map(|moved| moved.pinned.clone()).collect();
    let mut units: Vec<(String, String)> = asked.iter().map(|figure| figure.unit.clone()).collect();
    units.sort();
    units.dedup();
    let solved: BTreeMap<_, Without> = (units.iter())
        .map(|unit| (unit.clone(), leave_out::without(unit, &pinned, &asked)))
        .collect();
    let checked = check(&table, &runs, &moved, &asked, &solved, options.checks)?;
    let left_out = table.left_out(&asked, &solved, &checked);
    // A family alone is looked at in passing: the page is about all of them.
    if options.family.is_some() {
        println!("{}", page::figures(&left_out));
        return Ok(());
    }
    let lessons = page::lessons(&crate::docs::place(
        "reference/cross-validation-lessons.csv",
    ))?;
    let page = page::render(&page::Found {
        left_out: &left_out,
        lessons: &lessons,
        numbers: moved.len(),
        choices: &choices,
        alone: &table.alone(&moved, &asked),
    });
    crate::docs::write("docs/cross-validation.md", &page)?;
    crate::docs::write("reference/cross-validation.csv", &page::csv(&left_out)?)
}

/// The numbers of a family, or all, each with the value that it is moved to.
fn moved(families: &Families, numbers: Vec<Number>, family: Option<&str>) -> Result<Vec<Moved>> {
    let is_wanted = |number: &Number| {
        let of = families.of(&number.drives[0]);
        family.is_none_or(|wanted| wanted == of)
    };
    let of = |number: Number| -> Result<Moved> {
        Ok(Moved {
            pinned: elsewhere::pinned(families, &number)?,
            to: number.stepped().context("it was just stepped")?,
            number,
        })
    };
    let moved = numbers.into_iter().filter(is_wanted).map(of);
    let moved: Vec<Moved> = moved.collect::<Result<_>>()?;
    anyhow::ensure!(
        !moved.is_empty(),
        "no number of that family was worked out from a test"
    );
    Ok(moved)
}

/// Makes runs, and tells how far that is.
fn make(runs: &Runs<'_>, missing: &[Need]) -> Result<()> {
    let begun = Instant::now();
    for (n, need) in missing.iter().enumerate() {
        let Need { drive, settings } = need;
        eprintln!(
            "[{}/{}] {drive} {}",
            n + 1,
            missing.len(),
            settings.join(" ")
        );
        let made = runs.of(need);
        made.with_context(|| format!("{drive} with {}", settings.join(" ")))?;
        let done = begun.elapsed().as_secs_f64();
        let (_, left) = runs.missing(&missing[n + 1..])?;
        let by_rate = done / (n + 1) as f64 * (missing.len() - n - 1) as f64;
        let left = left.unwrap_or(by_rate);
        eprintln!(
            "    {} done, some {} left",
            page::span(done),
            page::span(left)
        );
    }
    Ok(())
}

/// Every figure with how it answers to each number.
fn slopes(
    table: &Table<'_>,
    runs: &Runs<'_>,
    families: &Families,
    moved: &[Moved],
) -> Result<Vec<Asked>> {
    let mut asked = table.asked(moved.len());
    for (n, moved) in moved.iter().enumerate() {
        let mut changed = BTreeMap::new();
        for need in moved.needs(families) {
            changed.insert(need.drive.clone(), runs.of(&need)?);
        }
        let by = (moved.to / moved.number.value).ln();
        table.answer(&mut asked, n, by, changed);
    }
    Ok(asked)
}

/// Full refits of the tests whose figures move the farthest: the numbers that the slopes give are run, what is still
/// missing is fitted once more, and that is run. Gives ln(predicted / simulated) by figure.
fn check(
    table: &Table<'_>,
    runs: &Runs<'_>,
    moved: &[Moved],
    asked: &[Asked],
    solved: &BTreeMap<(String, String), Without>,
    most: usize,
) -> Result<BTreeMap<String, f64>> {
    let farthest = |unit: &(String, String)| {
        let of_unit = asked.iter().filter(|figure| figure.unit == *unit);
        let moves = of_unit.filter_map(|figure| solved[unit].predicts(figure));
        moves.map(f64::abs).fold(0.0, f64::max)
    };
    let mut units: Vec<_> = solved.keys().map(|unit| (farthest(unit), unit)).collect();
    units.sort_by(|a, b| b.0.total_cmp(&a.0));
    units.retain(|(by, _)| *by >= LEAST_MOVE);
    let pinned: Vec<Pinned> = moved.iter().map(|moved| moved.pinned.clone()).collect();
    let mut checked = BTreeMap::new();
    let mut left = most;
    for (_, unit) in units {
        if left == 0 {
            break;
        }
        eprintln!("full refit without {} of {}", unit.1, unit.0);
        let numbers = &solved[unit].numbers;
        let mut found = table.with(runs, moved, numbers)?;
        let mut again = asked.to_vec();
        for figure in &mut again {
            // As if the figure's slopes held from where it is now: what the run says takes the place of what they said.
            if let Some(real) = found.moved(figure) {
                figure.seen.gap += figure.seen.moved(numbers) - real;
            }
        }
        let second = leave_out::without(unit, &pinned, &again);
        let is_farther = |(a, b): (&f64, &f64)| (a - b).abs() >= LEAST_MOVE;
        if second.numbers.iter().zip(numbers).any(is_farther) {
            found = table.with(runs, moved, &second.numbers)?;
        }
        left -= 1;
        for figure in asked.iter().filter(|figure| figure.unit == *unit) {
            if let (Some(real), Some(_)) = (found.moved(figure), solved[unit].predicts(figure)) {
                checked.insert(figure.id.clone(), real);
            }
        }
    }
    Ok(checked)
}
