//! New firmware, with the power cut after every operation of the update.

use super::driven::{Clock, Driven, open};
use super::recorder::Recorder;
use super::tiny::{catalog, testbed, tiny};
use crate::base::open::OpenedImage;
use crate::header::Header;
use crate::storage::Memory;
use crate::{DataDrive, ImageError};
use ftlab_drive::Catalog;
use std::path::Path;

fn update(recorder: &Recorder, settings: &[&str]) -> Result<Option<String>, ImageError> {
    let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
    let opened = OpenedImage {
        storage: Box::new(recorder.clone()),
        base: None,
    };
    DataDrive::update_firmware_on(Path::new("tiny"), opened, (catalog(), testbed()), |own| {
        Catalog::default().parse(own.slug(), &own.text(), &settings)
    })
}

fn hash(recorder: &Recorder) -> u64 {
    Header::read(recorder, catalog()).unwrap().0.hash
}

/// What another firmware may do otherwise, for each mapping scheme.
const UPDATES: [(&str, &[&str]); 3] = [
    ("page", &["firmware.write_command=3us", "gc.policy=fifo"]),
    (
        "block",
        &["firmware.write_command=3us", "wear.every_merges=9"],
    ),
    ("packed", &["firmware.write_command=3us", "gc.reads=valid"]),
];

#[test]
fn an_update_keeps_the_data_and_is_done_or_not_wherever_it_is_cut_off() {
    for (name, settings) in UPDATES {
        let mut driven = Driven::new(&tiny(name), 5);
        driven.work(Clock::Untimed, 3 * driven.oracle.slots());
        driven.drive.checkpoint().unwrap();
        driven.work(Clock::Timed, 40);
        let first = driven.recorder.count();
        let before = hash(&driven.recorder);
        let told = update(&driven.recorder, settings).unwrap().unwrap();
        assert!(told.contains("firmware.write_command"), "{name}: {told}");
        let after = hash(&driven.recorder);
        assert_ne!(before, after, "{name}");
        let (mut left, mut seen) = (Memory::default(), [0, 0]);
        for (n, operation) in driven.recorder.operations().iter().enumerate() {
            if n >= first {
                for torn in [false, true] {
                    let mut left = left.clone();
                    if torn {
                        operation.torn().apply(&mut left);
                    }
                    let recorder = Recorder::of(left);
                    let found = hash(&recorder);
                    seen[usize::from(found == after)] += 1;
                    assert!([before, after].contains(&found), "{name}: {n}");
                    let (mut drive, _) = open(&recorder).unwrap();
                    assert_eq!(drive.drive_file().hash(), found);
                    driven.oracle.check(&mut drive, n, &format!("{name}, {n}"));
                }
            }
            operation.apply(&mut left);
        }
        assert!(seen[0] > 4 && seen[1] > 0, "{name}: {seen:?}");
        let (mut drive, recovery) = open(&driven.recorder).unwrap();
        assert!(recovery.clean, "{name}");
        let so_far = driven.recorder.count();
        driven.oracle.check(&mut drive, so_far, name);
        // And goes on as what it is now.
        let mut on = driven.go_on_with(drive, driven.recorder.clone(), 6);
        on.work(Clock::Untimed, 2 * on.oracle.slots());
        on.oracle.check_all(&mut on.drive);
        on.drive.check_layer();
    }
}

#[test]
fn updates_follow_each_other() {
    let mut driven = Driven::new(&tiny("page"), 5);
    driven.work(Clock::Untimed, 100);
    let mut hashes = vec![hash(&driven.recorder)];
    for n in 1..6 {
        let setting = format!("firmware.write_command={n}us");
        assert!(update(&driven.recorder, &[&setting]).unwrap().is_some());
        hashes.push(hash(&driven.recorder));
        assert_eq!(update(&driven.recorder, &[&setting]).unwrap(), None);
    }
    let all = hashes.len();
    hashes.dedup();
    assert_eq!(hashes.len(), all);
    let (mut drive, _) = open(&driven.recorder).unwrap();
    let so_far = driven.recorder.count();
    driven.oracle.check(&mut drive, so_far, "five updates");
}

#[test]
fn what_is_no_firmware_is_refused_and_changes_nothing() {
    let mut driven = Driven::new(&tiny("page"), 5);
    driven.work(Clock::Untimed, 100);
    let before = hash(&driven.recorder);
    for (settings, part) in [
        (
            &["nand.t_read=9us"][..],
            "nand.t_read is a number of the flash",
        ),
        (&["spare.op=0.7"], "`ftlab set-max`"),
        (&["map.slot=8KiB"], ""),
        (&["gc.policy=random"], "mapping tables of the old one"),
        (&["gc.policy=oldest"], "gc"),
    ] {
        let why = update(&driven.recorder, settings).unwrap_err().to_string();
        assert!(why.contains(part), "{settings:?}: {why}");
        assert_eq!(hash(&driven.recorder), before, "{settings:?}");
        let (mut drive, _) = open(&driven.recorder).unwrap();
        let so_far = driven.recorder.count();
        driven.oracle.check(&mut drive, so_far, "refused");
    }
}
