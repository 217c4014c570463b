//! Report on a run.

use super::meter::{PowerReport, ThermalReport};
use super::pauses::PauseReport;
use super::rounds::{Rounds, WriteAmplification};
use super::stats::JobReport;
use ftlab_base::{EndsHash, Nanos};
use ftlab_drive::{Counters, Device, Shares};
use ftlab_ftl::page::StreamTraffic;
use ftlab_result::HandleTraffic;

/// Report on a run.
#[derive(Debug, Default)]
pub struct RunReport {
    /// Its jobs, in the order of the job file.
    pub jobs: Vec<JobReport>,
    /// Commands submitted, over all jobs and the whole run.
    pub submitted: u64,
    /// Commands completed; equal to `submitted`, or the run had been an error.
    pub completed: u64,
    /// Hash over their ends, in order; `None` without a clock.
    pub ends: Option<EndsHash>,
    /// Virtual time from the first job's start to the end of the last; zero without a clock.
    pub simulated: Nanos,
    /// True if a job of a job file wrote at random, or the writes of another load were at random places.
    pub writes_at_random: bool,
    /// Times without progress; all zero without a clock.
    pub pauses: PauseReport,
    /// Each device of the target, in its order.
    pub at: Vec<DeviceReport>,
}

/// Counts of a device when a run began.
#[derive(Debug, Clone)]
pub(super) struct Start {
    pub counters: Counters,
    handles: Vec<StreamTraffic>,
}

impl Start {
    pub fn of(device: &dyn Device) -> Start {
        Start {
            counters: device.counters(),
            handles: handles_of(device).to_vec(),
        }
    }
}

fn handles_of(device: &dyn Device) -> &[StreamTraffic] {
    device.page_layer().map_or(&[], |layer| layer.handles())
}

/// Returns the bytes written to the placement handles of a device since a run began, and copied.
fn traffic_of_handles(device: &dyn Device, start: &Start) -> Vec<HandleTraffic> {
    let slot_bytes = device
        .page_layer()
        .map_or(0, |layer| layer.mapping().slot_bytes);
    let bytes = |slots: u64| slots * u64::from(slot_bytes);
    let pairs = handles_of(device).iter().zip(&start.handles);
    let traffic = pairs.map(|(now, before)| HandleTraffic {
        host_bytes_written: bytes(now.host_slots_written - before.host_slots_written),
        copied_bytes: bytes(now.slots_copied - before.slots_copied),
    });
    traffic.collect()
}

/// Report on one device of a target, from the end of the first ramp to the end of the run.
#[derive(Debug, Default)]
pub struct DeviceReport {
    /// Name of the device in the load; empty for a target's only device.
    pub name: String,
    /// Counts of the device.
    pub counters: Counters,
    /// Bytes written to each placement handle in that time, and copied of what lay there; none for a drive without.
    pub handles: Vec<HandleTraffic>,
    /// Energy that the drive took from its supply; `None` without a clock, or when its file does not describe it.
    pub power: Option<PowerReport>,
    /// Temperature of the drive; `None` without a clock, and when its file does not say how it warms.
    pub thermal: Option<ThermalReport>,
    /// In what share of the measured time the host and the drive's parts worked; `None` without a clock.
    pub shares: Option<Shares>,
    /// Cores of the host that worked for its requests in the measured time, on average; `None` without a clock, and where
    /// the testbed does not say what a request takes of them each way.
    pub host_cores: Option<f64>,
    /// NAND bytes programmed over host bytes written.
    pub wa: WriteAmplification,
    /// Write amplification of each second of the measured time; 0 where the host wrote nothing.
    pub series_wa: Vec<f64>,
}

impl DeviceReport {
    /// Reports the counts of a device since `start`, and its settling in the rounds since then.
    pub(super) fn of(
        name: &str,
        device: &dyn Device,
        start: &Start,
        rounds: &Rounds,
    ) -> DeviceReport {
        let end = device.counters();
        DeviceReport {
            name: name.to_owned(),
            counters: end.since(&start.counters),
            handles: traffic_of_handles(device, start),
            wa: rounds.finish(&end),
            ..DeviceReport::default()
        }
    }
}

impl RunReport {
    /// That of a run on some devices, with nothing of the run itself.
    pub(super) fn of_devices(mut at: Vec<DeviceReport>) -> RunReport {
        if let [only] = &mut at[..] {
            only.name.clear();
        }
        RunReport {
            at,
            ..RunReport::default()
        }
    }

    /// That of a load which changes as it goes, so that no steady state is looked for.
    pub(super) fn without_rounds(mut self) -> RunReport {
        for device in &mut self.at {
            device.wa.steady = None;
        }
        self
    }

    /// The device, if there is one alone.
    #[must_use]
    pub fn only(&self) -> Option<&DeviceReport> {
        match &self.at[..] {
            [only] => Some(only),
            _ => None,
        }
    }

    /// Returns the counters of all devices together.
    #[must_use]
    pub fn counters(&self) -> Counters {
        let each = self.at.iter().map(|device| device.counters);
        each.reduce(|sum, device| sum.plus(&device))
            .unwrap_or_default()
    }

    /// Returns the energy that all devices took from their supplies; `None` if one of them does not tell.
    #[must_use]
    pub fn power(&self) -> Option<PowerReport> {
        let each = self.at.iter().map(|device| device.power.clone());
        each.reduce(|sum, device| Some(sum?.plus(&device?)))?
    }

    /// NAND bytes programmed over host bytes written. No steady state is looked for in the sum of several devices.
    #[must_use]
    pub fn wa(&self) -> WriteAmplification {
        let sum = || WriteAmplification {
            total: self.counters().write_amplification(),
            steady: None,
        };
        self.only().map_or_else(sum, |only| only.wa)
    }

    /// Returns true if garbage collection had settled when the run ended: it began on drives that had, or the steady
    /// rule held at its end on each that was written to. None for a run that wrote nothing at random, or not to flash:
    /// what it costs need not settle.
    #[must_use]
    pub fn settled(&self, began_settled: bool) -> Option<bool> {
        let is_steady = |device: &DeviceReport| {
            device.counters.nand_bytes_programmed == 0 || device.wa.steady.is_some()
        };
        let held = self.at.iter().all(is_steady);
        (self.writes_at_random && self.counters().nand_bytes_programmed > 0)
            .then_some(began_settled || held)
    }
}
