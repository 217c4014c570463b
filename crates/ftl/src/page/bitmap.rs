//! One bit a slot, and the search for the next one set.

use ftlab_base::memory::prefetch;

/// A fixed number of bits, all clear at first.
#[derive(Debug, Clone)]
pub(super) struct Bitmap {
    words: Vec<u64>,
}

impl Bitmap {
    pub(super) fn new(bits: u32) -> Bitmap {
        Bitmap {
            words: vec![0; bits.div_ceil(64) as usize],
        }
    }

    #[inline]
    pub(super) fn set(&mut self, bit: u32) {
        self.words[(bit / 64) as usize] |= 1 << (bit % 64);
    }

    #[inline]
    pub(super) fn clear(&mut self, bit: u32) {
        self.words[(bit / 64) as usize] &= !(1 << (bit % 64));
    }

    /// Fetches from memory a bit that will soon be looked at.
    #[inline]
    pub(super) fn fetch(&self, bit: u32) {
        prefetch(&self.words, (bit / 64) as usize);
    }

    pub(super) fn get(&self, bit: u32) -> bool {
        self.words[(bit / 64) as usize] >> (bit % 64) & 1 == 1
    }

    /// The first set bit in `from..end`.
    #[inline]
    pub(super) fn next_set(&self, from: u32, end: u32) -> Option<u32> {
        if from >= end {
            return None;
        }
        let mut index = (from / 64) as usize;
        let mut word = self.words[index] & (u64::MAX << (from % 64));
        while word == 0 {
            index += 1;
            if index as u32 * 64 >= end {
                return None;
            }
            word = self.words[index];
        }
        let bit = index as u32 * 64 + word.trailing_zeros();
        (bit < end).then_some(bit)
    }

    /// Clears the first set bits from `from` on, as many as there is room for in `bits`, which gets them.
    ///
    /// # Panics
    /// When there are fewer.
    #[inline]
    pub(super) fn take(&mut self, from: u32, bits: &mut [u32]) {
        let mut index = (from / 64) as usize;
        let mut word = self.words[index] & (u64::MAX << (from % 64));
        for bit in bits {
            while word == 0 {
                index += 1;
                word = self.words[index];
            }
            *bit = index as u32 * 64 + word.trailing_zeros();
            self.words[index] &= !(word & word.wrapping_neg());
            word &= word - 1;
        }
    }

    /// Sets the bits from `first` on.
    #[inline]
    pub(super) fn set_all(&mut self, first: u32, bits: u32) {
        let (mut first, end) = (first, first + bits);
        while first < end {
            let count = (64 - first % 64).min(end - first);
            self.words[(first / 64) as usize] |= (u64::MAX >> (64 - count)) << (first % 64);
            first += count;
        }
    }

    /// Set bits in `from..end`.
    pub(super) fn count(&self, from: u32, end: u32) -> u32 {
        (from..end).map(|bit| u32::from(self.get(bit))).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::Bitmap;

    #[test]
    fn the_next_set_bit_is_found_within_the_range_only() {
        let mut bits = Bitmap::new(300);
        [3, 64, 200].into_iter().for_each(|b| bits.set(b));
        assert_eq!(bits.next_set(0, 300), Some(3));
        assert_eq!(bits.next_set(4, 300), Some(64));
        assert_eq!(bits.next_set(65, 200), None);
        assert_eq!(bits.next_set(65, 201), Some(200));
        assert_eq!(bits.next_set(201, 300), None);
        bits.clear(64);
        assert_eq!(bits.next_set(4, 300), Some(200));
        assert_eq!(bits.count(0, 300), 2);
        bits.set_all(60, 8);
        let mut taken = [0; 6];
        bits.take(61, &mut taken);
        assert_eq!(taken, [61, 62, 63, 64, 65, 66]);
        bits.take(61, &mut taken[..2]);
        assert_eq!((taken[0], taken[1]), (67, 200));
        assert_eq!(bits.count(0, 300), 2);
    }
}
