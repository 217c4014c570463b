//! Going back to a base and to snapshots, in files.

use super::oracle::Commands;
use super::tiny::{catalog, names, testbed, tiny};
use crate::{CreateOptions, DataDrive, ImageError, OpenOptions, Recovery};
use crate::{remove_snapshot, reset_image, snapshots};
use ftlab_base::{Lba, Outcome};
use ftlab_drive::Counters;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

fn options() -> OpenOptions<'static> {
    OpenOptions::on(catalog(), testbed())
}

/// A drive, its folder, and commands for it.
struct Kit {
    folder: tempfile::TempDir,
    drive: DataDrive,
    commands: Commands,
}

/// Everything that a drive holds, and what it has counted.
type Found = (Vec<u8>, Counters);

impl Kit {
    /// A base that was worked on, and an image on it.
    fn new(name: &str, image: Option<&str>) -> Kit {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().join("base.img");
        let made = DataDrive::create(&base, &tiny(name), testbed(), &CreateOptions::default());
        let drive = made.unwrap();
        let commands = Commands::new(&drive, 3);
        let mut kit = Kit {
            folder,
            drive,
            commands,
        };
        kit.work(60);
        let image = image.map(|image| kit.path(image));
        kit.after(|| DataDrive::open_on_base(image.as_deref(), &base, &options()))
    }

    /// Closes the drive, and goes on with the one that is opened then.
    fn after(self, open: impl FnOnce() -> Result<(DataDrive, Recovery), ImageError>) -> Kit {
        self.drive.close().unwrap();
        let (drive, _) = open().unwrap();
        Kit { drive, ..self }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn work(&mut self, commands: usize) {
        for _ in 0..commands {
            let (command, data) = self.commands.next();
            assert_eq!(self.drive.apply(command, &data), Outcome::Good);
        }
    }

    fn found(&mut self) -> Found {
        let mut bytes = vec![0; self.drive.capacity_bytes() as usize];
        self.drive.read(Lba(0), &mut bytes).unwrap();
        (bytes, self.drive.device().counters())
    }

    fn reopen(self) -> Kit {
        let path = self.drive.path().to_owned();
        self.after(|| DataDrive::open(&path, &options()))
    }
}

/// That of a large drive takes seconds.
#[test]
fn the_model_is_read_once_for_any_number_of_resets() {
    for name in &names() {
        let mut kit = Kit::new(name, Some("top.img"));
        kit.drive.expect_resets();
        let began = kit.found();
        kit.drive.reset(None).unwrap();
        let base = File::options().write(true).open(kit.path("base.img"));
        let base = base.unwrap();
        // Behind their heads, of which a base's fingerprint tells, and where whoever reads them finds that they are damaged.
        for checkpoint in kit.drive.body.regions().checkpoints {
            let state = checkpoint.at + 4096;
            base.write_all_at(&[0; 64], state).unwrap();
        }
        for _ in 0..2 {
            kit.work(40);
            kit.drive.reset(None).unwrap();
            assert_eq!(kit.found(), began, "{name}");
        }
    }
}

#[test]
fn a_reset_brings_back_what_the_base_holds_and_what_it_had_counted() {
    let others = ["flat", "disk"].map(str::to_owned);
    for name in names().iter().chain(&others) {
        for image in [Some("top.img"), None] {
            let mut kit = Kit::new(name, image);
            kit.drive.expect_resets();
            let written = |path: PathBuf| path.metadata().unwrap().modified().unwrap();
            let base = (written(kit.path("base.img")), kit.drive.base().unwrap().1);
            let began = kit.found();
            for _ in 0..3 {
                kit.work(80);
                assert_ne!(kit.found(), began, "{name}");
                kit.drive.reset(None).unwrap();
                assert_eq!(kit.found(), began, "{name}, {image:?}");
                kit.drive.check_layer();
            }
            kit.work(20);
            kit.drive.cut_power(Some(1)).unwrap();
            kit.drive.reset(None).unwrap();
            assert_eq!(kit.found(), began, "{name}, {image:?}");
            let found =
                crate::base::Base::open(&kit.path("base.img"), catalog(), testbed()).unwrap();
            let found = (written(kit.path("base.img")), found.fingerprint);
            assert_eq!(found, base, "{name}: the base was written to");
        }
    }
}

#[test]
fn what_lies_on_a_base_is_there_when_it_is_opened_again() {
    let mut kit = Kit::new(&names()[0], Some("top.img"));
    kit.work(80);
    let left = kit.found();
    let mut kit = kit.reopen();
    assert_eq!(kit.found().0, left.0);
    let base = kit.path("base.img");
    // Several have it at once.
    let (mut other, _) = DataDrive::open_on_base(None, &base, &options()).unwrap();
    let mut bytes = vec![0; other.capacity_bytes() as usize];
    other.read(Lba(0), &mut bytes).unwrap();
    assert_ne!(bytes, left.0);
}

#[test]
fn snapshots_are_gone_back_to_in_any_order() {
    for name in ["page", "packed-capacitors", "flat"] {
        let mut kit = Kit::new(name, Some("top.img"));
        kit.drive.expect_resets();
        let base = kit.found();
        kit.work(40);
        kit.drive.snapshot("one").unwrap();
        let one = kit.found();
        kit.work(40);
        let mut kit = kit.reopen();
        kit.drive.snapshot("two").unwrap();
        let two = kit.found();
        kit.work(40);
        for (to, held) in [("one", &one), ("two", &two), ("one", &one)] {
            kit.drive.reset(Some(to)).unwrap();
            assert_eq!(kit.found().0, held.0, "{name}, {to}");
            kit.work(30);
        }
        kit.drive.reset(None).unwrap();
        assert_eq!(kit.found(), base, "{name}");
        kit.drive.reset(Some("two")).unwrap();
        let mut kit = kit.reopen();
        assert_eq!(kit.found().0, two.0, "{name}");
        let image = kit.path("top.img");
        let listed = snapshots(&image).unwrap();
        let names: Vec<&str> = listed.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["one", "two"]);
        // What lies under something stays.
        for needed in ["one", "two"] {
            let refused = remove_snapshot(&image, needed).unwrap_err().to_string();
            assert!(refused.contains("is needed"), "{refused}");
        }
        // Whoever names the base means what lies below all of them.
        let base = kit.path("base.img");
        let open = || DataDrive::open_on_base(Some(&image), &base, &options());
        let mut kit = kit.after(open);
        assert_eq!(kit.found().0, two.0, "{name}");
        kit.drive.reset(None).unwrap();
        remove_snapshot(&image, "two").unwrap();
        remove_snapshot(&image, "one").unwrap();
        kit.drive.close().unwrap();
        assert!(snapshots(&image).unwrap().is_empty());
    }
}

#[test]
fn a_whole_image_has_snapshots_too() {
    let kit = Kit::new("page", None);
    let image = kit.path("whole.img");
    let options_of_new = CreateOptions::default();
    let drive = DataDrive::create(&image, &tiny("page"), testbed(), &options_of_new).unwrap();
    let mut kit = Kit { drive, ..kit };
    kit.work(50);
    kit.drive.snapshot("first").unwrap();
    let first = kit.found();
    kit.work(50);
    let why = kit.drive.reset(None).unwrap_err().to_string();
    assert!(
        why.contains("lies on no base") && why.contains("first"),
        "{why}"
    );
    kit.drive.reset(Some("first")).unwrap();
    assert_eq!(kit.found().0, first.0);
    kit.work(50);
    kit.drive.close().unwrap();
    reset_image(&image, Some("first"), catalog(), testbed()).unwrap();
    let (drive, recovery) = DataDrive::open(&image, &options()).unwrap();
    assert!(recovery.clean);
    let mut found = vec![0; drive.capacity_bytes() as usize];
    let mut drive = drive;
    drive.read(Lba(0), &mut found).unwrap();
    assert_eq!(found, first.0);
}

fn refused(path: Option<&Path>, base: &Path) -> String {
    let opened = DataDrive::open_on_base(path, base, &options());
    opened.expect_err("it is not opened").to_string()
}

#[test]
fn what_cannot_be_a_base_or_is_none_any_more_is_refused_in_words() {
    let kit = Kit::new(&names()[0], Some("top.img"));
    let (base, top) = (kit.path("base.img"), kit.path("top.img"));
    // Nobody writes to it while something lies on it.
    let why = DataDrive::open(&base, &options()).unwrap_err();
    assert!(matches!(why, ImageError::Locked { .. }), "{why}");
    let Kit { folder, drive, .. } = kit;
    drive.close().unwrap();
    let moved = folder.path().join("moved.img");
    std::fs::rename(&base, &moved).unwrap();
    let why = DataDrive::open(&top, &options()).unwrap_err().to_string();
    let words = ["cannot be read", "fingerprint", "--base"];
    assert!(words.iter().all(|word| why.contains(word)), "{why}");
    // It is found where somebody says that it is.
    let (drive, _) = DataDrive::open_on_base(Some(&top), &moved, &options()).unwrap();
    drive.close().unwrap();
    std::fs::rename(&moved, &base).unwrap();
    // Served once, it is another.
    let (drive, _) = DataDrive::open(&base, &options()).unwrap();
    drive.close().unwrap();
    let why = DataDrive::open(&top, &options()).unwrap_err().to_string();
    let words = ["has changed", "is expected", "fingerprint"];
    assert!(words.iter().all(|word| why.contains(word)), "{why}");
    let why = refused(Some(&base), &base);
    assert!(why.contains("lies on no base"), "{why}");
    // Left at work, it is none.
    let (mut drive, _) = DataDrive::open(&base, &options()).unwrap();
    let mut commands = Commands::new(&drive, 9);
    let (command, data) = commands.write(0, 1);
    drive.apply(command, &data);
    drop(drive);
    let new = folder.path().join("new.img");
    let why = refused(Some(&new), &base);
    assert!(why.contains("lost its power at work"), "{why}");
    assert!(!new.exists(), "nothing is left of it");
    let text = folder.path().join("text");
    std::fs::write(&text, "no image").unwrap();
    let why = refused(None, &text);
    assert!(why.contains("not an image"), "{why}");
}

#[test]
fn damage_to_what_an_image_says_of_its_base_is_told() {
    use std::os::unix::fs::FileExt;
    let kit = Kit::new(&names()[0], Some("top.img"));
    let top = kit.path("top.img");
    let Kit { folder, drive, .. } = kit;
    drive.close().unwrap();
    let file = std::fs::File::options()
        .read(true)
        .write(true)
        .open(&top)
        .unwrap();
    for at in [9, 12, 17, 40, 64 << 10, (64 << 10) + 3] {
        let mut byte = [0];
        file.read_exact_at(&mut byte, at).unwrap();
        file.write_all_at(&[byte[0] ^ 4], at).unwrap();
        let why = DataDrive::open(&top, &options()).unwrap_err();
        assert!(matches!(why, ImageError::Unusable { .. }), "{at}: {why}");
        file.write_all_at(&byte, at).unwrap();
    }
    let length = file.metadata().unwrap().len();
    file.set_len(length - 1).unwrap();
    let why = DataDrive::open(&top, &options()).unwrap_err().to_string();
    assert!(why.contains("cut off"), "{why}");
    file.set_len(length).unwrap();
    let (drive, _) = DataDrive::open(&top, &options()).unwrap();
    drive.close().unwrap();
    drop(folder);
}

/// Old snapshots cannot be removed, as each lies under the next, so their number has a limit.
#[test]
fn a_snapshot_that_would_be_one_too_many_is_refused_and_the_drive_goes_on() {
    let mut kit = Kit::new(&names()[0], Some("top.img"));
    // It lies on a base.
    for n in 1..64 {
        kit.drive.snapshot(&format!("n{n}")).unwrap();
    }
    let image = kit.path("top.img");
    let refused = |made: Result<(), ImageError>| {
        let why = made.unwrap_err().to_string();
        assert!(why.contains("64 are the most"), "{why}");
    };
    kit.work(20);
    refused(kit.drive.snapshot("n64"));
    kit.work(20);
    let before = kit.found().0;
    let mut kit = kit.reopen();
    assert!(kit.found().0 == before);
    refused(kit.drive.snapshot("n64"));
    for _ in 0..2 {
        kit.drive.reset(Some("n63")).unwrap();
        kit.work(5);
    }
    // Nothing may lie on what lies as deep.
    let on_top = |name: &str| {
        let (path, snapshot) = (kit.path(name), kit.path("top.img.snapshot.n63"));
        DataDrive::open_on_base(Some(&path), &snapshot, &options()).map(drop)
    };
    on_top("allowed.img").unwrap();
    assert_eq!(snapshots(&image).unwrap().len(), 63);
    let Kit { folder, drive, .. } = kit;
    drive.close().unwrap();
    reset_image(&image, Some("n63"), catalog(), testbed()).unwrap();
    let base = DataDrive::open_on_base(None, &image, &options());
    let why = base.map(drop).unwrap_err().to_string();
    assert!(why.contains("64 are the most"), "{why}");
    drop(folder);
}

/// An earlier version took any number of them, and then opened none.
#[test]
fn an_image_that_lies_too_deep_opens_and_takes_no_more() {
    let mut kit = Kit::new(&names()[0], Some("top.img"));
    for n in 1..=150 {
        kit.drive.snapshot_however_deep(&format!("n{n}")).unwrap();
        kit.work(1);
    }
    let before = kit.found().0;
    let mut kit = kit.reopen();
    assert!(kit.found().0 == before);
    let why = kit.drive.snapshot("one-more").unwrap_err().to_string();
    assert!(why.contains("64 are the most"), "{why}");
    // What it lies on is known to the last.
    let why = remove_snapshot(&kit.path("top.img"), "n1").unwrap_err();
    assert!(why.to_string().contains("the image"), "{why}");
    // It comes back, and no deeper than it lies.
    kit.drive.reset(Some("n150")).unwrap();
    kit.drive.reset(Some("n150")).unwrap();
    kit.drive.reset(Some("n40")).unwrap();
    let why = kit.drive.reset(Some("n150")).unwrap_err().to_string();
    assert!(why.contains("64 are the most"), "{why}");
    kit.work(5);
}

#[test]
fn what_is_being_made_has_no_name_until_it_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("drive.img");
    let names = || {
        let entries = std::fs::read_dir(folder.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.collect::<Vec<_>>()
    };
    let create = CreateOptions::default();
    let drive = DataDrive::create_aged(
        &path,
        &tiny(&super::tiny::names()[0]),
        testbed(),
        &create,
        |_| {
            assert!(names().is_empty(), "{:?}", names());
            Ok(())
        },
    );
    assert_eq!(names(), ["drive.img"]);
    let again = DataDrive::create(&path, &tiny(&super::tiny::names()[0]), testbed(), &create);
    assert!(matches!(again, Err(ImageError::Exists { .. })));
    drop(drive);
    // What somebody else calls as a reset called its new file is nobody's to remove.
    std::fs::write(folder.path().join("drive.img.new"), "mine").unwrap();
    let (mut drive, _) = DataDrive::open(&path, &options()).unwrap();
    drive.snapshot("one").unwrap();
    drive.reset(Some("one")).unwrap();
    let mine = std::fs::read(folder.path().join("drive.img.new")).unwrap();
    assert_eq!(mine, b"mine");
}

#[test]
fn a_base_that_changed_is_not_gone_back_to() {
    let mut kit = Kit::new(&names()[0], Some("top.img"));
    let (base, top) = (kit.path("base.img"), kit.path("top.img"));
    let other = kit.path("other.img");
    std::fs::copy(&base, &other).unwrap();
    let file = File::options().write(true).open(&other).unwrap();
    file.write_all_at(&[7; 64], 0).unwrap();
    std::fs::rename(&other, &base).unwrap();
    let refused = |why: ImageError| {
        let why = why.to_string();
        assert!(why.contains("has changed"), "{why}");
    };
    refused(kit.drive.reset(None).unwrap_err());
    let Kit { folder, drive, .. } = kit;
    drive.close().unwrap();
    refused(reset_image(&top, None, catalog(), testbed()).unwrap_err());
    drop(folder);
}

/// Another program writes into the file, and the drive is at work: it goes on as it was, and goes back once the bytes are
/// those again. So does one whose writes are in memory, and one that goes back to what lies deeper.
#[test]
fn a_base_whose_bytes_changed_is_not_gone_back_to() {
    for (image, snapshots) in [(Some("top.img"), 0), (Some("top.img"), 2), (None, 0)] {
        let mut kit = Kit::new(&names()[0], image);
        for name in ["one", "two"].iter().take(snapshots) {
            kit.work(10);
            kit.drive.snapshot(name).unwrap();
        }
        kit.work(10);
        let before = kit.found();
        let base = kit.path("base.img");
        let file = File::options().read(true).write(true).open(base).unwrap();
        let mut bytes = [0; 64];
        file.read_exact_at(&mut bytes, 4096).unwrap();
        file.write_all_at(&bytes.map(|byte| byte ^ 1), 4096)
            .unwrap();
        let why = kit.drive.reset(None).unwrap_err().to_string();
        assert!(why.contains("has changed"), "{why}");
        assert_eq!(kit.found().0, before.0, "it is as it was");
        file.write_all_at(&bytes, 4096).unwrap();
        kit.drive.reset(None).unwrap();
        kit.work(10);
    }
}

/// A process that is killed between the two names of a snapshot leaves a second name of the image. Nobody has to remove it,
/// and it never becomes a snapshot of what came later.
#[test]
fn a_snapshot_that_was_cut_off_is_none() {
    let mut kit = Kit::new(&names()[0], Some("top.img"));
    kit.work(20);
    let (image, left) = (kit.path("top.img"), kit.path("top.img.snapshot.one"));
    for by_reset in [false, true] {
        let Kit {
            folder,
            drive,
            commands,
        } = kit;
        drive.close().unwrap();
        std::fs::hard_link(&image, &left).unwrap();
        assert!(
            snapshots(&image)
                .unwrap()
                .iter()
                .all(|one| one.name != "one")
        );
        if by_reset {
            reset_image(&image, Some("two"), catalog(), testbed()).unwrap();
            assert!(!left.exists());
        }
        let (drive, _) = DataDrive::open(&image, &options()).unwrap();
        assert!(!left.exists());
        kit = Kit {
            folder,
            drive,
            commands,
        };
        kit.work(5);
        if !by_reset {
            kit.drive.snapshot("two").unwrap();
        }
        let names: Vec<String> = snapshots(&image)
            .unwrap()
            .into_iter()
            .map(|one| one.name)
            .collect();
        assert_eq!(names, ["two"]);
    }
    kit.drive.snapshot("one").unwrap();
}
