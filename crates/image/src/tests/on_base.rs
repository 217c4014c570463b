//! Images that lie on a base go through the same cuts as any other.

use super::cuts::{cut_everywhere, survives_any_order};
use super::driven::{Clock, Driven};
use super::tiny::{names, tiny};

/// A drive that has collected, and another one on top of it.
fn on_top(name: &str, seed: u64, sync: bool) -> Driven {
    let mut below = Driven::new(&tiny(name), seed);
    below.work(Clock::Untimed, 3 * below.oracle.slots());
    below.on_top(seed + 1, sync)
}

#[test]
fn a_drive_on_a_base_comes_back_from_every_cut() {
    let clocks = [Clock::Untimed, Clock::Timed];
    for (name, clock) in names().iter().zip(clocks.into_iter().cycle()) {
        let mut driven = on_top(name, 7, false);
        let first = driven.recorder.count();
        driven.work(clock, 4);
        driven.drive.checkpoint().unwrap();
        driven.work(clock, if name == "block" { 4 } else { 8 });
        let seen = cut_everywhere(&driven, first, &format!("{name} on a base, {clock:?}"));
        assert!(seen.replayed > 0, "{name}: {seen:?}");
        assert!(seen.cuts > 50, "{name}: {seen:?}");
    }
}

#[test]
fn a_drive_without_flash_on_a_base_comes_back_from_every_cut() {
    for clock in [Clock::Untimed, Clock::Timed] {
        let mut driven = on_top("flat", 7, false);
        let first = driven.recorder.count();
        driven.work(clock, 40);
        let seen = cut_everywhere(&driven, first, "flat on a base");
        assert!(seen.cuts > 100, "{clock:?}: {seen:?}");
    }
}

#[test]
fn what_was_flushed_on_a_base_survives_a_machine_that_writes_in_any_order() {
    let mut left_out = 0;
    for name in names().iter().chain([&"flat".to_owned()]) {
        for clock in [Clock::Untimed, Clock::Timed] {
            let mut driven = on_top(name, 5, true);
            let first = driven.recorder.count();
            driven.work(clock, if name == "block" { 8 } else { 30 });
            let (left, _) = survives_any_order(&driven, first, &format!("{name}, {clock:?}"));
            left_out += left;
        }
    }
    assert!(left_out > 20, "{left_out}");
}
