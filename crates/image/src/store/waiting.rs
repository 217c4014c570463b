//! The bytes in the write buffer: what the host wrote and the translation layer has not got yet.

use crate::slot::OOB_BYTES;
use ftlab_base::SECTOR_BYTES;
use ftlab_cut::BufferedSlot;
use ftlab_cut::{SectorMask, mask_of};
use std::collections::BTreeMap;

const SECTOR: usize = SECTOR_BYTES as usize;

/// Sectors of a slot that wait.
#[derive(Debug)]
pub(super) struct Waiting {
    /// Sectors that wait, one bit each.
    pub(super) mask: SectorMask,
    /// The slot, with room for its metadata in front. Bytes of sectors that are not in the mask mean nothing.
    pub(super) slot: Vec<u8>,
}

impl Waiting {
    pub(super) fn data(&self) -> &[u8] {
        &self.slot[OOB_BYTES..]
    }
}

/// Slots of which sectors wait, by LPN.
#[derive(Debug, Default)]
pub(super) struct WaitingSlots {
    slots: BTreeMap<u32, Waiting>,
    /// Room that is used again.
    spare: Vec<Vec<u8>>,
}

impl WaitingSlots {
    /// Takes in sectors of a slot of N bytes.
    pub(super) fn admit(&mut self, lpn: u32, first: u32, data: &[u8], slot_bytes: usize) {
        let spare = &mut self.spare;
        let waiting = self.slots.entry(lpn).or_insert_with(|| Waiting {
            mask: 0,
            slot: spare
                .pop()
                .unwrap_or_else(|| vec![0; OOB_BYTES + slot_bytes]),
        });
        let at = OOB_BYTES + first as usize * SECTOR;
        waiting.slot[at..at + data.len()].copy_from_slice(data);
        waiting.mask |= mask_of(first, (data.len() / SECTOR) as u32);
    }

    pub(super) fn get(&self, lpn: u32) -> Option<&Waiting> {
        self.slots.get(&lpn)
    }

    pub(super) fn get_mut(&mut self, lpn: u32) -> Option<&mut Waiting> {
        self.slots.get_mut(&lpn)
    }

    /// Hands on what waits of a slot.
    pub(super) fn take(&mut self, lpn: u32) -> Option<Vec<u8>> {
        self.slots.remove(&lpn).map(|waiting| waiting.slot)
    }

    /// Takes room back for the next slot.
    pub(super) fn recycle(&mut self, slot: Vec<u8>) {
        if self.spare.len() < 64 {
            self.spare.push(slot);
        }
    }

    /// Drops what waits of N slots.
    pub(super) fn forget(&mut self, first: u32, slots: u32) {
        let range = u64::from(first)..u64::from(first) + u64::from(slots);
        if !self.slots.is_empty() {
            self.slots
                .retain(|&lpn, _| !range.contains(&u64::from(lpn)));
        }
    }

    pub(super) fn clear(&mut self) {
        self.slots.clear();
    }

    /// The first slot of which something waits, and what.
    pub(super) fn first(&self) -> Option<(u32, SectorMask)> {
        let (&lpn, waiting) = self.slots.first_key_value()?;
        Some((lpn, waiting.mask))
    }

    /// Everything, to be kept.
    pub(super) fn buffered(&self) -> Vec<BufferedSlot> {
        let buffered = |(&lpn, waiting): (&u32, &Waiting)| BufferedSlot {
            lpn,
            mask: waiting.mask,
            bytes: waiting.data().to_vec(),
        };
        self.slots.iter().map(buffered).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_of_what_waits_is_handed_on() {
        let mut waiting = WaitingSlots::default();
        waiting.admit(3, 0, &[1; 1024], 4096);
        waiting.admit(3, 1, &[2; 1024], 4096);
        assert_eq!(waiting.get(3).unwrap().mask, 0b111);
        let slot = waiting.take(3).unwrap();
        assert_eq!(slot[OOB_BYTES..OOB_BYTES + 512], [1; 512]);
        assert_eq!(slot[OOB_BYTES + 512..OOB_BYTES + 1536], [2; 1024]);
        assert!(waiting.first().is_none());
    }
}
