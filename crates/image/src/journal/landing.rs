//! Digest of the data that went to their places with a batch of the journal (`landed.rs`).

use std::ops::Range;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Slots that went to their places.
#[derive(Debug, Default)]
pub(crate) struct Landing(Vec<(u32, u64)>);

impl Landing {
    /// One more that did.
    pub(crate) fn note(&mut self, place: u32, slot: &[u8]) {
        self.0.push((place, xxh3_64(slot)));
    }

    /// These places are erased next, so nobody can look there any more, nor needs what lies there.
    pub(crate) fn forget(&mut self, places: &Range<u32>) {
        self.0.retain(|(place, _)| !places.contains(place));
    }

    /// The checksum of all of them; nothing if there is none.
    pub(crate) fn digest(&self) -> Option<u64> {
        self.0.iter().fold(None, |before, (place, slot)| {
            let place = xxh3_64_with_seed(&place.to_le_bytes(), before.unwrap_or_default());
            Some(xxh3_64_with_seed(&slot.to_le_bytes(), place))
        })
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}
