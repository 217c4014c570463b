//! Drives of which others published many figures, fitted to half of them and judged by the other half.

use super::{SEED, followed};
use crate::docs::{lab, read};
use anyhow::{Context, Result, bail};
use clap::Args;
use ftlab_bench::calibrate::{Sheet, from_sheet};
use ftlab_bench::figures::{self, Row};
use ftlab_bench::suites::{self, Suite, Test};
use ftlab_drive::{Catalog, DriveFile};
use ftlab_fit::bench::{Bench, Size};
use ftlab_fit::judge::{Judged, judged, median};
use ftlab_fit::role::FITTED;
use ftlab_fit::steps::Effort;
use ftlab_fit::target::{Figures, Kind, Place, Target};
use ftlab_fit::{Request, fit};
use ftlab_lab::Lab;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;
use toml::{Table, Value};

/// Which figures a fit may see.
const SPLIT: &str = "reference/fit/split.csv";
const SHEETS: &str = "reference/fit/sheets";

/// What a drive has in place of a number of its class that came from its own figures, if anything: the number of another class.
const OTHER_CLASS: &str = "generic-nvme-tlc-1000";

/// The factor that 99th percentiles are counted within.
pub const TAILS_WITHIN: f64 = 1.6;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cargo run --profile review -p xtask -- public samsung-pm9a3-960
  cargo run --profile review -p xtask -- public --keep target/public")]
pub struct Options {
    /// Drives of the list that says which figures a fit may see; by default all of them
    drives: Vec<String>,
    /// Keep the files that are fitted, and what came of them
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

/// A line of the list.
#[derive(Debug, Deserialize)]
struct Line {
    id: String,
    drive: String,
    half: Half,
}

/// What a figure does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Half {
    /// It makes the drive to begin with.
    Start,
    Fit,
    Judge,
}

/// How far a file is from the figures that judge it.
#[derive(Debug, Serialize, Deserialize)]
pub struct Standing {
    pub figures: usize,
    /// Of rates, medians and amplification.
    pub median: f64,
    pub worst: f64,
    /// The share of 99th percentiles that are within [`TAILS_WITHIN`].
    pub tails: f64,
}

/// A drive that was fitted to one half.
#[derive(Debug, Serialize, Deserialize)]
pub struct Public {
    pub drive: String,
    pub fitted_to: usize,
    pub start: Standing,
    pub fitted: Standing,
    /// The file of the catalogue, which was made with all figures in view.
    pub committed: Standing,
    pub seconds: f64,
}

pub fn command(options: &Options) -> Result<()> {
    let lab = lab()?;
    let lines = split()?;
    let mut drives: Vec<String> = lines.iter().map(|line| line.drive.clone()).collect();
    drives.sort();
    drives.dedup();
    if let Some(unknown) = options.drives.iter().find(|drive| !drives.contains(drive)) {
        bail!(
            "{SPLIT} has no figure of {unknown}: it has those of {}",
            drives.join(", ")
        );
    }
    if !options.drives.is_empty() {
        drives.clone_from(&options.drives);
    }
    for drive in drives {
        let public = of_drive(&drive, &lines, &lab, options.keep.as_deref());
        println!("{}", words(&public.with_context(|| drive.clone())?));
    }
    Ok(())
}

fn split() -> Result<Vec<Line>> {
    let text = read(SPLIT)?;
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    Ok(reader.deserialize().collect::<Result<_, _>>()?)
}

/// The drive that the maker's data sheet tells, without any number of its class that figures of the drive led to.
fn start(drive: &str, lines: &[Line]) -> Result<DriveFile> {
    let path = format!("{SHEETS}/{drive}.toml");
    let sheet = Sheet::parse(&path, &read(&path)?)?;
    let made = from_sheet(&sheet, &Catalog::default())?;
    let own = of_half(lines, drive, |half| half != Half::Start);
    // All numbers, those of its class among them.
    let mut table: Table = made
        .file
        .text()
        .parse()
        .context("the text of a drive file")?;
    let other: Table = Catalog::default().load(OTHER_CLASS, &[])?.text().parse()?;
    for row in made.file.parameters() {
        if row.from.iter().any(|id| own.contains(id.as_str()))
            && let Some((section, key)) = row.key.split_once('.')
            && let Some(Value::Table(numbers)) = table.get_mut(section)
        {
            numbers.remove(key);
            let other = other.get(section).and_then(|section| section.get(key));
            numbers.extend(other.map(|number| (key.to_owned(), number.clone())));
        }
    }
    // Nothing waits for turns that there are not.
    if let Some(Value::Table(gc)) = table.get_mut("gc")
        && !gc.contains_key("turn")
    {
        gc.remove("waiting_max");
    }
    Ok(Catalog::default().parse(drive, &table.to_string(), &[])?)
}

/// Ids of a drive's figures.
fn of_half<'l>(lines: &'l [Line], drive: &str, is: impl Fn(Half) -> bool) -> BTreeSet<&'l str> {
    let of_drive = lines
        .iter()
        .filter(|line| line.drive == drive && is(line.half));
    of_drive.map(|line| &*line.id).collect()
}

/// Figures of a half, as what the tests of the suite are to give.
fn target(suite: &Suite, ids: &BTreeSet<&str>, drive: &DriveFile) -> Result<Target> {
    let tests: Vec<Test> = suite.tests().collect();
    let mut figures = Figures::new();
    for row in figures::of_today(&tests) {
        if ids.contains(&*row.id) && Kind::of(&row.metric).is_some() {
            figures.insert(place(&tests, &row), row.value.parse().context("a value")?);
        }
    }
    Ok(Target {
        name: drive.name().to_owned(),
        capacity_bytes: drive.capacity_bytes(),
        figures,
        measured: "published".to_owned(),
    })
}

fn place(tests: &[Test], row: &Row) -> Place {
    let test = tests.iter().find(|test| test.step.slug == row.test);
    Place {
        test: row.test.clone(),
        state: test
            .expect("a test answers the row")
            .first_state()
            .to_owned(),
        metric: row.metric.clone(),
    }
}

fn of_drive(drive: &str, lines: &[Line], lab: &Lab, keep: Option<&Path>) -> Result<Public> {
    let suite = suites::named("modern").map_err(anyhow::Error::msg)?;
    let start = start(drive, lines)?;
    let half = |is| target(&suite, &of_half(lines, drive, |half| half == is), &start);
    let (seen, unseen) = (half(Half::Fit)?, half(Half::Judge)?);
    let begun = Instant::now();
    let request = Request {
        target: &seen,
        start: &start,
        suite: &suite,
        machine: None,
        seed: SEED,
        effort: Effort::Full,
    };
    let fitted = fit(&request, lab, &followed(drive))?;
    let seconds = begun.elapsed().as_secs_f64();
    let bench = Bench::new(lab, &suite, &unseen, None, SEED);
    let committed = Catalog::default().load(drive, &[])?;
    let stands = |file: &DriveFile| standing(&bench, &unseen, file);
    let public = Public {
        drive: drive.to_owned(),
        fitted_to: fitted.fitted_to.len(),
        start: stands(&start)?,
        fitted: stands(&fitted.file)?,
        committed: stands(&committed)?,
        seconds,
    };
    if let Some(keep) = keep {
        let folder = keep.join(drive);
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("fitted.toml"), fitted.file.text())?;
        fs::write(
            folder.join("public.json"),
            serde_json::to_vec_pretty(&public)?,
        )?;
    }
    Ok(public)
}

fn standing(bench: &Bench<'_>, target: &Target, file: &DriveFile) -> Result<Standing> {
    let tests = bench.tests(FITTED);
    let figures = bench
        .figures(&[Some(file.clone())], &tests, Size::OfSuite)
        .pop()
        .flatten();
    let why = || bench.failure().unwrap_or_default();
    let all = judged(&target.figures, &figures.with_context(why)?, &tests);
    let firm: Vec<f64> = all
        .iter()
        .filter(|of| of.kind.is_firm())
        .map(Judged::error)
        .collect();
    let tails: Vec<&Judged> = all.iter().filter(|of| of.kind == Kind::Tail).collect();
    let within = |of: &&&Judged| {
        let ratio = of.model.unwrap_or(f64::INFINITY) / of.measured;
        ratio.ln().abs() <= TAILS_WITHIN.ln()
    };
    let near = tails.iter().filter(within).count();
    Ok(Standing {
        figures: firm.len() + tails.len(),
        median: median(firm.clone()),
        worst: firm.into_iter().fold(0.0, f64::max),
        tails: near as f64 / tails.len().max(1) as f64,
    })
}

fn words(public: &Public) -> String {
    let of = |name: &str, of: &Standing| {
        format!(
            "  {name}: {} figures, median {:.1} %, worst {:.0} %, 99th percentiles within {TAILS_WITHIN}: {:.0} %\n",
            of.figures,
            100.0 * of.median,
            100.0 * of.worst,
            100.0 * of.tails
        )
    };
    format!(
        "{}: fitted to {} figures in {:.0} s; the half that it did not see:\n{}{}{}",
        public.drive,
        public.fitted_to,
        public.seconds,
        of("data sheet", &public.start),
        of("fitted", &public.fitted),
        of("committed", &public.committed)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_of_a_drive_to_begin_with_comes_from_its_own_figures() {
        let lines = split().unwrap();
        let drives: BTreeSet<&str> = lines.iter().map(|line| &*line.drive).collect();
        assert_eq!(drives.len(), 4);
        for drive in drives {
            let own = of_half(&lines, drive, |half| half != Half::Start);
            assert!(own.len() > 80, "{drive}: {}", own.len());
            for row in start(drive, &lines).unwrap().parameters() {
                let from = row.from.iter().find(|id| own.contains(&***id));
                assert_eq!(from, None, "{drive}: {}", row.key);
            }
        }
    }
}
