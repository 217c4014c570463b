//! Rows of a sweep as they run: those of the same drive, settings and seed together, from one prepared state.

use crate::grid::{Point, Sweep};
use crate::rows::{Fault, NotRun, Row};
use crate::share::Share;
use crate::value::Value;
use ftlab_base::RootSeed;
use ftlab_drive::DriveFile;
use ftlab_host::Testbed;
use ftlab_lab::{Begin, Cell, Event, Lab, Length, Playing, Saved, Subject, Work, run_together};
use ftlab_result::Run;
use ftlab_sheet::SheetError;
use ftlab_states::State;
use ftlab_states::watch::Stopped;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Rows that start from the same state of the same drive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    pub(crate) point: Point,
    /// Numbers of the loads that are to run.
    pub(crate) loads: Vec<usize>,
}

/// Hears of each row as soon as it is done, from any thread, and is asked often, without one, whether the sweep is to go on.
pub type Listener<'a> = dyn Fn(Option<Row>) -> Result<(), Stopped> + Sync + 'a;

/// The drive of a unit, and its variant.
fn drive_of(unit: &Unit) -> (usize, usize) {
    (unit.point.drive, unit.point.variant)
}

impl Sweep {
    /// The rows of a share that are not there yet, by units of work; `has` says of an id whether it is there.
    #[must_use]
    pub fn missing(&self, share: Share, has: &dyn Fn(&str) -> bool) -> Vec<Unit> {
        let mut units = Vec::new();
        for (_, point) in self.units().filter(|(number, _)| share.has(*number)) {
            let is_missing = |&load: &usize| !has(&self.id(self.row(Point { load, ..point })));
            let loads: Vec<usize> = (0..self.loads.len()).filter(is_missing).collect();
            if !loads.is_empty() {
                units.push(Unit { point, loads });
            }
        }
        units
    }

    /// The units of the grid's rows by these numbers.
    #[must_use]
    pub fn units_of(&self, rows: &[usize]) -> Vec<Unit> {
        let mut units: Vec<Unit> = Vec::new();
        for &row in rows {
            let point = self.point(row);
            let first = Point { load: 0, ..point };
            match units.iter_mut().find(|unit| unit.point == first) {
                Some(unit) => unit.loads.push(point.load),
                None => units.push(Unit {
                    point: first,
                    loads: vec![point.load],
                }),
            }
        }
        units
    }

    /// The rows of a share, in the order of the grid.
    #[must_use]
    pub fn rows_of(&self, share: Share) -> Vec<usize> {
        let loads = 0..self.loads.len();
        let rows = self.units().filter(|(number, _)| share.has(*number));
        let rows = rows.flat_map(|(_, point)| {
            loads
                .clone()
                .map(move |load| self.row(Point { load, ..point }))
        });
        let mut rows: Vec<usize> = rows.collect();
        rows.sort_unstable();
        rows
    }

    /// Every unit of work by its number, as a point of its first load.
    fn units(&self) -> impl Iterator<Item = (usize, Point)> {
        let (variants, seeds) = (self.variants.len(), self.seeds.len());
        (0..self.drives.len() * variants * seeds).map(move |number| {
            let of_drive = number / seeds;
            let point = Point {
                drive: of_drive / variants,
                variant: of_drive % variants,
                load: 0,
                seed: number % seeds,
            };
            (number, point)
        })
    }

    /// The rows of units, by number.
    #[must_use]
    pub fn rows_in(&self, units: &[Unit]) -> Vec<usize> {
        let rows = units.iter().flat_map(|unit| {
            let of = move |&load: &usize| self.row(Point { load, ..unit.point });
            unit.loads.iter().map(of)
        });
        rows.collect()
    }

    /// Runs units on a lab, in any order, each from a state that is prepared, or from one that was
    /// [saved](Sweep::save_state) of a row that is [alike](Sweep::alike). A row whose drive cannot be, or whose load does not
    /// run on it, is a row with a reason.
    ///
    /// # Errors
    /// When `hear` has ended it before all are done.
    pub fn run(
        &self,
        units: &[Unit],
        from: Option<&Saved>,
        lab: &Lab,
        hear: &Listener<'_>,
    ) -> Result<(), Stopped> {
        let sizes = self.sizes(units, lab);
        let bytes = |unit: &Unit| sizes[&drive_of(unit)];
        let of_unit = |unit: &Unit| self.run_unit(unit, from, hear);
        lab.run(units, bytes, of_unit).into_iter().collect()
    }

    /// Memory that the drives of units take at most at once, in bytes, each thread with a copy of one.
    #[must_use]
    pub fn most_bytes(&self, units: &[Unit], lab: &Lab) -> u64 {
        let sizes = self.sizes(units, lab);
        let of_units = units.iter().map(|unit| sizes[&drive_of(unit)]);
        lab.most_bytes(&of_units.collect::<Vec<_>>())
    }

    /// Bytes that the drives of units take, by drive and variant.
    fn sizes(&self, units: &[Unit], lab: &Lab) -> BTreeMap<(usize, usize), u64> {
        let drives: BTreeSet<(usize, usize)> = units.iter().map(drive_of).collect();
        let drives: Vec<(usize, usize)> = drives.into_iter().collect();
        let size = |&(drive, variant): &(usize, usize)| {
            let file = self.drive(drive, variant);
            file.map_or(0, |file| file.memory_bytes())
        };
        let sizes: Vec<u64> = lab.run(&drives, |_| 0, size);
        drives.into_iter().zip(sizes).collect()
    }

    /// A drive with the settings of a variant.
    pub(crate) fn drive(&self, drive: usize, variant: usize) -> Result<DriveFile, SheetError> {
        self.drives[drive].with(&self.settings(variant))
    }

    fn run_unit(
        &self,
        unit: &Unit,
        from: Option<&Saved>,
        hear: &Listener<'_>,
    ) -> Result<(), Stopped> {
        hear(None)?;
        let took = |load: usize, end: Result<Run, NotRun>| {
            let row = self.row(Point { load, ..unit.point });
            hear(Some(Row::of(self.id(row), end)))
        };
        let cells = match self.cells(unit, from) {
            Ok(cells) => cells,
            Err(refused) => {
                let mut loads = unit.loads.iter();
                return loads.try_for_each(|&load| took(load, Err(refused.clone())));
            }
        };
        let all: Vec<usize> = (0..cells.len()).collect();
        run_together(&cells, &all, &|n, event| match event {
            Event::Done(end) => {
                let end = end.map_err(|error| NotRun::from(&*error));
                let run = end.map(|mut outcomes| outcomes.remove(0).run);
                Ok(took(unit.loads[n], run)?)
            }
            _ => Ok(hear(None)?),
        })
    }

    /// The cells of a unit: one for each of its loads, all on the same drive.
    pub(crate) fn cells(&self, unit: &Unit, from: Option<&Saved>) -> Result<Vec<Cell>, NotRun> {
        let refused = |fault| {
            move |error: SheetError| NotRun {
                why: error.to_string(),
                fault,
            }
        };
        let file = self.drive(unit.point.drive, unit.point.variant);
        let subject = Arc::new(Subject::from(file.map_err(refused(Fault::Input))?));
        // A load may need a machine of its own; without one it runs on the machine usual for the drive.
        let cell = |&load: &usize| {
            let load = self.loads[load].load.clone();
            let slug = load.testbed().unwrap_or(subject.usual_testbed());
            let machine = Testbed::load(slug).map_err(refused(Fault::Here))?;
            let state = match subject.has_flash() {
                true => self.state,
                false => State::New,
            };
            let playing = Playing {
                load,
                begin: Begin {
                    saved: from.cloned(),
                    ..Begin::of(state)
                },
                clock: self.clock,
                port: None,
                length: Length::Full,
            };
            Ok(Cell {
                subject: Arc::clone(&subject),
                work: Work::Load(playing),
                machine: Arc::new(machine),
                seed: RootSeed(self.seeds[unit.point.seed]),
            })
        };
        unit.loads.iter().map(cell).collect()
    }

    /// The values of a key that every row sets, row by row; nothing where it does not.
    pub(crate) fn values<'s>(&'s self, key: &str, rows: &[usize]) -> Vec<Option<&'s Value>> {
        let value = |&row: &usize| self.variants[self.point(row).variant].get(key);
        rows.iter().map(value).collect()
    }
}
