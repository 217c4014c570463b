//! Loads that a user names by their files: job files of fio, scripts, scenarios and traces.

use crate::failure::Failure;
use crate::progress::Signs;
use crate::trace::ReplayOptions;
use crate::{files, fio_words, results};
use ftlab_base::CommandKind;
use ftlab_bench::suites::{Test, own, script_beside};
use ftlab_play::driver::Clock;
use ftlab_play::load::{Load, What};
use ftlab_play::states::State;
use ftlab_workload::trace::Trace;
use ftlab_workload::{JobSpec, Sections};
use std::path::Path;

/// How loads are read, beside where they begin and by which clock they run.
#[derive(Clone, Copy, Default)]
pub struct Reading<'a> {
    /// How recorded traces are replayed, and who hears what a file was taken for.
    pub replay: Option<(&'a ReplayOptions, Signs)>,
    /// Whether skewed laws of job files are spread over all blocks.
    pub is_shuffled: bool,
    /// The jobs of job files that are asked for; all if none is.
    pub sections: &'a [String],
    /// What holds for job files where they say nothing else, if there is anything.
    pub defaults: Option<&'a Sections>,
}

/// Reads a load as a test that begins in a state. Scripts, scenarios and synthetic traces are TOML; what else looks like
/// a recorded trace is one, and everything else is one of fio's job files.
///
/// # Errors
/// When it is none of these, or its name is no name of a test.
pub fn read(
    path: &Path,
    state: State,
    clock: Clock,
    reading: Reading<'_>,
) -> Result<Test, Failure> {
    files::guarded(path, || read_plainly(path, state, clock, reading))
}

fn read_plainly(
    path: &Path,
    state: State,
    clock: Clock,
    reading: Reading<'_>,
) -> Result<Test, Failure> {
    if results::file(path).file_name() == Some(results::RESULTS.as_ref())
        && results::file(path).exists()
    {
        let shown = path.display();
        return Err(Failure::Input(format!(
            "{shown} holds results that are there already, and no load; `ftlab report {shown}` shows them"
        )));
    }
    let shown = path.display().to_string();
    let no_sections = || match reading.sections {
        [] => Ok(()),
        _ => Err(Failure::Input(format!(
            "--section names a job of a job file, and {shown} is none; leave it out"
        ))),
    };
    if let Some(what) = recording(path, reading.replay)? {
        no_sections()?;
        let slug = slug(path)?;
        return Ok(own(&slug, Load::new(shown, what), state, clock));
    }
    let is_toml = path.extension().is_some_and(|ending| ending == "toml");
    let (text, what) = match is_toml {
        true => {
            no_sections()?;
            let text = files::read(path, "a script, a scenario or a trace")?;
            let what = match Trace::is_one(&text) {
                true => What::trace(&text, &shown)?,
                false => What::script(&text, &shown, &|name| script_beside(Some(path), name))?,
            };
            (text, what)
        }
        false => {
            let text = files::read(path, "a fio job file")?;
            let sections = Sections::of_text(&text, &shown)?;
            let sections = fio_words::only(sections, reading.sections)?;
            let sections = match reading.defaults {
                None => sections,
                Some(defaults) => sections.behind(defaults),
            };
            // What is not run is no part of the load, and what else holds for it is one.
            let text = match (reading.sections, reading.defaults) {
                ([], None) => text,
                _ => sections.to_text(),
            };
            (text, fio_words::what(sections, reading)?)
        }
    };
    if clock == Clock::Untimed && !matches!(what, What::Job(_) | What::Recording(_)) {
        let word = what.word();
        return Err(Failure::Input(format!(
            "a {word} has no meaning without a clock; leave out --untimed"
        )));
    }
    let slug = slug(path)?;
    Ok(own(&slug, Load::of_text(shown, &text, what), state, clock))
}

/// The recorded trace that a file is, if it is one.
fn recording(
    path: &Path,
    replay: Option<(&ReplayOptions, Signs)>,
) -> Result<Option<What>, Failure> {
    let default = ReplayOptions::default();
    let (options, signs) =
        replay.map_or((&default, None), |(options, signs)| (options, Some(signs)));
    let is_one = options.trace.is_format_said() || ftlab_trace::is_trace_file(path)?;
    if !is_one {
        return Ok(None);
    }
    let recording = options.recording(path, signs)?;
    Ok(Some(What::Recording(recording)))
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
