//! Images of today's format, small ones of each kind, to be kept for later formats.

use super::stored::{Held, Kept, Stored};
use crate::header::FORMAT;
use crate::storage::{FileStorage, Memory};
use crate::tests::driven::{Clock, Driven, recover};
use crate::tests::oracle::{Commands, Oracle};
use crate::tests::recorder::Recorder;
use crate::tests::tiny::{catalog, testbed, tiny};
use crate::{CrashLog, CreateOptions, DataDrive, OpenOptions, Recovery, pack};
use ftlab_base::{Lba, Outcome};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use xxhash_rust::xxh3::xxh3_64;

/// Says to keep them: to be set once for each new format, before anything else of it changes.
const KEEP: &str = "FTLAB_KEEP_IMAGES";

/// An image in memory, as a process leaves it that is killed after `operations` operations.
fn kept(driven: &Driven, operations: usize) -> Kept {
    let mut left = Memory::default();
    let done = driven.recorder.operations();
    done[..operations]
        .iter()
        .for_each(|done| done.apply(&mut left));
    let file = "image";
    let slots = 0..driven.oracle.slots();
    let may = |slot| {
        let versions = driven.oracle.may_hold(slot, operations);
        let mut sums: Vec<u64> = versions.map(xxh3_64).collect();
        sums.sort_unstable();
        sums.dedup();
        sums
    };
    Kept {
        files: vec![Stored::of(file, &left, driven.drive.body.regions().end())],
        held: vec![Held {
            file: file.to_owned(),
            slots: slots.map(may).collect(),
        }],
    }
}

/// The last instant at which a process that is killed leaves an image whose recovery is as wanted.
fn killed(driven: &Driven, first: usize, is_wanted: impl Fn(&Recovery) -> bool) -> Kept {
    let operations = driven.recorder.operations();
    let found = (first..=operations.len()).rev().find(|&end| {
        let mut left = Memory::default();
        operations[..end]
            .iter()
            .for_each(|done| done.apply(&mut left));
        let recovered = recover(&Recorder::of(left), driven.drive.drive_file());
        is_wanted(&recovered.unwrap().1)
    });
    kept(driven, found.expect("some instant leaves it so"))
}

/// A drive that is full and at work since its last checkpoint, and operations up to that.
fn at_work(mut driven: Driven, clock: Clock) -> (Driven, usize) {
    driven.commands.pack_well();
    driven.work(Clock::Untimed, 3 * driven.oracle.slots().min(100));
    driven.drive.checkpoint().unwrap();
    let first = driven.recorder.count();
    driven.work(clock, if clock == Clock::Untimed { 100 } else { 40 });
    (driven, first)
}

fn closed(mut driven: Driven) -> Kept {
    let operations = driven.recorder.clone();
    driven.drive.switch_off().unwrap();
    driven.oracle.flushed(operations.count());
    kept(&driven, operations.count())
}

/// What all of a drive is, slot by slot.
fn held(drive: &mut DataDrive, file: &str) -> Held {
    let slot_bytes = drive.slot_sectors() as usize * 512;
    let mut bytes = vec![0; drive.capacity_bytes() as usize];
    drive.read(Lba(0), &mut bytes).unwrap();
    let sums = bytes.chunks(slot_bytes).map(|slot| vec![xxh3_64(slot)]);
    Held {
        file: file.to_owned(),
        slots: sums.collect(),
    }
}

fn file(folder: &Path, name: &str) -> Stored {
    let path = folder.join(name);
    let bytes = path.metadata().unwrap().len();
    Stored::of(name, &FileStorage::look_at(&path).unwrap(), bytes)
}

fn apply_some(drive: &mut DataDrive, commands: &mut Commands, count: usize) {
    for _ in 0..count {
        let (command, data) = commands.next();
        assert_eq!(drive.apply(command, &data), Outcome::Good);
    }
}

/// A base, an image on it and two snapshots of that.
fn layers(sync: bool) -> Kept {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let options = CreateOptions {
        sync,
        ..CreateOptions::default()
    };
    let made = DataDrive::create(&path("base.img"), &tiny("page"), testbed(), &options);
    let mut drive = made.unwrap();
    let mut commands = Commands::new(&drive, 3);
    commands.pack_well();
    apply_some(&mut drive, &mut commands, 60);
    let mut all = vec![held(&mut drive, "base.img")];
    drive.close().unwrap();
    let options = OpenOptions {
        sync,
        ..OpenOptions::of_what_is_left(catalog(), testbed())
    };
    let options = OpenOptions {
        read_only: false,
        accepts_loss: false,
        ..options
    };
    let (top, base) = (path("top.img"), path("base.img"));
    let (mut drive, _) = DataDrive::open_on_base(Some(&top), &base, &options).unwrap();
    for name in ["one", "two"] {
        apply_some(&mut drive, &mut commands, 20);
        let of_snapshot = format!("top.img.snapshot.{name}");
        all.push(held(&mut drive, &of_snapshot));
        drive.snapshot(name).unwrap();
    }
    apply_some(&mut drive, &mut commands, 20);
    all.push(held(&mut drive, "top.img"));
    drive.close().unwrap();
    let files = all.iter().map(|held| file(folder.path(), &held.file));
    Kept {
        files: files.collect(),
        held: all,
    }
}

/// A crash log, and the checksums of what cuts at some points of it leave.
fn crash_log() -> Kept {
    let mut driven = Driven::that_is_cut(&tiny("page"), 7, false);
    driven.commands.pack_well();
    driven.work(Clock::Untimed, 100);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let log = std::fs::File::create_new(&path).unwrap();
    let now = AtomicU64::new(0);
    let clock = Box::new(move || now.fetch_add(1000, Ordering::Relaxed));
    let begun = driven.drive.begin_crash_log(log, "0".into(), 0, clock);
    begun.unwrap();
    driven.work(Clock::Timed, 60);
    driven.drive.end_crash_log().unwrap().unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let log = CrashLog::open(&path).unwrap();
    Kept {
        files: vec![Stored::dense("log", &bytes)],
        held: vec![Held {
            file: "log".to_owned(),
            slots: super::cuts_of(&log),
        }],
    }
}

/// An image that is packed.
fn packed() -> Kept {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("image");
    let made = DataDrive::create(&path, &tiny("packed"), testbed(), &CreateOptions::default());
    let mut drive = made.unwrap();
    let mut commands = Commands::new(&drive, 3);
    commands.pack_well();
    apply_some(&mut drive, &mut commands, 80);
    let held = held(&mut drive, "image");
    drive.close().unwrap();
    let mut bytes = Vec::new();
    pack(&path, catalog(), &mut bytes).unwrap();
    Kept {
        files: vec![Stored::dense("image.packed", &bytes)],
        held: vec![held],
    }
}

type Make = Box<dyn Fn() -> Kept>;

/// Every kind of image, by name.
pub(super) fn kinds() -> Vec<(String, Make)> {
    let mut kinds: Vec<(String, Make)> = Vec::new();
    let mut add = |name: &str, make: Make| kinds.push((name.to_owned(), make));
    for name in ["page", "block", "packed", "flat", "disk"] {
        let make = move || closed(at_work(Driven::new(&tiny(name), 7), Clock::Untimed).0);
        add(&format!("{name}-closed"), Box::new(make));
    }
    let make = || closed(at_work(Driven::that_syncs(&tiny("page"), 7), Clock::Timed).0);
    add("page-sync-closed", Box::new(make));
    let flash = ["page", "page-dram", "page-slc", "block", "packed"];
    for name in flash {
        add(
            &format!("{name}-killed"),
            Box::new(move || {
                let (driven, first) = at_work(Driven::new(&tiny(name), 7), Clock::Timed);
                killed(&driven, first, |found| found.replayed > 20)
            }),
        );
        add(
            &format!("{name}-killed-behind-an-erase"),
            Box::new(move || {
                let (driven, first) = at_work(Driven::new(&tiny(name), 7), Clock::Untimed);
                killed(&driven, first, |found| found.redone > 0)
            }),
        );
    }
    for name in ["page", "packed", "disk"] {
        add(
            &format!("{name}-cut"),
            Box::new(move || {
                let cut = Driven::that_is_cut(&tiny(name), 7, false);
                let (driven, first) = at_work(cut, Clock::Timed);
                let is_wanted = |found: &Recovery| found.cut.is_some_and(|cut| cut.slots > 0);
                killed(&driven, first, |found| name == "disk" || is_wanted(found))
            }),
        );
    }
    for name in ["page", "packed"] {
        add(
            &format!("{name}-sync-killed"),
            Box::new(move || {
                let (driven, first) = at_work(Driven::that_syncs(&tiny(name), 7), Clock::Timed);
                killed(&driven, first, |found| found.replayed > 10)
            }),
        );
    }
    add(
        "page-capacitors-killed",
        Box::new(|| {
            let (driven, first) = at_work(Driven::new(&tiny("page-capacitors"), 7), Clock::Timed);
            killed(&driven, first, |found| found.kept_slots > 0)
        }),
    );
    add(
        "page-used",
        Box::new(|| {
            let used = Driven::aged(&tiny("page"), 7, super::super::aged::wear);
            let mut driven = used;
            driven.commands.pack_well();
            driven.work(Clock::Timed, 30);
            killed(&driven, 0, |found| found.replayed > 10)
        }),
    );
    add("layers", Box::new(|| layers(false)));
    add("layers-sync", Box::new(|| layers(true)));
    add("packed-image", Box::new(packed));
    add(super::CRASH_LOG, Box::new(crash_log));
    kinds
}

/// What a program of this format writes is there for those that come.
#[test]
fn images_of_each_kind_are_kept_of_this_format() {
    if std::env::var_os(KEEP).is_some() {
        for (name, make) in kinds() {
            make().write(FORMAT, &name);
        }
    }
    let there = Kept::all_of(&super::stored::folder().join(FORMAT.to_string()));
    let there: Vec<String> = there.into_iter().map(|(name, _)| name).collect();
    let mut want: Vec<String> = kinds().into_iter().map(|(name, _)| name).collect();
    want.sort();
    assert_eq!(
        there, want,
        "set {KEEP}=1 once to keep those of a new format"
    );
}

impl Oracle {
    fn may_hold(&self, slot: usize, operations: usize) -> impl Iterator<Item = &[u8]> {
        let (floor, _) = self.promise(slot, operations);
        self.versions(slot).skip(floor)
    }
}
