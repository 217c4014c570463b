//! Layers written to death: whatever fails, nothing that was acknowledged is lost.

mod injected;

use crate::block::{BlockConfig, BlockLayer};
use crate::packed::{PackedConfig, PackedLayer};
use crate::page::{
    self, Allocation, Checkpoint, Greedy, Isolation, PageConfig, Separation, SlcConfig,
    StaticLevelling, WearLevelling, WhenFull,
};
use crate::testing::{StampOracle, page_config};
use crate::{Extent, Refusal, TranslationLayer};
use ftlab_base::rng::Stream;
use ftlab_base::{Content, Geometry, Layout, Lpn, Placement, RootSeed};
use ftlab_nand::{Endurance, Fence, OpBatch, Reliability};
use rand::RngExt;

/// Blocks that die after about `cycles`; a share of them in a program.
fn wearing(cycles: u32, seed: u64) -> Reliability {
    Reliability {
        seed,
        factory_bad: 0.02,
        grown_bad: 0.0,
        unreadable_pages: 0.0,
        endurance: Some(Endurance {
            rated_cycles: cycles,
            median_cycles: cycles,
            shape: 3.0,
            erase_share: 0.5,
        }),
        bit_errors: None,
    }
}

fn layout(dies: u32, stripe_dies: u32, planes: u32, slot_kib: u32) -> Layout {
    let geometry = Geometry {
        channels: dies,
        dies,
        planes_per_die: planes,
        blocks_per_die: 32 * planes,
        pages_per_block: 8,
        page_bytes: 4096,
        slot_bytes: slot_kib << 10,
    };
    Layout::new(geometry, stripe_dies).unwrap()
}

fn page_mapped(
    layout: Layout,
    (apart, tables): (bool, bool),
    fails: &Reliability,
) -> Box<dyn TranslationLayer> {
    let separation = if apart {
        Separation::ByAddress { ends: vec![20] }
    } else {
        Separation::None
    };
    separated(layout, (separation, tables), fails)
}

/// One whose host says with which data a write is to lie.
fn placed(
    layout: Layout,
    (handles, isolation): (u8, Isolation),
    fails: &Reliability,
) -> Box<dyn TranslationLayer> {
    separated(
        layout,
        (Separation::ByHost { handles, isolation }, false),
        fails,
    )
}

fn separated(
    layout: Layout,
    (separation, tables): (Separation, bool),
    fails: &Reliability,
) -> Box<dyn TranslationLayer> {
    let config = PageConfig {
        reserve_superblocks: 2 * separation.count() as u32,
        checkpoint: tables.then_some(Checkpoint {
            every_slots: 50,
            pages: 3,
        }),
        streams: separation,
        wear: WearLevelling {
            allocation: Allocation::LeastWorn,
            levelling: Some(StaticLevelling {
                spread_erases: 3,
                every_collections: 5,
            }),
        },
        reliability: Some(fails.clone()),
        ..page_config(layout.slots() * 2 / 5)
    };
    page::layer(layout, config).unwrap()
}

fn block_mapped(layout: Layout, fails: &Reliability) -> Box<dyn TranslationLayer> {
    let config = BlockConfig {
        log_blocks: 3,
        wear_every_merges: 4,
        wear_blocks: 2,
    };
    let slots = layout.slots() / 2;
    Box::new(BlockLayer::new(layout, config, slots, Some(fails.clone())).unwrap())
}

fn packed_config(raise: bool, fails: &Reliability) -> PackedConfig {
    PackedConfig {
        user_slots: 0,
        chunk_bytes: 512,
        dedup: true,
        raise,
        reads_whole: !raise,
        early_valid: None,
        reserve_superblocks: 2,
        policy: Box::new(Greedy),
        table: None,
        reliability: Some(fails.clone()),
    }
}

fn packed(layout: Layout, raise: bool, fails: &Reliability) -> Box<dyn TranslationLayer> {
    let mut config = packed_config(raise, fails);
    config.user_slots = config.slots_max(&layout) * 2 / 3;
    Box::new(PackedLayer::new(layout, config).unwrap())
}

/// Layers of every kind whose blocks are worn out after about a dozen cycles.
fn layers(seed: u64) -> Vec<(&'static str, Box<dyn TranslationLayer>)> {
    layers_of(&wearing(12, seed))
}

/// One with a cache of blocks that hold one bit a cell.
fn cached(
    layout: Layout,
    (own, more, when_full): (u32, u32, WhenFull),
    fails: &Reliability,
) -> Box<dyn TranslationLayer> {
    let config = PageConfig {
        reliability: Some(fails.clone()),
        slc: Some(SlcConfig {
            bits: 3,
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
    };
    page::layer(layout, config).unwrap()
}

/// Layers of every kind that fail in different ways.
fn layers_of(fails: &Reliability) -> Vec<(&'static str, Box<dyn TranslationLayer>)> {
    let flat = layout(2, 1, 1, 4);
    let striped = layout(4, 4, 2, 4);
    // Each arrangement that handles failures in a way of its own is here once.
    vec![
        ("flat", page_mapped(flat, (false, false), fails)),
        ("flat with tables", page_mapped(flat, (false, true), fails)),
        ("striped", page_mapped(striped, (false, false), fails)),
        (
            "striped, streams and tables",
            page_mapped(striped, (true, true), fails),
        ),
        (
            "striped, parity",
            page_mapped(striped.with_parity(3).unwrap(), (false, false), fails),
        ),
        (
            "striped, slots of units",
            page_mapped(layout(4, 2, 2, 16), (false, false), fails),
        ),
        (
            "slots of half a unit",
            page_mapped(layout(2, 1, 4, 8), (true, false), fails),
        ),
        (
            "placement handles",
            placed(striped, (3, Isolation::Initial), fails),
        ),
        (
            "placement handles, groups, isolated for good",
            placed(layout(4, 2, 2, 4), (2, Isolation::Persistent), fails),
        ),
        (
            "cache of SLC",
            cached(striped, (2, 3, WhenFull::Direct), fails),
        ),
        (
            "cache of SLC that everything passes, groups",
            cached(layout(4, 2, 2, 4), (1, 2, WhenFull::Fold), fails),
        ),
        ("block", block_mapped(flat, fails)),
        ("block, striped", block_mapped(layout(4, 4, 2, 4), fails)),
        ("block, groups", block_mapped(layout(4, 2, 1, 4), fails)),
        ("packed", packed(layout(4, 4, 1, 4), false, fails)),
        ("packed, RAISE", packed(layout(4, 4, 2, 4), true, fails)),
    ]
}

struct Life {
    layer: Box<dyn TranslationLayer>,
    oracle: StampOracle,
    batch: OpBatch,
    stream: Stream,
    writes: u32,
}

impl Life {
    fn new(layer: Box<dyn TranslationLayer>, seed: u64) -> Life {
        Life {
            oracle: StampOracle::new(&*layer),
            layer,
            batch: OpBatch::carrying_data(),
            stream: RootSeed(seed).stream("to death"),
            writes: 0,
        }
    }

    /// Copies the life with another layer in the same state.
    fn twin(&self, layer: Box<dyn TranslationLayer>) -> Life {
        Life {
            layer,
            oracle: self.oracle.clone(),
            batch: OpBatch::carrying_data(),
            stream: self.stream.clone(),
            writes: self.writes,
        }
    }

    fn write(&mut self, lpn: Lpn, extent: Extent) -> Result<(), Refusal> {
        let content = Content::RANDOM;
        let handles = self.layer.page_layer().map_or(0, |p| p.handles().len());
        let placement = lpn.0.checked_rem(handles as u32).unwrap_or(0);
        let placement = Placement(placement as u8);
        let written = self
            .layer
            .write(lpn, extent, content, placement, &mut self.batch);
        if written.is_ok() {
            self.oracle.write(lpn);
            self.writes += 1;
        }
        self.oracle.take(self.batch.moves());
        self.batch.clear();
        written.map(drop)
    }

    fn trim(&mut self, lpn: Lpn) {
        self.oracle.trim(lpn);
        self.layer.trim(lpn, 1, &mut self.batch);
        self.oracle.take(self.batch.moves());
        self.batch.clear();
    }

    fn step(&mut self) -> Result<(), Refusal> {
        let lpn = Lpn(self.stream.random_range(0..self.layer.slots()));
        match self.stream.random_range(0..20) {
            0 => self.trim(lpn),
            1 => {
                self.layer.flush(&mut self.batch);
                self.oracle.take(self.batch.moves());
                self.batch.clear();
            }
            2..=4 => self.write(lpn, Extent::Part)?,
            _ => self.write(lpn, Extent::Whole)?,
        }
        Ok(())
    }

    fn check(&self) {
        self.oracle.check(&*self.layer);
        self.layer.check_invariants();
    }
}

#[test]
fn a_drive_written_to_death_keeps_what_it_acknowledged() {
    for seed in 0..16 {
        for (name, layer) in layers(seed) {
            let mut life = Life::new(layer, seed);
            let slots = life.layer.slots();
            let refusal = loop {
                if let Err(refusal) = life.step() {
                    break refusal;
                }
                if life.writes.is_multiple_of(16) {
                    life.check();
                }
                assert!(life.writes < 100 * slots, "{name}: it lives for ever");
            };
            assert!(refusal.is_final(), "{name}: {refusal}");
            life.check();
            let faults = life.layer.array().fault_counters();
            assert!(faults.erase_failed > 0, "{name}: {faults:?}");
            let (erases, blocks) = (
                life.layer.array().counters().erases(),
                u64::from(life.layer.layout().geometry.blocks()),
            );
            assert!(
                erases > 3 * blocks,
                "{name}: {erases} erases of {blocks} blocks"
            );
            // Read-only it is, and stays, whatever is trimmed; and all can be read.
            (0..slots).for_each(|n| {
                life.layer
                    .read(Lpn(n), 1, Fence::NONE, &mut OpBatch::default())
            });
            life.trim(Lpn(3));
            life.layer.flush(&mut life.batch);
            while life.layer.work_ahead(&mut life.batch) {}
            life.oracle.take(life.batch.moves());
            life.batch.clear();
            assert_eq!(
                life.write(Lpn(3), Extent::Whole).map_err(|r| r.is_final()),
                Err(true)
            );
            life.check();
        }
    }
}

#[test]
fn programs_fail_on_the_way() {
    let mut failed = 0;
    for (_, layer) in layers(1) {
        let mut life = Life::new(layer, 1);
        while life.step().is_ok() {}
        failed += life.layer.array().fault_counters().program_failed;
    }
    assert!(failed > 50, "{failed}");
}

#[test]
fn a_failing_drive_goes_on_from_its_saved_state() {
    for (seed, turn) in [(3, 100), (4, 700), (5, 1500), (6, 2500)] {
        let of = || layers(seed).into_iter();
        for ((name, layer), (_, mut copy)) in of().zip(of()) {
            let mut life = Life::new(layer, seed);
            for _ in 0..turn {
                if life.step().is_err() {
                    break;
                }
            }
            let state = life.layer.save();
            copy.restore(state.clone())
                .unwrap_or_else(|why| panic!("{name}: {why}"));
            assert_eq!(copy.save(), state, "{name}");
            copy.check_invariants();
            let mut twin = life.twin(copy);
            loop {
                let (one, other) = (life.step(), twin.step());
                assert_eq!(one, other, "{name}");
                if one.is_err() {
                    break;
                }
            }
            let hash = |life: &Life| life.layer.array().stream_hash();
            assert_eq!(hash(&life), hash(&twin), "{name}");
        }
    }
}

#[test]
fn a_layer_of_bad_blocks_is_refused() {
    let bad = |share| {
        Some(Reliability {
            factory_bad: share,
            ..wearing(12, 1)
        })
    };
    let config = |share| PageConfig {
        reliability: bad(share),
        ..page_config(200)
    };
    let flat = layout(2, 1, 1, 4);
    assert!(page::layer(flat, config(0.01)).is_ok());
    for share in [0.6, 0.9999] {
        let why = page::layer(flat, config(share)).unwrap_err().to_string();
        assert!(why.contains("factory bad blocks leave"), "{why}");
        let config = BlockConfig {
            log_blocks: 3,
            wear_every_merges: 0,
            wear_blocks: 0,
        };
        let why = BlockLayer::new(flat, config, 200, bad(share)).unwrap_err();
        assert!(
            why.to_string().contains("factory bad blocks leave"),
            "{why}"
        );
    }
}

#[test]
fn a_packed_layer_with_next_to_nothing_to_spare_dies_in_order() {
    let layout = layout(4, 4, 2, 4);
    for seed in 0..12 {
        for spare in 0..3 {
            let mut config = packed_config(true, &wearing(12, seed));
            config.reliability.as_mut().unwrap().factory_bad = 0.0;
            config.user_slots = config.slots_max(&layout);
            // Slots of a superblock, so that it can be spared.
            config.user_slots -= spare * layout.slots_per_superblock;
            let layer = PackedLayer::new(layout, config).unwrap();
            let mut life = Life::new(Box::new(layer), seed);
            let slots = life.layer.slots();
            let refusal = loop {
                if let Err(refusal) = life.step() {
                    break refusal;
                }
                assert!(life.writes < 200 * slots, "it lives for ever");
            };
            assert!(refusal.is_final(), "{spare} to spare: {refusal}");
            life.check();
        }
    }
}
