//! A scenario's run as a result: what each program took, and how often everything stood still.

use crate::driver::ScenarioReport;
use crate::record::{Record, job};
use ftlab_base::Nanos;
use ftlab_result::quantity::{self, Quantity, table};
use ftlab_result::{Job, Process};
use std::collections::BTreeMap;

/// Bytes of the binary megabyte.
const MEBIBYTE: f64 = 1_048_576.0;

impl Record {
    /// The result of a scenario: that of its commands, its programs and what the operating system did beside them
    /// one by one, and figures of its programs.
    ///
    /// `NAME_seconds` for each process that came to its end; `seconds` from the first start to the
    /// last end of those that are waited for; `dirty_max_mb`.
    /// `mb_s` and `mib_s` are what the programs waited for moved in that time, the operating
    /// system's own writes left out.
    #[must_use]
    pub fn of_scenario(report: &ScenarioReport) -> Record {
        let mut record = Record::of(&report.run);
        record.answered = report.answered;
        record.run.jobs = jobs(report);
        put_figures(report, &mut record.run.metrics);
        record
    }
}

/// The programs, then the lazy writer and the file system.
fn jobs(report: &ScenarioReport) -> Vec<Job> {
    let process = |n: usize| {
        let process = report.processes.get(n)?;
        Some(Process {
            start_ns: process.start.0,
            took_ns: process.seconds.map(|span| span.0),
            read_bytes: process.read_bytes,
            written_bytes: process.written_bytes,
        })
    };
    let jobs = report.run.jobs.iter().enumerate();
    jobs.map(|(n, of_job)| Job {
        process: process(n),
        ..job(of_job)
    })
    .collect()
}

fn put_figures(report: &ScenarioReport, metrics: &mut BTreeMap<String, f64>) {
    for process in &report.processes {
        if let Some(span) = process.seconds {
            metrics.insert(quantity::of_program(&process.name), span.as_secs());
        }
    }
    let mut put = |of: &Quantity, value: f64| of.put(metrics, value);
    let awaited = || {
        report
            .processes
            .iter()
            .filter(|process| !process.background)
    };
    let start = awaited()
        .map(|process| process.start)
        .min()
        .unwrap_or_default();
    let ends = awaited().filter_map(|process| Some(process.start + process.seconds?));
    let took = ends.max().unwrap_or(start) - start;
    let bytes: u64 = awaited().map(|p| p.read_bytes + p.written_bytes).sum();
    put(&table::SECONDS, took.as_secs());
    if took > Nanos::ZERO {
        put(&table::MB_S, bytes as f64 / 1e6 / took.as_secs());
        put(&table::MIB_S, bytes as f64 / MEBIBYTE / took.as_secs());
    }
    put(&table::DIRTY_MAX_MB, report.dirty_max_bytes as f64 / 1e6);
}
