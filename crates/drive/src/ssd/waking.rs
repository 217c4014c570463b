//! Drives that do not wake up: a fault of firmware, in the switch from one power state to another.
//!
//! An SSD that was asleep wakes up for the next command. With the fault, one in N awakenings goes
//! wrong: the drive is off its bus from then on, and answers nothing until its power is cycled. What
//! the host has asked or asks then it gives up after a time.

use super::Ssd;
use super::events::Event;
use super::params::LostWaking;
use ftlab_base::{Nanos, RootSeed, SimTime};

/// After what time a host gives a command up: the default of Linux for disks, 30 s.
const GIVEN_UP_AFTER: Nanos = Nanos::from_millis(30_000);

/// Reason in words for which a drive that is gone takes no commands.
pub(super) const GONE: &str = "the drive did not wake up from its sleep and is off its bus until its power is \
     cycled (faults.lost_waking)";

/// Awakenings so far, and whether the last was one.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Wakings {
    count: u64,
    pub(super) is_gone: bool,
}

impl LostWaking {
    /// Returns true if the `nth` awakening goes wrong.
    fn loses(&self, nth: u64) -> bool {
        let RootSeed(draw) = self.seed.derive(&format!("waking {nth}"));
        draw % u64::from(self.one_in) == 0
    }
}

impl Ssd {
    /// Wakes an idle drive at a command. One that has slept may be gone then, if the drive file has that fault.
    pub(super) fn wake(&mut self, now: SimTime) {
        let Some(fault) = self.params.faults.lost_waking else {
            return;
        };
        if self.resting.asleep(now, self.sleep_after()) > Nanos::ZERO {
            self.wakings.count += 1;
            self.wakings.is_gone |= fault.loses(self.wakings.count);
        }
    }

    /// Nobody answers a command.
    pub(super) fn give_up(&mut self, number: u32, now: SimTime) {
        self.events
            .schedule(now + GIVEN_UP_AFTER, Event::GivenUp, number);
    }

    /// The power is cycled: a drive that was gone is there again.
    pub(super) fn cycle_power(&mut self) {
        self.wakings.is_gone = false;
    }
}
