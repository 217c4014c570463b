//! Division by a number that stays the same: a multiplication instead of a division.

/// A divisor of 32-bit numbers.
///
/// With `m = ⌈2⁶⁴ / d⌉`, `⌊n · m / 2⁶⁴⌋ = ⌊n / d⌋` for every `n < 2³²` (Lemire, Kaser and Kurz 2019).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Divisor {
    divisor: u32,
    inverse: u64,
}

impl Divisor {
    /// A divisor that is not zero.
    ///
    /// # Panics
    /// When it is.
    #[must_use]
    pub const fn new(divisor: u32) -> Divisor {
        assert!(divisor > 0, "division by zero");
        // For 1 the inverse would be 2⁶⁴; 0 stands for it.
        let inverse = if divisor == 1 {
            0
        } else {
            u64::MAX / divisor as u64 + 1
        };
        Divisor { divisor, inverse }
    }

    /// Returns `n` divided by the divisor, rounded down.
    #[inline]
    #[must_use]
    pub const fn quotient(self, n: u32) -> u32 {
        if self.inverse == 0 {
            return n;
        }
        ((n as u128 * self.inverse as u128) >> 64) as u32
    }

    /// The quotient and the remainder.
    #[inline]
    #[must_use]
    pub const fn divide(self, n: u32) -> (u32, u32) {
        let quotient = self.quotient(n);
        (quotient, n - quotient * self.divisor)
    }

    /// Returns the number that it divides by.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.divisor
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix64;

    #[test]
    fn it_divides_like_division() {
        let numbers = (0..20_000u64).map(|i| mix64(i) as u32);
        for (i, n) in numbers.enumerate() {
            let d = [1, 2, 3, 5, 20, 2560, 4096, 65_535, u32::MAX, n | 1][i % 10];
            for n in [n, 0, u32::MAX, d, d - 1] {
                assert_eq!(Divisor::new(d).divide(n), (n / d, n % d), "{n} / {d}");
            }
        }
    }
}
