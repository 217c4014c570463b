//! Causes of failing blocks, as a drive file describes them: factory bad blocks, wear, and bit errors.
//!
//! Every draw is a pure hash of the seed, the block's physical number and its P/E count, so what
//! fails does not depend on time or on the order in which a host asks.

use crate::bit_errors::BitErrors;
use ftlab_base::hash::mix64;

/// Life of the blocks of an array.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Endurance {
    /// P/E cycles that the maker guarantees: what SMART and TBW count against.
    pub rated_cycles: u32,
    /// P/E cycles that half of the blocks survive.
    pub median_cycles: u32,
    /// Shape of the Weibull distribution of block lives. A block is as good as its worst page, and
    /// the least of many lives tends to this distribution; the larger the shape, the more alike the
    /// blocks.
    pub shape: f64,
    /// Share of the worn-out blocks whose end shows in an erase; of the others a program fails.
    pub erase_share: f64,
}

impl Endurance {
    /// P/E cycles by which a share of the blocks, above 0 and below 1, is worn out when all wear alike.
    #[must_use]
    pub fn cycles_until(&self, share: f64) -> f64 {
        // Half of the blocks at the median: S(x) = 2^-(x/median)^shape.
        f64::from(self.median_cycles) * (-(1.0 - share).log2()).powf(1.0 / self.shape)
    }
}

/// Failures that an array is subject to.
#[derive(Debug, Clone, PartialEq)]
pub struct Reliability {
    /// The seed of all draws.
    pub seed: u64,
    /// Share of the blocks that are bad when the drive is made.
    pub factory_bad: f64,
    /// Share of the others that wear out with their first cycle.
    pub grown_bad: f64,
    /// Share of the pages that cannot be corrected, each time they are programmed, whatever their bit
    /// errors.
    pub unreadable_pages: f64,
    /// Life of blocks; without end if left out.
    pub endurance: Option<Endurance>,
    /// Bits that are read wrong; none if left out.
    pub bit_errors: Option<BitErrors>,
}

/// Purposes of draws, so that no two share a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Draw {
    FactoryBad = 1,
    Life = 2,
    EraseFails = 3,
    FailingPage = 4,
    WeakPage = 5,
    GrownBad = 6,
    UnreadablePage = 7,
}

impl Reliability {
    /// Nothing goes wrong by itself.
    pub(crate) const NOTHING: Reliability = Reliability {
        seed: 0,
        factory_bad: 0.0,
        grown_bad: 0.0,
        unreadable_pages: 0.0,
        endurance: None,
        bit_errors: None,
    };

    /// The least that [`Reliability::uniform`] draws.
    pub(crate) const LEAST_DRAW: f64 = 0.5 / (1_u64 << 53) as f64;

    /// A number that depends on nothing but the seed, what it is for, and two words.
    pub(crate) fn hash(&self, draw: Draw, a: u64, b: u64) -> u64 {
        mix64(mix64(mix64(self.seed ^ draw as u64) ^ a) ^ b)
    }

    /// Returns a draw as a number above 0 and below 1.
    pub(crate) fn uniform(&self, draw: Draw, a: u64, b: u64) -> f64 {
        ((self.hash(draw, a, b) >> 11) as f64 + 0.5) * (2.0 * Self::LEAST_DRAW)
    }

    /// Returns true if a physical block is bad from the beginning.
    pub(crate) fn is_factory_bad(&self, block: u32) -> bool {
        self.uniform(Draw::FactoryBad, block.into(), 0) < self.factory_bad
    }

    /// P/E cycles that a physical block survives: with the next one it is worn out.
    pub(crate) fn life_cycles(&self, block: u32) -> u32 {
        if self.uniform(Draw::GrownBad, block.into(), 0) < self.grown_bad {
            return 0;
        }
        let Some(endurance) = self.endurance else {
            return u32::MAX;
        };
        let u = self.uniform(Draw::Life, block.into(), 0);
        // Half of the blocks at the median: S(x) = 2^-(x/median)^shape.
        let life = f64::from(endurance.median_cycles) * (-u.log2()).powf(1.0 / endurance.shape);
        // A float beyond the range saturates.
        life as u32
    }

    /// Returns true if every page can be corrected after its program.
    pub(crate) fn reads_all_pages(&self) -> bool {
        self.unreadable_pages <= 0.0
    }

    /// Returns true if a page of a physical block cannot be corrected in its present cycle.
    pub(crate) fn is_unreadable(&self, page: u64, cycle: u32) -> bool {
        self.unreadable_pages > 0.0
            && self.uniform(Draw::UnreadablePage, page, cycle.into()) < self.unreadable_pages
    }

    /// Returns true if the erase number `cycle` of a worn-out block fails; else a program after it will.
    pub(crate) fn erase_fails(&self, block: u32, cycle: u32) -> bool {
        let share = self.endurance.map_or(0.0, |e| e.erase_share);
        self.uniform(Draw::EraseFails, block.into(), cycle.into()) < share
    }

    /// The page whose program fails in a worn-out block's last cycle.
    pub(crate) fn failing_page(&self, block: u32, cycle: u32, pages: u32) -> u32 {
        (self.hash(Draw::FailingPage, block.into(), cycle.into()) % u64::from(pages)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(shape: f64) -> Reliability {
        Reliability {
            seed: 7,
            factory_bad: 0.02,
            grown_bad: 0.0,
            unreadable_pages: 0.0,
            endurance: Some(Endurance {
                rated_cycles: 3000,
                median_cycles: 6000,
                shape,
                erase_share: 0.9,
            }),
            bit_errors: None,
        }
    }

    #[test]
    fn lives_are_those_of_the_distribution() {
        let reliability = blocks(4.0);
        let mut lives: Vec<u32> = (0..100_000).map(|b| reliability.life_cycles(b)).collect();
        lives.sort_unstable();
        let quantile = |q: f64| f64::from(lives[(q * lives.len() as f64) as usize]);
        let endurance = reliability.endurance.unwrap();
        assert!((quantile(0.5) / 6000.0 - 1.0).abs() < 0.01);
        for q in [0.01, 0.1, 0.9] {
            let closed = 6000.0 * (-(1.0_f64 - q).log2()).powf(0.25);
            assert_eq!(endurance.cycles_until(q), closed);
            let off = quantile(q) / closed - 1.0;
            assert!(off.abs() < 0.03, "{q}: {off}");
        }
    }

    #[test]
    fn shares_are_kept() {
        let reliability = blocks(4.0);
        let share = |is: &dyn Fn(u32) -> bool| (0..50_000).filter(|&b| is(b)).count() as f64 / 5e4;
        assert!((share(&|b| reliability.is_factory_bad(b)) - 0.02).abs() < 0.003);
        assert!((share(&|b| reliability.erase_fails(b, 6000)) - 0.9).abs() < 0.005);
        let early = share(&|b| reliability.failing_page(b, 6000, 128) < 32);
        assert!((early - 0.25).abs() < 0.01);
    }
}
