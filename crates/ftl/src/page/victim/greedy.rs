//! By valid slots: the least copying now.

use super::{NOT_A_CANDIDATE, VictimPolicy, VictimView};
use ftlab_base::SuperblockId;
use std::num::NonZeroU32;

/// Fewest valid slots first, and of equals the oldest: where much of the flash holds nothing, all of it wears
/// alike.
#[derive(Debug, Clone, Copy)]
pub struct Greedy;

impl VictimPolicy for Greedy {
    fn name(&self) -> &'static str {
        "greedy"
    }

    fn choose(&mut self, view: &VictimView<'_>) -> Option<SuperblockId> {
        // No candidate is as full as the mark says.
        let (mut least, mut emptiest) = ((NOT_A_CANDIDATE, 0), None);
        for run in view.runs() {
            let least_of_run = run.valid.iter().copied().fold(NOT_A_CANDIDATE, u32::min);
            if least_of_run > least.0 {
                continue;
            }
            for (n, emptiness_and_age) in run.each() {
                if emptiness_and_age.0 == least_of_run && emptiness_and_age < least {
                    (least, emptiest) = (emptiness_and_age, Some(run.first + n));
                }
            }
        }
        emptiest.map(|n| view.superblock(n))
    }

    fn boxed(&self) -> Box<dyn VictimPolicy> {
        Box::new(*self)
    }
}

/// Fewest valid slots first, among the oldest full superblocks only (Hu et al., SYSTOR 2009). A
/// window of 1 is FIFO, a window of all is greedy.
#[derive(Debug, Clone)]
pub struct WindowedGreedy {
    window: NonZeroU32,
    /// Scratch: when each candidate was closed.
    times: Vec<u64>,
}

impl WindowedGreedy {
    /// Looks at the `window` oldest.
    #[must_use]
    pub fn new(window: NonZeroU32) -> WindowedGreedy {
        WindowedGreedy {
            window,
            times: Vec::new(),
        }
    }

    /// Time at which the youngest in the window was closed, in superblocks closed.
    fn youngest(&mut self, view: &VictimView<'_>) -> u64 {
        let all = view.valid.iter().zip(view.closed_at);
        let full = all.filter(|(valid, _)| **valid < NOT_A_CANDIDATE);
        self.times.clear();
        self.times.extend(full.map(|(_, closed_at)| closed_at));
        let last = self.window.get() as usize - 1;
        if last < self.times.len() {
            *self.times.select_nth_unstable(last).1
        } else {
            u64::MAX
        }
    }
}

impl VictimPolicy for WindowedGreedy {
    fn name(&self) -> &'static str {
        "windowed-greedy"
    }

    fn choose(&mut self, view: &VictimView<'_>) -> Option<SuperblockId> {
        let youngest = self.youngest(view);
        let all = view.valid.iter().zip(view.closed_at).enumerate();
        let window = all
            .filter(|(_, (valid, closed_at))| **valid < NOT_A_CANDIDATE && **closed_at <= youngest);
        let (oldest, _) = window.min_by_key(|(_, emptiness_and_age)| *emptiness_and_age)?;
        Some(view.superblock(oldest))
    }

    fn boxed(&self) -> Box<dyn VictimPolicy> {
        Box::new(Self::new(self.window))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{OPEN, choose, policy_of};

    #[test]
    fn greedy_takes_the_emptiest_full_superblock_and_the_oldest_of_equals() {
        let mut greedy = policy_of("greedy", &[]);
        assert_eq!(choose(&mut *greedy, &[7, OPEN, 3, 5], &[1, 2, 3, 4]), 2);
        assert_eq!(choose(&mut *greedy, &[7, 3, 5, 3], &[4, 3, 2, 1]), 3);
    }

    #[test]
    fn windowed_greedy_takes_the_emptiest_of_the_oldest() {
        let valid = [7, OPEN, 3, 5, 6, 5];
        let closed_at = [2, 1, 6, 5, 3, 4];
        let chosen = [(1, 0), (2, 4), (3, 5), (4, 5), (5, 2), (9, 2)];
        for (window, n) in chosen {
            let mut policy = policy_of("windowed-greedy", &[("window", window)]);
            let told = choose(&mut *policy, &valid, &closed_at);
            assert_eq!(told, n, "a window of {window}");
        }
    }
}
