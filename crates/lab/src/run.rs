//! Cells as they run: those of the same drives and seed together, each from a copy of its state.

use crate::LabError;
use crate::cell::{Cell, Course, Observer, Playing, Work};
use crate::outcome::{Outcome, host};
use crate::play::{How, play};
use crate::pool::Lab;
use crate::states::{Begun, Loaded, Way, prepare, steps};
use crate::subject::{Devices, Subject};
use ftlab_play::record::Record;
use ftlab_states::State;
use ftlab_states::watch::Stopped;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// An event of a cell.
pub enum Event<'a> {
    /// It is at this, and so far with it, 0 to 1.
    Doing(&'a str, Option<f64>),
    /// Its drives are where its load begins: what else is to be done with them comes now.
    Ready(Visit<'a>, &'a mut Devices),
    /// Its load has ended.
    Played(Visit<'a>, &'a mut Devices, &'a Record),
    /// A part of it is done: its load, or a part of its course.
    Part(&'a str),
    /// It has ended. Cells that had to begin in the same state share why they could not.
    Done(Result<Vec<Outcome>, Arc<LabError>>),
}

/// Hears what happens to the cell of a number, from any thread. An error ends that cell, and [`LabError::Stopped`] all
/// of them.
pub type Listener<'a> = dyn Fn(usize, Event<'_>) -> Result<(), LabError> + Sync + 'a;

/// A load on its drives.
#[derive(Clone, Copy)]
pub struct Visit<'a> {
    /// The cell that is run.
    pub cell: &'a Cell,
    /// Load, and the manner in which it is played.
    pub playing: &'a Playing,
    /// Steps that the drives have been through, in words.
    pub steps: &'a [String],
    /// Source that the only drive was loaded from, if it was not prepared.
    pub loaded: Option<&'a Loaded>,
}

/// Cells that share their drives.
struct Unit<'a> {
    subject: &'a Arc<Subject>,
    /// Numbers of its cells.
    cells: Vec<usize>,
}

impl Lab {
    /// Runs cells; `hear` hears of each how it ended. One that fails takes nothing from the others.
    ///
    /// # Errors
    /// When `hear` has ended the work.
    pub fn run_cells(&self, cells: &[Cell], hear: &Listener<'_>) -> Result<(), Stopped> {
        let all: Vec<usize> = (0..cells.len()).collect();
        self.run_some(cells, &all, hear)
    }

    /// Runs the cells of these numbers alone.
    ///
    /// # Errors
    /// As [`Lab::run_cells`].
    pub fn run_some(
        &self,
        cells: &[Cell],
        some: &[usize],
        hear: &Listener<'_>,
    ) -> Result<(), Stopped> {
        let units = units(cells, some);
        let of_unit = |unit: &Unit<'_>| run_together(cells, &unit.cells, hear);
        let bytes = |unit: &Unit<'_>| unit.subject.memory_bytes();
        self.run(&units, bytes, of_unit).into_iter().collect()
    }

    /// The most memory that the drives of these cells take: a drive of one load is used up by it, and of
    /// all others there are copies.
    #[must_use]
    pub fn most_bytes_of(&self, cells: &[Cell], some: &[usize]) -> u64 {
        let units = units(cells, some);
        let bytes = |unit: &Unit<'_>| unit.subject.memory_bytes();
        match &units[..] {
            [only] if matches!(only.cells[..], [n] if cells[n].playing().is_some()) => bytes(only),
            _ => self.most_bytes(&units.iter().map(bytes).collect::<Vec<_>>()),
        }
    }
}

/// Cells by their drives and seeds, in the order in which they come first.
fn units<'a>(cells: &'a [Cell], some: &[usize]) -> Vec<Unit<'a>> {
    let mut units: Vec<Unit<'a>> = Vec::new();
    let mut of_key = BTreeMap::new();
    for &n in some {
        let cell = &cells[n];
        let key = (Arc::as_ptr(&cell.subject), cell.seed.0);
        let at = *of_key.entry(key).or_insert_with(|| {
            units.push(Unit {
                subject: &cell.subject,
                cells: Vec::new(),
            });
            units.len() - 1
        });
        units[at].cells.push(n);
    }
    units
}

/// Runs those of the cells that are of the same drives and the same seed, on the threads of the pool that it is called in.
///
/// # Errors
/// When `hear` has ended the work.
pub fn run_together(cells: &[Cell], some: &[usize], hear: &Listener<'_>) -> Result<(), Stopped> {
    Running { cells, hear }.run(some)
}

/// Cells that share their drives, under way.
struct Running<'a> {
    cells: &'a [Cell],
    hear: &'a Listener<'a>,
}

/// A load among them, by the number of its cell.
#[derive(Clone, Copy)]
struct Load<'a> {
    n: usize,
    cell: &'a Cell,
    playing: &'a Playing,
}

impl<'a> Running<'a> {
    fn run(&self, some: &[usize]) -> Result<(), Stopped> {
        let (mut loads, mut courses) = (Vec::new(), Vec::new());
        for &n in some {
            let cell = &self.cells[n];
            match &cell.work {
                Work::Load(playing) => loads.push(Load { n, cell, playing }),
                Work::Course(course) => courses.push((n, course)),
            }
        }
        // Drives are prepared once with each kind of data.
        while let Some(first) = loads.first() {
            let before = first.cell.data_before();
            let is_alike = |load: &Load<'_>| load.cell.data_before() == before;
            let (alike, others) = loads.into_iter().partition(is_alike);
            self.run_alike(alike)?;
            loads = others;
        }
        let course = |&(n, course): &(usize, &Arc<dyn Course>)| {
            self.ended(n, self.course(n, course.as_ref()))
        };
        courses.par_iter().map(course).collect()
    }

    fn watch(&self, n: usize, what: &str, share: Option<f64>) -> Result<(), Stopped> {
        (self.hear)(n, Event::Doing(what, share)).map_err(|_| Stopped)
    }

    /// Says how a cell ended.
    fn ended(&self, n: usize, end: Result<Vec<Outcome>, LabError>) -> Result<(), Stopped> {
        self.done(n, end.map_err(Arc::new))
    }

    fn done(&self, n: usize, end: Result<Vec<Outcome>, Arc<LabError>>) -> Result<(), Stopped> {
        if end.as_ref().is_err_and(|error| error.is_stopped()) {
            return Err(Stopped);
        }
        (self.hear)(n, Event::Done(end)).map_err(|_| Stopped)
    }

    fn course(&self, n: usize, course: &dyn Course) -> Result<Vec<Outcome>, LabError> {
        let watch = |what: &str, share: Option<f64>| self.watch(n, what, share);
        watch(&course.name(), None)?;
        let observer = Observer {
            watch: &watch,
            part: &|label| (self.hear)(n, Event::Part(label)),
        };
        course.run(&self.cells[n], observer)
    }

    /// Runs loads that begin with drives prepared with the same data.
    fn run_alike(&self, mut left: Vec<Load<'a>>) -> Result<(), Stopped> {
        let failed = match self.run_states(&mut left) {
            Ok(()) => return Ok(()),
            Err(error) if error.is_stopped() => return Err(Stopped),
            Err(error) => Arc::new(error),
        };
        let mut left = left.into_iter();
        left.try_for_each(|load| self.done(load.n, Err(Arc::clone(&failed))))
    }

    /// Runs loads in the order of their states, and takes those from `left` that have ended.
    fn run_states(&self, left: &mut Vec<Load<'a>>) -> Result<(), LabError> {
        let Some(&Load { cell: first, .. }) = left.first() else {
            return Ok(());
        };
        let (subject, root) = (&first.subject, first.seed);
        let build = || {
            let built = subject.build(&first.machine, root);
            built.map_err(|error| LabError::Drive {
                drive: subject.slug().to_owned(),
                error,
            })
        };
        let mut devices = build()?;
        let mut reached = State::New;
        for state in State::ALL {
            let begins = |load: &&Load<'_>| load.playing.begin.state == state;
            let Some(one) = left.iter().find(begins).copied() else {
                continue;
            };
            if !reached.leads_to(state) {
                devices = build()?;
                reached = State::New;
            }
            let way = Way {
                from: reached,
                to: state,
                before: first.data_before(),
                saved: one.playing.begin.saved.as_ref(),
            };
            let watch = |what: &str, share: Option<f64>| self.watch(one.n, what, share);
            let begun = prepare(subject, &mut devices, way, root, &watch)?;
            reached = state;
            let here: Vec<Load<'_>> = left.extract_if(.., |load| begins(&&*load)).collect();
            // Nobody else needs the last ones.
            if let ([only], true) = (&here[..], left.is_empty()) {
                return Ok(self.ended(only.n, self.load(*only, devices, &begun))?);
            }
            let prepared = Mutex::new(&mut devices);
            let load = |&load: &Load<'_>| {
                let prepared = prepared.lock().unwrap_or_else(PoisonError::into_inner);
                let copies = prepared.iter().map(|device| device.snapshot()).collect();
                drop(prepared);
                self.ended(load.n, self.load(load, copies, &begun))
            };
            here.par_iter().map(load).collect::<Result<(), Stopped>>()?;
        }
        Ok(())
    }

    /// Plays a load on drives of its own.
    fn load(
        &self,
        Load { n, cell, playing }: Load<'_>,
        mut devices: Devices,
        begun: &[Begun],
    ) -> Result<Vec<Outcome>, LabError> {
        let (state, rest) = (playing.begin.state, playing.begin.rest);
        for device in &mut devices {
            device.plug(&host(&cell.machine, playing.port));
            if rest.hours > 0.0 {
                device.rest(rest.hours, rest.celsius);
            }
        }
        // The listener may save the drives or have other work done on them, before the load changes them.
        let visit = Visit {
            cell,
            playing,
            steps: &steps(&cell.subject, begun, state, cell.data_before()),
            loaded: begun[0].loaded.as_ref(),
        };
        (self.hear)(n, Event::Ready(visit, &mut devices))?;
        let how = How {
            length: playing.length,
            clock: playing.clock,
            seed: playing.load.seed(cell.seed),
            has_settled: begun.iter().all(|begun| begun.has_settled(state)),
            watch: &|what, share| self.watch(n, what, share),
        };
        let label = cell.label();
        let record = play(
            &playing.load,
            &cell.subject,
            &mut devices,
            &cell.machine,
            &how,
        );
        let record = record.map_err(|error| LabError::Run {
            run: label.clone(),
            error: Box::new(error),
        })?;
        (self.hear)(n, Event::Played(visit, &mut devices, &record))?;
        (self.hear)(n, Event::Part(&label))?;
        Ok(vec![Outcome::of(cell, playing, record, begun)])
    }
}
