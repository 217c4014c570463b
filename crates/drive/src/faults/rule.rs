//! One fault of a program: what goes wrong, for whom, and how often.

use ftlab_base::{CommandKind, Nanos, RootSeed, SECTOR_BYTES};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;

/// A week, in milliseconds.
pub const MS_MAX: u64 = 7 * 24 * 3600 * 1000;

/// For words, which are said of what is refused, too.
fn span(ms: u64) -> Nanos {
    Nanos(ms.saturating_mul(1_000_000))
}

/// Mishap that meets requests.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Mishap {
    /// From the first request that it concerns on, nothing that it concerns is begun for so long; then all is done.
    Stall {
        /// Milliseconds that it lasts.
        ms: u64,
    },
    /// Requests take N times as long as the model says.
    Slow {
        /// Factor N, above 1 and up to a million.
        times: f64,
    },
    /// A share of the requests ends with an input/output error, and does not reach the drive.
    Error {
        /// Share of the requests, above 0 and up to 1.
        share: f64,
    },
    /// A bit of what is read, or of what is written, is the other one, without an error.
    Flip,
    /// A range cannot be read, sector by sector, until it is written anew.
    Bad {
        /// It never heals, and takes no writes.
        stays: bool,
    },
    /// A flush is answered and not done, and neither is the flush of a write with FUA.
    DropFlush,
    /// A write is answered and not done: what was there before stays.
    Drop,
    /// A write is answered, and its data lie elsewhere: what was there is written over, and its own place keeps what it had.
    Misdirect {
        /// Bytes from its own place to the other one, behind it, or before it where the drive ends; right behind, if
        /// left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by_bytes: Option<u64>,
    },
    /// Writes find no room.
    Full,
    /// Writes and trims are not permitted.
    ReadOnly,
    /// The drive is off its bus for so long, and back then; what waits is done, and nothing fails.
    Disappear {
        /// Milliseconds that it lasts.
        ms: u64,
    },
}

/// A kind of request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum On {
    /// Reads that the host sends.
    Read,
    /// Writes, of zeroes too.
    Write,
    /// Flushes that the host sends.
    Flush,
    /// Trims that the host sends.
    Trim,
}

impl On {
    const ALL: [On; 4] = [On::Read, On::Write, On::Flush, On::Trim];

    fn name(self) -> &'static str {
        match self {
            On::Read => "read",
            On::Write => "write",
            On::Flush => "flush",
            On::Trim => "trim",
        }
    }

    /// The kind that has that name.
    pub(super) fn of_name(name: &str) -> Option<On> {
        On::ALL.into_iter().find(|on| on.name() == name)
    }
}

impl From<CommandKind> for On {
    fn from(kind: CommandKind) -> On {
        match kind {
            CommandKind::Read => On::Read,
            CommandKind::Write => On::Write,
            CommandKind::Trim => On::Trim,
            CommandKind::Flush => On::Flush,
        }
    }
}

/// A fault of a program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// The mishap and its numbers.
    pub fault: Mishap,
    /// For which requests; for those that it is made for, if left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub on: Vec<On>,
    /// For those that touch a range: its first byte, and the one behind its last. For all, if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range_bytes: Option<(u64, u64)>,
    /// Times that it happens; without end, if left out. A stall comes once then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// Number of those requests that go well before.
    #[serde(default)]
    pub after: u64,
    /// Milliseconds from the time it was asked for until it begins; in a drive file, from the begin of the run or the
    /// server.
    #[serde(default)]
    pub at_ms: u64,
    /// Seed that decides which requests a share meets, and which bit flips.
    #[serde(default)]
    pub seed: u64,
}

impl Rule {
    /// The requests that it concerns.
    pub(super) fn kinds(&self) -> &[On] {
        match self.fault {
            _ if !self.on.is_empty() => &self.on,
            Mishap::Flip => &[On::Read],
            Mishap::DropFlush => &[On::Flush],
            Mishap::Drop | Mishap::Misdirect { .. } | Mishap::Full => &[On::Write],
            Mishap::ReadOnly => &[On::Write, On::Trim],
            Mishap::Bad { .. } => &[On::Read, On::Write, On::Trim],
            _ => &On::ALL,
        }
    }

    /// Times that it happens at most.
    pub(super) fn count(&self) -> u64 {
        let unlimited = match self.fault {
            Mishap::Stall { .. } => 1,
            _ => u64::MAX,
        };
        self.count.unwrap_or(unlimited)
    }

    /// Its range, in sectors.
    pub(super) fn sectors(&self) -> Option<Range<u64>> {
        let (first, end) = self.range_bytes?;
        Some(first / SECTOR_BYTES..end.div_ceil(SECTOR_BYTES))
    }

    /// A number that the seed and another give.
    pub(super) fn draw(&self, number: u64) -> u64 {
        RootSeed(self.seed).derive(&format!("request {number}")).0
    }

    /// Checks that it can be for a drive of that size, with time or without; the error says what is wrong.
    pub(crate) fn check(&self, size_bytes: u64, has_time: bool) -> Result<(), String> {
        let is_kind_fixed = matches!(
            self.fault,
            Mishap::DropFlush
                | Mishap::Drop
                | Mishap::Misdirect { .. }
                | Mishap::Full
                | Mishap::ReadOnly
                | Mishap::Bad { .. }
                | Mishap::Disappear { .. }
        );
        if is_kind_fixed && !self.on.is_empty() {
            return Err(format!(
                "{} has requests of its own: leave out --on (in a file: `on`)",
                self.fault
            ));
        }
        if self.at_ms > MS_MAX {
            let why = format!(
                "it begins after {} ms, and may after a week: give less",
                self.at_ms
            );
            return Err(why);
        }
        if self.count == Some(0) {
            return Err("a count of 0 is no fault: give at least 1, or leave out --count (in a file: `count`)".into());
        }
        self.check_numbers(size_bytes, has_time)?;
        self.check_range(size_bytes)
    }

    /// The numbers of the fault itself.
    fn check_numbers(&self, size_bytes: u64, has_time: bool) -> Result<(), String> {
        match self.fault {
            Mishap::Stall { ms: 0 } | Mishap::Disappear { ms: 0 } => {
                return Err("a time of 0 is no fault: give for example 3s".into());
            }
            Mishap::Stall { ms } | Mishap::Disappear { ms } if ms > MS_MAX => {
                return Err(format!("{ms} ms is more than a week: give less"));
            }
            Mishap::Slow { times } if !(times > 1.0 && times <= 1e6) => {
                return Err(format!(
                    "x{times} is not slower: give a factor above 1, as x10"
                ));
            }
            Mishap::Slow { .. } if !has_time => {
                return Err(
                    "a drive without time has none to be multiplied: serve it without --timing off, or \
                     use a stall"
                        .into(),
                );
            }
            Mishap::Error { share } if !(share > 0.0 && share <= 1.0) => {
                return Err(format!(
                    "{share} is no share: give for example 0.1%, or once"
                ));
            }
            // Without `on` a flip is one of reads.
            Mishap::Flip if self.on.iter().any(|on| ![On::Read, On::Write].contains(on)) => {
                return Err("only reads and writes have data to flip a bit of".into());
            }
            Mishap::Misdirect { by_bytes: Some(by) } if by == 0 || by % SECTOR_BYTES != 0 => {
                return Err(format!(
                    "{by} bytes are no other place: give a multiple of {SECTOR_BYTES}, as 4k"
                ));
            }
            Mishap::Misdirect { by_bytes: Some(by) } if by >= size_bytes => {
                return Err(format!(
                    "{by} bytes lead off the drive, which has {size_bytes}: give less"
                ));
            }
            Mishap::Bad { .. } if self.range_bytes.is_none() => {
                return Err("say which range is bad, as 1m..2m".into());
            }
            _ => {}
        }
        Ok(())
    }

    fn check_range(&self, size_bytes: u64) -> Result<(), String> {
        match self.range_bytes {
            Some((first, end)) if first >= end => Err(format!(
                "the range from {first} to {end} is empty: its end is behind its last byte"
            )),
            Some((_, end)) if end > size_bytes => Err(format!(
                "the range ends at byte {end}, and the drive has {size_bytes} bytes"
            )),
            Some(_) if self.kinds() == [On::Flush] => {
                Err("a flush is of everything, so it has no range: leave out --range (in a file: `range_bytes`)".into())
            }
            _ => Ok(()),
        }
    }
}

impl Mishap {
    /// Name of the kind, as users write it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Mishap::Stall { .. } => "stall",
            Mishap::Slow { .. } => "slow",
            Mishap::Error { .. } => "error",
            Mishap::Flip => "flip",
            Mishap::Bad { .. } => "bad",
            Mishap::DropFlush => "drop-flush",
            Mishap::Drop => "drop",
            Mishap::Misdirect { .. } => "misdirect",
            Mishap::Full => "full",
            Mishap::ReadOnly => "read-only",
            Mishap::Disappear { .. } => "disappear",
        }
    }
}

impl fmt::Display for Mishap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            Mishap::Stall { ms } | Mishap::Disappear { ms } => {
                write!(f, " {}", span(*ms))
            }
            Mishap::Slow { times } => write!(f, " x{times}"),
            Mishap::Error { share } => write!(f, " {}%", share * 100.0),
            Mishap::Bad { stays: true } => f.write_str(" for ever"),
            Mishap::Misdirect { by_bytes: Some(by) } => write!(f, " by {by}"),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.fault)?;
        if !self.on.is_empty() {
            let names: Vec<&str> = self.on.iter().map(|on| on.name()).collect();
            write!(f, " on {}", names.join(","))?;
        }
        if let Some((first, end)) = self.range_bytes {
            write!(f, " in {first}..{end}")?;
        }
        if let Some(count) = self.count {
            write!(f, " {count} times")?;
        }
        if self.after > 0 {
            write!(f, " after {}", self.after)?;
        }
        if self.at_ms > 0 {
            write!(f, " from {}", span(self.at_ms))?;
        }
        if self.seed > 0 {
            write!(f, " seed {}", self.seed)?;
        }
        Ok(())
    }
}
