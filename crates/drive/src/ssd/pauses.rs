//! Work of an SSD while the host asks nothing of it.

use super::Ssd;
use ftlab_base::{Nanos, SimTime};

/// Time that the host must pause before the drive rebuilds what a dead die has held. No source says; long beside a
/// command, and short beside a pause that anybody notices.
const REBUILDS_AFTER: Nanos = Nanos::from_millis(10);

impl Ssd {
    /// Returns true if nothing is under way, for the host or in the array.
    pub(super) fn is_at_rest(&self) -> bool {
        self.events.first_at() == SimTime::NEVER && self.scheduler.next_event() == SimTime::NEVER
    }

    /// The last command is done.
    pub(super) fn begin_pause(&mut self, now: SimTime) {
        let rebuilds = || self.layer().dead_die().map(|_| REBUILDS_AFTER);
        if let Some(span) = self.params.firmware.idle_after.or_else(rebuilds) {
            self.works_ahead_at = now + span;
        }
    }

    /// A command has come.
    pub(super) fn end_pause(&mut self) {
        self.works_ahead_at = SimTime::NEVER;
        self.works_ahead = false;
    }

    /// The pause has lasted long enough, or the piece of work before this one is done, if that is not
    /// after `limit`; gives the instant.
    pub(super) fn work_ahead(&mut self, limit: SimTime) -> Option<SimTime> {
        let now = self.works_ahead_at;
        if now > limit {
            return None;
        }
        self.now = now;
        self.works_ahead_at = SimTime::NEVER;
        self.works_ahead = self.mapped.work_ahead();
        self.interrupt_rest(now);
        self.issue(now);
        self.go_on_ahead(now);
        Some(now)
    }

    /// Goes on when the array has done what it was given.
    pub(super) fn go_on_ahead(&mut self, now: SimTime) {
        if self.works_ahead && self.scheduler.next_event() == SimTime::NEVER {
            self.works_ahead_at = now;
        }
    }
}
