//! An end out of order is a power cut of the drive: what was flushed is there, and what its volatile buffer held is
//! there or not, slot by slot.

use super::cuts::{cut_everywhere, survives_any_order};
use super::driven::{Clock, Driven, recover, recover_with_seed};
use super::oracle::Commands;
use super::recorder::Recorder;
use super::tiny::{names, tiny, tiny_with};
use crate::{CutReport, DataDrive};
use ftlab_base::{CommandId, Lba, Outcome, SimTime};
use ftlab_drive::DriveFile;

/// Drives that lose their buffer with their power.
fn volatile_names() -> Vec<String> {
    let names = names().into_iter();
    names
        .filter(|name| !tiny(name).keeps_its_buffer())
        .collect()
}

#[test]
fn what_was_flushed_survives_every_cut_and_every_cut_of_the_recovery() {
    for name in names().iter().chain([&"disk".to_owned()]) {
        for (clock, sync) in [
            (Clock::Untimed, false),
            (Clock::Timed, false),
            (Clock::Timed, true),
        ] {
            let mut driven = Driven::that_is_cut(&tiny(name), 7, sync);
            driven.work(Clock::Untimed, 3 * driven.oracle.slots().min(100));
            driven.drive.checkpoint().unwrap();
            let first = driven.recorder.count();
            let commands = if name == "block" { 6 } else { 20 };
            driven.work(clock, commands);
            driven.drive.checkpoint().unwrap();
            driven.work(clock, commands);
            let what = format!("{name}, {clock:?}, sync: {sync}");
            let seen = cut_everywhere(&driven, first, &what);
            eprintln!("{what}: {seen:?}");
        }
    }
}

#[test]
fn what_was_flushed_survives_a_machine_that_forgets_what_was_noted_beside() {
    for name in &names() {
        let mut driven = Driven::that_is_cut(&tiny(name), 5, true);
        driven.work(Clock::Untimed, 2 * driven.oracle.slots());
        let first = driven.recorder.count();
        driven.work(Clock::Timed, if name == "block" { 10 } else { 40 });
        survives_any_order(&driven, first, name);
    }
}

/// A drive with every slot of the first N flushed as 1, and then written as 2 without a flush.
fn overwritten(file: &DriveFile, slots: u64, clock: Clock, sync: bool) -> (DataDrive, Recorder) {
    let mut driven = Driven::that_is_cut(file, 7, sync);
    let sectors = u64::from(driven.drive.slot_sectors());
    let mut now = SimTime::ZERO;
    for version in [1, 2] {
        for slot in 0..slots {
            let (mut command, mut data) = driven.commands.write(slot * sectors, sectors);
            command.id = CommandId(version * 1000 + slot);
            // No two are stored once.
            data.fill(version as u8);
            data[..8].copy_from_slice(&slot.to_le_bytes());
            match clock {
                Clock::Untimed => assert_eq!(driven.drive.apply(command, &data), Outcome::Good),
                Clock::Timed => {
                    let mut done = Vec::new();
                    driven.drive.submit(command, &data, now);
                    while done.is_empty() {
                        now = driven.drive.next_event().expect("it is outstanding");
                        driven.drive.advance(now, &mut done);
                    }
                }
            }
        }
        if version == 1 {
            let flush = driven.commands.flush();
            assert_eq!(driven.drive.apply(flush, &[]), Outcome::Good);
            // With time again, from the beginning of that.
            now = SimTime::ZERO;
        }
    }
    let recorder = driven.recorder.clone();
    (driven.into_drive(), recorder)
}

/// Which version each of the first N slots has.
fn versions(drive: &mut DataDrive, slots: u64) -> Vec<u8> {
    let sectors = u64::from(drive.slot_sectors());
    let mut found = vec![0; sectors as usize * 512];
    let version = |slot| {
        drive.read(Lba(slot * sectors), &mut found).unwrap();
        let version = found[8];
        assert!(
            found[8..].iter().all(|byte| *byte == version),
            "slot {slot} is torn"
        );
        version
    };
    (0..slots).map(version).collect()
}

fn cut(file: &DriveFile, recorder: &Recorder, seed: u64) -> (DataDrive, CutReport) {
    let left = Recorder::of(recorder.memory());
    let (drive, recovery) = recover_with_seed(&left, file, seed).unwrap();
    (drive, recovery.cut.expect("it was cut"))
}

#[test]
fn losses_follow_the_buffer_and_a_later_write_may_survive_an_earlier_one() {
    for name in volatile_names() {
        for (clock, sync) in [
            (Clock::Untimed, false),
            (Clock::Untimed, true),
            (Clock::Timed, false),
            (Clock::Timed, true),
        ] {
            let file = tiny(&name);
            let slots = 16;
            let (drive, recorder) = overwritten(&file, slots, clock, sync);
            let (mut lost, mut holes, mut most) = (0, 0, 0);
            for seed in 0..40 {
                let (mut found, told) = cut(&file, &recorder, seed);
                let versions = versions(&mut found, slots);
                assert!(versions.iter().all(|v| [1, 2].contains(v)), "{versions:?}");
                let old = versions.iter().filter(|v| **v == 1).count() as u64;
                // What was replaced by what waits, or erased since, is counted as it is.
                assert_eq!(told.old, old, "{name}, {clock:?}: {told:?}, {versions:?}");
                assert_eq!(told.slots, told.new + told.old + told.torn, "{told:?}");
                most = most.max(told.slots);
                lost += old;
                let first = versions.iter().position(|v| *v == 1);
                holes += usize::from(first.is_some_and(|n| versions[n..].contains(&2)));
            }
            let what = format!("{name}, {clock:?}, sync: {sync}");
            eprintln!("{what}: {lost} lost, {holes} holes, {most} at most");
            assert!(lost > 0, "{what}: nothing is ever lost");
            if most > 2 {
                assert!(holes > 0, "{what}: never an earlier one alone");
            }
            drop(drive);
        }
    }
}

/// With time the arm decides what is on the platter, and without it the seed does.
#[test]
fn a_disk_loses_some_of_what_its_cache_holds_and_not_in_order() {
    let file = tiny("disk");
    let slots = 24;
    let (drive, recorder) = overwritten(&file, slots, Clock::Untimed, false);
    let again = || {
        let left = Recorder::of(recorder.memory());
        let (mut found, _) = recover(&left, &file).unwrap();
        versions(&mut found, slots)
    };
    let found = again();
    let lost = found.iter().filter(|version| **version == 1).count();
    assert!((4..=20).contains(&lost), "{found:?}");
    let first = found.iter().position(|version| *version == 1).unwrap();
    assert!(found[first..].contains(&2), "a suffix: {found:?}");
    assert_eq!(again(), found);
    drop(drive);
}

#[test]
fn capacitors_and_images_that_forgive_lose_nothing() {
    for name in names() {
        let file = tiny(&name);
        if !file.keeps_its_buffer() {
            continue;
        }
        for (clock, sync) in [
            (Clock::Timed, false),
            (Clock::Timed, true),
            (Clock::Untimed, true),
        ] {
            let (drive, recorder) = overwritten(&file, 16, clock, sync);
            let left = Recorder::of(recorder.memory());
            let (mut found, recovery) = recover(&left, &file).unwrap();
            assert_eq!(recovery.cut, None);
            assert_eq!(versions(&mut found, 16), [2; 16], "{name}, sync: {sync}");
            drop(drive);
        }
    }
}

/// A cut is decided once, also where the journal goes on behind it: whoever recovers once more finds the same.
#[test]
fn what_a_cut_has_left_stays_when_the_next_one_comes_at_once() {
    let (mut went_on, mut lost) = (0, 0);
    for name in &names() {
        for seed in 0..4 {
            let file = tiny(name);
            let (drive, recorder) = overwritten(&file, 16, Clock::Timed, false);
            let number = |drive: &DataDrive| drive.image.as_ref().unwrap().stands.checkpoint;
            let before = number(&drive);
            let left = Recorder::of(recorder.memory());
            let (mut once, first) = recover_with_seed(&left, &file, seed).unwrap();
            let found = versions(&mut once, 16);
            let goes_on = number(&once) == before;
            let (mut twice, second) =
                recover_with_seed(&Recorder::of(left.memory()), &file, seed + 1).unwrap();
            let what = format!("{name}, {seed}, goes on: {goes_on}");
            assert_eq!(versions(&mut twice, 16), found, "{what}");
            twice.check_layer();
            let info = twice.info();
            assert_eq!((info.power_cycles, info.unsafe_shutdowns), (3, 2), "{what}");
            assert_eq!(
                second.cut.map(|cut| cut.slots),
                first.cut.map(|_| 0),
                "{what}"
            );
            went_on += usize::from(goes_on);
            lost += usize::from(found.contains(&1));
            drop((drive, once));
        }
    }
    assert!(
        went_on > 8 && lost > 4,
        "{went_on} went on, {lost} lost something"
    );
}

/// What a drive is left alone with is in its cells.
#[test]
fn after_a_pause_nothing_is_volatile() {
    for name in volatile_names() {
        for sync in [false, true] {
            let file = tiny(&name);
            let (mut drive, recorder) = overwritten(&file, 16, Clock::Timed, sync);
            let mut done = Vec::new();
            while let Some(at) = drive.next_event() {
                drive.advance(at, &mut done);
            }
            let (mut found, told) = cut(&file, &recorder, 3);
            assert_eq!((told.slots, told.old), (0, 0), "{name}, sync: {sync}");
            assert_eq!(versions(&mut found, 16), [2; 16], "{name}, sync: {sync}");
            drop(drive);
        }
    }
}

#[test]
fn the_same_seed_loses_the_same_and_the_drive_has_one_of_its_own() {
    let file = tiny("page");
    let (drive, recorder) = overwritten(&file, 16, Clock::Untimed, false);
    let of = |seed| versions(&mut cut(&file, &recorder, seed).0, 16);
    assert_eq!(of(3), of(3));
    assert!((0..10).any(|seed| of(seed) != of(3)));
    let own = || {
        let left = Recorder::of(recorder.memory());
        let (mut found, recovery) = recover(&left, &file).unwrap();
        (versions(&mut found, 16), recovery.cut)
    };
    assert_eq!(own(), own());
    drop(drive);
}

#[test]
fn a_torn_slot_is_made_of_units_of_both_versions() {
    let file = tiny_with("page", &["power_loss.atomic_write=1KiB"]);
    let (drive, recorder) = overwritten(&file, 16, Clock::Untimed, false);
    let mut torn = 0;
    for seed in 0..20 {
        let (mut found, told) = cut(&file, &recorder, seed);
        let mut here = 0;
        let sectors = u64::from(found.slot_sectors());
        for slot in 0..16 {
            let mut bytes = vec![0; sectors as usize * 512];
            found.read(Lba(slot * sectors), &mut bytes).unwrap();
            let units: Vec<u8> = bytes.chunks(1024).map(|unit| unit[1023]).collect();
            for (unit, version) in bytes.chunks(1024).zip(&units) {
                assert!([1, 2].contains(version), "slot {slot}: {version}");
                assert!(unit[8..].iter().all(|byte| byte == version), "slot {slot}");
            }
            here += u64::from(units.contains(&1) && units.contains(&2));
        }
        assert_eq!(told.torn, here, "{told:?}");
        torn += here;
    }
    assert!(torn > 20, "{torn}");
    drop(drive);
}

/// The commands that the oracle makes are not used here; they are what makes a drive one of the oracle's.
#[test]
fn a_slot_that_held_nothing_holds_nothing_again() {
    let file = tiny("page");
    let mut driven = Driven::that_is_cut(&file, 7, false);
    let mut commands = Commands::new(&driven.drive, 9);
    for slot in 0..8 {
        let (command, mut data) = commands.write(slot * 8, 8);
        data.fill(7);
        assert_eq!(driven.drive.apply(command, &data), Outcome::Good);
    }
    let (mut found, told) = cut(&file, &driven.recorder, 5);
    assert!(told.old > 0 && told.new > 0, "{told:?}");
    let mut empty = 0;
    for slot in 0..8 {
        let mut bytes = [9; 4096];
        found.read(Lba(slot * 8), &mut bytes).unwrap();
        let is_mapped = found.is_mapped(Lba(slot * 8), 8).0;
        assert_eq!(is_mapped, bytes == [7; 4096], "slot {slot}");
        assert!(is_mapped || bytes == [0; 4096], "slot {slot}");
        empty += u64::from(!is_mapped);
    }
    assert_eq!(told.old, empty);
}
