//! Shares of a sweep: which of several processes, that know nothing of each other, runs what.

use crate::SweepError;
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

/// A share: the K-th of N, K from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    number: u32,
    of: u32,
}

impl Share {
    /// The whole of the work.
    pub const ALL: Share = Share { number: 1, of: 1 };

    /// Returns `true` if the share is all of the work.
    #[must_use]
    pub fn is_all(self) -> bool {
        self.of == 1
    }

    /// Returns `true` if the unit of work with this number is in the share: every N-th is, so that shares are alike.
    #[must_use]
    pub fn has(self, unit: usize) -> bool {
        unit % self.of as usize == self.number as usize - 1
    }

    /// The name of the file of its rows.
    #[must_use]
    pub fn file(self) -> String {
        match self.is_all() {
            true => "sweep.parquet".to_owned(),
            false => format!("sweep-{}-of-{}.parquet", self.number, self.of),
        }
    }
}

impl Display for Share {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl FromStr for Share {
    type Err = SweepError;

    fn from_str(text: &str) -> Result<Share, SweepError> {
        let parts = text.split_once('/');
        let numbers = parts.and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
        match numbers {
            Some((number, of)) if (1..=of).contains(&number) => Ok(Share { number, of }),
            _ => Err(SweepError::Share(format!(
                "`{text}` is no share; give K/N with K from 1 to N, for example 3/64"
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_is_in_one_share() {
        let shares: Vec<Share> = (1..=3).map(|k| format!("{k}/3").parse().unwrap()).collect();
        for unit in 0..10 {
            assert_eq!(shares.iter().filter(|share| share.has(unit)).count(), 1);
        }
        assert_eq!(shares[2].file(), "sweep-3-of-3.parquet");
        assert!(Share::ALL.has(7));
        for wrong in ["0/3", "4/3", "3", "a/b", "1/0", "-1/2"] {
            assert!(wrong.parse::<Share>().is_err(), "{wrong}");
        }
    }
}
