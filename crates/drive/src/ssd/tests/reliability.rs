//! Drives whose blocks fail and whose bits are read wrong, with a clock and without.

use super::*;

const WEARS: [&str; 4] = [
    "reliability.rated_cycles=5",
    "reliability.median_cycles=5",
    "reliability.life_shape=3",
    "reliability.erase_share=0.5",
];

/// Bit errors of which `more` says which there are.
pub(super) const ECC: [&str; 12] = [
    "ecc.codeword=512B",
    "ecc.correctable_bits=12",
    "ecc.retries=4",
    "ecc.retry_gain=0.5",
    "ecc.rber_new=0",
    "ecc.rber_wear=0",
    "ecc.wear_power=1",
    "ecc.rber_retention=0",
    "ecc.retention_power=1",
    "ecc.rber_disturb=0",
    "ecc.disturb_power=1",
    "ecc.activation=1.1eV",
];

fn drive(slug: &str, more: &[&str]) -> Ssd {
    let small = [
        "nand.blocks_per_die=32",
        "nand.pages_per_block=8",
        "spare.op=1.5",
    ];
    let all = small.iter().chain(&WEARS).chain(more);
    let all: Vec<String> = all.map(ToString::to_string).collect();
    let file = Catalog::default().load(slug, &all).unwrap();
    let testbed = Testbed::load("anandtech-2008").unwrap();
    file.build_ssd(&testbed, RootSeed(1)).unwrap().checked()
}

/// Runs one command to its end; gives that and how it ended.
fn timed(ssd: &mut Ssd, command: Command) -> (SimTime, Outcome) {
    let mut done = Vec::new();
    ssd.submit(command, command.at);
    // What it does for itself goes on beside the next one.
    while done.is_empty() {
        let at = ssd.next_event().unwrap();
        ssd.advance(at, &mut done);
    }
    (done[0].at, done[0].outcome)
}

#[test]
fn a_worn_out_drive_is_read_only_and_reads_everything() {
    const PACKED: &[&str] = &[
        "nand.channels=2",
        "nand.dies_per_channel=2",
        "map.stripe_dies=4",
        "nand.planes_per_die=1",
        "gc.reserve=2",
    ];
    for (slug, more) in [
        ("generic-mlc-8", &[][..]),
        ("ocz-core-jmf602", &[]),
        ("ocz-vertex3-120", PACKED),
    ] {
        let mut ssd = drive(slug, more);
        let slots = ssd.capacity_sectors() / 8;
        let mut stream = RootSeed(1).stream("worn out");
        let (mut at, mut writes) = (SimTime::ZERO, 0_u64);
        loop {
            let slot = u64::from(stream.next_u32()) % slots;
            let (end, outcome) = timed(&mut ssd, slot_command(CommandKind::Write, slot, at));
            at = end + Nanos::from_millis(1000);
            writes += 1;
            if outcome == Outcome::WriteFault {
                break;
            }
            assert!(writes < 100 * slots, "{slug} lives for ever");
        }
        let why = ssd.fault().expect("it says why");
        assert!(
            why.contains("worn out") && why.contains("can be read"),
            "{why}"
        );
        for slot in 0..slots {
            // The stamps say whether it is the newest.
            let (end, outcome) = timed(&mut ssd, slot_command(CommandKind::Read, slot, at));
            assert_eq!(outcome, Outcome::Good);
            at = end;
        }
        let health = ssd.health().unwrap();
        assert!(health.grown_bad() > 0, "{health:?}");
    }
}

#[test]
fn aged_data_are_read_again_and_then_lost() {
    // After one cycle as worn as can be, and not worn out by it.
    let retention = [
        "ecc.rber_retention=5e-4",
        "reliability.rated_cycles=1",
        "reliability.median_cycles=1000000",
    ];
    let mut ssd = drive("generic-mlc-8", &[&ECC[..], &retention].concat());
    let slots = ssd.capacity_sectors() / 8;
    for slot in 0..slots * 5 {
        ssd.apply(slot_command(
            CommandKind::Write,
            slot % slots,
            SimTime::ZERO,
        ));
    }
    ssd.apply(slot_command(CommandKind::Flush, 0, SimTime::ZERO));
    let mean_of_reads = |ssd: &mut Ssd| {
        let (mut sum, mut lost, mut at) = (Nanos::ZERO, 0, SimTime::ZERO);
        for slot in 0..64 {
            let (end, outcome) = timed(ssd, slot_command(CommandKind::Read, slot, at));
            sum += end.since(at);
            lost += u32::from(outcome == Outcome::Unrecoverable);
            at = end;
        }
        (sum.0 / 64, lost)
    };
    let (fresh, lost) = mean_of_reads(&mut ssd);
    assert_eq!(lost, 0);
    ssd.rest(24.0 * 365.0 * 4.0, 40.0);
    let (aged, lost) = mean_of_reads(&mut ssd);
    let retries = ssd.health().unwrap().faults.retries;
    assert!(retries > 10 && lost < 64, "{retries} retries, {lost} lost");
    // Every retry senses and moves the page again.
    assert!(aged > fresh + fresh / 4, "{fresh} ns and {aged} ns");
    ssd.rest(24.0 * 365.0 * 1000.0, 40.0);
    let (_, lost) = mean_of_reads(&mut ssd);
    assert_eq!(lost, 64);
    let read = ssd.apply(slot_command(CommandKind::Read, 1, SimTime::ZERO));
    assert_eq!(read, Outcome::Unrecoverable);
    // What is written anew can be read.
    ssd.apply(slot_command(CommandKind::Write, 1, SimTime::ZERO));
    ssd.apply(slot_command(CommandKind::Flush, 0, SimTime::ZERO));
}

#[test]
fn what_was_lost_stays_lost_until_it_is_written() {
    let all_wrong = [
        "ecc.rber_new=0.4",
        "ecc.retries=0",
        "reliability.median_cycles=1000000",
    ];
    let mut ssd = drive("generic-mlc-8", &[&ECC[..], &all_wrong].concat());
    let slots = ssd.capacity_sectors() / 8;
    let mut stream = RootSeed(1).stream("lost");
    for _ in 0..slots * 8 {
        let slot = u64::from(stream.next_u32()) % slots;
        ssd.apply(slot_command(CommandKind::Write, slot, SimTime::ZERO));
    }
    let health = ssd.health().unwrap();
    assert!(
        health.faults.unreadable > 0,
        "collection read and lost data"
    );
    let read = ssd.apply(slot_command(CommandKind::Read, 0, SimTime::ZERO));
    assert_eq!(read, Outcome::Unrecoverable);
}
