//! Carrying out in the file what the layer did for one request.
//!
//! Data go to their place first and the record of the request follows, so a record says that its data
//! are there, and what was cut off before it never happened: a place that is written was erased
//! before, and nothing the drive remembers lies there. An erase is what cannot be taken back. Before
//! it the record is written, with the slot if that goes to its place only later, and the number of
//! moves that are made: those from there on can be made again as often as need be, since up to
//! the next erase no place is written that another move reads.
//!
//! Where the machine may lose its power, data and record are waited for together: before an erase, and
//! when the host flushes.

use crate::blank::Blank;
use crate::journal::Journal;
use crate::landed::erased_first;
use crate::record;
use crate::regions::Regions;
use crate::slot;
use crate::storage::Storage;
use ftlab_drive::ssd::{LayerInput, Totals};
use ftlab_nand::DataMove;
use std::io;

/// A request of which something is not carried out yet.
#[derive(Debug)]
pub(super) struct Pending {
    input: LayerInput,
    /// True if the layer took it.
    taken: bool,
    moves: Vec<DataMove>,
    /// The slot that the host writes.
    pub(super) slot: Option<Vec<u8>>,
    /// Hash of the operations after it.
    hash: u64,
    /// Moves that are made.
    next: usize,
    /// True if the journal has the request.
    is_noted: bool,
    /// True if the journal has the number of moves that are made.
    is_marked: bool,
}

/// Access to the storage and the journal for carrying requests out.
pub(super) struct Carrier<'a> {
    pub(super) storage: &'a mut dyn Storage,
    pub(super) regions: &'a Regions,
    pub(super) slot_bytes: usize,
    pub(super) sync: bool,
    pub(super) journal: Option<&'a mut Journal>,
    pub(super) totals: Totals,
    /// Blocks that were programmed before the drive had bytes.
    pub(super) blank: &'a mut Blank,
    /// Room for a slot that moves.
    pub(super) moving: &'a mut Vec<u8>,
}

impl Pending {
    pub(super) fn new(
        input: LayerInput,
        taken: bool,
        moves: &[DataMove],
        slot: Option<Vec<u8>>,
        hash: u64,
    ) -> Pending {
        Pending {
            input,
            taken,
            moves: moves.to_vec(),
            slot,
            hash,
            next: 0,
            is_noted: false,
            is_marked: false,
        }
    }

    /// One that was cut off after N moves, to be made again; the journal has it.
    pub(super) fn cut_off(
        input: LayerInput,
        moves: &[DataMove],
        slot: Option<Vec<u8>>,
        next: usize,
    ) -> Pending {
        Pending {
            next: next.min(moves.len()),
            is_noted: true,
            is_marked: true,
            ..Pending::new(input, true, moves, slot, 0)
        }
    }

    /// Moves that are not made yet, the next one first.
    pub(super) fn left(&self) -> &[DataMove] {
        &self.moves[self.next..]
    }

    /// Goes on from where it is; after an error, it can be tried again.
    pub(super) fn carry_out(&mut self, with: &mut Carrier<'_>) -> io::Result<()> {
        while let Some(&step) = self.moves.get(self.next) {
            match step {
                DataMove::Write { to, .. } => {
                    let slot = self.slot.as_mut().ok_or_else(no_data)?;
                    slot::seal(slot, to.0);
                    with.write(to.0, slot)?;
                    self.is_marked = false;
                }
                DataMove::Copy { from, to } => {
                    with.copy(from.0, to.0)?;
                    self.is_marked = false;
                }
                DataMove::Erase { first, slots } => {
                    self.mark(with)?;
                    let at = with.regions.place(first.0);
                    let bytes = u64::from(slots) * with.regions.stride;
                    with.storage.give_up(at, bytes)?;
                    with.blank.follow(&step);
                }
            }
            self.next += 1;
        }
        self.note(with, false);
        Ok(())
    }

    /// Makes sure that what is made stays, and what comes can be made again.
    fn mark(&mut self, with: &mut Carrier<'_>) -> io::Result<()> {
        if self.is_marked || with.journal.is_none() {
            return Ok(());
        }
        let writes_later = self
            .left()
            .iter()
            .any(|m| matches!(m, DataMove::Write { .. }));
        self.note(with, writes_later);
        if let Some(journal) = &mut with.journal {
            journal.note(|to| record::put_moved(to, self.next as u32));
            for places in erased_first(&self.moves[self.next..]) {
                journal.landing().forget(&places);
            }
            match with.sync {
                // It must be safe, with all data so far, before what it erases is gone.
                true => journal.commit_and_sync(with.storage, with.totals)?,
                false => journal.commit(with.storage, with.totals)?,
            }
            // What was there before the erase is needed no longer, so the record is.
            journal.mark(with.storage)?;
        }
        self.is_marked = true;
        Ok(())
    }

    fn note(&mut self, with: &mut Carrier<'_>, with_slot: bool) {
        if let Some(journal) = &mut with.journal
            && !self.is_noted
        {
            journal.note_input(self.input, self.hash);
            if !self.taken {
                journal.note(record::put_refused);
            }
            if let Some(slot) = self.slot.as_ref().filter(|_| with_slot) {
                journal.note(|to| record::put_slot(to, slot));
            }
        }
        self.is_noted = true;
    }
}

/// A journal of sense has the data of a write that was cut off.
fn no_data() -> io::Error {
    let why = "the journal has no data of a write that was cut off";
    io::Error::new(io::ErrorKind::InvalidData, why)
}

impl Carrier<'_> {
    fn copy(&mut self, from: u32, to: u32) -> io::Result<()> {
        self.regions
            .read_slot(self.storage, from, self.slot_bytes, self.moving)?;
        match self.blank.has(from) && slot::is_nothing(self.moving) {
            true => {
                *self.moving = slot::zeros();
                slot::seal(self.moving, to);
            }
            false => slot::seal_moved(self.moving, from, to),
        }
        let moving = std::mem::take(self.moving);
        let done = self.write(to, &moving);
        *self.moving = moving;
        done
    }

    fn write(&mut self, to: u32, slot: &[u8]) -> io::Result<()> {
        self.storage.write_at(self.regions.place(to), slot)?;
        if let Some(journal) = self.journal.as_mut().filter(|_| self.sync) {
            journal.landing().note(to, slot);
        }
        Ok(())
    }
}
