//! Place and length of the next request of a kind.

use super::free_map::FreeMap;
use super::law::{Chance, Grid, Law, Map};
use super::orders::{Orders, Scatter};
use super::permutation::Permutation;
use super::special::Special;
use crate::{Distribution, PerKind, ResolvedJob};
use ftlab_base::rng::Stream;
use ftlab_base::{CommandKind, RootSeed};

/// The positions of a job's requests, in sectors from the start of its region. Each kind goes on
/// from its own last request, as in fio.
#[derive(Debug, Clone)]
pub struct Positions {
    kinds: PerKind<Kind>,
    /// The end of each kind's last request.
    ends: [u64; 3],
    region_sectors: u64,
    /// Requests in order begin again at the region's end; else the pass is over there.
    goes_on: bool,
    laws: Vec<Law>,
    /// Rules that few jobs have.
    special: Option<Box<Special>>,
}

/// Properties of a kind that do not change from request to request.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// Its place among reads, writes and trims.
    pub slot: usize,
    pub sectors: u32,
    pub align_sectors: u64,
    pub jumps: Chance,
    /// Index into the laws; kinds on one grid share a law.
    pub law: usize,
}

/// A request's place and length in sectors.
pub type Place = (u64, u32);

impl Positions {
    /// Places of a job in a run of a seed, drawn from the job's own numbers.
    pub fn new(job: &ResolvedJob, seed: RootSeed, rng: &mut Stream) -> Positions {
        let (spec, unit) = (&job.spec, job.unit_bytes());
        let orders = Orders::of(spec, seed);
        let mut laws = Vec::new();
        let mut grids: Vec<Grid> = Vec::new();
        let by_kind = matches!(
            spec.pattern.random_distribution,
            Distribution::Zoned(_) | Distribution::ZonedAbs(_)
        );
        // A zone is the same bytes for reads and writes.
        let (blocks, bytes) = job.blocks_of_zones();
        let zones = by_kind.then(|| orders.of_blocks(blocks, bytes, rng));
        let zones = zones.flatten().map(|order| (order, bytes));
        let mut kind_of = |slot: usize, kind: CommandKind| {
            // Kinds the job does not use have no place of their own; they draw nothing.
            let kind = if spec.kinds().contains(&kind) {
                kind
            } else {
                spec.kinds()[0]
            };
            let grid = Grid {
                kind: by_kind.then_some(kind),
                places: job.places(kind),
                align_bytes: job.align_bytes(kind),
            };
            let law = grids
                .iter()
                .position(|&known| known == grid)
                .unwrap_or_else(|| {
                    grids.push(grid);
                    laws.push(law_of(job, grid, (&orders, zones.as_ref()), rng));
                    laws.len() - 1
                });
            let percent = if spec.pattern.random {
                spec.pattern.percentage_random.of(kind)
            } else {
                0
            };
            Kind {
                slot,
                sectors: (spec.sizes.bs.of(kind) / unit) as u32,
                align_sectors: grid.align_bytes / unit,
                jumps: Chance::percent(percent),
                law,
            }
        };
        let kinds = PerKind {
            read: kind_of(0, CommandKind::Read),
            write: kind_of(1, CommandKind::Write),
            trim: kind_of(2, CommandKind::Trim),
        };
        Positions {
            kinds,
            ends: [spec.region.begin_bytes / unit; 3],
            region_sectors: job.region_bytes / unit,
            goes_on: spec.length.time_based || spec.region.begin_bytes > 0,
            laws,
            special: Special::of(job).map(Box::new),
        }
    }

    /// Length of a kind's requests in sectors, where all have one.
    #[inline]
    pub fn sectors(&self, kind: CommandKind) -> u32 {
        self.kinds.of(kind).sectors
    }

    /// The next request of a kind; none where the pass over the region is at its end.
    #[inline]
    pub fn next(&mut self, kind: CommandKind, rng: &mut Stream) -> Option<Place> {
        let kind = self.kinds.of(kind);
        if let Some(special) = &mut self.special {
            return special.next(kind, &mut self.laws, rng);
        }
        let sectors = u64::from(kind.sectors);
        let at = if kind.jumps.draw(rng) {
            self.laws[kind.law].next(rng)? * kind.align_sectors
        } else {
            let end = self.ends[kind.slot];
            if end + sectors > self.region_sectors && !self.goes_on {
                return None;
            }
            self.after(end, sectors)
        };
        self.ends[kind.slot] = at + sectors;
        Some((at, kind.sectors))
    }

    /// Starts a loop: sequential requests at the region's start, a fresh order for the map.
    pub fn begin_loop(&mut self, rng: &mut Stream) {
        self.ends = [0; 3];
        for law in &mut self.laws {
            law.begin(rng);
        }
        if let Some(special) = &mut self.special {
            special.begin();
        }
    }

    /// Returns the rules that few jobs have.
    pub fn special(&mut self) -> Option<&mut Special> {
        self.special.as_deref_mut()
    }

    /// Sequential requests begin again where the region ends.
    #[inline]
    fn after(&self, end: u64, sectors: u64) -> u64 {
        if end + sectors > self.region_sectors {
            0
        } else {
            end
        }
    }
}

/// The law of the places of a grid. Shuffled zones are made of blocks of some bytes, in that order.
fn law_of(
    job: &ResolvedJob,
    grid: Grid,
    (orders, zones): (&Orders, Option<&(Permutation, u64)>),
    rng: &mut Stream,
) -> Law {
    if job.free_map {
        return Law::Free(Box::new(FreeMap::new(grid.places)));
    }
    if job.random_map {
        // fio repeats itself pass by pass unless randrepeat is off or the job runs by time. A zone has an
        // order of its own.
        let spec = &job.spec;
        let repeats =
            spec.pattern.randrepeat && !spec.length.time_based && spec.strides().is_none();
        return Law::Map(Map::new(grid.places, repeats, spec.length.time_based, rng));
    }
    let law = &job.spec.pattern.random_distribution;
    let scatter = zones.map(|(order, bytes)| Scatter::new(order.clone(), bytes / grid.align_bytes));
    let order = match law.is_skewed() {
        true => orders.of_blocks(grid.places, grid.align_bytes, rng),
        false => None,
    };
    Law::of(law, grid, (order, scatter), rng)
}
