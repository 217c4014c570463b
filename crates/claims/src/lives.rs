//! Drives written to their end, and data that are left to fade.
//!
//! Both on a drive divided in blocks, pages and cycles (`crates/bench/src/endurance`), so that a life
//! is some millions of programs.

use super::experiments::{Experiment, Metrics, metrics, nobody};
use ftlab_base::{
    Command, CommandId, CommandKind, Content, Lba, Outcome, RootSeed, SECTOR_BYTES, SimTime,
};
use ftlab_bench::endurance::{Daily, EnduranceError, Life, Plan, live};
use ftlab_bench::review::ReviewError;
use ftlab_drive::{Device, DriveFile, Health};
use ftlab_play::states::{self, State};
use ftlab_workload::JobFile;
use rand::RngExt;

/// Programs of a life, about.
const PROGRAMS: f64 = 1e7;

/// Programs of a drive that is worn to its rating only.
const PROGRAMS_OF_WEAR: f64 = 4e6;

/// What a client writes a day, for what rests with its data.
const DAILY: Daily = Daily {
    bytes: 20e9,
    celsius: 40.0,
};

/// Writes of 4 KiB, nine tenths of them to a tenth of the drive.
const WRITES: &str =
    "[writes]\nrw=randwrite\nbs=4k\nnorandommap\nrandom_distribution=zoned:90/10:10/90\n";

const YEAR_HOURS: f64 = 365.0 * 24.0;

fn wrong(file: &DriveFile, error: &EnduranceError) -> ReviewError {
    ReviewError::Procedure {
        drive: file.slug().to_owned(),
        procedure: "life".to_owned(),
        why: error.to_string(),
    }
}

fn life(file: &DriveFile, seed: RootSeed) -> Result<Life, EnduranceError> {
    let plan = Plan::within(file, PROGRAMS)?;
    let job = JobFile::parse(WRITES, "claims/life").expect("a test lives it");
    live(file, &job, &plan, DAILY, &nobody(), seed, &|_| ())
}

/// A whole life of random writes.
pub static LIFE: Experiment = Experiment {
    name: "a whole life of random writes",
    run: |file, seed| {
        let life = life(file, seed).map_err(|error| wrong(file, &error))?;
        let last = life.marks.last().expect("the end was marked");
        let half_bad = |from: f64, to: f64| {
            let within = |mark: &&ftlab_bench::endurance::Mark| {
                (from..=to).contains(&(mark.worn_share / last.worn_share))
            };
            let mut marks = life.marks.iter().filter(within);
            let first = marks.next().map_or(0.0, |mark| mark.bad_share);
            marks.next_back().map_or(0.0, |mark| mark.bad_share) - first
        };
        let bad_at = |share: f64| {
            let mark = life.marks.iter().find(|mark| mark.bad_share >= share);
            mark.map_or(f64::NAN, |mark| mark.host_bytes / life.host_bytes)
        };
        let spare_at_rating = life
            .marks
            .iter()
            .find(|mark| mark.worn_share >= 1.0)
            .map_or(f64::NAN, |mark| mark.spare_share);
        Ok(metrics([
            ("host_tb", life.host_bytes / 1e12),
            ("rated_tb", life.rated_bytes.unwrap_or(f64::NAN) / 1e12),
            (
                "first_bad",
                life.first_bad_bytes.unwrap_or(f64::NAN) / life.host_bytes,
            ),
            ("bad_1_percent", bad_at(0.01)),
            ("bad_in_first_half", half_bad(0.0, 0.5)),
            ("bad_in_second_half", half_bad(0.5, 1.0)),
            ("bad_at_end", last.bad_share),
            ("spare_at_rating", spare_at_rating),
            ("spare_at_end", last.spare_share),
            ("two_to_four_ratings", two_to_four_ratings(&last.health)),
            ("unreadable", life.unreadable as f64),
        ]))
    },
};

/// The share of the blocks that have had between two and four times their rated cycles.
fn two_to_four_ratings(health: &Health) -> f64 {
    let Some(rated) = health.rated_cycles else {
        return f64::NAN;
    };
    // As many ranges as there are counts, so that each is one count.
    let counts = health.wear.bins(u32::MAX);
    let within = counts
        .iter()
        .filter(|(count, _)| (2 * rated..=4 * rated).contains(count));
    let blocks: u32 = within.map(|(_, blocks)| blocks).sum();
    f64::from(blocks) / f64::from(health.wear.blocks().max(1))
}

/// A drive at the end of its life: whether it refuses a write and still reads.
pub static READ_ONLY: Experiment = Experiment {
    name: "reading a drive at its end",
    run: |file, seed| {
        let mut device = worn(file, seed, f64::INFINITY)?;
        let refused = apply(device.as_mut(), CommandKind::Write, 0, 8) == Outcome::WriteFault;
        Ok(metrics([
            ("refused", f64::from(u8::from(refused))),
            ("unreadable", unreadable(device.as_mut())),
        ]))
    },
};

/// What rests for years: pages that no retry could read, and reads that were repeated.
pub static FADING: Experiment = Experiment {
    name: "data left without power",
    run: |file, seed| {
        let mut all = Metrics::new();
        for (name, worn_share, years, celsius) in [
            ("tenth_10_years", 0.1, 10.0, 40.0),
            ("rated_1_year", 1.0, 1.0, 40.0),
            ("rated_10_years", 1.0, 10.0, 40.0),
            ("rated_1_year_25_c", 1.0, 1.0, 25.0),
            ("rated_1_year_70_c", 1.0, 1.0, 70.0),
        ] {
            let mut device = worn(file, seed, worn_share)?;
            let before = device.health().map_or(0, |health| health.faults.retries);
            device.rest(years * YEAR_HOURS, celsius);
            let lost = unreadable(device.as_mut());
            let after = device.health().map_or(0, |health| health.faults.retries);
            all.insert(format!("{name}_lost"), lost);
            all.insert(format!("{name}_retries"), (after - before) as f64);
        }
        Ok(all)
    },
};

fn apply(device: &mut dyn Device, kind: CommandKind, lba: u64, sectors: u64) -> Outcome {
    device.apply(Command {
        id: CommandId(0),
        kind,
        lba: Lba(lba),
        sectors: sectors as u32,
        content: Content::RANDOM,
        at: SimTime::ZERO,
    })
}

/// The share of the places of 4 KiB that cannot be read.
fn unreadable(device: &mut dyn Device) -> f64 {
    let places = device.capacity_sectors() / 8;
    let lost = (0..places)
        .filter(|place| apply(device, CommandKind::Read, place * 8, 8) != Outcome::Good)
        .count();
    lost as f64 / places as f64
}

/// A drive that was written in order, over and over, until its mean block has so much of its rated
/// cycles, or until it takes no more.
fn worn(file: &DriveFile, seed: RootSeed, share: f64) -> Result<Box<dyn Device>, ReviewError> {
    let plan = Plan::within(file, PROGRAMS_OF_WEAR).map_err(|error| wrong(file, &error))?;
    let scaled = file.scaled(plan.scale);
    let device = scaled.and_then(|scaled| scaled.build(&nobody(), seed));
    let mut device = device.map_err(|error| ReviewError::Drive {
        drive: file.slug().to_owned(),
        error,
    })?;
    states::prepare(device.as_mut(), State::New, State::Filled, seed).map_err(|error| {
        ReviewError::Prepare {
            drive: file.slug().to_owned(),
            error,
        }
    })?;
    let mut stream = seed.stream("claims/worn");
    let pieces = (device.capacity_sectors() * SECTOR_BYTES) >> 20;
    while device
        .health()
        .is_some_and(|health| health.worn_share() < share)
    {
        for _ in 0..64 {
            let lba = stream.random_range(0..pieces.max(1)) * 2048;
            let sectors = 2048.min(device.capacity_sectors() - lba);
            if apply(device.as_mut(), CommandKind::Write, lba, sectors) == Outcome::WriteFault {
                return Ok(device);
            }
        }
    }
    apply(device.as_mut(), CommandKind::Flush, 0, 0);
    Ok(device)
}
