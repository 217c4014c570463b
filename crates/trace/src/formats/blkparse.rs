//! The default output of blkparse: a line an event, of many events a request. One action's events are the requests;
//! discards are TRIMs, and flushes and FUA are kept. What blkparse sums up behind the events is passed over.

use super::{Action, Decode, Encode, Seconds, Seen, line};
use crate::error::Fault;
use crate::fields::{By, Fields, decimal, integer, sectors};
use crate::record::Record;
use crate::spec::{DeviceWords, Spec};
use ftlab_base::{CommandKind, SECTOR_BYTES};

pub const SPEC: Spec = Spec {
    name: "blkparse",
    title: "blkparse text",
    columns: &[
        ("maj,min", "device"),
        ("cpu", "not used"),
        ("seq", "not used"),
        ("time", "time in s"),
        ("pid", "not used"),
        ("action", "Q, D or C; see --action"),
        ("rwbs", "R, W, D discard, F flush or FUA"),
        ("sector", "first sector of 512 B"),
        ("+", "not used"),
        ("count", "sectors of 512 B"),
    ],
    by: Some(By::Blanks),
    trims: true,
    flushes: true,
    flags: true,
    devices: DeviceWords::Pairs,
    unit_bytes: SECTOR_BYTES,
    from_zero: true,
    ..Spec::PLAIN
};

pub struct Blkparse {
    action: Action,
    /// The events are over, and what they come to follows.
    is_summary: bool,
}

impl Blkparse {
    pub fn new(action: Action) -> Blkparse {
        Blkparse {
            action,
            is_summary: false,
        }
    }
}

/// The meaning of the letters of `rwbs`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Flags {
    /// None for an event that is about no request.
    kind: Option<CommandKind>,
    preflush: bool,
    fua: bool,
}

/// A leading F is PREFLUSH, then comes the operation, and an F behind it is FUA. The flush by itself is an operation
/// F, or PREFLUSH of nothing (N).
fn flags(rwbs: &[u8]) -> Result<Flags, Fault> {
    let is_operation = |byte: &u8| b"RWDEFN".contains(byte);
    let (preflush, rest) = match rwbs {
        [b'F', next, ..] if is_operation(next) => (true, &rwbs[1..]),
        _ => (false, rwbs),
    };
    let kind = match rest.first() {
        Some(b'R') => Some(CommandKind::Read),
        Some(b'W') => Some(CommandKind::Write),
        Some(b'D' | b'E') => Some(CommandKind::Trim),
        Some(b'F') => Some(CommandKind::Flush),
        Some(b'N') => preflush.then_some(CommandKind::Flush),
        _ => {
            return Err(Fault::new(
                "rwbs",
                rwbs,
                "letters such as R, WS, FWFS, D or N",
            ));
        }
    };
    Ok(Flags {
        kind,
        preflush,
        fua: rest[1..].contains(&b'F'),
    })
}

/// A request of these flags and bytes: one without bytes is a flush, if it flushes.
pub fn request(
    record: Record,
    kind: Option<CommandKind>,
    preflush: bool,
    fua: bool,
) -> Option<Record> {
    match kind? {
        CommandKind::Flush => Some(Record::new(record.at_ns, CommandKind::Flush, record.device)),
        CommandKind::Write if record.length_bytes == 0 => {
            preflush.then(|| Record::new(record.at_ns, CommandKind::Flush, record.device))
        }
        _ if record.length_bytes == 0 => None,
        kind => Some(Record {
            kind,
            preflush,
            fua,
            ..record
        }),
    }
}

impl Decode for Blkparse {
    fn line(&mut self, line: &[u8], seen: &mut Seen) -> Result<Option<Record>, Fault> {
        let is_end = |line: &[u8]| line.starts_with(b"CPU") || line.starts_with(b"Total (");
        self.is_summary |= is_end(line);
        if self.is_summary || line.trim_ascii().is_empty() {
            return Ok(None);
        }
        let mut fields = Fields::new(line, By::Blanks);
        let pair = fields.next("maj,min")?;
        let mut numbers = Fields::new(pair, By::Commas);
        let pair_fault = |_| Fault::new("maj,min", pair, "two numbers with a comma, such as 259,0");
        let major = numbers.integer("maj").map_err(pair_fault)?;
        let minor = numbers.integer("min").map_err(pair_fault)?;
        fields.integer("cpu")?;
        fields.integer("seq")?;
        let at_ns = decimal("time", fields.next("time")?, 9)?;
        fields.next("pid")?;
        let event = match fields.next("action")? {
            b"Q" => Action::Queued,
            b"D" => Action::Issued,
            b"C" => Action::Completed,
            _ => return Ok(None),
        };
        let rwbs = fields.next("rwbs")?;
        let flags = flags(rwbs)?;
        if flags.kind.is_none() || !seen.is_wanted(event, self.action) {
            return Ok(None);
        }
        let device = seen.devices.named(format!("{major}:{minor}").as_bytes())?;
        let mut record = Record::new(at_ns, CommandKind::Flush, device);
        // What has no bytes has no count, and at most the sector.
        let is_word = |field: &&[u8]| !field.starts_with(b"[");
        let first = fields.next_if().filter(is_word);
        match (first, fields.next_if().filter(is_word)) {
            (Some(first), Some(b"+")) => {
                let count = sectors("count", fields.next("count")?)?;
                record = record.of_bytes(sectors("sector", first)?, count);
            }
            (Some(_), Some(other)) => {
                return Err(Fault::new("what follows the sector", other, "a plus"));
            }
            _ if flags.kind == Some(CommandKind::Flush) || flags.preflush => {}
            _ => return Err(Fault::missing("count")),
        }
        Ok(request(record, flags.kind, flags.preflush, flags.fua))
    }
}

/// Major and minor number of each device.
pub struct ToBlkparse {
    pub pairs: Vec<(u32, u32)>,
    pub sequence: u64,
}

impl Encode for ToBlkparse {
    fn record(&mut self, record: &Record, out: &mut Vec<u8>) {
        let (major, minor) = self.pairs[record.device.0 as usize];
        let pre = if record.preflush { "F" } else { "" };
        let operation = match record.kind {
            CommandKind::Read => "R",
            CommandKind::Write => "W",
            CommandKind::Trim => "D",
            CommandKind::Flush => "FN",
        };
        let fua = if record.fua { "F" } else { "" };
        let (sector, count) = (
            record.offset_bytes / SECTOR_BYTES,
            record.length_bytes / SECTOR_BYTES,
        );
        let range = match record.kind {
            CommandKind::Flush => String::new(),
            _ => format!(" {sector} + {count}"),
        };
        for action in ["Q", "D"] {
            self.sequence += 1;
            let (sequence, time) = (self.sequence, Seconds(record.at_ns));
            line!(
                out,
                "{major},{minor} 0 {sequence} {time} 0 {action} {pre}{operation}{fua}{range} [ftlab]"
            );
        }
    }
}

/// As blkparse has them: a trace's devices by name are pairs of numbers.
pub fn pair(name: &str) -> Option<(u32, u32)> {
    let (major, minor) = name.split_once(':')?;
    let number = |text: &str| {
        integer("", text.as_bytes())
            .ok()
            .and_then(|n| u32::try_from(n).ok())
    };
    let (major, minor) = (number(major)?, number(minor)?);
    // The kernel's device numbers have 12 bits and 20.
    (major < 1 << 12 && minor < 1 << 20).then_some((major, minor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_letters_tell_flushes_before_and_after() {
        let all = |rwbs: &str| {
            let flags = flags(rwbs.as_bytes()).unwrap();
            (flags.kind, flags.preflush, flags.fua)
        };
        use CommandKind::{Flush, Read, Trim, Write};
        assert_eq!(all("R"), (Some(Read), false, false));
        assert_eq!(all("RAM"), (Some(Read), false, false));
        assert_eq!(all("WS"), (Some(Write), false, false));
        assert_eq!(all("FWFS"), (Some(Write), true, true));
        assert_eq!(all("WFS"), (Some(Write), false, true));
        assert_eq!(all("DS"), (Some(Trim), false, false));
        assert_eq!(all("DE"), (Some(Trim), false, false));
        assert_eq!(all("FN"), (Some(Flush), true, false));
        assert_eq!(all("F"), (Some(Flush), false, false));
        assert_eq!(all("FF"), (Some(Flush), true, false));
        assert_eq!(all("N"), (None, false, false));
        assert!(flags(b"X").is_err() && flags(b"").is_err());
    }
}
