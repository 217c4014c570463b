//! A crash log says of every instant what a power cut would have left, as the cut itself does. It also says what
//! became of its own bytes.

use super::driven::{Clock, Driven, recover_with_seed};
use super::recorder::Recorder;
use super::tiny::{names, tiny};
use crate::{CrashLog, CrashLogError, CrashState, DataDrive};
use ftlab_base::{Lba, SECTOR_BYTES};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use tempfile::TempDir;

/// A drive that has worked before, and a log of what it does from now on. Each look at the clock is a microsecond.
fn logged(name: &str, folder: &Path, clock: Clock) -> (Driven, PathBuf) {
    let mut driven = Driven::that_is_cut(&tiny(name), 7, false);
    driven.work(Clock::Untimed, 3 * driven.oracle.slots().min(100));
    driven.work(clock, 10);
    let path = folder.join("log");
    let file = File::create_new(&path).unwrap();
    let now = AtomicU64::new(0);
    let clock = Box::new(move || now.fetch_add(1000, Ordering::Relaxed));
    driven
        .drive
        .begin_crash_log(file, "0".into(), 0, clock)
        .unwrap();
    (driven, path)
}

/// What the host reads of a drive that has nothing under way.
fn read(drive: &mut DataDrive) -> Vec<u8> {
    let mut data = vec![0; drive.capacity_bytes() as usize];
    let sectors = data.len() as u64 / SECTOR_BYTES;
    for sector in 0..sectors {
        let at = (sector * SECTOR_BYTES) as usize;
        let into = &mut data[at..at + SECTOR_BYTES as usize];
        drive.read(Lba(sector), into).unwrap();
    }
    data
}

/// What a log says that a cut at a point leaves.
fn left(log: &CrashLog, point: u64, seed: u64) -> (Vec<u8>, CrashState) {
    let mut replay = log.replay(tempfile::tempfile().unwrap()).unwrap();
    replay.go_to(point).unwrap();
    let state = replay.cut(seed).unwrap();
    let mut data = vec![0; log.header().capacity_bytes as usize];
    replay.newest().read_exact_at(&mut data, 0).unwrap();
    for lost in &state.lost {
        let at = lost.offset_bytes as usize;
        let end = data.len().min(at + lost.data.len());
        data[at..end].copy_from_slice(&lost.data[..end - at]);
    }
    (data, state)
}

#[test]
fn what_a_log_says_a_cut_leaves_is_what_the_cut_leaves() {
    let mut lost = 0;
    for name in names().iter().chain([&"disk".to_owned()]) {
        for clock in [Clock::Untimed, Clock::Timed] {
            let folder = TempDir::new().unwrap();
            let (mut driven, path) = logged(name, folder.path(), clock);
            for round in 0..12 {
                driven.work(clock, 7);
                driven.drive.mark("written out").unwrap();
                let log = CrashLog::open(&path).unwrap();
                let image = driven.recorder.memory();
                let image = Recorder::of(image);
                let (mut cut, _) = recover_with_seed(&image, &tiny(name), round).unwrap();
                let (data, state) = left(&log, u64::MAX, round);
                let found = read(&mut cut);
                let differs = data
                    .iter()
                    .zip(&found)
                    .position(|(one, other)| one != other);
                assert_eq!(
                    differs,
                    None,
                    "{name}, {clock:?}, {round}: {}",
                    state.lost.len()
                );
                lost += state.lost.len();
            }
        }
    }
    assert!(lost > 100, "only {lost} slots were lost");
}

#[test]
fn a_log_holds_what_was_there_before_and_goes_through_every_instant() {
    let folder = TempDir::new().unwrap();
    let (mut driven, path) = logged("page", folder.path(), Clock::Untimed);
    let before = read(&mut driven.drive);
    driven.work(Clock::Untimed, 50);
    driven.drive.mark("fifty").unwrap();
    let told = driven.drive.end_crash_log().unwrap().unwrap();
    let log = CrashLog::open(&path).unwrap();
    assert_eq!(*log.summary(), told);
    assert_eq!(log.torn_bytes(), 0);
    assert!(told.writes > 10 && told.marks == 1 && told.points > told.writes);
    assert_eq!(log.flushes().len() as u64, told.flushes);
    let (data, state) = left(&log, 0, 1);
    assert!(data == before && state.lost.is_empty() && state.mark.is_empty());
    // Every instant lies behind the one before, and cutting changes nothing.
    let mut replay = log.replay(tempfile::tempfile().unwrap()).unwrap();
    let mut at_ns = 0;
    for point in 0..=told.points {
        replay.go_to(point).unwrap();
        let state = replay.cut(3).unwrap();
        assert_eq!(state, replay.cut(3).unwrap());
        assert!(state.point == point && state.at_ns >= at_ns);
        at_ns = state.at_ns;
        if log.flushes().contains(&point) {
            // What follows is that flush, and behind it nothing is volatile.
            let (_, after) = left(&log, point + 1, 3);
            assert!(after.lost.is_empty() || state.volatile_slots == 0);
        }
    }
    assert_eq!(replay.cut(3).unwrap().mark, "fifty");
}

#[test]
fn capacitors_lose_nothing() {
    let folder = TempDir::new().unwrap();
    let (mut driven, path) = logged("page-capacitors", folder.path(), Clock::Timed);
    driven.work(Clock::Timed, 60);
    driven.drive.end_crash_log().unwrap().unwrap();
    let log = CrashLog::open(&path).unwrap();
    let mut replay = log.replay(tempfile::tempfile().unwrap()).unwrap();
    for point in 0..=log.summary().points {
        replay.go_to(point).unwrap();
        assert_eq!(replay.cut(1).unwrap().lost, []);
    }
}

#[test]
fn a_log_that_was_cut_off_ends_where_its_last_whole_block_does() {
    let folder = TempDir::new().unwrap();
    let (mut driven, path) = logged("page", folder.path(), Clock::Untimed);
    for mark in ["one", "two", "three"] {
        driven.work(Clock::Untimed, 20);
        driven.drive.mark(mark).unwrap();
    }
    driven.drive.end_crash_log().unwrap().unwrap();
    let whole = std::fs::read(&path).unwrap();
    let all = CrashLog::open(&path).unwrap().summary().points;
    let mut marks = std::collections::BTreeSet::new();
    for length in (0..whole.len()).rev().step_by(37) {
        std::fs::write(&path, &whole[..length]).unwrap();
        match CrashLog::open(&path) {
            Ok(log) => {
                assert!(log.summary().points <= all);
                marks.insert(left(&log, u64::MAX, 1).1.mark);
                // What a machine had not written when it lost its power.
                let mut padded = whole[..length - log.torn_bytes() as usize].to_vec();
                padded.extend([0; 5000]);
                std::fs::write(&path, padded).unwrap();
                let again = CrashLog::open(&path).unwrap();
                assert_eq!(again.summary(), log.summary());
                assert_eq!(again.torn_bytes(), 5000);
            }
            Err(CrashLogError::Foreign { .. } | CrashLogError::Damaged { .. }) => {
                assert!(length < whole.len() / 2, "refused at {length}");
            }
            Err(other) => panic!("{length}: {other}"),
        }
    }
    assert!(
        marks.contains("three") && marks.contains("two") && marks.contains(""),
        "{marks:?}"
    );
}

#[test]
fn a_damaged_log_is_told_and_never_taken_for_another() {
    let folder = TempDir::new().unwrap();
    let (mut driven, path) = logged("packed", folder.path(), Clock::Untimed);
    for _ in 0..4 {
        driven.work(Clock::Untimed, 10);
        driven.drive.mark("x").unwrap();
    }
    driven.drive.end_crash_log().unwrap().unwrap();
    let whole = std::fs::read(&path).unwrap();
    let told = *CrashLog::open(&path).unwrap().summary();
    let mut damaged = 0;
    for at in (0..whole.len()).step_by(101) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x40;
        std::fs::write(&path, &bytes).unwrap();
        match CrashLog::open(&path) {
            // The last block may be taken for one that was cut off.
            Ok(log) => {
                assert!(log.torn_bytes() > 0, "byte {at}");
                assert!(log.summary().points <= told.points);
            }
            Err(_) => damaged += 1,
        }
    }
    assert!(damaged > 10, "{damaged}");
    std::fs::write(&path, b"FTLCRASH").unwrap();
    let short = CrashLog::open(&path).unwrap_err().to_string();
    assert!(short.contains("no crash log"), "{short}");
    let none = CrashLog::open(folder.path()).unwrap_err().to_string();
    assert!(none.contains("no crash log"), "{none}");
}
