//! Rows of a sweep as they run: those of the same drive, settings and seed together, from one prepared state.

use crate::grid::{Point, Sweep};
use crate::rows::Row;
use crate::share::Share;
use crate::state::Begin;
use crate::value::Value;
use ftlab_base::RootSeed;
use ftlab_bench::lab::Lab;
use ftlab_bench::review::{
    Devices, Fault, Length, Loaded, NotRun, Plan, Progress, ReviewError, Subject, Visit, Watch,
    run_each,
};
use ftlab_bench::stop::{Stopped, stop, stoppable};
use ftlab_bench::suites::own;
use ftlab_drive::{Device, DriveFile};
use ftlab_result::Run;
use ftlab_sheet::SheetError;
use std::collections::{BTreeMap, BTreeSet};

/// Rows that start from the same state of the same drive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    pub(crate) point: Point,
    /// Numbers of the loads that are to run.
    pub(crate) loads: Vec<usize>,
}

/// What hears of a sweep while it runs, from any thread.
pub trait Hears: Sync {
    /// A row is done.
    fn row(&self, row: Row);

    /// Whether the sweep is to end where it is. Asked often.
    fn is_over(&self) -> bool {
        false
    }
}

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

    /// Runs units on a lab, in any order; `hears` takes each row as soon as it is done. A row whose drive cannot be, or
    /// whose load does not run on it, is a row with a reason.
    ///
    /// # Errors
    /// When `hears` says that it is over before all are done.
    pub fn run(&self, units: &[Unit], lab: &Lab, hears: &dyn Hears) -> Result<(), Stopped> {
        self.run_as(units, &Begin::Prepared, lab, hears)
    }

    /// As [`Sweep::run`], with what drives begin with.
    pub(crate) fn run_as(
        &self,
        units: &[Unit],
        begin: &Begin<'_>,
        lab: &Lab,
        hears: &dyn Hears,
    ) -> Result<(), Stopped> {
        let sizes = self.sizes(units, lab);
        let bytes = |unit: &Unit| sizes[&drive_of(unit)];
        stoppable(|| lab.run(units, bytes, |unit| self.run_unit(unit, begin, hears)))?;
        match hears.is_over() {
            true => Err(Stopped),
            false => Ok(()),
        }
    }

    /// What the drives of units take at most at once, each thread with a copy of one.
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

    fn run_unit(&self, unit: &Unit, begin: &Begin<'_>, hears: &dyn Hears) {
        let take = |load: usize, end: Result<Run, NotRun>| {
            let row = self.row(Point { load, ..unit.point });
            hears.row(Row::of(self.id(row), end));
        };
        if hears.is_over() {
            return;
        }
        let file = match self.drive(unit.point.drive, unit.point.variant) {
            Ok(file) => file,
            Err(error) => {
                let refused = NotRun {
                    why: error.to_string(),
                    fault: Fault::Input,
                };
                unit.loads
                    .iter()
                    .for_each(|&load| take(load, Err(refused.clone())));
                return;
            }
        };
        let tests = unit.loads.iter().map(|&load| {
            let read = &self.loads[load];
            own(&read.texts.name, read.load.clone(), self.state, self.clock)
        });
        let root = RootSeed(self.seeds[unit.point.seed]);
        let plan = Plan {
            drives: Vec::new(),
            tests: tests.collect(),
            is_everything: false,
            state: None,
            length: Length::Full,
            clock: self.clock,
            testbed: None,
            memory_bytes: 0,
            seed: root,
            repeats: 1,
            threads: 1,
            version: String::new(),
        };
        let subject = Subject::from(file);
        run_each(
            &plan,
            &subject,
            root,
            &Asking { begin, hears },
            &|n, end| {
                take(unit.loads[n], end);
            },
        );
    }

    /// The values of a key that every row sets, row by row; nothing where it does not.
    pub(crate) fn values<'s>(&'s self, key: &str, rows: &[usize]) -> Vec<Option<&'s Value>> {
        let value = |&row: &usize| self.variants[self.point(row).variant].get(key);
        rows.iter().map(value).collect()
    }
}

/// Lets what runs ask whether it is over, and ends it there; and says what drives begin with.
struct Asking<'a> {
    begin: &'a Begin<'a>,
    hears: &'a dyn Hears,
}

impl Watch for Asking<'_> {
    fn ran(&self, _progress: Progress<'_>) {}
    fn tested(&self, _drive: usize, _test: &str, _runs: Vec<Run>) {}
    fn ended(&self, _drive: usize, _end: Result<(), ReviewError>) {}

    fn doing(&self, _drive: usize, _what: &str, _share: Option<f64>) {
        if self.hears.is_over() {
            stop();
        }
    }

    fn load(&self, file: &DriveFile, device: &mut dyn Device) -> Result<Option<Loaded>, String> {
        self.begin.load(file, device)
    }

    fn before(&self, visit: &Visit<'_>, devices: &mut Devices) -> Result<(), String> {
        self.begin.before(visit, devices)
    }
}
