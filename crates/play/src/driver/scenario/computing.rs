//! A computation of a program, as quick as the cores at work leave it.

use ftlab_base::{Nanos, SimTime};

/// It ends at [`Computation::end`] if its pace stays.
#[derive(Debug)]
pub struct Computation {
    /// Rest of it, as time alone on the reference machine.
    left_ns: f64,
    /// Time that it takes for a unit of that.
    pace: f64,
    /// Since when it has its pace.
    since: SimTime,
}

impl Computation {
    pub fn new(work_ns: f64, pace: f64, now: SimTime) -> Computation {
        Computation {
            left_ns: work_ns,
            pace,
            since: now,
        }
    }

    pub fn end(&self) -> SimTime {
        self.since + Nanos((self.left_ns * self.pace).round() as u64)
    }

    /// Goes on with another pace.
    pub fn keep_pace(&mut self, pace: f64, now: SimTime) {
        if pace != self.pace {
            let done_ns = now.since(self.since).0 as f64 / self.pace;
            self.left_ns = (self.left_ns - done_ns).max(0.0);
            (self.pace, self.since) = (pace, now);
        }
    }
}
