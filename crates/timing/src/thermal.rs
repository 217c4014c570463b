//! Temperature of a drive and its throttling: one heat capacity behind one resistance to the air around it, and steps
//! in which firmware slows down.

use ftlab_base::Nanos;

/// Steps at most: what NVMe calls light and heavy throttling.
pub const THROTTLE_STEPS: usize = 2;

/// A drive as heat sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThermalModel {
    /// The air around it.
    pub ambient_celsius: f64,
    /// Kelvin above it for each watt, in the long run.
    pub kelvin_per_watt: f64,
    /// Joules that warm it by a kelvin.
    pub joules_per_kelvin: f64,
    /// Steps of throttling, the one of the lowest temperature first.
    pub steps: [Option<ThrottleStep>; THROTTLE_STEPS],
    /// Temperature at which the drive warns.
    pub warning_celsius: Option<f64>,
    /// Temperature at which it says that it is too warm to work for long.
    pub critical_celsius: Option<f64>,
}

/// A step of throttling: from a temperature on, the rate of the drive has a limit, until it has cooled down.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThrottleStep {
    /// Temperature at which the step begins.
    pub from_celsius: f64,
    /// Temperature at which the step ends, which is lower.
    pub until_celsius: f64,
    /// Bytes a second that the step lets through, of reads and writes together.
    pub bytes_per_s: f64,
}

impl ThermalModel {
    /// Returns the temperature, in degrees Celsius, after long at a power of `watts`.
    #[must_use]
    pub fn settled(&self, watts: f64) -> f64 {
        self.ambient_celsius + watts * self.kelvin_per_watt
    }

    /// Returns the temperature, in degrees Celsius, after a span at a power of `watts` that began at `celsius`.
    #[must_use]
    pub fn after(&self, celsius: f64, watts: f64, span: Nanos) -> f64 {
        let settled = self.settled(watts);
        let constant_s = self.kelvin_per_watt * self.joules_per_kelvin;
        settled + (celsius - settled) * (-span.as_secs() / constant_s).exp()
    }

    /// Returns the number of steps in force at a temperature, after `before` steps were.
    #[must_use]
    pub fn steps_at(&self, celsius: f64, before: usize) -> usize {
        let steps = self.steps.iter().flatten().enumerate();
        let holds = |(n, step): &(usize, &ThrottleStep)| {
            celsius >= step.from_celsius || *n < before && celsius > step.until_celsius
        };
        steps.take_while(holds).count()
    }

    /// Returns the limit in bytes a second with `steps` steps in force; `None` where nothing is limited.
    #[must_use]
    pub fn bytes_per_s(&self, steps: usize) -> Option<f64> {
        let step = steps.checked_sub(1).and_then(|last| self.steps[last]);
        step.map(|step| step.bytes_per_s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: ThermalModel = ThermalModel {
        ambient_celsius: 25.0,
        kelvin_per_watt: 10.0,
        joules_per_kelvin: 6.0,
        steps: [
            Some(ThrottleStep {
                from_celsius: 80.0,
                until_celsius: 75.0,
                bytes_per_s: 1e9,
            }),
            Some(ThrottleStep {
                from_celsius: 85.0,
                until_celsius: 80.0,
                bytes_per_s: 1e8,
            }),
        ],
        warning_celsius: None,
        critical_celsius: None,
    };

    /// Many small steps with the power as it is come to what one step does: the closed form of first order.
    #[test]
    fn a_drive_warms_as_one_capacity_behind_one_resistance() {
        let mut celsius = MODEL.settled(1.0);
        for _ in 0..600 {
            celsius = MODEL.after(celsius, 6.0, Nanos::from_millis(100));
        }
        // A time constant of 60 s: 63.2 % of the way from 35 to 85 degrees.
        let closed = 85.0 - 50.0 * (-1.0_f64).exp();
        assert!((celsius - closed).abs() < 1e-6, "{celsius} of {closed}");
    }

    #[test]
    fn steps_hold_until_it_has_cooled_down() {
        let mut steps = 0;
        let held: Vec<usize> = [79.0, 80.0, 76.0, 75.0, 79.9, 86.0, 81.0, 80.0, 76.0, 74.0]
            .into_iter()
            .map(|celsius| {
                steps = MODEL.steps_at(celsius, steps);
                steps
            })
            .collect();
        assert_eq!(held, [0, 1, 1, 0, 0, 2, 2, 1, 1, 0]);
        let rates = [0, 1, 2].map(|steps| MODEL.bytes_per_s(steps));
        assert_eq!(rates, [None, Some(1e9), Some(1e8)]);
    }
}
