//! The depth at which latencies are met (fio's `latency_target`): doubled until they are not, then halved into.

use ftlab_base::{Nanos, SimTime};
use ftlab_workload::LatencyTarget;

/// Depth of a job's queue, and the search for the best.
#[derive(Debug)]
pub struct Depth {
    /// Requests that may be outstanding now.
    pub now: u32,
    most: u32,
    low: u32,
    high: u32,
    words: LatencyTarget,
    /// Since when the depth is tried, and what came back since.
    since: SimTime,
    ios: u64,
    late: u64,
    /// Times in a row in which the depth just below one that failed was right.
    stable: u32,
    /// The depth is found: one more window is measured at it.
    is_last: bool,
}

/// Finding about the depth after a completion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing yet, or another depth is tried.
    GoOn,
    /// The queue is emptied before the other depth is tried.
    Drain,
    /// The depth is found: what counts begins now, with an empty queue.
    Found,
    /// The measurement at the depth is complete.
    Done,
    /// Not even one request at a time meets the latency.
    Missed,
}

impl Depth {
    /// The depth of a job that keeps up to `most` outstanding, from `start` on.
    pub fn new(words: LatencyTarget, most: u32, start: SimTime) -> Depth {
        Depth {
            now: words.target.map_or(most, |_| 1),
            most,
            low: 1,
            high: most,
            words,
            since: start,
            ios: 0,
            late: 0,
            stable: 0,
            is_last: false,
        }
    }

    /// The job begins later than was thought.
    pub fn begin(&mut self, at: SimTime) {
        self.since = at;
    }

    /// Takes the latency of a request that came back.
    #[inline]
    pub fn completed(&mut self, latency: Nanos, at: SimTime) -> Verdict {
        match self.words.target {
            None => Verdict::GoOn,
            Some(target) => self.seek(latency > target, at),
        }
    }

    fn seek(&mut self, is_late: bool, at: SimTime) -> Verdict {
        self.ios += 1;
        self.late += u64::from(is_late);
        // All have to be in time: the first that is not says enough.
        if is_late && self.words.percentile >= 100.0 {
            return self.failed(at);
        }
        if at.since(self.since) < self.words.window {
            return Verdict::GoOn;
        }
        let in_time = 100.0 * (self.ios - self.late) as f64 / self.ios as f64;
        if in_time >= self.words.percentile {
            self.succeeded(at)
        } else {
            self.failed(at)
        }
    }

    fn failed(&mut self, at: SimTime) -> Verdict {
        if self.now == 1 {
            return Verdict::Missed;
        }
        self.high = self.now;
        if self.now == self.low {
            self.low -= 1;
        }
        self.now = ((self.now + self.low) / 2).max(1);
        self.stable = 0;
        self.is_last = false;
        self.restart(at);
        Verdict::Drain
    }

    fn succeeded(&mut self, at: SimTime) -> Verdict {
        let before = self.now;
        self.low = before;
        if before + 1 == self.high {
            self.stable += 1;
            if self.stable >= STABLE {
                self.high += 1;
                self.stable = 0;
            }
        }
        self.now = match self.high == self.most {
            true => before.saturating_mul(2),
            false => (before + self.high) / 2,
        };
        self.now = self.now.clamp(1, self.most);
        self.restart(at);
        match (self.words.run || self.now != before, self.is_last) {
            (true, _) => Verdict::GoOn,
            (false, true) => Verdict::Done,
            (false, false) => {
                self.is_last = true;
                Verdict::Found
            }
        }
    }

    fn restart(&mut self, at: SimTime) {
        (self.since, self.ios, self.late) = (at, 0, 0);
    }
}

/// As often a depth has to be right before fio tries the one above it again.
const STABLE: u32 = 3;

#[cfg(test)]
mod tests {
    use super::*;

    /// Seeks on a drive whose requests take 10 µs for each that is outstanding.
    fn sought(target_us: u64, most: u32) -> (Verdict, u32) {
        let words = LatencyTarget {
            target: Some(Nanos::from_micros(target_us)),
            window: Nanos::from_millis(1),
            percentile: 99.0,
            run: false,
        };
        let mut depth = Depth::new(words, most, SimTime::ZERO);
        let mut at = SimTime::ZERO;
        for _ in 0..100_000 {
            at += Nanos::from_micros(10);
            let latency = Nanos::from_micros(10 * u64::from(depth.now));
            if let verdict @ (Verdict::Done | Verdict::Missed) = depth.completed(latency, at) {
                return (verdict, depth.now);
            }
        }
        panic!("no end");
    }

    #[test]
    fn the_deepest_queue_within_the_target_is_found() {
        assert_eq!(sought(70, 64), (Verdict::Done, 7));
        assert_eq!(sought(10, 64), (Verdict::Done, 1));
        assert_eq!(sought(10_000, 16), (Verdict::Done, 16));
        assert_eq!(sought(9, 64), (Verdict::Missed, 1));
    }
}
