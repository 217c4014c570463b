//! Drives at the edge of what can be: each is refused with a reason, or right under any commands.

use arbitrary::Unstructured;
use ftlab_fuzz::{Plan, Tally, Verdict, bytes, try_plan};

/// A drive of 2 dies with 16 blocks of 8 pages of 4 KiB, of either mapping.
const SMALL: &[&str] = &[
    "nand.channels=2",
    "nand.dies_per_channel=1",
    "nand.blocks_per_die=16",
    "nand.pages_per_block=8",
    "spare.op=1.5",
];

fn plan(base: &'static str, settings: &[&str]) -> Plan {
    Plan::of(base, &[SMALL, settings].concat())
}

fn verdict(plan: &Plan, seed: u64) -> Verdict {
    try_plan(plan, &mut Unstructured::new(&bytes(seed, 200)))
}

/// Tries a drive with several scripts; gives what it did altogether.
#[track_caller]
fn right_on(base: &'static str, settings: &[&str]) -> Tally {
    let mut sum = Tally::default();
    for seed in 0..12 {
        match verdict(&plan(base, settings), seed) {
            Verdict::Ran(tally) => {
                assert_eq!(tally.failed, 0, "{settings:?}: writes failed");
                sum.commands += tally.commands;
                sum.counters.nand_erases += tally.counters.nand_erases;
                sum.counters.moved_programs += tally.counters.moved_programs;
            }
            other => panic!("{settings:?}: {other:?}"),
        }
    }
    assert!(sum.commands > 1_000, "{settings:?}: {sum:?}");
    sum
}

#[track_caller]
fn right(settings: &[&str]) -> Tally {
    right_on("generic-mlc-8", settings)
}

#[track_caller]
fn refused_on(base: &'static str, settings: &[&str], why: &str) {
    match verdict(&plan(base, settings), 0) {
        Verdict::Refused(reason) => assert!(reason.contains(why), "{settings:?}: {reason}"),
        other => panic!("{settings:?}: {other:?}"),
    }
}

#[track_caller]
fn refused(settings: &[&str], why: &str) {
    refused_on("generic-mlc-8", settings, why);
}

const ONE_DIE: &[&str] = &["nand.channels=1", "nand.dies_per_channel=1"];

#[test]
fn one_die_with_one_plane_on_one_channel() {
    let one = [ONE_DIE, &["nand.blocks_per_die=32"]].concat();
    assert!(right(&one).counters.moved_programs > 0);
    assert!(
        right_on(
            "samsung-slc-64",
            &[&one[..], &["map.stripe_dies=1"]].concat()
        )
        .counters
        .nand_erases
            > 0
    );
}

#[test]
fn no_spare_area_is_refused() {
    refused(&["spare.op=0"], "must be above 0");
    let raw = ["spare.user_capacity=1MiB"];
    refused(&raw, "user slots do not fit");
    refused_on("samsung-slc-64", &raw, "more than the 16 there are");
    refused(
        &["spare.user_capacity=2MiB"],
        "on an array of 1048576 bytes",
    );
}

#[test]
fn blocks_of_one_page() {
    let one = ["nand.pages_per_block=1", "nand.blocks_per_die=64"];
    assert!(right(&one).counters.nand_erases > 0);
    assert!(right(&[ONE_DIE, &one].concat()).counters.nand_erases > 0);
    right_on(
        "samsung-slc-64",
        &["nand.pages_per_block=1", "nand.blocks_per_die=64"],
    );
}

#[test]
fn too_few_blocks_are_refused() {
    refused(
        &["nand.blocks_per_die=1"],
        "a reserve of 2 superblocks; a group has only 1",
    );
    refused(
        &["nand.blocks_per_die=2"],
        "a reserve of 2 superblocks; a group has only 2",
    );
    refused(
        &["gc.reserve=16"],
        "a reserve of 16 superblocks; a group has only 16",
    );
    refused(
        &["gc.reserve=4294967295"],
        "a reserve of 4294967295 superblocks",
    );
    refused(&["gc.reserve=1"], "needs at least 2");
    for blocks in ["nand.blocks_per_die=1", "nand.blocks_per_die=2"] {
        refused_on("samsung-slc-64", &[blocks], "superblocks of every group");
    }
}

#[test]
fn a_buffer_of_one_slot() {
    assert!(right(&["buffer.size=4KiB"]).counters.nand_erases > 0);
    right_on("samsung-slc-64", &["buffer.size=4KiB"]);
    refused(
        &["buffer.size=4KiB", "nand.planes_per_die=2"],
        "a program unit of each stream, 8192 bytes",
    );
    refused(&["buffer.size=1B"], "it must hold a slot");
}

#[test]
fn queues_of_one() {
    right(&["firmware.die_queue=1", "queue.depth=1"]);
    right_on("samsung-slc-64", &["firmware.die_queue=1", "queue.depth=1"]);
}

#[test]
fn slots_as_large_as_a_block_and_larger() {
    let slot = ["map.slot=32KiB", "nand.blocks_per_die=64", "spare.op=3"];
    assert!(right(&slot).counters.nand_erases > 0);
    refused(&["map.slot=64KiB"], "does not hold a whole number of slots");
    refused(
        &["map.slot=128KiB", "nand.pages_per_block=64"],
        "the most is 64 KiB",
    );
    refused(&["map.slot=2KiB"], "the least is 4 KiB");
    refused(&["map.slot=5000B"], "power of two");
    refused_on(
        "samsung-slc-64",
        &["map.slot=8KiB"],
        "needs slots of one page",
    );
}

#[test]
fn the_largest_pages() {
    right(&[
        "nand.page=64KiB",
        "nand.planes_per_die=4",
        "nand.blocks_per_die=64",
    ]);
    right(&["nand.page=64KiB", "map.slot=64KiB"]);
    right_on("samsung-slc-64", &["nand.page=64KiB", "map.slot=64KiB"]);
    refused(&["nand.page=128KiB"], "at most 16 and 65536");
    refused(&["nand.page=256B"], "power of two");
}

#[test]
fn the_largest_counts() {
    for (key, why) in [
        ("nand.channels", "more than 65535 dies"),
        ("nand.dies_per_channel", "more than 65535 dies"),
        ("nand.planes_per_die", "do not divide over"),
        ("nand.blocks_per_die", "pages; at most"),
        ("nand.pages_per_block", "pages; at most"),
        ("map.stripe_dies", "does not divide"),
        ("gc.reserve", "a group has only"),
    ] {
        refused(&[&format!("{key}=4294967295")], why);
        refused(
            &[&format!("{key}=4294967296")],
            "beyond anything a drive has",
        );
    }
    right(&["queue.depth=4294967295", "firmware.die_queue=4294967295"]);
    right(&["buffer.size=1GiB"]);
    refused(&["buffer.size=1e16B"], "fewer than 2^32 slots");
    right_on("samsung-slc-64", &["map.log_blocks=4294967295"]);
    right_on(
        "samsung-slc-64",
        &["wear.every_merges=1", "wear.blocks=4294967295"],
    );
    right_on("samsung-slc-64", &["wear.every_merges=4294967295"]);
    refused(
        &["checkpoint.every=4KiB", "checkpoint.size=1e13B"],
        "do not fit",
    );
    right(&[
        "checkpoint.every=1e13B",
        "checkpoint.size=4KiB",
        "nand.blocks_per_die=32",
    ]);
}

#[test]
fn nothing_of_anything_is_refused() {
    for key in [
        "nand.channels",
        "nand.dies_per_channel",
        "nand.planes_per_die",
        "nand.blocks_per_die",
        "nand.pages_per_block",
        "nand.page",
        "nand.channel_rate",
        "map.slot",
        "map.stripe_dies",
        "spare.op",
        "spare.user_capacity",
        "gc.reserve",
        "buffer.size",
        "firmware.die_queue",
        "link.rate",
        "queue.depth",
    ] {
        refused(&[&format!("{key}=0")], "must be above 0");
    }
    refused_on("samsung-slc-64", &["map.log_blocks=0"], "must be above 0");
}

#[test]
fn numbers_that_are_none_are_refused() {
    for key in [
        "nand.t_read",
        "nand.channel_rate",
        "spare.op",
        "nand.channels",
        "buffer.size",
    ] {
        for (value, why) in [
            ("-1", "must"),
            ("-1e300", "must"),
            ("1e300", "beyond anything a drive has"),
            ("nan", "is not a number"),
            ("inf", "is not a number"),
            ("1e400", "beyond anything a drive has"),
            ("-0.5", "must"),
        ] {
            refused(&[&format!("{key}={value}")], why);
        }
    }
}

#[test]
fn times_from_none_to_far_too_long() {
    let times = [
        "nand.t_read",
        "nand.t_program",
        "nand.t_erase",
        "nand.channel_command",
        "firmware.write_command",
        "firmware.read_command",
        "firmware.per_slot",
        "link.command",
    ];
    for time in times {
        refused(&[&format!("{time}=1e9s")], "beyond anything a drive has");
    }
    // Flash takes time; what else a drive does may take none.
    let of_flash = &times[..3];
    for time in of_flash {
        refused(&[&format!("{time}=0s")], "must be above 0");
    }
    let all = |value: &str| {
        times.map(|key| match (value, of_flash.contains(&key)) {
            ("0s", true) => format!("{key}=1ns"),
            _ => format!("{key}={value}"),
        })
    };
    for (time, rate) in [("0s", "1000000000MB/s"), ("3600s", "0.000001MB/s")] {
        let rates = ["nand.channel_rate", "link.rate"].map(|key| format!("{key}={rate}"));
        let settings = [&all(time)[..], &rates].concat();
        let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
        assert!(right(&settings).counters.nand_erases > 0);
        assert!(right_on("samsung-slc-64", &settings).counters.nand_erases > 0);
    }
}

#[test]
fn disks_at_their_edges() {
    let disk = "seagate-momentus-7200.2";
    let refused = |setting: &str, why: &str| match verdict(&Plan::of(disk, &[setting]), 0) {
        Verdict::Refused(reason) => assert!(reason.contains(why), "{setting}: {reason}"),
        other => panic!("{setting}: {other:?}"),
    };
    refused("disk.rpm=1", "rpm is 1; it must lie in");
    refused(
        "disk.heads=4294967295",
        "heads is 4294967295; it must lie in",
    );
    refused("disk.zones=4294967295", "zones is 4294967295");
    refused(
        "cache.read_segments=4294967295",
        "read_segments is 4294967295",
    );
    refused("queue.depth=4294967295", "queue_depth is 4294967295");
    refused("disk.capacity=1B", "capacity_sectors is 0");
    refused("disk.head_switch=3600s", "head_switch is 3600 s");
    for settings in [
        &["disk.capacity=1sectors", "disk.heads=1", "disk.zones=1"][..],
        &[
            "disk.capacity=1sectors",
            "disk.heads=256",
            "disk.zones=4096",
        ],
        &[
            "cache.write_size=1B",
            "cache.read_segment_size=1B",
            "cache.read_ahead_least=1B",
            "queue.depth=1",
        ],
        &[
            "disk.seek_track=0ms",
            "disk.seek_average=0ms",
            "disk.seek_full=0ms",
            "disk.write_settle=0ms",
            "disk.head_switch=0ms",
            "link.command=0ms",
            "disk.rpm=1000000",
        ],
        &["disk.rpm=60", "link.rate=0.000001MB/s"],
    ] {
        for seed in 0..2 {
            let verdict = verdict(&Plan::of(disk, settings), seed);
            assert!(
                matches!(verdict, Verdict::Ran(_)),
                "{settings:?}: {verdict:?}"
            );
        }
    }
}
