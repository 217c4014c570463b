//! A drive and the commands of an experiment.

use ftlab_base::{Command, CommandKind, Nanos, Outcome, RootSeed, SECTOR_BYTES, SimTime};
use ftlab_drive::{Counters, Device, DriveFile, Scale};
use ftlab_host::{HostOrder, Processor, Testbed};
use ftlab_lab::LabError;
use ftlab_states::State;
use rand::RngExt;
use std::collections::BTreeMap;

/// Named figures, or why there are none.
pub type Found = Result<BTreeMap<String, f64>, LabError>;

/// A machine that takes no time and has no ports.
pub fn nobody() -> Testbed {
    Testbed {
        slug: "nobody".to_owned(),
        name: "no machine".to_owned(),
        host_command: Nanos::ZERO,
        path: None,
        queue_order: HostOrder::Fifo,
        ports: Vec::new(),
        slot: None,
        transfer_max: None,
        link_sleeps: false,
        power_states: false,
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
pub const PLACE_SECTORS: u64 = 8;

/// A drive and the commands of an experiment.
pub struct Bare {
    pub slug: String,
    pub device: Box<dyn Device>,
    pub raw_bytes: f64,
    pub seed: RootSeed,
}

impl Bare {
    /// A drive of the file's make with fewer blocks: write amplification, wear and the units of flash do
    /// not depend on how many there are.
    pub fn new(file: &DriveFile, seed: RootSeed) -> Result<Bare, LabError> {
        match file.scaled(SCALE) {
            Ok(small) if file.capacity_bytes() > LARGE_BYTES => Bare::of(&small, seed),
            _ => Bare::of(file, seed),
        }
    }

    /// The drive of the file itself.
    pub fn of(file: &DriveFile, seed: RootSeed) -> Result<Bare, LabError> {
        let device = file.build(&nobody(), seed);
        Ok(Bare {
            slug: file.slug().to_owned(),
            device: device.map_err(|error| LabError::Drive {
                drive: file.slug().to_owned(),
                error,
            })?,
            raw_bytes: file.raw_bytes().unwrap_or(0) as f64,
            seed,
        })
    }

    /// The drive after every sector was written once, in order.
    pub fn filled(mut self) -> Result<Bare, LabError> {
        let device = self.device.as_mut();
        let filled = ftlab_states::prepare(device, State::New, State::Filled, self.seed);
        filled.map_err(|error| LabError::Prepare {
            drive: self.slug.clone(),
            error,
        })?;
        Ok(self)
    }

    /// The outcome of a command, which is done at once.
    pub fn outcome(&mut self, kind: CommandKind, lba: u64, sectors: u64) -> Outcome {
        self.device.apply(command(kind, lba, sectors))
    }

    /// Does a command that has to succeed.
    pub fn apply(&mut self, kind: CommandKind, lba: u64, sectors: u64) -> Result<(), LabError> {
        match self.outcome(kind, lba, sectors) {
            Outcome::Good => Ok(()),
            Outcome::WriteFault | Outcome::Unrecoverable | Outcome::Gone => {
                let why = self.device.fault();
                let why = why.unwrap_or_else(|| "it gives no reason".into());
                Err(wrong(&self.slug, why))
            }
        }
    }

    pub fn write(&mut self, lba: u64, sectors: u64) -> Result<(), LabError> {
        self.apply(CommandKind::Write, lba, sectors)
    }

    /// Trims a share of the drive from the start, in ranges of what a command can name.
    pub fn trim(&mut self, share: f64) -> Result<(), LabError> {
        let sectors = self.share(share);
        for lba in (0..sectors).step_by(1 << 24) {
            self.apply(CommandKind::Trim, lba, (sectors - lba).min(1 << 24))?;
        }
        Ok(())
    }

    pub fn flush(&mut self) -> Result<(), LabError> {
        self.apply(CommandKind::Flush, 0, 0)
    }

    pub fn sectors(&self) -> u64 {
        self.device.capacity_sectors()
    }

    /// Sectors of a share of the drive: whole pieces of 1 MiB.
    pub fn share(&self, share: f64) -> u64 {
        (self.sectors() as f64 * share) as u64 / 2048 * 2048
    }

    /// Random writes of `sectors` within the first share of the drive, N bytes in all; what
    /// the second half of them cost.
    pub fn at_random(
        &mut self,
        sectors: u64,
        share: f64,
        bytes: f64,
    ) -> Result<Counters, LabError> {
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
    pub fn user_bytes(&self) -> f64 {
        (self.sectors() * SECTOR_BYTES) as f64
    }

    /// Valid slots of full superblocks, over all of them.
    pub fn valid_slots(&self) -> f64 {
        let layer = self.device.page_layer();
        let valid = layer.map_or_else(Vec::new, |layer| layer.valid_slots());
        (valid.iter()).fold(0.0, |sum, &slots| sum + f64::from(slots))
    }

    /// Erases of each block.
    pub fn erases(&self) -> Vec<f64> {
        let counts = self.device.erase_counts();
        counts.iter().map(|&count| f64::from(count)).collect()
    }

    /// The share of the first N places of 4 KiB that cannot be read.
    pub fn unreadable(&mut self, places: u64) -> f64 {
        let is_lost = |place: &u64| {
            let read = self.outcome(CommandKind::Read, place * PLACE_SECTORS, PLACE_SECTORS);
            read != Outcome::Good
        };
        (0..places).filter(is_lost).count() as f64 / places as f64
    }
}

/// A command of no time.
pub fn command(kind: CommandKind, lba: u64, sectors: u64) -> Command {
    Command::new(kind, 0, lba, sectors as u32, SimTime::ZERO)
}

/// Returns the error of an experiment that cannot go on.
pub fn wrong(drive: &str, why: impl ToString) -> LabError {
    LabError::Course {
        drive: drive.to_owned(),
        course: "experiment".to_owned(),
        why: why.to_string(),
    }
}

/// Figures by their names.
pub fn metrics<const N: usize>(figures: [(&str, f64); N]) -> BTreeMap<String, f64> {
    let named = |(name, value): (&str, f64)| (name.to_owned(), value);
    figures.into_iter().map(named).collect()
}
