//! Metadata of an image beside the drive's own state.

use crate::mark::Mark;
use crate::{CutReport, OnKill, Survives};
use serde::{Deserialize, Serialize};

/// Metadata that a checkpoint has beside the drive's own state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Meta {
    /// Version of ftlab that wrote it.
    pub(crate) version: String,
    /// Sectors the host may address.
    pub(crate) max_sectors: u64,
    /// The number of the next request of the layer.
    pub(crate) sequence: u64,
    /// The seal of the journal's last batch, which the first one behind this names.
    pub(crate) seal: u64,
    /// True if the drive was at work.
    pub(crate) at_work: bool,
    /// Event that the image survives, or did when it was open last.
    pub(crate) survives: Survives,
    /// Times that the drive was switched on.
    pub(crate) power_cycles: u64,
    /// Effect of an end out of order.
    pub(crate) on_kill: OnKill,
    /// Times that the power went while the drive was at work.
    pub(crate) unsafe_shutdowns: u64,
    /// Losses of the last power cut.
    pub(crate) last_cut: Option<CutReport>,
    /// Time that the drive was switched on and busy, by its own clock.
    pub(crate) spent: DriveTime,
    /// Numbers of requests that were lost behind a hole in the journal: from one, up to another. What
    /// they wrote is not what the drive holds, wherever it lies.
    pub(crate) lost: Vec<(u64, u64)>,
}

/// The state of a drive that is switched on for the first time.
pub(crate) fn new_meta(max_sectors: u64, sync: bool, on_kill: OnKill) -> Meta {
    Meta {
        version: String::new(),
        max_sectors,
        sequence: 0,
        seal: 0,
        at_work: true,
        survives: Survives::with(sync),
        on_kill,
        power_cycles: 1,
        unsafe_shutdowns: 0,
        last_cut: None,
        spent: DriveTime::default(),
        lost: Vec::new(),
    }
}

/// Mark and metadata of an image, and its mode of access.
#[derive(Debug)]
pub(crate) struct ImageState {
    /// The newest checkpoint, and where the journal goes on behind it.
    pub(crate) stands: Mark,
    pub(crate) meta: Meta,
    pub(crate) sync: bool,
    pub(crate) on_kill: OnKill,
    pub(crate) read_only: bool,
}

impl ImageState {
    /// True if the image survives the same events as before, and an end out of order has the same effect.
    pub(crate) fn is_as_before(&self) -> bool {
        self.meta.survives == Survives::with(self.sync) && self.meta.on_kill == self.on_kill
    }
}

/// Time of a drive's own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DriveTime {
    /// Time switched on, in nanoseconds.
    pub(crate) on_ns: u64,
    /// With a command of the host's.
    pub(crate) busy_ns: u64,
}

impl DriveTime {
    pub(crate) fn plus(self, more: DriveTime) -> DriveTime {
        DriveTime {
            on_ns: self.on_ns.saturating_add(more.on_ns),
            busy_ns: self.busy_ns.saturating_add(more.busy_ns),
        }
    }

    /// The time without that which is counted elsewhere.
    pub(crate) fn without(self, counted: DriveTime) -> DriveTime {
        DriveTime {
            on_ns: self.on_ns - counted.on_ns,
            busy_ns: self.busy_ns - counted.busy_ns,
        }
    }
}
