//! A replay as a result, with what a reader has to know of it.

use crate::driver::ReplayReport;
use crate::record::{Record, job};
use crate::recording::Recording;
use ftlab_base::amount::grouped;
use ftlab_base::{Nanos, SECTOR_BYTES};
use ftlab_drive::Device;
use ftlab_result::Warning;

/// Value of `rw` for a replay: the requests are those of its file.
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

/// Returns warnings that a reader needs before using the figures of a replay.
fn warnings(recording: &Recording, device: &dyn Device, report: &ReplayReport) -> Vec<Warning> {
    let scan = &recording.scan;
    let mut warnings = Vec::new();
    let mut warn = |saw: String, why: &str, option: &str| {
        warnings.push(Warning {
            saw,
            why: why.to_owned(),
            option: option.to_owned(),
        });
    };
    let capacity_bytes = device.capacity_sectors() * SECTOR_BYTES;
    let places = recording.places(capacity_bytes);
    if let Some((places, words)) = places
        .ok()
        .and_then(|places| places.words().map(|words| (places, words)))
    {
        match places.folds() {
            true => warn(
                words,
                "The drive sees another pattern of addresses than the trace has.",
                "Take --fit compact, a larger drive, or a share of the addresses with --share.",
            ),
            false => warn(
                words,
                "What lies where on the drive is not what lay where on the devices.",
                "Choose one with --device, or take a drive as large as they are.",
            ),
        }
    }
    if report.held > 0 || report.after_last > BEHIND {
        let held = match report.held {
            0 => String::new(),
            held => format!(
                ", and {} requests waited before they were issued",
                grouped(held)
            ),
        };
        warn(
            format!(
                "The drive fell behind: it ended {} after the last request arrived{held}.",
                report.after_last
            ),
            "In an open loop latencies then grow with the length of the trace: they say that the drive is too slow, \
             not how slow.",
            "Compare rates with --pace asap, or ask for less with --pace scaled=0.5x.",
        );
    }
    let is_open = recording.pace.factor().is_some();
    // The order of times matters to an open loop alone: a closed one does not look at them.
    if scan.disordered > 0 && is_open && report.run.simulated > Nanos::ZERO {
        warn(
            format!(
                "{} requests are earlier than one before them.",
                grouped(scan.disordered)
            ),
            "They are issued with that one, as the file has them.",
            "Sort the trace by time if their order matters.",
        );
    }
    if scan.unaligned > 0 {
        warn(
            format!(
                "{} requests do not begin and end at sectors of 512 bytes.",
                grouped(scan.unaligned)
            ),
            "They are widened to whole sectors.",
            "Check that the format is the right one: --format.",
        );
    }
    if report.void > 0 {
        warn(
            format!(
                "{} requests address nothing on the drive and were left out.",
                grouped(report.void)
            ),
            "They have no bytes, or trim what nothing else touches.",
            "Count them with `ftlab trace info`.",
        );
    }
    if scan.others > 0 {
        warn(
            format!(
                "{} commands are no reads, writes, TRIMs or flushes and were left out.",
                grouped(scan.others)
            ),
            "The drive is idler than the traced one was.",
            "Nothing can be done if they are what the format says.",
        );
    }
    warnings
}
