//! Drives that work while the host pauses.

use super::*;

const AHEAD: [&str; 2] = ["gc.ahead=2", "gc.idle_after=1ms"];

/// Random writes in bursts at queue depth 8, with pauses between; what each burst took, in the order
/// of the bursts.
fn bursts(ssd: &mut Ssd, count: u64, pause: Nanos) -> Vec<Nanos> {
    let mut rng = RootSeed(5).stream("bursts");
    let (mut now, mut spans) = (SimTime::ZERO, Vec::new());
    let mut done = Vec::new();
    for burst in 0..count {
        let begun = now;
        let first = burst * 64;
        let (mut sent, before) = (first, done.len());
        while done.len() - before < 64 {
            while sent < first + 64 && sent - first - ((done.len() - before) as u64) < 8 {
                let kinds = [CommandKind::Write];
                let command = command(sent, ssd.capacity_sectors(), &kinds, &mut rng);
                ssd.submit(Command { at: now, ..command }, now);
                sent += 1;
            }
            now = ssd.next_event().expect("commands are outstanding");
            ssd.advance(now, &mut done);
        }
        spans.push(now.since(begun));
        now += pause;
        ssd.advance(now, &mut done);
    }
    spans
}

fn drive(more: &[&str]) -> Ssd {
    let (file, testbed) = small_with(0, more);
    file.build_ssd(&testbed, RootSeed(1)).unwrap().checked()
}

/// The mean of the last bursts.
fn settled(ssd: &mut Ssd, pause: Nanos) -> Nanos {
    let spans = bursts(ssd, 200, pause);
    Nanos(spans[100..].iter().map(|span| span.0).sum::<u64>() / 100)
}

#[test]
fn pauses_make_the_next_burst_quicker_if_they_are_long_enough() {
    let long = Nanos::from_millis(200);
    let lazy = settled(&mut drive(&[]), long);
    let diligent = settled(&mut drive(&AHEAD), long);
    assert!(diligent.0 * 10 < lazy.0 * 9, "{diligent:?} for {lazy:?}");
    // Shorter than what it takes for granted that the host pauses.
    let short = Nanos::from_micros(900);
    assert_eq!(
        settled(&mut drive(&AHEAD), short),
        settled(&mut drive(&[]), short)
    );
}

#[test]
fn work_ahead_is_an_input_like_any_other_and_ends() {
    let mut timed = drive(&AHEAD);
    timed.record_inputs();
    bursts(&mut timed, 100, Nanos::from_millis(20));
    let worked = |input: &&LayerInput| matches!(input, LayerInput::WorkAhead);
    assert!(timed.inputs().iter().filter(worked).count() > 100);
    timed.layer().check_invariants();
    let mut untimed = drive(&AHEAD);
    untimed.replay(timed.inputs());
    assert_eq!(timed.counters().stream_hash, untimed.counters().stream_hash);
    // Left alone it comes to rest.
    let mut done = Vec::new();
    let mut events = 0;
    while let Some(next) = timed.next_event() {
        timed.advance(next, &mut done);
        events += 1;
        assert!(events < 1 << 16, "it never rests");
    }
}

#[test]
fn a_span_without_work_and_work_without_a_span_are_refused() {
    let error = |settings: [&str; 1]| {
        let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
        Catalog::default()
            .load("generic-mlc-8", &settings)
            .unwrap_err()
            .to_string()
    };
    for alone in AHEAD {
        assert!(error([alone]).contains("gc.ahead and gc.idle_after go together"));
    }
}
