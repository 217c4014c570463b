//! Marks: how far an image has come for sure, noted apart from what they speak of.
//!
//! ```text
//! magic 8 │ checkpoint 8 │ part 8 │ batches 8 │ sequence 8 │ seal 8 │ checksum 8
//! ```
//!
//! A checkpoint that is destroyed, or the end of a journal, looks as if it had never been written. So what
//! somebody relies on is noted in the header's region, too: each new checkpoint, and the last batch of the
//! journal when a flush is answered, or before an erase. Each kind has two places that are used in
//! turn, so a mark that is cut off leaves the one before it.

use crate::storage::Storage;
use std::io;
use xxhash_rust::xxh3::xxh3_64;

const MAGIC: [u8; 8] = *b"\x8fftstand";
const BYTES: usize = 56;
const CHECKSUM_AT: usize = BYTES - 8;
/// Places of the marks of checkpoints, and of the journal: far from each other, and behind the headers.
const OF_CHECKPOINTS: [u64; 2] = [256 << 10, 768 << 10];
const OF_JOURNAL: [u64; 2] = [384 << 10, 896 << 10];

/// End of a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct End {
    /// The part with the last batch; parts have the numbers of the checkpoints that they go on behind.
    pub(crate) part: u64,
    /// Batches in that part.
    pub(crate) batches: u64,
    /// The number of the next request of the layer.
    pub(crate) sequence: u64,
    /// The seal of the last batch, in whichever part that is.
    pub(crate) seal: u64,
}

impl End {
    /// Start of a new part behind this end, with that request.
    pub(crate) fn begin(self, part: u64, sequence: u64) -> End {
        End {
            part,
            batches: 0,
            sequence,
            seal: self.seal,
        }
    }

    /// Order of ends: a later one has more.
    pub(crate) fn position(&self) -> (u64, u64) {
        (self.part, self.batches)
    }
}

/// Progress of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark {
    /// Number of the newest checkpoint.
    pub(crate) checkpoint: u64,
    /// End of the journal. It may be in a part behind a checkpoint that does not stand yet.
    pub(crate) end: End,
}

impl Mark {
    /// The mark of an image without a checkpoint.
    pub(crate) const NONE: Mark = Mark {
        checkpoint: 0,
        end: End {
            part: 0,
            batches: 0,
            sequence: 0,
            seal: 0,
        },
    };

    /// Notes a new checkpoint.
    pub(crate) fn note_checkpoint(self, storage: &mut dyn Storage) -> io::Result<()> {
        self.write(storage, OF_CHECKPOINTS[(self.checkpoint % 2) as usize])
    }

    /// Notes the end of the journal, in one of two places.
    pub(crate) fn note_journal(self, storage: &mut dyn Storage, place: usize) -> io::Result<()> {
        self.write(storage, OF_JOURNAL[place])
    }

    /// The place of the journal's marks that has not the furthest.
    pub(crate) fn next_place(storage: &dyn Storage) -> io::Result<usize> {
        let [first, second] = OF_JOURNAL.map(|at| Mark::read(storage, at));
        let position = |mark: Option<Mark>| mark.map(|mark| mark.end.position());
        Ok(usize::from(position(first?) > position(second?)))
    }

    fn write(self, storage: &mut dyn Storage, at: u64) -> io::Result<()> {
        let mut bytes = [0; BYTES];
        bytes[..8].copy_from_slice(&MAGIC);
        let End {
            part,
            batches,
            sequence,
            seal,
        } = self.end;
        let words = [self.checkpoint, part, batches, sequence, seal];
        for (word, to) in words.iter().zip(bytes[8..].chunks_exact_mut(8)) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        let sum = xxh3_64(&bytes[..CHECKSUM_AT]);
        bytes[CHECKSUM_AT..].copy_from_slice(&sum.to_le_bytes());
        storage.write_at(at, &bytes)
    }

    fn read(storage: &dyn Storage, at: u64) -> io::Result<Option<Mark>> {
        let mut bytes = [0; BYTES];
        storage.read_at(at, &mut bytes)?;
        let word =
            |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
        let is_whole = bytes[..8] == MAGIC && xxh3_64(&bytes[..CHECKSUM_AT]) == word(CHECKSUM_AT);
        Ok(is_whole.then(|| Mark {
            checkpoint: word(8),
            end: End {
                part: word(16),
                batches: word(24),
                sequence: word(32),
                seal: word(40),
            },
        }))
    }

    /// The newest checkpoint and the furthest end that any mark knows of; none if no checkpoint was ever
    /// written.
    pub(crate) fn furthest(storage: &dyn Storage) -> io::Result<Option<Mark>> {
        let mut furthest: Option<Mark> = None;
        for at in OF_CHECKPOINTS.into_iter().chain(OF_JOURNAL) {
            let Some(mark) = Mark::read(storage, at)? else {
                continue;
            };
            let before = furthest.unwrap_or(mark);
            furthest = Some(Mark {
                checkpoint: before.checkpoint.max(mark.checkpoint),
                end: std::cmp::max_by_key(before.end, mark.end, End::position),
            });
        }
        Ok(furthest)
    }
}
