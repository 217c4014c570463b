//! What simulators are asked: the tests of the suite of today that published figures are made from, on their drives.

use super::SHRINK_TO;
use anyhow::{Context, Result, bail};
use ftlab_bench::figures::{Names, asked};
use ftlab_bench::suites::{self, Act, Span, Test, Work};
use ftlab_drive::{Catalog, DriveFile};
use ftlab_workload::JobFile;

/// The suite whose tests these are.
pub const SUITE: &str = "modern";

/// Drives whose blocks cannot be made as small that they hold less than this are left out: other simulators fill one for
/// minutes before each run.
pub const BYTES_MAX: u64 = 10_000_000_000;

/// All questions, and the drives that none is asked of.
pub struct Questions {
    pub questions: Vec<Question>,
    pub too_large: Vec<String>,
}

/// A test on a drive.
#[derive(Debug)]
pub struct Question {
    /// The drive, in the form that all simulators take it in.
    pub drive: DriveFile,
    pub test: Test,
    /// The test's requests.
    pub jobs: JobFile,
    /// Percent of the drive that is used; the rest was never written.
    pub used_percent: u8,
    /// Nothing was written before the test.
    pub is_new: bool,
}

impl Question {
    fn of(drive: DriveFile, test: Test) -> Result<Question> {
        let (load, used_percent) = match &test.step.work {
            Work::Loads { loads, .. } => (loads.first(), 100),
            Work::Within(procedure, load) => {
                let used = match procedure.span {
                    Span::UsedPercent(percent) => percent,
                    Span::Whole | Span::SparePercent(_) => 100,
                };
                // A procedure that wears or trims its drive is none that another simulator can follow.
                let is_plain = |act: &Act| {
                    matches!(act, Act::Reach(_) | Act::Overwrite(..) | Act::Measure(..))
                };
                (procedure.acts.iter().all(is_plain).then_some(load), used)
            }
            Work::Fact(_) => (None, 100),
        };
        let jobs = load.and_then(|load| load.job_file());
        let jobs =
            jobs.with_context(|| format!("{} is no job that others can run", test.step.slug))?;
        let is_new = test
            .family
            .states
            .first()
            .is_some_and(|state| state.name() == "new");
        Ok(Question {
            jobs: jobs.clone(),
            used_percent: used_percent as u8,
            is_new,
            drive,
            test,
        })
    }
}

/// A drive in the form that is asked about.
fn small(slug: &str) -> Result<DriveFile> {
    Ok(Catalog::default().load(slug, &[])?.shrunk_to(SHRINK_TO)?.0)
}

/// All questions, or those about `only`. Those of the largest drives come first, which take longest.
pub fn all(only: &[String]) -> Result<Questions> {
    let suite = suites::named(SUITE).map_err(anyhow::Error::msg)?;
    let slugs = [suite.drives.as_slice(), suite.more_drives.as_slice()].concat();
    if let Some(other) = only.iter().find(|slug| !slugs.contains(slug)) {
        bail!(
            "--drive {other}: none of the suite's; give one of {}",
            slugs.join(", ")
        );
    }
    let mut names = Vec::new();
    for slug in slugs
        .iter()
        .filter(|slug| only.is_empty() || only.contains(slug))
    {
        let file = Catalog::default().load(slug, &[])?;
        names.push(Names {
            slug: slug.clone(),
            aliases: file.aliases().to_vec(),
        });
    }
    let tests: Vec<Test> = suite.tests().collect();
    let (mut questions, mut too_large) = (Vec::new(), Vec::new());
    for (drive, test) in asked(&names, &tests) {
        let small = small(&drive)?;
        if small.capacity_bytes() > BYTES_MAX {
            too_large.push(drive);
            continue;
        }
        let of_test = tests.iter().find(|of| of.step.slug == test);
        let of_test = of_test.with_context(|| format!("{test} is no test of {SUITE}"))?;
        questions.push(Question::of(small, of_test.clone())?);
    }
    questions.sort_by_key(|question| std::cmp::Reverse(question.drive.capacity_bytes()));
    too_large.dedup();
    Ok(Questions {
        questions,
        too_large,
    })
}
