//! Write amplification of a run: over all of it, and once it is steady.
//!
//! A drive that starts filled in order has its first garbage collection a spare area later, and then
//! needs about one more drive of random writes until the share of valid data in its blocks no longer
//! changes. So a run is cut into rounds of host writes, and SNIA's rule of the steady state
//! (`steady_rule.rs`) judges the last ones as it does for the state `steady`: by the bytes written for
//! a byte programmed. What the rule looks at together is twice the drive's capacity, so every block has
//! been collected within it. A round that erased nothing is not steady, however even it looks: the
//! drive was still writing to flash that held no data.

use ftlab_drive::Counters;
use ftlab_states::steady_rule::{WINDOW, is_steady};

/// Capacities that the host writes in a window of the rule.
const CAPACITIES_A_WINDOW: u64 = 2;

/// Write amplification of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct WriteAmplification {
    /// Over all that was measured; 0 without host writes.
    pub total: f64,
    /// Over the last window of the steady rule; none where the rule does not hold, or the run is too
    /// short for a window.
    pub steady: Option<f64>,
}

/// Snapshots of a drive's counters, one a round.
#[derive(Debug)]
pub struct Rounds {
    round_bytes: u64,
    written_bytes: u64,
    next_bytes: u64,
    marks: Vec<Counters>,
}

impl Rounds {
    /// The rounds of a run on a drive of that capacity, from `start` on.
    pub fn new(capacity_bytes: u64, start: Counters) -> Self {
        let round_bytes = (capacity_bytes * CAPACITIES_A_WINDOW / WINDOW as u64).max(1);
        Rounds {
            round_bytes,
            written_bytes: 0,
            next_bytes: round_bytes,
            marks: vec![start],
        }
    }

    /// Counts bytes that the host has written.
    #[inline]
    pub fn wrote(&mut self, bytes: u64) {
        self.written_bytes += bytes;
    }

    /// Returns true if a round is full.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.written_bytes >= self.next_bytes
    }

    /// Ends the present round.
    pub fn mark(&mut self, now: Counters) {
        self.marks.push(now);
        self.next_bytes += self.round_bytes;
    }

    /// Returns the write amplification of the run.
    pub fn finish(&self, end: &Counters) -> WriteAmplification {
        WriteAmplification {
            total: end.since(&self.marks[0]).write_amplification(),
            steady: self.steady(end),
        }
    }

    fn steady(&self, end: &Counters) -> Option<f64> {
        // To the nearest: a region cut to whole blocks leaves the last round a little short.
        let rounds = ((self.written_bytes + self.round_bytes / 2) / self.round_bytes) as usize;
        let mut bounds = self.marks.clone();
        bounds.truncate(rounds);
        bounds.push(*end);
        let first = bounds.len().checked_sub(WINDOW + 1)?;
        let window: Vec<Counters> = (bounds[first..].windows(2))
            .map(|bounds| bounds[1].since(&bounds[0]))
            .collect();
        let reuses_flash = window.iter().all(|round| round.nand_erases > 0);
        let yields: Vec<f64> = window.iter().map(written_a_byte).collect();
        (reuses_flash && is_steady(&yields))
            .then(|| end.since(&bounds[first]).write_amplification())
    }
}

/// Bytes written for a byte programmed.
fn written_a_byte(round: &Counters) -> f64 {
    round.host_bytes_written as f64 / round.nand_bytes_programmed.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A drive of 100 bytes, so of rounds of 40, that amplifies by the given percentages round by round
    /// and erases a block in each but the first `without_erases`.
    fn run(percents: &[u64], last_round_bytes: u64, without_erases: usize) -> WriteAmplification {
        let mut counters = Counters::default();
        let mut rounds = Rounds::new(100, counters);
        for (n, percent) in percents.iter().enumerate() {
            let is_last = n + 1 == percents.len();
            let bytes = if is_last { last_round_bytes } else { 40 };
            counters.host_bytes_written += 100 * bytes;
            counters.nand_bytes_programmed += bytes * percent;
            counters.nand_erases += u64::from(n >= without_erases);
            rounds.wrote(bytes);
            if rounds.is_full() {
                rounds.mark(counters);
            }
        }
        rounds.finish(&counters)
    }

    #[test]
    fn the_last_twice_the_capacity_is_steady_if_the_rule_holds_there() {
        let settles = [100, 150, 300, 380, 410, 400, 400, 400, 390, 410];
        let wa = run(&settles, 40, 0);
        assert_eq!(wa.steady, Some(4.0));
        assert_eq!(wa.total, 3.34);
        let rises = [100, 150, 200, 250, 300, 350, 400, 450, 500, 550];
        assert_eq!(run(&rises, 40, 0).steady, None);
    }

    #[test]
    fn a_short_last_round_is_still_one_and_a_rest_belongs_to_the_last() {
        assert_eq!(run(&[400; 5], 37, 0).steady, Some(4.0));
        assert_eq!(run(&[400; 6], 10, 0).steady, Some(4.0));
    }

    #[test]
    fn a_run_shorter_than_a_window_says_nothing_of_a_steady_state() {
        assert_eq!(run(&[400; 4], 40, 0).steady, None);
        assert_eq!(run(&[300], 20, 0).total, 3.0);
        assert_eq!(run(&[], 0, 0), WriteAmplification::default());
    }

    #[test]
    fn even_rounds_without_erases_are_not_steady() {
        assert_eq!(run(&[100; 6], 40, 2).steady, None);
        assert_eq!(run(&[100; 6], 40, 1).steady, Some(1.0));
    }
}
