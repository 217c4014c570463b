//! The description of a format: its words, its columns, and the properties of requests that it carries.

use crate::fields::By;
use ftlab_base::CommandKind;

/// The way in which a format names devices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceWords {
    /// Any name.
    Names,
    /// A whole number.
    Numbers,
    /// A major and a minor number.
    Pairs,
    /// Nothing: there is one.
    Nothing,
}

/// A column and what it is taken for.
pub type Column = (&'static str, &'static str);

/// The description of a format.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spec {
    /// Its name for `--format`.
    pub name: &'static str,
    /// Its name in words.
    pub title: &'static str,
    /// Its columns in order; for a binary format the fields of a record.
    pub columns: &'static [Column],
    /// The separator of columns; nothing for a binary format and where lines differ.
    pub by: Option<By>,
    /// Whether it has TRIMs.
    pub trims: bool,
    /// Whether it has flushes.
    pub flushes: bool,
    /// Whether it has the flags of a write that is flushed (PREFLUSH, FUA).
    pub flags: bool,
    /// Whether it says how long a request took.
    pub response: bool,
    /// Whether it says which data are alike.
    pub digest: bool,
    /// The way in which it names devices.
    pub devices: DeviceWords,
    /// Its clock's resolution in nanoseconds.
    pub tick_ns: u64,
    /// The unit of addresses and lengths, in bytes.
    pub unit_bytes: u64,
    /// Its clock begins with its first request.
    pub from_zero: bool,
    /// The longest request, in bytes.
    pub length_bytes_max: u64,
}

impl Spec {
    /// A text of reads and writes and nothing else, in bytes and nanoseconds: what most differ from.
    pub(crate) const PLAIN: Spec = Spec {
        name: "",
        title: "",
        columns: &[],
        by: Some(By::Commas),
        trims: false,
        flushes: false,
        flags: false,
        response: false,
        digest: false,
        devices: DeviceWords::Numbers,
        tick_ns: 1,
        unit_bytes: 1,
        from_zero: false,
        length_bytes_max: u64::MAX,
    };

    /// Whether it has requests of a kind.
    #[must_use]
    pub fn carries(&self, kind: CommandKind) -> bool {
        match kind {
            CommandKind::Read | CommandKind::Write => true,
            CommandKind::Trim => self.trims,
            CommandKind::Flush => self.flushes,
        }
    }

    /// Properties of requests that this format lacks, in words; nothing if it has all.
    #[must_use]
    pub fn lacks(&self) -> Vec<String> {
        let mut lacks = Vec::new();
        let mut lack = |is_there: bool, what: &str| {
            if !is_there {
                lacks.push(what.to_owned());
            }
        };
        lack(self.trims, "TRIM");
        lack(self.flushes, "flushes");
        lack(self.flags, "FUA");
        lack(self.devices != DeviceWords::Nothing, "which device");
        lack(self.response, "how long requests took");
        lack(self.digest, "which data are alike");
        lack(self.tick_ns < 1_000_000_000, "times below a second");
        lacks
    }
}
