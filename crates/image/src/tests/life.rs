//! What a drive knows of its own life.

use super::driven::{Driven, open};
use super::tiny::{testbed, tiny};
use crate::DataDrive;
use ftlab_base::{Command, Nanos, SimTime};

fn second(count: u64) -> SimTime {
    SimTime(count * 1_000_000_000)
}

#[test]
fn the_time_it_was_on_adds_up_over_power_cycles_and_counts_nothing_twice() {
    let Driven {
        mut drive,
        recorder,
        ..
    } = Driven::new(&tiny("page"), 5);
    let (serial, seconds) = (drive.serial(), |count: u64| Nanos(second(count).0));
    for at in [1, 2, 2, 1, 5] {
        drive.note_time(second(at));
        drive.checkpoint().unwrap();
    }
    assert_eq!(
        (drive.power_on_time(), drive.power_cycles()),
        (seconds(5), 1)
    );
    drive.note_time(second(6));
    drive.close().unwrap();
    let (mut drive, _) = open(&recorder).unwrap();
    assert_eq!(
        (drive.power_on_time(), drive.power_cycles()),
        (seconds(6), 2)
    );
    // Its clock has begun anew.
    drive.note_time(second(2));
    drive.checkpoint().unwrap();
    drive.note_time(second(100));
    assert_eq!(drive.power_on_time(), seconds(106));
    // The power is cut: what no checkpoint has is forgotten.
    drop(drive);
    let (drive, recovery) = open(&recorder).unwrap();
    assert!(!recovery.clean);
    assert_eq!(
        (drive.power_on_time(), drive.power_cycles()),
        (seconds(8), 3)
    );
    assert_eq!(drive.serial(), serial);
}

#[test]
fn it_is_busy_from_the_first_command_to_the_last_end() {
    let Driven {
        mut drive,
        recorder,
        ..
    } = Driven::new(&tiny("page"), 5);
    drive.note_time(second(1));
    let busy = |drive: &DataDrive| drive.busy_time().0;
    assert_eq!(busy(&drive), 0);
    let write = |id| Command::write(id, 8 * id, 8, second(2));
    let mut done = Vec::new();
    for id in 1..=2 {
        drive.submit(write(id), &[7; 4096], second(2));
    }
    while done.len() < 2 {
        let next = drive.next_event().unwrap();
        drive.advance(next, &mut done);
    }
    let until = done.iter().map(|end| end.at).max().unwrap();
    drive.note_time(second(9));
    assert_eq!(busy(&drive), until.since(second(2)).0);
    assert!(busy(&drive) > 0 && drive.power_on_time() == Nanos(second(9).0));
    drive.close().unwrap();
    let (drive, _) = open(&recorder).unwrap();
    assert_eq!(busy(&drive), until.since(second(2)).0);
}

#[test]
fn units_of_a_drive_differ_by_seed_and_drives_by_name() {
    let serial = |name: &str, seed| {
        let drive = DataDrive::in_memory(&tiny(name), testbed(), seed);
        drive.unwrap().serial()
    };
    let first = serial("page", 1);
    assert_eq!(first, serial("page", 1));
    assert_ne!(first, serial("page", 2));
    assert_ne!(first, serial("packed", 1));
    assert_eq!(first.len(), 20, "{first}");
}
