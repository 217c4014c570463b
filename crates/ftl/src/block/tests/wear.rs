//! Data that wear levelling moves, and their new places.

use super::*;

#[test]
fn wear_levelling_moves_cold_data_onto_worn_blocks() {
    let spread = |wear_every_merges| {
        let config = BlockConfig {
            wear_every_merges,
            wear_blocks: 2,
            ..CONFIG
        };
        let mut bench = Bench::new(layout(2, 1, 1, 8, 8), config, 2 * 5 * 8);
        bench.fill();
        // Zones 0 and 1 are hot, the other three stay as they are.
        (0..4000).for_each(|n| bench.write(n % 2 * 16 + (n / 2 * 7 + 4) % 16));
        bench.check();
        assert_eq!(bench.layer.merges().wear_moves > 0, wear_every_merges > 0);
        let counts = bench.layer.array().erase_counts();
        counts.iter().max().unwrap() - counts.iter().min().unwrap()
    };
    assert!(spread(0) > 500);
    assert!(spread(10) < 50, "{}", spread(10));
}

#[test]
fn a_pass_moves_the_youngest_data_without_a_log_to_the_most_worn_free_blocks() {
    let config = BlockConfig {
        wear_blocks: 2,
        ..CONFIG
    };
    let mut bench = Bench::new(layout(1, 1, 1, 10, 8), config, 5 * 8);
    bench.fill();
    bench.layer.level_wear(&mut bench.batch);
    bench.settle(Fence::NONE);
    assert_eq!(bench.layer.merges().wear_moves, 0, "all are equally worn");

    (0..201).for_each(|n| bench.write(n % 2 * 8 + n * 5 % 8));
    bench.write(2 * 8 + 3);
    let with_log = bench.layer.data[2];
    let wear = |bench: &Bench, sb| bench.layer.pool.wear(sb);
    let free = bench.layer.pool.free(0).iter();
    let mut free: Vec<u32> = free.map(|&sb| wear(&bench, sb)).collect();
    free.sort_unstable();

    bench.layer.level_wear(&mut bench.batch);
    bench.settle(Fence::NONE);
    bench.check();
    assert_eq!(bench.layer.data[2], with_log);
    let moved = [3, 4].map(|zone: usize| wear(&bench, bench.layer.data[zone].unwrap()));
    assert!(
        free.ends_with(&[moved[1], moved[0]]),
        "{moved:?} of {free:?}"
    );
    assert!(moved[1] > 10);
}

#[test]
fn a_pass_follows_every_so_many_merges_that_copy() {
    let config = BlockConfig {
        wear_every_merges: 20,
        wear_blocks: 1,
        ..CONFIG
    };
    let mut bench = Bench::new(layout(1, 1, 1, 10, 8), config, 5 * 8);
    bench.fill();
    // Each write merges the zone of the one before; the first of them is the fill's.
    let mut moves = |writes: u32| {
        (0..writes).for_each(|n| bench.write(n % 2 * 8 + 5));
        bench.layer.merges().wear_moves
    };
    assert_eq!(moves(20), 0);
    assert_eq!(moves(2), 1);
    assert_eq!(moves(18), 1);
    assert_eq!(moves(2), 2);
}

#[test]
fn a_pass_finds_the_most_worn_superblock_at_every_interval() {
    // Zones written in turn come round at intervals, as the passes do: N logs, superblocks to
    // spare and hot zones keep step with some of them.
    for (log_blocks, spare, hot) in [(3, 4, 5), (1, 10, 2), (1, 10, 1)] {
        for wear_every_merges in 1..=50 {
            let config = BlockConfig {
                log_blocks,
                wear_every_merges,
                wear_blocks: 1,
            };
            let layout = layout(1, 1, 1, 24 + spare + log_blocks, 4);
            let mut layer = BlockLayer::new(layout, config, 24 * 4, None).unwrap();
            let mut batch = OpBatch::default();
            let in_turn = |n: u32| n % hot * 4 + (n / hot * 3 + 2) % 4;
            for n in (0..24 * 4).chain((0..10_000).map(in_turn)) {
                let taken = layer.write_whole(Lpn(n), &mut batch);
                taken.unwrap();
                batch.clear();
            }
            layer.check_invariants();
            let counts = layer.array().erase_counts();
            let spread = counts.iter().max().unwrap() - counts.iter().min().unwrap();
            assert!(
                spread <= 8 + 4 * wear_every_merges,
                "{log_blocks} logs, {spare} to spare, {hot} hot zones, a pass for {wear_every_merges} \
                 merges: {spread} erases apart"
            );
        }
    }
}
