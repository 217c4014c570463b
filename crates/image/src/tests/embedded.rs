//! A power cut leaves of a device in memory what it leaves of an image.

use super::tiny::{testbed, tiny_with};
use crate::{CreateOptions, DataDrive};
use ftlab_base::{
    Command as Inner, CommandKind, Completion as InnerCompletion, Lba, Lpn, RootSeed, SimTime,
};
use ftlab_device::{Builder, Command, Completion, Device, Operation};
use rand::RngExt;
use std::path::Path;

/// Drives of each kind, by what tests of this crate call them.
const DRIVES: [(&str, &[&str]); 6] = [
    // Its slots may be torn.
    ("page", &["power_loss.atomic_write=1KiB"]),
    ("page-slc", &[]),
    ("packed", &[]),
    ("block", &[]),
    ("page-capacitors", &[]),
    ("disk", &[]),
];
/// That of them which loses nothing.
const KEEPS: usize = 4;

fn device(drive: usize) -> Device {
    let (name, others) = DRIVES[drive];
    let builder = Builder::of_file(tiny_with(name, others));
    builder
        .testbed("anandtech-2008")
        .keep_data()
        .build()
        .unwrap()
}

fn image(drive: usize, path: &Path) -> DataDrive {
    let (name, others) = DRIVES[drive];
    let options = CreateOptions {
        seed: 1,
        ..CreateOptions::default()
    };
    DataDrive::create(path, &tiny_with(name, others), testbed(), &options).unwrap()
}

/// The same drive as a device and as an image, driven alike.
struct Both {
    device: Device,
    image: DataDrive,
    now_ns: u64,
    next: u64,
    /// Bytes that are in use on both.
    span: u64,
}

impl Both {
    fn submit(&mut self, operation: Operation, offset: u64, bytes: u64, data: &[u8]) {
        self.next += 1;
        let (id, now) = (self.next, SimTime(self.now_ns));
        let (command, kind) = match operation {
            Operation::Read => (Command::read(id, offset, bytes), CommandKind::Read),
            Operation::Write => (Command::write(id, offset, bytes), CommandKind::Write),
            Operation::Trim => (Command::trim(id, offset, bytes), CommandKind::Trim),
            Operation::Flush => (Command::flush_range(id, offset, bytes), CommandKind::Flush),
        };
        self.device
            .submit_write(command, data, self.now_ns)
            .unwrap();
        let inner = Inner {
            lba: Lba(offset / 512),
            ..Inner::new(kind, id, 0, (bytes / 512) as u32, now)
        };
        self.image.submit(inner, data, now);
    }

    /// Lets both go on to an instant, and compares what ended.
    fn go_to(&mut self, until_ns: u64) {
        let (mut ended, mut of_image): (Vec<Completion>, Vec<InnerCompletion>) = Default::default();
        while let Some(at) = self.image.next_event().filter(|at| at.0 <= until_ns) {
            self.image
                .advance(at.max(SimTime(self.now_ns)), &mut of_image);
            self.now_ns = self.now_ns.max(at.0);
        }
        self.device.advance(until_ns, &mut ended);
        self.image.advance(SimTime(until_ns), &mut of_image);
        self.now_ns = until_ns;
        let mut ended: Vec<_> = ended.iter().map(|end| (end.at_ns, end.id)).collect();
        let mut of_image: Vec<_> = of_image.iter().map(|end| (end.at.0, end.id.0)).collect();
        // An image hands on flushes after what ended with them.
        ended.sort_unstable();
        of_image.sort_unstable();
        assert_eq!(ended, of_image);
    }

    fn compare(&mut self, what: &str) {
        let (mut found, mut of_image) = (vec![0; 4096], vec![0; 4096]);
        for offset in (0..self.span).step_by(4096) {
            self.device.read(offset, &mut found).unwrap();
            self.image.read(Lba(offset / 512), &mut of_image).unwrap();
            assert!(found == of_image, "{what}: byte {offset}");
        }
        let counters = self.device.counters();
        let of_image = self.image.device().counters();
        assert_eq!(counters.nand_programs, of_image.nand_programs, "{what}");
        assert_eq!(counters.nand_erases, of_image.nand_erases, "{what}");
        // Reads that nothing followed are not in an image's journal, so they are not compared.
        let (inner, of_image) = (self.device.inner(), self.image.device());
        assert_eq!(inner.erase_counts(), of_image.erase_counts(), "{what}");
        if let (Some(ssd), Some(of_image)) = (inner.ssd(), of_image.ssd()) {
            for lpn in (0..ssd.layer().slots()).map(Lpn) {
                let there = of_image.layer().lookup(lpn);
                assert_eq!(ssd.layer().lookup(lpn), there, "{what}: {lpn}");
            }
        }
    }
}

fn work(both: &mut Both, seed: u64) {
    let mut draw = RootSeed(seed).stream("work");
    for _ in 0..draw.random_range(20..60) {
        let sectors = draw.random_range(1..24_u64);
        let offset = 512 * draw.random_range(0..both.span / 512 - sectors);
        let bytes = 512 * sectors;
        match draw.random_range(0..20) {
            0..=12 => {
                let byte: u8 = draw.random();
                let data: Vec<u8> = (0..bytes)
                    .map(|n| byte ^ (n % 251 * (n / 512 % 2)) as u8)
                    .collect();
                both.submit(Operation::Write, offset, bytes, &data);
            }
            13..=14 => both.submit(Operation::Read, offset, bytes, &[]),
            15..=16 => both.submit(Operation::Trim, offset, bytes, &[]),
            17..=18 => both.submit(Operation::Flush, 0, 0, &[]),
            _ => both.submit(Operation::Flush, offset, bytes, &[]),
        }
        let pause = draw.random_range(0..2_000_000);
        // Now and then for so long that what was begun is programmed.
        let pause = if draw.random_range(0..25) == 0 {
            150_000_000
        } else {
            pause
        };
        both.go_to(both.now_ns + pause);
    }
}

#[test]
fn a_cut_leaves_what_it_leaves_of_an_image_for_a_thousand_seeds() {
    let folder = tempfile::tempdir().unwrap();
    let (mut lost, mut torn, mut volatile) = ([0; DRIVES.len()], 0, 0);
    for seed in 0..1000 {
        let drive = seed as usize % DRIVES.len();
        let path = folder.path().join("image");
        let device = device(drive);
        let image = image(drive, &path);
        let span = device.capacity_bytes().min(512 * 1024);
        let mut both = Both {
            device,
            image,
            now_ns: 0,
            next: 0,
            span,
        };
        let what = format!("{}, seed {seed}", DRIVES[drive].0);
        // The second cut is of a drive that one has left.
        for life in 0..2 {
            work(&mut both, seed * 2 + life);
            let cut = both.device.power_cut(both.now_ns, seed).unwrap();
            let report = both.image.cut_power(Some(seed)).unwrap();
            if let Some(report) = report {
                assert_eq!(cut.volatile_slots, report.slots, "{what}, life {life}");
            }
            both.compare(&what);
            volatile += cut.volatile_slots;
            lost[drive] += cut.lost.len();
            torn += cut.lost.iter().filter(|lost| lost.is_torn).count();
        }
        drop(both);
        std::fs::remove_file(&path).unwrap();
    }
    assert!(volatile > 0 && torn > 0, "{volatile} volatile, {torn} torn");
    for (drive, lost) in lost.into_iter().enumerate() {
        assert_eq!(lost > 0, drive != KEEPS, "{}: {lost}", DRIVES[drive].0);
    }
}
