//! Measurements at the devices of a target while a source plays.

use super::io::Io;
use super::meter::{Meter, Readings};
use super::pauses::{PauseReport, Pauses};
use super::report::{DeviceReport, RunReport, Start};
use super::rounds::Rounds;
use super::stats::JobReport;
use super::target::Target;
use ftlab_base::{Nanos, SECTOR_BYTES, SimTime};
use ftlab_drive::Device;

/// The counters of a device from the beginning of the measured time on, and its meter.
struct OfDevice {
    at_start: Start,
    rounds: Rounds,
    meter: Meter,
}

impl OfDevice {
    fn new(device: &dyn Device, meter: Meter) -> OfDevice {
        let at_start = Start::of(device);
        OfDevice {
            rounds: Rounds::new(device.capacity_sectors() * SECTOR_BYTES, at_start.counters),
            at_start,
            meter,
        }
    }
}

/// The devices, and the pauses of who waits for them.
pub struct Measuring {
    devices: Vec<OfDevice>,
    pause: Nanos,
    pub pauses: Pauses,
    /// A ramp is over: everything counts from its end on.
    pub has_begun: bool,
}

impl Measuring {
    /// From the start of a run on; times without progress that are longer than `pause` count as pauses.
    pub fn new(target: &Target<'_>, pause: Nanos) -> Measuring {
        let device = |device: &dyn Device| OfDevice::new(device, Meter::new(device));
        Measuring {
            devices: target.devices().map(device).collect(),
            pause,
            pauses: Pauses::new(pause),
            has_begun: false,
        }
    }

    /// Everything counts from now on, and what was counted before is forgotten.
    pub fn begin(&mut self, target: &Target<'_>, now: SimTime) {
        self.has_begun = true;
        for (mine, device) in self.devices.iter_mut().zip(target.devices()) {
            mine.at_start = Start::of(device);
            let sizes = device.capacity_sectors() * SECTOR_BYTES;
            mine.rounds = Rounds::new(sizes, mine.at_start.counters);
            mine.meter.begin(device, now);
        }
        self.pauses = Pauses::new(self.pause);
    }

    /// The host has written so much to a device.
    #[inline]
    pub fn wrote(&mut self, device: usize, bytes: u64) {
        self.devices[device].rounds.wrote(bytes);
    }

    /// Ends the rounds that are full.
    #[inline]
    pub fn mark_rounds(&mut self, target: &Target<'_>) {
        for (mine, device) in self.devices.iter_mut().zip(target.devices()) {
            if mine.rounds.is_full() {
                mine.rounds.mark(device.counters());
            }
        }
    }

    /// The next instant that nothing may pass before the meters are read.
    #[inline]
    pub fn next_reading(&self) -> SimTime {
        // All are read at the same instants.
        self.devices[0].meter.next_reading()
    }

    /// Reads the meters for all seconds that are over by `now`; nothing has happened between them and `now`.
    #[inline]
    pub fn read_until(&mut self, target: &Target<'_>, now: SimTime) {
        for (mine, device) in self.devices.iter_mut().zip(target.devices()) {
            mine.meter.read_until(device, now);
        }
    }

    /// The run has ended: its meters are read for the last time. What still is outstanding may end before
    /// the counters are read.
    pub fn stop(self, target: &Target<'_>, now: SimTime) -> Measured {
        let read = |(mine, device): (OfDevice, &dyn Device)| {
            let readings = mine.meter.finish(device, now);
            (mine.at_start, mine.rounds, readings)
        };
        Measured {
            devices: self
                .devices
                .into_iter()
                .zip(target.devices())
                .map(read)
                .collect(),
            pauses: self.pauses.report(),
            simulated: now.since(SimTime::ZERO),
        }
    }
}

/// Readings of the meters at the end of a run.
pub struct Measured {
    devices: Vec<(Start, Rounds, Readings)>,
    pauses: PauseReport,
    simulated: Nanos,
}

impl Measured {
    /// The report of a run in which everything has been answered.
    pub fn report<T: Copy>(self, io: &Io<'_, '_, T>, jobs: Vec<JobReport>) -> RunReport {
        let named = io.target.devices().zip(io.target.names());
        let report = |((at_start, rounds, readings), (device, name)): (
            (Start, Rounds, Readings),
            (&dyn Device, &str),
        )| DeviceReport {
            power: readings.power,
            thermal: readings.thermal,
            shares: readings.shares,
            host_cores: readings.host_cores,
            series_wa: readings.series_wa,
            ..DeviceReport::of(name, device, &at_start, &rounds)
        };
        let devices = self.devices.into_iter().zip(named).map(report).collect();
        RunReport {
            jobs,
            submitted: io.submitted,
            completed: io.completed,
            ends: Some(io.ends),
            writes_at_random: io.order.is_random(),
            simulated: self.simulated,
            pauses: self.pauses,
            ..RunReport::of_devices(devices)
        }
    }
}
