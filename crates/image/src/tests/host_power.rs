//! The power of the host goes, and nobody waited for its storage: of each page of the file that was written since,
//! the storage has what it held at one instant or another.

use super::driven::{Clock, Driven};
use super::oracle::Found;
use super::recorder::Operation;
use super::tiny::{catalog, names, testbed, tiny};
use crate::base::Base;
use crate::base::open::{Access, open_image};
use crate::slot;
use crate::storage::{Memory, Storage};
use crate::{DataDrive, OpenOptions, rebuild, rebuild_command};
use ftlab_base::Lba;
use std::collections::BTreeMap;
use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

/// Bytes of a page of the host's memory.
const PAGE_BYTES: u64 = 4096;

/// What the storage of a host has of a file whose operations were these. Everything up to the last wait for it is there.
/// Each page that was written since is as it was at an instant by seed, the newest half of the time.
fn left_by_host(operations: &[Operation], seed: u64) -> Memory {
    let is_sync = |operation: &Operation| matches!(operation, Operation::Sync);
    let synced = operations.iter().rposition(is_sync).unwrap_or(0);
    let reaches = |page: u64| {
        let word = xxh3_64(&[seed, page].map(u64::to_le_bytes).concat());
        let left = (operations.len() - synced) as u64;
        match word % 2 {
            0 => operations.len(),
            _ => synced + (word / 2 % (left + 1)) as usize,
        }
    };
    let mut left = Memory::default();
    for (n, operation) in operations.iter().enumerate() {
        let (at, bytes) = match operation {
            Operation::Write(at, bytes) => (*at, bytes.len() as u64),
            Operation::GiveUp(at, bytes) => (*at, *bytes),
            Operation::Sync => continue,
        };
        for page in at / PAGE_BYTES..(at + bytes).div_ceil(PAGE_BYTES) {
            if n > synced && n >= reaches(page) {
                continue;
            }
            let from = at.max(page * PAGE_BYTES);
            let until = (at + bytes).min((page + 1) * PAGE_BYTES);
            match operation {
                Operation::Write(_, bytes) => {
                    let part = &bytes[(from - at) as usize..(until - at) as usize];
                    left.write_at(from, part).unwrap();
                }
                _ => left.give_up(from, until - from).unwrap(),
            }
        }
    }
    left
}

/// Makes a file of it.
fn write_to(path: &Path, memory: &Memory, length: u64) {
    let file = File::create(path).unwrap();
    file.set_len(length).unwrap();
    let (mut at, mut bytes) = (0, vec![0; 1 << 16]);
    while let Some(data) = memory.next_data(at).unwrap() {
        memory.read_at(data, &mut bytes).unwrap();
        file.write_all_at(&bytes, data).unwrap();
        at = data + bytes.len() as u64;
    }
    file.set_len(length).unwrap();
}

fn options(sync: bool) -> OpenOptions<'static> {
    OpenOptions {
        sync,
        ..OpenOptions::on(catalog(), testbed())
    }
}

/// What became of images whose host lost its power.
#[derive(Debug, Default, PartialEq, Eq)]
struct Told {
    opened: u64,
    refused: u64,
    /// Flushed slots: all, those whose page had not reached the storage or was damaged, and those among them that a
    /// rebuilt image says nothing of.
    flushed: u64,
    gone: u64,
    silent: u64,
}

/// The newest page of each slot that is whole, as the version that it is.
fn whole_pages(driven: &Driven, left: &dyn Storage) -> BTreeMap<usize, usize> {
    let layer = driven.drive.layer().unwrap();
    let (regions, slot_bytes) = (
        driven.drive.body.regions(),
        layer.layout().geometry.slot_bytes as usize,
    );
    let mut newest: BTreeMap<usize, (u64, Vec<u8>)> = BTreeMap::new();
    for place in 0..layer.places() {
        let mut lies = Vec::new();
        regions
            .read_slot(left, place, slot_bytes, &mut lies)
            .unwrap();
        let Ok((oob, stored)) = slot::check(&lies, place, slot_bytes) else {
            continue;
        };
        let mut bytes = vec![0; slot_bytes];
        slot::unpack(&oob, stored, &mut bytes).unwrap();
        let there = newest.entry(oob.lpn as usize).or_default();
        if oob.sequence >= there.0 {
            *there = (oob.sequence, bytes);
        }
    }
    let newest = newest.into_iter();
    let version =
        |(slot, (_, bytes)): (usize, (u64, Vec<u8>))| (slot, version(driven, slot, &bytes));
    newest.map(version).collect()
}

/// Which version of a slot that is. What a base held before it was one comes before all others.
fn version(driven: &Driven, slot: usize, bytes: &[u8]) -> usize {
    let version = driven.oracle.version(slot, bytes);
    assert!(
        version.is_some() || driven.recorder.below().is_some(),
        "slot {slot} never held that"
    );
    version.unwrap_or_default()
}

impl Told {
    fn add(&mut self, other: &Told) {
        self.opened += other.opened;
        self.refused += other.refused;
        self.flushed += other.flushed;
        self.gone += other.gone;
        self.silent += other.silent;
    }
}

/// Checks an image that was refused and then rebuilt: it holds what the host had flushed after `operations`, or says what it lost.
fn look_at_rebuilt(
    driven: &Driven,
    path: &Path,
    (pages, operations): (&BTreeMap<usize, usize>, usize),
    is_whole: bool,
    told: &mut Told,
) {
    let (mut drive, _) = DataDrive::open(path, &options(false)).unwrap();
    let sectors = u64::from(drive.slot_sectors());
    let mut gone = 0;
    for slot in 0..driven.oracle.slots() {
        let mut bytes = vec![0; sectors as usize * 512];
        drive.read(Lba(slot as u64 * sectors), &mut bytes).unwrap();
        let found = version(driven, slot, &bytes);
        let (promised, is_nothing) = driven.oracle.promise(slot, operations);
        if is_nothing {
            continue;
        }
        told.flushed += 1;
        gone += u64::from(found < promised);
        if pages.get(&slot).is_some_and(|page| *page >= promised) {
            assert!(
                found >= promised,
                "slot {slot}: {found} of {promised} is there"
            );
        }
    }
    told.gone += gone;
    told.silent += if is_whole { gone } else { 0 };
}

/// Has the power of the host go at instants by seed, from an operation on.
fn cut(driven: &Driven, from: usize, seeds: Range<u64>, path: &Path) -> Told {
    // What an image on a base has of its own lies behind its map.
    let (all, length) = (
        driven.recorder.operations(),
        2 * driven.drive.body.regions().end(),
    );
    let mut told = Told::default();
    for seed in seeds {
        let until = from + xxh3_64(&seed.to_le_bytes()) as usize % (all.len() - from) + 1;
        let left = left_by_host(&all[..until], seed);
        write_to(path, &left, length);
        let why = match DataDrive::open(path, &options(false)) {
            Ok((mut drive, _)) => {
                if driven.recorder.below().is_none() {
                    let found = driven.oracle.look(&mut drive, 0);
                    assert_ne!(found, Found::Strange, "seed {seed}");
                }
                told.opened += 1;
                continue;
            }
            Err(why) => why.to_string(),
        };
        told.refused += 1;
        let command = format!("`{}`", rebuild_command(path));
        assert!(why.contains(&command), "{why}");
        let pages = whole_pages(
            driven,
            &*open_image(path, Access::ReadOnly, None).unwrap().storage,
        );
        let rebuilt = rebuild(path, catalog(), testbed()).unwrap();
        look_at_rebuilt(driven, path, (&pages, until), rebuilt.is_whole(), &mut told);
    }
    told
}

/// A drive at work without waiting for its host, on a host that had everything on its storage, or nothing but a new image.
fn at_work(name: &str, is_settled: bool) -> (Driven, usize) {
    let mut driven = Driven::that_is_cut(&tiny(name), 7, false);
    let first = driven.recorder.count();
    driven.work(Clock::Untimed, 2 * driven.oracle.slots().min(100));
    if is_settled {
        driven.drive.body.storage().sync().unwrap();
    }
    let first = if is_settled {
        driven.recorder.count()
    } else {
        first
    };
    driven.work(Clock::Timed, 40);
    driven.flush();
    (driven, first)
}

/// Prints the figures of the guide to attached drives.
#[test]
fn what_a_host_without_power_leaves_opens_or_one_command_makes_it_open() {
    const CUTS: u64 = 8;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("the drive.img");
    let mut all = Told::default();
    for name in names().iter().chain([&"flat".to_owned()]) {
        for is_settled in [false, true] {
            let (driven, first) = at_work(name, is_settled);
            let told = cut(&driven, first, 0..CUTS, &path);
            eprintln!("{name}, settled: {is_settled}: {told:?}");
            if driven.drive.layer().is_none() {
                assert_eq!(told.refused, 0, "each sector stands for itself");
                continue;
            }
            all.add(&told);
        }
    }
    eprintln!("drives of flash: {all:?}");
    assert_eq!(all.opened + all.refused, 2 * CUTS * names().len() as u64);
    assert!(all.refused > all.opened && all.gone > 0, "{all:?}");
    assert_eq!(all.silent, 0, "{all:?}");
}

#[test]
fn what_a_host_without_power_leaves_of_an_image_on_a_base_opens_or_one_command_makes_it_open() {
    let folder = tempfile::tempdir().unwrap();
    let [base, path] = ["base.img", "drive.img"].map(|name| folder.path().join(name));
    for name in ["page", "packed"] {
        let mut below = Driven::new(&tiny(name), 7);
        below.work(Clock::Untimed, 2 * below.oracle.slots());
        let mut driven = below.on_top_of(8, false, |memory, regions| {
            write_to(&base, &memory, regions.end());
            Base::open(&base, catalog(), testbed()).unwrap()
        });
        let first = driven.recorder.count();
        driven.work(Clock::Timed, 60);
        driven.flush();
        let told = cut(&driven, first, 0..8, &path);
        eprintln!("{name} on a base: {told:?}");
        assert_eq!((told.opened + told.refused, told.silent), (8, 0));
    }
}

#[test]
fn a_host_without_power_costs_nothing_that_was_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("drive.img");
    for name in names().iter().chain([&"flat".to_owned()]) {
        let mut driven = Driven::that_is_cut(&tiny(name), 7, true);
        let first = driven.recorder.count();
        driven.work(Clock::Untimed, 2 * driven.oracle.slots().min(100));
        driven.work(Clock::Timed, 40);
        let (all, length) = (
            driven.recorder.operations(),
            driven.drive.body.regions().end(),
        );
        for seed in 0..8 {
            let until = first + xxh3_64(&[seed]) as usize % (all.len() - first) + 1;
            write_to(&path, &left_by_host(&all[..until], seed.into()), length);
            let opened = DataDrive::open(&path, &options(true));
            let (mut drive, _) = opened.unwrap_or_else(|why| panic!("{name}, seed {seed}: {why}"));
            driven
                .oracle
                .check(&mut drive, until, &format!("{name}, seed {seed}"));
        }
    }
}
