//! Counts of a trace, which are needed before it is replayed or written: requests, bytes, and where they end.

use crate::error::TraceError;
use crate::record::Record;
use crate::select::Selected;
use ftlab_base::{CommandKind, SECTOR_BYTES};

/// Counts of a trace, taken in one pass in constant memory but for a number a device.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scan {
    /// Reads, writes, TRIMs and flushes.
    pub requests: [u64; 4],
    /// The bytes that they address.
    pub bytes: [u64; 4],
    /// The earliest time, in nanoseconds of the trace's clock.
    pub first_ns: u64,
    /// The latest one.
    pub last_ns: u64,
    /// Requests that are earlier than one before them.
    pub disordered: u64,
    /// The byte behind the last one of each device, by its id; 0 for one without requests.
    pub ends_bytes: Vec<u64>,
    /// The names of the devices.
    pub devices: Vec<String>,
    /// The longest read or write, in bytes.
    pub longest_bytes: u64,
    /// Reads and writes that do not begin and end at whole sectors of 512 bytes.
    pub unaligned: u64,
    /// Reads, writes and TRIMs of no bytes.
    pub empty: u64,
    /// Requests that ask for a flush before them.
    pub preflushes: u64,
    /// Requests that must be safe before they are answered.
    pub fua: u64,
    /// Commands that are none of a trace's requests and were left out.
    pub others: u64,
}

/// The place of a kind among the counts.
#[must_use]
pub const fn place(kind: CommandKind) -> usize {
    match kind {
        CommandKind::Read => 0,
        CommandKind::Write => 1,
        CommandKind::Trim => 2,
        CommandKind::Flush => 3,
    }
}

impl Scan {
    /// Reads a trace to its end.
    ///
    /// # Errors
    /// The first thing that is wrong with it, and when nothing of it is chosen.
    pub fn of(mut trace: Selected) -> Result<Scan, TraceError> {
        let mut scan = Scan::default();
        for record in trace.by_ref() {
            scan.take(&record?);
        }
        trace.check()?;
        let reader = trace.reader();
        if scan.all() == 0 {
            let why =
                "it has requests, and none of those asked for; widen --window, --device or --share";
            return Err(TraceError::of_file(reader.file(), why));
        }
        reader.devices().clone_into(&mut scan.devices);
        scan.ends_bytes.resize(scan.devices.len(), 0);
        scan.others = reader.others();
        Ok(scan)
    }

    #[inline]
    fn take(&mut self, record: &Record) {
        let is_first = self.all() == 0;
        let kind = place(record.kind);
        self.requests[kind] += 1;
        self.bytes[kind] += record.length_bytes;
        if is_first {
            (self.first_ns, self.last_ns) = (record.at_ns, record.at_ns);
        }
        self.disordered += u64::from(record.at_ns < self.last_ns);
        self.first_ns = self.first_ns.min(record.at_ns);
        self.last_ns = self.last_ns.max(record.at_ns);
        let device = record.device.0 as usize;
        if self.ends_bytes.len() <= device {
            self.ends_bytes.resize(device + 1, 0);
        }
        self.preflushes += u64::from(record.preflush);
        self.fua += u64::from(record.fua);
        if record.kind == CommandKind::Flush {
            return;
        }
        self.ends_bytes[device] = self.ends_bytes[device].max(record.end_bytes());
        self.empty += u64::from(record.length_bytes == 0);
        let is_whole = (record.offset_bytes | record.length_bytes).is_multiple_of(SECTOR_BYTES);
        self.unaligned += u64::from(!is_whole);
        if record.kind != CommandKind::Trim {
            self.longest_bytes = self.longest_bytes.max(record.length_bytes);
        }
    }

    /// Requests of all kinds.
    #[must_use]
    pub fn all(&self) -> u64 {
        self.requests.iter().sum()
    }

    /// From the first request to the last, in nanoseconds.
    #[must_use]
    pub fn span_ns(&self) -> u64 {
        self.last_ns - self.first_ns
    }

    /// Devices that have requests.
    #[must_use]
    pub fn devices_used(&self) -> usize {
        self.ends_bytes.iter().filter(|end| **end > 0).count()
    }
}
