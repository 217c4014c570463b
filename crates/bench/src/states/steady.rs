//! The steady state of random writes, after SNIA's rule.
//!
//! SNIA SSS PTS 2.0.2 repeats a load in rounds until, over five of them, the measured quantity
//! ranges over at most 20 % of its mean and its fitted line moves by at most 10 %; after 25 rounds
//! it gives up. What is different here:
//!
//! - A round is not a minute but the capacity written once: without a clock amounts are all there
//!   is. A drive that rewrites whole blocks has a shorter one, see [`PROGRAMMED_MAX`].
//! - What is measured is not IOPS but what they are proportional to when flash is the limit: bytes
//!   written for a byte programmed, 1 / WA.
//! - The drive is filled once, not twice, before: without collection the second pass changes only
//!   which slots are invalid, and the rounds change all of them.

use super::PrepareError;
use super::writes::{WRITES_A_LOOK, Writer};
use ftlab_base::rng::Stream;
use rand::RngExt;

pub const STEP: &str = "Then rounds of random writes of 4 KiB over the whole drive, each its \
                        capacity written once or, on drives that rewrite whole blocks, four \
                        times programmed, until over five rounds the bytes written for a byte \
                        programmed range over at most 20 % of their mean and their fitted line \
                        moves by at most 10 % (after SNIA SSS PTS), or 25 rounds are over.";

/// Rounds that are looked at together.
pub const WINDOW: usize = 5;

/// Rounds after which a drive counts as one that does not settle.
pub const ROUNDS_MAX: usize = 25;

/// The most that the largest and the smallest value of a window may differ, of its mean.
const EXCURSION_MAX: f64 = 0.20;

/// The most that the line fitted to a window may rise or fall over it, of its mean.
const SLOPE_MAX: f64 = 0.10;

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
        let window = &self.rounds[rounds.saturating_sub(WINDOW)..];
        format!(
            "It was NOT steady after {rounds} rounds: over the last {}, bytes written for a byte \
             programmed ranged over {:.1} % of their mean and their line moved by {:.1} %.",
            window.len(),
            100.0 * excursion(window),
            100.0 * slope(window)
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
    for n in 0..places {
        let programmed = || writer.device.counters().since(&start).nand_bytes_programmed;
        if n % WRITES_A_LOOK == 0 && programmed() >= enough {
            break;
        }
        writer.write_place(stream.random_range(0..places))?;
    }
    let done = writer.device.counters().since(&start);
    Ok(done.host_bytes_written as f64 / (done.nand_bytes_programmed.max(1)) as f64)
}

fn is_steady(rounds: &[f64]) -> bool {
    let Some(first) = rounds.len().checked_sub(WINDOW) else {
        return false;
    };
    let window = &rounds[first..];
    excursion(window) <= EXCURSION_MAX && slope(window) <= SLOPE_MAX
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// How far the values of a window lie apart, of their mean.
fn excursion(window: &[f64]) -> f64 {
    let most = window.iter().copied().fold(f64::MIN, f64::max);
    let least = window.iter().copied().fold(f64::MAX, f64::min);
    (most - least) / mean(window)
}

/// How far the line through the values, by least squares, moves over the window, of their mean.
fn slope(window: &[f64]) -> f64 {
    let middle = (window.len() - 1) as f64 / 2.0;
    let mean = mean(window);
    let along = |n: usize| n as f64 - middle;
    let with: f64 = (0..).zip(window).map(|(n, y)| along(n) * (y - mean)).sum();
    let square: f64 = (0..window.len()).map(|n| along(n) * along(n)).sum();
    (with / square * 2.0 * middle / mean).abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_steady_within_both_bounds() {
        assert!(!is_steady(&[1.0; 4]), "four rounds are no window");
        assert!(is_steady(&[9.0, 1.0, 1.0, 1.0, 1.0, 1.0]));
        // Up and down, without a trend: by just under 20 % and just over.
        assert!(is_steady(&[1.0, 1.099, 0.901, 1.099, 0.901]));
        assert!(!is_steady(&[1.0, 1.101, 0.899, 1.101, 0.899]));
        // A trend of just under 10 % and just over.
        assert!(is_steady(&[0.951, 0.975, 1.0, 1.025, 1.049]));
        assert!(!is_steady(&[0.949, 0.975, 1.0, 1.025, 1.051]));
        assert!(!is_steady(&[1.051, 1.025, 1.0, 0.975, 0.949]));
    }

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
