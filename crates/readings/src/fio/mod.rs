//! What fio writes: results as JSON, and logs.

mod courses;
mod document;
mod files;
mod latency;
mod logged;
mod logs;
mod output;
mod rates;
mod run;

pub use latency::Latency;
pub use logs::Course;
pub use output::{Direction, FioJob, Output};
pub use run::{depth, option, run, rw, seconds_of_groups};

pub(crate) use files::{Files, Measured, measured};

/// True if a file is a log of fio's, by its name.
pub(crate) fn is_log(source: &crate::source::Source) -> bool {
    logs::LogName::of(source.file_name()).is_some()
}
