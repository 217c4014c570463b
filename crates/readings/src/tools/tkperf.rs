//! `TKperf`: an XML file with matrices of rounds, by the tests of SNIA's specification.
//!
//! A matrix has a figure for each mix and size, and no counts: a run of one has a rate or latencies, and no requests.

use crate::error::ReadingError;
use crate::load::{block_words, sheet};
use crate::readings::{Reading, Readings, test_name};
use crate::source::Source;
use ftlab_base::size;
use ftlab_result::quantity::{Quantity, table};
use ftlab_result::{At, Run};
use roxmltree::{Document, Node};
use serde_json::Value;

const TEXT: &str =
    "A test of SNIA's Performance Test Specification, run elsewhere by TKperf, and imported.";

const BYTES_MAX: u64 = 64 << 20;

/// Rounds that a figure is the mean of, if the file does not say which.
const WINDOW: usize = 5;

/// KiB, in which fio's short form has rates.
const KIB: f64 = 1024.0;

/// The most of anything that a drive does in a second.
const FIGURE_MAX: f64 = 1e12;

/// Seconds of a round, if the file does not say it.
const ROUND_S: f64 = 60.0;

/// The longest that a round takes: a day.
const ROUND_S_MAX: f64 = 86_400.0;

/// Shares of reads, and sizes, of the test of IOPS and of that of latencies.
const OF_IOPS: (&[u8], &[&str]) = (
    &[100, 95, 65, 50, 35, 5, 0],
    &["1024k", "128k", "64k", "32k", "16k", "8k", "4k", "512"],
);
const OF_LATENCY: (&[u8], &[&str]) = (&[100, 65, 0], &["8k", "4k", "512"]);
/// Sizes of the test of throughput.
const OF_THROUGHPUT: &[&str] = &["1024k", "64k", "8k", "4k", "512"];

/// Elements that say the same as others, or how `TKperf` judged.
const KNOWN: [&str; 17] = [
    "fioversion",
    "numjobs",
    "iodepth",
    "runtime",
    "roundmat",
    "stdyrounds",
    "reachstdystate",
    "rndnr",
    "testdate",
    "devinfo",
    "kernel",
    "lsb",
    "ioperfversion",
    "iops",
    "lat",
    "tp",
    "writesat",
];

/// A test of the file.
struct Test<'a> {
    node: Node<'a, 'a>,
    source: &'a Source,
}

/// True if a file is of `TKperf`.
///
/// # Errors
/// When it cannot be read.
pub fn is_report(source: &Source) -> Result<bool, ReadingError> {
    if !source.file_name().ends_with(".xml") {
        return Ok(false);
    }
    let text = source.read(BYTES_MAX, "a report of TKperf's")?;
    Ok(text.contains("<roundmat>"))
}

/// Reads reports.
///
/// # Errors
/// When one is none, or its matrices are not those of `TKperf`.
pub fn read(sources: &[Source]) -> Result<Readings, ReadingError> {
    let mut readings = Readings::default();
    for source in sources {
        if !is_report(source)? {
            readings
                .left
                .note(source.file_name(), &source.name, "no report of TKperf's");
            continue;
        }
        let text = source.read(BYTES_MAX, "a report of TKperf's")?;
        let document = Document::parse(&text)
            .map_err(|why| ReadingError::new(&source.name, format!("this is no XML: {why}")))?;
        report(document.root_element(), source, &mut readings)?;
    }
    Ok(readings)
}

fn report(
    root: Node<'_, '_>,
    source: &Source,
    readings: &mut Readings,
) -> Result<(), ReadingError> {
    for (tag, key) in [
        ("kernel", "machine.kernel"),
        ("lsb", "machine.os"),
        ("testdate", "bench.date"),
        ("ioperfversion", "bench.tkperf"),
    ] {
        if let Some(value) = json(root, tag).as_ref().and_then(Value::as_str) {
            readings.device.fact(key, value.trim(), "", source);
        }
    }
    if let Some(info) = json(root, "devinfo").as_ref().and_then(Value::as_str) {
        device(info, source, readings);
    }
    for node in root.children().filter(Node::is_element) {
        let test = Test { node, source };
        let tag = node.tag_name().name();
        match tag {
            "iops" => test.matrix(OF_IOPS, "Random accesses", cell_of_iops, readings)?,
            "lat" => test.matrix(
                OF_LATENCY,
                "Random accesses, one at a time",
                cell_of_latency,
                readings,
            )?,
            "tp" => test.throughput(readings)?,
            "writesat" => test.saturation(readings)?,
            _ if KNOWN.contains(&tag) => {}
            _ => readings
                .left
                .note(tag, &source.name, "ftlab does not know it"),
        }
        for below in node.children().filter(Node::is_element) {
            let tag = below.tag_name().name();
            if !KNOWN.contains(&tag) {
                readings.left.note(
                    tag,
                    &source.name,
                    "how TKperf judged, or further options of its fio",
                );
            }
        }
    }
    Ok(())
}

/// The value of an element, which is JSON; none if it is absent or something else.
fn json(of: Node<'_, '_>, tag: &str) -> Option<Value> {
    let found = of.children().find(|child| child.has_tag_name(tag))?;
    serde_json::from_str(found.text()?).ok()
}

/// Facts in the words of `hdparm`, of `udevadm` or of whoever described the device.
fn device(info: &str, source: &Source, readings: &mut Readings) {
    for line in info.lines() {
        let Some((key, value)) = line.trim().split_once([':', '=']) else {
            continue;
        };
        let (key, value) = (key.trim().trim_start_matches("E: "), value.trim());
        let first = value
            .split_whitespace()
            .next()
            .and_then(|word| word.parse::<u64>().ok());
        match key {
            "Model Number" | "ID_MODEL" => readings.device.model = Some(value.to_owned()),
            "Serial Number" | "ID_SERIAL" => {
                readings.device.fact("device.serial", value, "", source)
            }
            "Firmware Revision" => readings.device.fact("device.firmware", value, "", source),
            "Device Size (bytes)" => readings.device.capacity_bytes = first,
            key if key.starts_with("device size with M = 1000*1000") => {
                readings.device.capacity_bytes = first.map(|mb| mb.saturating_mul(1_000_000));
            }
            key => readings.device.fact(
                &format!("device.{}", crate::readings::slug(key)),
                value,
                "",
                source,
            ),
        }
    }
}

/// A figure of a cell in one round, put among figures of several.
type Cell = fn(&Value) -> Option<[f64; 3]>;

/// A rate or a latency.
fn figure(value: &Value) -> Option<f64> {
    value
        .as_f64()
        .filter(|figure| (0.0..=FIGURE_MAX).contains(figure))
}

/// The requests a second.
fn cell_of_iops(value: &Value) -> Option<[f64; 3]> {
    Some([figure(value)?, 0.0, 0.0])
}

/// Shortest, longest and mean latency in microseconds.
fn cell_of_latency(value: &Value) -> Option<[f64; 3]> {
    match &value.as_array()?[..] {
        [least, most, mean] => Some([figure(least)?, figure(most)?, figure(mean)?]),
        _ => None,
    }
}

impl Test<'_> {
    fn wrong(&self, why: &str) -> ReadingError {
        let place = format!("{}: {}", self.source.name, self.node.tag_name().name());
        ReadingError::new(
            place,
            format!("{why}; give a report that TKperf wrote for an SSD"),
        )
    }

    fn rounds(&self) -> Result<Vec<Value>, ReadingError> {
        match json(self.node, "roundmat") {
            Some(Value::Array(rounds)) if !rounds.is_empty() => Ok(rounds),
            _ => Err(self.wrong("it has no rounds")),
        }
    }

    /// Rounds that figures are means of, of so many: those by which `TKperf` judged, or else the last five.
    fn window(&self, count: usize) -> Vec<usize> {
        let said = json(self.node, "stdyrounds");
        let said = said
            .as_ref()
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        let said: Vec<usize> = said
            .filter_map(Value::as_u64)
            .map(|round| round as usize)
            .collect();
        match said.is_empty() || said.iter().any(|round| *round >= count) {
            true => (count.saturating_sub(WINDOW)..count).collect(),
            false => said,
        }
    }

    fn number(&self, tag: &str) -> Option<f64> {
        json(self.node, tag)?.as_f64()
    }

    fn notes(&self, window: &[usize], count: usize) -> Vec<String> {
        let (first, last) = (window[0] + 1, window[window.len() - 1] + 1);
        let steady = match json(self.node, "reachstdystate") {
            Some(Value::Bool(true)) => " TKperf found the drive steady.",
            Some(Value::Bool(false)) => " TKperf did NOT find the drive steady.",
            _ => "",
        };
        let mut notes = vec![format!(
            "Imported from {}: means over the rounds {first} to {last} of {count}.{steady}",
            self.source.name
        )];
        if let (Some(jobs), Some(depth)) = (self.number("numjobs"), self.number("iodepth")) {
            notes.push(format!("numjobs={jobs}, iodepth={depth}."));
        }
        if let Some(Value::String(version)) = json(self.node, "fioversion") {
            notes.push(format!("Measured by {}.", version.trim()));
        }
        notes
    }

    fn reading(&self, title: &str, (name, step): (String, String), notes: Vec<String>) -> Reading {
        let mut sheet = sheet(title.to_owned(), step, None, TEXT);
        sheet.test = test_name(&format!("tkperf-{}-{name}", self.node.tag_name().name()));
        let run = Run {
            at: vec![At::default()],
            notes,
            ..Run::default()
        };
        Reading::measured(sheet, run)
    }

    /// A matrix of mixes and sizes in each round.
    fn matrix(
        &self,
        (mixes, sizes): (&[u8], &[&str]),
        title: &str,
        of: Cell,
        readings: &mut Readings,
    ) -> Result<(), ReadingError> {
        let rounds = self.rounds()?;
        let window = self.window(rounds.len());
        for (row, mix) in mixes.iter().enumerate() {
            for (column, size) in sizes.iter().enumerate() {
                let cell = |round: &usize| rounds[*round].get(row)?.get(column).and_then(of);
                let cells: Option<Vec<[f64; 3]>> = window.iter().map(cell).collect();
                let Some(cells) = cells else {
                    // Drives with sectors of 4096 bytes are not asked for less.
                    if *size == "512" {
                        continue;
                    }
                    let why = format!(
                        "round {} has no figure for {mix} % reads of {size}",
                        window[0] + 1
                    );
                    return Err(self.wrong(&why));
                };
                let bytes = size::bytes(size).unwrap_or(0);
                let step = format!("R/W {mix}/{}, {}", 100 - mix, block_words(bytes));
                let names = (format!("rw{mix}-{size}"), step);
                let notes = self.notes(&window, rounds.len());
                let mut reading = self.reading(title, names, notes);
                figures(&mut reading, &cells, bytes);
                readings.each.push(reading);
            }
        }
        Ok(())
    }

    /// Rates of reads and of writes in each round, by size.
    fn throughput(&self, readings: &mut Readings) -> Result<(), ReadingError> {
        let sizes = self.rounds()?;
        if sizes.len() > OF_THROUGHPUT.len() {
            return Err(self.wrong("it has more sizes than TKperf knows"));
        }
        for (size, rounds) in OF_THROUGHPUT.iter().zip(&sizes) {
            for (n, (name, title)) in [("read", "Reads in order"), ("write", "Writes in order")]
                .into_iter()
                .enumerate()
            {
                let each = rounds
                    .get(n)
                    .and_then(Value::as_array)
                    .into_iter()
                    .flatten();
                let each: Option<Vec<f64>> = each.map(figure).collect();
                let Some(each) = each.filter(|each| !each.is_empty()) else {
                    return Err(self.wrong(&format!("it has no rates of {name} for {size}")));
                };
                let window = self.window(each.len());
                let mean =
                    window.iter().map(|round| each[*round]).sum::<f64>() / window.len() as f64;
                let names = (
                    format!("{name}-{size}"),
                    block_words(size::bytes(size).unwrap_or(0)),
                );
                let mut reading = self.reading(title, names, self.notes(&window, each.len()));
                put(&mut reading, &table::MB_S, mean * KIB / 1e6);
                draw(&mut reading, &table::MB_S);
                readings.each.push(reading);
            }
        }
        Ok(())
    }

    /// Requests a second, and latencies, of each round of random writes of 4 KiB.
    fn saturation(&self, readings: &mut Readings) -> Result<(), ReadingError> {
        let matrices = self.rounds()?;
        let list = |n: usize| matrices.get(n).and_then(Value::as_array);
        let iops: Option<Vec<f64>> = list(0).and_then(|each| each.iter().map(figure).collect());
        let Some(iops) = iops.filter(|iops| !iops.is_empty()) else {
            return Err(self.wrong("it has no rounds of requests"));
        };
        let latencies = list(1).into_iter().flatten().map(cell_of_latency);
        let latencies: Option<Vec<[f64; 3]>> = latencies.collect();
        let Some(latencies) = latencies else {
            return Err(self.wrong("its latencies are not three numbers a round"));
        };
        let round_s = self.number("runtime").unwrap_or(ROUND_S);
        if !(1.0..=ROUND_S_MAX).contains(&round_s) {
            return Err(self.wrong(&format!("its rounds take {round_s} s")));
        }
        let rounds: Vec<usize> = (0..iops.len()).collect();
        let names = ("4k".to_owned(), String::new());
        let mut reading = self.reading(
            "Write saturation: random writes, 4 KiB",
            names,
            self.notes(&rounds, iops.len()),
        );
        if !latencies.is_empty() {
            figures(&mut reading, &latencies, 0);
        }
        let mean = iops.iter().sum::<f64>() / iops.len() as f64;
        put(&mut reading, &table::IOPS, mean);
        draw(&mut reading, &table::IOPS);
        reading.run.series_interval_s = round_s;
        reading.run.series_ios = iops.iter().map(|iops| (iops * round_s) as u64).collect();
        reading.run.series_bytes = iops
            .iter()
            .map(|iops| (iops * round_s * 4.0 * KIB) as u64)
            .collect();
        readings.each.push(reading);
        Ok(())
    }
}

/// Means over rounds: of rates, or of latencies whose longest is that of all rounds.
fn figures(reading: &mut Reading, cells: &[[f64; 3]], block_bytes: u64) {
    let mean = |n: usize| cells.iter().map(|cell| cell[n]).sum::<f64>() / cells.len() as f64;
    let is_of_latency = cells.iter().any(|cell| cell[2] > 0.0);
    if is_of_latency {
        let most = cells.iter().map(|cell| cell[1]).fold(0.0, f64::max);
        put(reading, &table::LAT_AVG_MS, mean(2) / 1e3);
        put(reading, &table::LAT_MAX_MS, most / 1e3);
        draw(reading, &table::LAT_AVG_MS);
        return;
    }
    put(reading, &table::IOPS, mean(0));
    put(reading, &table::MB_S, mean(0) * block_bytes as f64 / 1e6);
    draw(reading, &table::IOPS);
}

fn put(reading: &mut Reading, of: &Quantity, value: f64) {
    of.put(&mut reading.run.metrics, value);
}

fn draw(reading: &mut Reading, of: &Quantity) {
    of.name.clone_into(&mut reading.sheet.chart_metric);
    of.unit.clone_into(&mut reading.sheet.chart_unit);
}
