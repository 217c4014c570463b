use super::*;
use crate::nand_timing::NandTiming;
use ftlab_base::PageId;
use ftlab_nand::{Cause, Order};

pub(super) const US: u64 = 1_000;
const DIE_QUEUE: u32 = 4;

fn scheduler(channels: u32, dies_per_channel: u32) -> Scheduler {
    scheduler_with(Scheduling::FCFS, channels, dies_per_channel)
}

fn scheduler_with(scheduling: Scheduling, channels: u32, dies_per_channel: u32) -> Scheduler {
    Scheduler::new(geometry(channels, dies_per_channel, 1), config(scheduling))
}

pub(super) fn geometry(channels: u32, dies_per_channel: u32, planes_per_die: u32) -> Geometry {
    Geometry {
        channels,
        dies: channels * dies_per_channel,
        planes_per_die,
        blocks_per_die: 4,
        pages_per_block: 8,
        page_bytes: 4096,
        slot_bytes: 4096,
    }
}

pub(super) fn config(scheduling: Scheduling) -> SchedulerConfig {
    let timing = NandTiming {
        t_read: Nanos(50 * US),
        t_program: Nanos(900 * US),
        page_types: 1,
        of_type: Default::default(),
        pages_per_program: 1,
        t_erase: Nanos(2_000 * US),
        slc: (Nanos(20 * US), Nanos(200 * US)),
        sector_transfer: Nanos(12 * US),
        command_transfer: Nanos(4 * US),
        read_sectors_least: 0,
    };
    SchedulerConfig::plain(timing, scheduling, DIE_QUEUE)
}

/// Reads may suspend what is at work.
pub(super) const SUSPENDING: Scheduling = Scheduling {
    order: crate::policy::DieOrder::ReadFirst,
    suspend: crate::policy::Suspend::ProgramErase,
    suspend_max: 2,
    overtake_max: 8,
    ..Scheduling::FCFS
};

pub(super) fn op(kind: OpKind, die: u16, order: Order) -> NandOp {
    NandOp {
        kind,
        cause: Cause::Host,
        planes: 1,
        slc: false,
        die: DieId(die),
        sectors: 8,
        page: PageId(0),
        order,
    }
}

pub(super) fn run(scheduler: &mut Scheduler) -> u64 {
    let mut last = SimTime::ZERO;
    while let Some(at) = scheduler.run(SimTime::NEVER, true) {
        last = at;
    }
    assert!(
        scheduler
            .dies
            .iter()
            .all(|die| die.occupied == 0 && die.queue.is_empty())
    );
    assert!(scheduler.backlog.is_empty());
    last.0 / US
}

#[test]
fn a_single_operation_takes_the_sum_of_its_phases() {
    for (kind, us) in [
        (OpKind::Read, 150),
        (OpKind::Program, 1_000),
        (OpKind::Erase, 2_000),
    ] {
        let mut s = scheduler(1, 1);
        s.issue(SimTime::ZERO, &[op(kind, 0, Order::FREE)]);
        assert_eq!(run(&mut s), us);
    }
}

#[test]
fn a_register_that_frees_the_buffer_tells_at_the_end_of_the_transfer() {
    let fence = Fence(5);
    let reached = |by_register: bool, cause: Cause| {
        let config = SchedulerConfig {
            register_frees: by_register,
            ..config(Scheduling::FCFS)
        };
        let mut s = Scheduler::new(geometry(1, 2, 1), config);
        let order = Order::FREE.signalling(fence);
        let program = NandOp {
            cause,
            ..op(OpKind::Program, 0, order)
        };
        s.issue(SimTime::ZERO, &[program]);
        s.watch(fence);
        while let Some(at) = s.run(SimTime::NEVER, true) {
            if s.pop_reached() == Some(fence) {
                assert_eq!(run(&mut s), if at.0 / US < 1_000 { 1_000 } else { 0 });
                return at.0 / US;
            }
        }
        panic!("the fence was never reached");
    };
    assert_eq!(reached(false, Cause::Host), 1_000);
    assert_eq!(reached(true, Cause::Host), 100);
    assert_eq!(
        reached(true, Cause::Gc),
        1_000,
        "copies are not in the buffer"
    );
}

#[test]
fn a_die_works_in_issue_order_on_one_operation_at_a_time() {
    let mut s = scheduler(1, 1);
    s.issue(SimTime::ZERO, &[op(OpKind::Program, 0, Order::FREE); 3]);
    assert_eq!(run(&mut s), 3_000);
}

#[test]
fn dies_on_one_channel_share_the_bus_and_overlap_their_arrays() {
    let mut s = scheduler(1, 2);
    s.issue(
        SimTime::ZERO,
        &[
            op(OpKind::Program, 0, Order::FREE),
            op(OpKind::Program, 1, Order::FREE),
        ],
    );
    assert_eq!(run(&mut s), 1_100);
}

#[test]
fn channels_are_independent() {
    let mut s = scheduler(2, 1);
    s.issue(
        SimTime::ZERO,
        &[
            op(OpKind::Program, 0, Order::FREE),
            op(OpKind::Program, 1, Order::FREE),
        ],
    );
    assert_eq!(run(&mut s), 1_000);
}

#[test]
fn a_transfer_fills_the_gap_while_another_die_senses() {
    // Die 0 senses for 50 µs; in that time the channel already moves die 1's program data.
    let mut s = scheduler(1, 2);
    s.issue(
        SimTime::ZERO,
        &[
            op(OpKind::Read, 0, Order::FREE),
            op(OpKind::Program, 1, Order::FREE),
        ],
    );
    s.step(SimTime(50 * US)).unwrap();
    assert_eq!(s.next_event(), SimTime(100 * US));
    assert_eq!(run(&mut s), 1_000);
}

#[test]
fn an_operation_waits_for_its_fence_across_dies() {
    let mut s = scheduler(2, 1);
    let copied = Fence(1);
    s.issue(
        SimTime::ZERO,
        &[
            op(OpKind::Read, 0, Order::FREE.signalling(copied)),
            op(OpKind::Program, 1, Order::after(copied)),
        ],
    );
    assert_eq!(run(&mut s), 150 + 1_000);
    assert_eq!(s.pop_spent(), Some(copied));
}

#[test]
fn a_watched_fence_is_told_once_when_all_that_signal_it_are_done() {
    let mut s = scheduler(2, 1);
    let both = Fence(3);
    let order = Order::FREE.signalling(both);
    s.issue(
        SimTime::ZERO,
        &[op(OpKind::Read, 0, order), op(OpKind::Program, 1, order)],
    );
    s.watch(both);
    // The read senses and moves its data; the program is still to end.
    s.step(SimTime::NEVER);
    s.step(SimTime::NEVER);
    assert_eq!(s.pop_reached(), None);
    run(&mut s);
    assert_eq!((s.pop_reached(), s.pop_reached()), (Some(both), None));
}

#[test]
fn saturated_programs_reach_the_rate_of_the_bottleneck() {
    // Four dies on one channel: 1000 µs a program over 4 dies against 100 µs of bus each.
    let mut s = scheduler(1, 4);
    let ops: Vec<NandOp> = (0..4_000u16)
        .map(|i| op(OpKind::Program, i % 4, Order::FREE))
        .collect();
    s.issue(SimTime::ZERO, &ops);
    let us_each = run(&mut s) as f64 / 4_000.0;
    assert!(
        (us_each / 250.0 - 1.0).abs() < 0.01,
        "{us_each} µs a program"
    );
}

#[test]
fn a_read_moves_as_much_as_the_controller_needs() {
    let takes = |kind, least| {
        let mut s = scheduler(1, 1);
        s.shared.timing.read_sectors_least = least;
        s.issue(SimTime::ZERO, &[op(kind, 0, Order::FREE)]);
        run(&mut s)
    };
    assert_eq!([0, 8].map(|least| takes(OpKind::Read, least)), [150, 150]);
    assert_eq!(takes(OpKind::Read, 16), 50 + 4 + 192);
    // A program moves its page and no more.
    assert_eq!(takes(OpKind::Program, 16), 1_000);
}

#[test]
fn planes_that_are_read_together_sense_once() {
    let pages_per_block = 8;
    let read = |page| NandOp {
        page: PageId(page),
        ..op(OpKind::Read, 0, Order::FREE.signalling(Fence(1)))
    };
    let two_planes = |planes_read: u32| {
        let config = SchedulerConfig {
            planes_read,
            ..config(Scheduling::FCFS)
        };
        Scheduler::new(geometry(1, 1, 2), config)
    };
    let take = |together: bool, pages: &[u32]| {
        let mut s = two_planes(if together { 2 } else { 1 });
        let ops: Vec<NandOp> = pages.iter().map(|&page| read(page)).collect();
        s.issue(SimTime::ZERO, &ops);
        s.watch(Fence(1));
        let us = run(&mut s);
        assert_eq!(s.pop_reached(), Some(Fence(1)));
        assert_eq!(s.activity().pages_read, pages.len() as u64);
        us
    };
    // Page 3 of the blocks 2 and 3, which are the planes of one die.
    let pair = [2 * pages_per_block + 3, 3 * pages_per_block + 3];
    assert_eq!(take(false, &pair), 2 * 150);
    assert_eq!(take(true, &pair), 50 + 4 + 2 * 96);
    // Another page, the neighbour in the next pair, and the planes in the wrong order do not go together.
    for other in [pair[1] + 1, pair[0] - pages_per_block, pair[0]] {
        assert_eq!(take(true, &[pair[0], other]), 2 * 150);
    }
    assert_eq!(take(true, &[pair[1], pair[1] + pages_per_block]), 2 * 150);
    // Nor what collection reads.
    let collected = pair.map(|page| NandOp {
        cause: Cause::Gc,
        ..read(page)
    });
    let mut s = two_planes(2);
    s.issue(SimTime::ZERO, &collected);
    assert_eq!(run(&mut s), 2 * 150);
}

#[test]
fn no_more_dies_program_at_a_time_than_the_supply_bears() {
    let programs_take = |most: Option<u32>, scheduling: Scheduling| {
        let config = SchedulerConfig {
            programs_max: most,
            ..config(scheduling)
        };
        let mut scheduler = Scheduler::new(geometry(5, 1, 1), config);
        let ops: Vec<NandOp> = (0..5)
            .map(|die| op(OpKind::Program, die, Order::FREE))
            .collect();
        scheduler.issue(SimTime::ZERO, &ops);
        run(&mut scheduler)
    };
    // All data move at the same time; programs follow by twos.
    for scheduling in [Scheduling::FCFS, SUSPENDING] {
        assert_eq!(programs_take(None, scheduling), 100 + 900);
        assert_eq!(programs_take(Some(5), scheduling), 100 + 900);
        assert_eq!(programs_take(Some(2), scheduling), 100 + 3 * 900);
        assert_eq!(programs_take(Some(1), scheduling), 100 + 5 * 900);
    }
}

#[test]
fn what_waits_for_the_supply_holds_up_no_other_die() {
    let config = SchedulerConfig {
        programs_max: Some(1),
        ..config(Scheduling::FCFS)
    };
    let mut scheduler = Scheduler::new(geometry(3, 1, 1), config);
    let ops = [
        op(OpKind::Program, 0, Order::FREE),
        op(OpKind::Program, 1, Order::FREE),
        op(OpKind::Read, 2, Order::FREE.signalling(Fence(3))),
        op(OpKind::Erase, 1, Order::FREE),
    ];
    scheduler.issue(SimTime::ZERO, &ops);
    scheduler.watch(Fence(3));
    while scheduler.pop_reached().is_none() {
        scheduler.step(SimTime::NEVER).expect("the read is done");
    }
    // The read ends after 100 µs; the first die programs all the while, the second waits with its data.
    assert_eq!(scheduler.occupancy(SimTime(100 * US)).idle, Nanos::ZERO);
    // The second program begins when the first is done, and the erase behind it after that.
    assert_eq!(run(&mut scheduler), 100 + 2 * 900 + 2_000);
}

/// How long programs of these pages take on a die of two planes whose blocks have 8 pages each, one
/// after the other, each 100 µs of transfer and 900 µs of programming.
fn programs_of_planes_take(pages: &[u32], joined: bool) -> u64 {
    let config = SchedulerConfig {
        joins_planes: joined,
        ..config(Scheduling::FCFS)
    };
    let mut s = Scheduler::new(geometry(1, 1, 2), config);
    let fences: Vec<_> = (1..=pages.len() as u32).map(Fence).collect();
    let ops: Vec<_> = pages
        .iter()
        .zip(&fences)
        .map(|(&page, &fence)| NandOp {
            page: PageId(page),
            ..op(OpKind::Program, 0, Order::FREE.signalling(fence))
        })
        .collect();
    s.issue(SimTime::ZERO, &ops);
    fences.iter().for_each(|&fence| s.watch(fence));
    let us = run(&mut s);
    let mut reached: Vec<_> = std::iter::from_fn(|| s.pop_reached()).collect();
    reached.sort_unstable();
    assert_eq!(reached, fences, "each program is told once");
    assert_eq!(s.activity().pages_programmed, pages.len() as u64);
    us
}

#[test]
fn pages_of_neighbouring_planes_are_programmed_together() {
    // Page 3 of blocks 0 and 1.
    assert_eq!(programs_of_planes_take(&[3, 11], false), 2 * 1_000);
    assert_eq!(programs_of_planes_take(&[3, 11], true), 2 * 100 + 900);
    // Twice, since the die's queue has both pairs.
    assert_eq!(
        programs_of_planes_take(&[3, 11, 4, 12], true),
        2 * (2 * 100 + 900)
    );
}

#[test]
fn what_is_no_pair_of_planes_is_programmed_by_itself() {
    for pages in [
        // Another page of the next block, the planes the other way round, the same block, and the
        // next block of another pair.
        [3, 12],
        [11, 3],
        [3, 4],
        [11, 19],
    ] {
        assert_eq!(
            programs_of_planes_take(&pages, true),
            2 * 1_000,
            "{pages:?}"
        );
    }
}

#[test]
#[should_panic(expected = "programs that are joined are suspended")]
fn programs_that_may_be_suspended_are_not_joined() {
    let config = SchedulerConfig {
        joins_planes: true,
        ..config(SUSPENDING)
    };
    let _ = Scheduler::new(geometry(1, 1, 1), config);
}

#[test]
fn a_full_die_queue_holds_up_what_is_behind_where_dispatch_is_in_order() {
    let config = SchedulerConfig {
        dispatch: Dispatch::InOrder,
        ..config(Scheduling::FCFS)
    };
    let mut s = Scheduler::new(geometry(2, 1, 1), config);
    let program = |die| op(OpKind::Program, die, Order::FREE);
    s.issue(SimTime::ZERO, &[program(0); DIE_QUEUE as usize]);
    assert!(s.wants_more());
    s.issue(SimTime::ZERO, &[program(0), program(1)]);
    assert!(!s.wants_more());
    // Die 1 begins only when die 0 has finished one: 1000 µs, and 1000 µs of its own.
    s.step(SimTime(100 * US));
    assert_eq!(s.next_event(), SimTime(1_000 * US));
    s.step(SimTime::NEVER);
    assert!(s.wants_more());
    assert_eq!(run(&mut s), 5_000);
}

#[test]
fn a_full_die_queue_holds_up_nothing_where_dies_have_lists_of_their_own() {
    let mut s = scheduler(2, 1);
    let program = |die| op(OpKind::Program, die, Order::FREE);
    s.issue(SimTime::ZERO, &[program(0); 2 * DIE_QUEUE as usize - 1]);
    assert!(s.wants_more(), "there is room for one in all");
    s.issue(SimTime::ZERO, &[program(1)]);
    assert!(!s.wants_more());
    // Both begin at once, as far as the channel lets them.
    let first = s.step(SimTime::NEVER);
    assert!(first.is_some());
    assert_eq!(run(&mut s), 1_000 * (2 * u64::from(DIE_QUEUE) - 1));
}

#[test]
fn several_operations_of_a_batch_wait_for_one_fence() {
    let mut s = scheduler(3, 1);
    let read = Fence(1);
    let after = Order::after(read);
    s.issue(
        SimTime::ZERO,
        &[
            op(OpKind::Read, 0, Order::FREE.signalling(read)),
            op(OpKind::Program, 1, after),
            op(OpKind::Program, 2, after),
            op(OpKind::Program, 0, after),
        ],
    );
    assert_eq!(run(&mut s), 150 + 1_000);
    assert_eq!((s.pop_spent(), s.pop_spent()), (Some(read), None));
}

mod policies;

#[test]
fn the_pages_of_a_word_line_take_times_of_their_own() {
    // Three pages of two planes: blocks 0 and 1 hold the first page, 2 and 3 the second, 4 and 5 the last.
    let pages_per_block = 8;
    let take = |blocks: &[u32]| {
        let times = [40, 50, 60, 0].map(|us| Nanos(us * US));
        let plain = config(Scheduling::FCFS);
        let config = SchedulerConfig {
            timing: NandTiming {
                page_types: 3,
                of_type: times,
                pages_per_program: 3,
                ..plain.timing
            },
            planes_read: 2,
            ..plain
        };
        let mut s = Scheduler::new(geometry(1, 1, 6), config);
        let read = |block: &u32| NandOp {
            page: PageId(block * pages_per_block),
            ..op(OpKind::Read, 0, Order::FREE)
        };
        let ops: Vec<NandOp> = blocks.iter().map(read).collect();
        s.issue(SimTime::ZERO, &ops);
        run(&mut s)
    };
    let moved = 4 + 2 * 96;
    assert_eq!(take(&[0, 1]), 40 + moved);
    assert_eq!(take(&[2, 3]), 50 + moved);
    assert_eq!(take(&[4, 5]), 60 + moved);
    // Different pages are sensed one after the other.
    assert_eq!(take(&[1, 2]), 40 + 100 + 50 + 100);
}

#[test]
fn pages_that_share_cells_one_after_the_other_take_times_of_their_own() {
    let take = |kind, page: u32| {
        let mut s = scheduler(1, 1);
        let times = [56, 78, 106, 0].map(|us| Nanos(us * US));
        (s.shared.timing.page_types, s.shared.timing.of_type) = (3, times);
        let page = PageId(page);
        s.issue(
            SimTime::ZERO,
            &[NandOp {
                page,
                ..op(kind, 0, Order::FREE)
            }],
        );
        run(&mut s)
    };
    // Pages 0 to 7 are those of a block: the types begin anew in the next one.
    for (page, read) in [(0, 56), (1, 78), (5, 106), (8, 56)] {
        assert_eq!(take(OpKind::Read, page), read + 100, "page {page}");
        assert_eq!(take(OpKind::Program, page), 900 + 100, "page {page}");
    }
}
