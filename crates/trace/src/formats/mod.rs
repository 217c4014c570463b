//! The formats, a file each: a line or a record read, and one written.

pub mod alibaba;
pub mod blkparse;
pub mod blktrace;
pub mod columns;
pub mod disksim;
pub mod fio;
pub mod fiu;
pub mod msr;
#[cfg(feature = "parquet")]
pub mod parquet;
pub mod spc;
pub mod systor;
pub mod tencent;
pub mod vscsi;
pub mod vscsi_csv;

use crate::error::Fault;
use crate::record::{Devices, Record};
use ftlab_base::CommandKind;

/// Which event of a request counts, of the many that blktrace has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Action {
    /// A program or file system asked (Q).
    Queued,
    /// The driver sent it to the device (D): merged and split as the device got it.
    #[default]
    Issued,
    /// The device had answered (C).
    Completed,
}

impl Action {
    /// The letter that blkparse prints.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Action::Queued => 'Q',
            Action::Issued => 'D',
            Action::Completed => 'C',
        }
    }

    const ALL: [Action; 3] = [Action::Queued, Action::Issued, Action::Completed];
}

/// Devices, events and other commands that were read beside the requests.
#[derive(Debug, Default)]
pub struct Seen {
    /// The devices so far.
    pub devices: Devices,
    /// Commands that are none of a trace's requests, and are left out.
    pub others: u64,
    /// Events of each action: Q, D, C.
    pub events: [u64; 3],
}

impl Seen {
    /// Counts an event of requests; whether it is the one that counts.
    fn is_wanted(&mut self, event: Action, wanted: Action) -> bool {
        self.events[event as usize] += 1;
        event == wanted
    }

    /// Counts of the other events in words; nothing if there are none.
    pub fn other_events(&self) -> Option<String> {
        let counts = Action::ALL
            .into_iter()
            .zip(self.events)
            .filter(|(_, count)| *count > 0);
        let words: Vec<String> = counts
            .map(|(action, count)| format!("{count} of {}", action.letter()))
            .collect();
        (!words.is_empty()).then(|| words.join(", "))
    }
}

/// Reads a text line by line.
pub trait Decode: Send {
    /// The request of a line; none for a line that has none.
    fn line(&mut self, line: &[u8], seen: &mut Seen) -> Result<Option<Record>, Fault>;
}

/// Writes a text or a binary file request by request. What a request has that the format does not carry was
/// left out before.
pub trait Encode: Send {
    /// Writes the header before the first request.
    fn begin(&mut self, _out: &mut Vec<u8>) {}
    /// A request.
    fn record(&mut self, record: &Record, out: &mut Vec<u8>);
    /// Writes the end behind the last one.
    fn end(&mut self, _out: &mut Vec<u8>) {}
}

/// `R` or `W`, or the word that begins with it, in capitals or not.
fn letter(name: &'static str, field: &[u8]) -> Result<CommandKind, Fault> {
    match field {
        b"R" | b"r" => Ok(CommandKind::Read),
        b"W" | b"w" => Ok(CommandKind::Write),
        word if word.eq_ignore_ascii_case(b"read") => Ok(CommandKind::Read),
        word if word.eq_ignore_ascii_case(b"write") => Ok(CommandKind::Write),
        _ => Err(Fault::new(name, field, "R or W")),
    }
}

/// The letter of a read or write.
fn letter_of(record: &Record) -> char {
    match record.kind {
        CommandKind::Read => 'R',
        _ => 'W',
    }
}

/// A time in nanoseconds, as seconds with nine decimals.
struct Seconds(u64);

impl std::fmt::Display for Seconds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (whole, part) = (self.0 / 1_000_000_000, self.0 % 1_000_000_000);
        write!(f, "{whole}.{part:09}")
    }
}

/// Writes a line to memory.
macro_rules! line {
    ($out:expr, $($words:tt)*) => {{
        use std::io::Write;
        writeln!($out, $($words)*).expect("memory takes every write");
    }};
}
use line;
