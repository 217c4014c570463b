//! Translates calls on the file into requests to the drive.

use crate::engine::{Engine, IoRequest, Operation, Run};
use ftlab_base::SECTOR_BYTES;
use ftlab_nbd::NbdError;
use fuser::{Errno, FileAttr, FileType, INodeNo};
use rustix::fs::FallocateFlags;
use std::ops::Range;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, mpsc};
use std::time::UNIX_EPOCH;

/// The file's number; that of its directory is one.
pub(super) const FILE: INodeNo = INodeNo(2);

/// The file, and what calls on it ask of the drive.
pub(super) struct Disk {
    pub engine: Arc<Engine>,
    read_only: bool,
    /// Handles of the file that are open.
    pub opened: Arc<AtomicU64>,
    /// Held by whoever writes parts of sectors.
    parts: Mutex<()>,
    pub uid: u32,
    pub gid: u32,
}

pub(super) fn errno(error: NbdError) -> Errno {
    // NBD's numbers are Linux's.
    Errno::from_i32(error.code() as i32)
}

pub(super) fn are_whole(bytes: &Range<u64>) -> bool {
    [bytes.start, bytes.end]
        .iter()
        .all(|at| at.is_multiple_of(SECTOR_BYTES))
}

/// The sectors that hold these bytes.
pub(super) fn sectors_around(bytes: &Range<u64>) -> Range<u64> {
    bytes.start / SECTOR_BYTES..bytes.end.div_ceil(SECTOR_BYTES)
}

impl Disk {
    /// A drive as a file, which counts the handles that are open.
    pub fn new(engine: Arc<Engine>, read_only: bool, opened: Arc<AtomicU64>) -> Disk {
        Disk {
            engine,
            read_only,
            opened,
            parts: Mutex::new(()),
            uid: rustix::process::geteuid().as_raw(),
            gid: rustix::process::getegid().as_raw(),
        }
    }

    pub fn attributes(&self, inode: INodeNo) -> FileAttr {
        let is_file = inode == FILE;
        let size = if is_file { self.engine.size_bytes() } else { 0 };
        FileAttr {
            ino: inode,
            size,
            blocks: size / SECTOR_BYTES,
            atime: UNIX_EPOCH,
            mtime: UNIX_EPOCH,
            ctime: UNIX_EPOCH,
            crtime: UNIX_EPOCH,
            kind: match is_file {
                true => FileType::RegularFile,
                false => FileType::Directory,
            },
            perm: match (is_file, self.read_only) {
                (false, _) => 0o500,
                (true, true) => 0o400,
                (true, false) => 0o600,
            },
            nlink: 1,
            uid: self.uid,
            gid: self.gid,
            rdev: 0,
            blksize: self.engine.slot_bytes(),
            flags: 0,
        }
    }

    /// The sectors of a range that begins and ends with one and lies in the drive.
    pub fn sectors(&self, offset: u64, bytes: u64) -> Result<Range<u64>, Errno> {
        let end = offset.checked_add(bytes).ok_or(Errno::EINVAL)?;
        if end > self.engine.size_bytes() {
            return Err(Errno::ENOSPC);
        }
        match are_whole(&(offset..end)) {
            true => Ok(sectors_around(&(offset..end))),
            false => Err(Errno::EINVAL),
        }
    }

    /// Writes what does not begin and end with a sector: the rest of the sectors is read before, as the
    /// kernel does for a block device.
    pub fn write_parts(&self, bytes: &Range<u64>, data: &[u8]) -> Result<(), NbdError> {
        let range = sectors_around(bytes);
        let _alone = self.parts.lock().expect("no panic holds it");
        let room = vec![0; ((range.end - range.start) * SECTOR_BYTES) as usize];
        let mut whole = self.wait_for(Operation::Read, range.clone(), room)?;
        let from = (bytes.start % SECTOR_BYTES) as usize;
        whole[from..from + data.len()].copy_from_slice(data);
        self.wait_for(Operation::Write, range, whole).map(drop)
    }

    /// Asks, and waits for the answer.
    fn wait_for(
        &self,
        operation: Operation,
        range: Range<u64>,
        buffer: Vec<u8>,
    ) -> Result<Vec<u8>, NbdError> {
        let (sender, receiver) = mpsc::sync_channel(1);
        let answer = Box::new(move |result| {
            // The caller waits below until this is sent.
            let _ = sender.send(result);
        });
        self.engine
            .submit(IoRequest::local(operation, range, false, buffer, answer));
        // A drive that has stopped drops what it is asked.
        receiver.recv().unwrap_or(Err(NbdError::Io))
    }

    /// The first byte from `offset` on that is data, or that is none.
    pub fn seek(&self, offset: u64, wants_data: bool) -> Result<u64, Errno> {
        let size_bytes = self.engine.size_bytes();
        if offset >= size_bytes {
            return Err(Errno::ENXIO);
        }
        let (mut at, end) = (offset / SECTOR_BYTES, size_bytes / SECTOR_BYTES);
        while at < end {
            let runs = self.engine.runs(at..end).map_err(|_| Errno::EIO)?;
            for Run { is_mapped, sectors } in runs {
                if is_mapped == wants_data {
                    return Ok(offset.max(at * SECTOR_BYTES));
                }
                at += sectors;
            }
        }
        // Behind the end is a hole, and no data.
        match wants_data {
            true => Err(Errno::ENXIO),
            false => Ok(size_bytes),
        }
    }

    /// Accepts a truncation to `bytes`, which changes nothing. A block device ignores that it is truncated when
    /// it is opened, and dd that it cannot truncate one to where it begins to write. A program that empties the
    /// file by its handle, or has it grow, relies on what it gets.
    ///
    /// # Errors
    /// `EINVAL` for a size that such a program would rely on, and `EROFS` if the drive is read-only.
    pub fn may_be_truncated(&self, bytes: u64, by_handle: bool) -> Result<(), Errno> {
        self.may_write()?;
        match bytes {
            0 if by_handle => Err(Errno::EINVAL),
            bytes if bytes > self.engine.size_bytes() => Err(Errno::EINVAL),
            _ => Ok(()),
        }
    }

    pub fn may_write(&self) -> Result<(), Errno> {
        match self.read_only {
            true => Err(Errno::EROFS),
            false => Ok(()),
        }
    }

    /// The operation that serves a call of `fallocate`.
    ///
    /// # Errors
    /// `EOPNOTSUPP` for the modes that a block device does not have.
    pub fn operation(&self, mode: i32) -> Result<Operation, Errno> {
        let mode = FallocateFlags::from_bits_retain(mode as u32);
        // A hole reads as zeroes. A drive that keeps what is trimmed would have to write them.
        if mode.contains(FallocateFlags::PUNCH_HOLE) && self.engine.trim_sectors().is_some() {
            return Ok(Operation::Zero {
                no_hole: false,
                fast: false,
            });
        }
        if mode.contains(FallocateFlags::ZERO_RANGE) {
            return Ok(Operation::Zero {
                no_hole: true,
                fast: false,
            });
        }
        Err(Errno::EOPNOTSUPP)
    }
}
