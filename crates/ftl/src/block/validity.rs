//! Slots that the host has written and not trimmed: a bit each, block by block.

use ftlab_nand::StateError;

/// Bits of a word.
const BITS: u32 = u64::BITS;

/// A bit for every slot. A logical block starts on a word of its own, so that its highest valid
/// slot is found word by word.
#[derive(Debug, Clone)]
pub(super) struct Validity {
    words: Vec<u64>,
    words_per_block: usize,
}

impl Validity {
    pub fn new(blocks: usize, slots_per_block: u32) -> Validity {
        let words_per_block = slots_per_block.div_ceil(BITS) as usize;
        Validity {
            words: vec![0; blocks * words_per_block],
            words_per_block,
        }
    }

    pub fn get(&self, block: usize, offset: u32) -> bool {
        self.words[self.word(block, offset)] & mask(offset) != 0
    }

    pub fn set(&mut self, block: usize, offset: u32) {
        let word = self.word(block, offset);
        self.words[word] |= mask(offset);
    }

    /// Clears a slot's bit; returns true if it was set.
    pub fn clear(&mut self, block: usize, offset: u32) -> bool {
        let word = self.word(block, offset);
        let was = self.words[word] & mask(offset) != 0;
        self.words[word] &= !mask(offset);
        was
    }

    /// The highest valid offset of a block.
    pub fn last(&self, block: usize) -> Option<u32> {
        let first = block * self.words_per_block;
        let words = &self.words[first..first + self.words_per_block];
        let n = words.iter().rposition(|&word| word != 0)?;
        Some(n as u32 * BITS + words[n].ilog2())
    }

    /// Valid slots of all blocks.
    pub fn count(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }

    /// All bits, block by block.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Takes over the bits of other slots of the same number.
    pub fn restore(&mut self, words: Vec<u64>) -> Result<(), StateError> {
        StateError::length("the table of valid slots", words.len(), self.words.len())?;
        self.words = words;
        Ok(())
    }

    fn word(&self, block: usize, offset: u32) -> usize {
        block * self.words_per_block + (offset / BITS) as usize
    }
}

fn mask(offset: u32) -> u64 {
    1 << (offset % BITS)
}
