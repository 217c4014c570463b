//! Time that the parts of a drive work, and its host.

use ftlab_base::Nanos;
use ftlab_timing::ArrayOccupancy;

/// Time that a host and the parts of a drive worked since its clock began; nothing for parts that it has not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Occupancy {
    /// Time in which the host worked for the drive's requests: the processor of its driver, then each of its cores that requests
    /// take time of, both ways. Polling for nothing is no work.
    pub host_busy: Vec<Nanos>,
    /// Time in which commands waited for what a limit at the port lets through.
    pub limit_held: Option<Nanos>,
    /// Time with data on the host link, to the drive and to the host; on a cable, the first is both.
    pub link_busy: Option<[Nanos; 2]>,
    /// Time in which the firmware's core worked.
    pub core_busy: Option<Nanos>,
    /// Time that dies and channels worked.
    pub array: Option<ArrayOccupancy>,
    /// Time in which the arm of a disk was under way or at a request, reading ahead left out.
    pub arm_busy: Option<Nanos>,
}

/// The shares of a span in which a host and the parts of a drive worked, from 0 to 1; nothing for parts that it has not.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Shares {
    /// The host, by its core that was busiest.
    pub host: f64,
    /// A limit at the port: commands waited for it.
    pub limit: Option<f64>,
    /// The host link, the way that was busier.
    pub link: Option<f64>,
    /// The core of the firmware.
    pub core: Option<f64>,
    /// Mean of the dies.
    pub dies: Option<f64>,
    /// Mean of the channels.
    pub channels: Option<f64>,
    /// Mean of the dies: without an operation while the queues of others were full.
    pub starved: Option<f64>,
    /// The arm of a disk.
    pub arm: Option<f64>,
}

impl Shares {
    /// The share of the part of the drive that was busiest, or of the limit before it; nothing for a drive that is the host's
    /// work alone, as a RAM disk.
    #[must_use]
    pub fn of_the_drive(&self) -> Option<f64> {
        let parts = [
            self.limit,
            self.link,
            self.core,
            self.dies,
            self.channels,
            self.arm,
        ];
        parts.into_iter().flatten().max_by(f64::total_cmp)
    }
}

impl Occupancy {
    /// The shares of the span since `earlier`, which was `span` ago.
    #[must_use]
    pub fn shares_since(&self, earlier: &Occupancy, span: Nanos) -> Shares {
        let part = |now: Nanos, then: Nanos, of: u32| {
            let whole = span.as_secs() * f64::from(of.max(1));
            if whole > 0.0 {
                // An operation counts from its beginning on the bus.
                ((now.as_secs() - then.as_secs()) / whole).clamp(0.0, 1.0)
            } else {
                0.0
            }
        };
        let since = |now: Option<Nanos>, then: Option<Nanos>| {
            now.map(|now| part(now, then.unwrap_or_default(), 1))
        };
        // Cores that nothing asked for earlier were idle then.
        let before = earlier.host_busy.iter().copied();
        let before = before.chain(std::iter::repeat(Nanos::ZERO));
        let cores = self.host_busy.iter().zip(before);
        let link = self.link_busy.map(|[inward, outward]| {
            let [before_in, before_out] = earlier.link_busy.unwrap_or_default();
            part(inward, before_in, 1).max(part(outward, before_out, 1))
        });
        let then = earlier.array.unwrap_or_default();
        let of_array = |share: fn(&ArrayOccupancy) -> (Nanos, u32)| {
            self.array
                .map(|now| part(share(&now).0, share(&then).0, share(&now).1))
        };
        Shares {
            host: cores
                .map(|(&now, then)| part(now, then, 1))
                .fold(0.0, f64::max),
            limit: since(self.limit_held, earlier.limit_held),
            link,
            core: since(self.core_busy, earlier.core_busy),
            dies: of_array(|array| (array.idle, array.dies)).map(|idle| 1.0 - idle),
            channels: of_array(|array| (array.channels_busy, array.channels)),
            starved: of_array(|array| (array.starved, array.dies)),
            arm: since(self.arm_busy, earlier.arm_busy),
        }
    }
}
