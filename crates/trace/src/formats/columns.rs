//! Tables with named columns: CSV with a header, and what names of columns mean, which Parquet shares. The one text that
//! carries everything.

use super::fiu::{digest, digits};
use super::{Decode, Encode, Seen, line};
use crate::error::Fault;
use crate::fields::{By, Fields, decimal, integer};
use crate::record::{DeviceId, Record};
use crate::spec::{DeviceWords, Spec};
use ftlab_base::{CommandKind, SECTOR_BYTES};

pub const SPEC: Spec = Spec {
    name: "csv",
    title: "CSV with named columns",
    columns: &[
        (
            "time_ns",
            "time, in the unit of its name: _ns, _us, _ms, _s",
        ),
        ("op", "read, write, trim or flush"),
        ("offset_bytes", "first byte; or lba, of 512 B"),
        ("bytes", "bytes; or sectors, of 512 B"),
        ("device", "device, if there is that column"),
        ("preflush", "0 or 1, if there is that column"),
        ("fua", "0 or 1, if there is that column"),
        ("response_ns", "response, in the unit of its name"),
        ("digest", "digest of the data in 32 hexadecimal digits"),
    ],
    trims: true,
    flushes: true,
    flags: true,
    response: true,
    digest: true,
    devices: DeviceWords::Names,
    ..Spec::PLAIN
};

/// The meaning of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// A time, in units of 10^-9 s times ten to this.
    Time(u32),
    Operation,
    /// An address, in this many bytes.
    Offset(u64),
    /// A length, in this many bytes.
    Length(u64),
    Device,
    Preflush,
    Fua,
    /// As a time.
    Response(u32),
    Digest,
}

/// The meaning of a column by its name; nothing for a column that is not used.
pub fn meaning(name: &str) -> Option<Meaning> {
    let name = name.trim().trim_matches('"').to_ascii_lowercase();
    let unit = |name: &str| match name {
        "ns" => Some(0),
        "us" | "µs" => Some(3),
        "ms" => Some(6),
        "s" => Some(9),
        _ => None,
    };
    let of_time = |words: &[&str]| {
        let (word, ending) = name.rsplit_once('_')?;
        words.contains(&word).then(|| unit(ending)).flatten()
    };
    if let Some(power) = of_time(&["time", "timestamp", "arrival", "at"]) {
        return Some(Meaning::Time(power));
    }
    if let Some(power) = of_time(&["response", "response_time", "latency"]) {
        return Some(Meaning::Response(power));
    }
    Some(match name.as_str() {
        "op" | "operation" | "opcode" | "type" | "rw" | "iotype" => Meaning::Operation,
        "offset_bytes" | "address_bytes" => Meaning::Offset(1),
        "lba" | "sector" | "offset_sectors" => Meaning::Offset(SECTOR_BYTES),
        "bytes" | "length_bytes" | "size_bytes" => Meaning::Length(1),
        "sectors" | "length_sectors" | "size_sectors" => Meaning::Length(SECTOR_BYTES),
        "device" | "volume" | "disk" | "lun" => Meaning::Device,
        "preflush" => Meaning::Preflush,
        "fua" => Meaning::Fua,
        "digest" | "md5" => Meaning::Digest,
        _ => return None,
    })
}

/// The meanings of all columns.
pub fn layout<'a>(names: impl Iterator<Item = &'a str>) -> Result<Vec<Option<Meaning>>, Fault> {
    let names: Vec<&str> = names.collect();
    let layout: Vec<Option<Meaning>> = names.iter().map(|name| meaning(name)).collect();
    let count = |of: &dyn Fn(&Meaning) -> bool| {
        layout
            .iter()
            .flatten()
            .filter(|meaning| of(meaning))
            .count()
    };
    let needs: [(&str, usize); 4] = [
        (
            "one column time_ns, time_us, time_ms or time_s",
            count(&|meaning| matches!(meaning, Meaning::Time(_))),
        ),
        (
            "one column op",
            count(&|meaning| *meaning == Meaning::Operation),
        ),
        (
            "one column offset_bytes, or lba in sectors of 512 bytes",
            count(&|meaning| matches!(meaning, Meaning::Offset(_))),
        ),
        (
            "one column bytes, or sectors of 512 bytes",
            count(&|meaning| matches!(meaning, Meaning::Length(_))),
        ),
    ];
    match needs.into_iter().find(|(_, count)| *count != 1) {
        Some((wanted, _)) => {
            let found = names.join(",");
            Err(Fault::new(
                "the line of column names",
                found.as_bytes(),
                format!("a header with {wanted}"),
            ))
        }
        None => Ok(layout),
    }
}

/// The value of a cell.
#[cfg_attr(
    not(feature = "parquet"),
    expect(dead_code, reason = "a text has texts alone")
)]
#[derive(Debug, Clone, Copy)]
pub enum Cell<'a> {
    Nothing,
    Integer(u64),
    Real(f64),
    Flag(bool),
    Text(&'a [u8]),
}

impl Cell<'_> {
    fn integer(self, name: &'static str) -> Result<u64, Fault> {
        match self {
            Cell::Integer(value) => Ok(value),
            Cell::Text(text) => integer(name, text),
            Cell::Real(value)
                if value >= 0.0 && value.fract() == 0.0 && value < u64::MAX as f64 =>
            {
                Ok(value as u64)
            }
            other => Err(Fault::new(
                name,
                &other.shown(),
                "a whole number below 2^64",
            )),
        }
    }

    /// In units of ten to the power of -9 s.
    fn time(self, name: &'static str, power: u32) -> Result<u64, Fault> {
        let fail = |cell: Cell<'_>| {
            Fault::new(
                name,
                &cell.shown(),
                "a time of 0 or more and less than 584 years",
            )
        };
        match self {
            Cell::Integer(value) => value
                .checked_mul(10_u64.pow(power))
                .ok_or_else(|| fail(self)),
            Cell::Text(text) => decimal(name, text, power),
            Cell::Real(value) => {
                let ns = (value * 10_f64.powi(power as i32)).round();
                (0.0..u64::MAX as f64)
                    .contains(&ns)
                    .then_some(ns as u64)
                    .ok_or_else(|| fail(self))
            }
            other => Err(fail(other)),
        }
    }

    fn flag(self, name: &'static str) -> Result<bool, Fault> {
        match self {
            Cell::Flag(flag) => Ok(flag),
            Cell::Nothing | Cell::Integer(0) | Cell::Text(b"" | b"0" | b"false") => Ok(false),
            Cell::Integer(1) | Cell::Text(b"1" | b"true") => Ok(true),
            other => Err(Fault::new(name, &other.shown(), "0 or 1")),
        }
    }

    fn shown(self) -> Vec<u8> {
        match self {
            Cell::Nothing => b"nothing".to_vec(),
            Cell::Integer(value) => value.to_string().into_bytes(),
            Cell::Real(value) => value.to_string().into_bytes(),
            Cell::Flag(value) => value.to_string().into_bytes(),
            Cell::Text(text) => text.to_vec(),
        }
    }
}

/// Whether a cell says nothing.
fn is_empty(cell: Cell<'_>) -> bool {
    matches!(cell, Cell::Nothing | Cell::Text(b""))
}

/// A row of cells as a request.
pub fn record<'a>(
    layout: &[Option<Meaning>],
    mut cell: impl FnMut(usize) -> Result<Cell<'a>, Fault>,
    seen: &mut Seen,
) -> Result<Record, Fault> {
    let mut record = Record::new(0, CommandKind::Read, DeviceId(0));
    let mut is_named = false;
    for (n, meaning) in layout.iter().enumerate() {
        let cell = cell(n)?;
        let Some(meaning) = *meaning else { continue };
        match meaning {
            Meaning::Time(power) => record.at_ns = cell.time("time", power)?,
            Meaning::Operation => record.kind = operation(cell)?,
            Meaning::Offset(unit) if !is_empty(cell) => {
                record.offset_bytes = scaled("offset", cell, unit)?
            }
            Meaning::Length(unit) if !is_empty(cell) => {
                record.length_bytes = scaled("length", cell, unit)?
            }
            Meaning::Offset(_) | Meaning::Length(_) => {}
            Meaning::Device => {
                is_named = true;
                record.device = match cell {
                    Cell::Text(text) => seen.devices.named(text)?,
                    cell => seen
                        .devices
                        .named(cell.integer("device")?.to_string().as_bytes())?,
                };
            }
            Meaning::Preflush => record.preflush = cell.flag("preflush")?,
            Meaning::Fua => record.fua = cell.flag("fua")?,
            Meaning::Response(power) if !is_empty(cell) => {
                record.response_ns = Some(cell.time("response", power)?);
            }
            Meaning::Digest if !is_empty(cell) => {
                let Cell::Text(text) = cell else {
                    return Err(Fault::new("digest", &cell.shown(), "32 hexadecimal digits"));
                };
                record.digest = Some(digest(text)?);
            }
            Meaning::Response(_) | Meaning::Digest => {}
        }
    }
    if !is_named {
        record.device = seen.devices.only()?;
    }
    if record.kind == CommandKind::Flush {
        record = Record::new(record.at_ns, CommandKind::Flush, record.device);
    }
    Ok(record)
}

fn scaled(name: &'static str, cell: Cell<'_>, unit: u64) -> Result<u64, Fault> {
    let value = cell.integer(name)?.checked_mul(unit);
    value.ok_or_else(|| Fault::new(name, &cell.shown(), "less than 16 EiB"))
}

fn operation(cell: Cell<'_>) -> Result<CommandKind, Fault> {
    let Cell::Text(text) = cell else {
        return Err(Fault::new(
            "op",
            &cell.shown(),
            "read, write, trim or flush",
        ));
    };
    match text.to_ascii_lowercase().as_slice() {
        b"r" | b"read" => Ok(CommandKind::Read),
        b"w" | b"write" => Ok(CommandKind::Write),
        b"d" | b"t" | b"trim" | b"discard" | b"unmap" => Ok(CommandKind::Trim),
        b"f" | b"flush" | b"sync" => Ok(CommandKind::Flush),
        _ => Err(Fault::new("op", text, "read, write, trim or flush")),
    }
}

/// The word for an operation.
pub const fn word(kind: CommandKind) -> &'static str {
    match kind {
        CommandKind::Read => "read",
        CommandKind::Write => "write",
        CommandKind::Trim => "trim",
        CommandKind::Flush => "flush",
    }
}

/// Reads the header, then rows.
#[derive(Debug, Default)]
pub struct Csv {
    layout: Option<Vec<Option<Meaning>>>,
}

impl Decode for Csv {
    fn line(&mut self, line: &[u8], seen: &mut Seen) -> Result<Option<Record>, Fault> {
        let Some(columns) = &self.layout else {
            let names = String::from_utf8_lossy(line);
            self.layout = Some(layout(names.split(','))?);
            return Ok(None);
        };
        if line.trim_ascii().is_empty() {
            return Ok(None);
        }
        let mut fields = Fields::new(line, By::Commas);
        let cell = |_| {
            fields
                .next("a column of the header")
                .map(|field| Cell::Text(unquoted(field)))
        };
        record(columns, cell, seen).map(Some)
    }
}

fn unquoted(field: &[u8]) -> &[u8] {
    match field {
        [b'"', inner @ .., b'"'] => inner,
        _ => field,
    }
}

/// Writes all columns for devices of these names.
pub struct ToCsv(pub Vec<String>);

/// Every column that is written, in order.
pub const COLUMNS: [&str; 9] = [
    "time_ns",
    "device",
    "op",
    "offset_bytes",
    "bytes",
    "preflush",
    "fua",
    "response_ns",
    "digest",
];

impl Encode for ToCsv {
    fn begin(&mut self, out: &mut Vec<u8>) {
        line!(out, "{}", COLUMNS.join(","));
    }

    fn record(&mut self, record: &Record, out: &mut Vec<u8>) {
        let device = &self.0[record.device.0 as usize];
        let (op, offset, bytes) = (word(record.kind), record.offset_bytes, record.length_bytes);
        let (preflush, fua) = (u8::from(record.preflush), u8::from(record.fua));
        let response = record
            .response_ns
            .map(|ns| ns.to_string())
            .unwrap_or_default();
        let digest = record.digest.as_ref().map(digits).unwrap_or_default();
        line!(
            out,
            "{},{device},{op},{offset},{bytes},{preflush},{fua},{response},{digest}",
            record.at_ns
        );
    }
}
