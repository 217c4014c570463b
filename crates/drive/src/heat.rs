//! How warm a drive is, and what that has come to since it was made.

use ftlab_base::Nanos;
use ftlab_nand::REFERENCE_CELSIUS;
use ftlab_timing::{THROTTLE_STEPS, ThermalModel};
use serde::{Deserialize, Serialize};

/// How warm a drive is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Temperature {
    /// Degrees Celsius.
    pub celsius: f64,
    /// Steps of slowing down that hold.
    pub steps: usize,
    /// What heat has come to since the drive was made.
    pub totals: HeatTotals,
    /// Where it warns, if its file says.
    pub warning_celsius: Option<f64>,
    /// Where it reports that it is too warm to work for long, if its file says.
    pub critical_celsius: Option<f64>,
}

impl Temperature {
    /// The whole degrees that a drive tells. One whose file does not say how it warms tells those at which the model
    /// counts the age of data, as JESD218 has them for a client drive in use.
    #[must_use]
    pub fn told(of: Option<&Temperature>) -> i32 {
        of.map_or(REFERENCE_CELSIUS, |of| of.celsius).round() as i32
    }

    /// Whether it warns.
    #[must_use]
    pub fn warns(&self) -> bool {
        reaches(self.warning_celsius, self.celsius)
    }
}

fn reaches(threshold: Option<f64>, celsius: f64) -> bool {
    threshold.is_some_and(|threshold| celsius >= threshold)
}

/// What heat has come to since a drive was made, in times of its own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeatTotals {
    /// How often each step of slowing down began.
    pub began: [u64; THROTTLE_STEPS],
    /// For how many nanoseconds each was the last that held.
    pub held_ns: [u64; THROTTLE_STEPS],
    /// Nanoseconds from where it warns on, below where it is too warm to work for long.
    pub warned_ns: u64,
    /// Nanoseconds from there on.
    pub critical_ns: u64,
}

impl HeatTotals {
    /// For how long the drive has slowed down.
    #[must_use]
    pub fn throttled(&self) -> Nanos {
        Nanos(self.held_ns.iter().sum())
    }

    /// The drive spends `span` at `celsius`, slowed down by `steps`.
    pub(crate) fn pass(&mut self, model: &ThermalModel, celsius: f64, steps: usize, span: Nanos) {
        if let Some(last) = steps.checked_sub(1) {
            self.held_ns[last] += span.0;
        }
        if reaches(model.critical_celsius, celsius) {
            self.critical_ns += span.0;
        } else if reaches(model.warning_celsius, celsius) {
            self.warned_ns += span.0;
        }
    }

    /// The drive goes from `before` steps of slowing down to `now` of them.
    pub(crate) fn take_steps(&mut self, before: usize, now: usize) {
        for began in self.began.iter_mut().take(now).skip(before) {
            *began += 1;
        }
    }

    /// Every count, in the order in which a journal has them.
    #[must_use]
    pub fn all(self) -> [u64; 6] {
        let HeatTotals {
            began: [light, heavy],
            held_ns: [light_ns, heavy_ns],
            warned_ns,
            critical_ns,
        } = self;
        [light, heavy, light_ns, heavy_ns, warned_ns, critical_ns]
    }

    /// What [`HeatTotals::all`] gave.
    #[must_use]
    pub fn of_all(all: [u64; 6]) -> HeatTotals {
        let [light, heavy, light_ns, heavy_ns, warned_ns, critical_ns] = all;
        HeatTotals {
            began: [light, heavy],
            held_ns: [light_ns, heavy_ns],
            warned_ns,
            critical_ns,
        }
    }
}
