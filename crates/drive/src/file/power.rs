//! From the `[power]` section of a drive file to what the parts of the drive take.

use super::schema::SsdFile;
use crate::disk::DiskPower;
use ftlab_base::{Nanos, SECTOR_BYTES};
use ftlab_sheet::quantity::{Energy, EnergyPerByte, Power, Quantity, Time};
use ftlab_timing::PowerModel;
use serde::Deserialize;

/// What the parts of an SSD take.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SsdPowerKeys {
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

/// What the parts of a hard disk take.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DiskPowerKeys {
    /// Board and link.
    electronics: Quantity<Power>,
    /// Turning the platters.
    spindle: Quantity<Power>,
    /// The arm, while it seeks.
    seek: Quantity<Power>,
    /// Heads and channel, while data pass them for a command.
    transfer: Quantity<Power>,
}

/// What an SSD's parts take; `None` when the file does not say.
pub(super) fn ssd_power(ssd: &SsdFile) -> Option<PowerModel> {
    let keys = ssd.power.as_ref()?;
    let spare = ssd.nand.page_spare.get() as f64 / ssd.nand.page.get() as f64;
    Some(PowerModel {
        controller_idle_watts: keys.controller_idle.base,
        controller_active_watts: keys.controller_active.base,
        link_slumber_watts: keys.link_slumber.base,
        link_idle_watts: keys.link_idle.base,
        link_active_watts: keys.link_active.base,
        link_sleeps: false,
        sleep_after: keys
            .sleep_after
            .as_ref()
            .map_or(Nanos::ZERO, |span| span.get()),
        dram_watts: keys.dram.as_ref().map_or(0.0, |watts| watts.base),
        read_joules: keys.read.base,
        program_joules: keys.program.base,
        erase_joules: keys.erase.base,
        sector_joules: keys.transfer.base * SECTOR_BYTES as f64 * (1.0 + spare),
    })
}

/// That no part takes more at rest than at work.
pub(super) fn check(keys: &SsdPowerKeys) -> Result<(), String> {
    let rising = [
        (
            "controller_idle",
            keys.controller_idle,
            "controller_active",
            keys.controller_active,
        ),
        (
            "link_slumber",
            keys.link_slumber,
            "link_idle",
            keys.link_idle,
        ),
        ("link_idle", keys.link_idle, "link_active", keys.link_active),
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

/// What a disk's parts take.
pub(super) fn disk_power(keys: &DiskPowerKeys) -> DiskPower {
    DiskPower {
        electronics_watts: keys.electronics.base,
        spindle_watts: keys.spindle.base,
        seek_watts: keys.seek.base,
        transfer_watts: keys.transfer.base,
    }
}
