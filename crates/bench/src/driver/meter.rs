//! The power meter at the drive's supply: joules over the measured time, and watts second by second.

use super::INTERVAL_S;
use ftlab_base::{Nanos, SimTime};
use ftlab_drive::{Device, Energy};

/// The longest series, in intervals, as for the counts of completions.
const SERIES_MAX: usize = 100_000;

/// What a drive took from its supply while a run was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct PowerReport {
    /// Joules by part.
    pub energy: Energy,
    /// How long that took.
    pub span: Nanos,
    /// Watts the drive takes with nothing to do.
    pub rest_watts: f64,
    /// Mean watts of each second of the measured time. What an operation of the array takes counts
    /// in the second in which it begins.
    pub series_watts: Vec<f64>,
}

impl PowerReport {
    /// Mean watts; 0 over no time.
    #[must_use]
    pub fn watts(&self) -> f64 {
        match self.span {
            Nanos::ZERO => 0.0,
            span => self.energy.total() / span.as_secs(),
        }
    }
}

/// Reads a drive's meter at the beginning of the measured time and every second from then on.
pub struct Meter {
    is_there: bool,
    from: SimTime,
    at_begin: Energy,
    last: Energy,
    next: SimTime,
    series_watts: Vec<f64>,
}

impl Meter {
    /// A meter that runs from the start.
    pub fn new(device: &dyn Device) -> Meter {
        let reading = device.energy(SimTime::ZERO);
        let mut meter = Meter {
            is_there: reading.is_some(),
            from: SimTime::ZERO,
            at_begin: Energy::default(),
            last: Energy::default(),
            next: SimTime::NEVER,
            series_watts: Vec::new(),
        };
        meter.begin(device, SimTime::ZERO);
        meter
    }

    /// Measuring begins now: what was read so far is forgotten.
    pub fn begin(&mut self, device: &dyn Device, now: SimTime) {
        if let Some(reading) = device.energy(now) {
            (self.from, self.at_begin, self.last) = (now, reading, reading);
            self.next = now + Nanos::from_secs(INTERVAL_S);
            self.series_watts.clear();
        }
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
        let Some(reading) = device.energy(self.next) else {
            return;
        };
        let taken = reading.total() - self.last.total();
        self.series_watts.push(taken / INTERVAL_S as f64);
        self.last = reading;
        self.next = if self.series_watts.len() < SERIES_MAX {
            self.next + Nanos::from_secs(INTERVAL_S)
        } else {
            SimTime::NEVER
        };
    }

    /// What was measured by `now`.
    pub fn finish(mut self, device: &dyn Device, now: SimTime) -> Option<PowerReport> {
        while self.is_there && now >= self.next {
            self.read(device);
        }
        Some(PowerReport {
            energy: device.energy(now)? - self.at_begin,
            span: now.since(self.from),
            rest_watts: device.rest_watts()?,
            series_watts: self.series_watts,
        })
    }
}
