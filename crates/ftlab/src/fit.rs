//! `ftlab fit`: a drive file fitted to what a suite's tests measured on a drive.

use crate::failure::{Failure, Outcome};
use crate::files::{self, NewFile};
use crate::options::{OutputFormat, TestbedOption, Work};
use crate::run::wall::Time;
use crate::suite::SuiteOption;
use crate::{drives, results, screen};
use clap::Args;
use comfy_table::{Cell, CellAlignment};
use ftlab_bench::suites::{self, Suite};
use ftlab_drive::{Catalog, DriveFile};
use ftlab_fit::csv::{self, CsvError};
use ftlab_fit::judge::{Judged, median};
use ftlab_fit::pinned::Found;
use ftlab_fit::steps::Effort;
use ftlab_fit::target::Target;
use ftlab_fit::{FitError, Fitted, Request, fit, text};
use ftlab_lab::Lab;
use serde::Serialize;
use std::path::PathBuf;

const WHAT: &str = "a directory that `ftlab measure` or `ftlab review` wrote, the results.json in it, or a .csv of figures";

/// The most that is read of a table of figures.
const BYTES_MAX: u64 = 16 << 20;

/// Figures that are shown by themselves: those that are furthest off.
const WORST: usize = 5;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ftlab measure /dev/nvme1n1 --suite fit --destroy ID --out measured
  ftlab fit generic-nvme-tlc-1000 --to measured --out mine.toml
  ftlab fit ./qlc.toml --to measured --set slc.bits=4 --quick --out mine.toml
  ftlab fit generic-dc-tlc-1920 --to figures.csv --suite modern --out mine.toml
  ftlab review ./mine.toml --suite fit --out modelled
  ftlab report measured modelled --out compared

DRIVE is the file to begin with: a generic drive of the class, whose kind of
cells, cache and capacitors are as the data sheet says. The fit sets its
capacity, finds dies, channels and planes, and solves for times, rates and
sizes. The tests of the suite `fit` tell these apart; those of other suites
tell what they happen to. Tests whose families are called `held-out` are
fitted to nothing: their errors say what the fit is worth.

A .csv has the columns test, metric, value and, where a test runs in several
states, state. The drive is then as large as DRIVE.")]
pub struct Options {
    /// The drive to begin with: one of `ftlab drives`, or a path to a drive file
    #[arg(value_name = "DRIVE", value_parser = drives::name(), hide_possible_values = true)]
    drive: String,
    /// What was measured of one drive: a directory that `ftlab measure` or `ftlab review` wrote, the results.json in it, or a
    /// .csv of figures
    #[arg(long, value_name = "RESULTS|CSV")]
    to: PathBuf,
    #[command(flatten)]
    suite: SuiteOption,
    /// Change a number of the drive file first, for example slc.bits=4; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// The name of the fitted drive; by default that of the measured one
    #[arg(long)]
    name: Option<String>,
    /// The drive file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Try less: fewer layouts, and no last round over all numbers
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    testbed: TestbedOption,
    #[command(flatten)]
    work: Work,
    /// Output format
    #[arg(long, value_enum, default_value_t = OutputFormat::Normal)]
    output_format: OutputFormat,
}

pub fn command(options: &Options, catalog: &Catalog) -> Outcome {
    let start = catalog.load(&options.drive, &options.settings)?;
    let (target, suite) = measured(options, &start)?;
    let out = NewFile::ready(&options.out, "--out")?;
    let machine = &options.work.machine;
    let lab = Lab::new(machine.threads(), machine.memory_bytes())?;
    let request = Request {
        target: &target,
        start: &start,
        suite: &suite,
        machine: options.testbed.load()?,
        seed: options.work.root(),
        effort: match options.quick {
            true => Effort::Quick,
            false => Effort::Full,
        },
    };
    let progress = options.work.signs.spinner("what a command takes");
    let fitted = fit(&request, &lab, &|what, _, _| progress.say(what))?;
    progress.clear();
    let name = options.name.as_deref().unwrap_or(&target.name);
    let text = text::text(&fitted.candidate, &fitted.found, name, &source(&target))?;
    out.write(text.as_bytes())?;
    screen::print(&match options.output_format {
        OutputFormat::Normal => normal(&fitted, options),
        OutputFormat::Json => screen::json(&Report::of(&fitted, options))?,
    })
}

/// What was measured, and the suite whose tests were: by default that which has most of them.
fn measured(options: &Options, start: &DriveFile) -> Result<(Target, Suite), Failure> {
    let of_tests = |tests: &[String]| match options.suite.open()? {
        Some(suite) => Ok(suite),
        None => suites::with_most(tests.iter().map(String::as_str)).ok_or_else(|| {
            let to = options.to.display();
            Failure::Input(format!(
                "no suite that comes with ftlab has a test of {to}; name yours with --suite"
            ))
        }),
    };
    if options.to.extension().is_none_or(|of| of != "csv") {
        let set = results::read(&options.to)?;
        let tests: Vec<String> = set.runs.iter().map(|run| run.test.clone()).collect();
        let target = Target::of(&set).map_err(FitError::from)?;
        return Ok((target, of_tests(&tests)?));
    }
    let text = files::read_up_to(BYTES_MAX, &options.to, WHAT)?;
    let named = |why: CsvError| Failure::Input(format!("{}: {why}", options.to.display()));
    let suite = of_tests(&csv::tests(&text).map_err(named)?)?;
    let target = csv::target(&text, &suite, start.name(), start.capacity_bytes()).map_err(named)?;
    Ok((target, suite))
}

/// Where and when the figures were taken, for the notes of the file.
fn source(target: &Target) -> String {
    let date = Time::now().day();
    format!("figures {}, fitted {date}", target.measured)
}

/// A fit as programs read it.
#[derive(Debug, Serialize)]
struct Report<'a> {
    drive: String,
    channels: u32,
    dies: u32,
    planes_per_die: u32,
    choices: Vec<&'a str>,
    numbers: Vec<Number<'a>>,
    fitted: Errors,
    held_out: Errors,
    lacking: &'a [String],
    runs: u64,
}

/// A number as programs read it.
#[derive(Debug, Serialize)]
struct Number<'a> {
    key: &'a str,
    unit: &'a str,
    was: f64,
    is: f64,
    low: Option<f64>,
    high: Option<f64>,
    /// The share by which a figure moves when the number is a fifth more or less.
    moves: Option<f64>,
    pinned: bool,
}

/// Errors of figures: shares of what was measured.
#[derive(Debug, Serialize)]
struct Errors {
    figures: usize,
    median: f64,
    worst_of_rates_medians_and_amplification: f64,
}

impl Errors {
    fn of(judged: &[Judged]) -> Errors {
        let firm = judged.iter().filter(|of| of.kind.is_firm());
        Errors {
            figures: judged.len(),
            median: median(judged.iter().map(Judged::error).collect()),
            worst_of_rates_medians_and_amplification: firm.map(Judged::error).fold(0.0, f64::max),
        }
    }

    fn words(&self) -> String {
        format!(
            "{} figures, median error {:.1} %, worst of rates, medians and amplification {:.1} %",
            self.figures,
            100.0 * self.median,
            100.0 * self.worst_of_rates_medians_and_amplification
        )
    }
}

impl Report<'_> {
    fn of<'a>(fitted: &'a Fitted, options: &Options) -> Report<'a> {
        let layout = fitted.candidate.layout;
        let number = |found: &'a Found| Number {
            key: found.number.name(),
            unit: found.number.prior().unit,
            was: found.was,
            is: found.is,
            low: found.interval.as_ref().map(|of| *of.start()),
            high: found.interval.as_ref().map(|of| *of.end()),
            moves: found.moves.as_ref().map(|(share, _)| *share),
            pinned: found.is_pinned(),
        };
        Report {
            drive: options.out.display().to_string(),
            channels: layout.channels,
            dies: layout.dies,
            planes_per_die: layout.planes,
            choices: choices(fitted),
            numbers: fitted.found.iter().map(number).collect(),
            fitted: Errors::of(&fitted.fitted_to),
            held_out: Errors::of(&fitted.held_out),
            lacking: &fitted.lacking,
            runs: fitted.runs,
        }
    }
}

/// What was set of each choice.
fn choices(fitted: &Fitted) -> Vec<&str> {
    let all = fitted.candidate.choices().values().flatten();
    all.map(String::as_str).collect()
}

fn normal(fitted: &Fitted, options: &Options) -> String {
    let layout = fitted.candidate.layout;
    let mut text = format!(
        "{} dies on {} channels, planes a die: {}\n",
        layout.dies, layout.channels, layout.planes
    );
    for choice in choices(fitted) {
        text += &format!("{choice}\n");
    }
    text += &format!("\n{}", screen::lines(numbers(&fitted.found)));
    if fitted.found.iter().any(|of| of.interval.is_none()) {
        text += "\nno figure pins the numbers without an interval: they are as in the file to begin with\n";
    }
    text += &format!("\nfitted to:  {}\n", Errors::of(&fitted.fitted_to).words());
    if !fitted.held_out.is_empty() {
        text += &format!("held out:   {}\n\n", Errors::of(&fitted.held_out).words());
        text += &screen::lines(worst(&fitted.held_out));
    }
    if !fitted.lacking.is_empty() {
        text += &format!("\nnot measured: {}\n", fitted.lacking.join(", "));
    }
    text + &format!("\nwrote {}\n", options.out.display())
}

fn right(text: String) -> Cell {
    Cell::new(text).set_alignment(CellAlignment::Right)
}

fn numbers(found: &[Found]) -> comfy_table::Table {
    let mut table = screen::table(&[
        "number",
        "was",
        "is",
        "95 % between",
        "and",
        "unit",
        "pinned by",
    ]);
    for of in found {
        let bound = |value: Option<&f64>| {
            right(value.map_or("–".to_owned(), |value| screen::short(*value)))
        };
        let by = of.moves.as_ref().filter(|_| of.is_pinned());
        table.add_row([
            Cell::new(of.number.name()),
            right(screen::short(of.was)),
            right(screen::short(of.is)),
            bound(of.interval.as_ref().map(|of| of.start())),
            bound(of.interval.as_ref().map(|of| of.end())),
            Cell::new(of.number.prior().unit),
            Cell::new(by.map_or("–".to_owned(), |(_, place)| {
                format!("{} {}", place.test, place.metric)
            })),
        ]);
    }
    table
}

/// Those of the figures that are furthest off.
fn worst(judged: &[Judged]) -> comfy_table::Table {
    let mut all: Vec<&Judged> = judged.iter().collect();
    all.sort_by(|one, other| other.error().total_cmp(&one.error()));
    let mut table = screen::table(&["furthest off", "metric", "measured", "model", "error"]);
    for of in all.into_iter().take(WORST) {
        table.add_row([
            Cell::new(&of.place.test),
            Cell::new(&of.place.metric),
            right(screen::short(of.measured)),
            right(of.model.map_or("–".to_owned(), screen::short)),
            right(
                of.model
                    .map_or("–".to_owned(), |_| format!("{:.1} %", 100.0 * of.error())),
            ),
        ]);
    }
    table
}
