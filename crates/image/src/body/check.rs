//! Checks that the data of a drive lie where its map says, as they were written.

use crate::store::{ByteStore, ReadError};
use ftlab_base::{Lpn, SECTOR_BYTES};
use ftlab_ftl::TranslationLayer;
use serde::Serialize;
use std::collections::BTreeMap;

/// Faults that are listed one by one.
const TOLD_MAX: usize = 100;

/// A slot that is not as it was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Damaged {
    /// First sector of the damage.
    pub lba: u64,
    /// Its logical page number.
    pub lpn: u32,
    /// The place of the array where it should lie.
    pub place: u32,
    /// Description of the damage.
    pub why: String,
}

/// Result of a check of all slots; of a drive without flash, of its sectors.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    /// Slots that hold data.
    pub(crate) mapped_slots: u64,
    /// Mapped slots whose data other slots share.
    pub(crate) shared_slots: u64,
    /// Mapped slots that are damaged.
    pub(crate) damaged_slots: u64,
    /// The first of them.
    pub(crate) damaged: Vec<Damaged>,
}

impl Checked {
    pub(crate) fn note(&mut self, damaged: Damaged) {
        self.damaged_slots += 1;
        if self.damaged.len() < TOLD_MAX {
            self.damaged.push(damaged);
        }
    }
}

/// Looks at every slot of a drive of flash.
pub(super) fn slots(layer: &dyn TranslationLayer, store: &ByteStore) -> Checked {
    let mut checked = Checked::default();
    let slot_bytes = layer.layout().geometry.slot_bytes;
    let mut bytes = vec![0; slot_bytes as usize];
    // Whose data lie where, to find two slots in one place.
    let mut owners: BTreeMap<u32, Lpn> = BTreeMap::new();
    for lpn in (0..layer.slots()).map(Lpn) {
        let Some(place) = layer.lookup(lpn) else {
            continue;
        };
        checked.mapped_slots += 1;
        let wrong = match store.read_at(lpn, place, layer, &mut bytes) {
            Err(why) => Some(why.to_string()),
            Ok((_, lost)) if lost != 0 => Some(ReadError::Lost.to_string()),
            Ok((oob, _)) => {
                let other = owners.insert(place.0, lpn);
                checked.shared_slots += u64::from(other.is_some());
                match other {
                    Some(other) if !oob.shared => Some(format!("{other} lies there too")),
                    _ => None,
                }
            }
        };
        if let Some(why) = wrong {
            checked.note(Damaged {
                lba: u64::from(lpn.0) * u64::from(slot_bytes) / SECTOR_BYTES,
                lpn: lpn.0,
                place: place.0,
                why,
            });
        }
    }
    checked
}
