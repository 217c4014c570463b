//! Sectors in the volatile write cache of a drive without flash, which a power cut takes.

use ftlab_base::{RootSeed, SECTOR_BYTES};
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

/// Sectors with their data.
pub type Sectors = BTreeMap<u64, Vec<u8>>;

/// Sectors that were written together.
#[derive(Debug, Clone, Copy)]
struct Run {
    first: u64,
    sectors: u64,
    number: u64,
}

/// Sectors that wait to come to their places.
#[derive(Debug, Clone)]
pub struct CachedWrites {
    waiting: Sectors,
    /// The runs in which they were written, the oldest first.
    order: VecDeque<Run>,
    /// Seed that decides which of them a disk without time has destaged, and the number of runs so far.
    destaged: RootSeed,
    runs: u64,
}

impl CachedWrites {
    /// None yet, of a drive made with a seed.
    #[must_use]
    pub fn new(seed: RootSeed) -> CachedWrites {
        CachedWrites {
            waiting: BTreeMap::new(),
            order: VecDeque::new(),
            destaged: seed.derive("destaged without time"),
            runs: 0,
        }
    }

    /// Takes in sectors that wait for a flush alone.
    pub fn hold(&mut self, first: u64, data: &[u8]) {
        let sectors = data.chunks_exact(SECTOR_BYTES as usize).map(<[u8]>::to_vec);
        self.waiting.extend((first..).zip(sectors));
    }

    /// Takes in a run of sectors, which the drive may destage before a flush.
    pub fn admit(&mut self, first: u64, data: &[u8]) {
        self.hold(first, data);
        self.runs += 1;
        self.order.push_back(Run {
            first,
            sectors: data.len() as u64 / SECTOR_BYTES,
            number: self.runs,
        });
    }

    /// Sectors that wait.
    #[must_use]
    pub fn waiting(&self) -> &Sectors {
        &self.waiting
    }

    /// Takes sectors back that could not be brought to their places, under newer ones.
    pub fn take_back(&mut self, sectors: Sectors) {
        for (sector, data) in sectors {
            self.waiting.entry(sector).or_insert(data);
        }
    }

    /// Gives the sectors that wait no longer: all but those that the drive's cache alone has.
    #[must_use]
    pub fn keep_only(&mut self, dirty: &[Range<u64>]) -> Sectors {
        let is_dirty = |sector: &u64| dirty.iter().any(|run| run.contains(sector));
        let waiting = std::mem::take(&mut self.waiting);
        let (keep, go) = waiting
            .into_iter()
            .partition(|(sector, _)| is_dirty(sector));
        self.waiting = keep;
        self.order.clear();
        go
    }

    /// Gives what a disk without time has destaged: every second run that was written, as the seed says, and of the
    /// others what its cache of N sectors has no room for. The newest wait.
    #[must_use]
    pub fn destage(&mut self, sectors: u64) -> Sectors {
        let mut go = BTreeMap::new();
        let newest = self.order.pop_back();
        let seed = self.destaged;
        let stays = |run: &Run| seed.derive(&format!("run {}", run.number)).0 & 1 == 0;
        match newest {
            Some(run) if stays(&run) => self.order.push_back(run),
            Some(run) => self.leave(run, &mut go),
            None => {}
        }
        while self.waiting.len() as u64 > sectors
            && let Some(run) = self.order.pop_front()
        {
            self.leave(run, &mut go);
        }
        go
    }

    fn leave(&mut self, run: Run, go: &mut Sectors) {
        for sector in run.first..run.first + run.sectors {
            go.extend(self.waiting.remove_entry(&sector));
        }
    }

    /// Gives those of a range, which a flush brings to their places by themselves.
    #[must_use]
    pub fn take_of(&mut self, sectors: Range<u64>) -> Sectors {
        self.waiting.extract_if(sectors, |_, _| true).collect()
    }

    /// Gives all of them.
    #[must_use]
    pub fn take_all(&mut self) -> Sectors {
        std::mem::take(&mut self.waiting)
    }

    /// All that waited is in its place, and nothing of what is written next is older.
    pub fn forget_order(&mut self) {
        self.order.clear();
    }
}
