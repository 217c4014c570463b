//! What can be said about a drive without a run with time: spare area, a client's write amplification,
//! wear, endurance.

use super::{Length, ReviewError};
use crate::endurance::{self, CLIENT, Daily, EnduranceError, Life, Plan, RANDOM};
use crate::suites::{Fact, Writes};
use ftlab_base::RootSeed;
use ftlab_drive::smart::Attribute;
use ftlab_drive::{DriveFile, Health};
use ftlab_host::Testbed;
use ftlab_result::SmartAttribute;
use ftlab_result::quantity::{Quantity, table};
use ftlab_workload::JobFile;
use std::collections::BTreeMap;

/// Pages that the writes are worth: until write amplification has settled, and in a whole life, about.
#[derive(Debug, Clone, Copy)]
struct Programs {
    wa: f64,
    life: f64,
}

impl Programs {
    const fn of(length: Length) -> Programs {
        match length {
            Length::Full => Programs {
                wa: 4e7,
                life: 1.5e8,
            },
            Length::Quick => Programs { wa: 4e6, life: 4e6 },
        }
    }
}

/// Pages that are programmed for all there is to tell of one kind of writes.
pub fn programs(length: Length) -> f64 {
    let programs = Programs::of(length);
    programs.wa + programs.life
}

/// What the client of a promise writes a day.
const DAILY: Daily = Daily {
    bytes: 100e9,
    celsius: 40.0,
};

/// Ranges of a histogram of wear.
const WEAR_BINS: u32 = 40;

/// Days of the five years of a promise, or of a sum.
const DAYS: f64 = 5.0 * 365.0;

/// What was told, and how it was found.
#[derive(Default)]
pub struct Told {
    pub metrics: BTreeMap<String, f64>,
    pub steps: Vec<String>,
    /// Wear after five years, as in a run.
    pub wear: Vec<(f64, f64)>,
    /// SMART after five years, of the drive in its own size.
    pub smart: Vec<SmartAttribute>,
}

/// What writes do to a drive.
#[derive(Debug, Clone)]
pub struct Use {
    /// Name of the job file.
    job: &'static str,
    /// NAND bytes programmed for a byte written, once that has settled.
    wa: f64,
    /// Its whole life, if its blocks do not last for ever.
    life: Option<Life>,
    programs: Programs,
}

/// The job that stands for such writes: name and text.
pub const fn job_of(writes: Writes) -> (&'static str, &'static str) {
    match writes {
        Writes::Client => CLIENT,
        Writes::Random => RANDOM,
    }
}

/// Writes a drive, to its end if it has one.
pub fn use_up(
    file: &DriveFile,
    writes: Writes,
    length: Length,
    seed: RootSeed,
) -> Result<Use, ReviewError> {
    // No machine matters to a run without time.
    let nobody = Testbed::load("anandtech-2008").map_err(|error| ReviewError::Drive {
        drive: file.slug().to_owned(),
        error,
    })?;
    let job = job_of(writes);
    used(file, job, length, &nobody, seed).map_err(|error| ReviewError::Procedure {
        drive: file.slug().to_owned(),
        procedure: job.0.to_owned(),
        why: error.to_string(),
    })
}

fn used(
    file: &DriveFile,
    (name, text): (&'static str, &'static str),
    length: Length,
    nobody: &Testbed,
    seed: RootSeed,
) -> Result<Use, EnduranceError> {
    let programs = Programs::of(length);
    let job = JobFile::parse(text, name).expect("a test reads it");
    let wa = endurance::write_amplification(file, &job, programs.wa as u64, nobody, seed)?;
    let life = match Plan::within(file, programs.life) {
        Ok(plan) => Some(endurance::live(
            file,
            &job,
            &plan,
            DAILY,
            nobody,
            seed,
            &|_| (),
        )?),
        Err(EnduranceError::LastsForEver { .. }) => None,
        Err(error) => return Err(error),
    };
    Ok(Use {
        job: name,
        wa,
        life,
        programs,
    })
}

/// Tells a fact; `used` is what [`use_up`] found of its writes, for the facts that need it.
pub fn tell(file: &DriveFile, fact: Fact, used: Option<&Use>) -> Told {
    let mut metrics = BTreeMap::new();
    let mut put = |of: &Quantity, value: f64| of.put(&mut metrics, value);
    let raw = file.raw_bytes().unwrap_or(0) as f64;
    let user = file.capacity_bytes() as f64;
    let cycles = file.rated_cycles().map(f64::from);
    let mut steps = Vec::new();
    let (mut wear, mut smart) = (Vec::new(), Vec::new());
    match fact {
        Fact::SpareArea => {
            put(&table::SPARE_PCT_OF_RAW, 100.0 * (raw - user) / raw);
            put(&table::SPARE_PCT_OF_USER, 100.0 * (raw - user) / user);
            steps.push(format!(
                "{raw} bytes of flash, {user} of them for the user."
            ));
        }
        Fact::EnduranceInTheory => {
            if let Some(cycles) = cycles {
                put(&table::HOST_WRITES_TOTAL, user * cycles / 1e12);
                put(&table::HOST_WRITES_PER_DAY, user * cycles / 1e9 / DAYS);
            }
            steps.push("User capacity times rated cycles, over five years.".to_owned());
        }
        Fact::ClientWrites | Fact::Endurance { .. } | Fact::Life(_) => {
            let Some(used) = used else {
                return Told::default();
            };
            put(&table::WA, used.wa);
            steps.push(format!(
                "{} without time on a drive that was filled once: write amplification over the second \
                 half of two drive sizes, or of {} million programs.",
                used.job,
                used.programs.wa / 1e6
            ));
            if let Some(life) = &used.life {
                let five_years = life.at(DAYS * DAILY.bytes);
                if let Some(mark) = five_years {
                    let blocks = &mark.health.wear;
                    let lost = 1.0 - blocks.levelling_efficiency();
                    put(&table::WEAR_INEFFICIENCY_PCT, 100.0 * lost);
                    put(
                        &table::WEAR_SCATTER_PCT,
                        100.0 * blocks.stddev() / blocks.mean().max(1.0),
                    );
                    wear = wear_of(&mark.health);
                    smart = smart_of(file, &mark.of_full);
                }
                // What blocks do beyond their rating is no maker's promise.
                let promised = life.rated_bytes.unwrap_or(life.host_bytes);
                put(&table::HOST_WRITES_PER_DAY, promised / 1e9 / DAYS);
                if let Fact::Life(_) = fact {
                    put(&table::HOST_WRITES_TOTAL, promised / 1e12);
                    put(&table::DRIVE_WRITES_PER_DAY, promised / user / DAYS);
                }
                if let Fact::Endurance { gb_per_day } = fact {
                    let days = promised / 1e9 / f64::from(gb_per_day);
                    put(&table::LIFETIME_YEARS, days / 365.0);
                }
                steps.push(format!(
                    "The same to the end of the drive's life, in proportion on a smaller drive of \
                     shorter-lived blocks ({:e} programs): how unequal its blocks are \
                     worn after five years of {} GB a day, and the bytes until the mean block has had \
                     its rated cycles.",
                    used.programs.life,
                    DAILY.bytes / 1e9
                ));
            }
        }
    }
    Told {
        metrics,
        steps,
        wear,
        smart,
    }
}

/// (P/E cycles in percent of the rated ones, share of the blocks in percent), the cycles of a range
/// by its middle; nothing without a rating.
fn wear_of(health: &Health) -> Vec<(f64, f64)> {
    let Some(rated) = health.rated_cycles else {
        return Vec::new();
    };
    let bins = health.wear.bins(WEAR_BINS);
    let width = match bins.as_slice() {
        [(first, _), (second, _), ..] => second - first,
        _ => 1,
    };
    let share = |&(from, blocks): &(u32, u32)| {
        let middle = f64::from(from) + f64::from(width - 1) / 2.0;
        (
            100.0 * middle / f64::from(rated),
            100.0 * f64::from(blocks) / f64::from(health.wear.blocks()),
        )
    };
    bins.iter().map(share).collect()
}

/// What a drive in such a state says of itself; nothing if its file does not say in whose words.
#[must_use]
pub fn smart_of(file: &DriveFile, health: &Health) -> Vec<SmartAttribute> {
    let Some(vendor) = file.smart_vendor() else {
        return Vec::new();
    };
    let attribute = |attribute: Attribute| SmartAttribute {
        id: attribute.id,
        name: attribute.name.to_owned(),
        value: attribute.value,
        threshold: attribute.threshold,
        raw: attribute.raw,
    };
    vendor
        .attributes(health)
        .into_iter()
        .map(attribute)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftlab_drive::Catalog;

    #[test]
    fn facts_follow_from_the_file() {
        let file = Catalog::load("intel-x25-m-g1-80", &[]).unwrap();
        let spare = tell(&file, Fact::SpareArea, None).metrics;
        // 20 packages of 8208 blocks of 128 pages.
        let raw = 20.0 * 8208.0 * 128.0 * 4096.0;
        let user = 156_301_488.0 * 512.0;
        assert!((spare["spare_pct_of_raw"] - 100.0 * (1.0 - user / raw)).abs() < 1e-4);
        assert!((spare["spare_pct_of_user"] - 100.0 * (raw / user - 1.0)).abs() < 1e-4);
        let theory = tell(&file, Fact::EnduranceInTheory, None).metrics;
        assert!((theory["host_writes_total"] - user * 10_000.0 / 1e12).abs() < 1e-6);
    }

    #[test]
    fn a_promise_is_of_the_cycles_that_blocks_are_rated_for() {
        let settings: Vec<String> = [
            "reliability.rated_cycles=100",
            "reliability.median_cycles=300",
            "reliability.life_shape=20",
            "reliability.erase_share=0.9",
        ]
        .map(str::to_owned)
        .to_vec();
        let file = Catalog::load("generic-mlc-8", &settings).unwrap();
        let client = use_up(&file, Writes::Client, Length::Full, RootSeed(1)).unwrap();
        let endurance = Fact::Endurance { gb_per_day: 100 };
        let told = tell(&file, endurance, Some(&client)).metrics;
        let rated = file.raw_bytes().unwrap() as f64 * 100.0 / told["wa"];
        let worn: f64 = tell(&file, Fact::ClientWrites, Some(&client))
            .wear
            .iter()
            .map(|(_, share)| share)
            .sum();
        assert!((worn - 100.0).abs() < 1e-9, "{worn} % of the blocks");
        let bytes = told["lifetime_years"] * 365.0 * 100e9;
        assert!((bytes / rated - 1.0).abs() < 0.1, "{bytes} for {rated}");
        assert!((told["host_writes_per_day"] * 1e9 * DAYS / bytes - 1.0).abs() < 1e-9);
    }
}
