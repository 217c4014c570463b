//! Blocks that hold data, for jobs that trim blocks in use.

use super::law::below;
use ftlab_base::rng::Stream;

/// A set of blocks, one bit each.
#[derive(Debug, Clone)]
pub struct InUse {
    words: Vec<u64>,
    blocks: u64,
    count: u64,
}

impl InUse {
    /// All of `blocks` blocks.
    pub fn full(blocks: u64) -> InUse {
        let words = vec![u64::MAX; blocks.div_ceil(64) as usize];
        InUse {
            words,
            blocks,
            count: blocks,
        }
    }

    /// Adds a block to the set.
    pub fn insert(&mut self, block: u64) {
        let (word, bit) = Self::place(block);
        self.count += u64::from(self.words[word] & bit == 0);
        self.words[word] |= bit;
    }

    /// Takes out a block, each with the same chance; none when the set is empty.
    ///
    /// Draws until it meets a member. Trims are fewer than writes, so in the long run at least one
    /// block in 26 is a member.
    pub fn take_random(&mut self, rng: &mut Stream) -> Option<u64> {
        if self.count == 0 {
            return None;
        }
        loop {
            let block = below(self.blocks, rng);
            let (word, bit) = Self::place(block);
            if self.words[word] & bit != 0 {
                self.words[word] &= !bit;
                self.count -= 1;
                return Some(block);
            }
        }
    }

    fn place(block: u64) -> (usize, u64) {
        ((block / 64) as usize, 1 << (block % 64))
    }
}
