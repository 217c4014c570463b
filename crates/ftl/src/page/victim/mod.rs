//! Victim policies: which superblock to collect next, decided over a read-only view.
//!
//! A policy sees the superblocks of one group of dies as a [`VictimView`] and names one; copying
//! and erasing are the layer's. The policies that come along are listed in `registry.rs`.

mod by_age;
mod greedy;
mod registry;
mod sampled;

pub use by_age::{CostBenefit, Fifo};
pub use greedy::{Greedy, WindowedGreedy};
pub use registry::{POLICIES, Parameter, PolicyError, Registered, policy, registered};
pub use sampled::DChoices;

use ftlab_base::SuperblockId;
use ftlab_base::rng::Stream;
use std::ops::Range;

/// Marks, in a count of valid slots, a superblock that is not a candidate: free, still open, under
/// collection, or of a stream whose turn it is not. Any number from here on does.
pub const NOT_A_CANDIDATE: u32 = 1 << 31;

/// The superblocks of one group as a policy sees them.
#[derive(Debug, Clone, Copy)]
pub struct VictimView<'a> {
    /// The group's first superblock; the others follow it.
    first: SuperblockId,
    slots_per_superblock: u32,
    /// Valid slots of each, or a mark.
    valid: &'a [u32],
    /// Superblocks closed by the time that each one was closed.
    closed_at: &'a [u64],
    /// Superblocks closed so far.
    closed: u64,
}

/// Superblocks of a run: few for those that are looked at closely, many for those that are not.
const RUN: usize = 64;

/// Some superblocks of a view that follow one another, candidates or not.
struct Run<'a> {
    /// The place of the first in the group.
    first: usize,
    valid: &'a [u32],
    closed_at: &'a [u64],
}

impl Run<'_> {
    /// Place in the run, valid slots or a mark, and when each was closed.
    fn each(&self) -> impl Iterator<Item = (usize, (u32, u64))> {
        let states = self
            .valid
            .iter()
            .copied()
            .zip(self.closed_at.iter().copied());
        states.enumerate()
    }
}

/// A superblock that may be collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// Number of the superblock, for [`VictimPolicy::choose`] to return.
    pub superblock: SuperblockId,
    /// Slots that would have to be copied.
    pub valid_slots: u32,
    /// Time since its last slot was written, counted in superblocks that the drive has closed
    /// since: 0 for the one closed last. No two of a group are of one age.
    pub age: u64,
}

impl<'a> VictimView<'a> {
    /// A view of the superblocks from `first` on: the valid slots of each, or
    /// [`NOT_A_CANDIDATE`]; the number of the closing that closed it; and the closings so far.
    /// The layer makes one for every choice; a test of a policy makes its own.
    ///
    /// # Panics
    /// When the two slices differ in length.
    #[must_use]
    pub fn new(
        first: SuperblockId,
        slots_per_superblock: u32,
        valid: &'a [u32],
        closed_at: &'a [u64],
        closed: u64,
    ) -> VictimView<'a> {
        assert_eq!(valid.len(), closed_at.len(), "a count and a time for each");
        VictimView {
            first,
            slots_per_superblock,
            valid,
            closed_at,
            closed,
        }
    }

    /// All full superblocks that may be collected, by number.
    pub fn candidates(&self) -> impl Iterator<Item = Candidate> + use<'a> {
        let view = *self;
        (0..view.valid.len()).filter_map(move |n| view.nth(n))
    }

    /// A superblock, if it is a candidate.
    #[must_use]
    pub fn candidate(&self, superblock: SuperblockId) -> Option<Candidate> {
        self.nth(superblock.0.checked_sub(self.first.0)? as usize)
    }

    /// The numbers of all superblocks of the group, candidates or not: what to draw from.
    #[must_use]
    pub fn numbers(&self) -> Range<u32> {
        self.first.0..self.first.0 + self.valid.len() as u32
    }

    /// Slots of a superblock; with that many valid ones a candidate gains nothing.
    #[must_use]
    pub fn slots_per_superblock(&self) -> u32 {
        self.slots_per_superblock
    }

    /// Asks `policy` to choose one of these.
    ///
    /// # Panics
    /// When it chooses none, or one that is no candidate: a bug of the policy.
    pub(crate) fn ask(&self, policy: &mut dyn VictimPolicy) -> Candidate {
        let chosen = policy.choose(self);
        chosen.and_then(|s| self.candidate(s)).unwrap_or_else(|| {
            let told = chosen.map_or("no superblock".to_string(), |s| s.to_string());
            let count = self.candidates().count();
            panic!("{policy:?} chose {told}, which is none of the {count} candidates")
        })
    }

    /// The superblocks in runs, by number. A policy that looks for the least of something asks for that of a run first,
    /// which compiles to vector code without branches, and looks closely at the few runs that have less than those before.
    fn runs(&self) -> impl Iterator<Item = Run<'a>> + use<'a> {
        let runs = self.valid.chunks(RUN).zip(self.closed_at.chunks(RUN));
        let firsts = (0..).step_by(RUN);
        runs.zip(firsts).map(|((valid, closed_at), first)| Run {
            first,
            valid,
            closed_at,
        })
    }

    fn nth(&self, n: usize) -> Option<Candidate> {
        let valid_slots = *self.valid.get(n)?;
        (valid_slots < NOT_A_CANDIDATE).then(|| Candidate {
            superblock: self.superblock(n),
            valid_slots,
            age: self.closed - self.closed_at[n],
        })
    }

    fn superblock(&self, n: usize) -> SuperblockId {
        SuperblockId(self.first.0 + n as u32)
    }
}

/// Chooses what to collect. A policy may keep state, but acts on nothing.
pub trait VictimPolicy: std::fmt::Debug + Send {
    /// Name of the policy, for example in a drive file.
    fn name(&self) -> &'static str;

    /// The superblock to collect, or `None` when there is no candidate.
    fn choose(&mut self, view: &VictimView<'_>) -> Option<SuperblockId>;

    /// A copy in a box, for snapshots of a drive: it goes on as this one would, random numbers
    /// included.
    fn boxed(&self) -> Box<dyn VictimPolicy>;

    /// The stream it draws from: all of a policy that a saved drive keeps. `None` when nothing is
    /// left to chance.
    fn stream(&mut self) -> Option<&mut Stream> {
        None
    }
}

#[cfg(test)]
mod tests;
