//! A replay as a result, with what a reader has to know of it.

use crate::driver::ReplayReport;
use crate::record::{Record, job};
use crate::recording::Recording;
use ftlab_base::amount::grouped;
use ftlab_base::{CommandKind, Nanos, SECTOR_BYTES};
use ftlab_drive::Device;
use ftlab_result::Warning;

/// The `rw` of a replay, whose requests are those of its file.
const RW: &str = "replay";

/// An open loop that ends so long after its last request has fallen behind.
const BEHIND: Nanos = Nanos::from_secs(1);

/// So few requests are no backlog.
const REQUESTS_LEAST: u64 = 32;

/// Shares of a trace's time: from its last request to its end, and of its mean latency.
const AFTER_SPAN_LEAST: f64 = 0.1;
const LATENCY_SPAN_LEAST: f64 = 0.05;

/// The mean latency over the shortest.
const LATENCY_TIMES_LEAST: f64 = 8.0;

impl Record {
    /// The result of a recorded trace on a drive.
    #[must_use]
    pub fn of_replay(recording: &Recording, device: &dyn Device, report: &ReplayReport) -> Record {
        let mut record = match &recording.job {
            Some(file) => {
                let mut record = Record::of_jobs(file, &report.run);
                for (job, spec) in record.run.jobs.iter_mut().zip(&file.jobs) {
                    job.name.clone_from(&spec.name);
                }
                record
            }
            None => {
                let mut record = Record::of(&report.run);
                record.run.jobs = report.run.jobs.iter().map(job).collect();
                record
            }
        };
        for job in &mut record.run.jobs {
            RW.clone_into(&mut job.rw);
        }
        record.run.warnings = warnings(recording, device, report);
        record
    }
}

fn warning(saw: String, why: &str, option: &str) -> Warning {
    Warning {
        saw,
        why: why.to_owned(),
        option: option.to_owned(),
    }
}

/// Says what has to be known before the figures of a replay are used.
fn warnings(recording: &Recording, device: &dyn Device, report: &ReplayReport) -> Vec<Warning> {
    let scan = &recording.scan;
    // Requests that are not issued at their own times go in the file's order, so that no time is out of order.
    let in_order = recording.pace.factor().is_none() || report.run.simulated == Nanos::ZERO;
    let odd = [
        (
            if in_order { 0 } else { scan.disordered },
            "requests are earlier than one before them.",
            "They are issued with that one, as the file has them.",
            "Sort the trace by time if their order matters.",
        ),
        (
            scan.unaligned,
            "requests do not begin and end at sectors of 512 bytes.",
            "They are widened to whole sectors.",
            "Check that the format is the right one: --format.",
        ),
        (
            report.void,
            "requests address nothing on the drive and were left out.",
            "They have no bytes, or trim what nothing else touches.",
            "Count them with `ftlab trace info`.",
        ),
        (
            scan.others,
            "commands are no reads, writes, TRIMs or flushes and were left out.",
            "The drive is idler than the traced one was.",
            "Nothing can be done if they are what the format says.",
        ),
    ];
    let odd = odd.into_iter().filter(|(count, ..)| *count > 0);
    let odd = odd
        .map(|(count, saw, why, option)| warning(format!("{} {saw}", grouped(count)), why, option));
    let first = addresses(recording, device).into_iter();
    first.chain(behind(recording, report)).chain(odd).collect()
}

/// That addresses of the trace do not lie on the drive where they lay.
fn addresses(recording: &Recording, device: &dyn Device) -> Option<Warning> {
    let capacity_bytes = device.capacity_sectors() * SECTOR_BYTES;
    let places = recording.places(capacity_bytes).ok()?;
    let (why, option) = match places.folds() {
        true => (
            "The drive sees another pattern of addresses than the trace has.",
            "Take --fit compact, a larger drive, or a share of the addresses with --share.",
        ),
        false => (
            "What lies where on the drive is not what lay where on the devices.",
            "Choose one with --device, or take a drive as large as they are.",
        ),
    };
    Some(warning(places.words()?, why, option))
}

/// Signs of a trace whose requests pile up, however short it is: it ends a tenth of its own time after its last request,
/// and its latencies are long beside its time and beside the shortest of them. A flush at its end alone is none.
fn piles_up(span: Nanos, report: &ReplayReport) -> bool {
    let kinds = [
        CommandKind::Read,
        CommandKind::Write,
        CommandKind::Trim,
        CommandKind::Flush,
    ];
    let jobs = report.run.jobs.iter();
    let all = jobs.flat_map(|job| kinds.map(|kind| job.direction(kind)));
    let timed = all.filter_map(|of| Some((of.ios, of.latency()?)));
    let (mut ios, mut sum_ns, mut least_ns) = (0, 0.0, f64::INFINITY);
    for (of_kind, latency) in timed {
        ios += of_kind;
        sum_ns += latency.mean_ns() * of_kind as f64;
        least_ns = least_ns.min(latency.min().0 as f64);
    }
    let (span_ns, mean_ns) = (span.0 as f64, sum_ns / ios.max(1) as f64);
    span > Nanos::ZERO
        && ios >= REQUESTS_LEAST
        && report.after_last.0 as f64 > AFTER_SPAN_LEAST * span_ns
        && mean_ns > LATENCY_SPAN_LEAST * span_ns
        && mean_ns > LATENCY_TIMES_LEAST * least_ns
}

/// That the drive was slower than the trace.
fn behind(recording: &Recording, report: &ReplayReport) -> Option<Warning> {
    let factor = recording.pace.factor()?;
    let span = Nanos((recording.scan.span_ns() as f64 / factor) as u64);
    if report.held == 0 && report.after_last <= BEHIND && !piles_up(span, report) {
        return None;
    }
    let held = match report.held {
        0 => String::new(),
        held => format!(
            ", and {} requests waited before they were issued",
            grouped(held)
        ),
    };
    Some(warning(
        format!(
            "The drive fell behind: it ended {} after the last request of a trace of {span} arrived{held}.",
            report.after_last
        ),
        "In an open loop latencies then grow with the length of the trace: they say that the drive is too slow, \
         not how slow.",
        "Compare rates with --pace asap, or ask for less with --pace scaled=0.5x.",
    ))
}
