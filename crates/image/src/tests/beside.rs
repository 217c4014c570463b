//! Checkpoints that are written beside other work: requests are answered meanwhile, and the power may be cut at
//! any instant.

use super::cuts::{cut_everywhere, survives_any_order};
use super::driven::{Clock, Driven, recover};
use super::recorder::Recorder;
use super::tiny::{names, tiny};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

const CLOCKS: [Clock; 2] = [Clock::Untimed, Clock::Timed];

/// A drive that was written all over, with one checkpoint under way behind the other from now on; and
/// operations of the storage until then.
fn checkpointing(mut driven: Driven) -> (Driven, usize) {
    driven.work(Clock::Untimed, 3 * driven.oracle.slots());
    driven.drive.checkpoint().unwrap();
    let first = driven.recorder.count();
    driven.keep_checkpointing();
    (driven, first)
}

/// A merge takes many operations.
fn few(name: &str) -> usize {
    if name == "block" { 5 } else { 10 }
}

#[test]
fn a_drive_comes_back_from_every_cut_while_checkpoints_are_written() {
    for name in &names() {
        for clock in CLOCKS {
            let (mut driven, first) = checkpointing(Driven::new(&tiny(name), 7));
            let stood = driven.stands();
            driven.work(clock, 2 * few(name));
            let stand = driven.stands() - stood;
            let seen = cut_everywhere(&driven, first, name);
            eprintln!("{name}, {clock:?}: {seen:?}");
            assert!(driven.recorder.done_beside() >= few(name), "{name}");
            assert!(stand > 1 || name == "block", "{name}: {stand} more");
            assert!(seen.replayed > 0 && seen.redone > 0, "{name}: {seen:?}");
        }
    }
}

#[test]
fn a_drive_that_syncs_comes_back_from_every_cut_while_checkpoints_are_written() {
    for name in &names() {
        for clock in CLOCKS {
            let (mut driven, first) = checkpointing(Driven::that_syncs(&tiny(name), 5));
            driven.work(clock, few(name) * 3 / 2);
            let seen = cut_everywhere(&driven, first, name);
            assert!(driven.recorder.done_beside() >= few(name), "{name}");
            assert!(seen.replayed > 0, "{name}: {seen:?}");
        }
    }
}

#[test]
fn what_was_flushed_survives_any_order_while_checkpoints_are_written() {
    let (mut left_out, mut redone) = (0, 0);
    for name in &names() {
        for clock in CLOCKS {
            let (mut driven, first) = checkpointing(Driven::that_syncs(&tiny(name), 5));
            driven.work(clock, if name == "block" { 16 } else { 60 });
            assert!(driven.recorder.done_beside() > 12, "{name}");
            let (left, again) = survives_any_order(&driven, first, &format!("{name}, {clock:?}"));
            (left_out, redone) = (left_out + left, redone + again);
        }
    }
    assert!(left_out > 30 && redone > 30, "{left_out} and {redone}");
}

/// The journal goes on behind the checkpoint that stands, and the next one is written in place.
#[test]
fn a_checkpoint_that_fails_leaves_the_one_before_it() {
    for name in &names() {
        for after in [0, 1, 2] {
            let (mut driven, first) = checkpointing(Driven::new(&tiny(name), 7));
            let stood = driven.stands();
            driven.work(Clock::Untimed, 1 + after);
            driven.recorder.fail_beside(true);
            driven.stop_checkpointing();
            driven.recorder.fail_beside(false);
            assert_eq!(driven.stands(), stood, "{name}");
            driven.work(Clock::Untimed, few(name) / 2);
            assert_eq!(driven.stands(), stood, "{name}: the next one is put off");
            driven.drive.have_checkpoint_due();
            driven.work(Clock::Untimed, few(name) / 2);
            assert!(driven.stands() > stood + 1, "{name}");
            cut_everywhere(&driven, first, name);
        }
    }
}

/// The disk under the image is full from some byte on, whoever writes that.
#[test]
fn a_full_disk_while_checkpoints_are_written_loses_nothing_acknowledged() {
    for name in &names() {
        let (mut driven, _) = checkpointing(Driven::new(&tiny(name), 11));
        let mut refused = 0;
        for room in (0..60_000).step_by(2903) {
            driven.recorder.set_room(Some(room));
            refused += u64::from(driven.work_until_refused(Clock::Untimed, 30));
            let operations = driven.recorder.count();
            let what = format!("{name}, room for {room} bytes");
            driven.oracle.check(&mut driven.drive, operations, &what);
            // Its power goes just then.
            let left = Recorder::of(driven.recorder.memory());
            let (mut found, _) = recover(&left, driven.drive.drive_file()).unwrap();
            driven.oracle.check(&mut found, operations, &what);
            // There is room again.
            driven.recorder.set_room(None);
            driven.flush();
            driven.oracle.settle(&mut driven.drive);
            driven.work(Clock::Untimed, 4);
        }
        assert!(refused > 5, "{name}: {refused} times");
        driven.stop_checkpointing();
        driven.drive.check_layer();
    }
}

/// Nothing of a request waits for the writer: he gets nowhere here.
#[test]
fn requests_are_answered_while_a_checkpoint_gets_nowhere() {
    for name in &names() {
        for clock in CLOCKS {
            let mut driven = Driven::new(&tiny(name), 7);
            driven.work(Clock::Untimed, 2 * driven.oracle.slots());
            driven.recorder.write_beside();
            driven.drive.have_checkpoint_due();
            let stood = driven.stands();
            driven.work(clock, 300);
            // Another that is due changes nothing.
            driven.drive.have_checkpoint_due();
            driven.work(clock, 300);
            assert_eq!(driven.recorder.done_beside(), 0, "{name}");
            assert_eq!(driven.stands(), stood, "{name}");
            driven.oracle.check_all(&mut driven.drive);
            // Killed now, it is asked everything again.
            let left = Recorder::of(driven.recorder.memory());
            let (mut drive, recovery) = recover(&left, driven.drive.drive_file()).unwrap();
            assert!(recovery.replayed > 300, "{name}: {recovery:?}");
            driven
                .oracle
                .check(&mut drive, driven.recorder.count(), name);
            driven.recorder.let_go();
            driven.drive.end_checkpoint();
            assert!(driven.stands() > stood, "{name}");
        }
    }
}

/// What it costs the request that finds a checkpoint due: its own writes, and one of the journal.
#[test]
fn beginning_a_checkpoint_writes_to_the_journal_once() {
    for name in &names() {
        let mut driven = Driven::new(&tiny(name), 7);
        driven.work(Clock::Untimed, 2 * driven.oracle.slots());
        driven.recorder.write_beside();
        let flush = driven.commands.flush();
        driven.drive.apply(flush, &[]);
        let before = driven.recorder.count();
        driven.drive.have_checkpoint_due();
        let read = driven.commands.read(0, 8);
        driven.drive.apply(read, &[]);
        assert!(driven.drive.has_checkpoint_under_way(), "{name}");
        assert_eq!(driven.recorder.count(), before + 1, "{name}");
    }
}

/// A journal with little room slows requests down; with hardly any, they wait until the checkpoint stands.
#[test]
fn a_journal_that_fills_up_while_a_checkpoint_is_written_is_not_written_beyond_its_end() {
    let mut driven = Driven::new(&tiny("page"), 7);
    driven.work(Clock::Untimed, 2 * driven.oracle.slots());
    driven.recorder.write_beside();
    driven.drive.have_checkpoint_due();
    driven.work(Clock::Untimed, 1);
    driven.drive.pretend_journal_used(8);
    driven.work(Clock::Untimed, 20);
    assert_eq!(
        driven.recorder.done_beside(),
        0,
        "they are slow, and answered"
    );
    driven.drive.pretend_journal_used(14);
    let (tell, told) = mpsc::channel();
    let recorder = driven.recorder.clone();
    thread::scope(|scope| {
        scope.spawn(|| {
            driven.work(Clock::Untimed, 1);
            tell.send(()).unwrap();
        });
        assert!(told.recv_timeout(Duration::from_millis(50)).is_err());
        recorder.let_go();
        told.recv_timeout(Duration::from_mins(1))
            .expect("it goes on");
    });
    driven.recorder.let_go();
    driven.work(Clock::Untimed, 20);
    driven.oracle.check_all(&mut driven.drive);
}

/// What is known of a drive's life counts on while a checkpoint is written.
#[test]
fn time_that_passes_while_a_checkpoint_is_written_is_counted_once() {
    let mut driven = Driven::new(&tiny("page"), 7);
    driven.recorder.write_beside();
    driven.work(Clock::Timed, 20);
    driven.drive.have_checkpoint_due();
    driven.work(Clock::Timed, 20);
    let before = driven.drive.power_on_time();
    driven.recorder.let_go();
    driven.drive.end_checkpoint();
    assert_eq!(driven.drive.power_on_time(), before);
    driven.drive.checkpoint().unwrap();
    assert_eq!(driven.drive.power_on_time(), before);
}
