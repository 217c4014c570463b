//! Packed images, whole and damaged.

use super::oracle::Commands;
use super::tiny::{catalog, testbed, tiny};
use crate::{CreateOptions, DataDrive, OpenOptions, UnpackError, pack, unpack};
use ftlab_base::{Lba, Outcome};
use std::fs::File;
use std::path::Path;

/// A small drive that was worked on, and what it holds.
fn worked_on(path: &Path) -> Vec<u8> {
    let options = CreateOptions::default();
    let mut drive = DataDrive::create(path, &tiny("page"), testbed(), &options).unwrap();
    let mut commands = Commands::new(&drive, 3);
    for _ in 0..80 {
        let (command, data) = commands.next();
        assert_eq!(drive.apply(command, &data), Outcome::Good);
    }
    let held = held(&mut drive);
    drive.close().unwrap();
    held
}

fn held(drive: &mut DataDrive) -> Vec<u8> {
    let mut bytes = vec![0; drive.capacity_bytes() as usize];
    drive.read(Lba(0), &mut bytes).unwrap();
    bytes
}

fn opened(path: &Path) -> DataDrive {
    let options = OpenOptions {
        read_only: true,
        ..OpenOptions::on(catalog(), testbed())
    };
    let (drive, recovery) = DataDrive::open(path, &options).unwrap();
    assert!(recovery.clean);
    drive
}

#[test]
fn an_image_is_unpacked_as_it_was_packed() {
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("a.img");
    let data = worked_on(&image);
    let mut packed = Vec::new();
    let about = pack(&image, catalog(), &mut packed).unwrap();
    assert!(packed.len() < 1 << 20, "{} bytes", packed.len());
    let again = folder.path().join("b.img");
    let file = File::create_new(&again).unwrap();
    assert_eq!(unpack(&packed[..], &file).unwrap(), about);
    let drive = opened(&image);
    assert_eq!(drive.drive_file().slug(), about.drive);
    let mut drive = opened(&again);
    assert_eq!(held(&mut drive), data);
    // What lies on either is on both: they are the same.
    let mut twice = Vec::new();
    pack(&again, catalog(), &mut twice).unwrap();
    assert!(twice == packed);
}

#[test]
fn damage_to_a_packed_image_is_told_wherever_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("a.img");
    worked_on(&image);
    let mut packed = Vec::new();
    pack(&image, catalog(), &mut packed).unwrap();
    let refused = |bytes: &[u8]| {
        let file = tempfile::tempfile().unwrap();
        unpack(bytes, &file).expect_err("it is damaged")
    };
    let step = packed.len() / 200;
    for at in (0..packed.len()).step_by(step) {
        let mut bad = packed.clone();
        bad[at] ^= 0x10;
        let why = refused(&bad);
        let is_said = match at {
            0..8 => matches!(why, UnpackError::Foreign),
            8..12 => matches!(why, UnpackError::Format { .. }),
            _ => matches!(why, UnpackError::Damaged(_)),
        };
        assert!(is_said, "{at}: {why}");
        let why = refused(&packed[..at]).to_string();
        assert!(why.contains("cut off") || at < 40, "{at}: {why}");
    }
    let more = [&packed[..], b"more"].concat();
    assert!(matches!(refused(&more), UnpackError::Damaged(_)));
    assert!(matches!(refused(b"text"), UnpackError::Foreign));
}
