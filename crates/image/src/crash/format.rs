//! Format of a crash log: a header, and blocks of events.

pub(super) use ftlab_sheet::magic::CRASH_LOG as MAGIC;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use xxhash_rust::xxh3::xxh3_64_with_seed;

pub(super) const FORMAT: u32 = 2;
/// Magic, format, length of the body, seal.
pub(super) const HEAD_BYTES: usize = 24;
/// The most a header's body may have.
pub(super) const HEADER_BYTES_MAX: usize = 1 << 16;
/// Length of the events, length as they are stored, seal of these two, seal of everything.
pub(super) const BLOCK_HEAD_BYTES: usize = 24;
/// Bytes of events that make a block.
pub(super) const BLOCK_BYTES: usize = 1 << 18;
/// The most a block may have: the events of one write come together.
pub(super) const BLOCK_BYTES_MAX: usize = 1 << 24;
/// The most a mark may have.
pub(crate) const MARK_BYTES_MAX: usize = 4096;

/// Description of a log's drive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrashHeader {
    /// Version of ftlab that wrote it.
    pub version: String,
    /// Slug of the drive in the catalogue.
    pub drive: String,
    /// The name it was sold under.
    pub name: String,
    /// Bytes the host can address.
    pub capacity_bytes: u64,
    /// Bytes of a slot: what a cut leaves new, old or torn.
    pub slot_bytes: u64,
    /// Bytes that are written as a whole or not at all.
    pub atomic_bytes: u64,
    /// True if a power cut takes nothing that was acknowledged.
    pub keeps_its_buffer: bool,
    /// Beginning of the log, in nanoseconds since 1970.
    pub began_unix_ns: u64,
}

/// An event of the drive. Times are in nanoseconds since the log began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Event {
    /// Sectors that were there before; their data follow.
    Base { sector: u64, sectors: u32 },
    /// Everything that was there before has been said.
    Begun,
    /// Sectors were written, from one of a slot on; their data follow. Either they wait in the buffer, and the host
    /// may have its answer, or they are about to be handed on.
    Wrote {
        at_ns: u64,
        command: u64,
        slot: u32,
        first: u32,
        sectors: u32,
        waits: bool,
    },
    /// The buffered data of a slot are discarded, and not written.
    Withdrawn { slot: u32 },
    /// The newest data of a slot are being programmed.
    Handed { slot: u32 },
    /// The older version of a slot is erased.
    Gone { slot: u32 },
    /// The data of a slot that were handed on are in the cells.
    Programmed { slot: u32 },
    /// All data that were handed on are in the cells.
    AllProgrammed,
    /// The newest data of sectors of a disk are on its platter.
    Settled { slot: u32, slots: u32 },
    /// A slot that is about to be given up holds something, and may come back.
    GivenUp { at_ns: u64, slot: u32 },
    /// Slots were given up.
    Trimmed { at_ns: u64, slot: u32, slots: u32 },
    /// The whole drive was erased.
    Erased { at_ns: u64 },
    /// The host asks for a flush; nothing is done yet.
    Flush { at_ns: u64 },
    /// Somebody says how far he has come; the text follows.
    Marked { at_ns: u64, bytes: u32 },
    /// It ends in order, or at a power cut.
    Ended { by_cut: bool },
}

impl Event {
    /// Length of the data behind the event, in bytes.
    pub(super) fn data_bytes(&self, sector_bytes: usize) -> usize {
        match *self {
            Event::Base { sectors, .. } | Event::Wrote { sectors, .. } => {
                sectors as usize * sector_bytes
            }
            Event::Marked { bytes, .. } => bytes as usize,
            _ => 0,
        }
    }

    /// True if a cut behind the event may leave another state than one before it.
    pub(super) fn is_point(&self) -> bool {
        match self {
            Event::Wrote { waits, .. } => *waits,
            Event::Handed { .. }
            | Event::Programmed { .. }
            | Event::AllProgrammed
            | Event::Settled { .. }
            | Event::Trimmed { .. }
            | Event::Erased { .. }
            | Event::Flush { .. }
            | Event::Marked { .. } => true,
            Event::Base { .. }
            | Event::Begun
            | Event::Withdrawn { .. }
            | Event::Gone { .. }
            | Event::GivenUp { .. }
            | Event::Ended { .. } => false,
        }
    }

    /// Time of the event, if it has one.
    pub(super) fn at_ns(&self) -> Option<u64> {
        match *self {
            Event::Wrote { at_ns, .. }
            | Event::GivenUp { at_ns, .. }
            | Event::Trimmed { at_ns, .. }
            | Event::Erased { at_ns }
            | Event::Flush { at_ns }
            | Event::Marked { at_ns, .. } => Some(at_ns),
            _ => None,
        }
    }
}

/// The header as it is stored, and its seal, which the first block names.
pub(super) fn header(header: &CrashHeader) -> io::Result<(Vec<u8>, u64)> {
    let body = postcard::to_stdvec(header).map_err(io::Error::other)?;
    let mut bytes = MAGIC.to_vec();
    bytes.extend(FORMAT.to_le_bytes());
    bytes.extend((body.len() as u32).to_le_bytes());
    let seal = seal(&body, &bytes, 0);
    bytes.extend(seal.to_le_bytes());
    bytes.extend(body);
    Ok((bytes, seal))
}

/// The seal of a body with what stands before it, behind something that has a seal.
pub(super) fn seal(body: &[u8], head: &[u8], before: u64) -> u64 {
    xxh3_64_with_seed(body, xxh3_64_with_seed(head, before))
}

/// Writes a block; gives its seal.
pub(super) fn write_block(
    to: &mut impl Write,
    events: &[u8],
    packed: &[u8],
    before: u64,
) -> io::Result<u64> {
    let mut block = Vec::with_capacity(BLOCK_HEAD_BYTES + packed.len());
    block.extend((events.len() as u32).to_le_bytes());
    block.extend((packed.len() as u32).to_le_bytes());
    block.extend(xxh3_64_with_seed(&block, before).to_le_bytes());
    let seal = seal(packed, &block, before);
    block.extend(seal.to_le_bytes());
    block.extend(packed);
    to.write_all(&block)?;
    Ok(seal)
}
