//! Streams: hot and cold data in superblocks of their own, and the spare area shared between them.
//!
//! Superblocks that hold data of one temperature empty together, so less has to be copied. What
//! separation gains comes from giving the hot data more spare area than their size would: the best
//! share of each stream is very close to √(r · f), with r its share of the writes and f its share of
//! the data (Desnoyers, SYSTOR 2012; Stoica and Ailamaki, VLDB 2013; `docs/theory.md`).

use super::PageLayer;
use super::table::NOWHERE;
use super::victim::NOT_A_CANDIDATE;
use ftlab_base::{Lpn, SuperblockId};
use serde::{Deserialize, Serialize};

/// The stream of hot data.
pub(super) const HOT: usize = 0;
/// The stream of cold data.
pub(super) const COLD: usize = 1;

/// How hot data are told from cold ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Separation {
    /// Not at all: one stream.
    #[default]
    None,
    /// By address: the first `hot_slots` slots are hot, as a host may say that knows its data.
    ByAddress {
        /// Slots of the hot part.
        hot_slots: u32,
    },
    /// By age: a slot is hot when it is written again before `closings` superblocks were closed. The
    /// drive knows the mean age of what a superblock holds, through collections.
    ByAge {
        /// Superblocks closed.
        closings: u64,
    },
}

/// How the spare area is shared.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum SpareShare {
    /// In proportion to √(r · f), which the drive measures.
    #[default]
    SquareRoot,
    /// The hot stream has a given share, above 0 and below 1.
    Hot(f64),
}

/// Streams of a page-mapped drive.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StreamConfig {
    /// How hot data are told from cold ones.
    pub separation: Separation,
    /// How the spare area is shared.
    pub spare: SpareShare,
}

/// When the data of a superblock were written by the host, counted in superblocks closed by then.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Births {
    sum: u64,
    count: u64,
}

impl Births {
    fn add(&mut self, born: u64) {
        self.sum += born;
        self.count += 1;
    }

    /// Whether a superblock of so many slots can have these, with so many superblocks closed.
    pub fn are_possible(self, closed: u64, slots: u64) -> bool {
        let sum_max = u128::from(self.count) * u128::from(closed);
        self.count <= slots && u128::from(self.sum) <= sum_max
    }

    fn mean(self) -> u64 {
        self.sum.checked_div(self.count).unwrap_or(0)
    }
}

/// The streams at work.
#[derive(Debug, Clone)]
pub(super) struct Streams {
    config: StreamConfig,
    /// Host slots written, of each stream; halved every so often, so that the shares follow the load.
    pub(super) writes: [u64; 2],
    /// Writes at which they are halved.
    memory: u64,
    /// Of each superblock; none unless streams are told by age.
    pub(super) births: Vec<Births>,
}

impl Streams {
    pub fn new(config: StreamConfig, user_slots: u32, superblocks: u32) -> Streams {
        let by_age = matches!(config.separation, Separation::ByAge { .. });
        Streams {
            config,
            // One of each, so that no share is nothing.
            writes: [1; 2],
            memory: (u64::from(user_slots) / 4).max(4),
            births: vec![Births::default(); if by_age { superblocks as usize } else { 0 }],
        }
    }

    /// How many there are.
    #[inline]
    pub fn count(&self) -> usize {
        self.config.count()
    }

    /// Writes that are fewer than these are counted.
    pub fn memory(&self) -> u64 {
        self.memory
    }

    fn note(&mut self, stream: usize) {
        self.writes[stream] += 1;
        if self.writes[HOT] + self.writes[COLD] >= self.memory {
            self.writes = self.writes.map(|n| (n / 2).max(1));
        }
    }

    /// The hot stream's share of the spare area, when its data are the share `hot_data` of all.
    fn hot_spare(&self, hot_data: f64) -> f64 {
        match self.config.spare {
            SpareShare::Hot(share) => share,
            SpareShare::SquareRoot => {
                let writes = self.writes.map(|n| n as f64);
                let hot = (writes[HOT] * hot_data).sqrt();
                let cold = (writes[COLD] * (1.0 - hot_data)).sqrt();
                if hot + cold > 0.0 {
                    hot / (hot + cold)
                } else {
                    0.5
                }
            }
        }
    }
}

impl StreamConfig {
    /// How many streams there are.
    #[must_use]
    #[inline]
    pub fn count(&self) -> usize {
        match self.separation {
            Separation::None => 1,
            _ => 2,
        }
    }
}

impl<const FLAT: bool> PageLayer<FLAT> {
    /// The stream that a host write of `lpn` belongs to.
    #[inline]
    pub(super) fn stream_of_write(&mut self, lpn: Lpn) -> usize {
        let is_hot = match self.streams.config.separation {
            Separation::None => return 0,
            Separation::ByAddress { hot_slots } => lpn.0 < hot_slots,
            Separation::ByAge { closings } => {
                let old = self.table.slot_of(lpn);
                old != NOWHERE && self.age_of(self.table.superblock_of(old)) < closings
            }
        };
        let stream = if is_hot { HOT } else { COLD };
        self.streams.note(stream);
        stream
    }

    /// The stream whose data a superblock holds. What is collected stays in it.
    #[inline]
    pub(super) fn stream_of(&self, superblock: SuperblockId) -> usize {
        self.table.cell_of(superblock) % self.streams.count()
    }

    /// Superblocks closed since the data of this one were written, on average.
    fn age_of(&self, superblock: SuperblockId) -> u64 {
        self.closed - self.streams.births[superblock.index()].mean()
    }

    /// A slot whose data were born `at`, in superblocks closed by then, was appended to a superblock.
    #[inline]
    pub(super) fn note_birth(&mut self, superblock: SuperblockId, at: Option<SuperblockId>) {
        if let Separation::ByAge { .. } = self.streams.config.separation {
            let births = &mut self.streams.births;
            let born = at.map_or(self.closed, |from| births[from.index()].mean());
            births[superblock.index()].add(born);
        }
    }

    /// A superblock was opened: nobody is born there yet.
    pub(super) fn forget_births(&mut self, superblock: SuperblockId) {
        if let Some(births) = self.streams.births.get_mut(superblock.index()) {
            *births = Births::default();
        }
    }

    /// Leaves in the scratch copy of the counts only the full superblocks of the stream that holds more invalid slots than
    /// its share of the spare area.
    pub(super) fn mask_other_stream(&mut self, g: usize) {
        let mut masked = std::mem::take(&mut self.masked);
        let first = g * self.layout.superblocks_per_group as usize;
        let range = first..first + self.layout.superblocks_per_group as usize;
        masked.clear();
        masked.extend_from_slice(&self.table.valid_slots()[range]);
        let slots = self.layout.slots_per_superblock;
        let (mut full, mut invalid) = ([0u32; 2], [0u64; 2]);
        for (n, &valid) in masked.iter().enumerate() {
            if valid < NOT_A_CANDIDATE {
                let stream = self.stream_of(SuperblockId((first + n) as u32));
                full[stream] += 1;
                invalid[stream] += u64::from(slots - valid);
            }
        }
        let valid = [HOT, COLD].map(|s| f64::from(self.table.valid_of_cell(g * 2 + s)));
        let hot_spare = self
            .streams
            .hot_spare(valid[HOT] / (valid[HOT] + valid[COLD]).max(1.0));
        // Nothing to gain in one stream, or above its share: the other must give.
        let hot_is_above =
            invalid[HOT] as f64 * (1.0 - hot_spare) > invalid[COLD] as f64 * hot_spare;
        let chosen = if full[COLD] == 0 || invalid[COLD] == 0 || (hot_is_above && full[HOT] > 0) {
            HOT
        } else {
            COLD
        };
        for (n, valid) in masked.iter_mut().enumerate() {
            if self.stream_of(SuperblockId((first + n) as u32)) != chosen {
                *valid |= NOT_A_CANDIDATE;
            }
        }
        self.masked = masked;
    }
}
