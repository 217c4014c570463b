//! A request to a drive, and the way back to the client.

use ftlab_base::SECTOR_BYTES;
use ftlab_drive::faults;
use ftlab_nbd::{Command, Completions, NbdError, Request};
use std::ops::Range;
use std::time::Instant;

/// Operation of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Reads data from the drive.
    Read,
    /// Writes data to the drive.
    Write,
    /// Have zeroes read there from now on.
    Zero {
        /// They must be stored, so that a later write cannot lack room.
        no_hole: bool,
        /// They are wanted only if that is faster than a write.
        fast: bool,
    },
    /// The data are no longer needed.
    Trim,
    /// Everything that was answered must be safe.
    Flush,
    /// The data will be needed soon.
    Cache,
}

/// Called with the data of a read, or with what was written.
pub type Answer = Box<dyn FnOnce(Result<Vec<u8>, NbdError>) + Send>;

/// The sender of a request.
enum Client {
    /// A client of the network block device; its buffer is the request's.
    Nbd(Request),
    /// Somebody in this process, and the buffer.
    Local(Vec<u8>, Answer),
}

/// Something asked of a drive.
pub struct IoRequest {
    operation: Operation,
    /// Range in sectors, within the drive; without meaning for a flush.
    range: Range<u64>,
    fua: bool,
    arrived_at: Instant,
    client: Client,
}

impl From<Request> for IoRequest {
    fn from(request: Request) -> IoRequest {
        let operation = match request.command() {
            Command::Read => Operation::Read,
            Command::Write => Operation::Write,
            Command::WriteZeroes => Operation::Zero {
                no_hole: request.no_hole(),
                fast: request.fast_zero(),
            },
            Command::Trim => Operation::Trim,
            Command::Flush => Operation::Flush,
            // The other is never submitted.
            Command::Cache | Command::BlockStatus => Operation::Cache,
        };
        let first = request.offset_bytes() / SECTOR_BYTES;
        IoRequest {
            operation,
            range: first..first + u64::from(request.length_bytes()) / SECTOR_BYTES,
            fua: request.fua(),
            arrived_at: request.arrived_at(),
            client: Client::Nbd(request),
        }
    }
}

impl IoRequest {
    /// Asks from within this process. `buffer` holds what is to be written, or is as long as what is to
    /// be read. The range is in sectors and lies within the drive: the caller checks.
    ///
    /// # Panics
    /// When a read or a write has a buffer of another length than its range, or nothing is asked for.
    #[must_use]
    pub fn local(
        operation: Operation,
        range: Range<u64>,
        fua: bool,
        buffer: Vec<u8>,
        answer: Answer,
    ) -> IoRequest {
        if matches!(operation, Operation::Read | Operation::Write) {
            let bytes = (range.end - range.start) * SECTOR_BYTES;
            assert_eq!(buffer.len() as u64, bytes, "the buffer of {operation:?}");
        }
        let is_whole = matches!(operation, Operation::Flush | Operation::Cache);
        assert!(is_whole || !range.is_empty(), "{operation:?} of nothing");
        IoRequest {
            operation,
            range,
            fua,
            arrived_at: Instant::now(),
            client: Client::Local(buffer, answer),
        }
    }

    pub(super) fn operation(&self) -> Operation {
        self.operation
    }

    /// Sectors that it covers, counted from the start of the drive.
    pub(super) fn range(&self) -> Range<u64> {
        self.range.clone()
    }

    pub(super) fn fua(&self) -> bool {
        self.fua
    }

    pub(super) fn arrived_at(&self) -> Instant {
        self.arrived_at
    }

    /// Data to write for a part of the range.
    pub(super) fn part(&self, of: &Range<u64>) -> &[u8] {
        let bytes = self.bytes_of(of);
        match &self.client {
            Client::Nbd(request) => &request.data()[bytes],
            Client::Local(buffer, _) => &buffer[bytes],
        }
    }

    /// Buffer of a read for a part of the range.
    pub(super) fn part_mut(&mut self, of: &Range<u64>) -> &mut [u8] {
        let bytes = self.bytes_of(of);
        match &mut self.client {
            Client::Nbd(request) => &mut request.data_mut()[bytes],
            Client::Local(buffer, _) => &mut buffer[bytes],
        }
    }

    /// Its data go elsewhere, to this sector and those behind it.
    pub(super) fn land_at(&mut self, sector: u64) {
        self.range = sector..sector + (self.range.end - self.range.start);
    }

    /// Flips a bit of its data, if it has any.
    pub(super) fn flip(&mut self, draw: u64) {
        let whole = self.range();
        if matches!(self.operation, Operation::Read | Operation::Write) {
            faults::flip(draw, self.part_mut(&whole));
        }
    }

    fn bytes_of(&self, part: &Range<u64>) -> Range<usize> {
        let byte = |sector| ((sector - self.range.start) * SECTOR_BYTES) as usize;
        byte(part.start)..byte(part.end)
    }

    /// Answers, as one of several.
    pub(super) fn answer_with(self, answers: &mut Completions, result: Result<(), NbdError>) {
        match self.client {
            Client::Nbd(request) => answers.complete(request, result),
            Client::Local(buffer, answer) => answer(result.map(|()| buffer)),
        }
    }

    /// Sends the answer to the client.
    pub(super) fn answer(self, result: Result<(), NbdError>) {
        match self.client {
            Client::Nbd(request) => request.complete(result),
            Client::Local(buffer, answer) => answer(result.map(|()| buffer)),
        }
    }
}
