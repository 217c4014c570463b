//! Report of the control socket on a drive: its state, and the requests that it served.

use crate::engine::{Engine, Statistics, Stopped, Tally};
use crate::faults::FaultTold;
use ftlab_base::{LatencyHistogram, SECTOR_BYTES};
use ftlab_drive::{Counters, Health, Temperature, nvme};
use ftlab_image::DataDrive;
use ftlab_smart::{NvmeLogs, SmartAttribute};
use serde::{Deserialize, Serialize};

/// A span of times, in nanoseconds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Times {
    /// Number of samples; the others are 0 without any.
    pub count: u64,
    /// Arithmetic mean, in nanoseconds.
    pub mean: f64,
    /// Half of them are no longer.
    pub p50: u64,
    /// 99 in 100 are no longer.
    pub p99: u64,
    /// 999 in 1000 are no longer.
    #[serde(rename = "p99.9")]
    pub p99_9: u64,
    /// The longest of them, in nanoseconds.
    pub max: u64,
}

impl Times {
    /// The count, mean, maximum and three percentiles of a histogram.
    #[must_use]
    pub fn of(histogram: &LatencyHistogram) -> Times {
        Times {
            count: histogram.count(),
            mean: histogram.mean_ns(),
            p50: histogram.percentile(50.0).0,
            p99: histogram.percentile(99.0).0,
            p99_9: histogram.percentile(99.9).0,
            max: histogram.max().0,
        }
    }
}

/// Requests of one kind.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Requests {
    /// Requests answered, those with an error among them.
    pub requests: u64,
    /// Bytes that they covered.
    pub bytes: u64,
    /// Requests answered with an error.
    pub failed: u64,
    /// Latencies of the model.
    pub latency_ns: Times,
}

impl From<&Tally> for Requests {
    fn from(tally: &Tally) -> Requests {
        Requests {
            requests: tally.requests,
            bytes: tally.bytes,
            failed: tally.failed,
            latency_ns: Times::of(&tally.latency),
        }
    }
}

/// Wear of the flash, and its read errors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Wear {
    /// Erases of the block with the fewest.
    pub erases_min: u32,
    /// Erases of the mean block.
    pub erases_mean: f64,
    /// Erases of the block with the most.
    pub erases_max: u32,
    /// P/E cycles that the maker guarantees.
    pub rated_cycles: Option<u32>,
    /// Blocks that went bad.
    pub grown_bad_blocks: u32,
    /// Superblocks left to replace bad blocks with.
    pub spare_superblocks: u32,
    /// Reads of pages beyond ECC.
    pub unreadable: u64,
    /// Reads of pages beyond ECC that parity made good.
    pub made_good: u64,
}

impl From<&Health> for Wear {
    fn from(health: &Health) -> Wear {
        Wear {
            erases_min: health.wear.min(),
            erases_mean: health.wear.mean(),
            erases_max: health.wear.max(),
            rated_cycles: health.rated_cycles,
            grown_bad_blocks: health.grown_bad(),
            spare_superblocks: health.spare.left,
            unreadable: health.faults.unreadable,
            made_good: health.faults.made_good,
        }
    }
}

/// The state of a drive: its identity, capacity, temperature, wear and totals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DriveReport {
    /// Its name in the catalogue, or of its file.
    pub slug: String,
    /// Model name of the drive.
    pub name: String,
    /// Serial number of the drive.
    pub serial: String,
    /// Firmware revision: the hash of the drive file, cut to what ATA has room for.
    pub firmware: String,
    /// True if the drive has flash and takes trims.
    pub trims: bool,
    /// Number of times that the drive was switched on.
    pub power_cycles: u64,
    /// Time for which the drive was on, by its own clock.
    pub power_on_ns: u64,
    /// Temperature in degrees Celsius, if the drive file has a thermal model.
    pub celsius: Option<f64>,
    /// The whole degrees that it tells, as [`Temperature::told`].
    pub told_celsius: i32,
    /// Capacity as made, in bytes, before any part is hidden.
    pub native_bytes: u64,
    /// Part of the capacity that the host can address.
    pub capacity_bytes: u64,
    /// Reason why the drive takes no more writes.
    pub fault: Option<String>,
    /// Error of the storage under the image.
    pub storage_failure: Option<String>,
    /// Totals since it was made.
    #[serde(flatten)]
    pub counters: Counters,
    /// Bytes programmed over bytes the host wrote; none if it wrote nothing.
    pub write_amplification: Option<f64>,
    /// For a drive of flash.
    pub wear: Option<Wear>,
    /// SMART attributes by the numbers of the maker; empty if the drive file names no maker.
    pub smart: Vec<SmartAttribute>,
    /// The logs of a drive that speaks NVMe.
    pub nvme: Option<NvmeLogs>,
}

impl DriveReport {
    /// Takes the figures of a drive; asks its device for counters and health once.
    #[must_use]
    pub fn of(drive: &DataDrive) -> DriveReport {
        let (file, device) = (drive.drive_file(), drive.device());
        let temperature = drive.temperature();
        let (counters, health) = (device.counters(), device.health());
        let life = nvme::Life {
            power_cycles: drive.power_cycles(),
            unsafe_shutdowns: drive.unsafe_shutdowns(),
            power_on: drive.power_on_time(),
            busy: Some(drive.busy_time()),
        };
        let smart = file.smart_vendor().zip(health.as_ref());
        let smart = smart.map(|(vendor, health)| vendor.attributes(health));
        DriveReport {
            slug: file.slug().to_owned(),
            name: file.name().to_owned(),
            serial: drive.serial(),
            // A changed drive file is another firmware: its version is a part of the file's hash.
            firmware: format!("{:08X}", file.hash() >> 32),
            trims: drive.trims(),
            power_cycles: life.power_cycles,
            power_on_ns: life.power_on.0,
            celsius: temperature.map(|temperature| temperature.celsius),
            told_celsius: Temperature::told(temperature.as_ref()),
            native_bytes: device.capacity_sectors() * SECTOR_BYTES,
            capacity_bytes: drive.capacity_bytes(),
            fault: device.fault(),
            storage_failure: drive.failure().map(ToString::to_string),
            write_amplification: counters.write_amplification_if_written(),
            counters,
            wear: health.as_ref().map(Wear::from),
            smart: smart.unwrap_or_default(),
            nvme: nvme::logs_of(file, device, drive.now(), &life),
        }
    }
}

/// A drive at work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// State of the drive at the time of the report.
    pub drive: DriveReport,
    /// Reads since the engine began.
    pub reads: Requests,
    /// Writes, of zeroes too.
    pub writes: Requests,
    /// Trims answered since the engine began.
    pub trims: Requests,
    /// Flushes answered since the engine began; FUA is not among them.
    pub flushes: Requests,
    /// Lateness of the answers: time from the drive's completion to the hand-over to the kernel.
    pub lateness_ns: Times,
    /// Faults of requests that were asked for.
    pub faults: Vec<FaultTold>,
}

impl Report {
    /// Looks at an engine, and gives what it counted besides.
    ///
    /// # Errors
    /// When it has stopped.
    pub fn of(engine: &Engine) -> Result<(Report, Statistics), Stopped> {
        let drive = engine.look(|drive| DriveReport::of(drive))?;
        let statistics = engine.statistics();
        let report = Report {
            drive,
            reads: (&statistics.reads).into(),
            writes: (&statistics.writes).into(),
            trims: (&statistics.trims).into(),
            flushes: (&statistics.flushes).into(),
            lateness_ns: Times::of(&statistics.lateness),
            faults: engine.faults().list(),
        };
        Ok((report, statistics))
    }
}
