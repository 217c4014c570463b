//! Slots of which sectors wait, as checkpoints keep them.

use crate::record;
use ftlab_base::SECTOR_BYTES;
use ftlab_cut::{BufferedSlot, runs};

const SECTOR: usize = SECTOR_BYTES as usize;

/// The most that a checkpoint has room for of what waits in a write buffer. No drive has a larger one.
pub(crate) const BUFFERED_BYTES_MAX: u64 = 1 << 28;

/// The largest write buffer of a drive in an image: half of what a checkpoint has room for, as slots that were trimmed
/// wait there, too.
pub(crate) const BUFFER_BYTES_MAX: u64 = BUFFERED_BYTES_MAX / 2;

/// Appends a slot to a journal as sectors that are in a buffer.
pub(crate) fn put(slot: &BufferedSlot, to: &mut Vec<u8>) {
    if slot.mask == 0 {
        record::put_admitted(to, slot.lpn, 0, &[]);
    }
    for (first, sectors) in runs(slot.mask) {
        let range = first * SECTOR..(first + sectors) * SECTOR;
        record::put_admitted(to, slot.lpn, first as u32, &slot.bytes[range]);
    }
}
