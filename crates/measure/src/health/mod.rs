//! What a drive says of itself: counters of wear, temperature, and the logs and attributes that have them.
//!
//! A drive is asked through programs that are installed, `nvme` of nvme-cli and `smartctl` of smartmontools. What it does
//! not say is absent, and nothing is made up for it.

mod ata;
mod nvme;

use crate::device::Kind;
use crate::device::held::Held;
use crate::programs::Programs;
use crate::stop::Stop;
use ftlab_result::{CountedStep, Counters, NvmeLogs, SmartAttribute};
use serde_json::Value;
use std::ffi::OsStr;
use std::path::PathBuf;

/// Units that a counter has to move by before a ratio is made of it: its rounding is 1 % of that at most.
const UNITS_MIN: u64 = 100;

/// Ways to a drive below its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bus {
    /// A namespace of an NVMe controller.
    Nvme,
    /// An ATA drive.
    Ata,
    /// Anything that has no such way: files, loop devices, disks of virtual machines.
    None,
}

impl Bus {
    /// The way to a device that is held.
    #[must_use]
    pub fn of(held: &Held) -> Bus {
        let block = match held.device().kind {
            Kind::Disk => held.block(),
            _ => None,
        };
        let Some(block) = block else {
            return Bus::None;
        };
        if block.text("nsid").is_some() {
            return Bus::Nvme;
        }
        match block.text("device/vendor").as_deref() {
            Some("ATA") => Bus::Ata,
            _ => Bus::None,
        }
    }
}

/// A counter of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bytes {
    /// What it counts.
    pub value: u64,
    /// The unit in which it does.
    pub unit: u64,
}

impl Bytes {
    fn units(count: u64, unit: u64) -> Bytes {
        Bytes {
            value: count.saturating_mul(unit),
            unit,
        }
    }

    /// Bytes since it was `before`; none where it went back, or moved too little for its unit.
    fn since(self, before: Bytes) -> Option<u64> {
        let bytes = self.value.checked_sub(before.value)?;
        (bytes >= UNITS_MIN.saturating_mul(self.unit)).then_some(bytes)
    }
}

/// What a drive said at one time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Health {
    /// The logs of an NVMe drive.
    pub nvme: Option<NvmeLogs>,
    /// The attributes of an ATA drive.
    pub smart: Vec<SmartAttribute>,
    pub(crate) host: Option<Bytes>,
    pub(crate) media: Option<Bytes>,
    pub(crate) percentage_used: Option<u8>,
    pub(crate) celsius: Option<i32>,
    pub(crate) available_spare: Option<u8>,
    pub(crate) unsafe_shutdowns: Option<u64>,
    pub(crate) media_errors: Option<u64>,
}

impl Health {
    /// Degrees Celsius.
    #[must_use]
    pub fn celsius(&self) -> Option<i32> {
        self.celsius
    }

    /// The counters, as results have them.
    #[must_use]
    pub fn counters(&self) -> Counters {
        Counters {
            host_bytes_written: self.host.map(|bytes| bytes.value),
            media_bytes_written: self.media.map(|bytes| bytes.value),
            percentage_used: self.percentage_used,
            celsius: self.celsius,
            available_spare: self.available_spare,
            unsafe_shutdowns: self.unsafe_shutdowns,
            media_errors: self.media_errors,
        }
    }

    /// Media bytes written over host bytes written since another time.
    #[must_use]
    pub fn wa_since(&self, before: &Health) -> Option<f64> {
        let host = self.host?.since(before.host?)?;
        let media = self.media?.since(before.media?)?;
        Some(media as f64 / host as f64)
    }

    /// A step that began at `before` and has ended; none where the drive says nothing.
    #[must_use]
    pub fn step(&self, before: &Health, step: &str) -> Option<CountedStep> {
        let counted = CountedStep {
            step: step.to_owned(),
            before: before.counters(),
            after: self.counters(),
            wa: self.wa_since(before),
        };
        let nothing = Counters::default();
        (counted.before != nothing || counted.after != nothing).then_some(counted)
    }
}

/// Asks a drive for its health.
#[derive(Debug)]
pub struct Monitor {
    programs: Programs,
    bus: Bus,
    /// Where programs open the drive.
    path: PathBuf,
}

impl Monitor {
    /// For a device that is held.
    #[must_use]
    pub fn of(held: &Held, programs: Programs) -> Monitor {
        Monitor {
            programs,
            bus: Bus::of(held),
            path: held.path_for_others(),
        }
    }

    /// The drive's health now. What it does not say is absent.
    #[must_use]
    pub fn ask(&self) -> Health {
        match self.bus {
            Bus::Nvme => self.ask_nvme(),
            Bus::Ata => self
                .smartctl("sat")
                .map(|json| ata::health(&json))
                .unwrap_or_default(),
            Bus::None => Health::default(),
        }
    }

    fn ask_nvme(&self) -> Health {
        let log = self.nvme(&["smart-log"]);
        let health = log.and_then(|json| nvme::health(&json));
        let Some(health) = health else {
            // Without nvme-cli, or a drive that only smartctl reaches.
            let json = self.smartctl("nvme");
            return json
                .map(|json| nvme::of_smartctl(&json))
                .unwrap_or_default();
        };
        nvme::with_extended(health, self.nvme(&["ocp", "smart-add-log"]).as_ref())
    }

    /// The temperature that the drive itself warns of, in degrees Celsius.
    #[must_use]
    pub fn warning_celsius(&self) -> Option<i32> {
        match self.bus {
            Bus::Nvme => nvme::warning_celsius(&self.nvme(&["id-ctrl"])?),
            Bus::Ata | Bus::None => None,
        }
    }

    /// Why the drive is not asked, or does not answer; none where it says what it wrote.
    #[must_use]
    pub fn silence(&self, health: &Health) -> Option<String> {
        let why = match (self.bus, health.counters() == Counters::default()) {
            (Bus::None, _) => "it is no NVMe or ATA drive that this machine reaches directly",
            (Bus::Nvme, true) => {
                "neither `nvme` (nvme-cli) nor `smartctl` (smartmontools) got its logs; root may read them"
            }
            (Bus::Ata, true) => {
                "`smartctl` (smartmontools) got no attributes of it; root may read them"
            }
            (_, false) if health.host.is_none() => "it does not count what hosts write",
            (Bus::Nvme, false) if health.media.is_none() => {
                "it has no OCP log of what it writes to its flash, or `nvme` (nvme-cli) is not installed"
            }
            (Bus::Ata, false) if health.media.is_none() => {
                "none of its attributes is known to count what it writes to its flash"
            }
            _ => return None,
        };
        Some(format!(
            "The drive's write amplification is not known: {why}."
        ))
    }

    /// What `nvme` says in JSON.
    fn nvme(&self, command: &[&str]) -> Option<Value> {
        let mut options: Vec<&OsStr> = command.iter().map(OsStr::new).collect();
        options.extend([self.path.as_os_str(), OsStr::new("-o"), OsStr::new("json")]);
        let said = self.programs.run("nvme", &options, &Stop::default()).ok()?;
        serde_json::from_str(&said.out)
            .ok()
            .filter(|_| said.is_done())
    }

    /// What `smartctl` says in JSON. Its exit code has bits for what is wrong with the drive, which are no errors here.
    fn smartctl(&self, kind: &str) -> Option<Value> {
        let options = [
            OsStr::new("-j"),
            OsStr::new("-a"),
            OsStr::new("-d"),
            OsStr::new(kind),
            self.path.as_os_str(),
        ];
        let said = self
            .programs
            .run("smartctl", &options, &Stop::default())
            .ok()?;
        serde_json::from_str(&said.out).ok()
    }
}

/// A count, however a program writes it: as a number, or as the two halves of one of 128 bits.
fn count(value: &Value) -> Option<u64> {
    match value {
        Value::Object(halves) => match (halves.get("hi")?.as_u64()?, halves.get("lo")?.as_u64()?) {
            (0, low) => Some(low),
            _ => None,
        },
        number => number.as_u64(),
    }
}

/// A count of a percentage.
fn percent(value: &Value) -> Option<u8> {
    count(value).map(|count| count.min(255) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrote(host: u64, media: u64) -> Health {
        Health {
            host: Some(Bytes::units(host, 512_000)),
            media: Some(Bytes::units(media, 1)),
            ..Health::default()
        }
    }

    #[test]
    fn a_ratio_is_of_counters_that_moved_by_many_of_their_units() {
        let before = wrote(1000, 7);
        assert_eq!(wrote(1100, 7 + 102_400_000).wa_since(&before), Some(2.0));
        assert_eq!(wrote(1099, 7 + 102_400_000).wa_since(&before), None);
        // Nothing went to flash, or a counter went back.
        assert_eq!(wrote(1100, 7).wa_since(&before), None);
        assert_eq!(wrote(900, 7 + 102_400_000).wa_since(&before), None);
        assert_eq!(Health::default().wa_since(&before), None);
        assert_eq!(Health::default().step(&Health::default(), "nothing"), None);
        assert!(wrote(1, 1).step(&Health::default(), "something").is_some());
    }

    #[test]
    fn counts_are_numbers_or_halves_of_one() {
        assert_eq!(count(&serde_json::json!(7)), Some(7));
        assert_eq!(count(&serde_json::json!({"hi": 0, "lo": 7})), Some(7));
        assert_eq!(count(&serde_json::json!({"hi": 1, "lo": 7})), None);
        assert_eq!(count(&serde_json::json!("7")), None);
    }
}
