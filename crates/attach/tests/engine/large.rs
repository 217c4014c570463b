//! Requests of many commands: others come in between, and they are answered as one.

use crate::{Answer, PATIENCE, ask, do_, engine, read, wait, write};
use ftlab_attach::engine::{IoRequest, Operation, Timing};
use ftlab_base::{Lba, SECTOR_BYTES};
use ftlab_nbd::NbdError;
use std::ops::Range;
use std::sync::mpsc;
use std::time::Instant;

/// 16 dies with 128 blocks of 8 pages of 4 KiB: room for requests of many commands.
const LARGER: [&str; 3] = [
    "nand.blocks_per_die=128",
    "nand.pages_per_block=8",
    "spare.op=0.28",
];

const STORED: Operation = Operation::Zero {
    no_hole: true,
    fast: false,
};

#[test]
fn a_large_request_of_one_client_lets_others_in_between() {
    let engine = engine(&LARGER, Timing::Off);
    let sectors = engine.size_bytes() / SECTOR_BYTES;
    let bytes = engine.size_bytes() as usize;
    let until = Instant::now() + PATIENCE;
    for operation in [STORED, Operation::Write] {
        let is_half_done = || {
            do_(&engine, Operation::Trim, 0..sectors).expect("it trims");
            std::thread::scope(|scope| {
                let buffer = vec![
                    7;
                    if operation == Operation::Write {
                        bytes
                    } else {
                        0
                    }
                ];
                let large =
                    scope.spawn(|| wait(&ask(&engine, operation, 0..sectors, false, buffer)));
                let mut half_done = false;
                while !large.is_finished() {
                    let ends = engine.look(move |drive| {
                        [0, sectors - 8].map(|first| drive.is_mapped(Lba(first), 8).0)
                    });
                    half_done |= ends == Ok([true, false]);
                }
                large.join().expect("no panic").expect("room");
                half_done
            })
        };
        // The machine may let this thread sleep for as long as the request takes; not every time.
        while !is_half_done() {
            assert!(
                Instant::now() < until,
                "{operation:?} is never seen half done"
            );
        }
    }
}

#[test]
fn a_small_request_is_answered_before_a_large_one_that_came_before() {
    let engine = engine(&LARGER, Timing::Model);
    let sectors = engine.size_bytes() / SECTOR_BYTES;
    write(&engine, 0..8, 1, true).expect("room");
    let (tell, told) = mpsc::channel();
    let asks = |name, operation, range: Range<u64>| {
        let tell = tell.clone();
        let bytes = match operation {
            Operation::Read | Operation::Write => (range.end - range.start) * SECTOR_BYTES,
            _ => 0,
        };
        let answer = Box::new(move |result: Answer| {
            let _ = tell.send((name, result.map(drop)));
        });
        engine.submit(IoRequest::local(
            operation,
            range,
            false,
            vec![0; bytes as usize],
            answer,
        ));
    };
    for (name, operation) in [
        ("zeroes", STORED),
        ("write", Operation::Write),
        ("read", Operation::Read),
    ] {
        asks(name, operation, 8..sectors);
        asks("small", Operation::Read, 0..8);
        let order = [0; 2].map(|_| told.recv_timeout(PATIENCE).expect("an answer"));
        assert_eq!(order, [("small", Ok(())), (name, Ok(()))]);
    }
}

#[test]
fn a_large_request_reads_and_writes_the_bytes_of_each_part() {
    for timing in [Timing::Model, Timing::Off] {
        let engine = engine(&LARGER, timing);
        // Neither begins nor ends where commands are cut.
        let range = 5..9_001;
        let byte = |sector: u64| (sector * 7 % 251) as u8;
        let data: Vec<u8> = range
            .clone()
            .flat_map(|sector| [byte(sector); SECTOR_BYTES as usize])
            .collect();
        let written = wait(&ask(
            &engine,
            Operation::Write,
            range.clone(),
            true,
            data.clone(),
        ));
        assert_eq!(written.map(drop), Ok(()));
        assert!(read(&engine, range) == Ok(data), "{timing:?}");
        assert_eq!(read(&engine, 0..5), Ok(vec![0; 5 * 512]));
        assert_eq!(read(&engine, 9_001..9_003), Ok(vec![0; 2 * 512]));
        assert_eq!(engine.statistics().writes.requests, 1);
    }
}

#[test]
fn an_error_in_one_part_of_a_request_is_an_error_of_the_request() {
    // Only what can wear out can break.
    let wears = [
        "reliability.rated_cycles=3000",
        "reliability.median_cycles=6000",
        "reliability.life_shape=3",
        "reliability.erase_share=50%",
    ];
    for timing in [Timing::Model, Timing::Off] {
        let engine = engine(&[&LARGER[..], &wears].concat(), timing);
        write(&engine, 0..8_192, 1, true).expect("room");
        let offset_bytes = 6_000 * SECTOR_BYTES;
        let broken = engine.quietly(move |drive| {
            drive.inject(ftlab_image::FlashFault::Unreadable { offset_bytes })
        });
        broken.expect("it runs").expect("it breaks");
        assert_eq!(read(&engine, 0..8_192), Err(NbdError::Io), "{timing:?}");
        assert!(read(&engine, 0..5_000).is_ok());
        assert_eq!(engine.statistics().reads.failed, 1);
    }
}

#[test]
fn a_drive_that_vanishes_amid_a_large_write_is_not_told_the_rest() {
    let engine = engine(&LARGER, Timing::Model);
    let sectors = engine.size_bytes() / SECTOR_BYTES;
    let data = vec![3; engine.size_bytes() as usize];
    let lost = ask(&engine, Operation::Write, 0..sectors, true, data);
    engine.set_presence(false);
    engine.set_presence(true);
    // It goes on with what it was told.
    assert_eq!(write(&engine, 0..8, 4, true), Ok(()));
    let rest = engine.look(move |drive| drive.is_mapped(Lba(sectors - 8), 8).0);
    assert_eq!(rest, Ok(false));
    engine.stop().expect("the drive");
    let aborted = lost.recv_timeout(PATIENCE).expect("an answer");
    assert_eq!(aborted.map(drop), Err(NbdError::Io));
}
