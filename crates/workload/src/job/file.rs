//! A whole job file: global options, jobs, clones, and which jobs run together.

use super::check;
use super::engines;
use super::error::{JobError, Source};
use super::ini::{Entry, Section};
use super::keys;
use super::sections::Sections;
use super::spec::JobSpec;
use super::surroundings::Surroundings;
use super::words::{self, JOBS_MAX};
use crate::units::Value;

/// A key that was accepted although it has no effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ignored {
    /// Place in the file.
    pub at: Source,
    /// The key as written.
    pub key: String,
    /// Reason why it has no effect.
    pub reason: &'static str,
}

/// A job file as read.
#[derive(Debug, Clone, PartialEq)]
pub struct JobFile {
    /// The jobs in the file's order; `numjobs` clones follow one another.
    pub jobs: Vec<JobSpec>,
    /// Keys without effect, in the file's order.
    pub ignored: Vec<Ignored>,
}

impl JobFile {
    /// Reads a job file that takes nothing from the machine. `file_name` is for messages only.
    ///
    /// # Errors
    /// The first thing wrong, with its line, the key and value, and what is allowed.
    pub fn parse(text: &str, file_name: &str) -> Result<JobFile, JobError> {
        JobFile::of(Sections::of_text(text, file_name)?, &Surroundings::NONE)
    }

    /// Reads the jobs of sections, on a machine.
    ///
    /// # Errors
    /// As [`JobFile::parse`].
    pub fn of(sections: Sections, machine: &Surroundings<'_>) -> Result<JobFile, JobError> {
        let nowhere = Source {
            file: sections.file.clone(),
            line: 0,
        };
        let mut reader = Reader {
            defaults: JobSpec::new("global", nowhere),
            globals: Vec::new(),
            file: JobFile {
                jobs: Vec::new(),
                ignored: Vec::new(),
            },
        };
        for section in sections.sections {
            let options = section.options.into_iter();
            let section = Section {
                options: options
                    .map(|entry| machine.expand(entry))
                    .collect::<Result<_, _>>()?,
                ..section
            };
            if section.is_global() {
                reader.global(section)?;
            } else {
                reader.job(section)?;
            }
        }
        if reader.file.jobs.is_empty() {
            return Err(JobError::NoJobs {
                file: sections.file,
            });
        }
        // Options of fio's program come first: they stand before the jobs.
        reader.file.ignored.splice(0..0, sections.ignored);
        reader.file.spread_exitall();
        Ok(reader.file)
    }

    /// As in fio, `exitall` of one job is that of all.
    fn spread_exitall(&mut self) {
        let is_on = self.jobs.iter().any(|job| job.order.exitall);
        self.jobs
            .iter_mut()
            .for_each(|job| job.order.exitall = is_on);
    }

    /// The jobs that run together, as indices into `jobs`: each group starts when the one before
    /// has ended.
    #[must_use]
    pub fn groups(&self) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (index, job) in self.jobs.iter().enumerate() {
            match groups.last_mut() {
                Some(group) if !job.order.stonewall => group.push(index),
                _ => groups.push(vec![index]),
            }
        }
        groups
    }
}

/// Reads sections as jobs and returns the options without effect, and the reasons why others are refused. What is
/// refused is left out, so that all of it is found.
pub fn faults(
    sections: &Sections,
    machine: &Surroundings<'_>,
) -> (Vec<Ignored>, Vec<(Source, String)>) {
    let mut rest = sections.clone();
    let mut refused = Vec::new();
    loop {
        let error = match JobFile::of(rest.clone(), machine) {
            Ok(file) => return (file.ignored, refused),
            Err(error) => error,
        };
        let Some(at) = error.at() else {
            return (Vec::new(), refused);
        };
        refused.push((at.clone(), error.why()));
        let mut is_found = false;
        for section in &mut rest.sections {
            let before = section.options.len();
            section.options.retain(|option| option.at != *at);
            is_found |= section.options.len() < before;
        }
        if !is_found {
            return (Vec::new(), refused);
        }
    }
}

/// State of reading a file.
struct Reader {
    /// A job with every global option so far.
    defaults: JobSpec,
    globals: Vec<Entry>,
    file: JobFile,
}

impl Reader {
    fn global(&mut self, section: Section) -> Result<(), JobError> {
        prepare(&mut self.defaults, &section.options)?;
        for entry in section.options {
            if let Some(echo) = apply(&mut self.defaults, &entry, &mut self.file.ignored)? {
                self.defaults.options.global.push(echo);
            }
            self.globals.push(entry);
        }
        Ok(())
    }

    fn job(&mut self, section: Section) -> Result<(), JobError> {
        let mut job = JobSpec {
            name: section.name,
            source: section.at,
            ..self.defaults.clone()
        };
        prepare(&mut job, &section.options)?;
        for entry in &section.options {
            if let Some(echo) = apply(&mut job, entry, &mut self.file.ignored)? {
                job.options.own.push(echo);
            }
        }
        for (key, reason) in job.settle() {
            self.note(key, reason, &section.options);
        }
        self.check(&job, &section.options)?;
        self.check_wait(&job, &section.options)?;
        self.note_number_ios(&job, &section.options);
        self.push_clones(job)
    }

    fn check(&self, job: &JobSpec, options: &[Entry]) -> Result<(), JobError> {
        let Some(fault) = check::fault(job) else {
            return Ok(());
        };
        let at = self
            .line_of(fault.key, options)
            .unwrap_or_else(|| job.source.clone());
        Err(JobError::Job {
            at,
            job: job.name.clone(),
            why: fault.why,
        })
    }

    /// A job waits for one that stands before it, as in fio.
    fn check_wait(&self, job: &JobSpec, options: &[Entry]) -> Result<(), JobError> {
        let Some(other) = &job.order.wait_for else {
            return Ok(());
        };
        if self.file.jobs.iter().any(|before| before.name == *other) {
            return Ok(());
        }
        Err(JobError::Job {
            at: self
                .line_of("wait_for", options)
                .unwrap_or_else(|| job.source.clone()),
            job: job.name.clone(),
            why: format!(
                "it waits for `{other}`, and no job before it has that name; put that one first"
            ),
        })
    }

    /// fio lets a time-based job run on past `number_ios`; say so rather than surprise.
    fn note_number_ios(&mut self, job: &JobSpec, options: &[Entry]) {
        if job.length.time_based && job.length.number_ios.is_some() {
            let reason = "a time_based job runs for its runtime, however many requests that takes";
            self.note("number_ios", reason, options);
        }
    }

    /// Notes a key without effect, where it was given.
    fn note(&mut self, key: &str, reason: &'static str, options: &[Entry]) {
        if let Some(at) = self.line_of(key, options) {
            let ignored = Ignored {
                at,
                key: key.into(),
                reason,
            };
            // Jobs that share a global option are told of it once.
            if !self.file.ignored.contains(&ignored) {
                self.file.ignored.push(ignored);
            }
        }
    }

    /// Returns the place where a key, under any of its names, was last given for a job.
    fn line_of(&self, key: &str, options: &[Entry]) -> Option<Source> {
        let names = words::find(key)?.names;
        let mut given = self.globals.iter().chain(options).rev();
        given
            .find(|entry| names.contains(&entry.key.as_str()))
            .map(|entry| entry.at.clone())
    }

    fn push_clones(&mut self, job: JobSpec) -> Result<(), JobError> {
        if self.file.jobs.len() + job.clones.numjobs as usize > JOBS_MAX {
            let why = format!("more than {JOBS_MAX} jobs in all; lower numjobs");
            return Err(JobError::Job {
                at: job.source,
                job: job.name,
                why,
            });
        }
        for clone_index in 0..job.clones.numjobs {
            let index = self.file.jobs.len();
            // A wall stands before the first clone only, and so does a group begin.
            let stonewall = job.order.stonewall && clone_index == 0;
            let mut clone = job.clone();
            clone.index = index;
            clone.clones.clone_index = clone_index;
            clone.order.stonewall = stonewall;
            clone.reporting.new_group &= clone_index == 0;
            self.file.jobs.push(clone);
        }
        Ok(())
    }
}

/// Reads the engine and the units first, since the meaning of other options depends on them.
fn prepare(job: &mut JobSpec, options: &[Entry]) -> Result<(), JobError> {
    for entry in options {
        let value = entry.value.as_deref().unwrap_or_default();
        match entry.key.as_str() {
            "ioengine" => {
                if let Some(why) = engines::refusal(value) {
                    return Err(JobError::Engine {
                        at: entry.at.clone(),
                        engine: value.to_owned(),
                        why,
                    });
                }
            }
            "kb_base" => {
                apply(job, entry, &mut Vec::new())?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Why a word has no effect on a job, for a command that does more than to take time.
fn foreign(job: &JobSpec, entry: &Entry) -> Option<&'static str> {
    let text = entry.value.as_deref().unwrap_or_default();
    let kb_base = job.kb_base;
    let is_foreign = entry.key == words::PRERUN && words::slept(Value { text, kb_base }).is_none();
    is_foreign
        .then_some("ftlab runs no programs, and takes no time for them but for that of `sleep`")
}

/// Reads one option into a job. Returns it under its main name for the echo, unless it has no
/// effect on the job.
fn apply(
    job: &mut JobSpec,
    entry: &Entry,
    ignored: &mut Vec<Ignored>,
) -> Result<Option<(String, String)>, JobError> {
    let at = || entry.at.clone();
    let key = entry.key.clone();
    let foreign = foreign(job, entry);
    if let Some(known) = words::find(&key).filter(|_| foreign.is_none()) {
        let text = match entry.value.as_deref() {
            Some("") | None => match known.bare {
                Some(text) => text,
                None => return Err(JobError::MissingValue { at: at(), key }),
            },
            Some(text) => text,
        };
        let value = Value {
            text,
            kb_base: job.kb_base,
        };
        return match (known.set)(job, value) {
            Ok(()) => Ok(Some((
                known.names[0].into(),
                entry.value.clone().unwrap_or_default(),
            ))),
            Err(allowed) => Err(JobError::BadValue {
                at: at(),
                key,
                value: text.to_owned(),
                allowed,
            }),
        };
    }
    if let Some(reason) = foreign.or_else(|| keys::ignored(&key)) {
        ignored.push(Ignored {
            at: at(),
            key: key.clone(),
            reason,
        });
        return Ok(Some((
            keys::main_name(&key).into(),
            entry.value.clone().unwrap_or_default(),
        )));
    }
    // A refused key is harmless with the value that fio has without it.
    let value = entry.value.as_deref().unwrap_or("1");
    if let Some(reason) = keys::off(&key, value) {
        ignored.push(Ignored {
            at: at(),
            key: key.clone(),
            reason,
        });
        return Ok(Some((key, value.to_owned())));
    }
    if let Some(why) = keys::unsupported(&key) {
        return Err(JobError::Unsupported { at: at(), key, why });
    }
    let supported = words::all().flat_map(|known| known.names.iter().copied());
    Err(JobError::UnknownKey {
        at: at(),
        nearest: keys::nearest(&key, supported),
        key,
    })
}
