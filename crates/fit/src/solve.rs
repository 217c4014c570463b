//! Numbers at which the model gives what was measured: least squares of logarithms, with priors (Levenberg and Marquardt, as in
//! MINPACK; Moré 1978).

use crate::bench::{Bench, Size};
use crate::candidate::{Candidate, Number};
use crate::target::{Figures, Kind, Place, Target};
use levenberg_marquardt::{LeastSquaresProblem, LevenbergMarquardt};
use nalgebra::{DMatrix, DVector, Dyn, Owned};

/// Deviations at which a figure that does not fit begins to count less than in proportion (Huber).
const ROBUST_FROM: f64 = 8.0;

/// What a figure counts that a drive does not give.
const MISSING: f64 = 30.0;

/// What each figure counts of a drive that cannot be: more than any that is far off.
const IMPOSSIBLE: f64 = 1e4;

/// The tests that a step is fitted to, and the size of the drive for them.
#[derive(Debug, Clone)]
pub struct Aim<'a> {
    /// What was measured.
    pub target: &'a Target,
    /// Slugs of the tests.
    pub tests: Vec<String>,
    /// The size of the drive.
    pub size: Size,
    /// True if tails count.
    pub tails: bool,
}

impl<'a> Aim<'a> {
    /// Some of a bench's tests on a drive as their suite says, tails among them.
    #[must_use]
    pub fn of(bench: &Bench<'a>, tests: Vec<String>) -> Aim<'a> {
        Aim {
            target: bench.target(),
            tests,
            size: Size::OfSuite,
            tails: true,
        }
    }

    /// The same for another size of the drive.
    #[must_use]
    pub fn with_size(self, size: Size) -> Aim<'a> {
        Aim { size, ..self }
    }

    /// The same with fewer requests, and with a few tests of each role.
    #[must_use]
    pub fn in_brief(&self, bench: &Bench<'a>) -> Aim<'a> {
        Aim {
            tests: bench.some_of(&self.tests),
            size: Size::Brief,
            ..self.clone()
        }
    }

    /// The same where tails do not count.
    #[must_use]
    pub fn without_tails(self) -> Aim<'a> {
        Aim {
            tails: false,
            ..self
        }
    }

    /// Returns true if nothing of it was measured.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.figures().next().is_none()
    }

    /// The figures that count.
    pub fn figures(&self) -> impl Iterator<Item = (&Place, f64, Kind)> {
        let figures = self.target.of_tests(&self.tests);
        let figures =
            figures.filter_map(|(place, value)| Some((place, value, Kind::of(&place.metric)?)));
        figures.filter(|(_, _, kind)| match kind {
            Kind::Tail => self.tails,
            // A test of reads that is cut short has none.
            Kind::FarTail => self.tails && self.size != Size::Small,
            _ => true,
        })
    }

    /// Deviations of a drive's figures from what was measured.
    pub fn residuals(&self, figures: Option<&Figures>) -> Vec<f64> {
        let of = |(place, wanted, kind): (&Place, f64, Kind)| {
            let Some(figures) = figures else {
                return IMPOSSIBLE;
            };
            let Some(value) = figures.get(place) else {
                return MISSING;
            };
            let deviations = (value / wanted).ln() / kind.deviation();
            let bent = (1.0 + (deviations / ROBUST_FROM).powi(2)).sqrt() - 1.0;
            ROBUST_FROM * (2.0 * bent).sqrt().copysign(deviations)
        };
        self.figures().map(of).collect()
    }

    /// The sum of squares of a drive's deviations.
    pub fn misfit(&self, figures: Option<&Figures>) -> f64 {
        self.residuals(figures).iter().map(|of| of * of).sum()
    }

    /// The misfit of a candidate.
    #[must_use]
    pub fn misfit_of(&self, bench: &Bench<'_>, candidate: &Candidate) -> f64 {
        self.misfits(bench, std::slice::from_ref(candidate))[0]
    }

    /// The misfits of candidates.
    pub fn misfits(&self, bench: &Bench<'_>, candidates: &[Candidate]) -> Vec<f64> {
        let files: Vec<_> = candidates.iter().map(|of| of.file().ok()).collect();
        let figures = bench.figures(&files, &self.tests, self.size);
        figures.iter().map(|of| self.misfit(of.as_ref())).collect()
    }
}

/// A number solved for, as a problem of least squares.
struct Problem<'a> {
    bench: &'a Bench<'a>,
    aim: &'a Aim<'a>,
    start: &'a Candidate,
    numbers: Vec<(Number, f64)>,
    /// Logarithms of the numbers over those of the start.
    at: DVector<f64>,
}

impl Problem<'_> {
    fn candidate(&self, at: &DVector<f64>) -> Candidate {
        let mut candidate = self.start.clone();
        for ((number, value), by) in self.numbers.iter().zip(at.iter()) {
            candidate = candidate.with(*number, value * by.exp());
        }
        candidate
    }

    fn residuals_at(&self, all: &[DVector<f64>]) -> Vec<DVector<f64>> {
        let files: Vec<_> = all
            .iter()
            .map(|at| self.candidate(at).file().ok())
            .collect();
        let figures = self.bench.figures(&files, &self.aim.tests, self.aim.size);
        let with_priors = |(at, figures): (&DVector<f64>, &Option<Figures>)| {
            let mut all = self.aim.residuals(figures.as_ref());
            let priors = self.numbers.iter().zip(at.iter());
            all.extend(priors.map(|((number, _), by)| by / number.prior().deviation));
            DVector::from_vec(all)
        };
        all.iter().zip(&figures).map(with_priors).collect()
    }
}

impl LeastSquaresProblem<f64, Dyn, Dyn> for Problem<'_> {
    type ParameterStorage = Owned<f64, Dyn>;
    type ResidualStorage = Owned<f64, Dyn>;
    type JacobianStorage = Owned<f64, Dyn, Dyn>;

    fn set_params(&mut self, at: &DVector<f64>) {
        self.at.copy_from(at);
    }

    fn params(&self) -> DVector<f64> {
        self.at.clone()
    }

    fn residuals(&self) -> Option<DVector<f64>> {
        self.residuals_at(std::slice::from_ref(&self.at)).pop()
    }

    fn jacobian(&self) -> Option<DMatrix<f64>> {
        let own = self.candidate(&self.at);
        let steps: Vec<f64> = self.numbers.iter().map(|(of, _)| own.step(*of)).collect();
        let moved = |n: usize| {
            let mut at = self.at.clone();
            at[n] += steps[n];
            at
        };
        let mut all = vec![self.at.clone()];
        all.extend((0..self.at.len()).map(moved));
        let all = self.residuals_at(&all);
        let slopes = all[1..].iter().zip(steps);
        let columns: Vec<DVector<f64>> = slopes.map(|(of, step)| (of - &all[0]) / step).collect();
        Some(DMatrix::from_columns(&columns))
    }
}

/// The candidate whose numbers fit best, from one on. What the drive has none of is left out.
#[must_use]
pub fn solve(
    bench: &Bench<'_>,
    aim: &Aim<'_>,
    start: &Candidate,
    numbers: &[Number],
    patience: usize,
) -> Candidate {
    let known = numbers
        .iter()
        .filter_map(|&number| Some((number, start.get(number)?)));
    let numbers: Vec<(Number, f64)> = known.collect();
    if numbers.is_empty() || aim.is_empty() {
        return start.clone();
    }
    let at = DVector::zeros(numbers.len());
    let problem = Problem {
        bench,
        aim,
        start,
        numbers,
        at,
    };
    let solver = LevenbergMarquardt::new()
        .with_ftol(3e-3)
        .with_xtol(2e-3)
        .with_gtol(1e-6)
        .with_stepbound(100.0);
    let (problem, _) = solver.with_patience(patience).minimize(problem);
    problem.candidate(&problem.at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftlab_result::quantity::table;

    #[test]
    fn a_drive_that_cannot_be_is_worse_than_one_that_is_far_off() {
        let place = |test: &str| Place {
            test: test.to_owned(),
            state: "new".to_owned(),
            metric: table::IOPS.name.to_owned(),
        };
        let figures = |iops: f64| Figures::from([(place("one"), iops), (place("two"), iops)]);
        let target = Target {
            name: "drive".to_owned(),
            capacity_bytes: 1 << 30,
            figures: figures(1e9),
            measured: String::new(),
        };
        let aim = Aim {
            target: &target,
            tests: vec!["one".to_owned(), "two".to_owned()],
            size: Size::OfSuite,
            tails: true,
        };
        let misfit = |of: Option<Figures>| aim.misfit(of.as_ref());
        assert_eq!(misfit(Some(figures(1e9))), 0.0);
        assert!(misfit(Some(figures(1.0))) < misfit(None));
        assert!(misfit(Some(figures(1.1e9))) < misfit(Some(Figures::new())));
    }
}
