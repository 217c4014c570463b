//! Checks as rows of comparisons: `reference/claim-checks.toml`, which says how they are written.

use super::check::{self, Finding, Need, Sample};
use super::comparison::Measured;
use super::experiments;
use ftlab_host::Port;
use ftlab_play::State;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

const ROWS: &str = include_str!("../../../reference/claim-checks.toml");

/// Read once.
static FILE: LazyLock<File> =
    LazyLock::new(|| toml::from_str(ROWS).expect("a test reads every row"));

static CHECKS: LazyLock<Vec<Row>> = LazyLock::new(|| FILE.check.iter().map(Row::of).collect());

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    jobs: BTreeMap<String, String>,
    check: Vec<RowKeys>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RowKeys {
    id: String,
    drive: Option<String>,
    #[serde(default)]
    drives: Vec<String>,
    test: Option<String>,
    #[serde(default)]
    tests: Vec<String>,
    #[serde(default)]
    needs: Vec<NeedKeys>,
    metric: String,
    holds: Vec<String>,
    says: String,
}

#[derive(Debug, Deserialize)]
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
    port: Option<String>,
}

/// The text of a job of the checks' own.
///
/// # Panics
/// When there is none: a test looks every name up.
pub fn job(name: &str) -> &'static str {
    let text = FILE.jobs.get(name);
    text.unwrap_or_else(|| panic!("no job of the checks is called {name}"))
}

/// All rows.
pub fn all() -> &'static [Row] {
    &CHECKS
}

/// A check that is comparisons.
#[derive(Debug)]
pub struct Row {
    /// The claim's number.
    pub id: String,
    /// What is measured.
    pub needs: Vec<Need>,
    metric: &'static str,
    /// Comparisons, all of which must hold.
    holds: &'static [String],
    says: &'static str,
}

impl Row {
    fn of(keys: &'static RowKeys) -> Row {
        let of_test = keys.drives.iter().map(|drive| {
            let test = keys.test.as_ref().expect("drives have one test");
            check::test(drive, test)
        });
        let of_drive = keys.tests.iter().map(|test| {
            let drive = keys.drive.as_ref().expect("tests have one drive");
            check::test(drive, test)
        });
        let needs = of_test.chain(of_drive);
        Row {
            id: keys.id.clone(),
            needs: needs.chain(keys.needs.iter().map(need)).collect(),
            metric: &keys.metric,
            holds: &keys.holds,
            says: &keys.says,
        }
    }

    /// Judges the measurements.
    pub fn finding(&self, samples: &[Sample]) -> Finding {
        let measured = Measured {
            samples,
            metric: self.metric,
        };
        let wrong = |why: String| -> String { format!("{}: {why}", self.id) };
        // All of them, so that whatever is absent is seen.
        let held: Result<Vec<bool>, String> =
            self.holds.iter().map(|text| measured.holds(text)).collect();
        let said = measured.says(self.says);
        let (held, said) = match (held.map_err(wrong), said.map_err(wrong)) {
            (Ok(held), Ok(said)) => (held, said),
            (Err(why), _) | (_, Err(why)) => panic!("a test reads every row: {why}"),
        };
        Finding::new(held.into_iter().all(|holds| holds), said)
    }
}

fn need(keys: &'static NeedKeys) -> Need {
    let drive = keys.drive.as_str();
    let state = keys.state.as_deref();
    let from = || State::named(state.unwrap_or("filled")).expect("a state of drives");
    let need = if let Some(test) = &keys.test {
        match state {
            None => check::test(drive, test),
            Some(state) => check::tested(drive, test, state),
        }
    } else if let Some(job) = &keys.job {
        check::job(drive, from(), job)
    } else if let Some(script) = &keys.script {
        check::script(drive, script)
    } else {
        let name = keys.experiment.as_deref().unwrap_or_default();
        let experiment = experiments::named(name);
        check::experiment(
            drive,
            experiment.unwrap_or_else(|| panic!("no experiment is called `{name}`")),
        )
    };
    let need = need.with(&keys.set);
    let Some(machine) = &keys.machine else {
        return need;
    };
    let port = keys.port.as_deref();
    need.on(
        machine,
        port.map(|port| Port::named(port).expect("a port of machines")),
    )
}
