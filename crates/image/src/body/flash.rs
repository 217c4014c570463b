//! A drive of flash: its layer moves slots, and a store carries their bytes.

use super::check::{self, Checked};
use super::{Body, SavedBody, Unreadable};
use crate::checkpoint::Shape;
use crate::crash::Tap;
use crate::journal::Journal;
use crate::mark::{End, Mark};
use crate::regions::Regions;
use crate::storage::Storage;
use crate::store::{ByteStore, ReadError};
use crate::store_options::StoreOptions;
use ftlab_base::{Command, CommandId, CommandKind, Lba, Lpn, Outcome, SECTOR_BYTES, SimTime};
use ftlab_drive::Device;
use ftlab_drive::saved::DeviceState;
use ftlab_drive::ssd::Ssd;
use ftlab_ftl::{Fault, Room, TranslationLayer};
use ftlab_nand::InjectionRefused;
use std::io;
use std::ops::Range;

/// A drive of flash that was given a [`ByteStore`].
pub(crate) struct Flash {
    ssd: Box<Ssd>,
}

/// The bytes of a drive on a storage.
pub(crate) fn byte_store(ssd: &Ssd, storage: Box<dyn Storage>, options: StoreOptions) -> ByteStore {
    let layer = ssd.layer();
    let slot_bytes = layer.layout().geometry.slot_bytes;
    let buffer_slots = ssd.buffer_slots() as usize;
    let regions = Regions::of_layer(layer);
    ByteStore::new(storage, regions, slot_bytes, buffer_slots, options)
}

impl Flash {
    /// Gives a drive its bytes.
    pub(crate) fn new(mut ssd: Box<Ssd>, store: ByteStore) -> Flash {
        ssd.carry(Box::new(store));
        Flash { ssd }
    }

    pub(crate) fn ssd(&self) -> &Ssd {
        &self.ssd
    }

    pub(crate) fn ssd_mut(&mut self) -> &mut Ssd {
        &mut self.ssd
    }

    pub(crate) fn store(&self) -> &ByteStore {
        self.ssd.store().expect("it was given one")
    }

    pub(crate) fn store_mut(&mut self) -> &mut ByteStore {
        self.ssd.store_mut().expect("it was given one")
    }
}

impl Body for Flash {
    fn device(&self) -> &dyn Device {
        &*self.ssd
    }

    fn device_mut(&mut self) -> &mut dyn Device {
        &mut *self.ssd
    }

    fn layer(&self) -> Option<&dyn TranslationLayer> {
        Some(self.ssd.layer())
    }

    fn shape(&self) -> Shape {
        Shape::of_flash(&self.ssd)
    }

    fn regions(&self) -> Regions {
        Regions::of_layer(self.ssd.layer())
    }

    fn slot_sectors(&self) -> u32 {
        self.ssd.layer().layout().geometry.slot_bytes / SECTOR_BYTES as u32
    }

    fn storage(&mut self) -> &mut dyn Storage {
        self.store_mut().storage()
    }

    fn storage_ref(&self) -> &dyn Storage {
        self.store().storage_ref()
    }

    fn replace_storage(&mut self, storage: Box<dyn Storage>) -> Box<dyn Storage> {
        self.store_mut().replace_storage(storage)
    }

    fn failure(&self) -> Option<&io::Error> {
        self.store().failure()
    }

    fn tap(&mut self) -> &mut Option<Box<Tap>> {
        self.store_mut().tap()
    }

    fn set_tracks(&mut self, tracks: bool) {
        self.store_mut().set_tracks(tracks);
    }

    fn submit(&mut self, command: Command, data: &[u8], now: SimTime) {
        let has_time = self.ssd.has_time();
        let store = self.store_mut();
        if command.kind == CommandKind::Write {
            store.give(command.id, data);
        }
        if !has_time {
            // Time begins with a drive at rest: what it took without time is in its cells.
            store.note_handed_on_programmed();
        }
        self.ssd.submit(command, now);
    }

    fn end(&mut self, id: CommandId) -> bool {
        let store = self.store_mut();
        store.end(id);
        store.failure().is_none()
    }

    fn end_failed_writes(&mut self, now: SimTime) {
        self.ssd.end_writes_if_store_failed(now);
    }

    fn apply(&mut self, command: Command, data: &[u8]) -> Outcome {
        if command.kind == CommandKind::Write {
            self.store_mut().give(command.id, data);
        }
        let outcome = self.ssd.apply(command);
        self.store_mut().end(command.id);
        outcome
    }

    fn note_applied(&mut self, command: &Command) {
        if command.kind == CommandKind::Flush && command.sectors == 0 {
            self.store_mut().note_all_programmed();
        }
    }

    fn read(&self, lba: Lba, into: &mut [u8]) -> Result<(), Unreadable> {
        let slot_sectors = u64::from(self.slot_sectors());
        let (layer, store) = (self.ssd.layer(), self.store());
        let (mut sector, mut rest) = (lba.0, into);
        while !rest.is_empty() {
            let within = sector % slot_sectors;
            let bytes = ((slot_sectors - within) * SECTOR_BYTES) as usize;
            let (part, after) = rest.split_at_mut(bytes.min(rest.len()));
            let lpn = Lpn((sector / slot_sectors) as u32);
            let read = store.read(lpn, layer, within as u32, part);
            read.map_err(|why| match why {
                ReadError::Storage(why) => Unreadable::Storage(why),
                why => Unreadable::Damaged(u64::from(lpn.0) * slot_sectors, why.to_string()),
            })?;
            sector += slot_sectors - within;
            rest = after;
        }
        Ok(())
    }

    fn is_mapped(&self, lba: Lba, sectors: u64) -> (bool, u64) {
        let slot_sectors = u64::from(self.slot_sectors());
        let (layer, store) = (self.ssd.layer(), self.store());
        let is = |lpn: u64| {
            let lpn = Lpn(lpn as u32);
            store.waits(lpn) || layer.lookup(lpn).is_some() && !store.is_emptied(lpn)
        };
        let end = lba.0 + sectors;
        let first = lba.0 / slot_sectors;
        let found = is(first);
        let other = (first + 1..end.div_ceil(slot_sectors)).find(|&lpn| is(lpn) != found);
        let until = other.map_or(end, |lpn| lpn * slot_sectors);
        (found, until - lba.0)
    }

    fn next_held(&self, from: u64, end: u64) -> io::Result<Option<u64>> {
        let (mapped, sectors) = self.is_mapped(Lba(from), end - from);
        Ok(Some(if mapped { from } else { from + sectors }))
    }

    fn check(&self) -> io::Result<Checked> {
        Ok(check::slots(self.ssd.layer(), self.store()))
    }

    fn has_begun_a_unit(&self) -> bool {
        let store = self.store();
        store.volatile().programming() > 0 && store.first_waiting().is_none()
    }

    fn something_waits(&self) -> bool {
        self.store().first_waiting().is_some()
    }

    fn has_waiting(&self, slot: u32) -> bool {
        self.store().waits(Lpn(slot))
    }

    fn note_handed_on_programmed(&mut self) {
        self.store_mut().note_handed_on_programmed();
    }

    fn note_programmed_of(&mut self, slots: Range<u32>) {
        self.store_mut().note_programmed_of(slots);
    }

    fn note_all_programmed(&mut self) {
        self.store_mut().note_all_programmed();
    }

    fn commit(&mut self) {
        let totals = self.ssd.totals();
        self.store_mut().commit(totals);
    }

    fn begin_commit(&mut self) -> io::Result<()> {
        let totals = self.ssd.totals();
        self.store_mut().begin_commit(totals)
    }

    fn end_commit(&mut self, done: io::Result<()>) {
        match done {
            Ok(()) => self.store_mut().end_commit(),
            Err(why) => self.store_mut().fail(why),
        }
    }

    fn saved(&self, room: Room) -> SavedBody {
        let store = self.store();
        SavedBody {
            state: DeviceState::Ssd(self.ssd.found_without_power(room)),
            buffered: store.buffered(),
            volatile: store.volatile().saved(),
            blank: store.blank().bits().to_vec(),
            lost: store.lost().to_vec(),
        }
    }

    fn lost(&self) -> &[(u64, u64)] {
        self.store().lost()
    }

    fn journal(&mut self) -> Option<&mut Journal> {
        self.store_mut().journal()
    }

    fn next_part(&mut self, before: End, part: u64) -> End {
        let store = self.store_mut();
        let sequence = store.sequence();
        let before = store.journal().map_or(before, |journal| journal.end());
        before.begin(part, sequence)
    }

    fn begin_part(&mut self, part: u64) -> Option<io::Result<End>> {
        let totals = self.ssd.totals();
        Some(self.store_mut().begin_part(part, totals))
    }

    fn begin_journal(&mut self, checkpoint: Mark) -> bool {
        let journals = self.regions().journals;
        self.store_mut()
            .keep_journal(Journal::new(journals, checkpoint));
        true
    }

    fn hand_on_kept(&mut self) {
        while let Some(lpn) = self.store().first_emptied() {
            self.ssd.hand_on_trim(lpn);
        }
        let mut all = true;
        while let Some((lpn, extent)) = self.store().first_waiting().filter(|_| all) {
            all = self.ssd.hand_on(lpn, extent);
        }
        if all {
            self.store_mut().end_restoring();
        }
    }

    #[cfg(test)]
    fn flash(&mut self) -> Option<&mut Flash> {
        Some(self)
    }

    fn inject(&mut self, fault: Fault) -> Result<(), InjectionRefused> {
        self.ssd.inject(fault)
    }
}
