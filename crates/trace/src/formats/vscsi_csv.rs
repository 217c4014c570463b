//! CloudPhysics' vscsi traces as libCacheSim has them in text: CSV with a header. The operation is the SCSI code, as a
//! decimal number or in hexadecimal digits.

use super::vscsi::{kind_of, operation_of};
use super::{Decode, Encode, Seen, line};
use crate::error::Fault;
use crate::fields::{By, Fields, integer, to_ns};
use crate::record::Record;
use crate::spec::{DeviceWords, Spec};
use ftlab_base::{CommandKind, SECTOR_BYTES};

pub const SPEC: Spec = Spec {
    name: "vscsi-csv",
    title: "CloudPhysics vscsi CSV",
    columns: &[
        ("version", "not used"),
        ("time", "time in µs"),
        ("op", "SCSI operation code: 28h read, 2Ah write"),
        ("size", "bytes"),
        ("lbn", "first sector of 512 B"),
    ],
    devices: DeviceWords::Nothing,
    tick_ns: 1_000,
    unit_bytes: SECTOR_BYTES,
    ..Spec::PLAIN
};

pub struct VscsiCsv;

impl Decode for VscsiCsv {
    fn line(&mut self, line: &[u8], seen: &mut Seen) -> Result<Option<Record>, Fault> {
        let mut fields = Fields::new(line, By::Commas);
        fields.integer("version")?;
        let at_ns = to_ns("time", fields.next("time")?, SPEC.tick_ns)?;
        let kind = operation(fields.next("op")?)?;
        let size = fields.integer("size")?;
        let offset = fields.sectors("lbn")?;
        let Some(kind) = kind else {
            seen.others += 1;
            return Ok(None);
        };
        let device = seen.devices.only()?;
        Ok(Some(
            Record::new(at_ns, kind, device).of_bytes(offset, size),
        ))
    }
}

/// A code in decimal or hexadecimal digits: 40 and 28, 42 and 2a. No code of a read or write in decimal digits is one of
/// the other in hexadecimal ones.
fn operation(field: &[u8]) -> Result<Option<CommandKind>, Fault> {
    let fail = || {
        Fault::new(
            "op",
            field,
            "a SCSI operation code, such as 40 or 28h for a read",
        )
    };
    let text = std::str::from_utf8(field)
        .map_err(|_| fail())?
        .to_ascii_lowercase();
    let digits = text.trim_start_matches("0x").trim_end_matches('h');
    let code = |radix| u64::from_str_radix(digits, radix).ok().and_then(kind_of);
    if let Some(kind) = code(10).filter(|_| digits == text).or_else(|| code(16)) {
        return Ok(Some(kind));
    }
    match integer("op", digits.as_bytes()).is_ok() || u8::from_str_radix(digits, 16).is_ok() {
        true => Ok(None),
        false => Err(fail()),
    }
}

pub struct ToVscsiCsv;

impl Encode for ToVscsiCsv {
    fn begin(&mut self, out: &mut Vec<u8>) {
        line!(out, "version,time,op,size,lbn");
    }

    fn record(&mut self, record: &Record, out: &mut Vec<u8>) {
        let (time, lbn) = (
            record.at_ns / SPEC.tick_ns,
            record.offset_bytes / SECTOR_BYTES,
        );
        line!(
            out,
            "1,{time},{},{},{lbn}",
            operation_of(record),
            record.length_bytes
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read_in_either_notation() {
        let kind = |text: &str| operation(text.as_bytes());
        for read in ["40", "28", "0x28", "28h", "136", "88", "8"] {
            assert_eq!(kind(read), Ok(Some(CommandKind::Read)), "{read}");
        }
        for write in ["42", "2a", "2A", "0x2a", "138", "8a", "10"] {
            assert_eq!(kind(write), Ok(Some(CommandKind::Write)), "{write}");
        }
        assert_eq!(kind("53"), Ok(None));
        assert!(kind("read").is_err());
    }
}
