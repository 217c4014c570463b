//! A drive as a file in a directory of its own, for a loop device: FUSE, without a C library.
//!
//! The kernel's loop driver turns what a block device is asked for into calls on the file: a flush into
//! `fsync`, a discard into punching a hole. Answers come from the engine, so that requests wait for each
//! other in the drive alone.

use crate::engine::{Answer, Ask, Engine, What};
use ftlab_base::SECTOR_BYTES;
use ftlab_nbd::NbdError;
use fuser::{
    BackgroundSession, Config, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags,
    Generation, INodeNo, InitFlags, KernelConfig, LockOwner, MountOption, OpenFlags, ReplyAttr,
    ReplyData, ReplyDirectory, ReplyEmpty, ReplyEntry, ReplyOpen, ReplyStatfs, ReplyWrite, Request,
    WriteFlags,
};
use rustix::fs::FallocateFlags;
use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, UNIX_EPOCH};

/// The file's name.
pub const FILE_NAME: &str = "disk";

const FILE: INodeNo = INodeNo(2);

/// Nothing that the kernel may remember ever changes.
const TTL: Duration = Duration::from_secs(3600);

/// Requests of the kernel that may be under way: more than any drive's queue.
const BACKGROUND_MAX: u16 = 256;

/// Threads that take requests from the kernel; none of them waits for the drive.
const THREADS: usize = 2;

/// A drive that is mounted as a file.
pub struct Mounted {
    session: BackgroundSession,
    opened: Arc<AtomicU64>,
}

impl Mounted {
    /// Mounts a drive as the file `disk` in an empty directory.
    ///
    /// # Errors
    /// When the kernel refuses, or there is no FUSE.
    pub fn mount(engine: Arc<Engine>, folder: &Path, read_only: bool) -> io::Result<Mounted> {
        let opened = Arc::new(AtomicU64::new(0));
        let mut config = Config::default();
        config.n_threads = Some(THREADS);
        config.mount_options = vec![
            MountOption::FSName("ftlab".into()),
            MountOption::Subtype("ftlab".into()),
            MountOption::DefaultPermissions,
        ];
        let disk = Disk {
            engine,
            read_only,
            opened: Arc::clone(&opened),
            uid: rustix::process::geteuid().as_raw(),
            gid: rustix::process::getegid().as_raw(),
        };
        let session = fuser::spawn_mount(disk, folder, &config)?;
        Ok(Mounted { session, opened })
    }

    /// Whether somebody has the file open, for example a loop device.
    #[must_use]
    pub fn is_in_use(&self) -> bool {
        self.opened.load(Ordering::Acquire) > 0
    }

    /// Takes the file away.
    ///
    /// # Errors
    /// When somebody uses it.
    pub fn unmount(self) -> io::Result<()> {
        match self.session.umount_and_join() {
            // Somebody has unmounted it already.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
            result => result,
        }
    }
}

struct Disk {
    engine: Arc<Engine>,
    read_only: bool,
    /// Handles of the file that are open.
    opened: Arc<AtomicU64>,
    uid: u32,
    gid: u32,
}

fn errno(error: NbdError) -> Errno {
    // NBD's numbers are Linux's.
    Errno::from_i32(error.code() as i32)
}

/// The answer to a request that has nothing to give back.
fn done(reply: ReplyEmpty) -> Answer {
    Box::new(move |result| match result {
        Ok(_) => reply.ok(),
        Err(error) => reply.error(errno(error)),
    })
}

impl Disk {
    fn attributes(&self, inode: INodeNo) -> FileAttr {
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
    fn sectors(&self, offset: u64, bytes: u64) -> Result<std::ops::Range<u64>, Errno> {
        let end = offset.checked_add(bytes).ok_or(Errno::EINVAL)?;
        if end > self.engine.size_bytes() {
            return Err(Errno::ENOSPC);
        }
        let is_whole = |at: u64| at.is_multiple_of(SECTOR_BYTES);
        match is_whole(offset) && is_whole(end) {
            true => Ok(offset / SECTOR_BYTES..end / SECTOR_BYTES),
            false => Err(Errno::EINVAL),
        }
    }

    fn may_write(&self) -> Result<(), Errno> {
        match self.read_only {
            true => Err(Errno::EROFS),
            false => Ok(()),
        }
    }

    /// What a call of `fallocate` asks of a drive.
    fn what(&self, mode: i32) -> Result<What, Errno> {
        let mode = FallocateFlags::from_bits_retain(mode as u32);
        // A hole reads as zeroes. A drive that keeps what is trimmed would have to write them.
        if mode.contains(FallocateFlags::PUNCH_HOLE) && self.engine.trim_sectors().is_some() {
            return Ok(What::Zero {
                no_hole: false,
                fast: false,
            });
        }
        if mode.contains(FallocateFlags::ZERO_RANGE) {
            return Ok(What::Zero {
                no_hole: true,
                fast: false,
            });
        }
        Err(Errno::EOPNOTSUPP)
    }
}

impl Filesystem for Disk {
    fn init(&mut self, _: &Request, config: &mut KernelConfig) -> io::Result<()> {
        // A kernel that does not have these is slower, and no less right.
        let _ = config.add_capabilities(InitFlags::FUSE_ASYNC_DIO);
        let _ = config.set_max_background(BACKGROUND_MAX);
        let _ = config.set_congestion_threshold(BACKGROUND_MAX);
        Ok(())
    }

    fn lookup(&self, _: &Request, _: INodeNo, name: &OsStr, reply: ReplyEntry) {
        match name == FILE_NAME {
            true => reply.entry(&TTL, &self.attributes(FILE), Generation(0)),
            false => reply.error(Errno::ENOENT),
        }
    }

    fn getattr(&self, _: &Request, inode: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        reply.attr(&TTL, &self.attributes(inode));
    }

    fn open(&self, _: &Request, _: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        self.opened.fetch_add(1, Ordering::AcqRel);
        // The page cache is the file system's above, as over any drive.
        let flags = FopenFlags::FOPEN_DIRECT_IO | FopenFlags::FOPEN_PARALLEL_DIRECT_WRITES;
        reply.opened(FileHandle(0), flags);
    }

    fn release(
        &self,
        _: &Request,
        _: INodeNo,
        _: FileHandle,
        _: OpenFlags,
        _: Option<LockOwner>,
        _: bool,
        reply: ReplyEmpty,
    ) {
        self.opened.fetch_sub(1, Ordering::AcqRel);
        reply.ok();
    }

    fn read(
        &self,
        _: &Request,
        _: INodeNo,
        _: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let end = (offset.saturating_add(size.into())).min(self.engine.size_bytes());
        if offset >= end {
            reply.data(&[]);
            return;
        }
        // The sectors that hold it.
        let range = offset / SECTOR_BYTES..end.div_ceil(SECTOR_BYTES);
        let buffer = vec![0; ((range.end - range.start) * SECTOR_BYTES) as usize];
        let from = (offset % SECTOR_BYTES) as usize;
        let to = from + (end - offset) as usize;
        let answer = Box::new(move |result: Result<Vec<u8>, NbdError>| match result {
            Ok(data) => reply.data(&data[from..to]),
            Err(error) => reply.error(errno(error)),
        });
        self.engine
            .ask(Ask::local(What::Read, range, false, buffer, answer));
    }

    fn write(
        &self,
        _: &Request,
        _: INodeNo,
        _: FileHandle,
        offset: u64,
        data: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        let range = self.sectors(offset, data.len() as u64);
        let range = match self.may_write().and(range) {
            Ok(range) if range.is_empty() => return reply.written(0),
            Ok(range) => range,
            Err(error) => return reply.error(error),
        };
        let answer = Box::new(move |result: Result<Vec<u8>, NbdError>| match result {
            Ok(data) => reply.written(data.len() as u32),
            Err(error) => reply.error(errno(error)),
        });
        self.engine
            .ask(Ask::local(What::Write, range, false, data.to_vec(), answer));
    }

    /// A handle is closed, which asks for nothing.
    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        reply.ok();
    }

    fn fsync(&self, _: &Request, _: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        let ask = Ask::local(What::Flush, 0..0, false, Vec::new(), done(reply));
        self.engine.ask(ask);
    }

    /// The block size is what the loop driver makes the granularity of discards of.
    fn statfs(&self, _: &Request, _: INodeNo, reply: ReplyStatfs) {
        let block_bytes = self.engine.slot_bytes();
        let blocks = self.engine.size_bytes() / u64::from(block_bytes);
        let name_bytes_max = FILE_NAME.len() as u32;
        reply.statfs(blocks, 0, 0, 1, 0, block_bytes, name_bytes_max, block_bytes);
    }

    fn fallocate(
        &self,
        _: &Request,
        _: INodeNo,
        _: FileHandle,
        offset: u64,
        length: u64,
        mode: i32,
        reply: ReplyEmpty,
    ) {
        let what = self.may_write().and_then(|()| self.what(mode));
        let range = self.sectors(offset, length);
        match what.and_then(|what| Ok((what, range?))) {
            Ok((_, range)) if range.is_empty() => reply.error(Errno::EINVAL),
            Ok((what, range)) => {
                let ask = Ask::local(what, range, false, Vec::new(), done(reply));
                self.engine.ask(ask);
            }
            Err(error) => reply.error(error),
        }
    }

    fn readdir(
        &self,
        _: &Request,
        _: INodeNo,
        _: FileHandle,
        offset: u64,
        mut reply: ReplyDirectory,
    ) {
        let entries = [
            (INodeNo::ROOT, FileType::Directory, "."),
            (INodeNo::ROOT, FileType::Directory, ".."),
            (FILE, FileType::RegularFile, FILE_NAME),
        ];
        for (next, (inode, kind, name)) in (1..).zip(entries).skip(offset as usize) {
            if reply.add(inode, next, kind, name) {
                break;
            }
        }
        reply.ok();
    }
}
