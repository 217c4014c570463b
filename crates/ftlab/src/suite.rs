//! `--suite`: the tests of a suite of one's own, instead of those of the reviews.

use crate::failure::Failure;
use crate::loads::{self, Reading};
use clap::Args;
use ftlab_bench::suites::{self, Suite, Test};
use ftlab_play::driver::Clock;
use ftlab_play::states::State;
use std::path::{Path, PathBuf};

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

    fn open(&self) -> Result<Option<Suite>, Failure> {
        let suite = self.suite.as_deref().map(Suite::open);
        suite.transpose().map_err(Failure::Input)
    }

    /// All tests there are.
    pub fn all(&self) -> Result<Vec<Test>, Failure> {
        Ok(match self.open()? {
            None => suites::all().collect(),
            Some(suite) => suite.tests().collect(),
        })
    }

    /// The drives that a review is of if none is named: those of the suite or, if it says none, of the reviews.
    pub fn drives(&self) -> Result<Vec<String>, Failure> {
        let drives = self.open()?.map(|suite| suite.drives);
        Ok(drives
            .filter(|drives| !drives.is_empty())
            .unwrap_or_else(suites::drives))
    }

    /// Those that the names stand for, and loads by the paths of their files, each on a filled drive; no names: all of
    /// the suite.
    pub fn select(&self, names: &[String]) -> Result<Vec<Test>, Failure> {
        let listed = match &self.suite {
            None => suites::LISTED.to_owned(),
            Some(path) => format!(
                "`ftlab tests --suite {}` lists them by code and by name",
                path.display()
            ),
        };
        let (paths, names): (Vec<String>, Vec<String>) =
            names.iter().cloned().partition(|name| loads::is_path(name));
        let mut tests = match (names.is_empty(), paths.is_empty()) {
            (true, false) => Vec::new(),
            _ => suites::select_of(self.all()?, &names, &listed)?,
        };
        for path in &paths {
            tests.push(loads::read(
                Path::new(path),
                State::Filled,
                Clock::Timed,
                Reading::default(),
            )?);
        }
        loads::distinct(&tests)?;
        Ok(tests)
    }
}
