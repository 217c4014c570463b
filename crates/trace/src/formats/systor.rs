//! The LUN traces of SYSTOR '17 (SNIA IOTTA 4928): CSV with a header, seconds with a fraction, bytes. Commands that are
//! neither reads nor writes have no type, and are left out.

use super::{Decode, Encode, Seconds, Seen, letter, letter_of, line};
use crate::error::Fault;
use crate::fields::{By, Fields, decimal, integer};
use crate::record::Record;
use crate::spec::Spec;
use ftlab_base::CommandKind;

pub const SPEC: Spec = Spec {
    name: "systor",
    title: "SYSTOR '17 CSV",
    columns: &[
        ("Timestamp", "time in s since 1970"),
        ("Response", "response in s"),
        ("IOType", "R, W or empty"),
        ("LUN", "device"),
        ("Offset", "first byte"),
        ("Size", "bytes"),
    ],
    response: true,
    ..Spec::PLAIN
};

pub struct Systor;

impl Decode for Systor {
    fn line(&mut self, line: &[u8], seen: &mut Seen) -> Result<Option<Record>, Fault> {
        let mut fields = Fields::new(line, By::Commas);
        let at_ns = decimal("Timestamp", fields.next("Timestamp")?, 9)?;
        let response = fields.next("Response")?;
        let response_ns = match response {
            b"" => None,
            given => Some(decimal("Response", given, 9)?),
        };
        let kind: Option<CommandKind> = match fields.next("IOType")? {
            b"" => None,
            op => Some(letter("IOType", op)?),
        };
        let lun = fields.next("LUN")?;
        integer("LUN", lun)?;
        let device = seen.devices.named(lun)?;
        let (offset, size) = (fields.integer("Offset")?, fields.integer("Size")?);
        let Some(kind) = kind else {
            seen.others += 1;
            return Ok(None);
        };
        let record = Record::new(at_ns, kind, device).of_bytes(offset, size);
        Ok(Some(Record {
            response_ns,
            ..record
        }))
    }
}

/// The number of each device.
pub struct ToSystor(pub Vec<u64>);

impl Encode for ToSystor {
    fn begin(&mut self, out: &mut Vec<u8>) {
        line!(out, "Timestamp,Response,IOType,LUN,Offset,Size");
    }

    fn record(&mut self, record: &Record, out: &mut Vec<u8>) {
        let lun = self.0[record.device.0 as usize];
        let response = record
            .response_ns
            .map(|ns| Seconds(ns).to_string())
            .unwrap_or_default();
        let (time, op) = (Seconds(record.at_ns), letter_of(record));
        line!(
            out,
            "{time},{response},{op},{lun},{},{}",
            record.offset_bytes,
            record.length_bytes
        );
    }
}
