//! What is done to a drive for the tests that are asked for: courses, and the steps of each.
//!
//! A course begins anew, whatever was done to the drive before. Tests of one state that only read share a course; a test that
//! writes leaves another state behind, so it has one of its own. All tests of a steady drive share one: a round of random writes or
//! more makes it steady again after each that writes, where the way from the beginning is a fill and five rounds at least. A
//! procedure is a course.

mod amount;
mod states;

pub use amount::{Amount, Assumed};
pub use states::round;

use crate::device::Kind;
use crate::fio::JobText;
use ftlab_bench::suites::{Act, Procedure, Span, Test, Work};
use ftlab_lab::Length;
use ftlab_play::load::Load;
use ftlab_states::State;
use ftlab_workload::{JobFile, PatternKind};
use std::collections::BTreeSet;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// Bytes of the part of a drive that a procedure uses are whole multiples of this.
const SPAN_UNIT_BYTES: u64 = 1 << 20;

/// The drive that a plan is for.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Its size.
    pub bytes: u64,
    /// Its kind.
    pub kind: Kind,
    /// It keeps its data in flash, so that what was written to it before matters.
    pub has_flash: bool,
}

/// Why a test is left out of a plan for a drive as it was found.
const WRITES: &str = "it writes, and the drive was not named for that with --destroy";

/// The word for the state of a drive as it was found.
pub const AS_FOUND: &str = "as-found";

/// All that is done to a drive.
#[derive(Debug)]
pub struct Plan {
    /// Courses, in their order.
    pub courses: Vec<Course>,
    /// Tests that cannot be run on a real drive, and why.
    pub left_out: Vec<(String, String)>,
}

/// Steps that begin anew.
#[derive(Debug)]
pub struct Course {
    /// What is done, in order.
    pub steps: Vec<Step>,
    /// Its measurements depend on those before them, so that it is done whole or not at all.
    pub is_whole: bool,
}

/// One thing that is done to a drive.
#[derive(Debug)]
pub enum Step {
    /// Everything erased, as well as the drive can do it.
    Purge,
    /// TRIM of this many bytes from the start.
    Trim(u64),
    /// Writes that prepare the drive, in words and for fio.
    Write(Writes),
    /// Rounds of random writes until the rule of the steady state holds.
    Settle(Rounds),
    /// A load that is measured.
    Measure(Box<Measure>),
}

/// Rounds of random writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rounds {
    /// Bytes of the drive that they go to, from its start, and that each of them writes.
    pub bytes: u64,
    /// They go on with those before, as the drive was steady until a test wrote to it: one at least.
    pub go_on: bool,
}

/// Writes that prepare a drive.
#[derive(Debug)]
pub struct Writes {
    /// A sentence.
    pub words: String,
    /// For fio.
    pub jobs: JobText,
    /// Bytes that they write.
    pub bytes: u64,
}

/// A load that is measured.
#[derive(Debug)]
pub struct Measure {
    /// The tests that read it: one, or several of a procedure.
    pub tests: Vec<Test>,
    /// Ids of their runs end in it: the state, and the data where the test varies them.
    pub suffix: String,
    /// State of the drive before it.
    pub state: String,
    /// The load's word for its data.
    pub data: String,
    /// The jobs, as long as they are to run.
    pub file: JobFile,
    /// How much of the load runs, if not all of it.
    pub short: Option<String>,
}

/// A procedure, and the tests that read a load of it.
type Asked = (Arc<Procedure>, Vec<(Test, Load)>);

impl Plan {
    /// Plans tests for a drive as it was found.
    #[must_use]
    pub fn as_found(tests: &[Test], target: Target, length: Length) -> Plan {
        let mut plan = Plan::of(tests, target, length);
        let steps = plan.courses.drain(..).flat_map(|course| {
            let is_whole = course.is_whole;
            course.steps.into_iter().map(move |step| (step, is_whole))
        });
        let mut found: Vec<Box<Measure>> = Vec::new();
        for (step, is_of_procedure) in steps {
            let Step::Measure(mut measure) = step else {
                continue;
            };
            // A test has one state then, and each kind of data is what is there.
            AS_FOUND.clone_into(&mut measure.state);
            AS_FOUND.clone_into(&mut measure.suffix);
            let slugs = |measure: &Measure| measure.ids().collect::<Vec<_>>();
            if is_of_procedure || writes_to(&measure.file) {
                let slugs = measure.tests.iter().map(|test| test.step.slug.clone());
                plan.left_out
                    .extend(slugs.map(|slug| (slug, WRITES.to_owned())));
            } else if found.iter().all(|other| slugs(other) != slugs(&measure)) {
                found.push(measure);
            }
        }
        plan.left_out.dedup();
        plan.courses.push(Course {
            steps: found.into_iter().map(Step::Measure).collect(),
            is_whole: false,
        });
        plan
    }

    /// Plans tests for a drive in the states that they ask for.
    #[must_use]
    pub fn of(tests: &[Test], target: Target, length: Length) -> Plan {
        let mut plan = Plan {
            courses: Vec::new(),
            left_out: Vec::new(),
        };
        let mut measured: Vec<(State, Measure)> = Vec::new();
        let mut procedures: Vec<Asked> = Vec::new();
        for test in tests {
            if let Err(why) = plannable(test, target) {
                plan.left_out.push((test.step.slug.clone(), why));
                continue;
            }
            match &test.step.work {
                Work::Fact(_) => {}
                Work::Within(procedure, load) => {
                    let known = procedures
                        .iter_mut()
                        .find(|(known, _)| known.slug == procedure.slug);
                    let asked = (test.clone(), load.clone());
                    match known {
                        Some((_, tests)) => tests.push(asked),
                        None => procedures.push((Arc::clone(procedure), vec![asked])),
                    }
                }
                Work::Loads { loads, .. } => {
                    measured.extend(measures(test, loads, target, length));
                }
            }
        }
        let of_states = by_state(measured).into_iter();
        plan.courses
            .extend(of_states.map(|(state, measures)| of_state(state, measures, target)));
        for (procedure, tests) in procedures {
            plan.courses
                .push(of_procedure(&procedure, &tests, target, length));
        }
        plan
    }

    /// Returns true if a test was left out because it writes.
    #[must_use]
    pub fn has_writers(&self) -> bool {
        self.left_out.iter().any(|(_, why)| why == WRITES)
    }

    /// Returns true if it writes to the drive, or erases it.
    #[must_use]
    pub fn writes(&self) -> bool {
        let mut steps = self.courses.iter().flat_map(|course| &course.steps);
        steps.any(|step| match step {
            Step::Measure(measure) => writes_to(&measure.file),
            Step::Purge | Step::Trim(_) | Step::Write(_) | Step::Settle(_) => true,
        })
    }

    /// Leaves out what has been measured: runs of these ids.
    pub fn forget(&mut self, is_done: impl Fn(&str) -> bool) {
        for course in &mut self.courses {
            let is_left = |measure: &Measure| !measure.ids().all(|id| is_done(&id));
            if !course.is_whole {
                course.retain(is_left);
            } else if !course.measures().any(is_left) {
                course.steps.clear();
            }
        }
        self.courses
            .retain(|course| course.measures().next().is_some());
    }

    /// The loads that are measured, in order.
    pub fn measures(&self) -> impl Iterator<Item = &Measure> {
        self.courses.iter().flat_map(Course::measures)
    }
}

impl Measure {
    /// The ids of its runs, behind the drive.
    pub fn ids(&self) -> impl Iterator<Item = String> {
        let slugs = self.tests.iter().map(|test| &test.step.slug);
        slugs.map(|slug| format!("{slug}/{}", self.suffix))
    }
}

impl Course {
    /// Leaves measurements out, and the rounds that followed what they wrote.
    fn retain(&mut self, is_left: impl Fn(&Measure) -> bool) {
        let mut has_written = false;
        self.steps.retain(|step| match step {
            Step::Measure(measure) if is_left(measure) => {
                has_written = writes_to(&measure.file);
                true
            }
            Step::Measure(_) => false,
            Step::Settle(rounds) if rounds.go_on => std::mem::take(&mut has_written),
            _ => true,
        });
        let last = self
            .steps
            .iter()
            .rposition(|step| matches!(step, Step::Measure(_)));
        self.steps.truncate(last.map_or(0, |last| last + 1));
    }

    /// The loads that are measured, in order.
    pub fn measures(&self) -> impl Iterator<Item = &Measure> {
        self.steps.iter().filter_map(|step| match step {
            Step::Measure(measure) => Some(&**measure),
            _ => None,
        })
    }
}

/// Returns true if a job of the file writes or trims.
#[must_use]
pub fn writes_to(file: &JobFile) -> bool {
    let writes = |kind: PatternKind| kind != PatternKind::Read;
    file.jobs.iter().any(|job| writes(job.pattern.kind))
}

/// The loads of a test in its states. A real drive may compress, so each kind of data is of interest.
fn measures<'a>(
    test: &'a Test,
    loads: &'a [Load],
    target: Target,
    length: Length,
) -> impl Iterator<Item = (State, Measure)> + 'a {
    // A disk has one state, and answers for all of them.
    let states = &test.family.states;
    let states = if target.has_flash {
        &states[..]
    } else {
        &states[..1]
    };
    states.iter().flat_map(move |&state| {
        loads.iter().enumerate().filter_map(move |(n, load)| {
            let mut suffix = state.name().to_owned();
            if n > 0 {
                suffix += &format!("/{}", load.data());
            }
            let measure = Measure {
                tests: vec![test.clone()],
                suffix,
                state: state.name().to_owned(),
                data: load.data().to_owned(),
                file: length.of(load.job_file()?.clone()),
                short: length.words(load),
            };
            Some((state, measure))
        })
    })
}

/// Looks whether a test can be run on a real drive.
///
/// # Errors
/// Why not.
fn plannable(test: &Test, target: Target) -> Result<(), String> {
    match &test.step.work {
        Work::Fact(_) => Err(
            "it asks how the drive is made, or for years of wear, which no host can measure"
                .to_owned(),
        ),
        Work::Loads { loads, .. } => {
            for state in test.family.states.iter().filter(|_| target.has_flash) {
                states::reachable(*state)?;
            }
            loads.iter().try_for_each(|load| runnable(load, target))
        }
        Work::Within(procedure, _) => of_host(procedure, target),
    }
}

/// The measurements of each course, in the order of their states.
fn by_state(measured: Vec<(State, Measure)>) -> Vec<(State, Vec<Measure>)> {
    let (writes, reads): (Vec<_>, Vec<_>) = measured
        .into_iter()
        .partition(|(_, measure)| writes_to(&measure.file));
    let mut courses: Vec<(State, Vec<Measure>)> = Vec::new();
    for (state, measure) in reads.into_iter().chain(writes) {
        let is_shared = state == State::Steady || !writes_to(&measure.file);
        let mut known = courses.iter_mut().filter(|_| is_shared);
        match known.find(|(of, _)| *of == state) {
            Some((_, measures)) => measures.push(measure),
            None => courses.push((state, vec![measure])),
        }
    }
    // Purges are cheap and fills are not, so that a short run has most of its results early.
    courses.sort_by_key(|(state, _)| *state);
    courses
}

/// The way to a state and its measurements, with rounds between those that write.
fn of_state(state: State, measures: Vec<Measure>, target: Target) -> Course {
    let mut steps = match target.has_flash {
        true => states::steps(state, target.bytes),
        false => Vec::new(),
    };
    let again = steps.iter().rev().find_map(|step| match step {
        Step::Settle(rounds) => Some(Rounds {
            go_on: true,
            ..*rounds
        }),
        _ => None,
    });
    let mut has_written = false;
    for measure in measures {
        steps.extend(again.filter(|_| has_written).map(Step::Settle));
        has_written = writes_to(&measure.file);
        steps.push(Step::Measure(Box::new(measure)));
    }
    Course {
        steps,
        is_whole: false,
    }
}

/// Looks whether a procedure is of a host's commands.
fn of_host(procedure: &Procedure, target: Target) -> Result<(), String> {
    if let Span::SparePercent(_) = procedure.span {
        return Err(
            "it leaves a share of the flash as spare area, and how much flash there is a host cannot see".to_owned(),
        );
    }
    procedure.acts.iter().try_for_each(|act| match act {
        Act::Reach(state) => states::reachable(*state),
        Act::Measure(load, _) | Act::Torture(load) | Act::Overwrite(load, _) => runnable(
            load,
            Target {
                bytes: span_bytes(procedure.span, target.bytes),
                ..target
            },
        ),
        Act::SecureErase | Act::FillFrom(..) | Act::Trim(_) => Ok(()),
    })
}

/// Looks whether fio can run a load on the drive, and stays within it.
fn runnable(load: &Load, target: Target) -> Result<(), String> {
    let Some(file) = load.job_file() else {
        return Err("it is a script or a trace, and fio runs jobs".to_owned());
    };
    let mut names = BTreeSet::new();
    for job in &file.jobs {
        let resolved = job.resolve(target.bytes).map_err(|why| why.to_string())?;
        if resolved.bytes_beyond > 0 {
            return Err("the drive is too small for it".to_owned());
        }
        if job.region.filesize.is_some() {
            return Err("filesize is for files, and the drive has its size".to_owned());
        }
        if job.region.fill_device && target.kind == Kind::File {
            return Err("fill_device would make the file longer than it is".to_owned());
        }
        if job.files.is_part_of_device || job.files.nrfiles > 1 {
            return Err("its jobs run on several files".to_owned());
        }
        names.extend(&job.files.named);
        if names.len() > 1 {
            return Err("it needs several drives".to_owned());
        }
        if job.replay.file.is_some() {
            return Err("it replays a trace".to_owned());
        }
    }
    Ok(())
}

fn span_bytes(span: Span, bytes: u64) -> u64 {
    match span {
        Span::Whole | Span::SparePercent(_) => bytes,
        Span::UsedPercent(percent) => {
            bytes / 100 * u64::from(percent) / SPAN_UNIT_BYTES * SPAN_UNIT_BYTES
        }
    }
}

/// The course of a procedure, with the loads of those tests measured.
fn of_procedure(
    procedure: &Procedure,
    tests: &[(Test, Load)],
    target: Target,
    length: Length,
) -> Course {
    let bytes = span_bytes(procedure.span, target.bytes);
    let mut steps = vec![Step::Purge];
    for act in &procedure.acts {
        match act {
            Act::SecureErase => steps.push(Step::Purge),
            Act::Trim(part) => steps.push(Step::Trim(part.map_or(bytes, |part| part.min(bytes)))),
            Act::FillFrom(from, data) => steps.push(Step::Write(states::fill(*from..bytes, *data))),
            Act::Reach(state) => steps.extend(states::steps(*state, bytes)),
            Act::Overwrite(load, times) => steps.extend(states::overwrite(load, *times, bytes)),
            Act::Torture(load) => steps.extend(states::torture(load, bytes, length)),
            Act::Measure(load, state) => {
                let Some(file) = load.job_file() else {
                    continue;
                };
                let file = states::within(length.of_procedure(file.clone()), bytes, target.bytes);
                let tests = tests.iter().filter(|(_, of)| of == load);
                let tests: Vec<Test> = tests.map(|(test, _)| test.clone()).collect();
                // What nobody asked for wears the drive all the same.
                steps.push(match tests.is_empty() {
                    true => Step::Write(states::unmeasured(&file, bytes)),
                    false => Step::Measure(Box::new(Measure {
                        tests,
                        suffix: state.clone(),
                        state: state.clone(),
                        data: load.data().to_owned(),
                        file,
                        short: length.words_of_procedure(load),
                    })),
                });
            }
        }
    }
    Course {
        steps,
        is_whole: true,
    }
}

/// A mark of tests and of how long they run, which no others have.
#[must_use]
pub fn mark(tests: &[Test], length: Length) -> u64 {
    let mut all = format!("{length:?}\n");
    for test in tests {
        let states: Vec<&str> = test
            .family
            .states
            .iter()
            .map(|state| state.name())
            .collect();
        all += &format!("{} {}\n", test.step.slug, states.join(" "));
        match &test.step.work {
            Work::Loads { loads, .. } => loads
                .iter()
                .for_each(|load| all += &format!("{:032x}\n", load.mark())),
            Work::Within(procedure, load) => {
                all += &format!("{:032x}\n{}\n", load.mark(), procedure.mark())
            }
            Work::Fact(fact) => all += &format!("{fact:?}\n"),
        }
    }
    xxh3_64(all.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftlab_bench::suites;

    fn plan() -> Plan {
        let suite = suites::named("fit").unwrap();
        let tests: Vec<Test> = suite.tests().collect();
        let target = Target {
            bytes: 4 << 30,
            kind: Kind::Nbd,
            has_flash: true,
        };
        Plan::of(&tests, target, Length::Full)
    }

    /// The rounds of a course, by whether they go on, and its measurements.
    fn course(plan: &Plan) -> Vec<&str> {
        let is_steady = |course: &&Course| course.measures().any(|of| of.state == "steady");
        let courses: Vec<&Course> = plan.courses.iter().filter(is_steady).collect();
        assert_eq!(courses.len(), 1);
        let of = |step: &Step| match step {
            Step::Purge => "purge",
            Step::Trim(_) => "trim",
            Step::Write(_) => "fill",
            Step::Settle(rounds) if rounds.go_on => "again",
            Step::Settle(_) => "settle",
            Step::Measure(_) => "measure",
        };
        courses[0].steps.iter().map(of).collect()
    }

    #[test]
    fn tests_of_a_steady_drive_share_one_way_to_it() {
        let mut plan = plan();
        let steps = course(&plan);
        assert_eq!(steps[..4], ["purge", "fill", "settle", "measure"]);
        assert!(
            steps[4..].chunks(2).all(|two| two == ["again", "measure"]),
            "{steps:?}"
        );
        // What goes on with a half of them has the way, and rounds between two alone.
        let kept = [
            "fit-randwrite-4k-qd256/steady",
            "fit-mixed-4k-qd4-r50/steady",
        ];
        plan.forget(|id| !kept.contains(&id));
        assert_eq!(
            course(&plan),
            ["purge", "fill", "settle", "measure", "again", "measure"]
        );
        plan.forget(|_| true);
        assert!(plan.courses.is_empty());
    }

    #[test]
    fn rounds_of_a_procedure_stay_within_its_part_of_the_drive() {
        let plan = plan();
        let steps = plan.courses.iter().filter(|course| course.is_whole);
        let rounds = steps
            .flat_map(|course| &course.steps)
            .filter_map(|step| match step {
                Step::Settle(rounds) => Some(*rounds),
                _ => None,
            });
        let rounds: Vec<Rounds> = rounds.collect();
        assert_eq!(rounds.len(), 1);
        assert!(rounds[0].bytes <= 3 << 30 && rounds[0].bytes > (3 << 30) - (2 << 20));
    }
}
