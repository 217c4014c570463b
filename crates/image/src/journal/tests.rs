//! Journals as they are written, cut off and damaged.

use super::read::Batch;
use super::*;
use crate::record::Record;
use crate::storage::{Memory, Region};
use ftlab_base::Lpn;
use ftlab_drive::ssd::LayerInput;

const JOURNALS: Journals = Journals {
    regions: REGIONS,
    requests_due: 100,
};
const REGIONS: [Region; 2] = [
    Region {
        at: 10_000,
        bytes: 4096,
    },
    Region {
        at: 1000,
        bytes: 4096,
    },
];
/// Where odd parts lie.
const REGION: Region = REGIONS[1];

fn checkpoint(number: u64) -> Mark {
    Mark {
        checkpoint: number,
        end: End {
            part: number,
            batches: 0,
            sequence: 100,
            seal: number * 31,
        },
    }
}

fn read_all(memory: &Memory, number: u64) -> Vec<Batch> {
    read_with(memory, number, None).0
}

fn read_with(memory: &Memory, number: u64, known: Option<End>) -> (Vec<Batch>, Option<Hole>) {
    let mut reader = Reader::new(memory, JOURNALS, checkpoint(number).end, known);
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
    let mut journal = Journal::new(JOURNALS, checkpoint(7));
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
    let heads = heads.filter(|(_, at)| Head::read(MAGIC, at).is_some());
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
    let mut reader = Reader::new(&memory, JOURNALS, checkpoint(7).end, None);
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
    // It says nothing about another checkpoint, and another journal's batch is none of this one.
    let other = End { part: 6, ..known };
    assert_eq!(read_with(&memory, 7, Some(other)).1, None);
    let strange = End {
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
    let small = Journals {
        regions: [Region { at: 0, bytes: 100 }; 2],
        ..JOURNALS
    };
    let mut journal = Journal::new(small, checkpoint(1));
    journal.note(|to| record::put_slot(to, &[1; 200]));
    assert!(journal.commit(&mut memory, totals(1)).is_err());
    journal.journals.regions[1].bytes = 4096;
    journal.commit(&mut memory, totals(1)).unwrap();
    let mut reader = Reader::new(&memory, journal.journals, checkpoint(1).end, None);
    let batch = reader.next().unwrap().unwrap();
    assert_eq!(batch.records, [Record::Slot(vec![1; 200])]);
}

/// A part that goes on behind another, with N batches in each.
fn in_two_parts(first: u64, second: u64) -> Memory {
    let mut memory = Memory::default();
    let mut journal = Journal::new(JOURNALS, checkpoint(7));
    let write = |journal: &mut Journal, memory: &mut Memory, batches: u64| {
        for n in 0..batches {
            journal.note_input(LayerInput::Trim(Lpn(n as u32), 1), n);
            journal.commit(memory, totals(n)).unwrap();
        }
    };
    write(&mut journal, &mut memory, first);
    let begin = journal.begin_part(8, &mut memory, totals(0)).unwrap();
    assert_eq!((begin.part, begin.sequence), (8, 100 + first));
    write(&mut journal, &mut memory, second);
    memory
}

#[test]
fn a_part_goes_on_behind_the_one_before_it_until_its_checkpoint_stands() {
    for (first, second) in [(0, 0), (0, 2), (3, 0), (3, 1), (1, 4)] {
        let memory = in_two_parts(first, second);
        let (batches, hole) = read_with(&memory, 7, None);
        assert_eq!((batches.len() as u64, hole), (first + second, None));
        // Once it does, the part begins with the seal that the checkpoint has.
        let mut reader = Reader::new(&memory, JOURNALS, checkpoint(7).end, None);
        (0..first).for_each(|_| assert!(reader.next().unwrap().is_some()));
        let begin = reader.end.begin(8, reader.end.sequence);
        let mut reader = Reader::new(&memory, JOURNALS, begin, None);
        let batches = std::iter::from_fn(|| reader.next().unwrap());
        assert_eq!(batches.count() as u64, second);
        assert_eq!(reader.hole().unwrap(), None);
    }
}

/// Where a region has something, and where that ends.
fn taken(memory: &Memory, region: Region) -> u64 {
    let mut bytes = vec![0; region.bytes as usize];
    memory.read_at(region.at, &mut bytes).unwrap();
    bytes.iter().rposition(|&byte| byte != 0).unwrap() as u64 + 1
}

#[test]
fn damage_in_front_of_a_part_that_goes_on_is_a_hole() {
    let whole = in_two_parts(3, 2);
    // All of the first part, and of the second all but the last batch.
    let last = taken(&whole, REGIONS[0]) / 2;
    let places = (0..taken(&whole, REGION)).map(|at| REGION.at + at);
    for at in places.chain(REGIONS[0].at..REGIONS[0].at + last) {
        let mut bad = whole.clone();
        let mut byte = [0];
        bad.read_at(at, &mut byte).unwrap();
        bad.write_at(at, &[byte[0] ^ 4]).unwrap();
        let (batches, hole) = read_with(&bad, 7, None);
        assert!(batches.len() < 5, "byte {at}");
        let hole = hole.expect("it is told");
        assert_eq!(hole.requests, 5 - batches.len() as u64, "byte {at}");
    }
    // So are batches that are gone without a trace: in the first part, as the second one names the last of
    // them, and in the second, if a mark knows of them.
    let mut bad = whole.clone();
    let first = taken(&whole, REGION) / 3;
    bad.give_up(REGION.at + 2 * first, first).unwrap();
    let (batches, hole) = read_with(&bad, 7, None);
    assert_eq!((batches.len(), hole.unwrap().requests), (2, 3));
    let mut bad = whole.clone();
    bad.give_up(REGIONS[0].at, REGIONS[0].bytes).unwrap();
    assert_eq!(read_with(&bad, 7, None).1, None);
    let known = End {
        part: 8,
        batches: 1,
        sequence: 104,
        seal: 1,
    };
    let hole = read_with(&bad, 7, Some(known)).1.unwrap();
    assert_eq!((hole.batch, hole.requests, hole.flushed), (3, 1, 1));
}

/// Whoever recovers writes over a batch that was cut off, in whichever part that is: it is not found again
/// behind what he writes.
#[test]
fn a_batch_that_was_cut_off_is_written_over() {
    for (second, part) in [(0, 7), (1, 8), (2, 8)] {
        let mut memory = in_two_parts(2, second);
        // The records of the last batch are torn, and its head is whole.
        let region = REGIONS[(part % 2) as usize];
        let end = taken(&memory, region);
        memory.give_up(region.at + end - 4, 4).unwrap();
        let mut reader = Reader::new(&memory, JOURNALS, checkpoint(7).end, None);
        let left = std::iter::from_fn(|| reader.next().unwrap()).count() as u64;
        assert_eq!(left, 1 + second, "part {part}");
        assert_eq!(reader.hole().unwrap(), None);
        let mut journal = Journal::behind(&reader, 7, (0, 0)).unwrap();
        for n in 0..2 {
            journal.note_input(LayerInput::Trim(Lpn(9), 1), n);
            journal.commit(&mut memory, totals(n)).unwrap();
        }
        let (batches, hole) = read_with(&memory, 7, None);
        assert_eq!((batches.len() as u64, hole), (left + 2, None));
    }
}
