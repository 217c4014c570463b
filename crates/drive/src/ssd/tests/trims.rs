//! Trims of parts of slots.

use super::*;

/// Its slots have 16 KiB.
const LARGE_SLOTS: usize = 2;

fn trim(lba: u64, sectors: u32) -> Command {
    Command::new(CommandKind::Trim, lba, lba, sectors, SimTime::ZERO)
}

fn apply(ssd: &mut Ssd, command: Command) {
    assert_eq!(ssd.apply(command), Outcome::Good);
}

/// Runs a command with time to its end.
fn submit(ssd: &mut Ssd, command: Command) {
    let mut done = Vec::new();
    ssd.submit(command, SimTime::ZERO);
    while let Some(now) = ssd.next_event() {
        ssd.advance(now, &mut done);
    }
    assert_eq!(done.len(), 1);
}

#[test]
fn a_trim_frees_the_slots_that_it_covers_and_is_counted_when_there_is_none() {
    for give in [apply, submit] {
        let mut ssd = build(LARGE_SLOTS);
        for slot in 0..8 {
            apply(
                &mut ssd,
                slot_command(CommandKind::Write, slot, SimTime::ZERO),
            );
        }
        let is_mapped = |ssd: &Ssd| [0, 1].map(|n| ssd.layer().lookup(Lpn(n)).is_some());
        // All of the first slot in four pieces, then the end of it with the beginning of the second.
        (0..4).for_each(|n| give(&mut ssd, trim(8 * n, 8)));
        give(&mut ssd, trim(16, 32));
        assert_eq!(is_mapped(&ssd), [true, true]);
        assert_eq!(ssd.counters().void_trims, 5);
        let before = ssd.counters();
        // The second slot, and a part of the first.
        give(&mut ssd, trim(24, 40));
        assert_eq!(is_mapped(&ssd), [true, false]);
        assert_eq!(ssd.counters().since(&before).void_trims, 0);
        assert_eq!(ssd.snapshot().counters().void_trims, 5);
    }
}

#[test]
fn a_trim_takes_what_its_drive_says_and_whoever_comes_meanwhile_waits() {
    let (file, testbed) = small_with(X25_M, &["firmware.trim_command=3ms"]);
    let (plain, _) = small(X25_M);
    let built = |file: &DriveFile| file.build_ssd(&testbed, RootSeed(1)).unwrap();
    let taken = |file: &DriveFile, sectors| one(&mut built(file), CommandKind::Trim, 0, sectors);
    let read_command = taken(&plain, 8);
    for slots in [1, 100] {
        let more = taken(&file, slots * 8) - taken(&plain, slots * 8);
        let core = Nanos::from_millis(3);
        let own = Nanos::from_micros(25);
        assert_eq!(more + own, core, "{slots} slots");
    }
    assert!(read_command < Nanos::from_millis(1));
    // A read that is sent at once is answered after it.
    let mut ssd = built(&file);
    let now = SimTime(1_000);
    let send = |id: u64, kind| Command {
        id: CommandId(id),
        ..slot_command(kind, id, now)
    };
    ssd.submit(send(0, CommandKind::Trim), now);
    ssd.submit(send(1, CommandKind::Read), now);
    let mut done = Vec::new();
    while let Some(next) = ssd.next_event() {
        ssd.advance(next, &mut done);
    }
    assert!(
        done.iter()
            .all(|done| done.at.since(now) > Nanos::from_millis(3)),
        "{done:?}"
    );
}

#[test]
fn a_read_of_what_was_trimmed_is_answered_from_the_map() {
    let (file, testbed) = small(0);
    // The time of a read of the first slot after these commands, and the pages that it reads.
    let read_after = |commands: &[CommandKind]| {
        let mut ssd = file.build_ssd(&testbed, RootSeed(1)).unwrap();
        for &command in commands {
            apply(&mut ssd, slot_command(command, 0, SimTime::ZERO));
        }
        let before = ssd.counters().nand_reads;
        let taken = one(&mut ssd, CommandKind::Read, 0, 8);
        (taken, ssd.counters().nand_reads - before)
    };
    let written = read_after(&[CommandKind::Write]);
    let trimmed = read_after(&[CommandKind::Write, CommandKind::Trim]);
    assert_eq!((written.1, trimmed.1), (1, 0));
    assert_eq!(trimmed, read_after(&[]), "never written");
    // What is left out is the flash: 50 µs to sense, and the channel.
    assert!(written.0 - trimmed.0 > Nanos::from_micros(50));
}
