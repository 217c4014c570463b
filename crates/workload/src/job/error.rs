//! Errors of a job file, or of a job on a device.

use ftlab_base::Blame;
use std::fmt;
use thiserror::Error;

/// A place in a job file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Source {
    /// The file's name, as given to [`crate::JobFile::parse`].
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// A job file or job that cannot be run. The message names the place, what is wrong and what is
/// allowed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum JobError {
    /// A line that is no section, option or comment.
    #[error("{at}: {why}")]
    Syntax {
        /// Place in the file.
        at: Source,
        /// The fault, and what belongs there.
        why: String,
    },
    /// A key that fio does not have.
    #[error("{at}: unknown option `{key}`{}", hint(.nearest))]
    UnknownKey {
        /// Place in the file.
        at: Source,
        /// The key as written.
        key: String,
        /// The known key most like it, if one is.
        nearest: Option<&'static str>,
    },
    /// A key of fio's that would change the requests in a way that is not modelled.
    #[error("{at}: option `{key}` is not supported: {why}")]
    Unsupported {
        /// Place in the file.
        at: Source,
        /// The key as written.
        key: String,
        /// The reason, or what to write instead.
        why: &'static str,
    },
    /// An engine of fio's that does no I/O on a block device.
    #[error(
        "{at}: ioengine={engine} cannot run on a drive: {why}; take libaio, io_uring, psync or another engine for \
         block devices"
    )]
    Engine {
        /// Place in the file.
        at: Source,
        /// The engine as written.
        engine: String,
        /// Reason of the refusal.
        why: &'static str,
    },
    /// A key without the value that it needs.
    #[error("{at}: {key} needs a value: write {key}=…")]
    MissingValue {
        /// Place in the file.
        at: Source,
        /// The key as written.
        key: String,
    },
    /// A value outside what its key allows.
    #[error("{at}: {key}={value} is not valid: {key} must be {allowed}")]
    BadValue {
        /// Place in the file.
        at: Source,
        /// The key as written.
        key: String,
        /// The value as written.
        value: String,
        /// Values that are allowed.
        allowed: String,
    },
    /// A job whose options, or whose options and device, do not go together.
    #[error("{at}: job `{job}`: {why}")]
    Job {
        /// Beginning of the job's section.
        at: Source,
        /// Name of the job.
        job: String,
        /// The keys that do not go together, and what to change.
        why: String,
    },
    /// A job was asked for that a file does not have.
    #[error("{file}: there is no job `{name}` to run; there are {known}")]
    NoSuchJob {
        /// Path of the file.
        file: String,
        /// The name that was asked for.
        name: String,
        /// The names of its jobs.
        known: String,
    },
    /// A file without a job.
    #[error("{file}: no job: add a section such as [randwrite] after the [global] ones")]
    NoJobs {
        /// Path of the file.
        file: String,
    },
}

impl Blame for JobError {}

fn hint(nearest: &Option<&'static str>) -> String {
    nearest.map_or_else(String::new, |key| format!("; did you mean `{key}`?"))
}

impl JobError {
    /// The line that is wrong, if it is one.
    #[must_use]
    pub fn at(&self) -> Option<&Source> {
        match self {
            JobError::Syntax { at, .. }
            | JobError::UnknownKey { at, .. }
            | JobError::Unsupported { at, .. }
            | JobError::Engine { at, .. }
            | JobError::MissingValue { at, .. }
            | JobError::BadValue { at, .. }
            | JobError::Job { at, .. } => Some(at),
            JobError::NoSuchJob { .. } | JobError::NoJobs { .. } => None,
        }
    }

    /// Returns the fault without its place.
    #[must_use]
    pub fn why(&self) -> String {
        let whole = self.to_string();
        let place = self.at().map(|at| format!("{at}: ")).unwrap_or_default();
        whole.strip_prefix(&place).unwrap_or(&whole).to_owned()
    }
}
