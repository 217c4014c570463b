//! By valid slots: the least copying now.

use super::{NOT_A_CANDIDATE, VictimPolicy, VictimView};
use ftlab_base::SuperblockId;
use std::num::NonZeroU32;

/// Fewest valid slots first.
#[derive(Debug, Clone, Copy)]
pub struct Greedy;

impl VictimPolicy for Greedy {
    fn name(&self) -> &'static str {
        "greedy"
    }

    fn choose(&mut self, view: &VictimView<'_>) -> Option<SuperblockId> {
        // Two plain passes over a dense array, which the compiler turns into vector code: the mark
        // makes what is no candidate larger than any candidate.
        let least = view.valid.iter().copied().min()?;
        let n = view.valid.iter().position(|&valid| valid == least)?;
        (least < NOT_A_CANDIDATE).then(|| view.superblock(n))
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

    /// When the youngest in the window was closed.
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
        let mut least = (NOT_A_CANDIDATE, 0);
        for (n, (&valid, &closed_at)) in view.valid.iter().zip(view.closed_at).enumerate() {
            if closed_at <= youngest && valid < least.0 {
                least = (valid, n);
            }
        }
        (least.0 < NOT_A_CANDIDATE).then(|| view.superblock(least.1))
    }

    fn boxed(&self) -> Box<dyn VictimPolicy> {
        Box::new(Self::new(self.window))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{OPEN, choose, policy_of};

    #[test]
    fn greedy_takes_the_emptiest_full_superblock_and_the_first_of_equals() {
        let mut greedy = policy_of("greedy", &[]);
        assert_eq!(choose(&mut *greedy, &[7, OPEN, 3, 5], &[1, 2, 3, 4]), 2);
        assert_eq!(choose(&mut *greedy, &[7, 3, 5, 3], &[4, 3, 2, 1]), 1);
    }

    #[test]
    fn windowed_greedy_takes_the_emptiest_of_the_oldest() {
        let valid = [7, OPEN, 3, 5, 6, 5];
        let closed_at = [2, 1, 6, 5, 3, 4];
        let chosen = [(1, 0), (2, 4), (3, 5), (4, 3), (5, 2), (9, 2)];
        for (window, n) in chosen {
            let mut policy = policy_of("windowed-greedy", &[("window", window)]);
            let told = choose(&mut *policy, &valid, &closed_at);
            assert_eq!(told, n, "a window of {window}");
        }
    }
}
