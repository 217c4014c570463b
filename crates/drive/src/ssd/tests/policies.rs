//! Every scheduling policy on every kind of drive: data, completions and the operation stream.

use super::*;

const BOUNDS: [&str; 4] = [
    "scheduling.overtake_max=8",
    "scheduling.suspend_max=3",
    "scheduling.suspend_time=20us",
    "scheduling.resume_time=30us",
];

const POLICIES: [&[&str]; 8] = [
    &["scheduling.order=read-first"],
    &["scheduling.order=all-reads-first"],
    &["scheduling.gc_preemptible=true"],
    &[
        "scheduling.suspend=program-erase",
        "scheduling.multi_plane=false",
    ],
    &["scheduling.order=read-first", "scheduling.suspend=erase"],
    &[
        "scheduling.order=read-first",
        "scheduling.suspend=program-erase",
        "scheduling.multi_plane=false",
        "scheduling.gc_preemptible=true",
    ],
    &["scheduling.independent_plane_reads=true"],
    &[
        "scheduling.order=all-reads-first",
        "scheduling.suspend=program-erase",
        "scheduling.multi_plane=false",
        "scheduling.independent_plane_reads=true",
    ],
];

fn build_with(kind: usize, policy: &[&str]) -> Ssd {
    let settings = [&BOUNDS, policy].concat();
    let (file, testbed) = small_with(kind, &settings);
    file.build_ssd(&testbed, RootSeed(1)).unwrap().checked()
}

#[test]
fn commands_complete_once_and_the_scheduler_does_not_change_the_stream() {
    for kind in 0..KINDS.len() {
        for policy in POLICIES {
            for (seed, depth) in [(1, 4), (2, 40)] {
                let mut timed = build_with(kind, policy);
                timed.record_inputs();
                let mut done = run(&mut timed, 700, depth, seed);
                done.sort_by_key(|c| c.id);
                let ids: Vec<u64> = done.iter().map(|c| c.id.0).collect();
                assert_eq!(ids, (0..700).collect::<Vec<_>>(), "kind {kind} {policy:?}");
                timed.layer().check_invariants();
                let mut untimed = build_with(kind, &[]);
                untimed.replay(timed.inputs());
                let hashes = [timed, untimed].map(|ssd| ssd.counters().stream_hash);
                assert_eq!(hashes[0], hashes[1], "kind {kind} {policy:?}");
            }
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_completions_under_every_policy() {
    // Few commands at a time, so that a read often finds its die at work with nothing queued.
    let planes = ["nand.planes_per_die=2", "nand.blocks_per_die=32"];
    let of = |policy: &[&str]| run(&mut build_with(0, &[&planes, policy].concat()), 1_500, 2, 5);
    let plain = of(&[]);
    for policy in POLICIES {
        let once = of(policy);
        assert!(once == of(policy), "{policy:?}");
        assert!(once != plain, "{policy:?} makes no difference");
    }
}

#[test]
fn in_order_a_read_waits_with_the_writes_before_it_that_wait_for_room() {
    // When the last of more writes than the buffer holds ends, and a read of another place that comes behind them.
    let ends = |in_order: &str| {
        let order = format!("firmware.in_order={in_order}");
        let mut ssd = build_with(X25_M, &["buffer.size=16KiB", &order]);
        for slot in 0..30 {
            let write = slot_command(CommandKind::Write, slot, SimTime::ZERO);
            ssd.submit(write, SimTime::ZERO);
        }
        let read = slot_command(CommandKind::Read, 900, SimTime::ZERO);
        ssd.submit(read, SimTime::ZERO);
        let mut done = Vec::new();
        while let Some(next) = ssd.next_event() {
            ssd.advance(next, &mut done);
        }
        let of = |id| {
            let end = done.iter().find(|end| end.id == CommandId(id));
            end.expect("it ended").at
        };
        (of(29), of(900))
    };
    let (last, read) = ends("false");
    assert!(read < last, "{read:?} after {last:?}");
    let (last, read) = ends("true");
    assert!(read >= last, "{read:?} before {last:?}");
}
