//! A drive that holds bytes.

mod checkpoints;
mod commands;
mod committing;
mod crash_log;
mod info;
mod life;
mod power;
mod switch_on;

pub use info::{BaseInfo, Info};

use crate::backing::BackingImage;
use crate::body::Body;
use crate::commits::Commits;
use crate::meta::{DriveTime, ImageState};
use crate::size::check_size;
use crate::under_way::{NextRoom, UnderWay};
use crate::{ImageError, record};
use ftlab_base::{CommandId, Lba, SECTOR_BYTES, SimTime};
use ftlab_drive::{Device, DriveFile};
use ftlab_ftl::TranslationLayer;
use ftlab_host::Testbed;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

/// A drive that holds bytes.
pub struct DataDrive {
    pub(crate) path: PathBuf,
    pub(crate) file: DriveFile,
    /// The seed it was made with.
    pub(crate) seed: u64,
    /// The machine it is plugged into, of one that is kept.
    pub(crate) testbed: Option<Testbed>,
    pub(crate) body: Box<dyn Body>,
    /// Nothing, of a drive that is gone with the process.
    pub(crate) image: Option<ImageState>,
    /// The image that this one lies on.
    pub(crate) backing: BackingImage,
    pub(crate) max_sectors: u64,
    /// Reads under way, which a storage that takes no more writes does not keep from succeeding.
    pub(crate) reads: BTreeSet<CommandId>,
    pub(crate) commits: Commits,
    /// The checkpoint that is being written.
    pub(crate) under_way: Option<UnderWay>,
    /// Memory for the next one.
    pub(crate) next_room: NextRoom,
    /// Notes on what of the image is not as an earlier version wrote it.
    pub(crate) notes: Vec<String>,
    pub(crate) failure: Option<ImageError>,
    /// Present of the drive's time, since it was switched on.
    pub(crate) clock: SimTime,
    /// Time that no checkpoint counts yet.
    pub(crate) uncounted: DriveTime,
    /// Commands that are under way.
    pub(crate) outstanding: u64,
    /// Time of its last command or event.
    pub(crate) worked_at: SimTime,
}

impl std::fmt::Debug for DataDrive {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DataDrive")
            .field("path", &self.path)
            .field("drive", &self.file.slug())
            .field("image", &self.image)
            .finish_non_exhaustive()
    }
}

impl DataDrive {
    /// Bytes the host can address.
    #[must_use]
    pub fn capacity_bytes(&self) -> u64 {
        self.max_sectors * SECTOR_BYTES
    }

    /// The drive in virtual time, to look at.
    #[must_use]
    pub fn device(&self) -> &dyn Device {
        self.body.device()
    }

    /// The drive file it was made from, settings included.
    #[must_use]
    pub fn drive_file(&self) -> &DriveFile {
        &self.file
    }

    /// Path of the image; a name for messages, if it lies in memory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A line for each thing that is not as the earlier version of ftlab had it that wrote the image.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    pub(crate) fn device_mut(&mut self) -> &mut dyn Device {
        self.body.device_mut()
    }

    /// The translation layer, of a drive of flash.
    pub(crate) fn layer(&self) -> Option<&dyn TranslationLayer> {
        self.body.layer()
    }

    /// True if the drive holds data in a sector, and for how many of `sectors` that answer holds.
    #[must_use]
    pub fn is_mapped(&self, lba: Lba, sectors: u64) -> (bool, u64) {
        self.body.is_mapped(lba, sectors)
    }

    /// True if a trim gives up the slots that it covers, so that they read as zeros. Only whole slots can be
    /// given up.
    #[must_use]
    pub fn trims(&self) -> bool {
        self.body.layer().is_some()
    }

    /// Sectors of a slot: what a trim gives up as a whole, and what survives a power cut as a whole.
    #[must_use]
    pub fn slot_sectors(&self) -> u32 {
        self.body.slot_sectors()
    }

    /// Error of the storage under the drive. The drive takes no writes then, and what it holds can be read.
    /// With each write it tries again.
    #[must_use]
    pub fn failure(&self) -> Option<&ImageError> {
        self.failure.as_ref()
    }

    /// Makes the writes so far survive; on the machine's own storage, if the image was opened so.
    ///
    /// # Errors
    /// When the system does not do it.
    pub fn flush_storage(&mut self) -> Result<(), ImageError> {
        self.commit_and_wait();
        self.take_failure().map_or(Ok(()), Err)
    }

    /// Erases everything (ATA SECURITY ERASE UNIT). Only while nothing is outstanding.
    ///
    /// # Errors
    /// When there is no flash, or the storage fails.
    pub fn secure_erase(&mut self) -> Result<(), ImageError> {
        let erased = self.device_mut().secure_erase();
        erased.map_err(|_| ImageError::NoFlash)?;
        self.flush_storage()
    }

    /// Lets the drive lie without power. Only while nothing is outstanding.
    ///
    /// # Errors
    /// When the storage fails.
    pub fn rest(&mut self, hours: f64, celsius: f64) -> Result<(), ImageError> {
        self.device_mut().rest(hours, celsius);
        self.checkpoint()
    }

    /// Lets the host address N bytes from now on (ATA SET MAX).
    ///
    /// # Errors
    /// When the drive is smaller, or the storage fails.
    pub fn set_max(&mut self, bytes: u64) -> Result<(), ImageError> {
        let most = self.device().capacity_sectors() * SECTOR_BYTES;
        check_size(bytes, most)?;
        self.max_sectors = bytes / SECTOR_BYTES;
        self.checkpoint()
    }
}

/// Access to the storage for the rest of this crate.
impl DataDrive {
    /// A drive that is not kept, and has no time yet.
    pub(crate) fn around(path: &Path, drive: &DriveFile, body: Box<dyn Body>) -> DataDrive {
        DataDrive {
            path: path.to_owned(),
            file: drive.clone(),
            seed: 0,
            testbed: None,
            image: None,
            backing: BackingImage::default(),
            max_sectors: body.device().capacity_sectors(),
            body,
            reads: BTreeSet::new(),
            commits: Commits::default(),
            under_way: None,
            next_room: NextRoom::None,
            notes: Vec::new(),
            failure: None,
            clock: SimTime::ZERO,
            uncounted: DriveTime::default(),
            outstanding: 0,
            worked_at: SimTime::ZERO,
        }
    }

    /// Notes that the drive was switched on, so that whoever finds it so knows that it was not
    /// switched off.
    pub(crate) fn note_power_on(&mut self) {
        if let Some(journal) = self.body.journal() {
            journal.note(record::put_power_on);
        }
        self.commit_and_wait();
        self.note_failure();
    }

    /// Keeps the store's error of its storage, if it has one.
    pub(crate) fn note_failure(&mut self) {
        let failure = self.body.failure();
        self.failure = failure.map(|why| self.storage_error("write to it", copy_of(why)));
    }

    /// Keeps the store's error, and returns it.
    pub(crate) fn take_failure(&mut self) -> Option<ImageError> {
        self.note_failure();
        let failure = self.body.failure();
        failure.map(|why| self.storage_error("write to it", copy_of(why)))
    }

    pub(crate) fn storage_error(&self, what: &'static str, why: io::Error) -> ImageError {
        ImageError::Storage {
            path: self.path.clone(),
            what,
            why,
        }
    }
}

/// Copies an error, which cannot be cloned; an error of the system keeps its number.
fn copy_of(why: &io::Error) -> io::Error {
    match why.raw_os_error() {
        Some(number) => io::Error::from_raw_os_error(number),
        None => io::Error::new(why.kind(), why.to_string()),
    }
}
