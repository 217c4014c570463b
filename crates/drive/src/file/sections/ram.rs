//! `[ram]`: a RAM disk.

use super::faults::FlashlessFaultKeys;
use super::limit::{LimitKeys, limit};
use crate::file::section::{Section, Sheet, Unread, section};
use crate::ram::RamParams;
use ftlab_base::SECTOR_BYTES;
use ftlab_host::Limit;
use ftlab_sheet::quantity::{Bytes, Quantity, Rate, Time};
use toml::Table;

section! {
    "ram"
    /// What memory and driver of a RAM disk take.
    struct RamKeys {
        /// Capacity.
        capacity: Quantity<Bytes>,
        /// The driver's time for a command.
        command: Quantity<Time>,
        /// Rate at which it copies.
        copy_rate: Quantity<Rate>,
    }
}

/// The sections of a RAM disk.
#[derive(Debug, Clone)]
pub(in crate::file) struct RamFile {
    ram: RamKeys,
    pub(in crate::file) limit: Option<Limit>,
    pub(in crate::file) faults: Option<FlashlessFaultKeys>,
}

pub(in crate::file) const SHEETS: &[Sheet] =
    &[RamKeys::SHEET, LimitKeys::SHEET, FlashlessFaultKeys::SHEET];

impl RamFile {
    /// Reads the sections of a RAM disk.
    pub(in crate::file) fn read(table: Table) -> Result<RamFile, String> {
        let mut unread = Unread::new(table, SHEETS);
        let file = RamFile {
            ram: unread.required()?,
            limit: limit(&mut unread)?,
            faults: unread.optional()?,
        };
        unread.finish()?;
        Ok(file)
    }

    pub(in crate::file) fn params(&self) -> RamParams {
        RamParams {
            capacity_sectors: self.ram.capacity.get() / SECTOR_BYTES,
            command: self.ram.command.get(),
            copied_sector: self.ram.copy_rate.time_of(SECTOR_BYTES as f64),
            limit: self.limit,
        }
    }

    pub(in crate::file) fn check(&self) -> Result<(), String> {
        match self.params().capacity_sectors {
            0 => Err("ram.capacity must be at least a sector of 512 bytes".into()),
            _ => Ok(()),
        }
    }
}
