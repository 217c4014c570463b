//! Replies to requests: what precedes their data, written by the server and read by a client.

use super::constants::{
    NBD_REPLY_FLAG_DONE, NBD_REPLY_TYPE_BLOCK_STATUS, NBD_REPLY_TYPE_ERROR, NBD_REPLY_TYPE_NONE,
    NBD_REPLY_TYPE_OFFSET_DATA, NBD_SIMPLE_REPLY_MAGIC, NBD_STRUCTURED_REPLY_MAGIC,
};
use super::wire::Reader;
use super::{BASE_ALLOCATION_ID, Extent, NbdError};

/// Bytes of a chunk's header.
const CHUNK_BYTES: usize = 20;

/// The most bytes of an error's words for people.
const MESSAGE_BYTES_MAX: usize = 32;

/// The longest head: an error's chunk with its number and message.
const HEAD_BYTES_MAX: usize = CHUNK_BYTES + 6 + MESSAGE_BYTES_MAX;

/// Header of a reply.
#[derive(Debug, Clone, Copy)]
pub struct Head {
    bytes: [u8; HEAD_BYTES_MAX],
    count: usize,
}

impl Head {
    /// The bytes to send.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.count]
    }

    fn empty() -> Head {
        Head {
            bytes: [0; HEAD_BYTES_MAX],
            count: 0,
        }
    }

    fn push(mut self, bytes: &[u8]) -> Head {
        self.bytes[self.count..self.count + bytes.len()].copy_from_slice(bytes);
        self.count += bytes.len();
        self
    }

    fn chunk(kind: u16, cookie: u64, payload_bytes: u32) -> Head {
        Head::empty()
            .push(&NBD_STRUCTURED_REPLY_MAGIC.to_be_bytes())
            .push(&NBD_REPLY_FLAG_DONE.to_be_bytes())
            .push(&kind.to_be_bytes())
            .push(&cookie.to_be_bytes())
            .push(&payload_bytes.to_be_bytes())
    }

    fn simple(cookie: u64, error: u32) -> Head {
        Head::empty()
            .push(&NBD_SIMPLE_REPLY_MAGIC.to_be_bytes())
            .push(&error.to_be_bytes())
            .push(&cookie.to_be_bytes())
    }
}

/// Header of the reply with the data of a read: one chunk of the whole, which is what `NBD_CMD_FLAG_DF` asks
/// for.
///
/// # Panics
/// If the data are more than 2³² − 9 bytes, which no request may ask for.
#[must_use]
pub fn data(structured: bool, cookie: u64, offset_bytes: u64, length_bytes: u32) -> Head {
    if !structured {
        return Head::simple(cookie, 0);
    }
    let payload = length_bytes.checked_add(8).expect("a read is bounded");
    let head = Head::chunk(NBD_REPLY_TYPE_OFFSET_DATA, cookie, payload);
    head.push(&offset_bytes.to_be_bytes())
}

/// The reply to a request that was carried out and returns nothing.
#[must_use]
pub fn done(structured: bool, cookie: u64) -> Head {
    match structured {
        true => Head::chunk(NBD_REPLY_TYPE_NONE, cookie, 0),
        false => Head::simple(cookie, 0),
    }
}

/// The reply to a request that failed, with words for people where there is room for them.
#[must_use]
pub fn error(structured: bool, cookie: u64, error: NbdError) -> Head {
    if !structured {
        return Head::simple(cookie, error.code());
    }
    let text = error.to_string();
    let text = &text.as_bytes()[..text.len().min(MESSAGE_BYTES_MAX)];
    Head::chunk(NBD_REPLY_TYPE_ERROR, cookie, 6 + text.len() as u32)
        .push(&error.code().to_be_bytes())
        .push(&(text.len() as u16).to_be_bytes())
        .push(text)
}

/// Header and payload of the reply with the extents of `base:allocation`.
#[must_use]
pub fn block_status(cookie: u64, extents: &[Extent]) -> (Head, Vec<u8>) {
    let payload = 4 + 8 * extents.len() as u32;
    let head = Head::chunk(NBD_REPLY_TYPE_BLOCK_STATUS, cookie, payload);
    let mut bytes = Vec::with_capacity(8 * extents.len());
    for extent in extents {
        bytes.extend_from_slice(&extent.length_bytes.to_be_bytes());
        bytes.extend_from_slice(&extent.flags.to_be_bytes());
    }
    (head.push(&BASE_ALLOCATION_ID.to_be_bytes()), bytes)
}

/// The first part of a reply, as a client reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reply {
    /// A reply without structure. The data of a read follow if there is no error.
    Simple {
        /// Cookie of the request.
        cookie: u64,
        /// Error, `NBD_E*`; zero if there is none.
        error: u32,
    },
    /// A chunk of a structured reply. Its payload follows.
    Chunk {
        /// Cookie of the request that it belongs to.
        cookie: u64,
        /// Flags, `NBD_REPLY_FLAG_*`; the last chunk has `DONE`.
        flags: u16,
        /// Type, `NBD_REPLY_TYPE_*`, which gives the payload its shape.
        kind: u16,
        /// Length of the payload, in bytes.
        payload_bytes: u32,
    },
}

/// Reads the first part of a reply, and how many bytes it took; nothing when bytes are missing or
/// begin with no magic number of a reply.
#[must_use]
pub fn decode(bytes: &[u8]) -> Option<(Reply, usize)> {
    let mut reader = Reader(bytes);
    let reply = match reader.u32()? {
        NBD_SIMPLE_REPLY_MAGIC => {
            let error = reader.u32()?;
            let cookie = reader.u64()?;
            Reply::Simple { cookie, error }
        }
        NBD_STRUCTURED_REPLY_MAGIC => {
            let (flags, kind) = (reader.u16()?, reader.u16()?);
            Reply::Chunk {
                flags,
                kind,
                cookie: reader.u64()?,
                payload_bytes: reader.u32()?,
            }
        }
        _ => return None,
    };
    Some((reply, bytes.len() - reader.0.len()))
}
