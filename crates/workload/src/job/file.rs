//! A whole job file: global options, jobs, clones, and which jobs run together.

use super::check;
use super::error::{JobError, Source};
use super::ini::{self, Entry, Section};
use super::keys;
use super::options::{self, JOBS_MAX, KEYS};
use super::spec::JobSpec;

/// A key that was accepted although it has no effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ignored {
    /// Where.
    pub at: Source,
    /// The key as written.
    pub key: String,
    /// Why it has no effect.
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
    /// Reads a job file. `file_name` is for messages only.
    ///
    /// # Errors
    /// The first thing wrong, with its line, the key and value, and what is allowed.
    pub fn parse(text: &str, file_name: &str) -> Result<JobFile, JobError> {
        let nowhere = Source {
            file: file_name.to_owned(),
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
        for section in ini::sections(text, file_name)? {
            // fio takes any section whose name begins so for a global one.
            if section.name.starts_with("global") {
                reader.global(section)?;
            } else {
                reader.job(section)?;
            }
        }
        if reader.file.jobs.is_empty() {
            return Err(JobError::NoJobs {
                file: file_name.to_owned(),
            });
        }
        Ok(reader.file)
    }

    /// The jobs that run together, as indices into `jobs`: each group starts when the one before
    /// has ended.
    #[must_use]
    pub fn groups(&self) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (index, job) in self.jobs.iter().enumerate() {
            match groups.last_mut() {
                Some(group) if !job.stonewall => group.push(index),
                _ => groups.push(vec![index]),
            }
        }
        groups
    }
}

/// What is known of a file while it is read.
struct Reader {
    /// A job with every global option so far.
    defaults: JobSpec,
    globals: Vec<Entry>,
    file: JobFile,
}

impl Reader {
    fn global(&mut self, section: Section) -> Result<(), JobError> {
        for entry in section.options {
            if let Some(echo) = apply(&mut self.defaults, &entry, &mut self.file.ignored)? {
                self.defaults.global_options.push(echo);
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
        for entry in &section.options {
            if let Some(echo) = apply(&mut job, entry, &mut self.file.ignored)? {
                job.job_options.push(echo);
            }
        }
        self.check(&job, &section.options)?;
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

    /// fio lets a time-based job run on past `number_ios`; say so rather than surprise.
    fn note_number_ios(&mut self, job: &JobSpec, options: &[Entry]) {
        if !job.time_based || job.number_ios.is_none() {
            return;
        }
        if let Some(at) = self.line_of("number_ios", options) {
            let reason = "a time_based job runs for its runtime, however many requests that takes";
            self.file.ignored.push(Ignored {
                at,
                key: "number_ios".into(),
                reason,
            });
        }
    }

    /// Where a key, under any of its names, was last given for a job.
    fn line_of(&self, key: &str, options: &[Entry]) -> Option<Source> {
        let names = options::find(key)?.names;
        let mut given = self.globals.iter().chain(options).rev();
        given
            .find(|entry| names.contains(&entry.key.as_str()))
            .map(|entry| entry.at.clone())
    }

    fn push_clones(&mut self, job: JobSpec) -> Result<(), JobError> {
        if self.file.jobs.len() + job.numjobs as usize > JOBS_MAX {
            let why = format!("more than {JOBS_MAX} jobs in all; lower numjobs");
            return Err(JobError::Job {
                at: job.source,
                job: job.name,
                why,
            });
        }
        for clone_index in 0..job.numjobs {
            let index = self.file.jobs.len();
            // A wall stands before the first clone only.
            let stonewall = job.stonewall && clone_index == 0;
            self.file.jobs.push(JobSpec {
                index,
                clone_index,
                stonewall,
                ..job.clone()
            });
        }
        Ok(())
    }
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
    if let Some(known) = options::find(&key) {
        let text = match entry.value.as_deref() {
            Some("") | None if !known.flag => return Err(JobError::MissingValue { at: at(), key }),
            Some("") | None => "1",
            Some(text) => text,
        };
        return match (known.set)(job, text) {
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
    if let Some(reason) = keys::ignored(&key) {
        ignored.push(Ignored {
            at: at(),
            key: key.clone(),
            reason,
        });
        return Ok(Some((key, entry.value.clone().unwrap_or_default())));
    }
    if let Some(why) = keys::unsupported(&key) {
        return Err(JobError::Unsupported { at: at(), key, why });
    }
    let supported = KEYS.iter().flat_map(|known| known.names.iter().copied());
    Err(JobError::UnknownKey {
        at: at(),
        nearest: keys::nearest(&key, supported),
        key,
    })
}
