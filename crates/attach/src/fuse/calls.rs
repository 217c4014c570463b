//! The kernel's calls, and their answers.

use super::FILE_NAME;
use super::disk::{Disk, FILE, are_whole, errno, sectors_around};
use crate::engine::{Answer, IoRequest, Operation};
use ftlab_base::SECTOR_BYTES;
use ftlab_nbd::NbdError;
use fuser::{
    BsdFileFlags, Errno, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo,
    InitFlags, KernelConfig, LockOwner, OpenFlags, RenameFlags, ReplyAttr, ReplyCreate, ReplyData,
    ReplyDirectory, ReplyEmpty, ReplyEntry, ReplyLseek, ReplyOpen, ReplyStatfs, ReplyWrite,
    Request, TimeOrNow, WriteFlags,
};
use std::ffi::OsStr;
use std::io;
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

/// Nothing that the kernel may remember ever changes.
const TTL: Duration = Duration::from_secs(3600);

/// Requests of the kernel that may be under way: more than any drive's queue.
const BACKGROUND_MAX: u16 = 256;

/// Linux's codes for the questions of `lseek` that only the drive can answer.
const SEEK_DATA: i32 = 3;
const SEEK_HOLE: i32 = 4;

/// The answer to a request that has nothing to give back.
fn done(reply: ReplyEmpty) -> Answer {
    Box::new(move |result| match result {
        Ok(_) => reply.ok(),
        Err(error) => reply.error(errno(error)),
    })
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
            // A drive reads whole sectors; the kernel is answered with the bytes that it asked for.
            return;
        }
        let range = sectors_around(&(offset..end));
        let buffer = vec![0; ((range.end - range.start) * SECTOR_BYTES) as usize];
        let from = (offset % SECTOR_BYTES) as usize;
        let to = from + (end - offset) as usize;
        let answer = Box::new(move |result: Result<Vec<u8>, NbdError>| match result {
            Ok(data) => reply.data(&data[from..to]),
            Err(error) => reply.error(errno(error)),
        });
        self.engine.submit(IoRequest::local(
            Operation::Read,
            range,
            false,
            buffer,
            answer,
        ));
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
        if let Err(error) = self.may_write() {
            return reply.error(error);
        }
        let left = self.engine.size_bytes().saturating_sub(offset);
        if left == 0 && !data.is_empty() {
            return reply.error(Errno::ENOSPC);
        }
        // As much as there is room for.
        let data = &data[..data.len().min(usize::try_from(left).unwrap_or(usize::MAX))];
        let bytes = offset..offset + data.len() as u64;
        if !are_whole(&bytes) {
            return match self.write_parts(&bytes, data) {
                Ok(()) => reply.written(data.len() as u32),
                Err(error) => reply.error(errno(error)),
            };
        }
        if bytes.is_empty() {
            return reply.written(0);
        }
        let range = sectors_around(&bytes);
        let answer = Box::new(move |result: Result<Vec<u8>, NbdError>| match result {
            Ok(data) => reply.written(data.len() as u32),
            Err(error) => reply.error(errno(error)),
        });
        self.engine.submit(IoRequest::local(
            Operation::Write,
            range,
            false,
            data.to_vec(),
            answer,
        ));
    }

    /// A handle is closed, which asks for nothing.
    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        reply.ok();
    }

    fn fsync(&self, _: &Request, _: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        let request = IoRequest::local(Operation::Flush, 0..0, false, Vec::new(), done(reply));
        self.engine.submit(request);
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
        let operation = self.may_write().and_then(|()| self.operation(mode));
        let range = self.sectors(offset, length);
        match operation.and_then(|operation| Ok((operation, range?))) {
            Ok((_, range)) if range.is_empty() => reply.error(Errno::EINVAL),
            Ok((operation, range)) => {
                let request = IoRequest::local(operation, range, false, Vec::new(), done(reply));
                self.engine.submit(request);
            }
            Err(error) => reply.error(error),
        }
    }

    fn setattr(
        &self,
        _: &Request,
        inode: INodeNo,
        mode: Option<u32>,
        uid: Option<u32>,
        gid: Option<u32>,
        size: Option<u64>,
        _: Option<TimeOrNow>,
        _: Option<TimeOrNow>,
        _: Option<SystemTime>,
        handle: Option<FileHandle>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        let attributes = self.attributes(inode);
        // Times are those of no file, and nobody needs them.
        let is_as_it_was = mode.is_none_or(|mode| mode & 0o7777 == u32::from(attributes.perm))
            && uid.is_none_or(|uid| uid == self.uid)
            && gid.is_none_or(|gid| gid == self.gid);
        let truncated = size.map_or(Ok(()), |size| self.may_be_truncated(size, handle.is_some()));
        match truncated {
            Ok(()) if is_as_it_was => reply.attr(&TTL, &attributes),
            Ok(()) => reply.error(Errno::EPERM),
            Err(error) => reply.error(error),
        }
    }

    fn lseek(
        &self,
        _: &Request,
        _: INodeNo,
        _: FileHandle,
        offset: i64,
        whence: i32,
        reply: ReplyLseek,
    ) {
        let wants_data = match whence {
            SEEK_DATA => true,
            SEEK_HOLE => false,
            // The kernel knows of the others by itself.
            _ => return reply.error(Errno::EINVAL),
        };
        let found = u64::try_from(offset).map_err(|_| Errno::ENXIO);
        match found.and_then(|offset| self.seek(offset, wants_data)) {
            Ok(at) => reply.offset(at as i64),
            Err(error) => reply.error(error),
        }
    }

    /// There is room for the drive, and none beside it. The block size is what the loop driver makes the granularity of discards of.
    fn statfs(&self, _: &Request, _: INodeNo, reply: ReplyStatfs) {
        let block_bytes = self.engine.slot_bytes();
        let blocks = self.engine.size_bytes() / u64::from(block_bytes);
        let name_bytes_max = FILE_NAME.len() as u32;
        reply.statfs(blocks, 0, 0, 1, 0, block_bytes, name_bytes_max, block_bytes);
    }

    fn create(
        &self,
        _: &Request,
        _: INodeNo,
        _: &OsStr,
        _: u32,
        _: u32,
        _: i32,
        reply: ReplyCreate,
    ) {
        reply.error(Errno::EPERM);
    }

    fn mkdir(&self, _: &Request, _: INodeNo, _: &OsStr, _: u32, _: u32, reply: ReplyEntry) {
        reply.error(Errno::EPERM);
    }

    fn unlink(&self, _: &Request, _: INodeNo, _: &OsStr, reply: ReplyEmpty) {
        reply.error(Errno::EPERM);
    }

    fn rename(
        &self,
        _: &Request,
        _: INodeNo,
        _: &OsStr,
        _: INodeNo,
        _: &OsStr,
        _: RenameFlags,
        reply: ReplyEmpty,
    ) {
        reply.error(Errno::EPERM);
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
