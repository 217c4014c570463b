//! Pauses: times in which somebody waits for the drive and nothing moves.
//!
//! What a file system writes for itself is no progress: somebody who watches a program sees it
//! stand still.

use ftlab_base::{Nanos, SimTime};

/// Pauses of jobs and traces: what somebody who waits notices. Scenarios say their own.
pub const PAUSE: Nanos = Nanos::from_secs(1);

/// Pauses of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PauseReport {
    /// Pauses longer than the threshold.
    pub count: u64,
    /// The longest time without progress, whether or not it is longer.
    pub longest: Nanos,
    /// Length above which a standstill is a pause.
    pub threshold: Nanos,
}

/// Counter of the pauses of a run.
#[derive(Debug)]
pub struct Pauses {
    threshold: Nanos,
    /// Since when somebody waits and nothing moves.
    since: Option<SimTime>,
    report: PauseReport,
}

impl Pauses {
    pub fn new(threshold: Nanos) -> Pauses {
        Pauses {
            threshold,
            since: None,
            report: PauseReport::default(),
        }
    }

    /// Something that is waited for has moved.
    #[inline]
    pub fn progress(&mut self, at: SimTime) {
        if let Some(since) = self.since.take() {
            let pause = at.since(since);
            self.report.count += u64::from(pause > self.threshold);
            self.report.longest = self.report.longest.max(pause);
        }
    }

    /// Notes if somebody waits from `now` on.
    #[inline]
    pub fn waits(&mut self, now: SimTime, waits: bool) {
        match (waits, self.since) {
            (true, None) => self.since = Some(now),
            (false, Some(_)) => self.progress(now),
            _ => {}
        }
    }

    /// Returns the counts so far.
    pub fn report(&self) -> PauseReport {
        PauseReport {
            threshold: self.threshold,
            ..self.report
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
        let counted = PauseReport {
            count: 1,
            longest: Nanos::from_millis(110),
            threshold: pauses.threshold,
        };
        assert_eq!(pauses.report(), counted);
        pauses.waits(at(200), false);
        pauses.waits(at(900), true);
        pauses.progress(at(950));
        assert_eq!(pauses.report(), counted, "nobody waited between");
    }
}
