//! `--repeats`: the same run again with other seeds, and how far its figures come out apart.

use super::Options;
use crate::failure::{Failure, Outcome};
use crate::screen;
use ftlab_base::RootSeed;
use ftlab_bench::repeats::{self, Metrics};
use ftlab_result::{ResultSet, Run};

/// All repeats but the first, made before it: only one drive is in memory at a time.
pub struct Others {
    seeds: Vec<u64>,
    metrics: Vec<Vec<Metrics>>,
}

impl Others {
    /// Runs them; `run` gives the figures of a run with these options.
    pub fn run(
        options: &Options,
        run: impl Fn(&Options) -> Result<Metrics, Failure>,
    ) -> Result<Others, Failure> {
        check(options)?;
        let seeds = repeats::seeds(RootSeed(options.seed), options.repeats);
        let of_seed = |&seed: &u64| {
            let options = Options {
                seed,
                ..options.clone()
            };
            Ok(vec![run(&options)?])
        };
        let metrics: Result<_, Failure> = seeds.iter().skip(1).map(of_seed).collect();
        Ok(Others {
            metrics: metrics?,
            seeds,
        })
    }

    /// Puts them together with the first: the seed of each.
    pub fn join(self, first: &mut Run) -> Vec<u64> {
        let joined = repeats::joined(vec![std::mem::take(first)], &self.metrics);
        *first = joined.into_iter().next().expect("one went in");
        self.seeds
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

/// A table below what is told of the first; nothing for a run that was made once.
pub fn table(set: &ResultSet, run: &Run) -> String {
    if run.spread.is_empty() {
        return String::new();
    }
    let mut table = screen::table(&["metric", "mean", "standard deviation"]);
    for (name, spread) in &run.spread {
        let stddev = match (spread.depends_on_seed, spread.stddev) {
            (false, _) => "the same for every seed".to_owned(),
            (true, Some(stddev)) => format!("{stddev:.3e}"),
            (true, None) => "–".to_owned(),
        };
        let mean = ftlab_report::mean(run.metrics[name], spread.ci95_half_width);
        table.add_row([name.clone(), mean, stddev]);
    }
    let seeds: Vec<String> = set.origin.seeds.iter().map(u64::to_string).collect();
    format!(
        "\n{} repeats: means ± half of their 95 % confidence intervals; all above is of the first\n{}seeds: {}\n",
        seeds.len(),
        screen::lines(table),
        seeds.join(", ")
    )
}
