//! Asking a layer again what it was asked since its checkpoint, as the journal tells.

use super::batches::Batches;
use super::buffer::Buffer;
use super::request::{NewestWrites, check_input};
use crate::CutReport;
use crate::error::Wrong;
use crate::journal::Batch;
use crate::landed;
use crate::record::Record;
use crate::regions::Regions;
use crate::storage::Storage;
use crate::tracker::Tracker;
use ftlab_cut::Volatile;
use ftlab_drive::ssd::{LayerInput, Ssd, Totals};

/// Result of replaying the journal of a drive of flash.
#[derive(Debug, Default)]
pub(super) struct Replayed {
    pub(super) batches: u64,
    /// Requests that were asked again.
    pub(super) inputs: u64,
    /// The last request, if it may have been cut off; it was not asked again yet.
    pub(super) last: Option<LastRequest>,
    /// Hash of the operations after it.
    pub(super) hash: u64,
    pub(super) totals: Option<Totals>,
    /// Times that the drive was switched on.
    pub(super) power_ons: u64,
    /// Times that its power went at work, and the losses of the last time.
    pub(super) power_losses: u64,
    pub(super) last_cut: Option<CutReport>,
    /// Requests of the last batch, if it was left out.
    pub(super) left_out: u64,
    /// Records about the volatile buffer behind the last request.
    pub(super) behind: Vec<Record>,
    /// Records that were noted for the case that the process alone was killed.
    pub(super) spilled: Vec<Record>,
    /// The requests that have written what slots hold, where that is to be compared.
    pub(super) newest: Option<NewestWrites>,
}

/// The newest request that is read.
#[derive(Debug)]
pub(super) struct LastRequest {
    pub(super) input: LayerInput,
    /// Moves that are made for sure, if it erases.
    pub(super) moved: Option<u32>,
    pub(super) slot: Option<Vec<u8>>,
}

/// A layer that is asked again.
pub(super) struct Replay<'a> {
    pub(super) ssd: &'a mut Ssd,
    pub(super) buffer: &'a mut Buffer,
    pub(super) storage: &'a dyn Storage,
    pub(super) regions: &'a Regions,
    /// Version of ftlab that wrote the checkpoint.
    pub(super) version: &'a str,
    /// Requests that were read, and are to be asked next.
    pub(super) inputs: Vec<LayerInput>,
    pub(super) found: Replayed,
}

impl Replay<'_> {
    /// Asks the layer everything, up to the end of the journal or to a hole in it.
    pub(super) fn run(mut self, batches: &mut Batches<'_>) -> Result<Replayed, Wrong> {
        while let Some(batch) = batches.next()? {
            if batches.may_be_cut_off(&batch)? && !self.has_landed(&batch)? {
                if self.found.newest.is_some() {
                    // Another model may have put them elsewhere.
                    return Err(replays_otherwise(self.version));
                }
                self.found.left_out = batch.inputs().count() as u64;
                batches.leave_out();
                continue;
            }
            self.batch(batch, batches.is_beside())?;
        }
        Ok(self.found)
    }

    /// Follows a batch. A request that erases may have been cut off there, so the last one is not asked before another comes.
    fn batch(&mut self, batch: Batch, is_beside: bool) -> Result<(), Wrong> {
        let asked = self.found.inputs;
        for record in batch.records {
            if is_beside {
                self.found.spilled.push(record.clone());
            }
            self.record(record)?;
        }
        // Without an erase, the record comes last.
        let whole = self.found.last.take_if(|last| last.moved.is_none());
        self.inputs.extend(whole.map(|last| last.input));
        self.ask();
        if self.found.last.is_none() {
            self.follow_behind();
        }
        let found = &mut self.found;
        found.batches += 1;
        (found.hash, found.totals) = (batch.hash, Some(batch.totals));
        match found.last.is_none() && found.inputs > asked {
            true => check_hash(self.ssd, batch.hash, self.version),
            false => Ok(()),
        }
    }

    fn record(&mut self, record: Record) -> Result<(), Wrong> {
        let found = &mut self.found;
        match record {
            Record::Input(input) => self.input(input)?,
            Record::Refused => {
                self.buffer.refused();
                found.newest.iter_mut().for_each(NewestWrites::refused);
            }
            Record::Slot(slot) => {
                if let Some(last) = &mut found.last {
                    last.slot = Some(slot);
                }
            }
            Record::Moved(moved) => {
                if let Some(last) = &mut found.last {
                    last.moved = Some(moved);
                }
            }
            Record::Admitted { lpn, first, data } => self.buffer.admit(lpn, first, &data)?,
            Record::PowerOn => found.power_ons += 1,
            Record::PowerLost(cut) => self.lose_power(cut),
            Record::Held(_) | Record::Programmed(_) | Record::AllProgrammed => {
                found.behind.push(record);
            }
            // The reader has taken them.
            Record::Totals(_) | Record::Landed(_) => {}
        }
        Ok(())
    }

    fn input(&mut self, input: LayerInput) -> Result<(), Wrong> {
        check_input(input, self.ssd)?;
        self.follow_behind();
        // What is followed by another was carried out.
        let last = LastRequest {
            input,
            moved: None,
            slot: None,
        };
        let before = self.found.last.replace(last);
        self.inputs.extend(before.map(|last| last.input));
        self.buffer.follow(input);
        if let Some(newest) = &mut self.found.newest {
            newest.follow(input);
        }
        Ok(())
    }

    /// Asks the layer again.
    fn ask(&mut self) {
        self.ssd.replay(&self.inputs);
        self.found.inputs += self.inputs.len() as u64;
        self.inputs.clear();
    }

    /// The power went, and is back: what was volatile is decided.
    fn lose_power(&mut self, cut: Option<CutReport>) {
        let last = self.found.last.take();
        self.inputs.extend(last.map(|last| last.input));
        self.ask();
        let found = &mut self.found;
        found.power_ons += 1;
        found.power_losses += 1;
        found.last_cut = cut.or(found.last_cut);
        found.behind.clear();
        if let Some(tracker) = self.ssd.store_mut::<Tracker>() {
            tracker.account.volatile.all_programmed();
        }
    }

    /// Another request comes, or the last one is done: what the journal says behind that of the volatile buffer is
    /// so when the layer was asked all before it.
    fn follow_behind(&mut self) {
        if self.found.behind.is_empty() {
            return;
        }
        let last = self.found.last.take();
        self.inputs.extend(last.map(|last| last.input));
        self.ask();
        let behind = std::mem::take(&mut self.found.behind);
        if let Some(tracker) = self.ssd.store_mut::<Tracker>() {
            for record in &behind {
                follow_record(&mut tracker.account.volatile, record);
            }
        }
    }

    /// True if the data of a batch are in their places.
    fn has_landed(&self, batch: &Batch) -> Result<bool, Wrong> {
        batch
            .inputs()
            .try_for_each(|input| check_input(input, self.ssd))?;
        let made = |last: &LastRequest| (last.input, last.moved.unwrap_or_default());
        let under_way = self.found.last.as_ref().map(made);
        landed::has_landed(batch, under_way, self.ssd, self.storage, self.regions)
            .map_err(Wrong::Unreadable)
    }
}

pub(super) fn check_hash(ssd: &Ssd, hash: u64, version: &str) -> Result<(), Wrong> {
    match ssd.layer().array().stream_hash() == hash {
        true => Ok(()),
        false => Err(replays_otherwise(version)),
    }
}

pub(super) fn replays_otherwise(version: &str) -> Wrong {
    Wrong::Replay {
        version: version.to_owned(),
    }
}

/// Applies a record of the journal to the account of a volatile buffer.
pub(super) fn follow_record(volatile: &mut Volatile, record: &Record) {
    match record {
        Record::Held(lpn) => {
            volatile.hold(*lpn);
        }
        Record::Programmed(lpn) => {
            volatile.programmed(*lpn);
        }
        Record::AllProgrammed => {
            volatile.all_programmed();
        }
        _ => {}
    }
}
