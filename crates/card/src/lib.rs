//! What other programs read of a drive: the mirror of `ftlab-import`, and more.
//!
//! A [`Target`] is written in one of two ways ([`Way`]):
//!
//! - From the drive file alone, as the configuration of another simulator: [`Asked`] comes in, a [`Card`] comes out. What the
//!   other program has no key for is listed ([`Dropped`]), with a mark where it decides how fast the drive is; what it wants
//!   to know and no drive file says is assumed, and listed as well. Nothing is dropped in silence: whatever a target did
//!   not ask a drive for goes to the list by itself (`numbers.rs`).
//! - From figures of the modelled drive: a [`Form`] names the [`Load`]s that it needs, whoever runs them brings
//!   [`Figures`], and a text comes out ([`Drawn`]). It says how far the form itself is off ([`Off`]): what follows from
//!   its numbers under loads that it was not made of, beside what the model gives.
//!
//! A target is one file, and stands in [`TARGETS`].

mod draft;
mod femu;
mod figures;
mod geometry;
mod iocost;
mod load;
mod mqsim;
mod numbers;
mod nvmevirt;
mod off;
mod reread;
mod seastar;
mod simple;
mod table;

use ftlab_base::Blame;
use ftlab_drive::DriveFile;
use ftlab_workload::JobFile;

pub use draft::{Dropped, Key};
pub use figures::{Figures, Latency, Row, Source};
pub use load::{Grid, Load, Pattern};
pub use off::{Off, Predicted, off};
pub use reread::compared;
pub use table::{SCHEMA, Table, json_schema};

/// The programs that cards can be written for.
pub const TARGETS: &[Target] = &[
    Target {
        name: "json",
        program: "programs that look up",
        about: "a table of figures by size, depth, mix and order, with a JSON schema",
        way: Way::Figures(table::FORM),
    },
    Target {
        name: "iocost",
        program: "Linux",
        about: "the lines for io.cost.model and io.cost.qos, in a script that writes them",
        way: Way::Figures(iocost::FORM),
    },
    Target {
        name: "seastar",
        program: "Seastar",
        about: "io_properties.yaml, as iotune writes it",
        way: Way::Figures(seastar::FORM),
    },
    Target {
        name: "simple",
        program: "simulators with base + bytes / bandwidth",
        about: "two bases, two bandwidths, a width and their jitter, in TOML",
        way: Way::Figures(simple::FORM),
    },
    mqsim::TARGET,
    femu::TARGET,
    nvmevirt::TARGET,
];

/// A program that reads cards.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its name as its authors write it.
    pub program: &'static str,
    /// What is written for it, in a line.
    pub about: &'static str,
    /// What it is written from.
    pub way: Way,
}

/// Writes a card from a drive file.
pub type Write = fn(&Asked<'_>) -> Result<Card, CardError>;

/// The drive that `ftlab import` makes of a card.
pub type Back = fn(&Card) -> Result<DriveFile, CardError>;

/// What a card is written from.
#[derive(Debug, Clone, Copy)]
pub enum Way {
    /// The drive file.
    Drive {
        /// Writes it.
        write: Write,
        /// Reads it again, where a card says how far it is off.
        back: Option<Back>,
    },
    /// Figures of the drive under loads.
    Figures(Form),
}

/// A card that is made of figures.
#[derive(Debug, Clone, Copy)]
pub struct Form {
    /// The loads that it needs; one may come twice.
    pub loads: fn(&Grid) -> Vec<Load>,
    /// Writes it, from a row of each of them.
    pub draw: fn(&Figures<'_>) -> Result<Drawn, CardError>,
}

/// A card of figures.
#[derive(Debug, Clone)]
pub struct Drawn {
    /// Name of its file.
    pub name: String,
    /// Its text.
    pub text: String,
    /// How far the form is off; the text says it, too.
    pub off: Vec<Off>,
}

impl Target {
    /// The target of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Target> {
        TARGETS.iter().find(|target| target.name == name)
    }
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
    /// How far the card is off, as it came out when what was written without this was read again; empty if that is not known.
    pub off: &'a [Off],
}

/// The files for another simulator, and what is to be said of them.
#[derive(Debug, Clone, Default)]
pub struct Card {
    /// Names and texts.
    pub files: Vec<(String, String)>,
    /// The other program's keys that follow from the drive file.
    pub written: Vec<Key>,
    /// Its keys that no drive file says anything of.
    pub assumed: Vec<Key>,
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
