//! Drives and loads of ftlab as configurations of other simulators: the mirror of `ftlab-import`.
//!
//! A drive file comes in, files of the other program come out ([`Card`]). What the other program has no key for is
//! listed ([`Dropped`]), with a mark where it decides how fast the drive is; what it wants to know and no drive file
//! says is assumed, and listed as well. Nothing is dropped in silence: whatever a target did not ask a drive for
//! goes to the list by itself (`numbers.rs`).
//!
//! A simulator is one file: it makes a [`Target`] and stands in [`TARGETS`].

mod draft;
mod mqsim;
mod numbers;

use ftlab_base::Blame;
use ftlab_drive::DriveFile;
use ftlab_workload::JobFile;

pub use draft::{Dropped, Row};

/// The simulators that files can be written for.
pub const TARGETS: &[Target] = &[mqsim::TARGET];

/// A simulator.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its name as its authors write it.
    pub program: &'static str,
    /// What is written for it, in a line.
    pub about: &'static str,
    /// Writes it.
    pub write: fn(&Asked<'_>) -> Result<Card, CardError>,
}

/// The unit that a simulator maps by where it has one size for the pages of its flash and for the slots of its table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unit {
    /// The flash keeps its pages. A write of a part of a page takes all of it.
    #[default]
    Page,
    /// The table keeps its slots: each is a page, and takes its part of the time that a program takes.
    Slot,
}

/// The planes of a die, where a simulator programs several of them together only if their writes happen to meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Planes {
    /// The die keeps its planes.
    #[default]
    Apart,
    /// The die has one plane, whose blocks have the pages of all, and a page takes its part of a program: a die programs as
    /// fast as one that always programs all of its planes together. It reads one page at a time.
    Joined,
}

/// What is to be written.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The drive, settings applied.
    pub drive: &'a DriveFile,
    /// The load, and what its file is called.
    pub load: Option<(&'a str, &'a JobFile)>,
    /// The drive holds data before the load runs: all that the load may touch.
    pub filled: bool,
    /// What becomes a page.
    pub unit: Unit,
    /// What becomes of planes.
    pub planes: Planes,
}

/// The files for another simulator, and what is to be said of them.
#[derive(Debug, Clone, Default)]
pub struct Card {
    /// Names and texts.
    pub files: Vec<(String, String)>,
    /// The other program's keys that follow from the drive file.
    pub written: Vec<Row>,
    /// Its keys that no drive file says anything of.
    pub assumed: Vec<Row>,
    /// What it has no key for.
    pub dropped: Vec<Dropped>,
    /// Other differences, a sentence each.
    pub remarks: Vec<String>,
}

/// Reason why a drive or load cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {why}")]
pub struct CardError {
    /// The drive and its key, or the job file and its job.
    pub place: String,
    /// The fault, and the remedy.
    pub why: String,
}

impl Blame for CardError {}

impl CardError {
    fn new(place: impl Into<String>, why: impl Into<String>) -> CardError {
        CardError {
            place: place.into(),
            why: why.into(),
        }
    }
}
