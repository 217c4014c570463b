//! The tests of the reviews, as data.
//!
//! A *family* is one test as its review describes it and is drawn as one chart; its *steps* are
//! the single tests. What a step does is its [`Work`]: a job, a scenario or a trace in some states of the
//! drive, a job somewhere in a [`Procedure`], or a fact of the drive that needs no run with time.
//! Several steps may be the same job: it runs once a drive, state, machine and port.

mod anandtech_2008;
mod anandtech_2009;
mod anandtech_2012;
mod anandtech_2013;
mod applications_2008;
mod applications_2011;
mod behardware_2011;
pub(crate) mod closed_programs_2008;
mod enterprise_2012;
mod select;
mod storage_bench_2011;

pub use select::{UnknownTest, of_default, select};

use crate::figures::source_title;
use ftlab_base::Content;
use ftlab_host::Port;
use ftlab_play::states::State;
use ftlab_result::{Chart, Role, TestSheet};

/// A job file that is part of the program.
#[derive(Debug, PartialEq, Eq)]
pub struct Job {
    /// Its name in `jobs/`.
    pub file: &'static str,
    /// Its text.
    pub text: &'static str,
}

/// One test as its review describes it.
#[derive(Debug)]
pub struct Family {
    /// Slug that selects all its steps.
    pub slug: &'static str,
    /// Id in the list of methods, for example `A1`.
    pub method: &'static str,
    /// Title of its chart.
    pub title: &'static str,
    /// A paragraph: what is done, on what state, what is measured, what had to be assumed.
    pub text: &'static str,
    /// How it is drawn.
    pub chart: Chart,
    /// What is drawn: a name of `Run::metrics`.
    pub metric: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// Slug of the machine it runs on.
    pub testbed: &'static str,
    /// When it runs without being named.
    pub runs: Runs,
    /// The states its jobs and scenarios run in; the first one answers figures whose state is unstated.
    pub states: &'static [State],
    /// Its tests, in the order drawn.
    pub steps: &'static [Step],
}

impl Family {
    /// Key of the review it is of: the methods of one share their letter.
    #[must_use]
    pub fn source(&self) -> &'static str {
        match self.method.chars().next() {
            Some('A') => "x25m-2008",
            Some('B') => "relapse-2009",
            Some('C') => "roundup-2011",
            Some('D') => "520-2012",
            Some('E') => "525-2013",
            _ => "",
        }
    }
}

/// When a family runs without being named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runs {
    /// In every review.
    ByDefault,
    /// In a review of everything.
    WithAll,
    /// In a review of everything, on these drives alone: as long as it takes, it tells little of
    /// the others.
    WithAllOn(&'static [&'static str]),
}

/// One test of a family.
#[derive(Debug)]
pub struct Step {
    /// Slug, as in the reference table.
    pub slug: &'static str,
    /// What it varies, for example `16 KiB`; empty for a family of one.
    pub label: &'static str,
    /// What it does.
    pub work: Work,
    /// What is read off its series, beside totals.
    pub series: Series,
}

/// What a step does.
#[derive(Debug, Clone, Copy)]
pub enum Work {
    /// Jobs, each in each of the family's states and on each port. The first job and port answer
    /// figures that ask for none. The others run where they can make a difference: another kind of
    /// data on drives that compress, a slower port on drives that it slows down.
    Jobs {
        /// The same requests with different data.
        jobs: &'static [&'static Job],
        /// Ports; none for the fastest of the machine.
        ports: &'static [Option<Port>],
    },
    /// The script or scenario of that name in `scripts/`, in each of the family's states.
    Scenario(&'static str),
    /// The trace of that name in `traces/`, in each of the family's states.
    Trace(&'static str),
    /// A job wherever a procedure measures it.
    Within(&'static Procedure, &'static Job),
    /// What the drive's file says, or long runs without time tell.
    Fact(Fact),
}

/// What can be told of a drive without a run with time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fact {
    /// How much of the flash the host does not see.
    SpareArea,
    /// What a client's writes do to the flash: write amplification and wear.
    ClientWrites,
    /// How long the drive lives at so many GB a day, and how many a day it bears for five years.
    Endurance {
        /// The daily GB of a promise.
        gb_per_day: u32,
    },
    /// The same if nothing were written twice and all blocks wore alike.
    EnduranceInTheory,
}

impl Fact {
    /// Whether it needs a client that writes the drive.
    #[must_use]
    pub const fn is_of_client(self) -> bool {
        matches!(self, Fact::ClientWrites | Fact::Endurance { .. })
    }
}

/// What is read off the series of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Series {
    /// Nothing.
    Unread,
    /// Where the rate drops for good, and how far (`drops.rs`).
    Drops,
}

/// Several things done to one drive, one after the other, from the drive as new.
#[derive(Debug, PartialEq, Eq)]
pub struct Procedure {
    /// Its name.
    pub slug: &'static str,
    /// The part of the drive that is used.
    pub span: Span,
    /// What is done.
    pub acts: &'static [Act],
}

/// How much of a drive a procedure uses, from the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Span {
    /// All the host can address.
    Whole,
    /// So much that this share of the raw flash, in percent, is left as spare area.
    SparePercent(u32),
}

/// One thing that is done to a drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// Secure erase.
    SecureErase,
    /// Every sector written once, in order, from so many bytes on, with such data. Without time.
    FillFrom(u64, Content),
    /// TRIM of so many bytes from the start, or of everything. Without time.
    Trim(Option<u64>),
    /// A job, measured, and the name of the drive's state before it.
    Measure(&'static Job, &'static str),
    /// A job that only wears the drive: in part without time (`torture.rs`).
    Torture(&'static Job),
}

/// A test: a step within its family.
#[derive(Debug, Clone, Copy)]
pub struct Test {
    /// What it belongs to.
    pub family: &'static Family,
    /// What it is.
    pub step: &'static Step,
}

impl Test {
    /// The test as a report shows it.
    #[must_use]
    pub fn sheet(&self) -> TestSheet {
        TestSheet {
            test: self.step.slug.to_owned(),
            method: self.family.method.to_owned(),
            title: self.family.title.to_owned(),
            text: self.family.text.to_owned(),
            step: self.step.label.to_owned(),
            chart: self.family.chart,
            chart_metric: self.family.metric.to_owned(),
            chart_unit: self.family.unit.to_owned(),
            source: source_title(self.family.source()),
            roles: roles(self.step.slug),
        }
    }

    /// The state that answers figures whose state is unstated.
    #[must_use]
    pub fn first_state(&self) -> &'static str {
        match self.step.work {
            Work::Jobs { .. } | Work::Scenario(_) | Work::Trace(_) => self.family.states[0].name(),
            Work::Within(procedure, job) => procedure.states_of(job).next().unwrap_or(NO_STATE),
            Work::Fact(_) => NO_STATE,
        }
    }
}

/// The word for the state of a drive that a fact is told of.
pub const NO_STATE: &str = "na";

impl Procedure {
    /// The states in which it measures a job.
    pub fn states_of(&self, job: &'static Job) -> impl Iterator<Item = &'static str> {
        self.acts.iter().filter_map(move |act| match *act {
            Act::Measure(measured, state) if measured == job => Some(state),
            _ => None,
        })
    }
}

/// What a step stands for, by its slug.
fn roles(slug: &str) -> Vec<Role> {
    let has = |part: &str| slug.split('-').any(|other| other == part);
    let mut roles = Vec::new();
    if has("randwrite") && has("4k") {
        roles.push(Role::SmallRandomWrite);
    }
    roles.extend(match slug {
        "randwrite-4k-qd1" => Some(Role::SmallRandomWriteAlone),
        "seqrand-mix-4k-qd1-seq100" => Some(Role::SmallSequentialWriteAlone),
        "randwrite-4k-qd3-8gb" => Some(Role::UsedRandomWrite),
        "consistency-randwrite-4k-qd32" => Some(Role::SustainedRandomWrite),
        "boot-windows7" => Some(Role::Boot),
        "app-launch-four-at-boot" => Some(Role::StartAtBoot),
        "launch-photoshop-cs3-while-extract-5gb" | "multitask1-extract-photoshop" => {
            Some(Role::StartBesideUnpacking)
        }
        "enterprise-oracle-swingbench" | "enterprise-ms-sql-dailyupdates" => Some(Role::Database),
        "file-write-xl" => Some(Role::LargeFileCopy),
        "seqwrite-2m" | "seqwrite-128k-qd1" => Some(Role::LargeWrite),
        "power-spec" => Some(Role::NotebookPower),
        "power-idle" => Some(Role::IdlePower),
        "endurance-spec" => Some(Role::Endurance),
        _ => None,
    });
    roles
}

/// Every family, in the order of the list of methods.
pub fn families() -> impl Iterator<Item = &'static Family> {
    let reviews = [
        anandtech_2008::FAMILIES,
        closed_programs_2008::FAMILIES,
        applications_2008::FAMILIES,
        anandtech_2009::FAMILIES,
        behardware_2011::FAMILIES,
        applications_2011::FAMILIES,
        anandtech_2012::FAMILIES,
        storage_bench_2011::FAMILIES,
        enterprise_2012::FAMILIES,
        anandtech_2013::FAMILIES,
    ];
    reviews.into_iter().flatten()
}

/// Every test, family by family.
pub fn all() -> impl Iterator<Item = Test> {
    let steps =
        |family: &'static Family| family.steps.iter().map(move |step| Test { family, step });
    families().flat_map(steps)
}

/// A job file of `jobs/`.
macro_rules! job {
    ($file:literal) => {
        Job {
            file: $file,
            text: include_str!(concat!("../../../../jobs/", $file)),
        }
    };
}
use job;

/// A step that is one job on the machine's fastest port.
const fn step(slug: &'static str, label: &'static str, jobs: &'static [&'static Job]) -> Step {
    Step {
        slug,
        label,
        work: Work::Jobs {
            jobs,
            ports: &[None],
        },
        series: Series::Unread,
    }
}

/// A step that is the script or scenario of its own name.
const fn scenario(slug: &'static str, label: &'static str) -> Step {
    Step {
        slug,
        label,
        work: Work::Scenario(slug),
        series: Series::Unread,
    }
}

/// A step that is a fact.
const fn fact(slug: &'static str, label: &'static str, fact: Fact) -> Step {
    Step {
        slug,
        label,
        work: Work::Fact(fact),
        series: Series::Unread,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftlab_base::RootSeed;
    use ftlab_host::Testbed;
    use ftlab_play::streams::{seed_of_load, seed_of_text};
    use std::collections::BTreeSet;

    #[test]
    fn slugs_are_unique() {
        let slugs: Vec<_> = all().map(|test| test.step.slug).collect();
        assert_eq!(slugs.iter().collect::<BTreeSet<_>>().len(), slugs.len());
    }

    fn jobs(test: &Test) -> Vec<&'static Job> {
        match test.step.work {
            Work::Jobs { jobs, .. } => jobs.to_vec(),
            Work::Within(procedure, job) => {
                assert!(procedure.states_of(job).next().is_some(), "{}", job.file);
                vec![job]
            }
            Work::Scenario(_) | Work::Trace(_) | Work::Fact(_) => Vec::new(),
        }
    }

    #[test]
    fn every_scenario_is_valid_and_runs_on_the_machine_it_names() {
        for test in all() {
            let Work::Scenario(name) = test.step.work else {
                continue;
            };
            assert!(
                ftlab_play::scripts::find(name).is_some(),
                "no scripts/{name}.toml"
            );
            let scenario = ftlab_play::scripts::scenario(name);
            let scenario = scenario.unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(scenario.testbed, test.family.testbed, "{name}");
        }
    }

    #[test]
    fn every_trace_is_valid_runs_on_the_machine_it_names_and_is_in_a_test() {
        let played = |name: &str| {
            let mut tests = all();
            let plays = |test: &Test| matches!(test.step.work, Work::Trace(of) if of == name);
            tests.find(plays)
        };
        for name in ftlab_play::traces::names() {
            let trace = ftlab_play::traces::trace(name);
            let trace = trace.unwrap_or_else(|error| panic!("{error}"));
            let test = played(name).unwrap_or_else(|| panic!("no test plays {name}"));
            assert_eq!(trace.testbed, test.family.testbed, "{name}");
        }
        for test in all() {
            if let Work::Trace(name) = test.step.work {
                assert!(ftlab_play::traces::names().any(|of| of == name), "{name}");
            }
        }
    }

    #[test]
    fn a_load_of_the_review_has_its_seed_by_its_text_too() {
        let root = RootSeed(1);
        let mut loads = 0;
        for test in all() {
            if let Work::Jobs { jobs, .. } = test.step.work {
                for job in jobs {
                    assert_eq!(seed_of_text(root, job.text), seed_of_load(root, job.file));
                    loads += 1;
                }
            }
        }
        assert!(loads > 20, "{loads} jobs");
        let script = "launch-powerpoint2007";
        let (_, text) = ftlab_play::scripts::find(script).expect("it is there");
        assert_eq!(seed_of_text(root, &text), seed_of_load(root, script));
    }

    #[test]
    fn every_family_is_of_a_review_with_a_title() {
        for family in families() {
            let title = source_title(family.source());
            assert!(title.contains(", "), "{}: {title}", family.method);
        }
    }

    #[test]
    fn every_job_is_valid_and_every_family_has_a_state_and_a_machine() {
        for test in all() {
            for job in jobs(&test) {
                let parsed = ftlab_workload::JobFile::parse(job.text, job.file);
                let file = parsed.unwrap_or_else(|error| panic!("{error}"));
                assert!(!file.jobs.is_empty(), "{}", job.file);
            }
            let has_states = !matches!(test.step.work, Work::Within(..) | Work::Fact(_));
            assert!(!has_states || !test.family.states.is_empty());
            Testbed::load(test.family.testbed).unwrap();
        }
    }
}
