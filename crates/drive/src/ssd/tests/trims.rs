//! Trims of parts of slots.

use super::*;

/// Its slots have 16 KiB.
const LARGE_SLOTS: usize = 2;

fn trim(lba: u64, sectors: u32) -> Command {
    Command {
        id: CommandId(lba),
        kind: CommandKind::Trim,
        lba: Lba(lba),
        sectors,
        content: Content::RANDOM,
        at: SimTime::ZERO,
    }
}

fn apply(ssd: &mut Ssd, command: Command) {
    assert_eq!(ssd.apply(command), Outcome::Good);
}

/// With time.
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
