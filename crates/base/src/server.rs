//! A resource that serves strictly first come, first served: a CPU, a link, a firmware core.

use crate::time::{Nanos, SimTime};

/// A first-come server. It needs no events: when it is free again is all its state.
#[derive(Debug, Clone, Copy, Default)]
pub struct Server {
    free_at: SimTime,
    busy: Nanos,
}

impl Server {
    /// Takes work of length `span` that arrives at `now` and returns the instant at which it is done.
    pub fn serve(&mut self, now: SimTime, span: Nanos) -> SimTime {
        self.free_at = self.free_at.max(now) + span;
        self.busy += span;
        self.free_at
    }

    /// The time it has served by `now`: what it took in, less what is still to be done.
    #[must_use]
    pub fn busy_until(&self, now: SimTime) -> Nanos {
        Nanos(self.busy.0.saturating_sub(self.free_at.since(now).0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_queues_behind_work() {
        let mut server = Server::default();
        assert_eq!(server.serve(SimTime(10), Nanos(5)), SimTime(15));
        assert_eq!(server.serve(SimTime(12), Nanos(5)), SimTime(20));
        assert_eq!(server.serve(SimTime(30), Nanos(1)), SimTime(31));
    }

    #[test]
    fn only_what_was_served_counts_as_busy() {
        let mut server = Server::default();
        server.serve(SimTime(10), Nanos(5));
        server.serve(SimTime(12), Nanos(5));
        let busy = [9, 10, 12, 20, 40].map(|now| server.busy_until(SimTime(now)).0);
        assert_eq!(busy, [0, 0, 2, 10, 10]);
    }
}
