//! Texts that are read: refused with one line that says why, or what they describe works.

use crate::plan::testbed;
use crate::run::{Verdict, reason, try_file};
use arbitrary::Unstructured;
use ftlab_base::{CommandKind, Nanos, RootSeed, SECTOR_BYTES};
use ftlab_drive::{Catalog, DriveFile};
use ftlab_host::HostOrder;
use ftlab_host::Testbed;
use ftlab_sheet::SheetError;
use ftlab_workload::script::{Run, Scenario, StepStream};
use ftlab_workload::trace::{Trace, TraceStream};
use ftlab_workload::{JobFile, JobStream};

/// Size of the device that jobs are fitted to: no multiple of anything.
const DEVICE_BYTES: u64 = 10_000_384;

/// Requests of a job that are looked at.
const REQUESTS: usize = 500;

/// Reads a drive file, and tries the drive if it is small.
///
/// # Panics
/// When something does not hold that must.
#[must_use]
pub fn drive_file(data: &[u8]) -> Verdict {
    let text = String::from_utf8_lossy(data);
    verdict(Catalog::default().parse("fuzz", &text, &[]))
}

/// One drive of every kind, in an order that stays: inputs that were kept name them by number.
const DRIVES: [&str; 6] = [
    "generic-mlc-8",
    "intel-x25-m-g1-80",
    "ocz-core-jmf602",
    "samsung-slc-64",
    "seagate-momentus-7200.2",
    "ocz-vertex3-120",
];

/// Settings that make the first of them small enough to be tried.
const SMALL: [&str; 3] = [
    "nand.blocks_per_die=16",
    "nand.pages_per_block=8",
    "spare.op=1.5",
];

/// Reads settings, one a line, for a drive named in the first byte, and tries what comes out.
///
/// # Panics
/// When something does not hold that must.
#[must_use]
pub fn settings(data: &[u8]) -> Verdict {
    let Some((&number, text)) = data.split_first() else {
        return Verdict::NoInput;
    };
    let text = String::from_utf8_lossy(text);
    let settings: Vec<String> = text.split('\n').map(str::to_owned).collect();
    verdict(Catalog::default().load(DRIVES[usize::from(number) % DRIVES.len()], &settings))
}

fn verdict(file: Result<DriveFile, SheetError>) -> Verdict {
    match file {
        Err(error) => Verdict::Refused(reason(&error.to_string())),
        Ok(file) => {
            let _ = (file.hash(), file.name(), file.summary(), file.aliases());
            assert!(file.capacity_bytes() >= SECTOR_BYTES);
            let testbed = testbed(Nanos::ZERO, HostOrder::Fifo);
            try_file(
                &file,
                &testbed,
                &mut Unstructured::new(&crate::bytes(1, 64)),
            )
        }
    }
}

/// Reads a job file, and draws the head of every job's requests.
///
/// # Panics
/// When something does not hold that must.
#[must_use]
pub fn job_file(data: &[u8]) -> Verdict {
    let text = String::from_utf8_lossy(data);
    let file = match JobFile::parse(&text, "fuzz.fio") {
        Ok(file) => file,
        Err(error) => {
            let why = reason(&error.to_string());
            assert!(why.starts_with("fuzz.fio"), "no place: {why}");
            return Verdict::Refused(why);
        }
    };
    // Four jobs are enough: all are read alike, and a file may have thousands.
    for spec in file.jobs.iter().take(4) {
        let job = match spec.resolve(DEVICE_BYTES) {
            Ok(job) => job,
            Err(error) => {
                reason(&error.to_string());
                continue;
            }
        };
        let end = job.offset_bytes + job.region_bytes;
        assert!(end <= DEVICE_BYTES, "a region beyond the device: {job:?}");
        for request in JobStream::new(&job, RootSeed(1)).take(REQUESTS) {
            if request.kind == CommandKind::Flush {
                continue;
            }
            let first = request.lba.0 * SECTOR_BYTES;
            let last = first + u64::from(request.sectors) * SECTOR_BYTES;
            let inside = job.offset_bytes <= first && last <= end;
            assert!(request.sectors > 0 && inside, "{request:?} of {job:?}");
        }
    }
    Verdict::Ran(crate::Tally::default())
}

/// Size of the device that scripts and traces are fitted to: their files lie anywhere on a drive.
const LARGE_BYTES: u64 = 1 << 40;

/// Reads a script or a scenario, and draws the head of every phase's steps.
///
/// # Panics
/// When something does not hold that must.
#[must_use]
pub fn script_file(data: &[u8]) -> Verdict {
    let text = String::from_utf8_lossy(data);
    let scenario = match Scenario::parse(&text, "fuzz.toml", &|_| None) {
        Ok(scenario) => scenario,
        Err(error) => return Verdict::Refused(reason(&error.to_string())),
    };
    for process in &scenario.processes {
        let stream = StepStream::new(&process.script, LARGE_BYTES, RootSeed(1));
        let mut stream = match stream {
            Ok(stream) => stream,
            Err(error) => return Verdict::Refused(reason(&error.to_string())),
        };
        while stream.next_phase().is_some() {
            for _ in 0..REQUESTS {
                let Some(step) = stream.next_step() else {
                    break;
                };
                let runs = step.read.iter().chain(&step.writes).chain(&step.checks);
                runs.for_each(is_on_the_device);
            }
        }
    }
    Verdict::Ran(crate::Tally::default())
}

/// Reads a trace, and draws the head of its bursts.
///
/// # Panics
/// When something does not hold that must.
#[must_use]
pub fn trace_file(data: &[u8]) -> Verdict {
    let text = String::from_utf8_lossy(data);
    let stream = Trace::parse(&text, "fuzz.toml")
        .and_then(|trace| TraceStream::new(&trace, LARGE_BYTES, RootSeed(1)));
    match stream {
        Err(error) => Verdict::Refused(reason(&error.to_string())),
        Ok(stream) => {
            let operations = stream.take(REQUESTS).flatten();
            operations.for_each(|operation| is_on_the_device(&operation.run));
            Verdict::Ran(crate::Tally::default())
        }
    }
}

fn is_on_the_device(run: &Run) {
    let end = (run.lba + u64::from(run.sectors)) * SECTOR_BYTES;
    assert!(run.sectors > 0 && end <= LARGE_BYTES, "{run:?}");
}

/// Reads a testbed, and tries a small drive behind it.
///
/// # Panics
/// When something does not hold that must.
#[must_use]
pub fn testbed_file(data: &[u8]) -> Verdict {
    let text = String::from_utf8_lossy(data);
    match Testbed::parse("fuzz", &text) {
        Err(error) => Verdict::Refused(reason(&error.to_string())),
        Ok(testbed) => {
            let file = Catalog::default()
                .load(DRIVES[0], &SMALL.map(str::to_owned))
                .expect("it can be");
            try_file(
                &file,
                &testbed,
                &mut Unstructured::new(&crate::bytes(1, 64)),
            )
        }
    }
}
