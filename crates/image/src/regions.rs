//! Layout of the file of an image.
//!
//! ```text
//! header 1 MiB │ checkpoint │ checkpoint │ journal 512 MiB │ journal 512 MiB │ data: places of the array
//! header 1 MiB │ bits │ checkpoint │ checkpoint │ checksums │ data: sectors
//! ```
//!
//! The second line is of a drive without flash. The header's region has two copies of it, and marks.
//! All of it is sparse: what is not written takes no room.

use crate::slot::{OOB_BYTES, Oob};
use crate::storage::{Region, Storage};
use ftlab_base::SECTOR_BYTES;
use ftlab_ftl::TranslationLayer;
use std::io;

/// Bytes of the table of checksums for each sector: two of them.
pub(crate) const ENTRY_BYTES: u64 = 16;
/// Sectors of a chunk of that table: a page of memory.
pub(crate) const CHUNK_SECTORS: u64 = 256;
/// Bytes of the header.
pub(crate) const HEADER_BYTES: u64 = 1 << 20;
/// The most that a checkpoint takes, a sector of the drive and beside: tables take a few bytes for
/// each slot, and a slot is at least eight sectors.
const CHECKPOINT_BYTES_A_SECTOR: u64 = 16;
const CHECKPOINT_BYTES_BESIDE: u64 = 1 << 28;
/// Room for a part of the journal. A checkpoint is due at half of it, and while that is written, the
/// journal goes on in the other region.
const JOURNAL_BYTES: u64 = 512 << 20;
/// A checkpoint takes as long as the drive has slots, so one is due after as many requests: on a large
/// drive after no more than recovery asks again in about a second, on a small one after as many as are worth it.
const REQUESTS_DUE_MOST: u64 = 4_000_000;
const REQUESTS_DUE_LEAST: u64 = 4096;
/// Places begin at a whole page of memory.
const ALIGNMENT: u64 = 1 << 16;
/// A share of 16 bits may say of compressed data that they are a byte shorter than they are.
const ROUNDING_BYTES: u64 = 8;

/// Region of a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Journals {
    /// Its parts lie here in turn.
    pub(crate) regions: [Region; 2],
    /// Requests of the layer in a part after which a checkpoint is due.
    pub(crate) requests_due: u64,
}

impl Journals {
    /// Region of a part.
    pub(crate) fn of(&self, part: u64) -> Region {
        self.regions[(part % 2) as usize]
    }

    /// Requests that they hold at most: each takes a byte at least.
    pub(crate) fn requests_max(&self) -> u64 {
        self.regions.iter().map(|region| region.bytes).sum()
    }
}

/// Layout of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Regions {
    pub(crate) checkpoints: [Region; 2],
    pub(crate) journals: Journals,
    /// For a drive without flash: which parts of the table of checksums are filled in, and that table.
    pub(crate) begun: Region,
    pub(crate) checksums: Region,
    pub(crate) data: Region,
    /// Bytes from one place to the next.
    pub(crate) stride: u64,
}

impl Regions {
    /// For a drive of flash.
    pub(crate) fn of_layer(layer: &dyn TranslationLayer) -> Regions {
        let slot = u64::from(layer.layout().geometry.slot_bytes);
        let place = u64::from(layer.place_bytes());
        let rounding = if place < slot { ROUNDING_BYTES } else { 0 };
        let stride = place + OOB_BYTES as u64 + rounding;
        // The slot that begins at the last place may be longer than that.
        let bytes = u64::from(layer.places()) * stride + slot;
        let sectors = u64::from(layer.slots()) * slot / SECTOR_BYTES;
        let mut regions = Self::around(sectors, [0, JOURNAL_BYTES, 0, bytes], stride);
        let slots = u64::from(layer.slots());
        regions.journals.requests_due = slots.clamp(REQUESTS_DUE_LEAST, REQUESTS_DUE_MOST);
        regions
    }

    /// For a drive without flash: sectors, one after the other.
    pub(crate) fn of_sectors(sectors: u64) -> Regions {
        let chunks = sectors.div_ceil(CHUNK_SECTORS);
        let checksums = chunks * CHUNK_SECTORS * ENTRY_BYTES;
        let data = sectors * SECTOR_BYTES;
        Self::around(
            sectors,
            [chunks.div_ceil(8), 0, checksums, data],
            SECTOR_BYTES,
        )
    }

    fn around(sectors: u64, [begun, journal, checksums, data]: [u64; 4], stride: u64) -> Regions {
        let checkpoint = sectors * CHECKPOINT_BYTES_A_SECTOR + CHECKPOINT_BYTES_BESIDE;
        let mut end = HEADER_BYTES;
        let mut next = |bytes: u64| {
            let at = end;
            end = (at + bytes).next_multiple_of(ALIGNMENT);
            Region { at, bytes }
        };
        Regions {
            begun: next(begun),
            checkpoints: [next(checkpoint), next(checkpoint)],
            journals: Journals {
                regions: [next(journal), next(journal)],
                requests_due: 0,
            },
            checksums: next(checksums),
            data: next(data),
            stride,
        }
    }

    /// Start of a place, in bytes.
    pub(crate) fn place(&self, place: u32) -> u64 {
        self.data.at + u64::from(place) * self.stride
    }

    /// Reads the data at a place into a buffer of their length: a slot has `slot_bytes` at most. Where metadata
    /// make no sense, it is a whole slot if a place has room for one, and else nothing but metadata.
    pub(crate) fn read_slot(
        &self,
        storage: &dyn Storage,
        place: u32,
        slot_bytes: usize,
        into: &mut Vec<u8>,
    ) -> io::Result<()> {
        let (at, whole) = (self.place(place), OOB_BYTES + slot_bytes);
        let one_place = whole as u64 == self.stride;
        into.resize(if one_place { whole } else { OOB_BYTES }, 0);
        storage.read_at(at, into)?;
        let bytes = Oob::read(into).map(|oob| oob.bytes as usize);
        if let Some(bytes) = bytes.filter(|bytes| *bytes <= slot_bytes) {
            into.resize(OOB_BYTES + bytes, 0);
            if !one_place {
                storage.read_at(at + OOB_BYTES as u64, &mut into[OOB_BYTES..])?;
            }
        }
        Ok(())
    }

    /// End of the file, in bytes.
    pub(crate) fn end(&self) -> u64 {
        self.data.at + self.data.bytes
    }
}
