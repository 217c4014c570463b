//! The journal: what happened since the last checkpoint, in batches.
//!
//! ```text
//! magic 4 │ bytes 4 │ part 8 │ number 8 │ sequence 8 │ hash of the operations 8 │ seal of the one before 8
//! │ checksum of the records 8 │ seal 8 │ records, totals
//! ```
//!
//! A batch is one write. Its seal is a checksum over its head, and names the one before, so no batch can be
//! left out, put in or exchanged. The hash is that of the NAND operations up to the end of the batch, so
//! whoever asks the layer the same again finds out whether it did the same.
//!
//! A journal has parts, in two regions that are used in turn. With each checkpoint a new part begins. While
//! that checkpoint is written, the new part goes on behind the part of the checkpoint that stands: its first
//! batch names the last one of that. Whoever recovers reads one part or two, and the newest checkpoint has
//! the seal with which its own part begins. A part that goes on behind a checkpoint that failed never becomes
//! another's: its number is not used again.
//!
//! The journal ends at the first batch that is not whole or not the next one. A process that is killed
//! leaves a part of its last write there, and nothing behind it: what lies there is zeros, or of
//! parts before. A batch that comes later, or a [`Mark`] that knows of one, shows that this is no end but
//! a [`Hole`].
//!
//! Where the machine may lose its power, records wait for a flush; for a process that is killed alone they are noted
//! beside (`spill.rs`).
//!
//! Where the machine may lose its power, a batch has a digest of the slots that went to their places since the
//! batch before; `landed.rs` compares it with what lies there.

mod landing;
mod read;
mod spill;
#[cfg(test)]
mod tests;

pub(crate) use landing::Landing;
pub(crate) use read::{Batch, Reader};

use crate::mark::{End, Mark};
use crate::record;
use crate::regions::Journals;
use crate::storage::Storage;
use ftlab_drive::ssd::{LayerInput, Totals};
use serde::Serialize;
use spill::Spilled;
use std::io;
use xxhash_rust::xxh3::xxh3_64;

const MAGIC: [u8; 4] = *b"\x8fftb";
const HEAD_BYTES: usize = 64;
const SEAL_AT: usize = HEAD_BYTES - 8;
/// Records that wait for something worth a write are written from N bytes on.
const WAITING_BYTES_MAX: usize = 1 << 20;
/// A part of the journal that cannot be read, though there is more behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Hole {
    /// Batches in front of it.
    pub batch: u64,
    /// Requests of the translation layer in it and behind it, as far as is known.
    pub requests: u64,
    /// Number of them that come before a flush that was answered.
    pub flushed: u64,
}

/// Head of a batch.
#[derive(Debug, Clone, Copy)]
struct Head {
    /// Length of head and records, in bytes.
    bytes: u32,
    /// The part that it belongs to, and its number in that.
    part: u64,
    number: u64,
    /// The number of the request of the layer behind it.
    sequence: u64,
    hash: u64,
    before: u64,
    checksum: u64,
}

impl Head {
    /// Writes it; gives its seal.
    fn write(&self, magic: [u8; 4], to: &mut [u8]) -> u64 {
        to[..4].copy_from_slice(&magic);
        to[4..8].copy_from_slice(&self.bytes.to_le_bytes());
        let words = [
            self.part,
            self.number,
            self.sequence,
            self.hash,
            self.before,
            self.checksum,
        ];
        for (word, to) in words.iter().zip(to[8..SEAL_AT].chunks_exact_mut(8)) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        let seal = xxh3_64(&to[..SEAL_AT]);
        to[SEAL_AT..HEAD_BYTES].copy_from_slice(&seal.to_le_bytes());
        seal
    }

    /// The head at the front of `from`, and its seal; `None` when there is none that is whole.
    fn read(magic: [u8; 4], from: &[u8]) -> Option<(Head, u64)> {
        let from: &[u8; HEAD_BYTES] = from.get(..HEAD_BYTES)?.try_into().ok()?;
        let word =
            |at: usize| u64::from_le_bytes(from[at..at + 8].try_into().expect("eight bytes"));
        if from[..4] != magic || xxh3_64(&from[..SEAL_AT]) != word(SEAL_AT) {
            return None;
        }
        let head = Head {
            bytes: u32::from_le_bytes(from[4..8].try_into().expect("four bytes")),
            part: word(8),
            number: word(16),
            sequence: word(24),
            hash: word(32),
            before: word(40),
            checksum: word(48),
        };
        Some((head, word(SEAL_AT)))
    }
}

/// The journal as it is written.
#[derive(Debug)]
pub(crate) struct Journal {
    journals: Journals,
    /// Number of the newest checkpoint.
    checkpoint: u64,
    /// The part that is written, and what is written.
    part: u64,
    end: End,
    /// Bytes of the part's region that are taken.
    used: u64,
    /// Requests since the part began.
    requests: u64,
    /// Requests and bytes at which a checkpoint is due.
    due: (u64, u64),
    /// The number of the next request of the layer.
    sequence: u64,
    /// Records that are not written yet, with room for the head.
    waiting: Vec<u8>,
    /// True if one of the waiting records must be written for its own sake, which those of reads need not.
    matters: bool,
    /// The hash of the operations up to the last record.
    hash: u64,
    /// Slots that went to their places since the last batch, where the machine may lose its power.
    landing: Landing,
    /// The waiting records that were noted for the case that the process alone is killed.
    spilled: Spilled,
    /// Batches that a mark knows of, and the place of the next mark.
    marked: (u64, u64),
    mark_place: usize,
}

/// Room that a journal has left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Headroom {
    /// Less than half is used: requests need not wait for a checkpoint that is under way.
    Ample,
    /// The next checkpoint is due for it.
    Low,
    /// Less than an eighth is left: requests wait until the checkpoint that is under way ends.
    Critical,
}

/// Requests and bytes of a part at which a checkpoint is due.
fn due(journals: &Journals, part: u64) -> (u64, u64) {
    (journals.requests_due, journals.of(part).bytes / 2)
}

impl Journal {
    /// An empty journal behind a checkpoint.
    pub(crate) fn new(journals: Journals, checkpoint: Mark) -> Journal {
        let Mark { checkpoint, end } = checkpoint;
        Journal {
            journals,
            checkpoint,
            part: end.part,
            end,
            used: 0,
            requests: 0,
            due: due(&journals, end.part),
            sequence: end.sequence,
            waiting: vec![0; HEAD_BYTES],
            matters: false,
            hash: 0,
            landing: Landing::default(),
            spilled: Spilled::nothing(end.seal, end.part),
            marked: end.position(),
            mark_place: 0,
        }
    }

    /// The journal that was read, to go on at its end: the one behind `requests` requests, with the hash of the
    /// operations that they led to.
    pub(crate) fn behind(
        reader: &Reader<'_>,
        checkpoint: u64,
        (requests, hash): (u64, u64),
    ) -> io::Result<Journal> {
        let (part, used) = reader.goes_on_at()?;
        let end = reader.end;
        let from = Mark { checkpoint, end };
        Ok(Journal {
            part,
            used,
            hash,
            requests,
            mark_place: Mark::next_place(reader.storage())?,
            spilled: Spilled::nothing(end.seal, part),
            ..Journal::new(reader.journals, from)
        })
    }

    /// Notes a request, and the hash of the operations after it.
    pub(crate) fn note_input(&mut self, input: LayerInput, hash: u64) {
        use LayerInput::{LookUp, Read, ReadPart};
        record::put_input(&mut self.waiting, input);
        self.matters |= !matches!(input, LookUp(..) | Read(..) | ReadPart(..));
        self.hash = hash;
        self.requests += 1;
        self.sequence += 1;
    }

    /// Adds another record, such as a power-on, to the batch that is being gathered.
    pub(crate) fn note(&mut self, put: impl FnOnce(&mut Vec<u8>)) {
        put(&mut self.waiting);
        self.matters = true;
    }

    /// Slots that went to their places since the last batch; to note one more.
    pub(crate) fn landing(&mut self) -> &mut Landing {
        &mut self.landing
    }

    /// Writes what waits, if any of it matters by itself.
    pub(crate) fn commit(&mut self, storage: &mut dyn Storage, totals: Totals) -> io::Result<()> {
        if self.matters || self.is_full() {
            return self.write(storage, totals);
        }
        Ok(())
    }

    /// Writes what waits and syncs it, where the machine may lose its power. Data and record may reach its storage in
    /// any order: whoever finds the last batch looks whether its data are there. The data of all batches before it
    /// are.
    pub(crate) fn commit_and_sync(
        &mut self,
        storage: &mut dyn Storage,
        totals: Totals,
    ) -> io::Result<()> {
        storage.end_sync()?;
        self.commit(storage, totals)?;
        storage.sync()
    }

    /// Somebody relies on what is written: a mark will tell if that is lost.
    pub(crate) fn mark(&mut self, storage: &mut dyn Storage) -> io::Result<()> {
        if self.marked == self.end.position() {
            return Ok(());
        }
        let mark = Mark {
            checkpoint: self.checkpoint,
            end: self.end,
        };
        mark.note_journal(storage, self.mark_place)?;
        self.marked = self.end.position();
        self.mark_place = 1 - self.mark_place;
        Ok(())
    }

    /// True if the waiting records should be written, whatever they are.
    pub(crate) fn is_full(&self) -> bool {
        self.waiting.len() >= WAITING_BYTES_MAX
    }

    fn write(&mut self, storage: &mut dyn Storage, totals: Totals) -> io::Result<()> {
        let records = self.waiting.len();
        record::put_totals(&mut self.waiting, totals);
        if let Some(digest) = self.landing.digest() {
            record::put_landed(&mut self.waiting, digest);
        }
        let bytes = self.waiting.len();
        let region = self.journals.of(self.part);
        let number = match self.end.part == self.part {
            true => self.end.batches,
            false => 0,
        };
        let room = region.bytes - spill::room(region).bytes;
        let written = if self.used + bytes as u64 > room {
            Err(io::Error::other("the journal is full"))
        } else {
            let head = Head {
                bytes: bytes as u32,
                part: self.part,
                number,
                sequence: self.sequence,
                hash: self.hash,
                before: self.end.seal,
                checksum: xxh3_64(&self.waiting[HEAD_BYTES..]),
            };
            let seal = head.write(MAGIC, &mut self.waiting);
            let written = storage.write_at(region.at + self.used, &self.waiting);
            written.map(|()| seal)
        };
        // Whatever was written of it lies where it will be written again.
        self.waiting.truncate(records);
        let seal = written?;
        self.waiting.truncate(HEAD_BYTES);
        self.matters = false;
        self.landing.clear();
        self.spilled = Spilled::nothing(seal, self.part);
        self.used += bytes as u64;
        self.end = End {
            part: self.part,
            batches: number + 1,
            sequence: self.sequence,
            seal,
        };
        Ok(())
    }

    /// Writes all that waits, and goes on in the next part: what comes belongs behind the next
    /// checkpoint, and behind the one that stands until that does. Gives where that begins.
    ///
    /// Slots that went to their places since the last batch are written of, too, though no record waits: whoever
    /// begins with the new part could not say where its digest of them comes from.
    pub(crate) fn begin_part(
        &mut self,
        part: u64,
        storage: &mut dyn Storage,
        totals: Totals,
    ) -> io::Result<End> {
        if self.waiting.len() > HEAD_BYTES || self.landing.digest().is_some() {
            self.write(storage, totals)?;
        }
        self.part = part;
        self.spilled = Spilled::nothing(self.end.seal, part);
        (self.used, self.requests) = (0, 0);
        self.due = due(&self.journals, part);
        Ok(self.end.begin(part, self.sequence))
    }

    /// End of the written part.
    pub(crate) fn end(&self) -> End {
        self.end
    }

    /// The checkpoint that the part goes on behind stands.
    pub(crate) fn checkpoint_stands(&mut self) {
        self.checkpoint = self.part;
    }

    /// True if the part goes on behind a checkpoint that does not stand. There is no room for another one then:
    /// both regions are needed.
    pub(crate) fn goes_on(&self) -> bool {
        self.part != self.checkpoint
    }

    /// True if a checkpoint is due.
    pub(crate) fn is_long(&self) -> bool {
        self.requests >= self.due.0 || self.used >= self.due.1
    }

    /// A checkpoint is due from now on.
    #[cfg(test)]
    pub(crate) fn fall_due(&mut self) {
        self.due = (0, 0);
    }

    /// So much of the part's region is taken, whatever lies there.
    #[cfg(test)]
    pub(crate) fn pretend_used(&mut self, sixteenths: u64) {
        self.used = self.journals.of(self.part).bytes / 16 * sixteenths;
    }

    /// A checkpoint failed; the next one is tried when some more was done.
    pub(crate) fn put_off(&mut self) {
        let bytes = self.journals.of(self.part).bytes;
        self.due = (
            self.requests + self.journals.requests_due / 16,
            (self.used + bytes / 16).min(bytes * 3 / 4),
        );
    }

    /// Room that is left.
    pub(crate) fn headroom(&self) -> Headroom {
        let bytes = self.journals.of(self.part).bytes;
        match self.used {
            used if used < bytes / 2 => Headroom::Ample,
            used if used < bytes / 8 * 7 => Headroom::Low,
            _ => Headroom::Critical,
        }
    }
}
