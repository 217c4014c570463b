//! Describes a crash log, and the states that were tested.

use super::groups::{self, Mark, Reason, marks, reasons};
use super::states::Name;
use super::{At, Options, Trial, shrink};
use ftlab_base::amount::grouped;
use ftlab_console::failure::{Failure, Outcome};
use ftlab_console::junit::{self, Finding, Judgement};
use ftlab_console::options::OutputFormat;
use ftlab_console::screen;
use ftlab_image::{CrashHeader, CrashLog, CrashLogSummary, CrashState, LostSlot};
use serde::Serialize;
use std::fmt::Write;
use std::path::Path;

/// Lost slots of the smallest state that are shown; JSON has all.
const SHOWN_MAX: usize = 20;

/// Header and summary of a log, as JSON.
#[derive(Serialize)]
struct LogSummary<'a> {
    drive: &'a str,
    name: &'a str,
    capacity_bytes: u64,
    slot_bytes: u64,
    atomic_bytes: u64,
    keeps_its_buffer: bool,
    began_unix_ns: u64,
    #[serde(flatten)]
    summary: CrashLogSummary,
    torn_bytes: u64,
}

impl<'a> LogSummary<'a> {
    fn of(log: &'a CrashLog) -> LogSummary<'a> {
        let CrashHeader {
            version: _,
            drive,
            name,
            capacity_bytes,
            slot_bytes,
            atomic_bytes,
            keeps_its_buffer,
            began_unix_ns,
        } = log.header();
        LogSummary {
            drive,
            name,
            capacity_bytes: *capacity_bytes,
            slot_bytes: *slot_bytes,
            atomic_bytes: *atomic_bytes,
            keeps_its_buffer: *keeps_its_buffer,
            began_unix_ns: *began_unix_ns,
            summary: *log.summary(),
            torn_bytes: log.torn_bytes(),
        }
    }
}

/// A state that failed, as JSON.
#[derive(Serialize)]
struct Failed<'a> {
    state: String,
    at_ns: u64,
    mark: &'a str,
    lost_slots: usize,
    why: &'a str,
}

/// A slot that is lost, as JSON.
#[derive(Serialize)]
struct Lost {
    offset_bytes: u64,
    bytes: u64,
    torn: bool,
    /// The number of the newest write that is lost there.
    write: u64,
    written_at_ns: u64,
}

impl Lost {
    fn of(slot: &LostSlot) -> Lost {
        Lost {
            offset_bytes: slot.offset_bytes,
            bytes: slot.data.len() as u64,
            torn: slot.is_torn,
            write: slot.write.number,
            written_at_ns: slot.write.at_ns,
        }
    }
}

/// The smallest state that fails, as JSON.
#[derive(Serialize)]
struct Smallest<'a> {
    state: String,
    at_ns: u64,
    mark: &'a str,
    why: &'a str,
    lost_writes: usize,
    lost: Vec<Lost>,
    checks: usize,
    comes_and_goes: bool,
    kept: &'a Path,
}

/// All of it, as JSON.
#[derive(Serialize)]
struct All<'a> {
    log: &'a Path,
    held: LogSummary<'a>,
    seed: u64,
    at: String,
    states: usize,
    failed: usize,
    failures: Vec<Failed<'a>>,
    /// Failures by the reason that the checker gave, the commonest first.
    reasons: Vec<Reason>,
    /// States by the last mark before the cut, in the order of the log.
    marks: Vec<Mark<'a>>,
    smallest: Option<Smallest<'a>>,
}

/// Prints what a log holds.
pub fn log(path: &Path, log: &CrashLog, format: OutputFormat) -> Outcome {
    match format {
        OutputFormat::Json => screen::print(&screen::json(&LogSummary::of(log))?),
        OutputFormat::Normal => screen::print(&log_in_words(path, log)),
    }
}

fn log_in_words(path: &Path, log: &CrashLog) -> String {
    let (header, summary) = (log.header(), log.summary());
    let mut text = format!(
        "log      {}: {} ({}), {}, in slots of {} bytes\n",
        path.display(),
        header.name,
        header.drive,
        screen::capacity(header.capacity_bytes),
        header.slot_bytes
    );
    let _ = writeln!(
        text,
        "         {} writes, {} flushes, {} trims, {} marks in {}; {} instants",
        grouped(summary.writes),
        grouped(summary.flushes),
        grouped(summary.trims),
        grouped(summary.marks),
        time(summary.span_ns),
        grouped(summary.points)
    );
    // Without this line a reader would wonder why no state loses anything.
    if header.keeps_its_buffer {
        text += "         capacitors keep what the drive acknowledged: a cut takes nothing\n";
    }
    if log.torn_bytes() > 0 {
        let _ = writeln!(
            text,
            "         {} bytes at its end are left out: they were cut off when they were written",
            grouped(log.torn_bytes())
        );
    }
    if summary.ended_by_cut {
        text += "         it ends at a power cut\n";
    }
    text
}

/// Formats a time span given in nanoseconds.
fn time(ns: u64) -> String {
    match ns {
        0..1_000_000 => format!("{} µs", ns / 1000),
        1_000_000..1_000_000_000 => format!("{:.1} ms", ns as f64 / 1e6),
        _ => format!("{:.3} s", ns as f64 / 1e9),
    }
}

fn at_in_words(at: &At) -> String {
    match at {
        At::Random => "at random instants".to_owned(),
        At::Flush => "before random flushes".to_owned(),
        At::All => "before all flushes in turn".to_owned(),
        At::Points(points) => {
            let points: Vec<String> = points.iter().map(u64::to_string).collect();
            format!("at {}", points.join(", "))
        }
    }
}

/// Describes a state that was written to a file.
pub fn state(path: &Path, log: &CrashLog, state: &CrashState) -> String {
    format!(
        "{}: the drive {} after the log of {} began, {} of {} slots in its buffer lost{}\n",
        path.display(),
        time(state.at_ns),
        log.header().name,
        state.lost.len(),
        state.volatile_slots,
        marked(&state.mark)
    )
}

fn marked(mark: &str) -> String {
    match mark {
        "" => String::new(),
        mark => format!(", behind the mark {mark:?}"),
    }
}

/// Prints what came of all states.
pub fn trial(options: &Options, log: &CrashLog, trial: &Trial) -> Outcome {
    match options.output_format {
        OutputFormat::Json => screen::print(&json(options, log, trial)?),
        OutputFormat::Normal => screen::print(&in_words(options, log, trial)),
    }
}

fn json(options: &Options, log: &CrashLog, trial: &Trial) -> Result<String, Failure> {
    let failures = trial.tried.iter().filter_map(|tried| {
        Some(Failed {
            state: tried.name.to_string(),
            at_ns: tried.at_ns,
            mark: &tried.mark,
            lost_slots: tried.lost_slots,
            why: tried.why.as_deref()?,
        })
    });
    // The list is counted as well as written, so it is collected once.
    let failures: Vec<Failed<'_>> = failures.collect();
    let smallest = trial.smallest.as_ref().map(|smallest| Smallest {
        state: smallest.name.to_string(),
        at_ns: smallest.state.at_ns,
        mark: &smallest.state.mark,
        why: &smallest.why,
        lost_writes: smallest.writes().len(),
        lost: smallest.lost.iter().map(Lost::of).collect(),
        checks: smallest.checks,
        comes_and_goes: smallest.comes_and_goes,
        kept: &trial.kept,
    });
    screen::json(&All {
        log: options.log(),
        held: LogSummary::of(log),
        seed: options.seed,
        at: at_in_words(&options.at),
        states: trial.tried.len(),
        failed: failures.len(),
        failures,
        reasons: reasons(&trial.tried),
        marks: marks(&trial.tried),
        smallest,
    })
}

fn in_words(options: &Options, log: &CrashLog, trial: &Trial) -> String {
    let mut text = log_in_words(options.log(), log);
    let failed = trial.tried.iter().filter(|tried| !tried.passes()).count();
    let _ = match options.state {
        Some(name) => writeln!(text, "tried    the state {name}"),
        None => writeln!(
            text,
            "tried    {} states {}, seed {}",
            grouped(trial.tried.len() as u64),
            at_in_words(&options.at),
            options.seed
        ),
    };
    let _ = writeln!(text, "failed   {}", grouped(failed as u64));
    if let Some(smallest) = &trial.smallest {
        if failed > 1 {
            text += &groups::in_words(&trial.tried);
        }
        text += &smallest_in_words(smallest);
        let again = again(options, smallest.name);
        let _ = writeln!(text, "kept     {}\nagain    {again}", trial.kept.display());
    }
    text
}

/// The command that tries a state again.
fn again(options: &Options, state: Name) -> String {
    let quoted =
        |text: &str| shlex::try_quote(text).map_or(text.to_owned(), |text| text.into_owned());
    let fs = options.fs.map(|fs| format!(" --fs {}", fs.name()));
    format!(
        "ftlab crash {}{} --check {} --state {state}",
        quoted(&options.log().to_string_lossy()),
        fs.unwrap_or_default(),
        quoted(options.check.as_deref().unwrap_or_default())
    )
}

/// The smallest state that fails, and what of it is lost.
fn smallest_in_words(smallest: &shrink::Smallest) -> String {
    let (state, name) = (&smallest.state, smallest.name);
    let mut text = format!(
        "first    {name}: {} after the log began{}: {}\n",
        time(state.at_ns),
        marked(&state.mark),
        smallest.why
    );
    if smallest.comes_and_goes {
        text += "         the checker passed the same state when it was asked again: it depends on something else, too\n";
    }
    let (few, all) = (smallest.writes().len(), shrink::writes(&state.lost).len());
    let _ = match few {
        0 => writeln!(
            text,
            "smallest it fails though no write is lost: what it misses had not been written to the drive"
        ),
        _ => writeln!(text, "smallest {few} of {all} lost writes are enough:"),
    };
    for slot in smallest.lost.iter().take(SHOWN_MAX) {
        let _ = writeln!(text, "         {}", lost_in_words(slot, state.at_ns));
    }
    if let Some(more @ 1..) = smallest.lost.len().checked_sub(SHOWN_MAX) {
        let _ = writeln!(text, "         and {more} more");
    }
    text += match few {
        0 => {
            "remedy   fsync the file before the program goes on, and the folder of a file that is new or renamed\n"
        }
        _ => "remedy   flush between these writes and what relies on them: fsync or fdatasync\n",
    };
    text
}

fn lost_in_words(slot: &LostSlot, cut_ns: u64) -> String {
    let (bytes, at) = (slot.data.len(), slot.offset_bytes);
    let before = time(cut_ns.saturating_sub(slot.write.at_ns));
    let how = match slot.is_torn {
        true => "torn",
        false => "lost",
    };
    match slot.write.number {
        0 => format!("{bytes} bytes at {at} are back, trimmed {before} before the cut"),
        number => {
            format!("{bytes} bytes at {at} {how}, written {before} before the cut (write {number})")
        }
    }
}

/// A verdict on each state, for programs of tests.
pub fn junit(log: &Path, trial: &Trial) -> String {
    let run = log.display().to_string();
    let verdicts = trial.tried.iter();
    let verdicts = verdicts.map(|tried| Judgement {
        run: run.clone(),
        required: tried.name.to_string(),
        measured: tried.why.clone().unwrap_or_default(),
        margin_pct: None,
        finding: Finding::of(Some(tried.passes())),
    });
    junit::xml(&verdicts.collect::<Vec<_>>())
}
