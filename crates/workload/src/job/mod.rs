//! Jobs: from the text of a job file to a job that fits a device.

mod bind;
mod check;
mod distribution;
mod error;
mod file;
mod ini;
mod keys;
mod options;
mod resolve;
mod spec;

pub use distribution::{Distribution, Zone};
pub use error::{JobError, Source};
pub use file::{Ignored, JobFile};
pub use resolve::{Pacing, ResolvedJob};
pub use spec::{DataPattern, JobSpec, PatternKind, PerKind};
