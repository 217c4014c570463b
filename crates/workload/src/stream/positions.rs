//! Where the next request of a kind lies.

use super::Chance;
use super::law::{Law, Map};
use crate::{PerKind, ResolvedJob};
use ftlab_base::rng::Stream;
use ftlab_base::{CommandKind, SECTOR_BYTES};

/// The positions of a job's requests, in sectors from the start of its region. Each kind goes on
/// from its own last request, as in fio.
#[derive(Debug, Clone)]
pub struct Positions {
    kinds: PerKind<Kind>,
    /// The end of each kind's last request.
    ends: [u64; 3],
    region_sectors: u64,
    laws: Vec<Law>,
}

/// What does not change from request to request of a kind.
#[derive(Debug, Clone, Copy)]
struct Kind {
    /// Index into `ends`.
    slot: usize,
    sectors: u32,
    align_sectors: u64,
    jumps: Chance,
    /// Index into `laws`; kinds on one grid share a law.
    law: usize,
}

impl Positions {
    pub fn new(job: &ResolvedJob, rng: &mut Stream) -> Positions {
        let spec = &job.spec;
        let mut laws = Vec::new();
        let mut grids: Vec<(u64, u64)> = Vec::new();
        let mut kind_of = |slot: usize, kind: CommandKind| {
            // Kinds the job does not use have no place of their own; they draw nothing.
            let kind = if spec.kinds().contains(&kind) {
                kind
            } else {
                spec.kinds()[0]
            };
            let grid = (job.places(kind), job.align_bytes(kind));
            let law = grids
                .iter()
                .position(|&known| known == grid)
                .unwrap_or_else(|| {
                    grids.push(grid);
                    laws.push(law_of(job, grid.0, rng));
                    laws.len() - 1
                });
            let percent = if spec.random {
                spec.percentage_random.of(kind)
            } else {
                0
            };
            Kind {
                slot,
                sectors: (spec.bs.of(kind) / SECTOR_BYTES) as u32,
                align_sectors: grid.1 / SECTOR_BYTES,
                jumps: Chance::percent(percent),
                law,
            }
        };
        let kinds = PerKind {
            read: kind_of(0, CommandKind::Read),
            write: kind_of(1, CommandKind::Write),
            trim: kind_of(2, CommandKind::Trim),
        };
        let region_sectors = job.region_bytes / SECTOR_BYTES;
        Positions {
            kinds,
            ends: [spec.begin_bytes / SECTOR_BYTES; 3],
            region_sectors,
            laws,
        }
    }

    /// Length of a kind's requests in sectors.
    #[inline]
    pub fn sectors(&self, kind: CommandKind) -> u32 {
        self.kinds.of(kind).sectors
    }

    /// The first sector of the next request of a kind.
    #[inline]
    pub fn next(&mut self, kind: CommandKind, rng: &mut Stream) -> u64 {
        let kind = self.kinds.of(kind);
        let sectors = u64::from(kind.sectors);
        let at = if kind.jumps.draw(rng) {
            self.laws[kind.law].next(rng) * kind.align_sectors
        } else {
            self.after(self.ends[kind.slot], sectors)
        };
        self.ends[kind.slot] = at + sectors;
        at
    }

    /// Starts a loop: sequential requests at the region's start, a fresh order for the map.
    pub fn begin_loop(&mut self, rng: &mut Stream) {
        self.ends = [0; 3];
        for law in &mut self.laws {
            if let Law::Map(map) = law {
                map.begin(rng);
            }
        }
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

fn law_of(job: &ResolvedJob, places: u64, rng: &mut Stream) -> Law {
    if job.random_map {
        // fio repeats itself pass by pass unless randrepeat is off or the job runs by time.
        let repeats = job.spec.randrepeat && !job.spec.time_based;
        return Law::Map(Map::new(places, repeats, rng));
    }
    Law::of(&job.spec.random_distribution, places, rng)
}
