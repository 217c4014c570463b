//! Candidates that are tried side by side: where something else limits a figure, a number has no slope to follow.

use crate::bench::Bench;
use crate::candidate::{Candidate, Number};
use crate::solve::Aim;

/// Candidates in the order in which they fit, the best first, each with its misfit. Of those that fit alike the first stays so.
#[must_use]
pub fn by_misfit(
    bench: &Bench<'_>,
    aim: &Aim<'_>,
    candidates: Vec<Candidate>,
) -> Vec<(f64, Candidate)> {
    let misfits = aim.misfits(bench, &candidates);
    let mut all: Vec<(f64, Candidate)> = misfits.into_iter().zip(candidates).collect();
    all.sort_by(|one, other| one.0.total_cmp(&other.0));
    all
}

/// The candidate of several that fits best.
///
/// # Panics
/// Where there is none.
#[must_use]
pub fn fittest(bench: &Bench<'_>, aim: &Aim<'_>, candidates: Vec<Candidate>) -> Candidate {
    by_misfit(bench, aim, candidates).swap_remove(0).1
}

/// The candidate of a grid that fits best: each number times each of its factors. The start where nothing was measured, and
/// without the numbers that the drive has not.
#[must_use]
pub fn grid(
    bench: &Bench<'_>,
    aim: &Aim<'_>,
    start: &Candidate,
    numbers: &[(Number, &[f64])],
) -> Candidate {
    if aim.is_empty() {
        return start.clone();
    }
    let mut all = vec![start.clone()];
    for &(number, times) in numbers {
        let Some(value) = start.get(number) else {
            continue;
        };
        let of_one = |of: &Candidate| {
            let scaled = times.iter().map(|times| of.with(number, value * times));
            scaled.collect::<Vec<_>>()
        };
        all = all.iter().flat_map(of_one).collect();
    }
    fittest(bench, aim, all)
}
