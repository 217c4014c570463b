//! The laws of random positions: which of n blocks comes next.

use super::permutation::Permutation;
use crate::{Distribution, Zone};
use ftlab_base::rng::Stream;
use rand::Rng;
use rand_distr::{Distribution as _, Zipf};

/// A number below `n`, uniform to within n/2⁶⁴, without a division.
#[inline]
pub fn below(n: u64, rng: &mut Stream) -> u64 {
    ((u128::from(rng.next_u64()) * u128::from(n)) >> 64) as u64
}

/// A number from 0 to 1, 1 excluded, in steps of 2⁻⁵³.
fn unit(rng: &mut Stream) -> f64 {
    (rng.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// A law over a number of blocks fixed when it is made.
#[derive(Debug, Clone)]
pub enum Law {
    /// Uniform, with replacement.
    Uniform(u64),
    /// Each block once before any comes again.
    Map(Map),
    /// Some ranks more often than others, ranks spread over the blocks.
    Skewed(Box<Skewed>),
    /// Uniform within zones.
    Zoned(Box<Zones>),
}

impl Law {
    /// The law that a job file states.
    pub fn of(stated: &Distribution, blocks: u64, rng: &mut Stream) -> Law {
        let skewed = |ranks, hottest, center: Option<f64>, rng: &mut Stream| {
            Law::Skewed(Box::new(Skewed::new(ranks, blocks, hottest, center, rng)))
        };
        match *stated {
            Distribution::Random => Law::Uniform(blocks),
            Distribution::Zipf { theta, center } => {
                let zipf = Zipf::new(blocks as f64, theta);
                let ranks = zipf.map_or(Ranks::Power(1.0), Ranks::Zipf);
                skewed(ranks, 0, center, rng)
            }
            Distribution::Pareto { power, center } => skewed(
                Ranks::Power(power.ln() / (1.0 - power).ln()),
                0,
                center,
                rng,
            ),
            Distribution::Normal {
                deviation_percent,
                center,
            } => {
                let jitter = (deviation_percent / 100.0).min(0.5);
                skewed(Ranks::Normal { jitter }, blocks / 2, center, rng)
            }
            Distribution::Zoned(ref zones) => Law::Zoned(Box::new(Zones::new(zones, blocks))),
        }
    }

    /// The next block.
    #[inline]
    pub fn next(&mut self, rng: &mut Stream) -> u64 {
        match self {
            Law::Uniform(blocks) => below(*blocks, rng),
            Law::Map(map) => map.next(rng),
            Law::Skewed(skewed) => skewed.next(rng),
            Law::Zoned(zones) => zones.next(rng),
        }
    }
}

/// A walk through a random order of all blocks, again and again.
#[derive(Debug, Clone)]
pub struct Map {
    order: Permutation,
    index: u64,
    /// Every pass takes the same order.
    repeats: bool,
}

impl Map {
    pub fn new(blocks: u64, repeats: bool, rng: &mut Stream) -> Map {
        Map {
            order: Permutation::new(blocks, rng),
            index: 0,
            repeats,
        }
    }

    /// Starts a pass.
    pub fn begin(&mut self, rng: &mut Stream) {
        self.index = 0;
        if !self.repeats {
            self.order = Permutation::new(self.order.len(), rng);
        }
    }

    #[inline]
    fn next(&mut self, rng: &mut Stream) -> u64 {
        if self.index == self.order.len() {
            self.begin(rng);
        }
        self.index += 1;
        self.order.at(self.index - 1)
    }
}

/// A law of ranks and where each rank lies.
#[derive(Debug, Clone)]
pub struct Skewed {
    ranks: Ranks,
    spread: Permutation,
    rotation: u64,
}

#[derive(Debug, Clone)]
enum Ranks {
    Zipf(Zipf<f64>),
    /// A uniform number to this power.
    Power(f64),
    Normal {
        /// Full width of the jitter as a share of the blocks.
        jitter: f64,
    },
}

impl Skewed {
    fn new(ranks: Ranks, n: u64, hottest: u64, center: Option<f64>, rng: &mut Stream) -> Skewed {
        let spread = Permutation::new(n, rng);
        let rotation = center.map_or(0, |share| {
            let target = ((n as f64 * share) as u64).min(n - 1);
            (target + n - spread.at(hottest)) % n
        });
        Skewed {
            ranks,
            spread,
            rotation,
        }
    }

    fn next(&self, rng: &mut Stream) -> u64 {
        let n = self.spread.len();
        let rank = match &self.ranks {
            Ranks::Zipf(zipf) => zipf.sample(rng) as u64 - 1,
            Ranks::Power(power) => (n as f64 * unit(rng).powf(*power)) as u64,
            Ranks::Normal { jitter } => normal_rank(n as f64, *jitter, rng),
        };
        let block = self.spread.at(rank.min(n - 1)) + self.rotation;
        if block >= n { block - n } else { block }
    }
}

/// The mean of twelve uniform ranks and a jitter, which is halved until it stays on the device.
fn normal_rank(n: f64, jitter: f64, rng: &mut Stream) -> u64 {
    let mean = (0..12).map(|_| unit(rng)).sum::<f64>() / 12.0;
    let mut shift = jitter * (unit(rng) - 0.5);
    while !(0.0..1.0).contains(&(mean + shift)) {
        shift /= 2.0;
    }
    (n * (mean + shift)) as u64
}

/// Uniform blocks within zones that are drawn by percent.
#[derive(Debug, Clone)]
pub struct Zones {
    /// The zone of each percent of the requests.
    zone_of_percent: Vec<u16>,
    /// First block and number of blocks.
    spans: Vec<(u64, u64)>,
}

impl Zones {
    fn new(zones: &[Zone], blocks: u64) -> Zones {
        let mut zone_of_percent = Vec::new();
        let mut spans = Vec::new();
        let mut end_percent = 0;
        for zone in zones {
            let at = |percent: u64| (u128::from(blocks) * u128::from(percent) / 100) as u64;
            let start = at(end_percent).min(blocks - 1);
            end_percent = (end_percent + u64::from(zone.size_percent)).min(100);
            // A zone of a few percent of a few blocks still is a block.
            spans.push((start, (at(end_percent).saturating_sub(start)).max(1)));
            let index = (spans.len() - 1) as u16;
            zone_of_percent.extend((0..zone.access_percent).map(|_| index));
        }
        Zones {
            zone_of_percent,
            spans,
        }
    }

    fn next(&self, rng: &mut Stream) -> u64 {
        let percent = below(self.zone_of_percent.len() as u64, rng) as usize;
        let (start, blocks) = self.spans[usize::from(self.zone_of_percent[percent])];
        start + below(blocks, rng)
    }
}
