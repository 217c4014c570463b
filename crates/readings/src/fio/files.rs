//! Files of fio's: which of their jobs ran together, and which logs are of them.

use super::document::documents;
use super::logged::{Log, logged};
use super::output::{Direction, FioJob, Output};
use super::run::{clones, option, run};
use crate::error::ReadingError;
use crate::left::Ledger;
use crate::source::Source;
use ftlab_result::{Run, Warning};
use std::collections::BTreeMap;

/// The most that a file of JSON has: json+ of a thousand jobs is some tens of megabytes.
const BYTES_MAX: u64 = 256 << 20;

const WHAT: &str = "what `fio --output-format=json` writes";

/// Names of jobs in the name of a test, at most.
const NAMES_MAX: usize = 2;

/// Files of fio's that belong together.
#[derive(Debug, Default)]
pub(crate) struct Files {
    /// Outputs, each with its file and its number in it, from 0, and how many that file has.
    outputs: Vec<(Source, usize, usize, Output)>,
    logs: Vec<Log>,
}

/// Jobs that ran together.
#[derive(Debug)]
pub(crate) struct Measured {
    /// Its name, which no other of the same files may have.
    pub name: String,
    /// The file that it is from.
    pub source: Source,
    /// The jobs.
    pub jobs: Vec<FioJob>,
    /// Options of the global section.
    pub global: BTreeMap<String, String>,
    /// fio's version.
    pub version: Option<String>,
    /// What ftlab says beside.
    pub ftlab: Option<serde_json::Value>,
    /// As a run of results, without names.
    pub run: Run,
}

/// Jobs of an output that ran together, with the numbers of their first thread and of the one behind the last.
struct Part {
    jobs: Vec<FioJob>,
    threads: std::ops::Range<u32>,
}

impl Files {
    /// Takes in a file: a log by its name, JSON by what is in it.
    pub fn add(&mut self, source: &Source, ledger: &mut Ledger) -> Result<(), ReadingError> {
        if let Some(log) = Log::of(source) {
            self.logs.push(log);
            return Ok(());
        }
        let text = source.read(BYTES_MAX, WHAT)?;
        self.add_text(source, &text, ledger)
    }

    /// Takes in a text of a file that holds JSON of fio's.
    pub fn add_text(
        &mut self,
        source: &Source,
        text: &str,
        ledger: &mut Ledger,
    ) -> Result<(), ReadingError> {
        let wrong = |why: String| ReadingError::new(&source.name, why);
        let documents = documents(text).map_err(wrong)?;
        let mut outputs: Vec<Output> = Vec::new();
        for document in documents {
            if source.is_found && !Output::is_in(&document) {
                ledger.note(source.file_name(), &source.name, "JSON that is not fio's");
                continue;
            }
            let output = Output::of(document, &source.name, ledger).map_err(wrong)?;
            match outputs
                .last_mut()
                .filter(|before| is_later_state(before, &output))
            {
                Some(before) => {
                    *before = output;
                    ledger.note(
                        "a document",
                        &source.name,
                        "an earlier state of the same run (--status-interval)",
                    );
                }
                None => outputs.push(output),
            }
        }
        let count = outputs.len();
        let each = outputs.into_iter().enumerate();
        self.outputs
            .extend(each.map(|(n, output)| (source.clone(), n, count, output)));
        Ok(())
    }
}

/// What fio has written again while it ran: the later document is of jobs that began before the earlier was written.
fn is_later_state(before: &Output, now: &Output) -> bool {
    const ROUNDED_MS: u64 = 1500;
    let names = |of: &Output| -> Vec<(String, u32)> {
        of.jobs
            .iter()
            .map(|job| (job.name.clone(), job.group))
            .collect()
    };
    let (Some(was), Some(is)) = (before.at_ms, now.at_ms) else {
        return false;
    };
    let ran_ms = (super::run::seconds_of_groups(&now.jobs) * 1e3) as u64;
    names(before) == names(now) && is.saturating_sub(was) + ROUNDED_MS < ran_ms
}

/// What was measured, in the order of the files: jobs that ran together are one; logs that belong to no JSON are one for
/// each of their names.
pub(crate) fn measured(
    mut files: Files,
    ledger: &mut Ledger,
) -> Result<Vec<Measured>, ReadingError> {
    let mut all = Vec::new();
    let is_only = files.outputs.len() == 1;
    for (source, n, count, output) in std::mem::take(&mut files.outputs) {
        let parts = parts(&output);
        let (is_one, unit_ns) = (parts.len() == 1, output.unit_ns());
        for part in parts {
            let mut name = source.stem().to_owned();
            if count > 1 {
                name += &format!("-{}", n + 1);
            }
            if !is_one {
                name += &format!("-{}", names(&part.jobs));
            }
            let is_own = |log: &mut Log| {
                belongs(log, &source, &output.global, &part)
                    || (is_only && is_one && is_nameless(&part))
            };
            let logs: Vec<Log> = files.logs.extract_if(.., is_own).collect();
            let window_ms = window_ms(&part.jobs, &output.global);
            let (course, _) = logged(&logs, window_ms, unit_ns, ledger)?;
            let seconds = part.jobs.iter().map(FioJob::seconds).fold(0.0, f64::max);
            let run = Run {
                warnings: part.jobs.iter().filter_map(warning).collect(),
                notes: notes(&part.jobs, &logs),
                ..run(&part.jobs, &output.global, seconds, &course)
            };
            all.push(Measured {
                name,
                source: source.clone(),
                jobs: part.jobs,
                global: output.global.clone(),
                version: output.version.clone(),
                ftlab: output.ftlab.clone(),
                run,
            });
        }
    }
    while let Some(first) = files.logs.first() {
        let (folder, prefix) = (first.folder.clone(), first.prefix.clone());
        let same = |log: &mut Log| log.folder == folder && log.prefix == prefix;
        let logs: Vec<Log> = files.logs.extract_if(.., same).collect();
        all.extend(of_logs(&logs, ledger)?);
    }
    Ok(all)
}

/// What logs say of a run whose JSON is not there; nothing if they have no amounts.
fn of_logs(logs: &[Log], ledger: &mut Ledger) -> Result<Option<Measured>, ReadingError> {
    let (course, latencies) = logged(logs, None, None, ledger)?;
    let first = &logs[0];
    let intervals = course.ios.iter().chain(&course.bytes).map(Vec::len).max();
    let seconds = intervals.unwrap_or(0) as f64 * course.interval_s;
    if seconds == 0.0 {
        let why = "without the JSON of their run or its logs of bandwidth and requests, latencies are of no use";
        for log in logs {
            ledger.note(log.source.file_name(), &log.source.name, why);
        }
        return Ok(None);
    }
    let sum = |of: &[f64]| of.iter().sum::<f64>().round() as u64;
    let mut directions = (0..)
        .zip(latencies)
        .map(|(kind, latency): (usize, _)| Direction {
            io_bytes: sum(&course.bytes[kind]),
            total_ios: sum(&course.ios[kind]),
            runtime_ms: (seconds * 1e3) as u64,
            latency,
            ..Direction::default()
        });
    let mut next = || directions.next().unwrap_or_default();
    let job = FioJob {
        name: first.prefix.clone(),
        read: next(),
        write: next(),
        trim: next(),
        ..FioJob::default()
    };
    let global = BTreeMap::new();
    let run = Run {
        notes: vec![format!(
            "All numbers are from {} logs of fio's, as its JSON was not there.",
            logs.len()
        )],
        ..run(std::slice::from_ref(&job), &global, seconds, &course)
    };
    Ok(Some(Measured {
        name: first.prefix.clone(),
        source: first.source.clone(),
        jobs: vec![job],
        global,
        version: None,
        ftlab: None,
        run,
    }))
}

/// Jobs of an output that ran together: a group, and groups behind it that did not wait for it.
fn parts(output: &Output) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut thread = 1;
    for job in &output.jobs {
        let has = |name: &str| option(job, &output.global, &[name]).is_some();
        let beside = has("new_group") && !has("stonewall") && !has("wait_for_previous");
        let threads = clones(job, &output.jobs, &output.global);
        let (first, next) = (thread, thread + threads);
        thread = next;
        match parts.last_mut() {
            Some(part) if beside || part.jobs.iter().any(|other| other.group == job.group) => {
                part.jobs.push(job.clone());
                part.threads.end = next;
            }
            _ => parts.push(Part {
                jobs: vec![job.clone()],
                threads: first..next,
            }),
        }
    }
    parts
}

/// Names of jobs, each once.
fn names(jobs: &[FioJob]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for job in jobs {
        if !names.contains(&job.name.as_str()) {
            names.push(&job.name);
        }
    }
    let more = names.len().saturating_sub(NAMES_MAX);
    names.truncate(NAMES_MAX);
    match more {
        0 => names.join("-"),
        more => format!("{}-and-{more}-more", names.join("-")),
    }
}

/// True if a log is of a thread of the part: by the name that the part's options give, beside the output.
fn belongs(log: &Log, source: &Source, global: &BTreeMap<String, String>, part: &Part) -> bool {
    let is_named = part.jobs.iter().any(|job| {
        let named = option(job, global, &[log.kind.option()]);
        let named = named.map(|name| match name.is_empty() {
            true => job.name.as_str(),
            false => name.rsplit('/').next().unwrap_or(name),
        });
        named == Some(log.prefix.as_str())
    });
    let is_of_thread = log.job.is_none_or(|thread| part.threads.contains(&thread));
    // Folders of a tool have logs of the same names; files that the user named belong together wherever they are.
    let is_beside = !log.source.is_found || source.path.parent() == Some(log.folder.as_path());
    is_named && is_of_thread && is_beside
}

/// True if nothing says what logs are called.
fn is_nameless(part: &Part) -> bool {
    part.jobs.iter().all(|job| job.options.is_empty())
}

/// The window of means that jobs were asked to log; none where they were asked for none, or for different ones.
fn window_ms(jobs: &[FioJob], global: &BTreeMap<String, String>) -> Option<u64> {
    let of = |job| option(job, global, &["log_avg_msec"])?.parse().ok();
    let first: u64 = of(jobs.first()?)?;
    (first > 0 && jobs.iter().all(|job| of(job) == Some(first))).then_some(first)
}

fn warning(job: &FioJob) -> Option<Warning> {
    let error = i32::try_from(job.error).ok().filter(|error| *error != 0)?;
    let why = std::io::Error::from_raw_os_error(error);
    Some(Warning {
        saw: format!("Job {} ended with an error: {why}.", job.name),
        why: "Its figures are of what it did until then.".to_owned(),
        option: "Measure it again, or leave its file out.".to_owned(),
    })
}

fn notes(jobs: &[FioJob], logs: &[Log]) -> Vec<String> {
    let mut notes = Vec::new();
    let directions = || jobs.iter().flat_map(FioJob::directions);
    if directions().any(|of| of.is_of_clat) {
        notes.push(
            "Percentiles are of the time from the submission to the completion of a request (fio's clat); mean and longest \
             latency are of all of its time where fio says them."
                .to_owned(),
        );
    }
    let timed = directions().filter(|of| of.latency.count() > 0);
    if timed.clone().count() > 1 && timed.clone().any(|of| !of.latency.has_bins()) {
        notes.push(
            "Kinds of requests, or jobs, have percentiles of their own and no bins, so those of all together are not known; measure with \
             --output-format=json+ or group_reporting."
                .to_owned(),
        );
    }
    if !logs.is_empty() {
        notes.push(format!("The course is from {} logs of fio's.", logs.len()));
    }
    notes
}
