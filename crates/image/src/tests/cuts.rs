//! The power is cut after every operation of the storage, and again after every operation of the
//! recovery.

use super::driven::{Clock, Driven, open};
use super::oracle::Oracle;
use super::recorder::{Operation, Recorder};
use super::tiny::{names, tiny};
use crate::storage::Memory;

/// What cuts came to; a scenario in which nothing of the kind happened shows nothing.
#[derive(Debug, Default)]
struct Seen {
    cuts: usize,
    cuts_of_recoveries: usize,
    replayed: u64,
    redone: u64,
    kept: u64,
    newer: usize,
}

/// A drive was left so after `operations` of its storage: it comes back, whenever its recovery is cut
/// off as well.
fn comes_back(left: &Memory, oracle: &Oracle, operations: usize, what: &str, seen: &mut Seen) {
    let recorder = Recorder::of(left.clone());
    let (mut drive, recovery) = open(&recorder).unwrap_or_else(|why| panic!("{what}: {why}"));
    seen.newer += oracle.check(&mut drive, operations, what);
    drive.check_layer();
    seen.cuts += 1;
    seen.replayed += recovery.replayed;
    seen.redone += recovery.redone;
    seen.kept += recovery.kept_slots;
    drop(drive);
    let mut again = left.clone();
    for (n, operation) in recorder.operations().iter().enumerate() {
        for torn in operation.torn() {
            let mut torn_again = again.clone();
            torn.apply(&mut torn_again);
            let what = format!("{what}, torn operation {n} of the recovery");
            found_again(torn_again, oracle, operations, &what);
            seen.cuts_of_recoveries += 1;
        }
        operation.apply(&mut again);
        let what = format!("{what}, {} operations of the recovery", n + 1);
        found_again(again.clone(), oracle, operations, &what);
        seen.cuts_of_recoveries += 1;
    }
}

fn found_again(left: Memory, oracle: &Oracle, operations: usize, what: &str) {
    let (mut drive, _) = open(&Recorder::of(left)).unwrap_or_else(|why| panic!("{what}: {why}"));
    oracle.check(&mut drive, operations, what);
}

/// Cuts a scenario off after every operation of the storage from `first` on.
fn cut_everywhere(driven: &Driven, first: usize, name: &str) -> Seen {
    let mut seen = Seen::default();
    let mut left = Memory::default();
    let operations = driven.recorder.operations();
    for (n, operation) in operations.iter().enumerate() {
        if n >= first {
            let what = format!("{name}, {n} operations");
            comes_back(&left, &driven.oracle, n, &what, &mut seen);
            for torn in operation.torn() {
                let mut torn_left = left.clone();
                torn.apply(&mut torn_left);
                let what = format!("{name}, {n} operations and {}", torn.describe());
                comes_back(&torn_left, &driven.oracle, n, &what, &mut seen);
            }
        }
        operation.apply(&mut left);
    }
    let n = operations.len();
    let what = format!("{name}, all {n} operations");
    comes_back(&left, &driven.oracle, n, &what, &mut seen);
    seen
}

fn scenario(name: &str, clock: Clock) -> (Driven, usize) {
    let mut driven = Driven::new(&tiny(name), 7);
    // Full, so that it collects; from there on everything is cut.
    driven.work(Clock::Untimed, 3 * driven.oracle.slots());
    driven.drive.checkpoint().unwrap();
    let first = driven.recorder.count();
    driven.work(clock, 40);
    driven.drive.checkpoint().unwrap();
    driven.work(clock, 20);
    (driven, first)
}

#[test]
fn a_drive_without_time_comes_back_from_every_cut() {
    for name in names() {
        let (driven, first) = scenario(name, Clock::Untimed);
        let seen = cut_everywhere(&driven, first, name);
        eprintln!("{name}: {seen:?}");
        assert!(seen.replayed > 0 && seen.redone > 0, "{name}: {seen:?}");
        assert!(seen.cuts > 100 && seen.cuts_of_recoveries > 100);
    }
}

#[test]
fn a_drive_at_work_comes_back_from_every_cut() {
    for name in names() {
        let (driven, first) = scenario(name, Clock::Timed);
        let seen = cut_everywhere(&driven, first, name);
        eprintln!("{name}: {seen:?}");
        assert!(seen.replayed > 0 && seen.redone > 0, "{name}: {seen:?}");
        let keeps = tiny(name).keeps_its_buffer();
        assert_eq!(seen.kept > 0, keeps, "{name}: {seen:?}");
    }
}

impl Operation {
    fn describe(&self) -> String {
        match self {
            Operation::Write(at, bytes) => format!("{} bytes written at {at}", bytes.len()),
            Operation::GiveUp(at, bytes) => format!("{bytes} bytes given up at {at}"),
        }
    }
}
