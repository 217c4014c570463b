//! What the parts of an SSD do with their time.

use ftlab_base::Nanos;
use ftlab_timing::ArrayOccupancy;

/// What the parts of an SSD did with their time since its clock began.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Occupancy {
    /// Dies and channels.
    pub array: ArrayOccupancy,
    /// Time with data on the host link, to the drive and to the host; on a cable, the first is both.
    pub link_busy: [Nanos; 2],
    /// Time in which the firmware's core worked.
    pub core_busy: Nanos,
}

/// The shares of a span in which the parts of an SSD worked, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shares {
    /// Mean of the dies.
    pub dies: f64,
    /// Mean of the channels.
    pub channels: f64,
    /// The host link, the way that was busier.
    pub link: f64,
    /// The firmware's core.
    pub core: f64,
    /// Mean of the dies: without an operation while the queues of others were full.
    pub starved: f64,
}

impl Occupancy {
    /// The shares of the span since `earlier`, which was `span` ago.
    #[must_use]
    pub fn shares_since(&self, earlier: &Occupancy, span: Nanos) -> Shares {
        let (now, then) = (&self.array, &earlier.array);
        let part = |now: Nanos, then: Nanos, of: u32| {
            let whole = span.as_secs() * f64::from(of.max(1));
            if whole > 0.0 {
                // An operation counts from its beginning on the bus.
                ((now.as_secs() - then.as_secs()) / whole).clamp(0.0, 1.0)
            } else {
                0.0
            }
        };
        let [inward, outward] = self.link_busy;
        let link = [
            part(inward, earlier.link_busy[0], 1),
            part(outward, earlier.link_busy[1], 1),
        ];
        Shares {
            dies: 1.0 - part(now.idle, then.idle, now.dies),
            channels: part(now.channels_busy, then.channels_busy, now.channels),
            link: link[0].max(link[1]),
            core: part(self.core_busy, earlier.core_busy, 1),
            starved: part(now.starved, then.starved, now.dies),
        }
    }
}
