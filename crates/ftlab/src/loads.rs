//! Loads that a user names by their files: job files of fio, scripts, scenarios and traces.

use crate::failure::Failure;
use crate::{files, results};
use ftlab_base::CommandKind;
use ftlab_bench::loads::{LoadText, Named, OwnLoad, Reading};
use ftlab_bench::suites::Test;
use ftlab_workload::JobSpec;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The path that names standard input.
const STDIN: &str = "-";

/// Reads the load of a file, or of standard input. A directory of results is an error of its own.
///
/// # Errors
/// When it is no load, or its name is no name of a test.
pub fn read(path: &Path, reading: &Reading<'_>) -> Result<OwnLoad, Failure> {
    if path == Path::new(STDIN) {
        return read_stdin(reading);
    }
    let kept = results::file(path);
    if kept.file_name() == Some(results::RESULTS.as_ref()) && kept.exists() {
        let shown = path.display();
        return Err(Failure::Input(format!(
            "{shown} holds results that are there already, and no load; `ftlab report {shown}` shows them"
        )));
    }
    let named = Named::Name(path.display().to_string());
    let load = files::guarded(path, || Ok(reading.read(&named)?.load))?;
    let name = slug(path)?;
    Ok(OwnLoad { name, load })
}

/// Reads a job file, a script or a synthetic trace that comes on standard input.
fn read_stdin(reading: &Reading<'_>) -> Result<OwnLoad, Failure> {
    let name = "stdin".to_owned();
    let text = files::read_stdin("a fio job file, a script or a trace that ftlab made")?;
    if text.trim().is_empty() {
        let why = "standard input is empty: pipe a fio job file into `ftlab run -`";
        return Err(Failure::Input(why.to_owned()));
    }
    let texts = LoadText {
        name: name.clone(),
        text,
        scripts: BTreeMap::new(),
        trace: None,
    };
    let load = reading.read(&Named::Text(texts))?.load;
    Ok(OwnLoad { name, load })
}

/// Refuses a load that writes or trims.
pub fn only_reads(own: &OwnLoad) -> Result<(), Failure> {
    let load = &own.load;
    let Some(file) = load.job_file() else {
        return Err(Failure::Input(format!(
            "--readonly looks at the jobs of job files, and {} is a {}; leave it out",
            load.name(),
            load.what().word()
        )));
    };
    let writes = |job: &&JobSpec| job.kinds().iter().any(|kind| *kind != CommandKind::Read);
    match file.jobs.iter().find(writes) {
        None => Ok(()),
        Some(job) => Err(Failure::Input(format!(
            "--readonly: {}: job `{}` writes or trims; give it rw=read or rw=randread, or leave --readonly out",
            job.source, job.name
        ))),
    }
}

/// Tells if a name is that of a file: no test's has a slash or an ending.
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

/// Refuses tests and loads of one name, as their results would have the same one.
pub fn distinct(tests: &[Test], loads: &[OwnLoad]) -> Result<(), Failure> {
    let mut names = BTreeSet::new();
    let loads = loads.iter().map(|own| &own.name);
    for slug in tests.iter().map(|test| &test.step.slug).chain(loads) {
        if !names.insert(slug) {
            return Err(Failure::Input(format!(
                "two tests are called `{slug}`, and their results would have one name; rename a file"
            )));
        }
    }
    Ok(())
}
