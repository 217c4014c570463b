//! `ftlab import results`: what fio and tools around it measured, as results of ftlab.

use crate::failure::{Failure, Outcome};
use crate::options::{self, OutputFormat};
use crate::{files, results, screen};
use clap::Args;
use ftlab_bench::ask;
use ftlab_drive::Catalog;
use ftlab_readings::{Format, Left, Modelled, Readings, Said, UNKNOWN};
use ftlab_result::quantity::{Quantity, table};
use ftlab_result::{DriveKind, DriveSheet, Origin, ResultSet, Way};
use serde::Serialize;
use std::fmt::Write;
use std::path::{Path, PathBuf};

pub const EXAMPLES: &str = "\
Examples:
  ftlab import results randread.json --drive \"Example 480\" --capacity 480GB
                                  fio's JSON as results of a named drive
  ftlab import results seq.json seq_bw.1.log seq_iops.1.log --drive mine
                                  with the course that its logs have
  ftlab import results bench/ --drive mine --state used --out mine-used
                                  a folder of fio-plot, ezFIO, TKperf, …
  ftlab import results log.txt --format fio

Formats, and how they are recognised:
  fio       fio's JSON (json or json+) and logs (X_bw.1.log)
  fio-plot  fio-plot's bench-fio (randread-16-1.json)
  ezfio     ezFIO (ezfio_tests_….csv)
  tkperf    TKperf (an .xml with <roundmat>)
  pts       scripts of SNIA's PTS over fio (fio_pass=1_rw=65_bs=4096.json)
  ssd-iq    SSD-iq's iob (iob-log-….csv, iob-stats-id0-….csv)

results.json and index.html are written into --out. `ftlab report`, `compare`
and `show` read them like results of a review. What no file and no option says
is `unknown`; what results have no place for is listed.";

/// The directory of results, unless another is given.
const OUT: &str = "ftlab-results";

/// The machine and the link of a real drive, where a model has the names of its own.
const MACHINE: &str = "real";
const LINK: &str = "other";

/// The most that a drive may have: 100 PB.
const CAPACITY_MAX: f64 = 1e17;

#[derive(Debug, Args)]
pub struct Options {
    /// Files and folders with results
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// What they are; by default as their names and their content show
    #[arg(long, value_parser = format())]
    format: Option<Format>,
    /// The drive that was measured: one that ftlab knows, a path to a .toml file, or any name
    #[arg(long, value_name = "NAME", value_parser = name)]
    drive: Option<String>,
    /// Capacity of the drive, for example 480GB or 447GiB
    #[arg(long, value_name = "BYTES", allow_hyphen_values = true, value_parser = capacity)]
    capacity: Option<u64>,
    /// Kind of the drive
    #[arg(long, value_parser = kind())]
    kind: Option<DriveKind>,
    /// State of the drive when each measurement began, for example new, filled or used
    #[arg(long, value_name = "STATE", value_parser = word, default_value = UNKNOWN)]
    state: String,
    /// Directory to write to
    #[arg(long, value_name = "DIR", default_value = OUT)]
    out: PathBuf,
    /// Output format
    #[arg(long, value_enum, default_value_t = OutputFormat::Normal)]
    output_format: OutputFormat,
}

impl Options {
    /// The first path that was given.
    pub fn first(&self) -> &Path {
        &self.paths[0]
    }
}

fn format() -> impl clap::builder::TypedValueParser<Value = Format> {
    options::choice(Format::ALL.map(|format| (format.name(), format, "")))
}

fn kind() -> impl clap::builder::TypedValueParser<Value = DriveKind> {
    options::choice([
        ("ssd", DriveKind::Ssd, "flash"),
        ("disk", DriveKind::Disk, "it spins"),
        ("ram", DriveKind::Ram, "a part of the host's memory"),
    ])
}

/// A name that leaves something when it is made part of the names of runs.
fn name(text: &str) -> Result<String, String> {
    match ftlab_readings::slug(text).is_empty() {
        true => Err("give a name with letters or digits".to_owned()),
        false => Ok(text.to_owned()),
    }
}

/// A state, which is part of the names of runs.
fn word(text: &str) -> Result<String, String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '-';
    match !text.is_empty() && text.chars().all(is_word) {
        true => Ok(text.to_owned()),
        false => Err("give a word of letters, digits and hyphens".to_owned()),
    }
}

fn capacity(text: &str) -> Result<u64, String> {
    let bytes = options::amount(text)?;
    match (1e6..=CAPACITY_MAX).contains(&bytes) {
        true => Ok(bytes as u64),
        false => Err("give from 1 MB to 100 PB".to_owned()),
    }
}

/// The import as programs read it.
#[derive(Debug, Serialize)]
struct Report<'a> {
    format: &'a str,
    drive: &'a str,
    runs: Vec<&'a str>,
    unknown: &'a [&'static str],
    warnings: Vec<String>,
    left: &'a [Left],
    results: String,
    report: String,
}

pub fn command(options: &Options) -> Outcome {
    // What is in the way is said before anything is read; a directory is made for results alone.
    let there = options.out.exists();
    let ready = there.then(|| results::folder(&options.out)).transpose()?;
    let (format, readings) = files::guarded(options.first(), || {
        Ok(ftlab_readings::read(&options.paths, options.format)?)
    })?;
    let (set, left, unknown) = set(options, readings)?;
    let folder = match ready {
        Some(folder) => folder,
        None => results::folder(&options.out)?,
    };
    results::write(&folder, &set)?;
    screen::print(&match options.output_format {
        OutputFormat::Normal => {
            normal(format, &set, &left, &unknown) + &results::places(folder.path())
        }
        OutputFormat::Json => screen::json(&Report {
            format: format.name(),
            drive: &set.drives[0].drive,
            runs: set.runs.iter().map(|run| run.id.as_str()).collect(),
            unknown: &unknown,
            warnings: warnings(&set),
            left: &left,
            results: folder.join(results::RESULTS).display().to_string(),
            report: folder.join(results::REPORT).display().to_string(),
        })?,
    })
}

/// The results, what was left out, and the options that would say what nobody has said.
fn set(
    options: &Options,
    readings: Readings,
) -> Result<(ResultSet, Vec<Left>, Vec<&'static str>), Failure> {
    let modelled = readings.modelled()?;
    let drive = drive(options, &readings, modelled.as_ref())?;
    let mut unknown = Vec::new();
    if drive.drive == UNKNOWN {
        unknown.push("--drive");
    }
    if drive.capacity_bytes == 0 {
        unknown.push("--capacity");
    }
    if drive.kind == DriveKind::Unknown {
        unknown.push("--kind");
    }
    if options.state == UNKNOWN && modelled.is_none() {
        unknown.push("--state");
    }
    let testbed = modelled
        .as_ref()
        .map_or(MACHINE, |modelled| &modelled.testbed);
    let mut origin = Origin {
        way: Way::Measured,
        model_version: 0,
        ..ask::origin(options::SEED, testbed.to_owned(), false)
    };
    if let Some(modelled) = &modelled {
        origin.way = Way::Simulated;
        origin.model_version = modelled.model_version;
        origin.seed = modelled.seed;
        origin.version.clone_from(&modelled.version);
    }
    let said = Said {
        drive,
        state: options.state.clone(),
        link: LINK.to_owned(),
        testbed: MACHINE.to_owned(),
    };
    let mut set = ask::empty(origin);
    let left = readings.into_set(&said, &mut set);
    Ok((set, left, unknown))
}

/// The drive: as the user says, or the files.
fn drive(
    options: &Options,
    readings: &Readings,
    modelled: Option<&Modelled>,
) -> Result<DriveSheet, Failure> {
    let device = &readings.device;
    let named = options.drive.as_deref().or(device.model.as_deref());
    let named = named.or(modelled.map(|modelled| modelled.drive.as_str()));
    let mut sheet = ftlab_readings::named(named);
    let catalog = Catalog::default();
    let known = match named.filter(|name| name.ends_with(".toml")) {
        Some(path) => Some(catalog.load(path, &[])?),
        None => named.and_then(|name| {
            let found = catalog.known(name, &[]).ok()?;
            // A part of a name finds drives, too, and may be of another one.
            let own = [found.slug(), found.name()].map(str::to_owned);
            let mut own = own.iter().chain(found.aliases());
            own.any(|own| own.eq_ignore_ascii_case(name))
                .then_some(found)
        }),
    };
    if let Some(known) = known {
        let of = ftlab_bench::sheets::sheet(&known);
        (sheet.drive, sheet.name) = (of.drive, of.name);
        (sheet.kind, sheet.capacity_bytes) = (of.kind, of.capacity_bytes);
    }
    if modelled.is_some() {
        "A modelled drive; its results were imported.".clone_into(&mut sheet.summary);
    }
    if let Some(bytes) = options.capacity.or(device.capacity_bytes) {
        sheet.capacity_bytes = bytes;
    }
    sheet.kind = options.kind.unwrap_or(sheet.kind);
    Ok(sheet)
}

fn warnings(set: &ResultSet) -> Vec<String> {
    let each = set.runs.iter().flat_map(|run| {
        let warnings = run.warnings.iter();
        warnings.map(move |warning| format!("{}: {warning}", run.id))
    });
    each.collect()
}

fn normal(format: Format, set: &ResultSet, left: &[Left], unknown: &[&str]) -> String {
    const SHOWN: [&Quantity; 4] = [
        &table::IOPS,
        &table::MB_S,
        &table::LAT_AVG_MS,
        &table::LAT_P99_MS,
    ];
    let drive = &set.drives[0];
    let mut text = format!(
        "{}: {} of {}\n\n",
        format.words(),
        count(set.runs.len() as u64, "run"),
        drive.name
    );
    let mut table = screen::table(&["test", "IOPS", "MB/s", "mean ms", "p99 ms"]);
    for run in &set.runs {
        let figures = SHOWN.map(|of| of.of(run).map_or_else(|| "-".to_owned(), screen::short));
        let [iops, mb_s, mean, p99] = figures;
        table.add_row([run.test.clone(), iops, mb_s, mean, p99]);
    }
    text += &screen::lines(table);
    for warning in warnings(set) {
        let _ = write!(text, "\nwarning: {warning}\n");
    }
    if !left.is_empty() {
        text += "\nleft out\n";
    }
    for row in left {
        let times = count(row.times, "time");
        let _ = writeln!(
            text,
            "  {}: {}, {times}, first in {}",
            row.why,
            listed(&row.what),
            row.place
        );
    }
    if !unknown.is_empty() {
        let _ = write!(text, "\nnot known: what {} would say\n", unknown.join(", "));
    }
    text + "\n"
}

/// Names, and how many more there are: JSON has all of them.
fn listed(names: &[String]) -> String {
    const SHOWN: usize = 6;
    let more = names.len().saturating_sub(SHOWN);
    let shown = names[..names.len().min(SHOWN)].join(", ");
    match more {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

fn count(number: u64, what: &str) -> String {
    match number {
        1 => format!("1 {what}"),
        number => format!("{number} {what}s"),
    }
}
