//! Alibaba's block traces of 2020: CSV, bytes and microseconds.

use super::{Decode, Encode, Seen, letter, letter_of, line};
use crate::error::Fault;
use crate::fields::{By, Fields, to_ns};
use crate::record::Record;
use crate::spec::Spec;

pub const SPEC: Spec = Spec {
    name: "alibaba",
    title: "Alibaba block CSV",
    columns: &[
        ("device_id", "device"),
        ("opcode", "R or W"),
        ("offset", "first byte"),
        ("length", "bytes"),
        ("timestamp", "time in µs since 1970"),
    ],
    tick_ns: 1_000,
    ..Spec::PLAIN
};

pub struct Alibaba;

impl Decode for Alibaba {
    #[inline]
    fn line(&mut self, line: &[u8], seen: &mut Seen) -> Result<Option<Record>, Fault> {
        let mut fields = Fields::new(line, By::Commas);
        let device = seen.devices.named(fields.next("device_id")?)?;
        let kind = letter("opcode", fields.next("opcode")?)?;
        let (offset, length) = (fields.integer("offset")?, fields.integer("length")?);
        let at_ns = to_ns("timestamp", fields.next("timestamp")?, SPEC.tick_ns)?;
        Ok(Some(
            Record::new(at_ns, kind, device).of_bytes(offset, length),
        ))
    }
}

/// The number of each device.
pub struct ToAlibaba(pub Vec<u64>);

impl Encode for ToAlibaba {
    fn record(&mut self, record: &Record, out: &mut Vec<u8>) {
        let device = self.0[record.device.0 as usize];
        let (op, time) = (letter_of(record), record.at_ns / SPEC.tick_ns);
        line!(
            out,
            "{device},{op},{},{},{time}",
            record.offset_bytes,
            record.length_bytes
        );
    }
}
