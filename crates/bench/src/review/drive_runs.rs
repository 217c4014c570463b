//! The runs of a drive, test by test, as they come in.

use super::drive::Bench;
use super::{Plan, ReviewError};
use ftlab_result::Run;

/// What has come of the tests of one drive of a plan, and how it ended, if it has.
#[derive(Debug)]
pub struct DriveRuns {
    /// The drive's tests by their slugs, in the order of the plan; no runs of one that is not done.
    tests: Vec<(String, Option<Vec<Run>>)>,
    end: Option<Result<(), ReviewError>>,
}

impl DriveRuns {
    /// Those of each drive of a plan before anything ran.
    #[must_use]
    pub fn of_plan(plan: &Plan) -> Vec<DriveRuns> {
        let of_drive = |subject| {
            let bench = Bench::new(plan, subject);
            let tests = bench.tests().iter();
            let tests = tests.map(|test| (test.step.slug.clone(), None));
            let tests: Vec<_> = tests.collect();
            let end = tests.is_empty().then_some(Ok(()));
            DriveRuns { tests, end }
        };
        plan.drives.iter().map(of_drive).collect()
    }

    /// Takes all runs of a test; those of a test that is none of the drive's are left alone.
    pub fn take(&mut self, test: &str, runs: Vec<Run>) {
        if let Some((_, of_test)) = self.tests.iter_mut().find(|(slug, _)| *slug == test) {
            *of_test = Some(runs);
        }
    }

    /// Takes how the drive ended.
    pub fn ended(&mut self, end: Result<(), ReviewError>) {
        self.end = Some(end);
    }

    /// Whether nothing more will come.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.end.is_some()
    }

    /// Whether all tests are done.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        matches!(self.end, Some(Ok(())))
    }

    /// What went wrong.
    #[must_use]
    pub fn error(&self) -> Option<&ReviewError> {
        self.end.as_ref()?.as_ref().err()
    }

    /// Whether no test is done.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.done().next().is_none()
    }

    /// Itself, unless something went wrong.
    ///
    /// # Errors
    /// What did.
    pub fn or_error(self) -> Result<DriveRuns, ReviewError> {
        match self.end {
            Some(Err(error)) => Err(error),
            end => Ok(DriveRuns { end, ..self }),
        }
    }

    /// All runs that are done, in the order of the plan.
    pub fn runs(&self) -> impl Iterator<Item = &Run> {
        self.tests
            .iter()
            .filter_map(|(_, runs)| runs.as_ref())
            .flatten()
    }

    /// The tests that are done.
    pub fn done(&self) -> impl Iterator<Item = &str> {
        let done = self.tests.iter().filter(|(_, runs)| runs.is_some());
        done.map(|(slug, _)| slug.as_str())
    }

    /// The tests that are not.
    #[must_use]
    pub fn missing(&self) -> Vec<String> {
        let missing = self.tests.iter().filter(|(_, runs)| runs.is_none());
        missing.map(|(slug, _)| slug.clone()).collect()
    }

    /// Why tests are missing, if they are; `why` of a drive that has not ended.
    #[must_use]
    pub fn why_not_whole(&self, why: &str) -> Option<String> {
        let why = match &self.end {
            Some(Ok(())) => return None,
            Some(Err(error)) => error.to_string(),
            None => why.to_owned(),
        };
        let (done, all) = (self.done().count(), self.tests.len());
        Some(match done {
            0 => why,
            _ => format!("{why}; {done} of its {all} tests are done"),
        })
    }
}
