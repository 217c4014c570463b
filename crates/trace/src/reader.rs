//! A trace as a stream of requests, from a file in any format, in constant memory.

use crate::error::{Fault, Place, TraceError};
use crate::fields::{By, Fields};
use crate::format::Format;
use crate::formats::alibaba::Alibaba;
use crate::formats::blkparse::Blkparse;
use crate::formats::columns::Csv;
use crate::formats::disksim::Simulator;
use crate::formats::fio::Iolog;
use crate::formats::fiu::Fiu;
use crate::formats::msr::Msr;
#[cfg(feature = "parquet")]
use crate::formats::parquet::Table;
use crate::formats::spc::Spc;
use crate::formats::systor::Systor;
use crate::formats::tencent::Tencent;
use crate::formats::vscsi::Vscsi;
use crate::formats::vscsi_csv::VscsiCsv;
use crate::formats::{Action, Decode, Seen};
use crate::input::{Input, Lines, Packing, Records};
use crate::merge::{Merge, siblings};
use crate::recognise::recognise;
use crate::record::Record;
use ftlab_base::{CommandKind, Panicked, guarded};
use std::path::{Path, PathBuf};

/// The longest read or write: more than any interface has, and less than a column of something else may hold.
const MOVED_BYTES_MAX: u64 = 1 << 32;

/// The longest TRIM: more than any drive has.
const TRIMMED_BYTES_MAX: u64 = 1 << 50;

/// Options of reading a trace.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Opening {
    /// Its format; none for what its first bytes look like.
    pub format: Option<Format>,
    /// Which of blktrace's events are the requests.
    pub action: Action,
}

/// Where requests come from.
enum Source {
    Text(Lines, Box<dyn Decode>),
    Blktrace(Merge),
    Vscsi(Vscsi),
    #[cfg(feature = "parquet")]
    Table(Table),
}

/// The requests of a trace, in the order of the file; the first error is the last item.
pub struct Reader {
    file: String,
    format: Format,
    packing: Packing,
    action: Action,
    source: Source,
    seen: Seen,
    place: Place,
    /// Requests so far.
    requests: u64,
    is_over: bool,
}

/// The name of a file in a format.
fn kind(format: Format) -> &'static str {
    match format {
        #[cfg(feature = "parquet")]
        Format::Parquet => "Parquet file",
        _ => "trace",
    }
}

/// Reads lines of a format; none for one that has no lines.
pub(crate) fn decoder(format: Format, action: Action) -> Option<Box<dyn Decode>> {
    Some(match format {
        Format::Msr => Box::new(Msr),
        Format::Alibaba => Box::new(Alibaba),
        Format::Tencent => Box::new(Tencent),
        Format::Spc => Box::new(Spc),
        Format::Fiu => Box::new(Fiu),
        Format::Systor => Box::new(Systor),
        Format::Blkparse => Box::new(Blkparse::new(action)),
        Format::FioV2 => Box::new(Iolog::new(2)),
        Format::FioV3 => Box::new(Iolog::new(3)),
        Format::MqSim => Box::new(Simulator::MqSim),
        Format::DiskSim => Box::new(Simulator::DiskSim),
        Format::VscsiCsv => Box::new(VscsiCsv),
        Format::Csv => Box::<Csv>::default(),
        Format::Blktrace | Format::Vscsi => return None,
        #[cfg(feature = "parquet")]
        Format::Parquet => return None,
    })
}

/// Whether a line names the columns of a format, as some copies of traces begin.
pub(crate) fn is_header(format: Format, line: &[u8]) -> bool {
    let spec = format.spec();
    if spec.by != Some(By::Commas) || format == Format::Csv {
        return false;
    }
    let mut fields = Fields::new(line, By::Commas);
    let mut names = spec.columns.iter().map(|(name, _)| name.as_bytes());
    names.all(|name| {
        fields
            .next_if()
            .is_some_and(|field| field.eq_ignore_ascii_case(name))
    })
}

/// Whether a line says nothing.
pub(crate) fn is_void(line: &[u8]) -> bool {
    matches!(line.first(), None | Some(b'#')) || line.trim_ascii().is_empty()
}

impl Reader {
    /// Opens a file, unpacks it if it is packed, and sees what format it has unless that is said.
    ///
    /// # Errors
    /// When there is no such file, it cannot be unpacked, or it looks like no format.
    pub fn open(path: &Path, opening: &Opening) -> Result<Reader, TraceError> {
        let fail =
            |kind, panic: Panicked| TraceError::of_panic(&path.display().to_string(), kind, &panic);
        let begun = guarded(|| {
            let input = Input::open(path)?;
            let format = match opening.format {
                Some(format) => format,
                None => recognise(&input)?,
            };
            Ok((input, format))
        });
        let (input, format) = begun.map_err(|panic| fail("trace", panic))??;
        let reader = guarded(|| Reader::of(path, opening, input, format));
        reader.map_err(|panic| fail(kind(format), panic))?
    }

    fn of(
        path: &Path,
        opening: &Opening,
        input: Input,
        format: Format,
    ) -> Result<Reader, TraceError> {
        let file = input.file.clone();
        let packing = input.packing;
        let source = match (format, decoder(format, opening.action)) {
            (_, Some(decoder)) => Source::Text(Lines::of(input), decoder),
            (Format::Blktrace, _) => Source::Blktrace(Merge::of(path, input, opening.action)?),
            #[cfg(feature = "parquet")]
            (Format::Parquet, _) if packing != Packing::None => {
                let why = format!(
                    "Parquet is packed inside, and this file is packed with {} once more; unpack it first",
                    packing.words()
                );
                return Err(TraceError::of_file(&file, why));
            }
            #[cfg(feature = "parquet")]
            (Format::Parquet, _) => Source::Table(Table::open(path)?),
            _ => Source::Vscsi(Vscsi(Records::of(input))),
        };
        Ok(Reader {
            file,
            format,
            packing,
            action: opening.action,
            source,
            seen: Seen::default(),
            place: Place::Line(0),
            requests: 0,
            is_over: false,
        })
    }

    /// The file's format.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    /// The packing of the file.
    #[must_use]
    pub fn packing(&self) -> Packing {
        self.packing
    }

    /// The file's name.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Where the last request stands.
    #[must_use]
    pub fn place(&self) -> Place {
        self.place
    }

    /// The names of the devices so far, by their ids.
    #[must_use]
    pub fn devices(&self) -> &[String] {
        self.seen.devices.names()
    }

    /// Commands so far that are none of a trace's requests and were left out.
    #[must_use]
    pub fn others(&self) -> u64 {
        self.seen.others
    }

    fn read(&mut self) -> Result<Option<Record>, TraceError> {
        match &mut self.source {
            Source::Text(lines, decoder) => loop {
                let Some((number, line)) = lines.next()? else {
                    return Ok(None);
                };
                if is_void(line) {
                    continue;
                }
                match decoder.line(line, &mut self.seen) {
                    Ok(Some(record)) => {
                        self.place = Place::Line(number);
                        return Ok(Some(record));
                    }
                    Ok(None) => {}
                    // Only what cannot be read is looked at again: it costs the others nothing.
                    Err(_) if number == 1 && is_header(self.format, line) => {}
                    Err(fault) => {
                        let place = Place::Line(number);
                        let mut error = TraceError::of_fault(
                            &self.file,
                            place,
                            self.format.spec().title,
                            &fault,
                        );
                        if lines.is_open {
                            error.why +=
                                "; the file ends in this line, so it may have been cut off";
                        }
                        return Err(error);
                    }
                }
            },
            Source::Blktrace(merge) => Ok(merge.next(&mut self.seen)?.map(|(record, at)| {
                self.place = Place::Byte(at);
                record
            })),
            Source::Vscsi(vscsi) => Ok(vscsi.next(&mut self.seen)?.map(|(record, at)| {
                self.place = Place::Byte(at);
                record
            })),
            #[cfg(feature = "parquet")]
            Source::Table(table) => {
                self.place = Place::Row(self.requests + 1);
                table.next(&mut self.seen)
            }
        }
    }

    /// The next request, if it can be one.
    fn checked(&mut self) -> Result<Option<Record>, TraceError> {
        let Some(record) = self.read()? else {
            return match (self.requests, self.seen.other_events()) {
                (0, Some(others)) => {
                    let letter = self.action.letter();
                    let why = format!(
                        "it has no events of action {letter}; it has {others}: choose those with --action"
                    );
                    Err(TraceError::of_file(&self.file, why))
                }
                (0, None) => {
                    let why =
                        "it has no requests; give another trace, or name its format with --format";
                    Err(TraceError::of_file(&self.file, why))
                }
                _ => Ok(None),
            };
        };
        self.requests += 1;
        let most = match record.kind {
            CommandKind::Trim => TRIMMED_BYTES_MAX,
            _ => MOVED_BYTES_MAX,
        };
        let end = record.offset_bytes.checked_add(record.length_bytes);
        if record.length_bytes <= most && end.is_some() {
            return Ok(Some(record));
        }
        let found = format!("{} bytes from {}", record.length_bytes, record.offset_bytes);
        let wanted = "at most 4 GiB for a read or write and 1 PiB for a TRIM, ending below 16 EiB";
        let fault = Fault::new("its range", found.as_bytes(), wanted);
        let title = self.format.spec().title;
        Err(TraceError::of_fault(&self.file, self.place, title, &fault))
    }
}

impl Iterator for Reader {
    type Item = Result<Record, TraceError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let next = guarded(|| self.checked()).unwrap_or_else(|panic| {
            Err(TraceError::of_panic(&self.file, kind(self.format), &panic))
        });
        let next = next.transpose();
        self.is_over = !matches!(next, Some(Ok(_)));
        next
    }
}

/// The files that a trace at this path consists of: the one, or those of all CPUs.
#[must_use]
pub fn files(path: &Path) -> Vec<PathBuf> {
    siblings(path).unwrap_or_else(|| vec![path.to_owned()])
}
