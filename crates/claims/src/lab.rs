//! Measures what checks need, each thing once, in parallel.

use super::check::{Need, Sample, Work};
use super::{Plan, names};
use ftlab_base::RootSeed;
use ftlab_bench::review::{
    Case, ClientUse, FromStates, Length, Nobody, Ran, ReviewError, Running, client_use,
    data_before, tell,
};
use ftlab_bench::suites::{self, Fact, Procedure};
use ftlab_drive::{Catalog, DriveFile, Kind};
use ftlab_host::Testbed;
use ftlab_play::driver::Clock;
use ftlab_play::load::Load;
use ftlab_play::record::Record;
use ftlab_play::states::State;
use ftlab_play::streams::drive_seed;
use ftlab_sheet::SheetError;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// What tells measurements of a drive apart.
type Key = String;

/// A drive as its file and settings say, and what is to be measured on it.
struct Subject {
    file: DriveFile,
    cases: BTreeMap<Key, Case>,
    /// By name and machine.
    procedures: BTreeMap<Key, (Arc<Procedure>, String)>,
    facts: BTreeMap<Key, Fact>,
    experiments: BTreeMap<Key, &'static super::experiments::Experiment>,
}

/// Drives and what was measured on them.
pub struct Lab<'a> {
    plan: &'a Plan,
    /// By drive and settings as the needs say.
    subjects: BTreeMap<String, Subject>,
    samples: BTreeMap<(String, Key), Sample>,
    /// Why nothing could be measured on a drive, by its key.
    failed: BTreeMap<String, String>,
}

/// What a need is on its drive: resolved to what runs.
enum Resolved {
    Case(Case),
    Within {
        procedure: Arc<Procedure>,
        machine: String,
        job: Load,
        state: String,
    },
    Fact(Fact),
    Experiment(&'static super::experiments::Experiment),
}

fn resolve(need: &Need, file: &DriveFile) -> Resolved {
    let case = |load: Load, state, testbed: &str, port| {
        // What has no flash has one state.
        let has_flash = file.kind() == Kind::Ssd;
        let state = if has_flash { state } else { State::New };
        Resolved::Case(Case {
            state,
            testbed: testbed.to_owned(),
            port,
            before: data_before(file, &load),
            load,
        })
    };
    match need.work {
        Work::Test(slug, asked) => {
            let test = suites::all().find(|test| test.step.slug == slug);
            let test = test.expect("a test looks every slug up");
            let machine = test.family.testbed.as_str();
            match &test.step.work {
                suites::Work::Loads { loads, ports } => {
                    let state = asked.and_then(State::named);
                    let state = state.unwrap_or(test.family.states[0]);
                    case(loads[0].clone(), state, machine, ports[0])
                }
                suites::Work::Within(procedure, job) => Resolved::Within {
                    procedure: Arc::clone(procedure),
                    machine: machine.to_owned(),
                    job: job.clone(),
                    state: asked.unwrap_or_else(|| test.first_state()).to_owned(),
                },
                suites::Work::Fact(fact) => Resolved::Fact(*fact),
            }
        }
        Work::Load {
            load,
            state,
            machine,
            port,
        } => {
            let load = load.read().expect("a test reads every load");
            case(load, state, machine, port)
        }
        Work::Experiment(experiment) => Resolved::Experiment(experiment),
    }
}

fn key(resolved: &Resolved) -> Key {
    match resolved {
        Resolved::Case(case) => format!("case {:?}", case.key()),
        Resolved::Within {
            procedure,
            machine,
            job,
            state,
        } => key_within(procedure, machine, job, state),
        Resolved::Fact(fact) => format!("fact {fact:?}"),
        Resolved::Experiment(experiment) => format!("experiment {}", experiment.name),
    }
}

fn key_within(procedure: &Procedure, machine: &str, job: &Load, state: &str) -> Key {
    format!(
        "procedure {} {machine} {} {state}",
        procedure.slug,
        job.name()
    )
}

fn subject_key(need: &Need) -> String {
    format!("{} {}", need.drive, need.settings)
}

impl<'a> Lab<'a> {
    pub fn new(plan: &'a Plan) -> Self {
        Lab {
            plan,
            subjects: BTreeMap::new(),
            samples: BTreeMap::new(),
            failed: BTreeMap::new(),
        }
    }

    fn load(&self, need: &Need) -> Result<DriveFile, SheetError> {
        let settings: Vec<String> = need
            .settings
            .split_whitespace()
            .map(str::to_owned)
            .collect();
        let changed = self.plan.drives.iter().find(|file| names(need.drive, file));
        match changed {
            Some(file) => file.with(&settings),
            None => Catalog::load(need.drive, &settings),
        }
    }

    /// Takes note of what a check needs.
    ///
    /// # Errors
    /// When a drive with its settings is none.
    pub fn ask(&mut self, needs: &[Need]) -> Result<(), ReviewError> {
        for need in needs {
            let name = subject_key(need);
            if !self.subjects.contains_key(&name) {
                let file = self.load(need).map_err(|error| ReviewError::Drive {
                    drive: need.drive.to_owned(),
                    error,
                })?;
                let subject = Subject {
                    file,
                    cases: BTreeMap::new(),
                    procedures: BTreeMap::new(),
                    facts: BTreeMap::new(),
                    experiments: BTreeMap::new(),
                };
                self.subjects.insert(name.clone(), subject);
            }
            let subject = self.subjects.get_mut(&name).expect("put there above");
            let resolved = resolve(need, &subject.file);
            let key = key(&resolved);
            match resolved {
                Resolved::Case(case) => drop(subject.cases.insert(key, case)),
                Resolved::Within {
                    procedure, machine, ..
                } => {
                    let name = format!("{} {machine}", procedure.slug);
                    subject.procedures.insert(name, (procedure, machine));
                }
                Resolved::Fact(fact) => drop(subject.facts.insert(key, fact)),
                Resolved::Experiment(e) => drop(subject.experiments.insert(key, e)),
            }
        }
        Ok(())
    }

    /// Measures everything that was asked for. What cannot be measured on a drive is kept in words: the
    /// claims that need it stay open, and the others do not.
    ///
    /// # Errors
    /// When there are no threads for it.
    pub fn measure(
        &mut self,
        progress: &(dyn Fn(usize, usize, &str) + Sync),
    ) -> Result<(), ReviewError> {
        let lab = ftlab_bench::lab::Lab::new(self.plan.threads, self.plan.memory_bytes)?;
        let total = self.subjects.values().map(Subject::len).sum();
        let done = AtomicUsize::new(0);
        let step = |label: &str| progress(done.fetch_add(1, Ordering::Relaxed) + 1, total, label);
        let subjects: Vec<(&String, &Subject)> = self.subjects.iter().collect();
        let found = lab.run(
            &subjects,
            |(_, subject)| subject.file.memory_bytes(),
            |(_, subject)| subject.run(self.plan.seed, &step),
        );
        for ((name, _), found) in subjects.into_iter().zip(found) {
            match found {
                Ok(found) => {
                    let of_subject = found.into_iter();
                    let samples = of_subject.map(|(key, sample)| ((name.clone(), key), sample));
                    self.samples.extend(samples);
                }
                Err(why) => drop(self.failed.insert(name.clone(), why.to_string())),
            }
        }
        Ok(())
    }

    /// What a need that was asked for came to.
    ///
    /// # Errors
    /// Why nothing could be measured on its drive.
    pub fn sample(&self, need: &Need) -> Result<Sample, String> {
        let name = subject_key(need);
        if let Some(why) = self.failed.get(&name) {
            return Err(why.clone());
        }
        let key = key(&resolve(need, &self.subjects[&name].file));
        Ok(self.samples[&(name, key)].clone())
    }
}

impl Subject {
    fn label(&self, what: &str) -> String {
        format!("{} {what}", self.file.slug())
    }

    fn len(&self) -> usize {
        self.cases.len() + self.procedures.len() + self.facts.len() + self.experiments.len()
    }

    fn run(
        &self,
        root: RootSeed,
        step: &(dyn Fn(&str) + Sync),
    ) -> Result<Vec<(Key, Sample)>, ReviewError> {
        let seed = drive_seed(root, self.file.slug());
        let mut found = self.run_cases(root, step)?;
        for (procedure, bed) in self.procedures.values() {
            let machine = self.machine(bed)?;
            let device = self.file.build(&machine, seed).map_err(|e| self.wrong(e))?;
            let measured =
                Running::new(&self.file, procedure, Length::Full, root, device).run(&|_, _| {})?;
            step(&self.label(&procedure.slug));
            found.extend(measured.iter().map(|measured| {
                let key = key_within(procedure, bed, &measured.job, &measured.state);
                (key, self.sample(&measured.record))
            }));
        }
        let mut client: Option<ClientUse> = None;
        for (key, &fact) in &self.facts {
            if matches!(fact, Fact::ClientWrites | Fact::Endurance { .. }) && client.is_none() {
                client = Some(client_use(&self.file, Length::Full, seed)?);
            }
            found.push((
                key.clone(),
                self.told(tell(&self.file, fact, client.as_ref()).metrics),
            ));
            step(&self.label(key));
        }
        let experiment = |(key, experiment): (&Key, &&super::experiments::Experiment)| {
            let metrics = (experiment.run)(&self.file, seed)?;
            step(&self.label(experiment.name));
            Ok((key.clone(), self.told(metrics)))
        };
        let told: Vec<Result<_, ReviewError>> =
            self.experiments.par_iter().map(experiment).collect();
        for told in told {
            found.push(told?);
        }
        Ok(found)
    }

    fn run_cases(
        &self,
        root: RootSeed,
        step: &(dyn Fn(&str) + Sync),
    ) -> Result<Vec<(Key, Sample)>, ReviewError> {
        let from_states = FromStates {
            file: &self.file,
            root,
            length: Length::Full,
            clock: Clock::Timed,
            watch: (0, &Nobody),
            machine: &|testbed| self.machine(testbed),
        };
        let cases: Vec<Case> = self.cases.values().cloned().collect();
        let keys: Vec<&Key> = self.cases.keys().collect();
        let samples = Mutex::new(BTreeMap::new());
        let take = |n: usize, ran: Ran| {
            step(&ran.label);
            let mut samples = samples.lock().expect("no holder panics");
            samples.insert(keys[n].clone(), self.sample(&ran.record));
            Ok(())
        };
        from_states.run(&cases, &take)?;
        let samples = samples.into_inner().expect("no holder panics");
        Ok(samples.into_iter().collect())
    }

    fn wrong(&self, error: SheetError) -> ReviewError {
        ReviewError::Drive {
            drive: self.file.slug().to_owned(),
            error,
        }
    }

    fn machine(&self, testbed: &str) -> Result<Testbed, ReviewError> {
        if testbed == NOBODY {
            return Ok(super::experiments::nobody());
        }
        Testbed::load(testbed).map_err(|error| self.wrong(error))
    }

    fn sample(&self, record: &Record) -> Sample {
        let record = &record.run;
        Sample {
            drive: self.file.slug().to_owned(),
            metrics: record.metrics.clone(),
            series: record.series_ios.clone(),
            series_bytes: record.series_bytes.clone(),
            read: record.read.clone(),
            write: record.write.clone(),
            seconds: record.seconds,
            inside: record.inside.clone().unwrap_or_default(),
            ..Sample::default()
        }
    }

    fn told(&self, metrics: BTreeMap<String, f64>) -> Sample {
        Sample {
            drive: self.file.slug().to_owned(),
            metrics,
            ..Sample::default()
        }
    }
}

/// The machine that takes no time and has no ports: what is measured is the drive alone.
pub const NOBODY: &str = "nobody";
