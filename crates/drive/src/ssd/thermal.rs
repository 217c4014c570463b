//! How warm an SSD is, as its firmware follows it, and how it slows down.

use super::Ssd;
use crate::device::Temperature;
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
    /// What the drive had taken from its supply then.
    joules: f64,
    /// When it was looked at last.
    at: SimTime,
    /// Steps of slowing down that hold.
    steps: usize,
    /// For how long any held.
    throttled: Nanos,
    /// When the next command is let through.
    free_at: SimTime,
}

impl Heat {
    /// A drive that has been on, with nothing to do, for long.
    fn settled(model: ThermalModel, watts: f64, joules: f64) -> Heat {
        Heat {
            model,
            celsius: model.settled(watts),
            joules,
            at: SimTime::ZERO,
            steps: 0,
            throttled: Nanos::ZERO,
            free_at: SimTime::ZERO,
        }
    }

    /// Time goes on to `now`, by when the drive has taken so much.
    fn follow(&mut self, now: SimTime, joules: f64) {
        let span = now.since(self.at);
        if span == Nanos::ZERO {
            return;
        }
        let watts = (joules - self.joules) / span.as_secs();
        let settled = self.model.settled(watts);
        while self.at < now {
            let left = now.since(self.at);
            let steps = self.steps;
            let is_settled = (self.celsius - settled).abs() < SAME
                && self.model.steps_at(settled, steps) == steps;
            let span = if is_settled {
                left
            } else {
                left.min(LOOKS_EVERY)
            };
            self.celsius = self.model.after(self.celsius, watts, span);
            self.steps = self.model.steps_at(self.celsius, steps);
            if steps > 0 {
                self.throttled += span;
            }
            self.at += span;
        }
        self.joules = joules;
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
        let parts = self.params.thermal.zip(self.params.power);
        self.heat = parts.map(|(model, power)| {
            Heat::settled(model, power.awake_watts(), self.joules(SimTime::ZERO))
        });
    }

    fn joules(&self, now: SimTime) -> f64 {
        let power = self.params.power.as_ref();
        power.map_or(0.0, |power| power.energy(&self.activity(now)).total())
    }

    /// A command has come; gives when the firmware turns to it, which a drive that is too warm puts off.
    pub(super) fn turn_to(&mut self, number: u32, now: SimTime) -> SimTime {
        let Some(mut heat) = self.heat else {
            return now;
        };
        if now >= heat.at + LOOKS_EVERY {
            heat.follow(now, self.joules(now));
        }
        let at = heat.admit(self.commands.get(number), now);
        self.heat = Some(heat);
        at
    }

    pub(super) fn temperature_at(&self, now: SimTime) -> Option<Temperature> {
        let mut heat = self.heat?;
        heat.follow(now, self.joules(now));
        Some(Temperature {
            celsius: heat.celsius,
            throttled: heat.throttled,
            critical_celsius: heat.model.critical_celsius,
        })
    }
}
