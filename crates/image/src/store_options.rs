//! How a drive keeps its bytes.

use crate::OnKill;
use ftlab_drive::DriveFile;

/// How a store keeps its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StoreOptions {
    /// Whether slots are compressed, and equal ones stored once.
    pub(crate) packs: bool,
    /// Whether the write buffer survives a power cut.
    pub(crate) capacitors: bool,
    /// Whether to wait for the machine's storage where that matters.
    pub(crate) sync: bool,
    /// Whether it is kept account of what a power cut could take away.
    pub(crate) tracks: bool,
}

impl StoreOptions {
    /// How a drive keeps its bytes.
    pub(crate) fn of(drive: &DriveFile, sync: bool, on_kill: OnKill) -> StoreOptions {
        let capacitors = drive.keeps_its_buffer();
        StoreOptions {
            packs: drive.compresses(),
            capacitors,
            sync,
            tracks: on_kill == OnKill::Cut && !capacitors,
        }
    }
}
