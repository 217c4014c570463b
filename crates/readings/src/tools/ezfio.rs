//! ezFIO: a table of its tests, and beside it what fio said of each.

use super::fio::{Names, facts, reading};
use crate::error::ReadingError;
use crate::fio::{Files, measured};
use crate::left::Ledger;
use crate::load::{block_words, sheet};
use crate::readings::{Reading, Readings, test_name};
use crate::source::Source;
use ftlab_result::quantity::table;
use ftlab_result::{At, Run};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const TEXT: &str = "A test of ezFIO, run elsewhere, and imported.";

/// The most that a table or an output has.
const BYTES_MAX: u64 = 256 << 20;

/// The most of anything that a drive does in a second.
const FIGURE_MAX: f64 = 1e12;

/// The beginning of names of tables, of its tests and of requests in each second.
const TESTS: &str = "ezfio_tests_";
const SECONDS: &str = "ezfio_timeseries_";

/// The header of the table of tests, behind the lines on the machine.
const HEADER: [&str; 9] = [
    "Type",
    "Write %",
    "Block Size",
    "Threads",
    "Queue Depth/Thread",
    "IOPS",
    "Bandwidth (MB/s)",
    "Read Latency (us)",
    "Write Latency (us)",
];

/// Keys of the lines on the machine, and what they are called in results.
const FACTS: [(&str, &str, &str); 8] = [
    ("Drive", "bench.filename", ""),
    ("Serial", "device.serial", ""),
    ("TestedCapacity", "bench.tested_capacity", "GiB"),
    ("CPU", "machine.cpu", ""),
    ("Cores", "machine.cores", ""),
    ("Frequency", "machine.frequency", "MHz"),
    ("OS", "machine.os", ""),
    ("FIOVersion", "bench.fio", ""),
];

/// Marks that ezFIO puts before its facts if it was cut short, and what they mean.
const MARKS: [(&str, &str); 2] = [
    (
        "FASTPRECOND-",
        "ezFIO wrote the drive once before its tests, and not twice.",
    ),
    (
        "QUICKIE-INVALID-RESULTS-",
        "ezFIO ran each test for a tenth of its time, and calls its results invalid.",
    ),
];

/// The section whose test has the table of seconds.
const STABILITY: &str = "Stability";

/// A row of the table of tests.
#[derive(Debug, Clone)]
struct Row {
    section: String,
    place: String,
    /// The folder of its table.
    folder: PathBuf,
    /// `Seq` or `Rand`.
    kind: String,
    write_pct: u8,
    block_bytes: u64,
    threads: u32,
    depth: u32,
    iops: f64,
    mib_s: f64,
    /// Mean latencies of reads and writes in microseconds.
    lat_us: [f64; 2],
}

/// True if a file is a table of ezFIO's tests.
pub fn is_table(source: &Source) -> bool {
    source.file_name().starts_with(TESTS) && source.file_name().ends_with(".csv")
}

/// Reads the table of tests, and what lies beside it.
///
/// # Errors
/// When it is none.
pub fn read(sources: &[Source]) -> Result<Readings, ReadingError> {
    let mut readings = Readings::default();
    let mut notes = Vec::new();
    let mut rows = Vec::new();
    for source in sources.iter().filter(|source| is_table(source)) {
        rows.extend(table_of(source, &mut readings, &mut notes)?);
    }
    let seconds = seconds(sources)?;
    let mut outputs = outputs(sources);
    for row in rows {
        if row.iops == 0.0 {
            let why = "no requests: ezFIO skips blocks that are smaller than the drive's";
            readings.left.note(&row.test(), &row.place, why);
            continue;
        }
        let mut reading = match outputs.remove(&row.output()) {
            Some(own) => of_output(&row, &own, &mut readings)?,
            None => of_row(&row, &mut readings.left),
        };
        if row.section.contains(STABILITY) && reading.run.series_ios.is_empty() {
            reading.run.series_ios.clone_from(&seconds);
            reading.run.series_interval_s = 1.0;
        }
        reading.run.notes.extend(notes.clone());
        readings.each.push(reading);
    }
    for own in outputs.into_values().flatten() {
        readings.left.note(
            own.file_name(),
            &own.name,
            "no row of the table of tests names it",
        );
    }
    let others = sources.iter().filter(|source| {
        let name = source.file_name();
        name.starts_with("ezfio") && !is_table(source) && !name.starts_with(SECONDS)
    });
    for source in others {
        let why = "ezFIO's spreadsheet, program and means of latencies; the tables and fio's output say more";
        readings.left.note(source.file_name(), &source.name, why);
    }
    Ok(readings)
}

impl Row {
    /// The folder of the file that has what fio said, and the beginning of its name.
    fn output(&self) -> (PathBuf, String) {
        let name = format!(
            "Test{}_w{}_bs{}_threads{}_iodepth{}_",
            self.kind, self.write_pct, self.block_bytes, self.threads, self.depth
        );
        (self.folder.clone(), name)
    }

    fn test(&self) -> String {
        let block = self.block_bytes;
        test_name(&format!(
            "{}-w{}-bs{block}-t{}-qd{}",
            self.kind.to_lowercase(),
            self.write_pct,
            self.threads,
            self.depth
        ))
    }

    fn step(&self) -> String {
        let block = block_words(self.block_bytes);
        match self.threads {
            1 => format!("{block}, QD {}", self.depth),
            threads => format!("{block}, QD {}, {threads} threads", self.depth),
        }
    }
}

/// The rows of a table of tests; lines in front of them are facts.
fn table_of(
    source: &Source,
    readings: &mut Readings,
    notes: &mut Vec<String>,
) -> Result<Vec<Row>, ReadingError> {
    let text = source.read(BYTES_MAX, "a table of ezFIO's tests")?;
    let mut lines = (1..).zip(text.lines());
    let wrong = |line: usize, why: &str| ReadingError::new(format!("{}:{line}", source.name), why);
    loop {
        let Some((_, line)) = lines.next() else {
            let why = format!(
                "it has no line `{}`; give the ezfio_tests_….csv of a run",
                HEADER.join(",")
            );
            return Err(ReadingError::new(&source.name, why));
        };
        if line == HEADER.join(",") {
            break;
        }
        fact(line, source, readings, notes);
    }
    let mut rows = Vec::new();
    let mut section = String::new();
    for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let fields: Vec<&str> = line.split(',').collect();
        if fields.len() < HEADER.len() {
            match line {
                "ERROR" => {
                    return Err(wrong(
                        number,
                        "fio failed here, and ezFIO ended; give the results of a run that was whole",
                    ));
                }
                title => title.clone_into(&mut section),
            }
            continue;
        }
        let place = format!("{}:{number}", source.name);
        let row = row(&fields, &section, place, folder(source));
        rows.push(row.ok_or_else(|| {
            wrong(
                number,
                "this is no row of ezFIO's table; is the file cut off?",
            )
        })?);
    }
    Ok(rows)
}

fn fact(line: &str, source: &Source, readings: &mut Readings, notes: &mut Vec<String>) {
    let (key, mut value) = line.split_once(',').unwrap_or((line, ""));
    for (mark, note) in MARKS {
        if let Some(rest) = value.strip_prefix(mark) {
            value = rest;
            if !notes.iter().any(|known| known == note) {
                notes.push(note.to_owned());
            }
        }
    }
    let device = &mut readings.device;
    match key {
        "Model" if value != "UNKNOWN" => device.model = Some(value.to_owned()),
        "Model" => {}
        "AvailCapacity" => {
            let gib: Option<u64> = value.split(',').next().and_then(|gib| gib.parse().ok());
            device.capacity_bytes = gib.map(|gib| gib << 30);
        }
        _ => match FACTS.iter().find(|(known, ..)| *known == key) {
            Some((_, name, unit)) => {
                device.fact(name, value.trim_end_matches(",GiB"), unit, source)
            }
            None => readings.left.note(
                key,
                &source.name,
                "a line on the machine that ftlab does not know",
            ),
        },
    }
}

fn row(fields: &[&str], section: &str, place: String, folder: PathBuf) -> Option<Row> {
    let number = |n: usize| -> Option<f64> {
        let number: f64 = fields.get(n)?.trim().parse().ok()?;
        Some(number).filter(|number| (0.0..=FIGURE_MAX).contains(number))
    };
    Some(Row {
        section: section.to_owned(),
        place,
        folder,
        kind: fields[0].to_owned(),
        write_pct: fields[1].parse().ok().filter(|pct| *pct <= 100)?,
        block_bytes: fields[2].parse().ok()?,
        threads: fields[3].parse().ok()?,
        depth: fields[4].parse().ok()?,
        iops: number(5)?,
        mib_s: number(6)?,
        lat_us: [number(7)?, number(8)?],
    })
}

/// Files with what fio said, by their folders and the beginnings of their names, and logs beside them.
fn outputs(sources: &[Source]) -> BTreeMap<(PathBuf, String), Vec<Source>> {
    let mut outputs: BTreeMap<(PathBuf, String), Vec<Source>> = BTreeMap::new();
    for source in sources {
        let name = source.file_name();
        let is_own = name.starts_with("Test") && (name.ends_with(".out") || name.ends_with(".log"));
        let depth = name.find("_iodepth").map(|at| at + "_iodepth".len());
        let end = depth.and_then(|at| Some(at + name[at..].find('_')? + 1));
        if let Some(end) = end.filter(|_| is_own) {
            outputs
                .entry((folder(source), name[..end].to_owned()))
                .or_default()
                .push(source.clone());
        }
    }
    outputs
}

fn folder(source: &Source) -> PathBuf {
    source.path.parent().unwrap_or(Path::new("")).to_owned()
}

/// The run of a row, of what fio said.
fn of_output(row: &Row, own: &[Source], readings: &mut Readings) -> Result<Reading, ReadingError> {
    let mut files = Files::default();
    for source in own {
        if !source.file_name().ends_with(".out") {
            files.add(source, &mut readings.left)?;
            continue;
        }
        let text = source.read(BYTES_MAX, "an output of ezFIO's")?;
        let from = text.find("[STDOUT]").unwrap_or(0);
        let to = text[from..]
            .find("[STDERR]")
            .map_or(text.len(), |at| from + at);
        files.add_text(source, &text[from..to], &mut readings.left)?;
    }
    let all = measured(files, &mut readings.left)?;
    let [first, others @ ..] = &all[..] else {
        return Ok(of_row(row, &mut readings.left));
    };
    for other in others {
        let why = "more than one run in the output of a test";
        readings.left.note(&other.name, &other.source.name, why);
    }
    facts(first, &mut readings.device);
    let of = reading(first, Names::File);
    Ok(Reading::measured(own_sheet(row), of.run))
}

/// The run of a row, of the row alone.
fn of_row(row: &Row, ledger: &mut Ledger) -> Reading {
    let mut run = Run {
        at: vec![At::default()],
        notes: vec![format!(
            "From {} alone: what fio said of it is not there.",
            row.place
        )],
        ..Run::default()
    };
    table::IOPS.put(&mut run.metrics, row.iops);
    table::MIB_S.put(&mut run.metrics, row.mib_s);
    table::MB_S.put(&mut run.metrics, row.mib_s * f64::from(1 << 20) / 1e6);
    match (row.write_pct, row.lat_us) {
        (0, [us, _]) | (100, [_, us]) if us > 0.0 => {
            table::LAT_AVG_MS.put(&mut run.metrics, us / 1e3);
        }
        _ => ledger.note(
            "Read Latency, Write Latency",
            &row.place,
            "means of reads and of writes whose shares are not known",
        ),
    }
    Reading::measured(own_sheet(row), run)
}

fn own_sheet(row: &Row) -> ftlab_result::TestSheet {
    // All blocks of a section are drawn together.
    let mut sheet = sheet(row.section.clone(), row.step(), None, TEXT);
    sheet.test = row.test();
    sheet
}

/// Requests of each second, of the table that ezFIO adds logs up in.
fn seconds(sources: &[Source]) -> Result<Vec<u64>, ReadingError> {
    let Some(source) = sources
        .iter()
        .find(|source| source.file_name().starts_with(SECONDS))
    else {
        return Ok(Vec::new());
    };
    let text = source.read(BYTES_MAX, "a table of ezFIO's")?;
    let mut lines = (1..).zip(text.lines());
    let header = lines
        .by_ref()
        .find(|(_, line)| line.split(',').next() == Some("IOPS"));
    if header.is_none() {
        return Ok(Vec::new());
    }
    let iops = lines
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(number, line)| {
            let first = line.split(',').next().unwrap_or_default();
            let iops = first.trim().parse().ok();
            let iops = iops.filter(|iops: &f64| (0.0..=FIGURE_MAX).contains(iops));
            iops.map(|iops| iops as u64).ok_or_else(|| {
                let place = format!("{}:{number}", source.name);
                let why = format!("{first:?} stands where requests a second belong");
                ReadingError::new(place, why)
            })
        });
    iops.collect()
}
