//! What an SSD did with its time, for the sum of its energy.

use super::Ssd;
use ftlab_base::{Nanos, SimTime};
use ftlab_timing::Activity;

/// The time with nothing to do for host or array. It is looked at when a command comes and when
/// events have been worked off, not at each event.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Resting {
    /// Rests that are over.
    over: Nanos,
    /// The last instant at which something happened.
    since: SimTime,
}

impl Resting {
    /// Something happened.
    pub(super) fn worked_at(&mut self, at: SimTime) {
        self.since = at;
    }

    /// A command comes to a drive at rest.
    pub(super) fn ends(&mut self, now: SimTime) {
        self.over += now.since(self.since);
        self.since = now;
    }

    /// All rests by `now`; `is_resting` then.
    fn until(&self, now: SimTime, is_resting: bool) -> Nanos {
        let last = if is_resting {
            now.since(self.since)
        } else {
            Nanos::ZERO
        };
        self.over + last
    }
}

impl Ssd {
    pub(super) fn activity(&self, now: SimTime) -> Activity {
        let is_resting = self.events.first_at() == SimTime::NEVER
            && self.scheduler.next_event() == SimTime::NEVER;
        Activity {
            nand: self.scheduler.activity(),
            elapsed: now.since(SimTime::ZERO),
            at_rest: self.resting.until(now, is_resting),
            link_busy: self.link.busy_until(now),
        }
    }
}
