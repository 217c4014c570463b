//! How an image is made and opened, and what opening it took.

use crate::cut::CutReport;
use crate::journal::Hole;
use ftlab_drive::DriveFile;
use ftlab_host::Testbed;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What an image that is open survives. What the drive keeps is there then: all that was flushed, at least.
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

/// What it is for the drive that its process is killed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnKill {
    /// A power cut: what its volatile write buffer held and no flush covered may be lost.
    #[default]
    Cut,
    /// No more than the end of a program: what was handed to the flash is there.
    Keep,
}

/// How an image is made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CreateOptions {
    /// The seed of everything random in the drive.
    pub seed: u64,
    /// Bytes the drive lets the host address (ATA SET MAX), if not all.
    pub size_bytes: Option<u64>,
    /// Whether a flush waits until the machine's own storage has the data: whether the drive is to survive
    /// [`Survives::HostPowerCut`], or [`Survives::ProcessKilled`] alone.
    pub sync: bool,
    /// What an end out of order is for it.
    pub on_kill: OnKill,
}

/// How an image is opened.
#[derive(Debug, Clone, Copy)]
pub struct OpenOptions<'a> {
    /// The machine it is plugged into.
    pub testbed: &'a Testbed,
    /// The drive it should be, if that matters to the caller.
    pub drive: Option<&'a DriveFile>,
    /// Whether nothing of the file may change.
    pub read_only: bool,
    /// As [`CreateOptions::sync`].
    pub sync: bool,
    /// What an end out of order is for it from now on.
    pub on_kill: OnKill,
    /// What decides about the power cut that the image was left by, if it was; by itself it is the drive's
    /// seed and how often its power was cut before.
    pub cut_seed: Option<u64>,
    /// Whether to go on without what lies behind a hole in the journal. If not, such an image is refused.
    pub accepts_loss: bool,
}

impl<'a> OpenOptions<'a> {
    /// To work on an image, which is in order, on this machine.
    #[must_use]
    pub fn on(testbed: &'a Testbed) -> OpenOptions<'a> {
        OpenOptions {
            testbed,
            drive: None,
            read_only: false,
            sync: false,
            on_kill: OnKill::Cut,
            cut_seed: None,
            accepts_loss: false,
        }
    }

    /// To look at whatever is left of an image, and change nothing.
    #[must_use]
    pub fn of_what_is_left(testbed: &'a Testbed) -> OpenOptions<'a> {
        OpenOptions {
            read_only: true,
            accepts_loss: true,
            ..OpenOptions::on(testbed)
        }
    }
}

/// What opening an image took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Recovery {
    /// Whether it was closed in order; otherwise the drive lost its power at work.
    pub clean: bool,
    /// What the translation layer was asked since the last checkpoint, and was asked again.
    pub replayed: u64,
    /// Moves of data that were under way and were made again.
    pub redone: u64,
    /// What the translation layer was asked last, and did not happen, since its data had not reached the
    /// machine's storage when the machine lost its power. Nobody was promised that it had.
    pub left_out: u64,
    /// Slots that the write buffer's capacitors had kept.
    pub kept_slots: u64,
    /// What the end out of order took from a volatile write buffer; nothing where it has none, or forgives.
    pub cut: Option<CutReport>,
    /// A hole in the journal, behind which everything is lost.
    pub hole: Option<Hole>,
}
