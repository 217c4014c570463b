//! Making a drive: new in memory, new in a file, or as a file has it.

use crate::drive::DataDrive;
use crate::error::system_error;
use crate::file::put_in_place;
use crate::header::Header;
use crate::mark::Mark;
use crate::meta::{ImageState, new_meta};
use crate::new::New;
use crate::size::check_size;
use crate::storage::{FileStorage, Memory, Storage};
use crate::store_options::StoreOptions;
use crate::{CreateOptions, ImageError, OnKill, OpenOptions, Recovery};
use ftlab_base::SECTOR_BYTES;
use ftlab_drive::{Device, DriveFile};
use ftlab_host::Testbed;
use std::io;
use std::path::Path;

/// Name of an image in memory in messages.
const IN_MEMORY: &str = "the drive in memory";

impl DataDrive {
    /// Makes a drive as new, in a new file.
    ///
    /// # Errors
    /// When the file exists, the system does not make it, or the drive cannot have the size asked for.
    pub fn create(
        path: &Path,
        drive: &DriveFile,
        testbed: &Testbed,
        options: &CreateOptions,
    ) -> Result<DataDrive, ImageError> {
        Self::create_aged(path, drive, testbed, options, |_| Ok(()))
    }

    /// Makes a drive in a file, and lets `age` wear it before it has bytes: everything that was written to it then
    /// reads as zeros.
    ///
    /// # Errors
    /// As [`DataDrive::create`], and those of `age`.
    pub fn create_aged(
        path: &Path,
        drive: &DriveFile,
        testbed: &Testbed,
        options: &CreateOptions,
        age: impl FnOnce(&mut dyn Device) -> Result<(), ImageError>,
    ) -> Result<DataDrive, ImageError> {
        // What can be said of the drive is said before there is a file.
        let device = New::of(drive, testbed, options.seed)?;
        let most = device.shape().sectors * SECTOR_BYTES;
        device.check_buffer()?;
        drop(device);
        options
            .size_bytes
            .map_or(Ok(()), |size| check_size(size, most))?;
        if path.symlink_metadata().is_ok() {
            let path = path.to_owned();
            return Err(ImageError::Exists { path });
        }
        let begun = FileStorage::begin(path);
        let (storage, begun) = begun.map_err(|why| system_error(path, "make it", why))?;
        let set_length = FileStorage::set_length;
        let made = Self::create_on(path, storage, (drive, testbed), options, age, set_length)?;
        put_in_place(begun, path, options.sync)?;
        Ok(made)
    }

    /// Makes a drive on a storage, whose length `set_length` says.
    pub(crate) fn create_on<S: Storage + 'static>(
        path: &Path,
        storage: S,
        (drive, testbed): (&DriveFile, &Testbed),
        options: &CreateOptions,
        age: impl FnOnce(&mut dyn Device) -> Result<(), ImageError>,
        set_length: impl FnOnce(&S, u64) -> io::Result<()>,
    ) -> Result<DataDrive, ImageError> {
        let mut new = New::of(drive, testbed, options.seed)?;
        let blank = new.age(age)?;
        set_length(&storage, new.regions().end())
            .map_err(|why| system_error(path, "make it so long", why))?;
        let store_options = StoreOptions::of(drive, options.sync, options.on_kill);
        let body = new.on(Box::new(storage), store_options, blank);
        let body = body.map_err(|why| system_error(path, "read it", why))?;
        let mut made = DataDrive::around(path, drive, body);
        made.seed = options.seed;
        made.testbed = Some(testbed.clone());
        let most = made.device().capacity_sectors();
        let max_sectors = options
            .size_bytes
            .map_or(most, |bytes| bytes / SECTOR_BYTES);
        made.max_sectors = max_sectors;
        made.image = Some(ImageState {
            stands: Mark::NONE,
            meta: new_meta(max_sectors, options.sync, options.on_kill),
            sync: options.sync,
            on_kill: options.on_kill,
            read_only: false,
        });
        made.checkpoint()?;
        // The header is written last: without one, the file is no image.
        let header = Header::new(drive, options.seed);
        let written = header.write(made.body.storage());
        written.map_err(|why| made.storage_error("write its header", why))?;
        made.flush_storage()?;
        Ok(made)
    }

    /// Makes a drive as new that is gone with the process.
    ///
    /// # Errors
    /// When the system does not give the memory for its tables.
    pub fn in_memory(
        drive: &DriveFile,
        testbed: &Testbed,
        seed: u64,
    ) -> Result<DataDrive, ImageError> {
        Self::in_memory_aged(drive, testbed, seed, |_| Ok(()))
    }

    /// Makes a drive in memory, and lets `age` wear it before it has bytes.
    ///
    /// # Errors
    /// As [`DataDrive::in_memory`], and those of `age`.
    pub fn in_memory_aged(
        drive: &DriveFile,
        testbed: &Testbed,
        seed: u64,
        age: impl FnOnce(&mut dyn Device) -> Result<(), ImageError>,
    ) -> Result<DataDrive, ImageError> {
        let mut new = New::of(drive, testbed, seed)?;
        let blank = new.age(age)?;
        let memory = Box::new(Memory::default());
        // Nothing of it is there after any end.
        let options = StoreOptions::of(drive, false, OnKill::Keep);
        let path = Path::new(IN_MEMORY);
        let body = new.on(memory, options, blank);
        let body = body.map_err(|why| system_error(path, "read it", why))?;
        let mut made = DataDrive::around(path, drive, body);
        made.seed = seed;
        Ok(made)
    }

    /// Opens a drive, recovers it if it was not switched off in order, and keeps others from opening
    /// it. Read only, nothing of the file changes: what is to be recovered is so in memory.
    ///
    /// # Errors
    /// When the file is no image, or of another drive or version, damaged, or open elsewhere.
    pub fn open(
        path: &Path,
        options: &OpenOptions<'_>,
    ) -> Result<(DataDrive, Recovery), ImageError> {
        Self::open_at(path, None, options)
    }
}
