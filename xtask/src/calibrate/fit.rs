//! The fit itself.

use super::errors::{Reviewer, sum};
use super::numbers::Number;
use anyhow::{Context, Result};
use argmin::core::{CostFunction, Error, Executor, State};
use argmin::solver::neldermead::NelderMead;

/// How far the first simplex reaches from where the files stand: a factor.
const REACH: f64 = 1.25;
/// A fit does not go farther from where the files stand than by this factor: what lies beyond is
/// another drive.
const FARTHEST: f64 = 8.0;
/// The simplex is small enough when its costs differ by less.
const EVEN: f64 = 1e-5;

struct Cost<'a> {
    reviewer: &'a Reviewer,
    numbers: &'a [Number],
    drives: &'a [String],
}

impl Cost<'_> {
    fn values(&self, logs: &[f64]) -> Vec<f64> {
        let pairs = self.numbers.iter().zip(logs);
        pairs
            .map(|(number, log)| number.value * log.exp())
            .collect()
    }
}

impl CostFunction for Cost<'_> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, logs: &Vec<f64>) -> Result<f64, Error> {
        let beyond: f64 = logs
            .iter()
            .map(|log| (log.abs() - FARTHEST.ln()).max(0.0))
            .sum();
        if beyond > 0.0 {
            return Ok(1e6 * (1.0 + beyond));
        }
        // What cannot be built is a bad fit, not the end of the search.
        let errors = self
            .reviewer
            .errors(self.numbers, &self.values(logs), self.drives);
        let cost = errors.map_or(1e6, |errors| sum(&errors));
        eprintln!("{cost:.5}  {:?}", self.values(logs));
        Ok(cost)
    }
}

/// The values of the best fit.
///
/// # Errors
/// When the search cannot be made.
pub fn fit(
    reviewer: &Reviewer,
    numbers: &[Number],
    drives: &[String],
    evaluations: u64,
) -> Result<Vec<f64>> {
    let cost = Cost {
        reviewer,
        numbers,
        drives,
    };
    let start = vec![0.0; numbers.len()];
    let corner = |n: usize| {
        let mut corner = start.clone();
        corner[n] = REACH.ln();
        corner
    };
    let mut simplex = vec![start.clone()];
    simplex.extend((0..numbers.len()).map(corner));
    let solver = NelderMead::new(simplex).with_sd_tolerance(EVEN)?;
    let run = Executor::new(cost, solver)
        .configure(|state| state.max_iters(evaluations))
        .run()?;
    let best = run
        .state()
        .get_best_param()
        .context("the search came to nothing")?;
    let pairs = numbers.iter().zip(best);
    Ok(pairs
        .map(|(number, log)| number.value * log.exp())
        .collect())
}
