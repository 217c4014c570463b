//! Where the next request of a kind lies, and how long it is.

use super::Chance;
use super::free_map::FreeMap;
use super::law::{Grid, Law, Map};
use super::sizes::Sizes;
use crate::{Distribution, PatternKind, PerKind, ResolvedJob, Sequencer, Strides};
use ftlab_base::CommandKind;
use ftlab_base::rng::Stream;

/// The positions of a job's requests, in sectors from the start of its region. Each kind goes on
/// from its own last request, as in fio.
#[derive(Debug, Clone)]
pub struct Positions {
    kinds: PerKind<Kind>,
    /// The end of each kind's last request, and its start.
    ends: [u64; 3],
    starts: [u64; 3],
    region_sectors: u64,
    /// Requests in order among random ones begin again where the region ends; else the pass ends there.
    begins_again: bool,
    laws: Vec<Law>,
    /// What few jobs have.
    special: Option<Box<Special>>,
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

/// Sizes that differ, runs, strides and zones.
#[derive(Debug, Clone)]
struct Special {
    /// Sizes of reads, writes and trims; none where they have one.
    sizes: Option<[Sizes; 3]>,
    sizes_by_order: bool,
    /// Requests of which the first is random, and how many follow the last random one.
    run: u64,
    run_left: u64,
    sequencer: Sequencer,
    stride_sectors: i64,
    /// Where the last request must end: with the device where some are left out, else with the region.
    end: u64,
    /// Backward jobs begin at their end.
    begins_at_end: bool,
    /// Forward ones begin again at the end of the device, where others end with their region.
    wraps: bool,
    zones: Option<Zones>,
}

/// Zones that the job goes through, in sectors.
#[derive(Debug, Clone)]
struct Zones {
    strides: Strides,
    start: u64,
    moved: u64,
    /// A block that is trimmed and then written counts twice.
    weight: u64,
}

/// A request's place and length in sectors.
pub type Place = (u64, u32);

impl Positions {
    pub fn new(job: &ResolvedJob, rng: &mut Stream) -> Positions {
        let (spec, unit) = (&job.spec, job.unit_bytes());
        let mut laws = Vec::new();
        let mut grids: Vec<Grid> = Vec::new();
        let by_kind = matches!(
            spec.random_distribution,
            Distribution::Zoned(_) | Distribution::ZonedAbs(_)
        );
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
                    laws.push(law_of(job, grid, rng));
                    laws.len() - 1
                });
            let percent = if spec.random {
                spec.percentage_random.of(kind)
            } else {
                0
            };
            Kind {
                slot,
                sectors: (spec.bs.of(kind) / unit) as u32,
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
            ends: [spec.begin_bytes / unit; 3],
            starts: [0; 3],
            region_sectors: job.region_bytes / unit,
            begins_again: spec.random,
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
        if self.special.is_some() {
            return self.next_special(kind, rng);
        }
        let kind = self.kinds.of(kind);
        let sectors = u64::from(kind.sectors);
        let at = if kind.jumps.draw(rng) {
            self.laws[kind.law].next(rng)? * kind.align_sectors
        } else {
            self.after(self.ends[kind.slot], sectors)?
        };
        self.ends[kind.slot] = at + sectors;
        Some((at, kind.sectors))
    }

    /// Starts a loop: sequential requests at the region's start, a fresh order for the map.
    pub fn begin_loop(&mut self, rng: &mut Stream) {
        self.ends = [0; 3];
        self.starts = [0; 3];
        for law in &mut self.laws {
            law.begin(rng);
        }
        if let Some(special) = &mut self.special {
            special.run_left = 0;
            if let Some(zones) = &mut special.zones {
                (zones.start, zones.moved) = (0, 0);
            }
        }
    }

    /// Where a request in order lies; none where its pass is at its end.
    #[inline]
    fn after(&self, end: u64, sectors: u64) -> Option<u64> {
        if end + sectors <= self.region_sectors {
            return Some(end);
        }
        self.begins_again.then_some(0)
    }

    fn next_special(&mut self, kind: CommandKind, rng: &mut Stream) -> Option<Place> {
        let kind = self.kinds.of(kind);
        self.enter_zone(kind, rng);
        let special = self.special.as_mut().expect("a job with something special");
        let begins_run = special.run_left == 0;
        special.run_left = match begins_run {
            true => special.run - 1,
            false => special.run_left - 1,
        };
        let is_random = begins_run && kind.jumps.draw(rng);
        let zone_start = special.zones.as_ref().map_or(0, |zones| zones.start);
        let at = if is_random {
            zone_start + self.laws[kind.law].next(rng)? * kind.align_sectors
        } else if !begins_run && special.sequencer == Sequencer::Identical {
            self.starts[kind.slot]
        } else {
            self.next_in_order(kind)?
        };
        let sectors = self.length(kind, at, is_random, rng)?;
        let sectors = match &mut self.laws[kind.law] {
            Law::Free(map) if is_random => {
                let place = at / kind.align_sectors;
                let places = u64::from(sectors).div_ceil(kind.align_sectors);
                (map.take(place, places) * kind.align_sectors).min(u64::from(sectors)) as u32
            }
            _ => sectors,
        };
        self.starts[kind.slot] = at;
        self.ends[kind.slot] = at + u64::from(sectors);
        if let Some(zones) = self.zones() {
            zones.moved += u64::from(sectors) * zones.weight;
        }
        Some((at, sectors))
    }

    /// Where the request after the last one lies, with what is left out between; none beyond the region.
    fn next_in_order(&self, kind: Kind) -> Option<u64> {
        let special = self.special.as_deref()?;
        let end = self.ends[kind.slot];
        let stride = special.stride_sectors;
        let from_the_end = self.region_sectors.checked_add_signed(stride);
        if stride == 0 || (end == 0 && !special.begins_at_end) {
            return (end < self.region_sectors).then_some(end);
        }
        if end == 0 {
            return from_the_end;
        }
        match end.checked_add_signed(stride) {
            Some(at) if at < self.region_sectors => Some(at),
            Some(_) => special.wraps.then_some(0),
            None => from_the_end,
        }
    }

    /// How long a request is there.
    fn length(&self, kind: Kind, at: u64, is_random: bool, rng: &mut Stream) -> Option<u32> {
        let special = self.special.as_deref()?;
        let room = special.end.checked_sub(at)?;
        match &special.sizes {
            Some(sizes) => {
                let slot = match (special.sizes_by_order, is_random) {
                    (true, true) => 1,
                    (true, false) => 0,
                    (false, _) => kind.slot,
                };
                sizes[slot].draw(room, rng)
            }
            None => (u64::from(kind.sectors) <= room).then_some(kind.sectors),
        }
    }

    fn zones(&mut self) -> Option<&mut Zones> {
        self.special.as_mut()?.zones.as_mut()
    }

    /// Goes on to the next zone where it is its turn, and begins a zone again that is at its end.
    fn enter_zone(&mut self, kind: Kind, rng: &mut Stream) {
        let region = self.region_sectors;
        let Some(zones) = self.zones() else {
            return;
        };
        let Strides { size, range, skip } = zones.strides;
        let mut begins = false;
        if zones.moved >= size {
            zones.moved = 0;
            zones.start += range + skip;
            if zones.start + range > region {
                zones.start = 0;
            }
            begins = true;
        }
        let (start, end) = (zones.start, zones.start + range);
        let is_fresh = zones.moved.is_multiple_of(range);
        let last = &mut self.ends[kind.slot];
        if begins || *last >= end {
            *last = start;
        }
        if is_fresh {
            self.ends = [start; 3];
            self.laws[kind.law].begin(rng);
        }
    }
}

impl Special {
    /// What a job has of it, if anything.
    fn of(job: &ResolvedJob) -> Option<Special> {
        let (spec, unit) = (&job.spec, job.unit_bytes());
        let kinds = [CommandKind::Read, CommandKind::Write, CommandKind::Trim];
        let used = spec.kinds();
        let differ = used.iter().any(|&kind| !spec.has_one_size(kind)) || spec.bs_is_seq_rand;
        let strides = spec.strides().map(|strides| Strides {
            size: strides.size / unit,
            range: strides.range / unit,
            skip: strides.skip / unit,
        });
        let is_plain =
            !differ && spec.random_run == 1 && spec.stride_bytes == 0 && strides.is_none();
        (!is_plain).then(|| Special {
            sizes: differ.then(|| kinds.map(|kind| Sizes::of(job, kind))),
            sizes_by_order: spec.bs_is_seq_rand,
            run: spec.random_run,
            run_left: 0,
            sequencer: spec.rw_sequencer,
            stride_sectors: spec.stride_bytes / unit as i64,
            end: match spec.stride_bytes {
                0 => job.region_bytes / unit,
                _ => (job.device_bytes - job.offset_bytes) / unit,
            },
            begins_at_end: spec.stride_bytes < 0 && job.offset_bytes > 0,
            wraps: spec.stride_bytes > 0 && job.is_whole_device,
            zones: strides.map(|strides| Zones {
                strides,
                start: 0,
                moved: 0,
                weight: 1 + u64::from(
                    spec.kind == PatternKind::TrimWrite && spec.rwmixtrim.is_none(),
                ),
            }),
        })
    }
}

fn law_of(job: &ResolvedJob, grid: Grid, rng: &mut Stream) -> Law {
    if job.free_map {
        return Law::Free(Box::new(FreeMap::new(grid.places)));
    }
    if job.random_map {
        // fio repeats itself pass by pass unless randrepeat is off or the job runs by time. A zone has an
        // order of its own.
        let spec = &job.spec;
        let repeats = spec.randrepeat && !spec.time_based && spec.strides().is_none();
        return Law::Map(Map::new(grid.places, repeats, rng));
    }
    let spec = &job.spec;
    Law::of(&spec.random_distribution, grid, spec.shuffle, rng)
}
