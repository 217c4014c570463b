//! Named random streams from one root seed.
//!
//! A component asks for its stream by name, so that adding a component changes no other
//! component's numbers.

use crate::hash::mix64;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;

/// The generator of every stream. Its values are stable over releases.
pub type Stream = Pcg64Mcg;

/// The one seed of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RootSeed(pub u64);

impl RootSeed {
    /// The stream of the component called `name`.
    #[must_use]
    pub fn stream(self, name: &str) -> Stream {
        let low = self.derive(name).0;
        let high = mix64(low ^ 0x9e37_79b9_7f4a_7c15);
        Pcg64Mcg::new((u128::from(high) << 64) | u128::from(low))
    }

    /// A seed for a part of the run that has streams of its own.
    #[must_use]
    pub fn derive(self, name: &str) -> RootSeed {
        let mut state = mix64(self.0 ^ 0x6674_6c61_6273_6565);
        for byte in name.bytes() {
            state = mix64(state ^ u64::from(byte));
        }
        RootSeed(state)
    }
}

/// The part of a span that each of `count` points of a Latin hypercube lies in: every part is one point's (McKay, Beckman and
/// Conover 1979).
#[must_use]
pub fn strata(count: u32, stream: &mut Stream) -> Vec<u32> {
    let mut strata: Vec<u32> = (0..count).collect();
    strata.shuffle(stream);
    strata
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;

    #[test]
    fn every_part_is_one_points() {
        let strata = |seed| strata(20, &mut RootSeed(seed).stream("key"));
        let mut sorted = strata(1);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..20).collect::<Vec<_>>());
        assert_ne!(strata(1), sorted);
        assert_ne!(strata(1), strata(2));
    }

    #[test]
    fn streams_depend_on_seed_and_name_alone() {
        let first = |seed: u64, name: &str| RootSeed(seed).stream(name).next_u64();
        assert_eq!(first(1, "job"), first(1, "job"));
        assert_ne!(first(1, "job"), first(2, "job"));
        assert_ne!(first(1, "job"), first(1, "gc"));
    }
}
