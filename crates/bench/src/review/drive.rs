//! All tests on one drive.

use super::facts::{self, ClientLife, Told};
use super::procedure::{Measured, Running};
use super::{Plan, ReviewError, drive_seed, job_seed, steps};
use crate::driver::{self, Clock, DriverError, INTERVAL_S};
use crate::drops;
use crate::methods::{Fact, Family, Job, NO_STATE, Procedure, Runs, Series, Test, Work};
use crate::record::Record;
use crate::states::{self, Settling, State};
use ftlab_base::RootSeed;
use ftlab_drive::{Catalog, Device, DriveError, DriveFile, Host, Kind, Port, Testbed};
use ftlab_result::{DriveKind, DriveSheet, Inside, Parameter, Run, Traffic};
use ftlab_workload::JobFile;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// One drive and what is to run on it.
pub struct Bench<'a> {
    plan: &'a Plan,
    file: &'a DriveFile,
    /// Its tests: those of the plan that are meant for it.
    tests: Vec<Test>,
}

/// A job as it runs from a state: the same for every test that asks for it.
#[derive(Debug, Clone, Copy)]
struct Case {
    state: State,
    job: &'static Job,
    testbed: &'static str,
    /// None for the fastest of the machine.
    port: Option<Port>,
}

/// What tells cases apart.
type Key = (State, &'static str, &'static str, Option<Port>);

impl Case {
    fn key(&self) -> Key {
        (self.state, self.job.file, self.testbed, self.port)
    }
}

/// What ran.
#[derive(Default)]
struct Done {
    records: BTreeMap<Key, Record>,
    /// How the drive settled, by the state it settled to.
    settled: BTreeMap<State, Settling>,
    /// By procedure and machine.
    procedures: BTreeMap<(&'static str, &'static str), Vec<Measured>>,
    life: Option<ClientLife>,
}

impl<'a> Bench<'a> {
    pub fn new(plan: &'a Plan, file: &'a DriveFile) -> Self {
        let meant = |test: &&Test| match test.family.runs {
            Runs::WithAllOn(drives) if plan.is_everything => drives.contains(&file.slug()),
            _ => true,
        };
        // A disk has no flash: nothing to erase, to trim, to wear or to spare.
        let possible =
            |test: &&Test| file.kind() == Kind::Ssd || matches!(test.step.work, Work::Jobs { .. });
        Bench {
            plan,
            file,
            tests: plan
                .tests
                .iter()
                .filter(meant)
                .filter(possible)
                .copied()
                .collect(),
        }
    }

    /// How many jobs run: steps that share a job share its run.
    pub fn jobs(&self) -> usize {
        let measured = |(procedure, _): &(&'static Procedure, _)| {
            let acts = procedure.acts.iter();
            acts.filter(|act| matches!(act, crate::methods::Act::Measure(..)))
                .count()
        };
        let life = usize::from(self.needs_life());
        self.cases().len() + self.procedures().iter().map(measured).sum::<usize>() + life
    }

    /// Runs everything; `step` hears of each run.
    pub fn run(&self, step: &(dyn Fn(&str) + Sync)) -> Result<Vec<Run>, ReviewError> {
        let seed = drive_seed(self.plan.seed, self.file.slug());
        let mut done = Done::default();
        self.run_cases(seed, &mut done, step)?;
        // All of them, in order: which error is reported must not depend on the threads.
        let procedures = self.procedures();
        let run = |&(procedure, testbed): &(&'static Procedure, &'static str)| {
            let device = self.build(seed, &self.machine(testbed)?)?;
            Running::new(self.file, procedure, self.plan.seed, device).run(step)
        };
        let measured: Vec<_> = procedures.par_iter().map(run).collect();
        for ((procedure, testbed), measured) in procedures.iter().zip(measured) {
            done.procedures.insert((procedure.slug, testbed), measured?);
        }
        if self.needs_life() {
            done.life = Some(facts::client_life(self.file, seed)?);
            step(&format!(
                "{} client-writes.fio ({NO_STATE})",
                self.file.slug()
            ));
        }
        self.runs(&done)
    }

    fn run_cases(
        &self,
        seed: RootSeed,
        done: &mut Done,
        step: &(dyn Fn(&str) + Sync),
    ) -> Result<(), ReviewError> {
        let cases = self.cases();
        let Some(first) = cases.first() else {
            return Ok(());
        };
        let machine = self.machine(first.testbed)?;
        let mut device = self.build(seed, &machine)?;
        let mut reached = State::New;
        for state in State::ALL {
            let here: Vec<&Case> = cases.iter().filter(|case| case.state == state).collect();
            if here.is_empty() {
                continue;
            }
            if self.file.kind() == Kind::Ssd {
                if !reached.leads_to(state) {
                    device = self.build(seed, &machine)?;
                    reached = State::New;
                }
                let prepared = states::prepare(device.as_mut(), reached, state, seed);
                let settling = prepared.map_err(|error| ReviewError::Prepare {
                    drive: self.file.slug().to_owned(),
                    error,
                })?;
                done.settled
                    .extend(settling.map(|settling| (state, settling)));
                reached = state;
            }
            let prepared = Mutex::new(&mut device);
            let record = |case: &&Case| {
                let mut copy = prepared.lock().expect("no holder panics").snapshot();
                copy.plug(&self.host(case.testbed, case.port)?);
                self.record(copy, case, step)
            };
            // All of them, in order: which error is reported must not depend on the threads.
            let records: Vec<_> = here.par_iter().map(record).collect();
            for (case, record) in here.iter().zip(records) {
                done.records.insert(case.key(), record?);
            }
        }
        Ok(())
    }

    fn wrong(&self, error: DriveError) -> ReviewError {
        ReviewError::Drive {
            drive: self.file.slug().to_owned(),
            error,
        }
    }

    /// The machine of a test, unless one was asked for.
    fn machine(&self, testbed: &str) -> Result<Testbed, ReviewError> {
        match &self.plan.testbed {
            Some(testbed) => Ok(testbed.clone()),
            None => Catalog::testbed(testbed).map_err(|error| self.wrong(error)),
        }
    }

    fn host(&self, testbed: &str, port: Option<Port>) -> Result<Host, ReviewError> {
        let machine = self.machine(testbed)?;
        Ok(match port {
            None => machine.host(),
            port => machine.on(port),
        })
    }

    fn build(&self, seed: RootSeed, machine: &Testbed) -> Result<Box<dyn Device>, ReviewError> {
        self.file
            .build(machine, seed)
            .map_err(|error| self.wrong(error))
    }

    /// Runs a job.
    fn record(
        &self,
        mut device: Box<dyn Device>,
        case: &Case,
        step: &(dyn Fn(&str) + Sync),
    ) -> Result<Record, ReviewError> {
        let job = case.job;
        let port = case
            .port
            .map_or(String::new(), |port| format!(", {}", port.name()));
        let label = format!(
            "{} {} ({}{port})",
            self.file.slug(),
            job.file,
            case.state.name()
        );
        let failed = |error: DriverError| ReviewError::Run {
            run: label.clone(),
            error: Box::new(error),
        };
        let file = JobFile::parse(job.text, job.file)
            .map_err(DriverError::from)
            .map_err(failed)?;
        let seed = job_seed(self.plan.seed, job.file);
        let report = driver::run(&file, device.as_mut(), Clock::Timed, seed).map_err(failed)?;
        step(&label);
        Ok(Record::of(&report))
    }

    /// The distinct cases, in the order of the tests. A disk has one state: it runs in that and
    /// answers for all of them.
    fn cases(&self) -> Vec<Case> {
        let mut cases: Vec<Case> = Vec::new();
        for test in &self.tests {
            for (_, case) in self.cases_of(test) {
                if !cases.iter().any(|other| other.key() == case.key()) {
                    cases.push(case);
                }
            }
        }
        cases
    }

    /// The cases of a test, each with the state that it is asked in.
    fn cases_of(&self, test: &Test) -> Vec<(State, Case)> {
        let Work::Jobs { jobs, ports } = test.step.work else {
            return Vec::new();
        };
        let mut cases = Vec::new();
        for &asked in test.family.states {
            let state = match self.file.kind() {
                Kind::Ssd => asked,
                Kind::Disk => State::New,
            };
            let jobs = jobs.iter().take(if self.file.compresses() {
                jobs.len()
            } else {
                1
            });
            for &job in jobs {
                let slower = |port: &&Option<Port>| {
                    port.is_none_or(|port| port.bytes_s() < self.file.link_bytes_s())
                };
                cases.extend(ports.iter().filter(slower).map(|&port| {
                    let testbed = test.family.testbed;
                    (
                        asked,
                        Case {
                            state,
                            job,
                            testbed,
                            port,
                        },
                    )
                }));
            }
        }
        cases
    }

    /// The distinct procedures and the machines they run on, in the order of the tests.
    fn procedures(&self) -> Vec<(&'static Procedure, &'static str)> {
        let mut procedures: Vec<(&'static Procedure, &'static str)> = Vec::new();
        for test in &self.tests {
            let testbed = test.family.testbed;
            if let Work::Within(procedure, _) = test.step.work
                && !procedures.contains(&(procedure, testbed))
            {
                procedures.push((procedure, testbed));
            }
        }
        procedures
    }

    fn needs_life(&self) -> bool {
        let needs = |test: &Test| {
            matches!(
                test.step.work,
                Work::Fact(Fact::ClientWrites | Fact::Endurance { .. })
            )
        };
        self.tests.iter().any(needs)
    }

    /// One run a test, state, data and port asked for, in that order.
    fn runs(&self, done: &Done) -> Result<Vec<Run>, ReviewError> {
        let mut runs = Vec::new();
        for test in &self.tests {
            match test.step.work {
                Work::Jobs { jobs, .. } => {
                    for (state, case) in self.cases_of(test) {
                        let record = &done.records[&case.key()];
                        let steps = steps(self.file, state, done.settled.get(&state));
                        let mut run = self.run_of(test, state.name(), case.job, steps, record);
                        let host = self.host(case.testbed, case.port)?;
                        self.say_where(&mut run, test.family, &host)?;
                        if case.port.is_some() {
                            run.id += &format!("/{}", run.link);
                        }
                        if case.job != jobs[0] {
                            run.id += &format!("/{}", run.data);
                        }
                        runs.push(run);
                    }
                }
                Work::Within(procedure, job) => {
                    let measured = &done.procedures[&(procedure.slug, test.family.testbed)];
                    for m in measured.iter().filter(|m| m.job == job) {
                        let mut run = self.run_of(test, m.state, job, m.steps.clone(), &m.record);
                        let host = self.host(test.family.testbed, None)?;
                        self.say_where(&mut run, test.family, &host)?;
                        runs.push(run);
                    }
                }
                Work::Fact(fact) => {
                    runs.push(self.told(test, facts::tell(self.file, fact, done.life.as_ref())));
                }
            }
        }
        Ok(runs)
    }

    /// Says on which machine and link a run was made.
    fn say_where(&self, run: &mut Run, family: &Family, host: &Host) -> Result<(), ReviewError> {
        let link = host.link_bytes_s(self.file.link_bytes_s());
        run.link = Port::of_rate(link).name().to_owned();
        let machine = self.machine(family.testbed)?;
        run.steps
            .push(format!("Measured on {}, link {}.", machine.name, run.link));
        Ok(())
    }

    fn run_of(
        &self,
        test: &Test,
        state: &str,
        job: &Job,
        steps: Vec<String>,
        record: &Record,
    ) -> Run {
        let mut metrics = record.metrics.clone();
        if test.step.series == Series::Drops {
            metrics.extend(drops::metrics(&record.series_bytes));
        }
        Run {
            metrics,
            data: data_of(job).to_owned(),
            read: record.read.clone(),
            write: record.write.clone(),
            trim: record.trim.clone(),
            inside: record.inside.clone(),
            series_ios: record.series_ios.clone(),
            series_watts: record.series_watts.clone(),
            ..self.blank(test, state, steps)
        }
    }

    fn told(&self, test: &Test, told: Told) -> Run {
        Run {
            metrics: told.metrics,
            ..self.blank(test, NO_STATE, told.steps)
        }
    }

    /// A run without a result.
    fn blank(&self, test: &Test, state: &str, steps: Vec<String>) -> Run {
        let (drive, test) = (self.file.slug(), test.step.slug);
        Run {
            id: format!("{drive}/{test}/{state}"),
            drive: drive.to_owned(),
            test: test.to_owned(),
            state: state.to_owned(),
            data: String::new(),
            link: String::new(),
            steps,
            metrics: BTreeMap::new(),
            read: Traffic::default(),
            write: Traffic::default(),
            trim: Traffic::default(),
            inside: Inside::default(),
            series_ios: Vec::new(),
            series_interval_s: INTERVAL_S as f64,
            series_watts: Vec::new(),
        }
    }
}

/// What a job's data are like, in the words of the reference table.
fn data_of(job: &Job) -> &'static str {
    let file = JobFile::parse(job.text, job.file);
    let compresses = file.is_ok_and(|file| {
        let mut percents = file.jobs.iter().map(|job| job.data.compressible_percent());
        percents.any(|percent| percent >= 50)
    });
    if compresses {
        "compressible"
    } else {
        "incompressible"
    }
}

/// The drive as the report shows it.
#[must_use]
pub fn sheet(file: &DriveFile) -> DriveSheet {
    let parameter = |row: ftlab_drive::ParameterRow| Parameter {
        key: row.key,
        value: row.value,
        unit: row.unit,
        source: row.source,
        confidence: row.confidence,
        note: row.note,
    };
    DriveSheet {
        drive: file.slug().to_owned(),
        name: file.name().to_owned(),
        summary: file.summary().to_owned(),
        kind: match file.kind() {
            Kind::Ssd => DriveKind::Ssd,
            Kind::Disk => DriveKind::Disk,
        },
        capacity_bytes: file.capacity_bytes(),
        file_hash: format!("{:016x}", file.hash()),
        parameters: file.parameters().into_iter().map(parameter).collect(),
    }
}
