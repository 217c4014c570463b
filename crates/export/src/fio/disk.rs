//! fio's account of the disk below a run's jobs.

use super::job::reporting;
use ftlab_result::{Job, Run, Traffic};
use serde::Serialize;

/// A disk as Linux counts what goes to it. The drives of a run are one.
#[derive(Serialize)]
pub struct Disk<'a> {
    pub name: &'a str,
    pub read_ios: u64,
    pub write_ios: u64,
    pub read_merges: u64,
    pub write_merges: u64,
    /// Milliseconds that requests were under way, added up.
    pub read_ticks: u64,
    pub write_ticks: u64,
    pub in_queue: u64,
    /// Percent of the time with a request under way, if as few overlapped as could.
    pub util: f64,
}

impl<'a> Disk<'a> {
    /// The drive of a run; none where all of its jobs leave it out.
    pub fn of(run: &'a Run) -> Option<Disk<'a>> {
        let is_out = |job: &Job| !reporting(job).of_disk;
        if !run.jobs.is_empty() && run.jobs.iter().all(is_out) {
            return None;
        }
        let ms = |of: &Traffic| of.lat_ns_mean * of.ios as f64 / 1e6;
        let (read, write) = (ms(&run.read), ms(&run.write));
        let span_ms = 1e3 * run.seconds;
        let util = if span_ms > 0.0 {
            100.0 * (read + write) / span_ms
        } else {
            0.0
        };
        Some(Disk {
            name: &run.drive,
            read_ios: run.read.ios,
            write_ios: run.write.ios,
            read_merges: 0,
            write_merges: 0,
            read_ticks: read as u64,
            write_ticks: write as u64,
            in_queue: (read + write) as u64,
            util: util.min(100.0),
        })
    }
}
