//! The way to each state, as commands that a host gives a drive: what `ftlab-states` does to a model, for fio.

use super::{Rounds, Step, Writes};
use crate::fio::JobText;
use ftlab_base::Content;
use ftlab_lab::Length;
use ftlab_play::load::Load;
use ftlab_states::State;
use ftlab_workload::{JobFile, Size};
use std::ops::Range;

/// Bytes of a write that fills a drive, and of one at random.
const FILL_BYTES: u64 = 1 << 20;
const RANDOM_BYTES: u64 = 4096;

/// Bytes of the image of a system.
const IMAGE_BYTES: u64 = 30 << 30;

/// Random writes of a used drive: 1 / this of its capacity.
const USED_SHARE: u64 = 4;

/// Of these nine tenths go to the first tenth of the drive, and the others anywhere, so to that tenth as well: in percent,
/// requests to places.
const USED_PLACES: &str = "zoned:91/10:9/90";

/// Writes outstanding while a drive is prepared.
const FILL_DEPTH: u32 = 8;
const RANDOM_DEPTH: u32 = 32;

/// Looks whether a host can bring a drive to a state.
///
/// # Errors
/// Why not.
pub fn reachable(state: State) -> Result<(), String> {
    match state {
        State::SteadyFast => Err(
            "the short cut to its state `steady-fast` needs the spare area and the victim policy, which a host cannot see"
                .to_owned(),
        ),
        _ => Ok(()),
    }
}

/// The steps from any state to this one, on the first bytes of a drive.
pub fn steps(state: State, bytes: u64) -> Vec<Step> {
    let mut steps = match state.begins_with() {
        None => vec![Step::Purge],
        // Rounds begin on a drive that is full.
        Some(_) if state == State::Steady => steps(State::Filled, bytes),
        Some(before) => steps(before, bytes),
    };
    match state {
        State::New | State::SteadyFast => {}
        State::Filled => steps.push(Step::Write(fill(0..bytes, Content::RANDOM))),
        State::FilledRandom => steps.push(Step::Write(at_random(
            "Every sector written once, in writes of 4 KiB in random order.".to_owned(),
            bytes,
            &[],
        ))),
        State::Used => steps.push(Step::Write(used(bytes))),
        State::Seasoned | State::Restored => {
            let image = IMAGE_BYTES.min(bytes);
            let mut writes = fill(0..image, Content::RANDOM);
            writes.words = format!(
                "Then an image of a system: the first {} GiB written in order, in writes of 1 MiB.",
                image >> 30
            );
            steps.push(Step::Write(writes));
        }
        State::Steady => steps.push(Step::Settle(Rounds {
            bytes,
            go_on: false,
        })),
    }
    steps
}

fn used(bytes: u64) -> Writes {
    let part = bytes / USED_SHARE;
    let keys = [
        ("norandommap", "1".to_owned()),
        ("random_distribution", USED_PLACES.to_owned()),
        ("io_size", part.to_string()),
    ];
    Writes {
        bytes: part,
        ..at_random(
            "Then random writes of 4 KiB, nine tenths of them to the first tenth of the drive, until a quarter of its \
             capacity was written."
                .to_owned(),
            bytes,
            &keys,
        )
    }
}

/// The rounds of a drive that is to be steady: its capacity written at random, the Nth time.
#[must_use]
pub fn round(n: usize, bytes: u64) -> Writes {
    let keys = [
        ("norandommap", "1".to_owned()),
        ("io_size", bytes.to_string()),
        ("randseed", (n + 1).to_string()),
    ];
    at_random(format!("Round {n}"), bytes, &keys)
}

fn at_random(words: String, bytes: u64, more: &[(&str, String)]) -> Writes {
    let mut keys = vec![
        ("rw", "randwrite".to_owned()),
        ("bs", RANDOM_BYTES.to_string()),
        ("iodepth", RANDOM_DEPTH.to_string()),
        ("size", (bytes / RANDOM_BYTES * RANDOM_BYTES).to_string()),
        ("refill_buffers", "1".to_owned()),
    ];
    keys.extend_from_slice(more);
    Writes {
        words,
        jobs: JobText::new("prepare", &keys),
        bytes,
    }
}

/// A range of a drive written once, in order.
#[must_use]
pub fn fill(range: Range<u64>, data: Content) -> Writes {
    let bytes = range.end.saturating_sub(range.start);
    let (whole, rest) = (bytes / FILL_BYTES * FILL_BYTES, bytes % FILL_BYTES);
    let is_zeros = data == Content::ZEROS;
    let part = |offset: u64, bytes: u64, block: u64| {
        let fills = if is_zeros {
            "zero_buffers"
        } else {
            "refill_buffers"
        };
        vec![
            ("rw", "write".to_owned()),
            ("bs", block.to_string()),
            ("iodepth", FILL_DEPTH.to_string()),
            ("offset", offset.to_string()),
            ("size", bytes.to_string()),
            (fills, "1".to_owned()),
            ("stonewall", "1".to_owned()),
        ]
    };
    let mut jobs = JobText::default();
    if whole > 0 {
        jobs.push("prepare", &part(range.start, whole, FILL_BYTES));
    }
    // The end of a drive that is no multiple of 1 MiB long.
    if rest > 0 {
        jobs.push("prepare-the-rest", &part(range.start + whole, rest, rest));
    }
    let place = match range.start {
        0 => "Every sector".to_owned(),
        start => format!("All but the first {} GiB", start >> 30),
    };
    let of = if is_zeros { " of zeros" } else { "" };
    Writes {
        words: format!("{place} written once, in order, in writes of 1 MiB{of}."),
        jobs,
        bytes,
    }
}

/// A job within the first bytes of a drive.
#[must_use]
pub fn within(mut file: JobFile, bytes: u64, of_drive: u64) -> JobFile {
    for job in file.jobs.iter_mut().filter(|_| bytes < of_drive) {
        job.region.size = Some(match job.region.size {
            Some(Size::Bytes(size)) => Size::Bytes(size.min(bytes)),
            _ => Size::Bytes(bytes),
        });
    }
    file
}

/// Repeats the writes of a job's first clone until they have covered `bytes` bytes `times` times.
pub fn overwrite(load: &Load, times: u32, bytes: u64) -> Option<Step> {
    let mut file = load.job_file()?.clone();
    file.jobs.truncate(1);
    for job in &mut file.jobs {
        (job.length.runtime, job.length.time_based) = (None, false);
        (job.length.number_ios, job.length.io_size) = (None, None);
        job.length.loops = u64::from(times);
        job.region.size = Some(Size::Bytes(bytes));
        job.clones.numjobs = 1;
    }
    Some(Step::Write(Writes {
        words: format!(
            "The writes of {}, until what is used was written {times} times.",
            load.name()
        ),
        jobs: JobText::of(&file),
        bytes: bytes.saturating_mul(u64::from(times)),
    }))
}

/// A job that only wears the drive, for all of its time.
pub fn torture(load: &Load, bytes: u64, length: Length) -> Option<Step> {
    let file = within(
        length.of_procedure(load.job_file()?.clone()),
        bytes,
        u64::MAX,
    );
    let mut writes = unmeasured(&file, bytes);
    writes.words = format!("{}, for all of its time.", load.name());
    Some(Step::Write(writes))
}

/// A job that a procedure measures and no test asked for.
#[must_use]
pub fn unmeasured(file: &JobFile, bytes: u64) -> Writes {
    let names: Vec<&str> = file.jobs.iter().map(|job| job.name.as_str()).collect();
    Writes {
        words: format!("{}, not measured.", names.join(", ")),
        jobs: JobText::of(file),
        bytes,
    }
}
