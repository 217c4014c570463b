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

pub use settings::{CLIENT, ENTERPRISE, Scale};

use crate::ask::{self, Asker, Ends};
use ftlab_base::RootSeed;
use ftlab_host::Testbed;
use ftlab_lab::{Cell, Course as Doing, LabError, Observer, Outcome, Subject as Drive, Work};
use ftlab_play::streams::{drive_seed, seed_of_load};
use ftlab_result::pts::{Cell as Access, Course, Settings, SteadyState};
use ftlab_result::{ResultSet, TestSheet};
use rayon::prelude::*;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use subject::Subject;

/// A test of the standard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Test {
    /// Random accesses: a matrix of mixes and sizes.
    Iops,
    /// Accesses in order, of one size in each part.
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

/// A part of a test that begins with a purge; `parts.toml` explains its keys.
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
    fn run(&self, subject: &mut Subject<'_>) -> Result<Finding, LabError> {
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

/// The findings of a part, as they go into a run.
#[derive(Debug, Default)]
struct Finding {
    /// As in a run.
    metrics: BTreeMap<String, f64>,
    steady: Option<SteadyState>,
    cells: Vec<Access>,
    courses: Vec<Course>,
}

fn metrics(named: &[(&str, f64)]) -> BTreeMap<String, f64> {
    let owned = |&(name, value): &(&str, f64)| (name.to_owned(), value);
    named.iter().map(owned).collect()
}

/// A question for tests of the standard on drives.
#[derive(Debug, Clone)]
pub struct Pts {
    /// The drives, all of flash and each by itself, in the order of the report.
    pub drives: Vec<Drive>,
    /// The tests to run, in the order of the report.
    pub tests: Vec<Test>,
    /// Settings of the standard.
    pub settings: Settings,
    /// The factor by which tests are shorter; none for the one that suits each drive.
    pub scale: Option<Scale>,
    /// The machine; none for one of the time of each drive.
    pub testbed: Option<Testbed>,
    /// Root of every random stream.
    pub seed: RootSeed,
}

/// A test of the standard on drives, as cells: each drive is a course.
#[derive(Debug)]
pub struct Batch {
    cells: Vec<Cell>,
    seed: RootSeed,
    tests: Vec<TestSheet>,
    costs: Vec<f64>,
}

/// The parts of the tests on one drive, each on a copy of its own.
#[derive(Debug)]
struct Parts {
    parts: Vec<&'static Part>,
    settings: Settings,
    scale: Option<Scale>,
}

impl Pts {
    /// The cells of it.
    ///
    /// # Errors
    /// When there is no such machine.
    pub fn batch(self) -> Result<Batch, LabError> {
        let of = |&test: &Test| PARTS.iter().filter(move |part| part.of == test);
        let parts: Vec<&'static Part> = self.tests.iter().flat_map(of).collect();
        let course: Arc<dyn Doing> = Arc::new(Parts {
            parts: parts.clone(),
            settings: self.settings.clone(),
            scale: self.scale,
        });
        let cell = |subject: Drive| {
            let machine = ftlab_lab::testbed(self.testbed.as_ref(), subject.usual_testbed());
            let machine = machine.map_err(|error| LabError::Drive {
                drive: subject.slug().to_owned(),
                error,
            })?;
            Ok(Cell {
                subject: Arc::new(subject),
                work: Work::Course(Arc::clone(&course)),
                machine: Arc::new(machine),
                seed: self.seed,
            })
        };
        Ok(Batch {
            cells: (self.drives.into_iter().map(cell)).collect::<Result<_, LabError>>()?,
            seed: self.seed,
            tests: parts.iter().map(|part| part.sheet.clone()).collect(),
            costs: vec![1.0; parts.len()],
        })
    }
}

impl Asker for Batch {
    fn cells(&self) -> &[Cell] {
        &self.cells
    }

    fn costs(&self, _cell: usize) -> &[f64] {
        &self.costs
    }

    fn set(&self, ends: &Ends, why: &str) -> ResultSet {
        let runs = ask::runs(self, ends);
        let machines = ask::listed(runs.iter().map(|run| run.testbed.as_str()));
        let origin = ask::origin(self.seed.0, machines, false);
        let mut set = ask::set_of(self, ends, why, origin);
        (set.tests, set.runs) = (self.tests.clone(), runs);
        set
    }
}

impl Doing for Parts {
    fn name(&self) -> String {
        "pts".to_owned()
    }

    fn mark(&self) -> String {
        let tests: Vec<&str> = self
            .parts
            .iter()
            .map(|part| part.sheet.test.as_str())
            .collect();
        format!("{} {:?} {:?}", tests.join(" "), self.settings, self.scale)
    }

    fn run(&self, cell: &Cell, observer: Observer<'_>) -> Result<Vec<Outcome>, LabError> {
        let file = cell.subject.first();
        let seed = drive_seed(cell.seed, file.slug());
        let device = file.build(&cell.machine, seed);
        let mut device = device.map_err(|error| LabError::Drive {
            drive: file.slug().to_owned(),
            error,
        })?;
        (device.set_write_cache(self.settings.write_cache)).map_err(|error| LabError::Course {
            drive: file.slug().to_owned(),
            course: self.name(),
            why: error.to_string(),
        })?;
        let root = seed_of_load(cell.seed, "pts");
        let mut purged = Subject::new(
            file,
            observer.watch,
            device,
            &self.settings,
            Scale::STANDARD,
            root,
        );
        purged.purge()?;
        let mut ready = None;
        if self.parts.iter().any(|part| part.preconditioned) {
            let mut subject = purged.copy(root.derive("preconditioning"));
            subject.precondition()?;
            ready = Some(subject);
        }
        // A device is at home in one thread at a time.
        let (purged, ready) = (Mutex::new(purged), ready.map(Mutex::new));
        let run = |of: &&'static Part| {
            let from = ready.as_ref().filter(|_| of.preconditioned);
            let from = from.unwrap_or(&purged).lock();
            let from = from.unwrap_or_else(PoisonError::into_inner);
            let mut subject = from.copy(root.derive(&of.sheet.test));
            drop(from);
            let suits = || Scale::of_capacity(file.capacity_bytes(), of.minutes);
            subject.scale = self.scale.unwrap_or_else(suits);
            let before = subject.device.counters();
            subject.device.restart_stream_hash();
            let found = of.run(&mut subject)?;
            (observer.part)(&format!("{} {}", file.slug(), of.sheet.test))?;
            let counters = subject.device.counters().since(&before);
            let mut run = results::run(&cell.machine, of, &subject, found, &counters);
            run.notes.extend(cell.subject.words_of_size());
            Ok(Outcome {
                load: of.sheet.test.clone(),
                run,
                ..Outcome::default()
            })
        };
        let all: Vec<Result<Outcome, LabError>> = self.parts.par_iter().map(run).collect();
        all.into_iter().collect()
    }
}

#[cfg(test)]
mod tests;
