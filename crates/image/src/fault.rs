//! Faults on demand.

use crate::ImageError;
use crate::drive::DataDrive;
use ftlab_base::SECTOR_BYTES;
pub use ftlab_drive::FlashFault;

impl DataDrive {
    /// Has something go wrong in the flash. Only while nothing is outstanding.
    ///
    /// # Errors
    /// When it cannot go wrong there, or the storage fails.
    pub fn inject(&mut self, fault: FlashFault) -> Result<(), ImageError> {
        let size_bytes = self.capacity_bytes();
        let slot_bytes = u64::from(self.slot_sectors()) * SECTOR_BYTES;
        let beyond = |offset_bytes| ImageError::Beyond {
            offset_bytes,
            size_bytes,
        };
        let fault = fault.at(slot_bytes, size_bytes).map_err(beyond)?;
        self.body.inject(fault)?;
        self.flush_storage()
    }
}
