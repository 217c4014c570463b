//! Facts and counts of an image.

use super::DataDrive;
use crate::{CutReport, Survives};
use ftlab_base::{Lpn, SECTOR_BYTES};
use ftlab_drive::Counters;
use serde::Serialize;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

/// The unit in which the system counts what a file takes.
const BLOCK_BYTES: u64 = 512;

/// Facts and counts of a drive with its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Info {
    /// Slug of the drive in the catalogue.
    pub drive: String,
    /// The name it was sold under.
    pub name: String,
    /// Hash of its drive file, settings included, in hexadecimal.
    pub drive_hash: String,
    /// Version of ftlab that wrote the newest checkpoint; nothing if there is none.
    pub version: Option<String>,
    /// Bytes the drive has.
    pub capacity_bytes: u64,
    /// Bytes the host may address.
    pub addressable_bytes: u64,
    /// Bytes of a slot: what survives a power cut as a whole.
    pub slot_bytes: u64,
    /// True if the write buffer survives a power cut.
    pub keeps_its_buffer: bool,
    /// Event that the image survives; of one that is only looked at, that of its last server. None for a drive
    /// in memory.
    pub survives: Option<Survives>,
    /// Base of the image.
    pub base: Option<BaseInfo>,
    /// Length of the image's file, holes included.
    pub file_bytes: Option<u64>,
    /// Space of the file on its disk, in bytes.
    pub taken_bytes: Option<u64>,
    /// Slots that hold something; nothing for a drive without a map.
    pub mapped_slots: Option<u64>,
    /// Times that the drive was switched on.
    pub power_cycles: u64,
    /// Times that the power went while the drive was at work.
    pub unsafe_shutdowns: u64,
    /// Losses of the last power cut from the volatile write buffer; none if it was never cut, or has none.
    pub last_cut: Option<CutReport>,
    /// A line for each thing that is not as the earlier version of ftlab had it that wrote the image.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Totals of the drive.
    pub counters: Counters,
    /// Reason why the drive takes no more writes.
    pub fault: Option<String>,
}

/// An image below another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BaseInfo {
    /// Path of the base.
    pub path: PathBuf,
    /// Fingerprint that identifies the base, in hexadecimal.
    pub fingerprint: String,
}

impl DataDrive {
    /// Event that the image survives, or did when it was served last; none for a drive in memory.
    #[must_use]
    pub fn survives(&self) -> Option<Survives> {
        self.image.as_ref().map(|image| image.meta.survives)
    }

    /// Bytes of the image's file with its holes, and what it takes of its disk; nothing for a drive in
    /// memory.
    #[must_use]
    pub fn file_bytes(&self) -> Option<(u64, u64)> {
        self.image.as_ref().filter(|_| !self.is_in_memory())?;
        let file = std::fs::metadata(&self.path).ok()?;
        Some((file.len(), file.blocks() * BLOCK_BYTES))
    }

    /// Reports the drive and its counts.
    #[must_use]
    pub fn info(&self) -> Info {
        let device = self.device();
        let meta = self.image.as_ref().map(|image| &image.meta);
        // The layer keeps no count, as this is the only one who asks for it.
        let mapped = self.layer().map(|layer| {
            let slots = (0..layer.slots()).map(Lpn);
            slots.filter(|&lpn| layer.lookup(lpn).is_some()).count() as u64
        });
        let file = self.file_bytes();
        Info {
            drive: self.file.slug().to_owned(),
            name: self.file.name().to_owned(),
            drive_hash: format!("{:016x}", self.file.hash()),
            version: meta.map(|meta| meta.version.clone()),
            capacity_bytes: device.capacity_sectors() * SECTOR_BYTES,
            addressable_bytes: self.capacity_bytes(),
            slot_bytes: u64::from(self.slot_sectors()) * SECTOR_BYTES,
            keeps_its_buffer: self.file.keeps_its_buffer(),
            survives: self.survives(),
            base: self.base().map(|(path, fingerprint)| BaseInfo {
                path: path.to_owned(),
                fingerprint: format!("{fingerprint:016x}"),
            }),
            file_bytes: file.map(|(long, _)| long),
            taken_bytes: file.map(|(_, taken)| taken),
            mapped_slots: mapped,
            power_cycles: meta.map_or(1, |meta| meta.power_cycles),
            unsafe_shutdowns: meta.map_or(0, |meta| meta.unsafe_shutdowns),
            last_cut: meta.and_then(|meta| meta.last_cut),
            notes: self.notes.clone(),
            counters: device.counters(),
            fault: device.fault(),
        }
    }
}
