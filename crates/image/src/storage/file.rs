//! A sparse file, which one process at a time has open.

use super::syncer::Syncer;
use super::{Storage, Wake};
use ftlab_output::Begun;
use rustix::fs::{FallocateFlags, MemfdFlags, SeekFrom, fallocate, memfd_create, seek};
use rustix::io::Errno;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use xxhash_rust::xxh3::xxh3_64;

/// A file, locked against others.
#[derive(Debug)]
pub(crate) struct FileStorage {
    file: Arc<File>,
    /// True if the machine may not have brought all writes to its storage.
    is_dirty: bool,
    /// The system's number of the error, if it could not once; zero if it could. It tells only one of those who
    /// wait.
    failed: Arc<AtomicI32>,
    syncer: Option<Syncer>,
}

impl FileStorage {
    /// Makes a file for a path, where it is not before it is put there: nothing is left of a process that is killed.
    pub(crate) fn begin(path: &Path) -> io::Result<(FileStorage, Begun)> {
        let begun = Begun::beside(path)?;
        let file = Self::locked(begun.file().try_clone()?, false)?;
        Ok((file, begun))
    }

    /// Opens a file that is there. Several may read it at a time; who writes is alone.
    pub(crate) fn open(path: &Path, read_only: bool) -> io::Result<FileStorage> {
        let file = OpenOptions::new().read(true).write(!read_only).open(path)?;
        Self::locked(file, read_only)
    }

    /// Opens a file that somebody else may have, to look at what never changes in it.
    pub(crate) fn look_at(path: &Path) -> io::Result<FileStorage> {
        Ok(Self::of(File::open(path)?))
    }

    /// Makes a file that has no name and lies in memory.
    pub(crate) fn in_memory() -> io::Result<FileStorage> {
        let file = memfd_create("ftlab", MemfdFlags::CLOEXEC)?;
        Self::locked(file.into(), false)
    }

    fn locked(file: File, shared: bool) -> io::Result<FileStorage> {
        let lock = if shared {
            file.try_lock_shared()
        } else {
            file.try_lock()
        };
        match lock {
            Ok(()) => Ok(Self::of(file)),
            Err(TryLockError::WouldBlock) => Err(ErrorKind::WouldBlock.into()),
            Err(TryLockError::Error(why)) => Err(why),
        }
    }

    fn of(file: File) -> FileStorage {
        FileStorage {
            file: Arc::new(file),
            is_dirty: true,
            failed: Arc::default(),
            syncer: None,
        }
    }

    /// Waits until the name of a new file survives a power cut of the machine: it is its folder's.
    pub(crate) fn sync_name(path: &Path) -> io::Result<()> {
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
    }

    /// A wait for the machine's storage ended so.
    fn synced(&self, result: io::Result<()>) -> io::Result<()> {
        if let Err(why) = &result {
            let number = why.raw_os_error().unwrap_or(Errno::IO.raw_os_error());
            self.failed.store(number, Ordering::Relaxed);
        }
        match self.failed.load(Ordering::Relaxed) {
            0 => result,
            number => Err(io::Error::from_raw_os_error(number)),
        }
    }

    /// Gives the file a length; nothing is allocated for it.
    pub(crate) fn set_length(&self, bytes: u64) -> io::Result<()> {
        self.file.set_len(bytes)
    }
}

impl Storage for FileStorage {
    fn read_at(&self, mut at: u64, mut into: &mut [u8]) -> io::Result<()> {
        while !into.is_empty() {
            match self.file.read_at(into, at) {
                Ok(0) => {
                    into.fill(0);
                    return Ok(());
                }
                Ok(bytes) => {
                    into = &mut into[bytes..];
                    at += bytes as u64;
                }
                Err(why) if why.kind() == ErrorKind::Interrupted => {}
                Err(why) => return Err(why),
            }
        }
        Ok(())
    }

    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.is_dirty = true;
        self.file.write_all_at(bytes, at)
    }

    fn give_up(&mut self, at: u64, bytes: u64) -> io::Result<()> {
        self.is_dirty = true;
        let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        match fallocate(&self.file, flags, at, bytes) {
            // The file system keeps what nobody needs; it takes room, and nothing else.
            Err(Errno::OPNOTSUPP | Errno::NOSYS) => Ok(()),
            done => done.map_err(io::Error::from),
        }
    }

    fn next_data(&self, at: u64) -> io::Result<Option<u64>> {
        match seek(&self.file, SeekFrom::Data(at)) {
            Ok(data) => Ok(Some(data)),
            Err(Errno::NXIO) => Ok(None),
            // The file system does not know of holes.
            Err(Errno::INVAL | Errno::OPNOTSUPP | Errno::NOSYS) => Ok(Some(at)),
            Err(why) => Err(why.into()),
        }
    }

    fn length(&self) -> io::Result<Option<u64>> {
        Ok(Some(self.file.metadata()?.len()))
    }

    fn lengthen(&mut self, bytes: u64) -> io::Result<()> {
        self.set_length(bytes)
    }

    fn share(&mut self) -> io::Result<()> {
        match self.file.try_lock_shared() {
            Ok(()) => Ok(()),
            Err(TryLockError::WouldBlock) => Err(ErrorKind::WouldBlock.into()),
            Err(TryLockError::Error(why)) => Err(why),
        }
    }

    fn machine(&self) -> Option<u64> {
        let boot = std::fs::read("/proc/sys/kernel/random/boot_id").ok()?;
        Some(xxh3_64(&boot))
    }

    fn beside(&self) -> Option<Box<dyn Storage>> {
        Some(Box::new(FileStorage {
            file: Arc::clone(&self.file),
            // What the other one wrote, too.
            is_dirty: true,
            failed: Arc::clone(&self.failed),
            syncer: None,
        }))
    }

    fn sync(&mut self) -> io::Result<()> {
        self.end_sync()?;
        if !std::mem::take(&mut self.is_dirty) {
            return Ok(());
        }
        let result = self.file.sync_data();
        self.synced(result)
    }

    fn begin_sync(&mut self) -> io::Result<()> {
        let Some(syncer) = &self.syncer else {
            return self.sync();
        };
        if std::mem::take(&mut self.is_dirty) {
            syncer.begin();
        }
        self.synced(Ok(()))
    }

    fn is_syncing(&self) -> bool {
        self.syncer.as_ref().is_some_and(Syncer::is_under_way)
    }

    fn end_sync(&mut self) -> io::Result<()> {
        let result = self.syncer.as_ref().map_or(Ok(()), Syncer::end);
        self.synced(result)
    }

    fn sync_beside(&mut self, wake: Wake) -> io::Result<()> {
        let file = Arc::clone(&self.file);
        let sync = move || file.sync_data();
        self.syncer = Some(Syncer::start(Box::new(sync), wake)?);
        Ok(())
    }
}
