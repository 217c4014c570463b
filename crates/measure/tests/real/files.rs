//! Files, and what is neither a file nor a block device.

use crate::machine::{hold, open, refused};
use ftlab_measure::device::Device;
use ftlab_measure::device::held::{Access, Held};
use ftlab_measure::device::refusal::Refusal;
use ftlab_measure::device::system::System;
use rustix::fs::{FlockOperation, flock};
use std::fs::File;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const BYTES: u64 = 1 << 20;

struct Place(TempDir);

impl Place {
    fn new() -> Place {
        Place(TempDir::new().unwrap())
    }

    fn file(&self, name: &str) -> PathBuf {
        let path = self.0.path().join(name);
        File::create(&path).unwrap().set_len(BYTES).unwrap();
        path
    }
}

#[test]
fn a_file_is_named_by_its_place_and_size_whatever_leads_there() {
    let place = Place::new();
    let file = place.file("disk");
    let link = place.0.path().join("link");
    symlink(&file, &link).unwrap();
    let system = System::here();
    let [by_link, itself] = [&link, &file].map(|path| Device::find(&system, path).unwrap());
    assert_eq!(by_link, itself);
    assert_eq!(by_link.path, file.canonicalize().unwrap());
    let other = Device::find(&system, &place.file("other")).unwrap();
    assert_ne!(other.id, itself.id);
    hold(&link).unwrap();
}

#[test]
fn what_is_no_drive_is_refused() {
    let place = Place::new();
    for (path, what) in [
        (place.0.path(), "a directory"),
        (Path::new("/dev/null"), "a character device"),
    ] {
        assert!(refused(path).contains(what));
    }
    let missing = Device::find(&System::here(), &place.0.path().join("none"));
    assert!(matches!(missing, Err(Refusal::NotThere { .. })));
    let empty = place.0.path().join("empty");
    File::create(&empty).unwrap();
    assert!(refused(&empty).contains("truncate -s 1G"));
}

#[test]
fn a_file_that_somebody_has_locked_is_refused() {
    let place = Place::new();
    let file = place.file("disk");
    let other = File::open(&file).unwrap();
    flock(&other, FlockOperation::LockExclusive).unwrap();
    assert!(refused(&file).contains("locked"));
    drop(other);
    let held = hold(&file).unwrap();
    assert!(refused(&file).contains("locked"));
    drop(held);
    hold(&file).unwrap();
}

#[test]
fn a_file_of_ftlab_that_holds_data_is_refused() {
    let place = Place::new();
    for kind in ftlab_sheet::magic::Kind::ALL {
        let file = place.0.path().join("image");
        std::fs::write(&file, [&kind.magic()[..], &[0; 4096]].concat()).unwrap();
        assert!(refused(&file).contains(kind.words()), "{kind:?}");
    }
}

#[test]
fn a_file_that_grows_is_seen_after_a_pause() {
    let place = Place::new();
    let path = place.file("disk");
    let held = hold(&path).unwrap();
    held.verify().unwrap();
    File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(2 * BYTES)
        .unwrap();
    assert!(matches!(held.verify(), Err(Refusal::Changed { .. })));
}

#[test]
fn a_file_at_the_path_of_the_one_that_was_named_is_refused() {
    let place = Place::new();
    let path = place.file("disk");
    let system = System::here();
    let id = Device::find(&system, &path).unwrap().id;
    let held = hold(&path).unwrap();
    std::fs::rename(place.file("other"), &path).unwrap();
    // What is held is the file, and not its name.
    held.verify().unwrap();
    let refused = open(&path, Access::Destroy(id));
    assert!(matches!(refused, Err(Refusal::Other { .. })), "{refused:?}");
}

#[test]
fn what_comes_to_the_path_between_a_look_and_the_opening_is_refused() {
    let place = Place::new();
    let system = System::here();
    let path = place.file("disk");
    let found = Device::find(&system, &path).unwrap();
    let named = || Access::Destroy(found.id.clone());
    std::fs::rename(place.file("other"), &path).unwrap();
    let refused = Held::open(&system, found.clone(), named());
    assert!(
        matches!(refused, Err(Refusal::Changed { .. })),
        "{refused:?}"
    );
    // A link to the very device would pass any look at what was opened.
    let moved = place.0.path().join("moved");
    let found = Device::find(&system, &path).unwrap();
    std::fs::rename(&path, &moved).unwrap();
    symlink(&moved, &path).unwrap();
    let named = Access::Destroy(found.id.clone());
    assert!(Held::open(&system, found, named).is_err());
}

#[test]
fn what_is_read_alone_is_opened_for_that_alone() {
    let place = Place::new();
    let path = place.file("disk");
    let held = open(&path, Access::Read).unwrap();
    assert!(!held.may_be_written());
    assert!(std::io::Write::write_all(&mut held.file().unwrap(), b"x").is_err());
}
