//! Slots of which sectors wait, as checkpoints keep them.

use crate::record;
use crate::slot::runs;
use ftlab_base::SECTOR_BYTES;
use serde::{Deserialize, Serialize};

const SECTOR: usize = SECTOR_BYTES as usize;

/// The most that a checkpoint has room for of what waits in a write buffer. No drive has a larger one.
pub(crate) const BUFFERED_BYTES_MAX: u64 = 1 << 28;

/// The largest write buffer of a drive in an image: half of what a checkpoint has room for, as slots that were trimmed
/// wait there, too.
pub(crate) const BUFFER_BYTES_MAX: u64 = BUFFERED_BYTES_MAX / 2;

/// Sectors of a slot that are to be handed to the layer: in a write buffer that keeps them without power, or as a
/// power cut has left them. Without any, the slot is to be given up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BufferedSlot {
    pub(crate) lpn: u32,
    pub(crate) mask: u128,
    pub(crate) bytes: Vec<u8>,
}

impl BufferedSlot {
    /// Appends it to a journal as sectors that are in a buffer.
    pub(crate) fn put(&self, to: &mut Vec<u8>) {
        if self.mask == 0 {
            record::put_admitted(to, self.lpn, 0, &[]);
        }
        for (first, sectors) in runs(self.mask) {
            let range = first * SECTOR..(first + sectors) * SECTOR;
            record::put_admitted(to, self.lpn, first as u32, &self.bytes[range]);
        }
    }
}
