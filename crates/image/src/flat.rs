//! The bytes of a drive without flash: sectors, one after the other.
//!
//! A write's bytes are in the file when it completes. A disk with a write cache promises less; nothing
//! here knows when they would be on the platter.

use crate::regions::Region;
use crate::storage::Storage;
use ftlab_base::{Command, CommandId, CommandKind, Lba, SECTOR_BYTES};
use std::collections::BTreeMap;
use std::io;

/// Bytes, by sector.
#[derive(Debug)]
pub(crate) struct FlatStore {
    storage: Box<dyn Storage>,
    region: Region,
    under_way: BTreeMap<CommandId, (Command, Vec<u8>)>,
    failure: Option<io::Error>,
}

impl FlatStore {
    pub(crate) fn new(storage: Box<dyn Storage>, region: Region) -> FlatStore {
        FlatStore {
            storage,
            region,
            under_way: BTreeMap::new(),
            failure: None,
        }
    }

    pub(crate) fn storage(&mut self) -> &mut dyn Storage {
        &mut *self.storage
    }

    /// Why the last write was not done.
    pub(crate) fn failure(&self) -> Option<&io::Error> {
        self.failure.as_ref()
    }

    /// A command is submitted.
    pub(crate) fn give(&mut self, command: Command, data: &[u8]) {
        if command.kind == CommandKind::Write {
            self.under_way.insert(command.id, (command, data.to_vec()));
        }
    }

    /// A command completes; whether it is done.
    pub(crate) fn end(&mut self, id: CommandId) -> bool {
        let Some((command, data)) = self.under_way.remove(&id) else {
            return self.failure.is_none();
        };
        self.write(&command, &data)
    }

    /// Writes at once; whether that is done.
    pub(crate) fn write(&mut self, command: &Command, data: &[u8]) -> bool {
        if command.kind == CommandKind::Write {
            let at = self.region.at + command.lba.0 * SECTOR_BYTES;
            self.failure = self.storage.write_at(at, data).err();
        }
        self.failure.is_none()
    }

    /// Waits until the machine's storage has what was written.
    pub(crate) fn sync(&mut self) {
        self.failure = self.failure.take().or(self.storage.sync().err());
    }

    pub(crate) fn read(&self, lba: Lba, into: &mut [u8]) -> io::Result<()> {
        let at = self.region.at + lba.0 * SECTOR_BYTES;
        self.storage.read_at(at, into)
    }
}
