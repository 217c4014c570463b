//! Drives in memory, asked from within the process: when answers leave, and what they say.

mod large;

use ftlab_attach::DriveExport;
use ftlab_attach::engine::{Engine, IoRequest, Operation, Stopped, Timing};
use ftlab_base::{Command, CommandKind, Lba, Nanos, SECTOR_BYTES, SimTime};
use ftlab_drive::{Catalog, DriveFile};
use ftlab_host::Testbed;
use ftlab_image::DataDrive;
use ftlab_nbd::{Export, NbdError};
use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

/// 16 dies with 16 blocks of 8 pages of 4 KiB.
const SMALL: [&str; 3] = [
    "nand.blocks_per_die=16",
    "nand.pages_per_block=8",
    "spare.op=1.5",
];

const HOLES: Operation = Operation::Zero {
    no_hole: false,
    fast: false,
};

/// Longer than any answer here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

fn file(settings: &[&str]) -> DriveFile {
    let settings: Vec<String> = settings.iter().map(|text| (*text).to_owned()).collect();
    Catalog::default()
        .load("generic-mlc-8", &settings)
        .expect("a drive")
}

fn testbed() -> Testbed {
    Testbed::load("attached").expect("a testbed")
}

fn engine(settings: &[&str], timing: Timing) -> Engine {
    let drive = DataDrive::in_memory(&file(settings), &testbed(), 1).expect("a drive");
    Engine::start(drive, timing).expect("an engine")
}

fn small(timing: Timing) -> Engine {
    engine(&SMALL, timing)
}

#[test]
fn hosts_are_asked_for_whole_slots() {
    for (slot, preferred_bytes) in [("map.slot=4KiB", 4096), ("map.slot=16KiB", 16_384)] {
        let settings = [&SMALL[..], &["map.stripe_dies=16", slot]].concat();
        let engine = Arc::new(engine(&settings, Timing::Off));
        let export = DriveExport::new(engine, "a drive".to_owned(), false);
        assert_eq!(export.block_sizes().preferred_bytes, preferred_bytes);
        assert!(export.block_sizes().are_lawful());
    }
}

/// Both ways to run a drive.
fn both(test: impl Fn(&Engine)) {
    for timing in [Timing::Model, Timing::Off] {
        test(&small(timing));
    }
}

type Answer = Result<Vec<u8>, NbdError>;

fn ask(
    engine: &Engine,
    operation: Operation,
    range: Range<u64>,
    fua: bool,
    buffer: Vec<u8>,
) -> Receiver<Answer> {
    let (tell, told) = mpsc::channel();
    let answer = Box::new(move |result| {
        let _ = tell.send(result);
    });
    engine.submit(IoRequest::local(operation, range, fua, buffer, answer));
    told
}

fn wait(answer: &Receiver<Answer>) -> Answer {
    answer.recv_timeout(PATIENCE).expect("an answer")
}

fn read(engine: &Engine, range: Range<u64>) -> Answer {
    let buffer = vec![0xee; ((range.end - range.start) * SECTOR_BYTES) as usize];
    wait(&ask(engine, Operation::Read, range, false, buffer))
}

fn write(engine: &Engine, range: Range<u64>, byte: u8, fua: bool) -> Result<(), NbdError> {
    let data = vec![byte; ((range.end - range.start) * SECTOR_BYTES) as usize];
    wait(&ask(engine, Operation::Write, range, fua, data)).map(drop)
}

fn do_(engine: &Engine, operation: Operation, range: Range<u64>) -> Result<(), NbdError> {
    wait(&ask(engine, operation, range, false, Vec::new())).map(drop)
}

fn sectors(data: &[u8]) -> Vec<u8> {
    let sectors = data.chunks(SECTOR_BYTES as usize);
    sectors
        .map(|sector| {
            assert!(
                sector.iter().all(|byte| *byte == sector[0]),
                "a torn sector"
            );
            sector[0]
        })
        .collect()
}

fn programs(engine: &Engine) -> u64 {
    let counted = engine.look(|drive| drive.device().counters().nand_programs);
    counted.expect("it runs")
}

#[test]
fn what_was_written_is_read_and_what_was_not_is_zero() {
    both(|engine| {
        assert_eq!(write(engine, 3..9, 7, false), Ok(()));
        assert_eq!(write(engine, 4..6, 8, false), Ok(()));
        let data = read(engine, 0..12).expect("data");
        assert_eq!(sectors(&data), [0, 0, 0, 7, 8, 8, 7, 7, 7, 0, 0, 0]);
    });
}

#[test]
fn zeroes_and_trims_change_what_they_cover_and_nothing_else() {
    both(|engine| {
        for operation in [
            HOLES,
            Operation::Zero {
                no_hole: true,
                fast: false,
            },
        ] {
            write(engine, 0..40, 9, false).expect("room");
            assert_eq!(do_(engine, operation, 5..30), Ok(()), "{operation:?}");
            let data = sectors(&read(engine, 0..40).expect("data"));
            let wanted: Vec<u8> = (0..40)
                .map(|n| if (5..30).contains(&n) { 0 } else { 9 })
                .collect();
            assert_eq!(data, wanted, "{operation:?}");
            // Holes are holes, and what must be stored is.
            let mapped = engine
                .look(|drive| drive.is_mapped(Lba(8), 16))
                .expect("it runs");
            assert_eq!(mapped, (operation != HOLES, 16), "{operation:?}");
        }
        write(engine, 0..16, 5, false).expect("room");
        assert_eq!(do_(engine, Operation::Trim, 8..16), Ok(()));
        assert_eq!(sectors(&read(engine, 0..8).expect("data")), [5; 8]);
        let mapped = engine
            .look(|drive| drive.is_mapped(Lba(8), 8))
            .expect("it runs");
        assert_eq!(mapped, (false, 8));
        let slow = Operation::Zero {
            no_hole: true,
            fast: true,
        };
        assert_eq!(do_(engine, slow, 0..8), Err(NbdError::NotSup));
        assert_eq!(do_(engine, Operation::Cache, 0..8), Ok(()));
    });
}

#[test]
fn an_answer_takes_as_long_as_the_model_says() {
    // The same two commands in virtual time.
    let mut device = file(&SMALL)
        .build(&testbed(), ftlab_base::RootSeed(1))
        .expect("a drive");
    let mut clock = SimTime::ZERO;
    let mut latency = |kind, sectors| {
        let command = Command::new(kind, clock.0, 0, sectors, clock);
        let mut done = Vec::new();
        device.submit(command, clock);
        device.advance_to_completion(SimTime::NEVER, &mut done);
        let took = done[0].at.since(clock);
        // Everything else that the drive does ends before the next command.
        while let Some(next) = device.next_event() {
            device.advance(next, &mut done);
            clock = next;
        }
        clock += Nanos::from_secs(1);
        took
    };
    let write_takes = latency(CommandKind::Write, 64);
    let flush_takes = latency(CommandKind::Flush, 0);
    let read_takes = latency(CommandKind::Read, 64);
    assert!(read_takes > Nanos::from_micros(50), "{read_takes}");

    let engine = small(Timing::Model);
    write(&engine, 0..64, 1, false).expect("room");
    // As above, the flash has nothing to do any more.
    std::thread::sleep(Duration::from_millis(20));
    do_(&engine, Operation::Flush, 0..0).expect("safe");
    std::thread::sleep(Duration::from_millis(20));
    let began = Instant::now();
    read(&engine, 0..64).expect("data");
    assert!(
        began.elapsed() >= Duration::from_nanos(read_takes.0),
        "too soon"
    );
    let statistics = engine.statistics();
    for (tally, want, bytes) in [
        (&statistics.writes, write_takes, 32 << 10),
        (&statistics.flushes, flush_takes, 0),
        (&statistics.reads, read_takes, 32 << 10),
    ] {
        assert_eq!((tally.requests, tally.failed, tally.bytes), (1, 0, bytes));
        assert_eq!(tally.latency.max(), want);
    }
    // It is counted when the answer has left.
    let until = Instant::now() + Duration::from_secs(10);
    while engine.statistics().lateness.count() < 3 {
        assert!(Instant::now() < until, "an answer's lateness is missing");
        std::thread::yield_now();
    }
}

#[test]
fn answers_leave_in_the_order_in_which_they_are_due() {
    // Programs so slow that all is asked before one ends, however busy the machine is.
    let settings = [&SMALL[..], &["nand.t_program=500ms"]].concat();
    let engine = engine(&settings, Timing::Model);
    write(&engine, 0..128, 1, false).expect("room");
    do_(&engine, Operation::Flush, 0..0).expect("safe");
    let (tell, told) = mpsc::channel();
    let asks = |operation, range: Range<u64>, byte| {
        let tell = tell.clone();
        let buffer = vec![byte; ((range.end - range.start) * SECTOR_BYTES) as usize];
        let answer = Box::new(move |result: Answer| {
            let _ = tell.send((operation, result.map(|data| sectors(&data)[0])));
        });
        engine.submit(IoRequest::local(operation, range, true, buffer, answer));
    };
    // A program, and reads of other dies.
    asks(Operation::Write, 4096..4104, 9);
    for slot in 0..16 {
        asks(Operation::Read, slot * 8..slot * 8 + 8, 0);
    }
    let answers: Vec<_> = (0..17)
        .map(|_| told.recv_timeout(PATIENCE).expect("an answer"))
        .collect();
    assert_eq!(answers[0], (Operation::Read, Ok(1)), "{answers:?}");
    assert_eq!(
        answers
            .iter()
            .filter(|answer| **answer == (Operation::Read, Ok(1)))
            .count(),
        16
    );
    assert!(answers.contains(&(Operation::Write, Ok(9))));
}

#[test]
fn a_write_is_answered_early_and_with_fua_only_when_it_is_programmed() {
    let programmed = Nanos::from_micros(900);
    let engine = small(Timing::Model);
    write(&engine, 0..8, 1, false).expect("room");
    let early = engine.statistics().writes.latency.max();
    assert!(early < programmed, "{early}");
    write(&engine, 8..16, 2, true).expect("room");
    let late = engine.statistics().writes.latency.max();
    assert!(late >= programmed, "{late}");
    // A write of zeroes and a trim can be asked for as much.
    let fua =
        |operation, range| wait(&ask(&engine, operation, range, true, Vec::new())).expect("safe");
    let stored = Operation::Zero {
        no_hole: true,
        fast: false,
    };
    fua(stored, 16..24);
    assert_eq!(programs(&engine), 3);
    fua(Operation::Trim, 16..24);
    assert_eq!(
        engine.statistics().flushes.requests,
        0,
        "none was asked for"
    );
}

#[test]
fn a_request_of_many_commands_is_answered_once_and_wholly() {
    both(|engine| {
        let sectors = engine.size_bytes() / SECTOR_BYTES;
        let stored = Operation::Zero {
            no_hole: true,
            fast: false,
        };
        write(engine, sectors - 8..sectors, 1, false).expect("room");
        assert_eq!(do_(engine, stored, 1..sectors), Ok(()));
        let mapped = engine.look(move |drive| drive.is_mapped(Lba(1), sectors - 1));
        assert_eq!(mapped.expect("it runs"), (true, sectors - 1));
        assert_eq!(read(engine, sectors - 8..sectors), Ok(vec![0; 8 * 512]));
        assert_eq!(engine.statistics().writes.requests, 2);
    });
}

#[test]
fn at_its_end_a_drive_fails_writes_and_is_read_on() {
    let dying = [
        "reliability.rated_cycles=3",
        "reliability.median_cycles=6",
        "reliability.life_shape=4",
        "reliability.erase_share=90%",
    ];
    let file = file(&[&SMALL[..], &dying[..]].concat());
    let drive = DataDrive::in_memory(&file, &testbed(), 1).expect("a drive");
    let engine = Engine::start(drive, Timing::Off).expect("an engine");
    let slots = engine.size_bytes() / 4096;
    let mut newest = vec![0; slots as usize];
    let died = (0..200 * slots).find_map(|n| {
        // A step that meets every slot, and is no neighbour.
        let slot = n * 37 % slots;
        let result = write(&engine, slot * 8..slot * 8 + 8, n as u8, false);
        if result.is_ok() {
            newest[slot as usize] = n as u8;
        }
        result.err().map(|error| (error, slot))
    });
    let (error, last) = died.expect("it dies");
    assert_eq!(error, NbdError::Io, "no lack of space");
    // And the same drive in time.
    let drive = engine.stop().expect("the drive");
    let engine = Engine::start(drive, Timing::Model).expect("an engine");
    assert!(
        engine
            .look(|drive| drive.device().fault())
            .expect("it runs")
            .is_some()
    );
    for slot in (0..slots).filter(|slot| *slot != last) {
        let data = read(&engine, slot * 8..slot * 8 + 8).expect("reads go on");
        assert_eq!(sectors(&data), [newest[slot as usize]; 8], "slot {slot}");
    }
    assert_eq!(write(&engine, 0..8, 1, true), Err(NbdError::Io));
    assert_eq!(engine.statistics().writes.failed, 1);
    assert_eq!(engine.statistics().reads.failed, 0);
}

#[test]
fn a_quiet_call_finds_nothing_under_way_and_holds_up_what_comes_after() {
    let engine = small(Timing::Model);
    let data = vec![1; 2048 * SECTOR_BYTES as usize];
    let before = ask(&engine, Operation::Write, 0..2048, false, data);
    let erased = engine.quietly(|drive| {
        let programs = drive.device().counters().nand_programs;
        drive.secure_erase().map(|()| programs)
    });
    let programs = erased.expect("it runs").expect("it has flash");
    // The write had been answered, and what it left in the buffer was programmed.
    assert_eq!(before.try_recv().expect("an answer").map(drop), Ok(()));
    assert_eq!(programs, 256);
    assert_eq!(read(&engine, 0..8), Ok(vec![0; 4096]));
    write(&engine, 0..8, 3, true).expect("it goes on");
    assert_eq!(sectors(&read(&engine, 0..8).expect("data")), [3; 8]);
}

#[test]
fn what_is_asked_during_a_quiet_call_is_done_after_it() {
    let engine = std::sync::Arc::new(small(Timing::Model));
    write(&engine, 0..8, 1, true).expect("room");
    let (asked, go) = mpsc::channel::<()>();
    let caller = std::thread::spawn({
        let engine = std::sync::Arc::clone(&engine);
        move || {
            engine.quietly(move |drive| {
                go.recv_timeout(PATIENCE).expect("a request came");
                drive.secure_erase()
            })
        }
    });
    std::thread::sleep(Duration::from_millis(20));
    let answer = ask(&engine, Operation::Read, 0..8, false, vec![9; 4096]);
    asked.send(()).expect("it waits");
    caller
        .join()
        .expect("no panic")
        .expect("it runs")
        .expect("it has flash");
    assert_eq!(wait(&answer), Ok(vec![0; 4096]));
}

#[test]
fn a_stopped_engine_has_answered_everything_and_takes_nothing() {
    for timing in [Timing::Model, Timing::Off] {
        let engine = small(timing);
        let under_way: Vec<_> = (0..64)
            .map(|n| {
                ask(
                    &engine,
                    Operation::Write,
                    n * 8..n * 8 + 8,
                    true,
                    vec![1; 4096],
                )
            })
            .collect();
        let drive = engine.stop().expect("the drive");
        for answer in under_way {
            assert_eq!(answer.try_recv().expect("an answer").map(drop), Ok(()));
        }
        assert_eq!(drive.device().counters().nand_programs, 64);
        assert!(engine.stop().is_none());
        let late = ask(&engine, Operation::Read, 0..8, false, vec![0; 4096]);
        assert!(late.recv_timeout(PATIENCE).is_err());
        assert_eq!(engine.look(|_| ()), Err(Stopped));
    }
}

#[test]
fn a_drive_without_trim_keeps_what_is_trimmed_and_writes_zeroes() {
    let disk = Catalog::default()
        .load("seagate-momentus-7200.2", &[])
        .expect("a drive");
    let drive = DataDrive::in_memory(&disk, &testbed(), 1).expect("a drive");
    let engine = Engine::start(drive, Timing::Off).expect("an engine");
    assert_eq!(engine.trim_sectors(), None);
    write(&engine, 0..16, 1, false).expect("room");
    assert_eq!(do_(&engine, Operation::Trim, 0..16), Ok(()));
    assert_eq!(do_(&engine, HOLES, 8..16), Ok(()));
    let data = sectors(&read(&engine, 0..16).expect("data"));
    assert_eq!(data, [[1; 8], [0; 8]].concat());
    let fast = Operation::Zero {
        no_hole: false,
        fast: true,
    };
    assert_eq!(do_(&engine, fast, 8..16), Err(NbdError::NotSup));
}

#[test]
fn a_drive_that_is_off_its_bus_answers_nothing_until_it_is_back() {
    let engine = small(Timing::Model);
    write(&engine, 0..8, 1, true).expect("room");
    // Under way when it vanishes, and asked for later.
    let under_way = ask(&engine, Operation::Write, 8..16, true, vec![2; 4096]);
    engine.set_presence(false);
    let later = ask(&engine, Operation::Read, 0..8, false, vec![0; 4096]);
    let soon = Duration::from_millis(50);
    assert!(under_way.recv_timeout(soon).is_err());
    assert!(later.recv_timeout(soon).is_err());
    engine.set_presence(true);
    // What came meanwhile is done, and what was under way is aborted: nobody waits until the host gives up.
    let read_later = later.recv_timeout(PATIENCE).expect("an answer");
    assert_eq!(sectors(&read_later.expect("data")), [1; 8]);
    let aborted = under_way.recv_timeout(PATIENCE).expect("an answer");
    assert_eq!(aborted.map(drop), Err(NbdError::Io));
    assert_eq!(sectors(&read(&engine, 0..8).expect("data")), [1; 8]);
    // What nobody answers is dropped when the engine stops, which is an error.
    engine.set_presence(false);
    let lost = ask(&engine, Operation::Read, 0..8, false, vec![0; 4096]);
    assert!(lost.recv_timeout(soon).is_err());
    engine.stop().expect("the drive");
    assert!(lost.recv_timeout(PATIENCE).is_err());

    let engine = small(Timing::Off);
    engine.set_presence(false);
    assert_eq!(write(&engine, 0..8, 1, false), Err(NbdError::Io));
    engine.set_presence(true);
    assert_eq!(write(&engine, 0..8, 1, false), Ok(()));
}

#[test]
fn a_drive_counts_how_long_it_is_on_also_when_nobody_asks_it_for_anything() {
    let engine = small(Timing::Model);
    let on = || engine.look(|drive| drive.power_on_time());
    let first = on().expect("it runs");
    std::thread::sleep(Duration::from_millis(30));
    let later = on().expect("it runs");
    assert!(later.0 >= first.0 + 30_000_000, "{first}, then {later}");
    std::thread::sleep(Duration::from_millis(30));
    let in_the_end = engine.stop().expect("a drive").power_on_time();
    assert!(
        in_the_end.0 >= later.0 + 30_000_000,
        "{later}, then {in_the_end}"
    );
    let untimed = small(Timing::Off);
    write(&untimed, 0..8, 1, true).expect("it is taken");
    let on = untimed.look(|drive| drive.power_on_time());
    assert_eq!(on, Ok(Nanos::ZERO), "no time passes without time");
}
