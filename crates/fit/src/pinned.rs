//! What the measurements pin of a fitted drive: how far each number moves the figures, and the interval that leaves it.

use crate::bench::Bench;
use crate::candidate::{Candidate, Number};
use crate::solve::Aim;
use crate::target::{Figures, Kind, Place};
use nalgebra::{DMatrix, DVector};
use std::collections::BTreeMap;
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
    /// number that is what it was, as no figure pins it.
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

/// The share by which the misfit may grow when a number that no figure pins goes back to what it was.
const AS_WELL: f64 = 0.02;

/// The numbers of a fitted drive. One that no figure pins goes back to what the start has, unless the drive then fits less well: a
/// fifth of it may move no figure, and ten times as much of it many. The candidate that comes with them has them so.
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
    let moved = |by: f64| {
        known
            .iter()
            .map(move |(number, value)| fitted.with(*number, value * by))
    };
    let more = figures_of(
        bench,
        aim,
        std::iter::once(fitted.clone()).chain(moved(MOVED_BY)),
    );
    let own = more[0].clone().unwrap_or_default();
    let of = |moved: &Option<Figures>| largest_move(aim, &own, moved.as_ref()?);
    let mut moves: Vec<Option<(f64, Place)>> = more[1..].iter().map(of).collect();
    // What more of a number does not move, less of it may.
    let is_still =
        |moves: &Option<(f64, Place)>| moves.as_ref().is_none_or(|of| of.0 <= PINNED_FROM);
    let still: Vec<usize> = (0..known.len()).filter(|&n| is_still(&moves[n])).collect();
    let less = still
        .iter()
        .map(|&n| fitted.with(known[n].0, known[n].1 / MOVED_BY));
    let less = figures_of(bench, aim, less);
    for (&n, figures) in still.iter().zip(&less) {
        let other = of(figures);
        if other.as_ref().map_or(0.0, |of| of.0) > moves[n].as_ref().map_or(0.0, |of| of.0) {
            moves[n] = other;
        }
    }
    let less: BTreeMap<usize, &Option<Figures>> = still.into_iter().zip(&less).collect();
    let widths = widths(aim, &more, &less, &known);
    let mut candidate = fitted.clone();
    let most = aim.misfit_of(bench, &candidate) * (1.0 + AS_WELL) + 1.0;
    let mut found = Vec::new();
    for (((number, value), moves), width) in known.into_iter().zip(moves).zip(widths) {
        let was = start.get(number).unwrap_or(value);
        let mut of = Found {
            number,
            was,
            is: value,
            moves,
            interval: width.map(|width| value / width.exp()..=value * width.exp()),
        };
        let as_it_was = candidate.with(number, was);
        if !of.is_pinned() && aim.misfit_of(bench, &as_it_was) <= most {
            candidate = as_it_was;
            of.is = was;
            of.interval = None;
        }
        found.push(of);
    }
    (candidate, found)
}

/// Returns true if each of some drives has a figure that differs from the drive's by as much as pins a number.
#[must_use]
pub fn moves(bench: &Bench<'_>, aim: &Aim<'_>, drive: &Candidate, others: &[Candidate]) -> bool {
    let drives = std::iter::once(drive).chain(others).cloned();
    let figures = figures_of(bench, aim, drives);
    let own = figures[0].clone().unwrap_or_default();
    let moves = |other: &Option<Figures>| largest_move(aim, &own, other.as_ref()?);
    figures[1..]
        .iter()
        .all(|other| moves(other).is_some_and(|(share, _)| share > PINNED_FROM))
}

/// The figures of drives in all tests of an aim.
fn figures_of(
    bench: &Bench<'_>,
    aim: &Aim<'_>,
    drives: impl Iterator<Item = Candidate>,
) -> Vec<Option<Figures>> {
    let files: Vec<_> = drives.map(|of| of.file().ok()).collect();
    bench.figures(&files, &aim.tests, aim.size)
}

/// The largest relative change of a figure that was measured and is of no tail.
fn largest_move(aim: &Aim<'_>, own: &Figures, moved: &Figures) -> Option<(f64, Place)> {
    let moves = moved.iter().filter_map(|(place, value)| {
        let is_known = !matches!(Kind::of(&place.metric)?, Kind::Tail | Kind::FarTail);
        let is_measured = aim.target.figures.contains_key(place);
        let own = own.get(place).filter(|_| is_known && is_measured)?;
        Some(((value / own - 1.0).abs(), place.clone()))
    });
    moves.max_by(|one, other| one.0.total_cmp(&other.0))
}

/// Half widths of the intervals of 95 % of the numbers' logarithms, by the slopes of all figures. The first of `more` is the drive
/// as it is, the others have one number more each; `less` has those with less of a number.
fn widths(
    aim: &Aim<'_>,
    more: &[Option<Figures>],
    less: &BTreeMap<usize, &Option<Figures>>,
    known: &[(Number, f64)],
) -> Vec<Option<f64>> {
    let residuals =
        |of: &Option<Figures>| Some(DVector::from_vec(aim.residuals(Some(of.as_ref()?))));
    let Some(own) = residuals(&more[0]) else {
        return vec![None; known.len()];
    };
    let step = MOVED_BY.ln();
    let slope = |n: usize| {
        let less = less.get(&n).and_then(|of| residuals(of));
        match (residuals(&more[n + 1]), less) {
            (Some(more), Some(less)) => (more - less) / (2.0 * step),
            (Some(more), None) => (more - &own) / step,
            (None, Some(less)) => (&own - less) / step,
            (None, None) => DVector::zeros(own.len()),
        }
    };
    let slopes: Vec<DVector<f64>> = (0..known.len()).map(slope).collect();
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
