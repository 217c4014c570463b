//! A figure in the model: what it is with the drive as it is, and the number of the drive at which it is as measured.

use super::flash;
use super::kind::Kind;
use super::measured::Measured;
use super::numbers::{Number, in_unit};
use super::solve::{Found, solve};
use super::types::{CalibrateError, Fitted};
use ftlab_base::RootSeed;
use ftlab_base::amount::rounded;
use ftlab_drive::DriveFile;
use ftlab_host::Testbed;
use ftlab_play::driver::{self, Clock};
use ftlab_play::record::Record;
use ftlab_workload::JobFile;

/// The capacity to which the model of the drive is shrunk: some hundred superblocks of several megabytes.
pub const SMALL_BYTES: u64 = 8_000_000_000;

/// The highest rate that is tried.
const MOST_MB_S: f64 = 1e6;

/// The one seed: what was measured has none.
pub const SEED: RootSeed = RootSeed(1);

/// A figure, and the machine that it was measured on.
pub struct Bench<'a> {
    pub testbed: &'a Testbed,
    pub figure: &'a Measured,
}

/// The end of a fit.
pub enum Fit {
    /// The number at which the model gives the figure.
    At(Fitted),
    /// The model cannot give it; why, what it gives then, and the number that is nearest.
    Short { why: String, row: Fitted },
}

impl Bench<'_> {
    /// The number at which the model gives the figure.
    pub fn fit(&self, file: &DriveFile) -> Result<Fit, CalibrateError> {
        let number = self.figure.kind.number();
        match number.key {
            flash::KEY => flash::for_rate(self, file),
            _ => self.fit_number(file, number),
        }
    }

    /// The value of a number at which the model gives the figure.
    pub fn fit_number(&self, file: &DriveFile, number: Number) -> Result<Fit, CalibrateError> {
        let kind = self.figure.kind;
        let was = in_unit(file, number);
        // A rate is looked for as the time of a megabyte.
        let turned = |value: f64| if number.is_rate { 1.0 / value } else { value };
        // A rate that nobody gives is near what was measured.
        let (start, least) = match (number.is_rate, was) {
            (true, was) => (turned(was.unwrap_or(self.figure.value)), turned(MOST_MB_S)),
            (false, was) => (
                was.map_or(number.least, |was| was.max(number.least)),
                number.least,
            ),
        };
        // For shown values, turning over twice is what was.
        let wanted = kind.shown(self.figure.value);
        let mut first = None;
        let found = solve((start, least), wanted, |at| {
            let at = turned(at);
            let value = self.run(&file.with(&[setting(number, at)])?)?;
            first.get_or_insert(value);
            Ok::<f64, CalibrateError>(value)
        })?;
        let first = kind.shown(first.expect("it ran"));
        let row = |is: f64| self.row(number, was, is, first);
        let (why, at) = match found {
            Found::At(at) => return Ok(Fit::At(row(rounded(turned(at))))),
            Found::TooMuch(value) => (self.beyond(number.key, kind.shown(value)), least),
            Found::Flat(value) => (self.flat(number.key, kind.shown(value)), start),
            Found::Lost => (
                self.wrong(&format!(
                    "no {} was found at which the model gives it",
                    number.key
                )),
                start,
            ),
        };
        let row = row(turned(at));
        Ok(Fit::Short { why, row })
    }

    /// The row of a number that was fitted to the figure.
    pub fn row(&self, number: Number, was: Option<f64>, is: f64, before: f64) -> Fitted {
        Fitted {
            key: number.key,
            unit: number.unit,
            was,
            is,
            figure: self.figure.kind.figure(),
            measured: self.figure.value,
            model: [before, f64::NAN],
            source: Some(self.figure.source.clone()),
            from: self.figure.from.clone(),
        }
    }

    /// The start of a sentence about the figure.
    pub fn wrong(&self, why: &str) -> String {
        let [name, unit] = self.figure.kind.figure();
        let (source, value) = (&self.figure.source, self.figure.value);
        format!("{source}: {name} of {} {unit}: {why}", in_short(value))
    }

    /// Why a figure is quicker than the model can be.
    fn beyond(&self, key: &str, best: f64) -> String {
        let [_, unit] = self.figure.kind.figure();
        let best = in_short(best);
        self.wrong(&match self.figure.kind {
            Kind::SequentialWrite | Kind::PastCacheWrite | Kind::FreshWrite => format!(
                "the model reaches {best} {unit} with the shortest {key}: give it more dies or planes, or a quicker channel or link"
            ),
            Kind::Read => format!(
                "the model takes {best} us without any {key}: lower nand.t_read or firmware.read_command first"
            ),
            Kind::Write => format!(
                "the model takes {best} us without any {key}: lower firmware.write_command or link.command first"
            ),
            _ => format!("the model reaches {best} {unit} whatever {key} is: something else limits it"),
        })
    }

    fn flat(&self, key: &str, value: f64) -> String {
        let [_, unit] = self.figure.kind.figure();
        self.wrong(&format!(
            "the model gives {} {unit} whatever {key} is: something else is slower, such as the link, a channel or the \
             firmware's core",
            in_short(value)
        ))
    }

    /// The model's figure.
    pub fn shown(&self, file: &DriveFile) -> Result<f64, CalibrateError> {
        Ok(self.figure.kind.shown(self.run(file)?))
    }

    /// Runs the figure's job on a small form of the drive. The value is a time, and grows with the number.
    pub fn run(&self, file: &DriveFile) -> Result<f64, CalibrateError> {
        let kind = self.figure.kind;
        let (small, times) = file.shrunk_to(SMALL_BYTES)?;
        let mut device = small.build(self.testbed, SEED)?;
        kind.prepare(&mut *device, SEED)?;
        let text = kind.job(self.figure, &small, times);
        let job = JobFile::parse(&text, &self.figure.source)
            .map_err(|error| CalibrateError::Input(self.wrong(&error.to_string())))?;
        let report = driver::run(&job, &mut *device, Clock::Timed, SEED)?;
        let run = Record::of_jobs(&job, &report).run;
        let side = match (kind, run.jobs.last()) {
            (Kind::PastCacheWrite, Some(past)) => &past.write,
            _ if kind.reads() => &run.read,
            _ => &run.write,
        };
        Ok(kind.time(side.bytes_per_s, side.iops, side.lat_ns_mean / 1e3))
    }
}

/// A number as `--set` takes it.
pub fn setting(number: Number, value: f64) -> String {
    // A count is set without its unit.
    let unit = if number.unit == "1" { "" } else { number.unit };
    format!("{}={value}{unit}", number.key)
}

/// A figure in a sentence, with four digits.
pub fn in_short(value: f64) -> String {
    match value.abs() {
        v if v >= 1000.0 => format!("{value:.0}"),
        _ => format!("{value:.1}"),
    }
}
