//! A drive's state that is prepared once, saved, and begins rows that others run.

use crate::grid::{Point, Sweep};
use crate::run::{Listener, Unit};
use ftlab_drive::Kind;
use ftlab_drive::saved::{self, Origin};
use ftlab_lab::{Event, Lab, LabError, Saved, data_before};
use ftlab_states::State;
use ftlab_states::watch::Stopped;
use std::sync::{Arc, Mutex, PoisonError};

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
    /// When `hear` has ended it.
    pub fn save_state(
        &self,
        row: usize,
        lab: &Lab,
        hear: &Listener<'_>,
    ) -> Result<Option<Vec<u8>>, Stopped> {
        let slot = Mutex::default();
        let units = self.units_of(&[row]);
        let cells = units.first().map(|unit| self.cells(unit, None));
        let Some(Ok(cells)) = cells else {
            return Ok(None);
        };
        lab.run_cells(&cells, &|_, event| {
            if let Event::Ready(visit, devices) = event {
                let (version, steps) = (ftlab_drive::version(), visit.steps.to_vec());
                let state = visit.playing.begin.state.name();
                let file = visit.cell.subject.first();
                let origin = Origin::new(&version, file, state, steps, visit.cell.seed.0);
                let bytes = saved::write(&origin, devices[0].as_ref());
                *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(bytes);
                // Nothing is played.
                return Err(LabError::Refused("its state is saved".to_owned()));
            }
            Ok(hear(None)?)
        })?;
        Ok(slot.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Reads the bytes of [`Sweep::save_state`] as the beginning of rows.
#[must_use]
pub fn begin(state: &[u8]) -> Saved {
    Saved {
        file: String::new(),
        bytes: Arc::from(state),
    }
}
