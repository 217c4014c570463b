//! Jobs: from the text of a job file, or of a command line, to a job that fits a device.

mod bind;
mod check;
mod command_line;
mod distribution;
mod engines;
mod error;
mod file;
mod goals;
mod ini;
mod keys;
mod logs;
mod page;
mod resolve;
mod sections;
mod settle;
mod spec;
mod surroundings;
mod words;

pub use command_line::is_word;
pub use distribution::{ByteZone, Distribution, Zone};
pub use error::{JobError, Source};
pub use file::{Ignored, JobFile};
pub use goals::{Continue, ExitWhat, LatencyTarget, Measure, Steady};
pub use logs::{Log, Logs, Replay};
pub use page::words_page;
pub use resolve::{Pacing, ResolvedJob};
pub use sections::{Effect, Sections, Told};
pub use spec::{
    DataPattern, DedupeMode, HandleOrder, JobSpec, Part, PatternKind, PerKind, Sequencer, Strides,
    Verify,
};
pub use surroundings::Surroundings;
