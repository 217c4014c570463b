//! From what to what a chart goes in a direction, and where it has marks.

use super::LETTER;
use crate::format::{literal, round_to_digits};
use std::ops::Range;

/// Steps between round marks, about.
const STEPS: f64 = 8.0;
/// Digits of a round mark.
const DIGITS: i32 = 3;

/// A direction of a chart.
#[derive(Debug)]
pub struct Axis {
    /// The quantity with its unit; empty for none.
    pub name: String,
    /// The value at its beginning.
    pub low: f64,
    /// The value at its end.
    pub high: f64,
    /// True if equal ratios have equal room.
    pub is_log: bool,
    /// Places with what stands at them.
    pub marks: Vec<(f64, String)>,
}

impl Axis {
    /// A linear axis with marks at round numbers. All values may be the same.
    #[must_use]
    pub fn round(name: String, ends: Range<f64>) -> Axis {
        let low = ends.start;
        let high = if ends.is_empty() { low + 1.0 } else { ends.end };
        let rough = (high - low) / STEPS;
        let power = 10_f64.powf(rough.log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|of| of * power);
        let step = steps.into_iter().find(|step| *step >= rough);
        let step = step.unwrap_or(rough);
        let marks = ((low / step).ceil() as i64)..=((high / step).floor() as i64);
        let mark = |n: i64| {
            let at = n as f64 * step;
            (at, literal(&round_to_digits(at, DIGITS).to_string()))
        };
        Axis {
            name,
            low,
            high,
            is_log: false,
            marks: marks.map(mark).collect(),
        }
    }

    /// An axis on which equal ratios have equal room, with marks at 1, 2 and 5 of each power of ten. All values are above 0.
    #[must_use]
    pub fn ratios(name: String, ends: Range<f64>) -> Axis {
        let (low, high) = (ends.start / 1.2, ends.end * 1.2);
        let powers = low.log10().floor() as i32..=high.log10().ceil() as i32;
        let marks = powers.flat_map(|power| [1.0, 2.0, 5.0].map(|of| of * 10_f64.powi(power)));
        let mark = |at: f64| (at, literal(&round_to_digits(at, DIGITS).to_string()));
        Axis {
            name,
            low,
            high,
            is_log: true,
            marks: marks
                .filter(|at| (low..=high).contains(at))
                .map(mark)
                .collect(),
        }
    }

    /// Returns the place of a value, from 0 at the low end to 1 at the high one.
    pub fn share(&self, value: f64) -> f64 {
        let [value, low, high] = [value, self.low, self.high].map(|of| match self.is_log {
            true => of.ln(),
            false => of,
        });
        (value - low) / (high - low)
    }

    /// Letters of its longest mark.
    pub fn longest_mark(&self) -> f64 {
        let letters = self.marks.iter().map(|(_, words)| words.chars().count());
        letters.max().unwrap_or(0) as f64
    }

    /// Its marks in pixels, without those that would touch the one before.
    pub fn spaced(&self, place: impl Fn(f64) -> f64) -> Vec<(f64, &str)> {
        let mut free = f64::NEG_INFINITY;
        let mut spaced = Vec::new();
        for (at, words) in &self.marks {
            let (x, half) = (place(*at), words.chars().count() as f64 * LETTER / 2.0);
            if x - half > free {
                free = x + half + 2.0 * LETTER;
                spaced.push((x, words.as_str()));
            }
        }
        spaced
    }
}
