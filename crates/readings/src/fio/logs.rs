//! fio's logs of bandwidth, of requests and of latencies: which file is which, and the course of a run that they give.

use super::latency::per_second;
use super::rates::{Rates, Unit};
use crate::object::COUNT_MAX;
use ftlab_result::{LatencyCourse, PerSecond};
use std::io::{self, BufRead};

/// Kinds of request in a run, in fio's order: reads, writes, trims.
pub const KINDS: usize = 3;

/// What a log is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogKind {
    /// Amounts of data.
    Bandwidth,
    /// Numbers of requests.
    Iops,
    /// Latencies from the beginning of a request.
    Latency,
    /// Latencies from the submission on.
    Completion,
    /// Latencies up to the submission.
    Submission,
    /// Histograms of latencies from the submission on.
    Histogram,
}

impl LogKind {
    /// Every kind, by the end of the names of its files. `_clat_hist` comes before `_clat`.
    const ENDS: [(&'static str, LogKind); 6] = [
        ("_clat_hist", LogKind::Histogram),
        ("_bw", LogKind::Bandwidth),
        ("_iops", LogKind::Iops),
        ("_clat", LogKind::Completion),
        ("_slat", LogKind::Submission),
        ("_lat", LogKind::Latency),
    ];

    /// The option of fio's that writes such logs.
    #[must_use]
    pub const fn option(self) -> &'static str {
        match self {
            LogKind::Bandwidth => "write_bw_log",
            LogKind::Iops => "write_iops_log",
            LogKind::Latency | LogKind::Completion | LogKind::Submission => "write_lat_log",
            LogKind::Histogram => "write_hist_log",
        }
    }
}

/// The parts of a log's name: `PREFIX_bw.2.log` is of the second job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogName<'a> {
    /// What its option gave.
    pub prefix: &'a str,
    /// What it is of.
    pub kind: LogKind,
    /// The number of its job, from 1; none where jobs share a file.
    pub job: Option<u32>,
}

impl<'a> LogName<'a> {
    /// Reads the name of a file; none if it is no log's.
    #[must_use]
    pub fn of(name: &'a str) -> Option<LogName<'a>> {
        let stem = name.strip_suffix(".log")?;
        let (stem, job) = match stem.rsplit_once('.') {
            Some((before, number)) => match number.parse() {
                Ok(number) => (before, Some(number)),
                Err(_) => (stem, None),
            },
            None => (stem, None),
        };
        let mut ends = LogKind::ENDS.into_iter();
        ends.find_map(|(end, kind)| {
            let prefix = stem.strip_suffix(end)?;
            Some(LogName { prefix, kind, job })
        })
    }
}

/// A line of a log: when, how much, of which kind of request, of how many bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Milliseconds since its job began, or since 1970.
    pub ms: u64,
    /// In the unit of its log.
    pub value: u64,
    /// 0 for reads, 1 for writes, 2 for trims.
    pub kind: usize,
    /// Bytes of the request; 0 in the means of later versions.
    pub bytes: u64,
}

/// The latest that anything is logged: thirty days.
pub const MS_MAX: u64 = 30 * 24 * 3600 * 1000;

/// Checks a time of a log's.
///
/// # Errors
/// When no job lasts that long: in words.
pub fn checked_ms(ms: u64) -> Result<u64, String> {
    if ms <= MS_MAX {
        return Ok(ms);
    }
    Err(format!(
        "its time is {ms} ms, later than thirty days after the start; take logs with log_unix_epoch=0"
    ))
}

/// Hands out the lines of a log; an error names the line.
///
/// # Errors
/// When a line is none of fio's, or cannot be read.
pub fn lines(
    from: impl BufRead,
    mut each: impl FnMut(&str) -> Result<(), String>,
) -> Result<(), String> {
    for (number, line) in from.lines().enumerate() {
        let at = |why: String| format!("line {}: {why}", number + 1);
        let line = line.map_err(|error: io::Error| at(error.to_string()))?;
        if !line.trim().is_empty() {
            each(&line).map_err(at)?;
        }
    }
    Ok(())
}

/// Reads a line of a log of bandwidth, requests or latencies.
///
/// # Errors
/// When it is none: in words.
pub fn entry(line: &str) -> Result<Entry, String> {
    let entry = clocked(line)?;
    Ok(Entry {
        ms: checked_ms(entry.ms)?,
        ..entry
    })
}

/// The same of a line whose time may be that of the clock.
fn clocked(line: &str) -> Result<Entry, String> {
    let mut fields = line.split(',').map(str::trim);
    let mut number = |what: &str| -> Result<u64, String> {
        let field = fields.next().unwrap_or_default();
        let number = field.parse().ok().filter(|number| *number <= COUNT_MAX);
        number.ok_or_else(|| {
            format!("{field:?} stands where {what} belongs in `time, value, kind, bytes`; is the log cut off?")
        })
    };
    let (ms, value, kind) = (
        number("a time in ms")?,
        number("a value")?,
        number("a kind of request")?,
    );
    if kind >= KINDS as u64 {
        return Err(format!(
            "its third number is {kind}, and kinds of request are 0, 1 and 2; logs with log_window_value=both are not read"
        ));
    }
    Ok(Entry {
        ms,
        value,
        kind: kind as usize,
        bytes: number("a size in bytes").unwrap_or(0),
    })
}

/// The course of a run: amounts in each interval, by kind of request, and latencies.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Course {
    /// Length of an interval in seconds; 0 without any.
    pub interval_s: f64,
    /// Bytes moved.
    pub bytes: [Vec<f64>; KINDS],
    /// Requests completed.
    pub ios: [Vec<f64>; KINDS],
    /// Percentiles over time.
    pub latencies: [Option<LatencyCourse>; KINDS],
}

impl Course {
    /// The course of jobs that logged means of a second each, by their logs of bandwidth and of requests. Their times are of the
    /// clock, as each of several jobs counts others from its own beginning.
    ///
    /// # Errors
    /// When one is no such log.
    pub fn of_seconds(bandwidth: impl BufRead, iops: impl BufRead) -> Result<Course, String> {
        let (bandwidth, iops) = (entries(bandwidth)?, entries(iops)?);
        let first_ms = bandwidth.iter().chain(&iops).map(|of| of.ms).min();
        let start_ms = first_ms.unwrap_or_default().saturating_sub(WINDOW_MS);
        Ok(Course {
            interval_s: 1.0,
            bytes: seconds(&bandwidth, start_ms, Unit::Data)?,
            ios: seconds(&iops, start_ms, Unit::Requests)?,
            latencies: Default::default(),
        })
    }

    /// All kinds together.
    #[must_use]
    pub fn all(of: &[Vec<f64>; KINDS]) -> Vec<u64> {
        let length = of.iter().map(Vec::len).max().unwrap_or(0);
        let sum = |n: usize| of.iter().filter_map(|kind| kind.get(n)).sum::<f64>();
        (0..length).map(|n| sum(n).round() as u64).collect()
    }

    /// The rate of a kind second by second; none where intervals are longer.
    #[must_use]
    pub fn per_second(&self, kind: usize) -> Option<PerSecond> {
        let is_of_seconds = self.interval_s == 1.0;
        per_second(&self.ios[kind], &self.bytes[kind]).filter(|_| is_of_seconds)
    }
}

/// Length of the windows of logs that a measurement has fio write.
const WINDOW_MS: u64 = 1000;

fn entries(from: impl BufRead) -> Result<Vec<Entry>, String> {
    let mut entries = Vec::new();
    lines(from, |line| {
        entries.push(clocked(line)?);
        Ok(())
    })?;
    Ok(entries)
}

fn seconds(entries: &[Entry], start_ms: u64, unit: Unit) -> Result<[Vec<f64>; KINDS], String> {
    let mut rates = Rates::of_means(WINDOW_MS);
    for entry in entries {
        let ms = checked_ms(entry.ms.saturating_sub(start_ms))?;
        rates.add(Entry { ms, ..*entry });
    }
    Ok(rates.amounts(1, unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_logs_have_parts() {
        let of = |name| LogName::of(name).map(|of| (of.prefix, of.kind, of.job));
        assert_eq!(
            of("a_b_bw.12.log"),
            Some(("a_b", LogKind::Bandwidth, Some(12)))
        );
        assert_eq!(
            of("a_clat_hist.1.log"),
            Some(("a", LogKind::Histogram, Some(1)))
        );
        assert_eq!(of("x.y_lat.log"), Some(("x.y", LogKind::Latency, None)));
        assert_eq!((of("fio.log"), of("a_bw.1.txt")), (None, None));
    }

    #[test]
    fn a_line_that_is_none_is_said_with_its_number() {
        let why = |text: &str| lines(text.as_bytes(), |line| entry(line).map(drop)).unwrap_err();
        assert!(why("1, 2, 0, 4096\n\n1000, 3").starts_with("line 3: \"\" stands where a kind"));
        assert!(why("1000, 5, 9, 0, 0").contains("log_window_value"));
        assert!(why("1764892800000, 5, 0, 0").contains("log_unix_epoch=0"));
        assert!(why("note").contains("a time in ms"));
    }

    #[test]
    fn courses_add_up_kinds_and_have_extremes_by_the_second() {
        let bandwidth = "1000, 4, 0, 0\n1000, 8, 1, 0\n2000, 12, 0, 0\n";
        let iops = "1000, 1, 0, 0\n1000, 2, 1, 0\n2000, 3, 0, 0\n";
        let course = Course::of_seconds(bandwidth.as_bytes(), iops.as_bytes()).unwrap();
        assert_eq!(Course::all(&course.bytes), [12 << 10, 12 << 10]);
        assert_eq!(Course::all(&course.ios), [3, 3]);
        let reads = course.per_second(0).unwrap();
        assert_eq!(
            (reads.seconds, reads.ios.max, reads.bytes.min),
            (2, 3.0, 4096.0)
        );
        assert_eq!(course.per_second(2), None);
    }

    #[test]
    fn jobs_that_follow_one_another_do_so_in_their_course() {
        // Two seconds, three of rest, and two seconds of another job.
        let bandwidth = "1764892801000, 10, 1, 0\n1764892802000, 20, 1, 0\n\
                         1764892806000, 30, 1, 0\n1764892807000, 40, 1, 0\n";
        let course = Course::of_seconds(bandwidth.as_bytes(), "".as_bytes()).unwrap();
        let kib = [10, 20, 0, 0, 0, 30, 40];
        assert_eq!(Course::all(&course.bytes), kib.map(|kib| kib << 10));
    }
}
