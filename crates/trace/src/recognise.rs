//! The format of a file by its first bytes. Formats look different enough that one line tells them apart.

use crate::error::{TraceError, shown};
use crate::fields::{By, Fields};
use crate::format::Format;
use crate::formats::{Action, Seen, blktrace, columns, fio, vscsi};
use crate::input::{Input, Packing};
use crate::reader::{decoder, is_header, is_void};
use ftlab_base::guarded;
use std::path::Path;

/// Text formats whose lines are tried, in order. DiskSim comes before MQSim, which takes whole numbers alone.
const BY_A_LINE: [Format; 11] = [
    Format::Msr,
    Format::Alibaba,
    Format::Spc,
    Format::Tencent,
    Format::Systor,
    Format::Fiu,
    Format::Blkparse,
    Format::VscsiCsv,
    Format::DiskSim,
    Format::MqSim,
    Format::Csv,
];

/// The format of what has been opened.
pub fn recognise(input: &Input) -> Result<Format, TraceError> {
    if let Some(format) = by_bytes(&input.head) {
        return Ok(format);
    }
    let mut lines = input.first_lines().filter(|line| !is_void(line));
    let first = lines.next().unwrap_or_default();
    if std::str::from_utf8(first).is_err() {
        let why = format!(
            "it is no text and no binary format that is known; {}",
            known()
        );
        return Err(TraceError::of_file(&input.file, why));
    }
    by_text(first, lines.next()).ok_or_else(|| {
        let first = shown(first);
        let why = format!(
            "its first line is `{first}`, which is a line of no format that is known; {}, or name the columns in a \
             first line: {}",
            known(),
            columns::COLUMNS[..5].join(",")
        );
        TraceError::of_file(&input.file, why)
    })
}

/// Whether a file is to be read as a trace: it looks like one, or it is neither a job file nor any text that could be
/// one. TOML files are something else, and so is what is no file.
///
/// # Errors
/// When it is packed so that nothing can be seen of it, or cannot be read.
pub fn is_trace_file(path: &Path) -> Result<bool, TraceError> {
    let ends_in = |ending: &str| path.extension().is_some_and(|own| own == ending);
    let is_there = std::fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.len() > 0);
    if ends_in("toml") || !is_there {
        return Ok(false);
    }
    let is_one = guarded(|| {
        let input = Input::open(path)?;
        if input.packing != Packing::None || is_trace(&input.head) {
            return Ok(true);
        }
        let begins_section = |line: &[u8]| line.starts_with(b"[");
        Ok(!ends_in("fio") && !input.first_lines().any(begins_section))
    });
    is_one.unwrap_or_else(|panic| {
        Err(TraceError::of_panic(
            &path.display().to_string(),
            "trace",
            &panic,
        ))
    })
}

/// Whether a text looks like a trace.
fn is_trace(head: &[u8]) -> bool {
    if by_bytes(head).is_some() {
        return true;
    }
    let lines = head.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let mut lines = lines.filter(|line| !is_void(line));
    let first = lines.next().unwrap_or_default();
    by_text(first, lines.next()).is_some()
}

fn known() -> String {
    let names: Vec<&str> = Format::ALL
        .iter()
        .map(|format| format.spec().name)
        .collect();
    format!("say which with --format ({})", names.join(", "))
}

fn by_bytes(head: &[u8]) -> Option<Format> {
    match head {
        #[cfg(feature = "parquet")]
        head if head.starts_with(crate::formats::parquet::MAGIC) => Some(Format::Parquet),
        head if blktrace::is_one(head) => Some(Format::Blktrace),
        head if vscsi::is_one(head) => Some(Format::Vscsi),
        _ => None,
    }
}

fn by_text(first: &[u8], second: Option<&[u8]>) -> Option<Format> {
    if first.is_empty() {
        return None;
    }
    for (line, format) in fio::FIRST_LINES
        .into_iter()
        .zip([Format::FioV2, Format::FioV3])
    {
        if first == line {
            return Some(format);
        }
    }
    let has_header = BY_A_LINE
        .into_iter()
        .find(|format| is_header(*format, first));
    has_header.or_else(|| {
        BY_A_LINE
            .into_iter()
            .find(|format| reads(*format, first, second))
    })
}

/// Whether a format reads a line as one of its own.
fn reads(format: Format, first: &[u8], second: Option<&[u8]>) -> bool {
    let Some(mut decoder) = decoder(format, Action::default()) else {
        return false;
    };
    let mut seen = Seen::default();
    let is_read = decoder.line(first, &mut seen).is_ok();
    let count = |line: &[u8]| {
        let by = format.spec().by.unwrap_or(By::Commas);
        let mut fields = Fields::new(line, by);
        std::iter::from_fn(|| fields.next_if()).count()
    };
    match format {
        // Its lines are of many kinds, and its end is free.
        Format::Blkparse => {
            is_read
                && first.first().is_some_and(u8::is_ascii_digit)
                && second.is_none_or(|line| decoder.line(line, &mut seen).is_ok())
        }
        // Milliseconds have a fraction.
        Format::DiskSim => {
            is_read
                && first
                    .split(|byte| *byte == b' ')
                    .next()
                    .is_some_and(|time| time.contains(&b'.'))
        }
        Format::Csv => is_read,
        // UMass' traces have columns of their own behind, FIU's may lack the last.
        Format::Spc => is_read,
        Format::Fiu => is_read && (8..=9).contains(&count(first)),
        format => is_read && count(first) == format.spec().columns.len(),
    }
}
