//! The write cache off: a write ends when it is programmed, on every kind of drive.

use super::*;

/// The latency of one write of 4 KiB to an idle drive, and the pages programmed before it ended.
fn one_write(drive: &mut dyn Device) -> (u64, u64) {
    let before = drive.counters().nand_programs;
    let write = Command::write(0, 0, 8, SimTime::ZERO);
    let mut done = Vec::new();
    drive.submit(write, SimTime::ZERO);
    while done.is_empty() {
        let next = drive.next_event().expect("a write ends");
        drive.advance(next, &mut done);
    }
    let programmed = drive.counters().nand_programs - before;
    (done[0].at.since(SimTime::ZERO).0, programmed)
}

#[test]
fn a_write_ends_when_it_is_programmed() {
    for kind in 0..KINDS.len() {
        let (with, _) = one_write(&mut build(kind));
        let mut ssd = build(kind);
        ssd.set_write_cache(false).unwrap();
        let (without, programmed) = one_write(&mut ssd);
        let t_program = ssd.params.nand.timing.t_program.0;
        assert!(programmed > 0, "kind {kind}");
        assert!(
            without >= t_program && without > with,
            "kind {kind}: {without} ns of {t_program}, {with} with the cache on"
        );
        ssd.set_write_cache(true).unwrap();
        assert!(ssd.cache.is_back());
    }
}

#[test]
fn every_command_ends_once_and_the_newest_data_stay() {
    for kind in 0..KINDS.len() {
        for seed in 0..6 {
            let mut ssd = build(kind);
            ssd.set_write_cache(false).unwrap();
            let depth = [1, 4, 40][seed as usize % 3];
            let mut done = run(&mut ssd, 1_000, depth, seed);
            done.sort_by_key(|c| c.id);
            let ids: Vec<u64> = done.iter().map(|c| c.id.0).collect();
            let all: Vec<u64> = (0..1_000).collect();
            assert_eq!(ids, all, "kind {kind} seed {seed}");
            ssd.layer().check_invariants();
            let left = &ssd.cache;
            assert!(
                !left.is_back() && left.is_at_rest(),
                "kind {kind} seed {seed}: {left:?}"
            );
        }
    }
}

#[test]
fn a_copy_has_the_cache_as_the_drive_has() {
    let mut ssd = build(0);
    ssd.set_write_cache(false).unwrap();
    let mut copy = ssd.snapshot();
    let mut cached = build(0);
    assert!(one_write(copy.as_mut()).0 > one_write(&mut cached).0);
}
