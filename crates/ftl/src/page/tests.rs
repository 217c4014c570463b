use super::*;
use ftlab_base::rng::Stream;
use ftlab_base::{Geometry, RootSeed};
use rand::Rng;

fn layout(pages_per_block: u32, blocks_per_die: u32) -> Layout {
    let geometry = Geometry {
        channels: 8,
        dies_per_channel: 2,
        planes_per_die: 1,
        blocks_per_die,
        pages_per_block,
        page_bytes: 4096,
        slot_bytes: 4096,
    };
    Layout::new(geometry, 1).unwrap()
}

fn layer(layout: Layout, op: f64, policy_name: &str) -> PageLayer {
    let reserve = 2;
    // The reserve, and half of the superblock under collection.
    let kept =
        layout.groups * (reserve * layout.slots_per_superblock + layout.slots_per_superblock / 2);
    let user_slots = (f64::from(layout.slots() - kept) / (1.0 + op)) as u32;
    let config = PageConfig {
        user_slots,
        reserve_superblocks: reserve,
        policy: policy(policy_name).unwrap(),
        checkpoint: None,
    };
    PageLayer::new(layout, config).unwrap()
}

fn uniform(rng: &mut Stream, below: u32) -> Lpn {
    Lpn(((u64::from(rng.next_u32()) * u64::from(below)) >> 32) as u32)
}

/// Writes `count` uniformly random slots; gives the write amplification over them.
fn random_writes(layer: &mut PageLayer, count: u64, rng: &mut Stream) -> f64 {
    let mut batch = OpBatch::default();
    let before = layer.array().counters();
    for _ in 0..count {
        let lpn = uniform(rng, layer.slots());
        layer.write(lpn, Extent::Whole, &mut batch).unwrap();
        batch.clear();
    }
    layer.array().counters().since(&before).programs() as f64 / count as f64
}

#[test]
fn wa_of_random_writes_is_that_of_theory() {
    for (name, theory) in [("fifo", 4.6173), ("greedy", 4.3325)] {
        let mut layer = layer(layout(64, 2048), 0.127, name);
        let mut rng = RootSeed(1).stream("wa");
        let slots = u64::from(layer.layout().slots());
        (0..layer.slots()).for_each(|lpn| {
            let mut batch = OpBatch::default();
            layer.write(Lpn(lpn), Extent::Whole, &mut batch).unwrap();
        });
        random_writes(&mut layer, 4 * slots, &mut rng);
        let wa = random_writes(&mut layer, 4 * slots, &mut rng);
        assert!(
            (wa / theory - 1.0).abs() < 0.005,
            "{name}: {wa} for {theory}"
        );
        layer.check_invariants();
    }
}

/// Collects the fullest superblock.
#[derive(Debug, Clone)]
struct Perverse;

impl VictimPolicy for Perverse {
    fn name(&self) -> &'static str {
        "perverse"
    }

    fn choose(&mut self, view: &VictimView<'_>) -> Option<SuperblockId> {
        let fullest = view.candidates().max_by_key(|c| c.valid_slots)?;
        Some(fullest.superblock)
    }

    fn boxed(&self) -> Box<dyn VictimPolicy> {
        Box::new(self.clone())
    }

    fn stream(&mut self) -> Option<&mut Stream> {
        None
    }
}

#[test]
fn a_policy_that_frees_nothing_ends_in_a_refusal_and_loses_nothing() {
    let mut layer = layer(layout(8, 16), 0.5, "greedy");
    layer.config.policy = Box::new(Perverse);
    let mut batch = OpBatch::default();
    // Filled in order, so most superblocks stay wholly valid; then a few slots again and again.
    let rewrites = (0..100 * layer.slots()).map(|n| n % 8);
    let refused = (0..layer.slots()).chain(rewrites).find_map(|n| {
        let written = layer.write(Lpn(n), Extent::Whole, &mut batch);
        batch.clear();
        written.err()
    });
    let Some(Refusal::NoProgress { collected }) = refused else {
        panic!("a policy that collects what is full got on with it");
    };
    assert!(collected > layer.layout().superblocks());
    layer.check_invariants();
    layer.trim(Lpn(0), 8, &mut batch);
    assert_eq!(layer.refusal, None, "a trim may have made room");
}
