//! Suites: the tests of the reviews, and those that a user writes.
//!
//! A *suite* is a file: `suites/*.toml` are the reviews', compiled in, and `ftlab review --suite` reads any
//! other. A *family* is one test as its review describes it and is drawn as one chart; its *steps* are
//! the single tests. What a step does is its [`Work`]: a load in some states of the drive, a job somewhere in a
//! [`Procedure`], or a fact of the drive that needs no run with time. Several steps may have the same load: it
//! runs once a drive, state, machine and port.

mod built_in;
mod files;
mod keys;
mod read;
mod select;
mod shuffled;

pub use built_in::{all, all_drives, drives, families, is_name, named, names, open, with_most};
pub(crate) use files::Kind as KindOfLoad;
pub use files::{Files, script_beside, text_of_load};
pub use select::{LISTED, UnknownTest, of_default, select, select_of};

use ftlab_base::Content;
use ftlab_host::Port;
use ftlab_play::load::Load;
use ftlab_result::{Chart, Role, Run, TestSheet};
use ftlab_states::State;
use std::num::NonZeroU32;
use std::sync::Arc;

/// Tests that belong together.
#[derive(Debug, Clone)]
pub struct Suite {
    /// The drives that a review is of if none is named: slugs, or paths of their files.
    pub drives: Vec<String>,
    /// Those that a review of everything is of beside them; none for all there are.
    pub more_drives: Vec<String>,
    /// The most bytes that the host sees of a drive: larger drives are shrunk.
    pub shrink_to: Option<u64>,
    /// Its families, in the order of the file.
    pub families: Vec<Arc<Family>>,
}

/// Source that the tests of a suite come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Key in the tables of published figures; empty for a suite of a user's own, of which nothing was published.
    pub key: String,
    /// The title in the table of sources, or the one that the user's suite gives itself.
    pub title: String,
}

impl Source {
    /// Returns true if figures were published of its tests.
    #[must_use]
    pub fn is_published(&self) -> bool {
        !self.key.is_empty()
    }
}

/// One test as its review describes it.
#[derive(Debug, Clone)]
pub struct Family {
    /// Slug that selects all its steps.
    pub slug: String,
    /// Id in the list of methods, for example `A1`.
    pub method: String,
    /// Title of its chart.
    pub title: String,
    /// A paragraph: what is done, on what state, what is measured.
    pub text: String,
    /// Points that the source leaves open, each with the suite's choice.
    pub assumes: Vec<Assumption>,
    /// The kind of chart that draws it.
    pub chart: Chart,
    /// Metric that is drawn: a name of `Run::metrics`.
    pub metric: String,
    /// The unit of that metric, as the chart's axis has it.
    pub unit: String,
    /// A metric that is drawn beside it; empty for none.
    pub beside: String,
    /// Slug of the machine it runs on; none for one of the time of each drive ([`ftlab_drive::default_testbed`]).
    pub testbed: Option<String>,
    /// The reviews in which it runs without being named.
    pub runs: Runs,
    /// The states its loads run in; the first one answers figures whose state is unstated.
    pub states: Vec<State>,
    /// The rule for its part of a score, if it imitates a program that gives one.
    pub score: Option<Score>,
    /// Its tests, in the order drawn.
    pub steps: Vec<Arc<Step>>,
    /// The review, or the user's suite, that it is from.
    pub source: Arc<Source>,
}

/// A suite's decision where its source leaves something open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assumption {
    /// A sentence or more.
    pub text: String,
    /// Ids of the published figures in view of which it was decided; mostly none.
    pub from: Vec<String>,
}

impl Assumption {
    fn words(&self) -> String {
        match self.from.as_slice() {
            [] => self.text.clone(),
            from => format!("{} (Decided in view of {}.)", self.text, from.join(", ")),
        }
    }
}

impl Family {
    /// All that is to be said of it: what is done, and what had to be assumed.
    #[must_use]
    pub fn words(&self) -> String {
        let text = std::iter::once(self.text.clone()).filter(|text| !text.is_empty());
        let assumed = self.assumes.iter().map(Assumption::words);
        text.chain(assumed).collect::<Vec<_>>().join(" ")
    }
}

/// Reviews in which a family runs without being named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Runs {
    /// In every review, and on all of its drives.
    ByDefault,
    /// In every review, but in one of everything on these drives alone.
    ByDefaultOn(Vec<String>),
    /// In a review of everything.
    WithAll,
    /// In a review of everything, on these drives alone: it takes long, and shows little of the others.
    WithAllOn(Vec<String>),
}

/// Points that a part of a score is worth; the score of the whole is the geometric mean of its parts' points.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(try_from = "keys::ScoreKeys")]
pub enum Score {
    /// This many points for each unit of the metric.
    Per(f64, String),
    /// This many points divided by the metric: the longer, the fewer.
    Over(f64, String),
}

impl Score {
    /// The points of a part for one repeat of its run.
    #[must_use]
    pub fn points(&self, run: &Run, repeat: usize) -> Option<f64> {
        match self {
            Score::Per(points, metric) => Some(points * run.metric_in(metric, repeat)?),
            Score::Over(points, metric) => Some(points / run.metric_in(metric, repeat)?),
        }
    }
}

/// One test of a family.
#[derive(Debug, Clone)]
pub struct Step {
    /// Slug, as in the reference table.
    pub slug: String,
    /// Other names that the reference table has for it.
    pub aliases: Vec<String>,
    /// Value that it varies, for example `16 KiB`; empty for a family of one.
    pub label: String,
    /// The load, the job of a procedure or the fact that it measures.
    pub work: Work,
    /// Figures that are read off its series, beside totals.
    pub series: Series,
    /// The requests whose latencies are among its figures.
    pub latencies: Latencies,
    /// Number of writes that make a page of a database, if its pages a second are among its figures.
    pub writes_a_page: Option<NonZeroU32>,
    /// The parts that it plays in verdicts and rankings; mostly none.
    pub roles: Vec<Role>,
}

/// The work of a step, which decides the cells that it needs.
#[derive(Debug, Clone)]
pub enum Work {
    /// Loads, each in each of the family's states and on each port. The first load and port answer
    /// figures that ask for none. The others run where they can make a difference: another kind of
    /// data on drives that compress, a slower port on drives that it slows down.
    Loads {
        /// Loads of the same requests with different data; at least one.
        loads: Vec<Load>,
        /// Ports; none for the fastest of the machine. At least one.
        ports: Vec<Option<Port>>,
    },
    /// A job wherever a procedure measures it.
    Within(Arc<Procedure>, Load),
    /// A fact from the drive's file, or from long runs without time.
    Fact(Fact),
}

/// A fact about a drive that takes no run with time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Fact {
    /// Share of the flash that the host does not see.
    SpareArea,
    /// Write amplification and wear under a client's writes.
    ClientWrites,
    /// The years that the drive lives at a number of GB a day, and the GB a day that it bears for five years.
    Endurance {
        /// The daily GB of a promise.
        #[serde(deserialize_with = "keys::above_0")]
        gb_per_day: u32,
    },
    /// Endurance if nothing were written twice and all blocks wore alike.
    EnduranceInTheory,
    /// The bytes that the drive takes until its mean block has had its rated cycles.
    Life(Writes),
}

impl Fact {
    /// The writes that wear the drive for this fact; none if the drive's file answers alone.
    #[must_use]
    pub const fn writes(self) -> Option<Writes> {
        match self {
            Fact::SpareArea | Fact::EnduranceInTheory => None,
            Fact::ClientWrites | Fact::Endurance { .. } => Some(Writes::Client),
            Fact::Life(writes) => Some(writes),
        }
    }
}

/// Writes that wear a drive out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Writes {
    /// Those of a client computer, as a job file has them.
    Client,
    /// 4 KiB anywhere on the drive.
    Random,
    /// 128 KiB in order, over and over.
    Sequential,
}

/// Figures that are read off the series of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Series {
    /// No figure beside the totals.
    Unread,
    /// The place where the rate drops for good, and the depth of the drop (`drops.rs`).
    Drops,
    /// Over which parts of a fill the speed is even (`fill.rs`).
    Plateaus,
}

/// The requests whose latencies are figures of a step, percentile by percentile.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Latencies {
    /// None beside those of all requests together, which every run has.
    #[default]
    Unread,
    /// Reads, writes and flushes of all jobs, each by themselves.
    OfAll,
    /// Those of the job of this name: a probe that asks while others load the drive.
    Of(String),
}

/// Several things done to one drive, one after the other, from the drive as new.
#[derive(Debug)]
pub struct Procedure {
    /// Its name, which no other procedure has.
    pub slug: String,
    /// The part of the drive that is used.
    pub span: Span,
    /// The acts in their order; reaching a state can only be the first.
    pub acts: Vec<Act>,
}

/// The part of a drive that a procedure uses, from the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Span {
    /// All the host can address.
    Whole,
    /// This share of what the host can address, in percent; the rest is never written.
    UsedPercent(u32),
    /// As much as leaves this share of the raw flash, in percent, as spare area.
    SparePercent(u32),
}

/// One thing that is done to a drive.
#[derive(Debug, Clone)]
pub enum Act {
    /// A secure erase, which a drive without flash refuses.
    SecureErase,
    /// Every sector written once, in order, from N bytes on, with such data. Without time.
    FillFrom(u64, Content),
    /// TRIM of N bytes from the start, or of everything. Without time.
    Trim(Option<u64>),
    /// A state, from new, without time.
    Reach(State),
    /// A job's writes, until the used space has been written this many times. Without time.
    Overwrite(Load, u32),
    /// A job, measured, and the name of the drive's state before it.
    Measure(Load, String),
    /// A job that only wears the drive: in part without time (`torture.rs`).
    Torture(Load),
}

/// A test: a step within its family.
#[derive(Debug, Clone)]
pub struct Test {
    /// The family, which has the title, the states and the source.
    pub family: Arc<Family>,
    /// The step, which has the slug and the work.
    pub step: Arc<Step>,
}

impl Test {
    /// The test as a report shows it.
    #[must_use]
    pub fn sheet(&self) -> TestSheet {
        TestSheet {
            test: self.step.slug.clone(),
            method: self.family.method.clone(),
            title: self.family.title.clone(),
            text: self.family.words(),
            step: self.step.label.clone(),
            chart: self.family.chart,
            chart_metric: self.family.metric.clone(),
            chart_unit: self.family.unit.clone(),
            chart_beside: self.family.beside.clone(),
            latencies_of: match &self.step.latencies {
                Latencies::Of(job) => job.clone(),
                Latencies::OfAll | Latencies::Unread => String::new(),
            },
            source: self.family.source.title.clone(),
            roles: self.step.roles.clone(),
        }
    }

    /// Returns true if the reference table has this name for it.
    #[must_use]
    pub fn answers_to(&self, name: &str) -> bool {
        self.step.slug == name || self.step.aliases.iter().any(|alias| alias == name)
    }

    /// The loads that run in states of the drive.
    #[must_use]
    pub fn loads(&self) -> &[Load] {
        match &self.step.work {
            Work::Loads { loads, .. } => loads,
            Work::Within(..) | Work::Fact(_) => &[],
        }
    }

    /// The states that it begins in.
    #[must_use]
    pub fn states(&self) -> Vec<&str> {
        match &self.step.work {
            Work::Loads { .. } => self
                .family
                .states
                .iter()
                .map(|state| state.name())
                .collect(),
            Work::Within(procedure, job) => procedure.states_of(job).collect(),
            Work::Fact(_) => vec![NO_STATE],
        }
    }

    /// The state that answers figures whose state is unstated.
    #[must_use]
    pub fn first_state(&self) -> &str {
        self.states().first().copied().unwrap_or(NO_STATE)
    }

    /// Returns true if it brings its drive to states of its own, so that it can begin in no other.
    #[must_use]
    pub fn has_own_states(&self) -> bool {
        matches!(self.step.work, Work::Within(..) | Work::Fact(_))
    }

    /// Returns true if its figures are promises of a maker, which a drive may surpass.
    #[must_use]
    pub fn is_promise(&self) -> bool {
        matches!(self.step.work, Work::Fact(Fact::Endurance { .. }))
    }
}

/// The word for the state of a drive that a fact is about.
pub const NO_STATE: &str = "na";

impl Procedure {
    /// The states in which it measures a job.
    pub fn states_of<'a>(&'a self, job: &'a Load) -> impl Iterator<Item = &'a str> {
        self.acts.iter().filter_map(move |act| match act {
            Act::Measure(measured, state) if measured == job => Some(state.as_str()),
            _ => None,
        })
    }

    /// Everything that decides it, as a text.
    #[must_use]
    pub fn mark(&self) -> String {
        let act = |act: &Act| match act {
            Act::SecureErase => "secure erase".to_owned(),
            Act::FillFrom(bytes, data) => format!("fill from {bytes} {data:?}"),
            Act::Trim(bytes) => format!("trim {bytes:?}"),
            Act::Reach(state) => format!("reach {}", state.name()),
            Act::Overwrite(load, times) => format!("overwrite {:032x} {times}", load.mark()),
            Act::Measure(load, state) => format!("measure {:032x} {state}", load.mark()),
            Act::Torture(load) => format!("torture {:032x}", load.mark()),
        };
        let acts: Vec<String> = self.acts.iter().map(act).collect();
        format!("{:?}\n{}", self.span, acts.join("\n"))
    }
}

impl Runs {
    /// The drives on which alone a review of everything runs it; none for any.
    #[must_use]
    pub fn on(&self) -> Option<&[String]> {
        match self {
            Runs::ByDefaultOn(drives) | Runs::WithAllOn(drives) => Some(drives),
            Runs::ByDefault | Runs::WithAll => None,
        }
    }

    /// Returns true if it runs in reviews that are not of everything.
    #[must_use]
    pub fn is_by_default(&self) -> bool {
        matches!(self, Runs::ByDefault | Runs::ByDefaultOn(_))
    }
}

impl Suite {
    /// All tests, family by family.
    pub fn tests(&self) -> impl Iterator<Item = Test> {
        let of_family = |family: &Arc<Family>| {
            let family = Arc::clone(family);
            let steps = family.steps.clone();
            steps.into_iter().map(move |step| Test {
                family: Arc::clone(&family),
                step,
            })
        };
        self.families.iter().flat_map(of_family)
    }
}

#[cfg(test)]
mod tests;
