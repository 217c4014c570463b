//! Victim policies: which superblock to collect next, decided over a read-only view.

use ftlab_base::SuperblockId;
use ftlab_base::rng::Stream;

/// Marks, in a count of valid slots, a superblock that is not a candidate: free, or still open.
pub(super) const NOT_A_CANDIDATE: u32 = 1 << 31;

/// The superblocks of one group as a policy sees them.
#[derive(Debug, Clone, Copy)]
pub struct VictimView<'a> {
    pub(super) first: SuperblockId,
    pub(super) valid: &'a [u32],
    pub(super) closed_at: &'a [u64],
}

/// A superblock that may be collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// The superblock.
    pub superblock: SuperblockId,
    /// Slots that would have to be copied.
    pub valid_slots: u32,
    /// When its last slot was written, counted in superblocks closed before it.
    pub closed_at: u64,
}

impl<'a> VictimView<'a> {
    /// All full superblocks, by number.
    pub fn candidates(&self) -> impl Iterator<Item = Candidate> + 'a {
        let first = self.first.0;
        let pairs = self.valid.iter().zip(self.closed_at).enumerate();
        pairs
            .filter(|(_, (valid, _))| **valid < NOT_A_CANDIDATE)
            .map(move |(n, (&valid_slots, &closed_at))| Candidate {
                superblock: SuperblockId(first + n as u32),
                valid_slots,
                closed_at,
            })
    }
}

/// Chooses what to collect. A policy acts on nothing, and remembers nothing from one choice to the
/// next but where its random stream is.
pub trait VictimPolicy: std::fmt::Debug + Send {
    /// Its name in a drive file.
    fn name(&self) -> &'static str;

    /// The superblock to collect, or `None` when there is no candidate.
    fn choose(&mut self, view: &VictimView<'_>) -> Option<SuperblockId>;

    /// A copy in a box, for snapshots of a drive.
    fn boxed(&self) -> Box<dyn VictimPolicy>;

    /// The stream it draws from, for saved states; `None` when nothing is left to chance.
    fn stream(&mut self) -> Option<&mut Stream>;
}

/// Fewest valid slots first: the least copying now.
#[derive(Debug, Clone, Copy)]
pub struct Greedy;

impl VictimPolicy for Greedy {
    fn name(&self) -> &'static str {
        "greedy"
    }

    fn choose(&mut self, view: &VictimView<'_>) -> Option<SuperblockId> {
        // Two plain passes over a dense array, which the compiler turns into vector code: free and
        // open superblocks carry a mark that makes them larger than any candidate.
        let least = view.valid.iter().copied().min()?;
        let n = view.valid.iter().position(|&valid| valid == least)?;
        (least < NOT_A_CANDIDATE).then_some(SuperblockId(view.first.0 + n as u32))
    }

    fn boxed(&self) -> Box<dyn VictimPolicy> {
        Box::new(*self)
    }

    fn stream(&mut self) -> Option<&mut Stream> {
        None
    }
}

/// Oldest first, whatever it holds.
#[derive(Debug, Clone, Copy)]
pub struct Fifo;

impl VictimPolicy for Fifo {
    fn name(&self) -> &'static str {
        "fifo"
    }

    fn choose(&mut self, view: &VictimView<'_>) -> Option<SuperblockId> {
        let oldest = view.candidates().min_by_key(|c| c.closed_at)?;
        Some(oldest.superblock)
    }

    fn boxed(&self) -> Box<dyn VictimPolicy> {
        Box::new(*self)
    }

    fn stream(&mut self) -> Option<&mut Stream> {
        None
    }
}

/// The policies a drive file can name, in one place.
pub const POLICIES: [&str; 2] = ["greedy", "fifo"];

/// The policy called `name`, if there is one.
#[must_use]
pub fn policy(name: &str) -> Option<Box<dyn VictimPolicy>> {
    match name {
        "greedy" => Some(Box::new(Greedy)),
        "fifo" => Some(Box::new(Fifo)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(name: &str, valid: &[u32], closed_at: &[u64]) -> Option<u32> {
        let view = VictimView {
            first: SuperblockId(10),
            valid,
            closed_at,
        };
        policy(name).unwrap().choose(&view).map(|s| s.0)
    }

    #[test]
    fn every_named_policy_exists() {
        for name in POLICIES {
            assert_eq!(policy(name).unwrap().name(), name);
        }
        assert!(policy("fastest").is_none());
    }

    #[test]
    fn greedy_takes_the_emptiest_full_superblock() {
        let open = NOT_A_CANDIDATE | 1;
        assert_eq!(choose("greedy", &[7, open, 3, 5], &[1, 2, 3, 4]), Some(12));
        assert_eq!(choose("greedy", &[open, open], &[1, 2]), None);
    }

    #[test]
    fn fifo_takes_the_oldest_full_superblock() {
        let open = NOT_A_CANDIDATE | 1;
        assert_eq!(choose("fifo", &[7, open, 3, 5], &[9, 1, 4, 6]), Some(12));
    }
}
