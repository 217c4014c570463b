//! What is done to drives without time, for claims about amounts and places rather than speed.
//!
//! An experiment runs on a drive of the file's make with fewer blocks ([`SCALE`]): write
//! amplification, wear and the units of flash do not depend on how many there are.

use super::{lives, wakings};
use ftlab_base::{
    Command, CommandId, CommandKind, Content, Lba, Nanos, Outcome, RootSeed, SECTOR_BYTES, SimTime,
};
use ftlab_bench::review::ReviewError;
use ftlab_drive::{Counters, Device, DriveFile, Scale};
use ftlab_host::HostOrder;
use ftlab_host::{Processor, Testbed};
use ftlab_play::states::{self, State};
use rand::RngExt;
use std::collections::BTreeMap;

/// Named figures.
pub type Metrics = BTreeMap<String, f64>;

/// Something done to a drive without time.
#[derive(Debug)]
pub struct Experiment {
    /// Its name, as printed.
    pub name: &'static str,
    /// Does it, on a drive as new.
    pub run: fn(&DriveFile, RootSeed) -> Result<Metrics, ReviewError>,
}

/// All of them.
const ALL: [&Experiment; 17] = [
    &UNITS,
    &READS,
    &DELETION,
    &WRITES_AFTER_DELETION,
    &UNIFORM,
    &UNIFORM_ON_75,
    &SMALL_CHANGES,
    &SAME_PLACE,
    &WEAR,
    &ALL_KEPT,
    &POWER_OFF,
    &SECURE_ERASE,
    &SHEET,
    &lives::LIFE,
    &lives::READ_ONLY,
    &lives::FADING,
    &wakings::LOST,
];

/// The experiment of that name.
pub fn named(name: &str) -> Option<&'static Experiment> {
    ALL.into_iter().find(|experiment| experiment.name == name)
}

/// A machine that takes no time and has no ports.
pub fn nobody() -> Testbed {
    Testbed {
        slug: "nobody".to_owned(),
        name: "no machine".to_owned(),
        host_command: Nanos::ZERO,
        queue_order: HostOrder::Fifo,
        ports: Vec::new(),
        link_sleeps: false,
        processor: Processor::REFERENCE,
        os: None,
    }
}

/// The share of the blocks that an experiment's drive has: 1 / this. Drives that are small already
/// stay as they are.
const SCALE: Scale = Scale {
    blocks: 32,
    ..Scale::FULL
};

/// Capacity from which on a drive is scaled down.
const LARGE_BYTES: u64 = 16_000_000_000;

/// Sectors of 4 KiB.
const PLACE_SECTORS: u64 = 8;

/// A drive and the commands of an experiment.
struct Bare {
    slug: String,
    device: Box<dyn Device>,
    raw_bytes: f64,
    seed: RootSeed,
}

impl Bare {
    fn new(file: &DriveFile, seed: RootSeed) -> Result<Bare, ReviewError> {
        let small = match file.capacity_bytes() {
            bytes if bytes > LARGE_BYTES => file.scaled(SCALE).unwrap_or_else(|_| file.clone()),
            _ => file.clone(),
        };
        let device = small.build(&nobody(), seed);
        let device = device.map_err(|error| ReviewError::Drive {
            drive: file.slug().to_owned(),
            error,
        })?;
        Ok(Bare {
            slug: file.slug().to_owned(),
            device,
            raw_bytes: small.raw_bytes().unwrap_or(0) as f64,
            seed,
        })
    }

    /// Every sector written once, in order.
    fn filled(file: &DriveFile, seed: RootSeed) -> Result<Bare, ReviewError> {
        let mut bare = Bare::new(file, seed)?;
        states::prepare(bare.device.as_mut(), State::New, State::Filled, seed).map_err(
            |error| ReviewError::Prepare {
                drive: bare.slug.clone(),
                error,
            },
        )?;
        Ok(bare)
    }

    fn command(kind: CommandKind, lba: u64, sectors: u64) -> Command {
        Command {
            id: CommandId(0),
            kind,
            lba: Lba(lba),
            sectors: sectors as u32,
            content: Content::RANDOM,
            at: SimTime::ZERO,
        }
    }

    fn apply(&mut self, kind: CommandKind, lba: u64, sectors: u64) -> Result<(), ReviewError> {
        let outcome = self.device.apply(Bare::command(kind, lba, sectors));
        match outcome {
            Outcome::Good => Ok(()),
            Outcome::WriteFault | Outcome::Unrecoverable | Outcome::Gone => {
                Err(ReviewError::Procedure {
                    drive: self.slug.clone(),
                    procedure: "experiment".to_owned(),
                    why: self
                        .device
                        .fault()
                        .unwrap_or_else(|| "it gives no reason".into()),
                })
            }
        }
    }

    fn write(&mut self, lba: u64, sectors: u64) -> Result<(), ReviewError> {
        self.apply(CommandKind::Write, lba, sectors)
    }

    /// Trims a share of the drive from the start, in ranges of what a command can name.
    fn trim(&mut self, share: f64) -> Result<(), ReviewError> {
        let sectors = self.share(share);
        for lba in (0..sectors).step_by(1 << 24) {
            self.apply(CommandKind::Trim, lba, (sectors - lba).min(1 << 24))?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), ReviewError> {
        self.apply(CommandKind::Flush, 0, 0)
    }

    fn sectors(&self) -> u64 {
        self.device.capacity_sectors()
    }

    /// Sectors of a share of the drive: whole pieces of 1 MiB.
    fn share(&self, share: f64) -> u64 {
        (self.sectors() as f64 * share) as u64 / 2048 * 2048
    }

    /// Random writes of `sectors` within the first share of the drive, N bytes in all; what
    /// the second half of them cost.
    fn at_random(&mut self, sectors: u64, share: f64, bytes: f64) -> Result<Counters, ReviewError> {
        let mut stream = self.seed.stream("claims/at-random");
        let places = self.share(share) / sectors;
        let writes = (bytes / (sectors * SECTOR_BYTES) as f64) as u64;
        let mut half = self.device.counters();
        for n in 0..writes {
            if n == writes / 2 {
                half = self.device.counters();
            }
            let place = stream.random_range(0..places);
            self.write(place * sectors, sectors)?;
        }
        Ok(self.device.counters().since(&half))
    }

    /// Bytes that the user sees.
    fn user_bytes(&self) -> f64 {
        (self.sectors() * SECTOR_BYTES) as f64
    }

    /// Valid slots of full superblocks, over all of them.
    fn valid_slots(&self) -> f64 {
        let layer = self.device.page_layer();
        let valid = layer.map_or_else(Vec::new, |layer| layer.valid_slots());
        valid
            .iter()
            .map(|&slots| f64::from(slots))
            .fold(0.0, |sum, slots| sum + slots)
    }

    /// Spread of the blocks' erase counts.
    fn wear(&self) -> Wear {
        let counts = self.device.erase_counts();
        let blocks = counts.len().max(1) as f64;
        let mean = counts.iter().map(|&n| f64::from(n)).sum::<f64>() / blocks;
        let squares = counts.iter().map(|&n| (f64::from(n) - mean).powi(2));
        Wear {
            mean,
            deviation: (squares.sum::<f64>() / blocks).sqrt(),
            most: f64::from(counts.iter().copied().max().unwrap_or(0)),
            least: f64::from(counts.iter().copied().min().unwrap_or(0)),
        }
    }
}

struct Wear {
    mean: f64,
    deviation: f64,
    most: f64,
    least: f64,
}

pub fn metrics<const N: usize>(figures: [(&str, f64); N]) -> Metrics {
    let named = |(name, value): (&str, f64)| (name.to_owned(), value);
    figures.into_iter().map(named).collect()
}

/// The units of flash, as writes show them: bytes of a program, programs of an 8 KiB write, and
/// bytes programmed for an erase when the same place is written again and again.
pub static UNITS: Experiment = Experiment {
    name: "units of flash",
    run: |file, seed| {
        let mut bare = Bare::filled(file, seed)?;
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
    },
};

/// Reading twice what the drive holds: what that programs and erases.
pub static READS: Experiment = Experiment {
    name: "reads of twice the capacity",
    run: |file, seed| {
        let mut bare = Bare::filled(file, seed)?;
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
    },
};

/// A tenth of a full drive is deleted: first the file system alone notes it, then TRIM tells the drive.
pub static DELETION: Experiment = Experiment {
    name: "deletion without and with TRIM",
    run: |file, seed| {
        let mut bare = Bare::filled(file, seed)?;
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
    },
};

/// Half of a full and used drive is deleted, and a tenth of it written: with and without TRIM of that half.
pub static WRITES_AFTER_DELETION: Experiment = Experiment {
    name: "writes into deleted space",
    run: |file, seed| {
        let mut cost = [0.0; 2];
        let mut foreground = [0.0; 2];
        for (n, trims) in [false, true].into_iter().enumerate() {
            let mut bare = Bare::filled(file, seed)?;
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
    },
};

fn uniform(file: &DriveFile, seed: RootSeed, share: f64) -> Result<Metrics, ReviewError> {
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
        ("wa", steady.write_amplification()),
        ("erases_per_gb", erases_per_gb),
    ]))
}

/// Uniform random writes of 4 KiB over the whole drive until they cost the same: write
/// amplification and erases for a host GB.
pub static UNIFORM: Experiment = Experiment {
    name: "uniform random writes",
    run: |file, seed| uniform(file, seed, 1.0),
};

/// The same on three quarters of the addresses, the others never written.
pub static UNIFORM_ON_75: Experiment = Experiment {
    name: "uniform random writes on 75 % of the addresses",
    run: |file, seed| uniform(file, seed, 0.75),
};

/// Random overwrites of 16 and of 4 KiB on a full drive: write amplification.
pub static SMALL_CHANGES: Experiment = Experiment {
    name: "random overwrites of 16 KiB and 4 KiB",
    run: |file, seed| {
        let mut bare = Bare::filled(file, seed)?;
        let large = bare.at_random(32, 1.0, 2_000.0 * 16384.0)?;
        let small = bare.at_random(8, 1.0, 2_000.0 * 4096.0)?;
        Ok(metrics([
            ("wa_16k", large.write_amplification()),
            ("wa_4k", small.write_amplification()),
        ]))
    },
};

/// The same 2 MB of a new drive written over and over: when the first block is used again, and how
/// far wear has spread after three times the flash.
pub static SAME_PLACE: Experiment = Experiment {
    name: "2 MB rewritten",
    run: |file, seed| {
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
        let wear = bare.wear();
        Ok(metrics([
            ("erases_of_second_copy", after_second),
            ("first_erase_at", first),
            ("spread", wear.most - wear.least),
        ]))
    },
};

/// Nine tenths of the writes to a tenth of the drive, a third never rewritten, until blocks were
/// erased 30 times on average: how unequal they are.
pub static WEAR: Experiment = Experiment {
    name: "wear under hot and cold writes",
    run: |file, seed| {
        let mut bare = Bare::filled(file, seed)?;
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
        let wear = bare.wear();
        Ok(metrics([
            ("variation", wear.deviation / wear.mean),
            ("most_over_mean", wear.most / wear.mean),
            ("least_over_mean", wear.least / wear.mean),
        ]))
    },
};

/// Four fifths of a new drive written once, during which a die may die, and read again: what of it is
/// lost, what reads cost, and what was programmed for a byte of the host's.
pub static ALL_KEPT: Experiment = Experiment {
    name: "four fifths written and read",
    run: |file, seed| {
        let mut bare = Bare::new(file, seed)?;
        let (mut sectors, most) = (0, bare.share(0.8));
        let write = |lba| Bare::command(CommandKind::Write, lba, 2048);
        // A drive that lost what it cannot make good may take no more.
        while sectors < most && bare.device.apply(write(sectors)) == Outcome::Good {
            sectors += 2048;
        }
        bare.device.apply(Bare::command(CommandKind::Flush, 0, 0));
        let written = bare.device.counters();
        let (mut lost, places) = (0, sectors / PLACE_SECTORS);
        for place in 0..places {
            let (kind, lba) = (CommandKind::Read, place * PLACE_SECTORS);
            let read = bare.device.apply(Bare::command(kind, lba, PLACE_SECTORS));
            lost += u64::from(read != Outcome::Good);
        }
        let reads = bare.device.counters().since(&written).nand_reads;
        Ok(metrics([
            ("lost", lost as f64 / places as f64),
            ("reads", reads as f64 / places as f64),
            ("programmed", written.write_amplification()),
        ]))
    },
};

/// A used drive is switched off and on: what it keeps, compared slot by slot, and what a reading of
/// everything costs before and after.
pub static POWER_OFF: Experiment = Experiment {
    name: "power off and on",
    run: |file, seed| {
        let mut bare = Bare::filled(file, seed)?;
        let user = bare.user_bytes();
        bare.at_random(PLACE_SECTORS, 1.0, 0.5 * user)?;
        bare.flush()?;
        let mut after = Bare::new(file, seed)?;
        let restored = after.device.restore(bare.device.save());
        restored.map_err(|error| ReviewError::Procedure {
            drive: bare.slug.clone(),
            procedure: "power off and on".to_owned(),
            why: error.to_string(),
        })?;
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
    },
};

/// Secure erase of a used drive: what is left of the mapping, and what writes cost afterwards.
pub static SECURE_ERASE: Experiment = Experiment {
    name: "secure erase",
    run: |file, seed| {
        let mut bare = Bare::filled(file, seed)?;
        let user = bare.user_bytes();
        let used = bare.at_random(PLACE_SECTORS, 1.0, 2.0 * user)?;
        let erased = bare.device.secure_erase();
        erased.map_err(|error| ReviewError::Procedure {
            drive: bare.slug.clone(),
            procedure: "secure erase".to_owned(),
            why: error.to_string(),
        })?;
        let left = bare.valid_slots();
        let start = bare.device.counters();
        for lba in (0..bare.share(0.5)).step_by(PLACE_SECTORS as usize) {
            bare.write(lba, PLACE_SECTORS)?;
        }
        let fresh = bare.device.counters().since(&start);
        states::prepare(bare.device.as_mut(), State::New, State::Filled, seed).map_err(
            |error| ReviewError::Prepare {
                drive: bare.slug.clone(),
                error,
            },
        )?;
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
    },
};

/// Numbers of the drive's file, in SI units, under their keys.
pub static SHEET: Experiment = Experiment {
    name: "numbers of the drive file",
    run: |file, _| {
        let mut all = Metrics::new();
        for row in file.parameters() {
            if let (Ok(value), Some(factor)) = (row.value.parse::<f64>(), factor(&row.unit)) {
                all.insert(row.key, value * factor);
            }
        }
        all.insert("user_bytes".to_owned(), file.capacity_bytes() as f64);
        if let Some(rate) = file.link_bytes_s() {
            all.insert("link_bytes_s".to_owned(), rate as f64);
        }
        if let Some(raw) = file.raw_bytes() {
            all.insert("raw_bytes".to_owned(), raw as f64);
        }
        if let Some(cycles) = file.rated_cycles() {
            all.insert("cycles".to_owned(), f64::from(cycles));
        }
        Ok(all)
    },
};

/// What a unit of drive files is in seconds, bytes, joules, watts or alone.
fn factor(unit: &str) -> Option<f64> {
    Some(match unit {
        "" => 1.0,
        "ns" => 1e-9,
        "us" => 1e-6,
        "ms" => 1e-3,
        "s" => 1.0,
        "B" => 1.0,
        "KiB" => 1024.0,
        "MiB" => 1_048_576.0,
        "GiB" => 1_073_741_824.0,
        "MB" => 1e6,
        "GB" => 1e9,
        "MB/s" => 1e6,
        "mW" => 1e-3,
        "W" => 1.0,
        _ => return None,
    })
}
