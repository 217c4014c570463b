//! What lies under an image fails, is damaged, or is not what it should be.

use super::driven::{Clock, Driven, forgiving, open, recover};
use super::recorder::Recorder;
use super::tiny::{catalog, names, testbed, tiny};
use crate::{CreateOptions, DataDrive, ImageError, OnKill, OpenOptions, Wrong, fsck};
use ftlab_base::{Command, Lba, Outcome, SimTime};
use ftlab_drive::Catalog;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// The disk under the image is full from some byte on; whatever byte that is, nothing acknowledged is
/// lost, what the drive holds can be read, and it goes on when there is room again.
#[test]
fn a_full_disk_under_the_image_loses_nothing_acknowledged() {
    for name in &names() {
        for clock in [Clock::Untimed, Clock::Timed] {
            let mut driven = Driven::new(&tiny(name), 11);
            driven.work(Clock::Untimed, 2 * driven.oracle.slots());
            let mut refused = 0;
            for room in (0..60_000).step_by(1777) {
                driven.recorder.set_room(Some(room));
                refused += u64::from(driven.work_until_refused(clock, 30));
                let operations = driven.recorder.count();
                let what = format!("{name}, {clock:?}, room for {room} bytes");
                driven.oracle.check(&mut driven.drive, operations, &what);
                // Its power goes just then.
                let left = Recorder::of(driven.recorder.memory());
                let (mut found, _) = recover(&left, driven.drive.drive_file()).unwrap();
                driven.oracle.check(&mut found, operations, &what);
                // There is room again.
                driven.recorder.set_room(None);
                let flush = driven.commands.flush();
                assert_eq!(driven.drive.apply(flush, &[]), Outcome::Good, "{what}");
                assert!(driven.drive.failure().is_none());
                driven.oracle.settle(&mut driven.drive);
                driven.work(clock, 4);
            }
            assert!(refused > 10, "{name}: {refused} times");
            driven.drive.check_layer();
            let recorder = driven.recorder.clone();
            let flush = driven.commands.flush();
            assert_eq!(driven.drive.apply(flush, &[]), Outcome::Good);
            drop(driven.drive);
            let (mut found, _) = open(&recorder).unwrap();
            driven.oracle.check_all(&mut found);
        }
    }
}

fn path(folder: &tempfile::TempDir) -> PathBuf {
    folder.path().join("drive.img")
}

fn options() -> OpenOptions<'static> {
    OpenOptions {
        on_kill: OnKill::Keep,
        ..OpenOptions::on(catalog(), testbed())
    }
}

fn create(name: &str, at: &Path) -> DataDrive {
    let sizes = forgiving();
    DataDrive::create(at, &tiny(name), testbed(), &sizes).unwrap()
}

fn write(id: u64, lba: u64, byte: u8, sectors: u32) -> (Command, Vec<u8>) {
    let command = Command::write(id, lba, sectors, SimTime::ZERO);
    (command, vec![byte; command.bytes() as usize])
}

fn fill(drive: &mut DataDrive) {
    let sectors = drive.slot_sectors();
    let slots = drive.capacity_bytes() / 512 / u64::from(sectors);
    for slot in 0..slots {
        let (command, mut data) = write(slot, slot * u64::from(sectors), 0, sectors);
        for (n, byte) in data.iter_mut().enumerate() {
            *byte = (slot as usize * 31 + n * n % 253) as u8;
        }
        assert_eq!(drive.apply(command, &data), Outcome::Good);
    }
}

#[test]
fn an_image_is_the_same_drive_when_it_is_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    for name in &names() {
        let at = folder.path().join(name);
        let mut drive = create(name, &at);
        fill(&mut drive);
        let (info, mut first) = (drive.info(), vec![0; drive.capacity_bytes() as usize]);
        drive.read(Lba(0), &mut first).unwrap();
        drive.close().unwrap();
        let (mut again, recovery) = DataDrive::open(&at, &options()).unwrap();
        assert!(recovery.clean && recovery.replayed == 0);
        let mut second = vec![1; first.len()];
        again.read(Lba(0), &mut second).unwrap();
        assert!(first == second, "{name}");
        let now = again.info();
        assert_eq!(now.mapped_slots, info.mapped_slots);
        assert_eq!((now.power_cycles, now.unsafe_shutdowns), (2, 0));
        assert!(now.counters.host_bytes_written >= info.counters.host_bytes_written);
        // It is not switched off in order.
        drop(again);
        let (drive, recovery) = DataDrive::open(&at, &options()).unwrap();
        assert!(!recovery.clean);
        let now = drive.info();
        assert_eq!((now.power_cycles, now.unsafe_shutdowns), (3, 1), "{name}");
    }
}

#[test]
fn a_disk_and_memory_keep_their_bytes_too() {
    let folder = tempfile::tempdir().unwrap();
    for slug in ["seagate-momentus-7200.2", "ramdisk-8gb"] {
        let at = folder.path().join(slug);
        let file = Catalog::default().load(slug, &[]).unwrap();
        let made = DataDrive::create(&at, &file, testbed(), &forgiving());
        let mut drive = made.unwrap();
        let (command, data) = write(1, 1000, 7, 16);
        assert_eq!(drive.apply(command, &data), Outcome::Good);
        let (command, data) = write(2, 1008, 9, 4);
        drive.submit(command, &data, SimTime::ZERO);
        let mut done = Vec::new();
        while let Some(at) = drive.next_event() {
            drive.advance(at, &mut done);
        }
        assert_eq!(done.len(), 1);
        drop(drive);
        let (mut drive, recovery) = DataDrive::open(&at, &options()).unwrap();
        assert!(!recovery.clean);
        let mut read = vec![1; 18 * 512];
        drive.read(Lba(999), &mut read).unwrap();
        let by_sector: Vec<u8> = read.chunks(512).map(|sector| sector[511]).collect();
        let want = [&[0][..], &[7; 8], &[9; 4], &[7; 4], &[0]].concat();
        assert_eq!(by_sector, want, "{slug}");
        drive.close().unwrap();
        assert!(DataDrive::open(&at, &options()).unwrap().1.clean);
        assert!(fsck(&at, catalog(), testbed()).unwrap().is_good());
    }
}

#[test]
fn an_image_that_is_open_is_not_opened_again_and_a_file_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let at = path(&folder);
    let drive = create("page", &at);
    let locked = DataDrive::open(&at, &options()).unwrap_err();
    assert!(matches!(locked, ImageError::Locked { .. }), "{locked}");
    let locked = fsck(&at, catalog(), testbed()).unwrap_err();
    assert!(matches!(locked, ImageError::Locked { .. }), "{locked}");
    drop(drive);
    let there = DataDrive::create(&at, &tiny("page"), testbed(), &forgiving());
    assert!(matches!(there, Err(ImageError::Exists { .. })));
    assert!(DataDrive::open(&at, &options()).is_ok());
}

#[test]
fn an_image_of_another_drive_or_format_is_refused_and_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let at = path(&folder);
    create("page", &at).close().unwrap();
    let (other, same) = (tiny("page-capacitors"), tiny("page"));
    let asks = |drive| OpenOptions {
        drive: Some(drive),
        ..options()
    };
    let refused = DataDrive::open(&at, &asks(&other)).unwrap_err().to_string();
    assert!(refused.contains("power_loss.capacitors"), "{refused}");
    DataDrive::open(&at, &asks(&same))
        .unwrap()
        .0
        .close()
        .unwrap();

    let mut open = std::fs::OpenOptions::new();
    let file = open.read(true).write(true).open(&at).unwrap();
    let why = || match DataDrive::open(&at, &options()) {
        Err(ImageError::Unusable { why, .. }) => why,
        other => panic!("{other:?}"),
    };
    let opens = || DataDrive::open(&at, &options()).unwrap().0.close().unwrap();
    let older = (crate::header::FORMAT - 1).to_le_bytes();
    let strange: [(&[u8], u64); 3] = [(&older, 8), (b"?", 40), (b"no image", 0)];
    for (bytes, at) in strange {
        let mut before = vec![0; bytes.len()];
        file.read_exact_at(&mut before, at).unwrap();
        // The header stands there twice: of one alone, the other makes up for it.
        for place in [0, crate::regions::HEADER_BYTES / 2] {
            opens();
            file.write_all_at(bytes, place + at).unwrap();
        }
        match at {
            8 => assert!(matches!(why(), Wrong::Format { .. })),
            40 => assert!(matches!(why(), Wrong::Header(_))),
            _ => assert!(matches!(why(), Wrong::Foreign)),
        }
        for place in [0, crate::regions::HEADER_BYTES / 2] {
            file.write_all_at(&before, place + at).unwrap();
        }
    }
}

#[test]
fn damage_is_found_and_never_read_as_data() {
    let folder = tempfile::tempdir().unwrap();
    let at = path(&folder);
    let mut drive = create("page", &at);
    fill(&mut drive);
    let mapped = drive.info().mapped_slots.unwrap();
    let (regions, slot_bytes) = (drive.body.regions(), u64::from(drive.slot_sectors()) * 512);
    let place =
        |drive: &DataDrive, lpn| drive.layer().unwrap().lookup(ftlab_base::Lpn(lpn)).unwrap();
    let (one, two) = (place(&drive, 3).0, place(&drive, 5).0);
    drive.close().unwrap();
    let found = fsck(&at, catalog(), testbed()).unwrap();
    assert!(found.is_good() && found.clean, "{found:?}");
    assert_eq!(found.mapped_slots, mapped);

    // A bit of one slot, and another one's whole data, as if a place had been written by mistake.
    let file = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open(&at)
        .unwrap();
    let mut bytes = vec![0; regions.stride as usize];
    file.read_exact_at(&mut bytes, regions.place(one)).unwrap();
    bytes[700] ^= 4;
    file.write_all_at(&bytes, regions.place(one)).unwrap();
    file.read_exact_at(&mut bytes, regions.place(place_of(&at, 9)))
        .unwrap();
    file.write_all_at(&bytes, regions.place(two)).unwrap();
    let found = fsck(&at, catalog(), testbed()).unwrap();
    assert_eq!(found.damaged_slots, 2, "{found:?}");
    assert!(found.damaged[0].why.contains("checksum"), "{found:?}");
    assert!(found.damaged[1].why.contains("another place"), "{found:?}");
    let (mut drive, _) = DataDrive::open(&at, &options()).unwrap();
    let mut read = vec![0; slot_bytes as usize];
    let lba = |slot: u64| Lba(slot * slot_bytes / 512);
    assert!(drive.read(lba(2), &mut read).is_ok());
    for slot in [3, 5] {
        let why = drive.read(lba(slot), &mut read).unwrap_err();
        assert!(matches!(why, ImageError::Damaged { .. }), "{why}");
    }
    // A part that is written anew is read back, and the rest of the slot stays lost; so it is told.
    let (part, data) = write(1000, lba(3).0, 1, 1);
    assert_eq!(drive.apply(part, &data), Outcome::Good);
    drive.read(lba(3), &mut read[..512]).unwrap();
    assert_eq!(read[..512], data);
    assert!(drive.read(lba(3), &mut read).is_err());
    drive.close().unwrap();
    let found = fsck(&at, catalog(), testbed()).unwrap();
    assert_eq!(found.damaged_slots, 2, "{found:?}");
    assert!(found.damaged[0].why.contains("lost"), "{found:?}");
    let (mut drive, _) = DataDrive::open(&at, &options()).unwrap();
    // Written anew, it is whole.
    let (whole, data) = write(1001, lba(3).0, 1, (slot_bytes / 512) as u32);
    assert_eq!(drive.apply(whole, &data), Outcome::Good);
    drive.read(lba(3), &mut read).unwrap();
    assert_eq!(read, data);
}

fn place_of(at: &Path, lpn: u32) -> u32 {
    let (drive, _) = DataDrive::open(
        at,
        &OpenOptions {
            read_only: true,
            ..options()
        },
    )
    .unwrap();
    drive
        .layer()
        .unwrap()
        .lookup(ftlab_base::Lpn(lpn))
        .unwrap()
        .0
}

#[test]
fn a_damaged_checkpoint_is_refused_and_not_taken_for_the_one_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let at = path(&folder);
    let mut drive = create("page", &at);
    fill(&mut drive);
    let areas = drive.body.regions().checkpoints;
    drive.checkpoint().unwrap();
    let newest = drive.image.as_ref().unwrap().stands.checkpoint;
    drop(drive);
    let file = std::fs::OpenOptions::new().write(true).open(&at).unwrap();
    file.write_all_at(b"?", areas[(newest % 2) as usize].at + 4096 + 30)
        .unwrap();
    let refused = DataDrive::open(&at, &options()).unwrap_err();
    assert!(refused.to_string().contains("checksum"), "{refused}");
}

#[test]
fn reading_only_changes_nothing_and_finds_what_would_be_recovered() {
    let folder = tempfile::tempdir().unwrap();
    let at = path(&folder);
    let mut drive = create("packed", &at);
    fill(&mut drive);
    let mut newest = vec![0; drive.capacity_bytes() as usize];
    drive.read(Lba(0), &mut newest).unwrap();
    drop(drive);
    let regions = super::super::new::New::of(&tiny("packed"), testbed(), 0)
        .unwrap()
        .regions();
    let journal = || {
        let file = std::fs::File::open(&at).unwrap();
        regions.journals.regions.map(|region| {
            let mut bytes = vec![0; 1 << 20];
            file.read_exact_at(&mut bytes, region.at).unwrap();
            bytes
        })
    };
    let before = journal();
    for _ in 0..2 {
        let only = OpenOptions {
            read_only: true,
            ..options()
        };
        let (mut drive, recovery) = DataDrive::open(&at, &only).unwrap();
        assert!(!recovery.clean && recovery.replayed > 0);
        let mut read = vec![0; newest.len()];
        drive.read(Lba(0), &mut read).unwrap();
        assert!(read == newest);
        drive.close().unwrap();
        assert!(journal() == before);
    }
}

#[test]
fn a_smaller_size_is_kept_and_an_impossible_one_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = path(&folder);
    let with = |size_bytes| CreateOptions {
        size_bytes: Some(size_bytes),
        ..forgiving()
    };
    for wrong in [0, 1000, 1 << 40] {
        let made = DataDrive::create(&at, &tiny("page"), testbed(), &with(wrong));
        assert!(matches!(made, Err(ImageError::Size { .. })), "{wrong}");
        assert!(!at.exists());
    }
    let mut drive = DataDrive::create(&at, &tiny("page"), testbed(), &with(1 << 16)).unwrap();
    assert_eq!(drive.capacity_bytes(), 1 << 16);
    drive.set_max(1 << 15).unwrap();
    drop(drive);
    let (drive, _) = DataDrive::open(&at, &options()).unwrap();
    assert_eq!(drive.capacity_bytes(), 1 << 15);
}
