//! The fio that is installed.

use super::job_text::{Common, JobText, LOGS, NBD};
use super::processors::Processors;
use crate::device::Kind;
use crate::device::held::Held;
use crate::heat::Watch;
use ftlab_base::Blame;
use ftlab_readings::fio::{Course, Output};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufReader};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use thiserror::Error;

/// The oldest version whose results are read.
const OLDEST: (u32, u32) = (3, 33);

/// Engines in the order in which they are tried, for what is here and for what a server exports.
const ENGINES: [&str; 2] = ["io_uring", "libaio"];
const ENGINES_OF_SERVERS: [&str; 1] = [NBD];

/// Files in the folder of a run.
const JOBS: &str = "jobs.fio";
const RESULTS: &str = "results.json";

/// Reason why fio did not do what it was asked.
#[derive(Debug, Error)]
pub enum FioError {
    /// There is no fio, or an old one.
    #[error("{0}")]
    Unfit(String),
    /// The system does not start it, or keeps its files.
    #[error("cannot run fio: {0}")]
    System(#[from] io::Error),
    /// It failed.
    #[error("fio failed: {0}")]
    Failed(String),
    /// The user has ended it.
    #[error("interrupted")]
    Stopped,
}

impl Blame for FioError {
    fn is_input(&self) -> bool {
        matches!(self, FioError::Unfit(_))
    }
}

/// fio on a drive.
#[derive(Debug)]
pub struct Fio {
    /// Its version, as it says it.
    pub version: String,
    /// What is alike for all jobs.
    pub common: Common,
    /// The drive is read alone: fio is to see to that, too.
    is_read_only: bool,
}

/// A run that has ended.
#[derive(Debug)]
pub struct Ended {
    /// What fio says.
    pub output: Output,
    /// Second by second; empty where nothing was logged.
    pub course: Course,
    /// Words of the jobs that this fio does not have.
    pub unknown: BTreeSet<String>,
    /// Seconds for which it was paused, as the drive was too warm.
    pub paused_s: f64,
}

impl Fio {
    /// The fio that is installed, for a drive; on these processors, or on all that this process may run on.
    ///
    /// # Errors
    /// When there is none, it is too old, neither of its engines can read the drive, or it may not run on the processors.
    pub fn find(held: &Held, seed: u64, processors: Option<&Processors>) -> Result<Fio, FioError> {
        let unfit = |why: &str| {
            FioError::Unfit(format!(
                "{why}; `ftlab measure` runs fio {}.{} or a later one: `apt-get install fio` installs it",
                OLDEST.0, OLDEST.1
            ))
        };
        let said =
            said(&["--version"]).map_err(|why| unfit(&format!("there is no fio here ({why})")))?;
        let version = said.trim().to_owned();
        if version_of(&version).is_none_or(|found| found < OLDEST) {
            return Err(unfit(&format!("the installed fio is `{version}`")));
        }
        let mut known = words(&self::said(&["--cmdhelp=all"])?);
        let (place, engines) = match held.device().kind {
            Kind::Nbd => ("uri", &ENGINES_OF_SERVERS[..]),
            Kind::Disk | Kind::Loop | Kind::File => ("filename", &ENGINES[..]),
        };
        let mut common = Common {
            place,
            path: held.path_for_others(),
            engine: engines[0],
            processors: Processors::chosen(processors)?.to_string(),
            known: BTreeSet::new(),
            seed,
        };
        let mut whys = Vec::new();
        for &engine in engines {
            match probe(&common, engine) {
                Ok(()) => {
                    known.extend(words(&self::said(&[&format!("--enghelp={engine}")])?));
                    (common.engine, common.known) = (engine, known);
                    return Ok(Fio {
                        version,
                        common,
                        is_read_only: !held.may_be_written(),
                    });
                }
                Err(why) => whys.push(format!("{engine}: {why}")),
            }
        }
        Err(FioError::Failed(format!(
            "it cannot read the drive without the system's cache: {}",
            whys.join("; ")
        )))
    }

    /// Runs jobs in a new folder; with logs, where they are measured.
    ///
    /// # Errors
    /// When fio fails, or whoever watches it ends it.
    pub fn run(
        &self,
        jobs: &JobText,
        with_logs: bool,
        watch: &Watch<'_>,
    ) -> Result<Ended, FioError> {
        let folder = tempfile::tempdir()?;
        let (text, unknown) = jobs.render(&self.common, with_logs);
        std::fs::write(folder.path().join(JOBS), text)?;
        let said = folder.path().join("said");
        // If this process dies, fio does: nobody would have the drive alone any more.
        let mut child = Command::new("setpriv")
            .args(["--pdeathsig", "KILL", "fio", "--output-format=json+"])
            .arg(format!("--output={RESULTS}"))
            .args(self.is_read_only.then_some("--readonly"))
            .arg(JOBS)
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(File::create(&said)?)
            .stderr(File::options().append(true).open(&said)?)
            // What a terminal sends goes to this process, which passes it on.
            .process_group(0)
            .spawn()?;
        let (ended, paused) = watch.while_at_work(&mut child)?;
        let results = std::fs::read_to_string(folder.path().join(RESULTS)).unwrap_or_default();
        if watch.stop.is_called() {
            return Err(FioError::Stopped);
        }
        let words = || {
            last_words(&format!(
                "{}\n{results}",
                std::fs::read_to_string(&said).unwrap_or_default()
            ))
        };
        let output = Output::parse(&results).map_err(|why| {
            FioError::Failed(format!("its results cannot be read: {why}: {}", words()))
        })?;
        if let Some(job) = output.jobs.iter().find(|job| job.error != 0) {
            let why = io::Error::from_raw_os_error(job.error as i32);
            return Err(FioError::Failed(format!(
                "{}: {why}: {}",
                job.name,
                words()
            )));
        }
        if !ended.success() {
            return Err(FioError::Failed(format!("{ended}: {}", words())));
        }
        Ok(Ended {
            output,
            course: match with_logs {
                true => course(folder.path())?,
                false => Course::default(),
            },
            unknown,
            paused_s: paused.as_secs_f64(),
        })
    }
}

/// The course of a run second by second, from the logs in its folder.
fn course(folder: &Path) -> Result<Course, FioError> {
    let log =
        |kind: &str| File::open(folder.join(format!("{LOGS}_{kind}.log"))).map(BufReader::new);
    let course = Course::of_seconds(log("bw")?, log("iops")?);
    course.map_err(|why| FioError::Failed(format!("its logs cannot be read: {why}")))
}

/// What fio says to options that run nothing.
fn said(options: &[&str]) -> io::Result<String> {
    let output = Command::new("fio")
        .args(options)
        .stdin(Stdio::null())
        .output()?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Reads a sector with an engine.
fn probe(common: &Common, engine: &str) -> Result<(), String> {
    let output = Command::new("fio")
        .args([
            "--name=probe",
            "--rw=read",
            "--bs=4k",
            "--number_ios=1",
            "--direct=1",
            "--thread",
        ])
        .args(["--allow_file_create=0", "--minimal"])
        .arg(format!("--ioengine={engine}"))
        .arg(format!("--{}={}", common.place, common.path.display()))
        .stdin(Stdio::null())
        .output()
        .map_err(|why| why.to_string())?;
    match output.status.success() {
        true => Ok(()),
        false => Err(last_words(&String::from_utf8_lossy(&output.stderr))),
    }
}

/// The first line of what fio says that is about an error, or else the last one.
fn last_words(text: &str) -> String {
    let lines = text
        .lines()
        .map(str::trim)
        // The engine for servers says this of each job.
        .filter(|line| line.starts_with("fio:") && *line != "fio: connected to NBD server");
    let lines: Vec<&str> = lines.collect();
    lines.first().map_or_else(
        || "it does not say why".to_owned(),
        |line| (*line).to_owned(),
    )
}

/// `fio-3.33`, `fio-3.36-54-g1234`.
fn version_of(text: &str) -> Option<(u32, u32)> {
    let numbers = text.strip_prefix("fio-")?;
    let mut numbers = numbers.split(|c: char| !c.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// The first words of the lines of fio's help.
fn words(help: &str) -> BTreeSet<String> {
    let names = help.lines().filter_map(|line| line.split_once(':'));
    names.map(|(name, _)| name.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        for (text, version) in [
            ("fio-3.33", Some((3, 33))),
            ("fio-3.4", Some((3, 4))),
            ("fio-3.36-54-g1234", Some((3, 36))),
            ("fio", None),
            ("3.33", None),
        ] {
            assert_eq!(version_of(text), version, "{text}");
        }
        assert!(version_of("fio-3.4") < Some(OLDEST));
    }

    #[test]
    fn words_of_help_are_names_of_options() {
        let help = "name                    : Name of this job\n  lockfile              : Lock file when\n";
        assert_eq!(
            words(help),
            BTreeSet::from(["lockfile".to_owned(), "name".to_owned()])
        );
    }
}
