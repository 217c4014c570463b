//! What can be told of a drive without a run with time: spare area, a client's write amplification,
//! wear, endurance.

use super::ReviewError;
use crate::methods::Fact;
use crate::states::{self, State};
use ftlab_base::{Command, CommandId, Outcome, RootSeed, SECTOR_BYTES, SimTime};
use ftlab_drive::{Catalog, Device, DriveFile};
use ftlab_workload::{JobFile, JobStream};
use std::collections::BTreeMap;

/// The client's writes.
const CLIENT: (&str, &str) = (
    "client-writes.fio",
    include_str!("../../../../jobs/client-writes.fio"),
);

/// A client's writes wear a drive of this share of the blocks: 1 / this. Collection, levelling and the
/// shares of hot and cold data are those of the whole drive.
const SCALE: u32 = 8;

/// Erases of a block on average at which the wear is looked at, twice.
const MEAN_ERASES: [f64; 2] = [15.0, 30.0];

/// Writes between two looks at the counters.
const WRITES_A_LOOK: u64 = 1024;

/// Days of the five years of a promise, or of a sum.
const DAYS: f64 = 5.0 * 365.0;

/// What was told, and how it was found.
pub struct Told {
    pub metrics: BTreeMap<String, f64>,
    pub steps: Vec<String>,
}

/// How a client's writes wear a drive.
#[derive(Debug, Clone, Copy)]
pub struct ClientLife {
    /// NAND bytes programmed for a byte written, over the second half.
    wa: f64,
    /// Erases by which the most worn block is ahead of the mean, at both looks.
    ahead: [f64; 2],
    /// Mean erases at both looks.
    mean: [f64; 2],
}

impl ClientLife {
    /// The share of the cycles by which the most worn block is ahead of the mean when it has had
    /// `cycles`: what it was ahead by, and what that grew by for each erase, to the end.
    fn inefficiency(&self, cycles: f64) -> f64 {
        let grows = (self.ahead[1] - self.ahead[0]) / (self.mean[1] - self.mean[0]);
        // mean + ahead = cycles, and ahead = ahead[1] + grows · (mean − mean[1]).
        let mean = (cycles - self.ahead[1] + grows * self.mean[1]) / (1.0 + grows);
        ((cycles - mean) / cycles).clamp(0.0, 1.0)
    }
}

/// Wears a scaled-down drive with a client's writes.
pub fn client_life(file: &DriveFile, seed: RootSeed) -> Result<ClientLife, ReviewError> {
    let wrong = |error| ReviewError::Drive {
        drive: file.slug().to_owned(),
        error,
    };
    let file = file.scaled_down(SCALE).unwrap_or_else(|_| file.clone());
    // No machine matters to a run without time.
    let machine = Catalog::testbed("anandtech-2008").map_err(wrong)?;
    let mut device = file.build(&machine, seed).map_err(wrong)?;
    states::prepare(device.as_mut(), State::New, State::Filled, seed).map_err(|error| {
        ReviewError::Prepare {
            drive: file.slug().to_owned(),
            error,
        }
    })?;
    let mut streams = streams(device.as_ref(), seed);
    let blocks = device.erase_counts().len() as f64;
    let mut looks = Vec::new();
    for mean in MEAN_ERASES {
        while (device.counters().nand_erases as f64) < mean * blocks {
            write(device.as_mut(), &mut streams).map_err(|why| ReviewError::Procedure {
                drive: file.slug().to_owned(),
                procedure: "client-writes",
                why,
            })?;
        }
        let most = device.erase_counts().iter().copied().max().unwrap_or(0);
        let mean = device.counters().nand_erases as f64 / blocks;
        looks.push((mean, f64::from(most) - mean, device.counters()));
    }
    let [first, second] = [looks[0], looks[1]];
    Ok(ClientLife {
        wa: second.2.since(&first.2).write_amplification(),
        ahead: [first.1, second.1],
        mean: [first.0, second.0],
    })
}

fn streams(device: &dyn Device, seed: RootSeed) -> Vec<JobStream> {
    let (name, text) = CLIENT;
    let file = JobFile::parse(text, name).expect("a test reads it");
    let bytes = device.capacity_sectors() * SECTOR_BYTES;
    let jobs = file.jobs.iter();
    let resolved = jobs.map(|job| {
        job.resolve(bytes)
            .expect("it is made of shares of the drive")
    });
    resolved
        .map(|job| JobStream::new(&job, seed.derive("client-writes")))
        .collect()
}

/// Some writes of the jobs in turn.
fn write(device: &mut dyn Device, streams: &mut [JobStream]) -> Result<(), String> {
    for _ in 0..WRITES_A_LOOK {
        for stream in &mut *streams {
            let Some(request) = stream.next() else {
                return Err("the client has written all it has".into());
            };
            let outcome = device.apply(Command {
                id: CommandId(0),
                kind: request.kind,
                lba: request.lba,
                sectors: request.sectors,
                at: SimTime::ZERO,
                content: request.content,
            });
            if outcome != Outcome::Good {
                let why = device.fault();
                return Err(why.unwrap_or_else(|| "it gives no reason".into()));
            }
        }
    }
    Ok(())
}

/// Tells a fact; `life` is what [`client_life`] found, for the facts that need it.
pub fn tell(file: &DriveFile, fact: Fact, life: Option<&ClientLife>) -> Told {
    let mut metrics = BTreeMap::new();
    let mut put = |name: &str, value: f64| metrics.insert(name.to_owned(), value);
    let raw = file.raw_bytes().unwrap_or(0) as f64;
    let user = file.capacity_bytes() as f64;
    let cycles = file.endurance_cycles().map(f64::from);
    let mut steps = Vec::new();
    match fact {
        Fact::SpareArea => {
            put("spare_pct_of_raw", 100.0 * (raw - user) / raw);
            put("spare_pct_of_user", 100.0 * (raw - user) / user);
            steps.push(format!(
                "{raw} bytes of flash, {user} of them for the user."
            ));
        }
        Fact::EnduranceInTheory => {
            if let Some(cycles) = cycles {
                put("host_writes_total", user * cycles / 1e12);
                put("host_writes_per_day", user * cycles / 1e9 / DAYS);
            }
            steps.push("User capacity times rated cycles, over five years.".to_owned());
        }
        Fact::ClientWrites | Fact::Endurance { .. } => {
            let Some(life) = life else {
                return Told { metrics, steps };
            };
            put("wa", life.wa);
            if let Some(cycles) = cycles {
                let lost = life.inefficiency(cycles);
                put("wear_inefficiency_pct", 100.0 * lost);
                let total = raw * cycles * (1.0 - lost) / life.wa;
                put("host_writes_per_day", total / 1e9 / DAYS);
                if let Fact::Endurance { gb_per_day } = fact {
                    let days = total / 1e9 / f64::from(gb_per_day);
                    put("lifetime_years", days / 365.0);
                }
            }
            steps.push(format!(
                "{} without time on a drive of an eighth of the blocks, filled once, until every \
                 block has been erased {} times on average; write amplification over the second \
                 half, wear at half and at the end ({:.1} and {:.1} erases ahead of the mean).",
                CLIENT.0, MEAN_ERASES[1], life.ahead[0], life.ahead[1]
            ));
        }
    }
    Told { metrics, steps }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn life(ahead: [f64; 2]) -> ClientLife {
        ClientLife {
            wa: 2.0,
            ahead,
            mean: [15.0, 30.0],
        }
    }

    #[test]
    fn wear_that_does_not_spread_is_forgotten_in_the_end() {
        assert!((life([4.0, 4.0]).inefficiency(10_000.0) - 4e-4).abs() < 1e-12);
    }

    #[test]
    fn wear_that_spreads_goes_on_spreading() {
        // A tenth ahead of the mean all along.
        let lost = life([1.5, 3.0]).inefficiency(11_000.0);
        assert!((lost - 1.0 / 11.0).abs() < 1e-9, "{lost}");
    }

    #[test]
    fn facts_follow_from_the_file() {
        let file = Catalog::load("intel-x25-m-g1-80", &[]).unwrap();
        let spare = tell(&file, Fact::SpareArea, None).metrics;
        let raw = f64::from(80 << 10) * 1_048_576.0;
        let user = 156_301_488.0 * 512.0;
        assert!((spare["spare_pct_of_raw"] - 100.0 * (1.0 - user / raw)).abs() < 1e-4);
        assert!((spare["spare_pct_of_user"] - 100.0 * (raw / user - 1.0)).abs() < 1e-4);
        let endurance = Fact::Endurance { gb_per_day: 100 };
        let told = tell(&file, endurance, Some(&life([0.0, 0.0]))).metrics;
        let total = raw * 10_000.0 / 2.0;
        assert!((told["host_writes_per_day"] / (total / 1e9 / 1825.0) - 1.0).abs() < 1e-9);
        assert!((told["lifetime_years"] / (total / 1e11 / 365.0) - 1.0).abs() < 1e-9);
    }
}
