//! Time that an SSD worked or was idle, for the sum of its energy.

use super::Ssd;
use ftlab_base::{Nanos, SimTime};
use ftlab_timing::{Activity, POWER_STATES_MAX, PowerModel, PowerStates};

/// The time with nothing to do for host or array. It is looked at when a command comes and when
/// events have been worked off, not at each event.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Resting {
    /// Idle times that are over.
    over: Spans,
    /// The last instant at which something happened.
    since: SimTime,
}

/// Time that a drive was idle, by its power state.
#[derive(Debug, Clone, Copy, Default)]
struct Spans {
    /// In no power state, but for the beginning of each idle time.
    awake: Nanos,
    in_states: [Nanos; POWER_STATES_MAX],
}

impl Spans {
    fn of(rest: Nanos, power: Option<&PowerModel>) -> Spans {
        let (states, sleep_after) = power.map_or((PowerStates::NONE, Nanos::ZERO), |power| {
            (power.states(), power.sleep_after)
        });
        let in_states = states.spent(rest);
        let asleep: u64 = in_states.iter().map(|span| span.0).sum();
        Spans {
            awake: Nanos((rest.0 - asleep).saturating_sub(sleep_after.0)),
            in_states,
        }
    }

    fn add(&mut self, other: &Spans) {
        self.awake += other.awake;
        for (sum, span) in self.in_states.iter_mut().zip(other.in_states) {
            *sum += span;
        }
    }
}

impl Resting {
    /// Notes that something happened, so that idle time begins now.
    pub(super) fn worked_at(&mut self, at: SimTime) {
        self.since = at;
    }

    /// Ends the idle time of a drive at a command; returns the time that the command waits for it.
    pub(super) fn ends(&mut self, now: SimTime, power: Option<&PowerModel>) -> Nanos {
        let rest = now.since(self.since);
        self.over.add(&Spans::of(rest, power));
        self.since = now;
        power.map_or(Nanos::ZERO, |power| power.states().waking(rest))
    }

    /// Time that the drive has been asleep in its present idle time.
    pub(super) fn asleep(&self, now: SimTime, sleep_after: Nanos) -> Nanos {
        now.since(self.since + sleep_after)
    }
}

impl Ssd {
    /// Idle time after which the drive takes less power.
    pub(super) fn sleep_after(&self) -> Nanos {
        self.power.map_or(Nanos::ZERO, |power| power.sleep_after)
    }

    /// The drive has looked for work of its own. One with power states stays where it is if there was none.
    pub(super) fn interrupt_rest(&mut self, now: SimTime) {
        let power = self.power.as_ref();
        if power.is_none_or(|power| power.states() == PowerStates::NONE) {
            return;
        }
        if self.works_ahead {
            self.resting.ends(now, power);
        } else {
            self.looked_in_vain = true;
        }
    }

    pub(super) fn activity(&self, now: SimTime) -> Activity {
        let mut spans = self.resting.over;
        if self.is_at_rest() {
            let rest = now.since(self.resting.since);
            spans.add(&Spans::of(rest, self.power.as_ref()));
        }
        let [inward, outward] = self.link.busy_until(now);
        Activity {
            nand: self.scheduler.activity(),
            elapsed: now.since(SimTime::ZERO),
            at_rest: spans.awake,
            in_states: spans.in_states,
            link_busy: inward.max(outward),
        }
    }
}
