//! PCI Express: lanes, packets, and what they leave of the rate.

use ftlab_base::SECTOR_BYTES;
use std::ops::RangeInclusive;

/// Lanes that a link may have, and generations.
const LANES: [u8; 4] = [1, 2, 4, 8];
const GENERATIONS: u8 = 5;

/// Names, by generation and then by lanes.
const NAMES: [[&str; 4]; GENERATIONS as usize] = [
    ["pcie1x1", "pcie1x2", "pcie1x4", "pcie1x8"],
    ["pcie2x1", "pcie2x2", "pcie2x4", "pcie2x8"],
    ["pcie3x1", "pcie3x2", "pcie3x4", "pcie3x8"],
    ["pcie4x1", "pcie4x2", "pcie4x4", "pcie4x8"],
    ["pcie5x1", "pcie5x2", "pcie5x4", "pcie5x8"],
];

/// Bytes of a packet beside its payload: a header of 16 for addresses of 64 bits, a check of 4, and 4 of sequence number and
/// framing, in all generations.
const PACKET_OVERHEAD: u64 = 24;

/// Bytes of data that packets may carry, in powers of two.
const PAYLOADS: RangeInclusive<u64> = 128..=4096;

/// Bytes that a drive asks the host's memory for with one packet: the largest read request that hosts set.
const REQUEST_BYTES: u64 = 512;

/// Packets of a command that is no data: the doorbell (4 bytes) and the command (64) on their way to the drive; the request for
/// the command, the answer (16) and the interrupt (4) on their way to the host.
const COMMAND_BYTES: [u64; 2] = [4 + 64 + 2 * PACKET_OVERHEAD, 16 + 4 + 3 * PACKET_OVERHEAD];

const PS_A_S: u64 = 1_000_000_000_000;

/// Lanes of a generation of PCI Express: a slot, or a drive's end of the link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pcie {
    generation: u8,
    lanes: u8,
}

/// One end of a link of PCI Express.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PcieEnd {
    /// Generation and number of its lanes.
    pub lanes: Pcie,
    /// The most bytes of data that it takes in one packet.
    pub payload_bytes: u64,
}

impl Pcie {
    /// All there are, the slowest generation first.
    pub fn all() -> impl Iterator<Item = Pcie> {
        let of = |generation| LANES.map(|lanes| Pcie { generation, lanes });
        (1..=GENERATIONS).flat_map(of)
    }

    /// Its name in drive files, testbed files and results.
    #[must_use]
    pub fn name(self) -> &'static str {
        let lanes = LANES.iter().position(|&lanes| lanes == self.lanes);
        NAMES[usize::from(self.generation) - 1][lanes.unwrap_or_default()]
    }

    /// The lanes of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Pcie> {
        Pcie::all().find(|lanes| lanes.name() == name)
    }

    /// Returns the name in words: `PCIe 4.0 x4`.
    #[must_use]
    pub fn words(self) -> String {
        format!("PCIe {}.0 x{}", self.generation, self.lanes)
    }

    /// Bytes a second that cross it each way, packets and all: ten bits a byte (8b/10b) in the first two generations, 130 bits
    /// for 16 bytes (128b/130b) from the third on.
    #[must_use]
    pub fn bytes_s(self) -> u64 {
        let lanes = u64::from(self.lanes);
        match self.generation {
            1 | 2 => 250_000_000 * u64::from(self.generation) * lanes,
            later => (1_000_000_000 << (later - 3)) * lanes * 128 / 130,
        }
    }
}

impl TryFrom<String> for Pcie {
    type Error = String;

    fn try_from(name: String) -> Result<Pcie, String> {
        Pcie::named(&name).ok_or_else(|| {
            format!("`{name}` is no link of PCI Express; they are called pcie1x1 to pcie5x8: generation 1 to 5, 1, 2, 4 or 8 lanes")
        })
    }
}

impl<'de> serde::Deserialize<'de> for Pcie {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Pcie, D::Error> {
        let name = String::deserialize(deserializer)?;
        Pcie::try_from(name).map_err(serde::de::Error::custom)
    }
}

impl PcieEnd {
    /// An end with these lanes, and packets of at most `payload_bytes` bytes of data.
    ///
    /// # Errors
    /// When packets of PCI Express cannot be of that size.
    pub fn new(lanes: Pcie, payload_bytes: u64) -> Result<PcieEnd, String> {
        if !PAYLOADS.contains(&payload_bytes) || !payload_bytes.is_power_of_two() {
            return Err(format!(
                "payload_max: {payload_bytes} bytes; packets of PCI Express carry 128, 256, 512, 1024, 2048 or 4096"
            ));
        }
        Ok(PcieEnd {
            lanes,
            payload_bytes,
        })
    }

    /// Returns the link between two ends: the slower lanes, and packets that both take.
    #[must_use]
    pub fn between(self, other: PcieEnd) -> PcieEnd {
        PcieEnd {
            lanes: match self.lanes.bytes_s() <= other.lanes.bytes_s() {
                true => self.lanes,
                false => other.lanes,
            },
            payload_bytes: self.payload_bytes.min(other.payload_bytes),
        }
    }

    /// Bytes of data a second, each way.
    #[must_use]
    pub fn payload_bytes_s(self) -> u64 {
        self.lanes.bytes_s() * self.payload_bytes / (self.payload_bytes + PACKET_OVERHEAD)
    }

    /// Picoseconds of a sector of 512 bytes, in packets.
    pub(crate) fn sector_ps(self) -> u64 {
        let wire = SECTOR_BYTES * (self.payload_bytes + PACKET_OVERHEAD);
        (wire * PS_A_S / self.payload_bytes).div_ceil(self.lanes.bytes_s())
    }

    /// Picoseconds that the requests for a sector take on their way to the host, when the drive fetches it.
    pub(crate) fn request_ps(self) -> u64 {
        self.bytes_ps(PACKET_OVERHEAD * SECTOR_BYTES / REQUEST_BYTES)
    }

    /// Picoseconds of a command without its data: on the way to the drive, and to the host.
    pub(crate) fn command_ps(self) -> [u64; 2] {
        COMMAND_BYTES.map(|bytes| self.bytes_ps(bytes))
    }

    fn bytes_ps(self, bytes: u64) -> u64 {
        (bytes * PS_A_S).div_ceil(self.lanes.bytes_s())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_their_lanes() {
        for lanes in Pcie::all() {
            assert_eq!(Pcie::named(lanes.name()), Some(lanes));
        }
        assert_eq!(Pcie::named("pcie4x4").unwrap().words(), "PCIe 4.0 x4");
        let why = Pcie::try_from("pcie6x4".to_owned()).unwrap_err();
        assert!(why.contains("`pcie6x4` is no link"), "{why}");
    }

    /// 16 GT/s on four lanes are 7.877 GB/s behind the code; packets of 256 bytes leave 256/280 of it.
    #[test]
    fn packets_take_their_part_of_the_lanes() {
        let end = |name: &str, payload_bytes| PcieEnd {
            lanes: Pcie::named(name).unwrap(),
            payload_bytes,
        };
        let gb_s = |end: PcieEnd| end.payload_bytes_s() as f64 / 1e9;
        let near = |is: f64, should: f64| (is / should - 1.0).abs() < 1e-3;
        assert!(near(
            gb_s(end("pcie4x4", 256)),
            16.0 / 8.0 * 4.0 * (128.0 / 130.0) * (256.0 / 280.0)
        ));
        assert!(near(
            gb_s(end("pcie2x2", 128)),
            5.0 / 10.0 * 2.0 * (128.0 / 152.0)
        ));
        let both = end("pcie5x4", 512).between(end("pcie4x2", 256));
        assert_eq!(both, end("pcie4x2", 256));
        // A sector is two packets of 256 bytes.
        let sector = 512.0 / gb_s(both) * 1e3;
        assert!(
            near(both.sector_ps() as f64, sector),
            "{} ps",
            both.sector_ps()
        );
    }
}
