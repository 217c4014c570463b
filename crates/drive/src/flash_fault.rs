//! Faults of the flash, in the terms of whoever has the drive.

use ftlab_base::{BlockId, DieId, Lpn};
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

impl FlashFault {
    /// The fault as a drive of `capacity_bytes` in slots of `slot_bytes` has it.
    ///
    /// # Errors
    /// A position that is beyond the drive.
    pub fn at(self, slot_bytes: u64, capacity_bytes: u64) -> Result<Fault, u64> {
        Ok(match self {
            FlashFault::BadBlock { block } => Fault::BadBlock(BlockId(block)),
            FlashFault::Die { die } => Fault::Die(DieId(die)),
            FlashFault::EndOfLife => Fault::EndOfLife,
            FlashFault::Unreadable { offset_bytes } if offset_bytes >= capacity_bytes => {
                return Err(offset_bytes);
            }
            FlashFault::Unreadable { offset_bytes } => {
                Fault::Unreadable(Lpn((offset_bytes / slot_bytes) as u32))
            }
        })
    }
}
