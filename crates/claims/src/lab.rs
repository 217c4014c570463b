//! Measures what checks need, each thing once: tests and loads as a review runs them, and experiments.

use crate::experiments::{self, Experiment};
use crate::need::{Need, Work};
use crate::sample::Sample;
use ftlab_base::RootSeed;
use ftlab_bench::lab;
use ftlab_bench::review::{self, Length, Progress, ReviewError, Watch};
use ftlab_bench::suites::{self, NO_STATE, Test, own};
use ftlab_drive::{Catalog, DriveFile, default_testbed};
use ftlab_host::Port;
use ftlab_play::driver::Clock;
use ftlab_play::load::Load;
use ftlab_play::states::State;
use ftlab_play::streams::drive_seed;
use ftlab_result::Run;
use ftlab_sheet::SheetError;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What to check.
#[derive(Debug)]
pub struct Plan {
    /// Ids of claims; none for all.
    pub ids: Vec<String>,
    /// Drives that take the place of those of the same slug; when there are any, only claims are
    /// checked that need one of them.
    pub drives: Vec<DriveFile>,
    /// Bytes that drives and their copies may take together.
    pub memory_bytes: u64,
    /// Root of every random stream.
    pub seed: RootSeed,
    /// Measurements at a time; at least 1.
    pub threads: usize,
}

impl Plan {
    /// Whether a check that needs a drive of this name is of one of the plan's.
    pub fn is_of(&self, drive: &str) -> bool {
        self.drives.is_empty() || self.changed(drive).is_some()
    }

    fn changed(&self, drive: &str) -> Option<&DriveFile> {
        let is_it = |file: &&DriveFile| {
            file.slug() == drive || file.aliases().iter().any(|alias| alias == drive)
        };
        self.drives.iter().find(is_it)
    }

    fn load(&self, need: &Need) -> Result<DriveFile, SheetError> {
        match self.changed(need.drive) {
            Some(file) => file.with(&need.settings()),
            None => Catalog::load(need.drive, &need.settings()),
        }
    }
}

/// The machine that takes no time and has no ports: what is measured is the drive alone.
pub const NOBODY: &str = "nobody";

/// Measurements by the keys of their needs; of those that failed, why.
pub type Samples = BTreeMap<String, Result<Sample, String>>;

/// A drive as its file and settings say, and what is to be measured on it.
struct Subject {
    file: DriveFile,
    /// By the keys of their needs.
    tests: BTreeMap<String, Wanted>,
    experiments: BTreeMap<String, &'static Experiment>,
}

/// The run of a test in a state.
struct Wanted {
    test: Test,
    state: String,
}

/// Measures everything that is needed. What cannot be measured on a drive is kept in words: the claims that need
/// it stay open, and the others do not. `progress` hears of measurements done, of all, and of the one just done.
///
/// # Errors
/// When a drive with its settings is none, or there are no threads.
pub fn measure<'a>(
    plan: &Plan,
    needs: impl Iterator<Item = &'a Need>,
    progress: &(dyn Fn(usize, usize, &str) + Sync),
) -> Result<Samples, ReviewError> {
    let subjects = subjects(plan, needs)?;
    let counts = |of: &Subject| of.tests.len() + of.experiments.len();
    let total = subjects.iter().map(counts).sum();
    let done = AtomicUsize::new(0);
    let step = |label: &str| progress(done.fetch_add(1, Ordering::Relaxed) + 1, total, label);
    let heard = Heard {
        subjects: &subjects,
        step: &step,
        samples: Mutex::new(run_experiments(plan, &subjects, &step)?),
    };
    heard.review(plan, None)?;
    heard.review(plan, Some(NOBODY))?;
    Ok(heard.samples.into_inner().expect("no holder panics"))
}

fn subjects<'a>(
    plan: &Plan,
    needs: impl Iterator<Item = &'a Need>,
) -> Result<Vec<Subject>, ReviewError> {
    let mut subjects: BTreeMap<String, Subject> = BTreeMap::new();
    for need in needs {
        let subject = match subjects.entry(need.subject()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(Subject {
                file: plan.load(need).map_err(|error| ReviewError::Drive {
                    drive: need.drive.to_owned(),
                    error,
                })?,
                tests: BTreeMap::new(),
                experiments: BTreeMap::new(),
            }),
        };
        match &need.work {
            Work::Experiment(experiment) => {
                subject.experiments.insert(need.key(), experiment);
            }
            Work::Test(test, state) => {
                let wanted = of_test(&subject.file, test, *state);
                subject.tests.insert(need.key(), wanted);
            }
            Work::Load {
                load,
                state,
                machine,
                port,
            } => {
                let wanted = of_load(&subject.file, load, *state, machine, *port);
                subject.tests.insert(need.key(), wanted);
            }
        }
    }
    Ok(subjects.into_values().collect())
}

/// A test of a review as that made it: its first load and port, in one state.
fn of_test(file: &DriveFile, test: &Test, state: Option<&str>) -> Wanted {
    match &test.step.work {
        suites::Work::Loads { loads, ports } => {
            let state = state.and_then(State::named);
            let state = state.unwrap_or(test.family.states[0]);
            let machine = test.family.testbed.as_deref();
            let machine = machine.unwrap_or_else(|| default_testbed([file]));
            of_load(file, &loads[0], state, machine, ports[0])
        }
        suites::Work::Within(..) | suites::Work::Fact(_) => Wanted {
            test: test.clone(),
            state: state.unwrap_or_else(|| test.first_state()).to_owned(),
        },
    }
}

/// A load as a test of its own, which no other of that name is.
fn of_load(
    file: &DriveFile,
    load: &Load,
    state: State,
    machine: &str,
    port: Option<Port>,
) -> Wanted {
    // A review leaves out a port that a drive is not slower on than on the fastest.
    let port = port.filter(|port| file.waits_for(*port));
    let on = port.map_or("its fastest port", Port::name);
    let slug = format!("{} ({}), {machine}, {on}", load.name(), state.name());
    Wanted {
        test: own(&slug, load.clone(), state, Clock::Timed).on(machine, port),
        state: state.name().to_owned(),
    }
}

fn run_experiments(
    plan: &Plan,
    subjects: &[Subject],
    step: &(dyn Fn(&str) + Sync),
) -> Result<Samples, ReviewError> {
    let lab = lab::Lab::new(plan.threads, plan.memory_bytes)?;
    let mut all: Vec<(&Subject, &String, &Experiment)> = Vec::new();
    for subject in subjects {
        let experiments = subject.experiments.iter();
        all.extend(experiments.map(|(key, &experiment)| (subject, key, experiment)));
    }
    let bytes = |(subject, ..): &(&Subject, &String, &Experiment)| subject.file.memory_bytes();
    let run = |&(subject, key, experiment): &(&Subject, &String, &Experiment)| {
        let file = &subject.file;
        let metrics = (experiment.run)(file, drive_seed(plan.seed, file.slug()));
        step(key);
        let sample = |metrics| {
            Sample::of(Run {
                drive: file.slug().to_owned(),
                metrics,
                ..Run::default()
            })
        };
        let sample = metrics.map(sample).map_err(|error| error.to_string());
        (key.clone(), sample)
    };
    Ok(lab.run(&all, bytes, run).into_iter().collect())
}

/// Hears of a review of the subjects.
struct Heard<'a> {
    subjects: &'a [Subject],
    step: &'a (dyn Fn(&str) + Sync),
    samples: Mutex<Samples>,
}

impl Heard<'_> {
    /// Reviews the subjects by the tests that run on this machine, or by those that run on any other.
    fn review(&self, plan: &Plan, machine: Option<&str>) -> Result<(), ReviewError> {
        let is_of = |wanted: &&Wanted| {
            (wanted.test.family.testbed.as_deref() == Some(NOBODY)) == machine.is_some()
        };
        let tests_of = |subject: &Subject| {
            let wanted = subject.tests.values().filter(is_of);
            let tests = wanted.map(|wanted| (wanted.test.step.slug.clone(), wanted.test.clone()));
            tests.collect::<BTreeMap<String, Test>>()
        };
        let tests: Vec<BTreeMap<String, Test>> = self.subjects.iter().map(tests_of).collect();
        let wanted = tests.iter().map(|tests| tests.keys().cloned().collect());
        let wanted: Vec<Vec<String>> = wanted.collect();
        let all: BTreeMap<String, Test> = tests.into_iter().flatten().collect();
        let plan = review::Plan {
            drives: self
                .subjects
                .iter()
                .map(|subject| subject.file.clone().into())
                .collect(),
            tests: all.into_values().collect(),
            is_everything: false,
            state: None,
            length: Length::Full,
            clock: Clock::Timed,
            testbed: machine.map(|_| experiments::nobody()),
            memory_bytes: plan.memory_bytes,
            seed: plan.seed,
            repeats: 1,
            threads: plan.threads,
            version: String::new(),
        };
        review::run(&plan, &wanted, self)
    }
}

impl Watch for Heard<'_> {
    fn ran(&self, _: Progress<'_>) {}

    fn tested(&self, drive: usize, test: &str, runs: Vec<Run>) {
        let is_of = |(_, wanted): &(&String, &Wanted)| wanted.test.step.slug == test;
        for (key, wanted) in self.subjects[drive].tests.iter().filter(is_of) {
            let is_it =
                |run: &&Run| [wanted.state.as_str(), NO_STATE].contains(&run.state.as_str());
            if let Some(run) = runs.iter().find(is_it) {
                let mut samples = self.samples.lock().expect("no holder panics");
                samples.insert(key.clone(), Ok(Sample::of(run.clone())));
            }
            (self.step)(key);
        }
    }

    fn ended(&self, drive: usize, end: Result<(), ReviewError>) {
        let Err(error) = end else { return };
        let mut samples = self.samples.lock().expect("no holder panics");
        for key in self.subjects[drive].tests.keys() {
            // A run counts for more than a reason why there is none: the other machine may have it, or have it yet.
            let failed = || Err(error.to_string());
            samples.entry(key.clone()).or_insert_with(failed);
        }
    }
}
