//! By valid slots among a few superblocks drawn at random.

use super::{NOT_A_CANDIDATE, VictimPolicy, VictimView};
use ftlab_base::SuperblockId;
use ftlab_base::rng::Stream;
use rand::RngExt;
use std::num::NonZeroU32;

/// Draws in vain, one after the other, before the candidates are listed instead. Most superblocks
/// of a drive that collects are full, so this is rare unless hardly any are.
const DRAWS_IN_VAIN_MAX: u32 = 64;

/// Fewest valid slots first, among `choices` full superblocks of the group that are drawn at random
/// with replacement (Van Houdt, SIGMETRICS 2013); of equals the one drawn first. One choice is
/// random collection, very many are greedy.
#[derive(Debug, Clone)]
pub struct DChoices {
    choices: NonZeroU32,
    stream: Stream,
}

impl DChoices {
    /// Draws `choices` superblocks at a time from `stream`.
    #[must_use]
    pub fn new(choices: NonZeroU32, stream: Stream) -> DChoices {
        DChoices { choices, stream }
    }

    /// Any of the superblocks, by place in the group; every candidate is as likely.
    fn draw(&mut self, view: &VictimView<'_>, listed: &mut Vec<usize>) -> Option<usize> {
        let is_candidate = |n: usize| view.valid[n] < NOT_A_CANDIDATE;
        if listed.is_empty() {
            for _ in 0..DRAWS_IN_VAIN_MAX {
                let n = self.stream.random_range(0..view.valid.len());
                if is_candidate(n) {
                    return Some(n);
                }
            }
            listed.extend((0..view.valid.len()).filter(|&n| is_candidate(n)));
        }
        let count = listed.len();
        (count > 0).then(|| listed[self.stream.random_range(0..count)])
    }
}

impl VictimPolicy for DChoices {
    fn name(&self) -> &'static str {
        "d-choices"
    }

    fn choose(&mut self, view: &VictimView<'_>) -> Option<SuperblockId> {
        if view.valid.is_empty() {
            return None;
        }
        let mut listed = Vec::new();
        let mut best = self.draw(view, &mut listed)?;
        for _ in 1..self.choices.get() {
            let n = self.draw(view, &mut listed)?;
            if view.valid[n] < view.valid[best] {
                best = n;
            }
        }
        Some(view.superblock(best))
    }

    fn boxed(&self) -> Box<dyn VictimPolicy> {
        Box::new(self.clone())
    }

    fn stream(&mut self) -> Option<&mut Stream> {
        Some(&mut self.stream)
    }
}

#[cfg(test)]
mod tests {
    use super::super::VictimPolicy;
    use super::super::tests::{OPEN, choose, policy_of};

    const DRAWS: u32 = 200_000;

    /// Counts the times that each superblock is chosen.
    fn counts(policy: &mut dyn VictimPolicy, valid: &[u32]) -> Vec<u32> {
        let closed_at: Vec<u64> = (1..).take(valid.len()).collect();
        let mut counts = vec![0; valid.len()];
        (0..DRAWS).for_each(|_| counts[choose(policy, valid, &closed_at)] += 1);
        counts
    }

    /// Checks that `counts` are those of draws with the given chances: the chance that a sound
    /// sampler is five standard deviations off is below one in a million.
    fn assert_chances(counts: &[u32], chances: &[f64]) {
        assert_eq!(counts.len(), chances.len());
        for (n, (&count, &chance)) in counts.iter().zip(chances).enumerate() {
            let mean = f64::from(DRAWS) * chance;
            let deviation = (mean * (1.0 - chance)).sqrt();
            let off = (f64::from(count) - mean).abs();
            assert!(off <= 5.0 * deviation, "{n}: {count} for {mean}");
        }
    }

    #[test]
    fn random_takes_every_candidate_as_often() {
        let mut policy = policy_of("random", &[]);
        let valid = [7, OPEN, 0, 8, OPEN, 7];
        let chances = [0.25, 0.0, 0.25, 0.25, 0.0, 0.25];
        assert_chances(&counts(&mut *policy, &valid), &chances);
    }

    #[test]
    fn d_choices_takes_the_emptiest_of_d_drawn_with_replacement() {
        // By rank: the chance that all d draws are of this rank or fuller, less that all are fuller.
        let valid = [5, OPEN, 2, 8, 4];
        for d in [2, 3, 10] {
            let mut policy = policy_of("d-choices", &[("choices", d)]);
            let chance = |fuller: i32| {
                let all = |k: i32| (f64::from(k) / 4.0).powi(d as i32);
                all(fuller + 1) - all(fuller)
            };
            let chances = [chance(1), 0.0, chance(3), chance(0), chance(2)];
            assert_chances(&counts(&mut *policy, &valid), &chances);
        }
    }

    #[test]
    fn equals_are_as_likely() {
        let mut policy = policy_of("d-choices", &[("choices", 3)]);
        assert_chances(&counts(&mut *policy, &[3, 3]), &[0.5, 0.5]);
    }

    #[test]
    fn a_few_candidates_among_many_are_found_and_as_likely() {
        let mut valid = vec![OPEN; 1000];
        (valid[17], valid[400], valid[999]) = (5, 5, 5);
        let mut chances = vec![0.0; valid.len()];
        (chances[17], chances[400], chances[999]) = (1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0);
        for d in [1, 2] {
            let mut policy = policy_of("d-choices", &[("choices", d)]);
            assert_chances(&counts(&mut *policy, &valid), &chances);
        }
    }

    #[test]
    fn a_copy_goes_on_with_the_same_random_numbers() {
        let valid: Vec<u32> = (0..64).collect();
        let closed_at: Vec<u64> = (0..64).collect();
        let mut policy = policy_of("d-choices", &[("choices", 2)]);
        let next = |policy: &mut dyn VictimPolicy| -> Vec<usize> {
            let choices = (0..32).map(|_| choose(policy, &valid, &closed_at));
            choices.collect()
        };
        let before = next(&mut *policy);
        let mut copy = policy.boxed();
        let after = next(&mut *policy);
        assert_eq!(next(&mut *copy), after);
        assert_ne!(before, after);
    }
}
