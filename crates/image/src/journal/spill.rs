//! Records that wait for a flush, noted for the case that the process is killed and its machine goes on.
//!
//! ```text
//! batches as those of the journal, but that the part is a number of the machine's start
//! ```
//!
//! Where the machine may lose its power, a batch is written when somebody waits for it, and until then its records are
//! in memory. What a killed process wrote is there nevertheless, as long as its machine runs: so the same records are
//! written as they come behind the room of the part, and nobody waits for the storage. The first of these batches
//! names the last one of the journal, so what the journal has by now is never read twice. They say which start of
//! the machine they are of. After another one nobody looks at them: the storage may have any part of them.

use super::{HEAD_BYTES, Head, Journal, Reader, read::Batch};
use crate::record;
use crate::storage::{Region, Storage};
use ftlab_drive::ssd::Totals;
use std::io;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

const MAGIC: [u8; 4] = *b"\x8ffts";

/// Room behind a part, at the end of its region: 8 MiB. Records that wait are written before they take as much.
pub(super) fn room(region: Region) -> Region {
    let bytes = region.bytes / 64;
    Region {
        at: region.at + region.bytes - bytes,
        bytes,
    }
}

/// Position and seal of the noted records.
#[derive(Debug)]
pub(super) struct Spilled {
    batches: u64,
    /// Bytes of the room that are taken, and bytes of the records.
    used: u64,
    records: usize,
    /// The seal of the last batch, of either kind.
    seal: u64,
}

impl Spilled {
    /// Nothing, behind a batch of the journal that has this seal, in a part that goes on.
    pub(super) fn nothing(seal: u64, part: u64) -> Spilled {
        Spilled {
            batches: 0,
            used: 0,
            records: HEAD_BYTES,
            seal: first_names(seal, part),
        }
    }
}

/// Predecessor that the first batch names. It depends on the part: data behind an earlier one are in a
/// checkpoint by now.
fn first_names(seal: u64, part: u64) -> u64 {
    xxh3_64_with_seed(&part.to_le_bytes(), seal)
}

impl Journal {
    /// Notes what waits, if any of it matters by itself; false if there is no room, so it is to be written.
    pub(crate) fn spill(&mut self, storage: &mut dyn Storage, totals: Totals) -> io::Result<bool> {
        let news = &self.waiting[self.spilled.records..];
        let Some(machine) = storage
            .machine()
            .filter(|_| self.matters && !news.is_empty())
        else {
            return Ok(true);
        };
        let mut bytes = vec![0; HEAD_BYTES];
        bytes.extend_from_slice(news);
        record::put_totals(&mut bytes, totals);
        let room = room(self.journals.of(self.part));
        // Without room the caller writes the journal, so that nothing is lost.
        if self.spilled.used + bytes.len() as u64 > room.bytes {
            return Ok(false);
        }
        let head = Head {
            bytes: bytes.len() as u32,
            part: machine,
            number: self.spilled.batches,
            sequence: self.sequence,
            hash: self.hash,
            before: self.spilled.seal,
            checksum: xxh3_64(&bytes[HEAD_BYTES..]),
        };
        let seal = head.write(MAGIC, &mut bytes);
        storage.write_at(room.at + self.spilled.used, &bytes)?;
        self.spilled = Spilled {
            batches: self.spilled.batches + 1,
            used: self.spilled.used + bytes.len() as u64,
            records: self.waiting.len(),
            seal,
        };
        Ok(true)
    }
}

impl Reader<'_> {
    /// Reads the batches that were noted behind the end of the journal, if the machine has run since then.
    pub(crate) fn spilled(&self) -> io::Result<Vec<Batch>> {
        let Some(machine) = self.storage().machine() else {
            return Ok(Vec::new());
        };
        for part in [Some(self.end.part), self.next_part()]
            .into_iter()
            .flatten()
        {
            let found = self.spilled_in(part, machine)?;
            if !found.is_empty() {
                return Ok(found);
            }
        }
        Ok(Vec::new())
    }

    fn spilled_in(&self, part: u64, machine: u64) -> io::Result<Vec<Batch>> {
        let room = room(self.journals.of(part));
        let (mut at, end) = (room.at, room.at + room.bytes);
        let (mut before, mut found) = (first_names(self.end.seal, part), Vec::new());
        while at + HEAD_BYTES as u64 <= end {
            let mut head = [0; HEAD_BYTES];
            self.storage().read_at(at, &mut head)?;
            let want = (machine, found.len() as u64, before);
            let Some((head, seal)) = Head::read(MAGIC, &head)
                .filter(|(head, _)| (head.part, head.number, head.before) == want)
            else {
                break;
            };
            let bytes = (head.bytes as usize).checked_sub(HEAD_BYTES);
            let Some(bytes) = bytes.filter(|_| at + u64::from(head.bytes) <= end) else {
                break;
            };
            let mut records = vec![0; bytes];
            self.storage()
                .read_at(at + HEAD_BYTES as u64, &mut records)?;
            if xxh3_64(&records) != head.checksum {
                break;
            }
            found.push(Self::batch(&records, head.hash)?);
            (at, before) = (at + u64::from(head.bytes), seal);
        }
        Ok(found)
    }
}
