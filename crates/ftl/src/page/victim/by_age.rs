//! By age, alone or weighed against valid slots.

use super::{NOT_A_CANDIDATE, VictimPolicy, VictimView};
use ftlab_base::SuperblockId;

/// Oldest first, whatever it holds.
#[derive(Debug, Clone, Copy)]
pub struct Fifo;

impl VictimPolicy for Fifo {
    fn name(&self) -> &'static str {
        "fifo"
    }

    fn choose(&mut self, view: &VictimView<'_>) -> Option<SuperblockId> {
        // The mark moved above any time.
        const NEVER: u64 = (NOT_A_CANDIDATE as u64) << 32;
        let time = |(valid, closed_at)| closed_at | u64::from(valid & NOT_A_CANDIDATE) << 32;
        // Runs are told apart by times of 32 bits, beside the mark: the vectors of every processor compare those, and
        // few drives close more superblocks. The lowest bits of larger times are left to the close look.
        let lost_bits = 33_u32.saturating_sub(view.closed.leading_zeros());
        let coarse = |time: u64| (time >> lost_bits) as u32;
        let (mut least, mut oldest) = (NEVER, None);
        for run in view.runs() {
            let all = run.valid.iter().zip(run.closed_at);
            let times =
                all.map(|(valid, closed_at)| (valid & NOT_A_CANDIDATE) | coarse(*closed_at));
            if oldest.is_some() && times.min() > Some(coarse(least)) {
                continue;
            }
            for (n, state) in run.each() {
                if time(state) < least {
                    (least, oldest) = (time(state), Some(run.first + n));
                }
            }
        }
        oldest.map(|n| view.superblock(n))
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

impl VictimPolicy for CostBenefit {
    fn name(&self) -> &'static str {
        "cost-benefit"
    }

    fn choose(&mut self, view: &VictimView<'_>) -> Option<SuperblockId> {
        let slots = view.slots_per_superblock;
        // Below any score, so that the first candidate takes its place.
        let (mut most, mut greatest_age, mut best) = (-1.0, 0, None);
        for (n, (&valid, &closed_at)) in view.valid.iter().zip(view.closed_at).enumerate() {
            if valid >= NOT_A_CANDIDATE {
                continue;
            }
            // Signed, because only signed numbers become floating-point ones in one instruction.
            let age = (view.closed - closed_at) as i64;
            // With u = valid / slots.
            let score = if valid == 0 {
                f64::INFINITY
            } else {
                age as f64 * f64::from(slots - valid) / (2.0 * f64::from(valid))
            };
            if score > most || (score == most && age > greatest_age) {
                (most, greatest_age, best) = (score, age, Some(n));
            }
        }
        best.map(|n| view.superblock(n))
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
