//! What an image knows of itself beside the drive's own state, and where it is kept.

use crate::mark::Mark;
use crate::{CutReport, OnKill, Survives};
use serde::{Deserialize, Serialize};

/// What an image keeps beside the drive's own state.
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
    /// Whether the drive was at work.
    pub(crate) at_work: bool,
    /// What it survives, or did when it was open last.
    pub(crate) survives: Survives,
    /// How often the drive was switched on.
    pub(crate) power_cycles: u64,
    /// What an end out of order is for it.
    pub(crate) on_kill: OnKill,
    /// How often its power went while it was at work.
    pub(crate) unsafe_shutdowns: u64,
    /// What that came to the last time.
    pub(crate) last_cut: Option<CutReport>,
    /// How long it was switched on and at work, in the drive's own time.
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

/// Where an image is kept, and how far it has come.
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
    /// Whether the image survives what it did before, and the end of the process is what it was.
    pub(crate) fn is_as_before(&self) -> bool {
        self.meta.survives == Survives::with(self.sync) && self.meta.on_kill == self.on_kill
    }
}

/// Time of a drive's own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DriveTime {
    /// Switched on.
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

    /// What is left when so much of it is counted elsewhere.
    pub(crate) fn without(self, counted: DriveTime) -> DriveTime {
        DriveTime {
            on_ns: self.on_ns - counted.on_ns,
            busy_ns: self.busy_ns - counted.busy_ns,
        }
    }
}
