//! The operations follow from what the layer is asked, whether there is a clock or not.

use super::*;
use crate::Scale;
use crate::file::Kind;

/// Work of a drive on its array: every operation in order, in one number, and their count by kind and cause.
fn done_to_array(ssd: &Ssd) -> [u64; 7] {
    let counters = ssd.counters();
    [
        counters.stream_hash,
        counters.nand_reads,
        counters.nand_programs,
        counters.moved_programs,
        counters.map_reads,
        counters.map_programs,
        counters.nand_erases,
    ]
}

/// Has a second drive asked what the first one was; both have done the same then.
fn assert_the_same_without_time(timed: &Ssd, mut untimed: Ssd, which: &str) {
    untimed.replay(timed.inputs());
    assert_eq!(done_to_array(timed), done_to_array(&untimed), "{which}");
}

#[test]
fn the_same_inputs_give_the_same_operations_with_and_without_time() {
    for kind in 0..KINDS.len() {
        let mut timed = build(kind);
        timed.record_inputs();
        run(&mut timed, 1_500, 8, 7);
        assert_the_same_without_time(&timed, build(kind), &format!("kind {kind}"));
    }
}

/// The SSDs that are shipped.
pub(super) fn with_flash() -> impl Iterator<Item = &'static str> {
    Catalog::drives().into_iter().filter(|slug| {
        let file = Catalog::default().load(slug, &[]).unwrap();
        file.kind() == Kind::Ssd
    })
}

/// A drive that is shipped, of a few superblocks with few pages; nothing if that cannot be.
pub(super) fn shipped(slug: &str, setting: Option<&str>) -> Option<DriveFile> {
    let load = |settings: &[&str]| {
        let settings = settings.iter().chain(setting.as_slice());
        Catalog::default()
            .load(slug, &settings.map(ToString::to_string).collect::<Vec<_>>())
            .ok()
    };
    // A drive that borrows memory of the host has little of that as well, where it is to have little.
    let borrows = setting.and_then(|_| load(&["gc.reserve=2", "map.host_memory=8KiB"]));
    // A reserve of many superblocks is not made smaller with the drive.
    let file = borrows
        .or_else(|| load(&["gc.reserve=2"]))
        .or_else(|| load(&[]))?;
    let extent = file.extent().unwrap();
    // The fewest that have room for what a drive keeps free, whatever its size.
    let mut scaled = [64, 128, 256, 512].into_iter().flat_map(|superblocks| {
        file.scaled(Scale {
            blocks: (extent.superblocks / superblocks).max(1),
            pages: (superblocks / 8).min(extent.pages_per_block),
            cycles: 1,
        })
    });
    scaled.next()
}

/// Written all over without time, then everything at once with time.
fn fill_and_use(ssd: &mut Ssd, commands: usize) {
    let capacity = ssd.capacity_sectors();
    for lba in (0..capacity).step_by(256) {
        ssd.apply(Command {
            lba: Lba(lba),
            sectors: (capacity - lba).min(256) as u32,
            ..slot_command(CommandKind::Write, 0, SimTime::ZERO)
        });
    }
    let kinds = [
        CommandKind::Write,
        CommandKind::Write,
        CommandKind::Read,
        CommandKind::Read,
        CommandKind::Trim,
        CommandKind::Flush,
    ];
    let mut rng = RootSeed(3).stream("shipped");
    let (mut now, mut sent, mut done) = (SimTime::ZERO, 0, Vec::new());
    while done.len() < commands {
        while sent < commands && sent - done.len() < 32 {
            let command = command(sent as u64, capacity, &kinds, &mut rng);
            ssd.submit(Command { at: now, ..command }, now);
            sent += 1;
        }
        now = ssd.next_event().expect("commands are outstanding");
        ssd.advance(now, &mut done);
    }
}

/// With the memory it has, and with so little that the mapping table does not fit.
#[test]
fn every_shipped_drive_does_the_same_with_and_without_time() {
    let testbed = ftlab_host::Testbed::load("anandtech-2008").unwrap();
    let little_memory = ["map.cache=16KiB", "map.dram=8KiB"];
    let mut with_table_on_flash = 0;
    for slug in with_flash() {
        for setting in [None, Some(little_memory[0]), Some(little_memory[1])] {
            let Some(file) = shipped(slug, setting) else {
                // It has no such key, or too few superblocks to spare for a table on flash.
                assert!(setting.is_some(), "{slug}");
                continue;
            };
            let build = || file.build_ssd(&testbed, RootSeed(1)).unwrap();
            let mut timed = build();
            timed.record_inputs();
            fill_and_use(&mut timed, 1_000);
            assert_the_same_without_time(&timed, build(), &format!("{slug}, {setting:?}"));
            let is_on_flash = timed.counters().map_reads > 0;
            assert!(is_on_flash || setting.is_none(), "{slug}, {setting:?}");
            with_table_on_flash += u32::from(is_on_flash);
        }
    }
    assert!(with_table_on_flash > 10, "of {with_table_on_flash} drives");
}
