//! What makes a file a saved state, and finds out when it is not one any more.

use super::{FORMAT, SavedError};
use crc::{CRC_64_XZ, Crc, Table};
use ftlab_sheet::magic::SAVED_STATE as MAGIC;
use lz4_flex::frame::{FrameDecoder, FrameEncoder};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::{BufReader, Read, Take};

/// Magic, format, length, checksum.
const HEAD_BYTES: usize = 8 + 4 + 8 + 8;

/// Where the checksum begins.
const CHECKSUM_AT: usize = HEAD_BYTES - 8;

/// Finds every error in one place of up to 64 bits, and misses one in 2^64 of others.
const CHECKSUM: Crc<u64, Table<16>> = Crc::<u64, Table<16>>::new(&CRC_64_XZ);

/// The bytes of a file that holds `content`.
pub fn write(content: &impl Serialize) -> Vec<u8> {
    let mut bytes = vec![0; HEAD_BYTES];
    let packer = FrameEncoder::new(&mut bytes);
    let packer = postcard::to_io(content, packer).expect("memory takes everything");
    packer.finish().expect("memory takes everything");
    let follows = (bytes.len() - HEAD_BYTES) as u64;
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..12].copy_from_slice(&FORMAT.to_le_bytes());
    bytes[12..CHECKSUM_AT].copy_from_slice(&follows.to_le_bytes());
    let checksum = checksum(&bytes[..CHECKSUM_AT], &bytes[HEAD_BYTES..]);
    bytes[CHECKSUM_AT..HEAD_BYTES].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

/// What follows the head of a file that is whole.
pub fn read(from: &mut dyn Read) -> Result<Vec<u8>, SavedError> {
    let mut head = Vec::new();
    from.take(HEAD_BYTES as u64).read_to_end(&mut head)?;
    if !head.starts_with(&MAGIC) {
        return Err(SavedError::Foreign);
    }
    let short = |want| SavedError::Length {
        have: head.len() as u64,
        want,
    };
    let found = head.get(8..12).ok_or_else(|| short(HEAD_BYTES as u64))?;
    let found = u32::from_le_bytes(found.try_into().expect("four bytes"));
    if found != FORMAT {
        return Err(SavedError::Format { found });
    }
    let rest = head
        .get(12..HEAD_BYTES)
        .ok_or_else(|| short(HEAD_BYTES as u64))?;
    let word = |at: usize| u64::from_le_bytes(rest[at..at + 8].try_into().expect("eight bytes"));
    let (follows, sum) = (word(0), word(8));
    let mut payload = Vec::new();
    from.take(follows.saturating_add(1))
        .read_to_end(&mut payload)?;
    if payload.len() as u64 != follows {
        let have = (HEAD_BYTES + payload.len()) as u64;
        let want = follows.saturating_add(HEAD_BYTES as u64);
        return Err(SavedError::Length { have, want });
    }
    if checksum(&head[..CHECKSUM_AT], &payload) != sum {
        return Err(SavedError::Checksum);
    }
    Ok(payload)
}

fn checksum(head: &[u8], payload: &[u8]) -> u64 {
    let mut digest = CHECKSUM.digest();
    digest.update(head);
    digest.update(payload);
    digest.finalize()
}

/// What is packed somewhere, one value after the other. No value takes more memory than its reader allows,
/// whatever the bytes say: packed well, a few of them stand for gigabytes.
#[derive(Debug)]
pub struct Unpacked<R: Read> {
    from: Take<BufReader<FrameDecoder<R>>>,
    scratch: Vec<u8>,
}

/// The longest text in an origin. What is longer is no state.
const SCRATCH_BYTES: usize = 1 << 16;

impl<R: Read> Unpacked<R> {
    /// Unpacks what comes from there.
    pub fn new(from: R) -> Self {
        Unpacked {
            from: BufReader::new(FrameDecoder::new(from)).take(0),
            scratch: vec![0; SCRATCH_BYTES],
        }
    }

    /// The next value, which takes `bytes_max` at most.
    ///
    /// # Errors
    /// When there is none, or it takes more.
    pub fn next<T: DeserializeOwned>(&mut self, bytes_max: u64) -> Result<T, SavedError> {
        self.from.set_limit(bytes_max);
        let read = postcard::from_io((&mut self.from, &mut self.scratch));
        let read = read.map(|(value, _)| value).map_err(|why| why.to_string());
        read.map_err(|why| {
            SavedError::Senseless(match self.from.limit() {
                0 => format!(
                    "unpacked, it has more than the {bytes_max} bytes that the drive can need"
                ),
                _ => why,
            })
        })
    }

    /// That nothing is left.
    ///
    /// # Errors
    /// When something is.
    pub fn finish(mut self) -> Result<(), SavedError> {
        self.from.set_limit(1);
        let senseless = |why: String| Err(SavedError::Senseless(why));
        match self.from.read(&mut [0]) {
            Ok(0) => Ok(()),
            Ok(_) => senseless("something follows the state".into()),
            Err(why) => senseless(why.to_string()),
        }
    }
}
