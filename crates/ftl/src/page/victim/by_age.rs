//! By age, alone or weighed against valid slots.

use super::{Candidate, NOT_A_CANDIDATE, VictimPolicy, VictimView};
use ftlab_base::SuperblockId;

/// Oldest first, whatever it holds.
#[derive(Debug, Clone, Copy)]
pub struct Fifo;

impl VictimPolicy for Fifo {
    fn choose(&mut self, view: &VictimView<'_>) -> Option<SuperblockId> {
        // The mark moved above any time: plain passes without a branch.
        let time = |(&valid, &closed_at): (&u32, &u64)| {
            closed_at | u64::from(valid & NOT_A_CANDIDATE) << 32
        };
        let oldest = view.valid.iter().zip(view.closed_at).map(time).min()?;
        let n = view.closed_at.iter().zip(view.valid);
        let n = n
            .map(|(at, valid)| time((valid, at)))
            .position(|at| at == oldest)?;
        (view.valid[n] < NOT_A_CANDIDATE).then(|| view.superblock(n))
    }

    fn boxed(&self) -> Box<dyn VictimPolicy> {
        Box::new(*self)
    }
}

/// The most benefit for the cost: age · (1 − u) / 2u, where u is the valid share of a superblock.
///
/// Rosenblum and Ousterhout (SOSP 1991) weigh the free space gained, 1 − u, and how long it will
/// stay free, for which age stands, against the cost of reading a whole segment and writing back
/// its valid part, 1 + u. Kawaguchi, Nishioka and Motoda (USENIX 1995) read only what is valid, as
/// flash allows: 2u. This is their form; age is the time since the superblock was closed, in
/// superblocks closed since. An empty superblock costs nothing and goes first; of equals the
/// oldest.
#[derive(Debug, Clone, Copy)]
pub struct CostBenefit;

impl CostBenefit {
    fn score(candidate: &Candidate, slots_per_superblock: f64) -> f64 {
        if candidate.valid_slots == 0 {
            return f64::INFINITY;
        }
        let u = f64::from(candidate.valid_slots) / slots_per_superblock;
        candidate.age as f64 * (1.0 - u) / (2.0 * u)
    }
}

impl VictimPolicy for CostBenefit {
    fn choose(&mut self, view: &VictimView<'_>) -> Option<SuperblockId> {
        let slots = f64::from(view.slots_per_superblock);
        let mut candidates = view.candidates();
        let mut best = candidates.next()?;
        let mut most = Self::score(&best, slots);
        for candidate in candidates {
            let score = Self::score(&candidate, slots);
            if score > most || (score == most && candidate.age > best.age) {
                (best, most) = (candidate, score);
            }
        }
        Some(best.superblock)
    }

    fn boxed(&self) -> Box<dyn VictimPolicy> {
        Box::new(*self)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{OPEN, SLOTS, choose, policy_of};

    #[test]
    fn fifo_takes_the_oldest_full_superblock() {
        let mut fifo = policy_of("fifo", &[]);
        assert_eq!(choose(&mut *fifo, &[7, OPEN, 3, 5], &[9, 1, 4, 6]), 2);
        // An open superblock may still carry the time of its last life, even the same one.
        assert_eq!(choose(&mut *fifo, &[OPEN, 7, 3], &[4, 5, 4]), 2);
        assert_eq!(choose(&mut *fifo, &[SLOTS, 0], &[1, 2]), 0);
    }

    #[test]
    fn cost_benefit_lets_an_old_fuller_superblock_go_before_a_young_emptier_one() {
        let mut policy = policy_of("cost-benefit", &[]);
        // Of 8 slots: age 10 · (1 − 6/8) / (12/8) = 5/3, age 1 · (1 − 2/8) / (4/8) = 3/2.
        assert_eq!(choose(&mut *policy, &[6, 2, OPEN], &[90, 99, 100]), 0);
        // Age 8: 4/3.
        assert_eq!(choose(&mut *policy, &[6, 2, OPEN], &[92, 99, 100]), 1);
        // Where 1 + u is the cost, 10 · (2/8) / (14/8) = 10/7 would beat 2 · (6/8) / (10/8) = 6/5.
        assert_eq!(choose(&mut *policy, &[6, 2, OPEN], &[90, 98, 100]), 1);
    }

    #[test]
    fn cost_benefit_takes_what_is_empty_first_and_of_equals_the_oldest() {
        let mut policy = policy_of("cost-benefit", &[]);
        assert_eq!(choose(&mut *policy, &[1, 0, 1], &[1, 3, 2]), 1);
        assert_eq!(choose(&mut *policy, &[0, 0, 0], &[2, 1, 3]), 1);
        let full = [SLOTS; 3];
        assert_eq!(choose(&mut *policy, &full, &[2, 3, 1]), 2);
    }
}
