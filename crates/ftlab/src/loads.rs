//! Loads that a user names by their files: job files of fio, scripts, scenarios and traces.

use crate::failure::Failure;
use crate::{files, results};
use ftlab_base::CommandKind;
use ftlab_bench::loads::{Named, Reading};
use ftlab_bench::suites::{Test, own};
use ftlab_play::states::State;
use ftlab_workload::JobSpec;
use std::path::Path;

/// Reads the load of a file as a test that begins in a state. A directory of results is told from a load.
///
/// # Errors
/// When it is no load, or its name is no name of a test.
pub fn read(path: &Path, state: State, reading: &Reading<'_>) -> Result<Test, Failure> {
    let kept = results::file(path);
    if kept.file_name() == Some(results::RESULTS.as_ref()) && kept.exists() {
        let shown = path.display();
        return Err(Failure::Input(format!(
            "{shown} holds results that are there already, and no load; `ftlab report {shown}` shows them"
        )));
    }
    let named = Named::Name(path.display().to_string());
    let read = files::guarded(path, || Ok(reading.read(&named)?))?;
    Ok(own(&slug(path)?, read.load, state, reading.clock))
}

/// Refuses a load that writes or trims.
pub fn only_reads(test: &Test) -> Result<(), Failure> {
    for load in test.loads() {
        let Some(file) = load.job_file() else {
            return Err(Failure::Input(format!(
                "--readonly looks at the jobs of job files, and {} is a {}; leave it out",
                load.name(),
                load.what().word()
            )));
        };
        let writes = |job: &&JobSpec| job.kinds().iter().any(|kind| *kind != CommandKind::Read);
        if let Some(job) = file.jobs.iter().find(writes) {
            return Err(Failure::Input(format!(
                "--readonly: {}: job `{}` writes or trims; give it rw=read or rw=randread, or leave --readonly out",
                job.source, job.name
            )));
        }
    }
    Ok(())
}

/// Whether a name is that of a file: no test's has a slash or an ending.
pub fn is_path(name: &str) -> bool {
    let ends = |ending: &str| {
        Path::new(name)
            .extension()
            .is_some_and(|other| other == ending)
    };
    name.contains(std::path::MAIN_SEPARATOR) || ends("fio") || ends("toml") || ends("json")
}

/// The name of a load: that of its file without an ending.
fn slug(path: &Path) -> Result<String, Failure> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let slug: String = stem
        .chars()
        .map(|c| {
            if c.is_alphanumeric() || "-_.+".contains(c) {
                c
            } else {
                '-'
            }
        })
        .collect();
    if slug.is_empty() {
        return Err(Failure::Input(format!(
            "{} has no name to call its results by; give a file with a name",
            path.display()
        )));
    }
    Ok(slug)
}

/// Refuses tests of one name: their results could not be told apart.
pub fn distinct(tests: &[Test]) -> Result<(), Failure> {
    for (n, test) in tests.iter().enumerate() {
        let slug = &test.step.slug;
        if tests[..n].iter().any(|other| other.step.slug == *slug) {
            return Err(Failure::Input(format!(
                "two tests are called `{slug}`, so that their results could not be told apart; rename a file"
            )));
        }
    }
    Ok(())
}
