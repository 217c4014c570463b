//! A drive as a file in a directory of its own, for a loop device: FUSE, without a C library.
//!
//! The kernel's loop driver turns what a block device is asked for into calls on the file: a flush into
//! `fsync`, a discard into punching a hole. Answers come from the engine, so that requests wait for each
//! other in the drive alone.
//!
//! To other programs the file is what a block device is: its size never changes, being truncated changes
//! nothing, and bytes can be written anywhere.

mod calls;
mod disk;

use crate::engine::Engine;
use disk::Disk;
use fuser::{BackgroundSession, Config, MountOption};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Name of the file.
pub const FILE_NAME: &str = "disk";

/// Threads that take requests from the kernel. They wait for the drive only for what a loop device never asks.
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
        let disk = Disk::new(engine, read_only, Arc::clone(&opened));
        let session = fuser::spawn_mount(disk, folder, &config)?;
        Ok(Mounted { session, opened })
    }

    /// True while somebody has the file open, for example a loop device.
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
