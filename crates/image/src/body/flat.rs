//! A drive without flash: a disk, or memory.

use super::check::{Checked, Damaged};
use super::{Body, SavedBody, Unreadable};
use crate::checkpoint::Shape;
use crate::crash::Tap;
use crate::flat::{FlatError, FlatStore};
use crate::regions::Regions;
use crate::storage::Storage;
use ftlab_base::{Command, CommandId, CommandKind, Lba, Outcome, SimTime};
use ftlab_drive::Device;
use ftlab_drive::saved::DeviceState;
use ftlab_ftl::Room;
use std::io;
use std::ops::Range;

/// A drive whose sectors lie where they lie.
pub(crate) struct Flat {
    device: Box<dyn Device>,
    store: FlatStore,
}

impl Flat {
    pub(crate) fn new(device: Box<dyn Device>, store: FlatStore) -> Flat {
        Flat { device, store }
    }
}

impl Body for Flat {
    fn device(&self) -> &dyn Device {
        &*self.device
    }

    fn device_mut(&mut self) -> &mut dyn Device {
        &mut *self.device
    }

    fn shape(&self) -> Shape {
        Shape::of_sectors(self.device.capacity_sectors())
    }

    fn regions(&self) -> Regions {
        Regions::of_sectors(self.device.capacity_sectors())
    }

    fn storage(&mut self) -> &mut dyn Storage {
        self.store.storage()
    }

    fn storage_ref(&self) -> &dyn Storage {
        self.store.storage_ref()
    }

    fn replace_storage(&mut self, storage: Box<dyn Storage>) -> Box<dyn Storage> {
        self.store.replace_storage(storage)
    }

    fn failure(&self) -> Option<&io::Error> {
        self.store.failure()
    }

    fn tap(&mut self) -> &mut Option<Box<Tap>> {
        self.store.tap()
    }

    fn set_tracks(&mut self, tracks: bool) {
        self.store.set_caches(tracks);
    }

    fn submit(&mut self, command: Command, data: &[u8], now: SimTime) {
        self.store.give(command, data);
        self.device.submit(command, now);
    }

    fn end(&mut self, id: CommandId) -> bool {
        self.store.end(id)
    }

    fn settle_cache(&mut self) {
        let device = &self.device;
        self.store.keep_only(|| device.dirty());
    }

    fn apply(&mut self, command: Command, data: &[u8]) -> Outcome {
        let outcome = self.device.apply(command);
        let reads = command.kind == CommandKind::Read;
        match outcome == Outcome::Good && !reads && !self.store.write(&command, data) {
            true => Outcome::WriteFault,
            false => outcome,
        }
    }

    fn note_applied(&mut self, _command: &Command) {
        self.store.destage(self.device.cache_sectors());
    }

    fn read(&self, lba: Lba, into: &mut [u8]) -> Result<(), Unreadable> {
        let read = self.store.read(lba, into);
        read.map_err(|why| match why {
            FlatError::Storage(why) => Unreadable::Storage(why),
            FlatError::Damaged(sector) => Unreadable::Damaged(sector, why.to_string()),
        })
    }

    fn next_held(&self, from: u64, _end: u64) -> io::Result<Option<u64>> {
        self.store.next_held(from)
    }

    fn check(&self) -> io::Result<Checked> {
        let (damaged, written) = self.store.check(self.device.capacity_sectors())?;
        let mut checked = Checked {
            mapped_slots: written,
            ..Checked::default()
        };
        for sector in damaged {
            checked.note(Damaged {
                lba: sector,
                lpn: sector as u32,
                place: sector as u32,
                why: FlatError::Damaged(sector).to_string(),
            });
        }
        Ok(checked)
    }

    /// It writes the sectors that wait, and nothing goes on beside that.
    fn begin_commit(&mut self) -> io::Result<()> {
        self.store.flush();
        Ok(())
    }

    fn end_commit(&mut self, done: io::Result<()>) {
        if let Err(why) = done {
            self.store.fail(why);
        }
    }

    fn flush_sectors(&mut self, sectors: &Range<u64>) -> bool {
        self.store.flush_sectors(sectors);
        true
    }

    fn lost_sectors(&self) -> Option<u64> {
        self.store.lost_sectors()
    }

    /// A flush that has not ended promises nothing of what the drive's cache alone has.
    fn something_waits(&self) -> bool {
        self.store.lost_sectors().is_some_and(|sectors| sectors > 0)
    }

    fn saved(&self, _room: Room) -> SavedBody {
        SavedBody {
            state: DeviceState::Flashless(self.device.counters()),
            buffered: Vec::new(),
            volatile: Vec::new(),
            blank: Vec::new(),
            lost: Vec::new(),
        }
    }
}
