//! A trace's run as a result: data rates and busy times.

use crate::driver::TraceReport;
use crate::record::{Record, job};
use ftlab_base::{CommandKind, Nanos};

impl Record {
    /// The result of a trace: that of its commands, `busy_s`, `busy_reads_s` and `busy_writes_s`,
    /// and `read_mb_s` and `write_mb_s`, what was read over the time with reads outstanding and what
    /// was written over that with writes. A drive is busy all the time, so `mb_s` is what was moved over
    /// `busy_s`.
    #[must_use]
    pub fn of_trace(report: &TraceReport) -> Record {
        let mut record = Record::of(&report.run);
        record.run.jobs = report.run.jobs.iter().map(job).collect();
        let metrics = &mut record.run.metrics;
        let mut put = |name: &str, value: f64| metrics.insert(name.to_owned(), value);
        put("busy_s", report.busy.as_secs());
        put("busy_reads_s", report.busy_reads.as_secs());
        put("busy_writes_s", report.busy_writes.as_secs());
        let moved = |kind| -> u64 {
            let of_kind = report.run.jobs.iter().map(|job| job.direction(kind).bytes);
            of_kind.sum()
        };
        for (name, kind, busy) in [
            ("read_mb_s", CommandKind::Read, report.busy_reads),
            ("write_mb_s", CommandKind::Write, report.busy_writes),
        ] {
            if busy > Nanos::ZERO {
                put(name, moved(kind) as f64 / 1e6 / busy.as_secs());
            }
        }
        record
    }
}
