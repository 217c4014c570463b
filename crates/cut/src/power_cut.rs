//! Decides about data in a volatile write buffer at a power cut. It is decided here and nowhere else: for an
//! image whose process was killed, for a cut on demand, and for whoever asks what a cut could leave.
//!
//! A slot that was being programmed is new, as it was before, or made of units of both. Each has an outcome of its
//! own, so a later write may survive an earlier one. What was flushed, and what was programmed, is not asked about.

use ftlab_base::{RootSeed, SECTOR_BYTES};
use serde::{Deserialize, Serialize};

/// A power cut, as the draw of what it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PowerCut {
    /// Seed of the draw.
    pub seed: u64,
    /// Bytes that are written as a whole or not at all.
    pub atomic_bytes: u64,
}

/// Fate of a slot that was being programmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It has what was written last.
    New,
    /// It has what it had before.
    Old,
    /// The sectors of the mask are new, one bit each; the others are as before.
    Torn(u128),
}

impl PowerCut {
    /// The cut of a drive made with a seed that has lost its power so often before.
    #[must_use]
    pub fn nth(drive_seed: u64, before: u64, atomic_bytes: u64) -> PowerCut {
        PowerCut {
            seed: RootSeed(drive_seed)
                .derive(&format!("power cut {before}"))
                .0,
            atomic_bytes,
        }
    }

    /// Draws the fate of a slot of `slot_bytes`. It depends on nothing but the seed and the slot's number, so
    /// it is the same whatever else is in the buffer.
    #[must_use]
    pub fn fate(&self, slot: u64, slot_bytes: u64) -> Fate {
        let drawn = RootSeed(self.seed).derive(&format!("slot {slot}"));
        let units = slot_bytes / self.atomic_bytes;
        match drawn.0 % 4 {
            0 | 1 => Fate::New,
            2 if units > 1 => Fate::Torn(self.torn(drawn, units)),
            _ => Fate::Old,
        }
    }

    /// Some units, neither none nor all of them, as sectors.
    fn torn(&self, drawn: RootSeed, units: u64) -> u128 {
        let sectors = self.atomic_bytes / SECTOR_BYTES;
        let is_new = |unit: &u64| match unit {
            0 => drawn.derive("first unit").0.is_multiple_of(2),
            unit => drawn.derive(&format!("unit {unit}")).0.is_multiple_of(2),
        };
        let mut new: Vec<u64> = (0..units).filter(is_new).collect();
        if new.is_empty() || new.len() as u64 == units {
            new = vec![drawn.derive("which").0 % units];
        }
        let sectors_of = |unit: u64| (unit * sectors..(unit + 1) * sectors).map(|n| 1_u128 << n);
        new.into_iter().flat_map(sectors_of).sum()
    }
}

/// Losses of a power cut.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CutReport {
    /// The seed that decided.
    pub seed: u64,
    /// Slots of which the volatile buffer held something.
    pub slots: u64,
    /// Slots that have the newest version.
    pub new: u64,
    /// Slots that have the older version: their newest is lost.
    pub old: u64,
    /// Slots that are made of both versions.
    pub torn: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fates(atomic_bytes: u64) -> Vec<Fate> {
        let cut = PowerCut::nth(1, 0, atomic_bytes);
        (0..4000).map(|slot| cut.fate(slot, 4096)).collect()
    }

    #[test]
    fn half_of_the_slots_are_new_and_the_rest_is_not() {
        let whole = fates(4096);
        let new = whole.iter().filter(|fate| **fate == Fate::New).count();
        assert!((1850..2150).contains(&new), "{new} of 4000");
        assert!(whole.iter().all(|fate| !matches!(fate, Fate::Torn(_))));
    }

    #[test]
    fn a_torn_slot_is_made_of_whole_units_of_both_versions() {
        let torn: Vec<u128> = fates(1024)
            .into_iter()
            .filter_map(|fate| match fate {
                Fate::Torn(mask) => Some(mask),
                _ => None,
            })
            .collect();
        assert!((850..1150).contains(&torn.len()), "{} of 4000", torn.len());
        for mask in torn {
            assert!(mask != 0 && mask != 0xFF, "{mask:b} is not torn");
            for unit in 0..4 {
                let sectors = mask >> (2 * unit) & 0b11;
                assert!(sectors == 0 || sectors == 0b11, "{mask:b} tears a unit");
            }
        }
    }

    #[test]
    fn the_seed_decides_and_each_cut_has_another() {
        assert_eq!(fates(512), fates(512));
        let of = |seed, before| {
            let cut = PowerCut::nth(seed, before, 4096);
            (0..200).map(|n| cut.fate(n, 4096)).collect::<Vec<_>>()
        };
        assert_ne!(of(1, 0), of(2, 0));
        assert_ne!(of(1, 0), of(1, 1));
    }
}
