//! A drive file fitted to a few figures of a real drive.
//!
//! Each figure fits one number, in an order in which the later ones lean on the earlier. Write amplification against
//! the used space fits the amount of flash, by the closed form. The speed of writes in order fits the time of a
//! program. The latencies of a read and of a write by itself fit the controller's time for one. The model, made small,
//! runs the measured job with another number each time, until it gives the figure.

mod measured;
mod solve;
#[cfg(test)]
mod tests;

pub use measured::{Kind, Measured};

use crate::plan::ClosedForm;
use ftlab_base::{Blame, RootSeed};
use ftlab_drive::{DriveFile, ParameterRow};
use ftlab_host::Testbed;
use ftlab_play::State;
use ftlab_play::driver::{self, Clock, DriverError};
use ftlab_play::record::Record;
use ftlab_play::states::{self, PrepareError};
use ftlab_sheet::SheetError;
use ftlab_workload::JobFile;
use serde::Serialize;
use solve::{Found, solve};
use thiserror::Error;
use toml::{Table, Value};

/// The capacity to which the model of the drive is shrunk: some hundred superblocks of several megabytes.
const SMALL_BYTES: u64 = 8_000_000_000;

/// Commands of a latency; all but those at a page's border take the same.
const LATENCY_COMMANDS: u64 = 4000;

/// The least that is written in order: a few buffers and superblocks.
const WRITTEN_BYTES_MIN: u64 = 1_000_000_000;

/// The least spare area that the closed form is asked for, and the most.
const SPARE_BOUNDS: [f64; 2] = [0.005, 4.0];

/// The least time that a number can be.
const LEAST_US: f64 = 0.0;
/// The least that a program can take.
const LEAST_PROGRAM_US: f64 = 1.0;

/// The one seed: what was measured has none.
const SEED: RootSeed = RootSeed(1);

/// The reason that a drive file cannot be fitted.
#[derive(Debug, Error)]
pub enum CalibrateError {
    /// A figure that cannot be used, with the reason and the way out.
    #[error("{0}")]
    Input(String),
    /// No such drive can be.
    #[error(transparent)]
    Sheet(#[from] SheetError),
    /// The model cannot be brought to where it is measured.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    /// A run of the model failed.
    #[error(transparent)]
    Run(#[from] DriverError),
}

impl Blame for CalibrateError {
    fn is_input(&self) -> bool {
        match self {
            CalibrateError::Input(_) | CalibrateError::Sheet(_) => true,
            CalibrateError::Prepare(error) => error.is_input(),
            CalibrateError::Run(error) => error.is_input(),
        }
    }
}

/// Write amplification of random writes of one slot, when a share of the drive was in use.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeasuredWa {
    /// Bytes programmed over bytes written.
    pub wa: f64,
    /// The share of the addresses that held data.
    pub used: f64,
}

/// A number that was fitted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fitted {
    /// Section and key in the drive file, such as `nand.t_program`.
    pub key: &'static str,
    /// The unit of the number; `1` for a count.
    pub unit: &'static str,
    /// The number before the fit; none, if the file did not have it.
    pub was: Option<f64>,
    /// The number after the fit, in the same unit.
    pub is: f64,
    /// The figure's name and unit.
    pub figure: [&'static str; 2],
    /// The figure of the real drive.
    pub measured: f64,
    /// The model's figure before the fit, and after all numbers were fitted.
    pub model: [f64; 2],
    /// The file of the figure; nothing, if it was given as a number.
    pub source: Option<String>,
}

/// A drive fitted to figures, and the record of the fit.
#[derive(Debug, Clone)]
pub struct Calibrated {
    /// The drive, read from the text below.
    pub file: DriveFile,
    /// Its text, to be kept as a file.
    pub text: String,
    /// The numbers that were fitted, in order.
    pub fitted: Vec<Fitted>,
}

/// Fits a drive file to figures of a drive.
///
/// # Errors
/// When a figure is there twice, fits no number of such a drive, or lies beyond what it can give.
pub fn calibrate(
    base: &DriveFile,
    name: &str,
    wa: Option<MeasuredWa>,
    figures: &[Measured],
    testbed: &Testbed,
) -> Result<Calibrated, CalibrateError> {
    let mut figures: Vec<&Measured> = figures.iter().collect();
    figures.sort_by_key(|figure| figure.kind);
    if let Some(twice) = figures.windows(2).find(|two| two[0].kind == two[1].kind) {
        return Err(CalibrateError::Input(format!(
            "{} and {} measure the same: give one of them",
            twice[0].source, twice[1].source
        )));
    }
    let mut file = base.clone();
    let mut fitted = Vec::new();
    if let Some(wa) = wa {
        let (next, row) = flash(&file, wa)?;
        (file, fitted) = (next, vec![row]);
    }
    for figure in &figures {
        let row = Bench { testbed, figure }.fit(&file)?;
        file = file.with(&[setting(&row)])?;
        fitted.push(row);
    }
    // The figures of the drive as it is now.
    for row in &mut fitted {
        let figure = figures
            .iter()
            .find(|f| Some(&f.source) == row.source.as_ref());
        row.model[1] = match (figure, wa) {
            (Some(figure), _) => figure.kind.shown(Bench { testbed, figure }.run(&file)?),
            (None, Some(wa)) => closed_form(&file, wa)?.1,
            (None, None) => unreachable!("it is from a figure"),
        };
    }
    let text = written(&file, name, &fitted);
    let slug = format!("the fit of {}", base.slug());
    let file = DriveFile::parse(&slug, &text, &[])?;
    Ok(Calibrated { file, text, fitted })
}

fn setting(row: &Fitted) -> String {
    format!("{}={}{}", row.key, row.is, unit_of_setting(row.unit))
}

/// A count is set without its unit.
fn unit_of_setting(unit: &str) -> &str {
    if unit == "1" { "" } else { unit }
}

/// Rounds to four digits, as no figure is more exact.
fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

fn number_of(file: &DriveFile, key: &str) -> Option<ParameterRow> {
    file.parameters().into_iter().find(|row| row.key == key)
}

/// A time of a drive file, in microseconds.
fn microseconds(file: &DriveFile, key: &str) -> Option<f64> {
    let row = number_of(file, key)?;
    let unit = match row.unit.as_str() {
        "ns" => 1e-3,
        "ms" => 1e3,
        "s" => 1e6,
        _ => 1.0,
    };
    row.value.parse::<f64>().ok().map(|value| value * unit)
}

/// The closed form of the drive under random writes of slots, and what it gives now.
fn closed_form(file: &DriveFile, at: MeasuredWa) -> Result<(ClosedForm, f64), CalibrateError> {
    let none = |why: &str| CalibrateError::Input(format!("--wa: {}: {why}", file.slug()));
    if number_of(file, "slc.own_size")
        .or(number_of(file, "slc.more_size"))
        .is_some()
    {
        return Err(none(
            "a cache of SLC takes the data first, and no closed form has that: leave --wa out",
        ));
    }
    let (small, _) = file.shrunk_to(SMALL_BYTES)?;
    let device = small.build(&Testbed::load("attached")?, SEED)?;
    let form = ClosedForm::uniform(&small, &*device, at.used).ok_or_else(|| {
        none("no closed form covers it; one does a page map with one stream of data and greedy, fifo, random or d-choices collection")
    })?;
    let now = small.spare().and_then(|spare| form.wa(spare));
    let now = now.ok_or_else(|| none("it has too little spare area for the closed form"))?;
    Ok((form, now))
}

/// Gives the drive as much flash as the closed form needs for the write amplification that was measured.
fn flash(file: &DriveFile, at: MeasuredWa) -> Result<(DriveFile, Fitted), CalibrateError> {
    const KEY: &str = "nand.blocks_per_die";
    let (form, before) = closed_form(file, at)?;
    let spare = form.spare(at.wa, SPARE_BOUNDS).ok_or_else(|| {
        let [least, most] = SPARE_BOUNDS.map(|spare| 100.0 * spare);
        CalibrateError::Input(format!(
            "--wa {}: no spare area from {least} to {most} % gives that with {:.0} % of the drive in use",
            at.wa,
            100.0 * at.used
        ))
    })?;
    let count = |key: &str| -> Option<u32> { number_of(file, key)?.value.parse().ok() };
    let (Some(blocks), Some(planes), Some(own)) =
        (count(KEY), count("nand.planes_per_die"), file.spare())
    else {
        return Err(CalibrateError::Input(format!(
            "--wa: {} has no flash whose blocks could be others",
            file.slug()
        )));
    };
    // As many superblocks as come nearest; the reserve is not in proportion.
    let near = f64::from(blocks / planes) * (1.0 + spare) / (1.0 + own);
    let candidates = (near * 0.98).floor() as u32..=(near * 1.02).ceil() as u32 + 1;
    let with = |superblocks: u32| file.with(&[format!("{KEY}={}", superblocks * planes)]).ok();
    let distance = |file: &DriveFile| (file.spare().unwrap_or(f64::MAX) - spare).abs();
    let found = candidates
        .filter_map(with)
        .min_by(|one, other| distance(one).total_cmp(&distance(other)));
    let found = found.ok_or_else(|| {
        CalibrateError::Input(format!(
            "--wa {}: {:.1} % of spare area are not to be had of these dies: change nand.channels or nand.dies_per_channel first",
            at.wa,
            100.0 * spare
        ))
    })?;
    let is = number_of(&found, KEY).and_then(|row| row.value.parse().ok());
    let row = Fitted {
        key: KEY,
        unit: "1",
        was: Some(blocks.into()),
        is: is.expect("it was set"),
        figure: ["write amplification", ""],
        measured: at.wa,
        model: [before, f64::NAN],
        source: None,
    };
    Ok((found, row))
}

impl Kind {
    /// The key of the number that it fits, and the least value that this can have.
    fn number(self) -> (&'static str, f64) {
        match self {
            Kind::SequentialWrite => ("nand.t_program", LEAST_PROGRAM_US),
            Kind::Read => ("firmware.read_pipeline", LEAST_US),
            Kind::Write => ("firmware.write_pipeline", LEAST_US),
        }
    }

    fn figure(self) -> [&'static str; 2] {
        match self {
            Kind::SequentialWrite => ["sequential writes", "MB/s"],
            Kind::Read => ["read latency", "us"],
            Kind::Write => ["write latency", "us"],
        }
    }

    /// A speed is what grows with a program's time turned over.
    fn shown(self, value: f64) -> f64 {
        match self {
            Kind::SequentialWrite => 1.0 / value,
            Kind::Read | Kind::Write => value,
        }
    }
}

/// A figure, and the machine that it was measured on.
struct Bench<'a> {
    testbed: &'a Testbed,
    figure: &'a Measured,
}

impl Bench<'_> {
    /// The number at which the model gives the figure.
    fn fit(&self, file: &DriveFile) -> Result<Fitted, CalibrateError> {
        let kind = self.figure.kind;
        let (key, least) = kind.number();
        let was = microseconds(file, key);
        let start = was.unwrap_or(least).max(least);
        // For shown values, turning over twice is what was.
        let wanted = kind.shown(self.figure.value);
        let mut first = None;
        let found = solve((start, least), wanted, |at| {
            let value = self.run(&file.with(&[format!("{key}={at}us")])?)?;
            first.get_or_insert(value);
            Ok::<f64, CalibrateError>(value)
        })?;
        let is = match found {
            Found::At(at) => rounded(at),
            Found::TooMuch(value) => return Err(self.beyond(key, kind.shown(value))),
            Found::Flat(value) => return Err(self.flat(key, kind.shown(value))),
            Found::Lost => {
                return Err(self.wrong(&format!("no {key} was found at which the model gives it")));
            }
        };
        Ok(Fitted {
            key,
            unit: "us",
            was,
            is,
            figure: kind.figure(),
            measured: self.figure.value,
            model: [kind.shown(first.expect("it ran")), f64::NAN],
            source: Some(self.figure.source.clone()),
        })
    }

    fn wrong(&self, why: &str) -> CalibrateError {
        let [name, unit] = self.figure.kind.figure();
        let (source, value) = (&self.figure.source, self.figure.value);
        CalibrateError::Input(format!("{source}: {name} of {value:.1} {unit}: {why}"))
    }

    /// The error of a figure that is quicker than the model can be.
    fn beyond(&self, key: &str, best: f64) -> CalibrateError {
        self.wrong(&match self.figure.kind {
            Kind::SequentialWrite => format!(
                "the model reaches {best:.1} MB/s with the shortest {key}: give it more dies or planes, or a quicker channel or link"
            ),
            Kind::Read => format!(
                "the model takes {best:.1} us without any {key}: lower nand.t_read or firmware.read_command first"
            ),
            Kind::Write => format!(
                "the model takes {best:.1} us without any {key}: lower firmware.write_command or link.command first"
            ),
        })
    }

    fn flat(&self, key: &str, value: f64) -> CalibrateError {
        let [_, unit] = self.figure.kind.figure();
        self.wrong(&format!(
            "the model gives {value:.1} {unit} whatever {key} is: something else is slower, such as the link, a channel or the \
             firmware's core"
        ))
    }

    /// Runs the figure's job. The value grows with the number: microseconds, or the time of a megabyte. The drive was
    /// filled once in order, as drives are before they are measured.
    fn run(&self, file: &DriveFile) -> Result<f64, CalibrateError> {
        let (small, times) = file.shrunk_to(SMALL_BYTES)?;
        let mut device = small.build(self.testbed, SEED)?;
        states::prepare(&mut *device, State::New, State::Filled, SEED)?;
        let Measured {
            kind,
            block_bytes,
            depth,
            bytes,
            ..
        } = self.figure;
        let what = match kind {
            Kind::SequentialWrite => {
                // A cache of SLC takes the same part of it.
                let bytes = (*bytes as f64 / times) as u64;
                format!("rw=write\nio_size={}", bytes.max(WRITTEN_BYTES_MIN))
            }
            Kind::Read => format!("rw=randread\nnorandommap\nnumber_ios={LATENCY_COMMANDS}"),
            Kind::Write => format!("rw=randwrite\nnorandommap\nnumber_ios={LATENCY_COMMANDS}"),
        };
        let text = format!("[measured]\nbs={block_bytes}\niodepth={depth}\nsize=100%\n{what}\n");
        let job = JobFile::parse(&text, &self.figure.source)
            .map_err(|error| self.wrong(&error.to_string()))?;
        let report = driver::run(&job, &mut *device, Clock::Timed, SEED)?;
        let run = Record::of_jobs(&job, &report).run;
        Ok(match kind {
            Kind::SequentialWrite => 1e6 / run.write.bytes_per_s,
            Kind::Read => run.read.lat_ns_mean / 1e3,
            Kind::Write => run.write.lat_ns_mean / 1e3,
        })
    }
}

/// The text of the drive file, with the sources of the fitted numbers.
fn written(file: &DriveFile, name: &str, fitted: &[Fitted]) -> String {
    let mut table: Table = file.text().parse().expect("it was read");
    table.insert("name".to_owned(), Value::String(name.to_owned()));
    for row in fitted {
        let (section, key) = row.key.split_once('.').expect("a section's key");
        let section = table
            .entry(section)
            .or_insert_with(|| Value::Table(Table::new()));
        if let Value::Table(section) = section {
            section.insert(key.to_owned(), quantity(row));
        }
    }
    let (sections, heads): (Vec<_>, Vec<_>) = table.iter().partition(|(_, value)| value.is_table());
    let mut text: String = heads
        .iter()
        .map(|(key, value)| format!("{key} = {value}\n"))
        .collect();
    for (section, keys) in sections {
        text += &format!("\n[{section}]\n");
        let keys = keys.as_table().expect("it is one");
        text.extend(keys.iter().map(|(key, value)| format!("{key} = {value}\n")));
    }
    text
}

fn quantity(row: &Fitted) -> Value {
    let [name, unit] = row.figure;
    let note = format!("fitted to {name} of {} {unit}", rounded(row.measured));
    let mut entry = Table::new();
    let value = match row.unit {
        "1" => Value::Integer(row.is as i64),
        _ => Value::Float(row.is),
    };
    entry.insert("value".to_owned(), value);
    for (key, text) in [
        ("unit", row.unit),
        ("source", "fitted"),
        ("confidence", "low"),
        ("note", note.trim_end()),
    ] {
        entry.insert(key.to_owned(), Value::String(text.to_owned()));
    }
    if let Some(source) = &row.source {
        let source = Value::Array(vec![Value::String(source.clone())]);
        entry.insert(ftlab_sheet::provenance::FROM_KEY.to_owned(), source);
    }
    Value::Table(entry)
}
