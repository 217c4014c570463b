//! Asking a layer again what it was asked since its checkpoint, as the journal tells.

use crate::CutTold;
use crate::checkpoint::Kept as KeptSlot;
use crate::error::Wrong;
use crate::journal::{Batch, Hole, Reader};
use crate::landed;
use crate::record::Record;
use crate::regions::Regions;
use crate::volatile::{Tracker, Volatile};
use ftlab_base::SECTOR_BYTES;
use ftlab_drive::ssd::{LayerInput, SlotWrite, Ssd, Totals};
use ftlab_ftl::Fault;
use std::collections::BTreeMap;

/// What the journal of a drive of flash comes to.
#[derive(Debug, Default)]
pub(super) struct Replayed {
    pub(super) batches: u64,
    /// Requests that were asked again.
    pub(super) inputs: u64,
    /// The last request, if it may have been cut off; it was not asked again yet.
    pub(super) last: Option<Last>,
    /// Hash of the operations after it.
    pub(super) hash: u64,
    pub(super) totals: Option<Totals>,
    /// How often the drive was switched on.
    pub(super) power_ons: u64,
    /// How often of that its power had gone at work, and what that came to the last time.
    pub(super) power_losses: u64,
    pub(super) last_cut: Option<CutTold>,
    /// Requests of the last batch, if it was left out.
    pub(super) left_out: u64,
    /// Where the journal cannot be read, though there is more behind.
    pub(super) hole: Option<Hole>,
    /// What the journal says of a volatile buffer behind the last request.
    pub(super) behind: Vec<Record>,
    /// What of it was noted for the case that the process alone was killed.
    pub(super) spilled: Vec<Record>,
}

/// The newest request that is read.
#[derive(Debug)]
pub(super) struct Last {
    pub(super) input: LayerInput,
    /// Moves that are made for sure, if it erases.
    pub(super) moved: Option<u32>,
    pub(super) slot: Option<Vec<u8>>,
}

/// Sectors that wait in a write buffer, as the journal tells.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    pub(super) slots: BTreeMap<u32, KeptSlot>,
    /// What the last request took out.
    taken: Option<KeptSlot>,
    slot_bytes: usize,
}

impl Buffer {
    fn admit(&mut self, lpn: u32, first: u8, data: &[u8]) -> Result<(), Wrong> {
        let from = usize::from(first) * SECTOR_BYTES as usize;
        let range = from..from + data.len();
        if range.end > self.slot_bytes {
            let why = format!("sectors of LPN {lpn} in the journal reach beyond its slot");
            return Err(Wrong::Checkpoint(why));
        }
        let slot = self.slots.entry(lpn).or_insert_with(|| KeptSlot {
            lpn,
            mask: 0,
            bytes: vec![0; self.slot_bytes],
        });
        slot.bytes[range].copy_from_slice(data);
        for sector in 0..data.len() / SECTOR_BYTES as usize {
            slot.mask |= 1 << (usize::from(first) + sector);
        }
        Ok(())
    }

    /// The layer did not take the last request.
    fn refused(&mut self) {
        if let Some(slot) = self.taken.take() {
            self.slots.insert(slot.lpn, slot);
        }
    }

    /// What a request takes out of the buffer.
    fn follow(&mut self, input: LayerInput) {
        self.taken = None;
        match input {
            LayerInput::Write(write) => self.taken = self.slots.remove(&write.lpn.0),
            LayerInput::Trim(first, slots) => {
                let range = u64::from(first.0)..u64::from(first.0) + u64::from(slots);
                self.slots
                    .retain(|&lpn, _| !range.contains(&u64::from(lpn)));
            }
            LayerInput::SecureErase => self.slots.clear(),
            _ => {}
        }
    }
}

impl Buffer {
    pub(super) fn of(kept: Vec<KeptSlot>, ssd: &Ssd) -> Buffer {
        Buffer {
            slots: kept.into_iter().map(|slot| (slot.lpn, slot)).collect(),
            taken: None,
            slot_bytes: ssd.layer().layout().geometry.slot_bytes as usize,
        }
    }
}

/// Asks the layer again what it was asked since the checkpoint.
pub(super) fn replay(
    reader: &mut Reader<'_>,
    ssd: &mut Ssd,
    buffer: &mut Buffer,
    version: &str,
    regions: &Regions,
) -> Result<Replayed, Wrong> {
    let mut found = Replayed::default();
    let mut before = reader.clone();
    // Batches that stand beside the journal, once that has ended.
    let mut beside: Option<std::vec::IntoIter<Batch>> = None;
    loop {
        let batch = match &mut beside {
            None => reader.next().map_err(Wrong::Unreadable)?,
            Some(batches) => batches.next(),
        };
        let Some(batch) = batch else {
            if beside.is_some() {
                return Ok(found);
            }
            found.hole = reader.hole().map_err(Wrong::Unreadable)?;
            let spilled = match found.hole {
                None => reader.spilled().map_err(Wrong::Unreadable)?,
                Some(_) => Vec::new(),
            };
            beside = Some(spilled.into_iter());
            continue;
        };
        if beside.is_none()
            && version == ftlab_drive::version()
            && may_be_cut_off(&batch, reader)?
            && !is_there(&batch, &found, ssd, reader, regions)?
        {
            found.left_out = batch.inputs().count() as u64;
            *reader = before;
            return Ok(found);
        }
        before = reader.clone();
        let asked = found.inputs;
        let mut inputs = Vec::new();
        for record in batch.records {
            if beside.is_some() {
                found.spilled.push(record.clone());
            }
            match record {
                Record::Input(input) => {
                    check_input(input, ssd)?;
                    found.follow_behind(ssd, &mut inputs, version)?;
                    // What is followed by another was carried out.
                    let last = Last {
                        input,
                        moved: None,
                        slot: None,
                    };
                    inputs.extend(found.last.replace(last).map(|last| last.input));
                    buffer.follow(input);
                }
                Record::Refused => buffer.refused(),
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
                Record::Admitted { lpn, first, data } => buffer.admit(lpn, first, &data)?,
                Record::PowerOn => found.power_ons += 1,
                Record::PowerLost(cut) => {
                    inputs.extend(found.last.take().map(|last| last.input));
                    found.ask(ssd, &mut inputs, version)?;
                    found.lose_power(ssd, cut);
                }
                Record::Held(_) | Record::Programmed(_) | Record::AllProgrammed => {
                    found.behind.push(record);
                }
                // The reader has taken them.
                Record::Totals(_) | Record::Landed(_) => {}
            }
        }
        // Without an erase, the record comes last.
        inputs.extend(
            found
                .last
                .take_if(|last| last.moved.is_none())
                .map(|last| last.input),
        );
        found.ask(ssd, &mut inputs, version)?;
        if found.last.is_none() {
            found.follow_behind(ssd, &mut inputs, version)?;
        }
        found.batches += 1;
        (found.hash, found.totals) = (batch.hash, Some(batch.totals));
        if found.last.is_none() && found.inputs > asked {
            check_hash(ssd, found.hash, version)?;
        }
    }
}

impl Replayed {
    /// Asks the layer again.
    fn ask(
        &mut self,
        ssd: &mut Ssd,
        inputs: &mut Vec<LayerInput>,
        version: &str,
    ) -> Result<(), Wrong> {
        // Another model may do otherwise what a layer is asked.
        if !inputs.is_empty() && version != ftlab_drive::version() {
            return Err(replays_otherwise(version));
        }
        ssd.replay(inputs);
        self.inputs += inputs.len() as u64;
        inputs.clear();
        Ok(())
    }

    /// The power went, and is back: what was volatile is decided.
    fn lose_power(&mut self, ssd: &mut Ssd, cut: Option<CutTold>) {
        self.power_ons += 1;
        self.power_losses += 1;
        self.last_cut = cut.or(self.last_cut);
        self.behind.clear();
        if let Some(tracker) = ssd.store_mut::<Tracker>() {
            tracker.volatile.all_programmed();
        }
    }

    /// Another request comes, or the last one is done: what the journal says behind that of the volatile buffer is
    /// so when the layer was asked all before it.
    fn follow_behind(
        &mut self,
        ssd: &mut Ssd,
        inputs: &mut Vec<LayerInput>,
        version: &str,
    ) -> Result<(), Wrong> {
        if self.behind.is_empty() {
            return Ok(());
        }
        inputs.extend(self.last.take().map(|last| last.input));
        self.ask(ssd, inputs, version)?;
        let behind = std::mem::take(&mut self.behind);
        if let Some(tracker) = ssd.store_mut::<Tracker>() {
            for record in &behind {
                follow_record(&mut tracker.volatile, record);
            }
        }
        Ok(())
    }
}

/// Whether the power of the machine may have gone before all of a batch was on its storage: it is the last
/// one, it says what belongs to it, and nobody relies on it.
fn may_be_cut_off(batch: &Batch, reader: &Reader<'_>) -> Result<bool, Wrong> {
    if batch.landed.is_none() || reader.is_relied_on() {
        return Ok(false);
    }
    let mut behind = reader.clone();
    let is_last = behind.next().map_err(Wrong::Unreadable)?.is_none();
    Ok(is_last && behind.hole().map_err(Wrong::Unreadable)?.is_none())
}

/// Whether the data of a batch are in their places.
fn is_there(
    batch: &Batch,
    found: &Replayed,
    ssd: &Ssd,
    reader: &Reader<'_>,
    regions: &Regions,
) -> Result<bool, Wrong> {
    batch
        .inputs()
        .try_for_each(|input| check_input(input, ssd))?;
    let made = |last: &Last| (last.input, last.moved.unwrap_or_default());
    let under_way = found.last.as_ref().map(made);
    landed::has_landed(batch, under_way, ssd, reader.storage(), regions).map_err(Wrong::Unreadable)
}

pub(super) fn check_hash(ssd: &Ssd, hash: u64, version: &str) -> Result<(), Wrong> {
    if ssd.layer().array().stream_hash() == hash {
        Ok(())
    } else {
        Err(replays_otherwise(version))
    }
}

fn replays_otherwise(version: &str) -> Wrong {
    Wrong::Replay {
        version: version.to_owned(),
    }
}

/// That a request is one that a drive of N slots can be asked.
fn check_input(input: LayerInput, ssd: &Ssd) -> Result<(), Wrong> {
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

/// What the journal says of a volatile buffer.
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
