//! Energy that a drive takes from its supply: whole counts and spans times the cost of each.
//!
//! Nothing here happens on the way of an operation. The scheduler and the servers count what they
//! begin and for how long; joules are worked out when somebody asks.

use crate::rest::{POWER_STATES_MAX, PowerStates};
use ftlab_base::Nanos;
use std::ops::{Add, Sub};

/// Work of the array, counted when a die or a channel begins it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NandActivity {
    /// Pages that dies sensed.
    pub pages_read: u64,
    /// Pages programmed, by each plane.
    pub pages_programmed: u64,
    /// Blocks erased, by each plane.
    pub blocks_erased: u64,
    /// Sectors of 512 bytes moved over the channels.
    pub sectors_moved: u64,
}

/// Work of an SSD since its clock began.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Activity {
    /// Work of the array.
    pub nand: NandActivity,
    /// All of the time.
    pub elapsed: Nanos,
    /// The part of it with nothing to do for host or array, but for the beginning of each such span and for what
    /// was spent in a power state.
    pub at_rest: Nanos,
    /// The part of it in each power state.
    pub in_states: [Nanos; POWER_STATES_MAX],
    /// The part of it with data on the host link.
    pub link_busy: Nanos,
}

/// Consumption of the parts of an SSD. Powers in watts, energies in joules.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PowerModel {
    /// The controller at rest.
    pub controller_idle_watts: f64,
    /// The controller while there is something to do.
    pub controller_active_watts: f64,
    /// The link at rest, put to sleep.
    pub link_slumber_watts: f64,
    /// The link awake, without data.
    pub link_idle_watts: f64,
    /// The link while data cross it.
    pub link_active_watts: f64,
    /// True if the host puts the link of a drive at rest to sleep.
    pub link_sleeps: bool,
    /// Span without work after which controller and link are at rest.
    pub sleep_after: Nanos,
    /// Power states that a long rest goes through.
    pub states: PowerStates,
    /// True if the host lets the drive enter its power states.
    pub enters_states: bool,
    /// Memory beside the controller.
    pub dram_watts: f64,
    /// Energy to sense a page.
    pub read_joules: f64,
    /// Energy to program a page.
    pub program_joules: f64,
    /// Energy to erase a block.
    pub erase_joules: f64,
    /// Moving a sector of 512 bytes, with its share of the spare bytes, over a channel.
    pub sector_joules: f64,
}

/// Joules by part of the drive.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Energy {
    /// Cells: sensing, programming, erasing.
    pub nand: f64,
    /// Channels between controller and NAND.
    pub bus: f64,
    /// Controller, or a disk's electronics.
    pub controller: f64,
    /// Share of the host link.
    pub link: f64,
    /// Share of the DRAM.
    pub dram: f64,
    /// Spindle and arm of a disk.
    pub mechanics: f64,
}

impl Energy {
    /// Returns the sum over all parts, in joules.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.nand + self.bus + self.controller + self.link + self.dram + self.mechanics
    }
}

impl Energy {
    fn each(self, other: Energy, of: fn(f64, f64) -> f64) -> Energy {
        Energy {
            nand: of(self.nand, other.nand),
            bus: of(self.bus, other.bus),
            controller: of(self.controller, other.controller),
            link: of(self.link, other.link),
            dram: of(self.dram, other.dram),
            mechanics: of(self.mechanics, other.mechanics),
        }
    }
}

impl Add for Energy {
    type Output = Energy;

    fn add(self, other: Energy) -> Energy {
        self.each(other, f64::add)
    }
}

impl Sub for Energy {
    type Output = Energy;

    fn sub(self, earlier: Energy) -> Energy {
        self.each(earlier, f64::sub)
    }
}

impl PowerModel {
    /// Returns the energy of an activity, in joules, by part.
    #[must_use]
    pub fn energy(&self, activity: &Activity) -> Energy {
        let rest = activity.at_rest.as_secs();
        let in_states = activity.in_states.map(|span| span.as_secs());
        let awake = activity.elapsed.as_secs() - in_states.iter().sum::<f64>();
        let work = awake - rest;
        let states = self.states.iter().zip(in_states);
        let asleep: f64 = states.map(|(state, seconds)| seconds * state.watts).sum();
        let moving = activity.link_busy.as_secs();
        let nand = &activity.nand;
        Energy {
            nand: nand.pages_read as f64 * self.read_joules
                + nand.pages_programmed as f64 * self.program_joules
                + nand.blocks_erased as f64 * self.erase_joules,
            bus: nand.sectors_moved as f64 * self.sector_joules,
            controller: rest * self.controller_idle_watts
                + work * self.controller_active_watts
                + asleep,
            link: rest * self.link_rest_watts()
                + (work - moving) * self.link_idle_watts
                + moving * self.link_active_watts,
            dram: awake * self.dram_watts,
            mechanics: 0.0,
        }
    }

    /// Returns the power at rest, in watts, in the deepest power state that the drive enters.
    #[must_use]
    pub fn rest_watts(&self) -> f64 {
        let states = self.states();
        let deepest = states.iter().next_back();
        deepest.map_or(self.awake_watts(), |state| state.watts)
    }

    /// Returns the power at rest outside of all power states, in watts.
    #[must_use]
    pub fn awake_watts(&self) -> f64 {
        self.controller_idle_watts + self.link_rest_watts() + self.dram_watts
    }

    /// The power states that it enters.
    #[must_use]
    pub fn states(&self) -> PowerStates {
        match self.enters_states {
            true => self.states,
            false => PowerStates::NONE,
        }
    }

    fn link_rest_watts(&self) -> f64 {
        if self.link_sleeps {
            self.link_slumber_watts
        } else {
            self.link_idle_watts
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rest::PowerState;

    const MODEL: PowerModel = PowerModel {
        controller_idle_watts: 0.5,
        controller_active_watts: 1.0,
        link_slumber_watts: 0.125,
        link_idle_watts: 0.25,
        link_active_watts: 0.75,
        link_sleeps: true,
        sleep_after: Nanos::ZERO,
        states: PowerStates::NONE,
        enters_states: false,
        dram_watts: 0.0625,
        read_joules: 0.5,
        program_joules: 8.0,
        erase_joules: 32.0,
        sector_joules: 0.03125,
    };

    #[test]
    fn every_span_is_paid_once() {
        let activity = Activity {
            elapsed: Nanos::from_secs(10),
            at_rest: Nanos::from_secs(4),
            link_busy: Nanos::from_secs(2),
            ..Activity::default()
        };
        let energy = MODEL.energy(&activity);
        assert_eq!(energy.controller, 4.0 * 0.5 + 6.0);
        assert_eq!(energy.link, 4.0 * 0.125 + 4.0 * 0.25 + 2.0 * 0.75);
        assert_eq!(energy.dram, 10.0 * 0.0625);
        assert_eq!(energy.nand + energy.bus + energy.mechanics, 0.0);
        let rest = Activity {
            elapsed: Nanos::from_secs(10),
            at_rest: Nanos::from_secs(10),
            ..Activity::default()
        };
        assert_eq!(MODEL.energy(&rest).total(), 10.0 * MODEL.rest_watts());
        let awake = PowerModel {
            link_sleeps: false,
            ..MODEL
        };
        assert_eq!(awake.rest_watts() - MODEL.rest_watts(), 0.125);
    }

    #[test]
    fn power_states_take_the_place_of_a_rest() {
        let state = PowerState {
            watts: 0.01,
            after: Nanos::ZERO,
            entry: Nanos::ZERO,
            exit: Nanos::ZERO,
        };
        let model = PowerModel {
            states: PowerStates::new(&[state]).unwrap(),
            enters_states: true,
            ..MODEL
        };
        let activity = Activity {
            elapsed: Nanos::from_secs(10),
            at_rest: Nanos::from_secs(2),
            in_states: [5, 0, 0, 0].map(Nanos::from_secs),
            ..Activity::default()
        };
        let energy = model.energy(&activity);
        assert_eq!(energy.controller, 2.0 * 0.5 + 3.0 * 1.0 + 5.0 * 0.01);
        assert_eq!(energy.dram, 5.0 * 0.0625);
        assert_eq!(model.rest_watts(), 0.01);
        let held_awake = PowerModel {
            enters_states: false,
            ..model
        };
        assert_eq!(held_awake.rest_watts(), MODEL.rest_watts());
    }

    #[test]
    fn operations_are_paid_by_the_piece() {
        let activity = Activity {
            nand: NandActivity {
                pages_read: 3,
                pages_programmed: 2,
                blocks_erased: 1,
                sectors_moved: 32,
            },
            ..Activity::default()
        };
        let energy = MODEL.energy(&activity);
        assert_eq!((energy.nand, energy.bus), (1.5 + 16.0 + 32.0, 1.0));
        assert_eq!((energy - energy).total(), 0.0);
    }
}
