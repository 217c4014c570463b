//! Streams: data of different temperature in superblocks of their own, and the spare area shared between
//! them.
//!
//! Superblocks that hold data of one temperature empty together, so less has to be copied. What
//! separation gains comes from giving hot data more spare area than their size would: the best
//! share of each stream is very close to √(r · f), with r its share of the writes and f its share of
//! the data (Desnoyers, SYSTOR 2012; Stoica and Ailamaki, VLDB 2013; `docs/theory.md`).
//!
//! A layer has as many streams as its configuration tells apart, numbered from the hottest on. Each has a
//! frontier for host data and one for collected data in every group of dies; which stream a superblock
//! belongs to is its cell in the table.

use ftlab_nand::StateError;
use serde::{Deserialize, Serialize};

/// Frontiers of a cell: one for host data, one for collected data.
pub(super) const FRONTIERS_PER_CELL: usize = 2;

/// The frontier for host data of a cell.
#[inline]
pub(super) fn host_frontier(cell: usize) -> usize {
    cell * FRONTIERS_PER_CELL
}

/// The frontier for collected data of a cell.
#[inline]
pub(super) fn collected_frontier(cell: usize) -> usize {
    cell * FRONTIERS_PER_CELL + 1
}

/// Rule that divides data among streams.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Separation {
    /// Not at all: one stream.
    #[default]
    None,
    /// By address, as a host may say that knows its data.
    ByAddress {
        /// Behind the last slot of each stream, but for the last stream, which has the rest.
        ends: Vec<u32>,
    },
    /// By age: a slot is the first stream's when it is written again before N superblocks were
    /// closed, and so on. The drive knows the mean age of what a superblock holds, through collections.
    ByAge {
        /// Superblocks closed, for each stream but the last.
        closings: Vec<u64>,
    },
    /// By the host, which names a placement handle with each write (NVMe, Flexible Data Placement). A superblock
    /// is a part of a reclaim unit: as much of it as lies on one group of dies.
    ByHost {
        /// Number of placement handles.
        handles: u8,
        /// Destination of the collected data of a handle.
        isolation: Isolation,
    },
}

/// Destination of the data of a placement handle when they are collected (NVMe, types of reclaim unit handles).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isolation {
    /// They lie with what is collected of other handles then: in the last stream, which no handle writes to. The victim is
    /// chosen from all superblocks.
    Initial,
    /// They stay with the handle's. The spare area is shared between the handles, as between other streams.
    Persistent,
}

impl Separation {
    /// Number of streams that it tells apart.
    #[must_use]
    pub fn count(&self) -> usize {
        1 + match self {
            Separation::None => 0,
            Separation::ByAddress { ends } => ends.len(),
            Separation::ByAge { closings } => closings.len(),
            Separation::ByHost { handles, isolation } => {
                usize::from(*handles) - usize::from(*isolation == Isolation::Persistent)
            }
        }
    }

    /// Superblocks of a group of dies that may be open at a time.
    pub(super) fn frontiers(&self) -> usize {
        match self {
            // Each handle has one for what the host writes, and all together one for what is collected.
            Separation::ByHost {
                isolation: Isolation::Initial,
                ..
            } => self.count(),
            _ => self.count() * FRONTIERS_PER_CELL,
        }
    }

    /// The stream that collected data of all streams go to, if they do not stay in theirs.
    pub(super) fn of_collected(&self) -> Option<usize> {
        match self {
            Separation::ByHost {
                handles,
                isolation: Isolation::Initial,
            } => Some(usize::from(*handles)),
            _ => None,
        }
    }

    /// Checks that there can be such streams of N slots; an error says why not.
    pub(super) fn check(&self, user_slots: u32) -> Result<(), String> {
        if let Separation::ByHost { handles: 0, .. } = self {
            return Err(
                "0 placement handles: a host must have at least one to write to".to_owned(),
            );
        }
        if let Separation::ByAddress { ends } = self {
            let bounds = [&[0], &ends[..], &[user_slots]].concat();
            if !bounds.is_sorted_by(|a, b| a < b) {
                return Err(format!(
                    "streams that end at slots {ends:?} of {user_slots}: each must have some, and the \
                     last one the rest"
                ));
            }
        }
        Ok(())
    }
}

/// Times at which the host wrote the data of a superblock, each in superblocks closed by then.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Births {
    sum: u64,
    count: u64,
}

impl Births {
    pub fn add(&mut self, born: u64) {
        self.sum += born;
        self.count += 1;
    }

    /// Returns true if a superblock of N slots can have these, with N superblocks closed.
    pub fn are_possible(self, closed: u64, slots: u64) -> bool {
        let sum_max = u128::from(self.count) * u128::from(closed);
        self.count <= slots && u128::from(self.sum) <= sum_max
    }

    pub fn mean(self) -> u64 {
        self.sum.checked_div(self.count).unwrap_or(0)
    }
}

/// Traffic of a stream since the layer was made or restored: slots written to it, and copied of what lay in its
/// superblocks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StreamTraffic {
    /// Slots that the host wrote.
    pub host_slots_written: u64,
    /// Slots that collection copied.
    pub slots_copied: u64,
}

/// The streams at work.
#[derive(Debug, Clone)]
pub(super) struct Streams {
    pub(super) separation: Separation,
    count: usize,
    of_collected: Option<usize>,
    /// Host slots written, of each stream; halved every so often, so that the shares follow the load.
    writes: Vec<u64>,
    written: u64,
    /// Writes at which they are halved.
    memory: u64,
    /// Slots written and copied, of each stream.
    traffic: Vec<StreamTraffic>,
    /// One for each superblock; none unless streams are separated by age.
    pub(super) births: Vec<Births>,
}

/// Sums over a group's full superblocks of one stream.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Full {
    pub(super) superblocks: u32,
    pub(super) invalid_slots: u64,
}

impl Streams {
    pub fn new(separation: Separation, user_slots: u32, superblocks: u32) -> Streams {
        let by_age = matches!(separation, Separation::ByAge { .. });
        let count = separation.count();
        Streams {
            of_collected: separation.of_collected(),
            separation,
            count,
            // One of each, so that no share is nothing.
            writes: vec![1; count],
            written: count as u64,
            traffic: vec![StreamTraffic::default(); count],
            memory: (u64::from(user_slots) / 4).max(2 * count as u64),
            births: vec![Births::default(); if by_age { superblocks as usize } else { 0 }],
        }
    }

    /// Number of streams, at least one.
    #[inline]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns true if each stream has a share of the spare area, which says whose superblocks are collected.
    #[inline]
    pub fn have_shares(&self) -> bool {
        self.count > 1 && self.of_collected.is_none()
    }

    /// The stream that collected data of all streams go to, if they do not stay in theirs.
    #[inline]
    pub fn of_collected(&self) -> Option<usize> {
        self.of_collected
    }

    /// Host slots written, of each stream, as far as they are remembered.
    pub fn writes(&self) -> &[u64] {
        &self.writes
    }

    /// Takes over what was written.
    ///
    /// # Errors
    /// When these streams cannot remember that.
    pub fn take_over(&mut self, writes: &[u64]) -> Result<(), StateError> {
        StateError::length("the writes of the streams", writes.len(), self.count)?;
        let total = (writes.iter()).try_fold(0_u64, |total, &n| total.checked_add(n));
        let fits = total.is_some_and(|total| total < self.memory);
        StateError::unless(fits && !writes.contains(&0), || {
            format!("{writes:?} writes of the streams")
        })?;
        self.writes = writes.to_vec();
        self.written = writes.iter().sum();
        Ok(())
    }

    /// Traffic of each placement handle; empty where there are no handles.
    pub fn of_handles(&self) -> &[StreamTraffic] {
        match self.separation {
            Separation::ByHost { handles, .. } => &self.traffic[..usize::from(handles)],
            _ => &[],
        }
    }

    /// A slot of a stream was collected.
    #[inline]
    pub fn note_copy(&mut self, stream: usize) {
        self.traffic[stream].slots_copied += 1;
    }

    pub fn note(&mut self, stream: usize) {
        self.traffic[stream].host_slots_written += 1;
        self.writes[stream] += 1;
        self.written += 1;
        if self.written >= self.memory {
            self.writes.iter_mut().for_each(|n| *n = (*n / 2).max(1));
            self.written = self.writes.iter().sum();
        }
    }

    /// Each stream's share of the spare area, when N slots of it are valid: in proportion to √(r · f).
    fn spare(&self, valid: &[f64]) -> Vec<f64> {
        let all = valid.iter().sum::<f64>().max(1.0);
        let first = |of: &[f64]| of[..of.len() - 1].to_vec();
        let data = with_rest(first(valid).into_iter().map(|n| n / all).collect());
        let writes = self.writes.iter().zip(data);
        let roots: Vec<f64> = writes.map(|(&n, f)| (n as f64 * f).sqrt()).collect();
        let sum: f64 = roots.iter().sum();
        if sum > 0.0 {
            with_rest(first(&roots).into_iter().map(|root| root / sum).collect())
        } else {
            vec![1.0 / self.count as f64; self.count]
        }
    }

    /// The stream that must give: of those with anything to gain, the one that holds the most invalid
    /// slots for its share of the spare area.
    pub fn to_collect(&self, full: &[Full], valid: &[f64]) -> usize {
        let spare = self.spare(valid);
        let is_above = |a: usize, b: usize| {
            let invalid = |stream: usize| full[stream].invalid_slots as f64;
            invalid(a) * spare[b] > invalid(b) * spare[a]
        };
        let mut with_gain = (0..self.count).rev().filter(|&s| full[s].invalid_slots > 0);
        match with_gain.next() {
            Some(last) => with_gain.fold(last, |most, s| if is_above(s, most) { s } else { most }),
            None => (full.iter().position(|of| of.superblocks > 0)).unwrap_or(0),
        }
    }
}

/// Shares of a whole, and what they leave of it.
fn with_rest(mut shares: Vec<f64>) -> Vec<f64> {
    let rest = (1.0 - shares.iter().sum::<f64>()).max(0.0);
    shares.push(rest);
    shares
}
