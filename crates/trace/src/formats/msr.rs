//! MSR Cambridge (SNIA IOTTA 388): CSV, times in Windows' 100 ns since 1601, offset and size in bytes.

use super::{Decode, Encode, Seen, letter, line};
use crate::error::Fault;
use crate::fields::{By, Fields, to_ns};
use crate::record::Record;
use crate::spec::{DeviceWords, Spec};
use ftlab_base::CommandKind;
use memchr::memchr_iter;

/// Nanoseconds of a tick.
const TICK_NS: u64 = 100;

pub const SPEC: Spec = Spec {
    name: "msr",
    title: "MSR Cambridge CSV",
    columns: &[
        ("Timestamp", "time in 100 ns since 1601"),
        ("Hostname", "device, with the next"),
        ("DiskNumber", "device, with the one before"),
        ("Type", "Read or Write"),
        ("Offset", "first byte"),
        ("Size", "bytes"),
        ("ResponseTime", "response in 100 ns"),
    ],
    response: true,
    devices: DeviceWords::Names,
    tick_ns: TICK_NS,
    ..Spec::PLAIN
};

pub struct Msr;

impl Decode for Msr {
    #[inline]
    fn line(&mut self, line: &[u8], seen: &mut Seen) -> Result<Option<Record>, Fault> {
        let mut fields = Fields::new(line, By::Commas);
        let at_ns = to_ns("Timestamp", fields.next("Timestamp")?, TICK_NS)?;
        let (host, disk) = (fields.next("Hostname")?, fields.next("DiskNumber")?);
        let kind = match fields.next("Type")? {
            b"Read" | b"read" => CommandKind::Read,
            b"Write" | b"write" => CommandKind::Write,
            other => {
                letter("Type", other).map_err(|_| Fault::new("Type", other, "Read or Write"))?
            }
        };
        // Both fields with the comma between them: what tells devices apart.
        let mut commas = memchr_iter(b',', line);
        let (first, third) = (commas.next().unwrap_or(0), commas.nth(1).unwrap_or(0));
        let device = seen.devices.id(&line[first + 1..third], || {
            format!(
                "{}_{}",
                String::from_utf8_lossy(host),
                String::from_utf8_lossy(disk)
            )
        })?;
        let offset = fields.integer("Offset")?;
        let size = fields.integer("Size")?;
        let response = to_ns("ResponseTime", fields.next("ResponseTime")?, TICK_NS)?;
        let record = Record::new(at_ns, kind, device).of_bytes(offset, size);
        Ok(Some(Record {
            response_ns: Some(response),
            ..record
        }))
    }
}

/// Host and number of each device.
pub struct ToMsr(pub Vec<(String, u64)>);

impl Encode for ToMsr {
    fn record(&mut self, record: &Record, out: &mut Vec<u8>) {
        let (host, disk) = &self.0[record.device.0 as usize];
        let word = match record.kind {
            CommandKind::Read => "Read",
            _ => "Write",
        };
        let (time, response) = (
            record.at_ns / TICK_NS,
            record.response_ns.unwrap_or(0) / TICK_NS,
        );
        let (offset, size) = (record.offset_bytes, record.length_bytes);
        line!(
            out,
            "{time},{host},{disk},{word},{offset},{size},{response}"
        );
    }
}
