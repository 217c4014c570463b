//! Figures of a drive with certain numbers, beside the published ones.

use crate::family::Families;
use crate::numbers::Number;
use crate::plan::{review, threads};
use anyhow::Result;
use ftlab_bench::figures::{self, Names};
use ftlab_bench::suites::{self, Test};
use ftlab_drive::{Catalog, DriveFile};
use ftlab_result::{Figure, Verdict};
use std::num::NonZeroUsize;

/// A longest latency is one event of a run whose length its source does not state: it counts this
/// much of what an average counts.
const WEIGHT_OF_MAXIMA: f64 = 0.1;

/// An error of this size costs as its square; a larger one hardly more the larger it is (Cauchy's loss).
/// A figure that no numbers of a drive can meet, as one of three drives of one hardware, does not pull them
/// away from what they can. A figure passes up to about here; one that fails costs 1 more.
const ERROR_SCALE: f64 = 0.15;

/// A figure and what it adds to the sum that a fit makes small.
#[derive(Debug, Clone)]
pub struct Weighed {
    pub figure: Figure,
    /// Simulated over published, where both are numbers.
    pub ratio: Option<f64>,
    pub cost: f64,
}

impl Weighed {
    pub fn of(figure: Figure) -> Weighed {
        let published: Option<f64> = figure.published.parse().ok();
        let ratio = figure.simulated.zip(published).map(|(s, p)| s / p);
        let qualifier = qualifier(&figure.test, &figure.qualifier);
        let cost = cost(qualifier, &figure.metric, figure.verdict, ratio);
        Weighed {
            figure,
            ratio,
            cost,
        }
    }
}

/// The qualifier that counts: a drive that bears more than its maker promises is not off by it.
fn qualifier<'a>(test: &str, of_row: &'a str) -> &'a str {
    if figures::is_promise(test) {
        figures::AT_LEAST
    } else {
        of_row
    }
}

fn cost(qualifier: &str, metric: &str, verdict: Verdict, ratio: Option<f64>) -> f64 {
    let weight = match qualifier {
        "eq" | "approx" if metric.starts_with("lat_max") => WEIGHT_OF_MAXIMA,
        "eq" | "approx" => 1.0,
        // A bound costs nothing while it holds.
        _ if verdict == Verdict::Fail => 1.0,
        _ => 0.0,
    };
    // Nothing is a multiple of a published 0, which is a bound, or a count that the verdict judges.
    let log = ratio.filter(|&r| r > 0.0 && r.is_finite());
    let error = log.map_or(0.0, f64::ln) / ERROR_SCALE;
    let failed = f64::from(u8::from(verdict == Verdict::Fail));
    weight * error.powi(2).ln_1p() + failed
}

/// The sum that a fit makes small.
pub fn sum(errors: &[Weighed]) -> f64 {
    errors.iter().map(|weighed| weighed.cost).sum()
}

/// Runs the tests that published figures of a drive ask for.
pub struct Reviewer {
    seed: u64,
    threads: usize,
}

impl Reviewer {
    pub fn new(seed: u64, jobs: Option<NonZeroUsize>) -> Reviewer {
        Reviewer {
            seed,
            threads: threads(jobs),
        }
    }

    /// The figures of `drives` when `numbers` have `values`.
    pub fn errors(
        &self,
        numbers: &[Number],
        values: &[f64],
        drives: &[String],
    ) -> Result<Vec<Weighed>> {
        let file = |drive: &String| {
            file(drive, numbers, values, |number| {
                number.drives.contains(drive)
            })
        };
        let files: Vec<_> = drives.iter().map(file).collect::<Result<_>>()?;
        Ok(self.figures(files)?.into_iter().map(Weighed::of).collect())
    }

    /// The figures of `drives` that the model was made without, when `numbers` have `values`. A number of a base is
    /// set in siblings, too, that have it from there.
    pub fn unseen(
        &self,
        families: &Families,
        numbers: &[Number],
        values: &[f64],
        drives: &[String],
    ) -> Result<Vec<Weighed>> {
        let names: Vec<Names> = (drives.iter())
            .map(|drive| families.names(drive))
            .filter(|names| !figures::unseen_rows_of(names).is_empty())
            .collect();
        let rows: Vec<_> = names.iter().flat_map(figures::unseen_rows_of).collect();
        let asked = |test: &Test| rows.iter().any(|row| test.answers_to(&row.test));
        let tests: Vec<Test> = suites::all().filter(asked).collect();
        if tests.is_empty() {
            return Ok(Vec::new());
        }
        let file = |of: &Names| file(&of.slug, numbers, values, |number| number.is_of(&of.slug));
        let files: Vec<_> = names.iter().map(file).collect::<Result<_>>()?;
        let set = review(files, tests.clone(), self.seed, self.threads)?;
        let figures = figures::unseen(&names, &tests, &set.runs);
        Ok(figures.into_iter().map(Weighed::of).collect())
    }

    /// All drives are reviewed together, since some figures compare them.
    fn figures(&self, drives: Vec<DriveFile>) -> Result<Vec<Figure>> {
        let tests = asked_of(&drives);
        Ok(review(drives, tests, self.seed, self.threads)?.figures)
    }
}

/// The tests that some published figure of one of the drives is from.
fn asked_of(drives: &[DriveFile]) -> Vec<Test> {
    let names = drives.iter().map(|file| Names {
        slug: file.slug().to_owned(),
        aliases: file.aliases().to_vec(),
    });
    let rows: Vec<_> = names.flat_map(|names| figures::rows_of(&names)).collect();
    let asked = |test: &Test| {
        rows.iter()
            .any(|row| row.test == test.step.slug || row.test == test.family.slug)
    };
    suites::all().filter(asked).collect()
}

/// A drive whose numbers, those that are `its`, have values.
fn file(
    slug: &str,
    numbers: &[Number],
    values: &[f64],
    its: impl Fn(&Number) -> bool,
) -> Result<DriveFile> {
    let own = numbers.iter().zip(values).filter(|(n, _)| its(n));
    let settings: Vec<String> = own.map(|(n, &value)| n.setting(value)).collect();
    Ok(Catalog::default().load(slug, &settings)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_errors_cost_their_square_large_ones_little_more_and_bounds_nothing_while_they_hold() {
        let of = |qualifier, verdict, ratio| cost(qualifier, "seconds", verdict, Some(ratio));
        let [small, twice] = [0.01_f64, 0.02].map(|error| of("eq", Verdict::Pass, error.exp()));
        assert!((twice / small - 4.0).abs() < 0.1);
        let [large, larger] = [1.0_f64, 2.0].map(|error| of("eq", Verdict::Fail, error.exp()));
        assert!(larger < 1.5 * large);
        assert_eq!(of("lt", Verdict::Pass, 0.5), 0.0);
        assert!(of("lt", Verdict::Fail, 1.5) > 1.0);
        let [passes, fails] = [Verdict::Pass, Verdict::Fail].map(|verdict| of("eq", verdict, 1.1));
        assert!((fails - passes - 1.0).abs() < 1e-12);
        let promised = qualifier("endurance-guarantee", "eq");
        assert_eq!(of(promised, Verdict::Pass, 4.4), 0.0);
        assert!(of(promised, Verdict::Fail, 0.9) > 1.0);
        assert_eq!(qualifier("randwrite-4k-qd1", "eq"), "eq");
        // With an infinity the sum, and every fit of the drive, would be no number.
        assert_eq!(of("range-lo", Verdict::Pass, 0.9 / 0.0), 0.0);
        assert!(of("eq", Verdict::Fail, 1.0 / 0.0).is_finite());
    }
}
