//! Checking an image: whether everything that the drive says it holds lies there as it was written.

use crate::checkpoint::Area;
use crate::drive::{Body, DataDrive, store_of};
use crate::error::Wrong;
use crate::header::Header;
use crate::made::New;
use crate::storage::{FileStorage, Overlay};
use crate::{ImageError, OpenOptions, Recovery};
use ftlab_base::{Lpn, SECTOR_BYTES};
use ftlab_drive::Testbed;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Faults that are told one by one.
const TOLD_MAX: usize = 100;

/// What checking an image found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fsck {
    /// The drive's slug.
    pub drive: String,
    /// Hash of its drive file, settings included, in hexadecimal.
    pub drive_hash: String,
    /// The two checkpoints, in words.
    pub checkpoints: [String; 2],
    /// Whether the drive was switched off in order. If not, it would recover when it is opened, and
    /// what was checked is what it would hold then.
    pub clean: bool,
    /// What the translation layer was asked since the last checkpoint.
    pub replayed: u64,
    /// Moves of data that were cut off and would be made again.
    pub redone: u64,
    /// Slots in a write buffer that kept them.
    pub kept_slots: u64,
    /// Slots that hold something.
    pub mapped_slots: u64,
    /// Of these, slots whose data other slots have too, so that they are stored once.
    pub shared_slots: u64,
    /// Slots that are not as they were written.
    pub damaged_slots: u64,
    /// The first of them.
    pub damaged: Vec<Damaged>,
}

/// A slot that is not as it was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Damaged {
    /// Its first sector.
    pub lba: u64,
    /// Its logical page number.
    pub lpn: u32,
    /// The place of the array where it should lie.
    pub place: u32,
    /// What is wrong.
    pub why: String,
}

impl Fsck {
    /// Whether nothing is wrong. An image that would recover is in order.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.damaged_slots == 0
    }
}

/// Checks an image. Nothing in it changes.
///
/// # Errors
/// When it cannot be opened: it is no image, of another version, its header or its newest checkpoint
/// is damaged, or another process has it open.
pub fn fsck(path: &Path, testbed: &Testbed) -> Result<Fsck, ImageError> {
    let options = OpenOptions {
        testbed,
        drive: None,
        read_only: true,
        sync: false,
    };
    let storage = FileStorage::open_image(path, true)?;
    let checkpoints = look_at_checkpoints(path, &storage, testbed)?;
    let storage = Box::new(Overlay::new(storage));
    let (mut drive, recovery) = DataDrive::open_on(path, storage, &options)?;
    Ok(check(&mut drive, recovery, checkpoints))
}

fn look_at_checkpoints(
    path: &Path,
    storage: &FileStorage,
    testbed: &Testbed,
) -> Result<[String; 2], ImageError> {
    let unusable = |why: Wrong| ImageError::Unusable {
        path: path.to_owned(),
        why,
    };
    let (header, file) = Header::read(storage).map_err(unusable)?;
    let regions = New::of(&file, testbed, header.seed)?.regions();
    let mut told = [String::new(), String::new()];
    for (told, area) in told.iter_mut().zip(regions.checkpoints) {
        let area = Area::read(storage, area).map_err(|why| unusable(Wrong::Unreadable(why)))?;
        *told = match area {
            Area::Empty => "none".to_owned(),
            Area::Damaged { epoch, why } => format!("epoch {epoch}, damaged: {why}"),
            Area::Whole(packed) => format!("epoch {}, {} bytes", packed.epoch, packed.bytes()),
        };
    }
    Ok(told)
}

fn check(drive: &mut DataDrive, recovery: Recovery, checkpoints: [String; 2]) -> Fsck {
    let mut found = Fsck {
        drive: drive.drive_file().slug().to_owned(),
        drive_hash: format!("{:016x}", drive.drive_file().hash()),
        checkpoints,
        clean: recovery.clean,
        replayed: recovery.replayed,
        redone: recovery.redone,
        kept_slots: recovery.kept_slots,
        mapped_slots: 0,
        shared_slots: 0,
        damaged_slots: 0,
        damaged: Vec::new(),
    };
    let Body::Flash(ssd) = &drive.body else {
        return found;
    };
    let (layer, store) = (ssd.layer(), store_of(ssd));
    let slot_bytes = layer.layout().geometry.slot_bytes;
    let mut bytes = vec![0; slot_bytes as usize];
    // Whose data lie where, to find two slots in one place.
    let mut owners: BTreeMap<u32, Lpn> = BTreeMap::new();
    for lpn in (0..layer.slots()).map(Lpn) {
        let Some(place) = layer.lookup(lpn) else {
            continue;
        };
        found.mapped_slots += 1;
        let wrong = match store.read_place(lpn, place.0, &mut bytes) {
            Err(why) => Some(why.to_string()),
            Ok(oob) => {
                let other = owners.insert(place.0, lpn);
                found.shared_slots += u64::from(other.is_some());
                match other {
                    Some(other) if !oob.shared => Some(format!("{other} lies there too")),
                    _ if oob.sequence >= store.sequence() => {
                        Some("it was written later than anything the drive knows of".to_owned())
                    }
                    _ => None,
                }
            }
        };
        if let Some(why) = wrong {
            found.damaged_slots += 1;
            if found.damaged.len() < TOLD_MAX {
                found.damaged.push(Damaged {
                    lba: u64::from(lpn.0) * u64::from(slot_bytes) / SECTOR_BYTES,
                    lpn: lpn.0,
                    place: place.0,
                    why,
                });
            }
        }
    }
    found
}
