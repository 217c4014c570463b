//! What a drive with certain numbers comes to beside its published figures.

use super::numbers::Number;
use anyhow::Result;
use ftlab_base::RootSeed;
use ftlab_bench::figures::{self, Names};
use ftlab_bench::methods::{self, Test};
use ftlab_bench::review::{Length, Plan, review};
use ftlab_drive::{Catalog, DriveFile};
use ftlab_result::{Figure, Verdict};
use std::num::NonZeroUsize;

/// A longest latency is one event of a run whose length its source does not state: it counts this
/// much of what an average counts.
const WEIGHT_OF_MAXIMA: f64 = 0.1;

/// Bytes that drives and their copies may take together.
const MEMORY_BYTES: u64 = 8 << 30;

/// A figure and what it adds to the sum that a fit makes small.
#[derive(Debug, Clone)]
pub struct Weighed {
    pub figure: Figure,
    /// Simulated over published, where both are numbers.
    pub ratio: Option<f64>,
    pub cost: f64,
}

impl Weighed {
    fn of(figure: Figure) -> Weighed {
        let published: Option<f64> = figure.published.parse().ok();
        let ratio = figure.simulated.zip(published).map(|(s, p)| s / p);
        let log = ratio.filter(|&r| r > 0.0).map_or(0.0, f64::ln);
        let weight = match figure.qualifier.as_str() {
            "eq" | "approx" if figure.metric.starts_with("lat_max") => WEIGHT_OF_MAXIMA,
            "eq" | "approx" => 1.0,
            // A bound costs nothing while it holds.
            _ if figure.verdict == Verdict::Fail => 1.0,
            _ => 0.0,
        };
        Weighed {
            figure,
            ratio,
            cost: weight * log * log,
        }
    }
}

/// The sum that a fit makes small.
pub fn sum(errors: &[Weighed]) -> f64 {
    errors.iter().map(|weighed| weighed.cost).sum()
}

/// Runs the tests that published figures of a drive ask for.
pub struct Reviewer {
    seed: RootSeed,
    threads: usize,
}

impl Reviewer {
    pub fn new(seed: u64, jobs: Option<NonZeroUsize>) -> Reviewer {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Reviewer {
            seed: RootSeed(seed),
            threads: jobs.map_or(cores, NonZeroUsize::get),
        }
    }

    /// The figures of `drives` when `numbers` have `values`.
    pub fn errors(
        &self,
        numbers: &[Number],
        values: &[f64],
        drives: &[String],
    ) -> Result<Vec<Weighed>> {
        let mut errors = Vec::new();
        for drive in drives {
            let own = numbers
                .iter()
                .zip(values)
                .filter(|(n, _)| n.drives.contains(drive));
            let settings: Vec<String> = own.map(|(n, &value)| n.setting(value)).collect();
            let file = Catalog::load(drive, &settings)?;
            errors.extend(self.figures(file)?.into_iter().map(Weighed::of));
        }
        Ok(errors)
    }

    fn figures(&self, file: DriveFile) -> Result<Vec<Figure>> {
        let plan = Plan {
            tests: asked_of(&file),
            drives: vec![file],
            is_everything: true,
            length: Length::Full,
            testbed: None,
            memory_bytes: MEMORY_BYTES,
            seed: self.seed,
            repeats: 1,
            threads: self.threads,
            version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        Ok(review(&plan, &|_| {})?.figures)
    }
}

/// The tests that some published figure of a drive is from.
fn asked_of(file: &DriveFile) -> Vec<Test> {
    let rows = figures::rows_of(&Names {
        slug: file.slug().to_owned(),
        aliases: file.aliases().to_vec(),
    });
    let asked = |test: &Test| {
        rows.iter()
            .any(|row| row.test == test.step.slug || row.test == test.family.slug)
    };
    methods::all().filter(asked).collect()
}
