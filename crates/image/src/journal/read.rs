//! Reading a journal, and telling its end from a hole.

use super::{HEAD_BYTES, Head, Hole, MAGIC};
use crate::mark::End;
use crate::record::{self, Record};
use crate::regions::Journals;
use crate::storage::Storage;
use ftlab_drive::ssd::{LayerInput, Totals};
use memchr::memmem;
use std::io;
use xxhash_rust::xxh3::xxh3_64;

/// Bytes that are looked through at a time for batches behind a hole.
const LOOKED_THROUGH_BYTES: u64 = 1 << 16;

/// One batch as it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Batch {
    pub(crate) records: Vec<Record>,
    pub(crate) totals: Totals,
    pub(crate) hash: u64,
    /// A checksum of the slots that went to their places since the batch before; nothing where the batch has none.
    pub(crate) landed: Option<u64>,
}

impl Batch {
    /// Requests to the layer, in order.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = LayerInput> {
        self.records.iter().filter_map(|record| match record {
            Record::Input(input) => Some(*input),
            _ => None,
        })
    }
}

/// Reads a journal, batch after batch.
#[derive(Clone)]
pub(crate) struct Reader<'a> {
    storage: &'a dyn Storage,
    pub(super) journals: Journals,
    /// The part behind the checkpoint. One more may go on behind that, if the next checkpoint was being
    /// written.
    first_part: u64,
    /// End of the batches that were read.
    pub(super) end: End,
    pub(super) at: u64,
    batches: u64,
    /// Position up to which the journal went for sure, if a mark has one.
    known: Option<End>,
}

impl<'a> Reader<'a> {
    /// Reads the journal behind a checkpoint, from where that ends; a mark may know how far it goes.
    pub(crate) fn new(
        storage: &'a dyn Storage,
        journals: Journals,
        checkpoint: End,
        known: Option<End>,
    ) -> Reader<'a> {
        Reader {
            storage,
            journals,
            first_part: checkpoint.part,
            end: checkpoint,
            at: 0,
            batches: 0,
            known: known.filter(|known| known.part >= checkpoint.part),
        }
    }

    /// The storage that is read.
    pub(crate) fn storage(&self) -> &'a dyn Storage {
        self.storage
    }

    /// True if somebody relies on the batch that was read: a mark knows of it.
    pub(crate) fn is_relied_on(&self) -> bool {
        let known = self.known.map(|known| known.position());
        known >= Some(self.end.position())
    }

    /// The next batch; `None` at the end, or at a hole.
    pub(crate) fn next(&mut self) -> io::Result<Option<Batch>> {
        let here = (self.end.part, self.at, self.end.batches);
        let over = self.next_part().map(|part| (part, 0, 0));
        for place in [Some(here), over].into_iter().flatten() {
            if let Some(batch) = self.next_at(place)? {
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }

    /// The part behind this one, if there may be one.
    pub(super) fn next_part(&self) -> Option<u64> {
        (self.end.part == self.first_part).then_some(self.first_part + 1)
    }

    /// Position at which the journal goes on, by part and by bytes: over a batch that was cut off, if there is
    /// one.
    pub(super) fn goes_on_at(&self) -> io::Result<(u64, u64)> {
        if let Some(part) = self.next_part()
            && let Some((head, _)) = self.head(part, 0)?
            && (head.part, head.number, head.before) == (part, 0, self.end.seal)
        {
            return Ok((part, 0));
        }
        Ok((self.end.part, self.at))
    }

    /// The head so far behind the start of a part, and its seal, if one lies there.
    fn head(&self, part: u64, from: u64) -> io::Result<Option<(Head, u64)>> {
        let region = self.journals.of(part);
        if from + HEAD_BYTES as u64 > region.bytes {
            return Ok(None);
        }
        let mut head = [0; HEAD_BYTES];
        self.storage.read_at(region.at + from, &mut head)?;
        Ok(Head::read(MAGIC, &head))
    }

    /// The next batch, if part `part` has it `from` bytes behind its start, with that number.
    fn next_at(&mut self, (part, from, number): (u64, u64, u64)) -> io::Result<Option<Batch>> {
        let region = self.journals.of(part);
        let Some((head, seal)) = self.head(part, from)? else {
            return Ok(None);
        };
        let end = End {
            part,
            batches: number + 1,
            sequence: head.sequence,
            seal,
        };
        // Each batch holds the seal of the one before it. One that an earlier round left here has another.
        let is_next = (head.part, head.number, head.before) == (part, number, self.end.seal);
        let fits = from + u64::from(head.bytes) <= region.bytes;
        let is_other = |known: End| known.position() == end.position() && known != end;
        let records_bytes = (head.bytes as usize).checked_sub(HEAD_BYTES);
        let Some(records_bytes) =
            records_bytes.filter(|_| is_next && fits && !self.known.is_some_and(is_other))
        else {
            return Ok(None);
        };
        let mut records = vec![0; records_bytes];
        let at = region.at + from + HEAD_BYTES as u64;
        self.storage.read_at(at, &mut records)?;
        if xxh3_64(&records) != head.checksum {
            return Ok(None);
        }
        self.at = from + u64::from(head.bytes);
        self.end = end;
        self.batches += 1;
        Self::batch(&records, head.hash).map(Some)
    }

    pub(super) fn batch(mut from: &[u8], hash: u64) -> io::Result<Batch> {
        let (mut records, mut totals, mut landed) = (Vec::new(), None, None);
        while !from.is_empty() {
            match record::take(&mut from) {
                None => return Err(senseless("a record of the journal makes no sense")),
                Some(Record::Totals(of_drive)) => totals = Some(of_drive),
                Some(Record::Landed(digest)) => landed = Some(digest),
                Some(record) => records.push(record),
            }
        }
        Ok(Batch {
            records,
            totals: totals.ok_or_else(|| senseless("a batch of the journal has no totals"))?,
            hash,
            landed,
        })
    }

    /// The hole at which reading ended, if it is one.
    pub(crate) fn hole(&self) -> io::Result<Option<Hole>> {
        let is_further = |known: &End| known.position() > self.end.position();
        let known = self.known.filter(is_further).map(|known| known.sequence);
        let later = self.later()?;
        let Some(furthest) = known.max(later) else {
            return Ok(None);
        };
        let requests = |sequence: u64| sequence.saturating_sub(self.end.sequence);
        Ok(Some(Hole {
            batch: self.batches,
            requests: requests(furthest),
            flushed: known.map_or(0, requests),
        }))
    }

    /// The number of the request behind the last batch that comes later, wherever that lies.
    fn later(&self) -> io::Result<Option<u64>> {
        let End { part, batches, .. } = self.end;
        let here = self.later_in(part, self.at, |head| head.number > batches)?;
        let Some(part) = self.next_part() else {
            return Ok(here);
        };
        // Its first batch may have been cut off, if it is the one that comes next.
        let before = self.end.seal;
        let is_later = |head: &Head| head.number > 0 || head.before != before;
        Ok(here.max(self.later_in(part, 0, is_later)?))
    }

    /// The number of the request behind the last such batch of a part, looked for from `from` bytes behind its start
    /// on.
    fn later_in(
        &self,
        part: u64,
        from: u64,
        is_later: impl Fn(&Head) -> bool,
    ) -> io::Result<Option<u64>> {
        let region = self.journals.of(part);
        let end = region.at + region.bytes;
        let mut at = region.at + from;
        let mut later = None;
        let mut bytes = Vec::new();
        while let Some(data) = self.storage.next_data(at)?.filter(|data| *data < end) {
            let count = LOOKED_THROUGH_BYTES.min(end - data);
            bytes.resize(count as usize, 0);
            self.storage.read_at(data, &mut bytes)?;
            let heads = memmem::find_iter(&bytes, &MAGIC);
            let found = heads
                .filter_map(|at| Head::read(MAGIC, &bytes[at..]))
                .map(|(head, _)| head)
                .filter(|head| head.part == part && is_later(head))
                .map(|head| head.sequence);
            later = later.max(found.max());
            // A head may lie across two of these.
            at = data + count.saturating_sub(HEAD_BYTES as u64 - 1).max(1);
        }
        Ok(later)
    }
}

fn senseless(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}
