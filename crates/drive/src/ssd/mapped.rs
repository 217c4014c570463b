//! The translation layer behind the drive: what it is asked, noted and checked on the way.

use super::page_store::{PageStore, WrittenPart};
use super::slots::{Piece, SlotSize};
use super::stamps::Stamps;
use ftlab_base::{Command, CommandId, Content, Lpn, Placement};
use ftlab_ftl::{Extent, Fault, Refusal, TranslationLayer};
use ftlab_nand::{Fence, InjectionRefused, OpBatch};
use std::ops::Range;

/// Request to the translation layer: all of them, in order, are enough to repeat a run without time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LayerInput {
    /// A slot was written.
    Write(SlotWrite),
    /// Entries of the mapping table were looked up for slots that are read: first and count.
    LookUp(Lpn, u32),
    /// Slots were read: first and count.
    Read(Lpn, u32),
    /// Sectors of a slot were read: the first, and the one behind the last.
    ReadPart(Lpn, u32, u32),
    /// Slots were trimmed: first and count.
    Trim(Lpn, u32),
    /// Open program units were filled up.
    Flush,
    /// The host paused: a piece of work was done ahead.
    WorkAhead,
    /// Collection went first: it copied a row of its turn.
    Turn,
    /// Everything on the drive was erased.
    SecureErase,
    /// Something went wrong in the flash.
    Fault(Fault),
}

/// A write of one slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SlotWrite {
    /// Number of the slot.
    pub lpn: Lpn,
    /// The part of the slot that is given.
    pub extent: Extent,
    /// Content of the data.
    pub content: Content,
    /// Placement that the host asks for.
    pub placement: Placement,
}

impl SlotWrite {
    /// A write of data that nothing is said of.
    #[must_use]
    pub const fn of(lpn: Lpn, extent: Extent) -> SlotWrite {
        SlotWrite {
            lpn,
            extent,
            content: Content::RANDOM,
            placement: Placement::DEFAULT,
        }
    }
}

/// A write was not taken: the layer refused it, or the store could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NotTaken;

/// A translation layer, the batch it fills, and who follows what it does.
#[derive(Debug)]
pub(super) struct Mapped {
    pub(super) layer: Box<dyn TranslationLayer>,
    pub(super) batch: OpBatch,
    /// True if commands come with a clock.
    timed: bool,
    /// Set once the layer takes no more writes.
    pub(super) refusal: Option<Refusal>,
    pub(super) store: Option<Box<dyn PageStore>>,
    pub(super) inputs: Option<Vec<LayerInput>>,
}

impl Clone for Mapped {
    fn clone(&self) -> Mapped {
        Mapped {
            layer: self.layer.boxed(),
            batch: self.batch.clone(),
            timed: self.timed,
            refusal: self.refusal,
            store: self.store.as_ref().and_then(|store| store.copy()),
            inputs: self.inputs.clone(),
        }
    }
}

impl Mapped {
    pub(super) fn new(layer: Box<dyn TranslationLayer>) -> Mapped {
        Mapped {
            layer,
            batch: OpBatch::default(),
            timed: true,
            refusal: None,
            store: None,
            inputs: None,
        }
    }

    /// Lets every physical slot carry a stamp from now on.
    pub(super) fn carry_stamps(&mut self) {
        let stamps = Stamps::new(self.layer.places(), self.layer.slots());
        self.carry(Box::new(stamps));
    }

    /// Lets a store follow the data from now on. No fence is waited for.
    pub(super) fn carry(&mut self, store: Box<dyn PageStore>) {
        self.store = Some(store);
        self.batch = self.batch.anew(true);
    }

    /// Copies all of it for a second run from the same state; inputs are not noted there.
    pub(super) fn copy(&self) -> Mapped {
        let store = self.store.as_ref().and_then(|store| store.copy());
        Mapped {
            layer: self.layer.boxed(),
            batch: self.batch.anew(store.is_some()),
            timed: self.timed,
            refusal: self.refusal,
            store,
            inputs: None,
        }
    }

    /// Asks the same again, without time.
    pub(super) fn replay(&mut self, inputs: &[LayerInput]) {
        self.set_timed(false);
        for input in inputs {
            match *input {
                LayerInput::Write(write) => drop(self.write(write)),
                LayerInput::LookUp(first, slots) => drop(self.look_up(first, slots)),
                LayerInput::Read(first, slots) => {
                    let fence = self.batch.fence();
                    self.read(first, slots, fence);
                }
                LayerInput::ReadPart(lpn, first, end) => {
                    let fence = self.batch.fence();
                    self.read_part(lpn, first..end, fence);
                }
                LayerInput::Trim(first, slots) => self.trim(first, slots),
                LayerInput::Flush => self.flush(),
                LayerInput::WorkAhead => {
                    self.work_ahead();
                }
                LayerInput::Turn => {
                    self.take_turn();
                }
                LayerInput::SecureErase => self.secure_erase(),
                LayerInput::Fault(fault) => {
                    let _ = self.inject(fault);
                }
            }
            self.batch.clear();
        }
    }

    /// Notes what was asked and done, for whoever keeps account of it.
    #[inline]
    fn note(&mut self, input: LayerInput, taken: bool) {
        if let Some(inputs) = &mut self.inputs {
            inputs.push(input);
        }
        if let Some(store) = &mut self.store {
            store.follow(input, taken, &*self.layer, self.batch.moves());
        }
    }

    /// Returns true if no writes are taken now: the layer refuses them, or the store has failed.
    pub(super) fn takes_no_writes(&self) -> bool {
        self.refusal.is_some() || self.store_has_failed()
    }

    /// Returns true if the store has not carried out all that the layer did.
    pub(super) fn store_has_failed(&self) -> bool {
        self.store.as_ref().is_some_and(|store| store.has_failed())
    }

    /// A command comes that changes something: a store that had failed tries again. Returns
    /// true if it still fails.
    pub(super) fn store_still_fails(&mut self) -> bool {
        let store = self.store.as_mut();
        store.is_some_and(|store| store.has_failed() && !store.try_again())
    }

    /// A part of a write is in the buffer, where it waits, or is handed to the layer next.
    #[inline]
    pub(super) fn admit(&mut self, command: &Command, offset: u32, piece: &Piece, waits: bool) {
        if let Some(store) = &mut self.store {
            store.admit(WrittenPart {
                id: command.id,
                offset,
                lpn: piece.lpn,
                first: piece.mask.trailing_zeros(),
                sectors: piece.sectors,
                waits,
            });
        }
    }

    /// Tells the store that a command has failed.
    pub(super) fn give_up(&mut self, id: CommandId) {
        if let Some(store) = &mut self.store {
            store.give_up(id);
        }
    }

    /// Tells the store that a slot that was admitted is not written after all.
    pub(super) fn withdraw(&mut self, lpn: Lpn) {
        if let Some(store) = &mut self.store {
            store.withdraw(lpn);
        }
    }

    /// Tells the store that what was handed on of a slot is in the cells.
    #[inline]
    pub(super) fn programmed(&mut self, lpn: Option<Lpn>) {
        if let (Some(store), Some(lpn)) = (&mut self.store, lpn) {
            store.programmed(lpn);
        }
    }

    pub(super) fn write(&mut self, write: SlotWrite) -> Result<Fence, NotTaken> {
        let SlotWrite { lpn, placement, .. } = write;
        let (extent, content) = match &mut self.store {
            Some(store) => store
                .prepare(lpn, write.extent, write.content, &*self.layer)
                .map_err(|_| NotTaken)?,
            None => (write.extent, write.content),
        };
        let layer = &mut self.layer;
        let fence = layer.write(lpn, extent, content, placement, &mut self.batch);
        if let Err(refusal) = fence {
            self.refusal = Some(refusal);
        }
        // A write that is refused may have collected before.
        let write = SlotWrite {
            extent,
            content,
            ..write
        };
        self.note(LayerInput::Write(write), fence.is_ok());
        fence.map_err(|_| NotTaken)
    }

    /// Brings what is needed of the mapping table to read slots into memory; gives the pages of it that
    /// must have come by then.
    pub(super) fn look_up(&mut self, first: Lpn, slots: u32) -> Range<u32> {
        let pages = self.layer.look_up(first, slots, &mut self.batch);
        if !pages.is_empty() {
            self.note(LayerInput::LookUp(first, slots), true);
        }
        pages
    }

    pub(super) fn read(&mut self, first: Lpn, slots: u32, done: Fence) {
        self.layer.read(first, slots, done, &mut self.batch);
        self.note(LayerInput::Read(first, slots), true);
    }

    pub(super) fn read_part(&mut self, lpn: Lpn, sectors: Range<u32>, done: Fence) {
        let input = LayerInput::ReadPart(lpn, sectors.start, sectors.end);
        self.layer.read_part(lpn, sectors, done, &mut self.batch);
        self.note(input, true);
    }

    /// Reads what a command covers: neighbouring whole slots together, and of a slot that it covers
    /// in part only that. What `held` says to be elsewhere is left out.
    pub(super) fn read_command(
        &mut self,
        command: &Command,
        size: SlotSize,
        done: Fence,
        held: impl Fn(&Piece) -> bool,
    ) {
        let (mut first, mut slots) = (Lpn(0), 0);
        let mut offset = 0;
        while offset < command.sectors {
            let piece = size.piece(command, offset);
            offset += piece.sectors;
            if piece.sectors == size.sectors() && !held(&piece) {
                first = if slots == 0 { piece.lpn } else { first };
                slots += 1;
                continue;
            }
            self.read_run(first, slots, done);
            slots = 0;
            if piece.sectors < size.sectors() && !held(&piece) {
                let within = piece.mask.trailing_zeros();
                self.read_part(piece.lpn, within..within + piece.sectors, done);
            }
        }
        self.read_run(first, slots, done);
    }

    fn read_run(&mut self, first: Lpn, slots: u32, done: Fence) {
        if slots > 0 {
            self.read(first, slots, done);
        }
    }

    /// Reads so far that could not be corrected.
    pub(super) fn unreadable(&self) -> u64 {
        self.layer.array().unreadable()
    }

    pub(super) fn trim(&mut self, first: Lpn, slots: u32) {
        if let Some(store) = &mut self.store {
            store.prepare_trim(first, slots, &*self.layer);
        }
        self.layer.trim(first, slots, &mut self.batch);
        self.refusal = self.refusal.filter(Refusal::is_final);
        self.note(LayerInput::Trim(first, slots), true);
    }

    pub(super) fn secure_erase(&mut self) {
        self.layer.secure_erase(&mut self.batch);
        self.refusal = None;
        self.note(LayerInput::SecureErase, true);
    }

    pub(super) fn flush(&mut self) {
        self.layer.flush(&mut self.batch);
        self.note(LayerInput::Flush, true);
    }

    /// Has something go wrong in the flash.
    pub(super) fn inject(&mut self, fault: Fault) -> Result<(), InjectionRefused> {
        self.layer.inject(fault, &mut self.batch)?;
        self.note(LayerInput::Fault(fault), true);
        Ok(())
    }

    /// Does a piece of work ahead; returns true if there was any.
    pub(super) fn work_ahead(&mut self) -> bool {
        let any = self.layer.work_ahead(&mut self.batch);
        self.note(LayerInput::WorkAhead, true);
        any
    }

    /// Returns true if collection has a turn to take when the drive lets it.
    #[inline]
    pub(super) fn owes_turn(&self) -> bool {
        self.layer.owes_turn()
    }

    /// Copies a row of that turn; returns true if there was any.
    pub(super) fn take_turn(&mut self) -> bool {
        let any = self.layer.take_turn(&mut self.batch);
        self.note(LayerInput::Turn, true);
        any
    }

    /// Goes on as a drive that was left like this.
    pub(super) fn resume(&mut self, timed: bool, refusal: Option<Refusal>) {
        self.timed = timed;
        self.batch.set_timed(timed);
        self.refusal = refusal;
    }

    /// Returns true if commands come with a clock.
    pub(super) fn is_timed(&self) -> bool {
        self.timed
    }

    /// Without time nobody waits for fences; with time somebody does. A program unit that was begun
    /// without time is filled up before time begins.
    pub(super) fn set_timed(&mut self, timed: bool) {
        if self.timed == timed {
            return;
        }
        if timed {
            self.flush();
            self.batch.clear();
        }
        self.timed = timed;
        self.batch.set_timed(timed);
    }
}
