//! Rest of dies, and their rest while others have too much to do.

use ftlab_base::{Nanos, SimTime};

/// Work and rest of dies and channels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ArrayOccupancy {
    /// Number of dies of the array.
    pub dies: u32,
    /// Time without an operation, summed over the dies.
    pub idle: Nanos,
    /// The part of it while the queues had no room for more.
    pub starved: Nanos,
    /// Number of channels of the array.
    pub channels: u32,
    /// Time with something on the bus, summed over the channels.
    pub channels_busy: Nanos,
}

/// The idle time of all dies together.
#[derive(Debug, Clone, Copy)]
pub(super) struct Usage {
    /// Number of dies at rest.
    pub(super) idle_dies: u32,
    pub(super) idle: Nanos,
    pub(super) starved: Nanos,
    /// Until when the sums are.
    until: SimTime,
}

impl Usage {
    pub(super) fn of(dies: u32) -> Usage {
        Usage {
            idle_dies: dies,
            idle: Nanos::ZERO,
            starved: Nanos::ZERO,
            until: SimTime::ZERO,
        }
    }

    /// Time passes until `now` with the dies as they are.
    #[inline]
    pub(super) fn pass(&mut self, now: SimTime, is_full: bool) {
        let idle = Nanos(now.since(self.until).0 * u64::from(self.idle_dies));
        self.idle += idle;
        if is_full {
            self.starved += idle;
        }
        self.until = self.until.max(now);
    }

    pub(super) fn restart_clock(&mut self) {
        self.until = SimTime::ZERO;
    }
}
