//! Faults on demand, in the terms of whoever has the drive.

use crate::ImageError;
use crate::drive::DataDrive;
use ftlab_base::{BlockId, DieId, Lpn, SECTOR_BYTES};
use ftlab_ftl::Fault;
use serde::{Deserialize, Serialize};

/// A fault in the flash of a drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "fault", rename_all = "kebab-case", deny_unknown_fields)]
pub enum FlashFault {
    /// A block wears out: its next erase fails, or a program.
    BadBlock {
        /// The number of the block in the array.
        block: u32,
    },
    /// Data of the host that are beyond what ECC corrects.
    Unreadable {
        /// Position on the drive, in bytes.
        offset_bytes: u64,
    },
    /// A die that fails.
    Die {
        /// Number of the die.
        die: u16,
    },
    /// All blocks wear out.
    EndOfLife,
}

impl DataDrive {
    /// Has something go wrong in the flash. Only while nothing is outstanding.
    ///
    /// # Errors
    /// When it cannot go wrong there, or the storage fails.
    pub fn inject(&mut self, fault: FlashFault) -> Result<(), ImageError> {
        let fault = match fault {
            FlashFault::BadBlock { block } => Fault::BadBlock(BlockId(block)),
            FlashFault::Die { die } => Fault::Die(DieId(die)),
            FlashFault::EndOfLife => Fault::EndOfLife,
            FlashFault::Unreadable { offset_bytes } => {
                let size_bytes = self.capacity_bytes();
                if offset_bytes >= size_bytes {
                    return Err(ImageError::Beyond {
                        offset_bytes,
                        size_bytes,
                    });
                }
                let slot_bytes = u64::from(self.slot_sectors()) * SECTOR_BYTES;
                Fault::Unreadable(Lpn((offset_bytes / slot_bytes) as u32))
            }
        };
        self.body.inject(fault)?;
        self.flush_storage()
    }
}
