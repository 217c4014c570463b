//! `[link]`: the drive's end of the cable, or of the lanes.

use crate::file::section::{Takes, section};
use ftlab_base::SECTOR_BYTES;
use ftlab_host::{End, Host, Pcie, PcieEnd, Port};
use ftlab_sheet::quantity::{Bytes, Quantity, Rate, Time};

section! {
    "link"
    /// The host link.
    struct Link {
        /// For a drive of NVMe, the lanes of PCI Express: `pcie3x4` is generation 3 on four lanes. They carry data both ways at
        /// once, and the slower of drive and slot counts. A cable that carries one transfer at a time if left out.
        port: Option<Pcie>,
        /// With `port`: the most bytes of data that the drive takes in one packet; each has 24 more.
        payload_max: Option<Quantity<Bytes>>,
        /// Payload rate of the drive's side. With `port`, what the drive itself moves each way, if that is less than the lanes
        /// carry.
        rate: Option<Quantity<Rate>>,
        /// Protocol time of a command. On a cable it takes longer on a slower port in the same measure as data; for a disk
        /// it is its controller's time as well.
        command: Quantity<Time>,
    }
}

impl Takes for Pcie {
    const WHAT: &'static str = "`pcie1x1` to `pcie5x8`";
}

/// Picoseconds of a second.
const PS_A_S: f64 = 1e12;

impl Link {
    /// The drive's end; the error says what is missing or too much.
    pub(in crate::file) fn end(&self) -> Result<End, String> {
        match (self.port, &self.payload_max, &self.rate) {
            (None, Some(_), _) => Err(
                "link.payload_max is of packets of PCI Express and needs link.port, for example pcie4x4".to_owned(),
            ),
            (None, None, None) => Err(
                "[link] has neither rate nor port: give link.rate for a drive on a cable, link.port and \
                 link.payload_max for one on lanes of PCI Express"
                    .to_owned(),
            ),
            (None, None, Some(rate)) => Ok(End::Sata(rate.time_of(SECTOR_BYTES as f64))),
            (Some(_), None, _) => Err(
                "link.port needs link.payload_max, what one packet takes, for example link.payload_max=256B".to_owned(),
            ),
            (Some(lanes), Some(payload), rate) => {
                let own_ps = rate.as_ref().map_or(0.0, |rate| SECTOR_BYTES as f64 * PS_A_S / rate.base);
                let end = PcieEnd::new(lanes, payload.get()).map_err(|why| format!("link.{why}"))?;
                let own_ps = own_ps.ceil() as u64;
                Ok(End::Pcie { end, own_ps })
            }
        }
    }

    /// Bytes of data a second that the drive's side takes each way.
    pub(in crate::file) fn bytes_s(&self) -> u64 {
        let own = self.rate.as_ref().map_or(u64::MAX, |rate| rate.base as u64);
        match self.end() {
            Ok(End::Pcie { end, .. }) => own.min(end.payload_bytes_s()),
            _ => own,
        }
    }

    /// Returns true if it is lanes of PCI Express.
    pub(in crate::file) fn is_pcie(&self) -> bool {
        self.port.is_some()
    }

    /// Returns true if a port of SATA slows the drive down.
    pub(in crate::file) fn waits_for(&self, port: Port) -> bool {
        self.port.is_none() && port.bytes_s() < self.bytes_s()
    }

    /// The name of the link on that host: its generation. [`OTHER`] for a cable that outruns SATA.
    pub(in crate::file) fn name_on(&self, host: &Host) -> &'static str {
        match self.end() {
            Ok(End::Pcie { end, .. }) => {
                let both = host.slot.map_or(end, |slot| end.between(slot));
                both.lanes.name()
            }
            _ => match (Port::of_rate(self.bytes_s()), host.port) {
                (Some(own), Some(port)) => own.min(port).name(),
                (None, Some(port)) => port.name(),
                (Some(own), None) => own.name(),
                (None, None) => OTHER,
            },
        }
    }
}

/// The link of a drive that outruns every port of SATA and names no lanes.
const OTHER: &str = "other";
