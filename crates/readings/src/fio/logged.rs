//! The course of a run, from the logs that are of it.

use super::courses::Courses;
use super::latency::Latency;
use super::logs::{Course, KINDS, LogKind, LogName, entry, lines};
use super::rates::{Rates, Unit};
use crate::error::ReadingError;
use crate::left::Ledger;
use crate::source::Source;
use std::io::BufRead;
use std::path::{Path, PathBuf};

/// Kinds of logs that a course of latencies may be from, the best first.
const OF_LATENCIES: [LogKind; 3] = [LogKind::Latency, LogKind::Histogram, LogKind::Completion];

/// A log, and where it belongs.
#[derive(Debug)]
pub struct Log {
    /// The file.
    pub source: Source,
    /// Its folder.
    pub folder: PathBuf,
    /// The beginning of its name.
    pub prefix: String,
    /// What it is of.
    pub kind: LogKind,
    /// The number of its job; none where jobs share it.
    pub job: Option<u32>,
}

impl Log {
    /// The log that a file is by its name; none if it is none.
    pub fn of(source: &Source) -> Option<Log> {
        let name = LogName::of(source.file_name())?;
        Some(Log {
            folder: source.path.parent().unwrap_or(Path::new("")).to_owned(),
            prefix: name.prefix.to_owned(),
            kind: name.kind,
            job: name.job,
            source: source.clone(),
        })
    }

    fn each(&self, each: impl FnMut(&str) -> Result<(), String>) -> Result<(), ReadingError> {
        let read = lines(self.source.open()?, each);
        read.map_err(|why| ReadingError::new(&self.source.name, why))
    }

    /// True if its lines are means over windows, which say no size.
    fn is_of_means(&self) -> Result<bool, ReadingError> {
        let mut first = String::new();
        let read = self.source.open()?.read_line(&mut first);
        let read = read
            .map_err(|error| error.to_string())
            .and_then(|_| match first.trim() {
                "" => Ok(true),
                line => entry(line).map(|entry| entry.bytes == 0),
            });
        read.map_err(|why| ReadingError::new(&self.source.name, format!("line 1: {why}")))
    }
}

/// Reads the logs of a run: its course, and all latencies of each kind of request. Values of latencies are in units of
/// `unit_ns`, if that is known; means are over windows of `window_ms`, if that is.
///
/// # Errors
/// When one is no log of fio's.
pub fn logged(
    logs: &[Log],
    window_ms: Option<u64>,
    unit_ns: Option<u64>,
    ledger: &mut Ledger,
) -> Result<(Course, [Latency; KINDS]), ReadingError> {
    let of = |kind: LogKind| logs.iter().filter(move |log| log.kind == kind);
    let rates = |kind| -> Result<Vec<Rates>, ReadingError> {
        of(kind).map(|log| rates(log, window_ms)).collect()
    };
    let (bandwidth, iops) = (rates(LogKind::Bandwidth)?, rates(LogKind::Iops)?);
    let mut course = Course::default();
    let all = bandwidth.iter().chain(&iops);
    if let Some(interval_s) = all.map(Rates::least_interval_s).max() {
        course.interval_s = interval_s as f64;
        course.bytes = summed(&bandwidth, interval_s, Unit::Data);
        course.ios = summed(&iops, interval_s, Unit::Requests);
    }
    let mut courses = Courses::default();
    let mut chosen = None;
    for log in OF_LATENCIES.into_iter().flat_map(of) {
        let is_other = chosen.is_some_and(|kind| kind != log.kind);
        match refusal(log, is_other, unit_ns)? {
            Some(why) => ledger.note(log.source.file_name(), &log.source.name, why),
            None => {
                latencies(log, &mut courses, unit_ns)?;
                chosen = Some(log.kind);
            }
        }
    }
    for log in of(LogKind::Submission) {
        let name = log.source.file_name();
        ledger.note(name, &log.source.name, "latencies up to the submission");
    }
    let whole = std::array::from_fn(|kind| courses.whole(kind));
    course.latencies = courses.finish();
    Ok((course, whole))
}

/// Why the course of latencies is not from a log; nothing if it is.
fn refusal(
    log: &Log,
    is_other: bool,
    unit_ns: Option<u64>,
) -> Result<Option<&'static str>, ReadingError> {
    if log.kind != LogKind::Histogram && log.is_of_means()? {
        return Ok(Some("means of latencies, where a course is of percentiles"));
    }
    if is_other {
        return Ok(Some("another log has the course of latencies"));
    }
    let is_unknown = log.kind != LogKind::Histogram && unit_ns.is_none();
    Ok(is_unknown.then_some(
        "latencies of fio 2 are in microseconds and of fio 3 in nanoseconds: give the JSON of the run beside its logs",
    ))
}

fn rates(log: &Log, window_ms: Option<u64>) -> Result<Rates, ReadingError> {
    let mut rates = window_ms.map_or_else(Rates::default, Rates::of_means);
    log.each(|line| {
        rates.add(entry(line)?);
        Ok(())
    })?;
    Ok(rates)
}

fn summed(of: &[Rates], interval_s: u64, unit: Unit) -> [Vec<f64>; KINDS] {
    let mut sums: [Vec<f64>; KINDS] = Default::default();
    for rates in of {
        for (sum, amounts) in sums.iter_mut().zip(rates.amounts(interval_s, unit)) {
            sum.resize(sum.len().max(amounts.len()), 0.0);
            for (sum, amount) in sum.iter_mut().zip(amounts) {
                *sum += amount;
            }
        }
    }
    sums
}

fn latencies(log: &Log, courses: &mut Courses, unit_ns: Option<u64>) -> Result<(), ReadingError> {
    courses.begin_file();
    log.each(|line| match log.kind {
        LogKind::Histogram => courses.add_histogram(line),
        _ => {
            courses.add(entry(line)?, unit_ns.unwrap_or(1));
            Ok(())
        }
    })
}
