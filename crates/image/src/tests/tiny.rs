//! Drives of a few dozen slots, of every mapping scheme.

use ftlab_drive::{Catalog, DriveFile};
use ftlab_host::Testbed;
use std::sync::LazyLock;

/// Those that are there with capacitors, too: name, and how many.
const WITH_CAPACITORS: [(&str, &str); 2] = [("page", "6"), ("packed", "1")];

/// What is behind the name of a drive that has them.
const CAPACITORS: &str = "-capacitors";

/// Name, drive and settings. All of them collect, merge or level wear within a few hundred writes.
const TINY: [(&str, &str, &[&str]); 5] = [
    (
        "page",
        "generic-mlc-8",
        &[
            "nand.channels=1",
            "nand.dies_per_channel=2",
            "map.stripe_dies=2",
            "nand.blocks_per_die=10",
            "nand.pages_per_block=4",
            "spare.op=0.6",
            "buffer.size=32KiB",
        ],
    ),
    (
        "page-dram",
        "generic-mlc-8",
        &[
            "nand.channels=1",
            "nand.dies_per_channel=4",
            "nand.blocks_per_die=20",
            "nand.pages_per_block=4",
            "spare.op=1.5",
            "map.slot=8KiB",
            "map.entry=256B",
            "map.dram=8KiB",
            "buffer.size=64KiB",
        ],
    ),
    (
        "page-slc",
        "generic-nvme-tlc-8",
        &[
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
            // So that slots of several program units are under way at a cut, whatever is folded beside them.
            "firmware.die_queue=16",
            "buffer.size=32KiB",
        ],
    ),
    (
        "block",
        "ocz-core-jmf602",
        &[
            "nand.channels=2",
            "nand.dies_per_channel=1",
            "map.stripe_dies=2",
            "nand.blocks_per_die=24",
            "nand.pages_per_block=4",
            "spare.op=0.8",
            "map.log_blocks=2",
            "wear.every_merges=5",
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
];

/// One without flash; it has neither map nor journal, so it is not among the others.
const FLAT: &str = "flat";

/// One with a write cache, and no flash either.
const DISK: &str = "disk";

/// The names of those with flash.
pub(super) fn names() -> Vec<String> {
    let without = TINY.iter().map(|(name, ..)| name.to_string());
    let with = WITH_CAPACITORS.map(|(name, _)| format!("{name}{CAPACITORS}"));
    without.chain(with).collect()
}

/// A tiny drive, by name.
pub(super) fn tiny(name: &str) -> DriveFile {
    tiny_with(name, &[])
}

/// The same with other settings.
pub(super) fn tiny_with(name: &str, others: &[&str]) -> DriveFile {
    if name == FLAT {
        return Catalog::default()
            .load("ramdisk-8gb", &["ram.capacity=64KiB".to_owned()])
            .unwrap();
    }
    if name == DISK {
        let settings = ["disk.capacity=1MiB", "cache.write_size=16KiB"];
        return Catalog::default()
            .load("wd-raptor-150", &settings.map(str::to_owned))
            .unwrap();
    }
    let (plain, has) = match name.strip_suffix(CAPACITORS) {
        Some(plain) => (plain, true),
        None => (name, false),
    };
    let (_, slug, settings) = TINY.iter().find(|(known, ..)| *known == plain).unwrap();
    let mut settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
    if has {
        let count = WITH_CAPACITORS.iter().find(|(known, _)| *known == plain);
        settings.push(format!("power_loss.capacitors={}", count.unwrap().1));
    }
    settings.extend(others.iter().map(ToString::to_string));
    Catalog::default()
        .load(slug, &settings)
        .unwrap_or_else(|why| panic!("{name}: {why}"))
}

pub(super) fn testbed() -> &'static Testbed {
    static TESTBED: LazyLock<Testbed> = LazyLock::new(|| Testbed::load("anandtech-2008").unwrap());
    &TESTBED
}

/// Policies that come along are all that these drives name.
pub(super) fn catalog() -> &'static Catalog {
    static CATALOG: LazyLock<Catalog> = LazyLock::new(Catalog::default);
    &CATALOG
}
