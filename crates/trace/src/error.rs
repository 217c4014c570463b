//! Errors of a trace: the place, the expectation there, and a remedy.

use ftlab_base::{Blame, Panicked};
use std::fmt::{self, Display, Formatter};

/// Text that cannot be read, as an error shows it.
const SHOWN_CHARS: usize = 60;

/// A fault within a line or a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    field: &'static str,
    found: Option<String>,
    wanted: String,
}

impl Fault {
    /// A field holds what it cannot.
    pub fn new(field: &'static str, found: &[u8], wanted: impl Into<String>) -> Fault {
        Fault {
            field,
            found: Some(shown(found)),
            wanted: wanted.into(),
        }
    }

    /// A field is not there.
    pub fn missing(field: &'static str) -> Fault {
        Fault {
            field,
            found: None,
            wanted: String::new(),
        }
    }
}

impl Display for Fault {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.found {
            Some(found) => write!(f, "{} is `{found}` and must be {}", self.field, self.wanted),
            None => write!(f, "{} is missing: the line ends before it", self.field),
        }
    }
}

/// Bytes as they are shown in a message.
pub(crate) fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut shown: String = text.chars().take(SHOWN_CHARS).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

/// Where in a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A line of a text, from 1.
    Line(u64),
    /// A record of a binary file, by its first byte in the file as it is without compression.
    Byte(u64),
    /// A row of a table, from 1.
    Row(u64),
}

/// Why a trace cannot be read. Everything is wrong input, with what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {why}", Of(.place))]
pub struct TraceError {
    /// The file.
    pub file: String,
    /// Where in it; nothing if it is about the file as a whole.
    pub place: Option<Place>,
    /// The fault and its remedy.
    pub why: String,
}

impl Blame for TraceError {}

struct Of<'a>(&'a Option<Place>);

impl Display for Of<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => Ok(()),
            Some(Place::Line(line)) => write!(f, ":{line}"),
            Some(Place::Byte(byte)) => write!(f, ", byte {byte}"),
            Some(Place::Row(row)) => write!(f, ", row {row}"),
        }
    }
}

impl TraceError {
    /// About a file as a whole.
    pub fn of_file(file: &str, why: impl Into<String>) -> TraceError {
        TraceError {
            file: file.to_owned(),
            place: None,
            why: why.into(),
        }
    }

    /// About a place in it.
    pub fn at(file: &str, place: Place, why: impl Into<String>) -> TraceError {
        TraceError {
            file: file.to_owned(),
            place: Some(place),
            why: why.into(),
        }
    }

    /// The reader of a kind of file panicked over it, as libraries do over files that nobody thought of.
    pub(crate) fn of_panic(file: &str, kind: &str, panic: &Panicked) -> TraceError {
        let why = format!("it is no {kind} that can be read: {panic}; get it again");
        TraceError::of_file(file, why)
    }

    /// A record that does not hold what its format has.
    pub(crate) fn of_fault(file: &str, place: Place, title: &str, fault: &Fault) -> TraceError {
        let unit = match place {
            Place::Line(_) => "line",
            Place::Byte(_) => "record",
            Place::Row(_) => "row",
        };
        let why = format!(
            "{fault}; the file is read as {title}: correct or remove the {unit}, or name the right format with --format"
        );
        TraceError::at(file, place, why)
    }
}
