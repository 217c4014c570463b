//! ASCII traces of DiskSim and MQSim: arrival, device, sector, sectors, type. Both count sectors of 512 bytes; DiskSim's
//! times are milliseconds and bit 0 of its flags is set for a read, MQSim's are nanoseconds and type 1 is a read.

use super::{Decode, Encode, Seen, line};
use crate::error::Fault;
use crate::fields::{By, Fields, decimal, integer};
use crate::record::Record;
use crate::spec::Spec;
use ftlab_base::{CommandKind, SECTOR_BYTES};

pub const MQSIM: Spec = Spec {
    name: "mqsim",
    title: "MQSim ASCII",
    columns: &[
        ("arrival", "time in ns"),
        ("device", "device"),
        ("lba", "first sector of 512 B"),
        ("sectors", "sectors of 512 B"),
        ("type", "0 write, 1 read"),
    ],
    by: Some(By::Blanks),
    unit_bytes: SECTOR_BYTES,
    from_zero: true,
    ..Spec::PLAIN
};

pub const DISKSIM: Spec = Spec {
    name: "disksim",
    title: "DiskSim ASCII",
    columns: &[
        ("arrival", "time in ms"),
        ("device", "device"),
        ("block", "first sector of 512 B"),
        ("blocks", "sectors of 512 B"),
        ("flags", "bit 0: read"),
    ],
    ..MQSIM
};

/// The simulator whose lines are read: both have the same columns with different meanings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Simulator {
    DiskSim,
    MqSim,
}

impl Decode for Simulator {
    fn line(&mut self, line: &[u8], seen: &mut Seen) -> Result<Option<Record>, Fault> {
        let mut fields = Fields::new(line, By::Blanks);
        let arrival = fields.next("arrival")?;
        let at_ns = match self {
            Simulator::MqSim => integer("arrival", arrival)?,
            Simulator::DiskSim => decimal("arrival", arrival, 6)?,
        };
        let device = fields.next("device")?;
        // A device is a number in both; its name is the field as it is written.
        integer("device", device)?;
        let device = seen.devices.named(device)?;
        let (lba, sectors) = (fields.sectors("sector")?, fields.sectors("sectors")?);
        let kind = match (self, fields.next("type")?) {
            (Simulator::MqSim, b"0") => CommandKind::Write,
            (Simulator::MqSim, b"1") => CommandKind::Read,
            (Simulator::MqSim, other) => {
                return Err(Fault::new("type", other, "0 for a write or 1 for a read"));
            }
            (Simulator::DiskSim, flags) => match integer("flags", flags)? & 1 {
                1 => CommandKind::Read,
                _ => CommandKind::Write,
            },
        };
        if let [_, ..] = fields.rest() {
            return Err(Fault::new(
                "what follows the type",
                fields.rest(),
                "nothing",
            ));
        }
        Ok(Some(
            Record::new(at_ns, kind, device).of_bytes(lba, sectors),
        ))
    }
}

/// For whom, and the number of each device.
pub struct ToSimulator(pub Simulator, pub Vec<u64>);

impl Encode for ToSimulator {
    fn record(&mut self, record: &Record, out: &mut Vec<u8>) {
        let device = self.1[record.device.0 as usize];
        let (lba, sectors) = (
            record.offset_bytes / SECTOR_BYTES,
            record.length_bytes / SECTOR_BYTES,
        );
        let is_read = u8::from(record.kind == CommandKind::Read);
        match self.0 {
            Simulator::MqSim => line!(out, "{} {device} {lba} {sectors} {is_read}", record.at_ns),
            Simulator::DiskSim => {
                let (ms, part) = (record.at_ns / 1_000_000, record.at_ns % 1_000_000);
                line!(out, "{ms}.{part:06} {device} {lba} {sectors} {is_read}");
            }
        }
    }
}
