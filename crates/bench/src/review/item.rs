//! Items of a review: tests of suites, and loads of a user's own.

use crate::loads::OwnLoad;
use crate::suites::{Test, Work};
use ftlab_host::Port;
use ftlab_lab::Subject;
use ftlab_play::load::Load;
use ftlab_states::State;

/// A test of a suite, or a load of a user's own.
#[derive(Debug, Clone)]
pub enum Item {
    /// A test of a suite.
    Test(Test),
    /// A load that a user gave.
    Load(OwnLoad),
}

impl Item {
    /// The name of its results.
    pub fn name(&self) -> &str {
        match self {
            Item::Test(test) => &test.step.slug,
            Item::Load(own) => &own.name,
        }
    }

    /// Slug of the machine that it runs on, on these drives: the one that it names, or one of the drives' time.
    pub fn testbed<'a>(&'a self, subject: &'a Subject) -> &'a str {
        let named = match self {
            Item::Test(test) => test.family.testbed.as_deref(),
            Item::Load(own) => own.load.testbed(),
        };
        named.unwrap_or_else(|| subject.usual_testbed())
    }

    /// The loads that run in states of the drives.
    pub fn loads(&self) -> &[Load] {
        match self {
            Item::Test(test) => test.loads(),
            Item::Load(own) => std::slice::from_ref(&own.load),
        }
    }

    /// The ports that its loads run on; none for the fastest of the machine.
    pub fn ports(&self) -> &[Option<Port>] {
        match self {
            Item::Test(test) => match &test.step.work {
                Work::Loads { ports, .. } => ports,
                Work::Within(..) | Work::Fact(_) => &[],
            },
            Item::Load(_) => &[None],
        }
    }

    /// The states that its loads begin in.
    pub fn states(&self) -> &[State] {
        match self {
            Item::Test(test) => &test.family.states,
            Item::Load(_) => &[State::Filled],
        }
    }

    /// The work of a test of a suite.
    pub fn work(&self) -> Option<&Work> {
        match self {
            Item::Test(test) => Some(&test.step.work),
            Item::Load(_) => None,
        }
    }

    /// True if runs of it are runs of another one, too: it plays the same load, or reads the same procedure or wear.
    pub fn shares_with(&self, other: &Item) -> bool {
        match (self.work(), other.work()) {
            (Some(Work::Within(mine, _)), Some(Work::Within(theirs, _))) => {
                mine.slug == theirs.slug
            }
            (Some(Work::Fact(mine)), Some(Work::Fact(theirs))) => {
                self.name() == other.name()
                    || mine.writes().is_some() && mine.writes() == theirs.writes()
            }
            _ => {
                let has = |load: &Load| other.loads().contains(load);
                self.name() == other.name() || self.loads().iter().any(has)
            }
        }
    }

    /// The drives on which alone a review of everything runs it; none for any.
    pub fn only_on(&self) -> Option<&[String]> {
        match self {
            Item::Test(test) => test.family.runs.on(),
            Item::Load(_) => None,
        }
    }
}
