//! Drives in virtual time with the faults of their files.

use crate::{Catalog, Device, DriveFile};
use ftlab_base::{Command, CommandKind, Completion, Nanos, Outcome, RootSeed, SimTime};
use ftlab_host::Testbed;

const GENERIC: &str = include_str!("../../../drives/generic-mlc-8.toml");
const DISK: &str = include_str!("../../../drives/wd-raptor-150.toml");

fn file(text: &str, script: &str) -> Result<DriveFile, String> {
    let text = format!("{text}\n{script}");
    Catalog::default()
        .parse("test", &text, &[])
        .map_err(|error| error.to_string())
}

fn built(text: &str, script: &str) -> Box<dyn Device> {
    let testbed = Testbed::load("anandtech-2008").unwrap();
    let file = file(text, script).unwrap();
    file.build(&testbed, RootSeed(1)).unwrap()
}

fn at_ms(ms: u64) -> SimTime {
    SimTime::ZERO + Nanos::from_millis(ms)
}

/// Asks for a slot of 4 KiB at each of these times, and brings all to an end.
fn run(drive: &mut dyn Device, asked: &[(u64, CommandKind)]) -> Vec<Completion> {
    let mut done = Vec::new();
    for (number, (ms, kind)) in (0..).zip(asked) {
        let at = at_ms(*ms);
        drive.advance(at, &mut done);
        let command = Command::new(
            *kind,
            number,
            number * 8,
            if *kind == CommandKind::Flush { 0 } else { 8 },
            at,
        );
        drive.submit(command, at);
    }
    while let Some(at) = drive.next_event() {
        drive.advance(at, &mut done);
    }
    assert!(done.is_sorted_by_key(|end| end.at), "{done:?}");
    done.sort_by_key(|end| end.id);
    let ids: Vec<u64> = done.iter().map(|end| end.id.0).collect();
    assert_eq!(
        ids,
        (0..asked.len() as u64).collect::<Vec<u64>>(),
        "each once"
    );
    done
}

const STALL: &str = "
[[faults.script]]
fault = { stall = { ms = 3000 } }
on = [\"write\"]
at_ms = 10
";

#[test]
fn a_stall_comes_at_its_time_and_nothing_fails() {
    use CommandKind::{Read, Write};
    for text in [GENERIC, DISK] {
        let asked = [
            (0, Write),
            (20, Write),
            (25, Read),
            (400, Write),
            (4000, Write),
        ];
        let plain = run(built(text, "").as_mut(), &asked);
        let mut drive = built(text, STALL);
        let stalled = run(drive.as_mut(), &asked);
        assert!(stalled.iter().all(|end| end.outcome == Outcome::Good));
        assert_eq!(stalled[0], plain[0], "before it");
        assert!(stalled[1].at >= at_ms(3020) && stalled[1].at < at_ms(3100));
        assert!(stalled[2].at < at_ms(100), "a read is no write");
        assert!(stalled[3].at >= at_ms(3020) && stalled[3].at < at_ms(3100));
        assert!(stalled[4].at < at_ms(4100), "behind it");
        let mut again = built(text, STALL);
        assert_eq!(run(again.snapshot().as_mut(), &asked), stalled);
        assert_eq!(run(again.as_mut(), &asked), stalled, "the copy had its own");
    }
}

#[test]
fn a_slow_drive_takes_so_many_times_as_long() {
    let asked = [(0, CommandKind::Read), (50, CommandKind::Write)];
    let plain = run(built(GENERIC, "").as_mut(), &asked);
    let script = "[[faults.script]]\nfault = { slow = { times = 10.0 } }";
    let slow = run(built(GENERIC, script).as_mut(), &asked);
    for ((ms, _), (plain, slow)) in asked.iter().zip(plain.iter().zip(&slow)) {
        let took = |end: &Completion| end.at.since(at_ms(*ms)).0;
        assert_eq!(took(slow), 10 * took(plain));
    }
}

#[test]
fn errors_are_those_of_the_seed_and_nothing_is_asked_of_the_drive() {
    let asked: Vec<(u64, CommandKind)> = (0..400).map(|ms| (ms, CommandKind::Write)).collect();
    let outcomes = |seed: u64| -> Vec<Outcome> {
        let script =
            format!("[[faults.script]]\nfault = {{ error = {{ share = 0.1 }} }}\nseed = {seed}");
        let mut drive = built(GENERIC, &script);
        let ends = run(drive.as_mut(), &asked);
        let good = ends
            .iter()
            .filter(|end| end.outcome == Outcome::Good)
            .count();
        assert_eq!(drive.counters().host_bytes_written, 4096 * good as u64);
        ends.iter().map(|end| end.outcome).collect()
    };
    let failed = |seed| {
        outcomes(seed)
            .iter()
            .filter(|end| **end == Outcome::WriteFault)
            .count()
    };
    assert!((20..65).contains(&failed(1)), "{} of 400", failed(1));
    assert_eq!(outcomes(1), outcomes(1));
    assert_ne!(outcomes(1), outcomes(2));
}

#[test]
fn the_map_does_not_hear_of_a_lost_write_and_has_a_misdirected_one_elsewhere() {
    use CommandKind::{Flush, Write};
    let wrote = |fault: &str| {
        let script = match fault {
            "" => String::new(),
            fault => format!("[[faults.script]]\nfault = {fault}\ncount = 1"),
        };
        let mut drive = built(GENERIC, &script);
        // Slots 0, 1 and 3: the first of them lands on the second.
        let ends = run(
            drive.as_mut(),
            &[(0, Write), (1, Write), (2, Flush), (3, Write)],
        );
        assert!(ends.iter().all(|end| end.outcome == Outcome::Good));
        let mapped = drive.page_layer().expect("a map").mapped_slots();
        (mapped, drive.counters().host_bytes_written / 4096)
    };
    assert_eq!(wrote(""), (3, 3));
    assert_eq!(wrote("\"drop\""), (2, 2));
    assert_eq!(wrote("{ misdirect = {} }"), (2, 3));
    assert_eq!(wrote("{ misdirect = { by_bytes = 8192 } }"), (3, 3));
}

#[test]
fn a_drive_that_disappears_holds_its_answers_too() {
    use CommandKind::{Flush, Write};
    let script = "
        [[faults.script]]
        fault = { disappear = { ms = 100 } }
        at_ms = 5
        [[faults.script]]
        fault = { error = { share = 1.0 } }
        on = [\"flush\"]
        count = 1
    ";
    let mut drive = built(DISK, script);
    let ends = run(
        drive.as_mut(),
        &[(0, Write), (6, Write), (200, Flush), (201, Flush)],
    );
    assert!(ends[1].at >= at_ms(105), "{:?}", ends[1]);
    let outcomes: Vec<Outcome> = ends.iter().map(|end| end.outcome).collect();
    let (good, failed) = (Outcome::Good, Outcome::WriteFault);
    assert_eq!(outcomes, [good, good, failed, good]);
}

#[test]
fn what_a_script_cannot_say_is_refused_with_its_place() {
    for (script, why) in [
        ("fault = \"flood\"", "unknown variant `flood`"),
        ("fault = \"full\"\nof = 3", "unknown field `of`"),
        ("at_ms = 3", "missing field `fault`"),
        (
            "fault = { stall = { ms = 0 } }",
            "[[faults.script]] 1 (stall 0 ns): a time of 0 is no fault",
        ),
        (
            "fault = { disappear = { ms = 9223372036854775807 } }",
            "more than a week",
        ),
        (
            "fault = \"flip\"\nrange_bytes = [0, 1099511627776000]",
            "the drive has",
        ),
    ] {
        for text in [GENERIC, DISK] {
            let error = file(text, &format!("[[faults.script]]\n{script}")).unwrap_err();
            assert!(error.contains(why), "{script}: {error}");
        }
    }
}
