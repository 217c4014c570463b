//! What each policy does to small schedules that can be worked out by hand. A read takes 50 µs and
//! a transfer of 100 µs, a program a transfer and 900 µs, an erase 2 ms.

use super::*;
use crate::policy::{DieOrder, Suspend};
use ftlab_base::RootSeed;
use ftlab_base::rng::Stream;
use rand::Rng;
use std::collections::BTreeSet;

const READ: u64 = 150;
const PROGRAM: u64 = 1_000;
const ERASE: u64 = 2_000;
/// Fences that tell when an operation is done.
const FIRST_TOLD: u32 = 100;

const READ_FIRST: Scheduling = Scheduling {
    order: DieOrder::ReadFirst,
    overtake_max: 4,
    ..Scheduling::FCFS
};

const GC_PREEMPTIBLE: Scheduling = Scheduling {
    gc_preemptible: true,
    overtake_max: 4,
    ..Scheduling::FCFS
};

fn suspending(suspend: Suspend) -> Scheduling {
    Scheduling {
        suspend,
        suspend_time: Nanos(10 * US),
        resume_time: Nanos(20 * US),
        suspend_max: 2,
        ..READ_FIRST
    }
}

/// An operation on a block of die 0.
fn on(kind: OpKind, block: u32, cause: Cause) -> NandOp {
    NandOp {
        cause,
        page: PageId(block * 8),
        ..op(kind, 0, Order::FREE)
    }
}

fn read(block: u32) -> NandOp {
    on(OpKind::Read, block, Cause::Host)
}

fn program(block: u32) -> NandOp {
    on(OpKind::Program, block, Cause::Host)
}

fn erase(block: u32) -> NandOp {
    on(OpKind::Erase, block, Cause::Gc)
}

/// Issues each operation at its instant in µs; gives when each was done.
fn done_at(scheduling: Scheduling, ops: &[(u64, NandOp)]) -> Vec<u64> {
    ends(&mut scheduler_with(scheduling, 1, 1), ops)
}

fn ends(s: &mut Scheduler, ops: &[(u64, NandOp)]) -> Vec<u64> {
    let (mut next, mut ends) = (0, vec![0; ops.len()]);
    loop {
        let at = s.next_event().0;
        match ops.get(next) {
            Some(&(us, op)) if us * US < at => {
                let told = Fence(FIRST_TOLD + next as u32);
                let order = op.order.signalling(told);
                s.issue(SimTime(us * US), &[NandOp { order, ..op }]);
                s.watch(told);
                next += 1;
            }
            _ if at == SimTime::NEVER.0 => return ends,
            _ => {
                s.step(SimTime(at));
                while let Some(told) = s.pop_reached() {
                    ends[(told.0 - FIRST_TOLD) as usize] = at / US;
                }
            }
        }
    }
}

#[test]
fn in_order_a_read_waits_for_all_that_is_queued() {
    let ops = [(0, program(1)), (0, program(2)), (10, read(0))];
    assert_eq!(
        done_at(Scheduling::FCFS, &ops),
        [PROGRAM, 2 * PROGRAM, 2 * PROGRAM + READ]
    );
}

#[test]
fn a_read_first_passes_what_has_not_started() {
    let ops = [
        (0, program(1)),
        (0, erase(2)),
        (0, program(3)),
        (10, read(0)),
    ];
    assert_eq!(
        done_at(READ_FIRST, &ops),
        [
            PROGRAM,
            PROGRAM + READ + ERASE,
            2 * PROGRAM + READ + ERASE,
            PROGRAM + READ
        ]
    );
}

#[test]
fn what_collection_reads_passes_programs_if_all_reads_are_first() {
    let collected = on(OpKind::Read, 0, Cause::Gc);
    let ops = [
        (0, program(1)),
        (0, program(2)),
        (10, collected),
        (20, read(3)),
    ];
    let all_reads = Scheduling {
        order: DieOrder::AllReadsFirst,
        ..READ_FIRST
    };
    // The host's read first, though it came later.
    let ends = [
        PROGRAM,
        2 * PROGRAM + 2 * READ,
        PROGRAM + 2 * READ,
        PROGRAM + READ,
    ];
    assert_eq!(done_at(all_reads, &ops), ends);
    let ends = [
        PROGRAM,
        2 * PROGRAM + READ,
        2 * PROGRAM + 2 * READ,
        PROGRAM + READ,
    ];
    assert_eq!(done_at(READ_FIRST, &ops), ends);
}

#[test]
fn a_read_does_not_pass_the_program_of_its_block() {
    let ops = [
        (0, program(1)),
        (0, program(2)),
        (0, program(3)),
        (10, read(2)),
        (20, read(1)),
    ];
    let both = READ + READ;
    assert_eq!(
        done_at(READ_FIRST, &ops),
        [
            PROGRAM,
            2 * PROGRAM + READ,
            3 * PROGRAM + both,
            2 * PROGRAM + both,
            PROGRAM + READ
        ]
    );
}

#[test]
fn an_erase_passes_no_read_of_its_block() {
    // The read of block 2 has to wait for the program, the erase of block 2 for the read.
    let host_erase = on(OpKind::Erase, 2, Cause::Host);
    for scheduling in [READ_FIRST, GC_PREEMPTIBLE] {
        let ops = [
            (0, program(1)),
            (0, on(OpKind::Read, 2, Cause::Gc)),
            (0, host_erase),
        ];
        let ends = done_at(scheduling, &ops);
        assert_eq!(ends, [PROGRAM, PROGRAM + READ, PROGRAM + READ + ERASE]);
    }
}

#[test]
fn a_read_goes_round_the_backlog() {
    let mut s = scheduler_with(READ_FIRST, 1, 1);
    let ops: Vec<_> = (0..2 * DIE_QUEUE).map(|_| (0, program(1))).collect();
    let with_read = [&ops[..], &[(10, read(0)), (20, read(1))]].concat();
    let ends = ends(&mut s, &with_read);
    assert_eq!(ends[ops.len()], PROGRAM + READ, "another block");
    let last = 2 * u64::from(DIE_QUEUE) * PROGRAM + 2 * READ;
    assert_eq!(ends[ops.len() + 1], last, "the block of what is queued");
}

#[test]
fn reads_do_not_starve_what_they_pass() {
    // A read every 100 µs, more than the die can do, for as long as ten programs take.
    let mut ops = vec![(0, program(1)), (0, program(2)), (0, program(3))];
    ops.extend((1..100).map(|n| (n * 100, read(0))));
    let ends = done_at(READ_FIRST, &ops);
    let passed = u64::from(READ_FIRST.overtake_max) * READ;
    assert_eq!(
        ends[..3],
        [PROGRAM, 2 * PROGRAM + passed, 3 * PROGRAM + 2 * passed]
    );
}

#[test]
fn collection_lets_the_host_pass_but_not_for_ever() {
    let gc_read = on(OpKind::Read, 3, Cause::Gc);
    let ops = [(0, gc_read), (0, gc_read), (0, gc_read), (0, program(1))];
    assert_eq!(
        done_at(GC_PREEMPTIBLE, &ops),
        [READ, 2 * READ + PROGRAM, 3 * READ + PROGRAM, READ + PROGRAM]
    );
    // Four pass the collection that waits, and then it is its turn.
    let mut ops = vec![(0, gc_read), (0, gc_read)];
    ops.extend((0..8).map(|n| (10 + n, read(0))));
    let ends = done_at(GC_PREEMPTIBLE, &ops);
    assert_eq!(ends[..2], [READ, READ + 4 * READ + READ]);
}

#[test]
fn a_host_program_does_not_pass_the_erase_of_its_block() {
    let ops = [
        (0, on(OpKind::Read, 3, Cause::Gc)),
        (0, erase(1)),
        (0, program(1)),
        (0, program(2)),
    ];
    // Nor does the program behind it, which is of the same rank.
    let ends = done_at(GC_PREEMPTIBLE, &ops);
    let first = READ + ERASE;
    assert_eq!(ends, [READ, first, first + PROGRAM, first + 2 * PROGRAM]);
}

#[test]
fn a_read_suspends_what_it_may() {
    let ops = [(0, erase(1)), (500, read(0))];
    let read_ends = 500 + 10 + READ;
    let suspended = [read_ends + 20 + (ERASE - 500), read_ends];
    for what in [Suspend::Erase, Suspend::ProgramErase] {
        assert_eq!(done_at(suspending(what), &ops), suspended);
    }
    let ops = [(0, program(1)), (500, read(0))];
    let suspended = [read_ends + 20 + (PROGRAM - 500), read_ends];
    assert_eq!(done_at(suspending(Suspend::ProgramErase), &ops), suspended);
    let in_turn = [PROGRAM, PROGRAM + READ];
    assert_eq!(done_at(suspending(Suspend::Erase), &ops), in_turn);
}

#[test]
fn a_program_whose_data_still_move_is_suspended_when_they_have() {
    let ops = [(0, program(1)), (60, read(0))];
    let read_ends = 100 + 10 + READ;
    let scheduling = suspending(Suspend::ProgramErase);
    assert_eq!(
        done_at(scheduling, &ops),
        [read_ends + 20 + PROGRAM - 100, read_ends]
    );
}

#[test]
fn a_program_that_waits_for_its_channel_is_suspended_for_a_read_that_comes_meanwhile() {
    // The other die's data hold the channel until 100.
    let other = NandOp {
        die: DieId(1),
        ..program(9)
    };
    let ops = [(0, other), (0, program(1)), (50, read(0))];
    let mut s = scheduler_with(suspending(Suspend::ProgramErase), 1, 2);
    assert_eq!(ends(&mut s, &ops)[2], 200 + 10 + READ);
}

#[test]
fn a_read_between_two_points_of_an_erase_waits_for_the_next() {
    let scheduling = Scheduling {
        suspend_every: Nanos(200 * US),
        ..suspending(Suspend::Erase)
    };
    // It works on until then, and has that much less to do afterwards.
    let read_ends = 600 + 10 + READ;
    let at_600 = [read_ends + 20 + (ERASE - 600), read_ends];
    for arrives in [401, 500, 600] {
        let ops = [(0, erase(1)), (arrives, read(0))];
        assert_eq!(done_at(scheduling, &ops), at_600, "{arrives}");
    }
    // Behind the last point there is none.
    let last = ERASE.next_multiple_of(200) - 200;
    let ops = [(0, erase(1)), (last + 1, read(0))];
    assert_eq!(done_at(scheduling, &ops), [ERASE, ERASE + READ]);
}

#[test]
fn what_ends_sooner_than_a_suspension_takes_is_left_alone() {
    let ops = [(0, erase(1)), (ERASE - 10, read(0))];
    let scheduling = suspending(Suspend::Erase);
    assert_eq!(done_at(scheduling, &ops), [ERASE, ERASE + READ]);
}

#[test]
fn a_program_is_not_suspended_for_a_read_of_its_block() {
    let ops = [(0, program(1)), (500, read(1))];
    let scheduling = suspending(Suspend::ProgramErase);
    assert_eq!(done_at(scheduling, &ops), [PROGRAM, PROGRAM + READ]);
}

#[test]
fn an_operation_is_suspended_so_often_and_no_more() {
    let ops = [
        (0, erase(1)),
        (100, read(0)),
        (400, read(0)),
        (700, read(0)),
    ];
    // Each suspension costs the two commands and a read; the third read waits.
    let erase_ends = ERASE + 2 * (10 + READ + 20);
    assert_eq!(
        done_at(suspending(Suspend::Erase), &ops),
        [erase_ends, 260, 560, erase_ends + READ]
    );
}

#[test]
fn reads_do_not_starve_what_is_suspended() {
    let mut ops = vec![(0, erase(1))];
    ops.extend((1..60).map(|n| (n * 100, read(0))));
    let scheduling = suspending(Suspend::Erase);
    let once = 10 + u64::from(scheduling.overtake_max) * READ + 20;
    let times = u64::from(scheduling.suspend_max);
    assert_eq!(done_at(scheduling, &ops)[0], ERASE + times * once);
}

#[test]
fn in_order_a_read_suspends_only_when_it_is_next() {
    let scheduling = Scheduling {
        order: DieOrder::Fcfs,
        ..suspending(Suspend::Erase)
    };
    let next = [(0, erase(1)), (500, read(0))];
    assert_eq!(done_at(scheduling, &next)[1], 500 + 10 + READ);
    let behind = [(0, erase(1)), (0, program(2)), (500, read(0))];
    assert_eq!(
        done_at(scheduling, &behind),
        [ERASE, ERASE + PROGRAM, ERASE + PROGRAM + READ]
    );
}

#[test]
fn a_die_that_sleeps_on_a_fence_takes_reads_meanwhile() {
    let mut s = scheduler_with(READ_FIRST, 2, 1);
    let copied = Fence(1);
    let source = op(OpKind::Program, 1, Order::FREE.signalling(copied));
    let copy = NandOp {
        order: Order::after(copied),
        ..program(1)
    };
    s.issue(SimTime::ZERO, &[source, copy]);
    let ends = ends(&mut s, &[(100, read(0)), (900, read(0)), (901, program(2))]);
    // The copy waits for the other die until 1000, and then for the read that began before.
    assert_eq!(ends, [100 + READ, 900 + READ, 900 + READ + 2 * PROGRAM]);
    assert_eq!(s.pop_spent(), Some(copied));
}

/// Operations of all kinds and causes on four blocks of each of two dies, with random pauses.
fn random_ops(rng: &mut Stream) -> Vec<(u64, NandOp)> {
    let mut us = 0;
    let mut pick = |n: u64| rng.next_u64() % n;
    let mut ops = Vec::new();
    for _ in 0..400 {
        us += pick(5) / 4 * pick(2_000);
        let kinds = [OpKind::Read, OpKind::Read, OpKind::Program, OpKind::Erase];
        let op = on(
            kinds[pick(4) as usize],
            pick(4) as u32,
            [Cause::Host, Cause::Gc][pick(2) as usize],
        );
        ops.push((
            us,
            NandOp {
                die: DieId(pick(2) as u16),
                ..op
            },
        ));
    }
    ops
}

#[test]
fn whatever_the_policy_each_block_sees_its_operations_in_order() {
    let all = [
        Scheduling::FCFS,
        READ_FIRST,
        GC_PREEMPTIBLE,
        suspending(Suspend::ProgramErase),
        Scheduling {
            order: DieOrder::Fcfs,
            ..suspending(Suspend::Erase)
        },
        Scheduling {
            gc_preemptible: true,
            ..suspending(Suspend::ProgramErase)
        },
    ];
    let mut seen = BTreeSet::new();
    for scheduling in all {
        for seed in 0..20 {
            let ops = random_ops(&mut RootSeed(seed).stream("schedule"));
            let run = || ends(&mut scheduler_with(scheduling, 1, 2), &ops);
            let ends = run();
            assert_eq!(ends, run());
            seen.insert(ends.clone());
            assert!(
                ends.iter().all(|&end| end > 0),
                "{scheduling:?}: one is lost"
            );
            for (n, (_, op)) in ops.iter().enumerate() {
                for (m, (_, other)) in ops.iter().enumerate().take(n) {
                    let both_read = op.kind == OpKind::Read && other.kind == OpKind::Read;
                    // What collection has yet to copy is read where it was.
                    let is_of_collection =
                        |op: &NandOp| matches!(op.cause, Cause::Gc | Cause::Wear);
                    let reads_source = op.kind == OpKind::Read
                        && !is_of_collection(op)
                        && other.kind == OpKind::Program
                        && is_of_collection(other);
                    let same = (op.die, op.page) == (other.die, other.page);
                    if same && !both_read && !reads_source {
                        assert!(
                            ends[m] < ends[n],
                            "{scheduling:?}, seed {seed}: {m} and {n}"
                        );
                    }
                }
            }
        }
    }
    assert_eq!(seen.len(), 6 * 20, "every policy makes a difference");
}
