//! What a run gave.

use super::meter::{PowerReport, ThermalReport};
use super::pauses::PauseReport;
use super::rounds::{Rounds, WriteAmplification};
use super::stats::JobReport;
use ftlab_base::Nanos;
use ftlab_drive::{Counters, Device, Shares};
use ftlab_ftl::page::StreamTraffic;
use ftlab_result::HandleTraffic;

/// What a run gave.
#[derive(Debug, Default)]
pub struct RunReport {
    /// Its jobs, in the order of the job file.
    pub jobs: Vec<JobReport>,
    /// Commands submitted, over all jobs and the whole run.
    pub submitted: u64,
    /// Commands completed; equal to `submitted`, or the run had been an error.
    pub completed: u64,
    /// Virtual time from the first job's start to the end of the last; zero without a clock.
    pub simulated: Nanos,
    /// What happened inside the drive, from the end of the first ramp to the end of the run.
    pub counters: Counters,
    /// What was written to each placement handle in that time, and copied of what lay there; nothing for a drive without,
    /// and for several drives together.
    pub handles: Vec<HandleTraffic>,
    /// What the drive took from its supply; `None` without a clock, or when its file does not say.
    pub power: Option<PowerReport>,
    /// How warm the drive was; `None` without a clock, when its file does not say how it warms, and for several drives
    /// together.
    pub thermal: Option<ThermalReport>,
    /// In what share of the measured time the host and the drive's parts worked; `None` without a clock, and for several drives
    /// together.
    pub shares: Option<Shares>,
    /// Cores of the host that worked for its requests in the measured time, on average; `None` without a clock, where the
    /// testbed does not say what a request takes of them each way, and for several drives together.
    pub host_cores: Option<f64>,
    /// NAND bytes programmed over host bytes written.
    pub wa: WriteAmplification,
    /// Whether a job of a job file wrote at random.
    pub writes_at_random: bool,
    /// The same of each second of the measured time; 0 where the host wrote nothing.
    pub series_wa: Vec<f64>,
    /// Times without progress; all zero without a clock.
    pub pauses: PauseReport,
    /// Each device of a target of several; nothing for a target of one.
    pub devices: Vec<DeviceReport>,
}

/// What a device had counted when a run began.
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

/// What was written to the placement handles of a device since a run began, and copied.
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

/// What happened at one device of a target.
#[derive(Debug, Default)]
pub struct DeviceReport {
    /// What the load calls it.
    pub name: String,
    /// As [`RunReport::counters`].
    pub counters: Counters,
    /// As [`RunReport::handles`].
    pub handles: Vec<HandleTraffic>,
    /// As [`RunReport::power`].
    pub power: Option<PowerReport>,
    /// As [`RunReport::thermal`].
    pub thermal: Option<ThermalReport>,
    /// As [`RunReport::shares`].
    pub shares: Option<Shares>,
    /// As [`RunReport::host_cores`].
    pub host_cores: Option<f64>,
    /// As [`RunReport::wa`].
    pub wa: WriteAmplification,
    /// As [`RunReport::series_wa`].
    pub series_wa: Vec<f64>,
}

impl DeviceReport {
    /// What a device has counted since `start`, and how it settled in the rounds since then.
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
    /// What happened at the devices of a target, and at all of them together: no steady state is looked for
    /// in their sum, and no second of it has a write amplification of its own.
    pub(super) fn of_devices(mut devices: Vec<DeviceReport>) -> RunReport {
        if devices.len() == 1
            && let Some(only) = devices.pop()
        {
            return RunReport {
                counters: only.counters,
                handles: only.handles,
                power: only.power,
                thermal: only.thermal,
                shares: only.shares,
                host_cores: only.host_cores,
                wa: only.wa,
                series_wa: only.series_wa,
                ..RunReport::default()
            };
        }
        let mut counters = Counters::default();
        let mut power = devices.first().and_then(|first| first.power.clone());
        for (nth, device) in devices.iter().enumerate() {
            counters = counters.plus(&device.counters);
            if nth > 0 {
                let both = power.zip(device.power.as_ref());
                power = both.map(|(sum, own)| sum.plus(own));
            }
        }
        RunReport {
            counters,
            power,
            wa: WriteAmplification::without_rounds(&counters),
            devices,
            ..RunReport::default()
        }
    }

    /// That of a load which changes as it goes, so that no steady state is looked for.
    pub(super) fn without_rounds(self) -> RunReport {
        RunReport {
            wa: WriteAmplification::without_rounds(&self.counters),
            ..self
        }
    }

    /// Whether garbage collection had settled when the run ended: it began on drives that had, or the
    /// steady rule held at its end on each that was written to. None for a run that wrote nothing at random, or
    /// not to flash: what it costs need not settle.
    #[must_use]
    pub fn settled(&self, began_settled: bool) -> Option<bool> {
        let is_steady = |device: &DeviceReport| {
            device.counters.nand_bytes_programmed == 0 || device.wa.steady.is_some()
        };
        let held = match &self.devices[..] {
            [] => self.wa.steady.is_some(),
            devices => devices.iter().all(is_steady),
        };
        (self.writes_at_random && self.counters.nand_bytes_programmed > 0)
            .then_some(began_settled || held)
    }
}
