//! Reading a journal, and telling its end from a hole.

use super::{HEAD_BYTES, Head, Hole, MAGIC};
use crate::mark::Mark;
use crate::record::{self, Record};
use crate::regions::Region;
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
    /// Of the slots that went to their places since the batch before; nothing where that is not said.
    pub(crate) landed: Option<u64>,
}

impl Batch {
    /// What the layer was asked.
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
    pub(super) region: Region,
    /// What was read.
    pub(super) end: Mark,
    pub(super) at: u64,
    /// How far the journal went for sure, if it did.
    known: Option<Mark>,
}

impl<'a> Reader<'a> {
    /// Reads the journal after a checkpoint, of which a mark may know.
    pub(crate) fn new(
        storage: &'a dyn Storage,
        region: Region,
        checkpoint: Mark,
        known: Option<Mark>,
    ) -> Reader<'a> {
        Reader {
            storage,
            region,
            end: checkpoint,
            at: 0,
            known: known.filter(|mark| mark.epoch == checkpoint.epoch),
        }
    }

    /// What it reads from.
    pub(crate) fn storage(&self) -> &'a dyn Storage {
        self.storage
    }

    /// Whether somebody relies on what was read: a mark knows of it.
    pub(crate) fn is_relied_on(&self) -> bool {
        let known = self.known.map_or(0, |mark| mark.batches);
        known >= self.end.batches
    }

    /// The next batch; `None` at the end, or at a hole.
    pub(crate) fn next(&mut self) -> io::Result<Option<Batch>> {
        let mut head = [0; HEAD_BYTES];
        if self.at + HEAD_BYTES as u64 > self.region.bytes {
            return Ok(None);
        }
        self.storage.read_at(self.region.at + self.at, &mut head)?;
        let Some((head, seal)) = Head::read(&head) else {
            return Ok(None);
        };
        let end = Mark {
            batches: self.end.batches + 1,
            sequence: head.sequence,
            seal,
            ..self.end
        };
        let is_next = (head.epoch, head.number, head.before)
            == (self.end.epoch, self.end.batches, self.end.seal);
        let fits = self.at + u64::from(head.bytes) <= self.region.bytes;
        let is_known = |mark: Mark| mark.batches == end.batches && mark != end;
        let records_bytes = (head.bytes as usize).checked_sub(HEAD_BYTES);
        let Some(records_bytes) =
            records_bytes.filter(|_| is_next && fits && !self.known.is_some_and(is_known))
        else {
            return Ok(None);
        };
        let mut records = vec![0; records_bytes];
        let at = self.region.at + self.at + HEAD_BYTES as u64;
        self.storage.read_at(at, &mut records)?;
        if xxh3_64(&records) != head.checksum {
            return Ok(None);
        }
        self.at += u64::from(head.bytes);
        self.end = end;
        Self::batch(&records, head.hash).map(Some)
    }

    fn batch(mut from: &[u8], hash: u64) -> io::Result<Batch> {
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

    /// Where nothing more could be read: whether that is a hole.
    pub(crate) fn hole(&self) -> io::Result<Option<Hole>> {
        let known = self.known.filter(|mark| mark.batches > self.end.batches);
        let known = known.map(|mark| mark.sequence);
        let later = self.later()?;
        let Some(furthest) = known.max(later) else {
            return Ok(None);
        };
        let requests = |sequence: u64| sequence.saturating_sub(self.end.sequence);
        Ok(Some(Hole {
            batch: self.end.batches,
            requests: requests(furthest),
            flushed: known.map_or(0, requests),
        }))
    }

    /// The number of the request behind the last batch that comes later, wherever that lies.
    fn later(&self) -> io::Result<Option<u64>> {
        let end = self.region.at + self.region.bytes;
        let mut at = self.region.at + self.at;
        let mut later = None;
        let mut part = Vec::new();
        while let Some(data) = self.storage.next_data(at)?.filter(|data| *data < end) {
            let bytes = LOOKED_THROUGH_BYTES.min(end - data);
            part.resize(bytes as usize, 0);
            self.storage.read_at(data, &mut part)?;
            let heads = memmem::find_iter(&part, &MAGIC);
            let found = heads
                .filter_map(|at| Head::read(&part[at..]))
                .map(|(head, _)| head)
                .filter(|head| head.epoch == self.end.epoch && head.number > self.end.batches)
                .map(|head| head.sequence);
            later = later.max(found.max());
            // A head may lie across two parts.
            at = data + bytes.saturating_sub(HEAD_BYTES as u64 - 1).max(1);
        }
        Ok(later)
    }
}

fn senseless(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}
