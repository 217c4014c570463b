//! Failure of one die under parity: its data are read from the others and rebuilt, and no second die may fail.

use super::*;
use ftlab_nand::InjectionRefused;

/// The pages of the row that a page lies in, one on each die: dies and blocks are numbered alike.
fn row_of(geometry: &Geometry, page: u32) -> BTreeSet<u32> {
    let pages_per_die = geometry.blocks_per_die * geometry.pages_per_block;
    let of_die = page % pages_per_die;
    (0..geometry.dies())
        .map(|die| die * pages_per_die + of_die)
        .collect()
}

fn used(seed: u64) -> (Bench, Stream) {
    let geometry = geometry(5, 2, 10, 4);
    let mut bench = Bench::new(geometry, config(300)).unwrap();
    let mut rng = RootSeed(seed).stream("die");
    for _ in 0..1_000 {
        let lpn = rng.random_range(0..300);
        bench.write(lpn, Extent::Whole, random_content(&mut rng));
    }
    (bench, rng)
}

/// Fails a die; gives nothing to wait for.
fn fail(bench: &mut Bench, die: u16) {
    bench.layer.fail_die(DieId(die), &mut bench.batch).unwrap();
    bench.take();
    bench.check();
}

fn rebuild(bench: &mut Bench) -> u32 {
    let mut steps = 0;
    while bench.layer.rebuild(&mut bench.batch) {
        bench.take();
        bench.check();
        steps += 1;
        assert!(steps < 100, "a rebuild without end");
    }
    steps
}

#[test]
fn what_a_failed_die_held_is_read_from_the_rest_of_its_row() {
    for die in 0..5 {
        let (mut bench, _) = used(u64::from(die));
        let geometry = bench.layer.layout().geometry;
        let stored: Vec<u32> = (0..300)
            .filter(|&lpn| bench.layer.lookup(Lpn(lpn)).is_some())
            .collect();
        bench.flush();
        let healthy: Vec<_> = stored.iter().map(|&lpn| bench.read(lpn, 1)).collect();
        fail(&mut bench, die);
        let mut made_good = 0;
        for (lpn, before) in stored.iter().zip(healthy) {
            let pages = |ops: &[ftlab_nand::NandOp]| -> Vec<u32> {
                ops.iter().map(|op| op.page.0).collect()
            };
            let mut expected = Vec::new();
            for op in &before {
                if op.die == DieId(die) {
                    made_good += 1;
                    let row = row_of(&geometry, op.page.0);
                    expected.extend(row.into_iter().filter(|page| *page != op.page.0));
                } else {
                    expected.push(op.page.0);
                }
            }
            assert_eq!(pages(&bench.read(*lpn, 1)), expected, "LPN {lpn}");
        }
        assert!(made_good > 20, "only {made_good} pages were on die {die}");
        bench.finish();
    }
}

#[test]
fn a_drive_goes_on_without_a_die_and_is_rebuilt() {
    for die in 0..5 {
        let (mut bench, mut rng) = used(10 + u64::from(die));
        fail(&mut bench, die);
        assert!(bench.layer.is_degraded());
        for n in 0..400 {
            let lpn = rng.random_range(0..300);
            bench.write(lpn, Extent::Whole, random_content(&mut rng));
            if n % 50 == 0 {
                bench.check();
            }
        }
        assert!(rebuild(&mut bench) > 0);
        assert!(!bench.layer.is_degraded());
        for lpn in 0..300 {
            for op in bench.read(lpn, 1) {
                assert_ne!(op.die, DieId(die));
                assert_eq!(op.kind, OpKind::Read);
            }
        }
        // What was promised to the host still fits, without a die.
        for _ in 0..1_000 {
            bench.put(rng.random_range(0..300));
        }
        bench.check();
        bench.finish();
    }
}

#[test]
fn parity_covers_one_die_and_only_with_parity() {
    let (mut bench, _) = used(1);
    let mut other = OpBatch::default();
    let error = bench.layer.fail_die(DieId(5), &mut other).unwrap_err();
    assert_eq!(
        error,
        InjectionRefused::NoDie {
            die: DieId(5),
            dies: 5
        }
    );
    fail(&mut bench, 2);
    let error = bench.layer.fail_die(DieId(3), &mut other).unwrap_err();
    assert!(error.to_string().contains("die 2 failed before"), "{error}");
    let plain = PackedConfig {
        raise: false,
        ..config(300)
    };
    let mut plain = Bench::new(geometry(5, 2, 10, 4), plain).unwrap();
    let error = plain.layer.fail_die(DieId(0), &mut other).unwrap_err();
    assert_eq!(error, InjectionRefused::NoParity(DieId(0)));
    assert!(!plain.layer.rebuild(&mut other));
}
