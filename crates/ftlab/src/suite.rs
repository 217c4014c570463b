//! `--suite`: the tests of the user's suite, or of one that comes with ftlab, instead of those of the reviews.

use crate::failure::Failure;
use crate::{fio_words, loads};
use clap::Args;
use ftlab_bench::loads::{OwnLoad, Reading};
use ftlab_bench::suites::{self, Suite, Test};
use ftlab_lab::Subject;
use ftlab_workload::Shuffle;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub struct SuiteOption {
    /// Other tests than the reviews': a suite of your own, which is a .toml file with its jobs, scripts and traces
    /// beside it, or one that comes with ftlab by its name: modern, desktop, fit
    #[arg(long, value_name = "FILE|NAME")]
    suite: Option<PathBuf>,
}

impl SuiteOption {
    /// Tells if a suite is asked for.
    pub fn is_given(&self) -> bool {
        self.suite.is_some()
    }

    /// Returns true if the suite is a file of the user's own. A test of it that does not fit one of his drives is
    /// then reported, and not left out in silence.
    pub fn is_own(&self) -> bool {
        self.suite
            .as_deref()
            .is_some_and(|path| !suites::is_name(path))
    }

    /// The suite that is asked for.
    pub fn open(&self) -> Result<Option<Suite>, Failure> {
        let suite = self.suite.as_deref().map(suites::open);
        suite.transpose().map_err(Failure::Input)
    }

    /// Drives as the suite tests them.
    pub fn fit(&self, drives: Vec<Subject>) -> Result<Vec<Subject>, Failure> {
        let bytes_max = self.open()?.and_then(|suite| suite.shrink_to);
        Ok(Subject::fit(drives, bytes_max)?)
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

    /// The drives that a review of everything is of if none is named: those of the suite or, if it says none, all that the
    /// reviews' tests are for.
    pub fn all_drives(&self) -> Result<Vec<String>, Failure> {
        let named = self
            .open()?
            .map(|suite| [suite.drives, suite.more_drives].concat());
        Ok(named
            .filter(|drives| !drives.is_empty())
            .unwrap_or_else(suites::all_drives))
    }

    /// Those that the names stand for, and loads by the paths of their files, shuffled if that is asked for; no names: all of
    /// the suite.
    pub fn select(
        &self,
        names: &[String],
        shuffle: Option<Shuffle>,
    ) -> Result<(Vec<Test>, Vec<OwnLoad>), Failure> {
        let listed = match &self.suite {
            None => suites::LISTED.to_owned(),
            Some(path) => format!(
                "`ftlab tests --suite {}` lists them by code and by name",
                path.display()
            ),
        };
        let (paths, names): (Vec<String>, Vec<String>) =
            names.iter().cloned().partition(|name| loads::is_path(name));
        let tests = match (names.is_empty(), paths.is_empty()) {
            (true, false) => Vec::new(),
            _ => suites::select_of(self.all()?, &names, &listed)?,
        };
        let reading = Reading {
            machine: &fio_words::this_machine(),
            shuffle,
            ..Reading::default()
        };
        let read = paths.iter();
        let read = read.map(|path| loads::read(Path::new(path), &reading));
        let loads: Vec<OwnLoad> = read.collect::<Result<_, _>>()?;
        loads::distinct(&tests, &loads)?;
        Ok((tests, loads))
    }
}
