//! `--suite`: the tests of a suite of one's own, instead of those of the reviews.

use crate::failure::Failure;
use clap::Args;
use ftlab_bench::suites::{self, Suite, Test};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct SuiteOption {
    /// Tests of your own instead of the reviews': a suite, which is a .toml file with its jobs, scripts and traces
    /// beside it
    #[arg(long, value_name = "FILE")]
    suite: Option<PathBuf>,
}

impl SuiteOption {
    /// Whether a suite of one's own is asked for.
    pub fn is_given(&self) -> bool {
        self.suite.is_some()
    }

    /// All tests there are.
    pub fn all(&self) -> Result<Vec<Test>, Failure> {
        match &self.suite {
            None => Ok(suites::all().collect()),
            Some(path) => {
                let suite = Suite::open(path).map_err(Failure::Input)?;
                Ok(suite.tests().collect())
            }
        }
    }

    /// Those that the names stand for; no names: all of them.
    pub fn select(&self, names: &[String]) -> Result<Vec<Test>, Failure> {
        let listed = match &self.suite {
            None => suites::LISTED.to_owned(),
            Some(path) => format!(
                "`ftlab tests --suite {}` lists them by code and by name",
                path.display()
            ),
        };
        Ok(suites::select_of(self.all()?, names, &listed)?)
    }
}
