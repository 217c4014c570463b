//! What an image is, in figures.

use super::DataDrive;
use crate::{CutReport, Survives};
use ftlab_base::{Lpn, SECTOR_BYTES};
use ftlab_drive::Counters;
use serde::Serialize;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

/// The unit in which the system counts what a file takes.
const BLOCK_BYTES: u64 = 512;

/// What a drive with its bytes is, and what it has been through.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Info {
    /// The drive's slug.
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
    /// Whether the write buffer survives a power cut.
    pub keeps_its_buffer: bool,
    /// What the image survives; of one that is only looked at, what it survived when it was served last.
    /// Nothing for a drive in memory.
    pub survives: Option<Survives>,
    /// What it lies on.
    pub base: Option<BaseInfo>,
    /// Length of the image's file, holes included.
    pub file_bytes: Option<u64>,
    /// What the file takes of the disk that it lies on.
    pub taken_bytes: Option<u64>,
    /// Slots that hold something; nothing for a drive without a map.
    pub mapped_slots: Option<u64>,
    /// How often it was switched on.
    pub power_cycles: u64,
    /// How often its power went while it was at work.
    pub unsafe_shutdowns: u64,
    /// What that took from its volatile write buffer the last time; nothing if it never did, or has none.
    pub last_cut: Option<CutReport>,
    /// A line for each thing that is not as the earlier version of ftlab had it that wrote the image.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Totals of the drive.
    pub counters: Counters,
    /// Why it takes no more writes.
    pub fault: Option<String>,
}

/// An image below another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BaseInfo {
    /// Where it is.
    pub path: PathBuf,
    /// What tells that it is the one that the image was made on, in hexadecimal.
    pub fingerprint: String,
}

impl DataDrive {
    /// What the image survives, or did when it was served last; nothing for a drive in memory.
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

    /// What the drive is, and what it has been through.
    #[must_use]
    pub fn info(&self) -> Info {
        let device = self.device();
        let meta = self.image.as_ref().map(|image| &image.meta);
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
