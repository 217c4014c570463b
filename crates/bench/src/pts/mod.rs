//! SNIA's Solid State Storage Performance Test Specification (SSS PTS, 2.0.2).
//!
//! Each test purges the drive, writes it twice over in order where the standard asks for that
//! (workload-independent preconditioning), and repeats its own accesses in rounds until its tracking
//! variables are steady (`rounds.rs`, by the rule of `steady_rule.rs`), or follows a rate.
//!
//! | test | begins | what is done |
//! |---|---|---|
//! | IOPS | preconditioned | seven mixes of reads and writes by eight sizes, at random |
//! | throughput | preconditioned, for each of two sizes | reads and writes in order |
//! | latency | preconditioned | three mixes by three sizes, one command at a time |
//! | write saturation | purged | random writes of 4 KiB |
//! | host idle recovery | preconditioned | random writes of 4 KiB, with pauses once they are steady |
//! | cross-stimulus recovery | purged | writes in order, at random, in order |
//!
//! An access lasts a minute in the standard, and a round of the IOPS test an hour. A test can be scaled
//! ([`Scale`]): a minute is shorter, and only its beginning runs with time (`subject.rs`).

mod basic;
mod courses;
mod results;
mod rounds;
mod settings;
mod subject;
#[cfg(test)]
mod tests;

pub use settings::{CLIENT, ENTERPRISE, Scale};

use crate::lab::Lab;
use crate::review::ReviewError;
use crate::testbeds::asked_or;
use ftlab_base::RootSeed;
use ftlab_drive::{DriveFile, default_testbed};
use ftlab_host::Testbed;
use ftlab_play::streams::{drive_seed, seed_of_load};
use ftlab_result::pts::{Cell, Course, Settings, SteadyState};
use ftlab_result::{ResultSet, Run, TestSheet};
use ftlab_sheet::SheetError;
use rayon::prelude::*;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex};
use subject::Subject;

/// A test of the standard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Test {
    /// Random accesses: a matrix of mixes and sizes.
    Iops,
    /// Accesses in order.
    Throughput,
    /// One command at a time.
    Latency,
    /// Random writes from a purged drive on.
    WriteSaturation,
    /// Random writes with pauses.
    HostIdleRecovery,
    /// From one load to another and back.
    CrossStimulusRecovery,
}

impl Test {
    /// All tests, in the order of the standard: the basic ones first.
    pub const ALL: [Test; 6] = [
        Test::Iops,
        Test::Throughput,
        Test::Latency,
        Test::WriteSaturation,
        Test::HostIdleRecovery,
        Test::CrossStimulusRecovery,
    ];
}

/// A part of a test that begins with a purge; `parts.toml` says what its keys mean.
#[derive(Debug, Deserialize)]
struct Part {
    of: Test,
    #[serde(default)]
    kib: u64,
    preconditioned: bool,
    minutes: f64,
    scaled: Option<String>,
    #[serde(flatten)]
    sheet: TestSheet,
}

/// All parts, in the order of the standard.
static PARTS: LazyLock<Vec<Part>> = LazyLock::new(|| {
    let parts = toml::from_str::<BTreeMap<String, Vec<Part>>>(include_str!("parts.toml"));
    parts
        .expect("a test reads it")
        .remove("part")
        .unwrap_or_default()
});

impl Part {
    fn run(&self, subject: &mut Subject<'_>) -> Result<Finding, ReviewError> {
        match self.of {
            Test::Iops => basic::iops(subject),
            Test::Throughput => basic::throughput(subject, self.kib << 10),
            Test::Latency => basic::latency(subject),
            Test::WriteSaturation => courses::write_saturation(subject),
            Test::HostIdleRecovery => courses::host_idle_recovery(subject),
            Test::CrossStimulusRecovery => courses::cross_stimulus_recovery(subject),
        }
    }
}

/// What a part found.
#[derive(Debug, Default)]
struct Finding {
    /// As in a run.
    metrics: BTreeMap<String, f64>,
    steady: Option<SteadyState>,
    cells: Vec<Cell>,
    courses: Vec<Course>,
}

fn metrics(named: &[(&str, f64)]) -> BTreeMap<String, f64> {
    let owned = |&(name, value): &(&str, f64)| (name.to_owned(), value);
    named.iter().map(owned).collect()
}

/// What to test.
#[derive(Debug)]
pub struct Plan {
    /// The drives, all of flash, in the order of the report.
    pub drives: Vec<DriveFile>,
    /// The tests.
    pub tests: Vec<Test>,
    /// Settings of the standard.
    pub settings: Settings,
    /// How much shorter than the standard's; none for what suits each drive.
    pub scale: Option<Scale>,
    /// The machine; none for one of the time of each drive.
    pub testbed: Option<Testbed>,
    /// Root of every random stream.
    pub seed: RootSeed,
    /// Bytes that drives and their copies may take together.
    pub memory_bytes: u64,
    /// Tests at a time; at least 1.
    pub threads: usize,
    /// Version of the program, for the results.
    pub version: String,
}

impl Plan {
    /// The machine of a drive.
    fn machine(&self, file: &DriveFile) -> Result<Testbed, SheetError> {
        asked_or(self.testbed.as_ref(), default_testbed([file]))
    }

    /// What the tests are made of, in the order of the plan.
    fn parts(&self) -> Vec<&'static Part> {
        let of = |&test: &Test| PARTS.iter().filter(move |part| part.of == test);
        self.tests.iter().flat_map(of).collect()
    }

    /// Runs in all.
    #[must_use]
    pub fn runs(&self) -> usize {
        self.drives.len() * self.parts().len()
    }
}

/// What the drives of a plan take of this machine's memory at most.
///
/// # Errors
/// When there are no threads.
pub fn most_bytes(plan: &Plan) -> Result<u64, ReviewError> {
    let sizes: Vec<u64> = plan.drives.iter().map(DriveFile::memory_bytes).collect();
    Ok(Lab::new(plan.threads, plan.memory_bytes)?.most_bytes(&sizes))
}

/// Runs the tests: drives side by side and the tests of a drive too, each on a copy of its own.
/// `progress` hears of each run that is done, from any thread: how many are, and which this was.
///
/// # Errors
/// The first, in the order of the plan, that cannot be built or run.
pub fn run(plan: &Plan, progress: &(dyn Fn(usize, &str) + Sync)) -> Result<ResultSet, ReviewError> {
    let lab = Lab::new(plan.threads, plan.memory_bytes)?;
    let done = AtomicUsize::new(0);
    let step = |label: &str| progress(done.fetch_add(1, Ordering::Relaxed) + 1, label);
    let found = lab.run(&plan.drives, DriveFile::memory_bytes, |file| {
        run_drive(plan, file, &step)
    });
    let mut runs = Vec::new();
    // All of them, in order: which error is reported must not depend on the threads.
    for of_drive in found {
        for run in of_drive? {
            runs.push(run?);
        }
    }
    Ok(results::result_set(plan, runs))
}

fn run_drive(
    plan: &Plan,
    file: &DriveFile,
    step: &(dyn Fn(&str) + Sync),
) -> Result<Vec<Result<Run, ReviewError>>, ReviewError> {
    let scale_of = |part: &Part| {
        let suits = || Scale::of_capacity(file.capacity_bytes(), part.minutes);
        plan.scale.unwrap_or_else(suits)
    };
    let seed = drive_seed(plan.seed, file.slug());
    let wrong = |error| ReviewError::Drive {
        drive: file.slug().to_owned(),
        error,
    };
    let machine = plan.machine(file).map_err(wrong)?;
    let mut device = file.build(&machine, seed).map_err(wrong)?;
    (device.set_write_cache(plan.settings.write_cache)).map_err(|error| {
        ReviewError::Procedure {
            drive: file.slug().to_owned(),
            procedure: "pts".to_owned(),
            why: error.to_string(),
        }
    })?;
    let root = seed_of_load(plan.seed, "pts");
    let mut purged = Subject::new(file, device, &plan.settings, Scale::STANDARD, root);
    purged.purge()?;
    let parts = plan.parts();
    let mut ready = None;
    if parts.iter().any(|part| part.preconditioned) {
        let mut subject = purged.copy(root.derive("preconditioning"));
        subject.precondition()?;
        ready = Some(subject);
    }
    // A device is at home in one thread at a time.
    let (purged, ready) = (Mutex::new(purged), ready.map(Mutex::new));
    let run = |part: &&'static Part| {
        let from = ready.as_ref().filter(|_| part.preconditioned);
        let from = from.unwrap_or(&purged).lock().expect("no holder panics");
        let mut subject = from.copy(root.derive(&part.sheet.test));
        drop(from);
        subject.scale = scale_of(part);
        let before = subject.device.counters();
        subject.device.restart_stream_hash();
        let found = part.run(&mut subject)?;
        step(&format!("{} {}", file.slug(), part.sheet.test));
        let counters = subject.device.counters().since(&before);
        Ok(results::run(&machine, part, &subject, found, &counters))
    };
    Ok(parts.par_iter().map(run).collect())
}
