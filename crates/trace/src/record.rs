//! A request of a trace, whatever format it came in.

use crate::error::Fault;
use ftlab_base::CommandKind;
use std::collections::BTreeMap;

/// A device of a trace, by its place among the trace's devices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeviceId(pub u32);

/// A request as a trace has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    /// When it was issued, in nanoseconds of the trace's own clock: some count from 1601, some from 1970, some from
    /// their start.
    pub at_ns: u64,
    /// The kind of request.
    pub kind: CommandKind,
    /// Whom it asks.
    pub device: DeviceId,
    /// First byte; 0 for a flush.
    pub offset_bytes: u64,
    /// Number of bytes; 0 for a flush.
    pub length_bytes: u64,
    /// Everything written before must be safe first (REQ_PREFLUSH).
    pub preflush: bool,
    /// It must be safe itself before it is answered (REQ_FUA).
    pub fua: bool,
    /// The response time of the traced device in nanoseconds, if the trace has it.
    pub response_ns: Option<u64>,
    /// A digest of the data, if the trace has one: equal for equal data.
    pub digest: Option<[u8; 16]>,
}

impl Record {
    /// A request without flags, response and digest.
    #[must_use]
    pub const fn new(at_ns: u64, kind: CommandKind, device: DeviceId) -> Record {
        Record {
            at_ns,
            kind,
            device,
            offset_bytes: 0,
            length_bytes: 0,
            preflush: false,
            fua: false,
            response_ns: None,
            digest: None,
        }
    }

    /// The request with other bytes.
    #[must_use]
    pub const fn of_bytes(mut self, offset_bytes: u64, length_bytes: u64) -> Record {
        self.offset_bytes = offset_bytes;
        self.length_bytes = length_bytes;
        self
    }

    /// The byte behind its last one.
    #[must_use]
    pub const fn end_bytes(&self) -> u64 {
        self.offset_bytes.saturating_add(self.length_bytes)
    }
}

/// The most devices of a trace: a thousand times the largest public collections.
const DEVICES_MAX: usize = 1 << 20;

/// The longest name of a device, in bytes: paths are that long.
const NAME_BYTES_MAX: usize = 4096;

/// The names of a trace's devices, in the order in which they appear.
#[derive(Debug, Default)]
pub struct Devices {
    names: Vec<String>,
    by_key: BTreeMap<Box<[u8]>, DeviceId>,
    last: Option<(Box<[u8]>, DeviceId)>,
}

impl Devices {
    /// The names, by [`DeviceId`].
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The device that a format calls `key`; its name is asked for when it is new.
    #[inline]
    pub(crate) fn id(
        &mut self,
        key: &[u8],
        name: impl FnOnce() -> String,
    ) -> Result<DeviceId, Fault> {
        // Requests of a device mostly follow one another.
        if let Some((last, id)) = &self.last
            && **last == *key
        {
            return Ok(*id);
        }
        let id = match self.by_key.get(key) {
            Some(&id) => id,
            None => self.take(key, name())?,
        };
        self.last = Some((key.into(), id));
        Ok(id)
    }

    fn take(&mut self, key: &[u8], name: String) -> Result<DeviceId, Fault> {
        if self.names.len() == DEVICES_MAX || key.len() > NAME_BYTES_MAX {
            return Err(Fault::new(
                "device",
                key,
                "one of at most 1,048,576 devices, with a name of at most 4096 bytes",
            ));
        }
        let id = DeviceId(self.names.len() as u32);
        self.names.push(name);
        self.by_key.insert(key.into(), id);
        Ok(id)
    }

    /// The device whose name is what the format says.
    #[inline]
    pub(crate) fn named(&mut self, name: &[u8]) -> Result<DeviceId, Fault> {
        self.id(name, || String::from_utf8_lossy(name).into_owned())
    }

    /// The device of a trace that says nothing of devices.
    pub(crate) fn only(&mut self) -> Result<DeviceId, Fault> {
        self.id(b"", || "0".to_owned())
    }
}
