//! An SSD in a saved state: what it keeps while it is off.

use super::Ssd;
use crate::state::{SsdState, Totals};
use ftlab_ftl::Room;
use ftlab_nand::StateError;

impl Ssd {
    /// Counts that the drive keeps beside those of the array.
    #[must_use]
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// Goes on counting from there.
    pub fn set_totals(&mut self, totals: Totals) {
        self.totals = totals;
    }

    /// The drive as it would be found if its power went now: without what is in its buffer and on its
    /// way. It goes on without time; what its layer is asked from here on can be replayed on it.
    /// `room` may be made beforehand.
    #[must_use]
    pub fn found_without_power(&self, room: Room) -> SsdState {
        SsdState {
            layer: self.mapped.layer.save_in(room),
            timed: false,
            totals: self.totals,
            refusal: self.mapped.refusal,
        }
    }

    pub(super) fn state(&self) -> SsdState {
        assert_eq!(self.front.outstanding(), 0, "saving a drive at work");
        assert!(
            self.buffer.is_empty(),
            "saving a drive with data in its buffer"
        );
        let layer = self.mapped.layer.save();
        assert!(
            !(self.mapped.is_timed() && layer.has_open_units()),
            "saving a drive with an open program unit"
        );
        SsdState {
            layer,
            timed: self.mapped.is_timed(),
            totals: self.totals,
            refusal: self.mapped.refusal,
        }
    }

    /// Takes over a state; `self` is as built.
    pub(super) fn take_over(&mut self, state: SsdState) -> Result<(), StateError> {
        StateError::unless(!(state.timed && state.layer.has_open_units()), || {
            "a program unit was left open in a run with time".into()
        })?;
        let Totals {
            host_ios,
            host_bytes_written,
            buffer_stalls,
            void_trims,
            host,
            heat,
        } = state.totals;
        let beside = [host_ios, host_bytes_written, buffer_stalls, void_trims];
        let within = host.all().into_iter().chain(heat.all());
        for total in beside.into_iter().chain(within) {
            StateError::count("a total", total)?;
        }
        self.mapped.layer.restore(state.layer)?;
        self.mapped.resume(state.timed, state.refusal);
        self.totals = state.totals;
        Ok(())
    }
}
