//! The tests of the reviews, as data.
//!
//! A *family* is one test as its review describes it and is drawn as one chart; its *steps* are
//! the single tests. Several steps may be the same job: it runs once a drive and state.

mod anandtech;
mod applications_2008;
mod applications_2011;
mod enterprise_2012;
mod select;

pub use select::{UnknownTest, select};

use crate::states::State;
use ftlab_result::{Chart, TestSheet};

/// A job file that is part of the program.
#[derive(Debug, PartialEq, Eq)]
pub struct Job {
    /// Its name in `jobs/`.
    pub file: &'static str,
    /// Its text.
    pub text: &'static str,
}

/// What a test runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Load {
    /// A job file.
    Job(&'static Job),
    /// The script or scenario of that name in `scripts/`.
    Scenario(&'static str),
}

impl Load {
    /// What names it among all loads.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Load::Job(job) => job.file,
            Load::Scenario(name) => name,
        }
    }
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
    /// The states its steps run in; the first one answers figures whose state is unstated.
    pub states: &'static [State],
    /// Its tests, in the order drawn.
    pub steps: &'static [Step],
}

/// One test of a family.
#[derive(Debug)]
pub struct Step {
    /// Slug, as in the reference table.
    pub slug: &'static str,
    /// What it varies, for example `16 KiB`; empty for a family of one.
    pub label: &'static str,
    /// What runs.
    pub load: Load,
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
        }
    }
}

/// Every family, in the order of the list of methods.
pub fn families() -> impl Iterator<Item = &'static Family> {
    [
        anandtech::FAMILIES,
        applications_2008::FAMILIES,
        applications_2011::FAMILIES,
        enterprise_2012::FAMILIES,
    ]
    .into_iter()
    .flatten()
}

/// Every test, family by family.
pub fn all() -> impl Iterator<Item = Test> {
    let steps =
        |family: &'static Family| family.steps.iter().map(move |step| Test { family, step });
    families().flat_map(steps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn slugs_are_unique() {
        let slugs: Vec<_> = all().map(|test| test.step.slug).collect();
        assert_eq!(slugs.iter().collect::<BTreeSet<_>>().len(), slugs.len());
    }

    #[test]
    fn every_scenario_is_valid_and_its_machine_known() {
        for test in all() {
            let Load::Scenario(name) = test.step.load else {
                continue;
            };
            assert!(
                crate::scripts::find(name).is_some(),
                "no scripts/{name}.toml"
            );
            let scenario = crate::scripts::scenario(name);
            let scenario = scenario.unwrap_or_else(|error| panic!("{error}"));
            crate::driver::testbed_of(&scenario).unwrap_or_else(|error| panic!("{error}"));
        }
    }

    #[test]
    fn every_job_is_valid_and_every_family_has_a_state() {
        for test in all() {
            assert!(!test.family.states.is_empty());
            let Load::Job(job) = test.step.load else {
                continue;
            };
            let parsed = ftlab_workload::JobFile::parse(job.text, job.file);
            let file = parsed.unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(file.jobs.len(), 1, "{}", job.file);
        }
    }
}
