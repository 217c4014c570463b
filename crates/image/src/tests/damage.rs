//! Images whose bytes were damaged: what is reported, and what can be saved.

use super::driven::forgiving;
use super::tiny::{catalog, testbed, tiny};
use crate::regions::Regions;
use crate::storage::Region;
use crate::{
    CreateOptions, DataDrive, Hole, ImageError, OnKill, OpenOptions, Wrong, accept, fsck, rebuild,
};
use ftlab_base::{Command, CommandKind, Lba, Lpn, Outcome, SimTime};
use std::fs::{File, OpenOptions as FileOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

const KINDS: [&str; 4] = ["page", "page-dram", "block", "packed"];

/// An image in a folder of its own.
struct Image {
    _folder: tempfile::TempDir,
    at: PathBuf,
    regions: Regions,
}

fn options() -> OpenOptions<'static> {
    OpenOptions {
        on_kill: OnKill::Keep,
        ..OpenOptions::on(catalog(), testbed())
    }
}

fn command(kind: CommandKind, lba: u64, sectors: u32) -> Command {
    Command::new(kind, 1, lba, sectors, SimTime::ZERO)
}

/// What a slot holds in a version; bytes that do not compress, and some that do.
fn data(slot: u64, version: u64, bytes: usize) -> Vec<u8> {
    let word =
        |n: u64| xxhash_rust::xxh3::xxh3_64(&[slot, version, n].map(u64::to_le_bytes).concat());
    // Every third slot is one that compresses.
    let repeats = if slot.is_multiple_of(3) { 4 } else { 1 };
    let words = (0..bytes as u64 / 8).map(|n| word(n / repeats));
    words.flat_map(u64::to_le_bytes).collect()
}

fn write(drive: &mut DataDrive, slot: u64, version: u64) {
    let sectors = drive.slot_sectors();
    let write = command(CommandKind::Write, slot * u64::from(sectors), sectors);
    let data = data(slot, version, sectors as usize * 512);
    assert_eq!(drive.apply(write, &data), Outcome::Good);
}

fn flush(drive: &mut DataDrive) {
    let flush = command(CommandKind::Flush, 0, 0);
    assert_eq!(drive.apply(flush, &[]), Outcome::Good);
}

fn slots(drive: &DataDrive) -> u64 {
    drive.capacity_bytes() / 512 / u64::from(drive.slot_sectors())
}

/// The version that a slot holds; `None` for nothing.
fn version(drive: &mut DataDrive, slot: u64) -> Result<Option<u64>, ImageError> {
    let sectors = u64::from(drive.slot_sectors());
    let mut found = vec![0; sectors as usize * 512];
    drive.read(Lba(slot * sectors), &mut found)?;
    if found.iter().all(|&byte| byte == 0) {
        return Ok(None);
    }
    let is = (0..100).find(|&version| data(slot, version, found.len()) == found);
    Ok(Some(is.expect("it holds what was written there once")))
}

impl Image {
    /// A drive that is written all over, and then loses its power after three times as many more
    /// writes, each flushed: version 1, and 2 and on.
    fn killed(name: &str) -> (Image, Vec<u64>) {
        Image::killed_after(name, &forgiving(), true)
    }

    /// The same of a drive that was made so, and flushed after each write or once, at the end.
    fn killed_after(name: &str, options: &CreateOptions, flushes_each: bool) -> (Image, Vec<u64>) {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("drive.img");
        let made = DataDrive::create(&at, &tiny(name), testbed(), options);
        let mut drive = made.unwrap();
        let slots = slots(&drive);
        let mut newest = vec![1; slots as usize];
        (0..slots).for_each(|slot| write(&mut drive, slot, 1));
        drive.checkpoint().unwrap();
        for n in 0..2 * slots {
            let slot = n * 7 % slots;
            newest[slot as usize] += 1;
            write(&mut drive, slot, newest[slot as usize]);
            if flushes_each {
                flush(&mut drive);
            }
        }
        if !flushes_each {
            flush(&mut drive);
        }
        let image = Image {
            regions: drive.body.regions(),
            at,
            _folder: folder,
        };
        (image, newest)
    }

    fn file(&self) -> File {
        FileOptions::new()
            .read(true)
            .write(true)
            .open(&self.at)
            .unwrap()
    }

    fn flip(&self, at: u64) {
        let mut byte = [0];
        self.file().read_exact_at(&mut byte, at).unwrap();
        self.file().write_all_at(&[byte[0] ^ 0x10], at).unwrap();
    }

    fn zero(&self, at: u64, bytes: usize) {
        self.file().write_all_at(&vec![0; bytes], at).unwrap();
    }

    /// Where the journal lies.
    fn journal(&self) -> Region {
        let has_a_batch = |region: &Region| {
            let mut magic = [0; 4];
            self.file().read_exact_at(&mut magic, region.at).unwrap();
            magic == *b"\x8fftb"
        };
        let mut journals = self.regions.journals.regions.into_iter();
        journals.find(has_a_batch).expect("the drive did something")
    }

    /// Where the journal's last batch begins, and ends.
    fn last_batch(&self) -> (u64, u64) {
        let mut bytes = vec![0; 1 << 20];
        let region = self.journal();
        self.file().read_exact_at(&mut bytes, region.at).unwrap();
        let magic = bytes
            .windows(4)
            .rposition(|four| four == b"\x8fftb")
            .unwrap();
        let end = bytes.iter().rposition(|&byte| byte != 0).unwrap() + 1;
        (region.at + magic as u64, region.at + end as u64)
    }

    fn open(&self) -> Result<DataDrive, ImageError> {
        DataDrive::open(&self.at, &options()).map(|(drive, _)| drive)
    }

    fn hole(&self) -> Hole {
        match self.open() {
            Err(ImageError::Unusable {
                why: Wrong::Hole { hole },
                ..
            }) => hole,
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_flipped_bit_in_the_journal_is_told_wherever_it_is() {
    for name in KINDS {
        let (image, newest) = Image::killed(name);
        let requests = 4 * newest.len() as u64;
        let (last, _) = image.last_batch();
        let start = image.journal().at;
        for n in 0..40 {
            let at = start + (last - start) * n / 40;
            image.flip(at);
            let hole = image.hole();
            assert!(
                hole.requests > 0 && hole.requests <= requests,
                "{name}: {hole:?}"
            );
            assert_eq!(hole.flushed, hole.requests, "{name}: each was flushed");
            let found = fsck(&image.at, catalog(), testbed()).unwrap();
            assert!(found.hole == Some(hole) && !found.is_good(), "{name}");
            image.flip(at);
        }
        let mut drive = image.open().unwrap();
        for (slot, &newest) in newest.iter().enumerate() {
            assert_eq!(version(&mut drive, slot as u64).unwrap(), Some(newest));
        }
    }
}

#[test]
fn the_last_flushed_batch_is_missed_when_it_is_gone_without_a_trace() {
    for name in KINDS {
        let (image, _) = Image::killed(name);
        let (from, to) = image.last_batch();
        image.zero(from, (to - from) as usize);
        let hole = image.hole();
        assert!(
            hole.flushed > 0 && hole.requests == hole.flushed,
            "{name}: {hole:?}"
        );
    }
}

#[test]
fn a_checkpoint_whose_head_is_gone_is_missed_and_not_taken_for_the_one_before_it() {
    for name in KINDS {
        let (image, _) = Image::killed(name);
        let mut drive = image.open().unwrap();
        write(&mut drive, 0, 90);
        let stands = drive.image.as_ref().unwrap().stands.checkpoint;
        drive.close().unwrap();
        let newest = image.regions.checkpoints[((stands + 1) % 2) as usize].at;
        for damage in [
            |image: &Image, at| image.flip(at + 9),
            |image: &Image, at| image.zero(at, 4096),
        ] {
            damage(&image, newest);
            let why = image.open().unwrap_err().to_string();
            assert!(why.contains("is the newest, is not there"), "{name}: {why}");
            let why = fsck(&image.at, catalog(), testbed())
                .unwrap_err()
                .to_string();
            assert!(why.contains("--rebuild"), "{name}: {why}");
        }
    }
}

#[test]
fn a_hole_is_cut_at_when_that_is_accepted_and_nothing_foreign_is_read_behind_it() {
    for name in KINDS {
        let (image, newest) = Image::killed(name);
        let (last, _) = image.last_batch();
        let start = image.journal().at;
        image.flip(start + (last - start) / 2);
        let only = OpenOptions {
            read_only: true,
            accepts_loss: true,
            ..options()
        };
        let (_, recovery) = DataDrive::open(&image.at, &only).unwrap();
        assert_eq!(recovery.hole, Some(image.hole()), "{name}");
        accept(&image.at, catalog(), testbed()).unwrap();
        let found = fsck(&image.at, catalog(), testbed()).unwrap();
        assert!(found.hole.is_none() && found.clean, "{name}: {found:?}");
        let mut drive = image.open().unwrap();
        let mut damaged = 0;
        for slot in 0..newest.len() as u64 {
            // Reading checks that it is a version of this slot.
            match version(&mut drive, slot) {
                Ok(found) => assert!(found.is_some_and(|found| found <= newest[slot as usize])),
                Err(why) => damaged += u64::from(matches!(why, ImageError::Damaged { .. })),
            }
        }
        assert_eq!(found.damaged_slots, damaged, "{name}");
        // It goes on, and what is written is whole.
        for slot in 0..newest.len() as u64 {
            write(&mut drive, slot, 99);
        }
        drive.close().unwrap();
        assert!(
            fsck(&image.at, catalog(), testbed()).unwrap().is_good(),
            "{name}"
        );
    }
}

fn all_are_newest(image: &Image, newest: &[u64], what: &str) {
    let found = fsck(&image.at, catalog(), testbed()).unwrap();
    assert!(found.is_good() && found.clean, "{what}: {found:?}");
    let mut drive = image.open().unwrap();
    for (slot, &newest) in newest.iter().enumerate() {
        let found = version(&mut drive, slot as u64).unwrap();
        assert_eq!(found, Some(newest), "{what}: slot {slot}");
    }
    drive.check_layer();
}

#[test]
fn rebuilding_finds_everything_behind_a_hole_by_its_pages() {
    for name in KINDS {
        let (image, newest) = Image::killed(name);
        let (last, _) = image.last_batch();
        let start = image.journal().at;
        image.flip(start + (last - start) / 3);
        let rebuilt = rebuild(&image.at, catalog(), testbed()).unwrap();
        assert!(
            rebuilt.has_map && rebuilt.found_slots > 0,
            "{name}: {rebuilt:?}"
        );
        assert_eq!(
            (rebuilt.lost_slots, rebuilt.damaged_pages),
            (0, 0),
            "{name}"
        );
        all_are_newest(&image, &newest, name);
    }
}

/// A buffer that loses what it holds was flushed behind the hole. At the hole it held something, but nothing happened there.
#[test]
fn rebuilding_takes_a_hole_for_no_power_cut() {
    for name in KINDS {
        for eighths in 1..8 {
            let (image, newest) = Image::killed_after(name, &CreateOptions::default(), false);
            let (last, _) = image.last_batch();
            let start = image.journal().at;
            image.flip(start + (last - start) / 8 * eighths);
            let what = format!("{name}, {eighths} eighths");
            let rebuilt = rebuild(&image.at, catalog(), testbed()).unwrap();
            assert!(
                rebuilt.has_map && (rebuilt.is_whole() || rebuilt.shares),
                "{what}: {rebuilt:?}"
            );
            all_are_newest(&image, &newest, &what);
        }
    }
}

#[test]
fn what_cannot_be_found_when_an_image_is_rebuilt_is_told() {
    for (name, hits_front) in KINDS
        .into_iter()
        .flat_map(|name| [(name, false), (name, true)])
    {
        let (image, newest) = Image::killed(name);
        let only_read = OpenOptions {
            read_only: true,
            ..options()
        };
        let (drive, _) = DataDrive::open(&image.at, &only_read).unwrap();
        let place = drive.layer().unwrap().lookup(Lpn(5)).unwrap();
        drop(drive);
        // The newest of a slot, behind a hole.
        image.flip(image.regions.place(place.0) + if hits_front { 1 } else { 60 });
        let (last, _) = image.last_batch();
        let start = image.journal().at;
        image.flip(start + (last - start) / 3);
        let rebuilt = rebuild(&image.at, catalog(), testbed()).unwrap();
        assert!(!rebuilt.is_whole(), "{name}: {rebuilt:?}");
        // A slot whose front is damaged is not known to go on in the next places.
        assert!(rebuilt.damaged_pages >= 1, "{name}: {rebuilt:?}");
        let told = match hits_front {
            true => rebuilt.nameless_pages > 0,
            false => rebuilt.older_slots + rebuilt.lost_slots == 1,
        };
        assert!(told, "{name}: {rebuilt:?}");
        let mut drive = image.open().unwrap();
        for (slot, newest) in newest
            .into_iter()
            .enumerate()
            .filter(|(slot, _)| *slot != 5)
        {
            let found = version(&mut drive, slot as u64).unwrap();
            assert_eq!(found, Some(newest), "{name}: slot {slot}");
        }
    }
}

#[test]
fn rebuilding_needs_no_checkpoint() {
    for name in KINDS {
        let (image, newest) = Image::killed(name);
        for area in image.regions.checkpoints {
            image.zero(area.at, 4096);
        }
        assert!(image.open().is_err());
        let rebuilt = rebuild(&image.at, catalog(), testbed()).unwrap();
        let all = newest.len() as u64;
        assert!(
            !rebuilt.has_map && rebuilt.found_slots == all,
            "{name}: {rebuilt:?}"
        );
        all_are_newest(&image, &newest, name);
    }
}

#[test]
fn rebuilding_keeps_what_is_left_of_a_slot_and_counts_what_is_not() {
    for name in KINDS {
        let (image, _) = Image::killed(name);
        let drive = image.open().unwrap();
        let slot = 5;
        let first = slot * u64::from(drive.slot_sectors());
        let place = drive.layer().unwrap().lookup(Lpn(slot as u32)).unwrap();
        drive.close().unwrap();
        image.flip(image.regions.place(place.0) + 60);
        let mut drive = image.open().unwrap();
        let part = command(CommandKind::Write, first, 1);
        assert_eq!(drive.apply(part, &[9; 512]), Outcome::Good);
        drive.close().unwrap();
        for area in image.regions.checkpoints {
            image.zero(area.at, 4096);
        }
        let rebuilt = rebuild(&image.at, catalog(), testbed()).unwrap();
        assert_eq!(rebuilt.partly_lost_slots, 1, "{name}: {rebuilt:?}");
        let mut found = [0; 1024];
        let mut drive = image.open().unwrap();
        drive.read(Lba(first), &mut found).unwrap();
        assert_eq!((found[511], found[512]), (9, 0), "{name}");
    }
}

#[test]
fn what_was_trimmed_before_a_hole_stays_trimmed_when_the_image_is_rebuilt() {
    let (image, _) = Image::killed("page");
    let mut drive = image.open().unwrap();
    let sectors = drive.slot_sectors();
    assert_eq!(
        drive.apply(command(CommandKind::Trim, 0, 3 * sectors), &[]),
        Outcome::Good
    );
    for slot in 5..12 {
        write(&mut drive, slot, 80);
        flush(&mut drive);
    }
    drop(drive);
    let (last, _) = image.last_batch();
    image.flip(last - 3);
    assert!(image.hole().flushed > 0);
    rebuild(&image.at, catalog(), testbed()).unwrap();
    let mut drive = image.open().unwrap();
    for slot in 0..12 {
        let found = version(&mut drive, slot).unwrap();
        match slot {
            0..3 => assert_eq!(found, None),
            5.. => assert_eq!(found, Some(80)),
            _ => assert!(found.is_some()),
        }
    }
}

#[test]
fn an_older_page_of_a_slot_in_place_of_the_newer_is_no_data() {
    for name in KINDS {
        let (image, newest) = Image::killed(name);
        let drive = image.open().unwrap();
        let places = drive.layer().unwrap().places();
        let place_of = |slot: u32| drive.layer().unwrap().lookup(Lpn(slot)).unwrap().0;
        let mapped: Vec<u32> = (0..newest.len() as u32).map(place_of).collect();
        let slot_sectors = u64::from(drive.slot_sectors());
        drive.close().unwrap();
        let bytes = image.regions.stride as usize;
        let (mut old, mut swapped) = (vec![0; bytes], 0);
        for place in (0..places).filter(|place| !mapped.contains(place)) {
            let file = image.file();
            file.read_exact_at(&mut old, image.regions.place(place))
                .unwrap();
            let Some(oob) = crate::slot::Oob::read(&old) else {
                continue;
            };
            let now = image.regions.place(mapped[oob.lpn as usize]);
            let mut kept = vec![0; bytes];
            file.read_exact_at(&mut kept, now).unwrap();
            file.write_all_at(&old, now).unwrap();
            let mut found = image.open().unwrap();
            let mut read = vec![0; slot_sectors as usize * 512];
            let read = found.read(Lba(u64::from(oob.lpn) * slot_sectors), &mut read);
            assert!(
                matches!(read, Err(ImageError::Damaged { .. })),
                "{name}: {read:?}"
            );
            found.close().unwrap();
            file.write_all_at(&kept, now).unwrap();
            swapped += 1;
            if swapped == 10 {
                break;
            }
        }
        assert!(swapped > 0, "{name}: there are older pages");
    }
}

#[test]
fn a_file_that_was_cut_off_is_refused_until_that_is_accepted() {
    let (image, _) = Image::killed("page");
    let length = image.file().metadata().unwrap().len();
    image.file().set_len(length - 100_000).unwrap();
    let why = image.open().unwrap_err().to_string();
    assert!(why.contains("it was cut off"), "{why}");
    let found = fsck(&image.at, catalog(), testbed()).unwrap();
    assert!(found.missing_bytes == 100_000 && !found.is_good());
    accept(&image.at, catalog(), testbed()).unwrap();
    assert_eq!(image.file().metadata().unwrap().len(), length);
    assert!(image.open().is_ok());
}

#[test]
fn a_copy_of_the_header_makes_up_for_the_other_and_the_damage_is_told() {
    let (image, _) = Image::killed("block");
    image.zero(0, 4096);
    let found = fsck(&image.at, catalog(), testbed()).unwrap();
    assert!(found.headers[0].is_some() && !found.is_good());
    accept(&image.at, catalog(), testbed()).unwrap();
    assert!(fsck(&image.at, catalog(), testbed()).unwrap().is_good());
}

fn path_of(folder: &tempfile::TempDir) -> PathBuf {
    folder.path().join("flat.img")
}

fn flat(at: &Path) -> DataDrive {
    DataDrive::create(at, &tiny("flat"), testbed(), &forgiving()).unwrap()
}

#[test]
fn a_sector_of_a_disk_that_is_not_as_it_was_written_is_no_data() {
    let folder = tempfile::tempdir().unwrap();
    let at = path_of(&folder);
    let mut drive = flat(&at);
    let regions = drive.body.regions();
    let bytes = vec![7; 16 * 512];
    assert_eq!(
        drive.apply(command(CommandKind::Write, 8, 16), &bytes),
        Outcome::Good
    );
    assert_eq!(
        drive.apply(command(CommandKind::Write, 8, 1), &[9; 512]),
        Outcome::Good
    );
    drive.close().unwrap();
    let file = FileOptions::new().read(true).write(true).open(&at).unwrap();
    // A bit, a sector of nothing, and one that is another's.
    let mut sector = vec![7; 512];
    sector[100] = 6;
    file.write_all_at(&sector, regions.data.at + 9 * 512)
        .unwrap();
    file.write_all_at(&[0; 512], regions.data.at + 10 * 512)
        .unwrap();
    file.write_all_at(&[7; 512], regions.data.at + 30 * 512)
        .unwrap();
    // What it held before.
    file.write_all_at(&[7; 512], regions.data.at + 8 * 512)
        .unwrap();
    let found = fsck(&at, catalog(), testbed()).unwrap();
    let sectors: Vec<u64> = found.damaged.iter().map(|damaged| damaged.lba).collect();
    assert_eq!(sectors, [8, 9, 10, 30]);
    let (mut drive, _) = DataDrive::open(&at, &options()).unwrap();
    let mut read = vec![0; 512];
    for sector in 0..64 {
        let is_damaged = sectors.contains(&sector);
        let read = drive.read(Lba(sector), &mut read);
        assert_eq!(matches!(read, Err(ImageError::Damaged { .. })), is_damaged);
    }
    // Written over, it is whole.
    assert_eq!(
        drive.apply(command(CommandKind::Write, 8, 23), &[1; 23 * 512]),
        Outcome::Good
    );
    drive.close().unwrap();
    assert!(fsck(&at, catalog(), testbed()).unwrap().is_good());
}

#[test]
fn a_disk_without_a_checkpoint_is_rebuilt_with_its_data() {
    let folder = tempfile::tempdir().unwrap();
    let at = path_of(&folder);
    let mut drive = flat(&at);
    let regions = drive.body.regions();
    assert_eq!(
        drive.apply(command(CommandKind::Write, 3, 2), &[5; 1024]),
        Outcome::Good
    );
    drive.close().unwrap();
    let file = FileOptions::new().write(true).open(&at).unwrap();
    for area in regions.checkpoints {
        file.write_all_at(&[1; 4096], area.at).unwrap();
    }
    assert!(DataDrive::open(&at, &options()).is_err());
    rebuild(&at, catalog(), testbed()).unwrap();
    let (mut drive, _) = DataDrive::open(&at, &options()).unwrap();
    let mut read = vec![0; 1024];
    drive.read(Lba(3), &mut read).unwrap();
    assert_eq!(read, [5; 1024]);
}
