//! Blocks that were programmed before the drive had bytes: an image of a used drive is made without writing its data.
//!
//! What was programmed in them reads as zeros, and takes no room in the file. A block is blank until it is erased; data
//! that move out of it are written as the zeros that they are. Where nothing lies in a block that is not blank, that is
//! damage, as everywhere.

use ftlab_ftl::TranslationLayer;
use ftlab_nand::DataMove;

/// Set of blank blocks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Blank {
    /// A bit for each block; none at all if no block is.
    bits: Vec<u8>,
    places_a_block: u32,
}

fn places_a_block(layer: &dyn TranslationLayer) -> u32 {
    layer.places() / layer.layout().geometry.blocks()
}

impl Blank {
    /// The set of all blocks.
    pub(crate) fn all(layer: &dyn TranslationLayer) -> Blank {
        let blocks = layer.layout().geometry.blocks() as usize;
        Blank {
            bits: vec![u8::MAX; blocks.div_ceil(8)],
            places_a_block: places_a_block(layer),
        }
    }

    /// The set that a checkpoint names; none if its length does not fit the drive.
    pub(crate) fn of(bits: Vec<u8>, layer: &dyn TranslationLayer) -> Option<Blank> {
        let blocks = layer.layout().geometry.blocks() as usize;
        let fits = bits.is_empty() || bits.len() == blocks.div_ceil(8);
        fits.then(|| Blank {
            bits,
            places_a_block: places_a_block(layer),
        })
    }

    /// The bits of the set, as a checkpoint has them.
    pub(crate) fn bits(&self) -> &[u8] {
        &self.bits
    }

    /// True if no block is blank.
    pub(crate) fn is_none(&self) -> bool {
        self.bits.is_empty()
    }

    /// True if a place is in a blank block.
    pub(crate) fn has(&self, place: u32) -> bool {
        !self.is_none() && {
            let block = place / self.places_a_block;
            self.bits[block as usize / 8] >> (block % 8) & 1 != 0
        }
    }

    /// Data moved: what is erased is blank no longer.
    pub(crate) fn follow(&mut self, step: &DataMove) {
        let DataMove::Erase { first, slots } = *step else {
            return;
        };
        if self.is_none() || slots == 0 {
            return;
        }
        for block in first.0 / self.places_a_block..=(first.0 + slots - 1) / self.places_a_block {
            self.bits[block as usize / 8] &= !(1 << (block % 8));
        }
    }
}
