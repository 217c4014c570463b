//! The bytes behind a drive of flash: at places of the array, in the write buffer, and on their way.

mod cut_result;
mod pending;
mod prepared;
mod reading;
mod rooms;
mod waiting;

pub(crate) use rooms::CutOff;

use crate::blank::Blank;

use crate::crash::Tap;
use crate::journal::Journal;
use crate::mark::End;
use crate::record;
use crate::regions::Regions;
use crate::slot::{Broken, OOB_BYTES};
use crate::storage::Storage;
use crate::store_options::StoreOptions;
use ftlab_base::{CommandId, Content, Lpn, SECTOR_BYTES};
use ftlab_cut::BufferedSlot;
use ftlab_cut::{Account, Followed, Volatile, mask_of, runs};
use ftlab_drive::ssd::{LayerInput, PageStore, StoreFailed, Totals, WrittenPart};
use ftlab_ftl::{Extent, TranslationLayer};
use ftlab_nand::DataMove;
use pending::{Carrier, Pending};
use prepared::Prepared;
use rooms::{CutRestore, Redo, UnfinishedRequests};
use std::collections::BTreeMap;
use std::io;
use waiting::WaitingSlots;

const SECTOR: usize = SECTOR_BYTES as usize;

/// A slot could not be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadError {
    #[error("{0}")]
    Storage(#[from] io::Error),
    #[error("{0}")]
    Broken(#[from] Broken),
    #[error("the data of LPN {0} lie there")]
    Foreign(u32),
    #[error("it was written later than anything the drive knows of")]
    Later,
    #[error("sectors of it could not be read when the others were written, and are lost")]
    Lost,
}

/// Store of bytes, by place.
#[derive(Debug)]
pub(crate) struct ByteStore {
    storage: Box<dyn Storage>,
    regions: Regions,
    slot_bytes: usize,
    options: StoreOptions,
    journal: Option<Journal>,
    /// Counts of the drive at the last request.
    totals: Totals,
    /// Data of write commands.
    commands: BTreeMap<CommandId, Vec<u8>>,
    waiting: WaitingSlots,
    prepared: Option<Prepared>,
    unfinished: UnfinishedRequests,
    /// The number of the next request.
    sequence: u64,
    /// Numbers of requests that are lost: from one, up to another.
    lost: Vec<(u64, u64)>,
    redo: Redo,
    moving: Vec<u8>,
    blank: Blank,
    /// Slots that a power cut could take away.
    account: Account,
    found: CutRestore,
    /// Recorder for a crash log.
    tap: Option<Box<Tap>>,
}

impl ByteStore {
    /// Bytes on a storage; without a journal, nobody will look for them again.
    pub(crate) fn new(
        storage: Box<dyn Storage>,
        regions: Regions,
        slot_bytes: u32,
        buffer_slots: usize,
        options: StoreOptions,
    ) -> ByteStore {
        ByteStore {
            storage,
            regions,
            slot_bytes: slot_bytes as usize,
            options,
            journal: None,
            totals: Totals::default(),
            commands: BTreeMap::new(),
            waiting: WaitingSlots::default(),
            prepared: None,
            unfinished: UnfinishedRequests::default(),
            sequence: 0,
            lost: Vec::new(),
            redo: Redo::default(),
            moving: Vec::new(),
            // Making or recovery sets the journal once it knows the drive's state.
            blank: Blank::default(),
            account: Account::of(Volatile::default(), buffer_slots),
            found: CutRestore::default(),
            tap: None,
        }
    }

    /// Goes on with requests from that number on, and these slots in the write buffer.
    pub(crate) fn go_on(&mut self, sequence: u64, buffered: Vec<BufferedSlot>) {
        self.sequence = sequence;
        for BufferedSlot { lpn, mask, bytes } in buffered {
            if mask == 0 {
                self.found.emptied.insert(lpn);
            }
            for (first, sectors) in runs(mask) {
                let data = &bytes[first * SECTOR..(first + sectors) * SECTOR];
                self.waiting.admit(lpn, first as u32, data, self.slot_bytes);
            }
        }
    }

    /// Notes the numbers of requests that were lost; the drive goes on behind them.
    pub(crate) fn lose(&mut self, lost: Vec<(u64, u64)>) {
        self.sequence = lost.last().map_or(0, |lost| lost.1).max(self.sequence);
        self.lost = lost;
    }

    /// Numbers of requests that are lost.
    pub(crate) fn lost(&self) -> &[(u64, u64)] {
        &self.lost
    }

    /// The next request was cut off: only what is missing of it is carried out.
    pub(crate) fn expect_cut_off(&mut self, cut_off: CutOff) {
        self.redo.cut_off = Some(cut_off);
    }

    /// Sets the counts of the drive.
    pub(crate) fn set_totals(&mut self, totals: Totals) {
        self.totals = totals;
    }

    /// Moves that were made again.
    pub(crate) fn redone(&self) -> u64 {
        self.redo.redone
    }

    /// The number of the next request.
    pub(crate) fn sequence(&self) -> u64 {
        self.sequence
    }

    /// Notes everything from now on in a journal.
    pub(crate) fn keep_journal(&mut self, journal: Journal) {
        self.journal = Some(journal);
    }

    /// Has the journal go on in the next part; gives where that begins.
    ///
    /// # Errors
    /// When the storage fails.
    pub(crate) fn begin_part(&mut self, part: u64, totals: Totals) -> io::Result<End> {
        let journal = self.journal.as_mut().expect("a checkpoint is due for it");
        journal.begin_part(part, &mut *self.storage, totals)
    }

    /// The journal, if there is one.
    pub(crate) fn journal(&mut self) -> Option<&mut Journal> {
        self.journal.as_mut()
    }

    /// The storage under the bytes.
    pub(crate) fn storage(&mut self) -> &mut dyn Storage {
        &mut *self.storage
    }

    /// Blocks that were programmed before the drive had bytes.
    pub(crate) fn blank(&self) -> &Blank {
        &self.blank
    }

    /// Goes on with those.
    pub(crate) fn set_blank(&mut self, blank: Blank) {
        self.blank = blank;
    }

    /// Has them lie on another storage, which says the same; gives the one that they lay on.
    pub(crate) fn replace_storage(&mut self, storage: Box<dyn Storage>) -> Box<dyn Storage> {
        std::mem::replace(&mut self.storage, storage)
    }

    /// The storage without the right to write to it.
    pub(crate) fn storage_ref(&self) -> &dyn Storage {
        &*self.storage
    }

    /// Slots in a write buffer that survives, or that are to be handed on after a power cut.
    pub(crate) fn buffered(&self) -> Vec<BufferedSlot> {
        if !self.options.capacitors && !self.found.restores {
            return Vec::new();
        }
        let emptied = self.found.emptied.iter().map(|&lpn| BufferedSlot {
            lpn,
            mask: 0,
            bytes: vec![0; self.slot_bytes],
        });
        emptied.chain(self.waiting.buffered()).collect()
    }

    /// The first slot of which something waits, and whether all of it does.
    pub(crate) fn first_waiting(&self) -> Option<(Lpn, Extent)> {
        let (lpn, mask) = self.waiting.first()?;
        let whole = mask == mask_of(0, (self.slot_bytes / SECTOR) as u32);
        let extent = if whole { Extent::Whole } else { Extent::Part };
        Some((Lpn(lpn), extent))
    }

    /// True if data of a slot wait.
    pub(crate) fn waits(&self, lpn: Lpn) -> bool {
        self.waiting.get(lpn.0).is_some()
    }

    /// The data of a write that is submitted now.
    pub(crate) fn give(&mut self, id: CommandId, data: &[u8]) {
        self.commands.insert(id, data.to_vec());
        if let Some(tap) = &mut self.tap {
            tap.given(id);
        }
    }

    /// A command is over.
    pub(crate) fn end(&mut self, id: CommandId) {
        self.commands.remove(&id);
        if let Some(tap) = &mut self.tap {
            tap.ended(id);
        }
    }

    /// Error that keeps requests of the layer from being carried out.
    pub(crate) fn failure(&self) -> Option<&io::Error> {
        self.unfinished.failure.as_ref()
    }

    /// Everything that is acknowledged from here on is in the journal; `totals` are the drive's. Where the
    /// machine may lose its power, nothing is promised before a flush, so records wait for that.
    pub(crate) fn commit(&mut self, totals: Totals) {
        self.totals = totals;
        if self.unfinished.failure.is_none() {
            self.unfinished.failure = self.write_journal().err();
        }
    }

    fn write_journal(&mut self) -> io::Result<()> {
        let Some(journal) = &mut self.journal else {
            return Ok(());
        };
        if !self.options.sync {
            journal.commit(&mut *self.storage, self.totals)?;
            // With capacitors, whatever is acknowledged is promised.
            if self.options.capacitors {
                journal.mark(&mut *self.storage)?;
            }
        } else if journal.is_full() || !journal.spill(&mut *self.storage, self.totals)? {
            journal.commit_and_sync(&mut *self.storage, self.totals)?;
        }
        Ok(())
    }

    /// Writes the journal. Where the machine may lose its power, the wait for its storage begins, which nobody
    /// else waits for.
    ///
    /// # Errors
    /// When the storage fails.
    pub(crate) fn begin_commit(&mut self, totals: Totals) -> io::Result<()> {
        self.totals = totals;
        if self.unfinished.failure.is_some() {
            return Ok(());
        }
        if let Some(journal) = &mut self.journal {
            journal.commit(&mut *self.storage, totals)?;
        }
        match self.options.sync {
            true => self.storage.begin_sync(),
            false => Ok(()),
        }
    }

    /// Notes that the journal is safe, so that somebody relies on it from now on.
    pub(crate) fn end_commit(&mut self) {
        if let Some(journal) = self
            .journal
            .as_mut()
            .filter(|_| self.unfinished.failure.is_none())
        {
            self.unfinished.failure = journal.mark(&mut *self.storage).err();
        }
    }

    /// The storage has failed.
    pub(crate) fn fail(&mut self, why: io::Error) {
        self.unfinished.failure = Some(why);
    }

    /// Carries out what waits for it, the oldest request first.
    fn carry_out_queue(&mut self) -> io::Result<()> {
        while let Some(mut first) = self.unfinished.queue.pop_front() {
            let done = first.carry_out(&mut self.carrier());
            if let Err(why) = done {
                self.unfinished.queue.push_front(first);
                return Err(why);
            }
        }
        for lpn in std::mem::take(&mut self.unfinished.programmed) {
            self.note_programmed(lpn);
        }
        self.write_journal()
    }

    fn carrier(&mut self) -> Carrier<'_> {
        Carrier {
            storage: &mut *self.storage,
            regions: &self.regions,
            slot_bytes: self.slot_bytes,
            sync: self.options.sync,
            journal: self.journal.as_mut(),
            totals: self.totals,
            blank: &mut self.blank,
            moving: &mut self.moving,
        }
    }

    /// Carries a request out, or notes that it is to be.
    fn carry(&mut self, mut pending: Pending) {
        if self.unfinished.failure.is_none() {
            match pending.carry_out(&mut self.carrier()) {
                Ok(()) => {
                    let whole = OOB_BYTES + self.slot_bytes;
                    if let Some(slot) = pending.slot.filter(|slot| slot.len() == whole) {
                        self.waiting.recycle(slot);
                    }
                    return;
                }
                Err(why) => self.unfinished.failure = Some(why),
            }
        }
        self.unfinished.queue.push_back(pending);
    }
}

impl PageStore for ByteStore {
    fn admit(&mut self, part: WrittenPart) {
        let WrittenPart {
            id,
            offset,
            lpn,
            first,
            sectors,
            waits,
        } = part;
        let data = self.commands.get(&id).expect("its data were given");
        let from = offset as usize * SECTOR;
        let data = &data[from..from + sectors as usize * SECTOR];
        self.waiting.admit(lpn.0, first, data, self.slot_bytes);
        let keeps = waits && self.options.capacitors;
        if let Some(journal) = self.journal.as_mut().filter(|_| keeps) {
            journal.note(|to| record::put_admitted(to, lpn.0, first, data));
        }
        if let Some(tap) = &mut self.tap {
            tap.wrote(id, lpn.0, first, waits, data);
        }
        if waits && self.options.tracks {
            self.note_held(lpn.0);
        }
    }

    fn programmed(&mut self, lpn: Lpn) {
        self.note_programmed(lpn.0);
    }

    fn withdraw(&mut self, lpn: Lpn) {
        self.waiting.take(lpn.0);
        if let Some(tap) = &mut self.tap {
            tap.withdrawn(lpn.0);
        }
    }

    fn prepare(
        &mut self,
        lpn: Lpn,
        extent: Extent,
        stated: Content,
        layer: &dyn TranslationLayer,
    ) -> Result<(Extent, Content), StoreFailed> {
        if self.options.tracks {
            self.account.prepare(layer, lpn, 1);
        }
        match self.redo.cut_off {
            Some(_) => Ok((extent, stated)),
            None => self
                .prepare_slot(lpn, extent, stated, layer)
                .map_err(|_| StoreFailed),
        }
    }

    fn prepare_trim(&mut self, first: Lpn, slots: u32, layer: &dyn TranslationLayer) {
        if self.options.tracks {
            self.account.prepare(layer, first, slots);
        }
    }

    fn follow(
        &mut self,
        input: LayerInput,
        taken: bool,
        layer: &dyn TranslationLayer,
        moves: &[DataMove],
    ) {
        let followed = match self.options.tracks {
            true => self.account.follow(input, taken, moves),
            false => Followed::default(),
        };
        if let Some(tap) = &mut self.tap {
            tap.followed(input, taken, &followed.before, &followed.gone);
        }
        if let Some(CutOff { moved, slot }) = self.redo.cut_off.take() {
            let made = &moves[..moves.len().min(moved as usize)];
            made.iter().for_each(|step| self.blank.follow(step));
            let pending = Pending::cut_off(input, moves, slot, moved as usize);
            self.redo.redone += pending.left().len() as u64;
            self.sequence += 1;
            self.carry(pending);
            return;
        }
        let slot = match input {
            LayerInput::Write(write) if taken => Some(self.taken(write.lpn)),
            LayerInput::Trim(first, slots) => {
                self.waiting.forget(first.0, slots);
                let range = u64::from(first.0)..u64::from(first.0) + u64::from(slots);
                self.found
                    .emptied
                    .retain(|&lpn| !range.contains(&u64::from(lpn)));
                None
            }
            LayerInput::SecureErase => {
                self.waiting.clear();
                self.found.emptied.clear();
                None
            }
            _ => None,
        };
        self.sequence += 1;
        let hash = layer.array().stream_hash();
        self.carry(Pending::new(input, taken, moves, slot, hash));
        while let Some(lpn) = self.account.overdue() {
            self.note_programmed(lpn);
        }
    }

    fn has_failed(&self) -> bool {
        self.unfinished.failure.is_some()
    }

    fn try_again(&mut self) -> bool {
        self.unfinished.failure = self.carry_out_queue().err();
        self.unfinished.failure.is_none()
    }

    /// There is one file.
    fn copy(&self) -> Option<Box<dyn PageStore>> {
        None
    }
}
