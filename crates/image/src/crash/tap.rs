//! Recorder of a drive at work for its crash log.

use super::format::{self, BLOCK_BYTES, CrashHeader, Event};
use super::read::CrashLogSummary;
use ftlab_base::{CommandId, SECTOR_BYTES};
use ftlab_drive::ssd::LayerInput;
use std::collections::BTreeMap;
use std::fs::File;
use std::io;

/// The level of zstd that keeps up with writes.
const LEVEL: i32 = 1;

/// Nanoseconds since a log began.
pub type LogClock = Box<dyn Fn() -> u64 + Send>;

/// Writes a crash log. An error ends it, and nobody who writes to the drive hears of that.
pub(crate) struct Tap {
    file: File,
    clock: LogClock,
    packer: zstd::bulk::Compressor<'static>,
    events: Vec<u8>,
    /// The seal of the block before.
    seal: u64,
    /// Numbers of writes under way.
    numbers: BTreeMap<CommandId, u64>,
    summary: CrashLogSummary,
    is_over: bool,
    error: Option<io::Error>,
}

impl std::fmt::Debug for Tap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tap")
            .field("summary", &self.summary)
            .finish_non_exhaustive()
    }
}

impl Tap {
    pub(crate) fn new(file: File, header: &CrashHeader, clock: LogClock) -> io::Result<Tap> {
        let (bytes, seal) = format::header(header)?;
        io::Write::write_all(&mut &file, &bytes)?;
        Ok(Tap {
            file,
            clock,
            packer: zstd::bulk::Compressor::new(LEVEL)?,
            events: Vec::with_capacity(2 * BLOCK_BYTES),
            seal,
            numbers: BTreeMap::new(),
            summary: CrashLogSummary::default(),
            is_over: false,
            error: None,
        })
    }

    fn put(&mut self, event: Event, data: &[u8]) {
        if self.is_over {
            return;
        }
        self.summary.count(&event);
        let events = std::mem::take(&mut self.events);
        let put = postcard::to_extend(&event, events);
        match put {
            Ok(mut events) => {
                events.extend_from_slice(data);
                self.events = events;
            }
            Err(why) => self.fail(io::Error::other(why)),
        }
        if self.events.len() >= BLOCK_BYTES {
            self.write_out();
        }
    }

    fn fail(&mut self, why: io::Error) {
        self.is_over = true;
        self.error.get_or_insert(why);
    }

    /// Says sectors that were there before the log began.
    pub(crate) fn base(&mut self, sector: u64, data: &[u8]) {
        let sectors = (data.len() as u64 / SECTOR_BYTES) as u32;
        self.put(Event::Base { sector, sectors }, data);
    }

    /// All that was there before is said.
    ///
    /// # Errors
    /// When it could not be written.
    pub(crate) fn begun(&mut self) -> io::Result<()> {
        self.put(Event::Begun, &[]);
        self.write_out();
        self.error.take().map_or(Ok(()), Err)
    }

    /// True if nothing is recorded any more.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Writes the events so far to the file.
    fn write_out(&mut self) {
        if self.events.is_empty() || self.is_over {
            return;
        }
        let packed = self.packer.compress(&self.events);
        let written = packed.and_then(|packed| {
            format::write_block(&mut self.file, &self.events, &packed, self.seal)
        });
        self.events.clear();
        match written {
            Ok(seal) => self.seal = seal,
            Err(why) => self.fail(why),
        }
    }

    /// A write is submitted.
    pub(crate) fn given(&mut self, id: CommandId) {
        self.summary.writes += 1;
        self.numbers.insert(id, self.summary.writes);
    }

    /// A command is over.
    pub(crate) fn ended(&mut self, id: CommandId) {
        self.numbers.remove(&id);
    }

    /// Sectors of a slot are written by a command. With `waits` they stay in a buffer, and the host may have its
    /// answer.
    pub(crate) fn wrote(&mut self, id: CommandId, slot: u32, first: u32, waits: bool, data: &[u8]) {
        let event = Event::Wrote {
            at_ns: (self.clock)(),
            command: self
                .numbers
                .get(&id)
                .copied()
                .unwrap_or(self.summary.writes),
            slot,
            first,
            sectors: (data.len() as u64 / SECTOR_BYTES) as u32,
            waits,
        };
        self.put(event, data);
    }

    pub(crate) fn withdrawn(&mut self, slot: u32) {
        self.put(Event::Withdrawn { slot }, &[]);
    }

    /// The layer was asked something, of slots that held something `before`; by that, what slots held before is gone.
    pub(crate) fn followed(
        &mut self,
        input: LayerInput,
        taken: bool,
        before: &[(u32, u32)],
        gone: &[u32],
    ) {
        let at_ns = (self.clock)();
        match input {
            LayerInput::Write(write) if taken => self.put(Event::Handed { slot: write.lpn.0 }, &[]),
            LayerInput::Trim(lpn, slots) => {
                for &(slot, _) in before {
                    self.put(Event::GivenUp { at_ns, slot }, &[]);
                }
                let slot = lpn.0;
                self.put(Event::Trimmed { at_ns, slot, slots }, &[]);
            }
            LayerInput::SecureErase => self.put(Event::Erased { at_ns }, &[]),
            _ => {}
        }
        for &slot in gone {
            self.put(Event::Gone { slot }, &[]);
        }
    }

    /// Notes that the data of a slot that were handed on are in the cells.
    pub(crate) fn programmed(&mut self, slot: u32) {
        self.put(Event::Programmed { slot }, &[]);
    }

    /// The newest of sectors is on the platter of a disk.
    pub(crate) fn settled(&mut self, slot: u32, slots: u32) {
        self.put(Event::Settled { slot, slots }, &[]);
    }

    pub(crate) fn all_programmed(&mut self) {
        self.put(Event::AllProgrammed, &[]);
    }

    /// The host asks for a flush. Its answer is sent only when the log's file has everything before it.
    pub(crate) fn flush(&mut self) {
        let at_ns = (self.clock)();
        self.put(Event::Flush { at_ns }, &[]);
        self.write_out();
    }

    pub(crate) fn mark(&mut self, text: &str) {
        let event = Event::Marked {
            at_ns: (self.clock)(),
            bytes: text.len() as u32,
        };
        self.put(event, text.as_bytes());
        self.write_out();
    }

    /// Nothing is said from now on.
    pub(crate) fn end(&mut self, by_cut: bool) {
        self.put(Event::Ended { by_cut }, &[]);
        self.write_out();
        self.summary.ended_by_cut = by_cut;
        self.is_over = true;
    }

    pub(crate) fn finish(mut self) -> io::Result<CrashLogSummary> {
        if !self.is_over {
            self.end(false);
        }
        match self.error.take() {
            Some(why) => Err(why),
            None => self.file.sync_all().map(|()| self.summary),
        }
    }
}
