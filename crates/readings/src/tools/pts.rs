//! Shell scripts of SNIA's Performance Test Specification: one file of fio's for each round, `fio_pass=3_rw=65_bs=4096.json`.
//!
//! The rounds of an access are one run, of the last five, by which the specification judges. Accesses that say neither a mix
//! nor a size follow a rate, and are one run over all their rounds.

use super::fio::{Names, facts, reading};
use crate::error::ReadingError;
use crate::fio::{Files, FioJob, Measured, measured, run};
use crate::left::Ledger;
use crate::load::block_words;
use crate::readings::{Reading, Readings, test_name};
use crate::source::Source;
use ftlab_result::Run;
use ftlab_result::quantity::table;
use ftlab_states::steady_rule::{WINDOW, is_steady};
use std::collections::BTreeMap;

const TEXT: &str = "An access of SNIA's Performance Test Specification, run elsewhere by scripts over fio, and imported.";

/// The folder of a test that has its files, in the folder with its name.
const RESULTS: &str = "results";

/// Part by which rounds may differ in length and still be intervals of one series.
const EVEN: f64 = 0.05;

/// What the name of a file says.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Name {
    folder: String,
    /// The rest of the name.
    access: String,
    read_pct: Option<u8>,
    block_bytes: Option<u64>,
}

impl Name {
    /// The name, and the round; none of another file.
    fn of(source: &Source) -> Option<(Name, u32)> {
        let stem = source
            .file_name()
            .strip_suffix(".json")?
            .strip_prefix("fio_")?;
        let mut name = Name {
            folder: folder(source),
            access: String::new(),
            read_pct: None,
            block_bytes: None,
        };
        let mut pass = None;
        let mut words = Vec::new();
        for word in stem.split('_') {
            match word.split_once('=') {
                Some(("pass", number)) => pass = number.parse().ok(),
                Some(("rw", pct)) if pct.parse::<u8>().is_ok_and(|pct| pct <= 100) => {
                    name.read_pct = pct.parse().ok();
                }
                Some(("bs", bytes)) if bytes.parse::<u64>().is_ok() => {
                    name.block_bytes = bytes.parse().ok();
                }
                _ => words.push(word),
            }
        }
        name.access = words.join("_");
        Some((name, pass?))
    }

    fn is_of_matrix(&self) -> bool {
        self.read_pct.is_some() || self.block_bytes.is_some()
    }

    fn step(&self) -> String {
        let mix = self.read_pct.map(|pct| format!("R/W {pct}/{}", 100 - pct));
        let block = self.block_bytes.map(block_words);
        let parts: Vec<String> = mix.into_iter().chain(block).collect();
        parts.join(", ")
    }

    fn test(&self) -> String {
        let mix = self.read_pct.map(|pct| format!("rw{pct}"));
        let block = self.block_bytes.map(|bytes| format!("bs{bytes}"));
        let own = [self.folder.clone(), self.access.clone()];
        let parts: Vec<String> = own
            .into_iter()
            .chain(mix)
            .chain(block)
            .filter(|part| !part.is_empty())
            .collect();
        test_name(&parts.join("-"))
    }

    fn title(&self) -> String {
        let parts = [self.folder.as_str(), self.access.as_str()];
        let parts: Vec<String> = parts
            .iter()
            .filter(|part| !part.is_empty())
            .map(|part| part.replace('_', " "))
            .collect();
        match parts.is_empty() {
            true => "Rounds of SNIA's specification".to_owned(),
            false => parts.join(", "),
        }
    }
}

/// The folder that has the name of the test.
fn folder(source: &Source) -> String {
    let mut folders = source
        .path
        .ancestors()
        .skip(1)
        .filter_map(|path| path.file_name());
    let named = folders.find(|name| *name != RESULTS);
    named.map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// True if a file is one of a round.
pub fn is_round(source: &Source) -> bool {
    Name::of(source).is_some()
}

/// Reads the rounds of all accesses.
///
/// # Errors
/// When a file is none of fio's.
pub fn read(sources: &[Source]) -> Result<Readings, ReadingError> {
    let mut readings = Readings::default();
    let mut accesses: BTreeMap<Name, BTreeMap<u32, &Source>> = BTreeMap::new();
    for source in sources {
        match Name::of(source) {
            Some((name, pass)) => _ = accesses.entry(name).or_default().insert(pass, source),
            None => readings
                .left
                .note(source.file_name(), &source.name, "no file of a round"),
        }
    }
    for (name, rounds) in accesses {
        let mut all = Vec::new();
        for (pass, source) in rounds {
            let round = round(source, &mut readings.left)?;
            facts(&round, &mut readings.device);
            all.push((pass, round));
        }
        readings
            .each
            .push(of_rounds(&name, all, &mut readings.left));
    }
    Ok(readings)
}

fn round(source: &Source, ledger: &mut Ledger) -> Result<Measured, ReadingError> {
    let mut files = Files::default();
    files.add(source, ledger)?;
    let mut all = measured(files, ledger)?;
    match all.len() {
        1 => Ok(all.remove(0)),
        n => Err(ReadingError::new(
            &source.name,
            format!("it has {n} runs, and a round is one; give it alone, with --format fio"),
        )),
    }
}

/// The run of an access, over its last rounds or over all of them.
fn of_rounds(name: &Name, rounds: Vec<(u32, Measured)>, ledger: &mut Ledger) -> Reading {
    let iops: Vec<f64> = rounds
        .iter()
        .map(|(_, round)| table::IOPS.of(&round.run).unwrap_or(0.0))
        .collect();
    let count = rounds.len();
    let from = match name.is_of_matrix() {
        true => count.saturating_sub(WINDOW),
        false => 0,
    };
    for (_, round) in &rounds[..from] {
        ledger.note(
            "a round",
            &round.source.name,
            "rounds before the last five; their IOPS are in a note",
        );
    }
    let used = &rounds[from..];
    let (first, last) = (used[0].0, used[used.len() - 1].0);
    let mut whole = reading(&used[0].1, Names::File);
    let all = merged(used);
    let seconds = all.iter().map(FioJob::seconds).fold(0.0, f64::max);
    let course = crate::fio::Course::default();
    let mut run = Run {
        notes: whole.run.notes,
        warnings: used
            .iter()
            .flat_map(|(_, round)| round.run.warnings.clone())
            .collect(),
        ..run(&all, &used[0].1.global, seconds, &course)
    };
    run.notes
        .push(words(&iops, (first, last), name.is_of_matrix()));
    if !name.is_of_matrix() {
        series(&mut run, used);
    }
    whole.sheet.title = name.title();
    whole.sheet.step = name.step();
    whole.sheet.text = TEXT.to_owned();
    whole.sheet.test = name.test();
    Reading::measured(whole.sheet, run)
}

/// The jobs of rounds, each over all of them.
fn merged(rounds: &[(u32, Measured)]) -> Vec<FioJob> {
    let mut all: Vec<FioJob> = Vec::new();
    for (_, round) in rounds {
        for (n, job) in round.jobs.iter().enumerate() {
            match all.get_mut(n) {
                Some(before) => before.go_on(job),
                None => all.push(job.clone()),
            }
        }
    }
    all
}

fn words(iops: &[f64], (first, last): (u32, u32), is_judged: bool) -> String {
    let each: Vec<String> = iops.iter().map(|iops| format!("{iops:.0}")).collect();
    let verdict = match (is_judged, is_steady(iops)) {
        (false, _) => "",
        (true, true) => " By the rule of SNIA's specification they are steady.",
        (true, false) => " By the rule of SNIA's specification they are NOT steady.",
    };
    format!(
        "Rounds {first} to {last} together.{verdict} IOPS of each round: {}.",
        each.join(", ")
    )
}

/// Rounds of one length are the intervals of a series.
fn series(run: &mut Run, rounds: &[(u32, Measured)]) {
    let lengths: Vec<f64> = rounds.iter().map(|(_, round)| round.run.seconds).collect();
    let mean = lengths.iter().sum::<f64>() / lengths.len() as f64;
    if mean <= 0.0
        || lengths
            .iter()
            .any(|length| (length - mean).abs() > EVEN * mean)
    {
        return;
    }
    let sum = |of: fn(&ftlab_result::Traffic) -> u64| -> Vec<u64> {
        let each = rounds.iter().map(|(_, round)| &round.run);
        each.map(|run| of(&run.read) + of(&run.write) + of(&run.trim))
            .collect()
    };
    run.series_interval_s = mean;
    run.series_ios = sum(|of| of.ios);
    run.series_bytes = sum(|of| of.bytes);
}
