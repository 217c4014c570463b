//! How warm an SSD is, as its firmware follows it, and how it slows down.

use super::Ssd;
use crate::heat::{HeatTotals, Temperature};
use ftlab_base::{Command, CommandKind, Nanos, SimTime};
use ftlab_timing::ThermalModel;

/// How often the firmware looks at its sensor while commands come. No source says; often beside the tens of seconds in which a
/// drive warms.
const LOOKS_EVERY: Nanos = Nanos::from_millis(100);

/// Kelvin that nobody tells apart.
const SAME: f64 = 1e-6;

/// The heat of a drive.
#[derive(Debug, Clone, Copy)]
pub(super) struct Heat {
    model: ThermalModel,
    celsius: f64,
    /// When it was looked at last; not at all since its time began, if there is none.
    at: Option<SimTime>,
    /// What the drive had taken from its supply then.
    joules: f64,
    /// Steps of slowing down that hold.
    steps: usize,
    /// When the next command is let through.
    free_at: SimTime,
}

impl Heat {
    /// A drive that has been on, with nothing to do, for long.
    fn settled(model: ThermalModel, watts: f64) -> Heat {
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
    fn follow(&mut self, now: SimTime, joules: f64, totals: &mut HeatTotals) {
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

    /// Whether it is time to look again.
    fn is_due(&self, now: SimTime) -> bool {
        self.at.is_none_or(|at| now >= at + LOOKS_EVERY)
    }

    /// When a command that is there at `now` is let through.
    fn admit(&mut self, command: &Command, now: SimTime) -> SimTime {
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
}

impl Ssd {
    /// Time begins: the drive is as warm as it is with nothing to do.
    pub(super) fn settle_heat(&mut self) {
        let parts = self.params.thermal.zip(self.power);
        self.heat = parts.map(|(model, power)| Heat::settled(model, power.awake_watts()));
    }

    fn joules(&self, now: SimTime) -> f64 {
        let power = self.power.as_ref();
        power.map_or(0.0, |power| power.energy(&self.activity(now)).total())
    }

    /// A command has come; gives when the firmware turns to it, which a drive that is too warm puts off.
    pub(super) fn turn_to(&mut self, number: u32, now: SimTime) -> SimTime {
        self.follow_heat(now);
        match &mut self.heat {
            Some(heat) => heat.admit(self.commands.get(number), now),
            None => now,
        }
    }

    /// Looks at the sensor, if it is time.
    pub(super) fn follow_heat(&mut self, now: SimTime) {
        if self.heat.is_some_and(|heat| heat.is_due(now)) {
            self.look_at_heat(now);
        }
    }

    /// Looks at the sensor.
    pub(super) fn look_at_heat(&mut self, now: SimTime) {
        if let Some(mut heat) = self.heat {
            heat.follow(now, self.joules(now), &mut self.totals.heat);
            self.heat = Some(heat);
        }
    }

    pub(super) fn temperature_at(&self, now: SimTime) -> Option<Temperature> {
        let (mut heat, mut totals) = (self.heat?, self.totals.heat);
        if heat.at.is_some() {
            heat.follow(now, self.joules(now), &mut totals);
        }
        Some(Temperature {
            celsius: heat.celsius,
            steps: heat.steps,
            totals,
            warning_celsius: heat.model.warning_celsius,
            critical_celsius: heat.model.critical_celsius,
        })
    }
}
