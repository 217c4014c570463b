//! The permutations of shuffled jobs: by which ranks and zones become blocks.

use super::permutation::Permutation;
use crate::{JobSpec, Shuffle};
use ftlab_base::RootSeed;
use ftlab_base::rng::Stream;

/// Gives a shuffled job its permutations.
#[derive(Debug)]
pub struct Orders {
    /// The seed and the name of those that do not come from the job's own numbers.
    named: Option<(RootSeed, String)>,
    is_shuffled: bool,
}

impl Orders {
    /// Those of a job in a run of a seed, which is that of all its clones.
    pub fn of(spec: &JobSpec, seed: RootSeed) -> Orders {
        let shuffle = spec.shuffled();
        let kept = spec.pattern.order_seed;
        let kept = kept.map(|seed| super::seed_of(spec, seed));
        let named = match (shuffle, kept) {
            // No job is named, so that all have it.
            (Some(Shuffle::Shared), kept) => Some((kept.unwrap_or(seed), "order".to_owned())),
            (Some(Shuffle::Each), Some(kept)) => {
                Some((kept, format!("order {} {}", spec.index, spec.name)))
            }
            (Some(Shuffle::Each | Shuffle::None) | None, _) => None,
        };
        Orders {
            named,
            is_shuffled: shuffle.is_some(),
        }
    }

    /// A permutation of that many blocks of some length; none of a job that is not shuffled. One that jobs share is the same
    /// for as many blocks.
    pub fn of_blocks(&self, blocks: u64, bytes: u64, own: &mut Stream) -> Option<Permutation> {
        self.is_shuffled.then(|| match &self.named {
            None => Permutation::new(blocks, own),
            Some((seed, name)) => {
                let mut stream = seed.stream(&format!("{name} {blocks} {bytes}"));
                Permutation::new(blocks, &mut stream)
            }
        })
    }
}

/// Blocks of zones in an order of their own: what is drawn of a zone is a set of blocks all over the region.
#[derive(Debug, Clone)]
pub struct Scatter {
    order: Permutation,
    /// Places in a block.
    places: u64,
}

impl Scatter {
    /// Scatters blocks, each of that many places.
    pub fn new(order: Permutation, places: u64) -> Scatter {
        Scatter { order, places }
    }

    /// Returns where a place lies. What is left behind the last whole block stays where it is.
    pub fn at(&self, place: u64) -> u64 {
        let (block, within) = (place / self.places, place % self.places);
        match block < self.order.len() {
            true => self.order.at(block) * self.places + within,
            false => place,
        }
    }
}
