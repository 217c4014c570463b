//! Distribution of wear over blocks.

use std::collections::BTreeMap;

/// A block is worn faster than the rest when its erases exceed the median by more than this share of
/// it, and by more than one erase.
const AHEAD_SHARE: f64 = 0.1;

/// Erase counts of blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WearHistogram {
    /// Number of blocks, by erases.
    counts: BTreeMap<u32, u32>,
    blocks: u32,
}

impl WearHistogram {
    /// Counts blocks by their erases.
    pub fn of(erases: impl Iterator<Item = u32>) -> WearHistogram {
        let (mut counts, mut blocks) = (BTreeMap::new(), 0);
        for n in erases {
            *counts.entry(n).or_default() += 1;
            blocks += 1;
        }
        WearHistogram { counts, blocks }
    }

    /// The histogram of a larger array, in which each of these blocks represents `blocks` blocks that were erased
    /// `erases` times as often.
    #[must_use]
    pub fn times(&self, blocks: u32, erases: u32) -> WearHistogram {
        let of_full = |(&n, &b): (&u32, &u32)| (n.saturating_mul(erases), b.saturating_mul(blocks));
        WearHistogram {
            counts: self.counts.iter().map(of_full).collect(),
            blocks: self.blocks.saturating_mul(blocks),
        }
    }

    /// Returns the number of blocks counted.
    #[must_use]
    pub fn blocks(&self) -> u32 {
        self.blocks
    }

    /// The fewest erases of a block.
    #[must_use]
    pub fn min(&self) -> u32 {
        self.counts.first_key_value().map_or(0, |(&n, _)| n)
    }

    /// The most erases of a block.
    #[must_use]
    pub fn max(&self) -> u32 {
        self.counts.last_key_value().map_or(0, |(&n, _)| n)
    }

    /// Erases of the mean block.
    #[must_use]
    pub fn mean(&self) -> f64 {
        let sum: u64 = self
            .counts
            .iter()
            .map(|(&n, &b)| u64::from(n) * u64::from(b))
            .sum();
        sum as f64 / f64::from(self.blocks.max(1))
    }

    /// The erases that half of the blocks do not exceed.
    #[must_use]
    pub fn median(&self) -> u32 {
        let mut below = 0;
        for (&n, &blocks) in &self.counts {
            below += blocks;
            if below >= self.blocks.div_ceil(2) {
                return n;
            }
        }
        0
    }

    /// Standard deviation of the erases.
    #[must_use]
    pub fn stddev(&self) -> f64 {
        let mean = self.mean();
        let square = |(&n, &b): (&u32, &u32)| (f64::from(n) - mean).powi(2) * f64::from(b);
        let sum: f64 = self.counts.iter().map(square).sum();
        (sum / f64::from(self.blocks.max(1))).sqrt()
    }

    /// The share of blocks that wear faster than the rest: more than a tenth above the median, and
    /// more than one erase.
    #[must_use]
    pub fn over_worn_share(&self) -> f64 {
        let median = f64::from(self.median());
        let limit = (median * (1.0 + AHEAD_SHARE)).max(median + 1.0);
        let over = self.counts.iter().filter(|(n, _)| f64::from(**n) > limit);
        let over: u32 = over.map(|(_, &blocks)| blocks).sum();
        f64::from(over) / f64::from(self.blocks.max(1))
    }

    /// Returns the share of the endurance that wear levelling leaves: mean over maximum.
    #[must_use]
    pub fn levelling_efficiency(&self) -> f64 {
        match self.max() {
            0 => 1.0,
            max => self.mean() / f64::from(max),
        }
    }

    /// Blocks in at most `bins` ranges of equal width from the least to the most worn: the first
    /// erase count of each range, and the blocks in it.
    #[must_use]
    pub fn bins(&self, bins: u32) -> Vec<(u32, u32)> {
        let (min, max) = (self.min(), self.max());
        let width = (max - min + 1).div_ceil(bins.max(1));
        let mut ranges: Vec<(u32, u32)> = (0..(max - min + 1).div_ceil(width))
            .map(|n| (min + n * width, 0))
            .collect();
        for (&n, &blocks) in &self.counts {
            ranges[((n - min) / width) as usize].1 += blocks;
        }
        ranges
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(u32, usize)]) -> WearHistogram {
        let all = pairs
            .iter()
            .flat_map(|&(n, blocks)| std::iter::repeat_n(n, blocks));
        WearHistogram::of(all)
    }

    #[test]
    fn what_is_far_above_the_median_is_over_worn() {
        let wear = of(&[(90, 10), (100, 80), (110, 6), (111, 3), (200, 1)]);
        assert_eq!((wear.min(), wear.median(), wear.max()), (90, 100, 200));
        assert_eq!(wear.over_worn_share(), 0.04);
        // A step of one erase is no unevenness, however little the rest is worn.
        assert_eq!(of(&[(1, 90), (2, 10)]).over_worn_share(), 0.0);
        assert_eq!(of(&[(1, 90), (3, 10)]).over_worn_share(), 0.1);
    }

    #[test]
    fn moments_are_those_of_the_blocks() {
        let wear = of(&[(2, 1), (4, 2), (6, 1)]);
        assert_eq!((wear.mean(), wear.stddev()), (4.0, 2.0_f64.sqrt()));
        assert!((wear.levelling_efficiency() - 4.0 / 6.0).abs() < 1e-12);
        assert_eq!(of(&[]).levelling_efficiency(), 1.0);
        assert_eq!((of(&[]).median(), of(&[]).mean()), (0, 0.0));
    }

    #[test]
    fn bins_hold_every_block_once() {
        let wear = of(&[(10, 1), (11, 2), (19, 3), (30, 4)]);
        assert_eq!(wear.bins(3), [(10, 3), (17, 3), (24, 4)]);
        let sum: u32 = wear.bins(100).iter().map(|&(_, blocks)| blocks).sum();
        assert_eq!(sum, 10);
    }
}
