//! FIU's traces (IODedup; SNIA IOTTA 390, 391, 414): blanks, nanoseconds, sectors of 512 bytes, and the MD5 of the data.

use super::{Decode, Encode, Seen, letter, letter_of, line};
use crate::error::Fault;
use crate::fields::{By, Fields, integer};
use crate::record::Record;
use crate::spec::{DeviceWords, Spec};
use ftlab_base::SECTOR_BYTES;
use std::fmt::Write;

pub const SPEC: Spec = Spec {
    name: "fiu",
    title: "FIU text",
    columns: &[
        ("ts", "time in ns"),
        ("pid", "not used"),
        ("process", "not used"),
        ("lba", "first sector of 512 B"),
        ("size", "sectors of 512 B"),
        ("op", "R or W"),
        ("major", "device, with the next"),
        ("minor", "device, with the one before"),
        ("md5", "digest of the data"),
    ],
    by: Some(By::Blanks),
    digest: true,
    devices: DeviceWords::Pairs,
    unit_bytes: SECTOR_BYTES,
    ..Spec::PLAIN
};

pub struct Fiu;

impl Decode for Fiu {
    fn line(&mut self, line: &[u8], seen: &mut Seen) -> Result<Option<Record>, Fault> {
        let mut fields = Fields::new(line, By::Blanks);
        let at_ns = fields.integer("ts")?;
        fields.integer("pid")?;
        fields.next("process")?;
        let (lba, size) = (fields.sectors("lba")?, fields.sectors("size")?);
        let kind = letter("op", fields.next("op")?)?;
        let (major, minor) = (fields.next("major")?, fields.next("minor")?);
        let (major, minor) = (integer("major", major)?, integer("minor", minor)?);
        let name = format!("{major}:{minor}");
        let device = seen.devices.named(name.as_bytes())?;
        let digest = fields.next_if().map(digest).transpose()?;
        let record = Record::new(at_ns, kind, device).of_bytes(lba, size);
        Ok(Some(Record { digest, ..record }))
    }
}

/// A digest of 16 bytes in hexadecimal digits.
pub fn digest(field: &[u8]) -> Result<[u8; 16], Fault> {
    let fail = || Fault::new("md5", field, "32 hexadecimal digits");
    if field.len() != 32 {
        return Err(fail());
    }
    let mut digest = [0; 16];
    for (byte, digits) in digest.iter_mut().zip(field.chunks_exact(2)) {
        let nibble = |digit: u8| (digit as char).to_digit(16).ok_or_else(fail);
        *byte = (nibble(digits[0])? << 4 | nibble(digits[1])?) as u8;
    }
    Ok(digest)
}

/// Returns a digest as hexadecimal digits.
pub fn digits(digest: &[u8; 16]) -> String {
    let mut digits = String::with_capacity(32);
    for byte in digest {
        write!(digits, "{byte:02x}").expect("memory takes every write");
    }
    digits
}

/// Major and minor number of each device.
pub struct ToFiu(pub Vec<(u32, u32)>);

impl Encode for ToFiu {
    fn record(&mut self, record: &Record, out: &mut Vec<u8>) {
        let (major, minor) = self.0[record.device.0 as usize];
        let (lba, size) = (
            record.offset_bytes / SECTOR_BYTES,
            record.length_bytes / SECTOR_BYTES,
        );
        let (time, op) = (record.at_ns, letter_of(record));
        let md5 = record
            .digest
            .as_ref()
            .map(|digest| format!(" {}", digits(digest)));
        let md5 = md5.unwrap_or_default();
        line!(out, "{time} 0 - {lba} {size} {op} {major} {minor}{md5}");
    }
}
