//! Blocks of a region that no request has had yet, for requests of several sizes that have each block once.

use super::law::below;
use ftlab_base::rng::Stream;

/// Bits of a word.
const BITS: u64 = u64::BITS as u64;

/// A set of blocks that have been had: one bit each, and above them a bit for each word that is full, and so on.
#[derive(Debug, Clone)]
pub struct FreeMap {
    blocks: u64,
    /// The blocks, then ever shorter summaries; the last is one word.
    levels: Vec<Vec<u64>>,
}

impl FreeMap {
    /// All of `blocks` blocks are free.
    pub fn new(blocks: u64) -> FreeMap {
        let mut levels = Vec::new();
        let mut bits = blocks;
        loop {
            let words = bits.div_ceil(BITS);
            let mut level = vec![0; words as usize];
            // What lies beyond the end is never free.
            if let Some(last) = level.last_mut().filter(|_| !bits.is_multiple_of(BITS)) {
                *last = u64::MAX << (bits % BITS);
            }
            levels.push(level);
            if words <= 1 {
                return FreeMap { blocks, levels };
            }
            bits = words;
        }
    }

    /// All are free again.
    pub fn clear(&mut self) {
        *self = FreeMap::new(self.blocks);
    }

    /// A block drawn at random, or the next free one behind it, where fio looks too; none where none is free.
    pub fn find(&self, rng: &mut Stream) -> Option<u64> {
        let drawn = below(self.blocks, rng);
        self.next_free(drawn).or_else(|| self.next_free(0))
    }

    /// Takes `length` blocks from one on, up to the first that is taken already, and returns their number.
    pub fn take(&mut self, from: u64, length: u64) -> u64 {
        let mut taken = 0;
        while taken < length && self.is_free(from + taken) {
            self.set(from + taken);
            taken += 1;
        }
        taken
    }

    fn is_free(&self, block: u64) -> bool {
        let bit = 1 << (block % BITS);
        block < self.blocks && self.levels[0][(block / BITS) as usize] & bit == 0
    }

    fn set(&mut self, block: u64) {
        let mut bit = block;
        for level in &mut self.levels {
            let word = &mut level[(bit / BITS) as usize];
            *word |= 1 << (bit % BITS);
            if *word != u64::MAX {
                return;
            }
            bit /= BITS;
        }
    }

    /// The first free block from one on.
    fn next_free(&self, from: u64) -> Option<u64> {
        let mut bit = from;
        for (height, level) in self.levels.iter().enumerate() {
            let word = level.get((bit / BITS) as usize)?;
            let free = !word & (u64::MAX << (bit % BITS));
            if free != 0 {
                return Some(
                    self.descend(height, bit / BITS * BITS + u64::from(free.trailing_zeros())),
                );
            }
            // Nothing is left of this word: on with the next.
            bit = bit / BITS + 1;
        }
        None
    }

    /// The first free block below a bit of a summary that says that there is one.
    fn descend(&self, height: usize, bit: u64) -> u64 {
        self.levels[..height].iter().rev().fold(bit, |bit, level| {
            bit * BITS + u64::from((!level[bit as usize]).trailing_zeros())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftlab_base::RootSeed;

    #[test]
    fn every_block_is_had_once_whatever_the_lengths() {
        let mut rng = RootSeed(1).stream("free map");
        for blocks in [1, 2, 63, 64, 65, 4_096, 4_097, 300_000] {
            let mut map = FreeMap::new(blocks);
            let mut had = vec![false; blocks as usize];
            while let Some(from) = map.find(&mut rng) {
                let length = 1 + below(5, &mut rng);
                let taken = map.take(from, length);
                assert!((1..=length).contains(&taken));
                for block in from..from + taken {
                    assert!(
                        !std::mem::replace(&mut had[block as usize], true),
                        "{block}"
                    );
                }
            }
            assert!(had.iter().all(|&had| had), "{blocks}");
            map.clear();
            assert_eq!(map.take(0, blocks), blocks);
        }
    }
}
