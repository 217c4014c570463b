//! What makes a file a saved state, and finds out when it is not one any more.

use super::{FORMAT, SavedError};
use crate::magic::SAVED_STATE as MAGIC;
use crc::{CRC_64_XZ, Crc, Table};
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

/// The most that a state may be unpacked, a sector of the drive and beside. Tables take a few bytes
/// for each of the slots, which have eight sectors at least.
const BYTES_A_SECTOR_MAX: u64 = 16;
const BYTES_BESIDE_MAX: u64 = 1 << 24;

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

/// What a file holds, one value after the other.
pub struct Unpacked<'a> {
    from: Take<BufReader<FrameDecoder<&'a [u8]>>>,
    scratch: Vec<u8>,
}

/// The longest text in an origin. What is longer is no state.
const SCRATCH_BYTES: usize = 1 << 16;

impl<'a> Unpacked<'a> {
    /// Unpacks the state of a drive of that size at most.
    pub fn new(payload: &'a [u8], capacity_sectors: u64) -> Self {
        let limit = capacity_sectors
            .saturating_mul(BYTES_A_SECTOR_MAX)
            .saturating_add(BYTES_BESIDE_MAX);
        Unpacked {
            from: BufReader::new(FrameDecoder::new(payload)).take(limit),
            scratch: vec![0; SCRATCH_BYTES],
        }
    }

    /// The next value.
    pub fn next<T: DeserializeOwned>(&mut self) -> Result<T, SavedError> {
        let read = postcard::from_io((&mut self.from, &mut self.scratch));
        let (value, _) = read.map_err(|why| SavedError::Senseless(why.to_string()))?;
        Ok(value)
    }

    /// That nothing is left.
    pub fn finish(mut self) -> Result<(), SavedError> {
        let senseless = |why: String| Err(SavedError::Senseless(why));
        match self.from.read(&mut [0]) {
            Ok(0) => Ok(()),
            Ok(_) => senseless("something follows the state".into()),
            Err(why) => senseless(why.to_string()),
        }
    }
}
