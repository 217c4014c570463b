//! Sectors that wait in a write buffer, as the journal tells.

use crate::error::Wrong;
use ftlab_base::SECTOR_BYTES;
use ftlab_cut::BufferedSlot;
use ftlab_drive::ssd::LayerInput;
use std::collections::BTreeMap;

/// Slots of which sectors wait, by LPN.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    slots: BTreeMap<u32, BufferedSlot>,
    /// Slot that the last request took out.
    taken: Option<BufferedSlot>,
    slot_bytes: usize,
}

impl Buffer {
    pub(super) fn of(buffered: Vec<BufferedSlot>, slot_bytes: usize) -> Buffer {
        Buffer {
            slots: buffered.into_iter().map(|slot| (slot.lpn, slot)).collect(),
            taken: None,
            slot_bytes,
        }
    }

    pub(super) fn slots(&self) -> usize {
        self.slots.len()
    }

    pub(super) fn into_slots(self) -> Vec<BufferedSlot> {
        self.slots.into_values().collect()
    }

    pub(super) fn admit(&mut self, lpn: u32, first: u8, data: &[u8]) -> Result<(), Wrong> {
        let from = usize::from(first) * SECTOR_BYTES as usize;
        let range = from..from + data.len();
        if range.end > self.slot_bytes {
            let why = format!("sectors of LPN {lpn} in the journal reach beyond its slot");
            return Err(Wrong::Checkpoint(why));
        }
        let slot = self.slots.entry(lpn).or_insert_with(|| BufferedSlot {
            lpn,
            mask: 0,
            bytes: vec![0; self.slot_bytes],
        });
        slot.bytes[range].copy_from_slice(data);
        for sector in 0..data.len() / SECTOR_BYTES as usize {
            slot.mask |= 1 << (usize::from(first) + sector);
        }
        Ok(())
    }

    /// The layer did not take the last request.
    pub(super) fn refused(&mut self) {
        if let Some(slot) = self.taken.take() {
            self.slots.insert(slot.lpn, slot);
        }
    }

    /// Takes out what a request hands on or gives up.
    pub(super) fn follow(&mut self, input: LayerInput) {
        self.taken = None;
        match input {
            LayerInput::Write(write) => self.taken = self.slots.remove(&write.lpn.0),
            LayerInput::Trim(first, slots) => {
                let range = u64::from(first.0)..u64::from(first.0) + u64::from(slots);
                self.slots
                    .retain(|&lpn, _| !range.contains(&u64::from(lpn)));
            }
            LayerInput::SecureErase => self.slots.clear(),
            _ => {}
        }
    }
}
