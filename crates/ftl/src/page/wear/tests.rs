use super::super::tests::{fill, layer_of};
use super::super::*;
use super::*;
use crate::TranslationLayer;
use crate::testing::WriteWhole;
use ftlab_base::{Geometry, RootSeed};
use rand::RngExt;

const FREE: [u32; 4] = [5, 2, 9, 2];

fn wear(s: SuperblockId) -> u32 {
    FREE[s.index()]
}

/// The order in which four free superblocks are taken.
fn order(levelling: WearLevelling, cause: Cause, least_full: u32) -> Vec<u32> {
    let mut free: VecDeque<_> = (0..4).map(SuperblockId).collect();
    let mut bounds = WearBounds::of(&FREE);
    bounds.note(least_full);
    std::iter::from_fn(|| levelling.take(&mut free, cause, wear, bounds, || Some(least_full)))
        .map(|s| s.0)
        .collect()
}

fn levelled(allocation: Allocation, spread_erases: u32, every_collections: u32) -> WearLevelling {
    WearLevelling {
        allocation,
        levelling: Some(StaticLevelling {
            spread_erases,
            every_collections,
        }),
    }
}

#[test]
fn superblocks_are_opened_as_the_allocation_says() {
    let plain = |allocation| WearLevelling {
        allocation,
        levelling: None,
    };
    let oldest = plain(Allocation::OldestFree);
    let least_worn = plain(Allocation::LeastWorn);
    assert_eq!(order(oldest, Cause::Host, 0), [0, 1, 2, 3]);
    assert_eq!(order(least_worn, Cause::Host, 0), [1, 3, 0, 2]);
}

#[test]
fn what_is_too_far_ahead_waits_for_data_that_are_moved() {
    let oldest = levelled(Allocation::OldestFree, 4, 1);
    assert_eq!(order(oldest, Cause::Host, 5), [0, 1, 2, 3], "none is");
    assert_eq!(order(oldest, Cause::Host, 2), [0, 1, 3, 2], "the third is");
    assert_eq!(order(oldest, Cause::Gc, 0), [1, 3, 0, 2], "two are");
    assert_eq!(order(oldest, Cause::Wear, 5), [2, 0, 1, 3]);
}

#[test]
fn what_is_too_far_behind_is_moved() {
    let candidates = || {
        (0..4).map(|n| Candidate {
            superblock: SuperblockId(n),
            valid_slots: 0,
            age: u64::from(n),
        })
    };
    let of = |spread_erases| StaticLevelling {
        spread_erases,
        every_collections: 1,
    };
    assert_eq!(of(6).choose(candidates(), wear, 9), Some(SuperblockId(3)));
    assert_eq!(of(7).choose(candidates(), wear, 9), None);
}

/// Order of the writes to the hot part of a drive.
#[derive(Debug, Clone, Copy)]
enum Load {
    InOrder,
    AtRandom,
    /// At random, after every superblock of cold data has lost half of them: collection mixes what
    /// is left with data that do not stay.
    AmongHalves,
}

/// By how many erases the most worn block is ahead of the least worn one, after N writes to the
/// first part of a die.
fn spread_after(writes: u32, load: Load, hot_part: u32, wear: WearLevelling) -> u32 {
    let geometry = Geometry {
        channels: 1,
        dies: 1,
        planes_per_die: 1,
        blocks_per_die: 32,
        pages_per_block: 8,
        page_bytes: 4096,
        slot_bytes: 4096,
    };
    let layout = Layout::new(geometry, 1).unwrap();
    let mut layer = layer_of::<true>(layout, 0.0, |config| {
        config.user_slots = layout.slots() * 3 / 4;
        config.wear = wear;
    });
    fill(&mut layer);
    let (slots, hot) = (layer.slots(), layer.slots() / hot_part);
    let mut rng = RootSeed(1).stream("hot part");
    let mut batch = OpBatch::default();
    let mut write = |lpn: u32| {
        let taken = layer.write_whole(Lpn(lpn), &mut batch);
        taken.unwrap();
        batch.clear();
    };
    if let Load::AmongHalves = load {
        (hot..slots)
            .filter(|lpn| lpn % 16 < 8 && lpn % 2 == 0)
            .for_each(&mut write);
    }
    for n in 0..writes {
        write(match load {
            Load::InOrder => n % hot,
            Load::AtRandom | Load::AmongHalves => rng.random_range(0..hot),
        });
    }
    layer.check_invariants();
    let erases = layer.array().erase_counts();
    erases.iter().max().unwrap() - erases.iter().min().unwrap()
}

#[test]
fn static_levelling_bounds_the_spread_of_wear_at_every_interval() {
    const WRITES: u32 = 50_000;
    const SPREAD: u32 = 4;
    const LOADS: [(Load, u32); 4] = [
        (Load::InOrder, 3),
        (Load::InOrder, 50),
        (Load::AtRandom, 3),
        (Load::AmongHalves, 10),
    ];
    let dynamic = WearLevelling {
        allocation: Allocation::LeastWorn,
        levelling: None,
    };
    let unlevelled = spread_after(WRITES, Load::InOrder, 10, dynamic);
    assert!(
        unlevelled > 600,
        "cold data keep their blocks from wearing: {unlevelled}"
    );
    for allocation in [Allocation::OldestFree, Allocation::LeastWorn] {
        for every in 1..=50 {
            // A move takes the place of every N erases, which wear whatever is hot. A superblock
            // is that only for N moves as others are hot, but may have to wait for a move that
            // finds it free; where collection mixes hot data with what is moved, for several.
            let most = SPREAD + 8 * every;
            for (load, hot_part) in LOADS {
                let wear = levelled(allocation, SPREAD, every);
                let spread = spread_after(WRITES, load, hot_part, wear);
                assert!(
                    spread <= most,
                    "{allocation:?}, a move for {every} collections, 1/{hot_part} written {load:?}: \
                     {spread} erases apart"
                );
            }
        }
    }
}
