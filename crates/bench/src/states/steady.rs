//! The steady state of random writes, after SNIA's rule.
//!
//! SNIA SSS PTS 2.0.2 repeats a load in rounds until its rule (`steady_rule.rs`) holds. What is
//! different here:
//!
//! - A round is not a minute but the capacity written once: without a clock amounts are all there
//!   is. A drive that rewrites whole blocks has a shorter one, see [`PROGRAMMED_MAX`].
//! - What is measured is not IOPS but what they are proportional to when flash is the limit: bytes
//!   written for a byte programmed, 1 / WA.
//! - The drive is filled once, not twice, before: without collection the second pass changes only
//!   which slots are invalid, and the rounds change all of them.

use super::PrepareError;
use super::writes::Writer;
use crate::steady_rule::{ROUNDS_MAX, WINDOW, Window, is_steady};
use ftlab_base::rng::Stream;
use rand::RngExt;

pub const STEP: &str = "Then rounds of random writes of 4 KiB over the whole drive, each its \
                        capacity written once or, on drives that rewrite whole blocks, four \
                        times programmed, until over five rounds the bytes written for a byte \
                        programmed range over at most 20 % of their mean and their fitted line \
                        moves by at most 10 % (after SNIA SSS PTS), or 25 rounds are over.";

/// A round of a drive without page mapping also ends when its flash has been programmed so many times
/// over, in capacities. One that rewrites a block of hundreds of pages for a random write would take
/// days for its capacity, and has rewritten every block several times by then.
const PROGRAMMED_MAX: u64 = 4;

/// How a drive settled.
#[derive(Debug, Clone, PartialEq)]
pub struct Settling {
    /// Bytes written for a byte programmed, round by round.
    pub rounds: Vec<f64>,
    /// Whether the rule held in the end.
    pub settled: bool,
}

impl Settling {
    /// How it went, in words.
    #[must_use]
    pub fn words(&self) -> String {
        let rounds = self.rounds.len();
        if self.settled {
            return format!("It was steady after {rounds} rounds.");
        }
        let Some(window) = Window::last(&self.rounds) else {
            return format!("It was NOT steady after {rounds} rounds.");
        };
        format!(
            "It was NOT steady after {rounds} rounds: over the last {WINDOW}, bytes written for a byte \
             programmed ranged over {:.1} % of their mean and their line moved by {:.1} %.",
            100.0 * window.excursion,
            100.0 * window.slope
        )
    }
}

/// Writes rounds until the drive is steady.
pub fn settle(writer: &mut Writer<'_>, stream: &mut Stream) -> Result<Settling, PrepareError> {
    let mut rounds = Vec::new();
    while !is_steady(&rounds) && rounds.len() < ROUNDS_MAX {
        rounds.push(round(writer, stream)?);
    }
    let settled = is_steady(&rounds);
    Ok(Settling { rounds, settled })
}

/// One round; gives the bytes written for a byte programmed.
fn round(writer: &mut Writer<'_>, stream: &mut Stream) -> Result<f64, PrepareError> {
    let (places, start) = (writer.places(), writer.device.counters());
    let enough = match writer.device.page_layer() {
        Some(_) => u64::MAX,
        None => writer.capacity_bytes() * PROGRAMMED_MAX,
    };
    let draw = || stream.random_range(0..places);
    writer.write_places(places, draw, |device| {
        device.counters().since(&start).nand_bytes_programmed >= enough
    })?;
    let done = writer.device.counters().since(&start);
    Ok(done.host_bytes_written as f64 / (done.nand_bytes_programmed.max(1)) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drive_that_does_not_settle_is_told_with_its_figures() {
        let rounds = [0.8, 1.2].repeat(3);
        let words = Settling {
            rounds,
            settled: false,
        }
        .words();
        assert!(words.contains("NOT steady after 6 rounds"), "{words}");
        assert!(words.contains("over 38.5 % of their mean"), "{words}");
    }
}
