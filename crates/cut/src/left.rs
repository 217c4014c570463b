//! Slots as a power cut has left them, to be handed to the layer again.

use crate::mask::{SectorMask, mask_of, runs};
use crate::power_cut::{CutReport, Fate, PowerCut};
use crate::volatile::{OldVersion, Volatile, VolatileSlot};
use ftlab_base::SECTOR_BYTES;
use serde::{Deserialize, Serialize};

const SECTOR: usize = SECTOR_BYTES as usize;

/// Sectors of a slot that are to be handed to the layer: in a write buffer that keeps them without power, or as a
/// power cut has left them. Without any, the slot is to be given up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BufferedSlot {
    /// Number of the slot.
    pub lpn: u32,
    /// Sectors that are to be handed on.
    pub mask: SectorMask,
    /// The whole slot; bytes of other sectors mean nothing.
    pub bytes: Vec<u8>,
}

/// Slots that are to be as a power cut has left them, and what it came to.
#[derive(Debug, Default)]
pub struct CutResult {
    /// Slots that the layer is to be handed again.
    pub slots: Vec<BufferedSlot>,
    /// Slots whose newest version is lost, the oldest first.
    pub lost: Vec<LostSlot>,
    /// Counts.
    pub report: CutReport,
}

/// A slot whose newest version is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LostSlot {
    /// Number of the slot.
    pub lpn: u32,
    /// True if it is made of both versions.
    pub is_torn: bool,
}

/// Versions of slots that a store has.
pub trait Versions {
    /// Reads the version of a slot that lies at a place; false if it cannot be read whole.
    fn read_older(&self, lpn: u32, place: u32, into: &mut [u8]) -> bool;

    /// Reads the version of a slot that the layer has; false if it cannot be read.
    fn read_newest(&self, lpn: u32, into: &mut [u8]) -> bool;
}

impl Volatile {
    /// The power goes: what is in the buffer has an outcome, slot by slot of N bytes. Nothing changes by that.
    #[must_use]
    pub fn left_by(
        &self,
        cut: &PowerCut,
        slot_bytes: usize,
        versions: &impl Versions,
    ) -> CutResult {
        let mut left = CutResult::default();
        left.report.seed = cut.seed;
        for slot in self.saved() {
            left.report.slots += 1;
            let fate = slot.fate(cut, slot_bytes as u64);
            let restored = restored(slot, fate, slot_bytes, versions);
            let is_old = slot.waits || (fate == Fate::Old && restored.is_some());
            let is_torn = !is_old && restored.is_some() && matches!(fate, Fate::Torn(_));
            let count = match (is_old, is_torn) {
                (true, _) => &mut left.report.old,
                (_, true) => &mut left.report.torn,
                _ => &mut left.report.new,
            };
            *count += 1;
            if is_old || is_torn {
                let lpn = slot.lpn;
                left.lost.push(LostSlot { lpn, is_torn });
            }
            left.slots.extend(restored);
        }
        left
    }
}

/// Slot that the layer is to be handed again; none if it holds that version, or the older one cannot be had.
fn restored(
    slot: VolatileSlot,
    fate: Fate,
    slot_bytes: usize,
    versions: &impl Versions,
) -> Option<BufferedSlot> {
    let whole = mask_of(0, (slot_bytes / SECTOR) as u32);
    let mut bytes = vec![0; slot_bytes];
    // An older version that cannot be read is not restored: the newer one is better than none.
    let was_empty = match slot.before? {
        OldVersion::Gone => return None,
        OldVersion::Nothing => true,
        OldVersion::At(place) if versions.read_older(slot.lpn, place, &mut bytes) => false,
        OldVersion::At(_) => return None,
    };
    let mask = match fate {
        Fate::New => return None,
        Fate::Old if was_empty => 0,
        Fate::Old => whole,
        Fate::Torn(new) => {
            let mut newest = vec![0; slot_bytes];
            if !versions.read_newest(slot.lpn, &mut newest) {
                return None;
            }
            for (first, sectors) in runs(new & whole) {
                let range = first * SECTOR..(first + sectors) * SECTOR;
                bytes[range.clone()].copy_from_slice(&newest[range]);
            }
            whole
        }
    };
    Some(BufferedSlot {
        lpn: slot.lpn,
        mask,
        bytes,
    })
}
