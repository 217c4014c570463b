//! Policies of choosing victims that have a closed form.

use crate::{OutOfDomain, choices, fifo, greedy, random};
use std::fmt;

/// A victim policy with a closed form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Policy {
    /// The block that was written first.
    Fifo,
    /// The block with the fewest valid pages.
    Greedy,
    /// The best of N blocks drawn at random.
    Choices(u32),
    /// Any block, each as likely.
    Random,
}

impl Policy {
    /// Write amplification under uniform writes.
    ///
    /// # Errors
    /// α or b is out of the domain of the formula.
    pub fn uniform(self, alpha: f64, pages_per_block: u32) -> Result<f64, OutOfDomain> {
        match self {
            Policy::Fifo => fifo(alpha),
            Policy::Greedy => greedy(alpha, pages_per_block),
            Policy::Choices(draws) => choices(alpha, pages_per_block, draws),
            Policy::Random => random(alpha),
        }
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Policy::Fifo => f.write_str("FIFO"),
            Policy::Greedy => f.write_str("greedy"),
            Policy::Choices(draws) => write!(f, "d-choices, d = {draws}"),
            Policy::Random => f.write_str("random"),
        }
    }
}
