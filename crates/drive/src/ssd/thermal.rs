//! Temperature of an SSD, as its firmware follows it, and how heat slows it down.

use super::Ssd;
use crate::heat::{Heat, Temperature};
use ftlab_base::SimTime;

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
        heat.go_on(now, self.joules(now), &mut totals);
        Some(heat.tells(totals))
    }
}
