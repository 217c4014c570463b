//! Images that are converted when they are opened: drives with a key that is gone, and journals that another model wrote.
//! A process that is killed on the way loses nothing.

use super::stored::{Held, Kept, folder};
use super::{CRASH_LOG, check, options, write_over};
use crate::base::open::{Access, OpenedImage, open_image};
use crate::checkpoint::{self, NewCheckpoint};
use crate::convert::{self, Target};
use crate::header::{FORMAT, Header, hash_of};
use crate::mark::Mark;
use crate::new::New;
use crate::storage::{Memory, Storage};
use crate::tests::oracle::Commands;
use crate::tests::recorder::{Operation, Recorder};
use crate::tests::tiny::{catalog, testbed, tiny};
use crate::{CreateOptions, DataDrive, OpenOptions, Recovery, fsck};
use ftlab_base::{Lba, Outcome};
use ftlab_drive::{Catalog, RemovedKey};
use std::path::Path;
use std::sync::{Arc, Mutex};
use xxhash_rust::xxh3::xxh3_64;

const GONE: RemovedKey = RemovedKey {
    key: "haste.level",
    now: None,
    instead: "leave it out",
};

/// What another model does otherwise, by the kind of the drive.
const OTHERWISE: [(&str, &str); 3] = [
    ("page", "gc.policy=fifo"),
    ("block", "wear.every_merges=3"),
    ("packed", "gc.policy=fifo"),
];

/// Images that are one file, with what they hold.
fn images(is_wanted: impl Fn(&str) -> bool) -> Vec<(String, Memory, Held)> {
    let all = Kept::all_of(&folder().join(FORMAT.to_string()));
    let single = all.into_iter().filter(|(name, kept)| {
        name != CRASH_LOG
            && kept.files.len() == 1
            && kept.files[0].name == "image"
            && is_wanted(name)
    });
    single
        .map(|(name, kept)| {
            let held = kept.held.into_iter().next().unwrap();
            (name, kept.files[0].memory(), held)
        })
        .collect()
}

/// Gives the drive of an image a key that no drive has.
fn add_a_key(storage: &mut dyn Storage) {
    let (header, _) = Header::read(storage, catalog()).unwrap();
    let text = format!("{}\n[haste]\nlevel = 3\n", header.text);
    let hash = hash_of(&text);
    let header = Header {
        text,
        hash,
        ..header
    };
    header.write(storage).unwrap();
}

/// Has an image be of an earlier version, whose model was that of another drive file.
fn make_older(storage: &mut dyn Storage, settings: &[&str]) {
    let (header, own) = Header::read(storage, catalog()).unwrap();
    let new = New::of(&own, testbed(), header.seed).unwrap();
    let (regions, shape) = (new.regions(), new.shape());
    let known = Mark::furthest(storage).unwrap();
    let number = known.map(|known| known.checkpoint);
    let newest = checkpoint::newest(storage, &regions.checkpoints, number).unwrap();
    let mut saved = newest.unpack(storage, shape).unwrap();
    let mark = newest.mark(&saved.meta);
    "0.0.9 (model 1)".clone_into(&mut saved.meta.version);
    let due = NewCheckpoint {
        mark,
        saved,
        shape,
        areas: regions.checkpoints,
        free: Vec::new(),
        sync: false,
    };
    due.write(storage).unwrap().unwrap();
    let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
    let other = Catalog::default()
        .parse(own.slug(), &own.text(), &settings)
        .unwrap();
    header.with_drive(&other).write(storage).unwrap();
}

/// What became of an image that was opened.
struct Converted {
    drive: DataDrive,
    recovery: Recovery,
    /// The file that it was written anew to, and how many operations on it were done when it took the place of the old one.
    anew: Option<(Recorder, usize)>,
}

/// Opens an image in memory.
fn open(old: &Recorder) -> Converted {
    let anew = Arc::new(Mutex::new(None));
    let aside = |_: &Arc<dyn Storage>| {
        let target = Recorder::default();
        let (storage, anew) = (Box::new(target.clone()), Arc::clone(&anew));
        Ok(Target {
            storage,
            place: Box::new(move || {
                let operations = target.count();
                *anew.lock().unwrap() = Some((target, operations));
                Ok(())
            }),
        })
    };
    let storage = Box::new(old.clone());
    let opened = convert::open(Path::new("old"), storage, &options(), (&[GONE], &aside));
    let (drive, recovery) = opened.unwrap();
    let anew = anew.lock().unwrap().take();
    Converted {
        drive,
        recovery,
        anew,
    }
}

/// Checks that an image holds what it held, whatever of these operations was done, each whole or in part.
fn survives_every_cut(begin: &Memory, operations: &[Operation], held: &Held, what: &str) {
    let mut left = begin.clone();
    for (n, operation) in operations.iter().enumerate() {
        let mut torn = left.clone();
        operation.torn().apply(&mut torn);
        operation.apply(&mut left);
        for left in [torn, left.clone()] {
            let mut found = open(&Recorder::of(left));
            check(&mut found.drive, held, &format!("{what}, {n} operations"));
        }
    }
}

#[test]
fn a_drive_with_a_key_that_is_gone_goes_on_without_it_wherever_that_is_cut_off() {
    for (name, mut memory, held) in
        images(|name| ["page-closed", "page-cut", "disk-closed"].contains(&name))
    {
        add_a_key(&mut memory);
        let recorder = Recorder::of(memory.clone());
        let why = convert::open_beside(
            Path::new("old"),
            Box::new(recorder.clone()),
            None,
            &options(),
        );
        let why = why.unwrap_err().to_string();
        assert!(why.contains("unknown section `haste`"), "{name}: {why}");
        let mut found = open(&recorder);
        check(&mut found.drive, &held, &name);
        let [note] = found.drive.notes() else {
            panic!("{name}: {:?}", found.drive.notes());
        };
        assert!(note.contains("`haste.level`"), "{name}: {note}");
        found.drive.close().unwrap();
        survives_every_cut(&memory, &recorder.operations(), &held, &name);
        // Nobody finds the key again.
        let again = convert::open_beside(Path::new("old"), Box::new(recorder), None, &options());
        let (mut drive, recovery) = again.unwrap();
        assert!(recovery.clean && drive.notes().is_empty(), "{name}");
        check(&mut drive, &held, &name);
    }
}

#[test]
fn a_journal_that_this_model_does_the_same_is_gone_on_with() {
    for (name, mut memory, held) in images(|_| true) {
        make_older(&mut memory, &[]);
        let mut found = open(&Recorder::of(memory));
        check(&mut found.drive, &held, &name);
        assert!(
            found.anew.is_none() && found.drive.notes().is_empty(),
            "{name}"
        );
        found.drive.check_layer();
        // From now on it is of this version, journal and all.
        let image = found.drive.image.as_ref().unwrap();
        assert_eq!(image.meta.version, ftlab_drive::version(), "{name}");
    }
}

#[test]
fn a_journal_that_another_model_wrote_is_asked_anew_and_every_slot_holds_what_it_held() {
    let mut anew = 0;
    for (name, mut memory, held) in images(|_| true) {
        let kind = OTHERWISE.iter().find(|(kind, _)| name.starts_with(kind));
        let Some((_, setting)) = kind else {
            continue;
        };
        make_older(&mut memory, &[setting]);
        let old = Recorder::of(memory.clone());
        let mut found = open(&old);
        check(&mut found.drive, &held, &name);
        found.drive.check_layer();
        let Some((target, placed)) = found.anew else {
            continue;
        };
        anew += 1;
        assert_eq!(
            old.count(),
            0,
            "{name}: the old one stays until the new one is whole"
        );
        assert_eq!(found.drive.notes().len(), 1, "{name}");
        assert!(
            !found.recovery.clean && found.recovery.replayed > 0,
            "{name}"
        );
        // A process that is killed later finds the new one.
        let operations = target.operations();
        write_over(&mut found.drive, &name);
        found.drive.check_layer();
        drop(found.drive);
        let mut whole = Memory::default();
        operations[..placed]
            .iter()
            .for_each(|done| done.apply(&mut whole));
        let mut placed_one = open(&Recorder::of(whole.clone()));
        check(&mut placed_one.drive, &held, &name);
        assert!(placed_one.anew.is_none(), "{name}");
        survives_every_cut(&whole, &operations[placed..], &held, &name);
    }
    assert!(anew >= 8, "{anew} were written anew");
}

/// Writes to a drive, and gives what it holds.
fn work(drive: &mut DataDrive, commands: &mut Commands, count: usize) -> Held {
    for _ in 0..count {
        let (command, data) = commands.next();
        assert_eq!(drive.apply(command, &data), Outcome::Good);
    }
    let mut bytes = vec![0; drive.capacity_bytes() as usize];
    drive.read(Lba(0), &mut bytes).unwrap();
    let slots = bytes.chunks(drive.slot_sectors() as usize * 512);
    Held {
        file: "top.img".to_owned(),
        slots: slots.map(|slot| vec![xxh3_64(slot)]).collect(),
    }
}

/// An image in a file, and one on a base, are replaced by new ones that lie where they lay; nothing of them changes where
/// they are only read.
#[test]
fn a_file_is_replaced_by_the_one_that_was_written_anew() {
    for is_above in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let (base, top) = (
            folder.path().join("base.img"),
            folder.path().join("top.img"),
        );
        let whole = if is_above { &base } else { &top };
        let made = DataDrive::create(whole, &tiny("page"), testbed(), &CreateOptions::default());
        let mut drive = made.unwrap();
        let mut commands = Commands::new(&drive, 3);
        work(&mut drive, &mut commands, 100);
        drive.close().unwrap();
        let opened = match is_above {
            true => DataDrive::open_on_base(Some(&top), &base, &options()),
            false => DataDrive::open(&top, &options()),
        };
        let (mut drive, _) = opened.unwrap();
        drive.checkpoint().unwrap();
        let held = work(&mut drive, &mut commands, 60);
        drop(drive);
        let access = Access::Alone { sync: false };
        let OpenedImage { mut storage, .. } = open_image(&top, access, None).unwrap();
        make_older(&mut *storage, &["gc.policy=fifo"]);
        drop(storage);
        let what = format!("above a base: {is_above}");
        let looked_at = OpenOptions {
            read_only: true,
            ..options()
        };
        let before = std::fs::metadata(&top).unwrap().modified().unwrap();
        let (mut drive, _) = DataDrive::open(&top, &looked_at).unwrap();
        check(&mut drive, &held, &what);
        assert_eq!(drive.notes().len(), 1, "{what}");
        drop(drive);
        assert!(
            fsck(&top, catalog(), testbed()).unwrap().is_good(),
            "{what}"
        );
        assert_eq!(std::fs::metadata(&top).unwrap().modified().unwrap(), before);
        let (mut drive, _) = DataDrive::open(&top, &options()).unwrap();
        check(&mut drive, &held, &what);
        assert_eq!(drive.notes().len(), 1, "{what}");
        assert_eq!(drive.base().is_some(), is_above);
        drive.close().unwrap();
        let (mut drive, recovery) = DataDrive::open(&top, &options()).unwrap();
        assert!(recovery.clean && drive.notes().is_empty(), "{what}");
        check(&mut drive, &held, &what);
        let names = std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(
            names,
            1 + usize::from(is_above),
            "nothing is left beside it"
        );
    }
}

/// An image whose pages are damaged is not written anew: the version that wrote it may read more of it.
#[test]
fn what_cannot_be_found_has_the_old_one_stay() {
    let (name, mut memory, _) = images(|name| name == "page-killed").remove(0);
    make_older(&mut memory, &["gc.policy=fifo"]);
    let (header, file) = Header::read(&memory, catalog()).unwrap();
    let regions = New::of(&file, testbed(), header.seed).unwrap().regions();
    for place in 0..40 {
        memory
            .write_at(regions.place(place) + 60, &[7; 20])
            .unwrap();
    }
    let recorder = Recorder::of(memory);
    let aside = |_: &Arc<dyn Storage>| {
        Ok(Target {
            storage: Box::new(Recorder::default()),
            place: Box::new(|| panic!("it is not whole")),
        })
    };
    let storage = Box::new(recorder.clone());
    let opened = convert::open(Path::new("old"), storage, &options(), (&[], &aside));
    let why = opened.unwrap_err().to_string();
    assert!(why.contains("model 1"), "{name}: {why}");
    assert_eq!(recorder.count(), 0);
}
