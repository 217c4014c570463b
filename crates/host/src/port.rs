//! The machine a drive is plugged into, and its ports of SATA.

use crate::pcie::PcieEnd;
use crate::queue::HostOrder;
use ftlab_base::{Nanos, SECTOR_BYTES};

/// A SATA port, by its generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Port {
    /// First generation, 1.5 Gbit/s.
    #[serde(rename = "sata1.5g")]
    Sata1500,
    /// Second generation, 3 Gbit/s.
    Sata3g,
    /// Third generation, 6 Gbit/s.
    Sata6g,
}

impl Port {
    /// All ports, the slowest first.
    pub const ALL: [Port; 3] = [Port::Sata1500, Port::Sata3g, Port::Sata6g];

    /// Its name in testbed files and in the reference table.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Port::Sata1500 => "sata1.5g",
            Port::Sata3g => "sata3g",
            Port::Sata6g => "sata6g",
        }
    }

    /// Its name in words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Port::Sata1500 => "SATA 1.5 Gb/s",
            Port::Sata3g => "SATA 3 Gb/s",
            Port::Sata6g => "SATA 6 Gb/s",
        }
    }

    /// The port of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Port> {
        Port::ALL.into_iter().find(|port| port.name() == name)
    }

    /// Bytes a second that cross it: ten bits a byte (8b/10b), before the protocol.
    #[must_use]
    pub const fn bytes_s(self) -> u64 {
        match self {
            Port::Sata1500 => 150_000_000,
            Port::Sata3g => 300_000_000,
            Port::Sata6g => 600_000_000,
        }
    }

    /// Time of a sector of 512 bytes on it, before the protocol.
    #[must_use]
    pub const fn sector(self) -> Nanos {
        Nanos((SECTOR_BYTES * 1_000_000_000).div_ceil(self.bytes_s()))
    }

    /// The slowest port that a drive of that rate does not have to wait for; none for a drive that outruns them all.
    #[must_use]
    pub fn of_rate(bytes_s: u64) -> Option<Port> {
        let enough = |port: &Port| port.bytes_s() >= bytes_s;
        Port::ALL.into_iter().find(enough)
    }
}

/// The other end of a drive's cable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Host {
    /// CPU time of a command.
    pub command: Nanos,
    /// Order of what waits for the drive to take it.
    pub order: HostOrder,
    /// The port of SATA: the link runs at its rate or the drive's, whichever is less. Without one, at the
    /// drive's.
    pub port: Option<Port>,
    /// The slot of PCI Express, for drives that need one; without it, the drive's own lanes stand.
    pub slot: Option<PcieEnd>,
    /// The most sectors that it moves with one command, if it has a limit of its own.
    pub transfer_max: Option<u32>,
    /// True if the link of an idle drive is put to sleep.
    pub link_sleeps: bool,
    /// True if an idle drive may enter its power states.
    pub power_states: bool,
}

impl Host {
    /// Nobody: a host that takes no time and no port.
    pub const NONE: Host = Host {
        command: Nanos::ZERO,
        order: HostOrder::Fifo,
        port: None,
        slot: None,
        transfer_max: None,
        link_sleeps: false,
        power_states: false,
    };
}
