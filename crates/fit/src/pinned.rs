//! What the measurements pin of a fitted drive: how far each number moves the figures, and the interval that leaves it.

use crate::bench::Bench;
use crate::candidate::{Candidate, Number};
use crate::solve::Aim;
use crate::target::{Figures, Kind, Place};
use nalgebra::{DMatrix, DVector};
use std::ops::RangeInclusive;

/// The factor by which a number is moved to see which figures move with it.
pub const MOVED_BY: f64 = 1.2;

/// The least relative change of a figure that pins the number that was moved.
pub const PINNED_FROM: f64 = 0.03;

/// Deviations of a normal distribution within which 95 of 100 draws lie.
const DEVIATIONS_95: f64 = 1.96;

/// A number of a drive file, as fitted.
#[derive(Debug, Clone)]
pub struct Found {
    /// The number.
    pub number: Number,
    /// Its value in the file that the fit began with.
    pub was: f64,
    /// Its value in the fitted file, in the unit of its prior.
    pub is: f64,
    /// The largest relative change of a figure when the number is a fifth larger or smaller, and the figure.
    pub moves: Option<(f64, Place)>,
    /// The interval in which it lies with 95 %, by the slopes of the figures and how well the model meets them. None of a
    /// number that no figure pins.
    pub interval: Option<RangeInclusive<f64>>,
}

impl Found {
    /// Returns true if a fifth more or less of it moves a figure by more than 3 %.
    #[must_use]
    pub fn is_pinned(&self) -> bool {
        self.moves
            .as_ref()
            .is_some_and(|(share, _)| *share > PINNED_FROM)
    }
}

/// The numbers of a fitted drive. Those that no figure pins are what the start has, and so they are in the candidate that
/// comes with them.
#[must_use]
pub fn found(
    bench: &Bench<'_>,
    aim: &Aim<'_>,
    start: &Candidate,
    fitted: &Candidate,
    numbers: &[Number],
) -> (Candidate, Vec<Found>) {
    let known: Vec<(Number, f64)> = numbers
        .iter()
        .filter_map(|&number| Some((number, fitted.get(number)?)))
        .collect();
    let mut all = vec![fitted.clone()];
    for (number, value) in &known {
        all.push(fitted.with(*number, value * MOVED_BY));
        all.push(fitted.with(*number, value / MOVED_BY));
    }
    let files: Vec<_> = all.iter().map(|of| of.file().ok()).collect();
    let figures = bench.figures(&files, &aim.tests, aim.size);
    let own = figures[0].clone().unwrap_or_default();
    let moves: Vec<Option<(f64, Place)>> = figures[1..]
        .chunks(2)
        .map(|two| largest_move(aim, &own, two))
        .collect();
    let widths = widths(aim, &figures, &known);
    let mut candidate = fitted.clone();
    let mut found = Vec::new();
    for (((number, value), moves), width) in known.into_iter().zip(moves).zip(widths) {
        let was = start.get(number).unwrap_or(value);
        let mut of = Found {
            number,
            was,
            is: value,
            moves,
            interval: None,
        };
        if of.is_pinned() {
            of.interval = width.map(|width| value / width.exp()..=value * width.exp());
        } else {
            candidate = candidate.with(number, was);
            of.is = was;
        }
        found.push(of);
    }
    (candidate, found)
}

/// The largest relative change of a figure that was measured and is of no tail. A drive that cannot be moved says nothing.
fn largest_move(aim: &Aim<'_>, own: &Figures, moved: &[Option<Figures>]) -> Option<(f64, Place)> {
    let figures = moved.iter().flatten().flatten();
    let moves = figures.filter_map(|(place, value)| {
        let is_known = !matches!(Kind::of(&place.metric)?, Kind::Tail | Kind::FarTail);
        let is_measured = aim.target.figures.contains_key(place);
        let own = own.get(place).filter(|_| is_known && is_measured)?;
        Some(((value / own - 1.0).abs(), place.clone()))
    });
    moves.max_by(|one, other| one.0.total_cmp(&other.0))
}

/// Half widths of the intervals of 95 % of the numbers' logarithms, by the slopes of all figures.
fn widths(aim: &Aim<'_>, figures: &[Option<Figures>], known: &[(Number, f64)]) -> Vec<Option<f64>> {
    let residuals: Vec<Option<DVector<f64>>> = figures
        .iter()
        .map(|of| {
            of.as_ref()
                .map(|of| DVector::from_vec(aim.residuals(Some(of))))
        })
        .collect();
    let Some(own) = &residuals[0] else {
        return vec![None; known.len()];
    };
    let step = MOVED_BY.ln();
    let slope = |two: &[Option<DVector<f64>>]| match two {
        [Some(more), Some(less)] => (more - less) / (2.0 * step),
        [Some(more), None] => (more - own) / step,
        [None, Some(less)] => (own - less) / step,
        _ => DVector::zeros(own.len()),
    };
    let slopes: Vec<DVector<f64>> = residuals[1..].chunks(2).map(slope).collect();
    if slopes.is_empty() {
        return Vec::new();
    }
    let slopes = DMatrix::from_columns(&slopes);
    let mut normal = slopes.transpose() * &slopes;
    for (n, (number, _)) in known.iter().enumerate() {
        normal[(n, n)] += number.prior().deviation.powi(-2);
    }
    let free = own.len().saturating_sub(known.len()).max(1) as f64;
    let scatter = (own.norm_squared() / free).max(1.0);
    let inverse = normal.try_inverse();
    let width = |n: usize| {
        inverse
            .as_ref()
            .map(|of| DEVIATIONS_95 * (of[(n, n)] * scatter).sqrt())
    };
    (0..known.len()).map(width).collect()
}
