//! A part of a trace: some devices, a window of time, a share of the addresses.

use crate::error::TraceError;
use crate::reader::Reader;
use crate::record::Record;
use ftlab_base::CommandKind;
use ftlab_base::hash::mix64;

/// The part of a trace that is kept.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Selection {
    /// Requests to these devices alone; all if there are none.
    pub devices: Vec<String>,
    /// Requests from this time on, in nanoseconds after the first of the trace.
    pub from_ns: Option<u64>,
    /// Requests before this time.
    pub until_ns: Option<u64>,
    /// This share of the trace's regions of 1 MiB, above 0 and to 1, with all requests that begin in them: what is
    /// kept is rewritten as often as all is, and takes that share of the space.
    pub share: Option<f64>,
    /// Kinds of request that are left out.
    pub skips: Vec<CommandKind>,
    /// Addresses are divided by this; 0 for none.
    pub scale: u64,
    /// Then they are cut down to a multiple of this power of two, in bytes; 0 for none.
    pub align_bytes: u64,
}

/// Bytes of the regions of which a share is kept.
const REGION_BYTES: u64 = 1 << 20;

impl Selection {
    /// A request that is kept, at its new place.
    fn moved(&self, record: Record) -> Record {
        let offset = record.offset_bytes / self.scale.max(1);
        Record {
            offset_bytes: offset & !self.align_bytes.saturating_sub(1),
            ..record
        }
    }

    /// Whether everything is kept.
    #[must_use]
    pub fn is_all(&self) -> bool {
        *self == Selection::default()
    }
}

/// The requests that are kept, in the order of the trace.
pub struct Selected {
    reader: Reader,
    selection: Selection,
    /// Whether each device so far is chosen, and what its regions are drawn with.
    devices: Vec<(bool, u64)>,
    first_ns: Option<u64>,
    /// Below which hash a region is kept.
    threshold: u64,
}

impl Selected {
    /// The part of a trace that is kept.
    #[must_use]
    pub fn of(reader: Reader, selection: Selection) -> Selected {
        let share = selection.share.unwrap_or(1.0);
        Selected {
            reader,
            selection,
            devices: Vec::new(),
            first_ns: None,
            // Of 1 everything, as no float is 2^64 - 1.
            threshold: (share * u64::MAX as f64) as u64,
        }
    }

    /// The trace.
    #[must_use]
    pub fn reader(&self) -> &Reader {
        &self.reader
    }

    #[inline]
    fn keeps(&mut self, record: &Record) -> bool {
        let first = *self.first_ns.get_or_insert(record.at_ns);
        let at = record.at_ns.saturating_sub(first);
        if self.selection.from_ns.is_some_and(|from| at < from)
            || self.selection.until_ns.is_some_and(|until| at >= until)
            || self.selection.skips.contains(&record.kind)
        {
            return false;
        }
        let device = record.device.0 as usize;
        while self.devices.len() <= device {
            let name = &self.reader.devices()[self.devices.len()];
            let chosen = &self.selection.devices;
            let is_chosen = chosen.is_empty() || chosen.contains(name);
            self.devices
                .push((is_chosen, mix64(self.devices.len() as u64 + 1)));
        }
        let (is_chosen, salt) = self.devices[device];
        is_chosen && mix64((record.offset_bytes / REGION_BYTES) ^ salt) <= self.threshold
    }

    /// Checks, at the end, that what was chosen was there.
    ///
    /// # Errors
    /// When a device that was chosen is none of the trace.
    pub fn check(&self) -> Result<(), TraceError> {
        let names = self.reader.devices();
        match self
            .selection
            .devices
            .iter()
            .find(|name| !names.contains(name))
        {
            None => Ok(()),
            Some(name) => {
                let told: Vec<&str> = names.iter().take(20).map(String::as_str).collect();
                let more = match names.len().saturating_sub(told.len()) {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                let told = told.join(", ");
                let why = format!("it has no device `{name}`; give one of {told}{more}");
                Err(TraceError::of_file(self.reader.file(), why))
            }
        }
    }
}

impl Iterator for Selected {
    type Item = Result<Record, TraceError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.reader.next() {
                Some(Ok(record)) if !self.keeps(&record) => {}
                Some(Ok(record)) => return Some(Ok(self.selection.moved(record))),
                next => return next,
            }
        }
    }
}
