//! Readings of a drive second by second: joules at its supply, and its write amplification.

use super::stats::INTERVAL_S;
use ftlab_base::{Nanos, SimTime};
use ftlab_drive::{Counters, Device, Energy, Occupancy, Shares, Temperature};

/// The longest series, in intervals, as for the counts of completions.
const SERIES_MAX: usize = 100_000;

/// Energy that a drive took from its supply while a run was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct PowerReport {
    /// Energy of each part, in joules.
    pub energy: Energy,
    /// Length of that time.
    pub span: Nanos,
    /// Watts the drive takes with nothing to do.
    pub rest_watts: f64,
    /// Mean watts of each second of the measured time. What an operation of the array takes counts
    /// in the second in which it begins.
    pub series_watts: Vec<f64>,
}

impl PowerReport {
    /// That of this device and another one over the same time.
    pub(super) fn plus(mut self, other: &PowerReport) -> PowerReport {
        self.energy = self.energy + other.energy;
        self.rest_watts += other.rest_watts;
        for (sum, watts) in self.series_watts.iter_mut().zip(&other.series_watts) {
            *sum += watts;
        }
        self
    }

    /// Mean watts; 0 over no time.
    #[must_use]
    pub fn watts(&self) -> f64 {
        match self.span {
            Nanos::ZERO => 0.0,
            span => self.energy.total() / span.as_secs(),
        }
    }
}

/// Temperatures of a drive while a run was measured.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ThermalReport {
    /// Degrees Celsius at the end of each second of the measured time.
    pub series_celsius: Vec<f64>,
    /// Steps of throttling that held then; empty when none ever did.
    pub series_throttle: Vec<u8>,
    /// The most of it.
    pub celsius_max: f64,
    /// For how long the drive slowed down for it.
    pub throttled: Nanos,
    /// Temperature at which it reports that it is too warm to work for long, if its file says.
    pub critical_celsius: Option<f64>,
}

impl ThermalReport {
    fn of(series: Vec<(f64, u8)>, begin: Temperature, end: Temperature) -> ThermalReport {
        let (series_celsius, mut series_throttle): (Vec<f64>, Vec<u8>) = series.into_iter().unzip();
        if series_throttle.iter().all(|&steps| steps == 0) {
            series_throttle.clear();
        }
        let seen = series_celsius.iter().copied();
        ThermalReport {
            celsius_max: seen.fold(begin.celsius.max(end.celsius), f64::max),
            throttled: Nanos(end.totals.throttled().0 - begin.totals.throttled().0),
            critical_celsius: end.critical_celsius,
            series_celsius,
            series_throttle,
        }
    }
}

/// Readings of a meter.
#[derive(Debug)]
pub struct Readings {
    /// Energy of the drive; none if its file does not describe it.
    pub power: Option<PowerReport>,
    /// Temperature of the drive; none if its file does not say how it warms.
    pub thermal: Option<ThermalReport>,
    /// In what share of the time the host and the drive's parts worked; nothing for what does not say.
    pub shares: Option<Shares>,
    /// Cores of the host that worked for its requests, on average; nothing where the host does not say.
    pub host_cores: Option<f64>,
    /// NAND bytes over host bytes of each second; 0 where the host wrote nothing.
    pub series_wa: Vec<f64>,
}

/// Reads a drive's meter and its counters at the beginning of the measured time and every second from
/// then on.
pub struct Meter {
    from: SimTime,
    at_begin: Option<Energy>,
    last: Option<Energy>,
    occupancy: Option<Occupancy>,
    host_busy: Option<Nanos>,
    temperature: Option<Temperature>,
    counted: Counters,
    next: SimTime,
    series_watts: Vec<f64>,
    /// Degrees Celsius, and steps of throttling.
    series_warmth: Vec<(f64, u8)>,
    series_wa: Vec<f64>,
}

impl Meter {
    /// A meter that runs from the start.
    pub fn new(device: &dyn Device) -> Meter {
        let reading = device.energy(SimTime::ZERO);
        Meter {
            from: SimTime::ZERO,
            at_begin: reading,
            last: reading,
            occupancy: device.occupancy(SimTime::ZERO),
            host_busy: device.host_busy(SimTime::ZERO),
            temperature: device.temperature(SimTime::ZERO),
            counted: device.counters(),
            next: SimTime::ZERO + Nanos::from_secs(INTERVAL_S),
            series_watts: Vec::new(),
            series_warmth: Vec::new(),
            series_wa: Vec::new(),
        }
    }

    /// Measuring begins now: what was read so far is forgotten.
    pub fn begin(&mut self, device: &dyn Device, now: SimTime) {
        let reading = device.energy(now);
        (self.from, self.at_begin, self.last) = (now, reading, reading);
        self.occupancy = device.occupancy(now);
        self.host_busy = device.host_busy(now);
        self.temperature = device.temperature(now);
        self.counted = device.counters();
        self.next = now + Nanos::from_secs(INTERVAL_S);
        self.series_watts.clear();
        self.series_warmth.clear();
        self.series_wa.clear();
    }

    /// The next instant that nothing may pass before it is read.
    #[inline]
    pub fn next_reading(&self) -> SimTime {
        self.next
    }

    /// Reads all seconds that are over by `now`; nothing has happened between them and `now`.
    #[inline]
    pub fn read_until(&mut self, device: &dyn Device, now: SimTime) {
        while now > self.next {
            self.read(device);
        }
    }

    fn read(&mut self, device: &dyn Device) {
        let (reading, counters) = (device.energy(self.next), device.counters());
        if let (Some(reading), Some(last)) = (reading, self.last) {
            let taken = reading.total() - last.total();
            self.series_watts.push(taken / INTERVAL_S as f64);
        }
        self.last = reading;
        let temperature = device.temperature(self.next);
        let warmth = |of: Temperature| (of.celsius, of.steps as u8);
        self.series_warmth.extend(temperature.map(warmth));
        let wa = counters.since(&self.counted).write_amplification();
        self.series_wa.push(wa);
        self.counted = counters;
        self.next = if self.series_wa.len() < SERIES_MAX {
            self.next + Nanos::from_secs(INTERVAL_S)
        } else {
            SimTime::NEVER
        };
    }

    /// Returns what was measured by `now`.
    pub fn finish(mut self, device: &dyn Device, now: SimTime) -> Readings {
        while now >= self.next {
            self.read(device);
        }
        let span = now.since(self.from);
        let occupancy = device.occupancy(now).zip(self.occupancy);
        let host_busy = device.host_busy(now).zip(self.host_busy);
        let power = |energy: Energy, at_begin, rest_watts| PowerReport {
            energy: energy - at_begin,
            span,
            rest_watts,
            series_watts: self.series_watts,
        };
        // A reading needs both ends: what a drive did not know at the beginning is left out.
        let temperatures = self.temperature.zip(device.temperature(now));
        let readings = (device.energy(now), self.at_begin, device.rest_watts());
        Readings {
            power: match readings {
                (Some(energy), Some(at_begin), Some(rest)) => Some(power(energy, at_begin, rest)),
                _ => None,
            },
            thermal: temperatures
                .map(|(begin, end)| ThermalReport::of(self.series_warmth, begin, end)),
            shares: occupancy
                .filter(|_| span > Nanos::ZERO)
                .map(|(now, begin)| now.shares_since(&begin, span)),
            host_cores: host_busy
                .filter(|_| span > Nanos::ZERO)
                .map(|(now, begin)| (now.as_secs() - begin.as_secs()) / span.as_secs()),
            series_wa: self.series_wa,
        }
    }
}
