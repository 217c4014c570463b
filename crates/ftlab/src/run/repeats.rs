//! `--repeats`: the same run again with other seeds, and how far its figures come out apart.

use super::Options;
use crate::failure::{Failure, Outcome};
use crate::screen;
use ftlab_base::RootSeed;
use ftlab_bench::repeats::{self, Metrics};
use ftlab_result::Spread;
use serde::Serialize;
use std::collections::BTreeMap;

/// Figures of a run over its repeats.
#[derive(Debug, Clone, Serialize)]
pub struct Repeated {
    /// The root seed of each repeat; what else is told of the run is of the first.
    seeds: Vec<u64>,
    /// Means.
    metrics: Metrics,
    /// How each of them spreads.
    spread: BTreeMap<String, Spread>,
}

/// All repeats but the first, made before it: only one drive is in memory at a time.
pub struct Others {
    seeds: Vec<u64>,
    metrics: Vec<Metrics>,
}

impl Others {
    /// Runs them; `run` gives the figures of a run with these options.
    pub fn run(
        options: &Options,
        run: impl Fn(&Options) -> Result<Metrics, Failure>,
    ) -> Result<Others, Failure> {
        check(options)?;
        let seed = |repeat| repeats::seed(RootSeed(options.seed), repeat).0;
        let seeds: Vec<u64> = (0..options.repeats).map(seed).collect();
        let of_seed = |&seed: &u64| {
            run(&Options {
                seed,
                ..options.clone()
            })
        };
        let metrics: Result<Vec<Metrics>, Failure> = seeds[1..].iter().map(of_seed).collect();
        Ok(Others {
            metrics: metrics?,
            seeds,
        })
    }

    /// All of them with the first; nothing for a run that was made once.
    pub fn with(&self, first: &Metrics) -> Option<Repeated> {
        if self.metrics.is_empty() {
            return None;
        }
        let all: Vec<&Metrics> = std::iter::once(first).chain(&self.metrics).collect();
        let (metrics, spread) = repeats::spreads(&all);
        Some(Repeated {
            seeds: self.seeds.clone(),
            metrics,
            spread,
        })
    }
}

/// A saved drive is one that went through one run.
fn check(options: &Options) -> Outcome {
    if options.repeats > 1 && options.start.saves() {
        return Err(Failure::Input(
            "--repeats makes the run on several drives, and --save-state and --save-after save one; leave out \
             one or the other"
                .to_owned(),
        ));
    }
    Ok(())
}

impl Repeated {
    /// A table below what is told of the first.
    pub fn table(&self) -> String {
        let mut table = screen::table(&["metric", "mean", "standard deviation"]);
        for (name, spread) in &self.spread {
            let stddev = match (spread.depends_on_seed, spread.stddev) {
                (false, _) => "the same for every seed".to_owned(),
                (true, Some(stddev)) => format!("{stddev:.3e}"),
                (true, None) => "–".to_owned(),
            };
            let mean = ftlab_report::mean(self.metrics[name], spread.ci95_half_width);
            table.add_row([name.clone(), mean, stddev]);
        }
        let seeds: Vec<String> = self.seeds.iter().map(u64::to_string).collect();
        format!(
            "\n{} repeats: means ± half of their 95 % confidence intervals; all above is of the first\n{}seeds: {}\n",
            seeds.len(),
            screen::lines(table),
            seeds.join(", ")
        )
    }
}
