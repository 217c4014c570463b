//! Saved states of every format since those of format 9 are kept: each is read into the drive that it is of, and the drive goes
//! on from there.

use ftlab_base::{
    Command, CommandId, CommandKind, Content, Lba, Outcome, Placement, RootSeed, SimTime,
    SubmissionQueue,
};
use ftlab_drive::saved::{self, FORMAT, Origin};
use ftlab_drive::{Catalog, Device, DriveFile};
use ftlab_host::Testbed;
use std::fs;
use std::path::{Path, PathBuf};

/// Says to keep them: to be set once for each new format, before anything else of it changes.
const KEEP: &str = "FTLAB_KEEP_STATES";

/// Name, drive and settings.
const KINDS: [(&str, &str, &[&str]); 4] = [
    (
        "page",
        "generic-mlc-8",
        &[
            "nand.channels=1",
            "nand.dies_per_channel=2",
            "map.stripe_dies=2",
            "nand.blocks_per_die=16",
            "nand.pages_per_block=4",
            "spare.op=0.9",
        ],
    ),
    (
        "block",
        "ocz-core-jmf602",
        &[
            "nand.blocks_per_die=24",
            "nand.pages_per_block=4",
            "map.log_blocks=2",
            "spare.op=0.8",
        ],
    ),
    (
        "packed",
        "ocz-vertex3-120",
        &[
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
        ],
    ),
    (
        "disk",
        "wd-raptor-150",
        &["disk.capacity=1MiB", "cache.write_size=16KiB"],
    ),
];

fn folder(format: u32) -> PathBuf {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/states");
    kept.join(format.to_string())
}

fn new_drive(file: &DriveFile) -> Box<dyn Device> {
    let testbed = Testbed::load("anandtech-2008").unwrap();
    file.build(&testbed, RootSeed(1)).unwrap()
}

/// Writes some of a drive over and over.
fn work(device: &mut dyn Device, writes: u64) {
    let sectors = device.capacity_sectors();
    for n in 0..writes {
        let write = Command {
            id: CommandId(n),
            kind: CommandKind::Write,
            lba: Lba(n * 56 % (sectors - 8) / 8 * 8),
            sectors: 8,
            content: Content::RANDOM,
            queue: SubmissionQueue::FIRST,
            placement: Placement::DEFAULT,
            at: SimTime::ZERO,
        };
        assert_eq!(device.apply(write), Outcome::Good);
    }
}

/// Counters of a drive, in words.
fn counted(device: &dyn Device) -> String {
    let counters = device.counters();
    format!(
        "{} commands, {} bytes, {} reads, {} programs, {} of them moves, {} erases\n",
        counters.host_ios,
        counters.host_bytes_written,
        counters.nand_reads,
        counters.nand_programs,
        counters.moved_programs,
        counters.nand_erases
    )
}

fn keep() {
    let folder = folder(FORMAT);
    fs::create_dir_all(&folder).unwrap();
    for (name, drive, settings) in KINDS {
        let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
        let file = Catalog::default().load(drive, &settings).unwrap();
        let mut device = new_drive(&file);
        work(&mut *device, 600);
        let origin = Origin::new("0.1.0", &file, "worked on", vec!["600 writes".into()], 1);
        let path = folder.join(name);
        fs::write(
            path.with_extension("state"),
            saved::write(&origin, &*device),
        )
        .unwrap();
        fs::write(path.with_extension("toml"), file.text()).unwrap();
        fs::write(path.with_extension("txt"), counted(&*device)).unwrap();
    }
}

#[test]
fn states_of_every_format_are_read_and_gone_on_from() {
    if std::env::var_os(KEEP).is_some() {
        keep();
    }
    for format in 9..=FORMAT {
        for (name, drive, _) in KINDS {
            let path = folder(format).join(name);
            let what = format!("format {format}, {name}");
            let text = fs::read_to_string(path.with_extension("toml"));
            let text = text.unwrap_or_else(|why| panic!("{what}: {why}; set {KEEP}=1 once"));
            let file = Catalog::default().parse(drive, &text, &[]).unwrap();
            let mut device = new_drive(&file);
            let state = fs::read(path.with_extension("state")).unwrap();
            let read = saved::read(&mut &state[..], &file, &mut *device);
            let origin = read.unwrap_or_else(|why| panic!("{what}: {why}"));
            assert_eq!((&*origin.state, origin.seed), ("worked on", 1), "{what}");
            let told = fs::read_to_string(path.with_extension("txt")).unwrap();
            assert_eq!(counted(&*device), told, "{what}");
            work(&mut *device, 600);
        }
    }
}
