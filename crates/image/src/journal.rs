//! The journal: what happened since the last checkpoint, in batches.
//!
//! ```text
//! bytes 4 │ 0 4 │ epoch 8 │ number 8 │ hash of the operations 8 │ checksum 8 │ totals, records
//! ```
//!
//! A batch is one write. The first one that is not whole, of another epoch or out of turn ends the
//! journal: it was cut off there, or what lies there is older. The hash is that of the NAND operations
//! up to the end of the batch, so whoever asks the layer the same again finds out whether it did the
//! same.

use crate::record::{self, Record};
use crate::regions::Region;
use crate::storage::Storage;
use ftlab_drive::ssd::Totals;
use std::io;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

const HEAD_BYTES: usize = 40;
const CHECKSUM_AT: usize = HEAD_BYTES - 8;
/// Records that wait for something worth a write are written from so many bytes on.
const WAITING_BYTES_MAX: usize = 1 << 20;
/// Requests after which a checkpoint is due, so that recovery takes about a second.
const REQUESTS_MAX: u64 = 4_000_000;

/// The journal as it is written.
#[derive(Debug)]
pub(crate) struct Journal {
    region: Region,
    epoch: u64,
    number: u64,
    /// Bytes of the region that are taken.
    used: u64,
    /// Requests since the checkpoint.
    requests: u64,
    /// Records that are not written yet, with room for the head.
    waiting: Vec<u8>,
    /// Whether any of them matters by itself: what was only read does not.
    matters: bool,
    /// Of the operations up to the last record.
    hash: u64,
}

/// One batch as it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Batch {
    pub(crate) records: Vec<Record>,
    pub(crate) totals: Totals,
    pub(crate) hash: u64,
}

impl Journal {
    /// An empty journal after the checkpoint of an epoch.
    pub(crate) fn new(region: Region, epoch: u64) -> Journal {
        Journal {
            region,
            epoch,
            number: 0,
            used: 0,
            requests: 0,
            waiting: vec![0; HEAD_BYTES],
            matters: false,
            hash: 0,
        }
    }

    /// The journal that was read, to go on at its end: behind operations of that hash.
    pub(crate) fn behind(reader: &Reader<'_>, hash: u64) -> Journal {
        Journal {
            number: reader.number,
            used: reader.at,
            hash,
            ..Journal::new(reader.region, reader.epoch)
        }
    }

    /// Notes a request, and the hash of the operations after it.
    pub(crate) fn note_input(&mut self, input: ftlab_drive::ssd::LayerInput, hash: u64) {
        use ftlab_drive::ssd::LayerInput::{Read, ReadPart};
        record::put_input(&mut self.waiting, input);
        self.matters |= !matches!(input, Read(..) | ReadPart(..));
        self.hash = hash;
        self.requests += 1;
    }

    /// Notes something else.
    pub(crate) fn note(&mut self, put: impl FnOnce(&mut Vec<u8>)) {
        put(&mut self.waiting);
        self.matters = true;
    }

    /// Writes what waits, if any of it matters by itself.
    pub(crate) fn commit(&mut self, storage: &mut dyn Storage, totals: Totals) -> io::Result<()> {
        if self.matters || self.is_full() {
            return self.write(storage, totals);
        }
        Ok(())
    }

    /// The same, where the machine may lose its power: a record is there only when its data are, in
    /// whatever order the machine's storage writes.
    pub(crate) fn commit_in_order(
        &mut self,
        storage: &mut dyn Storage,
        totals: Totals,
    ) -> io::Result<()> {
        storage.sync()?;
        self.commit(storage, totals)?;
        storage.sync()
    }

    /// Whether what waits should be written, whatever it is.
    pub(crate) fn is_full(&self) -> bool {
        self.waiting.len() >= WAITING_BYTES_MAX
    }

    fn write(&mut self, storage: &mut dyn Storage, totals: Totals) -> io::Result<()> {
        let records = self.waiting.len();
        put_totals(&mut self.waiting, totals);
        let bytes = self.waiting.len();
        let done = if self.used + bytes as u64 > self.region.bytes {
            Err(io::Error::other("the journal is full"))
        } else {
            seal(
                &mut self.waiting,
                (self.epoch, self.number),
                records,
                self.hash,
            );
            storage.write_at(self.region.at + self.used, &self.waiting)
        };
        // Whatever was written of it lies where it will be written again.
        self.waiting.truncate(records);
        done?;
        self.waiting.truncate(HEAD_BYTES);
        self.matters = false;
        self.used += bytes as u64;
        self.number += 1;
        Ok(())
    }

    /// Whether it is time for a checkpoint.
    pub(crate) fn is_long(&self) -> bool {
        self.requests >= REQUESTS_MAX || self.used >= self.region.bytes / 2
    }
}

fn put_totals(to: &mut Vec<u8>, totals: Totals) {
    record::put_number(to, totals.host_ios);
    record::put_number(to, totals.host_bytes_written);
    record::put_number(to, totals.buffer_stalls);
}

fn take_totals(from: &mut &[u8]) -> Option<Totals> {
    Some(Totals {
        host_ios: record::take_number(from)?,
        host_bytes_written: record::take_number(from)?,
        buffer_stalls: record::take_number(from)?,
    })
}

/// Writes the head of a batch of which `records` bytes are head and records.
fn seal(batch: &mut [u8], (epoch, number): (u64, u64), records: usize, hash: u64) {
    let bytes = batch.len() as u32;
    batch[..4].copy_from_slice(&bytes.to_le_bytes());
    batch[4..8].copy_from_slice(&(records as u32).to_le_bytes());
    batch[8..16].copy_from_slice(&epoch.to_le_bytes());
    batch[16..24].copy_from_slice(&number.to_le_bytes());
    batch[24..32].copy_from_slice(&hash.to_le_bytes());
    let sum = checksum(batch);
    batch[CHECKSUM_AT..HEAD_BYTES].copy_from_slice(&sum.to_le_bytes());
}

fn checksum(batch: &[u8]) -> u64 {
    xxh3_64_with_seed(&batch[HEAD_BYTES..], xxh3_64(&batch[..CHECKSUM_AT]))
}

/// Reads a journal, batch after batch.
pub(crate) struct Reader<'a> {
    storage: &'a dyn Storage,
    region: Region,
    epoch: u64,
    number: u64,
    at: u64,
}

impl<'a> Reader<'a> {
    /// Reads the journal after the checkpoint of an epoch.
    pub(crate) fn new(storage: &'a dyn Storage, region: Region, epoch: u64) -> Reader<'a> {
        Reader {
            storage,
            region,
            epoch,
            number: 0,
            at: 0,
        }
    }

    /// The next batch; `None` at the end.
    pub(crate) fn next(&mut self) -> io::Result<Option<Batch>> {
        let mut head = [0; HEAD_BYTES];
        if self.at + HEAD_BYTES as u64 > self.region.bytes {
            return Ok(None);
        }
        self.storage.read_at(self.region.at + self.at, &mut head)?;
        let word =
            |at: usize| u64::from_le_bytes(head[at..at + 8].try_into().expect("eight bytes"));
        let half = |at: usize| u32::from_le_bytes(head[at..at + 4].try_into().expect("four bytes"));
        let (bytes, records) = (half(0) as usize, half(4) as usize);
        let is_next = (word(8), word(16)) == (self.epoch, self.number);
        let fits = self.at + bytes as u64 <= self.region.bytes;
        if !is_next || !fits || records < HEAD_BYTES || bytes < records {
            return Ok(None);
        }
        let mut batch = vec![0; bytes];
        self.storage.read_at(self.region.at + self.at, &mut batch)?;
        if checksum(&batch) != word(CHECKSUM_AT) {
            return Ok(None);
        }
        self.at += bytes as u64;
        self.number += 1;
        let mut from = &batch[HEAD_BYTES..records];
        let mut found = Vec::new();
        while !from.is_empty() {
            let record = record::take(&mut from);
            found.push(record.ok_or_else(|| senseless("a record of the journal makes no sense"))?);
        }
        let totals = take_totals(&mut &batch[records..]);
        Ok(Some(Batch {
            records: found,
            totals: totals.ok_or_else(|| senseless("the totals of the journal make no sense"))?,
            hash: word(24),
        }))
    }
}

fn senseless(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::Memory;
    use ftlab_base::Lpn;
    use ftlab_drive::ssd::LayerInput;

    const REGION: Region = Region {
        at: 1000,
        bytes: 4096,
    };

    fn read_all(memory: &Memory, epoch: u64) -> Vec<Batch> {
        let mut reader = Reader::new(memory, REGION, epoch);
        std::iter::from_fn(|| reader.next().unwrap()).collect()
    }

    fn totals(host_ios: u64) -> Totals {
        Totals {
            host_ios,
            ..Totals::default()
        }
    }

    fn written(batches: u64) -> Memory {
        let mut memory = Memory::default();
        let mut journal = Journal::new(REGION, 7);
        for n in 0..batches {
            journal.note_input(LayerInput::Read(Lpn(n as u32), 1), 50 + n);
            journal.commit(&mut memory, totals(n)).unwrap();
            journal.note_input(LayerInput::Trim(Lpn(n as u32), 1), 100 + n);
            journal.commit(&mut memory, totals(n)).unwrap();
        }
        memory
    }

    #[test]
    fn batches_are_read_as_they_were_written_and_reads_wait_for_something_that_matters() {
        let batches = read_all(&written(3), 7);
        assert_eq!(batches.len(), 3);
        for (n, batch) in (0..).zip(batches) {
            let inputs = [LayerInput::Read(Lpn(n), 1), LayerInput::Trim(Lpn(n), 1)];
            assert_eq!(batch.records, inputs.map(Record::Input));
            assert_eq!(batch.hash, 100 + u64::from(n));
            assert_eq!(batch.totals, totals(u64::from(n)));
        }
    }

    #[test]
    fn a_journal_ends_where_it_is_torn_and_another_epochs_is_none() {
        assert_eq!(read_all(&written(3), 8), []);
        let whole = written(3);
        let mut bytes = vec![0; REGION.bytes as usize];
        whole.read_at(REGION.at, &mut bytes).unwrap();
        let end = bytes.iter().rposition(|&byte| byte != 0).unwrap();
        let mut last = 0;
        for cut in 0..=end {
            let mut torn = Memory::default();
            torn.write_at(REGION.at, &bytes[..cut]).unwrap();
            let batches = read_all(&torn, 7).len();
            assert!(
                batches >= last && batches < 3,
                "{batches} after {cut} bytes"
            );
            last = batches;
        }
        assert_eq!(last, 2);
    }

    #[test]
    fn a_full_journal_says_so_and_what_waits_is_not_lost() {
        let mut memory = Memory::default();
        let region = Region { at: 0, bytes: 100 };
        let mut journal = Journal::new(region, 1);
        journal.note(|to| record::put_slot(to, &[1; 200]));
        assert!(journal.commit(&mut memory, totals(1)).is_err());
        journal.region.bytes = 4096;
        journal.commit(&mut memory, totals(1)).unwrap();
        let mut reader = Reader::new(&memory, journal.region, 1);
        let batch = reader.next().unwrap().unwrap();
        assert_eq!(batch.records, [Record::Slot(vec![1; 200])]);
    }
}
