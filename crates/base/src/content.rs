//! Nature of written data, for a drive that compresses them and looks for duplicates.

use crate::hash::mix64;
use serde::{Deserialize, Serialize};

/// Bits of the share that is left after compression.
const SHARE_BITS: u32 = 16;
/// The share of data that do not compress at all.
const WHOLE: u64 = (1 << SHARE_BITS) - 1;

/// Nature of written data in one word: the share that compression leaves, and their identity. A drive that does not
/// compress never looks at it.
///
/// Data of one identity are the same data. Data without one are taken to be like no others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Content(u64);

/// The quotient, to the nearest.
const fn ratio(n: u64, of: u64) -> u64 {
    (n + of / 2) / of
}

/// Identity of data: equal for equal data, and never zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Identity(std::num::NonZeroU64);

impl Identity {
    /// The identity of data with this hash; a random number makes one, too.
    #[must_use]
    pub fn of(hash: u64) -> Identity {
        let folded = hash >> SHARE_BITS;
        Identity(std::num::NonZeroU64::new(folded).unwrap_or(std::num::NonZeroU64::MIN))
    }

    /// The number: 48 bits, never zero.
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0.get()
    }
}

impl Content {
    /// Random data: nothing compresses, and no two are alike. Also for commands that carry no data.
    pub const RANDOM: Content = Content(WHOLE);
    /// Zeros, all with one identity.
    pub const ZEROS: Content = Content(1 << SHARE_BITS);

    /// Data like no others, of which N percent compress away.
    #[must_use]
    pub fn compressible(percent: u8) -> Content {
        let left = 100 - u64::from(percent.min(100));
        Content(ratio(WHOLE * left, 100))
    }

    /// Data of which a codec made `compressed` bytes out of `bytes`.
    #[must_use]
    pub fn compressed(compressed: u32, bytes: u32) -> Content {
        let left = u64::from(compressed.min(bytes)) * WHOLE;
        Content(ratio(left, u64::from(bytes.max(1))))
    }

    /// The word, to be kept.
    #[must_use]
    pub const fn word(self) -> u64 {
        self.0
    }

    /// Unpacks the result of [`Content::word`].
    #[must_use]
    pub const fn of_word(word: u64) -> Content {
        Content(word)
    }

    /// Returns this content with an identity.
    #[must_use]
    pub const fn with_identity(self, identity: Identity) -> Content {
        Content(self.0 & WHOLE | identity.number() << SHARE_BITS)
    }

    /// Returns this content without an identity: with something else around them, data are like no others.
    #[must_use]
    #[inline]
    pub const fn anonymous(self) -> Content {
        Content(self.0 & WHOLE)
    }

    /// Returns the identity of the data, if there may be others like them.
    #[must_use]
    #[inline]
    pub fn identity(self) -> Option<Identity> {
        std::num::NonZeroU64::new(self.0 >> SHARE_BITS).map(Identity)
    }

    /// Returns the number of bytes that compression leaves of `bytes` bytes.
    #[must_use]
    #[inline]
    pub const fn bytes_left(self, bytes: u32) -> u32 {
        ratio((self.0 & WHOLE) * bytes as u64, WHOLE) as u32
    }

    /// The `n`-th piece of these data: as compressible, and with an identity of its own. Pieces of
    /// zeros are zeros.
    #[must_use]
    #[inline]
    pub fn piece(self, n: u32) -> Content {
        match self.identity() {
            Some(whole) if self != Content::ZEROS => {
                self.with_identity(Identity::of(mix64(whole.number() + u64::from(n) * WHOLE)))
            }
            _ => self,
        }
    }

    /// `parts` parts of these data with `others` parts of `other`. A mixture is like nothing else.
    #[must_use]
    pub fn mixed(self, parts: u32, other: Content, others: u32) -> Content {
        if self == Content::ZEROS && other == Content::ZEROS {
            return self;
        }
        let sum = u64::from(parts) + u64::from(others);
        let left = (self.0 & WHOLE) * u64::from(parts) + (other.0 & WHOLE) * u64::from(others);
        Content(ratio(left, sum.max(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_what_does_not_compress_away() {
        let left = |content: Content| content.bytes_left(4096);
        assert_eq!(left(Content::RANDOM), 4096);
        assert_eq!(left(Content::ZEROS), 0);
        assert_eq!(left(Content::compressible(0)), 4096);
        assert_eq!(left(Content::compressible(100)), 0);
        assert_eq!(left(Content::compressible(255)), 0);
        assert_eq!(left(Content::compressible(50)), 2048);
        assert_eq!(left(Content::compressible(75)), 1024);
        for bytes in [0, 1, 41, 2048, 4095, 4096] {
            assert_eq!(left(Content::compressed(bytes, 4096)), bytes);
        }
        assert_eq!(left(Content::compressed(5000, 4096)), 4096);
    }

    #[test]
    fn pieces_of_equal_data_are_equal_one_by_one() {
        let data = |n: u64| Content::compressible(30).with_identity(Identity::of(n << 20));
        assert_eq!(data(7).piece(3), data(7).piece(3));
        assert_ne!(data(7).piece(3), data(7).piece(4));
        assert_ne!(data(7).piece(3), data(8).piece(3));
        assert_eq!(data(7).piece(3).bytes_left(1000), data(7).bytes_left(1000));
        assert_eq!(Content::RANDOM.piece(5), Content::RANDOM);
        assert_eq!(Content::ZEROS.piece(5), Content::ZEROS);
    }

    #[test]
    fn a_mixture_lies_between_and_is_like_nothing_else() {
        let half = Content::ZEROS.mixed(4, Content::RANDOM, 4);
        assert_eq!(half.bytes_left(4096), 2048);
        assert_eq!(half.identity(), None);
        assert_eq!(Content::ZEROS.mixed(3, Content::ZEROS, 5), Content::ZEROS);
        let known = Content::RANDOM.with_identity(Identity::of(1 << 30));
        assert_eq!(known.mixed(1, known, 1).identity(), None);
    }

    #[test]
    fn an_identity_is_never_zero() {
        assert_eq!(Identity::of(0), Identity::of(1));
        assert!(Identity::of(0).number() > 0);
        let content = Content::RANDOM.with_identity(Identity::of(u64::MAX));
        assert_eq!(content.identity(), Some(Identity::of(u64::MAX)));
        assert_eq!(content.bytes_left(512), 512);
    }
}
