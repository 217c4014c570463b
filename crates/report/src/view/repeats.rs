//! Remarks on repeats, where a review has any.

use ftlab_result::{ResultSet, Spread};

/// Repeats of a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repeats {
    /// Times that each run was made.
    pub count: u32,
    /// Number of metrics of all runs.
    metrics: usize,
    /// The number of those that are the same for every seed that was tried.
    independent: usize,
}

impl Repeats {
    /// Those of a set; `None` when each run was made once.
    pub fn of(set: &ResultSet) -> Option<Self> {
        let spreads = || set.runs.iter().flat_map(|run| run.spread.values());
        let is_independent = |spread: &&Spread| !spread.depends_on_seed;
        (set.origin.repeats > 1).then(|| Self {
            count: set.origin.repeats,
            metrics: spreads().count(),
            independent: spreads().filter(is_independent).count(),
        })
    }

    /// Explains figures over repeats, sentence by sentence.
    pub fn sentences(self) -> [String; 4] {
        [
            format!("Each run was made {} times, with seeds of their own.", self.count),
            "Figures are means ± half of their 95 % confidence intervals; ± 0 is the same for every seed.".to_owned(),
            format!(
                "The same for every seed are {} of {} metrics of the runs.",
                self.independent, self.metrics
            ),
            "Percentiles, distributions and courses over time are of the first repeat.".to_owned(),
        ]
    }
}
