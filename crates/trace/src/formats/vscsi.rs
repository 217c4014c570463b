//! CloudPhysics' vscsi traces, version 1: records of 32 bytes, little endian. Commands that are neither reads nor writes
//! are left out.

use super::{Encode, Seen};
use crate::error::{Fault, Place, TraceError};
use crate::input::Records;
use crate::record::Record;
use crate::spec::{DeviceWords, Spec};
use ftlab_base::{CommandKind, SECTOR_BYTES};

pub const SPEC: Spec = Spec {
    name: "vscsi",
    title: "CloudPhysics vscsi binary",
    columns: &[
        ("sn", "not used"),
        ("len", "bytes"),
        ("nSG", "not used"),
        ("cmd", "SCSI operation code: 28h read, 2Ah write"),
        ("ver", "version in the upper byte, 1"),
        ("lbn", "first sector of 512 B"),
        ("ts", "time in µs"),
    ],
    by: None,
    devices: DeviceWords::Nothing,
    tick_ns: 1_000,
    unit_bytes: SECTOR_BYTES,
    // A length has 32 bits.
    length_bytes_max: 1 << 31,
    ..Spec::PLAIN
};

const RECORD_BYTES: usize = 32;

/// The kind of request of an operation code of SCSI: READ and WRITE of 6, 10, 12 and 16 bytes.
pub fn kind_of(operation: u64) -> Option<CommandKind> {
    match operation {
        0x08 | 0x28 | 0xa8 | 0x88 => Some(CommandKind::Read),
        0x0a | 0x2a | 0xaa | 0x8a => Some(CommandKind::Write),
        _ => None,
    }
}

/// The operation code of ten bytes.
pub fn operation_of(record: &Record) -> u16 {
    match record.kind {
        CommandKind::Read => 0x28,
        _ => 0x2a,
    }
}

struct Fields {
    length: u32,
    operation: u16,
    version: u16,
    block: u64,
    at_us: u64,
}

fn fields(bytes: &[u8; RECORD_BYTES]) -> Fields {
    let two = |at: usize| u16::from_le_bytes(bytes[at..at + 2].try_into().expect("two bytes"));
    let eight = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
    Fields {
        length: u32::from_le_bytes(bytes[4..8].try_into().expect("four bytes")),
        operation: two(12),
        version: two(14) >> 8,
        block: eight(16),
        at_us: eight(24),
    }
}

/// Whether a file begins as one of these does: its first records are of version 1 and have a sensible length.
pub fn is_one(head: &[u8]) -> bool {
    let mut records = head.chunks_exact(RECORD_BYTES).take(4).peekable();
    let is_sane = |record: &[u8]| {
        let fields = fields(record.try_into().expect("32 bytes"));
        fields.version == 1 && fields.operation <= 0xff && fields.block < 1 << 48
    };
    records.peek().is_some() && records.all(is_sane)
}

pub struct Vscsi(pub Records);

impl Vscsi {
    /// The next request; none at the end of the file.
    pub fn next(&mut self, seen: &mut Seen) -> Result<Option<(Record, u64)>, TraceError> {
        loop {
            let at = self.0.at;
            let mut bytes = [0; RECORD_BYTES];
            if !self.0.next(&mut bytes)? {
                return Ok(None);
            }
            let read = record(&fields(&bytes), seen).map_err(|fault| {
                TraceError::of_fault(self.0.file(), Place::Byte(at), SPEC.title, &fault)
            })?;
            match read {
                Some(record) => return Ok(Some((record, at))),
                None => seen.others += 1,
            }
        }
    }
}

fn record(fields: &Fields, seen: &mut Seen) -> Result<Option<Record>, Fault> {
    let number = |number: u64| number.to_string().into_bytes();
    if fields.version != 1 {
        let found = number(u64::from(fields.version));
        return Err(Fault::new("the version of the record", &found, "1"));
    }
    let Some(kind) = kind_of(u64::from(fields.operation)) else {
        return Ok(None);
    };
    let at_ns = fields.at_us.checked_mul(SPEC.tick_ns);
    let at_ns = at_ns
        .ok_or_else(|| Fault::new("ts", &number(fields.at_us), "less than 584 years of µs"))?;
    let offset = fields.block.checked_mul(SECTOR_BYTES);
    let offset =
        offset.ok_or_else(|| Fault::new("lbn", &number(fields.block), "a sector below 16 EiB"))?;
    let device = seen.devices.only()?;
    let record = Record::new(at_ns, kind, device);
    Ok(Some(record.of_bytes(offset, u64::from(fields.length))))
}

/// Numbers the records.
#[derive(Debug, Default)]
pub struct ToVscsi(u32);

impl Encode for ToVscsi {
    fn record(&mut self, record: &Record, out: &mut Vec<u8>) {
        self.0 = self.0.wrapping_add(1);
        let length = u32::try_from(record.length_bytes).expect("longer ones were split");
        out.extend_from_slice(&self.0.to_le_bytes());
        out.extend_from_slice(&length.to_le_bytes());
        out.extend_from_slice(&1_u32.to_le_bytes());
        out.extend_from_slice(&operation_of(record).to_le_bytes());
        out.extend_from_slice(&(1_u16 << 8).to_le_bytes());
        out.extend_from_slice(&(record.offset_bytes / SECTOR_BYTES).to_le_bytes());
        out.extend_from_slice(&(record.at_ns / SPEC.tick_ns).to_le_bytes());
    }
}
