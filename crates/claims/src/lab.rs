//! Cells for all that checks need, each thing once: tests and loads as a review runs them, and experiments.

use crate::experiments;
use crate::need::{Need, Work};
use crate::rows::needs_of;
use crate::sample::Sample;
use crate::table::Claim;
use ftlab_base::RootSeed;
use ftlab_bench::ask::{self, Asker, Ends};
use ftlab_bench::review::{Batch, Review};
use ftlab_bench::suites::{self, NO_STATE, Test};
use ftlab_drive::{Catalog, DriveFile};
use ftlab_host::{Port, Testbed};
use ftlab_lab::{self as lab, Begin, Cell, LabError, Length, Playing, Subject};
use ftlab_play::driver::Clock;
use ftlab_play::load::Load;
use ftlab_result::{ResultSet, Run};
use ftlab_sheet::SheetError;
use ftlab_states::State;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The claims to check, and the drives to check them on.
#[derive(Debug)]
pub struct Plan {
    /// Ids of claims; none for all.
    pub ids: Vec<String>,
    /// Drives that take the place of those of the same slug; when there are any, only claims are
    /// checked that need one of them.
    pub drives: Vec<DriveFile>,
    /// Root of every random stream.
    pub seed: RootSeed,
}

impl Plan {
    /// Returns `true` if a check that needs a drive of this name is one of the plan's.
    pub fn is_of(&self, drive: &str) -> bool {
        self.drives.is_empty() || self.changed(drive).is_some()
    }

    fn changed(&self, drive: &str) -> Option<&DriveFile> {
        let is_it = |file: &&DriveFile| {
            file.slug() == drive || file.aliases().iter().any(|alias| alias == drive)
        };
        self.drives.iter().find(is_it)
    }

    fn load(&self, need: &Need) -> Result<DriveFile, SheetError> {
        match self.changed(need.drive) {
            Some(file) => file.with(&need.settings()),
            None => Catalog::default().load(need.drive, &need.settings()),
        }
    }
}

/// The machine that takes no time and has no ports: what is measured is the drive alone.
pub const NOBODY: &str = "nobody";

/// Measurements by the keys of their needs; of those that failed, why.
pub type Samples = BTreeMap<String, Result<Sample, String>>;

/// A drive as its file and settings say: behind machines that come with ftlab, and behind none.
#[derive(Debug)]
struct OfDrive {
    file: DriveFile,
    plugged: Arc<Subject>,
    alone: Arc<Subject>,
    /// Tests that are courses, by the keys of their needs, with the states that are meant.
    tests: BTreeMap<String, (Test, String)>,
}

/// Checks of claims as cells, each cell once.
#[derive(Debug)]
pub struct Checks {
    /// The claims, in the order of the table.
    pub(crate) claims: Vec<Claim>,
    cells: Vec<Cell>,
    /// The needs of each cell but those of the review, by their keys.
    keys: Vec<Vec<String>>,
    /// Tests that are courses, whose cells stand behind the others.
    review: Batch,
    drives: Vec<OfDrive>,
    seed: RootSeed,
}

impl Checks {
    /// The cells of claims.
    ///
    /// # Errors
    /// When a drive with its settings is none.
    pub(crate) fn of(plan: &Plan, claims: Vec<Claim>) -> Result<Checks, LabError> {
        let mut needed = Needed {
            plan,
            nobody: Arc::new(experiments::nobody()),
            drives: BTreeMap::new(),
            cells: Vec::new(),
            known: BTreeMap::new(),
        };
        for need in claims.iter().flat_map(needs_of) {
            needed.add(need)?;
        }
        let review = needed.review().batch()?;
        // Those of a drive stand together.
        (needed.cells).sort_by_key(|(cell, _)| (cell.subject.id(), cell.machine.slug == NOBODY));
        let (mut cells, keys): (Vec<Cell>, Vec<_>) = needed.cells.into_iter().unzip();
        cells.extend_from_slice(review.cells());
        Ok(Checks {
            claims,
            cells,
            keys,
            review,
            drives: needed.drives.into_values().collect(),
            seed: plan.seed,
        })
    }

    /// Returns the samples of the cells. A failure on a drive is there in words: the claims that need it stay open, and
    /// the others do not.
    pub(crate) fn samples(&self, mut ends: Ends) -> Samples {
        let mut samples = Samples::new();
        let of_review = ends.split_off(self.keys.len());
        for (n, keys) in self.keys.iter().enumerate() {
            let end = match (ends.outcomes(n), ends.error(n..n + 1)) {
                (Some([outcome, ..]), _) => {
                    let drive = self.cells[n].subject.slug().to_owned();
                    let run = outcome.run.clone();
                    Ok(Sample::of(Run { drive, ..run }))
                }
                (_, Some(error)) => Err(error.to_string()),
                _ => continue,
            };
            samples.extend(keys.iter().map(|key| (key.clone(), end.clone())));
        }
        let set = self.review.set(&of_review, "");
        for (n, of_drive) in self.drives.iter().enumerate() {
            let mut failed = self.review.errors(&of_review);
            let failed = failed.find(|(drive, _)| *drive == n);
            for (key, (test, state)) in &of_drive.tests {
                let is_it = |run: &&Run| {
                    run.drive == of_drive.plugged.id()
                        && run.test == test.step.slug
                        && [state.as_str(), NO_STATE].contains(&run.state.as_str())
                };
                // A test that one drive failed leaves its other tests without runs, which have the same reason.
                let end = match (set.runs.iter().find(is_it), &failed) {
                    (Some(run), _) => {
                        let drive = of_drive.plugged.slug().to_owned();
                        let run = run.clone();
                        Ok(Sample::of(Run { drive, ..run }))
                    }
                    (None, Some((_, error))) => Err(error.to_string()),
                    (None, None) => continue,
                };
                samples.insert(key.clone(), end);
            }
        }
        samples
    }
}

impl Asker for Checks {
    fn cells(&self) -> &[Cell] {
        &self.cells
    }

    fn costs(&self, cell: usize) -> &[f64] {
        match cell.checked_sub(self.keys.len()) {
            None => &[1.0],
            Some(of_review) => self.review.costs(of_review),
        }
    }

    fn set(&self, ends: &Ends, _why: &str) -> ResultSet {
        let mut set = ask::empty(ask::origin(self.seed.0, String::new(), false));
        set.runs = ask::runs(self, ends);
        set
    }
}

/// Cells and tests for the needs that were gone through so far.
struct Needed<'p> {
    plan: &'p Plan,
    nobody: Arc<Testbed>,
    drives: BTreeMap<String, OfDrive>,
    /// Each with the keys of its needs.
    cells: Vec<(Cell, Vec<String>)>,
    /// The cells by their ids.
    known: BTreeMap<String, usize>,
}

impl Needed<'_> {
    fn add(&mut self, need: &Need) -> Result<(), LabError> {
        let wrong = |error: SheetError| LabError::Drive {
            drive: need.drive.to_owned(),
            error,
        };
        let (key, subject) = (need.key(), need.subject());
        if !self.drives.contains_key(&subject) {
            let file = self.plan.load(need).map_err(wrong)?;
            // Drives of one file with different settings are told apart.
            let of = || {
                Subject::from(file.clone()).being(lab::Variant {
                    name: need.settings().join(","),
                    settings: need.settings(),
                    ..lab::Variant::default()
                })
            };
            let of_drive = OfDrive {
                plugged: Arc::new(of()),
                alone: Arc::new(of()),
                tests: BTreeMap::new(),
                file,
            };
            self.drives.insert(subject.clone(), of_drive);
        }
        let of_drive = self.drives.get_mut(&subject).expect("it was put there");
        let cell = match &need.work {
            Work::Experiment(experiment) => Cell {
                subject: Arc::clone(&of_drive.alone),
                work: lab::Work::Course(Arc::new(*experiment)),
                machine: Arc::clone(&self.nobody),
                seed: self.plan.seed,
            },
            Work::Test(test, state) => match &test.step.work {
                // The test as its review made it: its first load and port, in one state.
                suites::Work::Loads { loads, ports } => {
                    let state = state.and_then(State::named);
                    let state = state.unwrap_or(test.family.states[0]);
                    let plugged = Arc::clone(&of_drive.plugged);
                    let machine = test.family.testbed.as_deref();
                    let machine = machine.unwrap_or_else(|| plugged.usual_testbed());
                    self.of_load(&subject, &loads[0], state, machine, ports[0])
                        .map_err(wrong)?
                }
                suites::Work::Within(..) | suites::Work::Fact(_) => {
                    let state = state.unwrap_or_else(|| test.first_state()).to_owned();
                    of_drive.tests.insert(key, (test.clone(), state));
                    return Ok(());
                }
            },
            Work::Load {
                load,
                state,
                machine,
                port,
            } => (self.of_load(&subject, load, *state, machine, *port)).map_err(wrong)?,
        };
        // Cells of one id may be of different experiments' scales; their needs alone are the same.
        let at = *self.known.entry(cell.id()).or_insert_with(|| {
            self.cells.push((cell, Vec::new()));
            self.cells.len() - 1
        });
        let keys = &mut self.cells[at].1;
        if !keys.contains(&key) {
            keys.push(key);
        }
        Ok(())
    }

    fn of_load(
        &self,
        subject: &str,
        load: &Load,
        state: State,
        machine: &str,
        port: Option<Port>,
    ) -> Result<Cell, SheetError> {
        let of_drive = &self.drives[subject];
        let (subject, machine) = match machine {
            NOBODY => (&of_drive.alone, Arc::clone(&self.nobody)),
            slug => (&of_drive.plugged, Arc::new(Testbed::load(slug)?)),
        };
        let state = match subject.has_flash() {
            true => state,
            false => State::New,
        };
        Ok(Cell {
            subject: Arc::clone(subject),
            work: lab::Work::Load(Playing {
                load: load.clone(),
                begin: Begin::of(state),
                clock: Clock::Timed,
                // A review leaves out a port that a drive is not slower on than on the fastest.
                port: port.filter(|port| of_drive.file.waits_for(*port)),
                length: Length::Full,
            }),
            machine,
            seed: self.plan.seed,
        })
    }

    /// The tests that are courses, as a review.
    fn review(&self) -> Review {
        let tests = self.drives.values().flat_map(|drive| drive.tests.values());
        let tests = tests.map(|(test, _)| (test.step.slug.clone(), test.clone()));
        let tests: BTreeMap<String, Test> = tests.collect();
        let slugs = |drive: &OfDrive| {
            let tests = drive.tests.values();
            tests.map(|(test, _)| test.step.slug.clone()).collect()
        };
        let plugged = |drive: &OfDrive| Subject::clone(&drive.plugged);
        let drives = self.drives.values().map(plugged).collect();
        Review {
            wanted: Some(self.drives.values().map(slugs).collect()),
            ..Review::of(drives, tests.into_values().collect(), self.plan.seed)
        }
    }
}
