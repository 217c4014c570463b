//! Hashes that are stable over releases and platforms: of operation streams, of ends of commands, of seeds.

use crate::time::SimTime;
use serde::{Deserialize, Serialize};

/// A bijective mix of 64 bits (the finaliser of SplitMix64, Steele et al. 2014).
#[must_use]
pub const fn mix64(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A running hash over a stream of words, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StreamHash(u64);

impl StreamHash {
    /// Takes in the next word.
    #[inline]
    pub fn word(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }

    /// Takes in the next bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.word(bytes.len() as u64);
        for &byte in bytes {
            self.word(u64::from(byte));
        }
    }

    /// The hash of everything taken in so far.
    #[must_use]
    pub fn value(self) -> u64 {
        mix64(self.0)
    }
}

/// A running hash over the ends of commands, in order: it tells whether two runs of a load went the same way to the nanosecond.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EndsHash(StreamHash);

impl EndsHash {
    /// Takes in the end of a command: how many were submitted before it, and when it ended.
    #[inline]
    pub fn note(&mut self, before: u64, at: SimTime) {
        self.0.word(before);
        self.0.word(at.since(SimTime::ZERO).0);
    }

    /// The hash of all ends so far.
    #[must_use]
    pub fn value(self) -> u64 {
        self.0.value()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_matters() {
        let of = |words: &[u64]| {
            let mut hash = StreamHash::default();
            words.iter().for_each(|&w| hash.word(w));
            hash.value()
        };
        assert_ne!(of(&[1, 2]), of(&[2, 1]));
        assert_ne!(of(&[]), of(&[0, 1]));
        assert_eq!(of(&[7, 8]), of(&[7, 8]));
    }
}
