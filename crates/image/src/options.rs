//! Options of making and opening an image, and the report on opening it.

use crate::journal::Hole;
use ftlab_cut::CutReport;
use ftlab_drive::{Catalog, DriveFile};
use ftlab_host::Testbed;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Event that an open image survives. What the drive keeps is there then: all that was flushed, at least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Survives {
    /// A killed process; when the machine under it loses its power, anything may be lost.
    ProcessKilled,
    /// A power cut of the machine under it, or a killed process.
    HostPowerCut,
}

impl Survives {
    /// The options of an image that is opened with or without waiting for the machine's storage.
    pub(crate) fn with(sync: bool) -> Survives {
        match sync {
            true => Survives::HostPowerCut,
            false => Survives::ProcessKilled,
        }
    }
}

impl fmt::Display for Survives {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Survives::ProcessKilled => "the process killed",
            Survives::HostPowerCut => "the host's power cut",
        })
    }
}

/// Effect on the drive when its process is killed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnKill {
    /// A power cut: what its volatile write buffer held and no flush covered may be lost.
    #[default]
    Cut,
    /// No more than the end of a program: what was handed to the flash is there.
    Keep,
}

/// Options of a new image.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CreateOptions {
    /// The seed of everything random in the drive.
    pub seed: u64,
    /// Bytes the drive lets the host address (ATA SET MAX), if not all.
    pub size_bytes: Option<u64>,
    /// True if a flush waits until the machine's own storage has the data.
    pub sync: bool,
    /// Effect of an end out of order.
    pub on_kill: OnKill,
}

/// Options of opening an image.
#[derive(Debug, Clone, Copy)]
pub struct OpenOptions<'a> {
    /// The catalogue whose policies its drive may name.
    pub catalog: &'a Catalog,
    /// The machine it is plugged into.
    pub testbed: &'a Testbed,
    /// The drive it should be, if that matters to the caller.
    pub drive: Option<&'a DriveFile>,
    /// True if nothing of the file may change.
    pub read_only: bool,
    /// Waits for the machine's storage, as [`CreateOptions::sync`].
    pub sync: bool,
    /// Effect of an end out of order from now on.
    pub on_kill: OnKill,
    /// Seed of the power cut by which the image was left, if it was. By default it is derived from the drive's
    /// seed and the number of power cuts before.
    pub cut_seed: Option<u64>,
    /// True to go on without the data behind a hole in the journal. If not, such an image is refused.
    pub accepts_loss: bool,
}

impl<'a> OpenOptions<'a> {
    /// Options to work on an image, which is in order, on this machine.
    #[must_use]
    pub fn on(catalog: &'a Catalog, testbed: &'a Testbed) -> OpenOptions<'a> {
        OpenOptions {
            catalog,
            testbed,
            drive: None,
            read_only: false,
            sync: false,
            on_kill: OnKill::Cut,
            cut_seed: None,
            accepts_loss: false,
        }
    }

    /// Options to look at whatever is left of an image, and change nothing.
    #[must_use]
    pub fn of_what_is_left(catalog: &'a Catalog, testbed: &'a Testbed) -> OpenOptions<'a> {
        OpenOptions {
            read_only: true,
            accepts_loss: true,
            ..OpenOptions::on(catalog, testbed)
        }
    }
}

/// Report on opening an image.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Recovery {
    /// True if the image was closed in order; otherwise the drive lost its power at work.
    pub clean: bool,
    /// Requests to the translation layer since the last checkpoint, which were replayed.
    pub replayed: u64,
    /// Moves of data that were under way and were made again.
    pub redone: u64,
    /// Last requests to the translation layer that did not happen, since their data had not reached the
    /// machine's storage when it lost its power. Nobody was promised that it had.
    pub left_out: u64,
    /// Slots that the write buffer's capacitors had kept.
    pub kept_slots: u64,
    /// Losses of the end out of order from a volatile write buffer; none where there is no such buffer, or the
    /// end is forgiven.
    pub cut: Option<CutReport>,
    /// A hole in the journal, behind which everything is lost.
    pub hole: Option<Hole>,
}
