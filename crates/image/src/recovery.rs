//! Bringing a drive back to where it was: the newest checkpoint, and what was asked since then.
//!
//! The layer does the same again when it is asked the same, so its map comes back without a look at
//! the data. Those are in their places, but for the last request if it was cut off behind an erase:
//! its moves from there on are made again. Then a new checkpoint is written. Until that stands, nothing
//! has changed that recovering once more would miss.

use crate::checkpoint::{self, Kept as KeptSlot, Saved};
use crate::drive::{Body, DataDrive, Kept, store_of, store_of_mut};
use crate::error::Wrong;
use crate::flat::FlatStore;
use crate::journal::{Batch, Hole, Journal, Reader};
use crate::landed;
use crate::mark::Mark;
use crate::new::{New, byte_store};
use crate::record::Record;
use crate::regions::Regions;
use crate::storage::Storage;
use crate::store::CutOff;
use crate::{ImageError, OpenOptions, Recovery, Survives};
use ftlab_base::SECTOR_BYTES;
use ftlab_drive::ssd::{LayerInput, Ssd, Totals};
use ftlab_drive::{Device, DriveFile};
use ftlab_ftl::Fault;
use std::collections::BTreeMap;
use std::path::Path;

/// What the journal of a drive of flash comes to.
#[derive(Debug, Default)]
struct Replayed {
    batches: u64,
    /// Requests that were asked again.
    inputs: u64,
    /// The last request, if it may have been cut off; it was not asked again yet.
    last: Option<Last>,
    /// Hash of the operations after it.
    hash: u64,
    totals: Option<Totals>,
    /// How often the drive was switched on.
    power_ons: u64,
    /// Requests of the last batch, if it was left out.
    left_out: u64,
    /// Where the journal cannot be read, though there is more behind.
    hole: Option<Hole>,
}

/// The newest request that is read.
#[derive(Debug)]
struct Last {
    input: LayerInput,
    /// Moves that are made for sure, if it erases.
    moved: Option<u32>,
    slot: Option<Vec<u8>>,
}

/// Sectors that wait in a write buffer, as the journal tells.
#[derive(Debug, Default)]
struct Buffer {
    slots: BTreeMap<u32, KeptSlot>,
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
            LayerInput::Write(lpn, ..) => self.taken = self.slots.remove(&lpn.0),
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

/// Makes of a storage the drive that it holds.
pub(crate) fn recover(
    path: &Path,
    storage: Box<dyn Storage>,
    new: New,
    drive: &DriveFile,
    options: &OpenOptions<'_>,
) -> Result<(DataDrive, Recovery), ImageError> {
    let unusable = |why: Wrong| ImageError::Unusable {
        path: path.to_owned(),
        why,
    };
    let regions = new.regions();
    let unreadable = |why| unusable(Wrong::Unreadable(why));
    let (found, want) = (storage.length().map_err(unreadable)?, regions.end());
    if let Some(found) = found.filter(|found| *found < want && !options.accepts_loss) {
        return Err(unusable(Wrong::Short { found, want }));
    }
    let known = Mark::furthest(&*storage).map_err(unreadable)?;
    let number = known.map(|known| known.checkpoint);
    let newest = checkpoint::newest(&*storage, &regions.checkpoints, number);
    let newest = newest.map_err(unusable)?;
    let Saved { meta, kept, state } = newest.unpack(&*storage, new.shape()).map_err(unusable)?;
    let max_sectors = meta.max_sectors;
    let mut image = Kept {
        stands: newest.mark(&meta),
        meta,
        sync: options.sync,
        read_only: options.read_only,
    };
    let impossible = |why: ftlab_nand::StateError| unusable(Wrong::Checkpoint(why.to_string()));
    let (body, recovery) = match new {
        New::Flat(mut device) => {
            device.restore(state).map_err(impossible)?;
            let store = FlatStore::new(storage, regions, options.sync).map_err(unreadable)?;
            let recovery = Recovery {
                clean: !image.meta.at_work,
                ..Recovery::default()
            };
            (Body::Flat(device, Box::new(store)), recovery)
        }
        New::Flash(mut ssd) => {
            ssd.restore(state).map_err(impossible)?;
            let caught_up = catch_up(ssd, kept, storage, known, &mut image, drive, options);
            let (ssd, recovery) = caught_up.map_err(unusable)?;
            (Body::Flash(ssd), recovery)
        }
    };
    let mut made = DataDrive::around(path, drive, body);
    made.max_sectors = max_sectors;
    made.kept = Some(image);
    made.switch_on(&recovery)?;
    Ok((made, recovery))
}

/// Brings a drive of flash from its checkpoint to where its journal ends, or to a hole in that.
fn catch_up(
    mut ssd: Box<Ssd>,
    kept: Vec<KeptSlot>,
    storage: Box<dyn Storage>,
    known: Option<Mark>,
    image: &mut Kept,
    drive: &DriveFile,
    options: &OpenOptions<'_>,
) -> Result<(Box<Ssd>, Recovery), Wrong> {
    let meta = &mut image.meta;
    let mut buffer = Buffer::of(kept, &ssd);
    let regions = Regions::of_layer(ssd.layer());
    let (stands, known) = (image.stands, known.map(|known| known.end));
    let mut reader = Reader::new(&*storage, regions.journals, stands.end, known);
    let found = replay(&mut reader, &mut ssd, &mut buffer, &meta.version, &regions)?;
    let hole = found.hole;
    if let Some(hole) = hole.filter(|_| !options.accepts_loss) {
        return Err(Wrong::Hole { hole });
    }
    let mut recovery = Recovery {
        clean: !meta.at_work && found.batches == 0 && hole.is_none(),
        replayed: found.inputs,
        redone: 0,
        left_out: found.left_out,
        kept_slots: buffer.slots.len() as u64,
        hole,
    };
    let journal = Journal::behind(&reader, stands.checkpoint, found.hash);
    let journal = journal.map_err(Wrong::Unreadable)?;
    let mut store = byte_store(&ssd, storage, drive, options.sync);
    store.go_on(meta.sequence + found.inputs, Vec::new());
    store.lose(meta.lost.clone());
    if options.sync {
        // It was found in the machine's memory, perhaps, and erases follow.
        store.storage().sync().map_err(Wrong::Unreadable)?;
    }
    meta.power_cycles += found.power_ons;
    if let Some(Last { input, moved, slot }) = found.last {
        // What is made again may be cut off again: behind an erase it goes on from there.
        store.keep_journal(journal);
        store.set_totals(found.totals.unwrap_or_default());
        store.expect_cut_off(CutOff {
            moved: moved.expect("or it would have been asked again"),
            slot,
        });
        ssd.carry(Box::new(store));
        ssd.replay(&[input]);
        check_hash(&ssd, found.hash, &meta.version)?;
        recovery.replayed += 1;
        recovery.redone = store_of(&ssd).redone();
    } else {
        ssd.carry(Box::new(store));
    }
    if let Some(totals) = found.totals {
        ssd.set_totals(totals);
    }
    let store = store_of_mut(&mut ssd);
    store.go_on(store.sequence(), buffer.slots.into_values().collect());
    if let Some(hole) = hole {
        // Batches that nobody knows of may have been written, too.
        let from = store.sequence();
        meta.lost
            .push((from, from + hole.requests + regions.journals.requests_max()));
        store.lose(meta.lost.clone());
    }
    Ok((ssd, recovery))
}

impl Buffer {
    fn of(kept: Vec<KeptSlot>, ssd: &Ssd) -> Buffer {
        Buffer {
            slots: kept.into_iter().map(|slot| (slot.lpn, slot)).collect(),
            taken: None,
            slot_bytes: ssd.layer().layout().geometry.slot_bytes as usize,
        }
    }
}

/// Asks the layer again what it was asked since the checkpoint.
fn replay(
    reader: &mut Reader<'_>,
    ssd: &mut Ssd,
    buffer: &mut Buffer,
    version: &str,
    regions: &Regions,
) -> Result<Replayed, Wrong> {
    let mut found = Replayed::default();
    let mut before = reader.clone();
    while let Some(batch) = reader.next().map_err(Wrong::Unreadable)? {
        if version == ftlab_drive::version()
            && may_be_cut_off(&batch, reader)?
            && !is_there(&batch, &found, ssd, reader, regions)?
        {
            found.left_out = batch.inputs().count() as u64;
            *reader = before;
            return Ok(found);
        }
        before = reader.clone();
        let mut inputs = Vec::new();
        for record in batch.records {
            match record {
                Record::Input(input) => {
                    check_input(input, ssd)?;
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
        // Another model may do otherwise what a layer is asked.
        if !inputs.is_empty() && version != ftlab_drive::version() {
            return Err(replays_otherwise(version));
        }
        ssd.replay(&inputs);
        found.inputs += inputs.len() as u64;
        found.batches += 1;
        (found.hash, found.totals) = (batch.hash, Some(batch.totals));
        if found.last.is_none() && !inputs.is_empty() {
            check_hash(ssd, found.hash, version)?;
        }
    }
    found.hole = reader.hole().map_err(Wrong::Unreadable)?;
    Ok(found)
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

fn check_hash(ssd: &Ssd, hash: u64, version: &str) -> Result<(), Wrong> {
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
        LayerInput::Write(lpn, ..) | LayerInput::ReadPart(lpn, ..) => (lpn, 1),
        LayerInput::LookUp(first, count)
        | LayerInput::Read(first, count)
        | LayerInput::Trim(first, count) => (first, count),
        LayerInput::Fault(Fault::Unreadable(lpn)) => (lpn, 1),
        // A block or a die that does not exist is refused again.
        LayerInput::Fault(_)
        | LayerInput::Flush
        | LayerInput::WorkAhead
        | LayerInput::SecureErase => return Ok(()),
    };
    if u64::from(first.0) + u64::from(count) <= slots {
        return Ok(());
    }
    let why = format!("its journal has {input:?} on a drive of {slots} slots");
    Err(Wrong::Checkpoint(why))
}

impl DataDrive {
    /// A drive that was found is switched on.
    fn switch_on(&mut self, recovery: &Recovery) -> Result<(), ImageError> {
        let kept = self.kept.as_mut().expect("it was found somewhere");
        if kept.read_only {
            return Ok(());
        }
        kept.meta.power_cycles += 1;
        kept.meta.unsafe_shutdowns += u64::from(!recovery.clean);
        // What the image survives is noted in a checkpoint.
        let is_as_before = kept.meta.survives == Survives::with(kept.sync);
        let (stands, journals) = (kept.stands, self.regions().journals);
        let Body::Flash(ssd) = &mut self.body else {
            return self.checkpoint();
        };
        if recovery.clean && is_as_before {
            store_of_mut(ssd).keep_journal(Journal::new(journals, stands));
            self.note_power_on();
            return Ok(());
        }
        self.checkpoint()?;
        self.hand_on_kept();
        Ok(())
    }

    /// Hands on to the layer what a write buffer has kept.
    fn hand_on_kept(&mut self) {
        let Body::Flash(ssd) = &mut self.body else {
            return;
        };
        while let Some((lpn, extent)) = store_of(ssd).first_waiting() {
            if !ssd.hand_on(lpn, extent) {
                break;
            }
        }
        self.commit_and_wait();
        self.note_failure();
    }
}
