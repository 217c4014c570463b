//! The laws of random positions: which of n blocks comes next.

use super::free_map::FreeMap;
use super::orders::Scatter;
use super::permutation::Permutation;
use crate::{ByteZone, Distribution, Zone};
use ftlab_base::CommandKind;
use ftlab_base::rng::Stream;
use rand::Rng;
use rand_distr::{Distribution as _, Zipf};

/// A probability as a threshold on 32 random bits.
#[derive(Debug, Clone, Copy)]
pub struct Chance(u64);

impl Chance {
    /// A chance in percent, from 0 to 100.
    pub fn percent(percent: u8) -> Chance {
        Chance((u64::from(percent) << 32) / 100)
    }

    /// Draws; the sure cases cost no random number.
    #[inline]
    pub fn draw(self, rng: &mut Stream) -> bool {
        match self.0 {
            0 => false,
            0x1_0000_0000.. => true,
            threshold => (rng.next_u64() >> 32) < threshold,
        }
    }
}

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
    /// Each block as likely, with replacement.
    Uniform(u64),
    /// Each block once before any comes again.
    Map(Map),
    /// Some ranks more often than others, ranks spread over the blocks.
    Skewed(Box<Skewed>),
    /// Each block of a zone as likely.
    Zoned(Box<Zones>),
    /// Uniform over what no request has had yet, for requests of several sizes.
    Free(Box<FreeMap>),
}

/// Places of a kind of request, from which a law draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    /// Kind of request, where kinds have zones of their own.
    pub kind: Option<CommandKind>,
    /// Number of the places.
    pub places: u64,
    /// Distance of the places, in bytes.
    pub align_bytes: u64,
}

impl Law {
    /// The law that a job file states; `order` spreads ranks over all blocks, and `scatter` zones.
    pub fn of(
        stated: &Distribution,
        grid: Grid,
        (order, scatter): (Option<Permutation>, Option<Scatter>),
        rng: &mut Stream,
    ) -> Law {
        let blocks = grid.places;
        let kind = grid.kind.unwrap_or(CommandKind::Read);
        let skewed = |ranks, hottest, center: Option<f64>, rng: &mut Stream| {
            let spread = order.map_or(Spread::Hash(blocks), Spread::Shuffle);
            Law::Skewed(Box::new(Skewed::new(ranks, spread, hottest, center, rng)))
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
                // A normal law is hottest at its middle rank, the others are at their first.
                let jitter = (deviation_percent / 100.0).min(0.5);
                skewed(Ranks::Normal { jitter }, blocks / 2, center, rng)
            }
            Distribution::Zoned(ref zones) => {
                let zones = Zones::of_shares(zones.get(kind), blocks);
                Law::Zoned(Box::new(Zones { scatter, ..zones }))
            }
            Distribution::ZonedAbs(ref zones) => {
                let zones = Zones::of_bytes(zones.get(kind), grid);
                Law::Zoned(Box::new(Zones { scatter, ..zones }))
            }
        }
    }

    /// The next block; none where all have been had.
    #[inline]
    pub fn next(&mut self, rng: &mut Stream) -> Option<u64> {
        Some(match self {
            Law::Uniform(blocks) => below(*blocks, rng),
            Law::Map(map) => return map.next(rng),
            Law::Skewed(skewed) => skewed.next(rng),
            Law::Zoned(zones) => zones.next(rng),
            Law::Free(map) => return map.find(rng),
        })
    }

    /// Starts a new pass.
    pub fn begin(&mut self, rng: &mut Stream) {
        match self {
            Law::Map(map) => map.begin(rng),
            Law::Free(map) => map.clear(),
            Law::Uniform(_) | Law::Skewed(_) | Law::Zoned(_) => {}
        }
    }
}

/// A walk through a random order of all blocks.
#[derive(Debug, Clone)]
pub struct Map {
    order: Permutation,
    index: u64,
    /// Every pass takes the same order.
    repeats: bool,
    /// A pass follows without being asked for.
    goes_on: bool,
}

impl Map {
    pub fn new(blocks: u64, repeats: bool, goes_on: bool, rng: &mut Stream) -> Map {
        Map {
            order: Permutation::new(blocks, rng),
            index: 0,
            repeats,
            goes_on,
        }
    }

    /// Starts a new pass.
    pub fn begin(&mut self, rng: &mut Stream) {
        self.index = 0;
        if !self.repeats {
            self.order = Permutation::new(self.order.len(), rng);
        }
    }

    /// The next block; none at the end of a pass that no other follows.
    #[inline]
    fn next(&mut self, rng: &mut Stream) -> Option<u64> {
        if self.index == self.order.len() {
            if !self.goes_on {
                return None;
            }
            self.begin(rng);
        }
        self.index += 1;
        Some(self.order.at(self.index - 1))
    }
}

/// A law of ranks and where each rank lies.
#[derive(Debug, Clone)]
pub struct Skewed {
    ranks: Ranks,
    spread: Spread,
    rotation: u64,
}

/// Rule by which ranks become blocks.
#[derive(Debug, Clone)]
enum Spread {
    /// fio's: a product modulo 2⁶⁴, modulo the blocks. Ranks collide, and blocks are left out; none where their number
    /// is a power of two, up to two thirds elsewhere.
    Hash(u64),
    /// One to one, by a permutation.
    Shuffle(Permutation),
}

/// 2⁶⁴ divided by the golden ratio squared, to the nearest odd number: Knuth's multiplicative hash, as fio has it.
const GOLDEN: u64 = 0x61c8_8646_80b5_83eb;

/// Returns the block of a rank by fio's hash, from 0 to `blocks` - 1.
fn hashed(rank: u64, blocks: u64) -> u64 {
    rank.wrapping_mul(GOLDEN) % blocks
}

/// Returns the number of the first `blocks` blocks that fio's hash of their ranks reaches.
pub fn blocks_reached(blocks: u64) -> u64 {
    let mut reached = vec![0_u64; blocks.div_ceil(64) as usize];
    for rank in 0..blocks {
        let block = hashed(rank, blocks);
        reached[(block / 64) as usize] |= 1 << (block % 64);
    }
    reached
        .iter()
        .map(|word| u64::from(word.count_ones()))
        .sum()
}

impl Spread {
    fn len(&self) -> u64 {
        match self {
            Spread::Hash(blocks) => *blocks,
            Spread::Shuffle(order) => order.len(),
        }
    }

    fn at(&self, rank: u64) -> u64 {
        match self {
            Spread::Hash(blocks) => hashed(rank, *blocks),
            Spread::Shuffle(order) => order.at(rank),
        }
    }
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
    fn new(
        ranks: Ranks,
        spread: Spread,
        hottest: u64,
        center: Option<f64>,
        rng: &mut Stream,
    ) -> Skewed {
        let n = spread.len();
        let rotation = match (center, &spread) {
            (Some(share), spread) => {
                let target = ((n as f64 * share) as u64).min(n - 1);
                (target + n - spread.at(hottest)) % n
            }
            // A hash begins with the first block.
            (None, Spread::Hash(_)) => below(n, rng),
            (None, Spread::Shuffle(_)) => 0,
        };
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
    /// Where their places lie, if not one behind the other.
    scatter: Option<Scatter>,
}

impl Zones {
    /// Zones in bytes, of which those that share a block share it.
    fn of_bytes(zones: &[ByteZone], grid: Grid) -> Zones {
        let mut zone_of_percent = Vec::new();
        let mut spans = Vec::new();
        let mut end_bytes: u64 = 0;
        for zone in zones {
            let start = (end_bytes / grid.align_bytes).min(grid.places - 1);
            end_bytes = end_bytes.saturating_add(zone.bytes);
            let end = (end_bytes / grid.align_bytes).min(grid.places);
            spans.push((start, end.saturating_sub(start).max(1)));
            let index = (spans.len() - 1) as u16;
            zone_of_percent.extend((0..zone.access_percent).map(|_| index));
        }
        Zones {
            zone_of_percent,
            spans,
            scatter: None,
        }
    }

    fn of_shares(zones: &[Zone], blocks: u64) -> Zones {
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
            scatter: None,
        }
    }

    fn next(&self, rng: &mut Stream) -> u64 {
        let percent = below(self.zone_of_percent.len() as u64, rng) as usize;
        let (start, blocks) = self.spans[usize::from(self.zone_of_percent[percent])];
        let place = start + below(blocks, rng);
        match &self.scatter {
            None => place,
            Some(scatter) => scatter.at(place),
        }
    }
}
