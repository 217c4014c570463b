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
    pub(super) fn ends(&mut self, now: SimTime, sleep_after: Nanos) {
        self.over += self.asleep(now, sleep_after);
        self.since = now;
    }

    /// How long the drive has been asleep in the rest that it is in.
    pub(super) fn asleep(&self, now: SimTime, sleep_after: Nanos) -> Nanos {
        now.since(self.since + sleep_after)
    }
}

impl Ssd {
    /// How long a rest lasts before the drive takes less for it.
    pub(super) fn sleep_after(&self) -> Nanos {
        self.params
            .power
            .map_or(Nanos::ZERO, |power| power.sleep_after)
    }

    pub(super) fn activity(&self, now: SimTime) -> Activity {
        let sleep_after = self.sleep_after();
        let asleep = if self.is_at_rest() {
            self.resting.asleep(now, sleep_after)
        } else {
            Nanos::ZERO
        };
        let [inward, outward] = self.link.busy_until(now);
        Activity {
            nand: self.scheduler.activity(),
            elapsed: now.since(SimTime::ZERO),
            at_rest: self.resting.over + asleep,
            link_busy: inward.max(outward),
        }
    }
}
