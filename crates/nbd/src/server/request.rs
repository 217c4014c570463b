//! A request on its way through an export.

use super::outbox::{Buffer, Outbox, Reply};
use crate::protocol::constants::{NBD_CMD_FLAG_FAST_ZERO, NBD_CMD_FLAG_FUA, NBD_CMD_FLAG_NO_HOLE};
use crate::protocol::{Command, NbdError, RequestHeader, reply};
use std::sync::Arc;
use std::time::Instant;

/// A request, checked, with its data, and the way back to the client.
///
/// It is answered once: by [`Request::complete`], or with an input/output error when it is dropped.
#[derive(Debug)]
pub struct Request {
    outbox: Arc<Outbox>,
    header: RequestHeader,
    command: Command,
    structured: bool,
    buffer: Buffer,
    arrived_at: Instant,
    is_answered: bool,
}

impl Request {
    pub(super) fn new(
        outbox: &Arc<Outbox>,
        header: RequestHeader,
        command: Command,
        structured: bool,
        buffer: Buffer,
        arrived_at: Instant,
    ) -> Request {
        Request {
            outbox: Arc::clone(outbox),
            header,
            command,
            structured,
            buffer,
            arrived_at,
            is_answered: false,
        }
    }

    /// Command of the request. Never [`Command::BlockStatus`], which exports answer by
    /// [`Export::block_status`](super::Export::block_status).
    #[must_use]
    pub fn command(&self) -> Command {
        self.command
    }

    /// Start in the export, in bytes. Zero for a flush.
    #[must_use]
    pub fn offset_bytes(&self) -> u64 {
        self.header.offset_bytes
    }

    /// Length in bytes. Zero for a flush.
    #[must_use]
    pub fn length_bytes(&self) -> u32 {
        self.header.length_bytes
    }

    /// True if the written data must be safe before completion.
    #[must_use]
    pub fn fua(&self) -> bool {
        self.header.flags & NBD_CMD_FLAG_FUA != 0
    }

    /// True if zeroes must be stored, so that later writes there cannot lack space.
    #[must_use]
    pub fn no_hole(&self) -> bool {
        self.header.flags & NBD_CMD_FLAG_NO_HOLE != 0
    }

    /// True if zeroes are wanted only if they are faster than a write, and [`NbdError::NotSup`] otherwise.
    #[must_use]
    pub fn fast_zero(&self) -> bool {
        self.header.flags & NBD_CMD_FLAG_FAST_ZERO != 0
    }

    /// Instant at which the whole request had arrived.
    #[must_use]
    pub fn arrived_at(&self) -> Instant {
        self.arrived_at
    }

    /// The data of a write.
    #[must_use]
    pub fn data(&self) -> &[u8] {
        self.buffer.bytes()
    }

    /// Buffer for the data of a read. All of it must be filled: it holds the bytes of an earlier request of the
    /// same client.
    #[must_use]
    pub fn data_mut(&mut self) -> &mut [u8] {
        self.buffer.bytes_mut()
    }

    /// Answers the client. The call does not wait for it.
    pub fn complete(mut self, result: Result<(), NbdError>) {
        self.answer(result, false);
    }

    fn answer(&mut self, result: Result<(), NbdError>, more_follow: bool) {
        self.is_answered = true;
        let RequestHeader {
            cookie,
            offset_bytes,
            length_bytes,
            ..
        } = self.header;
        let buffer = std::mem::take(&mut self.buffer);
        let reads = self.command == Command::Read && result.is_ok();
        let head = match result {
            Err(error) => reply::error(self.structured, cookie, error),
            Ok(()) if reads => reply::data(self.structured, cookie, offset_bytes, length_bytes),
            Ok(()) => reply::done(self.structured, cookie),
        };
        let reply = Reply {
            head,
            admitted_bytes: buffer.bytes().len(),
            buffer,
            sends_buffer: reads,
        };
        self.outbox.push(reply, more_follow);
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        if !self.is_answered {
            self.answer(Err(NbdError::Io), false);
        }
    }
}

/// Completes several requests at once: the answers to one client go out with one call, when this is
/// dropped.
#[derive(Debug, Default)]
pub struct Completions {
    outboxes: Vec<Arc<Outbox>>,
}

impl Completions {
    /// Answers a client, soon.
    pub fn complete(&mut self, mut request: Request, result: Result<(), NbdError>) {
        let is_of = |outbox: &Arc<Outbox>| Arc::ptr_eq(outbox, &request.outbox);
        if !self.outboxes.iter().any(is_of) {
            self.outboxes.push(Arc::clone(&request.outbox));
        }
        request.answer(result, true);
    }
}

impl Drop for Completions {
    fn drop(&mut self) {
        for outbox in &self.outboxes {
            outbox.flush();
        }
    }
}
