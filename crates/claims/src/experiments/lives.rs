//! Drives written to their end, and data that are left to fade.
//!
//! Both on a drive divided in blocks, pages and cycles (`crates/bench/src/endurance`), so that a life
//! is some millions of programs.

use super::bare::{Bare, Found, PLACE_SECTORS, metrics, nobody, wrong};
use ftlab_base::{CommandKind, Outcome, RootSeed};
use ftlab_bench::endurance::{Daily, EnduranceError, Life, Mark, Plan, live};
use ftlab_drive::{DriveFile, Health};
use ftlab_lab::LabError;
use ftlab_workload::JobFile;
use rand::RngExt;
use std::collections::BTreeMap;

/// Programs of a life, about.
const PROGRAMS: f64 = 1e7;

/// Programs of a drive that is worn to its rating only.
const PROGRAMS_OF_WEAR: f64 = 4e6;

/// The daily load of a client whose data rest.
const DAILY: Daily = Daily {
    bytes: 20e9,
    celsius: 40.0,
};

/// Writes of 4 KiB, nine tenths of them to a tenth of the drive.
const WRITES: &str =
    "[writes]\nrw=randwrite\nbs=4k\nnorandommap\nrandom_distribution=zoned:90/10:10/90\n";

/// Sectors of the writes that wear a drive.
const PIECE_SECTORS: u64 = 2048;

const YEAR_HOURS: f64 = 365.0 * 24.0;

fn lived(file: &DriveFile, seed: RootSeed) -> Result<Life, EnduranceError> {
    let plan = Plan::within(file, PROGRAMS)?;
    let job = JobFile::parse(WRITES, "claims/life").expect("a test lives it");
    live(
        file,
        &job,
        &plan,
        DAILY,
        &nobody(),
        seed,
        &ftlab_states::watch::nobody,
    )
}

/// A whole life of random writes.
pub fn life(file: &DriveFile, seed: RootSeed) -> Found {
    let life = lived(file, seed).map_err(|error| wrong(file.slug(), error))?;
    let last = life.marks.last().expect("the end was marked");
    let half_bad = |from: f64, to: f64| {
        let within = |mark: &&Mark| (from..=to).contains(&(mark.worn_share / last.worn_share));
        let mut marks = life.marks.iter().filter(within);
        let first = marks.next().map_or(0.0, |mark| mark.bad_share);
        marks.next_back().map_or(0.0, |mark| mark.bad_share) - first
    };
    // A life that never came so far has no such time, and comparisons with it fail.
    let bad_at = |share: f64| {
        let mark = life.marks.iter().find(|mark| mark.bad_share >= share);
        mark.map_or(f64::NAN, |mark| mark.host_bytes / life.host_bytes)
    };
    let at_rating = life.marks.iter().find(|mark| mark.worn_share >= 1.0);
    let first_bad_bytes = life.first_bad_bytes.unwrap_or(f64::NAN);
    Ok(metrics([
        ("host_tb", life.host_bytes / 1e12),
        ("rated_tb", life.rated_bytes.unwrap_or(f64::NAN) / 1e12),
        ("first_bad", first_bad_bytes / life.host_bytes),
        ("bad_1_percent", bad_at(0.01)),
        ("bad_in_first_half", half_bad(0.0, 0.5)),
        ("bad_in_second_half", half_bad(0.5, 1.0)),
        ("bad_at_end", last.bad_share),
        (
            "spare_at_rating",
            at_rating.map_or(f64::NAN, |mark| mark.spare_share),
        ),
        ("spare_at_end", last.spare_share),
        ("two_to_four_ratings", two_to_four_ratings(&last.health)),
        ("unreadable", life.unreadable as f64),
    ]))
}

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
pub fn at_the_end(file: &DriveFile, seed: RootSeed) -> Found {
    let mut bare = worn(file, seed, f64::INFINITY)?;
    let refused = bare.outcome(CommandKind::Write, 0, PLACE_SECTORS) == Outcome::WriteFault;
    let places = bare.sectors() / PLACE_SECTORS;
    Ok(metrics([
        ("refused", f64::from(u8::from(refused))),
        ("unreadable", bare.unreadable(places)),
    ]))
}

/// Data that rest for years: pages that no retry could read, and reads that were repeated.
pub fn fading(file: &DriveFile, seed: RootSeed) -> Found {
    let mut all = BTreeMap::new();
    for (name, worn_share, years, celsius) in [
        ("tenth_10_years", 0.1, 10.0, 40.0),
        ("rated_1_year", 1.0, 1.0, 40.0),
        ("rated_10_years", 1.0, 10.0, 40.0),
        ("rated_1_year_25_c", 1.0, 1.0, 25.0),
        ("rated_1_year_70_c", 1.0, 1.0, 70.0),
    ] {
        let mut bare = worn(file, seed, worn_share)?;
        let retries = |bare: &Bare| {
            bare.device
                .health()
                .map_or(0, |health| health.faults.retries)
        };
        let before = retries(&bare);
        bare.device.rest(years * YEAR_HOURS, celsius);
        let lost = bare.unreadable(bare.sectors() / PLACE_SECTORS);
        all.insert(format!("{name}_lost"), lost);
        all.insert(format!("{name}_retries"), (retries(&bare) - before) as f64);
    }
    Ok(all)
}

/// A drive that was written in pieces of 1 MiB, over and over, until its mean block has so much of its rated
/// cycles, or until it takes no more.
fn worn(file: &DriveFile, seed: RootSeed, share: f64) -> Result<Bare, LabError> {
    let plan = Plan::within(file, PROGRAMS_OF_WEAR).map_err(|error| wrong(file.slug(), error))?;
    let scaled = file
        .scaled(plan.scale)
        .map_err(|error| wrong(file.slug(), error))?;
    let mut bare = Bare::of(&scaled, seed)?.filled()?;
    let mut stream = seed.stream("claims/worn");
    let pieces = bare.sectors() / PIECE_SECTORS;
    let is_young = |bare: &Bare| {
        let health = bare.device.health();
        health.is_some_and(|health| health.worn_share() < share)
    };
    while is_young(&bare) {
        for _ in 0..64 {
            let lba = stream.random_range(0..pieces.max(1)) * PIECE_SECTORS;
            let sectors = PIECE_SECTORS.min(bare.sectors() - lba);
            if bare.outcome(CommandKind::Write, lba, sectors) == Outcome::WriteFault {
                return Ok(bare);
            }
        }
    }
    bare.outcome(CommandKind::Flush, 0, 0);
    Ok(bare)
}
