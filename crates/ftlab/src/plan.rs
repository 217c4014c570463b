//! `ftlab plan`: how long drives last under a load, how fast they answer, and how much spare area that takes.

use crate::failure::{Failure, Outcome};
use crate::files::Folder;
use crate::loads;
use crate::options::{self, OutputFormat, TestbedOption, Work};
use crate::session::{Command, INTERRUPTED, Session};
use crate::shuffle::{ShuffleOption, tell_of_clones};
use crate::trace::{ReplayOptions, tell_of_trace};
use crate::verdicts::{Figure, RequireOptions, conclude};
use crate::{drives, fio_words, provenance, results, screen};
use clap::Args;
use ftlab_base::amount::decimal;
use ftlab_bench::ask::Asker;
use ftlab_bench::loads::{OwnLoad, Reading};
use ftlab_bench::plan::{self, SPARE_BOUNDS};
use ftlab_drive::Catalog;
use ftlab_lab::Length;
use ftlab_result::ResultSet;
use ftlab_result::plan::Measure;
use ftlab_states::State;
use ftlab_workload::Sections;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ftlab plan jobs/uniform-random-4k.fio --drive generic-mlc-8 --wa 2
  ftlab plan jobs/client-workload.fio --drive intel-x25-m-g1-80 \\
      --drive intel-320-120 --per-day 20GB --life 5y --out out/plan
  ftlab plan prxy_0.csv.gz --drive generic-mlc-8 --fit compact --p99 5ms
  ftlab plan job.fio --drive generic-mlc-8 --per-day 50GB \\
      --require 'lifetime_years >= 5' --require 'write.p99 < 5ms'
  ftlab plan job.fio --drive samsung-pm9a3-960 --drive micron-7450-pro-960 \\
      --rate-sweep 5k..80k --out out/curve

The load is repeated without a clock until write amplification is steady. From
there it runs with a clock, at its own rate or at the rate of --per-day.
--rate-sweep runs it at other rates too, and then no other spare areas unless
goals or --spare ask for them. The curve shows the same with other spare areas of the same flash. Each answer says
how it was obtained.")]
pub struct Options {
    /// A fio job file, an application script, a scenario or a trace (.toml), or a recorded trace of any format
    #[arg(required_unless_present = "words", value_name = "LOAD")]
    load: Option<PathBuf>,
    /// fio's command line: --name=a --rw=randwrite …
    #[arg(
        last = true,
        value_name = "FIO OPTIONS",
        allow_hyphen_values = true,
        conflicts_with = "load"
    )]
    words: Vec<String>,
    /// A drive of `ftlab drives`, or a path to a drive file; may be repeated
    #[arg(long = "drive", required = true, value_name = "DRIVE", value_parser = drives::name(), hide_possible_values = true)]
    drives: Vec<String>,
    /// Bytes that the host writes a day, for example 2TB or 50GB; by default what the load writes at its own rate
    #[arg(long, value_name = "BYTES", allow_hyphen_values = true, value_parser = bytes_per_day)]
    per_day: Option<f64>,
    /// Find the least spare area with at most this write amplification
    #[arg(long, value_name = "WA", value_parser = options::number(1.0, 1e3))]
    wa: Option<f64>,
    /// Find the least spare area with which the drive lasts this long, for example 5y
    #[arg(long, visible_alias = "years", value_name = "YEARS", value_parser = years)]
    life: Option<f64>,
    /// Find the least spare area with at most this 99th percentile of latency at the load's rate, and the highest rate that
    /// keeps it, for example 5ms
    #[arg(long, value_name = "TIME", value_parser = latency_ns)]
    p99: Option<f64>,
    /// Run the load at rates from one to another too, in requests a second, for a curve of latency: 5k..50k, or 5k,10k,20k
    #[arg(long, value_name = "IOPS..IOPS", value_parser = str::parse::<RateSweep>)]
    rate_sweep: Option<RateSweep>,
    /// Over-provisioning of the curve, of the user's capacity, separated by commas
    #[arg(long, value_name = "PERCENT,…", value_delimiter = ',', value_parser = spare)]
    spare: Vec<f64>,
    /// State of the drive before the load
    #[arg(long, default_value = State::Filled.name(), value_parser = options::state())]
    state: State,
    /// Change a number of the drive file, for example gc.policy=fifo; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    #[command(flatten)]
    shuffle: ShuffleOption,
    /// Simulate every drive in its own size; without it, a drive under a job is simulated in a form of 16 GB with the same
    /// dies, channels and shares of spare area
    #[arg(long)]
    full_size: bool,
    /// Fewer spare areas, and runs with a clock of a quarter of the requests
    #[arg(long)]
    quick: bool,
    /// Directory for results.json and index.html, the report; without it nothing is written
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Continue an interrupted plan: finished drives are taken from its directory, if model version, seed,
    /// load, goals, test machine, drive file and length are the same
    #[arg(long, requires = "out")]
    resume: bool,
    #[command(flatten)]
    replay: ReplayOptions,
    #[command(flatten)]
    require: RequireOptions,
    #[command(flatten)]
    testbed: TestbedOption,
    #[command(flatten)]
    work: Work,
    /// Output format; JSON is the content of results.json
    #[arg(long, value_enum, default_value_t = OutputFormat::Normal)]
    output_format: OutputFormat,
}

/// The plans' part of their session.
struct Planning(Option<Folder>);

impl Command for Planning {
    fn leave(&self, set: &ResultSet) -> Result<String, Failure> {
        let Some(folder) = &self.0 else {
            return Ok(String::new());
        };
        results::write(folder, set)?;
        Ok(results::places(folder.path()))
    }
}

pub fn command(options: &Options, catalog: &Catalog) -> Outcome {
    let planning = planning(options, catalog)?;
    let load = planning.load.name.clone();
    let batch = planning.batch()?;
    let folder = options.out.as_deref().map(results::folder).transpose()?;
    let cache = folder.as_ref();
    let cache = cache.map(|folder| results::cache(folder, options.resume, catalog));
    let cache = cache.transpose()?;
    let junit = options.require.junit()?;
    let drives = 0..batch.cells().len();
    let progress = options.work.signs.shares();
    progress.say(&ahead(&batch));
    let session = Session::new(batch, cache, Planning(folder), "drives", progress);
    let (ends, kept) = session.run(&options.work)?;
    if let Some(error) = ends.error(drives) {
        return Err(Arc::clone(error).into());
    }
    let mut set = session.batch.set(&ends, INTERRUPTED);
    // Verdicts are about the drives as they are, not about what was tried to meet goals.
    let as_they_are = set.runs.iter().filter(|run| run.test == load);
    set.verdicts = options.require.verdicts(as_they_are);
    let places = session.command.leave(&set)?;
    set.provenance = Some(provenance::here());
    let is_for_programs = options.output_format == OutputFormat::Json;
    screen::print(&match options.output_format {
        OutputFormat::Json => screen::json(&set)?,
        OutputFormat::Normal => {
            let text = ftlab_report::terminal::plan::render(&set);
            match places.as_str() {
                "" => text,
                places => format!("{text}\n{places}"),
            }
        }
    })?;
    kept?;
    conclude(&set.verdicts, junit.as_ref(), is_for_programs)
}

/// The amount of work ahead, in a line.
fn ahead(batch: &plan::Batch) -> String {
    let (drives, runs) = (batch.cells().len(), batch.spares());
    let searches = match batch.searches() {
        0 => String::new(),
        1 => ", and a search on each".to_owned(),
        several => format!(", and {several} searches on each"),
    };
    let drives = match drives {
        1 => "1 drive".to_owned(),
        several => format!("{several} drives"),
    };
    let runs = match runs {
        1 => "1 spare area".to_owned(),
        several => format!("{several} spare areas in all"),
    };
    let rates = match batch.rates() {
        0 => String::new(),
        1 => ", 1 other rate of the load on each".to_owned(),
        several => format!(", {several} other rates of the load on each"),
    };
    let written = match batch.written_least() {
        0 => String::new(),
        bytes => format!(
            ", which takes {} of writes or more",
            decimal(bytes as f64, "B")
        ),
    };
    format!(
        "planning {drives}, with {runs}{rates}{searches}: each is written until it is steady{written}, and then timed"
    )
}

/// Everything that can be wrong with what was asked, but for what its drives say, is found here.
fn planning(options: &Options, catalog: &Catalog) -> Result<plan::Planning, Failure> {
    let load = load(options)?;
    let drives = drives::load(catalog, &options.drives, &options.settings)?;
    let goals = [
        (Measure::Wa, options.wa),
        (Measure::LifeYears, options.life),
        (Measure::P99Ns, options.p99),
    ];
    let length = match options.quick {
        true => Length::Quick,
        false => Length::Full,
    };
    let rates = options.rate_sweep.as_ref();
    let rates = rates.map_or(Vec::new(), |sweep| sweep.rates(length));
    let spares = match &options.spare[..] {
        // A sweep over rates alone needs no other spare areas.
        [] if !rates.is_empty() && goals.iter().all(|(_, goal)| goal.is_none()) => Vec::new(),
        [] => plan::spares(length),
        given => given.to_vec(),
    };
    Ok(plan::Planning {
        drives,
        load,
        state: options.state,
        bytes_per_day: options.per_day,
        goals: (goals.into_iter())
            .filter_map(|(measure, goal)| Some((measure, goal?)))
            .collect(),
        spares,
        rates,
        length,
        testbed: options.testbed.load()?,
        shrink_to: (!options.full_size).then_some(plan::SHRINK_TO),
        seed: options.work.root(),
    })
}

fn load(options: &Options) -> Result<OwnLoad, Failure> {
    let reading = Reading {
        replay: &options.replay.replay(),
        shuffle: options.shuffle.rule(),
        machine: &fio_words::this_machine(),
        before_trace: &tell_of_trace(options.work.signs),
        ..Reading::default()
    };
    let load = match &options.load {
        Some(path) => loads::read(path, &reading)?,
        None => {
            let words = Sections::of_arguments(&options.words)?;
            fio_words::load(words, &reading)?
        }
    };
    options.replay.check(std::slice::from_ref(&load))?;
    tell_of_clones(std::slice::from_ref(&load), options.work.signs);
    Ok(load)
}

/// Reads bytes a day.
pub fn bytes_per_day(text: &str) -> Result<f64, String> {
    let bytes = options::amount(text)?;
    (1e6..=1e17)
        .contains(&bytes)
        .then_some(bytes)
        .ok_or_else(|| "give from 1 MB to 100 PB a day".to_owned())
}

/// Reads a number of years as `5` or `5y`.
pub fn years(text: &str) -> Result<f64, String> {
    let digits = text.trim().trim_end_matches('y');
    options::number(0.001, 1e6)(digits.trim())
        .map_err(|_| "give years, for example 5y: from 0.001 to 1000000".to_owned())
}

/// The rates of `--rate-sweep`, in requests a second.
#[derive(Debug, Clone, PartialEq)]
enum RateSweep {
    /// From one to another.
    Range(f64, f64),
    /// These, ascending.
    List(Vec<f64>),
}

impl RateSweep {
    fn rates(&self, length: Length) -> Vec<f64> {
        match self {
            RateSweep::Range(least, most) => plan::rates(*least, *most, length),
            RateSweep::List(rates) => rates.clone(),
        }
    }
}

impl FromStr for RateSweep {
    type Err = String;

    fn from_str(text: &str) -> Result<RateSweep, String> {
        let wrong = || "give requests a second from 1 to 100m, as 5k..50k or 5k,10k,20k".to_owned();
        let rate = |text: &str| {
            let text = text.trim();
            let (digits, unit) = match text.to_ascii_lowercase() {
                of if of.ends_with('k') => (&text[..text.len() - 1], 1e3),
                of if of.ends_with('m') => (&text[..text.len() - 1], 1e6),
                _ => (text, 1.0),
            };
            let rate = digits
                .trim()
                .parse::<f64>()
                .ok()
                .map(|number| number * unit);
            rate.filter(|rate| (1.0..=1e8).contains(rate))
                .ok_or_else(wrong)
        };
        if let Some((least, most)) = text.split_once("..") {
            let (least, most) = (rate(least)?, rate(most)?);
            return match least < most {
                true => Ok(RateSweep::Range(least, most)),
                false => Err(format!("{text} does not go up: give the lower rate first")),
            };
        }
        let mut rates: Vec<f64> = text.split(',').map(rate).collect::<Result<_, _>>()?;
        rates.sort_by(f64::total_cmp);
        rates.dedup();
        Ok(RateSweep::List(rates))
    }
}

/// Reads a latency with its unit, in nanoseconds.
fn latency_ns(text: &str) -> Result<f64, String> {
    let figure = Figure::named("write.p99").expect("it is a figure");
    let read = figure.value(text).filter(|ns| (1.0..=1e13).contains(ns));
    read.ok_or_else(|| "give a time with its unit, for example 5ms, 800us or 1s".to_owned())
}

/// Reads a share of the user's capacity.
fn spare(text: &str) -> Result<f64, String> {
    let [least, most] = SPARE_BOUNDS;
    let share = match text.trim().strip_suffix('%') {
        Some(percent) => percent.trim().parse().map(|percent: f64| percent / 100.0),
        None => text.trim().parse(),
    };
    let share = share.ok().filter(|share| (least..=most).contains(share));
    share.ok_or_else(|| {
        format!(
            "give shares of the user's capacity from {:.0}% to {:.0}%, for example 7%,28%",
            100.0 * least,
            100.0 * most
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_with_their_units_and_nothing_else_is() {
        for (text, bytes) in [
            ("2TB", Some(2e12)),
            ("0.5 gb", Some(5e8)),
            ("1TiB", Some(1_099_511_627_776.0)),
            ("2", None),
            ("TB", None),
            ("-1TB", None),
            ("1KB", None),
            ("nanTB", None),
            ("9e9PB", None),
        ] {
            assert_eq!(bytes_per_day(text).ok(), bytes, "{text}");
        }
        assert_eq!((years("5y"), years("2.5")), (Ok(5.0), Ok(2.5)));
        assert!(years("0y").is_err() && years("y").is_err() && years("5 months").is_err());
        assert_eq!((latency_ns("5ms"), latency_ns("800us")), (Ok(5e6), Ok(8e5)));
        assert!(latency_ns("5").is_err() && latency_ns("-1ms").is_err());
        assert_eq!((spare("7%"), spare("0.28")), (Ok(0.07), Ok(0.28)));
        assert!(spare("0").is_err() && spare("500%").is_err() && spare("seven").is_err());
    }

    #[test]
    fn rates_are_a_range_or_a_list() {
        assert_eq!("5k..50K".parse(), Ok(RateSweep::Range(5e3, 5e4)));
        assert_eq!(
            "20k, 500,1m".parse(),
            Ok(RateSweep::List(vec![500.0, 2e4, 1e6]))
        );
        for wrong in [
            "", "5k..", "..5k", "50k..5k", "5k..5k", "0", "-5", "1g", "5kk", "nan", "inf", "5k,,6k",
        ] {
            assert!(wrong.parse::<RateSweep>().is_err(), "{wrong}");
        }
        let swept = RateSweep::Range(5e3, 5e4);
        assert_eq!(
            swept.rates(Length::Quick),
            [5e3, 8891.0, 15_811.0, 28_117.0, 5e4]
        );
        assert_eq!(swept.rates(Length::Full).len(), 10);
    }
}
