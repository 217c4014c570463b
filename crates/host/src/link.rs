//! The cable, or the lanes.

use crate::pcie::PcieEnd;
use crate::port::{Host, Port};
use ftlab_base::{Nanos, Server, SimTime};

/// A drive's end of its link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// A cable that carries one transfer at a time, either way, with the time of a sector as fast as the drive can.
    Sata(Nanos),
    /// Lanes of PCI Express, which carry data both ways at once.
    Pcie {
        /// Its end of them.
        end: PcieEnd,
        /// Picoseconds of a sector as fast as the drive itself moves data each way; 0 for as fast as the lanes.
        own_ps: u64,
    },
}

/// The link between a drive and its port: transfers in the order in which they begin, as fast as
/// the slower end.
#[derive(Debug, Clone)]
pub struct Link {
    own: End,
    speed: Speed,
    /// To the drive; on a cable, both ways.
    inward: Server,
    /// To the host, on lanes.
    outward: Server,
}

/// Times on a link, in picoseconds.
#[derive(Debug, Clone, Copy)]
struct Speed {
    sector: u64,
    /// The requests for a sector that the drive fetches.
    request: u64,
    /// A command without its data, to the drive and to the host.
    command: [u64; 2],
}

const PS_A_NS: u64 = 1000;

fn nanos(ps: u64) -> Nanos {
    Nanos(ps.div_ceil(PS_A_NS))
}

impl End {
    /// Returns the times of this end when it is plugged into a host.
    fn speed(self, host: &Host) -> Speed {
        match self {
            End::Sata(own) => {
                let sector = host.port.map_or(own, |port| own.max(port.sector()));
                Speed {
                    sector: sector.0 * PS_A_NS,
                    request: 0,
                    command: [0; 2],
                }
            }
            End::Pcie { end, own_ps } => {
                let end = host.slot.map_or(end, |slot| end.between(slot));
                Speed {
                    sector: end.sector_ps().max(own_ps),
                    request: end.request_ps(),
                    command: end.command_ps(),
                }
            }
        }
    }
}

impl Link {
    /// The link of a drive with such an end, plugged into nothing.
    #[must_use]
    pub fn new(own: End) -> Link {
        Link {
            own,
            speed: own.speed(&Host::NONE),
            inward: Server::default(),
            outward: Server::default(),
        }
    }

    /// Plugs the drive into another port.
    pub fn plug(&mut self, host: &Host) {
        self.speed = self.own.speed(host);
    }

    /// Returns true if data cross the link both ways at once.
    #[must_use]
    #[inline]
    pub fn is_duplex(&self) -> bool {
        matches!(self.own, End::Pcie { .. })
    }

    /// Time of N sectors of 512 bytes.
    #[must_use]
    #[inline]
    pub fn span(&self, sectors: u64) -> Nanos {
        let ps = self.speed.sector.checked_mul(sectors);
        // A link of a byte a second is one, too.
        ps.map_or_else(|| self.long_span(sectors), nanos)
    }

    #[cold]
    fn long_span(&self, sectors: u64) -> Nanos {
        let ps = u128::from(self.speed.sector) * u128::from(sectors);
        Nanos(ps.div_ceil(u128::from(PS_A_NS)) as u64)
    }

    /// Returns the time that the protocol of a command takes here, where `own` is what the drive alone takes. Its FISes
    /// cross a slower port of SATA as slowly as data do; on lanes nearly all of it is the way there and back.
    #[must_use]
    pub fn protocol(&self, own: Nanos) -> Nanos {
        let End::Sata(sector) = self.own else {
            return own;
        };
        // No drive is quicker than the quickest port.
        let quickest = sector.max(Port::Sata6g.sector());
        let here = self.span(1);
        if here <= quickest {
            own
        } else {
            Nanos(own.0 * here.0 / quickest.0)
        }
    }

    /// Moves the command itself at `now`, with a protocol that takes `own`, and returns the time that it takes.
    pub fn command(&mut self, now: SimTime, own: Nanos) -> Nanos {
        let protocol = self.protocol(own);
        match self.own {
            End::Sata(_) => drop(self.inward.serve(now, protocol)),
            End::Pcie { .. } => {
                let [inward, outward] = self.speed.command;
                self.inward.serve(now, nanos(inward));
                self.outward.serve(now, nanos(outward));
            }
        }
        protocol
    }

    /// Moves data that are ready at `now` to the drive and returns the instant at which the last byte is over.
    pub fn bring(&mut self, now: SimTime, sectors: u64) -> SimTime {
        if self.is_duplex() && sectors > 0 {
            self.outward.serve(now, nanos(self.speed.request * sectors));
        }
        self.inward.serve(now, self.span(sectors))
    }

    /// Moves data that are ready at `now` to the host and returns the instant at which the last byte is over.
    pub fn send(&mut self, now: SimTime, sectors: u64) -> SimTime {
        let span = self.span(sectors);
        if self.is_duplex() {
            self.outward.serve(now, span)
        } else {
            self.inward.serve(now, span)
        }
    }

    /// Takes a cable for `span`, whatever crosses it, and returns the instant at which that is over.
    pub fn serve(&mut self, now: SimTime, span: Nanos) -> SimTime {
        self.inward.serve(now, span)
    }

    /// The time for which data have crossed it by `now`, to the drive and to the host; on a cable, the first is both.
    #[must_use]
    pub fn busy_until(&self, now: SimTime) -> [Nanos; 2] {
        [self.inward.busy_until(now), self.outward.busy_until(now)]
    }

    /// Time begins again: the link is idle.
    pub fn restart_clock(&mut self) {
        (self.inward, self.outward) = Default::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pcie::Pcie;

    fn lanes(name: &str) -> PcieEnd {
        PcieEnd {
            lanes: Pcie::named(name).unwrap(),
            payload_bytes: 256,
        }
    }

    #[test]
    fn the_slower_end_decides() {
        let mut link = Link::new(End::Sata(Port::Sata3g.sector()));
        let mut on = |port| {
            let port = Some(port);
            link.plug(&Host { port, ..Host::NONE });
            link.span(1)
        };
        assert_eq!(on(Port::Sata6g), Port::Sata3g.sector());
        assert_eq!(on(Port::Sata1500), Port::Sata1500.sector());
        link.plug(&Host::NONE);
        assert_eq!(link.span(1), Port::Sata3g.sector());
    }

    #[test]
    fn a_slot_narrows_lanes_and_leaves_a_cable_alone() {
        let own = End::Pcie {
            end: lanes("pcie4x4"),
            own_ps: 0,
        };
        let on = |own, slot| {
            let mut link = Link::new(own);
            let slot = Some(lanes(slot));
            link.plug(&Host { slot, ..Host::NONE });
            link.span(2048).0
        };
        assert_eq!(on(own, "pcie5x8"), Link::new(own).span(2048).0);
        assert_eq!(on(own, "pcie3x4").div_ceil(2), on(own, "pcie4x4"));
        let cable = End::Sata(Port::Sata6g.sector());
        assert_eq!(on(cable, "pcie1x1"), Link::new(cable).span(2048).0);
        // What the drive itself can is the least as well.
        let slow = End::Pcie {
            end: lanes("pcie4x4"),
            own_ps: 200_000,
        };
        assert_eq!(on(slow, "pcie5x8"), 2048 * 200);
    }

    /// Reads and writes share a cable, and on lanes they share what asks for the data of writes.
    #[test]
    fn lanes_carry_both_ways_at_once() {
        let both = |own: End| {
            let mut link = Link::new(own);
            let inward = link.bring(SimTime::ZERO, 2048);
            let outward = link.send(SimTime::ZERO, 2048);
            (inward.0, outward.0, link.span(2048).0)
        };
        let (inward, outward, alone) = both(End::Sata(Nanos(100)));
        assert_eq!((inward, outward), (alone, 2 * alone));
        let (inward, outward, alone) = both(End::Pcie {
            end: lanes("pcie3x4"),
            own_ps: 0,
        });
        assert_eq!(inward, alone);
        let requests = 24.0 / 560.0;
        let share = (outward - alone) as f64 / alone as f64;
        assert!(
            (share / requests - 1.0).abs() < 0.01,
            "{share} of {requests}"
        );
    }
}
