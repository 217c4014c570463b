//! The files of blktrace: records of 48 bytes (`struct blk_io_trace` of the kernel's `blktrace_api.h`, version 7), each
//! with some bytes of its own behind it, in the byte order of the traced machine. A trace has a file for each CPU.

use super::blkparse::request;
use super::{Action, Encode, Seen};
use crate::error::{Fault, Place, TraceError};
use crate::input::Records;
use crate::record::Record;
use crate::spec::{DeviceWords, Spec};
use ftlab_base::{CommandKind, SECTOR_BYTES};

pub const SPEC: Spec = Spec {
    name: "blktrace",
    title: "blktrace binary",
    columns: &[
        ("time", "time in ns"),
        ("sector", "first sector of 512 B"),
        ("bytes", "bytes"),
        (
            "action",
            "action, see --action, and R, W, discard, flush, FUA",
        ),
        ("device", "device"),
    ],
    by: None,
    trims: true,
    flushes: true,
    flags: true,
    devices: DeviceWords::Pairs,
    unit_bytes: SECTOR_BYTES,
    from_zero: true,
    // A length has 32 bits; whole slots of any drive.
    length_bytes_max: 1 << 31,
    ..Spec::PLAIN
};

/// Bytes of a record without what follows it.
pub const RECORD_BYTES: usize = 48;

/// The magic number of a record; the last byte is the version.
const MAGIC: u32 = 0x6561_7400;
const VERSION: u32 = 7;

/// `__BLK_TA_QUEUE`, `__BLK_TA_ISSUE`, `__BLK_TA_COMPLETE`.
const QUEUE: u32 = 1;
const ISSUE: u32 = 7;
const COMPLETE: u32 = 8;

/// `__BLK_TA_CGROUP`: what follows the record begins with the id of a control group.
const CGROUP: u32 = 1 << 8;

/// Categories (`BLK_TC_…`) in the upper half of an action.
const READ: u32 = 1 << 16;
const WRITE: u32 = 1 << 17;
const FLUSH: u32 = 1 << 18;
const QUEUED: u32 = 1 << 20;
const ISSUED: u32 = 1 << 22;
const COMPLETED: u32 = 1 << 23;
const NOTIFY: u32 = 1 << 26;
const DISCARD: u32 = 1 << 29;
const FUA: u32 = 1 << 31;

/// Whether a file begins as one of blktrace's does.
pub fn is_one(head: &[u8]) -> bool {
    let magic = head.first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
    magic.is_some_and(|magic| {
        [magic, magic.swap_bytes()]
            .iter()
            .any(|magic| magic & !0xff == MAGIC)
    })
}

/// The records of one CPU's file.
pub struct Blktrace {
    records: Records,
    action: Action,
    is_swapped: bool,
}

impl Blktrace {
    pub fn new(records: Records, action: Action) -> Blktrace {
        Blktrace {
            records,
            action,
            is_swapped: false,
        }
    }

    fn word(&self, record: &[u8; RECORD_BYTES], at: usize) -> u32 {
        let bytes = record[at..at + 4].try_into().expect("four bytes");
        match self.is_swapped {
            true => u32::from_be_bytes(bytes),
            false => u32::from_le_bytes(bytes),
        }
    }

    fn long(&self, record: &[u8; RECORD_BYTES], at: usize) -> u64 {
        let bytes = record[at..at + 8].try_into().expect("eight bytes");
        match self.is_swapped {
            true => u64::from_be_bytes(bytes),
            false => u64::from_le_bytes(bytes),
        }
    }

    /// The next request; none at the end of the file.
    pub fn next(&mut self, seen: &mut Seen) -> Result<Option<(Record, u64)>, TraceError> {
        loop {
            let at = self.records.at;
            let mut bytes = [0; RECORD_BYTES];
            if !self.records.next(&mut bytes)? {
                return Ok(None);
            }
            let read = self.record(&bytes, seen);
            let read = read.map_err(|fault| {
                TraceError::of_fault(self.records.file(), Place::Byte(at), SPEC.title, &fault)
            })?;
            // Its last two bytes say how many follow.
            let word = [bytes[46], bytes[47]];
            let follow = match self.is_swapped {
                true => u16::from_be_bytes(word),
                false => u16::from_le_bytes(word),
            };
            self.records.skip(u64::from(follow))?;
            if let Some(record) = read {
                return Ok(Some((record, at)));
            }
        }
    }

    fn record(
        &mut self,
        bytes: &[u8; RECORD_BYTES],
        seen: &mut Seen,
    ) -> Result<Option<Record>, Fault> {
        let first: [u8; 4] = bytes[..4].try_into().expect("four bytes");
        self.is_swapped = u32::from_be_bytes(first) & !0xff == MAGIC;
        let magic = self.word(bytes, 0);
        if magic != MAGIC | VERSION {
            return Err(Fault::new(
                "the magic number of the record",
                format!("{magic:#010x}").as_bytes(),
                format!("{:#010x}, that of version {VERSION}", MAGIC | VERSION),
            ));
        }
        let action = self.word(bytes, 28);
        if action & NOTIFY != 0 {
            return Ok(None);
        }
        let event = match action & 0xffff & !CGROUP {
            QUEUE => Action::Queued,
            ISSUE => Action::Issued,
            COMPLETE => Action::Completed,
            _ => return Ok(None),
        };
        let length = u64::from(self.word(bytes, 24));
        let preflush = action & FLUSH != 0;
        let kind = match action {
            action if action & DISCARD != 0 => Some(CommandKind::Trim),
            _ if length == 0 => preflush.then_some(CommandKind::Flush),
            action if action & WRITE != 0 => Some(CommandKind::Write),
            _ => Some(CommandKind::Read),
        };
        if kind.is_none() || !seen.is_wanted(event, self.action) {
            return Ok(None);
        }
        let device = self.word(bytes, 36);
        let name = || format!("{}:{}", device >> 20, device & 0xf_ffff);
        let device = seen.devices.id(&device.to_le_bytes(), name)?;
        let sector = self.long(bytes, 16);
        let offset = sector.checked_mul(SECTOR_BYTES).ok_or_else(|| {
            Fault::new(
                "sector",
                sector.to_string().as_bytes(),
                "one of a device of less than 16 EiB",
            )
        })?;
        let record = Record::new(self.long(bytes, 8), CommandKind::Flush, device);
        Ok(request(
            record.of_bytes(offset, length),
            kind,
            preflush,
            action & FUA != 0,
        ))
    }
}

/// An event of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// It came, and went to the device at once.
    Sent,
    /// It was answered.
    Answered,
}

/// Writes events of requests as blktrace does, for devices of these numbers. A request that is sent is queued (Q) and
/// issued (D) at one instant: most readers look at one of the two.
pub struct ToBlktrace {
    pairs: Vec<(u32, u32)>,
    sequence: u32,
}

impl ToBlktrace {
    /// A writer for devices of these major and minor numbers.
    #[must_use]
    pub fn new(pairs: Vec<(u32, u32)>) -> ToBlktrace {
        ToBlktrace { pairs, sequence: 0 }
    }

    /// Writes an event at the record's time.
    pub fn event(&mut self, event: Event, record: &Record, out: &mut Vec<u8>) {
        match event {
            Event::Sent => {
                self.write(QUEUE | QUEUED, record, out);
                self.write(ISSUE | ISSUED, record, out);
            }
            Event::Answered => self.write(COMPLETE | COMPLETED, record, out),
        }
    }

    fn write(&mut self, action: u32, record: &Record, out: &mut Vec<u8>) {
        let (major, minor) = self.pairs[record.device.0 as usize];
        let kind = match record.kind {
            CommandKind::Read => READ,
            CommandKind::Write => WRITE,
            CommandKind::Trim => WRITE | DISCARD,
            CommandKind::Flush => WRITE | FLUSH,
        };
        let flush = if record.preflush { FLUSH } else { 0 };
        let fua = if record.fua { FUA } else { 0 };
        self.sequence = self.sequence.wrapping_add(1);
        let mut bytes = [0; RECORD_BYTES];
        let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
        put(0, &(MAGIC | VERSION).to_le_bytes());
        put(4, &self.sequence.to_le_bytes());
        put(8, &record.at_ns.to_le_bytes());
        put(16, &(record.offset_bytes / SECTOR_BYTES).to_le_bytes());
        let length = u32::try_from(record.length_bytes).expect("longer ones were split");
        put(24, &length.to_le_bytes());
        put(28, &(action | kind | flush | fua).to_le_bytes());
        put(36, &(major << 20 | minor).to_le_bytes());
        out.extend_from_slice(&bytes);
    }
}

impl Encode for ToBlktrace {
    fn record(&mut self, record: &Record, out: &mut Vec<u8>) {
        self.event(Event::Sent, record, out);
    }
}
