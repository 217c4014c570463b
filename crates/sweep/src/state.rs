//! A drive's state that is prepared once, saved, and begins rows that others run.

use crate::grid::{Point, Sweep};
use crate::rows::Row;
use crate::run::{Hears, Unit};
use ftlab_bench::lab::Lab;
use ftlab_bench::review::{Devices, Loaded, Visit, data_before};
use ftlab_bench::stop::Stopped;
use ftlab_drive::saved::{self, Origin};
use ftlab_drive::{Device, DriveFile, Kind};
use ftlab_play::states::State;
use std::sync::{Mutex, PoisonError};

/// What drives of rows begin with.
pub enum Begin<'a> {
    /// As they are prepared.
    Prepared,
    /// A state that was saved.
    Saved(&'a [u8]),
    /// As they are prepared, which is saved; nothing runs.
    ToSave(&'a Mutex<Option<Vec<u8>>>),
}

impl Begin<'_> {
    pub fn load(
        &self,
        file: &DriveFile,
        device: &mut dyn Device,
    ) -> Result<Option<Loaded>, String> {
        let &Begin::Saved(mut bytes) = self else {
            return Ok(None);
        };
        let origin = saved::read(&mut bytes, file, device).map_err(|error| error.to_string())?;
        let file = String::new();
        Ok(Some(Loaded { file, origin }))
    }

    pub fn before(&self, visit: &Visit<'_>, devices: &Devices) -> Result<(), String> {
        let Begin::ToSave(slot) = self else {
            return Ok(());
        };
        let (file, state) = (visit.subject.first(), visit.state.name());
        let (version, steps) = (ftlab_drive::version(), visit.steps.to_vec());
        let origin = Origin::new(&version, file, state, steps, visit.root.0);
        let bytes = saved::write(&origin, devices[0].as_ref());
        *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(bytes);
        Err("its state is saved".to_owned())
    }
}

/// Hears of no row, as none is made.
struct Saving<'a>(&'a dyn Hears);

impl Hears for Saving<'_> {
    fn row(&self, _row: Row) {}

    fn is_over(&self) -> bool {
        self.0.is_over()
    }
}

impl Sweep {
    /// The rows of a unit, by number, as groups of which each may begin from one saved state. A drive that settles says
    /// how it did, which no saved state does: its rows are one group, to be run where they are prepared.
    #[must_use]
    pub fn alike(&self, unit: &Unit) -> Option<Vec<Vec<usize>>> {
        let file = self.drive(unit.point.drive, unit.point.variant).ok()?;
        if self.state == State::Steady || file.kind() != Kind::Ssd {
            return None;
        }
        let mut groups: Vec<(_, Vec<usize>)> = Vec::new();
        for &load in &unit.loads {
            let before = data_before(&file, &self.loads[load].load);
            let row = self.row(Point { load, ..unit.point });
            match groups.iter_mut().find(|(other, _)| *other == before) {
                Some((_, rows)) => rows.push(row),
                None => groups.push((before, vec![row])),
            }
        }
        Some(groups.into_iter().map(|(_, rows)| rows).collect())
    }

    /// The state that a row begins with; nothing if its drive cannot be brought there.
    ///
    /// # Errors
    /// When `hears` says that it is over.
    pub fn save_state(
        &self,
        row: usize,
        lab: &Lab,
        hears: &dyn Hears,
    ) -> Result<Option<Vec<u8>>, Stopped> {
        let slot = Mutex::default();
        let units = self.units_of(&[row]);
        self.run_as(&units, &Begin::ToSave(&slot), lab, &Saving(hears))?;
        Ok(slot.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Runs units as [`Sweep::run`] does, from the state that [`Sweep::save_state`] gave of a row that is
    /// [alike](Sweep::alike).
    ///
    /// # Errors
    /// As [`Sweep::run`].
    pub fn run_from(
        &self,
        units: &[Unit],
        state: &[u8],
        lab: &Lab,
        hears: &dyn Hears,
    ) -> Result<(), Stopped> {
        self.run_as(units, &Begin::Saved(state), lab, hears)
    }
}
