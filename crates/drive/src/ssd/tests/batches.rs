//! Drives that collect several superblocks in one go, or in turns with the host.

use super::*;

/// Random writes to a full drive at queue depth 32: pages programmed for each, and how many ended in
/// each interval once they are steady.
fn ended_in_intervals(more: &[&str]) -> (f64, Vec<f64>) {
    const WRITES: u64 = 120_000;
    const INTERVAL: Nanos = Nanos::from_millis(20);
    let one_group = [
        "nand.blocks_per_die=64",
        "nand.pages_per_block=32",
        "map.stripe_dies=16",
        "spare.op=0.28",
    ];
    let (file, testbed) = small_with(0, &[&one_group, more].concat());
    let mut ssd = file.build_ssd(&testbed, RootSeed(1)).unwrap();
    let slots = ssd.capacity_sectors() / 8;
    for slot in 0..slots {
        ssd.apply(slot_command(CommandKind::Write, slot, SimTime::ZERO));
    }
    let filled = ssd.counters().nand_programs;
    let mut rng = RootSeed(3).stream("steady");
    let (mut now, mut sent, mut done) = (SimTime::ZERO, 0, Vec::new());
    while (done.len() as u64) < WRITES {
        while sent < WRITES && sent - (done.len() as u64) < 32 {
            let at = slot_command(CommandKind::Write, below(&mut rng, slots), now);
            ssd.submit(
                Command {
                    id: CommandId(sent),
                    ..at
                },
                now,
            );
            sent += 1;
        }
        now = ssd.next_event().expect("commands are outstanding");
        ssd.advance(now, &mut done);
    }
    let interval = |c: &Completion| (c.at.since(SimTime::ZERO).0 / INTERVAL.0) as usize;
    let last = done.iter().map(interval).max().unwrap();
    let mut ended = vec![0.0; last];
    for c in done.iter().filter(|c| interval(c) < last) {
        ended[interval(c)] += 1.0;
    }
    let programs = ssd.counters().nand_programs - filled;
    (programs as f64 / WRITES as f64, ended.split_off(last / 2))
}

/// The longest wait of a random write to a full drive at a queue depth, of those after it became steady.
fn longest_wait(depth: u64, more: &[&str]) -> Nanos {
    const WRITES: u64 = 40_000;
    let turns = [
        "nand.blocks_per_die=64",
        "nand.pages_per_block=32",
        "map.stripe_dies=16",
        "spare.op=0.28",
        "queue.depth=1024",
        "gc.turn=32",
    ];
    let (file, testbed) = small_with(0, &[&turns, more].concat());
    let mut ssd = file.build_ssd(&testbed, RootSeed(1)).unwrap();
    let slots = ssd.capacity_sectors() / 8;
    let mut rng = RootSeed(3).stream("steady");
    for slot in (0..slots).chain((0..2 * slots).map(|_| below(&mut rng, slots))) {
        ssd.apply(slot_command(CommandKind::Write, slot, SimTime::ZERO));
    }
    let (mut now, mut sent, mut done) = (SimTime::ZERO, Vec::new(), Vec::new());
    while (done.len() as u64) < WRITES {
        while (sent.len() as u64) < WRITES && ((sent.len() - done.len()) as u64) < depth {
            let id = CommandId(sent.len() as u64);
            let command = slot_command(CommandKind::Write, below(&mut rng, slots), now);
            ssd.submit(Command { id, ..command }, now);
            sent.push(now);
        }
        now = ssd.next_event().expect("commands are outstanding");
        ssd.advance(now, &mut done);
    }
    let waits = done.iter().filter(|c| c.id.0 > WRITES / 2);
    let wait = |c: &Completion| c.at.since(sent[c.id.0 as usize]);
    waits.map(wait).max().unwrap()
}

#[test]
fn collection_gives_way_when_too_many_writes_wait() {
    let gives_way = ["gc.waiting_max=16"];
    // Fewer writes than that: a turn is one stop, as where it does not give way.
    let stop = longest_wait(8, &[]);
    let ratio = |depth, more: &[&str]| longest_wait(depth, more).as_secs() / stop.as_secs();
    let stops = ratio(8, &gives_way);
    assert!((0.7..1.1).contains(&stops), "{stops} of a turn");
    // As many as that and more: none waits for a whole turn.
    let gone = ratio(32, &gives_way);
    assert!(gone < 0.5, "{gone} of a turn");
    assert!(ratio(32, &[]) > 0.9);
}

fn mean_and_variation(values: &[f64]) -> (f64, f64) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>();
    (mean, (squares / values.len() as f64).sqrt() / mean)
}

#[test]
fn a_batch_makes_writes_come_in_rushes_and_changes_little_in_how_many() {
    let (wa, in_step) = ended_in_intervals(&[]);
    let (wa_of_batches, batches) = ended_in_intervals(&["gc.batch=4"]);
    let (mean, variation) = mean_and_variation(&in_step);
    let (mean_of_batches, variation_of_batches) = mean_and_variation(&batches);
    assert!(
        (wa_of_batches / wa - 1.0).abs() < 0.02,
        "{wa_of_batches} programs for {wa}"
    );
    // Copies without host data between them wait less for one another: somewhat more gets done.
    let ratio = mean_of_batches / mean;
    assert!(
        (0.98..1.15).contains(&ratio),
        "{mean_of_batches} for {mean} in an interval"
    );
    assert!(
        variation_of_batches > 3.0 * variation,
        "{variation_of_batches} for {variation}"
    );
    let least = |values: &[f64]| values.iter().copied().fold(f64::NAN, f64::min);
    assert!(least(&batches) < 0.2 * least(&in_step));
}
