//! Requests written in a format, and what it cannot carry of them.

use crate::format::Format;
use crate::formats::Encode;
use crate::formats::alibaba::ToAlibaba;
use crate::formats::blkparse::{ToBlkparse, pair};
use crate::formats::blktrace::ToBlktrace;
use crate::formats::columns::ToCsv;
use crate::formats::disksim::{Simulator, ToSimulator};
use crate::formats::fio::ToIolog;
use crate::formats::fiu::ToFiu;
use crate::formats::msr::ToMsr;
#[cfg(feature = "parquet")]
use crate::formats::parquet::ToParquet;
use crate::formats::spc::ToSpc;
use crate::formats::systor::ToSystor;
use crate::formats::tencent::ToTencent;
use crate::formats::vscsi::ToVscsi;
use crate::formats::vscsi_csv::ToVscsiCsv;
use crate::input::Packing;
use crate::record::Record;
use crate::spec::Spec;
use flate2::Compression;
use flate2::write::GzEncoder;
use ftlab_base::CommandKind;
use std::collections::BTreeSet;
use std::io::{self, BufWriter, Write};

/// Bytes that are written at a time.
const CHUNK_BYTES: usize = 1 << 16;

/// Losses of requests that were written in a format that could not carry all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lost {
    /// Requests that were written.
    pub written: u64,
    /// Number of TRIMs left out.
    pub trims: u64,
    /// Flushes left out, those before a write included.
    pub flushes: u64,
    /// Writes whose FUA was dropped.
    pub fua: u64,
    /// Requests without bytes left out.
    pub empty: u64,
    /// Requests whose time was cut to the format's clock.
    pub times: u64,
    /// Requests that were widened to whole sectors.
    pub widened: u64,
    /// Requests that were split, as the format's lengths are too short.
    pub split: u64,
    /// Requests whose response time was dropped.
    pub responses: u64,
    /// Requests whose digest was dropped.
    pub digests: u64,
    /// Names of devices that were changed: from, to.
    pub names: Vec<(String, String)>,
}

/// The most names that are listed one by one.
const NAMES_TOLD_MAX: usize = 8;

impl Lost {
    /// Describes the losses, a sentence each; empty if everything is there.
    #[must_use]
    pub fn words(&self, format: Format) -> Vec<String> {
        let spec = format.spec();
        let mut words = Vec::new();
        let mut tell = |count: u64, one: &str, many: &str| match count {
            0 => {}
            1 => words.push(format!("1 {one}")),
            count => words.push(format!("{count} {many}")),
        };
        tell(self.trims, "TRIM was left out.", "TRIMs were left out.");
        tell(
            self.flushes,
            "flush was left out.",
            "flushes were left out.",
        );
        tell(self.fua, "write lost its FUA.", "writes lost their FUA.");
        tell(
            self.empty,
            "request without bytes was left out.",
            "requests without bytes were left out.",
        );
        // A format of nanoseconds cuts no time; the others have one of these ticks, the last that of Windows file times.
        let tick = match spec.tick_ns {
            1_000_000_000 => "whole seconds",
            1_000_000 => "milliseconds",
            1_000 => "microseconds",
            _ => "100 nanoseconds",
        };
        tell(
            self.times,
            &format!("request has its time cut to {tick}."),
            &format!("requests have their times cut to {tick}."),
        );
        tell(
            self.widened,
            "request was widened to whole sectors of 512 bytes.",
            "requests were widened to whole sectors of 512 bytes.",
        );
        let most = format!(
            "as the format's lengths end at {} bytes.",
            spec.length_bytes_max
        );
        tell(
            self.split,
            &format!("request was split, {most}"),
            &format!("requests were split, {most}"),
        );
        tell(
            self.responses,
            "request lost its response time.",
            "requests lost their response times.",
        );
        tell(
            self.digests,
            "request lost the digest of its data.",
            "requests lost the digests of their data.",
        );
        words.extend(self.names_in_words());
        words
    }

    /// Describes the devices that have other names, if any has.
    fn names_in_words(&self) -> Option<String> {
        let told = self.names.iter().take(NAMES_TOLD_MAX);
        let told = told.map(|(from, to)| format!("{from} is now {to}"));
        let told = told.collect::<Vec<_>>().join(", ");
        let more = match self.names.len().saturating_sub(NAMES_TOLD_MAX) {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        (!told.is_empty()).then(|| format!("Devices have other names: {told}{more}."))
    }
}

/// Sink of the bytes, packed or not.
enum Packed {
    Plain(BufWriter<Box<dyn Write + Send>>),
    Gzip(GzEncoder<BufWriter<Box<dyn Write + Send>>>),
    Zstd(zstd::Encoder<'static, BufWriter<Box<dyn Write + Send>>>),
}

impl Packed {
    fn new(out: Box<dyn Write + Send>, packing: Packing) -> io::Result<Packed> {
        let out = BufWriter::with_capacity(CHUNK_BYTES, out);
        Ok(match packing {
            Packing::None => Packed::Plain(out),
            Packing::Gzip => Packed::Gzip(GzEncoder::new(out, Compression::default())),
            Packing::Zstd => {
                Packed::Zstd(zstd::Encoder::new(out, zstd::DEFAULT_COMPRESSION_LEVEL)?)
            }
        })
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Packed::Plain(out) => out.write_all(bytes),
            Packed::Gzip(out) => out.write_all(bytes),
            Packed::Zstd(out) => out.write_all(bytes),
        }
    }

    fn finish(self) -> io::Result<()> {
        match self {
            Packed::Plain(mut out) => out.flush(),
            Packed::Gzip(out) => out.finish()?.flush(),
            Packed::Zstd(out) => out.finish()?.flush(),
        }
    }
}

enum Sink {
    Bytes(Box<dyn Encode>, Packed),
    #[cfg(feature = "parquet")]
    Table(Box<ToParquet<Box<dyn Write + Send>>>),
}

/// Writes requests in a format.
pub struct Writer {
    spec: &'static Spec,
    sink: Sink,
    buffer: Vec<u8>,
    /// Time that is subtracted from every request's, in nanoseconds.
    origin_ns: u64,
    lost: Lost,
}

/// Names as a format has them, and which of them it changed.
fn changed(names: &[String], new: impl Iterator<Item = String>) -> Vec<(String, String)> {
    let pairs = names.iter().cloned().zip(new);
    pairs.filter(|(from, to)| from != to).collect()
}

/// A whole number for each device: its name, if all are numbers, or its place.
fn numbers(names: &[String]) -> Vec<u64> {
    let own: Option<Vec<u64>> = names.iter().map(|name| name.parse().ok()).collect();
    own.unwrap_or_else(|| (0..names.len() as u64).collect())
}

/// A pair for each device: its name, if all are pairs, or the first major number of block devices and its place.
fn pairs(names: &[String]) -> Pairs {
    let own: Option<Pairs> = names.iter().map(|name| pair(name)).collect();
    own.unwrap_or_else(|| (0..names.len() as u32).map(|n| (259, n)).collect())
}

/// Names without some characters; numbered where two have become one.
fn cleaned(names: &[String], is_bad: impl Fn(char) -> bool) -> Vec<String> {
    let clean = |name: &String| -> String {
        let clean: String = name
            .chars()
            .map(|c| if is_bad(c) || c.is_control() { '_' } else { c })
            .collect();
        if clean.is_empty() {
            "_".to_owned()
        } else {
            clean
        }
    };
    let clean: Vec<String> = names.iter().map(clean).collect();
    match clean.iter().collect::<BTreeSet<_>>().len() == names.len() {
        true => clean,
        false => (0..names.len()).map(|n| format!("device{n}")).collect(),
    }
}

/// Host and disk for each device.
fn hosts(names: &[String]) -> Vec<(String, u64)> {
    let host = |name: String| match name.rsplit_once('_') {
        Some((host, disk))
            if !host.is_empty() && disk.parse::<u64>().is_ok_and(|n| n.to_string() == disk) =>
        {
            (host.to_owned(), disk.parse().unwrap_or(0))
        }
        _ => (name, 0),
    };
    cleaned(names, |c| c == ',').into_iter().map(host).collect()
}

impl Writer {
    /// Writes a trace of devices of these names to `out`. `first_ns` is the earliest of its times: a format whose clock
    /// begins with its trace has its times from there. Whoever writes requests to several devices in a format that says
    /// nothing of devices ([`crate::DeviceWords::Nothing`]) makes them requests to one.
    ///
    /// # Errors
    /// When nothing can be written.
    pub fn new(
        format: Format,
        packing: Packing,
        out: Box<dyn Write + Send>,
        names: &[String],
        first_ns: u64,
    ) -> io::Result<Writer> {
        let spec = format.spec();
        let (sink, names) = sink(format, packing, out, names)?;
        let mut writer = Writer {
            spec,
            sink,
            buffer: Vec::with_capacity(2 * CHUNK_BYTES),
            origin_ns: if spec.from_zero { first_ns } else { 0 },
            lost: Lost {
                names,
                ..Lost::default()
            },
        };
        match &mut writer.sink {
            Sink::Bytes(encode, _) => encode.begin(&mut writer.buffer),
            #[cfg(feature = "parquet")]
            Sink::Table(_) => {}
        }
        Ok(writer)
    }

    /// Writes a request, or what the format can say of it.
    ///
    /// # Errors
    /// When nothing more can be written.
    pub fn write(&mut self, record: &Record) -> io::Result<()> {
        let (spec, lost) = (self.spec, &mut self.lost);
        if !spec.carries(record.kind) {
            match record.kind {
                CommandKind::Trim => lost.trims += 1,
                _ => lost.flushes += 1,
            }
            return Ok(());
        }
        let mut record = *record;
        let is_flush = record.kind == CommandKind::Flush;
        if spec.flags && !is_flush && record.length_bytes == 0 {
            lost.empty += 1;
            return Ok(());
        }
        record.at_ns = record.at_ns.saturating_sub(self.origin_ns);
        let cut = record.at_ns / spec.tick_ns * spec.tick_ns;
        lost.times += u64::from(cut != record.at_ns);
        record.at_ns = cut;
        if !spec.flags && record.fua {
            lost.fua += 1;
            record.fua = false;
        }
        lost.responses += u64::from(!spec.response && record.response_ns.is_some());
        lost.digests += u64::from(!spec.digest && record.digest.is_some());
        // A request is widened, never cut: all that it addressed is still addressed.
        let offset = record.offset_bytes / spec.unit_bytes * spec.unit_bytes;
        let end = record.end_bytes().div_ceil(spec.unit_bytes) * spec.unit_bytes;
        lost.widened += u64::from(offset != record.offset_bytes || end != record.end_bytes());
        (record.offset_bytes, record.length_bytes) = (offset, end - offset);
        if !spec.flags && record.preflush {
            record.preflush = false;
            match spec.flushes {
                true => self.put(&Record::new(
                    record.at_ns,
                    CommandKind::Flush,
                    record.device,
                ))?,
                false => self.lost.flushes += 1,
            }
        }
        self.lost.split += u64::from(record.length_bytes > spec.length_bytes_max);
        loop {
            let mut part = record;
            part.length_bytes = record.length_bytes.min(spec.length_bytes_max);
            self.put(&part)?;
            record = record.of_bytes(part.end_bytes(), record.length_bytes - part.length_bytes);
            record.preflush = false;
            if record.length_bytes == 0 {
                return Ok(());
            }
        }
    }

    fn put(&mut self, record: &Record) -> io::Result<()> {
        self.lost.written += 1;
        match &mut self.sink {
            Sink::Bytes(encode, out) => {
                encode.record(record, &mut self.buffer);
                if self.buffer.len() >= CHUNK_BYTES {
                    out.write(&self.buffer)?;
                    self.buffer.clear();
                }
                Ok(())
            }
            #[cfg(feature = "parquet")]
            Sink::Table(table) => table.record(record),
        }
    }

    /// Writes the end of the file and returns the losses.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(mut self) -> io::Result<Lost> {
        match self.sink {
            Sink::Bytes(mut encode, mut out) => {
                encode.end(&mut self.buffer);
                out.write(&self.buffer)?;
                out.finish()?;
            }
            #[cfg(feature = "parquet")]
            Sink::Table(table) => table.end()?,
        }
        Ok(self.lost)
    }
}

type Renamed = Vec<(String, String)>;

/// A major and a minor number for each device.
type Pairs = Vec<(u32, u32)>;

fn sink(
    format: Format,
    packing: Packing,
    out: Box<dyn Write + Send>,
    names: &[String],
) -> io::Result<(Sink, Renamed)> {
    #[cfg(feature = "parquet")]
    if format == Format::Parquet {
        let table = ToParquet::new(out, names.to_vec())?;
        return Ok((Sink::Table(Box::new(table)), Vec::new()));
    }
    let (encode, renamed) = encoder(format, names);
    Ok((Sink::Bytes(encode, Packed::new(out, packing)?), renamed))
}

/// Returns the encoder of a format of bytes, and the devices that it has to call otherwise.
fn encoder(format: Format, names: &[String]) -> (Box<dyn Encode>, Renamed) {
    match format {
        Format::Msr => {
            let hosts = hosts(names);
            let told = hosts.iter().map(|(host, disk)| format!("{host}_{disk}"));
            let renamed = changed(names, told);
            (Box::new(ToMsr(hosts)), renamed)
        }
        // Formats differ in the names that they allow for devices: a number, a pair of numbers, or a word.
        Format::Alibaba => numbered(names, |numbers| Box::new(ToAlibaba(numbers))),
        Format::Tencent => numbered(names, |numbers| Box::new(ToTencent(numbers))),
        Format::Spc => numbered(names, |numbers| Box::new(ToSpc(numbers))),
        Format::Systor => numbered(names, |numbers| Box::new(ToSystor(numbers))),
        Format::MqSim => numbered(names, |numbers| {
            Box::new(ToSimulator(Simulator::MqSim, numbers))
        }),
        Format::DiskSim => numbered(names, |numbers| {
            Box::new(ToSimulator(Simulator::DiskSim, numbers))
        }),
        Format::Fiu => paired(names, |pairs| Box::new(ToFiu(pairs))),
        Format::Blkparse => paired(names, |pairs| Box::new(ToBlkparse { pairs, sequence: 0 })),
        Format::Blktrace => paired(names, |pairs| Box::new(ToBlktrace::new(pairs))),
        Format::FioV2 | Format::FioV3 => {
            let version = if format == Format::FioV2 { 2 } else { 3 };
            let clean = cleaned(names, char::is_whitespace);
            let renamed = changed(names, clean.iter().cloned());
            (Box::new(ToIolog::new(version, clean)), renamed)
        }
        Format::Vscsi => (Box::<ToVscsi>::default(), Vec::new()),
        Format::VscsiCsv => (Box::new(ToVscsiCsv), Vec::new()),
        Format::Csv => {
            let clean = cleaned(names, |c| c == ',' || c == '"');
            let renamed = changed(names, clean.iter().cloned());
            (Box::new(ToCsv(clean)), renamed)
        }
        #[cfg(feature = "parquet")]
        Format::Parquet => unreachable!("a table is no run of bytes"),
    }
}

/// Returns the encoder of a format that knows devices by numbers.
fn numbered(
    names: &[String],
    encoder: fn(Vec<u64>) -> Box<dyn Encode>,
) -> (Box<dyn Encode>, Renamed) {
    let numbers = numbers(names);
    let renamed = changed(names, numbers.iter().map(u64::to_string));
    (encoder(numbers), renamed)
}

/// Returns the encoder of a format that knows devices by a major and a minor number.
fn paired(names: &[String], encoder: fn(Pairs) -> Box<dyn Encode>) -> (Box<dyn Encode>, Renamed) {
    let pairs = pairs(names);
    let told = pairs
        .iter()
        .map(|(major, minor)| format!("{major}:{minor}"));
    let renamed = changed(names, told);
    (encoder(pairs), renamed)
}
