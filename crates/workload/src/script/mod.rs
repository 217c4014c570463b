//! Application scripts: what a program reads, computes and writes, and scenarios of several.
//!
//! A [`Script`] is a program as phases, one after the other. A phase is *steps*: read a block,
//! compute, write what that gives. A [`Scenario`] starts several scripts on one drive, each at its
//! time. [`StepStream`] yields a script's steps, the same ones for the same seed; when each of them
//! happens is not decided here but by the driver, which knows the time and the operating system.

mod error;
pub(crate) mod file;
pub(crate) mod quantity;
mod schema;
pub(crate) mod steps;

pub use error::ScriptError;
pub use file::{Library, Text};
pub use steps::{Run, Step, StepStream};

use ftlab_base::{Content, Nanos};

/// Script of a program.
#[derive(Debug, Clone, PartialEq)]
pub struct Script {
    /// The file it is from.
    pub file: String,
    /// Name in a few words.
    pub name: String,
    /// In a sentence or more: what it does and where its numbers come from.
    pub summary: String,
    /// The machine its CPU times are of.
    pub testbed: String,
    /// One after the other; at least one.
    pub phases: Vec<Phase>,
}

/// Steps of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Phase {
    /// Time before its first step that no machine shortens: a person, a timer.
    pub think: Nanos,
    /// CPU time of all its steps, on the script's testbed.
    pub cpu: Nanos,
    /// Reads of the phase.
    pub read: Option<Transfer>,
    /// Writes of the phase.
    pub write: Option<Transfer>,
    /// Second reads of the file just written, by somebody whom the program waits for.
    pub check: Option<Transfer>,
    /// True if a write is waited for. Otherwise the operating system takes it and writes it back.
    pub through: bool,
    /// Requests of the program outstanding at most.
    pub depth: u32,
    /// Blocks that may be read before the one at work is done.
    pub ahead: u32,
    /// By how much what is written can be compressed, in percent; `None` when nothing is known.
    pub buffer_compress_percentage: Option<u32>,
}

impl Phase {
    /// Returns the nature of the written data, which do not compress unless the script says otherwise.
    #[must_use]
    pub fn content(&self) -> Content {
        let percent = self.buffer_compress_percentage.unwrap_or(0);
        Content::compressible(u8::try_from(percent).unwrap_or(100))
    }
}

/// Movement of data in one direction within a phase.
#[derive(Debug, Clone, PartialEq)]
pub struct Transfer {
    /// The name of its files.
    pub files: String,
    /// First sector of the files.
    pub at: u64,
    /// Sectors of the files.
    pub size: u64,
    /// Number of the files.
    pub count: u64,
    /// Sectors that are moved.
    pub amount: u64,
    /// Sizes of requests in sectors, each with its weight above 0.
    pub blocks: Vec<(u32, u32)>,
    /// Chance that a request follows the one before; otherwise it goes anywhere in the files.
    pub sequential: f64,
}

/// Programs that share a drive.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    /// Name in a few words.
    pub name: String,
    /// In a sentence or more.
    pub summary: String,
    /// The machine it runs on unless another is asked for.
    pub testbed: String,
    /// A pause is longer than this.
    pub pause: Nanos,
    /// Programs that run together.
    pub processes: Vec<Process>,
}

/// A program of a scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct Process {
    /// Its name in results.
    pub name: String,
    /// Time of its start.
    pub start: Nanos,
    /// Nobody waits for its end.
    pub background: bool,
    /// Script that it runs.
    pub script: Script,
}
