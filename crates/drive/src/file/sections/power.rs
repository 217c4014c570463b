//! `[power]`: what the parts of a drive take.

use crate::disk::DiskPower;
use crate::file::section::{Takes, section};
use ftlab_base::{Nanos, SECTOR_BYTES};
use ftlab_sheet::quantity::{Energy, EnergyPerByte, Power, Quantity, Time};
use ftlab_timing::{PowerModel, PowerState, PowerStates};
use serde::Deserialize;

section! {
    "power"
    /// What the parts of an SSD take; without the section, no watts are reported.
    struct SsdPowerKeys {
        /// The controller at rest.
        controller_idle: Quantity<Power>,
        /// The controller while host or array give it something to do.
        controller_active: Quantity<Power>,
        /// The link at rest on a host that lets it sleep.
        link_slumber: Quantity<Power>,
        /// The link awake, without data.
        link_idle: Quantity<Power>,
        /// The link while data cross it.
        link_active: Quantity<Power>,
        /// How long there must be nothing to do before controller and link go to rest; none if left out.
        sleep_after: Option<Quantity<Time>>,
        /// Power states that an idle drive enters if its host lets it, the first reached first. Each has a
        /// `name`, what the whole drive takes (`power`), how long the drive is idle before it goes there (`after`), and how long the way
        /// there and back takes (`entry`, `exit`): the command that ends the rest waits for it. None if left out.
        #[serde(default)]
        states: Vec<StateKeys>,
        /// Memory beside the controller, if there is any.
        dram: Option<Quantity<Power>>,
        /// Sensing a page.
        read: Quantity<Energy>,
        /// Programming a page.
        program: Quantity<Energy>,
        /// Erasing a block.
        erase: Quantity<Energy>,
        /// Moving a byte over a channel.
        transfer: Quantity<EnergyPerByte>,
    }
}

/// A power state in which the drive answers nothing.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::file) struct StateKeys {
    #[expect(dead_code, reason = "for the reader of the file")]
    name: String,
    power: Quantity<Power>,
    after: Quantity<Time>,
    entry: Quantity<Time>,
    exit: Quantity<Time>,
}

impl Takes for Vec<StateKeys> {
    const WHAT: &'static str = "tables";
}

section! {
    "power"
    /// What the parts of a hard disk take; without the section, no watts are reported.
    struct DiskPowerKeys {
        /// Board and link.
        electronics: Quantity<Power>,
        /// Turning the platters.
        spindle: Quantity<Power>,
        /// The arm, while it seeks.
        seek: Quantity<Power>,
        /// Heads and channel, while data pass them for a command.
        transfer: Quantity<Power>,
    }
}

impl SsdPowerKeys {
    /// Makes the model of power; `page_spare` is spare bytes of a page over its user bytes, which cross the channel
    /// too.
    pub(in crate::file) fn model(&self, page_spare: f64) -> PowerModel {
        let sleep_after = self.sleep_after.as_ref();
        PowerModel {
            controller_idle_watts: self.controller_idle.base,
            controller_active_watts: self.controller_active.base,
            link_slumber_watts: self.link_slumber.base,
            link_idle_watts: self.link_idle.base,
            link_active_watts: self.link_active.base,
            link_sleeps: false,
            states: self.states().expect("checked on reading"),
            enters_states: false,
            sleep_after: sleep_after.map_or(Nanos::ZERO, |span| span.get()),
            dram_watts: self.dram.as_ref().map_or(0.0, |watts| watts.base),
            read_joules: self.read.base,
            program_joules: self.program.base,
            erase_joules: self.erase.base,
            sector_joules: self.transfer.base * SECTOR_BYTES as f64 * (1.0 + page_spare),
        }
    }

    fn states(&self) -> Result<PowerStates, String> {
        let state = |keys: &StateKeys| PowerState {
            watts: keys.power.base,
            after: keys.after.get(),
            entry: keys.entry.get(),
            exit: keys.exit.get(),
        };
        let states: Vec<PowerState> = self.states.iter().map(state).collect();
        PowerStates::new(&states).map_err(|why| format!("[[power.states]]: {why}"))
    }

    /// Checks that no part takes more at rest than at work, and that power states follow each other.
    pub(in crate::file) fn check(&self) -> Result<(), String> {
        self.states()?;
        let (idle, active) = (self.controller_idle, self.controller_active);
        let rising = [
            ("controller_idle", idle, "controller_active", active),
            (
                "link_slumber",
                self.link_slumber,
                "link_idle",
                self.link_idle,
            ),
            ("link_idle", self.link_idle, "link_active", self.link_active),
        ];
        for (low, less, high, more) in rising {
            if less.base > more.base {
                return Err(format!(
                    "power.{low} of {} W is above power.{high} of {} W",
                    less.base, more.base
                ));
            }
        }
        Ok(())
    }
}

impl DiskPowerKeys {
    pub(in crate::file) fn model(&self) -> DiskPower {
        DiskPower {
            electronics_watts: self.electronics.base,
            spindle_watts: self.spindle.base,
            seek_watts: self.seek.base,
            transfer_watts: self.transfer.base,
        }
    }
}
