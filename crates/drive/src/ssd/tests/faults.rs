//! Faults that a drive file asks for.

use super::*;
use crate::Device;
use ftlab_base::{BlockId, DieId};
use ftlab_ftl::Fault;
use std::collections::BTreeSet;

const PACKED: (&str, &[&str]) = (
    "ocz-vertex3-120",
    &[
        "nand.channels=2",
        "nand.dies_per_channel=2",
        "map.stripe_dies=4",
        "nand.planes_per_die=1",
        "nand.blocks_per_die=24",
        "nand.pages_per_block=4",
        "gc.reserve=2",
        "spare.op=0.8",
    ],
);

const PAGE: (&str, &[&str]) = (
    "generic-mlc-8",
    &[
        "nand.blocks_per_die=32",
        "nand.pages_per_block=8",
        "spare.op=1.5",
        "reliability.rated_cycles=1000000",
        "reliability.median_cycles=1000000",
        "reliability.life_shape=3",
        "reliability.erase_share=0.5",
    ],
);

fn load((slug, settings): (&str, &[&str]), more: &[&str]) -> Result<DriveFile, String> {
    let all = settings.iter().chain(more);
    let all: Vec<String> = all.map(ToString::to_string).collect();
    Catalog::default()
        .load(slug, &all)
        .map_err(|error| error.to_string())
}

fn drive(of: (&str, &[&str]), more: &[&str], seed: u64) -> Ssd {
    let testbed = Testbed::load("anandtech-2008").unwrap();
    let file = load(of, more).unwrap();
    file.build_ssd(&testbed, RootSeed(seed)).unwrap().checked()
}

/// Writes slots one after the other, with time; gives when that is done, and how many failed.
fn write(ssd: &mut Ssd, slots: std::ops::Range<u64>, from: SimTime) -> (SimTime, usize) {
    let (mut done, mut at) = (Vec::new(), from);
    for slot in slots {
        ssd.submit(slot_command(CommandKind::Write, slot, at), at);
        at = ssd
            .advance_to_completion(SimTime::NEVER, &mut done)
            .unwrap();
    }
    let failed = |done: &&Completion| done.outcome != Outcome::Good;
    (at, done.iter().filter(failed).count())
}

#[test]
fn a_die_dies_when_the_host_has_written_so_much_and_is_rebuilt_in_a_pause() {
    let mut dead = BTreeSet::new();
    for seed in 0..8 {
        let mut ssd = drive(PACKED, &["faults.die_fails_after=600KiB"], seed);
        let slots = ssd.capacity_sectors() / 8;
        let (at, failed) = write(&mut ssd, 0..100, SimTime::ZERO);
        assert_eq!((failed, ssd.layer().dead_die()), (0, None));
        let (at, first) = write(&mut ssd, 100..slots, at);
        let (at, second) = write(&mut ssd, 0..slots, at);
        assert_eq!((first, second), (0, 0));
        let die = ssd.layer().dead_die().expect("it has died");
        dead.insert(die);
        let programs = ssd.counters().moved_programs;
        let pause = at + Nanos::from_millis(60_000);
        ssd.advance(pause, &mut Vec::new());
        let rebuilt = ssd.counters().moved_programs - programs;
        assert!(rebuilt > 0, "nothing was moved in the pause");
        // The stamps say whether it is the newest; and no page of the die is read any more.
        for slot in 0..slots {
            let read = ssd.apply(slot_command(CommandKind::Read, slot, SimTime::ZERO));
            assert_eq!(read, Outcome::Good);
        }
        let again = drive(PACKED, &["faults.die_fails_after=600KiB"], seed);
        assert_eq!(
            again.params.faults.die_failure.unwrap().die,
            die,
            "by the seed alone"
        );
    }
    assert!(dead.len() > 1, "always {dead:?}");
    assert!(dead.iter().all(|die: &DieId| die.0 < 4));
}

#[test]
fn without_parity_a_dead_die_takes_its_data_along() {
    let mut ssd = drive(PAGE, &["faults.die_fails_after=2MiB"], 1);
    let slots = ssd.capacity_sectors() / 8;
    let (mut refused, mut at) = (0, SimTime::ZERO);
    for _ in 0..40 {
        let (end, failed) = write(&mut ssd, 0..slots, at);
        (refused, at) = (failed, end);
        if refused > 0 {
            break;
        }
    }
    assert!(refused > 0, "it never becomes read-only");
    let reads =
        (0..slots).map(|slot| ssd.apply(slot_command(CommandKind::Read, slot, SimTime::ZERO)));
    let lost = reads.filter(|read| *read == Outcome::Unrecoverable).count();
    let dies = ssd.layer().layout().geometry.dies() as usize;
    assert!(
        (1..3 * slots as usize / dies).contains(&lost),
        "{lost} of {slots} are lost with 1 of {dies} dies"
    );
}

#[test]
fn as_many_pages_cannot_be_read_as_the_file_says() {
    let mut ssd = drive(PAGE, &["faults.unreadable_pages=5%"], 1);
    let slots = ssd.capacity_sectors() / 8;
    (0..slots).for_each(|slot| {
        ssd.apply(slot_command(CommandKind::Write, slot, SimTime::ZERO));
    });
    ssd.apply(slot_command(CommandKind::Flush, 0, SimTime::ZERO));
    let reads =
        (0..slots).map(|slot| ssd.apply(slot_command(CommandKind::Read, slot, SimTime::ZERO)));
    let lost = reads.filter(|read| *read == Outcome::Unrecoverable).count();
    let share = lost as f64 / slots as f64;
    assert!((0.03..0.07).contains(&share), "{share}");
}

#[test]
fn blocks_go_bad_that_the_file_says() {
    let mut ssd = drive(PAGE, &["faults.bad_blocks=3%"], 1);
    let slots = ssd.capacity_sectors() / 8;
    // Collection takes the first of those that hold nothing: in order, it would be few of them.
    let mut stream = RootSeed(1).stream("bad blocks");
    for _ in 0..20 * slots {
        let slot = u64::from(stream.next_u32()) % slots;
        let written = ssd.apply(slot_command(CommandKind::Write, slot, SimTime::ZERO));
        assert_eq!(written, Outcome::Good, "{:?}", ssd.fault());
    }
    let health = ssd.health().unwrap();
    let blocks = ssd.layer().layout().geometry.blocks();
    let share = f64::from(health.grown_bad()) / f64::from(blocks);
    assert!((0.01..0.06).contains(&share), "{share} of {blocks} blocks");
}

/// Drives whose files say nothing of how blocks fail, one of them with a section that says how long they last.
const QUIET: [(&str, &[&str]); 3] = [
    (
        "generic-mlc-8",
        &[
            "nand.blocks_per_die=32",
            "nand.pages_per_block=8",
            "spare.op=1.5",
        ],
    ),
    ("generic-nvme-tlc-8", SLC),
    ("generic-nvme-qlc-2000", SLC),
];

/// A small drive with a cache of one bit a cell.
const SLC: &[&str] = &[
    "nand.channels=1",
    "nand.dies_per_channel=2",
    "nand.planes_per_die=1",
    "map.stripe_dies=2",
    "nand.page=4KiB",
    "nand.blocks_per_die=48",
    "nand.pages_per_block=24",
    "spare.user_capacity=3MiB",
    "slc.own_size=256KiB",
    "slc.more_size=256KiB",
    "slc.when_full=fold",
    "buffer.size=64KiB",
];

/// Writes every slot a number of times, until the drive takes no more; whether it took all.
fn takes(ssd: &mut Ssd, times: u64) -> bool {
    let slots = ssd.capacity_sectors() / 8;
    let mut stream = RootSeed(2).stream("slots");
    (0..times * slots).all(|n| {
        let slot = match n < slots {
            true => n,
            false => u64::from(stream.next_u32()) % slots,
        };
        ssd.apply(slot_command(CommandKind::Write, slot, SimTime::ZERO)) == Outcome::Good
    })
}

/// Slots that cannot be read.
fn lost(ssd: &mut Ssd) -> u64 {
    let slots = ssd.capacity_sectors() / 8;
    let reads =
        (0..slots).map(|slot| ssd.apply(slot_command(CommandKind::Read, slot, SimTime::ZERO)));
    reads.filter(|read| *read != Outcome::Good).count() as u64
}

/// Makes the drive again from its saved state.
fn kept(ssd: &Ssd, of: (&str, &[&str])) -> Ssd {
    let testbed = Testbed::load("anandtech-2008").unwrap();
    let file = load(of, &[]).unwrap();
    let mut again = file.build_ssd(&testbed, RootSeed(1)).unwrap();
    again.restore(ssd.save()).unwrap();
    again
}

#[test]
fn a_block_of_a_drive_of_which_nothing_is_said_to_fail_fails_by_command() {
    for of in QUIET {
        let mut ssd = drive(of, &[], 1);
        assert!(takes(&mut ssd, 2), "{of:?}");
        for block in [3, 20, 31] {
            ssd.inject(Fault::BadBlock(BlockId(block))).unwrap();
        }
        let mut ssd = kept(&ssd, of);
        assert!(takes(&mut ssd, 12), "{of:?}: {:?}", ssd.fault());
        assert_eq!(lost(&mut ssd), 0, "{of:?}");
        assert_eq!(
            ssd.layer().array().fault_counters().program_failed,
            3,
            "{of:?}"
        );
        ssd.layer().check_invariants();
    }
}

#[test]
fn all_blocks_of_such_a_drive_wear_out_and_it_stays_readable() {
    for of in QUIET {
        let mut ssd = drive(of, &[], 1);
        assert!(takes(&mut ssd, 2), "{of:?}");
        ssd.inject(Fault::EndOfLife).unwrap();
        let mut ssd = kept(&ssd, of);
        assert!(!takes(&mut ssd, 100), "{of:?}: it takes writes for ever");
        assert_eq!(lost(&mut ssd), 0, "{of:?}");
    }
}

#[test]
fn a_die_of_such_a_drive_dies_and_takes_its_data_along() {
    for of in QUIET {
        let mut ssd = drive(of, &[], 1);
        assert!(takes(&mut ssd, 2), "{of:?}");
        ssd.inject(Fault::Die(DieId(1))).unwrap();
        let mut ssd = kept(&ssd, of);
        let (lost, slots) = (lost(&mut ssd), ssd.capacity_sectors() / 8);
        let dies = u64::from(ssd.layer().layout().geometry.dies());
        let share = slots / dies;
        assert!(
            (share / 2..2 * share).contains(&lost),
            "{of:?}: {lost} of {slots}"
        );
        assert!(!takes(&mut ssd, 100), "{of:?}: it takes writes for ever");
    }
}

#[test]
fn what_the_file_says_is_to_go_wrong_needs_nothing_else() {
    for of in QUIET {
        let mut ssd = drive(
            of,
            &["faults.bad_blocks=3%", "faults.unreadable_pages=1%"],
            1,
        );
        assert!(takes(&mut ssd, 4), "{of:?}: {:?}", ssd.fault());
        assert!(lost(&mut ssd) > 0, "{of:?}");
        assert!(
            ssd.layer().array().fault_counters().program_failed > 0,
            "{of:?}"
        );
        let mut ssd = drive(of, &["faults.die_fails_after=4MiB"], 1);
        assert!(!takes(&mut ssd, 100), "{of:?}: no die dies");
    }
    let why = load(PAGE, &["faults.bad_blocks=101%"]).unwrap_err();
    assert!(why.contains("bad_blocks"), "{why}");
}
