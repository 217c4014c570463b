//! Frame of a saved state: it marks a file as one, and shows when it is not one any more.

use super::{FORMAT, SavedError};
use crc::{CRC_64_XZ, Crc, Table};
use ftlab_sheet::magic::SAVED_STATE as MAGIC;
use lz4_flex::frame::{FrameDecoder, FrameEncoder};
use postcard::Deserializer;
use postcard::de_flavors::Flavor;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::{self, ErrorKind, Read};

/// Magic, format, length, checksum.
const HEAD_BYTES: usize = 8 + 4 + 8 + 8;

/// Offset of the checksum in the head.
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

/// Reads a file, and returns what follows its head. Fails as [`whole`] does.
pub fn read(from: &mut dyn Read) -> Result<Vec<u8>, SavedError> {
    let mut bytes = whole(from)?;
    bytes.drain(..HEAD_BYTES);
    Ok(bytes)
}

/// The bytes of a file that is whole, of which no more is read than its head says.
pub fn whole(from: &mut dyn Read) -> Result<Vec<u8>, SavedError> {
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
    // One byte more than announced tells a file that is too long.
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
    head.append(&mut payload);
    Ok(head)
}

fn checksum(head: &[u8], payload: &[u8]) -> u64 {
    let mut digest = CHECKSUM.digest();
    digest.update(head);
    digest.update(payload);
    digest.finalize()
}

/// Reader of packed values, one after the other. No value takes more memory than its reader allows, whatever the bytes
/// say: packed well, a few of them stand for gigabytes.
#[derive(Debug)]
pub struct Unpacked<R: Read> {
    bytes: Bytes<R>,
    scratch: Vec<u8>,
}

/// The longest text in an origin. What is longer is no state.
const SCRATCH_BYTES: usize = 1 << 16;

/// Bytes that are unpacked at a time.
const HANDFUL_BYTES: usize = 1 << 16;

impl<R: Read> Unpacked<R> {
    /// Unpacks what comes from there.
    pub fn new(from: R) -> Self {
        Unpacked {
            bytes: Bytes {
                from: FrameDecoder::new(from),
                handful: vec![0; HANDFUL_BYTES],
                at: 0,
                until: 0,
                end: 0,
                left: 0,
            },
            scratch: vec![0; SCRATCH_BYTES],
        }
    }

    /// The next value, which takes `bytes_max` at most.
    ///
    /// # Errors
    /// When there is none, or it takes more.
    pub fn next<T: DeserializeOwned>(&mut self, bytes_max: u64) -> Result<T, SavedError> {
        self.bytes.allow(bytes_max);
        let source = Source {
            bytes: &mut self.bytes,
            scratch: &mut self.scratch,
        };
        let read = T::deserialize(&mut Deserializer::from_flavor(source));
        read.map_err(|why| {
            SavedError::Senseless(match self.bytes.is_used_up() {
                true => format!(
                    "unpacked, it has more than the {bytes_max} bytes that the drive can need"
                ),
                false => why.to_string(),
            })
        })
    }

    /// Checks that nothing is left.
    ///
    /// # Errors
    /// When something is.
    pub fn finish(mut self) -> Result<(), SavedError> {
        self.bytes.allow(1);
        match self.bytes.is_at_end() {
            Ok(true) => Ok(()),
            Ok(false) => Err(SavedError::Senseless("something follows the state".into())),
            Err(why) => Err(SavedError::Senseless(why.to_string())),
        }
    }
}

/// Bytes as they are unpacked, with a limit on how many may be taken.
#[derive(Debug)]
struct Bytes<R: Read> {
    from: FrameDecoder<R>,
    handful: Vec<u8>,
    /// The next one in the handful, the one behind those that may be taken, and the one behind the last.
    at: usize,
    until: usize,
    end: usize,
    /// Bytes that may be taken beyond the handful.
    left: u64,
}

impl<R: Read> Bytes<R> {
    /// Sets the limit: `bytes` more may be taken from now on.
    fn allow(&mut self, bytes: u64) {
        self.left = bytes;
        self.until = self.at;
        self.allow_of_handful();
    }

    fn allow_of_handful(&mut self) {
        let there = (self.end - self.until) as u64;
        let more = there.min(self.left);
        self.until += more as usize;
        self.left -= more;
    }

    /// Returns true if nothing more may be taken.
    fn is_used_up(&self) -> bool {
        self.at == self.until && self.left == 0
    }

    /// Returns true if no byte follows. Unpacks more of them where the handful has been taken, and fails if that does.
    fn is_at_end(&mut self) -> io::Result<bool> {
        if self.at == self.end {
            self.end = loop {
                match self.from.read(&mut self.handful) {
                    Err(why) if why.kind() == ErrorKind::Interrupted => {}
                    read => break read?,
                }
            };
            (self.at, self.until) = (0, 0);
            self.allow_of_handful();
        }
        Ok(self.at == self.end)
    }

    /// Has one be there that may be taken.
    #[cold]
    fn get_more(&mut self) -> postcard::Result<()> {
        let is_there = !self.is_used_up() && self.is_at_end().is_ok_and(|at_end| !at_end);
        match is_there {
            true => Ok(()),
            false => Err(postcard::Error::DeserializeUnexpectedEnd),
        }
    }

    #[inline]
    fn pop(&mut self) -> postcard::Result<u8> {
        if self.at == self.until {
            self.get_more()?;
        }
        let byte = self.handful[self.at];
        self.at += 1;
        Ok(byte)
    }
}

/// Source that a value is read from. The library's own reader goes through several calls for each byte, and large
/// drives have a hundred million of them.
struct Source<'a, R: Read> {
    bytes: &'a mut Bytes<R>,
    /// Room for what must stay in one piece.
    scratch: &'a mut [u8],
}

impl<'a, R: Read + 'a> Flavor<'a> for Source<'a, R> {
    type Remainder = ();
    type Source = &'a [u8];

    #[inline]
    fn pop(&mut self) -> postcard::Result<u8> {
        self.bytes.pop()
    }

    fn try_take_n(&mut self, count: usize) -> postcard::Result<&'a [u8]> {
        if count > self.scratch.len() {
            return Err(postcard::Error::DeserializeUnexpectedEnd);
        }
        let (taken, rest) = std::mem::take(&mut self.scratch).split_at_mut(count);
        self.scratch = rest;
        for byte in &mut *taken {
            *byte = self.bytes.pop()?;
        }
        Ok(taken)
    }

    fn try_take_n_temp<'b>(&'b mut self, count: usize) -> postcard::Result<&'b [u8]>
    where
        'a: 'b,
    {
        let Some(taken) = self.scratch.get_mut(..count) else {
            return Err(postcard::Error::DeserializeUnexpectedEnd);
        };
        for byte in &mut *taken {
            *byte = self.bytes.pop()?;
        }
        Ok(taken)
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
}
