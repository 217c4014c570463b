//! Flushes that program a record go in rounds.

use super::*;

/// Time of a record, longer than any program.
const RECORD: Nanos = Nanos(5_000_000);

fn recording() -> Ssd {
    recording_in("5ms")
}

/// The drive with a record of another time.
fn recording_in(record: &str) -> Ssd {
    let record = format!("firmware.flush_record={record}");
    let (file, testbed) = small_with(X25_M, &[&record]);
    file.build_ssd(&testbed, RootSeed(1)).unwrap().checked()
}

/// Lets commands come at the start, each with its kind, and says when each ends.
fn ends(ssd: &mut Ssd, kinds: &[CommandKind]) -> Vec<SimTime> {
    for (id, &kind) in (0..).zip(kinds) {
        let sectors = if kind == CommandKind::Flush { 0 } else { 8 };
        let command = Command::new(kind, id, id * 8, sectors, SimTime::ZERO);
        ssd.submit(command, SimTime::ZERO);
    }
    let mut done = Vec::new();
    while let Some(next) = ssd.next_event() {
        ssd.advance(next, &mut done);
    }
    done.sort_by_key(|completion| completion.id);
    done.into_iter().map(|completion| completion.at).collect()
}

/// Programs that each write 4 KiB, flush, and begin again when the flush has ended: writes flushed a second.
fn rate_of(ssd: &mut Ssd, programs: u64) -> f64 {
    const WRITES: u64 = 400;
    let mut done = Vec::new();
    for id in 0..programs {
        ssd.submit(
            slot_command(CommandKind::Write, id, SimTime::ZERO),
            SimTime::ZERO,
        );
    }
    let (mut flushed, mut now) = (0, SimTime::ZERO);
    // The number of a program is that of its command modulo their count.
    while flushed < WRITES {
        let at = ssd.next_event().expect("programs go on");
        ssd.advance(at, &mut done);
        for ended in std::mem::take(&mut done) {
            now = ended.at;
            let is_flush = ended.id.0 / programs % 2 == 1;
            flushed += u64::from(is_flush);
            let id = ended.id.0 + programs;
            let command = match is_flush {
                true => slot_command(CommandKind::Write, id, now),
                false => Command::new(CommandKind::Flush, id, 0, 0, now),
            };
            ssd.submit(command, now);
        }
    }
    WRITES as f64 / (now.0 as f64 / 1e9)
}

#[test]
fn those_that_come_while_one_is_at_work_end_together_a_record_later() {
    let at = ends(&mut recording(), &[CommandKind::Flush; 4]);
    assert!((RECORD..RECORD * 2).contains(&at[0].since(SimTime::ZERO)));
    assert_eq!(at[1].since(at[0]), RECORD);
    assert_eq!(at[1..], [at[1]; 3]);
}

#[test]
fn a_round_waits_for_what_was_written_before_it_and_for_nothing_else() {
    use CommandKind::{Flush, Write};
    let t_program = build(X25_M).params.nand.timing.t_program;
    let kinds = [&[Write; 9][..], &[Flush], &[Write; 9], &[Flush]].concat();
    let at = ends(&mut recording_in("1us"), &kinds);
    // The last write of each nine is programmed when its flush ends, and the first flush does not wait for the second nine.
    for (last, flush) in [(8, 9), (18, 19)] {
        assert!(at[flush].since(at[last]) >= t_program, "{at:?}");
    }
    assert!(at[9] < at[18] + t_program, "{at:?}");
}

#[test]
fn writes_go_on_meanwhile_and_are_of_the_next_round() {
    use CommandKind::{Flush, Write};
    let at = ends(&mut recording(), &[Flush, Flush, Write, Flush]);
    assert!(at[2] < at[0], "{at:?}");
    assert_eq!(at[1], at[3]);
}

#[test]
fn programs_that_flush_each_write_share_two_rounds() {
    let one = rate_of(&mut recording(), 1);
    for programs in [2, 5, 10] {
        let times = rate_of(&mut recording(), programs) / one;
        let half = programs as f64 / 2.0;
        assert!(
            (times / half - 1.0).abs() < 0.1,
            "{programs} programs: {times} times one"
        );
    }
}

#[test]
fn without_a_record_all_that_wait_end_when_the_data_are_programmed() {
    let at = ends(
        &mut build(X25_M),
        &[CommandKind::Write, CommandKind::Flush, CommandKind::Flush],
    );
    assert_eq!(at[1], at[2]);
    let times = rate_of(&mut build(X25_M), 5) / rate_of(&mut build(X25_M), 1);
    assert!(times > 3.0, "{times}, and rounds give 2.5");
}

#[test]
fn a_flush_of_a_slot_ends_whenever_that_is_written_again() {
    let cases = (0..KINDS.len()).flat_map(|kind| (0..40).map(move |n| (kind, 50 * n)));
    for (kind, after_us) in cases {
        let mut ssd = build(kind);
        let later = SimTime(1000 * after_us);
        let mut done = Vec::new();
        let commands = [
            Command::write(0, 0, 8, SimTime::ZERO),
            Command::new(CommandKind::Flush, 1, 0, 8, SimTime::ZERO),
            Command::write(2, 0, 8, later),
        ];
        for command in commands {
            ssd.advance(command.at, &mut done);
            ssd.submit(command, command.at);
        }
        while let Some(next) = ssd.next_event() {
            ssd.advance(next, &mut done);
        }
        assert_eq!(done.len(), 3, "drive {kind}, written again after {later:?}");
    }
}
