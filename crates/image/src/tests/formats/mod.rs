//! Images of every format since those of format 8 are kept: each opens, holds what it held, and goes on.

mod converted;
mod make;
mod stored;

use super::tiny::{catalog, testbed};
use crate::{CrashLog, DataDrive, OpenOptions, fsck, unpack};
use ftlab_base::{
    Command, CommandId, CommandKind, Content, Lba, Outcome, Placement, SimTime, SubmissionQueue,
};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use stored::{Held, Kept};
use xxhash_rust::xxh3::xxh3_64;

/// The kind that is no image.
const CRASH_LOG: &str = "crash-log";

/// How many cuts of a crash log are looked at.
const CUTS: u64 = 16;

fn options() -> OpenOptions<'static> {
    OpenOptions::on(catalog(), testbed())
}

/// Checksums of what cuts at points of a log leave, point by point.
fn cuts_of(log: &CrashLog) -> Vec<Vec<u64>> {
    let points = log.summary().points;
    let mut replay = log.replay(tempfile::tempfile().unwrap()).unwrap();
    let left = (0..CUTS).map(|n| {
        replay.go_to(points * n / CUTS).unwrap();
        let mut data = vec![0; log.header().capacity_bytes as usize];
        replay.newest().read_exact_at(&mut data, 0).unwrap();
        for lost in replay.cut(n).unwrap().lost {
            let at = lost.offset_bytes as usize;
            let end = data.len().min(at + lost.data.len());
            data[at..end].copy_from_slice(&lost.data[..end - at]);
        }
        vec![xxh3_64(&data)]
    });
    left.collect()
}

/// Checks that a drive holds what it may.
fn check(drive: &mut DataDrive, held: &Held, what: &str) {
    let slot_sectors = u64::from(drive.slot_sectors());
    let mut found = vec![0; slot_sectors as usize * 512];
    let slots = drive.capacity_bytes() / found.len() as u64;
    assert_eq!(held.slots.len() as u64, slots, "{what}");
    for (slot, may) in held.slots.iter().enumerate() {
        let read = drive.read(Lba(slot as u64 * slot_sectors), &mut found);
        read.unwrap_or_else(|why| panic!("{what}: slot {slot}: {why}"));
        assert!(may.contains(&xxh3_64(&found)), "{what}: slot {slot}");
    }
}

/// Writes all of a drive anew.
fn write_over(drive: &mut DataDrive, what: &str) {
    let slot_sectors = u64::from(drive.slot_sectors());
    let slots = drive.capacity_bytes() / (slot_sectors * 512);
    for slot in 0..slots {
        let command = Command {
            id: CommandId(slot),
            kind: CommandKind::Write,
            lba: Lba(slot * slot_sectors),
            sectors: slot_sectors as u32,
            content: Content::RANDOM,
            queue: SubmissionQueue::FIRST,
            placement: Placement::DEFAULT,
            at: SimTime::ZERO,
        };
        let data = vec![slot as u8 | 1; slot_sectors as usize * 512];
        assert_eq!(drive.apply(command, &data), Outcome::Good, "{what}");
    }
}

/// Writes what is kept into a folder, unpacked where it was packed; gives where each image of it lies.
fn lay_out(kept: &Kept, folder: &Path) -> Vec<PathBuf> {
    for stored in &kept.files {
        let path = stored.unpack(folder);
        if path.extension().is_some_and(|end| end == "packed") {
            let image = File::create_new(path.with_extension("")).unwrap();
            unpack(File::open(&path).unwrap(), &image).unwrap();
        }
    }
    let held = kept.held.iter();
    held.map(|held| folder.join(&held.file)).collect()
}

/// Checks that each image opens and holds what it held, is in order behind that, and works on. What lies above others comes first:
/// it is refused once those have changed.
fn check_images(kept: &Kept, what: &str) {
    let folder = tempfile::tempdir().unwrap();
    let paths = lay_out(kept, folder.path());
    for (path, held) in paths.iter().zip(&kept.held).rev() {
        let what = format!("{what}, {}", held.file);
        let looked_at = OpenOptions {
            read_only: true,
            ..options()
        };
        let opened = DataDrive::open(path, &looked_at);
        let (mut drive, _) = opened.unwrap_or_else(|why| panic!("{what}: {why}"));
        check(&mut drive, held, &what);
        drop(drive);
        for _ in 0..2 {
            let opened = DataDrive::open(path, &options());
            let (mut drive, _) = opened.unwrap_or_else(|why| panic!("{what}: {why}"));
            check(&mut drive, held, &what);
            drive.check_layer();
            drive.close().unwrap();
            let found = fsck(path, catalog(), testbed()).unwrap();
            assert!(found.is_good() && found.clean, "{what}: {found:?}");
        }
        let (mut drive, _) = DataDrive::open(path, &options()).unwrap();
        write_over(&mut drive, &what);
        drive.check_layer();
        drive.close().unwrap();
        assert!(
            fsck(path, catalog(), testbed()).unwrap().is_good(),
            "{what}"
        );
    }
}

#[test]
fn what_was_written_in_any_format_opens_and_holds_what_it_held() {
    let mut formats = 0;
    for format in std::fs::read_dir(stored::folder()).unwrap() {
        let format = format.unwrap().path();
        formats += 1;
        for (name, kept) in Kept::all_of(&format) {
            let what = format!("format {}, {name}", format.file_name().unwrap().display());
            match &*name {
                CRASH_LOG => {
                    let folder = tempfile::tempdir().unwrap();
                    let log = CrashLog::open(&kept.files[0].unpack(folder.path())).unwrap();
                    assert_eq!(cuts_of(&log), kept.held[0].slots, "{what}");
                }
                _ => check_images(&kept, &what),
            }
        }
    }
    assert!(formats > 0, "there are some");
}
