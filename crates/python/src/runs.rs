//! Runs, reviews, comparisons and plans: the command line's road, from Python's words to a result set.

use crate::calls::Calls;
use crate::drive::Drive;
use crate::errors::{guarded, input_error, raised};
use crate::results::Results;
use crate::work::{Machine, warn_of_memory, work_with};
use ftlab_base::RootSeed;
use ftlab_bench::ask::{self, Asker, Ends};
use ftlab_bench::loads::{self, LoadText, Named, OwnLoad, Reading};
use ftlab_bench::plan::{self as planning, Planning, SPARE_BOUNDS};
use ftlab_bench::repeats::REPEATS_MAX;
use ftlab_bench::review::Review;
use ftlab_bench::suites::{self, Suite, Test};
use ftlab_bench::variants::{self, Sweep, Variant};
use ftlab_drive::{Catalog, DriveFile};
use ftlab_host::Testbed;
use ftlab_lab::{Event, Lab, Length, Member, Subject};
use ftlab_play::driver::Clock;
use ftlab_play::load::What;
use ftlab_result::plan::Measure;
use ftlab_states::State;
use ftlab_sweep::ReplayWords;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// The name of a call, for errors.
const HERE: &str = "load";

/// Settings of runs that every call which makes some takes.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct How {
    seed: u64,
    repeats: u32,
    quick: bool,
    testbed: Option<String>,
    threads: Option<usize>,
    memory_gib: Option<f64>,
}

impl How {
    fn review(&self, drives: Vec<Subject>, tests: Vec<Test>, clock: Clock) -> PyResult<Review> {
        if !(1..=REPEATS_MAX).contains(&self.repeats) {
            let repeats = self.repeats;
            let why = format!("repeats = {repeats}: give a number from 1 to {REPEATS_MAX}");
            return Err(input_error(&why));
        }
        Ok(Review {
            length: self.length(),
            clock,
            testbed: self.testbed()?,
            repeats: self.repeats,
            ..Review::of(drives, tests, RootSeed(self.seed))
        })
    }

    fn lab(&self) -> PyResult<Lab> {
        Machine::of(self.threads, self.memory_gib)?.lab()
    }

    fn length(&self) -> Length {
        match self.quick {
            true => Length::Quick,
            false => Length::Full,
        }
    }

    fn testbed(&self) -> PyResult<Option<Testbed>> {
        let testbed = self.testbed.as_deref().map(Testbed::load).transpose();
        testbed.map_err(|error| input_error(&error))
    }
}

/// How recorded traces are read and replayed, in Python's words.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Replay {
    pace: String,
    fit: String,
    format: Option<String>,
    action: Option<String>,
    devices: Vec<String>,
    window: Option<String>,
    share: Option<String>,
}

impl Replay {
    /// The same, read.
    pub fn read(&self) -> PyResult<loads::Replay> {
        let words = ReplayWords {
            // The default leaves the pace to the words of a job that replays a trace.
            pace: Some(self.pace.clone()).filter(|pace| pace != "original"),
            fit: Some(self.fit.clone()),
            format: self.format.clone(),
            action: self.action.clone(),
            devices: self.devices.clone(),
            window: self.window.clone(),
            share: self.share.clone(),
        };
        words.replay().map_err(|why| input_error(&why))
    }

    /// A word for a part of a trace that was given.
    fn given(&self) -> Option<&'static str> {
        let words = [
            ("format", self.format.is_some()),
            ("action", self.action.is_some()),
            ("device", !self.devices.is_empty()),
            ("window", self.window.is_some()),
            ("share", self.share.is_some()),
        ];
        let mut given = words.into_iter().filter(|(_, is_given)| *is_given);
        given.next().map(|(word, _)| word)
    }
}

fn state_named(name: &str) -> PyResult<State> {
    State::of_name(name).map_err(|why| input_error(&why))
}

/// A load as Python gives it: the name or the path of one, or its text under a name.
fn own(load: &Bound<'_, PyAny>, clock: Clock, replay: &Replay) -> PyResult<OwnLoad> {
    let named: Named<LoadText> =
        pythonize::depythonize(load).map_err(|error| input_error(&format!("{HERE}: {error}")))?;
    let reading = Reading {
        takes_names: true,
        clock,
        untimed_word: "untimed",
        replay: &replay.read()?,
        ..Reading::default()
    };
    let read = guarded(&HERE, || {
        reading.read(&named).map_err(|error| input_error(&error))
    })?;
    if let (Some(word), false) = (
        replay.given(),
        matches!(read.load.what(), What::Recording(_)),
    ) {
        return Err(input_error(&format!(
            "{word} is about recorded traces, and the load is none; leave it out, or say with format what the trace is"
        )));
    }
    Ok(OwnLoad {
        name: read.texts.name,
        load: read.load,
    })
}

/// Loads beside tests, by all that decides them.
fn owns(loads: &[Bound<'_, PyAny>], clock: Clock, replay: &Replay) -> PyResult<Vec<OwnLoad>> {
    let loads: PyResult<Vec<OwnLoad>> = (loads.iter())
        .map(|load| own(load, clock, replay))
        .collect();
    let loads = loads?;
    for (n, load) in loads.iter().enumerate() {
        if loads[..n].iter().any(|other| other.name == load.name) {
            let why = format!("load: two are called {}; rename one of them", load.name);
            return Err(input_error(&why));
        }
    }
    Ok(loads)
}

/// Runs what was asked for to its end, unless something fails; gives its results.
fn results(
    py: Python<'_>,
    asked: &dyn Asker,
    lab: &Lab,
    calls: &Calls,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Results> {
    let all: Vec<usize> = (0..asked.cells().len()).collect();
    warn_of_memory(py, lab.most_bytes_of(asked.cells(), &all))?;
    let total: usize = all.iter().map(|&n| asked.costs(n).len()).sum();
    let ends = work_with(py, calls, progress, |way| {
        ask::run(asked, lab, &|_, event: Event<'_>| {
            if let Event::Part(_) = event {
                way.one_more(total);
            }
            Ok(way.ask()?)
        })
    })?;
    let ends = ends.map_err(raised)?;
    match ends.error(0..all.len()) {
        Some(error) => Err(raised(Arc::clone(error))),
        None => Ok(asked.set(&ends, "").into()),
    }
}

/// Runs a review and returns its results; fails before anything runs if one of its drives is refused.
fn reviewed(
    py: Python<'_>,
    review: Review,
    how: &How,
    calls: &Calls,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Results> {
    let batch = review.batch().map_err(raised)?;
    if let Some((_, error)) = batch.errors(&Ends::none(&batch)).next() {
        return Err(raised(Arc::clone(error)));
    }
    results(py, &batch, &how.lab()?, calls, progress)
}

/// A drive for every load, which has no name, or several by the names that loads have for them.
fn subject(drives: &[(String, PyRef<'_, Drive>)], calls: &Arc<Calls>) -> Subject {
    match drives {
        [(name, only)] if name.is_empty() => Subject::from(only.file(calls)),
        several => {
            let member = |(name, drive): &(String, PyRef<'_, Drive>)| Member {
                name: name.clone(),
                file: drive.file(calls),
            };
            Subject::named(several.iter().map(member).collect())
        }
    }
}

/// A load on a drive, or on several.
#[pyfunction]
pub fn run(
    py: Python<'_>,
    load: &Bound<'_, PyAny>,
    drives: Vec<(String, PyRef<'_, Drive>)>,
    state: &str,
    untimed: bool,
    how: How,
    replay: Replay,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Results> {
    let clock = match untimed {
        true => Clock::Untimed,
        false => Clock::Timed,
    };
    let state = state_named(state)?;
    let loads = vec![own(load, clock, &replay)?];
    let calls = Arc::default();
    let review = Review {
        loads,
        state: Some(state),
        ..how.review(vec![subject(&drives, &calls)], Vec::new(), clock)?
    };
    review.check().map_err(raised)?;
    reviewed(py, review, &how, &calls, progress)
}

/// The tests of those names, and the drives of their suite; without names those that run by default, unless there are
/// loads.
fn tests(
    names: &[String],
    suite: Option<&Suite>,
    has_loads: bool,
) -> PyResult<(Vec<Test>, Vec<String>)> {
    let (all, drives): (Vec<Test>, Vec<String>) = match suite {
        None => (suites::all().collect(), suites::drives()),
        Some(suite) => {
            let drives = match suite.drives.is_empty() {
                true => suites::drives(),
                false => suite.drives.clone(),
            };
            (suite.tests().collect(), drives)
        }
    };
    let tests = match names {
        [] if has_loads => Vec::new(),
        [] => suites::of_default(all),
        names => {
            suites::select_of(all, names, suites::LISTED).map_err(|error| input_error(&error))?
        }
    };
    Ok((tests, drives))
}

/// A state for all tests, unless one brings the drive to states of its own.
fn state_for(tests: &[Test], state: Option<&str>) -> PyResult<Option<State>> {
    let state = state.map(state_named).transpose()?;
    let own = tests.iter().find(|test| test.has_own_states());
    match (own, state) {
        (Some(test), Some(_)) => Err(input_error(&format!(
            "state: {} brings the drive to states of its own; leave out state, or take another test, such as \
             randwrite-4k-qd1",
            test.step.slug
        ))),
        _ => Ok(state),
    }
}

/// The reviews' tests on drives.
#[pyfunction]
pub fn review(
    py: Python<'_>,
    drives: Vec<PyRef<'_, Drive>>,
    names: Vec<String>,
    loads: Vec<Bound<'_, PyAny>>,
    suite: Option<PathBuf>,
    state: Option<&str>,
    how: How,
    replay: Replay,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Results> {
    // As on the command line: a suite that comes with ftlab has tests for some of its drives alone.
    let is_of_suite = drives.is_empty() && suite.as_deref().is_some_and(suites::is_name);
    let is_everything = is_of_suite || names.is_empty() && loads.is_empty() && suite.is_none();
    let suite = suite.map(|path| suites::open(&path));
    let suite = suite.transpose().map_err(|why| input_error(&why))?;
    let loads = owns(&loads, Clock::Timed, &replay)?;
    let (tests, of_suite) = tests(&names, suite.as_ref(), !loads.is_empty())?;
    let state = state_for(&tests, state)?;
    let calls = Arc::default();
    let subject = |drive: &PyRef<'_, Drive>| Subject::from(drive.file(&calls));
    let mut subjects: Vec<Subject> = drives.iter().map(subject).collect();
    if subjects.is_empty() {
        let load = |name: &String| Catalog::default().load(name, &[]).map(Subject::from);
        let loaded: Result<Vec<Subject>, _> = of_suite.iter().map(load).collect();
        subjects = loaded.map_err(|error| input_error(&error))?;
    }
    let bytes_max = suite.and_then(|suite| suite.shrink_to);
    let subjects = Subject::fit(subjects, bytes_max).map_err(|error| input_error(&error))?;
    let review = Review {
        is_everything,
        loads,
        state,
        ..how.review(subjects, tests, Clock::Timed)?
    };
    reviewed(py, review, &how, &calls, progress)
}

/// Tests on a drive with numbers of its file at several values.
#[pyfunction]
pub fn compare(
    py: Python<'_>,
    drive: &Drive,
    settings: Vec<(String, Vec<String>)>,
    names: Vec<String>,
    loads: Vec<Bound<'_, PyAny>>,
    state: Option<&str>,
    how: How,
    replay: Replay,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Results> {
    let sweeps = settings.into_iter();
    let sweeps: Vec<Sweep> = sweeps.map(|(key, values)| Sweep { key, values }).collect();
    let variants = variants::all(&sweeps);
    let calls = Arc::default();
    let file = drive.file(&calls);
    let with = |variant: &Variant| file.with(&variant.settings);
    let drives: Result<Vec<DriveFile>, _> = variants.iter().map(with).collect();
    let drives = drives.map_err(|error| input_error(&error))?;
    if !variants::differ(&drives) {
        let why = "the values change no number of the drive, so there is nothing to compare; its parameters list \
                   its numbers";
        return Err(input_error(&why));
    }
    // Without a test every variant would be prepared and nothing be measured.
    if names.is_empty() && loads.is_empty() {
        return Err(input_error(
            &"tests: name at least one, for example A1 or randwrite-4k-qd1, or give a load",
        ));
    }
    let loads = owns(&loads, Clock::Timed, &replay)?;
    let (tests, _) = tests(&names, None, !loads.is_empty())?;
    let state = state_for(&tests, state)?;
    let subjects = drives.into_iter().zip(variants);
    let subjects = subjects.map(|(drive, variant)| Subject::from(drive).being(variant));
    let review = Review {
        loads,
        state,
        ..how.review(subjects.collect(), tests, Clock::Timed)?
    };
    reviewed(py, review, &how, &calls, progress)
}

/// Goals that drives are to meet.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Goals {
    bytes_per_day: Option<f64>,
    wa: Option<f64>,
    life_years: Option<f64>,
    p99_ns: Option<f64>,
    spares: Vec<f64>,
    rates: Vec<f64>,
    full_size: bool,
}

impl Goals {
    /// Each of them, within the bounds that the command line has for it.
    fn all(&self) -> PyResult<Vec<(Measure, f64)>> {
        let goals = [
            ("wa", Measure::Wa, self.wa, 1.0, 1e3),
            (
                "life_years",
                Measure::LifeYears,
                self.life_years,
                0.001,
                1e6,
            ),
            ("p99_ns", Measure::P99Ns, self.p99_ns, 1.0, 1e13),
        ];
        let mut all = Vec::new();
        for (name, measure, goal, least, most) in goals {
            if let Some(goal) = goal {
                within(name, goal, least, most)?;
                all.push((measure, goal));
            }
        }
        Ok(all)
    }
}

fn within(name: &str, number: f64, least: f64, most: f64) -> PyResult<()> {
    match (least..=most).contains(&number) {
        true => Ok(()),
        false => Err(input_error(&format!(
            "{name} = {number}: give a number from {least} to {most}"
        ))),
    }
}

/// What drives come to under a load for years.
#[pyfunction]
pub fn plan(
    py: Python<'_>,
    load: &Bound<'_, PyAny>,
    drives: Vec<PyRef<'_, Drive>>,
    state: &str,
    goals: Goals,
    how: How,
    replay: Replay,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Results> {
    let state = state_named(state)?;
    let load = own(load, Clock::Timed, &replay)?;
    // Arguments are checked before a drive is prepared, which takes long.
    if let Some(bytes) = goals.bytes_per_day {
        within("bytes_per_day", bytes, 1e6, 1e17)?;
    }
    for spare in &goals.spares {
        within("spares", *spare, SPARE_BOUNDS[0], SPARE_BOUNDS[1])?;
    }
    for rate in &goals.rates {
        within("rates", *rate, 1.0, 1e8)?;
    }
    let mut rates = goals.rates.clone();
    rates.sort_by(f64::total_cmp);
    rates.dedup();
    let length = how.length();
    let calls = Arc::default();
    let planning = Planning {
        drives: drives.iter().map(|drive| drive.file(&calls)).collect(),
        load,
        state,
        bytes_per_day: goals.bytes_per_day,
        goals: goals.all()?,
        spares: match goals.spares.is_empty() {
            true => planning::spares(length),
            false => goals.spares.clone(),
        },
        rates,
        length,
        testbed: how.testbed()?,
        shrink_to: (!goals.full_size).then_some(planning::SHRINK_TO),
        seed: RootSeed(how.seed),
    };
    if planning.drives.is_empty() {
        return Err(input_error(&"a plan needs drives; give at least one"));
    }
    let batch = planning.batch().map_err(raised)?;
    results(py, &batch, &how.lab()?, &calls, progress)
}
