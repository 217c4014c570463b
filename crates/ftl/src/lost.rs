//! Logical slots whose data are lost: a read of one fails, until new data take their place.

use crate::Extent;
use ftlab_base::Lpn;
use ftlab_nand::{Array, StateError};
use std::collections::BTreeSet;

/// Lost logical slots. Mostly there are none.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lost(BTreeSet<u32>);

impl Lost {
    /// Those of a saved state, for a layer of `slots` slots.
    pub fn restored(saved: Vec<u32>, slots: u32) -> Result<Lost, StateError> {
        StateError::unless(saved.iter().all(|lpn| *lpn < slots), || {
            "slots were lost that the host does not see".into()
        })?;
        Ok(Lost(saved.into_iter().collect()))
    }

    /// Numbers of the lost slots, in order, for a saved state.
    pub fn saved(&self) -> Vec<u32> {
        self.0.iter().copied().collect()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn contains(&self, lpn: Lpn) -> bool {
        self.0.contains(&lpn.0)
    }

    /// A slot that had to be moved could not be read.
    pub fn add(&mut self, lpn: Lpn) {
        self.0.insert(lpn.0);
    }

    /// The host writes a slot: new data take the place of lost ones, unless a part of the slot was to be
    /// kept and could not be read.
    #[cold]
    #[inline(never)]
    pub fn written(&mut self, lpn: Lpn, extent: Extent, kept: bool) {
        match extent {
            Extent::Whole => drop(self.0.remove(&lpn.0)),
            Extent::Part if kept => {}
            Extent::Part => self.add(lpn),
        }
    }

    /// The host needs slots no longer, lost or not.
    pub fn trimmed(&mut self, first: Lpn, slots: u32) {
        if !self.0.is_empty() {
            self.0
                .retain(|lpn| !(first.0..first.0 + slots).contains(lpn));
        }
    }

    /// The host reads slots: counts those that are lost.
    #[inline]
    pub fn read(&self, first: Lpn, slots: u32, array: &mut Array) {
        if !self.0.is_empty() {
            let lost = self.0.range(first.0..first.0 + slots).count();
            array.note_unreadable(lost as u64);
        }
    }
}
