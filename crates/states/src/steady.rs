//! The steady state of random writes, after SNIA's rule.
//!
//! SNIA SSS PTS 2.0.2 repeats a load in rounds until its rule (`steady_rule.rs`) holds. What is
//! different here:
//!
//! - A round is not a minute but the capacity written once: without a clock amounts are all there
//!   is. A drive that rewrites whole blocks has a shorter one, see [`PROGRAMMED_MAX`].
//! - What is measured is not IOPS but what they are proportional to when flash is the limit: bytes
//!   written for a byte programmed, 1 / WA.
//! - Where a closed form says how full superblocks end up, the drive begins with the short cut
//!   (`fast.rs`) and its rounds are shorter: nothing has to settle, and the rule finds out whether
//!   that is so. Five rounds program the flash once over, so that every superblock may have been
//!   collected. Without this, 80 GB take a minute and more.
//! - Any other drive is filled once, not twice, before: without collection the second pass changes
//!   only which slots are invalid, and the rounds change all of them.

use super::writes::Writer;
use crate::steady_rule::{ROUNDS_MAX, WINDOW, Window, is_steady};
use crate::{PrepareError, fast};
use ftlab_base::rng::Stream;
use rand::RngExt;

pub const STEP: &str = "A new drive written until its superblocks are as full as the closed form of \
                        its victim policy says, or in order where none is known; then rounds of \
                        random writes of 4 KiB over the whole drive, until over five rounds the \
                        bytes written for a byte programmed range over at most 20 % of their mean \
                        and their fitted line moves by at most 10 % (after SNIA SSS PTS), or 25 \
                        rounds are over.";

/// A round of a drive without page mapping also ends when its flash has been programmed N times
/// over, in capacities. One that rewrites a block of hundreds of pages for a random write would take
/// days for its capacity, and has rewritten every block several times by then.
const PROGRAMMED_MAX: u64 = 4;

/// Beginning of a drive's rounds, and their length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// The closed form of its victim policy; a fifth of its capacity is programmed in a round.
    ClosedForm,
    /// Everything written once, in order; a round writes its capacity.
    Filled,
    /// Everything written once, in order; a round ends when flash has been programmed four times over.
    FilledBlocks,
}

impl Start {
    /// Brings a new drive there.
    fn make(writer: &mut Writer<'_>, stream: &mut Stream) -> Result<Start, PrepareError> {
        match fast::start(writer, stream) {
            Ok(()) => return Ok(Start::ClosedForm),
            Err(PrepareError::NoFastStart(_)) => writer.fill()?,
            Err(error) => return Err(error),
        }
        Ok(match writer.device.page_layer() {
            Some(_) => Start::Filled,
            None => Start::FilledBlocks,
        })
    }

    /// Returns the most bytes that a round programs.
    fn programmed_max(self, capacity_bytes: u64) -> u64 {
        match self {
            Start::ClosedForm => capacity_bytes / WINDOW as u64,
            Start::Filled => u64::MAX,
            Start::FilledBlocks => capacity_bytes * PROGRAMMED_MAX,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Start::ClosedForm => {
                "It began as full as the closed form says, with rounds in which a fifth of its \
                 capacity is programmed."
            }
            Start::Filled => "It began filled in order, with rounds of its capacity written once.",
            Start::FilledBlocks => {
                "It began filled in order, with rounds of its capacity written once or programmed \
                 four times."
            }
        }
    }
}

/// Settling of a drive.
#[derive(Debug, Clone, PartialEq)]
pub struct Settling {
    /// Beginning of the rounds.
    pub start: Start,
    /// Bytes written for a byte programmed, round by round.
    pub rounds: Vec<f64>,
    /// True if the rule held in the end.
    pub settled: bool,
}

impl Settling {
    /// Describes the settling in words.
    #[must_use]
    pub fn words(&self) -> String {
        let (start, rounds) = (self.start.words(), self.rounds.len());
        if self.settled {
            return format!("{start} It was steady after {rounds} rounds.");
        }
        let Some(window) = Window::last(&self.rounds) else {
            return format!("{start} It was NOT steady after {rounds} rounds.");
        };
        format!(
            "{start} It was NOT steady after {rounds} rounds: over the last {WINDOW}, bytes written \
             for a byte programmed ranged over {:.1} % of their mean and their line moved by {:.1} %.",
            100.0 * window.excursion,
            100.0 * window.slope
        )
    }
}

/// Writes rounds on a new drive until it is steady.
pub fn settle(writer: &mut Writer<'_>, stream: &mut Stream) -> Result<Settling, PrepareError> {
    let start = Start::make(writer, stream)?;
    let programmed_max = start.programmed_max(writer.capacity_bytes());
    let mut rounds = Vec::new();
    while !is_steady(&rounds) && rounds.len() < ROUNDS_MAX {
        let round_now = rounds.len() + 1;
        writer.stage = format!("preparing, steady: round {round_now} of {ROUNDS_MAX} at most");
        rounds.push(round(writer, programmed_max, stream)?);
    }
    let settled = is_steady(&rounds);
    Ok(Settling {
        start,
        rounds,
        settled,
    })
}

/// Plays one round and returns the bytes written for a byte programmed.
fn round(
    writer: &mut Writer<'_>,
    programmed_max: u64,
    stream: &mut Stream,
) -> Result<f64, PrepareError> {
    let (places, start) = (writer.places(), writer.device.counters());
    let draw = || stream.random_range(0..places);
    writer.write_places(places, draw, |device| {
        device.counters().since(&start).nand_bytes_programmed >= programmed_max
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
            start: Start::Filled,
            rounds,
            settled: false,
        }
        .words();
        assert!(words.contains("NOT steady after 6 rounds"), "{words}");
        assert!(words.contains("over 38.5 % of their mean"), "{words}");
    }
}
