//! The way of a request from a program to an NVMe drive and back: system calls, doorbells, interrupts or polling.

mod cores;
mod keys;

pub use cores::Cores;
pub(crate) use keys::PathKeys;

use ftlab_base::Nanos;

/// Costs of requests on the cores of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Path {
    /// A system call, or ringing a doorbell: once for the requests that go together.
    pub call: Nanos,
    /// Requests that go together, at most.
    pub batch: u32,
    /// Each request on its way to the drive.
    pub submit: Nanos,
    /// Each request on its way back.
    pub complete: Nanos,
    /// Manner in which the host sees completions.
    pub sees: Sees,
    /// Cores that jobs are spread over, in turn; without a number, each has one.
    pub cores: Option<u32>,
}

/// Ways of a host to see that a drive has ended a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sees {
    /// The drive interrupts a core, which takes along all that has ended by then.
    Interrupts {
        /// Time of an interrupt on the core, the waking of the waiting program included.
        cost: Nanos,
        /// Coalescing of several completions into one interrupt, if the drive does it.
        coalescing: Option<Coalescing>,
    },
    /// A core that has nothing else to do looks that often. It is never idle.
    Polling(Nanos),
}

/// Interrupt coalescing, NVMe's feature 08h.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Coalescing {
    /// Requests that end before the drive interrupts (aggregation threshold).
    pub threshold: u32,
    /// Longest time for which the first of them waits for the others (aggregation time).
    pub time: Nanos,
}

impl Path {
    /// Returns the time that the host takes for a request when nothing else is under way and the drive takes `drive`.
    #[must_use]
    pub fn alone(&self, drive: Nanos) -> Nanos {
        let there = self.call + self.submit;
        let seen = match self.sees {
            Sees::Interrupts { cost, coalescing } => match coalescing {
                Some(Coalescing { threshold, time }) if threshold > 1 => time + cost,
                _ => cost,
            },
            Sees::Polling(period) => Nanos(up_to_next(drive.0, period.0) - drive.0),
        };
        there + seen + self.complete
    }
}

/// The first multiple of a period that is not before `at`.
fn up_to_next(at: u64, period: u64) -> u64 {
    at.next_multiple_of(period.max(1))
}
