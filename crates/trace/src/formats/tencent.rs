//! Tencent CBS of 2018 (SNIA IOTTA 27917): CSV, whole seconds and sectors of 512 bytes.

use super::{Decode, Encode, Seen, line};
use crate::error::Fault;
use crate::fields::{By, Fields, to_ns};
use crate::record::Record;
use crate::spec::Spec;
use ftlab_base::{CommandKind, SECTOR_BYTES};

pub const SPEC: Spec = Spec {
    name: "tencent",
    title: "Tencent CBS CSV",
    columns: &[
        ("Timestamp", "time in s since 1970"),
        ("Offset", "first sector of 512 B"),
        ("Size", "sectors of 512 B"),
        ("IOType", "0 read, 1 write"),
        ("VolumeID", "device"),
    ],
    tick_ns: 1_000_000_000,
    unit_bytes: SECTOR_BYTES,
    ..Spec::PLAIN
};

pub struct Tencent;

impl Decode for Tencent {
    #[inline]
    fn line(&mut self, line: &[u8], seen: &mut Seen) -> Result<Option<Record>, Fault> {
        let mut fields = Fields::new(line, By::Commas);
        let at_ns = to_ns("Timestamp", fields.next("Timestamp")?, SPEC.tick_ns)?;
        let (offset, size) = (fields.sectors("Offset")?, fields.sectors("Size")?);
        let kind = match fields.next("IOType")? {
            b"0" => CommandKind::Read,
            b"1" => CommandKind::Write,
            other => return Err(Fault::new("IOType", other, "0 for a read or 1 for a write")),
        };
        let volume = fields.next("VolumeID")?;
        // Other formats have five columns, too; here the last is a number.
        crate::fields::integer("VolumeID", volume)?;
        let device = seen.devices.named(volume)?;
        Ok(Some(
            Record::new(at_ns, kind, device).of_bytes(offset, size),
        ))
    }
}

/// The number of each device.
pub struct ToTencent(pub Vec<u64>);

impl Encode for ToTencent {
    fn record(&mut self, record: &Record, out: &mut Vec<u8>) {
        let volume = self.0[record.device.0 as usize];
        let op = u8::from(record.kind != CommandKind::Read);
        let time = record.at_ns / SPEC.tick_ns;
        let (offset, size) = (
            record.offset_bytes / SECTOR_BYTES,
            record.length_bytes / SECTOR_BYTES,
        );
        line!(out, "{time},{offset},{size},{op},{volume}");
    }
}
