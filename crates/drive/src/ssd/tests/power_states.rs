//! Drives that sleep the deeper the longer nobody asks.

use super::*;
use ftlab_timing::Energy;

/// The generic drive of NVMe, on a host that lets it enter its states, or does not: 1 ms to PS3 after 100 ms and 1.2 ms
/// back, 2 ms to PS4 after 2 s and 9 ms back.
fn drive(power_states: bool) -> Ssd {
    let testbed = Testbed {
        power_states,
        ..Testbed::load("attached").unwrap()
    };
    let file = Catalog::default().load("generic-nvme-tlc-8", &[]).unwrap();
    file.build_ssd(&testbed, RootSeed(1)).unwrap()
}

/// Microseconds that each read takes which comes so long after the one before has ended.
fn reads(ssd: &mut Ssd, pauses_us: &[u64]) -> Vec<f64> {
    let (mut now, mut done) = (SimTime::ZERO, Vec::new());
    let mut took = Vec::new();
    for (id, pause_us) in pauses_us.iter().enumerate() {
        now += Nanos::from_micros(*pause_us);
        ssd.advance(now, &mut done);
        let read = Command {
            id: CommandId(id as u64),
            ..slot_command(CommandKind::Read, 7, now)
        };
        ssd.submit(read, now);
        while done.is_empty() {
            let next = ssd.next_event().expect("a read is outstanding");
            ssd.advance(next, &mut done);
        }
        let end = done.remove(0).at;
        took.push(end.since(now).0 as f64 / 1e3);
        now = end;
    }
    took
}

#[test]
fn a_read_after_a_pause_waits_for_the_way_back() {
    let pauses = [
        10, 99_000, 100_300, 400_000, 1_000_000, 2_001_500, 10_000_000,
    ];
    let took = reads(&mut drive(true), &pauses);
    let awake = took[0];
    let waited: Vec<f64> = took.iter().map(|us| (us - awake).round()).collect();
    // Still on the way to a state, the rest of the way counts as well.
    let closed = [
        0.0,
        0.0,
        700.0 + 1_200.0,
        1_200.0,
        1_200.0,
        500.0 + 9_000.0,
        9_000.0,
    ];
    assert_eq!(waited, closed);
    let kept = reads(&mut drive(false), &pauses);
    assert!(kept.iter().all(|us| *us == awake), "{kept:?}");
}

/// A read every ten seconds: nearly all of the time is spent asleep, at 50 and then 5 mW.
#[test]
fn a_run_with_pauses_takes_what_its_states_take() {
    let joules = |states: bool| {
        let mut ssd = drive(states);
        reads(&mut ssd, &[10_000_000; 10]);
        let now = SimTime(100_100_000_000);
        ssd.energy(now).as_ref().map_or(0.0, Energy::total)
    };
    let idle = drive(false).rest_watts().unwrap();
    assert!(joules(false) > 100.0 * idle);
    // In each ten seconds the controller takes 10 ms to come to rest, and the drive 9 ms to come back; 0.091 s until it is in the first
    // state, 1.901 s in that, and the rest in the second.
    let active = 2.2 + 0.3 + 0.15;
    let closed = 10.0 * (0.019 * active + 0.091 * idle + 1.901 * 0.050 + 7.998 * 0.005);
    let asleep = joules(true);
    assert!(
        (asleep / closed - 1.0).abs() < 0.02,
        "{asleep} of {closed} J"
    );
    assert_eq!(drive(true).rest_watts(), Some(0.005));
}

#[test]
fn states_that_cannot_be_are_refused() {
    let mut text = Catalog::default()
        .load("generic-nvme-tlc-8", &[])
        .unwrap()
        .text();
    let load = |text: &str| Catalog::default().parse("t", text, &[]);
    load(&text).unwrap();
    text = text.replace("value = 2000", "value = 100");
    let told = load(&text).unwrap_err().to_string();
    assert!(
        told.contains("[[power.states]]: state 2 begins after 100 ms"),
        "{told}"
    );
}
