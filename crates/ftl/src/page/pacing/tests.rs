//! What a policy sees is what collection in step decides by, and no pace harms a drive.

use super::{PacingPolicy, PacingView};
use crate::TranslationLayer;
use crate::page::PageLayer;
use crate::page::tests::{fill, layer_of, layout, random_writes};
use ftlab_base::RootSeed;

#[derive(Debug, Clone, Copy)]
struct By(fn(&PacingView) -> bool);

impl PacingPolicy for By {
    fn copies(&mut self, view: &PacingView) -> bool {
        (self.0)(view)
    }

    fn boxed(&self) -> Box<dyn PacingPolicy> {
        Box::new(*self)
    }
}

/// A used drive; its write amplification, and the hash of all that it did.
fn used<const FLAT: bool>(
    dies_of_a_stripe: u32,
    pacing: Option<fn(&PacingView) -> bool>,
) -> (f64, u64) {
    let layout = match dies_of_a_stripe {
        1 => layout(64, 64),
        dies => ftlab_base::Layout::new(layout(64, 64).geometry, dies).unwrap(),
    };
    let mut layer: PageLayer<FLAT> = layer_of(layout, 0.28, |config| {
        config.pacing = pacing.map(|by| Box::new(By(by)) as Box<dyn PacingPolicy>);
    });
    fill(&mut layer);
    let writes = 3 * u64::from(layer.slots());
    let wa = random_writes(&mut layer, writes, &mut RootSeed(1).stream("used"));
    layer.check_invariants();
    (wa, layer.array().stream_hash())
}

fn in_step(view: &PacingView) -> bool {
    view.is_behind || view.owed_slots >= f64::from(view.left_slots.min(view.row_slots))
}

#[test]
fn a_policy_that_copies_what_is_owed_is_collection_in_step() {
    assert_eq!(used::<true>(1, Some(in_step)), used::<true>(1, None));
    assert_eq!(used::<false>(4, Some(in_step)), used::<false>(4, None));
}

#[test]
fn at_any_pace_there_is_room_for_what_the_host_writes() {
    let (usual, hash) = used::<true>(1, None);
    for pace in [|_: &PacingView| true, |_: &PacingView| false] {
        let (wa, other) = used::<true>(1, Some(pace));
        assert!((0.8..1.2).contains(&(wa / usual)), "{wa} for {usual}");
        assert_ne!(other, hash);
    }
}
