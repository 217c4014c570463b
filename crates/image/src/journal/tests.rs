//! Journals as they are written, cut off and damaged.

use super::read::Batch;
use super::*;
use crate::record::Record;
use crate::storage::Memory;
use ftlab_base::Lpn;
use ftlab_drive::ssd::LayerInput;

const REGION: Region = Region {
    at: 1000,
    bytes: 4096,
};

fn checkpoint(epoch: u64) -> Mark {
    Mark {
        epoch,
        batches: 0,
        sequence: 100,
        seal: epoch * 31,
    }
}

fn read_all(memory: &Memory, epoch: u64) -> Vec<Batch> {
    read_with(memory, epoch, None).0
}

fn read_with(memory: &Memory, epoch: u64, known: Option<Mark>) -> (Vec<Batch>, Option<Hole>) {
    let mut reader = Reader::new(memory, REGION, checkpoint(epoch), known);
    let batches = std::iter::from_fn(|| reader.next().unwrap()).collect();
    (batches, reader.hole().unwrap())
}

fn totals(host_ios: u64) -> Totals {
    Totals {
        host_ios,
        ..Totals::default()
    }
}

fn written(batches: u64) -> Memory {
    let mut memory = Memory::default();
    let mut journal = Journal::new(REGION, checkpoint(7));
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

/// Where batches begin.
fn starts(memory: &Memory) -> Vec<u64> {
    let mut bytes = vec![0; REGION.bytes as usize];
    memory.read_at(REGION.at, &mut bytes).unwrap();
    let heads = bytes.windows(HEAD_BYTES).enumerate();
    let heads = heads.filter(|(_, at)| Head::read(at).is_some());
    heads.map(|(at, _)| at as u64).collect()
}

#[test]
fn damage_in_front_of_other_batches_is_a_hole_wherever_it_is() {
    let whole = written(4);
    let starts = starts(&whole);
    assert_eq!(starts.len(), 4);
    for at in 0..starts[3] {
        for flip in [1, 0x80] {
            let mut bad = whole.clone();
            let mut byte = [0];
            bad.read_at(REGION.at + at, &mut byte).unwrap();
            bad.write_at(REGION.at + at, &[byte[0] ^ flip]).unwrap();
            let (batches, hole) = read_with(&bad, 7, None);
            let front = starts.iter().filter(|&&start| start <= at).count() - 1;
            assert_eq!(batches.len(), front, "byte {at}");
            let hole = hole.expect("it is told");
            assert_eq!(hole.batch, front as u64);
            assert_eq!(hole.requests, 2 * (4 - front as u64));
        }
    }
}

#[test]
fn the_last_batch_is_missed_when_a_mark_knows_of_it_and_only_then() {
    let mut memory = written(3);
    let mut reader = Reader::new(&memory, REGION, checkpoint(7), None);
    let mut ends = Vec::new();
    while reader.next().unwrap().is_some() {
        ends.push((reader.at, reader.end));
    }
    let (last, known) = (ends[1].0, ends[2].1);
    memory
        .give_up(REGION.at + last, REGION.bytes - last)
        .unwrap();
    assert_eq!(read_with(&memory, 7, None).1, None);
    assert_eq!(read_with(&memory, 7, Some(ends[1].1)).1, None);
    let missed = Hole {
        batch: 2,
        requests: 2,
        flushed: 2,
    };
    assert_eq!(read_with(&memory, 7, Some(known)).1, Some(missed));
    // Of another checkpoint it says nothing, and another journal's batch is none of this one.
    let other = Mark { epoch: 6, ..known };
    assert_eq!(read_with(&memory, 7, Some(other)).1, None);
    let strange = Mark {
        seal: 1,
        ..ends[0].1
    };
    let (batches, hole) = read_with(&memory, 7, Some(strange));
    assert_eq!((batches.len(), hole.unwrap().batch), (0, 0));
}

#[test]
fn batches_that_change_places_are_a_hole() {
    let whole = written(4);
    let starts = starts(&whole);
    let bytes = (starts[2] - starts[1]) as usize;
    assert_eq!(starts[3] - starts[2], bytes as u64);
    let (mut one, mut two) = (vec![0; bytes], vec![0; bytes]);
    whole.read_at(REGION.at + starts[1], &mut one).unwrap();
    whole.read_at(REGION.at + starts[2], &mut two).unwrap();
    let mut bad = whole.clone();
    bad.write_at(REGION.at + starts[1], &two).unwrap();
    bad.write_at(REGION.at + starts[2], &one).unwrap();
    let (batches, hole) = read_with(&bad, 7, None);
    assert_eq!((batches.len(), hole.unwrap().batch), (1, 1));
}

#[test]
fn a_full_journal_says_so_and_what_waits_is_not_lost() {
    let mut memory = Memory::default();
    let region = Region { at: 0, bytes: 100 };
    let mut journal = Journal::new(region, checkpoint(1));
    journal.note(|to| record::put_slot(to, &[1; 200]));
    assert!(journal.commit(&mut memory, totals(1)).is_err());
    journal.region.bytes = 4096;
    journal.commit(&mut memory, totals(1)).unwrap();
    let mut reader = Reader::new(&memory, journal.region, checkpoint(1), None);
    let batch = reader.next().unwrap().unwrap();
    assert_eq!(batch.records, [Record::Slot(vec![1; 200])]);
}
