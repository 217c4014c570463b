//! The checks, and the claims that have none: `reference/claim-checks.toml`, which says how they are written.

use crate::comparison::Measured;
use crate::experiments;
use crate::need::{Need, Work};
use crate::sample::Sample;
use crate::table::Claim;
use crate::verdict::Verdict;
use ftlab_bench::suites;
use ftlab_host::Port;
use ftlab_play::embedded::SCRIPTS;
use ftlab_play::load::{Load, What, mark_of_texts};
use ftlab_states::State;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

const ROWS: &str = include_str!("../reference/claim-checks.toml");

/// The machine of loads that name none.
const MACHINE: &str = "anandtech-2008";

/// The table of checks, read once.
static FILE: LazyLock<File> =
    LazyLock::new(|| toml::from_str(ROWS).expect("a test reads every row"));

static CHECKS: LazyLock<Vec<Row>> = LazyLock::new(|| FILE.check.iter().map(Row::of).collect());

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    jobs: BTreeMap<String, String>,
    check: Vec<RowKeys>,
    undecided: Vec<Undecided>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RowKeys {
    id: String,
    #[serde(default)]
    drives: Vec<String>,
    #[serde(default)]
    tests: Vec<String>,
    #[serde(default)]
    needs: Vec<NeedKeys>,
    metric: String,
    holds: Vec<String>,
    says: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NeedKeys {
    drive: String,
    #[serde(default)]
    set: String,
    test: Option<String>,
    job: Option<String>,
    script: Option<String>,
    experiment: Option<String>,
    state: Option<String>,
    machine: Option<String>,
    port: Option<Port>,
}

/// Claims that no run decides, for one reason.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Undecided {
    /// Open, or not for a model.
    pub verdict: Verdict,
    /// Numbers of the claims without a check.
    pub claims: Vec<String>,
    /// The reason, or what they wait for.
    pub why: String,
}

/// The checks of all claims.
#[cfg(test)]
pub fn all() -> &'static [Row] {
    &CHECKS
}

/// The check of a claim, if there is one.
pub fn check_of(id: &str) -> Option<&'static Row> {
    CHECKS.iter().find(|row| row.id == id)
}

/// Returns the needs of the check of a claim; none of a claim without one.
pub fn needs_of(claim: &Claim) -> &'static [Need] {
    check_of(&claim.id).map_or(&[][..], |row| &row.needs)
}

/// The claims without one.
pub fn undecided() -> &'static [Undecided] {
    &FILE.undecided
}

/// The check of one claim.
#[derive(Debug)]
pub struct Row {
    /// Number of the claim.
    pub id: &'static str,
    /// The measurements of the check.
    pub needs: Vec<Need>,
    metric: &'static str,
    /// Comparisons, all of which must hold.
    holds: &'static [String],
    says: &'static str,
}

impl Row {
    fn of(keys: &'static RowKeys) -> Row {
        let on_all = |test: &'static String| {
            let drives = keys.drives.iter();
            drives.map(move |drive| need_of_test(drive, "", test, None))
        };
        let needs = keys.tests.iter().flat_map(on_all);
        Row {
            id: &keys.id,
            needs: needs.chain(keys.needs.iter().map(need)).collect(),
            metric: &keys.metric,
            holds: &keys.holds,
            says: &keys.says,
        }
    }

    /// Judges the measurements, one for each need and in that order: whether the claim holds, and what was
    /// measured, in words and numbers.
    pub fn judge(&self, samples: &[Sample]) -> (bool, String) {
        let measured = Measured {
            samples,
            metric: self.metric,
        };
        let read = |why: String| -> ! { panic!("a test reads every row: {}: {why}", self.id) };
        // All of them, so that whatever is absent is seen.
        let holds = |text: &&String| measured.holds(text).unwrap_or_else(|why| read(why));
        let held = self.holds.iter().filter(holds).count();
        let said = measured.says(self.says);
        (
            held == self.holds.len(),
            said.unwrap_or_else(|why| read(why)),
        )
    }
}

fn need_of_test(
    drive: &'static str,
    settings: &'static str,
    slug: &str,
    state: Option<&'static str>,
) -> Need {
    let test = suites::all().find(|test| test.step.slug == slug);
    let test = test.unwrap_or_else(|| panic!("no test is called `{slug}`"));
    Need {
        drive,
        settings,
        work: Work::Test(test, state),
    }
}

fn need(keys: &'static NeedKeys) -> Need {
    let (drive, settings) = (keys.drive.as_str(), keys.set.as_str());
    // The table is part of the program: what is wrong in it is a fault of the program, and panics.
    let state = keys.state.as_deref();
    let load = match (&keys.test, &keys.job, &keys.script, &keys.experiment) {
        (Some(test), None, None, None) => return need_of_test(drive, settings, test, state),
        (None, None, None, Some(name)) => {
            let experiment = experiments::named(name);
            return Need {
                drive,
                settings,
                work: Work::Experiment(
                    experiment.unwrap_or_else(|| panic!("no experiment is called `{name}`")),
                ),
            };
        }
        (None, Some(name), None, None) => {
            let text = FILE.jobs.get(name);
            let text = text.unwrap_or_else(|| panic!("no job of the checks is called `{name}`"));
            let name = format!("claims/{name}");
            What::job(text, &name)
                .map(|what| Load::new(name, mark_of_texts(text, &BTreeMap::new()), what))
        }
        (None, None, Some(name), None) => {
            let text = |name: &str| {
                let (file, text) = SCRIPTS.find(name)?;
                Some((file, text.to_owned()))
            };
            let (file, script) = text(name).unwrap_or_else(|| panic!("no script `{name}`"));
            What::script(&script, &file, &text)
                .map(|what| Load::new(name, mark_of_texts(&script, &BTreeMap::new()), what))
        }
        _ => panic!("a need of {drive} is a test, a job, a script or an experiment"),
    };
    Need {
        drive,
        settings,
        work: Work::Load {
            load: load.unwrap_or_else(|error| panic!("{error}")),
            state: State::named(state.unwrap_or("filled")).expect("a state of drives"),
            machine: keys.machine.as_deref().unwrap_or(MACHINE),
            port: keys.port,
        },
    }
}
