//! Facts that tell drives apart on a list: the year, the flash, the class, the interface. Nothing is computed with them.

use super::drive_file::DriveFile;
use super::sections::head::Kind;
use ftlab_host::Port;
use serde::Deserialize;

/// What a drive is sold for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// An SSD for one person's machine.
    Client,
    /// An SSD for servers.
    DataCentre,
    /// A volume of a cloud.
    Cloud,
    /// A hard disk.
    Disk,
    /// A part of a machine's memory.
    Memory,
}

impl Class {
    /// All of them.
    pub const ALL: [Class; 5] = [
        Class::Client,
        Class::DataCentre,
        Class::Cloud,
        Class::Disk,
        Class::Memory,
    ];

    /// Its name in drive files and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Class::Client => "client",
            Class::DataCentre => "data-centre",
            Class::Cloud => "cloud",
            Class::Disk => "disk",
            Class::Memory => "memory",
        }
    }
}

/// Bits that a cell of flash holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Flash {
    /// One bit.
    Slc,
    /// Two bits.
    Mlc,
    /// Three bits.
    Tlc,
    /// Four bits.
    Qlc,
}

impl Flash {
    /// Its name in drive files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Flash::Slc => "SLC",
            Flash::Mlc => "MLC",
            Flash::Tlc => "TLC",
            Flash::Qlc => "QLC",
        }
    }
}

impl DriveFile {
    /// The year in which the drive was first sold, if its file says.
    #[must_use]
    pub fn year(&self) -> Option<u16> {
        self.header.year
    }

    /// The kind of its cells, if it has flash and its file says which.
    #[must_use]
    pub fn flash(&self) -> Option<Flash> {
        self.header.flash
    }

    /// What it is sold for: what its file says, or what follows from its kind.
    #[must_use]
    pub fn class(&self) -> Option<Class> {
        self.header.class.or(match self.kind() {
            Kind::Disk => Some(Class::Disk),
            Kind::Ram if self.has_limit() => Some(Class::Cloud),
            Kind::Ram => Some(Class::Memory),
            Kind::Ssd => None,
        })
    }

    /// The port of SATA that its cable is for; `None` on lanes and without a cable.
    #[must_use]
    pub fn sata(&self) -> Option<Port> {
        let link = self.link().filter(|link| !link.is_pcie())?;
        Port::of_rate(link.bytes_s())
    }

    /// Its interface as data sheets name it: `SATA 3 Gb/s`, `PCIe 3.0 x4`; `None` without one.
    #[must_use]
    pub fn interface(&self) -> Option<String> {
        let lanes = self.link().and_then(|link| link.port);
        let lanes = lanes.map(|lanes| lanes.words());
        lanes.or_else(|| Some(self.sata()?.words().to_owned()))
    }
}
