//! `ftlab report`: the report of results there are, tables of them, and several side by side.

mod errors;

use crate::failure::{Failure, Outcome};
use crate::files::Folder;
use crate::{results, screen};
use clap::Args;
use ftlab_export::{Table, csv, fio, parquet};
use ftlab_report::comparison::{self, Comparison};
use ftlab_report::pair::{self, Pair};
use ftlab_report::{html, terminal};
use ftlab_result::{ResultSet, Way};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Name of the page that compares several sets.
const COMPARISON: &str = "comparison.html";
/// The directory of a comparison, unless another is given.
const OUT: &str = "ftlab-report";
/// The directory of fio's JSON.
const FIO: &str = "fio";

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ftlab report ftlab-review       draw the report again
  ftlab report ftlab-review --csv --parquet
                                  and write the tables
  ftlab report before after --out difference
                                  two reviews side by side
  ftlab report before after --metric mb_s --metric lat_max_ms
  ftlab report ftlab-measure ftlab-review
                                  a real drive beside its model, in every chart")]
pub struct Options {
    /// Results of `ftlab review`, `ftlab compare` or `ftlab measure`: the directory, or a results.json;
    /// several are compared, the others with the first, and a model with the real drive
    #[arg(required = true, value_name = "RESULTS")]
    results: Vec<PathBuf>,
    /// Directory to write into; by default that of the results, or ftlab-report for several
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write the tables figures.csv, runs.csv, devices.csv and series.csv, and of a real drive beside its
    /// model errors.csv
    #[arg(long)]
    csv: bool,
    /// Write the tables figures.parquet, runs.parquet, devices.parquet and series.parquet, and of a real
    /// drive beside its model errors.parquet
    #[arg(long)]
    parquet: bool,
    /// Write each run as fio's JSON, into the directory fio; each of several results into one of its own
    #[arg(long)]
    fio_json: bool,
    /// A metric to compare in the terminal, for example mb_s; may be repeated; by default what the chart
    /// of each test draws
    #[arg(long = "metric", value_name = "METRIC")]
    metrics: Vec<String>,
}

/// Files to write: name and content.
type Files = Vec<(String, Vec<u8>)>;

pub fn command(options: &Options) -> Outcome {
    let labels = labels(&options.results)?;
    let out = out(options);
    let folder = Folder::ready(&out)?;
    let sets = options.results.iter().map(|path| results::read(path));
    let sets: Vec<ResultSet> = sets.collect::<Result<_, _>>()?;
    let labelled: Vec<(&str, &ResultSet)> = labels.iter().map(String::as_str).zip(&sets).collect();
    let (name, page, text) = match sets.as_slice() {
        [one] => {
            if let [metric, ..] = options.metrics.as_slice() {
                return Err(Failure::Input(format!(
                    "--metric {metric} chooses what to compare, and these are one review's results; give \
                     a second directory"
                )));
            }
            let width = usize::from(screen::width());
            let text = terminal::render(one, width, screen::has_colours());
            (results::REPORT, html::render(one), text)
        }
        _ => {
            if let Some(pair) = Pair::of(&labelled) {
                check_pair(&pair, &options.metrics)?;
                let text = pair::terminal(&pair, &options.metrics, screen::width());
                (COMPARISON, html::pair::render(&pair), text)
            } else {
                let comparison = Comparison::of(&labelled);
                check(&comparison, &labelled, &options.metrics)?;
                let text = comparison::terminal(&comparison, &options.metrics, screen::width());
                (COMPARISON, html::comparison::render(&comparison), text)
            }
        }
    };
    // Every file is rendered before one is written, so that a failure leaves none behind.
    let mut files: Files = vec![(name.to_owned(), page.into_bytes())];
    files.extend(tables(options, &labelled)?);
    if options.fio_json {
        files.extend(fio_files(&folder, &sets)?);
    }
    let bytes: Vec<(&str, &[u8])> = files
        .iter()
        .map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
        .collect();
    folder.write(&bytes)?;
    let mut text = format!("{text}\nReport:  {}\n", folder.join(name).display());
    if files.len() > 1 {
        text += &format!("Beside it: {} files\n", files.len() - 1);
    }
    screen::print_in_colours(&text)
}

/// Returns the names of the sets: the paths as given, without what goes without saying; fails where two are alike.
fn labels(paths: &[PathBuf]) -> Result<Vec<String>, Failure> {
    let label = |path: &PathBuf| {
        let is_usual = path
            .file_name()
            .is_some_and(|name| name == results::RESULTS);
        let path = if is_usual {
            path.parent().filter(|parent| *parent != Path::new(""))
        } else {
            None
        }
        .unwrap_or(path);
        // The path's own parts leave out a slash at the end.
        path.components().collect::<PathBuf>().display().to_string()
    };
    let labels: Vec<String> = paths.iter().map(label).collect();
    let mut seen = BTreeSet::new();
    match labels.iter().find(|label| !seen.insert(*label)) {
        None => Ok(labels),
        Some(twice) => Err(Failure::Input(format!(
            "{twice} is given twice; compare different results"
        ))),
    }
}

fn out(options: &Options) -> PathBuf {
    match (&options.out, options.results.as_slice()) {
        (Some(out), _) => out.clone(),
        (None, [one]) => {
            let file = results::file(one);
            let parent = file.parent().filter(|parent| *parent != Path::new(""));
            parent.unwrap_or(Path::new(".")).to_owned()
        }
        (None, _) => PathBuf::from(OUT),
    }
}

/// A drive and a model without a run in common, and metrics that no run of both has, are mistakes.
fn check_pair(pair: &Pair<'_>, metrics: &[String]) -> Outcome {
    if pair.matches.is_empty() {
        let [measured, simulated] = pair.sides().map(|side| side.label);
        return Err(Failure::Input(format!(
            "no run is in both {measured} and {simulated}: run the tests that were measured on the model, in the same states, \
             with `ftlab review --suite`"
        )));
    }
    known_metrics(metrics, pair.names()).map_err(Failure::Input)
}

/// Sets without a run in common and metrics that no run has are mistakes.
fn check(comparison: &Comparison<'_>, sets: &[(&str, &ResultSet)], metrics: &[String]) -> Outcome {
    if comparison.matches.is_empty() {
        if let Some(why) = without_a_model(sets) {
            return Err(Failure::Input(why));
        }
        let sets = comparison.labels.join(", ");
        return Err(Failure::Input(format!(
            "no run is in all of {sets}; review the same tests in each, on drives of the same names or on \
             one drive each"
        )));
    }
    let rows = comparison.matches.iter().flat_map(|matched| &matched.rows);
    known_metrics(metrics, rows.map(|row| row.metric)).map_err(Failure::Input)
}

/// The reason for which a measured drive finds no model among several.
fn without_a_model(sets: &[(&str, &ResultSet)]) -> Option<String> {
    let of = |way: Way| {
        let mut found = sets.iter().filter(move |(_, set)| set.origin.way == way);
        found.next().filter(|_| found.next().is_none())
    };
    let (real, model) = (of(Way::Measured)?, of(Way::Simulated)?);
    let [drive] = &real.1.drives[..] else {
        return None;
    };
    let (label, count) = (model.0, model.1.drives.len());
    (count > 1).then(|| {
        format!(
            "{label} is of {count} drives, and none of them is called {}: review the model alone, or give the drive its name \
             with `ftlab measure --as`",
            drive.drive
        )
    })
}

/// Checks that some run has each of the metrics asked for; the error lists those that are there.
pub fn known_metrics<'a>(
    asked: &[String],
    there: impl Iterator<Item = &'a str>,
) -> Result<(), String> {
    let there: BTreeSet<&str> = there.collect();
    match asked.iter().find(|name| !there.contains(name.as_str())) {
        None => Ok(()),
        Some(name) => {
            let there: Vec<&str> = there.into_iter().collect();
            Err(format!(
                "no run has the metric `{name}`; there are: {}",
                there.join(", ")
            ))
        }
    }
}

fn tables(options: &Options, sets: &[(&str, &ResultSet)]) -> Result<Files, Failure> {
    let mut files = Vec::new();
    if !options.csv && !options.parquet {
        return Ok(files);
    }
    let mut tables: Vec<Table> = vec![
        ftlab_export::figures(sets),
        ftlab_export::runs(sets),
        ftlab_export::devices(sets),
        ftlab_export::series(sets),
    ];
    tables.extend(Pair::of(sets).map(|pair| errors::table(&pair)));
    for table in &tables {
        if options.csv {
            files.push((format!("{}.csv", table.name), csv(table).into_bytes()));
        }
        if options.parquet {
            let bytes = parquet(table).map_err(|error| Failure::Running(error.to_string()))?;
            files.push((format!("{}.parquet", table.name), bytes));
        }
    }
    Ok(files)
}

fn fio_files(folder: &Folder, sets: &[ResultSet]) -> Result<Files, Failure> {
    let mut files = Vec::new();
    for (n, set) in sets.iter().enumerate() {
        let of_set = match sets.len() {
            1 => FIO.to_owned(),
            _ => format!("{FIO}/{}", n + 1),
        };
        Folder::ready(&folder.join(&of_set))?;
        let runs = fio::files(set).into_iter();
        files.extend(runs.map(|(name, text)| (format!("{of_set}/{name}"), text.into_bytes())));
    }
    Ok(files)
}
