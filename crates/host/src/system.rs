//! The operating system of a test machine: how it writes back, and where its file system lies.

use ftlab_base::Nanos;
use ftlab_sheet::quantity::{Bytes, Count, Quantity, Ratio, Time};
use serde::Deserialize;

/// The largest request that every drive's command has room for.
const REQUEST_BYTES_MAX: f64 = 16_777_216.0;

/// What an operating system does with what programs write.
#[derive(Debug, Clone, PartialEq)]
pub struct OperatingSystem {
    /// Between two passes of the lazy writer.
    pub lazy_writer_interval: Nanos,
    /// The least share of the dirty data that a pass writes; 0 to 1.
    pub lazy_writer_share: f64,
    /// Dirty bytes at which a program that writes has to wait.
    pub dirty_limit_bytes: u64,
    /// Bytes of the lazy writer's largest request.
    pub write_bytes: u64,
    /// Its requests outstanding.
    pub write_depth: u32,
    /// Between two checkpoints, at which the file system writes all that has changed in its tables.
    pub checkpoint_interval: Nanos,
    /// Where the file system keeps what it has to, in bytes from the start of the drive.
    pub file_system: FileSystemPlaces,
}

/// Where the parts of a file system lie, in bytes from the start of the drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileSystemPlaces {
    /// The journal, written round and round.
    pub journal: u64,
    /// Bytes of the journal.
    pub journal_bytes: u64,
    /// The table of files.
    pub table: u64,
    /// The bitmap of free clusters.
    pub bitmap: u64,
    /// The directories.
    pub directory: u64,
}

/// What the operating system does with what programs write.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SystemKeys {
    /// Between two passes of the lazy writer.
    lazy_writer_interval: Quantity<Time>,
    /// The least share of the dirty data that a pass writes.
    lazy_writer_share: Quantity<Ratio>,
    /// Dirty data at which a program that writes has to wait.
    dirty_limit: Quantity<Bytes>,
    /// Largest request of the lazy writer.
    write_size: Quantity<Bytes>,
    /// Its requests outstanding.
    write_depth: Quantity<Count>,
    /// Between two checkpoints of the file system.
    checkpoint_interval: Quantity<Time>,
    /// Where the file system's parts lie.
    journal_at: Quantity<Bytes>,
    journal_size: Quantity<Bytes>,
    table_at: Quantity<Bytes>,
    bitmap_at: Quantity<Bytes>,
    directory_at: Quantity<Bytes>,
}

impl SystemKeys {
    pub(super) fn system(&self) -> Result<OperatingSystem, String> {
        let keys = self;
        let share = keys.lazy_writer_share.base;
        if share > 1.0 {
            return Err("os.lazy_writer_share: it must be at most 100 %".to_owned());
        }
        for (key, interval) in [
            ("lazy_writer_interval", &keys.lazy_writer_interval),
            ("checkpoint_interval", &keys.checkpoint_interval),
        ] {
            if interval.get() == Nanos::ZERO {
                return Err(format!("os.{key}: it must be above 0"));
            }
        }
        for (key, size) in [
            ("write_size", &keys.write_size),
            ("journal_size", &keys.journal_size),
        ] {
            if size.base < 4096.0 {
                return Err(format!("os.{key}: it must be at least 4 KiB, a page"));
            }
        }
        if keys.write_size.base > REQUEST_BYTES_MAX {
            return Err(
                "os.write_size: it must be at most 16 MiB, as a request of a program".to_owned(),
            );
        }
        Ok(OperatingSystem {
            lazy_writer_interval: keys.lazy_writer_interval.get(),
            lazy_writer_share: share,
            dirty_limit_bytes: keys.dirty_limit.base as u64,
            write_bytes: keys.write_size.base as u64,
            write_depth: keys.write_depth.get(),
            checkpoint_interval: keys.checkpoint_interval.get(),
            file_system: FileSystemPlaces {
                journal: keys.journal_at.base as u64,
                journal_bytes: keys.journal_size.base as u64,
                table: keys.table_at.base as u64,
                bitmap: keys.bitmap_at.base as u64,
                directory: keys.directory_at.base as u64,
            },
        })
    }
}
