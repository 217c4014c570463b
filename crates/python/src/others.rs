//! What is asked of files and of a whole life, beside runs: endurance, calibration, imports and figures of traces.

use crate::drive::Drive;
use crate::errors::{guarded, input_error, raised, run_error};
use crate::runs::Replay;
use crate::table::Table;
use crate::work::work;
use ftlab_base::RootSeed;
use ftlab_bench::calibrate::{self as calibration, Fitted, Measured, MeasuredWa, Sheet};
use ftlab_bench::endurance::{self as lives, CLIENT, Daily, Lived, Way};
use ftlab_bench::trace_figures::Figures;
use ftlab_drive::{Catalog, DriveFile, default_testbed};
use ftlab_export::{Cells, Column};
use ftlab_host::Testbed;
use ftlab_import::{Imported, Left, Nvmevirt, Row, Text};
use ftlab_trace::{Look, Profile, Scan};
use ftlab_workload::JobFile;
use pyo3::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Progress of a life, in hundredths.
const WHOLE: usize = 100;

fn testbed_for(named: Option<&str>, drive: &DriveFile) -> PyResult<Testbed> {
    let testbed = Testbed::load(named.unwrap_or_else(|| default_testbed([drive])));
    testbed.map_err(|error| input_error(&error))
}

/// The life of a drive that is written to its end, as JSON. `job` is a name and a text, a client's writes without it.
#[pyfunction]
pub fn endurance(
    py: Python<'_>,
    job: Option<(String, String)>,
    drive: &Drive,
    bytes_per_day: f64,
    years: f64,
    celsius: f64,
    programs: f64,
    seed: u64,
    testbed: Option<&str>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let (name, text) = job.unwrap_or_else(|| (CLIENT.0.to_owned(), CLIENT.1.to_owned()));
    let job = guarded(&name, || JobFile::parse(&text, &name).map_err(raised))?;
    let file = drive.file(&Arc::default());
    let testbed = testbed_for(testbed, &file)?;
    let daily = Daily {
        bytes: bytes_per_day,
        celsius,
    };
    let plan = match Way::of(&file, programs, daily, years).map_err(raised)? {
        Way::Simulated(plan) => plan,
        Way::Known(rated) => {
            return serde_json::to_string(&rated).map_err(|error| run_error(&error));
        }
    };
    let root = RootSeed(seed);
    let life = work(py, progress, |way| {
        let watch = |_: &str, lived: Option<f64>| {
            let lived = lived.unwrap_or_default() * WHOLE as f64;
            way.set((lived as usize).min(WHOLE), WHOLE);
            way.ask()
        };
        lives::live(&file, &job, &plan, daily, &testbed, root, &watch)
    })?;
    let lived = Lived {
        job: name,
        seed,
        daily,
        years,
    };
    let report = lived.report(&file, &plan, &life.map_err(raised)?);
    serde_json::to_string(&report).map_err(|error| run_error(&error))
}

/// A drive fitted to what was measured: its text, and what was fitted. `figures` are names and texts of what fio wrote.
#[pyfunction]
pub fn calibrate(
    py: Python<'_>,
    figures: Vec<(String, String)>,
    drive: &Drive,
    wa: Option<f64>,
    used: f64,
    name: Option<&str>,
    testbed: Option<&str>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(String, Table)> {
    let read = |(name, text): &(String, String)| {
        guarded(name, || Measured::read(name, text).map_err(raised))
    };
    let figures: PyResult<Vec<Measured>> = figures.iter().map(read).collect();
    let figures = figures?;
    let wa = wa.map(|wa| MeasuredWa { wa, used });
    let file = drive.file(&Arc::default());
    let name = name.unwrap_or(file.name());
    let testbed = testbed_for(testbed, &file)?;
    let made = work(py, progress, |_| {
        calibration::calibrate(&file, name, wa, &figures, &testbed)
    })?;
    let made = made.map_err(raised)?;
    Ok((made.text, fitted(&made.fitted)?))
}

/// A drive made from its data sheet: its text, what was fitted, contradictions, remarks, and what pins each number.
#[pyfunction]
#[expect(clippy::type_complexity, reason = "a tuple of Python's")]
pub fn from_sheet(
    py: Python<'_>,
    source: &str,
    text: &str,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(
    String,
    Table,
    Vec<String>,
    Vec<String>,
    Vec<(String, String)>,
)> {
    let sheet = guarded(&source, || Sheet::parse(source, text).map_err(raised))?;
    let made = work(py, progress, |_| {
        calibration::from_sheet(&sheet, &Catalog::default())
    })?;
    let made = made.map_err(raised)?;
    let pinned = made.pinned.into_iter();
    let pinned = pinned.map(|number| (number.key, number.by.name().to_owned()));
    Ok((
        made.text,
        fitted(&made.fitted)?,
        made.contradictions,
        made.remarks,
        pinned.collect(),
    ))
}

fn fitted(rows: &[Fitted]) -> PyResult<Table> {
    let text = |name: &str, word: fn(&Fitted) -> Option<&str>| Column {
        name: name.to_owned(),
        cells: Cells::Text(
            rows.iter()
                .map(|row| word(row).map(str::to_owned))
                .collect(),
        ),
    };
    let number = |name: &str, of: fn(&Fitted) -> Option<f64>| Column {
        name: name.to_owned(),
        cells: Cells::Number(rows.iter().map(of).collect()),
    };
    Table::of(ftlab_export::Table {
        name: "fitted",
        columns: vec![
            text("key", |row| Some(row.key)),
            text("unit", |row| Some(row.unit)),
            number("was", |row| row.was),
            number("is", |row| Some(row.is)),
            text("figure", |row| Some(row.figure[0])),
            text("figure_unit", |row| Some(row.figure[1])),
            number("measured", |row| Some(row.measured)),
            number("model_before", |row| Some(row.model[0])),
            number("model_now", |row| Some(row.model[1])),
            text("source", |row| row.source.as_deref()),
        ],
    })
}

/// A load of another simulator: the ending of its name, its text, and whether its addresses wrap.
type Job = (String, String, bool);

/// Text of the drive, jobs, what was taken, assumed and left out, and remarks.
type Made = (String, Vec<Job>, Table, Table, Table, Vec<String>);

/// Files of another simulator as the text of a drive file, jobs, and tables of what was taken, assumed and left out.
#[pyfunction]
pub fn import_files(
    program: &str,
    files: Vec<(String, String)>,
    base: Option<&str>,
    capacity_bytes: Option<u64>,
) -> PyResult<Made> {
    let made = guarded(&program, || imported(program, &files, base, capacity_bytes))?;
    Catalog::default()
        .parse(program, &made.drive, &[])
        .map_err(|error| {
            input_error(&format!(
                "these numbers make no drive here: {error}; change them where they come from"
            ))
        })?;
    let jobs = made.jobs.into_iter();
    let jobs = jobs.map(|job| (job.suffix, job.text, job.wraps)).collect();
    Ok((
        made.drive,
        jobs,
        rows(&made.taken)?,
        rows(&made.assumed)?,
        left(&made.left)?,
        made.remarks,
    ))
}

fn imported(
    program: &str,
    files: &[(String, String)],
    base: Option<&str>,
    capacity_bytes: Option<u64>,
) -> PyResult<Imported> {
    let texts: Vec<Text<'_>> = files
        .iter()
        .map(|(name, text)| Text { name, text })
        .collect();
    let made = match (program, &texts[..]) {
        ("mqsim", [device]) => ftlab_import::mqsim(device, None),
        ("mqsim", [device, load]) => ftlab_import::mqsim(device, Some(load)),
        ("simplessd", [config]) => ftlab_import::simplessd(config, None),
        ("simplessd", [config, other]) => ftlab_import::simplessd(config, Some(other)),
        ("femu", [words]) => ftlab_import::femu(words),
        ("nvmevirt", [header]) => {
            let capacity_bytes = capacity_bytes.ok_or_else(|| {
                input_error(
                    &"capacity_gib: nvmevirt needs the memory of the module, for example 64",
                )
            })?;
            let asked = Nvmevirt {
                base,
                capacity_bytes,
            };
            ftlab_import::nvmevirt(header, asked)
        }
        ("mqsim" | "simplessd" | "femu" | "nvmevirt", files) => {
            let count = files.len();
            let why = format!(
                "files: {program} has {count}; give one or two of mqsim and simplessd, one of femu and nvmevirt"
            );
            return Err(input_error(&why));
        }
        _ => {
            let why = format!(
                "simulator: `{program}` is none that is read here; give mqsim, simplessd, femu or nvmevirt"
            );
            return Err(input_error(&why));
        }
    };
    made.map_err(raised)
}

/// A column of words: its name, and the word of a row.
type Words<'a, R> = (&'a str, fn(&R) -> String);

fn words<R>(rows: &[R], columns: &[Words<'_, R>]) -> PyResult<Table> {
    let column = |(name, word): &Words<'_, R>| Column {
        name: (*name).to_owned(),
        cells: Cells::Text(rows.iter().map(|row| Some(word(row))).collect()),
    };
    Table::of(ftlab_export::Table {
        name: "import",
        columns: columns.iter().map(column).collect(),
    })
}

fn rows(of: &[Row]) -> PyResult<Table> {
    words(
        of,
        &[
            ("key", |row| row.key.clone()),
            ("value", |row| row.value.clone()),
            ("unit", |row| row.unit.clone()),
            ("from", |row| row.from.join(", ")),
            ("note", |row| row.note.clone()),
        ],
    )
}

fn left(of: &[Left]) -> PyResult<Table> {
    words(
        of,
        &[
            ("key", |row| row.key.clone()),
            ("value", |row| row.value.clone()),
            ("from", |row| row.place.clone()),
            ("why", |row| row.why.clone()),
        ],
    )
}

/// Figures of a recorded trace, as JSON.
#[pyfunction]
pub fn trace_info(
    py: Python<'_>,
    path: PathBuf,
    replay: Replay,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let replay = replay.read()?;
    let shown = path.display().to_string();
    let read = || -> Result<Figures, ftlab_trace::TraceError> {
        let path: &Path = &path;
        let look = Look::at(path, &replay.opening)?;
        let scan = Scan::of(replay.open(path)?)?;
        let profile = Profile::of(replay.open(path)?, scan)?;
        Ok(Figures::of(&look, &profile))
    };
    let figures = work(py, progress, |way| {
        way.set(0, 1);
        let read = ftlab_base::guarded(read);
        way.set(1, 1);
        read
    })?;
    let figures = figures.map_err(|panic| {
        input_error(&format!(
            "cannot read {shown}: {panic}; please report it, with the file"
        ))
    })?;
    let figures = figures.map_err(raised)?;
    serde_json::to_string(&figures).map_err(|error| run_error(&error))
}
