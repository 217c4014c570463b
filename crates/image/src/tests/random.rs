//! Cuts at random: of drives under load that are too large to try every one, and of drives whose
//! blocks fail.

use super::driven::{Clock, Driven, recover};
use super::recorder::Recorder;
use super::tiny::testbed;
use crate::DataDrive;
use crate::storage::Memory;
use ftlab_base::RootSeed;
use ftlab_drive::{Catalog, DriveFile};
use rand::RngExt;

fn load(slug: &str, settings: &[&str]) -> DriveFile {
    let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
    Catalog::default().load(slug, &settings).unwrap()
}

/// Cuts a drive off after some of its operations, `every` N on average, from `first` on.
/// What is found is checked, goes on working, and is found again.
fn cut_sometimes(driven: &Driven, first: usize, every: usize, name: &str) -> usize {
    let operations = driven.recorder.operations();
    let mut rng = RootSeed(3).stream("cuts");
    let mut next = first;
    let (mut left, mut cuts) = (Memory::default(), 0);
    for (n, operation) in operations.iter().enumerate() {
        if n == next {
            let mut cut = left.clone();
            if rng.random_ratio(1, 2) {
                operation.torn().apply(&mut cut);
            }
            let recorder = Recorder::of(cut);
            let what = format!("{name}, {n} operations");
            let (mut drive, _) = recover(&recorder, driven.drive.drive_file()).unwrap();
            driven.oracle.check(&mut drive, n, &what);
            drive.check_layer();
            // It works on, and its power goes again.
            let mut again = driven.go_on_with(drive, recorder.clone(), n as u64);
            let clock = if n % 2 == 0 {
                Clock::Timed
            } else {
                Clock::Untimed
            };
            again.work_until_refused(clock, 20);
            let (oracle, operations) = (again.oracle, recorder.count());
            drop(again.drive);
            let (mut drive, _) = recover(&recorder, driven.drive.drive_file()).unwrap();
            oracle.check(&mut drive, operations, &what);
            drive.check_layer();
            cuts += 1;
            next = n + rng.random_range(1..2 * every);
        }
        operation.apply(&mut left);
    }
    cuts
}

#[test]
fn larger_drives_under_load_come_back_from_cuts_at_random() {
    let intel = [
        "nand.blocks_per_die=32",
        "nand.pages_per_block=8",
        "spare.op=1.4",
        "checkpoint.every=64KiB",
        "checkpoint.size=16KiB",
    ];
    let jmicron = [
        "nand.blocks_per_die=32",
        "nand.pages_per_block=4",
        "spare.op=0.8",
    ];
    let sandforce = [
        "nand.blocks_per_die=12",
        "nand.pages_per_block=24",
        "gc.reserve=2",
        "spare.op=0.8",
    ];
    let drives = [
        ("intel-x25-m-g1-80", &intel[..]),
        ("intel-320-40", &intel),
        ("ocz-core-jmf602", &jmicron),
        ("ocz-vertex3-120", &sandforce),
    ];
    for (slug, settings) in drives {
        let mut driven = Driven::new(&load(slug, settings), 17);
        let slots = driven.oracle.slots();
        assert!(slots > 500, "{slug}: {slots} slots");
        driven.work(Clock::Untimed, slots);
        let first = driven.recorder.count();
        driven.work(Clock::Timed, 400);
        let operations = driven.recorder.count() - first;
        let cuts = cut_sometimes(&driven, first, operations / 12, slug);
        assert!(cuts >= 6, "{slug}: {cuts} cuts of {operations} operations");
    }
}

/// Blocks fail under the data, and the drive ends as one that is read only.
#[test]
fn drives_whose_blocks_fail_come_back_from_cuts_to_the_end_and_behind_it() {
    let wears = [
        "reliability.rated_cycles=5",
        "reliability.median_cycles=6",
        "reliability.life_shape=3",
        "reliability.erase_share=0.5",
        "nand.channels=2",
        "nand.dies_per_channel=1",
        "nand.pages_per_block=4",
    ];
    let page = [
        "map.stripe_dies=2",
        "nand.blocks_per_die=16",
        "spare.op=1.5",
    ];
    let block = [
        "map.stripe_dies=2",
        "nand.blocks_per_die=32",
        "spare.op=1.5",
        "map.log_blocks=2",
    ];
    for (slug, own) in [
        ("generic-mlc-8", &page[..]),
        ("ocz-core-jmf602", &block[..]),
    ] {
        let settings: Vec<&str> = wears.iter().chain(own).copied().collect();
        for clock in [Clock::Untimed, Clock::Timed] {
            let mut driven = Driven::new(&load(slug, &settings), 23);
            let first = driven.recorder.count();
            assert!(
                driven.work_until_refused(clock, 20_000),
                "{slug} does not wear out"
            );
            let failed = driven.drive.device().health().unwrap().faults;
            assert!(
                failed.program_failed > 0 && failed.erase_failed > 0,
                "{failed:?}"
            );
            assert!(driven.drive.device().fault().is_some());
            let operations = driven.recorder.count() - first;
            let cuts = cut_sometimes(&driven, first, operations / 60, slug);
            assert!(cuts >= 30, "{slug}: {cuts} cuts of {operations} operations");
        }
    }
}

/// Bytes change nothing of what the drive does, nor does the file.
#[test]
fn a_drive_in_a_file_does_what_one_in_memory_does() {
    let settings = [
        "nand.blocks_per_die=16",
        "nand.pages_per_block=8",
        "spare.op=0.8",
    ];
    let file = load("generic-mlc-8", &settings);
    let mut kept = Driven::new(&file, 5);
    let memory = DataDrive::in_memory(&file, testbed(), 0).unwrap();
    let mut bare = kept.go_on_with(memory, Recorder::default(), 5);
    for driven in [&mut kept, &mut bare] {
        driven.work(Clock::Timed, 300);
        driven.pause();
        driven.oracle.check_all(&mut driven.drive);
    }
    let counters = |driven: &Driven| driven.drive.device().counters();
    assert!(counters(&kept).nand_programs > 300);
    assert_eq!(counters(&kept), counters(&bare));
}
