//! What a check is: measurements, and a judgement of them.

use super::experiments::Experiment;
use super::rows::{self, Row};
use ftlab_host::Port;
use ftlab_play::embedded::SCRIPTS;
use ftlab_play::load::{self, LoadError, What};
use ftlab_play::states::State;
use ftlab_result::{Inside, Traffic};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// The check of one claim.
#[derive(Debug)]
pub struct Check {
    /// The claim's number.
    pub id: &'static str,
    /// What is measured.
    pub needs: &'static [Need],
    /// Judges the measurements, one for each need and in that order.
    pub judge: fn(&[Sample]) -> Finding,
}

/// A check, however it is written.
#[derive(Debug, Clone, Copy)]
pub enum AnyCheck {
    /// As code.
    Code(&'static Check),
    /// As a row of comparisons.
    Row(&'static Row),
}

impl AnyCheck {
    /// The claim's.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            AnyCheck::Code(check) => check.id,
            AnyCheck::Row(row) => &row.id,
        }
    }

    /// What is measured.
    #[must_use]
    pub fn needs(self) -> &'static [Need] {
        match self {
            AnyCheck::Code(check) => check.needs,
            AnyCheck::Row(row) => &row.needs,
        }
    }

    /// Judges the measurements, one for each need and in that order.
    #[must_use]
    pub fn finding(self, samples: &[Sample]) -> Finding {
        match self {
            AnyCheck::Code(check) => (check.judge)(samples),
            AnyCheck::Row(row) => row.finding(samples),
        }
    }
}

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Whether the claim holds.
    pub holds: bool,
    /// In words, with numbers.
    pub measured: String,
}

impl Finding {
    /// A finding.
    pub fn new(holds: bool, measured: impl Into<String>) -> Finding {
        Finding {
            holds,
            measured: measured.into(),
        }
    }
}

/// A measurement on a drive.
#[derive(Debug, Clone, Copy)]
pub struct Need {
    /// Slug or alias.
    pub drive: &'static str,
    /// `key=value`, as with `--set`, with blanks between.
    pub settings: &'static str,
    /// What is done.
    pub work: Work,
}

/// What is done on a drive.
#[derive(Debug, Clone, Copy)]
pub enum Work {
    /// The test of that slug, as its review made it: its first job, in the state of that name or in
    /// its first.
    Test(&'static str, Option<&'static str>),
    /// A load from a state, on a machine (slug of a testbed) and a port; none for its fastest.
    Load {
        /// What runs.
        load: Load,
        /// From where.
        state: State,
        /// Slug of the testbed.
        machine: &'static str,
        /// None for the fastest.
        port: Option<Port>,
    },
    /// Something done to the drive without time.
    Experiment(&'static Experiment),
}

/// What runs.
#[derive(Debug, Clone, Copy)]
pub enum Load {
    /// The job of that name in `reference/claim-checks.toml`.
    Job(&'static str),
    /// The script or scenario of that name in `scripts/`.
    Script(&'static str),
}

impl Load {
    fn name(self) -> String {
        match self {
            Load::Job(name) => format!("claims/{name}"),
            Load::Script(name) => name.to_owned(),
        }
    }

    /// Reads it.
    ///
    /// # Errors
    /// When its text is wrong.
    ///
    /// # Panics
    /// When there is no such job or script: a test looks every name up.
    pub fn read(self) -> Result<load::Load, LoadError> {
        let what = match self {
            Load::Job(name) => What::job(rows::job(name), &self.name())?,
            Load::Script(name) => {
                let text = |name: &str| {
                    let (file, text) = SCRIPTS.find(name)?;
                    Some((file, text.to_owned()))
                };
                let (file, script) = text(name).expect("a test looks every name up");
                What::script(&script, &file, &text)?
            }
        };
        Ok(load::Load::new(self.name(), what))
    }
}

/// The machine of loads that name none.
const MACHINE: &str = "anandtech-2008";

/// The test of a review.
pub const fn test(drive: &'static str, slug: &'static str) -> Need {
    Need {
        drive,
        settings: "",
        work: Work::Test(slug, None),
    }
}

/// The test of a review in the state of that name.
pub const fn tested(drive: &'static str, slug: &'static str, state: &'static str) -> Need {
    Need {
        drive,
        settings: "",
        work: Work::Test(slug, Some(state)),
    }
}

/// A job of the checks' own, by its name.
pub const fn job(drive: &'static str, state: State, job: &'static str) -> Need {
    load(drive, state, Load::Job(job))
}

/// The script or scenario of that name.
pub const fn script(drive: &'static str, name: &'static str) -> Need {
    load(drive, State::Filled, Load::Script(name))
}

const fn load(drive: &'static str, state: State, load: Load) -> Need {
    Need {
        drive,
        settings: "",
        work: Work::Load {
            load,
            state,
            machine: MACHINE,
            port: None,
        },
    }
}

/// An experiment.
pub const fn experiment(drive: &'static str, experiment: &'static Experiment) -> Need {
    Need {
        drive,
        settings: "",
        work: Work::Experiment(experiment),
    }
}

impl Need {
    /// On a drive changed by settings.
    pub const fn with(self, settings: &'static str) -> Need {
        Need { settings, ..self }
    }

    /// On another machine, and a port of it; none for its fastest. Only for loads.
    pub const fn on(self, machine: &'static str, port: Option<Port>) -> Need {
        let Work::Load { load, state, .. } = self.work else {
            panic!("only a load runs on a machine of the check's choice");
        };
        Need {
            work: Work::Load {
                load,
                state,
                machine,
                port,
            },
            ..self
        }
    }

    /// Drive, settings, what runs and from where.
    #[must_use]
    pub fn label(&self) -> String {
        let set: String = (self.settings.split_whitespace())
            .map(|s| format!(" --set {s}"))
            .collect();
        let work = match self.work {
            Work::Test(slug, None) => slug.to_owned(),
            Work::Test(slug, Some(state)) => format!("{slug} ({state})"),
            Work::Load {
                load, state, port, ..
            } => {
                let port = port.map_or(String::new(), |port| format!(", {}", port.name()));
                format!("{} ({}{port})", load.name(), state.name())
            }
            Work::Experiment(experiment) => experiment.name.to_owned(),
        };
        format!("{}{set}: {work}", self.drive)
    }
}

/// What a measurement came to.
#[derive(Debug, Clone, Default)]
pub struct Sample {
    /// Slug of the drive.
    pub drive: String,
    /// Named figures of the run.
    pub metrics: BTreeMap<String, f64>,
    /// I/Os of each second.
    pub series: Vec<u64>,
    /// Bytes of each second.
    pub series_bytes: Vec<u64>,
    /// Reads.
    pub read: Traffic,
    /// Writes.
    pub write: Traffic,
    /// Virtual seconds.
    pub seconds: f64,
    /// What happened inside.
    pub inside: Inside,
    /// Figures that were asked for in vain.
    pub(super) absent: RefCell<BTreeSet<String>>,
}

impl Sample {
    /// A named figure. Without it nothing can be judged: the claim stays open.
    #[must_use]
    pub fn get(&self, metric: &str) -> f64 {
        if let Some(&value) = self.metrics.get(metric) {
            return value;
        }
        let absent = format!("`{metric}` of {}", self.drive);
        self.absent.borrow_mut().insert(absent);
        f64::NAN
    }

    pub(super) fn absent(&self) -> BTreeSet<String> {
        self.absent.borrow().clone()
    }
}
