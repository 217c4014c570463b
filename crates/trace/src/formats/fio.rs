//! fio's iologs, versions 2 and 3. Version 3 has a time in microseconds before each line. Version 2 has none: `wait N` holds
//! what follows back until N milliseconds after fio was started. (fio's manual counts microseconds since the line before;
//! the program, of which 3.33 was measured, does not.) `sync` and `datasync` are flushes; a file is a device.

use super::{Decode, Encode, Seen, line};
use crate::error::Fault;
use crate::fields::{By, Fields, to_ns};
use crate::record::Record;
use crate::spec::{DeviceWords, Spec};
use ftlab_base::CommandKind;

const US: u64 = 1_000;
const MS: u64 = 1_000_000;

pub const V2: Spec = Spec {
    name: "fio2",
    title: "fio iolog version 2",
    columns: &[
        ("file", "device"),
        ("action", "read, write, trim, sync, datasync, wait, …"),
        ("offset", "first byte; of wait, ms since the start"),
        ("length", "bytes"),
    ],
    by: Some(By::Blanks),
    trims: true,
    flushes: true,
    devices: DeviceWords::Names,
    tick_ns: MS,
    from_zero: true,
    ..Spec::PLAIN
};

pub const V3: Spec = Spec {
    name: "fio3",
    title: "fio iolog version 3",
    columns: &[
        ("timestamp", "time in µs"),
        ("file", "device"),
        ("action", "read, write, trim, sync, datasync, …"),
        ("offset", "first byte"),
        ("length", "bytes"),
    ],
    tick_ns: US,
    ..V2
};

/// The first line of each version.
pub const FIRST_LINES: [&[u8]; 2] = [b"fio version 2 iolog", b"fio version 3 iolog"];

/// A version, and the time so far.
pub struct Iolog {
    version: u8,
    is_first: bool,
    at_ns: u64,
}

impl Iolog {
    pub fn new(version: u8) -> Iolog {
        Iolog {
            version,
            is_first: true,
            at_ns: 0,
        }
    }

    fn first(&mut self, line: &[u8]) -> Result<(), Fault> {
        self.is_first = false;
        let wanted = FIRST_LINES[usize::from(self.version - 2)];
        match line.trim_ascii() == wanted {
            true => Ok(()),
            false => {
                let wanted = format!("`{}`", String::from_utf8_lossy(wanted));
                Err(Fault::new("the first line", line, wanted))
            }
        }
    }
}

impl Decode for Iolog {
    fn line(&mut self, line: &[u8], seen: &mut Seen) -> Result<Option<Record>, Fault> {
        if self.is_first {
            self.first(line)?;
            return Ok(None);
        }
        let mut fields = Fields::new(line, By::Blanks);
        if self.version == 3 {
            self.at_ns = to_ns("timestamp", fields.next("timestamp")?, US)?;
        }
        let file = fields.next("file")?;
        let kind = match fields.next("action")? {
            b"read" => CommandKind::Read,
            b"write" => CommandKind::Write,
            b"trim" => CommandKind::Trim,
            b"sync" | b"datasync" | b"sync_file_range" => CommandKind::Flush,
            b"add" | b"open" | b"close" => return Ok(None),
            b"wait" if self.version == 2 => {
                let until = to_ns("the time of wait", fields.next("the time of wait")?, MS)?;
                // What is over already is not waited for.
                self.at_ns = self.at_ns.max(until);
                return Ok(None);
            }
            other => {
                let wanted = match self.version {
                    2 => "add, open, close, read, write, trim, sync, datasync or wait",
                    _ => "add, open, close, read, write, trim, sync or datasync",
                };
                return Err(Fault::new("action", other, wanted));
            }
        };
        let device = seen.devices.named(file)?;
        let record = Record::new(self.at_ns, kind, device);
        if kind == CommandKind::Flush {
            return Ok(Some(record));
        }
        let (offset, length) = (fields.integer("offset")?, fields.integer("length")?);
        Ok(Some(record.of_bytes(offset, length)))
    }
}

/// Writes a version for files of these names.
pub struct ToIolog {
    version: u8,
    files: Vec<String>,
    /// The time so far, in the version's ticks.
    at: u64,
}

/// The time with which version 3 begins, in microseconds: fio takes 0 for none, and drops the pause behind it.
const BEGINS_US: u64 = 1;

impl ToIolog {
    pub fn new(version: u8, files: Vec<String>) -> ToIolog {
        ToIolog {
            version,
            files,
            at: if version == 2 { 0 } else { BEGINS_US },
        }
    }

    fn all(&self, action: &str, out: &mut Vec<u8>) {
        for file in &self.files {
            match self.version {
                2 => line!(out, "{file} {action}"),
                _ => line!(out, "{} {file} {action}", self.at),
            }
        }
    }
}

impl Encode for ToIolog {
    fn begin(&mut self, out: &mut Vec<u8>) {
        line!(out, "fio version {} iolog", self.version);
        self.all("add", out);
        self.all("open", out);
    }

    fn record(&mut self, record: &Record, out: &mut Vec<u8>) {
        let file = &self.files[record.device.0 as usize];
        let action = match record.kind {
            CommandKind::Read => "read",
            CommandKind::Write => "write",
            CommandKind::Trim => "trim",
            CommandKind::Flush => "sync",
        };
        let (offset, length) = (record.offset_bytes, record.length_bytes);
        if self.version == 2 {
            let at_ms = record.at_ns / MS;
            if at_ms > self.at {
                self.at = at_ms;
                line!(out, "{file} wait {at_ms} 0");
            }
            line!(out, "{file} {action} {offset} {length}");
        } else {
            self.at = self.at.max(BEGINS_US + record.at_ns / US);
            line!(out, "{} {file} {action} {offset} {length}", self.at);
        }
    }

    fn end(&mut self, out: &mut Vec<u8>) {
        self.all("close", out);
    }
}
