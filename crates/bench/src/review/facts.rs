//! Facts about a drive that take no run with time: spare area, a client's write amplification, wear, endurance.

use super::cost;
use crate::endurance::{self, CLIENT, Daily, EnduranceError, Plan, RANDOM, SEQUENTIAL};
use crate::suites::{Fact, NO_STATE, Writes};
use ftlab_drive::{DriveFile, Health};
use ftlab_host::Testbed;
use ftlab_lab::{Cell, Course, LabError, Length, Observer, Outcome, smart_of};
use ftlab_play::driver::DriverError;
use ftlab_play::streams::drive_seed;
use ftlab_result::quantity::{Quantity, table};
use ftlab_result::{At, Run};
use ftlab_states::watch::{Stopped, Watch};
use ftlab_workload::JobFile;

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

/// The daily writes of a client, and the temperature, behind a maker's promise.
const DAILY: Daily = Daily {
    bytes: 100e9,
    celsius: 40.0,
};

/// Ranges of a histogram of wear.
const WEAR_BINS: u32 = 40;

/// Days of the five years of a promise, or of a sum.
const DAYS: f64 = 5.0 * 365.0;

/// The name under which a worn drive's run carries its promise: the bytes that it takes until its mean block has had
/// its rated cycles. It is taken out before results are made, and is no metric.
const PROMISED_BYTES: &str = "promised_bytes";

/// Writes that wear a drive, to its end if it has one. Their one outcome is the run that facts take their figures from.
#[derive(Debug)]
pub struct Wearing {
    pub writes: Writes,
    pub length: Length,
}

impl Course for Wearing {
    fn name(&self) -> String {
        let (job, _) = job_of(self.writes);
        format!("{} ({NO_STATE})", job.trim_start_matches("jobs/"))
    }

    fn mark(&self) -> String {
        let (_, text) = job_of(self.writes);
        format!("{:?}\n{text}", self.length)
    }

    fn costs(&self, _cell: &Cell) -> Vec<f64> {
        let programs = Programs::of(self.length);
        vec![cost::of_programs(programs.wa + programs.life)]
    }

    fn run(&self, cell: &Cell, observer: Observer<'_>) -> Result<Vec<Outcome>, LabError> {
        let file = cell.subject.first();
        let (name, _) = job_of(self.writes);
        let run = self
            .run_of(cell, observer.watch)
            .map_err(|error| match error {
                error if error.is_stopped() => LabError::Stopped(Stopped),
                error => LabError::Course {
                    drive: file.slug().to_owned(),
                    course: name.to_owned(),
                    why: error.to_string(),
                },
            })?;
        (observer.part)(&cell.label())?;
        Ok(vec![Outcome {
            load: name.to_owned(),
            run,
            ..Outcome::default()
        }])
    }
}

impl Wearing {
    fn run_of(&self, cell: &Cell, watch: &Watch<'_>) -> Result<Run, EnduranceError> {
        let (file, programs) = (cell.subject.first(), Programs::of(self.length));
        let seed = drive_seed(cell.seed, file.slug());
        let (name, text) = job_of(self.writes);
        // No machine matters to a run without time.
        let nobody = &Testbed::load("anandtech-2008")?;
        let job = JobFile::parse(text, name).map_err(DriverError::from)?;
        let mut run = Run::default();
        let wa =
            endurance::write_amplification(file, &job, programs.wa as u64, nobody, seed, watch)?;
        table::WA.put(&mut run.metrics, wa);
        let plan = match Plan::within(file, programs.life) {
            Ok(plan) => plan,
            Err(EnduranceError::LastsForEver { .. }) => return Ok(run),
            Err(error) => return Err(error),
        };
        let life = endurance::live(file, &job, &plan, DAILY, nobody, seed, watch)?;
        // A maker promises no more than the rating of the blocks.
        let promised = life.rated_bytes.unwrap_or(life.host_bytes);
        run.metrics.insert(PROMISED_BYTES.to_owned(), promised);
        if let Some(mark) = life.at(DAYS * DAILY.bytes) {
            let blocks = &mark.health.wear;
            let lost = 1.0 - blocks.levelling_efficiency();
            table::WEAR_INEFFICIENCY_PCT.put(&mut run.metrics, 100.0 * lost);
            let scatter = 100.0 * blocks.stddev() / blocks.mean().max(1.0);
            table::WEAR_SCATTER_PCT.put(&mut run.metrics, scatter);
            run.at.push(At {
                wear: wear_of(&mark.health),
                smart: smart_of(file, &mark.of_full),
                ..At::default()
            });
        }
        Ok(run)
    }
}

/// The job file that makes such writes: name and text.
pub const fn job_of(writes: Writes) -> (&'static str, &'static str) {
    match writes {
        Writes::Client => CLIENT,
        Writes::Random => RANDOM,
        Writes::Sequential => SEQUENTIAL,
    }
}

/// Makes a run of a fact; `worn` is the outcome of [`Wearing`], for the facts that need it.
pub fn tell(file: &DriveFile, fact: Fact, worn: Option<&Run>, length: Length) -> Run {
    let raw = file.raw_bytes().unwrap_or(0) as f64;
    let user = file.capacity_bytes() as f64;
    let mut run = Run::default();
    let mut put = |of: &Quantity, value: f64| of.put(&mut run.metrics, value);
    match (fact, worn) {
        (Fact::SpareArea, _) => {
            put(&table::SPARE_PCT_OF_RAW, 100.0 * (raw - user) / raw);
            put(&table::SPARE_PCT_OF_USER, 100.0 * (raw - user) / user);
            run.steps.push(format!(
                "{raw} bytes of flash, {user} of them for the user."
            ));
        }
        (Fact::EnduranceInTheory, _) => {
            if let Some(cycles) = file.rated_cycles().map(f64::from) {
                put(&table::HOST_WRITES_TOTAL, user * cycles / 1e12);
                put(&table::HOST_WRITES_PER_DAY, user * cycles / 1e9 / DAYS);
            }
            let step = "User capacity times rated cycles, over five years.";
            run.steps.push(step.to_owned());
        }
        (_, Some(worn)) => run = of_wear(fact, worn, user, length),
        (_, None) => {}
    }
    run
}

/// The run of a fact that follows from how a drive wears.
fn of_wear(fact: Fact, worn: &Run, user: f64, length: Length) -> Run {
    let mut run = worn.clone();
    let promised = run.metrics.remove(PROMISED_BYTES);
    let programs = Programs::of(length);
    let (job, _) = fact.writes().map_or(CLIENT, job_of);
    run.steps = vec![format!(
        "{job} without time on a drive that was filled once: write amplification over the second \
         half of two drive sizes, or of {} million programs.",
        programs.wa / 1e6
    )];
    // Blocks that last for ever promise nothing, and write amplification is all there is.
    let Some(promised) = promised else {
        return run;
    };
    let mut put = |of: &Quantity, value: f64| of.put(&mut run.metrics, value);
    put(&table::HOST_WRITES_PER_DAY, promised / 1e9 / DAYS);
    if let Fact::Life(_) = fact {
        put(&table::HOST_WRITES_TOTAL, promised / 1e12);
        put(&table::DRIVE_WRITES_PER_DAY, promised / user / DAYS);
    }
    if let Fact::Endurance { gb_per_day } = fact {
        let days = promised / 1e9 / f64::from(gb_per_day);
        put(&table::LIFETIME_YEARS, days / 365.0);
    }
    run.steps.push(format!(
        "The same to the end of the drive's life, in proportion on a smaller drive of \
         shorter-lived blocks ({:e} programs): how unequal its blocks are \
         worn after five years of {} GB a day, and the bytes until the mean block has had \
         its rated cycles.",
        programs.life,
        DAILY.bytes / 1e9
    ));
    run
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

#[cfg(test)]
mod tests {
    use super::*;
    use ftlab_base::RootSeed;
    use ftlab_drive::Catalog;
    use std::sync::Arc;

    const CLIENT_WRITES: Wearing = Wearing {
        writes: Writes::Client,
        length: Length::Full,
    };

    #[test]
    fn facts_follow_from_the_file() {
        let file = Catalog::default().load("intel-x25-m-g1-80", &[]).unwrap();
        let spare = tell(&file, Fact::SpareArea, None, Length::Full).metrics;
        // 20 packages of 8208 blocks of 128 pages.
        let raw = 20.0 * 8208.0 * 128.0 * 4096.0;
        let user = 156_301_488.0 * 512.0;
        assert!((spare["spare_pct_of_raw"] - 100.0 * (1.0 - user / raw)).abs() < 1e-4);
        assert!((spare["spare_pct_of_user"] - 100.0 * (raw / user - 1.0)).abs() < 1e-4);
        let theory = tell(&file, Fact::EnduranceInTheory, None, Length::Full).metrics;
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
        let file = Catalog::default().load("generic-mlc-8", &settings).unwrap();
        let cell = Cell {
            subject: Arc::new(file.clone().into()),
            work: ftlab_lab::Work::Course(Arc::new(CLIENT_WRITES)),
            machine: Arc::new(Testbed::load("anandtech-2008").unwrap()),
            seed: RootSeed(1),
        };
        let observer = Observer {
            watch: &ftlab_states::watch::nobody,
            part: &|_| Ok(()),
        };
        let client = CLIENT_WRITES.run(&cell, observer).unwrap();
        let client = &client[0].run;
        let endurance = Fact::Endurance { gb_per_day: 100 };
        let told = tell(&file, endurance, Some(client), Length::Full).metrics;
        let rated = file.raw_bytes().unwrap() as f64 * 100.0 / told["wa"];
        let worn: f64 = tell(&file, Fact::ClientWrites, Some(client), Length::Full).at[0]
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
