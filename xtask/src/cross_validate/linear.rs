//! A fit of few numbers to many figures where each figure answers to each number by a known slope: robust,
//! regularised least squares over logarithms.

use nalgebra::{DMatrix, DVector};

/// An error of this size counts half of what it would in plain least squares, and a larger one less (Cauchy's
/// weights): what no numbers can meet does not pull them away from what they can.
const ERROR_SCALE: f64 = 0.15;

/// A number does not go farther from what it is thought to be than this many of its deviations.
const FARTHEST: f64 = 3.0;

/// Rounds of weighting; weights settle in some ten.
const ROUNDS: usize = 30;

/// A guess of a number without any figure: ln(value / value in the file), and its deviation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prior {
    pub mean: f64,
    pub deviation: f64,
}

/// A figure as a fit sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// ln(published / simulated with the numbers of the files).
    pub gap: f64,
    /// Deviation of the gap.
    pub deviation: f64,
    /// d ln(simulated) / d ln(number), for each number.
    pub slopes: Vec<f64>,
}

impl Observation {
    /// By how much numbers move it: ln(predicted / simulated).
    pub fn moved(&self, numbers: &[f64]) -> f64 {
        self.slopes.iter().zip(numbers).map(|(s, x)| s * x).sum()
    }
}

/// The numbers, as ln(value / value in the file), that fit the observations and what was thought before.
pub fn fit(observations: &[&Observation], priors: &[Prior]) -> Vec<f64> {
    let mut fixed: Vec<Option<f64>> = vec![None; priors.len()];
    loop {
        let found = weighted(observations, priors, &fixed);
        let beyond = |n: &usize| {
            let Prior { mean, deviation } = priors[*n];
            (found[*n] - mean).abs() / deviation
        };
        let free = (0..priors.len()).filter(|&n| fixed[n].is_none());
        let Some(worst) = free.max_by(|a, b| beyond(a).total_cmp(&beyond(b))) else {
            return found;
        };
        if beyond(&worst) <= FARTHEST {
            return found;
        }
        let Prior { mean, deviation } = priors[worst];
        let side = (found[worst] - mean).signum();
        fixed[worst] = Some(mean + side * FARTHEST * deviation);
    }
}

/// The fit with some numbers fixed.
fn weighted(observations: &[&Observation], priors: &[Prior], fixed: &[Option<f64>]) -> Vec<f64> {
    let mut numbers: Vec<f64> = priors
        .iter()
        .zip(fixed)
        .map(|(prior, fixed)| fixed.unwrap_or(prior.mean))
        .collect();
    let free: Vec<usize> = (0..priors.len()).filter(|&n| fixed[n].is_none()).collect();
    if free.is_empty() {
        return numbers;
    }
    for _ in 0..ROUNDS {
        let of_priors = free.iter().map(|&n| priors[n].deviation.powi(-2));
        let mut matrix = DMatrix::from_diagonal(&DVector::from_iterator(free.len(), of_priors));
        let pulls = free.iter().map(|&n| {
            let Prior { mean, deviation } = priors[n];
            (mean - numbers[n]) * deviation.powi(-2)
        });
        let mut right = DVector::from_iterator(free.len(), pulls);
        for seen in observations {
            let rest = seen.gap - seen.moved(&numbers);
            let weight = seen.deviation.powi(-2) / (1.0 + (rest / ERROR_SCALE).powi(2));
            let slopes = free.iter().map(|&n| seen.slopes[n]);
            let slopes = DVector::from_iterator(free.len(), slopes);
            right += &slopes * (weight * rest);
            matrix += (&slopes * slopes.transpose()) * weight;
        }
        // The priors make it positive definite.
        let step = matrix.cholesky().expect("every number has a deviation");
        let step = step.solve(&right);
        for (&n, by) in free.iter().zip(step.iter()) {
            numbers[n] += by;
        }
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    const BROAD: Prior = Prior {
        mean: 0.0,
        deviation: 0.7,
    };

    fn seen(gap: f64, slopes: &[f64]) -> Observation {
        Observation {
            gap,
            deviation: 0.01,
            slopes: slopes.to_vec(),
        }
    }

    #[test]
    fn numbers_are_found_that_figures_pin_together() {
        // A drive of two costs: 0.3 and -0.2 make these figures, each of which answers to both.
        let figures = [[1.0, 0.0], [0.5, 0.5], [0.2, 0.8]]
            .map(|slopes| seen(0.3 * slopes[0] - 0.2 * slopes[1], &slopes));
        let found = fit(&figures.iter().collect::<Vec<_>>(), &[BROAD, BROAD]);
        assert!((found[0] - 0.3).abs() < 0.01, "{found:?}");
        assert!((found[1] + 0.2).abs() < 0.01, "{found:?}");
    }

    #[test]
    fn a_number_that_no_figure_pins_is_what_it_was_thought_to_be() {
        let thought = Prior {
            mean: 0.4,
            deviation: 0.7,
        };
        let figure = seen(0.1, &[1.0, 0.0]);
        let found = fit(&[&figure], &[BROAD, thought]);
        assert!((found[1] - 0.4).abs() < 1e-9, "{found:?}");
        assert_eq!(fit(&[], &[BROAD, thought]), [0.0, 0.4]);
    }

    #[test]
    fn one_figure_that_nothing_meets_does_not_pull_a_number_from_the_others() {
        let mut figures: Vec<Observation> = (0..4).map(|_| seen(0.05, &[1.0])).collect();
        figures.push(seen(2.0, &[1.0]));
        let found = fit(&figures.iter().collect::<Vec<_>>(), &[BROAD]);
        assert!((found[0] - 0.05).abs() < 0.02, "{found:?}");
    }

    #[test]
    fn a_number_goes_no_farther_than_its_confidence_allows_and_others_make_good_for_it() {
        let sure = Prior {
            mean: 0.0,
            deviation: 0.02,
        };
        // The first would have the sure number move alone.
        let figures = [
            seen(0.5, &[1.0, 0.0]),
            seen(0.5, &[1.0, 0.5]),
            seen(0.5, &[1.0, 0.5]),
        ];
        let found = fit(&figures.iter().collect::<Vec<_>>(), &[sure, BROAD]);
        assert!((found[0] - 0.06).abs() < 1e-9, "{found:?}");
        assert!((found[0] + 0.5 * found[1] - 0.5).abs() < 0.02, "{found:?}");
    }
}
