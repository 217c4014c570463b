//! `[ram]`: a RAM disk.

use crate::file::section::{Section, Sheet, Unread, section};
use crate::ram::RamParams;
use ftlab_base::SECTOR_BYTES;
use ftlab_sheet::quantity::{Bytes, Quantity, Rate, Time};
use toml::Table;

section! {
    "ram"
    /// What memory and driver of a RAM disk take.
    struct RamFile {
        /// Capacity.
        capacity: Quantity<Bytes>,
        /// The driver's time for a command.
        command: Quantity<Time>,
        /// Rate at which it copies.
        copy_rate: Quantity<Rate>,
    }
}

pub(in crate::file) const SHEETS: &[Sheet] = &[RamFile::SHEET];

impl RamFile {
    /// Reads the sections of a RAM disk.
    pub(in crate::file) fn read(table: Table) -> Result<RamFile, String> {
        let mut unread = Unread::new(table, SHEETS);
        let ram = unread.required()?;
        unread.finish()?;
        Ok(ram)
    }

    pub(in crate::file) fn params(&self) -> RamParams {
        RamParams {
            capacity_sectors: self.capacity.get() / SECTOR_BYTES,
            command: self.command.get(),
            copied_sector: self.copy_rate.time_of(SECTOR_BYTES as f64),
        }
    }

    pub(in crate::file) fn check(&self) -> Result<(), String> {
        match self.params().capacity_sectors {
            0 => Err("ram.capacity must be at least a sector of 512 bytes".into()),
            _ => Ok(()),
        }
    }
}
