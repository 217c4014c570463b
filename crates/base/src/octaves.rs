//! Buckets of a scale by octaves, each in equal parts, as HdrHistogram has them.

/// A scale whose buckets keep so many bits of a number, the leading one among them: a bucket is at most a 2^(`BITS` - 1)th
/// wider than its least number.
#[derive(Debug, Clone, Copy)]
pub struct Octaves<const BITS: u32>;

impl<const BITS: u32> Octaves<BITS> {
    const PER_OCTAVE: u64 = 1 << (BITS - 1);

    /// Returns the number of buckets for all numbers up to `most`.
    #[must_use]
    pub const fn count(most: u64) -> usize {
        Self::bucket(most) + 1
    }

    /// Returns the bucket of a number; the small ones have one each.
    #[must_use]
    #[inline]
    pub const fn bucket(number: u64) -> usize {
        let shift = (u64::BITS - BITS).saturating_sub(number.leading_zeros());
        (shift as u64 * Self::PER_OCTAVE + (number >> shift)) as usize
    }

    /// Returns the least number of a bucket.
    #[must_use]
    pub const fn least(bucket: usize) -> u64 {
        let (shift, part) = Self::parts(bucket);
        part << shift
    }

    /// Returns the largest number of a bucket.
    #[must_use]
    pub const fn largest(bucket: usize) -> u64 {
        let (shift, part) = Self::parts(bucket);
        (part << shift) + ((1 << shift) - 1)
    }

    const fn parts(bucket: usize) -> (u64, u64) {
        let bucket = bucket as u64;
        let shift = (bucket / Self::PER_OCTAVE).saturating_sub(1);
        (shift, bucket - shift * Self::PER_OCTAVE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_in_order_and_hold_what_is_between_their_ends() {
        let mut before = 0;
        let powers = (13..64).flat_map(|bit| [(1 << bit) - 1, 1 << bit, 3 << (bit - 1)]);
        for number in (0..8_000).chain(powers).chain([u64::MAX]) {
            let of = Octaves::<7>::bucket(number);
            assert!(of >= before && of < Octaves::<7>::count(u64::MAX));
            before = of;
            let (least, largest) = (Octaves::<7>::least(of), Octaves::<7>::largest(of));
            assert!(least <= number && number <= largest, "{number}");
            assert!(largest - least <= least / 64, "{number}");
            assert_eq!(Octaves::<7>::bucket(largest), of);
        }
    }
}
