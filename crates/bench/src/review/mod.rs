//! Asks for the tests of suites on several drives, and makes results of what comes.
//!
//! Tests that share a load, a state, a machine and a port share a cell. Every random stream has its name's seed, so neither the
//! number of threads nor the set of drives and tests changes a run. A repeat is all of that again with another root
//! seed, states included.

mod cost;
mod facts;
mod item;
mod latencies;
mod procedure;
mod runs;
mod set;
mod wanted;

pub use runs::read_off;

use crate::ask::{self, Asker, Ends};
use crate::figures::{self, Names};
use crate::loads::OwnLoad;
use crate::repeats;
use crate::suites::Test;
use ftlab_base::RootSeed;
use ftlab_host::Testbed;
use ftlab_lab::{Cell, Lab, LabError, Length, Listener, Outcome, Rest, Saved, Subject};
use ftlab_play::driver::Clock;
use ftlab_result::ResultSet;
use ftlab_states::State;
use ftlab_states::watch::Stopped;
use item::Item;
use std::collections::BTreeSet;
use std::sync::Arc;
use wanted::OfDrive;

/// A question to the lab: drives, the tests that they run, and the conditions of the runs.
#[derive(Debug, Clone)]
pub struct Review {
    /// The drives, or sets of drives by name, in the order of the report.
    pub drives: Vec<Subject>,
    /// The tests, in the order of the report.
    pub tests: Vec<Test>,
    /// Loads of a user's own, behind the tests.
    pub loads: Vec<OwnLoad>,
    /// The slugs of the tests that each drive runs; where there are none, every drive runs all tests.
    pub wanted: Option<Vec<BTreeSet<String>>>,
    /// Set if everything was asked for, rather than tests by name. Each drive then leaves out the long tests that no
    /// source made on it, and those whose files it has no room for.
    pub is_everything: bool,
    /// The state that jobs, scenarios and traces begin in; none for those of each test, and for loads of a user's own a
    /// filled drive. Procedures bring their drive to states of their own.
    pub state: Option<State>,
    /// The saved drive that the only drive begins as, in place of a state.
    pub saved: Option<Saved>,
    /// The idle time of the drives between a state and a load.
    pub rest: Rest,
    /// The length of timed jobs: in full, or cut for a quick review.
    pub length: Length,
    /// Set if tests that no published figure is made from are cut as in a quick review, drive by drive.
    pub by_need: bool,
    /// The clock of loads. Without one they show what a drive writes and erases, but no rate and no latency.
    pub clock: Clock,
    /// The machine for all tests; none for that of each test's review.
    pub testbed: Option<Testbed>,
    /// Root of every random stream.
    pub seed: RootSeed,
    /// The number of times that each run is made, each with another seed; at least 1.
    pub repeats: u32,
}

/// A review as cells.
#[derive(Debug)]
pub struct Batch {
    /// The review that was asked for.
    pub review: Review,
    cells: Vec<Cell>,
    /// The work of each part of each cell.
    costs: Vec<Vec<f64>>,
    /// In the order of the review.
    drives: Vec<OfDrive>,
}

impl Review {
    /// Tests on drives, all of them and whole, with a clock and once.
    #[must_use]
    pub fn of(drives: Vec<Subject>, tests: Vec<Test>, seed: RootSeed) -> Review {
        Review {
            drives,
            tests,
            loads: Vec::new(),
            wanted: None,
            is_everything: false,
            state: None,
            saved: None,
            rest: Rest::default(),
            length: Length::Full,
            by_need: false,
            clock: Clock::Timed,
            testbed: None,
            seed,
            repeats: 1,
        }
    }

    /// Checks that the loads fit the drives, before anything is made or filled in vain.
    ///
    /// # Errors
    /// The first that does not.
    pub fn check(&self) -> Result<(), LabError> {
        for subject in &self.drives {
            for item in self.items() {
                let machine = self.machine(subject, &item)?;
                for load in item.loads() {
                    let checked = ftlab_lab::check(load, subject, &machine, self.clock);
                    checked.map_err(|error| LabError::Run {
                        run: subject.slug().to_owned(),
                        error: Box::new(error),
                    })?;
                }
            }
        }
        Ok(())
    }

    /// All that it runs, in the order of the report.
    fn items(&self) -> impl Iterator<Item = Item> {
        let tests = self.tests.iter().cloned().map(Item::Test);
        tests.chain(self.loads.iter().cloned().map(Item::Load))
    }

    /// The machine that drives run an item on.
    fn machine(&self, subject: &Subject, item: &Item) -> Result<Testbed, LabError> {
        let machine = ftlab_lab::testbed(self.testbed.as_ref(), item.testbed(subject));
        machine.map_err(|error| LabError::Drive {
            drive: subject.slug().to_owned(),
            error,
        })
    }

    /// The cells of it.
    ///
    /// # Errors
    /// When there is no machine of a name.
    ///
    /// # Panics
    /// When every run is to be made no time at all.
    pub fn batch(self) -> Result<Batch, LabError> {
        assert!(self.repeats > 0, "every run is made at least once");
        let (mut cells, mut costs, mut drives) = (Vec::new(), Vec::new(), Vec::new());
        let names: Vec<Names> = self.drives.iter().map(set::names).collect();
        let asked = self.by_need.then(|| figures::asked(&names, &self.tests));
        for (n, subject) in self.drives.iter().enumerate() {
            let mut of_drive = OfDrive::new(&self, n, asked.as_ref());
            let subject = Arc::new(subject.clone());
            let once = of_drive.cells(&self, &subject)?;
            of_drive.first_cell = cells.len();
            of_drive.cells = once.len();
            let worth = cost::of_cells(&once);
            for repeat in 0..self.repeats {
                let seed = repeats::seed(self.seed, repeat);
                let cell = |cell: &Cell| Cell {
                    seed,
                    ..cell.clone()
                };
                cells.extend(once.iter().map(cell));
                costs.extend(worth.iter().cloned());
            }
            drives.push(of_drive);
        }
        Ok(Batch {
            review: self,
            cells,
            costs,
            drives,
        })
    }

    /// Runs all of it. The listener `hear` gets every event, and may end the work.
    ///
    /// # Errors
    /// When it was ended, or the first drive, in the order of the review, that cannot be built or whose run fails.
    pub fn results(self, lab: &Lab, hear: &Listener<'_>) -> Result<ResultSet, Arc<LabError>> {
        let asked = self.batch().map_err(Arc::new)?;
        let ends = ask::run(&asked, lab, hear);
        let ends = ends.map_err(|stopped: Stopped| Arc::new(stopped.into()))?;
        match asked.errors(&ends).next() {
            Some((_, error)) => Err(Arc::clone(error)),
            None => Ok(asked.set(&ends, "")),
        }
    }
}

impl Batch {
    /// The drives that have failed, by their numbers, and why.
    pub fn errors<'a>(
        &'a self,
        ends: &'a Ends,
    ) -> impl Iterator<Item = (usize, &'a Arc<LabError>)> {
        let each = self.drives.iter().enumerate();
        each.filter_map(move |(n, drive)| Some((n, self.error(drive, ends)?)))
    }

    fn error<'a>(&self, drive: &'a OfDrive, ends: &'a Ends) -> Option<&'a Arc<LabError>> {
        let refused = drive.refused.as_ref();
        refused.or_else(|| ends.error(drive.all_cells(self.review.repeats)))
    }
}

impl Asker for Batch {
    fn cells(&self) -> &[Cell] {
        &self.cells
    }

    fn costs(&self, cell: usize) -> &[f64] {
        &self.costs[cell]
    }

    /// A run holds its courses and distributions, and those of the first repeat alone are shown.
    fn keep(&self, cell: usize, mut outcomes: Vec<Outcome>) -> Vec<Outcome> {
        if self.cells[cell].seed != self.review.seed {
            outcomes.iter_mut().for_each(Outcome::lighten);
        }
        outcomes
    }

    fn remark(&self, cell: usize) -> String {
        match self.review.repeats {
            1 => String::new(),
            all => {
                let seed = self.cells[cell].seed;
                let is_it = |repeat: &u32| repeats::seed(self.review.seed, *repeat) == seed;
                let repeat = (0..all).find(is_it).unwrap_or_default();
                format!(", repeat {} of {all}", repeat + 1)
            }
        }
    }

    fn set(&self, ends: &Ends, why: &str) -> ResultSet {
        set::result_set(self, ends, why)
    }
}

#[cfg(test)]
mod tests;
