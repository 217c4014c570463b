//! Costs of writes: by the share of addresses in use, after deletion, TRIM and secure erase.

use super::bare::{Bare, Found, PLACE_SECTORS, metrics, wrong};
use ftlab_base::{CommandKind, RootSeed};
use ftlab_drive::DriveFile;
use ftlab_result::quantity::table;

/// A tenth of a full drive is deleted: first the file system alone notes it, then TRIM tells the drive.
pub fn deletion(file: &DriveFile, seed: RootSeed) -> Found {
    let mut bare = Bare::new(file, seed)?.filled()?;
    let (start, full) = (bare.device.counters(), bare.valid_slots());
    // What the host writes is an entry of its directory.
    bare.write(0, PLACE_SECTORS)?;
    bare.flush()?;
    let noted = bare.device.counters().since(&start);
    let untold = bare.valid_slots();
    bare.trim(0.1)?;
    let told = bare.valid_slots();
    Ok(metrics([
        ("erases", noted.nand_erases as f64),
        ("kept_without_trim", untold / full),
        ("kept_with_trim", told / full),
    ]))
}

/// Half of a full and used drive is deleted, and a tenth of it written: with and without TRIM of that half.
pub fn after_deletion(file: &DriveFile, seed: RootSeed) -> Found {
    let mut cost = [0.0; 2];
    let mut foreground = [0.0; 2];
    for (n, trims) in [false, true].into_iter().enumerate() {
        let mut bare = Bare::new(file, seed)?.filled()?;
        let all = bare.user_bytes();
        bare.at_random(PLACE_SECTORS, 1.0, 2.0 * all)?;
        if trims {
            bare.trim(0.5)?;
        }
        let start = bare.device.counters();
        for lba in (0..bare.share(0.1)).step_by(PLACE_SECTORS as usize) {
            bare.write(lba, PLACE_SECTORS)?;
        }
        let written = bare.device.counters().since(&start);
        cost[n] = written.write_amplification();
        foreground[n] = written.moved_programs as f64 / written.host_ios as f64;
    }
    Ok(metrics([
        ("wa_without_trim", cost[0]),
        ("wa_with_trim", cost[1]),
        ("moved_without_trim", foreground[0]),
        ("moved_with_trim", foreground[1]),
    ]))
}

fn uniform_on(file: &DriveFile, seed: RootSeed, share: f64) -> Found {
    let mut bare = Bare::new(file, seed)?;
    let used = bare.share(share);
    for lba in (0..used).step_by(2048) {
        bare.write(lba, 2048.min(used - lba))?;
    }
    let bytes = 5.0 * bare.user_bytes();
    let steady = bare.at_random(PLACE_SECTORS, share, bytes)?;
    let gigabytes = steady.host_bytes_written as f64 / 1e9;
    let erases_per_gb = steady.nand_erases as f64 / gigabytes;
    Ok(metrics([
        (table::WA.name, steady.write_amplification()),
        ("erases_per_gb", erases_per_gb),
    ]))
}

/// Uniform random writes of 4 KiB over the whole drive until they cost the same: write
/// amplification and erases for a host GB.
pub fn uniform(file: &DriveFile, seed: RootSeed) -> Found {
    uniform_on(file, seed, 1.0)
}

/// Uniform writes on three quarters of the addresses, the others never written.
pub fn uniform_on_75(file: &DriveFile, seed: RootSeed) -> Found {
    uniform_on(file, seed, 0.75)
}

/// Random overwrites of 16 and of 4 KiB on a full drive: write amplification.
pub fn small_changes(file: &DriveFile, seed: RootSeed) -> Found {
    let mut bare = Bare::new(file, seed)?.filled()?;
    let large = bare.at_random(32, 1.0, 2_000.0 * 16384.0)?;
    let small = bare.at_random(8, 1.0, 2_000.0 * 4096.0)?;
    Ok(metrics([
        ("wa_16k", large.write_amplification()),
        ("wa_4k", small.write_amplification()),
    ]))
}

/// Secure erase of a used drive: what is left of the mapping, and what writes cost afterwards.
pub fn secure_erase(file: &DriveFile, seed: RootSeed) -> Found {
    let mut bare = Bare::new(file, seed)?.filled()?;
    let user = bare.user_bytes();
    let used = bare.at_random(PLACE_SECTORS, 1.0, 2.0 * user)?;
    let erased = bare.device.secure_erase();
    erased.map_err(|error| wrong(&bare.slug, error))?;
    let left = bare.valid_slots();
    let start = bare.device.counters();
    for lba in (0..bare.share(0.5)).step_by(PLACE_SECTORS as usize) {
        bare.write(lba, PLACE_SECTORS)?;
    }
    let fresh = bare.device.counters().since(&start);
    let mut bare = bare.filled()?;
    bare.flush()?;
    // Only what holds data is read from flash.
    let (start, sectors) = (bare.device.counters(), bare.sectors() / PLACE_SECTORS);
    for place in 0..sectors {
        bare.apply(CommandKind::Read, place * PLACE_SECTORS, PLACE_SECTORS)?;
    }
    let held = bare.device.counters().since(&start).nand_reads as f64 / sectors as f64;
    Ok(metrics([
        ("held_after_fill", held),
        ("valid_after", left),
        ("wa_used", used.write_amplification()),
        ("wa_after", fresh.write_amplification()),
    ]))
}
