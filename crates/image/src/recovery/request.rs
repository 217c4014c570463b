//! Requests of a journal: what a layer of this drive can have been asked, and which of them wrote what slots hold.

use crate::error::Wrong;
use ftlab_drive::ssd::{LayerInput, SlotWrite, Ssd};
use ftlab_ftl::Fault;
use std::collections::BTreeMap;

/// The newest request that has written each slot, by its number behind the checkpoint.
#[derive(Debug, Default)]
pub(super) struct NewestWrites {
    by_slot: BTreeMap<u32, u64>,
    requests: u64,
    last: Option<LayerInput>,
}

impl NewestWrites {
    pub(super) fn follow(&mut self, input: LayerInput) {
        match input {
            LayerInput::Write(write) => {
                self.by_slot.insert(write.lpn.0, self.requests);
            }
            LayerInput::Trim(first, slots) => {
                let end = first.0.saturating_add(slots);
                let given_up = self.by_slot.extract_if(first.0..end, |_, _| true);
                given_up.for_each(drop);
            }
            LayerInput::SecureErase => self.by_slot.clear(),
            _ => {}
        }
        self.requests += 1;
        self.last = Some(input);
    }

    /// The layer did not take the last one. What the slot holds then is not followed further.
    pub(super) fn refused(&mut self) {
        if let Some(LayerInput::Write(write)) = self.last {
            self.by_slot.remove(&write.lpn.0);
        }
    }

    /// Slots with the number of the request that wrote them, without those of the last `last` requests.
    pub(super) fn without_last(&self, last: u64) -> impl Iterator<Item = (u32, u64)> {
        let end = self.requests - last;
        let slots = self.by_slot.iter().map(|(&lpn, &number)| (lpn, number));
        slots.filter(move |(_, number)| *number < end)
    }
}

/// Checks that a request is one that a drive of N slots can be asked.
pub(super) fn check_input(input: LayerInput, ssd: &Ssd) -> Result<(), Wrong> {
    let slots = u64::from(ssd.layer().slots());
    let (first, count) = match input {
        LayerInput::Write(SlotWrite { lpn, placement, .. }) => {
            let handles = ssd.layer().page_layer().map_or(0, |p| p.handles().len());
            if handles > 0 && usize::from(placement.0) >= handles {
                let why =
                    format!("its journal has {input:?} on a drive of {handles} placement handles");
                return Err(Wrong::Checkpoint(why));
            }
            (lpn, 1)
        }
        LayerInput::ReadPart(lpn, ..) => (lpn, 1),
        LayerInput::LookUp(first, count)
        | LayerInput::Read(first, count)
        | LayerInput::Trim(first, count) => (first, count),
        LayerInput::Fault(Fault::Unreadable(lpn)) => (lpn, 1),
        // A block or a die that does not exist is refused again.
        LayerInput::Fault(_)
        | LayerInput::Flush
        | LayerInput::WorkAhead
        | LayerInput::Turn
        | LayerInput::SecureErase => return Ok(()),
    };
    if u64::from(first.0) + u64::from(count) <= slots {
        return Ok(());
    }
    let why = format!("its journal has {input:?} on a drive of {slots} slots");
    Err(Wrong::Checkpoint(why))
}
