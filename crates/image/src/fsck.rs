//! Checking an image: whether everything that the drive says it holds lies there as it was written.

use crate::base::open::{Access, OpenedImage, open_image};
use crate::checkpoint::Area;
use crate::convert::open_beside;
use crate::error::Wrong;
use crate::header::Header;
use crate::journal::Hole;
use crate::new::New;
use crate::storage::{Overlay, Storage};
use crate::{Damaged, ImageError, OpenOptions};
use ftlab_drive::Catalog;
use ftlab_host::Testbed;
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;

/// Result of a check of an image.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fsck {
    /// Slug of the drive in the catalogue.
    pub drive: String,
    /// Hash of its drive file, settings included, in hexadecimal.
    pub drive_hash: String,
    /// The two checkpoints, in words.
    pub checkpoints: [String; 2],
    /// Damage of the two copies of the header.
    pub headers: [Option<String>; 2],
    /// Bytes that are missing at the end of the file.
    pub missing_bytes: u64,
    /// True if the drive was switched off in order. If not, it would recover when it is opened, and the check
    /// is of its state after that.
    pub clean: bool,
    /// Hole in the journal, behind which there is more. The check is of the drive without that.
    pub hole: Option<Hole>,
    /// Requests to the translation layer since the last checkpoint.
    pub replayed: u64,
    /// Moves of data that were cut off and would be made again.
    pub redone: u64,
    /// Last requests to the translation layer that would be left out: their data had not reached the disk when
    /// the machine lost its power.
    pub left_out: u64,
    /// Slots in a write buffer that kept them.
    pub kept_slots: u64,
    /// A line for each thing that is not as the earlier version of ftlab had it that wrote the image.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Slots that hold something; of a drive without flash, sectors.
    pub mapped_slots: u64,
    /// Mapped slots whose data other slots share, so that they are stored once.
    pub shared_slots: u64,
    /// Slots that are not as they were written.
    pub damaged_slots: u64,
    /// The first of them.
    pub damaged: Vec<Damaged>,
}

impl Fsck {
    /// True if nothing is wrong. An image that would recover is in order.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.damaged_slots == 0
            && self.hole.is_none()
            && self.missing_bytes == 0
            && self.headers == [None, None]
    }
}

/// Checks an image. Nothing in it changes.
///
/// # Errors
/// When it cannot be opened: it is no image, of another version, its header or its newest checkpoint
/// is damaged, or another process has it open.
pub fn fsck(path: &Path, catalog: &Catalog, testbed: &Testbed) -> Result<Fsck, ImageError> {
    let options = OpenOptions::of_what_is_left(catalog, testbed);
    let storage = open_image(path, Access::ReadOnly, None)?.storage;
    let checkpoints = look_at_checkpoints(path, &*storage, &options)?;
    let unreadable = |why| ImageError::Unusable {
        path: path.to_owned(),
        why: Wrong::Unreadable(why),
    };
    let (headers, length) = (Header::wrong(&*storage, catalog), storage.length());
    let length = length.map_err(unreadable)?;
    // Recovery writes, but a check must not: it writes to memory over the image.
    let storage = Box::new(Overlay::new(Arc::from(storage)));
    let (drive, recovery) = open_beside(path, storage, None, &options)?;
    let want = drive.body.regions().end();
    let checked = drive.body.check().map_err(unreadable)?;
    Ok(Fsck {
        drive: drive.drive_file().slug().to_owned(),
        drive_hash: format!("{:016x}", drive.drive_file().hash()),
        checkpoints,
        headers,
        missing_bytes: length.map_or(0, |length| want.saturating_sub(length)),
        clean: recovery.clean,
        hole: recovery.hole,
        replayed: recovery.replayed,
        redone: recovery.redone,
        left_out: recovery.left_out,
        kept_slots: recovery.kept_slots,
        notes: drive.notes().to_vec(),
        mapped_slots: checked.mapped_slots,
        shared_slots: checked.shared_slots,
        damaged_slots: checked.damaged_slots,
        damaged: checked.damaged,
    })
}

/// Goes on with an image without what is lost: cuts its journal at a hole, writes its header anew, and
/// makes up with zeros for what is missing of the file. What cannot be read stays unreadable until it is
/// written over.
///
/// # Errors
/// As [`fsck`], and when the storage fails.
pub fn accept(path: &Path, catalog: &Catalog, testbed: &Testbed) -> Result<(), ImageError> {
    let options = OpenOptions {
        sync: true,
        accepts_loss: true,
        ..OpenOptions::on(catalog, testbed)
    };
    let access = Access::Alone { sync: options.sync };
    let OpenedImage { mut storage, base } = open_image(path, access, None)?;
    let (header, file) = Header::read(&*storage, catalog).map_err(|why| ImageError::Unusable {
        path: path.to_owned(),
        why,
    })?;
    let end = New::of(&file, testbed, header.seed)?.regions().end();
    let mended = (|| {
        if storage.length()?.is_some_and(|length| length < end) {
            storage.lengthen(end)?;
        }
        header.write(&mut *storage)
    })();
    mended.map_err(|why| ImageError::Storage {
        path: path.to_owned(),
        what: "write to it",
        why,
    })?;
    let (drive, _) = open_beside(path, storage, base.as_ref(), &options)?;
    drive.close()
}

fn look_at_checkpoints(
    path: &Path,
    storage: &dyn Storage,
    options: &OpenOptions<'_>,
) -> Result<[String; 2], ImageError> {
    let unusable = |why: Wrong| ImageError::Unusable {
        path: path.to_owned(),
        why,
    };
    let (header, file) = Header::read(storage, options.catalog).map_err(unusable)?;
    let regions = New::of(&file, options.testbed, header.seed)?.regions();
    let mut told = [String::new(), String::new()];
    for (which, told) in told.iter_mut().enumerate() {
        let area = Area::read(storage, &regions.checkpoints, which);
        let area = area.map_err(|why| unusable(Wrong::Unreadable(why)))?;
        *told = match area {
            Area::Empty => "none".to_owned(),
            Area::Damaged { number, why } => format!("number {number}, damaged: {why}"),
            Area::Whole(packed) => format!("number {}, {} bytes", packed.number, packed.bytes()),
        };
    }
    Ok(told)
}
