//! The cable.

use crate::port::Host;
use ftlab_base::{Nanos, Server, SimTime};

/// The cable between a drive and its port: one transfer at a time, in the order in which they begin, as fast as
/// the slower end.
#[derive(Debug, Clone)]
pub struct Link {
    /// Time of a sector as fast as the drive can.
    own: Nanos,
    sector: Nanos,
    server: Server,
}

impl Link {
    /// The link of a drive that takes `own` for a sector of 512 bytes, plugged into nothing.
    #[must_use]
    pub fn new(own: Nanos) -> Link {
        Link {
            own,
            sector: own,
            server: Server::default(),
        }
    }

    /// Plugs the drive into another port.
    pub fn plug(&mut self, host: &Host) {
        self.sector = (host.port).map_or(self.own, |port| self.own.max(port.sector()));
    }

    /// Time of a sector of 512 bytes.
    #[must_use]
    pub fn sector(&self) -> Nanos {
        self.sector
    }

    /// Transfers for `span` what is ready at `now`; gives when the last byte is over.
    pub fn serve(&mut self, now: SimTime, span: Nanos) -> SimTime {
        self.server.serve(now, span)
    }

    /// The time for which data have crossed it by `now`.
    #[must_use]
    pub fn busy_until(&self, now: SimTime) -> Nanos {
        self.server.busy_until(now)
    }

    /// Time begins again: the link is idle.
    pub fn restart_clock(&mut self) {
        self.server = Server::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::port::Port;

    #[test]
    fn the_slower_end_decides() {
        let mut link = Link::new(Port::Sata3g.sector());
        let mut on = |port| {
            let port = Some(port);
            link.plug(&Host { port, ..Host::NONE });
            link.sector()
        };
        assert_eq!(on(Port::Sata6g), Port::Sata3g.sector());
        assert_eq!(on(Port::Sata1500), Port::Sata1500.sector());
        link.plug(&Host::NONE);
        assert_eq!(link.sector(), Port::Sata3g.sector());
    }
}
