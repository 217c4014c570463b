//! Temperature of a drive, as its firmware follows it, and what heat has done to it since it was made.

use ftlab_base::{Command, CommandKind, Nanos, SimTime};
use ftlab_nand::REFERENCE_CELSIUS;
use ftlab_timing::{THROTTLE_STEPS, ThermalModel};
use serde::{Deserialize, Serialize};

/// Temperature of a drive, with its thresholds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Temperature {
    /// Temperature in degrees Celsius.
    pub celsius: f64,
    /// Steps of slowing down that hold.
    pub steps: usize,
    /// Totals since the drive was made.
    pub totals: HeatTotals,
    /// Degrees Celsius from which it warns, if its file says.
    pub warning_celsius: Option<f64>,
    /// Degrees Celsius from which it reports that it is too warm to work for long, if its file says.
    pub critical_celsius: Option<f64>,
}

impl Temperature {
    /// The whole degrees that a drive tells. One whose file does not say how it warms tells those at which the model
    /// counts the age of data, as JESD218 has them for a client drive in use.
    #[must_use]
    pub fn told(of: Option<&Temperature>) -> i32 {
        of.map_or(REFERENCE_CELSIUS, |of| of.celsius).round() as i32
    }

    /// Returns true if it warns.
    #[must_use]
    pub fn warns(&self) -> bool {
        reaches(self.warning_celsius, self.celsius)
    }
}

fn reaches(threshold: Option<f64>, celsius: f64) -> bool {
    threshold.is_some_and(|threshold| celsius >= threshold)
}

/// Effects of heat since a drive was made, in times of its own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeatTotals {
    /// Times that each step of slowing down began.
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

    /// Makes the totals again of [`HeatTotals::all`].
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

/// Interval at which the firmware looks at its sensor while commands come. No source says; often beside the tens of
/// seconds in which a drive warms.
const LOOKS_EVERY: Nanos = Nanos::from_millis(100);

/// Kelvin that nobody tells apart.
const SAME: f64 = 1e-6;

/// The heat of a drive.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Heat {
    model: ThermalModel,
    celsius: f64,
    /// Instant at which it was looked at last; not at all since its time began, if there is none.
    at: Option<SimTime>,
    /// Joules that the drive had taken from its supply then.
    joules: f64,
    /// Steps of slowing down that hold.
    steps: usize,
    /// Instant at which the next command is let through.
    free_at: SimTime,
}

impl Heat {
    /// A drive that has been on, with nothing to do, for long.
    pub(crate) fn settled(model: ThermalModel, watts: f64) -> Heat {
        Heat {
            model,
            celsius: model.settled(watts),
            at: None,
            joules: 0.0,
            steps: 0,
            free_at: SimTime::ZERO,
        }
    }

    /// Time goes on to `now`, by when the drive has taken so much.
    pub(crate) fn follow(&mut self, now: SimTime, joules: f64, totals: &mut HeatTotals) {
        let Some(mut at) = self.at.replace(now) else {
            self.joules = joules;
            return;
        };
        let span = now.since(at);
        if span == Nanos::ZERO {
            self.at = Some(at);
            return;
        }
        let watts = (joules - self.joules) / span.as_secs();
        let settled = self.model.settled(watts);
        while at < now {
            let left = now.since(at);
            let steps = self.steps;
            let is_settled = (self.celsius - settled).abs() < SAME
                && self.model.steps_at(settled, steps) == steps;
            let span = if is_settled {
                left
            } else {
                left.min(LOOKS_EVERY)
            };
            totals.pass(&self.model, self.celsius, steps, span);
            self.celsius = self.model.after(self.celsius, watts, span);
            self.steps = self.model.steps_at(self.celsius, steps);
            totals.take_steps(steps, self.steps);
            at += span;
        }
        self.joules = joules;
    }

    /// Returns true if it is time to look again.
    pub(crate) fn is_due(&self, now: SimTime) -> bool {
        self.at.is_none_or(|at| now >= at + LOOKS_EVERY)
    }

    /// Instant at which a command that is there at `now` is let through.
    pub(crate) fn admit(&mut self, command: &Command, now: SimTime) -> SimTime {
        let Some(bytes_per_s) = self.model.bytes_per_s(self.steps) else {
            return now;
        };
        let bytes = match command.kind {
            CommandKind::Read | CommandKind::Write => command.bytes(),
            CommandKind::Trim | CommandKind::Flush => 0,
        };
        let at = self.free_at.max(now);
        self.free_at = at + Nanos((bytes as f64 * 1e9 / bytes_per_s) as u64);
        at
    }

    /// As [`Heat::follow`], unless the drive's time has not begun.
    pub(crate) fn go_on(&mut self, now: SimTime, joules: f64, totals: &mut HeatTotals) {
        if self.at.is_some() {
            self.follow(now, joules, totals);
        }
    }

    /// Temperature as the drive reports it.
    pub(crate) fn tells(&self, totals: HeatTotals) -> Temperature {
        Temperature {
            celsius: self.celsius,
            steps: self.steps,
            totals,
            warning_celsius: self.model.warning_celsius,
            critical_celsius: self.model.critical_celsius,
        }
    }
}
