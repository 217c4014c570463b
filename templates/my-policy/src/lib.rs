//! Victim policies of our own.

use ftlab::policy::{Candidate, Policy, Stream, SuperblockId, VictimPolicy, VictimView};
use rand::RngExt;
use std::cmp::Reverse;

/// What `gc.policy` may be, beside the policies of ftlab. Results know a policy by its name, so the
/// name says the policy's numbers.
pub static POLICIES: [Policy; 5] = [
    Policy::new("minimum-age-0", |_| Box::new(MinimumAge { least: 0 })),
    Policy::new("minimum-age-200", |_| Box::new(MinimumAge { least: 200 })),
    Policy::new("minimum-age-800", |_| Box::new(MinimumAge { least: 800 })),
    Policy::new("minimum-age-max", |_| {
        Box::new(MinimumAge { least: u64::MAX })
    }),
    Policy::new("older-of-two", |stream| Box::new(OlderOfTwo { stream })),
];

/// Greedy among superblocks that have had time to empty; while none has, the oldest.
#[derive(Debug, Clone)]
struct MinimumAge {
    /// In superblocks that the drive has closed since.
    least: u64,
}

impl VictimPolicy for MinimumAge {
    fn name(&self) -> &'static str {
        "minimum-age"
    }

    fn choose(&mut self, view: &VictimView<'_>) -> Option<SuperblockId> {
        let ripe = view.candidates().filter(|c| c.age >= self.least);
        // The oldest of equals, as greedy does.
        let emptiest = ripe.min_by_key(|c| (c.valid_slots, Reverse(c.age)));
        let chosen = emptiest.or_else(|| view.candidates().max_by_key(|c| c.age))?;
        Some(chosen.superblock)
    }

    fn boxed(&self) -> Box<dyn VictimPolicy> {
        Box::new(self.clone())
    }
}

/// Draws two and collects the older: half way from random to FIFO.
#[derive(Debug, Clone)]
struct OlderOfTwo {
    stream: Stream,
}

impl OlderOfTwo {
    fn draw(&mut self, view: &VictimView<'_>) -> Option<Candidate> {
        // Most superblocks of a drive that collects are full; if not, do not go on for ever.
        for _ in 0..64 {
            let number = self.stream.random_range(view.numbers());
            if let Some(candidate) = view.candidate(SuperblockId(number)) {
                return Some(candidate);
            }
        }
        view.candidates().next()
    }
}

impl VictimPolicy for OlderOfTwo {
    fn name(&self) -> &'static str {
        "older-of-two"
    }

    fn choose(&mut self, view: &VictimView<'_>) -> Option<SuperblockId> {
        let (one, other) = (self.draw(view)?, self.draw(view)?);
        let older = if one.age > other.age { one } else { other };
        Some(older.superblock)
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
    use super::*;
    use ftlab::policy::NOT_A_CANDIDATE;
    use ftlab_base::RootSeed;

    #[test]
    fn the_older_of_two_is_the_oldest_in_three_choices_of_four() {
        // Superblocks 0 to 2 of 64 slots, closed by the 4th, 7th and 5th closing of 9; 1 is open again.
        let (valid, closed_at) = ([60, NOT_A_CANDIDATE, 64], [4, 7, 5]);
        let view = VictimView::new(SuperblockId(0), 64, &valid, &closed_at, 9);
        let stream = RootSeed(1).stream("a test");
        let mut policy = OlderOfTwo { stream };
        let chosen: Vec<_> = (0..1000).map(|_| policy.choose(&view)).collect();
        let of = |n| {
            chosen
                .iter()
                .filter(|&&c| c == Some(SuperblockId(n)))
                .count()
        };
        assert_eq!(of(0) + of(2), 1000);
        assert!((700..800).contains(&of(0)), "three in four, not {}", of(0));
    }
}
