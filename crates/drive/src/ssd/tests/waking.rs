//! Drives that are lost when they should wake up.

use super::*;

/// The X25-M, which sleeps after 260 ms, with the fault.
fn faulty(one_in: u32, seed: u64) -> Ssd {
    let (file, testbed) = small_with(X25_M, &[&format!("faults.lost_waking={one_in}")]);
    file.build_ssd(&testbed, RootSeed(seed)).unwrap().checked()
}

/// Writes one after the other with pauses between; how each ended, until one is given up.
fn outcomes(ssd: &mut Ssd, count: u64, pause: Nanos) -> Vec<Outcome> {
    let (mut now, mut outcomes) = (SimTime::ZERO, Vec::new());
    for id in 0..count {
        let command = Command::write(id, 0, 8, now);
        ssd.submit(command, now);
        let mut done = Vec::new();
        while done.is_empty() {
            now = ssd.next_event().expect("the host gives up in the end");
            ssd.advance(now, &mut done);
        }
        outcomes.push(done[0].outcome);
        now += pause;
        ssd.advance(now, &mut done);
    }
    outcomes
}

const LONG: Nanos = Nanos::from_millis(400);

#[test]
fn one_in_so_many_awakenings_is_the_last() {
    let lasts = |seed| {
        let mut ssd = faulty(20, seed);
        let outcomes = outcomes(&mut ssd, 200, LONG);
        let good = outcomes.iter().take_while(|o| **o == Outcome::Good).count();
        assert!(outcomes[good..].iter().all(|o| *o == Outcome::Gone));
        if good < 200 {
            assert!(ssd.fault().unwrap().contains("did not wake up"));
        }
        good as f64
    };
    let mean = (0..40).map(lasts).sum::<f64>() / 40.0;
    assert!((13.0..28.0).contains(&mean), "{mean} awakenings");
}

#[test]
fn a_drive_that_does_not_sleep_is_not_lost() {
    let short = Nanos::from_millis(200);
    let outcomes = outcomes(&mut faulty(1, 1), 50, short);
    assert!(outcomes.iter().all(|o| *o == Outcome::Good));
}

#[test]
fn a_lost_drive_is_there_again_when_its_power_was_cycled_and_has_its_data() {
    let mut ssd = faulty(1, 1);
    let ends = outcomes(&mut ssd, 3, LONG);
    assert_eq!(ends, [Outcome::Good, Outcome::Gone, Outcome::Gone]);
    // Nothing is timed: the drive was off between.
    let read = |lba| Command::new(CommandKind::Read, 0, lba, 8, SimTime::ZERO);
    assert_eq!(ssd.apply(read(0)), Outcome::Good);
    assert_eq!(ssd.fault(), None);
}

#[test]
fn who_never_sleeps_cannot_fail_to_wake() {
    let settings = ["faults.lost_waking=9".to_owned()];
    let error = Catalog::default()
        .load("generic-mlc-8", &settings)
        .unwrap_err();
    assert!(error.to_string().contains("needs [power]"), "{error}");
}
