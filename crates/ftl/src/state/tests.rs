//! A state taken over goes on as the layer it was taken from; a state that no layer can have is
//! refused, and whatever is taken over can go on.

use super::LayerState;
use crate::block::{BlockConfig, BlockLayer};
use crate::packed::{PackedConfig, PackedLayer, TableConfig};
use crate::page::{
    self, Allocation, Checkpoint, CostBenefit, DChoices, Fifo, Greedy, PageConfig, Separation,
    SlcConfig, StaticLevelling, TranslationConfig, VictimPolicy, WearLevelling, WhenFull,
};
use crate::testing::page_config;
use crate::{Extent, TranslationLayer};
use ftlab_base::rng::Stream;
use ftlab_base::{Content, Geometry, Identity, Layout, Lpn, Placement, RootSeed};
use ftlab_nand::OpBatch;
use rand::RngExt;

fn layout(planes: u32, stripe_dies: u32, slot_bytes: u32) -> Layout {
    let geometry = Geometry {
        channels: 2,
        dies: 4,
        planes_per_die: planes,
        blocks_per_die: 16 * planes,
        pages_per_block: 8,
        page_bytes: 4096,
        slot_bytes,
    };
    Layout::new(geometry, stripe_dies).unwrap()
}

fn page(layout: Layout, policy: Box<dyn VictimPolicy>, tables: bool) -> Box<dyn TranslationLayer> {
    page_with(
        layout,
        policy,
        tables,
        Separation::None,
        WearLevelling::default(),
    )
}

fn page_with(
    layout: Layout,
    policy: Box<dyn VictimPolicy>,
    tables: bool,
    separation: Separation,
    wear: WearLevelling,
) -> Box<dyn TranslationLayer> {
    let streams = separation.count() as u32;
    let config = PageConfig {
        reserve_superblocks: 2 * streams,
        streams: separation,
        wear,
        policy,
        checkpoint: tables.then_some(Checkpoint {
            every_slots: 50,
            pages: 3,
        }),
        ..page_config(layout.slots() * 2 / 5 / streams)
    };
    page::layer(layout, config).unwrap()
}

/// A layer that holds a few entries, or runs, of its mapping table in memory.
fn translated(layout: Layout, tables: bool, runs: bool) -> Box<dyn TranslationLayer> {
    let config = PageConfig {
        checkpoint: tables.then_some(Checkpoint {
            every_slots: 50,
            pages: 3,
        }),
        translation: Some(TranslationConfig {
            cached_entries: 30,
            entries_per_page: 8,
            runs,
        }),
        ..page_config(180)
    };
    page::layer(layout, config).unwrap()
}

/// A layer with a cache of blocks that hold one bit a cell.
fn cached(layout: Layout, own: u32, more: u32, when_full: WhenFull) -> Box<dyn TranslationLayer> {
    page::layer(layout, with_cache(&layout, (own, more), when_full)).unwrap()
}

/// A layer with such a cache and a mapping table on flash, of which memory holds a few entries.
fn cached_and_translated(layout: Layout) -> Box<dyn TranslationLayer> {
    let config = PageConfig {
        user_slots: 150,
        translation: Some(TranslationConfig {
            cached_entries: 30,
            entries_per_page: 8,
            runs: false,
        }),
        ..with_cache(&layout, (1, 2), WhenFull::Direct)
    };
    page::layer(layout, config).unwrap()
}

fn with_cache(layout: &Layout, (own, more): (u32, u32), when_full: WhenFull) -> PageConfig {
    PageConfig {
        slc: Some(SlcConfig {
            bits: 2,
            own_superblocks: own,
            more_superblocks: more,
            free_share: 1.0,
            gone_at: None,
            when_full,
            folds_when_out: false,
            fold_slots: None,
            folds_in_pauses: true,
        }),
        ..page_config(layout.slots() / 3)
    }
}

fn block(layout: Layout) -> Box<dyn TranslationLayer> {
    let config = BlockConfig {
        log_blocks: 3,
        wear_every_merges: 4,
        wear_blocks: 2,
    };
    Box::new(BlockLayer::new(layout, config, layout.slots() / 2, None).unwrap())
}

fn packed(
    layout: Layout,
    (raise, reads_whole): (bool, bool),
    chunk_bytes: u32,
    policy: Box<dyn VictimPolicy>,
) -> Box<dyn TranslationLayer> {
    let mut config = PackedConfig {
        user_slots: 0,
        chunk_bytes,
        dedup: true,
        raise,
        reads_whole,
        early_valid: None,
        reserve_superblocks: 2,
        policy,
        // Of two, one keeps its table on flash.
        table: reads_whole.then_some(TableConfig {
            cached_pages: 2,
            entries_per_page: 16,
        }),
        reliability: None,
    };
    config.user_slots = config.slots_max(&layout);
    Box::new(PackedLayer::new(layout, config).unwrap())
}

/// Small layers of every kind, as built.
fn layers() -> Vec<Box<dyn TranslationLayer>> {
    let choices = |d: u32| {
        let stream = RootSeed(5).stream("gc");
        Box::new(DChoices::new(d.try_into().unwrap(), stream))
    };
    let levelled = WearLevelling {
        allocation: Allocation::LeastWorn,
        levelling: Some(StaticLevelling {
            spread_erases: 3,
            every_collections: 5,
        }),
    };
    let by_address = |ends: &[u32]| Separation::ByAddress {
        ends: ends.to_vec(),
    };
    let by_age = Separation::ByAge { closings: vec![20] };
    vec![
        page(layout(1, 1, 4096), Box::new(Greedy), false),
        page(layout(2, 2, 4096), Box::new(Fifo), true),
        page(layout(1, 2, 2048), choices(1), false),
        page(layout(1, 4, 8192), Box::new(CostBenefit), true),
        page_with(
            layout(1, 1, 4096),
            choices(3),
            true,
            by_address(&[30]),
            levelled,
        ),
        page_with(
            layout(1, 1, 4096),
            choices(3),
            false,
            by_address(&[10, 30]),
            levelled,
        ),
        page_with(
            layout(1, 2, 4096),
            Box::new(Greedy),
            false,
            by_age,
            levelled,
        ),
        block(layout(1, 4, 4096)),
        block(layout(2, 1, 4096)),
        packed(layout(2, 4, 4096), (true, true), 512, Box::new(Greedy)),
        packed(layout(1, 4, 4096), (false, false), 512, choices(2)),
        packed(layout(2, 4, 2048), (true, false), 64, Box::new(Fifo)),
        translated(layout(1, 1, 4096), false, false),
        translated(layout(2, 1, 4096), false, true),
        translated(layout(2, 2, 4096), true, false),
        translated(layout(2, 2, 4096), true, true),
        cached(layout(2, 4, 4096), 1, 2, WhenFull::Direct),
        cached(layout(1, 2, 4096), 2, 0, WhenFull::Fold),
        cached_and_translated(layout(2, 2, 4096)),
    ]
}

/// Data of every kind: alone, compressible, and the same as others.
fn content(stream: &mut Stream) -> Content {
    match stream.random_range(0..8) {
        0 => Content::ZEROS,
        1 => Content::RANDOM.with_identity(Identity::of(stream.random_range(1..20_u64) << 20)),
        2 => Content::compressible(70),
        _ => Content::RANDOM,
    }
}

/// `count` random requests without time.
fn go_on(layer: &mut dyn TranslationLayer, count: u32, stream: &mut Stream) {
    let mut batch = OpBatch::default();
    batch.set_timed(false);
    for _ in 0..count {
        let first = stream.random_range(0..layer.slots());
        let slots = stream.random_range(1..=(layer.slots() - first).min(9));
        match stream.random_range(0..40) {
            0 => layer.trim(Lpn(first), slots, &mut batch),
            1 => layer.flush(&mut batch),
            39 => {
                layer.work_ahead(&mut batch);
            }
            2..5 => {
                let done = batch.fence();
                layer.read(Lpn(first), slots, done, &mut batch);
            }
            kind => {
                let extent = if kind < 9 {
                    Extent::Part
                } else {
                    Extent::Whole
                };
                let slots = if kind == 9 { slots } else { 1 };
                for lpn in first..first + slots {
                    // A layer that gave up is asked again all the same.
                    let content = content(stream);
                    let _ = layer.write(Lpn(lpn), extent, content, Placement::DEFAULT, &mut batch);
                }
            }
        }
        batch.clear();
    }
}

fn bytes(state: &LayerState) -> Vec<u8> {
    postcard::to_stdvec(state).unwrap()
}

#[test]
fn a_state_taken_over_goes_on_as_the_layer_would() {
    for (n, mut layer) in layers().into_iter().enumerate() {
        let mut stream = RootSeed(n as u64).stream("states");
        // New, filling up, collecting.
        for requests in [0, 37, 200, 2000, 1] {
            go_on(&mut *layer, requests, &mut stream);
            let saved: LayerState = postcard::from_bytes(&bytes(&layer.save())).unwrap();
            let mut other = layers().swap_remove(n);
            other.restore(saved).unwrap();
            other.check_invariants();
            let (mut own, mut same) = (layer.boxed(), stream.clone());
            go_on(&mut *own, 1000, &mut stream.clone());
            go_on(&mut *other, 1000, &mut same);
            assert_eq!(own.save(), other.save(), "layer {n} after {requests}");
            let room = own.room_size().make();
            assert_eq!(
                own.save_in(room),
                other.save(),
                "layer {n} after {requests}"
            );
        }
    }
}

#[test]
fn a_state_with_a_wrong_number_in_it_is_refused_or_can_go_on() {
    let (mut refused, mut taken) = (0, 0);
    for (n, mut layer) in layers().into_iter().enumerate() {
        let mut stream = RootSeed(n as u64).stream("damaged states");
        go_on(&mut *layer, 2000, &mut stream);
        let good = bytes(&layer.save());
        for _ in 0..2000 {
            let mut bad = good.clone();
            for _ in 0..stream.random_range(1..3) {
                let at = stream.random_range(0..bad.len());
                bad[at] ^= 1 << stream.random_range(0..8);
            }
            let Ok(state) = postcard::from_bytes::<LayerState>(&bad) else {
                continue;
            };
            let mut other = layers().swap_remove(n);
            match other.restore(state) {
                Err(why) => {
                    assert!(!why.0.is_empty());
                    refused += 1;
                }
                Ok(()) => {
                    taken += 1;
                    other.check_invariants();
                    go_on(&mut *other, 300, &mut stream);
                    other.check_invariants();
                }
            }
        }
    }
    assert!(
        refused > 3000 && taken > 500,
        "{refused} refused, {taken} taken over"
    );
}

#[test]
fn a_state_of_another_layer_is_refused() {
    for (n, layer) in layers().into_iter().enumerate() {
        for (m, mut other) in layers().into_iter().enumerate() {
            assert_eq!(other.restore(layer.save()).is_ok(), n == m, "{n} on {m}");
        }
    }
}
