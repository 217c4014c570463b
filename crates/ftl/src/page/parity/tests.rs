//! Cost of parity, and the data that it saves.

use crate::page::tests::{layer_of, uniform};
use crate::page::{Checkpoint, PageLayer};
use crate::testing::WriteWhole;
use crate::{Room, TranslationLayer};
use ftlab_base::rng::Stream;
use ftlab_base::{Geometry, Layout, Lpn, PagePlace, RootSeed};
use ftlab_nand::{Fence, OpBatch, Reliability};

/// Superblocks of four dies with two planes, four slots a page.
fn layout(blocks_per_die: u32) -> Layout {
    let geometry = Geometry {
        channels: 4,
        dies: 4,
        planes_per_die: 2,
        blocks_per_die,
        pages_per_block: 16,
        page_bytes: 16384,
        slot_bytes: 4096,
    };
    Layout::new(geometry, 4).unwrap()
}

fn protected(blocks_per_die: u32, data_units: u32) -> PageLayer<false> {
    layer_of(
        layout(blocks_per_die).with_parity(data_units).unwrap(),
        0.2,
        |_| {},
    )
}

/// One whose array fails on demand, and never by itself.
fn that_can_fail() -> PageLayer<false> {
    layer_of(layout(64).with_parity(3).unwrap(), 0.3, |config| {
        config.reliability = Some(Reliability {
            seed: 1,
            factory_bad: 0.0,
            grown_bad: 0.0,
            unreadable_pages: 0.0,
            endurance: None,
            bit_errors: None,
        });
    })
}

fn write(layer: &mut PageLayer<false>, lpn: Lpn) {
    let mut batch = OpBatch::default();
    let written = layer.write_whole(lpn, &mut batch);
    written.unwrap();
}

fn fill(layer: &mut PageLayer<false>) {
    (0..layer.slots()).for_each(|lpn| write(layer, Lpn(lpn)));
}

/// Pages programmed for each page of data that the host wrote at random.
fn random(layer: &mut PageLayer<false>, rng: &mut Stream) -> f64 {
    let before = layer.array().counters();
    let count = 4 * layer.slots();
    for _ in 0..count {
        let lpn = uniform(rng, layer.slots());
        write(layer, lpn);
    }
    let pages = layer.array().counters().since(&before).programs();
    pages as f64 / (f64::from(count) / 4.0)
}

#[test]
fn parity_costs_its_share_beside_what_the_room_for_data_costs() {
    for data_units in [3, 15] {
        let share = f64::from(data_units + 1) / f64::from(data_units);
        let mut protected = protected(64, data_units);
        // The same room for data on an array without parity: 64 program units of a superblock, less what parity takes.
        let mut geometry = layout(64).geometry;
        geometry.pages_per_block = geometry.pages_per_block * data_units / (data_units + 1);
        let mut plain = layer_of(Layout::new(geometry, 4).unwrap(), 0.2, |_| {});
        assert_eq!(protected.slots(), plain.slots());
        let amplification = [&mut protected, &mut plain].map(|layer| {
            let mut rng = RootSeed(1).stream("parity");
            fill(layer);
            random(layer, &mut rng);
            random(layer, &mut rng)
        });
        let ratio = amplification[0] / amplification[1];
        assert!((ratio / share - 1.0).abs() < 1e-3, "{ratio} for {share}");
        protected.check_invariants();
    }
}

/// Place at which a page of a slot is programmed.
fn place(layer: &PageLayer<false>, lpn: Lpn) -> PagePlace {
    let (superblock, n) = layer.layout().locate(layer.lookup(lpn).unwrap());
    layer
        .layout()
        .page(superblock, layer.layout().pages_of_slot(n).0)
}

/// Pages read for a slot, and whether its data came.
fn read(layer: &mut PageLayer<false>, lpn: Lpn) -> (u64, bool) {
    let (mut batch, before) = (OpBatch::default(), layer.array().counters());
    let can = layer.can_read(lpn);
    layer.read(lpn, 1, Fence::NONE, &mut batch);
    (layer.array().counters().since(&before).reads(), can)
}

#[test]
fn a_page_beyond_correction_is_made_good_by_its_stripe() {
    let mut layer = that_can_fail();
    fill(&mut layer);
    let spoiled = place(&layer, Lpn(0));
    assert_eq!(read(&mut layer, Lpn(0)), (1, true));
    layer.array_mut().spoil(&[spoiled]).unwrap();
    assert_eq!(
        read(&mut layer, Lpn(0)),
        (4, true),
        "itself and three others"
    );
    // Two of one stripe are lost: slot 8 begins the second unit.
    let second = place(&layer, Lpn(8));
    assert_eq!(second.page, spoiled.page);
    layer.array_mut().spoil(&[second]).unwrap();
    let (_, can) = read(&mut layer, Lpn(0));
    assert!(!can, "two pages of a stripe are gone");
}

#[test]
fn the_sum_of_an_open_stripe_is_in_the_controller() {
    let mut layer = that_can_fail();
    // One unit of two pages is programmed, and neither another of its stripe nor the parity.
    (0..8).for_each(|lpn| write(&mut layer, Lpn(lpn)));
    let spoiled = place(&layer, Lpn(0));
    layer.array_mut().spoil(&[spoiled]).unwrap();
    assert!(read(&mut layer, Lpn(0)).1);
}

#[test]
fn a_saved_layer_goes_on_where_it_was() {
    let mut layer = protected(64, 3);
    fill(&mut layer);
    let mut rng = RootSeed(1).stream("saved");
    random(&mut layer, &mut rng);
    let mut restored = protected(64, 3);
    restored.restore(layer.save_in(Room::default())).unwrap();
    restored.check_invariants();
    for layer in [&mut layer, &mut restored] {
        layer.array_mut().reset_stream_hash();
        random(layer, &mut RootSeed(2).stream("saved"));
    }
    assert_eq!(layer.array().stream_hash(), restored.array().stream_hash());
}

#[test]
fn parity_beside_tables_on_flash_is_refused() {
    let refused = std::panic::catch_unwind(|| {
        layer_of::<false>(layout(64).with_parity(3).unwrap(), 0.2, |config| {
            config.checkpoint = Some(Checkpoint {
                every_slots: 1000,
                pages: 1,
            });
        })
    });
    let why = refused.expect_err("it is refused");
    let why = why.downcast_ref::<String>().expect("with words");
    assert!(why.contains("leave one of the two out"), "{why}");
}
