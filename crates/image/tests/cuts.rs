//! A power cut leaves of a device what it leaves of an image.

use ftlab_base::{
    Command as Inner, CommandKind, Completion as InnerCompletion, Lba, Lpn, RootSeed, SimTime,
};
use ftlab_device::{Builder, Command, Completion, Device, Operation};
use ftlab_drive::Catalog;
use ftlab_host::Testbed;
use ftlab_image::{CreateOptions, DataDrive};
use rand::RngExt;
use std::path::Path;

/// Drives of each kind, made so small that all of them collect, fold or merge within a few dozen writes.
const DRIVES: [(&str, &[&str]); 6] = [
    ("generic-mlc-8", PAGES),
    ("generic-nvme-tlc-8", SLC),
    ("ocz-vertex3-120", PACKED),
    ("ocz-core-jmf602", BLOCKS),
    ("generic-mlc-8", CAPACITORS),
    (
        "wd-raptor-150",
        &["disk.capacity=1MiB", "cache.write_size=16KiB"],
    ),
];
/// Those of them that lose nothing.
const KEEPS: usize = 4;
const PAGES: &[&str] = &[
    "nand.channels=1",
    "nand.dies_per_channel=2",
    "map.stripe_dies=2",
    "nand.blocks_per_die=10",
    "nand.pages_per_block=4",
    "spare.op=0.6",
    "buffer.size=32KiB",
    "power_loss.atomic_write=1KiB",
];
const SLC: &[&str] = &[
    "nand.channels=1",
    "nand.dies_per_channel=2",
    "nand.planes_per_die=1",
    "map.stripe_dies=2",
    "nand.page=4KiB",
    "nand.blocks_per_die=14",
    "nand.pages_per_block=6",
    "spare.user_capacity=288KiB",
    "slc.own_size=16KiB",
    "slc.more_size=16KiB",
    "slc.when_full=fold",
    "buffer.size=32KiB",
];
const PACKED: &[&str] = &[
    "nand.channels=2",
    "nand.dies_per_channel=2",
    "map.stripe_dies=4",
    "nand.planes_per_die=1",
    "nand.blocks_per_die=12",
    "nand.pages_per_block=2",
    "gc.reserve=2",
    "spare.op=0.8",
    "map.entry=1KiB",
    "map.cache=16KiB",
];
const BLOCKS: &[&str] = &[
    "nand.channels=2",
    "nand.dies_per_channel=1",
    "map.stripe_dies=2",
    "nand.blocks_per_die=24",
    "nand.pages_per_block=4",
    "spare.op=0.8",
    "map.log_blocks=2",
];
const CAPACITORS: &[&str] = &[
    "nand.channels=1",
    "nand.dies_per_channel=2",
    "map.stripe_dies=2",
    "nand.blocks_per_die=10",
    "nand.pages_per_block=4",
    "spare.op=0.6",
    "buffer.size=32KiB",
    "power_loss.capacitors=6",
];
const TESTBED: &str = "anandtech-2008";

fn builder(drive: usize) -> Builder {
    let (name, settings) = DRIVES[drive];
    let builder = Device::named(name).testbed(TESTBED).keep_data();
    settings
        .iter()
        .fold(builder, |builder, set| builder.set(set))
}

fn image(drive: usize, path: &Path) -> DataDrive {
    let (name, settings) = DRIVES[drive];
    let settings: Vec<String> = settings.iter().map(|&set| set.to_owned()).collect();
    let file = Catalog::load(name, &settings).unwrap();
    let options = CreateOptions {
        seed: 1,
        ..CreateOptions::default()
    };
    DataDrive::create(path, &file, &Testbed::load(TESTBED).unwrap(), &options).unwrap()
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
        let device = builder(drive).build().unwrap();
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
