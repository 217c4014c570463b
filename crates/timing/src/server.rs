//! A resource that serves strictly first come, first served: the host link, the firmware core.

use ftlab_base::{Nanos, SimTime};

/// A first-come server. It needs no events: when it is free again is all its state.
#[derive(Debug, Clone, Copy, Default)]
pub struct Server {
    free_at: SimTime,
}

impl Server {
    /// Takes work of length `span` that arrives at `now`; gives the instant it is done.
    pub fn serve(&mut self, now: SimTime, span: Nanos) -> SimTime {
        self.free_at = self.free_at.max(now) + span;
        self.free_at
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
}
