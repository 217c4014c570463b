//! The translation layer behind the drive: what it is asked, noted and checked on the way.

use super::slots::{Piece, SlotSize};
use super::stamps::Stamps;
use ftlab_base::{Command, Content, Lpn};
use ftlab_ftl::{Extent, Refusal, TranslationLayer};
use ftlab_nand::{Fence, OpBatch};
use std::ops::Range;

/// What the translation layer was asked, in order: enough to repeat a run without time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LayerInput {
    /// A slot was written.
    Write(Lpn, Extent, Content),
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
    /// Everything was erased.
    SecureErase,
}

/// A translation layer, the batch it fills, and who follows what it does.
#[derive(Debug)]
pub(super) struct Mapped {
    pub(super) layer: Box<dyn TranslationLayer>,
    pub(super) batch: OpBatch,
    /// Whether commands come with a clock.
    timed: bool,
    /// Why no more writes are taken.
    pub(super) refusal: Option<Refusal>,
    pub(super) stamps: Option<Stamps>,
    pub(super) inputs: Option<Vec<LayerInput>>,
}

impl Mapped {
    pub(super) fn new(layer: Box<dyn TranslationLayer>) -> Mapped {
        Mapped {
            layer,
            batch: OpBatch::default(),
            timed: true,
            refusal: None,
            stamps: None,
            inputs: None,
        }
    }

    /// Lets every physical slot carry a stamp from now on.
    pub(super) fn carry_stamps(&mut self) {
        self.stamps = Some(Stamps::new(self.layer.places(), self.layer.slots()));
        self.batch = OpBatch::carrying_data();
    }

    /// The same, for a second run from the same state; inputs are not noted there.
    pub(super) fn copy(&self) -> Mapped {
        let mut batch = match self.stamps {
            Some(_) => OpBatch::carrying_data(),
            None => OpBatch::default(),
        };
        batch.set_timed(self.timed);
        Mapped {
            layer: self.layer.boxed(),
            batch,
            timed: self.timed,
            refusal: self.refusal,
            stamps: self.stamps.clone(),
            inputs: None,
        }
    }

    /// Asks the same again, without time.
    pub(super) fn replay(&mut self, inputs: &[LayerInput]) {
        self.set_timed(false);
        for input in inputs {
            match *input {
                LayerInput::Write(lpn, extent, content) => {
                    let _ = self.write(lpn, extent, content);
                }
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
                LayerInput::SecureErase => self.secure_erase(),
            }
            self.batch.clear();
        }
    }

    fn note(&mut self, input: LayerInput) {
        if let Some(inputs) = &mut self.inputs {
            inputs.push(input);
        }
    }

    pub(super) fn write(
        &mut self,
        lpn: Lpn,
        extent: Extent,
        content: Content,
    ) -> Result<Fence, Refusal> {
        self.note(LayerInput::Write(lpn, extent, content));
        let fence = self.layer.write(lpn, extent, content, &mut self.batch);
        match fence {
            Ok(_) => {
                if let Some(stamps) = &mut self.stamps {
                    stamps.written(lpn, content);
                }
            }
            Err(refusal) => self.refusal = Some(refusal),
        }
        // A write that is refused may have collected before.
        self.follow_moves();
        fence
    }

    pub(super) fn read(&mut self, first: Lpn, slots: u32, done: Fence) {
        self.note(LayerInput::Read(first, slots));
        if let Some(stamps) = &self.stamps {
            for lpn in (first.0..first.0 + slots).map(Lpn) {
                stamps.check(lpn, self.layer.lookup(lpn));
            }
        }
        self.layer.read(first, slots, done, &mut self.batch);
    }

    pub(super) fn read_part(&mut self, lpn: Lpn, sectors: Range<u32>, done: Fence) {
        self.note(LayerInput::ReadPart(lpn, sectors.start, sectors.end));
        if let Some(stamps) = &self.stamps {
            stamps.check(lpn, self.layer.lookup(lpn));
        }
        self.layer.read_part(lpn, sectors, done, &mut self.batch);
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
        self.layer.array().fault_counters().unreadable
    }

    pub(super) fn trim(&mut self, first: Lpn, slots: u32) {
        self.note(LayerInput::Trim(first, slots));
        if let Some(stamps) = &mut self.stamps {
            stamps.trimmed(first, slots);
        }
        self.layer.trim(first, slots, &mut self.batch);
        self.refusal = self.refusal.filter(Refusal::is_final);
        self.follow_moves();
    }

    pub(super) fn secure_erase(&mut self) {
        self.note(LayerInput::SecureErase);
        if let Some(stamps) = &mut self.stamps {
            stamps.trimmed(Lpn(0), self.layer.slots());
        }
        self.layer.secure_erase(&mut self.batch);
        self.refusal = None;
        self.follow_moves();
    }

    pub(super) fn flush(&mut self) {
        self.note(LayerInput::Flush);
        self.layer.flush(&mut self.batch);
        self.follow_moves();
    }

    /// Does a piece of work ahead; whether there was any.
    pub(super) fn work_ahead(&mut self) -> bool {
        self.note(LayerInput::WorkAhead);
        let any = self.layer.work_ahead(&mut self.batch);
        self.follow_moves();
        any
    }

    fn follow_moves(&mut self) {
        if let Some(stamps) = &mut self.stamps {
            stamps.follow(self.batch.moves());
        }
    }

    /// Goes on as a drive that was left like this.
    pub(super) fn resume(&mut self, timed: bool, refusal: Option<Refusal>) {
        self.timed = timed;
        self.batch.set_timed(timed);
        self.refusal = refusal;
    }

    /// Whether commands come with a clock.
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
