//! Drives of a few dozen slots, of every mapping scheme.

use ftlab_drive::{Catalog, DriveFile, Testbed};
use std::sync::LazyLock;

/// Name, drive and settings. All of them collect, merge or level wear within a few hundred writes.
const TINY: [(&str, &str, &[&str]); 6] = [
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
        "page-capacitors",
        "generic-mlc-8",
        &[
            "nand.channels=1",
            "nand.dies_per_channel=2",
            "map.stripe_dies=2",
            "nand.blocks_per_die=10",
            "nand.pages_per_block=4",
            "spare.op=0.6",
            "buffer.size=32KiB",
            "power_loss.capacitors=6",
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
        ],
    ),
    (
        "packed-capacitors",
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
            "power_loss.capacitors=1",
        ],
    ),
];

/// The names of all.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    TINY.iter().map(|(name, ..)| *name)
}

/// A tiny drive, by name.
pub(super) fn tiny(name: &str) -> DriveFile {
    let (_, slug, settings) = TINY.iter().find(|(known, ..)| *known == name).unwrap();
    let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
    Catalog::load(slug, &settings).unwrap_or_else(|why| panic!("{name}: {why}"))
}

pub(super) fn testbed() -> &'static Testbed {
    static TESTBED: LazyLock<Testbed> =
        LazyLock::new(|| Catalog::testbed("anandtech-2008").unwrap());
    &TESTBED
}
