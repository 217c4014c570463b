//! A replay as a result, with what a reader has to know of it.

use crate::driver::ReplayReport;
use crate::record::{Record, job};
use crate::recording::Recording;
use ftlab_base::amount::grouped;
use ftlab_base::{Nanos, SECTOR_BYTES};
use ftlab_drive::Device;
use ftlab_result::Warning;

/// The `rw` of a replay, whose requests are those of its file.
const RW: &str = "replay";

/// An open loop that ends so long after its last request has fallen behind.
const BEHIND: Nanos = Nanos::from_secs(1);

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
    first.chain(behind(report)).chain(odd).collect()
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

/// That the drive was slower than the trace.
fn behind(report: &ReplayReport) -> Option<Warning> {
    if report.held == 0 && report.after_last <= BEHIND {
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
            "The drive fell behind: it ended {} after the last request arrived{held}.",
            report.after_last
        ),
        "In an open loop latencies then grow with the length of the trace: they say that the drive is too slow, \
         not how slow.",
        "Compare rates with --pace asap, or ask for less with --pace scaled=0.5x.",
    ))
}
