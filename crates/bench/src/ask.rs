//! Askers: each makes cells of what was asked for, and results of their outcomes.

use crate::sheets::sheet_of;
use ftlab_lab::{Cell, Lab, LabError, Outcome, Subject};
use ftlab_result::{Origin, ResultSet, Run, Unfinished, Way};
use ftlab_states::watch::Stopped;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// Makes cells of what was asked for, and results of their outcomes.
pub trait Asker: Send + Sync {
    /// Everything that is to run. The cells of a drive stand together.
    fn cells(&self) -> &[Cell];

    /// The work of each part of a cell ([`ftlab_lab::Event::Part`]), beside that of others.
    fn costs(&self, _cell: usize) -> &[f64] {
        &[1.0]
    }

    /// The part of a cell's outcomes that stays in memory until the results are made.
    fn keep(&self, _cell: usize, outcomes: Vec<Outcome>) -> Vec<Outcome> {
        outcomes
    }

    /// The words behind the label of a cell, such as which repeat it is of.
    fn remark(&self, _cell: usize) -> String {
        String::new()
    }

    /// The results of what has ended. `why` is the reason that a drive has not ended.
    fn set(&self, ends: &Ends, why: &str) -> ResultSet;
}

/// The ends of cells by their numbers: outcomes, or an error; nothing for those that have not ended.
#[derive(Debug)]
pub struct Ends(Vec<Option<Result<Vec<Outcome>, Arc<LabError>>>>);

impl Ends {
    /// Nothing yet of what was asked for.
    #[must_use]
    pub fn none(asker: &dyn Asker) -> Ends {
        Ends(asker.cells().iter().map(|_| None).collect())
    }

    /// Takes how a cell ended.
    pub fn take(&mut self, asker: &dyn Asker, n: usize, end: Result<Vec<Outcome>, Arc<LabError>>) {
        self.0[n] = Some(end.map(|outcomes| asker.keep(n, outcomes)));
    }

    /// The cells that have not ended.
    #[must_use]
    pub fn missing(&self) -> Vec<usize> {
        let all = 0..self.0.len();
        all.filter(|&n| self.0[n].is_none()).collect()
    }

    /// Takes out those of the cells from a number on.
    #[must_use]
    pub fn split_off(&mut self, from: usize) -> Ends {
        Ends(self.0.split_off(from))
    }

    /// The outcomes of a cell that is done.
    #[must_use]
    pub fn outcomes(&self, n: usize) -> Option<&[Outcome]> {
        Some(self.0[n].as_ref()?.as_ref().ok()?.as_slice())
    }

    /// The first error among cells.
    #[must_use]
    pub fn error(&self, mut cells: Range<usize>) -> Option<&Arc<LabError>> {
        cells.find_map(|n| self.0[n].as_ref()?.as_ref().err())
    }

    /// The number of the cells that have outcomes; those that failed do not count.
    #[must_use]
    pub fn done(&self, cells: Range<usize>) -> usize {
        cells.filter(|&n| self.outcomes(n).is_some()).count()
    }

    /// Returns true if all of the cells have ended, well or not.
    #[must_use]
    pub fn have_ended(&self, mut cells: Range<usize>) -> bool {
        cells.all(|n| self.0[n].is_some())
    }
}

/// The drives of what was asked for, and the cells of each.
#[must_use]
pub fn drives(asker: &dyn Asker) -> Vec<(&Arc<Subject>, Range<usize>)> {
    let mut drives: Vec<(&Arc<Subject>, Range<usize>)> = Vec::new();
    for (n, cell) in asker.cells().iter().enumerate() {
        match drives.last_mut() {
            Some((last, cells)) if Arc::ptr_eq(last, &cell.subject) => cells.end = n + 1,
            _ => drives.push((&cell.subject, n..n + 1)),
        }
    }
    drives
}

/// Runs all that was asked for, and returns how each cell ended. The `listener` gets all other events.
///
/// # Errors
/// When `listener` has ended the work.
pub fn run(
    asker: &dyn Asker,
    lab: &Lab,
    listener: &ftlab_lab::Listener<'_>,
) -> Result<Ends, Stopped> {
    let ends = Mutex::new(Ends::none(asker));
    lab.run_cells(asker.cells(), &|n, event| match event {
        ftlab_lab::Event::Done(end) => {
            let mut ends = ends.lock().unwrap_or_else(PoisonError::into_inner);
            ends.take(asker, n, end);
            Ok(())
        }
        event => listener(n, event),
    })?;
    Ok(ends.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// Results that were simulated: by this version of the program, with this root of all seeds, on these machines.
#[must_use]
pub fn origin(seed: u64, testbed: String, quick: bool) -> Origin {
    Origin {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        way: Way::Simulated,
        model_version: ftlab_drive::MODEL_VERSION,
        seed,
        testbed,
        quick,
        repeats: 1,
        seeds: Vec::new(),
    }
}

/// The runs of all that has ended well, in the order of the cells.
#[must_use]
pub fn runs(asker: &dyn Asker, ends: &Ends) -> Vec<Run> {
    let all = 0..asker.cells().len();
    let outcomes = all.filter_map(|n| ends.outcomes(n)).flatten();
    outcomes.map(|outcome| outcome.run.clone()).collect()
}

/// A result set of the drives that have ended well, and what others lack; its tests and runs are still to be put in.
#[must_use]
pub fn set_of(asker: &dyn Asker, ends: &Ends, why: &str, origin: Origin) -> ResultSet {
    let mut set = empty(origin);
    for (subject, cells) in drives(asker) {
        if ends.done(cells.clone()) > 0 {
            set.drives.push(sheet_of(subject));
        }
        let failed = ends.error(cells.clone()).map(ToString::to_string);
        let missing = failed.or_else(|| (!ends.have_ended(cells)).then(|| why.to_owned()));
        let drive = subject.id();
        let unfinished = missing.map(|why| Unfinished { drive, why });
        set.unfinished.extend(unfinished);
    }
    set
}

/// A result set of an origin, and nothing in it yet.
#[must_use]
pub fn empty(origin: Origin) -> ResultSet {
    ResultSet {
        schema: ftlab_result::SCHEMA,
        provenance: None,
        origin,
        drives: Vec::new(),
        tests: Vec::new(),
        figures: Vec::new(),
        runs: Vec::new(),
        plans: Vec::new(),
        verdicts: Vec::new(),
        unfinished: Vec::new(),
    }
}

/// The slugs of machines, each once, in their order, as results name them.
pub fn listed<'s>(slugs: impl IntoIterator<Item = &'s str>) -> String {
    let mut listed: Vec<&str> = Vec::new();
    for slug in slugs {
        if !listed.contains(&slug) {
            listed.push(slug);
        }
    }
    listed.join(", ")
}
