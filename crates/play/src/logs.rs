//! Logs of a job's requests, in the words and columns of fio: what `write_bw_log` and its like ask for.
//!
//! A line is `time, value, kind, block size, priority`: milliseconds since the job's statistics begin, 0 for a read, 1 for
//! a write and 2 for a trim, bytes of the request, and 0. With `log_avg_msec` a line is of a span of time, at whose end it
//! stands, and its block size is 0. Histograms (`write_hist_log`) have columns of their own. As in fio, a last span that is not full has a line of latencies and none of rates.

mod histogram;

pub(crate) use histogram::{bin, middle_ns};

use ftlab_base::{CommandKind, Nanos};
use ftlab_workload::{JobSpec, Log, Logs};
use histogram::Histograms;
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

/// Requests of one kind: one of them, or those of a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    kind: CommandKind,
    /// Time at which it was answered, or the span ended, since the job's statistics begin.
    at: Nanos,
    ios: u64,
    bytes: u64,
    /// The sum over all of them.
    latency: Nanos,
    longest: Nanos,
}

impl Entry {
    const fn none(kind: CommandKind) -> Entry {
        Entry {
            kind,
            at: Nanos::ZERO,
            ios: 0,
            bytes: 0,
            latency: Nanos::ZERO,
            longest: Nanos::ZERO,
        }
    }

    fn add(&mut self, bytes: u64, latency: Nanos) {
        self.ios += 1;
        self.bytes += bytes;
        self.latency += latency;
        self.longest = self.longest.max(latency);
    }
}

/// Kinds of request that have lines, in fio's order.
const KINDS: [CommandKind; 3] = [CommandKind::Read, CommandKind::Write, CommandKind::Trim];

/// The requests of a job, or their sums over spans of time, for its logs.
#[derive(Debug, Clone)]
pub struct JobLog {
    job: String,
    /// Among the jobs of its file, from 1.
    number: usize,
    asked: Logs,
    entries: Vec<Entry>,
    /// The span that is not over, by kind, and its number.
    open: [Entry; 3],
    span: u64,
    histograms: Histograms,
    /// True if it asks for more than histograms.
    has_lines: bool,
}

impl JobLog {
    /// The log of a job that asks for one.
    pub(crate) fn of(spec: &JobSpec) -> Option<JobLog> {
        let asks = spec.logs.any();
        asks.then(|| JobLog {
            job: spec.name.clone(),
            number: spec.index + 1,
            asked: spec.logs.clone(),
            entries: Vec::new(),
            open: KINDS.map(Entry::none),
            span: 0,
            histograms: Histograms::of(&spec.logs),
            has_lines: spec.logs.names.keys().any(|log| *log != Log::Histogram),
        })
    }

    /// Forgets what it has: the statistics begin anew.
    pub(crate) fn restart(&mut self) {
        self.entries.clear();
        self.open = KINDS.map(Entry::none);
        self.span = 0;
        self.histograms = Histograms::of(&self.asked);
    }

    /// Takes a request that was answered so long after the statistics began; they come in the order of time.
    pub(crate) fn record(&mut self, kind: CommandKind, bytes: u64, latency: Nanos, at: Nanos) {
        let Some(place) = KINDS.iter().position(|&of| of == kind) else {
            return;
        };
        self.histograms.record(place, bytes, latency, at);
        if !self.has_lines {
            return;
        }
        if self.asked.average == Nanos::ZERO {
            let mut entry = Entry {
                at,
                ..Entry::none(kind)
            };
            entry.add(bytes, latency);
            self.entries.push(entry);
            return;
        }
        let span = at.0 / self.asked.average.0;
        if span > self.span {
            self.close(Nanos(self.asked.average.0 * (self.span + 1)));
            self.span = span;
        }
        self.open[place].add(bytes, latency);
    }

    /// Bytes written in each span of `log_avg_msec`, or by each request, and when it ended; spans without any are left out.
    pub fn written(&self) -> impl Iterator<Item = (Nanos, u64)> {
        let writes = |entry: &&Entry| entry.kind == CommandKind::Write;
        let entries = self.entries.iter().filter(writes);
        entries.map(|entry| (entry.at, entry.bytes))
    }

    /// The statistics have ended, after so long.
    pub(crate) fn end(&mut self, measured: Nanos) {
        if self.asked.average > Nanos::ZERO {
            let ends = self.asked.average.0.saturating_mul(self.span + 1);
            self.close(measured.min(Nanos(ends)));
        }
    }

    /// The open span ends.
    fn close(&mut self, at: Nanos) {
        let open = std::mem::replace(&mut self.open, KINDS.map(Entry::none));
        let some = open.into_iter().filter(|entry| entry.ios > 0);
        self.entries.extend(some.map(|entry| Entry { at, ..entry }));
    }

    /// The names of its files and what is in each.
    fn files(&self) -> impl Iterator<Item = (String, Content)> {
        let contents = self.asked.names.iter().flat_map(|(log, name)| {
            let name = if name.is_empty() { &self.job } else { name };
            let of_log: &[Content] = match log {
                Log::Bandwidth => &[Content::Bandwidth],
                Log::Iops => &[Content::Iops],
                Log::Latency => &[
                    Content::Latency("lat"),
                    Content::Latency("clat"),
                    Content::Submission,
                ],
                Log::Histogram => &[Content::Histogram],
            };
            of_log.iter().map(move |content| (name, *content))
        });
        contents.map(|(name, content)| {
            // The name may be that of a section, which may be anything.
            let name = name.replace(std::path::is_separator, "-");
            let word = content.word();
            let file = match self.asked.of_each_job {
                true => format!("{name}_{word}.{}.log", self.number),
                false => format!("{name}_{word}.log"),
            };
            (file, content)
        })
    }

    fn write(&self, content: Content, out: &mut dyn io::Write) -> io::Result<()> {
        if content == Content::Histogram {
            return self.histograms.write(out);
        }
        let is_of_spans = self.asked.average > Nanos::ZERO;
        for entry in &self.entries {
            let value = match is_of_spans {
                true => self.value_of_span(content, entry),
                false => value_of_request(content, entry),
            };
            let Some(value) = value else {
                continue;
            };
            let ms = entry.at.0 / Nanos::from_millis(1).0;
            let kind = KINDS
                .iter()
                .position(|&of| of == entry.kind)
                .unwrap_or_default();
            let bytes = if is_of_spans { 0 } else { entry.bytes };
            writeln!(out, "{ms}, {value}, {kind}, {bytes}, 0")?;
        }
        Ok(())
    }

    fn value_of_span(&self, content: Content, entry: &Entry) -> Option<u64> {
        let average = self.asked.average.0;
        let is_full = entry.at.0.is_multiple_of(average);
        let a_second = |amount: u64| {
            let amount = u128::from(amount) * 1_000_000_000 / u128::from(average);
            is_full.then_some(u64::try_from(amount).unwrap_or(u64::MAX))
        };
        match content {
            Content::Bandwidth => a_second(entry.bytes).map(|bytes| bytes / 1024),
            Content::Iops => a_second(entry.ios),
            Content::Latency(_) if self.asked.of_longest => Some(entry.longest.0),
            // Rounded.
            Content::Latency(_) => Some((entry.latency.0 + entry.ios / 2) / entry.ios),
            Content::Submission | Content::Histogram => None,
        }
    }
}

fn value_of_request(content: Content, entry: &Entry) -> Option<u64> {
    match content {
        // fio counts in 1000 here, and in 1024 where it takes a mean.
        Content::Bandwidth => {
            let kilobytes =
                u128::from(entry.bytes) * 1_000_000 / u128::from(entry.latency.0.max(1));
            Some(u64::try_from(kilobytes).unwrap_or(u64::MAX))
        }
        Content::Iops => Some(1),
        Content::Latency(_) => Some(entry.latency.0),
        Content::Submission | Content::Histogram => None,
    }
}

/// Contents of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    Bandwidth,
    Iops,
    /// Of the request whole, or of what follows its submission: both are the same here.
    Latency(&'static str),
    /// Times of submission: a request is with the drive when it is made.
    Submission,
    Histogram,
}

impl Content {
    const fn word(self) -> &'static str {
        match self {
            Content::Bandwidth => "bw",
            Content::Iops => "iops",
            Content::Latency(word) => word,
            Content::Submission => "slat",
            Content::Histogram => "clat_hist",
        }
    }
}

/// A file of logs: of one job, or of several one after the other.
#[derive(Debug)]
pub struct LogFile {
    /// fio's name of it.
    pub name: String,
    of: Vec<(Arc<JobLog>, Content)>,
}

impl LogFile {
    /// The files of the logs of jobs, by their names.
    #[must_use]
    pub fn all(logs: &[Arc<JobLog>]) -> Vec<LogFile> {
        let mut files: BTreeMap<String, Vec<(Arc<JobLog>, Content)>> = BTreeMap::new();
        for log in logs {
            for (name, content) in log.files() {
                files
                    .entry(name)
                    .or_default()
                    .push((Arc::clone(log), content));
            }
        }
        let files = files.into_iter();
        files.map(|(name, of)| LogFile { name, of }).collect()
    }

    /// Writes it as text.
    ///
    /// # Errors
    /// When nothing can be written there.
    pub fn write(&self, out: &mut dyn io::Write) -> io::Result<()> {
        for (log, content) in &self.of {
            log.write(*content, out)?;
        }
        out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::{self, Clock};
    use crate::record::Record;
    use ftlab_base::RootSeed;
    use ftlab_drive::fake::Fake;
    use ftlab_workload::JobFile;

    /// Names and texts of the logs of a job file, on a drive that takes 100 µs for a command.
    fn logs(job: &str) -> Vec<(String, String)> {
        let file = JobFile::parse(job, "test.fio").unwrap();
        let report =
            driver::run(&file, &mut Fake::new(1 << 16), Clock::Timed, RootSeed(1)).unwrap();
        let record = Record::of_jobs(&file, &report);
        let text = |file: LogFile| {
            let mut text = Vec::new();
            file.write(&mut text).unwrap();
            (file.name, String::from_utf8(text).unwrap())
        };
        LogFile::all(&record.logs).into_iter().map(text).collect()
    }

    fn named<'a>(logs: &'a [(String, String)], name: &str) -> &'a str {
        let found = logs.iter().find(|(of, _)| of == name);
        &found.unwrap_or_else(|| panic!("no {name} in {logs:?}")).1
    }

    #[test]
    fn each_request_has_a_line_in_fio_columns() {
        let job = "[a]\nrw=write\nbs=8k\nnumber_ios=20\nwrite_bw_log=else/x\nwrite_lat_log\nwrite_iops_log=1\n";
        let logs = logs(job);
        let names: Vec<&str> = logs.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            names,
            [
                "1_iops.1.log",
                "a_clat.1.log",
                "a_lat.1.log",
                "a_slat.1.log",
                "x_bw.1.log"
            ]
        );
        let lines: Vec<&str> = named(&logs, "a_lat.1.log").lines().collect();
        assert_eq!(lines.len(), 20);
        assert_eq!(
            [lines[0], lines[19]],
            ["0, 100000, 1, 8192, 0", "2, 100000, 1, 8192, 0"]
        );
        assert_eq!(named(&logs, "a_clat.1.log"), named(&logs, "a_lat.1.log"));
        assert_eq!(named(&logs, "a_slat.1.log"), "");
        // 8192 bytes in 100 µs.
        assert!(named(&logs, "x_bw.1.log").starts_with("0, 81920, 1, 8192, 0\n"));
        assert!(named(&logs, "1_iops.1.log").starts_with("0, 1, 1, 8192, 0\n"));
    }

    #[test]
    fn spans_have_means_and_rates_and_the_last_one_no_rate() {
        let job = "[a]\nrw=read\nbs=4k\nramp_time=1\nruntime=25ms\ntime_based\nlog_avg_msec=10\nwrite_bw_log\n\
                   write_iops_log\nwrite_lat_log\n";
        let logs = logs(job);
        assert_eq!(
            named(&logs, "a_lat.1.log"),
            "10, 100000, 0, 0, 0\n20, 100000, 0, 0, 0\n25, 100000, 0, 0, 0\n"
        );
        let rates = |text: &str| -> Vec<(u64, u64)> {
            let lines = text
                .lines()
                .map(|line| line.split(", ").map(|n| n.parse().unwrap()).collect());
            lines
                .map(|columns: Vec<u64>| (columns[0], columns[1]))
                .collect()
        };
        // What begins after the ramp is not answered at once: one request less in the first span, at most.
        let iops = rates(named(&logs, "a_iops.1.log"));
        assert_eq!(iops.iter().map(|(ms, _)| *ms).collect::<Vec<_>>(), [10, 20]);
        assert!(
            iops.iter().all(|(_, iops)| (9_900..=10_000).contains(iops)),
            "{iops:?}"
        );
        let bandwidth = rates(named(&logs, "a_bw.1.log"));
        for ((_, iops), (_, kib)) in iops.iter().zip(&bandwidth) {
            assert_eq!(*kib, iops * 4);
        }
    }

    #[test]
    fn the_longest_latency_of_a_span_is_logged_if_asked() {
        let job = "[a]\nrw=read\niodepth=4\nnumber_ios=40\nlog_avg_msec=10\nwrite_lat_log\n";
        let value = |more: &str| -> u64 {
            let logs = logs(&format!("{job}{more}"));
            let line = named(&logs, "a_lat.1.log")
                .lines()
                .next()
                .unwrap()
                .to_owned();
            line.split(", ").nth(1).unwrap().parse().unwrap()
        };
        assert!(
            value("log_max_value=1") > value(""),
            "{} {}",
            value("log_max_value=1"),
            value("")
        );
    }

    #[test]
    fn histograms_have_fios_bins_and_count_every_request_of_a_full_span() {
        let job = "[a]\nrw=rw\nbs=4k\ntime_based\nruntime=25ms\nwrite_hist_log=h\n";
        let lines = |more: &str| -> Vec<Vec<u64>> {
            let logs = logs(&format!("{job}{more}"));
            let text = named(&logs, "h_clat_hist.1.log").lines();
            let number = |word: &str| word.parse().unwrap();
            text.map(|line| line.split(", ").map(number).collect())
                .collect()
        };
        let found = lines("log_hist_msec=10\n");
        // Reads and writes have lines of their own, and the half of a span at the end has none.
        let heads: Vec<(u64, u64, u64)> = found
            .iter()
            .map(|line| (line[0], line[1], line[2]))
            .collect();
        assert_eq!(heads.len(), 4, "{heads:?}");
        for (ms, kind, bytes) in heads {
            assert!(matches!(ms, 10 | 11 | 20 | 21) && kind < 2 && bytes == 4096);
        }
        let ios: u64 = found.iter().flat_map(|line| &line[3..]).sum();
        assert!((198..=212).contains(&ios), "{ios}");
        for line in &found {
            assert_eq!(line.len(), 3 + 1856);
            // 100 µs: 2^16 and more, in steps of 2^10: bin 704 + 33.
            assert_eq!(line[3..].iter().position(|&count| count > 0), Some(737));
        }
        let coarse = lines("log_hist_msec=10\nlog_hist_coarseness=3\n");
        for (line, fine) in coarse.iter().zip(&found) {
            assert_eq!((line.len(), line[3 + 92]), (3 + 232, fine[3 + 737]));
        }
        assert_eq!(lines(""), Vec::<Vec<u64>>::new());
    }

    #[test]
    fn jobs_share_a_file_only_where_they_say_so() {
        let two = |more: &str| {
            logs(&format!(
                "[a]\nrw=read\nnumber_ios=3\nnumjobs=2\nwrite_iops_log=n\n{more}\n"
            ))
        };
        let own = two("");
        let names: Vec<&str> = own.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["n_iops.1.log", "n_iops.2.log"]);
        let shared = two("per_job_logs=0\ngroup_reporting");
        let names: Vec<&str> = shared.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["n_iops.log"]);
        assert_eq!(shared[0].1, own[0].1.clone() + &own[1].1);
    }

    #[test]
    fn a_job_that_asks_for_none_has_none() {
        assert_eq!(logs("[a]\nrw=read\nnumber_ios=3\nlog_avg_msec=10\n"), []);
    }
}
