//! Faults of requests, and what they do to data.

use ftlab_device::{Builder, Command, Completion, Device, Operation, Outcome};
use ftlab_drive::Catalog;

/// Drives of flash, behind the cores of a host and without them, and drives without flash.
const DRIVES: [&str; 4] = [
    "samsung-980-pro-1000",
    "generic-mlc-8",
    "wd-raptor-150",
    "ramdisk-8gb",
];
/// Those of them whose write cache loses its data in a power cut.
const VOLATILE: [&str; 3] = [DRIVES[0], DRIVES[1], DRIVES[2]];

fn plain(name: &str) -> Builder {
    let builder = Device::named(name);
    match name {
        "samsung-980-pro-1000" => builder.shrink_to(3 << 30),
        "generic-mlc-8" => builder.set("nand.blocks_per_die=64"),
        _ => builder,
    }
}

fn device(name: &str, faults: &[&str]) -> Device {
    let builder = faults
        .iter()
        .fold(plain(name).keep_data(), |b, f| b.fault(f));
    builder.build().unwrap()
}

/// Lets everything happen that will.
fn finish(drive: &mut Device) -> Vec<Completion> {
    let mut done = Vec::new();
    while drive.advance_to_completion(u64::MAX, &mut done).is_some() {}
    done
}

/// Submits a command now, whose data repeat one byte, and gives its end.
fn end(drive: &mut Device, command: Command, byte: u8) -> Completion {
    let bytes = match command.operation {
        Operation::Write => command.bytes as usize,
        _ => 0,
    };
    let data = vec![byte; bytes];
    drive.submit_write(command, &data, drive.now_ns()).unwrap();
    let mut done = Vec::new();
    // No further: the drive has not brought to its place what it answered for.
    drive.advance_to_completion(u64::MAX, &mut done);
    assert_eq!(done.len(), 1, "{done:?}");
    done[0]
}

fn held(drive: &Device, offset: u64, bytes: usize) -> Vec<u8> {
    let mut into = vec![0; bytes];
    drive.read(offset, &mut into).unwrap();
    into
}

/// Asserts that all of a range is of one byte.
#[track_caller]
fn assert_holds(drive: &Device, offset: u64, bytes: usize, byte: u8) {
    let found = held(drive, offset, bytes);
    let name = drive.name();
    assert!(
        found.iter().all(|of| *of == byte),
        "{name}: no {byte} at {offset}"
    );
}

fn hits(drive: &Device) -> Vec<u64> {
    drive.faults().iter().map(|fault| fault.hits).collect()
}

#[test]
fn what_a_fault_answers_is_not_stored() {
    let cases = [
        ("error once --on write --after 1", Outcome::WriteFault),
        ("full --count 1 --after 1", Outcome::WriteFault),
        ("read-only --count 1 --after 1", Outcome::WriteFault),
        (
            "bad 4k..8k --stays --after 1 --count 1",
            Outcome::WriteFault,
        ),
        ("drop --count 1 --after 1", Outcome::Good),
    ];
    for (name, (fault, outcome)) in DRIVES
        .iter()
        .flat_map(|name| cases.map(|case| (name, case)))
    {
        let mut drive = device(name, &[fault]);
        let write = Command::write(7, 4096, 8192);
        assert!(end(&mut drive, write, 1).is_good());
        assert_eq!(
            end(&mut drive, write, 2).outcome,
            outcome,
            "{name}: {fault}"
        );
        assert_eq!(hits(&drive), [1], "{name}: {fault}");
        assert_holds(&drive, 4096, 8192, 1);
        drive.end_faults(None);
        // Neither a flush nor the same number nor a cut brings it back.
        assert!(end(&mut drive, Command::write(7, 65_536, 8192), 3).is_good());
        assert!(end(&mut drive, Command::flush(8), 0).is_good());
        drive.power_cut(drive.now_ns(), 1).unwrap();
        assert_holds(&drive, 4096, 8192, 1);
        assert_holds(&drive, 65_536, 8192, 3);
    }
}

#[test]
fn a_bad_range_is_an_error_until_it_is_written_anew() {
    for name in DRIVES {
        let mut drive = device(name, &["bad 4k..8k"]);
        let read = end(&mut drive, Command::read(1, 0, 8192), 0);
        assert_eq!(read.outcome, Outcome::Unrecoverable);
        assert!(end(&mut drive, Command::write(2, 4096, 4096), 5).is_good());
        assert!(end(&mut drive, Command::read(3, 0, 8192), 0).is_good());
        assert_holds(&drive, 4096, 4096, 5);
        assert!(drive.faults()[0].is_over);
    }
}

/// What cuts with some seeds take of a write that a flush has answered for.
fn lost_of_a_flushed_write(name: &str, flush: Command, faults: &[&str]) -> u64 {
    let mut drive = device(name, faults);
    assert!(end(&mut drive, Command::write(1, 0, 8192), 1).is_good());
    assert!(end(&mut drive, flush, 0).is_good());
    let cuts = (0..20).map(|seed| {
        let mut drive = drive.clone();
        let cut = drive.power_cut(drive.now_ns(), seed).unwrap();
        let found = held(&drive, 0, 8192);
        let is_lost = found.iter().any(|byte| *byte != 1);
        assert_eq!(is_lost, !cut.lost.is_empty(), "{name}, {seed}: {cut:?}");
        cut.lost.iter().map(|lost| lost.bytes).sum::<u64>()
    });
    cuts.sum()
}

#[test]
fn a_flush_that_is_dropped_protects_nothing_from_a_cut() {
    for name in VOLATILE {
        for flush in [Command::flush(2), Command::flush_range(2, 0, 8192)] {
            assert_eq!(lost_of_a_flushed_write(name, flush, &[]), 0, "{name}");
            let lies = ["drop-flush"];
            assert!(lost_of_a_flushed_write(name, flush, &lies) > 0, "{name}");
            // An error is none, and the flush behind it is.
            let other = ["drop-flush --after 1", "error once --on write --after 1"];
            assert_eq!(lost_of_a_flushed_write(name, flush, &other), 0, "{name}");
        }
    }
}

#[test]
fn a_misdirected_write_lies_where_it_landed() {
    for name in DRIVES {
        // By a part of a slot, too.
        for by in [512, 1 << 16] {
            let fault = format!("misdirect --by {by} --count 1 --after 1");
            let mut drive = device(name, &[&fault]);
            assert!(end(&mut drive, Command::write(1, 8192, 4096), 1).is_good());
            assert!(end(&mut drive, Command::write(2, 8192, 4096), 2).is_good());
            for cut in [false, true] {
                if cut {
                    assert!(end(&mut drive, Command::flush(3), 0).is_good());
                    drive.power_cut(drive.now_ns(), 1).unwrap();
                }
                assert_holds(&drive, 8192, by.min(4096) as usize, 1);
                assert_holds(&drive, 8192 + by, 4096, 2);
                assert_holds(&drive, 8192 + by + 4096, 4096, 0);
            }
        }
    }
}

#[test]
fn a_bit_that_is_flipped_of_a_write_is_stored() {
    for name in DRIVES {
        let mut drive = device(name, &["flip --on write --count 1 --seed 3"]);
        let write = end(&mut drive, Command::write(1, 0, 8192), 0);
        assert_eq!((write.outcome, write.flip), (Outcome::Good, None));
        assert!(end(&mut drive, Command::flush(2), 0).is_good());
        drive.power_cut(drive.now_ns(), 1).unwrap();
        let found = held(&drive, 0, 8192);
        let ones: u32 = found.iter().map(|byte| byte.count_ones()).sum();
        assert_eq!(ones, 1, "{name}");
        let read = end(&mut drive, Command::read(3, 0, 8192), 0);
        let mut received = vec![0; 8192];
        drive.receive(&read, 0, &mut received).unwrap();
        assert_eq!((received, read.flip), (found, None));
    }
}

#[test]
fn a_bit_that_is_flipped_of_a_read_is_in_its_data_alone() {
    for name in DRIVES {
        let mut drive = device(name, &["flip --count 1 --after 1"]);
        assert!(end(&mut drive, Command::write(0, 4096, 8192), 0).is_good());
        let now_ns = drive.now_ns();
        for id in 1..4 {
            drive.submit(Command::read(id, 4096, 8192), now_ns).unwrap();
        }
        let mut done = finish(&mut drive);
        done.sort_by_key(|end| end.id);
        let flips: Vec<bool> = done.iter().map(|end| end.flip.is_some()).collect();
        assert_eq!(flips, [false, true, false], "{name}");
        for end in &done {
            let mut received = vec![0; 8192];
            drive.receive(end, 4096, &mut received).unwrap();
            let ones: u32 = received.iter().map(|byte| byte.count_ones()).sum();
            assert_eq!(ones, u32::from(end.flip.is_some()));
        }
        let flip = done[1].flip.unwrap();
        assert!((4096..4096 + 8192).contains(&flip.offset));
        // In a part of the read it is there once as well.
        let ones = (0..16).map(|sector| {
            let mut part = [0; 512];
            let offset = 4096 + 512 * sector;
            drive.receive(&done[1], offset, &mut part).unwrap();
            let here = (offset..offset + 512).contains(&flip.offset);
            assert_eq!(part.iter().any(|byte| *byte == 1 << flip.bit), here);
            part.iter().map(|byte| byte.count_ones()).sum::<u32>()
        });
        assert_eq!(ones.sum::<u32>(), 1);
        assert_holds(&drive, 4096, 8192, 0);
    }
}

#[test]
fn a_read_that_fails_has_no_bit_to_flip() {
    let mut drive = device("generic-mlc-8", &["flip", "error once --on read"]);
    let failed = end(&mut drive, Command::read(1, 0, 4096), 0);
    assert_eq!(
        (failed.outcome, failed.flip),
        (Outcome::Unrecoverable, None)
    );
    assert!(end(&mut drive, Command::read(2, 0, 4096), 0).flip.is_some());
}

#[test]
fn what_waits_is_done_with_its_own_data() {
    for (name, fault) in (DRIVES.iter()).flat_map(|name| {
        let faults = ["stall 5ms --on write", "slow x40", "disappear for 5ms"];
        faults.map(|fault| (name, fault))
    }) {
        let mut drive = device(name, &[fault]);
        for id in 0..32 {
            // Those in between pass a stall, and use what numbers the host has for requests.
            let command = match id % 2 {
                0 => Command::write(id, id * 4096, 4096),
                _ => Command::read(id, id * 4096, 4096),
            };
            let data = vec![id as u8 + 1; if id % 2 == 0 { 4096 } else { 0 }];
            drive.submit_write(command, &data, 0).unwrap();
        }
        let done = finish(&mut drive);
        assert_eq!(done.len(), 32, "{name}: {fault}");
        assert!(done.iter().all(Completion::is_good));
        assert!(done.is_sorted_by_key(|end| end.at_ns));
        if !fault.starts_with("slow") {
            let writes = done.iter().filter(|end| end.id % 2 == 0);
            let first = writes.map(|end| end.at_ns).min();
            assert!(first >= Some(5_000_000), "{name}: {fault}: {first:?}");
        }
        for id in (0..32).step_by(2) {
            assert_holds(&drive, id * 4096, 4096, id as u8 + 1);
        }
    }
}

#[test]
fn what_waits_when_the_power_goes_is_gone_and_the_fault_goes_on() {
    for name in DRIVES {
        let mut drive = device(
            name,
            &["stall 5ms --count 2", "error once --on read --after 2"],
        );
        assert_eq!(hits(&drive), [0, 0]);
        let write = |id| Command::write(id, 0, 4096);
        drive.submit_write(write(1), &[1; 4096], 0).unwrap();
        drive.submit(Command::read(2, 0, 4096), 0).unwrap();
        let cut = drive.power_cut(1_000_000, 1).unwrap();
        assert_eq!((cut.outstanding, cut.lost.len()), (vec![1, 2], 0));
        assert_eq!(drive.outstanding(), 0);
        assert_holds(&drive, 0, 4096, 0);
        assert_eq!(hits(&drive), [2, 0]);
        // It stalls still, and the second read since the device was built is the one before the error.
        let end_ns = end(&mut drive, write(1), 2).at_ns;
        assert!(end_ns >= 5_000_000, "{name}: {end_ns}");
        assert_holds(&drive, 0, 4096, 2);
        drive.end_faults(Some(1));
        assert!(end(&mut drive, Command::read(2, 0, 4096), 0).is_good());
        assert!(!end(&mut drive, Command::read(2, 0, 4096), 0).is_good());
        assert!(end(&mut drive, Command::read(2, 0, 4096), 0).is_good());
    }
}

#[test]
fn an_end_that_is_held_back_changes_nothing_in_the_drive() {
    // The same commands at the same instants, with the end of the flush held and not.
    for name in VOLATILE {
        let mut both = [device(name, &["slow x8 --on flush"]), device(name, &[])];
        let mut done = [Vec::new(), Vec::new()];
        let write = |drive: &mut Device, id: u64, bytes: usize, at_ns: u64| {
            let command = Command::write(id, id << 20, bytes as u64);
            drive
                .submit_write(command, &vec![id as u8; bytes], at_ns)
                .unwrap();
        };
        for (drive, done) in both.iter_mut().zip(&mut done) {
            (1..5).for_each(|id| write(drive, id, 65_536, 0));
            while done.len() < 4 {
                drive.advance_to_completion(u64::MAX, done);
            }
            drive.submit(Command::flush(0), drive.now_ns()).unwrap();
        }
        let begin_ns = both[1].now_ns();
        assert_eq!(both[0].now_ns(), begin_ns);
        // How long it takes the drive.
        let of_the_flush = |done: &[Completion]| done.iter().find(|end| end.id == 0).unwrap().at_ns;
        let took_ns = of_the_flush(&finish(&mut both[1].clone())) - begin_ns;
        let mut lost = 0;
        // When writes come and when the power goes, in tenths of that time: the last but one at the held end, the last behind it.
        for (round, tenths) in (0..).zip([[20, 25], [50, 55], [79, 80], [85, 90]]) {
            let [at_ns, cut_ns] = tenths.map(|tenths| begin_ns + tenths * took_ns / 10);
            for (drive, done) in both.iter_mut().zip(&mut done) {
                drive.advance(at_ns, done);
                (0..4).for_each(|n| write(drive, 10 + 4 * round + n, 65_536, at_ns));
                drive.advance(cut_ns, done);
            }
            for seed in 0..10 {
                let cuts = [0, 1].map(|n| {
                    let cut = both[n].clone().power_cut(cut_ns, seed).unwrap();
                    lost += cut.lost.len();
                    (cut.volatile_slots, cut.lost)
                });
                assert_eq!(cuts[0], cuts[1], "{name} at {tenths:?}");
            }
        }
        assert!(lost > 0, "{name}");
        assert_eq!(of_the_flush(&done[1]), begin_ns + took_ns, "{name}");
        assert_eq!(of_the_flush(&done[0]), begin_ns + 8 * took_ns, "{name}");
    }
}

const MIXED: [&str; 8] = [
    "error 3% --on read,write --seed 1",
    "flip --seed 2 --after 20 --count 30",
    "flip --on write --after 30 --count 20",
    "drop --after 40 --count 5",
    "misdirect --by 64k --after 60 --count 5",
    "drop-flush --count 3",
    "stall 2ms --after 100 --count 2",
    "slow x7 --after 200 --count 100",
];

/// Reads, writes, trims and flushes here and there, eight at a time.
fn go_on(drive: &mut Device, ids: std::ops::Range<u64>, done: &mut Vec<Completion>) {
    for id in ids {
        let place = id.wrapping_mul(0x9e37_79b9_7f4a_7c15) % 500 * 4096;
        let bytes = 4096 << (id % 3);
        let command = match id % 11 {
            0..5 => Command::read(id, place, bytes),
            5..9 => Command::write(id, place, bytes),
            9 => Command::trim(id, place, bytes),
            _ => Command::flush(id),
        };
        let now_ns = drive.now_ns();
        match (drive.keeps_data(), command.operation) {
            (true, Operation::Write) => {
                let data = vec![id as u8; bytes as usize];
                drive.submit_write(command, &data, now_ns).unwrap();
            }
            _ => drive.submit(command, now_ns).unwrap(),
        }
        while drive.outstanding() >= 8 {
            drive.advance_to_completion(u64::MAX, done);
        }
    }
}

#[test]
fn faults_are_the_same_every_time_with_data_and_without() {
    for name in DRIVES {
        let of = |builder: Builder| {
            let builder = MIXED
                .iter()
                .fold(builder, |builder, fault| builder.fault(fault));
            let mut drive = builder.build().unwrap();
            let mut done = Vec::new();
            go_on(&mut drive, 0..1000, &mut done);
            assert!(drive.outstanding() > 0);
            let mut fork = drive.clone();
            let mut of_fork = done.clone();
            for (drive, done) in [(&mut drive, &mut done), (&mut fork, &mut of_fork)] {
                go_on(drive, 1000..2000, done);
                done.extend(finish(drive));
            }
            assert_eq!(done, of_fork, "{name}");
            assert_eq!(drive.faults(), fork.faults());
            if drive.keeps_data() {
                assert_eq!(held(&drive, 0, 3 << 20), held(&fork, 0, 3 << 20));
            }
            assert!(
                hits(&drive).iter().all(|hits| *hits > 0),
                "{:?}",
                drive.faults()
            );
            (drive, done)
        };
        let (data, of_data) = of(plain(name).keep_data());
        let (again, of_again) = of(plain(name).keep_data());
        let (account, of_account) = of(plain(name).track_power_cuts());
        let (clock, of_clock) = of(plain(name));
        assert!(of_data.iter().any(|end| end.flip.is_some()));
        assert!(
            of_data == of_again && of_data == of_account && of_data == of_clock,
            "{name}"
        );
        for other in [&again, &account, &clock] {
            assert_eq!(data.counters(), other.counters(), "{name}");
            assert_eq!(data.faults(), other.faults(), "{name}");
        }
        assert_eq!(held(&data, 0, 3 << 20), held(&again, 0, 3 << 20));
    }
}

#[test]
fn a_drive_file_and_words_have_the_same_faults() {
    let drive = Catalog::default()
        .known("generic-mlc-8", &["nand.blocks_per_die=64".to_owned()])
        .unwrap();
    let script = "[[faults.script]]\nfault = { error = { share = 1.0 } }\non = [\"write\"]\nafter = 2\ncount = 3\n";
    let text = format!("{}\n{script}", drive.text());
    let of = |builder: Builder| {
        let mut drive = builder.keep_data().build().unwrap();
        let mut done = Vec::new();
        go_on(&mut drive, 0..100, &mut done);
        done.extend(finish(&mut drive));
        (done, drive.faults())
    };
    let in_a_file = of(Device::of_text("generic-mlc-8", &text));
    let in_words = of(plain("generic-mlc-8").fault("error 100% --on write --after 2 --count 3"));
    assert_eq!(in_a_file, in_words);
    assert_eq!(in_words.1[0].hits, 3);
}

#[test]
fn faults_begin_and_end_at_work() {
    for name in DRIVES {
        let mut drive = device(name, &[]);
        assert_eq!(drive.faults(), []);
        drive
            .submit_write(Command::write(1, 0, 4096), &[1; 4096], 0)
            .unwrap();
        // What is outstanding is past it.
        assert_eq!(drive.begin_fault("error 100% --on write"), Ok(1));
        assert_eq!(drive.begin_fault("drop --at 1s"), Ok(2));
        assert!(finish(&mut drive)[0].is_good());
        assert!(!end(&mut drive, Command::write(2, 0, 4096), 2).is_good());
        assert_eq!(drive.end_faults(Some(1)), 1);
        assert_eq!(drive.end_faults(Some(1)), 0);
        assert!(end(&mut drive, Command::write(3, 0, 4096), 3).is_good());
        assert_holds(&drive, 0, 4096, 3);
        drive.advance(1_100_000_000, &mut Vec::new());
        assert!(end(&mut drive, Command::write(4, 0, 4096), 4).is_good());
        assert_holds(&drive, 0, 4096, 3);
        let told = drive.faults();
        assert_eq!((told.len(), told[0].number, told[0].hits), (1, 2, 1));
        assert_eq!(told[0].fault, "drop from 1.00 s");
        assert_eq!(drive.end_faults(None), 1);
        assert!(end(&mut drive, Command::write(5, 0, 4096), 5).is_good());
        assert_holds(&drive, 0, 4096, 5);
    }
}

#[test]
fn a_fault_that_cannot_be_says_why() {
    for (words, why) in [
        (
            "eror once",
            "the fault \"eror once\": there is no such fault; there are stall",
        ),
        (
            "bad 0..1t",
            "the fault \"bad 0..1t\": the range ends at byte 1099511627776",
        ),
        ("drop --on read", "leave out --on"),
    ] {
        let at_build = plain("generic-mlc-8").fault(words).build().unwrap_err();
        assert!(at_build.to_string().contains(why), "{at_build}");
        let mut drive = device("generic-mlc-8", &[]);
        let at_work = drive.begin_fault(words).unwrap_err();
        assert_eq!(at_work.to_string(), at_build.to_string());
        assert_eq!(drive.faults(), []);
    }
}

#[test]
fn a_state_is_saved_past_the_faults() {
    let mut drive = device(
        "generic-mlc-8",
        &["error 100% --on flush", "drop --after 1"],
    );
    assert!(end(&mut drive, Command::write(1, 0, 1 << 20), 1).is_good());
    let saved = drive.save_state().unwrap();
    assert_eq!(hits(&drive), [0, 0]);
    let next = plain("generic-mlc-8").saved_state(&saved).build().unwrap();
    assert_eq!(next.counters().host_bytes_written, 1 << 20);
}

#[test]
fn where_a_latency_went_says_the_host_of_what_a_fault_held_back() {
    let faults = ["stall 5ms --on read", "slow x10 --on write", "drop-flush"];
    let builder = plain("samsung-980-pro-1000")
        .state("filled")
        .split_latencies();
    let builder = faults
        .iter()
        .fold(builder, |builder, fault| builder.fault(fault));
    let mut drive = builder.build().unwrap();
    for id in 0..8 {
        drive.submit(Command::read(id, id << 20, 4096), 0).unwrap();
        drive
            .submit(Command::write(8 + id, id << 20, 4096), 0)
            .unwrap();
    }
    drive.submit(Command::flush(16), 0).unwrap();
    let done = finish(&mut drive);
    assert_eq!(done.len(), 17);
    for end in &done {
        let Some(split) = end.split else {
            assert_eq!(end.id, 16, "the drive never got it");
            continue;
        };
        let inside_ns = split.controller_ns + split.link_ns + split.flash_ns;
        assert_eq!(split.host_ns + inside_ns, end.at_ns);
        assert!(inside_ns > 0 && inside_ns < 1_000_000, "{end:?}");
        assert!(end.id >= 8 || split.host_ns >= 5_000_000, "{end:?}");
    }
}
