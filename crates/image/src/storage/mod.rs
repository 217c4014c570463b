//! Storage under an image: a file, memory, a file that is only read, or a layer over such a file.
//!
//! Everything that an image does to its file goes through [`Storage`], one operation after another,
//! so that a test can cut it off after any of them.

mod file;
mod layer;
mod memory;
mod overlay;
mod syncer;

pub(crate) use file::FileStorage;
pub(crate) use layer::{Layer, LayerError, Plan};
pub(crate) use memory::Memory;
pub(crate) use overlay::Overlay;
pub(crate) use syncer::Wake;

use std::io::{self, Read};

/// A part of a storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Region {
    pub(crate) at: u64,
    pub(crate) bytes: u64,
}

/// Bytes by position. What was never written reads as zeros, also behind the end.
pub(crate) trait Storage: std::fmt::Debug + Send + Sync {
    /// Reads from a position on.
    fn read_at(&self, at: u64, into: &mut [u8]) -> io::Result<()>;

    /// Writes from a position on.
    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()>;

    /// Gives up what lies there: it need not be kept, and may read as zeros.
    fn give_up(&mut self, at: u64, bytes: u64) -> io::Result<()>;

    /// The first position from `at` on where something may lie; before it there are zeros. `None` when
    /// nothing lies there to the end.
    fn next_data(&self, at: u64) -> io::Result<Option<u64>>;

    /// Length in bytes; none, if there is no end.
    fn length(&self) -> io::Result<Option<u64>> {
        Ok(None)
    }

    /// Makes it as long as that, with zeros; nothing, if it has no end, or one that stays.
    fn lengthen(&mut self, _bytes: u64) -> io::Result<()> {
        Ok(())
    }

    /// Nobody writes to it any more, and others may read it.
    fn share(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Identity of the boot of the machine under it. While it stays the same, all writes are there, whether its
    /// storage has them or not. `None` if the system does not say.
    fn machine(&self) -> Option<u64> {
        None
    }

    /// Opens the storage a second time, for a thread that writes to other parts of it. `None` where operations must
    /// go one after another.
    fn beside(&self) -> Option<Box<dyn Storage>> {
        None
    }

    /// Waits until what was written survives a power cut of the machine. If that fails once, it fails from
    /// then on: nobody knows what was lost.
    fn sync(&mut self) -> io::Result<()>;

    /// Begins a sync beside other work, if that can be: [`Storage::is_syncing`] says whether it still goes on, and
    /// [`Storage::end_sync`] how it ended. No other one is under way.
    fn begin_sync(&mut self) -> io::Result<()> {
        self.sync()
    }

    /// True while a wait that was begun goes on.
    fn is_syncing(&self) -> bool {
        false
    }

    /// Waits for the end of a wait that was begun.
    fn end_sync(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Has what is begun go on beside other work from now on, and `wake` called at each end.
    fn sync_beside(&mut self, _wake: Wake) -> io::Result<()> {
        Ok(())
    }
}

/// A region of a storage, from its start to its end.
#[derive(Debug)]
pub(crate) struct Bytes<'a> {
    storage: &'a dyn Storage,
    left: Region,
}

impl<'a> Bytes<'a> {
    pub(crate) fn new(storage: &'a dyn Storage, region: Region) -> Bytes<'a> {
        Bytes {
            storage,
            left: region,
        }
    }
}

impl Read for Bytes<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let bytes = self.left.bytes.min(into.len() as u64);
        self.storage
            .read_at(self.left.at, &mut into[..bytes as usize])?;
        self.left.at += bytes;
        self.left.bytes -= bytes;
        Ok(bytes as usize)
    }
}
