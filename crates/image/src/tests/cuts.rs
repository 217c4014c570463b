//! The power is cut after every operation of the storage, and again after operations of the recovery: after every one
//! with `FTLAB_EVERY_CUT`.

use super::driven::{Clock, Driven, recover, recover_and_sync};
use super::oracle::Oracle;
use super::recorder::{Operation, Recorder};
use super::tiny::{names, tiny};
use crate::FlashFault;
use crate::base::Base;
use crate::storage::Memory;
use ftlab_base::rng::Stream;
use ftlab_base::{Lba, Lpn, Outcome, RootSeed};
use ftlab_drive::DriveFile;
use rand::RngExt;
use std::sync::LazyLock;

/// Recoveries that are cut off after every operation together.
const TURNS: usize = 8;

/// Whether each of them is to be: what `make soak` sets.
static EVERY_CUT: LazyLock<bool> = LazyLock::new(|| std::env::var_os("FTLAB_EVERY_CUT").is_some());

/// What cuts came to; a scenario in which nothing of the kind happened shows nothing.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) cuts: usize,
    cuts_of_recoveries: usize,
    pub(super) replayed: u64,
    pub(super) redone: u64,
    kept: u64,
    newer: usize,
}

/// What was cut, for messages and for the oracle.
struct Scene<'a> {
    file: &'a DriveFile,
    oracle: &'a Oracle,
    name: &'a str,
    below: Option<&'a Base>,
}

impl Scene<'_> {
    /// A drive was left so after `operations` of its storage: it comes back, whenever its recovery is
    /// cut off as well.
    fn comes_back(&self, left: &Memory, operations: usize, torn: bool, seen: &mut Seen) {
        let what = format!("{}, {operations} operations, torn: {torn}", self.name);
        let recorder = Recorder::of(left.clone()).on(self.below);
        let found = recover(&recorder, self.file);
        let (mut drive, recovery) = found.unwrap_or_else(|why| panic!("{what}: {why}"));
        seen.newer += self.oracle.check(&mut drive, operations, &what);
        drive.check_layer();
        assert!(!drive.body.something_waits(), "{what}");
        seen.cuts += 1;
        seen.replayed += recovery.replayed;
        seen.redone += recovery.redone;
        seen.kept += recovery.kept_slots;
        drop(drive);
        // A recovery does what the ones before and behind it do, but for little: in turn, they are cut off after other
        // operations.
        let turn = operations + 2 * usize::from(torn);
        // A checkpoint is written the same way every time.
        let tears = recovery.redone > 0 || operations % (4 * TURNS) < TURNS || *EVERY_CUT;
        let mut again = left.clone();
        for (n, operation) in recorder.operations().iter().enumerate() {
            if !(turn + n).is_multiple_of(TURNS) && !*EVERY_CUT {
                operation.apply(&mut again);
                continue;
            }
            if tears {
                let mut torn_again = again.clone();
                operation.torn().apply(&mut torn_again);
                let what = format!("{what}, torn operation {n} of the recovery");
                self.found_again(torn_again, operations, &what, seen);
            }
            operation.apply(&mut again);
            let what = format!("{what}, {} operations of the recovery", n + 1);
            self.found_again(again.clone(), operations, &what, seen);
        }
    }

    fn found_again(&self, left: Memory, operations: usize, what: &str, seen: &mut Seen) {
        let found = recover(&Recorder::of(left).on(self.below), self.file);
        let (mut drive, _) = found.unwrap_or_else(|why| panic!("{what}: {why}"));
        self.oracle.check(&mut drive, operations, what);
        seen.cuts_of_recoveries += 1;
    }
}

/// Cuts a scenario off after every operation of the storage from `first` on.
pub(super) fn cut_everywhere(driven: &Driven, first: usize, name: &str) -> Seen {
    let mut seen = Seen::default();
    let mut left = Memory::default();
    let scene = Scene {
        file: driven.drive.drive_file(),
        oracle: &driven.oracle,
        name,
        below: driven.recorder.below(),
    };
    let operations = driven.recorder.operations();
    for (n, operation) in operations.iter().enumerate() {
        if n >= first {
            scene.comes_back(&left, n, false, &mut seen);
            let mut torn = left.clone();
            operation.torn().apply(&mut torn);
            scene.comes_back(&torn, n, true, &mut seen);
        }
        operation.apply(&mut left);
    }
    scene.comes_back(&left, operations.len(), false, &mut seen);
    seen
}

fn scenario(name: &str, clock: Clock) -> (Driven, usize) {
    let mut driven = Driven::new(&tiny(name), 7);
    // Full, so that it collects; from there on everything is cut.
    driven.work(Clock::Untimed, 3 * driven.oracle.slots());
    driven.drive.checkpoint().unwrap();
    let first = driven.recorder.count();
    // A merge takes many operations.
    let commands = if name == "block" { 8 } else { 24 };
    driven.work(clock, 2 * commands);
    driven.drive.checkpoint().unwrap();
    driven.work(clock, commands);
    (driven, first)
}

#[test]
fn tiny_drives_are_tiny_and_hold_what_is_written() {
    for name in &names() {
        for clock in [Clock::Untimed, Clock::Timed] {
            let mut driven = Driven::new(&tiny(name), 3);
            let slots = driven.oracle.slots();
            assert!((16..200).contains(&slots), "{name}: {slots} slots");
            driven.work(clock, 4 * slots);
            driven.pause();
            driven.work(Clock::Untimed, slots);
            driven.work(clock, slots);
            driven.oracle.check_all(&mut driven.drive);
            driven.drive.check_layer();
            let erases = driven.drive.device().counters().nand_erases;
            assert!(erases > 10, "{name}: {erases} erases");
        }
    }
}

#[test]
fn a_drive_without_time_comes_back_from_every_cut() {
    for name in &names() {
        let (driven, first) = scenario(name, Clock::Untimed);
        let seen = cut_everywhere(&driven, first, name);
        eprintln!("{name}: {seen:?}");
        assert!(seen.replayed > 0 && seen.redone > 0, "{name}: {seen:?}");
        assert!(seen.cuts > 100 && seen.cuts_of_recoveries > 100);
    }
}

#[test]
fn a_drive_at_work_comes_back_from_every_cut() {
    for name in &names() {
        let (driven, first) = scenario(name, Clock::Timed);
        let seen = cut_everywhere(&driven, first, name);
        eprintln!("{name}: {seen:?}");
        assert!(seen.replayed > 0 && seen.redone > 0, "{name}: {seen:?}");
        let keeps = tiny(name).keeps_its_buffer();
        assert_eq!(seen.kept > 0, keeps, "{name}: {seen:?}");
    }
}

/// On a new drive nothing is moved but what its cache of SLC holds.
#[test]
fn a_drive_comes_back_from_every_cut_in_the_middle_of_a_fold() {
    for clock in [Clock::Untimed, Clock::Timed] {
        let mut driven = Driven::new(&tiny("page-slc"), 7);
        let first = driven.recorder.count();
        driven.work(clock, 36);
        let counters = driven.drive.device().counters();
        assert!(counters.moved_programs > 8, "{clock:?}: {counters:?}");
        let written = counters.nand_programs - counters.moved_programs;
        assert!(
            written < driven.oracle.slots() as u64,
            "{clock:?}: {counters:?}"
        );
        let seen = cut_everywhere(&driven, first, "a fold");
        eprintln!("{clock:?}: {seen:?}");
        assert!(seen.replayed > 0 && seen.cuts > 100, "{seen:?}");
    }
}

#[test]
fn a_drive_without_flash_comes_back_from_every_cut() {
    for clock in [Clock::Untimed, Clock::Timed] {
        let mut driven = Driven::new(&tiny("flat"), 7);
        driven.work(clock, 150);
        let seen = cut_everywhere(&driven, 6, "flat");
        assert!(seen.cuts > 300 && seen.newer > 0, "{clock:?}: {seen:?}");
    }
}

#[test]
fn a_drive_whose_die_dies_comes_back_from_every_cut() {
    for clock in [Clock::Untimed, Clock::Timed] {
        let mut driven = Driven::new(&tiny("packed"), 11);
        driven.work(Clock::Untimed, 3 * driven.oracle.slots());
        driven.drive.checkpoint().unwrap();
        let first = driven.recorder.count();
        driven.work(clock, 12);
        driven.drive.inject(FlashFault::Die { die: 2 }).unwrap();
        driven.work(clock, 24);
        let seen = cut_everywhere(&driven, first, "a dead die");
        eprintln!("{clock:?}: {seen:?}");
        assert!(seen.replayed > 0 && seen.cuts > 100, "{seen:?}");
    }
}

/// A process that waits for the machine's storage is killed; its machine goes on.
#[test]
fn a_drive_that_syncs_comes_back_from_every_cut_with_what_was_flushed() {
    for name in &names() {
        for clock in [Clock::Untimed, Clock::Timed] {
            let mut driven = Driven::that_syncs(&tiny(name), 5);
            driven.work(Clock::Untimed, 2 * driven.oracle.slots());
            let first = driven.recorder.count();
            driven.work(clock, if name == "block" { 6 } else { 30 });
            let seen = cut_everywhere(&driven, first, name);
            assert!(seen.replayed > 0 && seen.cuts > 100, "{name}: {seen:?}");
        }
    }
}

/// Storage that a machine may leave which loses its power after N operations: any part of what was written since the
/// last sync may be there, and any may not. Also gives how many operations are there for sure.
fn left_by_machine(before: &Memory, operations: &[Operation], rng: &mut Stream) -> (Memory, usize) {
    let is_sync = |operation: &Operation| matches!(operation, Operation::Sync);
    let synced = operations.iter().rposition(is_sync).unwrap_or(0);
    let mut left = before.clone();
    operations[..synced].iter().for_each(|o| o.apply(&mut left));
    for operation in &operations[synced..] {
        match rng.random_range(0..4) {
            0 => {}
            1 => operation.torn().apply(&mut left),
            _ => operation.apply(&mut left),
        }
    }
    (left, synced)
}

/// Has the power of the machine go after every operation from `first` on; gives what was left out, and
/// what was made again.
pub(super) fn survives_any_order(driven: &Driven, first: usize, name: &str) -> (u64, u64) {
    let (mut left_out, mut redone) = (0, 0);
    let operations = driven.recorder.operations();
    let mut rng = RootSeed(9).stream("order");
    for cut in first..=operations.len() {
        let (left, synced) = left_by_machine(&Memory::default(), &operations[..cut], &mut rng);
        let what = format!("{name}, {cut} operations, {synced} for sure");
        let recorder = Recorder::of(left.clone())
            .on(driven.recorder.below())
            .on_restarted_machine(1);
        let found = recover_and_sync(&recorder, driven.drive.drive_file());
        let (mut drive, recovery) = found.unwrap_or_else(|why| panic!("{what}: {why}"));
        driven.oracle.check(&mut drive, cut, &what);
        drive.check_layer();
        (left_out, redone) = (left_out + recovery.left_out, redone + recovery.redone);
        // And the power goes again while it recovers.
        let again = recorder.operations();
        let until = rng.random_range(0..=again.len());
        let (left, _) = left_by_machine(&left, &again[..until], &mut rng);
        let what = format!("{what}, {until} operations of the recovery");
        let left = Recorder::of(left)
            .on(driven.recorder.below())
            .on_restarted_machine(2);
        let found = recover_and_sync(&left, driven.drive.drive_file());
        let (mut drive, _) = found.unwrap_or_else(|why| panic!("{what}: {why}"));
        driven.oracle.check(&mut drive, cut, &what);
    }
    (left_out, redone)
}

#[test]
fn what_was_flushed_survives_a_machine_that_writes_in_any_order() {
    let (mut left_out, mut redone) = (0, 0);
    for name in names().iter().chain([&"flat".to_owned()]) {
        for clock in [Clock::Untimed, Clock::Timed] {
            let mut driven = Driven::that_syncs(&tiny(name), 5);
            driven.work(Clock::Untimed, 2 * driven.oracle.slots());
            let first = driven.recorder.count();
            let commands = match name.as_str() {
                "block" => 16,
                // Nothing but a flush waits for the storage.
                "flat" => 240,
                _ => 60,
            };
            driven.work(clock, commands);
            let (left, again) = survives_any_order(&driven, first, &format!("{name}, {clock:?}"));
            (left_out, redone) = (left_out + left, redone + again);
        }
    }
    assert!(left_out > 100 && redone > 100, "{left_out} and {redone}");
}

/// Damage to what was flushed last is reported, and nothing is taken for never written.
#[test]
fn damage_to_the_last_batch_is_not_taken_for_a_cut() {
    for name in &names() {
        let mut driven = Driven::that_syncs(&tiny(name), 5);
        let sectors = u64::from(driven.drive.slot_sectors());
        let mut data = Vec::new();
        for slot in 0..6 {
            let (command, mut bytes) = driven.commands.write(slot * sectors, sectors);
            // No two are stored once.
            bytes.fill(slot as u8 + 1);
            assert_eq!(driven.drive.apply(command, &bytes), Outcome::Good);
            data.push(bytes);
        }
        let flush = driven.commands.flush();
        assert_eq!(driven.drive.apply(flush, &[]), Outcome::Good);
        let place = driven.drive.layer().unwrap().lookup(Lpn(3)).unwrap();
        let at = driven.drive.body.regions().place(place.0) + 9;
        driven.recorder.flip_bit(at);
        let (mut drive, recovery) = recover(&driven.recorder, driven.drive.drive_file()).unwrap();
        assert_eq!(recovery.left_out, 0, "{name}");
        for (slot, wanted) in (0..).zip(&data) {
            let mut found = vec![0; wanted.len()];
            let read = drive.read(Lba(slot * sectors), &mut found);
            assert_eq!(read.is_ok(), slot != 3, "{name}, slot {slot}");
            assert!(slot == 3 || found == *wanted, "{name}, slot {slot}");
        }
    }
}

/// Data and their record are waited for together.
#[test]
fn a_flush_waits_once_for_the_machines_storage() {
    let mut driven = Driven::that_syncs(&tiny("page"), 5);
    let flush = driven.commands.flush();
    let syncs = |driven: &Driven| {
        let operations = driven.recorder.operations();
        let syncs = operations.iter().filter(|o| matches!(o, Operation::Sync));
        syncs.count()
    };
    // The first one erases a superblock, which is waited for.
    let (command, data) = driven.commands.write(0, 8);
    assert_eq!(driven.drive.apply(command, &data), Outcome::Good);
    let before = syncs(&driven);
    let (command, data) = driven.commands.write(8, 8);
    assert_eq!(driven.drive.apply(command, &data), Outcome::Good);
    assert_eq!(syncs(&driven), before, "a write alone waits for nothing");
    assert_eq!(driven.drive.apply(flush, &[]), Outcome::Good);
    assert_eq!(syncs(&driven), before + 1);
}
