//! Measurements that checks need.

use crate::experiments::Experiment;
use ftlab_bench::suites::Test;
use ftlab_host::Port;
use ftlab_play::load::Load;
use ftlab_states::State;

/// A measurement on a drive.
#[derive(Debug)]
pub struct Need {
    /// The drive's slug, or an alias of it.
    pub drive: &'static str,
    /// `key=value`, as with `--set`, with blanks between.
    pub settings: &'static str,
    /// The work that is done on the drive.
    pub work: Work,
}

/// Work on a drive.
#[derive(Debug)]
pub enum Work {
    /// A test of a review, as that made it: its first load, in the state of that name or in its first.
    Test(Test, Option<&'static str>),
    /// A load from a state, on a machine (slug of a testbed) and a port; none for its fastest.
    Load {
        /// The load that runs.
        load: Load,
        /// The state in which the drive begins.
        state: State,
        /// Slug of the testbed.
        machine: &'static str,
        /// None for the fastest.
        port: Option<Port>,
    },
    /// Something done to the drive without time.
    Experiment(&'static Experiment),
}

impl Need {
    /// The settings, one by one.
    pub fn settings(&self) -> Vec<String> {
        let settings = self.settings.split_whitespace();
        settings.map(str::to_owned).collect()
    }

    /// The drive and its settings.
    pub fn subject(&self) -> String {
        let set = self.settings.split_whitespace();
        let set: String = set.map(|s| format!(" --set {s}")).collect();
        format!("{}{set}", self.drive)
    }

    /// A key that tells it from all other needs.
    pub fn key(&self) -> String {
        match &self.work {
            Work::Load { machine, .. } => format!("{} on {machine}", self.label()),
            Work::Test(..) | Work::Experiment(_) => self.label(),
        }
    }

    /// Drive, settings, what runs and from where.
    pub fn label(&self) -> String {
        let work = match &self.work {
            Work::Test(test, None) => test.step.slug.clone(),
            Work::Test(test, Some(state)) => format!("{} ({state})", test.step.slug),
            Work::Load {
                load, state, port, ..
            } => {
                let port = port.map_or(String::new(), |port| format!(", {}", port.name()));
                format!("{} ({}{port})", load.name(), state.name())
            }
            Work::Experiment(experiment) => experiment.name.to_owned(),
        };
        format!("{}: {work}", self.subject())
    }
}
