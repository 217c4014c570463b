//! The operating system of a test machine: how it keeps data in memory and writes them back, and where its file system lies.

use ftlab_base::Nanos;
use ftlab_sheet::quantity::{Bytes, Count, Quantity, Ratio, Time};
use serde::Deserialize;

/// The largest request that every drive's command has room for.
const REQUEST_BYTES_MAX: f64 = 16_777_216.0;

/// Treatment of the reads and writes of programs by an operating system.
#[derive(Debug, Clone, PartialEq)]
pub struct OperatingSystem {
    /// Memory for data, and writing back from it.
    pub cache: PageCache,
    /// Its file system, if the file says where that lies: application scripts need it.
    pub file_system: Option<FileSystemPlaces>,
}

/// Pages of data that are kept in memory, and the lazy writer, who brings changed ones to the drive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PageCache {
    /// Time of a call that memory answers, if the file says so: jobs of buffered requests need it. Scripts have it in
    /// their time of computing.
    pub memory_call: Option<Nanos>,
    /// Between two passes of the lazy writer.
    pub lazy_writer_interval: Nanos,
    /// The least share of the dirty data that a pass writes; 0 to 1.
    pub lazy_writer_share: f64,
    /// Dirty bytes above which a pass does not wait for the interval, if there is such a limit.
    pub dirty_background_bytes: Option<u64>,
    /// Dirty bytes at which a program that writes has to wait.
    pub dirty_limit_bytes: u64,
    /// Bytes of the lazy writer's largest request.
    pub write_bytes: u64,
    /// Requests that the lazy writer has outstanding, at most.
    pub write_depth: u32,
}

/// Places of the parts of a file system, in bytes from the start of the drive, and the time between checkpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileSystemPlaces {
    /// Between two checkpoints, at which the file system writes all that has changed in its tables.
    pub checkpoint_interval: Nanos,
    /// The journal, written round and round.
    pub journal: u64,
    /// Bytes of the journal.
    pub journal_bytes: u64,
    /// The table of files.
    pub table: u64,
    /// The bitmap of free clusters.
    pub bitmap: u64,
    /// Start of the directories.
    pub directory: u64,
}

/// Keys of `[os]`: treatment of the reads and writes of programs.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SystemKeys {
    /// Time of a call that memory answers; jobs of buffered requests need it.
    memory_call: Option<Quantity<Time>>,
    /// Between two passes of the lazy writer.
    lazy_writer_interval: Quantity<Time>,
    /// The least share of the dirty data that a pass writes.
    lazy_writer_share: Quantity<Ratio>,
    /// Dirty data above which a pass does not wait for the interval.
    dirty_background: Option<Quantity<Bytes>>,
    /// Dirty data at which a program that writes has to wait.
    dirty_limit: Quantity<Bytes>,
    /// Largest request of the lazy writer.
    write_size: Quantity<Bytes>,
    /// Requests that the lazy writer has outstanding, at most.
    write_depth: Quantity<Count>,
    /// Between two checkpoints of the file system.
    checkpoint_interval: Option<Quantity<Time>>,
    /// Places of the file system's parts: all or none.
    journal_at: Option<Quantity<Bytes>>,
    journal_size: Option<Quantity<Bytes>>,
    table_at: Option<Quantity<Bytes>>,
    bitmap_at: Option<Quantity<Bytes>>,
    directory_at: Option<Quantity<Bytes>>,
}

impl SystemKeys {
    pub(super) fn system(&self) -> Result<OperatingSystem, String> {
        Ok(OperatingSystem {
            cache: self.cache()?,
            file_system: self.file_system()?,
        })
    }

    fn cache(&self) -> Result<PageCache, String> {
        if self.lazy_writer_share.base > 1.0 {
            return Err("os.lazy_writer_share: it must be at most 100 %".to_owned());
        }
        not_at_once("lazy_writer_interval", &self.lazy_writer_interval)?;
        if let Some(call) = &self.memory_call {
            not_at_once("memory_call", call)?;
        }
        // A request of the lazy writer is whole pages, and no larger than one command of any drive.
        a_page("write_size", &self.write_size)?;
        if self.write_size.base > REQUEST_BYTES_MAX {
            return Err(
                "os.write_size: it must be at most 16 MiB, as a request of a program".to_owned(),
            );
        }
        let background = self.dirty_background.as_ref();
        if background.is_some_and(|background| background.base > self.dirty_limit.base) {
            return Err(
                "os.dirty_background: it must be at most os.dirty_limit, where programs wait"
                    .to_owned(),
            );
        }
        Ok(PageCache {
            memory_call: self.memory_call.as_ref().map(|call| call.get()),
            lazy_writer_interval: self.lazy_writer_interval.get(),
            lazy_writer_share: self.lazy_writer_share.base,
            dirty_background_bytes: background.map(|background| background.base as u64),
            dirty_limit_bytes: self.dirty_limit.base as u64,
            write_bytes: self.write_size.base as u64,
            write_depth: self.write_depth.get(),
        })
    }

    fn file_system(&self) -> Result<Option<FileSystemPlaces>, String> {
        let keys = (
            &self.checkpoint_interval,
            &self.journal_at,
            &self.journal_size,
            &self.table_at,
            &self.bitmap_at,
            &self.directory_at,
        );
        let (
            Some(interval),
            Some(journal),
            Some(journal_size),
            Some(table),
            Some(bitmap),
            Some(directory),
        ) = keys
        else {
            return match keys {
                // A file system without one of its places cannot be modelled: a file gives all of them or none.
                (None, None, None, None, None, None) => Ok(None),
                _ => Err(
                    "os: checkpoint_interval, journal_at, journal_size, table_at, bitmap_at and directory_at are of one file \
                     system; give all of them or none"
                        .to_owned(),
                ),
            };
        };
        not_at_once("checkpoint_interval", interval)?;
        a_page("journal_size", journal_size)?;
        Ok(Some(FileSystemPlaces {
            checkpoint_interval: interval.get(),
            journal: journal.base as u64,
            journal_bytes: journal_size.base as u64,
            table: table.base as u64,
            bitmap: bitmap.base as u64,
            directory: directory.base as u64,
        }))
    }
}

fn not_at_once(key: &str, time: &Quantity<Time>) -> Result<(), String> {
    match time.get() == Nanos::ZERO {
        true => Err(format!("os.{key}: it must be above 0")),
        false => Ok(()),
    }
}

fn a_page(key: &str, size: &Quantity<Bytes>) -> Result<(), String> {
    match size.base < 4096.0 {
        true => Err(format!("os.{key}: it must be at least 4 KiB, a page")),
        false => Ok(()),
    }
}
