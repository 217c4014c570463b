//! Flash, and what the translation layer makes of it: units, wear, what is kept.

use super::bare::{Bare, Found, PLACE_SECTORS, metrics, wrong};
use ftlab_base::{CommandKind, Outcome, RootSeed};
use ftlab_drive::DriveFile;
use ftlab_result::quantity::statistics::{least, mean, most, scatter};
use rand::RngExt;

/// The units of flash, as writes show them: bytes of a program, programs of an 8 KiB write, and
/// bytes programmed for an erase when the same place is written again and again.
pub fn units(file: &DriveFile, seed: RootSeed) -> Found {
    let mut bare = Bare::new(file, seed)?.filled()?;
    let start = bare.device.counters();
    bare.write(0, 1)?;
    bare.flush()?;
    let sector = bare.device.counters().since(&start);
    let mut new = Bare::new(file, seed)?;
    new.write(0, 2 * PLACE_SECTORS)?;
    new.flush()?;
    let eight = new.device.counters();
    let page = sector.nand_bytes_programmed as f64 / sector.nand_programs.max(1) as f64;
    let overwrites = 4.0 * bare.raw_bytes / page;
    let start = bare.device.counters();
    for _ in 0..overwrites as u64 {
        bare.write(0, PLACE_SECTORS)?;
    }
    let again = bare.device.counters().since(&start);
    Ok(metrics([
        ("page_bytes", page),
        ("sector_programs", sector.nand_programs as f64),
        ("sector_erases", sector.nand_erases as f64),
        ("programs_of_8k", eight.nand_programs as f64),
        (
            "erase_bytes",
            again.nand_bytes_programmed as f64 / again.nand_erases as f64,
        ),
    ]))
}

/// Reading twice what the drive holds: what that programs and erases.
pub fn reads(file: &DriveFile, seed: RootSeed) -> Found {
    let mut bare = Bare::new(file, seed)?.filled()?;
    let start = bare.device.counters();
    let mut stream = bare.seed.stream("claims/reads");
    let places = bare.sectors() / PLACE_SECTORS;
    for _ in 0..2 * places {
        let place = stream.random_range(0..places);
        bare.apply(CommandKind::Read, place * PLACE_SECTORS, PLACE_SECTORS)?;
    }
    let reads = bare.device.counters().since(&start);
    Ok(metrics([
        ("reads", reads.nand_reads as f64),
        ("programs", reads.nand_programs as f64),
        ("erases", reads.nand_erases as f64),
    ]))
}

/// Writes 2 MB of a new drive over and over: when the first block is used again, and how
/// far wear has spread after three times the flash.
pub fn same_place(file: &DriveFile, seed: RootSeed) -> Found {
    let mut bare = Bare::new(file, seed)?;
    let mut first = f64::NAN;
    let mut after_second = f64::NAN;
    while (bare.device.counters().nand_bytes_programmed as f64) < 3.0 * bare.raw_bytes {
        for lba in (0..4096).step_by(256) {
            bare.write(lba, 256)?;
        }
        let now = bare.device.counters();
        let written = now.nand_bytes_programmed as f64;
        if after_second.is_nan() && now.host_bytes_written >= 2 << 21 {
            after_second = now.nand_erases as f64;
        }
        if first.is_nan() && now.nand_erases > 0 {
            first = written / bare.raw_bytes;
        }
    }
    let erases = bare.erases();
    Ok(metrics([
        ("erases_of_second_copy", after_second),
        ("first_erase_at", first),
        ("spread", most(&erases) - least(&erases)),
    ]))
}

/// Nine tenths of the writes to a tenth of the drive, a third never rewritten, until blocks were
/// erased 30 times on average: how unequal they are.
pub fn wear(file: &DriveFile, seed: RootSeed) -> Found {
    let mut bare = Bare::new(file, seed)?.filled()?;
    let mut stream = bare.seed.stream("claims/wear");
    let places = bare.sectors() / PLACE_SECTORS;
    let (hot, written) = (places / 10, places * 2 / 3);
    let blocks = bare.device.erase_counts().len() as u64;
    while bare.device.counters().nand_erases < 30 * blocks {
        for _ in 0..256 {
            let place = if stream.random_bool(0.9) {
                stream.random_range(0..hot)
            } else {
                stream.random_range(hot..written)
            };
            bare.write(place * PLACE_SECTORS, PLACE_SECTORS)?;
        }
    }
    let erases = bare.erases();
    Ok(metrics([
        ("variation", scatter(&erases)),
        ("most_over_mean", most(&erases) / mean(&erases)),
    ]))
}

/// Four fifths of a new drive written once, during which a die may die, and read again: what of it is
/// lost, what reads cost, and what was programmed for a byte of the host's.
pub fn all_kept(file: &DriveFile, seed: RootSeed) -> Found {
    let mut bare = Bare::new(file, seed)?;
    let (mut sectors, room) = (0, bare.share(0.8));
    // A drive that lost what it cannot make good may take no more.
    while sectors < room && bare.outcome(CommandKind::Write, sectors, 2048) == Outcome::Good {
        sectors += 2048;
    }
    bare.outcome(CommandKind::Flush, 0, 0);
    let written = bare.device.counters();
    let places = sectors / PLACE_SECTORS;
    let lost = bare.unreadable(places);
    let reads = bare.device.counters().since(&written).nand_reads;
    Ok(metrics([
        ("lost", lost),
        ("reads", reads as f64 / places as f64),
        ("programmed", written.write_amplification()),
    ]))
}

/// A used drive is switched off and on: what it keeps, compared slot by slot, and what a reading of
/// everything costs before and after.
pub fn power_off(file: &DriveFile, seed: RootSeed) -> Found {
    let mut bare = Bare::new(file, seed)?.filled()?;
    let user = bare.user_bytes();
    bare.at_random(PLACE_SECTORS, 1.0, 0.5 * user)?;
    bare.flush()?;
    let mut after = Bare::new(file, seed)?;
    let restored = after.device.restore(bare.device.save());
    restored.map_err(|error| wrong(&bare.slug, error))?;
    let same_map = f64::from(u8::from(after.device.save() == bare.device.save()));
    let mut reads = [0.0; 2];
    for (n, bare) in [&mut bare, &mut after].into_iter().enumerate() {
        let start = bare.device.counters();
        for lba in (0..bare.sectors()).step_by(2048) {
            let sectors = 2048.min(bare.sectors() - lba);
            bare.apply(CommandKind::Read, lba, sectors)?;
        }
        reads[n] = bare.device.counters().since(&start).nand_reads as f64;
    }
    Ok(metrics([
        ("same_map", same_map),
        ("reads_before", reads[0]),
        ("reads_after", reads[1]),
    ]))
}
