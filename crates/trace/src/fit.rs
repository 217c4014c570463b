//! Places of the addresses of a trace on a drive.
//!
//! The devices of a trace are laid end to end, in the order in which they appear. A trace whose addresses all lie
//! within the drive is left as it is. Otherwise it is made to fit, in one of several ways.

use crate::error::TraceError;
use crate::record::Record;
use crate::scan::Scan;
use crate::select::Selected;
use ftlab_base::{CommandKind, SECTOR_BYTES};
use roaring::RoaringTreemap;

/// Treatment of addresses beyond the drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fit {
    /// The trace is not replayed.
    #[default]
    Refuse,
    /// They begin again from the drive's start: what was far apart may become one place.
    Wrap,
    /// Areas that the trace touches move together, in its order: nothing meets that did not, and distances shrink.
    Compact,
    /// All of them are multiplied by the same factor: sizes stay, so what was side by side overlaps.
    Scale,
}

impl Fit {
    /// All of them, by their names, each with what it does in words.
    pub const NAMED: [(&str, Fit, &str); 4] = [
        ("refuse", Fit::Refuse, "Do not replay it: the default"),
        ("wrap", Fit::Wrap, "Begin again from the drive's start"),
        (
            "compact",
            Fit::Compact,
            "Move what the trace touches together, in its order",
        ),
        (
            "scale",
            Fit::Scale,
            "Multiply all addresses by the same factor",
        ),
    ];

    /// The one of that name, or which names there are.
    ///
    /// # Errors
    /// When none has it.
    pub fn of_name(name: &str) -> Result<Fit, String> {
        let of = Fit::NAMED.iter().find(|(other, ..)| *other == name);
        of.map(|(_, fit, _)| *fit).ok_or_else(|| {
            let names = Fit::NAMED.map(|(name, ..)| name).join(", ");
            format!("`{name}` is no fit; give one of {names}")
        })
    }
}

/// Devices and scaled addresses begin at whole units of this: no drive has larger slots.
const UNIT_BYTES: u64 = 1 << 20;

/// Largest and smallest chunk that `compact` moves, in bytes.
const CHUNK_BYTES_MAX: u64 = 1 << 20;
const CHUNK_BYTES_MIN: u64 = 4096;

/// Scaled addresses are multiples of this, in bytes.
const SCALED_BYTES: u64 = 4096;

/// A run of chunks that stay together: their first number, how many, and where they go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    first: u64,
    count: u64,
    to: u64,
}

#[derive(Debug, Clone, PartialEq)]
enum How {
    AsItIs,
    Wrapped,
    Scaled,
    Compacted { chunk_bytes: u64, runs: Vec<Run> },
}

/// Places of the requests of a trace on a drive.
#[derive(Debug, Clone, PartialEq)]
pub struct Places {
    /// Start of each device, by its id.
    bases: Vec<u64>,
    span_bytes: u64,
    capacity_bytes: u64,
    how: How,
    devices: usize,
}

/// A part of a drive, in sectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// First sector of the range.
    pub lba: u64,
    /// Number of sectors; 0 for what has no bytes.
    pub sectors: u32,
}

/// The most sectors of a request: 1 TiB.
const SECTORS_MAX: u64 = 1 << 31;

/// Returns the start of each device when they lie end to end, and the end of the last one; `None` beyond what can be
/// addressed. Several begin at whole units each.
fn laid(scan: &Scan) -> Option<(Vec<u64>, u64)> {
    let unit_bytes = match scan.devices_used() {
        0 | 1 => 1,
        _ => UNIT_BYTES,
    };
    let mut bases = Vec::new();
    let mut span = 0_u64;
    for &end in &scan.ends_bytes {
        bases.push(span);
        span = span.checked_add(end.div_ceil(unit_bytes) * unit_bytes)?;
    }
    Some((bases, span))
}

impl Places {
    /// The places of a trace on a drive of that capacity. Only `compact` reads the trace once more.
    ///
    /// # Errors
    /// When it does not fit, or cannot be read.
    pub fn new(
        scan: &Scan,
        capacity_bytes: u64,
        fit: Fit,
        again: impl FnOnce() -> Result<Selected, TraceError>,
        file: &str,
    ) -> Result<Places, TraceError> {
        let fail = |why: String| TraceError::of_file(file, why);
        let devices = scan.devices_used();
        let (bases, span) = laid(scan).ok_or_else(|| {
            let why = "its devices laid end to end go beyond 16 EiB; choose some with --device";
            fail(why.to_owned())
        })?;
        let longest = scan.longest_bytes.div_ceil(SECTOR_BYTES).saturating_add(1);
        if longest > SECTORS_MAX || scan.longest_bytes > capacity_bytes {
            return Err(fail(format!(
                "its longest request has {} bytes, and the drive {capacity_bytes}; check the format, or take a larger drive",
                scan.longest_bytes
            )));
        }
        let mut places = Places {
            bases,
            span_bytes: span,
            capacity_bytes,
            how: How::AsItIs,
            devices,
        };
        // A trace that fits keeps its addresses, whatever was asked for those that do not.
        if span <= capacity_bytes {
            return Ok(places);
        }
        places.how = match fit {
            Fit::Refuse => {
                let laid = match devices {
                    1 => String::new(),
                    many => format!(", {many} devices laid end to end,"),
                };
                return Err(fail(format!(
                    "its addresses{laid} go to {span} bytes, and the drive has {capacity_bytes}; say with --fit what is to \
                     be done: compact moves what is touched together, wrap begins again from the start, scale shrinks \
                     distances; or take a larger drive, some devices (--device) or a share of the addresses (--share)"
                )));
            }
            Fit::Wrap => How::Wrapped,
            Fit::Scale => How::Scaled,
            Fit::Compact => {
                let touched = places.touched(again()?)?;
                compacted(&touched, capacity_bytes).ok_or_else(|| {
                    fail(format!(
                        "it touches more than the {capacity_bytes} bytes of the drive, in blocks of {CHUNK_BYTES_MIN} bytes, \
                         so it cannot be compacted to fit; take a larger drive, a share of the addresses (--share), or \
                         --fit wrap or scale"
                    ))
                })?
            }
        };
        Ok(places)
    }

    /// The blocks of 4 KiB that a trace touches, from the start of the first device on; no more than just beyond the
    /// drive's.
    fn touched(&self, trace: Selected) -> Result<RoaringTreemap, TraceError> {
        let mut touched = RoaringTreemap::new();
        let most = self.capacity_bytes / CHUNK_BYTES_MIN;
        let mut since = 0;
        for record in trace {
            let record = record?;
            if record.length_bytes > 0 {
                let from = self.bases[record.device.0 as usize] + record.offset_bytes;
                let last = from + record.length_bytes - 1;
                let blocks = from / CHUNK_BYTES_MIN..=last / CHUNK_BYTES_MIN;
                // What is trimmed and nothing else need not be anywhere.
                if record.kind != CommandKind::Trim {
                    touched.insert_range(blocks);
                }
            }
            since += 1;
            if since > 1 << 16 {
                since = 0;
                if touched.len() > most {
                    break;
                }
            }
        }
        Ok(touched)
    }

    /// Describes what was done to the trace's addresses; `None` if they are those of the trace.
    #[must_use]
    pub fn words(&self) -> Option<String> {
        let laid = match self.devices {
            0 | 1 => String::new(),
            many => format!("Its {many} devices are laid end to end. "),
        };
        let span = self.span_bytes;
        let how = match &self.how {
            // Where places meet that were apart, the sentence says which figures are no longer the trace's own.
            How::AsItIs if self.devices <= 1 => return None,
            How::AsItIs => String::new(),
            How::Wrapped => {
                let times = span as f64 / self.capacity_bytes as f64;
                format!(
                    "Its {span} bytes of addresses are wrapped {times:.2} times around the drive, so that places meet \
                     that were apart: what is overwritten, and write amplification, are not the trace's own."
                )
            }
            How::Scaled => {
                let factor = self.capacity_bytes as f64 / span as f64;
                format!(
                    "Its {span} bytes of addresses are multiplied by {factor:.4} and its sizes are not, so that requests \
                     overlap that were side by side: what is in order, and write amplification, are not the trace's own."
                )
            }
            How::Compacted { chunk_bytes, runs } => {
                let to = runs.last().map_or(0, |run| run.to + run.count) * chunk_bytes;
                format!(
                    "What it touches of its {span} bytes of addresses is moved together to {to} bytes in chunks of \
                     {chunk_bytes}, in its order; nothing meets that was apart."
                )
            }
        };
        Some((laid + &how).trim_end().to_owned())
    }

    /// Returns true if addresses meet on the drive that were apart in the trace.
    #[must_use]
    pub fn folds(&self) -> bool {
        matches!(self.how, How::Wrapped | How::Scaled)
    }

    /// Returns the place of a request: whole sectors within the drive.
    #[must_use]
    #[inline]
    pub fn of(&self, record: &Record) -> Extent {
        if record.length_bytes == 0 {
            return Extent { lba: 0, sectors: 0 };
        }
        let from = self.bases[record.device.0 as usize] + record.offset_bytes;
        let is_trim = record.kind == CommandKind::Trim;
        let (from, end) = match &self.how {
            How::AsItIs => (from, from + record.length_bytes),
            How::Wrapped => {
                let from = from % self.capacity_bytes;
                (from, from + record.length_bytes)
            }
            // A TRIM is of what lies there, however large that is now.
            How::Scaled if is_trim => (self.scaled(from), self.scaled(from + record.length_bytes)),
            How::Scaled => {
                let from = self.scaled(from);
                (from, from + record.length_bytes)
            }
            How::Compacted { chunk_bytes, runs } => {
                let end = from + record.length_bytes;
                let from = moved(runs, *chunk_bytes, from);
                match is_trim {
                    // A TRIM has a place only where something was touched, and that lies together.
                    true => (from, moved(runs, *chunk_bytes, end)),
                    false => (from, from + record.length_bytes),
                }
            }
        };
        let sectors = self.capacity_bytes / SECTOR_BYTES;
        let (lba, end) = (from / SECTOR_BYTES, end.div_ceil(SECTOR_BYTES));
        let length = end.saturating_sub(lba).min(sectors).min(SECTORS_MAX);
        // What would go beyond the end lies at the end.
        let lba = lba.min(sectors - length);
        Extent {
            lba,
            sectors: length as u32,
        }
    }

    /// A scaled address. What lies within a block stays so.
    fn scaled(&self, from: u64) -> u64 {
        let scaled =
            u128::from(from) * u128::from(self.capacity_bytes) / u128::from(self.span_bytes);
        scaled as u64 / SCALED_BYTES * SCALED_BYTES + from % SCALED_BYTES
    }
}

/// Returns the new place of a byte; that of the next one that is touched, if this one is not.
fn moved(runs: &[Run], chunk_bytes: u64, at: u64) -> u64 {
    let chunk = at / chunk_bytes;
    let behind = runs.partition_point(|run| run.first <= chunk);
    match runs[..behind].last() {
        Some(run) if chunk - run.first < run.count => {
            (run.to + chunk - run.first) * chunk_bytes + at % chunk_bytes
        }
        Some(run) => (run.to + run.count) * chunk_bytes,
        None => 0,
    }
}

/// Chunks as large as still fit the drive, from those that are touched; none if not even the smallest fit.
fn compacted(touched: &RoaringTreemap, capacity_bytes: u64) -> Option<How> {
    // Large chunks keep neighbours together, so the largest that fit are taken.
    let mut chunk_bytes = CHUNK_BYTES_MAX;
    while chunk_bytes >= CHUNK_BYTES_MIN {
        let blocks = chunk_bytes / CHUNK_BYTES_MIN;
        let most = capacity_bytes / chunk_bytes;
        let mut runs: Vec<Run> = Vec::new();
        let mut next = 0;
        for block in touched {
            let chunk = block / blocks;
            match runs.last_mut() {
                Some(run) if chunk < run.first + run.count => {}
                Some(run) if chunk == run.first + run.count => {
                    run.count += 1;
                    next += 1;
                }
                _ => {
                    runs.push(Run {
                        first: chunk,
                        count: 1,
                        to: next,
                    });
                    next += 1;
                }
            }
            if next > most {
                break;
            }
        }
        if next <= most {
            return Some(How::Compacted { chunk_bytes, runs });
        }
        chunk_bytes /= 2;
    }
    None
}
