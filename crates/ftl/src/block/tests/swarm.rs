//! Random streams on tiny arrays, each run with some kinds of requests switched off.

use super::*;

fn random_bench(stream: &mut Stream) -> Bench {
    let dies = [1, 2, 4][stream.random_range(0..3)];
    let stripe_dies = [1, dies][stream.random_range(0..2)];
    let planes = stream.random_range(1..=2);
    let pages = stream.random_range(2..=5);
    let layout = layout(dies, stripe_dies, planes, 8, pages);
    let config = BlockConfig {
        log_blocks: stream.random_range(1..=3),
        wear_every_merges: [0, 1, 5][stream.random_range(0..3)],
        wear_blocks: stream.random_range(0..=3),
    };
    let zone = layout.groups * layout.slots_per_superblock;
    let slots = stream.random_range(1..=3 * zone);
    Bench::new(layout, config, slots)
}

/// A random request of the host, of one of seven kinds.
fn step(bench: &mut Bench, kind: u32, stream: &mut Stream) {
    let slots = bench.layer.slots();
    let first = stream.random_range(0..slots);
    let count = stream.random_range(1..=slots - first);
    match kind {
        0 => bench.write(first),
        1 => bench.write_extent(first, Extent::Part),
        2 => (first..first + count).for_each(|n| bench.write(n)),
        3 => bench.trim(first, 1),
        4 => bench.trim(first, count),
        5 => bench.read(first, count),
        _ => bench.layer.flush(&mut bench.batch),
    }
}

#[test]
fn any_stream_keeps_the_newest_data() {
    for seed in 0..500 {
        let mut stream = RootSeed(seed).stream("block swarm");
        let mut bench = random_bench(&mut stream);
        let mut kinds: Vec<u32> = (0..7).filter(|_| stream.random_ratio(1, 2)).collect();
        kinds.push(0);
        for _ in 0..100 {
            let kind = kinds[stream.random_range(0..kinds.len())];
            step(&mut bench, kind, &mut stream);
            bench.check();
        }
        bench.fences.finish();
    }
}

#[test]
fn a_clone_goes_on_as_the_original_would() {
    let mut stream = RootSeed(7).stream("block clone");
    let mut bench = random_bench(&mut stream);
    (0..50).for_each(|_| step(&mut bench, 0, &mut stream));
    let mut copy = bench.layer.clone();
    for _ in 0..50 {
        let lpn = Lpn(stream.random_range(0..copy.slots()));
        bench.write(lpn.0);
        let _ = copy.write_whole(lpn, &mut OpBatch::default());
    }
    assert_eq!(
        copy.array().stream_hash(),
        bench.layer.array().stream_hash()
    );
}
