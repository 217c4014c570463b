//! Jobs: from the text of a job file, or of a command line, to a job that fits a device.

mod bind;
mod check;
mod command_line;
mod differences;
mod distribution;
mod engines;
mod error;
mod file;
mod file_names;
mod goals;
mod hot_places;
mod ini;
mod keys;
mod layout;
mod logs;
mod page;
mod parts;
mod pattern;
mod program;
mod reporting;
mod resolve;
mod sections;
mod settle;
mod shuffle;
mod sizes;
mod spec;
mod surroundings;
mod words;

pub use command_line::{CommandWord, command_word, nearest_command_word, option_of};
pub use differences::{DIFFERENCES, Difference};
pub use distribution::{ByteZone, Distribution, Zone};
pub use error::{JobError, Source};
pub use file::{Ignored, JobFile};
pub use goals::{Continue, ExitWhat, LatencyTarget, Measure, Steady};
pub use layout::{FilePlace, LaidFile, Layout, Room};
pub use logs::{Log, Logs, Replay};
pub use page::words_page;
pub use parts::{
    Clones, Echo, Ends, FileSet, Flushes, Length, Order, Pace, Region, StopsFor, Submission,
};
pub use pattern::{Pattern, PatternKind, Sequencer, Strides};
pub use reporting::{LeftOut, Reporting, Unified};
pub use resolve::{Pacing, ResolvedJob};
pub use sections::{Described, Effect, Sections, Told, described, known_engines};
pub use shuffle::Shuffle;
pub use sizes::{BlockSizes, Part, PerKind};
pub use spec::{DataPattern, DedupeMode, HandleOrder, JobSpec, Verify};
pub use surroundings::Surroundings;
