//! Times that can be worked out by hand: a command alone takes the sum of its parts, and commands
//! without end come at the rate of the slowest resource.

use super::stream::{shipped, with_flash};
use super::*;
use ftlab_host::{Host, Port};

/// A drive whose every part takes a time of its own, with settings on top.
pub(super) fn drive(more: &[&str]) -> Ssd {
    drive_behind(5_000, more)
}

fn drive_behind(host_ns: u64, more: &[&str]) -> Ssd {
    let settings = [
        "nand.channels=2",
        "nand.dies_per_channel=2",
        "nand.blocks_per_die=64",
        "nand.pages_per_block=64",
        "nand.channel_command=1us",
        "spare.op=0.3",
        "firmware.write_command=3us",
        "firmware.read_command=2us",
        "firmware.per_slot=1us",
        "link.rate=100",
        "link.command=0.7us",
    ];
    let settings: Vec<String> = settings
        .iter()
        .chain(more)
        .map(ToString::to_string)
        .collect();
    let file = Catalog::default().load("generic-mlc-8", &settings).unwrap();
    let testbed = Testbed {
        host_command: Nanos(host_ns),
        ..Testbed::load("anandtech-2008").unwrap()
    };
    file.build_ssd(&testbed, RootSeed(1)).unwrap().checked()
}

const HOST: u64 = 5_000;
const LINK_COMMAND: u64 = 700;
const READ: u64 = 2_000;
const PER_SLOT: u64 = 1_000;
/// Time of a read before the flash.
pub(super) const FRONT: u64 = HOST + LINK_COMMAND + READ + PER_SLOT;
/// Time of a write before its data cross: the firmware does for its answer what it does for any command.
const ASKED: u64 = HOST + LINK_COMMAND + READ;
pub(super) const SENSE: u64 = 50_000;
const PROGRAM: u64 = 900_000;
/// A slot over the link: 8 sectors at 100 MB/s.
pub(super) const LINK: u64 = 8 * 5_120;

/// Command and data of a page on a channel of `mb_s` MB/s, its 224 spare bytes in proportion.
fn page_transfer(mb_s: f64) -> u64 {
    let sector = 512.0 * (1.0 + 224.0 / 4096.0) / mb_s * 1e3;
    1_000 + 8 * sector.round() as u64
}

pub(super) fn channel() -> u64 {
    page_transfer(166.0)
}

/// A command for sectors from an address on.
fn command_of(id: u64, kind: CommandKind, (lba, sectors): (u64, u32), at: SimTime) -> Command {
    Command::new(kind, id, lba, sectors, at)
}

/// The latency of a command at `us` of the drive's clock.
pub(super) fn latency(ssd: &mut Ssd, us: u64, kind: CommandKind, lba: u64, sectors: u32) -> Nanos {
    let at = SimTime(us * 1_000);
    ssd.advance(at, &mut Vec::new());
    let command = command_of(us, kind, (lba, sectors), at);
    ssd.submit(command, at);
    let mut done = Vec::new();
    ssd.advance_to_completion(SimTime::NEVER, &mut done)
        .unwrap();
    done[0].at.since(at)
}

/// Writes N slots in order, without time.
pub(super) fn fill(ssd: &mut Ssd, slots: u64) {
    for slot in 0..slots {
        ssd.apply(command_of(
            slot,
            CommandKind::Write,
            (slot * 8, 8),
            SimTime::ZERO,
        ));
    }
}

#[test]
fn a_read_alone_takes_the_sum_of_its_parts() {
    let mut ssd = drive(&[]);
    fill(&mut ssd, 8);
    let mut read = |slots: u64| {
        let us = slots * 1_000;
        let latency = latency(&mut ssd, us, CommandKind::Read, 0, slots as u32 * 8);
        let core = (slots - 1) * PER_SLOT;
        latency.0 - FRONT - core - slots * LINK
    };
    // Four slots lie on four dies: they sense side by side, then share two channels.
    for (slots, transfers) in [(1, 1), (2, 1), (4, 2)] {
        assert_eq!(read(slots), SENSE + transfers * channel());
    }
    // Eight lie two to a die, which holds one page at a time; a die moves its first page while the
    // other die of the channel waits, and senses its second while that one moves.
    assert_eq!(read(8), 2 * (SENSE + channel()) + channel());
}

#[test]
fn a_read_of_part_of_a_slot_moves_that_part_over_channel_and_link() {
    let mut ssd = drive(&[]);
    fill(&mut ssd, 1);
    let command = 1_000;
    let part = command + (channel() - command) / 4;
    assert_eq!(
        latency(&mut ssd, 0, CommandKind::Read, 3, 2),
        Nanos(FRONT + SENSE + part + 2 * LINK / 8)
    );
}

#[test]
fn a_read_of_what_was_never_written_or_is_still_in_the_buffer_needs_no_flash() {
    let mut ssd = drive(&[]);
    let hit = Nanos(FRONT + LINK);
    assert_eq!(latency(&mut ssd, 0, CommandKind::Read, 0, 8), hit);
    latency(&mut ssd, 100, CommandKind::Write, 0, 8);
    assert_eq!(latency(&mut ssd, 200, CommandKind::Read, 0, 8), hit);
    assert_eq!(ssd.counters().nand_reads, 0);
    assert_eq!(ssd.counters().nand_programs, 1);
}

#[test]
fn a_write_with_room_in_the_buffer_does_not_wait_for_the_flash() {
    let mut ssd = drive(&[]);
    let data = Nanos(ASKED + LINK);
    assert_eq!(latency(&mut ssd, 0, CommandKind::Write, 0, 8), data);
    let four = Nanos(ASKED + 4 * LINK);
    assert_eq!(latency(&mut ssd, 100, CommandKind::Write, 64, 32), four);
    assert_eq!(ssd.counters().buffer_stalls, 0);
}

#[test]
fn a_write_is_answered_before_the_firmware_is_done_with_it_and_the_next_one_waits() {
    let mut ssd = drive(&["firmware.write_command=88us"]);
    let answered = ASKED + LINK;
    let alone = latency(&mut ssd, 0, CommandKind::Write, 0, 8);
    assert_eq!(alone.0, answered);
    let after = latency(&mut ssd, 200, CommandKind::Write, 8, 8);
    assert_eq!(after, alone, "with time to think in between");
    // At once it finds the core at work until then.
    let next = 200_000 + answered;
    let worked = 200_000 + HOST + LINK_COMMAND + 88_000 + PER_SLOT;
    let at = SimTime(next);
    ssd.submit(command_of(2, CommandKind::Write, (16, 8), at), at);
    let mut done = Vec::new();
    ssd.advance_to_completion(SimTime::NEVER, &mut done);
    assert_eq!(done[0].at, SimTime(worked + READ + LINK));
}

/// A drive whose memory holds two pages, of eight entries, of the table, and of which 64 slots are
/// written.
fn with_its_table_in_flash() -> Ssd {
    let settings = [
        "nand.channels=2",
        "nand.dies_per_channel=2",
        "nand.blocks_per_die=64",
        "nand.pages_per_block=64",
        "map.stripe_dies=4",
        "map.cache=16KiB",
        "map.entry=1KiB",
        "spare.user_capacity=32MiB",
        "gc.reserve=2",
    ];
    let file = Catalog::default()
        .load("ocz-vertex3-120", &settings.map(String::from))
        .unwrap();
    let testbed = Testbed::load("anandtech-2012").unwrap();
    let mut ssd = file.build_ssd(&testbed, RootSeed(1)).unwrap().checked();
    fill(&mut ssd, 64);
    ssd
}

#[test]
fn a_read_waits_for_its_page_of_a_table_that_lies_in_flash() {
    let mut ssd = with_its_table_in_flash();
    let mut us = 0;
    let mut read = |slot: u64| {
        us += 1_000;
        latency(&mut ssd, us, CommandKind::Read, slot * 8, 8).0
    };
    // Slots 0 to 7, 8 to 15, and 16 to 23 have their entries together.
    let (first, again) = (read(0), read(0));
    let sector = (512.0 * (1.0 + 448.0 / 8192.0) / 166.0 * 1e3_f64).round() as u64;
    assert_eq!(first - again, 50_000 + 5_000 + 16 * sector);
    assert_eq!(read(7), again);
    assert_eq!(read(8), first);
    assert_eq!(read(0), again);
    assert_eq!(read(16), first);
    assert_eq!((read(0), read(8)), (again, first));
}

#[test]
fn a_write_has_its_page_of_a_table_that_lies_in_flash_read_and_does_not_wait() {
    let mut ssd = with_its_table_in_flash();
    let mut us = 0;
    let mut write = |slots: &[u64]| {
        let before = ssd.counters();
        let latencies = slots.iter().map(|slot| {
            us += 10_000;
            latency(&mut ssd, us, CommandKind::Write, slot * 8, 8)
        });
        let slowest = latencies.max().unwrap();
        let after = ssd.counters();
        assert_eq!(
            after.map_reads - before.map_reads,
            after.nand_reads - before.nand_reads
        );
        (after.map_reads - before.map_reads, slowest)
    };
    let (pages, in_order) = write(&[0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(pages, 1);
    let (pages, anywhere) = write(&[48, 16, 40, 24, 56, 32]);
    assert_eq!(pages, 6);
    assert_eq!(anywhere, in_order);
}

#[test]
fn a_write_to_a_full_buffer_waits_for_the_program_before_it() {
    let mut ssd = drive(&[
        "buffer.size=4KiB",
        "nand.channels=1",
        "nand.dies_per_channel=1",
    ]);
    let data = ASKED + LINK;
    let (mut now, mut done) = (SimTime::ZERO, Vec::new());
    let mut latencies = Vec::new();
    for id in 0..4 {
        let command = command_of(id, CommandKind::Write, (id * 8, 8), now);
        ssd.submit(command, now);
        now = ssd
            .advance_to_completion(SimTime::NEVER, &mut done)
            .unwrap();
        latencies.push(now.since(command.at).0);
    }
    let program = channel() + PROGRAM;
    assert_eq!(latencies, [data, program, program, program]);
    assert_eq!(ssd.counters().buffer_stalls, 3);
}

/// Slots of the buffer below, and of a write that is larger.
const HELD: u64 = 8;
const LARGE: u64 = 64;

/// The latency of a large write of a drive whose buffer takes `HELD` slots.
fn large_write(more: &[&str]) -> u64 {
    let mut ssd = drive(&[&["buffer.size=32KiB"], more].concat());
    latency(&mut ssd, 0, CommandKind::Write, 0, 8 * LARGE as u32).0
}

#[test]
fn a_write_that_is_larger_than_the_buffer_comes_as_the_flash_programs() {
    // The drive fetches it as the buffer has room. The last slot has room when the flash has programmed all but those that
    // the buffer holds, four dies side by side, of which two share a channel; then it crosses the link.
    let rounds = (LARGE - HELD) / 4;
    let room = rounds * (channel() + PROGRAM) + channel();
    for (more, fetched) in [
        ("firmware.overlap=true", 1),
        ("firmware.overlap=false", HELD),
    ] {
        assert_eq!(
            large_write(&[more]),
            ASKED + fetched * LINK + room + LINK,
            "{more}"
        );
    }
}

#[test]
fn a_write_that_is_larger_than_the_buffer_takes_no_less_than_the_link() {
    // At 2 MB/s the flash is done with a slot long before the next has come.
    let slow = "link.rate=2";
    for overlap in ["firmware.overlap=true", "firmware.overlap=false"] {
        assert_eq!(
            large_write(&[slow, overlap]),
            ASKED + LARGE * 50 * LINK,
            "{overlap}"
        );
    }
}

#[test]
fn a_read_that_is_larger_than_the_buffer_crosses_the_link_in_parts() {
    let read = |more: &[&str]| {
        let mut ssd = drive(&[&["buffer.size=32KiB"], more].concat());
        fill(&mut ssd, LARGE);
        let us = 1_000_000;
        latency(&mut ssd, us, CommandKind::Read, 0, 8 * LARGE as u32).0
    };
    // The array gives its pages in this time, whatever the link does with them; that is slower.
    let fast = read(&["link.rate=100000", "firmware.overlap=true"]);
    let whole = read(&["firmware.overlap=false", "buffer.size=256KiB"]);
    let parts = read(&["firmware.overlap=false"]);
    assert!(whole >= LARGE * LINK + SENSE, "{whole}");
    // At least as long as the link takes for all of it, and as the array does with what the buffer holds behind it.
    assert!(
        parts >= (LARGE * LINK).max(fast) && parts < whole,
        "{parts}, {whole}, {fast}"
    );
    assert!(parts >= FRONT + LARGE * LINK, "{parts}");
}

#[test]
fn a_transfer_that_has_not_begun_holds_up_nobody() {
    // The write is sent by the host only after the read's data are there.
    let mut ssd = drive_behind(60_000, &[]);
    let command = |id, kind, at| command_of(id, kind, (0, 8), SimTime(at));
    let mut done = Vec::new();
    ssd.submit(command(0, CommandKind::Read, 0), SimTime::ZERO);
    ssd.submit(command(1, CommandKind::Write, 0), SimTime::ZERO);
    ssd.advance(SimTime::NEVER, &mut done);
    let read = 60_000 + LINK_COMMAND + READ + PER_SLOT + LINK;
    assert_eq!(done[0].at, SimTime(read));
    let written = 120_000 + LINK_COMMAND + READ + LINK;
    assert_eq!(done[1].at, SimTime(written));
}

#[test]
fn a_read_waits_for_the_data_of_a_write_that_come_as_the_buffer_has_room() {
    let read_done = |write_sectors| {
        let mut ssd = drive(&[
            "buffer.size=8KiB",
            "nand.channels=1",
            "nand.dies_per_channel=1",
        ]);
        let mut done = Vec::new();
        // The read comes when the data of the write's first slot are there.
        let asked = [
            (CommandKind::Write, 0, write_sectors, SimTime::ZERO),
            (CommandKind::Read, 1_000, 8, SimTime(200_000)),
        ];
        for (id, (kind, lba, sectors, at)) in asked.into_iter().enumerate() {
            ssd.advance(at, &mut done);
            let command = command_of(id as u64, kind, (lba, sectors), at);
            ssd.submit(command, at);
        }
        ssd.advance(SimTime::NEVER, &mut done);
        let read = done.iter().find(|done| done.id == CommandId(1)).unwrap();
        read.at.0
    };
    let program = channel() + PROGRAM;
    assert!(read_done(8) < program);
    // The third slot has room after the program of the first, and crosses then; after it the read's data do.
    let written = ASKED + 2 * LINK + program + LINK;
    assert_eq!(read_done(24), written + LINK);
    // With another slot another program, behind which the third one crosses.
    assert_eq!(read_done(32), written + program + LINK);
}

#[test]
fn a_part_of_a_slot_joins_what_the_buffer_still_holds_of_it() {
    let mut ssd = drive(&[]);
    let at = SimTime::ZERO;
    for (id, lba, sectors) in [(0, 0, 8), (1, 3, 2)] {
        ssd.submit(command_of(id, CommandKind::Write, (lba, sectors), at), at);
    }
    ssd.advance(SimTime::NEVER, &mut Vec::new());
    let counters = ssd.counters();
    assert_eq!((counters.nand_programs, counters.nand_reads), (2, 0));
}

/// Nanoseconds a command when many are always outstanding, over the second half of the run.
fn ns_each(ssd: &mut Ssd, kind: CommandKind) -> f64 {
    const COMMANDS: u64 = 4_000;
    if kind == CommandKind::Read {
        fill(ssd, COMMANDS);
    }
    let (mut sent, mut done, mut now) = (0, Vec::new(), SimTime::ZERO);
    while (done.len() as u64) < COMMANDS {
        while sent < COMMANDS && sent - (done.len() as u64) < 64 {
            let command = command_of(sent, kind, (sent * 8, 8), now);
            ssd.submit(command, now);
            sent += 1;
        }
        now = ssd
            .advance_to_completion(SimTime::NEVER, &mut done)
            .unwrap();
    }
    let middle = done[done.len() / 2].at;
    now.since(middle).0 as f64 / (COMMANDS / 2 - 1) as f64
}

#[test]
fn saturated_the_slowest_resource_sets_the_rate() {
    let fast = [
        "firmware.write_command=0us",
        "firmware.read_command=0us",
        "firmware.per_slot=0us",
        "link.rate=100000",
        "link.command=0us",
        "nand.channel_rate=4000",
        "nand.t_read=1us",
        "nand.t_program=1us",
        "buffer.size=64KiB",
        "firmware.die_queue=4",
    ];
    let (slow_channel, fast_channel) = (page_transfer(20.0), page_transfer(4_000.0));
    let settings: [(u64, &[&str], u64, u64); 6] = [
        // A die is held for the transfer as well; four work side by side.
        (
            0,
            &["nand.t_program=900us"],
            (900_000 + fast_channel) / 4,
            0,
        ),
        (0, &["nand.t_read=300us"], 0, (300_000 + fast_channel) / 4),
        // Two channels; the dies sense and program while others move data.
        (
            0,
            &["nand.channel_rate=20"],
            slow_channel / 2,
            slow_channel / 2,
        ),
        (
            0,
            &["link.rate=100", "link.command=0.7us"],
            LINK + LINK_COMMAND,
            LINK + LINK_COMMAND,
        ),
        (
            0,
            &[
                "firmware.write_command=88us",
                "firmware.read_command=40us",
                "firmware.per_slot=2us",
            ],
            90_000,
            42_000,
        ),
        (70_000, &[], 70_000, 70_000),
    ];
    for (host, slow, write, read) in settings {
        let settings = [&fast, slow].concat();
        for (kind, closed) in [(CommandKind::Write, write), (CommandKind::Read, read)] {
            let got = ns_each(&mut drive_behind(host, &settings), kind);
            let ratio = got / closed as f64;
            assert!(
                closed == 0 || (ratio - 1.0).abs() < 0.01,
                "{slow:?}, {kind:?}: {got} ns for {closed}"
            );
        }
    }
}

#[test]
fn a_slot_of_a_write_may_take_the_core_longer_than_one_of_a_read() {
    let mut ssd = drive(&[
        "firmware.write_slot=60us",
        "buffer.size=64KiB",
        "nand.t_program=1us",
    ]);
    let of_write = ns_each(&mut ssd, CommandKind::Write);
    assert!((of_write / 63_000.0 - 1.0).abs() < 0.01, "{of_write} ns");
    let mut ssd = drive(&["firmware.write_slot=60us"]);
    fill(&mut ssd, 1);
    let read = latency(&mut ssd, 0, CommandKind::Read, 0, 8);
    assert_eq!(read.0, FRONT + SENSE + channel() + LINK);
}

#[test]
fn a_pipeline_adds_to_the_latency_and_takes_nothing_from_the_rate() {
    let stages = [
        "firmware.read_pipeline=30us",
        "firmware.write_pipeline=70us",
    ];
    let mut ssd = drive(&stages);
    let write = latency(&mut ssd, 0, CommandKind::Write, 0, 8);
    assert_eq!(write.0, ASKED + LINK + 70_000);
    let read = latency(&mut ssd, 50_000, CommandKind::Read, 0, 8);
    assert_eq!(read.0, FRONT + 30_000 + SENSE + channel() + LINK);
    let busy_core = [
        "firmware.write_command=88us",
        "firmware.read_command=40us",
        "firmware.per_slot=2us",
        "link.rate=100000",
        "nand.channel_rate=4000",
        "nand.t_read=1us",
        "nand.t_program=1us",
        "buffer.size=64KiB",
    ];
    for (kind, core) in [
        (CommandKind::Write, 90_000.0),
        (CommandKind::Read, 42_000.0),
    ] {
        let got = ns_each(&mut drive(&[&busy_core[..], &stages].concat()), kind);
        assert!((got / core - 1.0).abs() < 0.01, "{kind:?}: {got} ns");
    }
}

/// Reads and writes side by side leave the pipeline each in its own time.
#[test]
fn reads_leave_a_pipeline_while_writes_before_them_are_in_it() {
    let mut ssd = drive(&["firmware.write_pipeline=500us"]);
    fill(&mut ssd, 16);
    let kinds = [(CommandKind::Write, 0), (CommandKind::Read, 64)];
    for (id, (kind, lba)) in kinds.into_iter().enumerate() {
        let command = command_of(id as u64, kind, (lba, 8), SimTime::ZERO);
        ssd.submit(command, SimTime::ZERO);
    }
    let mut done = Vec::new();
    ssd.advance(SimTime::NEVER, &mut done);
    let order: Vec<u64> = done.iter().map(|completion| completion.id.0).collect();
    assert_eq!(order, [1, 0]);
}

#[test]
fn the_protocol_of_a_command_takes_twice_as_long_on_a_port_of_half_the_rate() {
    let settings = [
        "link.rate=600",
        "link.command=3us",
        "firmware.write_command=0us",
    ];
    let of_port = |port: Port| {
        let mut ssd = drive(&settings);
        ssd.plug(&Host {
            port: Some(port),
            ..Host::NONE
        });
        latency(&mut ssd, 0, CommandKind::Write, 0, 8).0
    };
    let sector = |mb_s: u64| (512 * 1_000u64).div_ceil(mb_s);
    assert_eq!(of_port(Port::Sata6g), 3_000 + 8 * sector(600));
    assert_eq!(
        of_port(Port::Sata3g),
        3_000 * sector(300) / sector(600) + 8 * sector(300)
    );
}

/// Slots of 16 KiB on pages of 4: a read of one page senses one, whichever it is, and a read across
/// two senses both.
#[test]
fn a_read_of_a_part_of_a_slot_senses_the_pages_that_hold_it() {
    let mut ssd = drive(&[
        "map.slot=16KiB",
        "nand.planes_per_die=2",
        "map.stripe_dies=4",
    ]);
    for slot in 0..8 {
        ssd.apply(command_of(
            slot,
            CommandKind::Write,
            (slot * 32, 32),
            SimTime::ZERO,
        ));
    }
    let senses = |ssd: &mut Ssd, lba: u64, sectors: u32| {
        let before = ssd.counters().nand_reads;
        ssd.apply(command_of(
            0,
            CommandKind::Read,
            (lba, sectors),
            SimTime::ZERO,
        ));
        ssd.counters().nand_reads - before
    };
    for page in 0..4 {
        assert_eq!(senses(&mut ssd, 64 + 8 * page, 8), 1, "page {page}");
    }
    assert_eq!(senses(&mut ssd, 4, 8), 2);
    assert_eq!(senses(&mut ssd, 0, 32), 4);
    assert_eq!(senses(&mut ssd, 24, 32), 1 + 3);
    let alone = latency(&mut ssd, 0, CommandKind::Read, 8, 8);
    assert_eq!(alone.0, FRONT + SENSE + channel() + LINK);
}

#[test]
fn what_is_read_in_order_is_there_before_it_is_asked_for() {
    let mut ssd = drive(&["buffer.read_ahead=64KiB"]);
    fill(&mut ssd, 256);
    let alone = FRONT + LINK;
    let mut at_slot =
        |n: u64, slot: u64| latency(&mut ssd, n * 1_000, CommandKind::Read, slot * 8, 8).0;
    // Nobody knows of the first that they are in order.
    for n in 0..3 {
        assert_eq!(at_slot(n, n), alone + SENSE + channel(), "{n}");
    }
    for n in 3..40 {
        assert_eq!(at_slot(n, n), alone, "{n}");
    }
    // Elsewhere, and at random, it takes what it always takes.
    for n in 40..60 {
        let slot = 100 + 37 * n % 97;
        assert_eq!(at_slot(n, slot), alone + SENSE + channel(), "{n}");
    }
}

#[test]
fn what_was_read_ahead_of_a_write_is_read_again() {
    let mut ssd = drive(&["buffer.read_ahead=64KiB"]);
    fill(&mut ssd, 64);
    for n in 0..3 {
        latency(&mut ssd, n * 1_000, CommandKind::Read, n * 8, 8);
    }
    latency(&mut ssd, 10_000, CommandKind::Write, 4 * 8, 8);
    // Slot 4 is programmed by then.
    latency(&mut ssd, 20_000, CommandKind::Flush, 0, 0);
    let alone = FRONT + LINK;
    let read = latency(&mut ssd, 30_000, CommandKind::Read, 3 * 8, 8);
    assert_eq!(read.0, alone + SENSE + channel(), "its run was dropped");
}

#[test]
fn a_flush_waits_for_nothing_that_capacitors_save() {
    let flush = |more: &[&str]| {
        let mut ssd = drive(more);
        latency(&mut ssd, 0, CommandKind::Write, 0, 8);
        let flush = latency(&mut ssd, 100, CommandKind::Flush, 0, 0);
        (flush.0, ssd)
    };
    let (saved, mut ssd) = flush(&["power_loss.capacitors=1"]);
    assert_eq!(saved, ASKED);
    assert!(flush(&[]).0 > saved + PROGRAM / 2);
    // Nor does a write, whatever the write cache.
    let cached = latency(&mut ssd, 5_000, CommandKind::Write, 8, 8);
    ssd.advance(SimTime(50_000_000), &mut Vec::new());
    ssd.set_write_cache(false).unwrap();
    let uncached = latency(&mut ssd, 60_000, CommandKind::Write, 16, 8);
    assert_eq!(cached, uncached);
}

/// At queue depth 1 nothing overlaps, so the latency is the sum of what the drive's page states.
#[test]
fn every_shipped_drive_answers_a_command_alone_in_the_sum_of_its_parts() {
    let testbed = Testbed::load("anandtech-2008").unwrap();
    let mut drives = 0;
    for slug in with_flash() {
        let file = shipped(slug, None).unwrap();
        let parts = |kind| file.alone(kind, &testbed).unwrap().total();
        let mut ssd = file.build_ssd(&testbed, RootSeed(1)).unwrap();
        fill(&mut ssd, 64);
        // So that its page of a table that lies in flash is there.
        latency(&mut ssd, 0, CommandKind::Read, 0, 8);
        let read = latency(&mut ssd, 50_000, CommandKind::Read, 0, 8);
        let mut of_read = parts(CommandKind::Read);
        // What was just written lies in the cache of SLC, if the drive has one.
        let nand = &ssd.params.nand.timing;
        let sensed = if nand.slc.0 > Nanos::ZERO {
            nand.slc.0
        } else if nand.page_types > 1 {
            // On the first page of a word line.
            nand.of_type[0]
        } else {
            nand.t_read
        };
        of_read = Nanos(of_read.0 - nand.t_read.0 + sensed.0);
        assert_eq!(read, of_read, "{slug}, a read");
        let write = latency(&mut ssd, 100_000, CommandKind::Write, 0, 8);
        assert_eq!(write, parts(CommandKind::Write), "{slug}, a write");
        drives += 1;
    }
    assert!(drives > 30, "{drives} drives");
}
