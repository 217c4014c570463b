//! A trace's run as a result: data rates and busy times.

use crate::driver::TraceReport;
use crate::record::{Record, job};
use ftlab_base::{CommandKind, Nanos};
use ftlab_result::quantity::{Quantity, table};

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
        let mut put = |of: &Quantity, value: f64| of.put(metrics, value);
        put(&table::BUSY_S, report.busy.as_secs());
        put(&table::BUSY_READS_S, report.busy_reads.as_secs());
        put(&table::BUSY_WRITES_S, report.busy_writes.as_secs());
        let moved = |kind| -> u64 {
            let of_kind = report.run.jobs.iter().map(|job| job.direction(kind).bytes);
            of_kind.sum()
        };
        for (of, kind, busy) in [
            (&table::READ_MB_S, CommandKind::Read, report.busy_reads),
            (&table::WRITE_MB_S, CommandKind::Write, report.busy_writes),
        ] {
            if busy > Nanos::ZERO {
                put(of, moved(kind) as f64 / 1e6 / busy.as_secs());
            }
        }
        record
    }
}
