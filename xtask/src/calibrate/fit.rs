//! The search for numbers that fit the figures best.

use crate::numbers::Number;
use anyhow::{Context, Result};
use argmin::core::{CostFunction, Error, Executor, State};
use argmin::solver::neldermead::NelderMead;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// The reach of the first simplex from where the files stand: a factor.
const REACH: f64 = 1.25;
/// A fit does not go farther from where the files stand than by this factor: what lies beyond is
/// another drive.
const FARTHEST: f64 = 8.0;
/// The simplex is small enough when its costs differ by less.
const EVEN: f64 = 1e-5;
/// The cost of numbers with which no drive can be built.
const IMPOSSIBLE: f64 = 1e6;

struct Cost<'a> {
    numbers: &'a [Number],
    /// The cost of all numbers with some values.
    price: &'a dyn Fn(&[f64]) -> Result<f64>,
    /// The numbers that are moved, in the order of the logarithms.
    moved: Vec<usize>,
    /// Costs that are known: counts, above all, come to the same values again.
    tried: RefCell<BTreeMap<Vec<String>, f64>>,
}

impl Cost<'_> {
    /// Every number, those that are moved by the factor whose logarithm is given.
    fn values(&self, logs: &[f64]) -> Vec<f64> {
        let mut values: Vec<f64> = self.numbers.iter().map(|number| number.value).collect();
        for (&n, log) in self.moved.iter().zip(logs) {
            values[n] *= log.exp();
        }
        values
    }

    fn of(&self, values: &[f64]) -> f64 {
        let pairs = self.numbers.iter().zip(values);
        let settings: Vec<String> = pairs.map(|(number, &v)| number.setting(v)).collect();
        *self.tried.borrow_mut().entry(settings).or_insert_with(|| {
            // What cannot be built is a bad fit, not the end of the search.
            let cost = (self.price)(values).unwrap_or(IMPOSSIBLE);
            eprintln!("{cost:.5}  {values:?}");
            cost
        })
    }

    /// The numbers that some figure pins: the sum answers to their first step.
    fn pinned(&self) -> Vec<usize> {
        let stands: Vec<f64> = self.numbers.iter().map(|number| number.value).collect();
        let is_pinned = |&n: &usize| {
            let mut stepped = stands.clone();
            stepped[n] *= REACH;
            self.of(&stepped) != self.of(&stands)
        };
        (0..self.numbers.len()).filter(is_pinned).collect()
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
            return Ok(IMPOSSIBLE * (1.0 + beyond));
        }
        Ok(self.of(&self.values(logs)))
    }
}

/// The values with which `numbers` cost the least: `price` is what all of them cost. A number that no
/// figure pins stays as it is.
///
/// # Errors
/// When the search cannot be made.
pub fn fit(
    numbers: &[Number],
    price: &dyn Fn(&[f64]) -> Result<f64>,
    evaluations: u64,
) -> Result<Vec<f64>> {
    let mut cost = Cost {
        numbers,
        price,
        moved: Vec::new(),
        tried: RefCell::default(),
    };
    cost.moved = cost.pinned();
    // A number that moves no figure would wander off by chance.
    for (n, number) in numbers.iter().enumerate() {
        if !cost.moved.contains(&n) {
            eprintln!("no figure pins {}: left as it is", number.key);
        }
    }
    let start = vec![0.0; cost.moved.len()];
    if start.is_empty() {
        return Ok(cost.values(&start));
    }
    let corner = |n: usize| {
        let mut corner = start.clone();
        corner[n] = REACH.ln();
        corner
    };
    let mut simplex = vec![start.clone()];
    simplex.extend((0..start.len()).map(corner));
    let solver = NelderMead::new(simplex).with_sd_tolerance(EVEN)?;
    let run = Executor::new(cost, solver)
        .configure(|state| state.max_iters(evaluations))
        .run()?;
    let best = run
        .state()
        .get_best_param()
        .context("the search came to nothing")?;
    let cost = run.problem().problem.as_ref();
    Ok(cost.context("the search kept its problem")?.values(best))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::fitted;

    #[test]
    fn numbers_that_figures_pin_are_found_and_others_left_alone() {
        let drives = ["ocz-core-jmf602".to_owned()];
        let keys = ["firmware.write_command", "nand.channel_rate"].map(str::to_owned);
        let numbers = fitted(&drives, &keys).unwrap();
        let best = 1.7 * numbers[0].value;
        let price = |values: &[f64]| Ok((values[0] / best).ln().powi(2));
        let found = fit(&numbers, &price, 60).unwrap();
        assert!((found[0] / best - 1.0).abs() < 0.01, "{found:?}");
        assert_eq!(found[1], numbers[1].value);
        let nothing = fit(&numbers, &|_| Ok(1.0), 60).unwrap();
        assert_eq!(nothing, [numbers[0].value, numbers[1].value]);
    }

    #[test]
    fn what_cannot_be_built_does_not_end_the_search() {
        let drives = ["ocz-core-jmf602".to_owned()];
        let numbers = fitted(&drives, &["nand.channel_rate".to_owned()]).unwrap();
        let most = 1.2 * numbers[0].value;
        let price = |values: &[f64]| {
            anyhow::ensure!(values[0] < most, "too much");
            Ok((values[0] / most).ln().powi(2))
        };
        let found = fit(&numbers, &price, 60).unwrap();
        assert!(found[0] < most && found[0] > 0.97 * most, "{found:?}");
    }
}
