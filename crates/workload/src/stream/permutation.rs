//! A random order of n blocks in constant memory.

use ftlab_base::rng::Stream;
use rand::Rng;

const ROUNDS: usize = 3;

/// A bijection of 0..n onto itself, drawn at random.
///
/// Each round multiplies by an odd number, adds, and folds the high half into the low one; every
/// step can be undone modulo a power of two, so the rounds permute 0..2^w. Walking on from a value
/// outside 0..n until one lies inside (under two steps on average, as n > 2^(w−1)) makes that a
/// permutation of 0..n.
#[derive(Debug, Clone)]
pub struct Permutation {
    n: u64,
    mask: u64,
    fold: u32,
    rounds: [(u64, u64); ROUNDS],
}

impl Permutation {
    /// A random permutation of 0..`n`.
    pub fn new(n: u64, rng: &mut Stream) -> Permutation {
        let bits = u64::BITS - n.saturating_sub(1).leading_zeros();
        Permutation {
            n,
            mask: u64::MAX.checked_shr(u64::BITS - bits).unwrap_or(0),
            fold: (bits / 2).max(1),
            rounds: std::array::from_fn(|_| (rng.next_u64() | 1, rng.next_u64())),
        }
    }

    /// Returns the number of blocks that are permuted.
    pub fn len(&self) -> u64 {
        self.n
    }

    /// Returns the place of `index`, which must be below `len`, in the permutation.
    #[inline]
    pub fn at(&self, index: u64) -> u64 {
        let mut value = self.scramble(index);
        while value >= self.n {
            value = self.scramble(value);
        }
        value
    }

    #[inline]
    fn scramble(&self, mut value: u64) -> u64 {
        for (factor, addend) in self.rounds {
            value = value.wrapping_mul(factor).wrapping_add(addend) & self.mask;
            value ^= value >> self.fold;
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftlab_base::RootSeed;

    #[test]
    fn every_block_comes_exactly_once() {
        let mut rng = RootSeed(1).stream("permutation");
        for n in (1..=70).chain([1000, 4095, 4096, 4097, 100_003]) {
            let permutation = Permutation::new(n, &mut rng);
            let mut seen = vec![false; n as usize];
            for index in 0..n {
                let block = permutation.at(index);
                assert!(
                    !std::mem::replace(&mut seen[block as usize], true),
                    "{block} of {n}"
                );
            }
        }
    }

    #[test]
    fn any_stretch_of_the_order_spreads_evenly() {
        let mut rng = RootSeed(2).stream("permutation");
        let (n, bins, stretch) = (1_000_000, 64, 64_000);
        let permutation = Permutation::new(n, &mut rng);
        for start in [0, 300_000, 900_000] {
            let mut counts = vec![0u64; bins as usize];
            (start..start + stretch)
                .for_each(|i| counts[(permutation.at(i) * bins / n) as usize] += 1);
            // Chance alone gives 63 ± 11; twice that is a pattern.
            let chi2: f64 = counts
                .iter()
                .map(|&c| (c as f64 - 1000.0).powi(2) / 1000.0)
                .sum();
            assert!(chi2 < 130.0, "χ² {chi2} from {start}");
        }
    }

    #[test]
    fn neighbours_in_the_order_are_not_neighbours_on_the_device() {
        let mut rng = RootSeed(3).stream("permutation");
        let n = 1 << 20;
        let permutation = Permutation::new(n, &mut rng);
        let close = (1..n).filter(|&i| permutation.at(i).abs_diff(permutation.at(i - 1)) < 1024);
        let share = close.count() as f64 / n as f64;
        assert!((share - 2.0 * 1024.0 / n as f64).abs() < 0.001, "{share}");
    }

    #[test]
    fn permutations_differ() {
        let mut rng = RootSeed(4).stream("permutation");
        let (a, b) = (
            Permutation::new(1000, &mut rng),
            Permutation::new(1000, &mut rng),
        );
        let equal = (0..1000).filter(|&i| a.at(i) == b.at(i)).count();
        assert!(equal < 10, "{equal} of 1000 equal");
    }
}
