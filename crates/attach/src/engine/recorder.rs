//! Records the commands of an attached drive as a trace, each at the instant at which its request arrived.

use super::pieces::{DATA_SECTORS_MAX, Pieces};
use super::request::IoRequest;
use ftlab_base::SECTOR_BYTES;
use ftlab_trace::{DeviceId, Event, Record, ToBlktrace};
use std::fs::File;
use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Bytes that are written at a time.
const CHUNK_BYTES: usize = 1 << 16;

/// The numbers of the recorded device: the first of `nbd`.
const NUMBERS: (u32, u32) = (43, 0);

/// Records commands to a file, as blktrace would have.
pub struct Recorder {
    began: Instant,
    file: Mutex<Recorded>,
}

struct Recorded {
    file: File,
    encode: ToBlktrace,
    buffer: Vec<u8>,
    commands: u64,
    /// Error that ended the recording.
    error: Option<io::Error>,
}

impl Recorded {
    fn write_out(&mut self) {
        if self.error.is_none()
            && let Err(error) = self.file.write_all(&self.buffer)
        {
            self.error = Some(error);
        }
        self.buffer.clear();
    }
}

impl Recorder {
    /// Records to a file from now on.
    #[must_use]
    pub fn new(file: File) -> Recorder {
        Recorder {
            began: Instant::now(),
            file: Mutex::new(Recorded {
                file,
                encode: ToBlktrace::new(vec![NUMBERS]),
                buffer: Vec::with_capacity(2 * CHUNK_BYTES),
                commands: 0,
                error: None,
            }),
        }
    }

    fn recorded(&self) -> MutexGuard<'_, Recorded> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the commands of a request. A client never waits for the disk more than for this file's cache, and hears
    /// nothing of an error: [`Recorder::finish`] gives that.
    pub(super) fn asked(&self, request: &IoRequest, trim_sectors: Option<u64>) {
        let since = request.arrived_at().saturating_duration_since(self.began);
        let at_ns = u64::try_from(since.as_nanos()).unwrap_or(u64::MAX);
        let pieces = Pieces::of(
            request.operation(),
            request.range(),
            trim_sectors,
            DATA_SECTORS_MAX,
        );
        let mut pieces = pieces.peekable();
        let mut recorded = self.recorded();
        let recorded = &mut *recorded;
        while let Some(piece) = pieces.next() {
            let record = Record::new(at_ns, piece.kind, DeviceId(0));
            let mut record = record.of_bytes(
                piece.range.start * SECTOR_BYTES,
                piece.sectors() * SECTOR_BYTES,
            );
            // The flush of FUA comes behind the last command.
            record.fua = request.fua() && pieces.peek().is_none();
            recorded
                .encode
                .event(Event::Sent, &record, &mut recorded.buffer);
            recorded.commands += 1;
        }
        if recorded.buffer.len() >= CHUNK_BYTES {
            recorded.write_out();
        }
    }

    /// Writes what is left; gives the number of commands.
    ///
    /// # Errors
    /// When something could not be written, then or before.
    pub fn finish(&self) -> io::Result<u64> {
        let mut recorded = self.recorded();
        recorded.write_out();
        match recorded.error.take() {
            Some(error) => Err(error),
            None => recorded.file.sync_all().map(|()| recorded.commands),
        }
    }
}
