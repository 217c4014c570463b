//! The Storage Performance Council's traces (UMass: Financial, WebSearch): CSV, seconds with a fraction, addresses in
//! sectors of 512 bytes and sizes in bytes.

use super::{Decode, Encode, Seconds, Seen, letter, letter_of, line};
use crate::error::Fault;
use crate::fields::{By, Fields, decimal, integer};
use crate::record::Record;
use crate::spec::Spec;
use ftlab_base::SECTOR_BYTES;

pub const SPEC: Spec = Spec {
    name: "spc",
    title: "SPC (UMass) CSV",
    columns: &[
        ("ASU", "device"),
        ("LBA", "first sector of 512 B"),
        ("Size", "bytes"),
        ("Opcode", "R or W"),
        ("Timestamp", "time in s since the start"),
    ],
    unit_bytes: SECTOR_BYTES,
    from_zero: true,
    ..Spec::PLAIN
};

pub struct Spc;

impl Decode for Spc {
    fn line(&mut self, line: &[u8], seen: &mut Seen) -> Result<Option<Record>, Fault> {
        let mut fields = Fields::new(line, By::Commas);
        let asu = fields.next("ASU")?;
        integer("ASU", asu)?;
        let device = seen.devices.named(asu)?;
        let (offset, size) = (fields.sectors("LBA")?, fields.integer("Size")?);
        let kind = letter("Opcode", fields.next("Opcode")?)?;
        let at_ns = decimal("Timestamp", fields.next("Timestamp")?, 9)?;
        Ok(Some(
            Record::new(at_ns, kind, device).of_bytes(offset, size),
        ))
    }
}

/// The number of each device.
pub struct ToSpc(pub Vec<u64>);

impl Encode for ToSpc {
    fn record(&mut self, record: &Record, out: &mut Vec<u8>) {
        let asu = self.0[record.device.0 as usize];
        let (lba, op) = (record.offset_bytes / SECTOR_BYTES, letter_of(record));
        line!(
            out,
            "{asu},{lba},{},{op},{}",
            record.length_bytes,
            Seconds(record.at_ns)
        );
    }
}
