//! The frame around what stands at the front of a file: magic 8, format 4, bytes that follow 4, checksum 8, and these bytes.

use crate::error::Wrong;
use crate::storage::Storage;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Bytes before the body.
pub(crate) const HEAD_BYTES: usize = 24;
const CHECKSUM_AT: usize = 16;

/// A kind of frame.
pub(crate) struct Frame {
    pub(crate) magic: [u8; 8],
    pub(crate) format: u32,
    pub(crate) body_bytes_max: u64,
    /// Message for a body that is longer.
    pub(crate) too_long: &'static str,
    /// Error for a damaged body.
    pub(crate) damaged: fn(String) -> Wrong,
}

impl Frame {
    /// The bytes of a frame around a body.
    pub(crate) fn around(&self, body: &impl Serialize) -> io::Result<Vec<u8>> {
        let body = postcard::to_stdvec(body).map_err(io::Error::other)?;
        if body.len() as u64 > self.body_bytes_max {
            return Err(io::Error::other(self.too_long));
        }
        let mut bytes = vec![0; HEAD_BYTES];
        bytes[..8].copy_from_slice(&self.magic);
        bytes[8..12].copy_from_slice(&self.format.to_le_bytes());
        bytes[12..16].copy_from_slice(&(body.len() as u32).to_le_bytes());
        let sum = checksum(&bytes, &body);
        bytes[CHECKSUM_AT..].copy_from_slice(&sum.to_le_bytes());
        bytes.extend(body);
        Ok(bytes)
    }

    /// Reads a body; nothing, if another magic number stands there.
    pub(crate) fn read<T: DeserializeOwned>(
        &self,
        storage: &dyn Storage,
        place: u64,
    ) -> Result<Option<T>, Wrong> {
        let mut head = [0; HEAD_BYTES];
        let read = storage.read_at(place, &mut head);
        read.map_err(Wrong::Unreadable)?;
        if head[..8] != self.magic {
            return Ok(None);
        }
        let word = |at: usize| u32::from_le_bytes(head[at..at + 4].try_into().expect("four bytes"));
        let (format, bytes) = (word(8), word(12));
        if format != self.format {
            return Err(Wrong::Format {
                found: format,
                read: self.format,
            });
        }
        let damaged = |why: &str| (self.damaged)(why.to_owned());
        // The length is checked before it is allocated: a damaged frame must not take all memory.
        if u64::from(bytes) > self.body_bytes_max {
            return Err(damaged("its length is impossible"));
        }
        let mut body = vec![0; bytes as usize];
        let read = storage.read_at(place + HEAD_BYTES as u64, &mut body);
        read.map_err(Wrong::Unreadable)?;
        let sum = u64::from_le_bytes(head[CHECKSUM_AT..].try_into().expect("eight bytes"));
        if checksum(&head, &body) != sum {
            return Err(damaged("its checksum is wrong"));
        }
        let body = postcard::from_bytes(&body);
        body.map(Some).map_err(|why| damaged(&why.to_string()))
    }
}

fn checksum(head: &[u8], body: &[u8]) -> u64 {
    xxh3_64_with_seed(body, xxh3_64(&head[..CHECKSUM_AT]))
}
