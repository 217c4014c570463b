//! All tests on one drive.

use super::case::{self, Case, Key, cases_of, has_room, has_room_for_jobs};
use super::facts::{self, Told, Use};
use super::from_states::{self, Begun, FromStates, Ran, Take};
use super::procedure::{Measured, Running};
use super::subject::{Member, Subject};
use super::{Plan, ReviewError, Watch, cost};
use super::{fill, latencies};
use crate::suites::{NO_STATE, Procedure, Series, Test, Work, Writes};
use crate::testbeds::asked_or;
use ftlab_base::RootSeed;
use ftlab_drive::{DriveFile, Health, Kind};
use ftlab_host::{Host, Pcie, Port, Testbed};
use ftlab_play::driver::INTERVAL_S;
use ftlab_play::record::Record;
use ftlab_play::states::{Settling, State};
use ftlab_play::streams::drive_seed;
use ftlab_result::quantity::{drops, table};
use ftlab_result::{Run, SavedState, SmartAttribute};
use ftlab_sheet::SheetError;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

/// A drive, or several by name, and what is to run there.
#[derive(Clone)]
pub struct Bench<'a> {
    plan: &'a Plan,
    subject: &'a Subject,
    /// Its tests: those of the plan that are meant for it.
    tests: Vec<Test>,
    /// Tests asked for by name that it has no room for, beside others that it has.
    too_large: Vec<Test>,
}

/// Takes the runs of a test, by its slug, from any thread.
pub type TakeTest<'a> = dyn Fn(&str, Vec<Run>) + Sync + 'a;

/// What hears of a drive's runs.
#[derive(Clone, Copy)]
pub struct Hears<'a> {
    /// The number of the subject, and what hears of all of them.
    pub watch: (usize, &'a dyn Watch),
    /// What each run was and what it cost.
    pub step: &'a (dyn Fn(&str, f64) + Sync),
    /// Each test as soon as all its runs are there.
    pub test: &'a TakeTest<'a>,
}

/// What ran, and which tests wait for more.
struct Done {
    waiting: Vec<Test>,
    records: BTreeMap<Key, Record>,
    /// How each drive came to where each case began.
    begun: BTreeMap<Key, Vec<Begun>>,
    /// By procedure and machine.
    procedures: BTreeMap<(String, String), Vec<Measured>>,
    uses: BTreeMap<Writes, Use>,
}

impl<'a> Bench<'a> {
    pub fn new(plan: &'a Plan, subject: &'a Subject) -> Self {
        let meant = |test: &&Test| {
            let on = test.family.runs.on().filter(|_| plan.is_everything);
            on.is_none_or(|drives| drives.iter().any(|slug| slug == subject.slug()))
        };
        // An unknown machine is reported when the test is to run on it.
        let fits = |test: &Test| {
            let machine = asked_or(plan.testbed.as_ref(), subject.testbed_of(test));
            machine.map_or(true, |machine| has_room(subject, test, &machine))
        };
        // A disk has no flash: nothing to erase, to trim, to wear or to spare. And what is done to one drive, or
        // said of it, is not of several.
        let is_ssd = (subject.only()).is_some_and(|file| file.kind() == Kind::Ssd);
        let possible = |test: &&Test| is_ssd || matches!(test.step.work, Work::Loads { .. });
        let candidates = plan.tests.iter().filter(meant).filter(possible).cloned();
        let (mut tests, mut too_large): (Vec<Test>, Vec<Test>) = candidates.partition(fits);
        if plan.is_everything {
            too_large.clear();
        } else if tests.is_empty() {
            // The run itself says best why it cannot be made.
            tests = std::mem::take(&mut too_large);
        }
        Bench {
            plan,
            subject,
            tests,
            too_large,
        }
    }

    /// A drive that is to run all of a plan's tests, whether or not it has room for them: the run of a load says
    /// best why it cannot be made.
    pub(super) fn of_all(plan: &'a Plan, subject: &'a Subject) -> Self {
        Bench {
            plan,
            subject,
            tests: plan.tests.clone(),
            too_large: Vec::new(),
        }
    }

    /// Tests asked for by name that it has no room for, beside others that it has.
    pub fn too_large(&self) -> &[Test] {
        &self.too_large
    }

    /// Its tests, in the order of the plan.
    pub fn tests(&self) -> &[Test] {
        &self.tests
    }

    /// What each job and scenario costs that runs (`cost.rs`): steps that share one share its run.
    pub fn costs(&self) -> Vec<f64> {
        let of_procedure = |(procedure, _): &(Arc<Procedure>, String)| {
            cost::of_procedure(self.file(), procedure, self.plan.length)
        };
        let procedures = self.procedures();
        let uses = self.writes().into_iter().map(|_| self.cost_of_use());
        let cases = self.costs_of_cases().into_iter();
        cases
            .chain(procedures.iter().flat_map(of_procedure))
            .chain(uses)
            .collect()
    }

    /// The first case of a state costs what the state does.
    fn costs_of_cases(&self) -> Vec<f64> {
        let mut reached = Vec::new();
        let of_case = |case: &Case| {
            let mut cost = cost::of_case(self.subject, case, self.plan.length);
            let state = (case.before, case.state);
            if !reached.contains(&state) {
                reached.push(state);
                cost += cost::of_state(self.subject, case.state);
            }
            cost
        };
        self.cases().iter().map(of_case).collect()
    }

    fn cost_of_use(&self) -> f64 {
        cost::of_programs(facts::programs(self.plan.length))
    }

    /// The same drive with these of its tests alone.
    #[must_use]
    pub fn only(&self, slugs: &[String]) -> Self {
        let mut bench = self.clone();
        bench.tests.retain(|test| slugs.contains(&test.step.slug));
        bench
    }

    /// The drive of procedures and facts, which are for one.
    fn file(&self) -> &'a DriveFile {
        self.subject.first()
    }

    /// Runs everything with this root of all seeds.
    pub fn run(&self, root: RootSeed, hears: Hears<'_>) -> Result<(), ReviewError> {
        let of_a_suite = self.tests.iter().filter(|test| !test.is_own());
        let mut too_large = of_a_suite.filter(|test| !has_room_for_jobs(self.subject, test));
        if let Some(test) = too_large.next() {
            return Err(ReviewError::Refused(format!(
                "drive {}: {}",
                self.subject.slug(),
                self.subject.too_small_for(&[&test.step.slug])
            )));
        }
        let seed = drive_seed(root, self.file().slug());
        let mut done = Done {
            waiting: self.tests.clone(),
            records: BTreeMap::new(),
            begun: BTreeMap::new(),
            procedures: BTreeMap::new(),
            uses: BTreeMap::new(),
        };
        self.hand_over(&mut done, hears.test)?;
        let done = Mutex::new(done);
        self.run_cases(root, &done, hears)?;
        // All of them, in order: which error is reported must not depend on the threads.
        let procedures = self.procedures();
        let run = |(procedure, testbed): &(Arc<Procedure>, String)| {
            let file = procedure.span.of(self.file());
            let file = file.map_err(|error| self.wrong(error))?;
            let device = file.build(&self.machine(testbed)?, seed);
            let device = device.map_err(|error| self.wrong(error))?;
            let length = self.plan.length;
            let costs = cost::of_procedure(self.file(), procedure, length);
            let measured = Running::new(&file, procedure, length, root, device)
                .run(&|n, label| (hears.step)(label, costs[n]))?;
            let mut done = done.lock().expect("no holder panics");
            let key = (procedure.slug.clone(), testbed.clone());
            done.procedures.insert(key, measured);
            self.hand_over(&mut done, hears.test)
        };
        let ends: Vec<Result<(), ReviewError>> = procedures.par_iter().map(run).collect();
        ends.into_iter().collect::<Result<(), ReviewError>>()?;
        for writes in self.writes() {
            let used = facts::use_up(self.file(), writes, self.plan.length, seed)?;
            let (job, _) = facts::job_of(writes);
            let job = job.trim_start_matches("jobs/");
            let label = format!("{} {job} ({NO_STATE})", self.file().slug());
            (hears.step)(&label, self.cost_of_use());
            let mut done = done.lock().expect("no holder panics");
            done.uses.insert(writes, used);
            self.hand_over(&mut done, hears.test)?;
        }
        Ok(())
    }

    fn run_cases(
        &self,
        root: RootSeed,
        done: &Mutex<Done>,
        hears: Hears<'_>,
    ) -> Result<(), ReviewError> {
        let (cases, costs) = (self.cases(), self.costs_of_cases());
        let take = |n: usize, ran: Result<Ran, ReviewError>| {
            let (key, ran) = (cases[n].key(), ran?);
            (hears.step)(&ran.label, costs[n]);
            let mut done = done.lock().expect("no holder panics");
            done.begun.insert(key.clone(), ran.begun);
            done.records.insert(key, ran.record);
            self.hand_over(&mut done, hears.test)
        };
        self.run_from_states(root, hears.watch, &cases, &take)
    }

    /// Runs cases with this root of all seeds.
    pub(super) fn run_from_states(
        &self,
        root: RootSeed,
        watch: (usize, &dyn Watch),
        cases: &[Case],
        take: &Take<'_>,
    ) -> Result<(), ReviewError> {
        let from_states = FromStates {
            subject: self.subject,
            root,
            length: self.plan.length,
            clock: self.plan.clock,
            watch,
            machine: &|testbed| self.machine(testbed),
        };
        from_states.run(cases, take)
    }

    /// Hands over the tests that have waited for what is done by now.
    fn hand_over(&self, done: &mut Done, take: &TakeTest<'_>) -> Result<(), ReviewError> {
        let waiting = std::mem::take(&mut done.waiting);
        let (ready, waiting) = (waiting.into_iter()).partition(|test| self.is_ready(test, done));
        done.waiting = waiting;
        let ready: Vec<Test> = ready;
        for test in ready {
            take(&test.step.slug, self.runs_of(&test, done)?);
        }
        Ok(())
    }

    /// Whether all that a test needs is done.
    fn is_ready(&self, test: &Test, done: &Done) -> bool {
        match &test.step.work {
            Work::Loads { .. } => {
                let cases = cases_of(self.subject, test, self.plan.state);
                (cases.iter()).all(|(_, case)| done.records.contains_key(&case.key()))
            }
            Work::Within(procedure, _) => {
                let testbed = self.subject.testbed_of(test).to_owned();
                let key = (procedure.slug.clone(), testbed);
                done.procedures.contains_key(&key)
            }
            Work::Fact(fact) => {
                (fact.writes()).is_none_or(|writes| done.uses.contains_key(&writes))
            }
        }
    }

    /// Whether the loads of a test fit the drive.
    pub fn check(&self, test: &Test) -> Result<(), ReviewError> {
        let machine = self.machine(self.subject.testbed_of(test))?;
        for load in test.loads() {
            let checked = case::check(load, self.subject, &machine, self.plan.clock);
            checked.map_err(|error| ReviewError::Run {
                run: self.subject.slug().to_owned(),
                error: Box::new(error),
            })?;
        }
        Ok(())
    }

    fn wrong(&self, error: SheetError) -> ReviewError {
        ReviewError::Drive {
            drive: self.subject.slug().to_owned(),
            error,
        }
    }

    fn machine(&self, testbed: &str) -> Result<Testbed, ReviewError> {
        asked_or(self.plan.testbed.as_ref(), testbed).map_err(|error| self.wrong(error))
    }

    fn host(&self, testbed: &str, port: Option<Port>) -> Result<Host, ReviewError> {
        let machine = self.machine(testbed)?;
        Ok(match port {
            None => machine.host(),
            port => machine.on(port),
        })
    }

    /// The distinct cases, in the order of the tests. A disk has one state: it runs in that and
    /// answers for all of them.
    fn cases(&self) -> Vec<Case> {
        let mut cases: Vec<Case> = Vec::new();
        for test in &self.tests {
            for (_, case) in cases_of(self.subject, test, self.plan.state) {
                if !cases.iter().any(|other| other.key() == case.key()) {
                    cases.push(case);
                }
            }
        }
        cases
    }

    /// The distinct procedures and the machines they run on, in the order of the tests.
    fn procedures(&self) -> Vec<(Arc<Procedure>, String)> {
        let mut procedures: Vec<(Arc<Procedure>, String)> = Vec::new();
        for test in &self.tests {
            let Work::Within(procedure, _) = &test.step.work else {
                continue;
            };
            let testbed = self.subject.testbed_of(test);
            let is_it = |(other, machine): &(Arc<Procedure>, String)| {
                other.slug == procedure.slug && machine == testbed
            };
            if !procedures.iter().any(is_it) {
                procedures.push((Arc::clone(procedure), testbed.to_owned()));
            }
        }
        procedures
    }

    /// What the drive has to be written by for its facts.
    fn writes(&self) -> BTreeSet<Writes> {
        let needs = |test: &Test| match test.step.work {
            Work::Fact(fact) => fact.writes(),
            Work::Loads { .. } | Work::Within(..) => None,
        };
        self.tests.iter().filter_map(needs).collect()
    }

    /// One run for each state, data and port that a test asks for, in that order.
    fn runs_of(&self, test: &Test, done: &Done) -> Result<Vec<Run>, ReviewError> {
        let mut runs = Vec::new();
        match &test.step.work {
            Work::Loads { .. } => {
                let cases = cases_of(self.subject, test, self.plan.state);
                let first = cases.first().map(|(_, case)| case.load.clone());
                for (state, case) in cases {
                    let (record, begun) = (&done.records[&case.key()], &done.begun[&case.key()]);
                    let mut run = self.run_of_case(test, state, &case, record, begun)?;
                    if case.port.is_some() {
                        run.id += &format!("/{}", run.link);
                    }
                    if Some(&case.load) != first.as_ref() {
                        run.id += &format!("/{}", run.data);
                    }
                    runs.push(run);
                }
            }
            Work::Within(procedure, job) => {
                let testbed = self.subject.testbed_of(test);
                let measured = &done.procedures[&(procedure.slug.clone(), testbed.to_owned())];
                for m in measured.iter().filter(|m| m.job == *job) {
                    let mut run = self.run_of(test, &m.state, m.steps.clone(), &m.record);
                    run.data = job.data().to_owned();
                    let host = self.host(testbed, None)?;
                    self.say_where(&mut run, test, &host)?;
                    runs.push(run);
                }
            }
            Work::Fact(fact) => {
                let used = fact.writes().map(|writes| &done.uses[&writes]);
                runs.push(self.told(test, facts::tell(self.file(), *fact, used)));
            }
        }
        Ok(runs)
    }

    /// A case that ran, as the run of a test whose drive was asked for in a state.
    pub(super) fn run_of_case(
        &self,
        test: &Test,
        state: State,
        case: &Case,
        record: &Record,
        begun: &[Begun],
    ) -> Result<Run, ReviewError> {
        let steps = from_states::steps(self.subject, begun, state, case.before);
        let loaded = begun[0].loaded.as_ref();
        let state = loaded.map_or(state.name(), |loaded| &loaded.origin.state);
        let mut run = self.run_of(test, state, steps, record);
        let settling = |begun: &Begun| begun.settling.as_ref().map(Settling::sheet);
        match begun {
            [only] => run.settling = settling(only),
            _ => (run.devices.iter_mut().zip(begun))
                .for_each(|(at, begun)| at.settling = settling(begun)),
        }
        run.saved_state = loaded.map(|loaded| SavedState {
            file: loaded.file.clone(),
            seed: loaded.origin.seed,
        });
        run.data = case.load.data().to_owned();
        let host = self.host(&case.testbed, case.port)?;
        self.say_where(&mut run, test, &host)?;
        Ok(run)
    }

    /// Says on which machine and link a run was made, and how much of it.
    fn say_where(&self, run: &mut Run, test: &Test, host: &Host) -> Result<(), ReviewError> {
        let mut links: Vec<&str> = Vec::new();
        let mut words = Vec::new();
        for (n, member) in self.subject.members().iter().enumerate() {
            let link = member.file.link_on(host);
            let of = if member.name.is_empty() { "" } else { " " };
            words.push(format!("{}{of}{}", member.name, link_words(link)));
            if let Some(at) = run.devices.get_mut(n) {
                link.clone_into(&mut at.link);
            }
            if !links.contains(&link) {
                links.push(link);
            }
        }
        run.link = links.join(", ");
        let machine = self.machine(self.subject.testbed_of(test))?;
        run.notes.push(format!(
            "Measured on {}, {}.",
            machine.name,
            words.join(", ")
        ));
        run.notes.extend(self.subject.words_of_size());
        run.notes.extend(self.plan.length.words(&test.step.work));
        run.testbed = machine.slug;
        Ok(())
    }

    fn run_of(&self, test: &Test, state: &str, steps: Vec<String>, record: &Record) -> Run {
        let smart = |(member, health): (&Member, &Option<Health>)| {
            let health = health.as_ref();
            health.map_or_else(Vec::new, |health| facts::smart_of(&member.file, health))
        };
        let members = self.subject.members();
        let mut smart: Vec<Vec<SmartAttribute>> =
            members.iter().zip(&record.healths).map(smart).collect();
        let mut run = self.named(test, state, steps, record.run.clone());
        match &mut smart[..] {
            [only] => run.smart = std::mem::take(only),
            _ => {
                for ((at, smart), member) in run.devices.iter_mut().zip(smart).zip(members) {
                    (at.smart, at.drive) = (smart, member.file.slug().to_owned());
                }
            }
        }
        match test.step.series {
            Series::Unread => {}
            Series::Drops => run.metrics.extend(drops::metrics(&record.run.series_bytes)),
            Series::Plateaus => {
                let fill = fill::of(&record.logs, self.subject.times());
                run.metrics.extend(fill::metrics(&fill));
                run.fill = Some(fill);
            }
        }
        let latencies = latencies::metrics(&run, &test.step.latencies);
        run.metrics.extend(latencies);
        if let Some(writes) = test.step.writes_a_page {
            let pages_per_s = run.write.iops / f64::from(writes.get());
            table::PAGES_PER_S.put(&mut run.metrics, pages_per_s);
        }
        run
    }

    fn told(&self, test: &Test, told: Told) -> Run {
        Run {
            metrics: told.metrics,
            wear: told.wear,
            smart: told.smart,
            ..self.named(test, NO_STATE, told.steps, Run::default())
        }
    }

    /// A run as that of a test on this drive in a state.
    fn named(&self, test: &Test, state: &str, steps: Vec<String>, run: Run) -> Run {
        let (drive, test) = (self.subject.slug(), test.step.slug.as_str());
        Run {
            id: format!("{drive}/{test}/{state}"),
            drive: drive.to_owned(),
            test: test.to_owned(),
            state: state.to_owned(),
            steps,
            series_interval_s: INTERVAL_S as f64,
            ..run
        }
    }
}

/// A link in words, by its name in a result.
pub(crate) fn link_words(link: &str) -> String {
    match (Port::named(link), Pcie::named(link)) {
        (Some(port), _) => format!("on a link of {} Gbit/s", port.bytes_s() as f64 / 1e8),
        (_, Some(lanes)) => format!("on a link of {}", lanes.words()),
        _ if link == "none" => "without a link".to_owned(),
        _ => "on a link as fast as its file says".to_owned(),
    }
}
