//! Results of measurements: figures by their names.

use ftlab_result::Run;
use ftlab_result::quantity::{self, table};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// The result of a measurement.
#[derive(Debug, Clone, Default)]
pub struct Sample {
    /// The run, or the figures of an experiment as those of one.
    pub run: Run,
    /// Figures that were asked for in vain.
    absent: RefCell<BTreeSet<String>>,
}

impl Sample {
    /// The sample of a run.
    pub fn of(run: Run) -> Sample {
        Sample {
            run,
            ..Sample::default()
        }
    }

    /// A figure by its name: one of the run's metrics, one that follows from its counts, or one of a part of
    /// its series, such as `mean_iops[50%..]`. Without it nothing can be judged: the claim stays open.
    pub fn get(&self, name: &str) -> f64 {
        let figure = quantity::value(&self.run, name, None);
        let took = || (name == table::SECONDS.name).then_some(self.run.seconds);
        figure.or_else(took).unwrap_or_else(|| {
            let absent = format!("`{name}` of {}", self.run.drive);
            self.absent.borrow_mut().insert(absent);
            f64::NAN
        })
    }

    /// Figures that were asked for in vain.
    pub fn absent(&self) -> BTreeSet<String> {
        self.absent.borrow().clone()
    }
}
