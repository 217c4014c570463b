//! Pauses: times in which somebody waits for the drive and no data of a program move.
//!
//! What a file system writes for itself is no progress: somebody who watches a program sees it
//! stand still.

use ftlab_base::{Nanos, SimTime};

/// Counts pauses.
#[derive(Debug)]
pub struct Pauses {
    threshold: Nanos,
    /// Since when somebody waits and nothing moves.
    since: Option<SimTime>,
    /// Pauses longer than the threshold.
    pub count: u64,
    /// The longest time without progress, whether or not it is longer.
    pub longest: Nanos,
}

impl Pauses {
    pub fn new(threshold: Nanos) -> Pauses {
        Pauses {
            threshold,
            since: None,
            count: 0,
            longest: Nanos::ZERO,
        }
    }

    /// Data of a program have moved.
    pub fn progress(&mut self, at: SimTime) {
        if let Some(since) = self.since.take() {
            let pause = at.since(since);
            self.count += u64::from(pause > self.threshold);
            self.longest = self.longest.max(pause);
        }
    }

    /// Whether somebody waits from `now` on.
    pub fn waits(&mut self, now: SimTime, waits: bool) {
        match (waits, self.since) {
            (true, None) => self.since = Some(now),
            (false, Some(_)) => self.progress(now),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_waiting_without_progress() {
        let at = |ms: u64| SimTime(ms * 1_000_000);
        let mut pauses = Pauses::new(Nanos::from_millis(100));
        pauses.waits(at(0), true);
        pauses.progress(at(90));
        pauses.waits(at(90), true);
        pauses.waits(at(150), true);
        pauses.progress(at(200));
        assert_eq!((pauses.count, pauses.longest), (1, Nanos::from_millis(110)));
        pauses.waits(at(200), false);
        pauses.waits(at(900), true);
        pauses.progress(at(950));
        assert_eq!(pauses.count, 1, "nobody waited between");
    }
}
