//! Options of a store of bytes.

use crate::OnKill;
use ftlab_drive::DriveFile;

/// Options of a store of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StoreOptions {
    /// True if slots are compressed, and equal ones stored once.
    pub(crate) packs: bool,
    /// True if the write buffer survives a power cut.
    pub(crate) capacitors: bool,
    /// True to wait for the machine's storage at flushes and before erases.
    pub(crate) sync: bool,
    /// True to keep account of the data that a power cut could take away.
    pub(crate) tracks: bool,
}

impl StoreOptions {
    /// Options for a drive.
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
