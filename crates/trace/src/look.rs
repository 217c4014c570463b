//! The recognised format of a file: its columns with the meaning of each, and its first requests.

use crate::error::TraceError;
use crate::fields::{By, Fields};
use crate::format::Format;
use crate::formats::columns::{Meaning, meaning};
use crate::input::{Input, Packing};
use crate::reader::{Opening, Reader, is_header, is_void};
use crate::record::Record;
use ftlab_base::CommandKind;
use std::path::Path;

/// Requests that are shown.
const SHOWN: usize = 3;

/// The recognised format of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    /// The file.
    pub file: String,
    /// Its format.
    pub format: Format,
    /// Whether that was said, and not seen.
    pub is_said: bool,
    /// Its packing.
    pub packing: Packing,
    /// Columns in order: name, what it is taken for, and what the first line has there.
    pub columns: Vec<[String; 3]>,
    /// The first requests, each with the name of its device.
    pub first: Vec<(Record, String)>,
}

impl Look {
    /// Looks at a file as it is read.
    ///
    /// # Errors
    /// When it cannot be opened, or its first requests cannot be read.
    pub fn at(path: &Path, opening: &Opening) -> Result<Look, TraceError> {
        let mut reader = Reader::open(path, opening)?;
        let mut first = Vec::new();
        while first.len() < SHOWN
            && let Some(record) = reader.next().transpose()?
        {
            first.push((record, reader.devices()[record.device.0 as usize].clone()));
        }
        let format = reader.format();
        let input = Input::open(path)?;
        Ok(Look {
            file: reader.file().to_owned(),
            format,
            is_said: opening.format.is_some(),
            packing: reader.packing(),
            columns: columns(format, &input),
            first,
        })
    }

    /// Lines that say all of it.
    #[must_use]
    pub fn words(&self) -> String {
        let spec = self.format.spec();
        let packing = match self.packing {
            Packing::None => String::new(),
            packing => format!(", unpacked from {}", packing.words()),
        };
        let how = match self.is_said {
            true => "as --format says",
            false => "by its first bytes; --format says otherwise",
        };
        let mut text = format!(
            "{}{packing}: {} ({}), {how}\n",
            self.file, spec.title, spec.name
        );
        let width = |n: usize| {
            self.columns
                .iter()
                .map(|column| column[n].chars().count())
                .max()
                .unwrap_or(0)
        };
        let (names, meanings) = (width(0), width(1));
        for [name, meaning, sample] in &self.columns {
            let line = format!("  {name:<names$}  {meaning:<meanings$}  {sample}");
            text += &format!("{}\n", line.trim_end());
        }
        for (n, (record, device)) in (1..).zip(&self.first) {
            text += &format!("  request {n}: {}\n", told(record, device));
        }
        match spec.lacks() {
            lacks if lacks.is_empty() => {}
            lacks => text += &format!("  the format cannot say: {}\n", lacks.join(", ")),
        }
        text
    }
}

/// A request in words.
fn told(record: &Record, device: &str) -> String {
    let at = format!("at {} ns", record.at_ns);
    let what = match record.kind {
        CommandKind::Flush => "flush".to_owned(),
        kind => {
            let word = crate::formats::columns::word(kind);
            format!(
                "{word} of {} bytes at {}",
                record.length_bytes, record.offset_bytes
            )
        }
    };
    let before = if record.preflush {
        ", flushed before"
    } else {
        ""
    };
    let fua = if record.fua { ", FUA" } else { "" };
    format!("{at} {what} on {device}{before}{fua}")
}

/// The columns with their meanings and the values of the first line.
fn columns(format: Format, input: &Input) -> Vec<[String; 3]> {
    let mut lines = input.first_lines().filter(|line| !is_void(line));
    let text = |field: Option<&[u8]>| field.map_or(String::new(), crate::error::shown);
    let spec = format.spec();
    let Some(by) = spec.by else {
        return spec
            .columns
            .iter()
            .map(|(name, is)| [(*name).to_owned(), (*is).to_owned(), String::new()])
            .collect();
    };
    if format == Format::Csv {
        let mut header = Fields::new(lines.next().unwrap_or_default(), By::Commas);
        let mut first = Fields::new(lines.next().unwrap_or_default(), By::Commas);
        let column = |name: &[u8]| {
            let name = String::from_utf8_lossy(name).into_owned();
            [name.clone(), words(meaning(&name)), text(first.next_if())]
        };
        return std::iter::from_fn(|| header.next_if())
            .map(column)
            .collect();
    }
    let is_line = |line: &&[u8]| match format {
        // Its first line is a title, and files are opened before anything else.
        Format::FioV2 | Format::FioV3 => [" read ", " write ", " trim "]
            .iter()
            .any(|word| memchr::memmem::find(line, word.as_bytes()).is_some()),
        format => !is_header(format, line),
    };
    let mut first = Fields::new(lines.find(is_line).unwrap_or_default(), by);
    let column =
        |(name, is): &(&str, &str)| [(*name).to_owned(), (*is).to_owned(), text(first.next_if())];
    spec.columns.iter().map(column).collect()
}

/// The meaning of a named column in words.
fn words(meaning: Option<Meaning>) -> String {
    let unit = |power| match power {
        0 => "ns",
        3 => "µs",
        6 => "ms",
        _ => "s",
    };
    match meaning {
        None => "not used".to_owned(),
        Some(Meaning::Time(power)) => format!("time in {}", unit(power)),
        Some(Meaning::Response(power)) => format!("response in {}", unit(power)),
        Some(Meaning::Operation) => "read, write, trim or flush".to_owned(),
        Some(Meaning::Offset(1)) => "first byte".to_owned(),
        Some(Meaning::Offset(bytes)) => format!("first sector of {bytes} B"),
        Some(Meaning::Length(1)) => "bytes".to_owned(),
        Some(Meaning::Length(bytes)) => format!("sectors of {bytes} B"),
        Some(Meaning::Device) => "device".to_owned(),
        Some(Meaning::Preflush) => "flushed before".to_owned(),
        Some(Meaning::Fua) => "FUA".to_owned(),
        Some(Meaning::Digest) => "digest of the data".to_owned(),
    }
}
